# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The lab's cards have a sandbox, except the sanitized one."""

import re
from pathlib import Path

import pytest
from lab import Lab, LabError, paths


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


@pytest.mark.parametrize("where, part", [("device", "device"), ("installed/root/usr/bin",
                                                                "installed")])
def test_no_program(own_lab, monkeypatch, where, part):
    """The message about a missing card says what builds it."""
    monkeypatch.setattr(paths, "DEVICE", paths.BUILD / where / "no-device")
    monkeypatch.setattr(paths, "INSTALLED", paths.BUILD / "installed")
    with pytest.raises(LabError, match=f"is missing: run `scripts/build {part}`"):
        own_lab.card(1)
