# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The first five minutes of Documentation/install.rst fit on a screen, and all command lines of QEMU
suit the card."""

import re

import pytest
from first_steps import INSTALL, section
from lab.paths import TOP

# Lines of a terminal
SCREEN = 50
MANUAL = TOP / "Documentation/ornicctl.1"
# Without the first there is no KVM, and without the last the card may miss a doorbell under TCG
WORDS = " -accel kvm -accel tcg -smp 2 "


def test_one_screen():
    """All that a user must read is on one screen."""
    assert len(section().splitlines()) <= SCREEN


@pytest.mark.parametrize("path", [INSTALL, MANUAL], ids=lambda path: path.name)
def test_accelerators_and_processors(path):
    lines = re.findall(r"^ *eval qemu.*", path.read_text().replace("\\-", "-"), re.M)
    assert lines and all(WORDS in line for line in lines)
