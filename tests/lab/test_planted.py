# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The faults of tests/planted/ fit the tree. scripts/planted shows that tests find them."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PATCHES = sorted((TOP / "tests/planted").glob("*.patch"))
# Faults, and how many of them `make check` must catch
LEAST, BY_CHECK = 20, 16


def head(patch, word):
    """Returns what follows `word` in the lines of a patch's head."""
    return re.findall(rf"^# {word}: (.+)$", patch.read_text(), re.M)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_applies(patch):
    """The patch applies to the tree as it is, and its part of the tests exists."""
    # git need not know the repository, which the root tree may not have
    subprocess.run(["git", "apply", "--check", patch], cwd=TOP, check=True,
                   env={**os.environ, "GIT_DIR": "/nonexistent"})
    parts = head(patch, "Part")
    assert parts
    for part in parts:
        path = part.partition("::")[0]
        assert (TOP / (path if path.endswith(".py") else f"{path}.c")).exists(), part


def test_enough():
    """There are as many faults as testing.rst says."""
    caught_by = [name for patch in PATCHES for name in head(patch, "Caught by")]
    assert set(caught_by) <= {"make check", "make check-debug", "make check-full"}
    assert len(PATCHES) >= LEAST and caught_by.count("make check") >= BY_CHECK
