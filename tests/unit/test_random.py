# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs the C tests with a new seed and many more steps, to find failures that `make check`, which
repeats the same run, cannot find."""

import os
import subprocess

import pytest
from lab import paths
from lab.seed import NAME, any_seed

# Steps of fuzz_test.c, which runs 20000 in `make check`
FUZZ_STEPS = 1000000


@pytest.mark.long
@pytest.mark.parametrize("part", ["unit", "provider"])
def test_other_seed(part, record_property):
    seed = f"{NAME}={any_seed()}"
    record_property("report", [seed])
    ended = subprocess.run(["make", "-C", paths.TOP / "tests" / part, "check"],
                           env={**os.environ, "FUZZ_STEPS": str(FUZZ_STEPS)}, capture_output=True,
                           text=True, errors="replace", timeout=1500, check=False)
    words = f"{seed}\n{ended.stdout}{ended.stderr}"
    assert ended.returncode == 0, words
    if part == "unit":
        assert words.count(seed) > 1 and f"FUZZ_STEPS={FUZZ_STEPS}" in words, words


@pytest.mark.long
def test_provider_races():
    """ThreadSanitizer finds no race in libornic."""
    ended = subprocess.run(["make", "-C", paths.TOP / "tests/provider", "TSAN=1", "check"],
                           capture_output=True, text=True, errors="replace", timeout=1500,
                           check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
