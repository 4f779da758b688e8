# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs the C tests with a new seed and many more steps, to find failures that `make check`, which
repeats the same run, cannot find."""

import os
import subprocess

import pytest
from lab import fuzz, paths
from lab.seed import NAME, any_seed

# Steps of fuzz_test.c, which runs 20000 in `make check`
FUZZ_STEPS = 1000000
# Inputs of each fuzz target, and their length; `make check` runs fewer and shorter ones
FUZZ_INPUTS, FUZZ_BYTES = 60, 65536


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
@pytest.mark.parametrize("target", fuzz.KINDS)
def test_long_inputs(target, record_property):
    """The fuzz targets survive inputs that are much longer than those of libFuzzer: two clients on
    one switch, page lists, files that come and go, and a clock."""
    seed = f"{NAME}={any_seed()}"
    record_property("report", [seed])
    ended = subprocess.run(["make", "-C", fuzz.SOURCE, "random", f"TARGET={target}",
                            f"COUNT={FUZZ_INPUTS}", f"BYTES={FUZZ_BYTES}"], capture_output=True,
                           text=True, errors="replace", timeout=1500, check=False)
    words = f"{ended.stdout}{ended.stderr}"
    assert ended.returncode == 0, words
    assert f"[ RUN      ] {seed}: {FUZZ_BYTES} bytes" in words
    assert f"[  PASSED  ] {FUZZ_INPUTS} test(s)." in words


@pytest.mark.long
def test_provider_races():
    """ThreadSanitizer finds no race in libornic."""
    ended = subprocess.run(["make", "-C", paths.TOP / "tests/provider", "TSAN=1", "check"],
                           capture_output=True, text=True, errors="replace", timeout=1500,
                           check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
