# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The first steps of a user are the same in README.md and in Documentation/install.rst, and all
command lines of QEMU suit the card."""

import re

import pytest
from first_steps import INSTALL, README, blocks, first_steps, section
from lab.paths import TOP

# Lines of a terminal
SCREEN = 50
MANUAL = TOP / "Documentation/ornicctl.1"
# Without the first there is no KVM, and without the last the card may miss a doorbell under TCG
WORDS = " -accel kvm -accel tcg -smp 2 "


def test_install_has_the_same_steps():
    text = INSTALL.read_text().partition("Packages\n====")[0]
    assert blocks(text, "::\n\n") == list(first_steps().values())


def test_one_screen():
    """All that a user must read is on one screen."""
    assert len(section().splitlines()) <= SCREEN


@pytest.mark.parametrize("path", [README, INSTALL, MANUAL], ids=lambda path: path.name)
def test_accelerators_and_processors(path):
    lines = re.findall(r"^ *eval qemu.*", path.read_text().replace("\\-", "-"), re.M)
    assert lines and all(WORDS in line for line in lines)
