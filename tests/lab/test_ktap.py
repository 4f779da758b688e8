# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/ktap.py: no result is lost, and a skipped test does not count as passed."""

import pytest
from lab import ktap

LOG = """\
[   10.000000] ornic_kunit: loading
[   10.000001] KTAP version 1
[   10.000002] 1..2
[   10.000003]     KTAP version 1
[   10.000004]     # Subtest: ornic_ring
[   10.000005]     # module: ornic_kunit
[   10.000006]     1..3
[   10.000007]     ok 1 ornic_test_wrap
[   10.000008]         KTAP version 1
[   10.000009]         # Subtest: ornic_test_depth
[   10.000010]         ok 1 small
[   10.000011]         ok 2 large
[   10.000012]     # ornic_test_depth: pass:2 fail:0 skip:0 total:2
[   10.000013]     ok 2 ornic_test_depth
[   10.000014]     ok 3 ornic_test_full
[   10.000015] # ornic_ring: pass:3 fail:0 skip:0 total:3
[   10.000016] ok 1 ornic_ring
[   10.000017]     KTAP version 1
[   10.000018]     # Subtest: ornic_keys
[   10.000019]     1..1
[   10.000020]     ok 1 ornic_test_key
[   10.000021] ok 2 ornic_keys
"""


def test_good():
    names = [f"ornic_test_{name}" for name in ("wrap", "depth", "full", "key")]
    assert ktap.read(LOG) == (names, [])


@pytest.mark.parametrize("old, new", [
    ("ok 1 ornic_test_wrap", "not ok 1 ornic_test_wrap"),
    ("ok 1 ornic_test_wrap", "ok 1 ornic_test_wrap # SKIP no device"),
    ("ok 2 large", "ok 2 large # SKIP"),
    ("ok 2 large", "not ok 2 large"),
    ("ok 2 ornic_keys", "not ok 2 ornic_keys"),
    ("    1..3", "    1..4"),
    ("] 1..2", "] 1..3"),
    ("    ok 3 ornic_test_full\n", "\n"),
    ("    ok 1 ornic_test_wrap\n", "\n"),
    ("    1..1\n", "\n"),
    ("[   10.000021] ok 2 ornic_keys\n", ""),
])
def test_wrong(old, new):
    assert old in LOG
    assert ktap.read(LOG.replace(old, new))[1] != []


def test_breaks_off():
    """A log that ends anywhere after the first plan is reported as incomplete."""
    lines = LOG.splitlines()
    for end in range(3, len(lines)):
        assert ktap.read("\n".join(lines[:end]))[1] != [], end
