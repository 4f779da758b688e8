# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The lab's cards have a sandbox, except the sanitized one."""

import re
from pathlib import Path

import pytest
from lab import Lab, LabError


@pytest.fixture
def own_lab(tmp_path):
    with Lab(logdir=tmp_path) as session:
        yield session


@pytest.mark.parametrize("sanitized, mode", [(False, 2), (True, 0)])
def test_sandbox(own_lab, sanitized, mode):
    """The card is told not to start without it. SECCOMP_MODE_FILTER is 2."""
    card = own_lab.card(1, sanitized=sanitized)
    process = Path(f"/proc/{card.process.pid}")
    assert (b"--sandbox=on" in (process / "cmdline").read_bytes().split(b"\0")) is not sanitized
    status = (process / "status").read_text()
    assert re.search(r"^Seccomp:\t(\d)$", status, re.M)[1] == str(mode)


def test_no_sandbox(own_lab):
    """A card that cannot enter the sandbox that it was asked for does not start."""
    with pytest.raises(LabError, match="cannot enter the sandbox"):
        own_lab.card(1, sanitized=True, args=["--sandbox=on"])
