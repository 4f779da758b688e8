# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""rdma-core's own suite, unmodified, on the card: what becomes of each test is known beforehand.

The suite has no second machine: a test makes both ends on the device that --dev names. So packets
pass from a card to itself, by reference or as bytes."""

from pathlib import Path

import pytest
from lab import rdma_core

PASSED = Path(__file__).with_name("rdma-core-tests.list")
SKIPPED = Path(__file__).with_name("rdma-core-tests.skipped")
# They pass with any device or none, as the kernel's core refuses what they do: no evidence.
VACUOUS = {
    "test_dmah.DMAHandleTest.test_dmah_invalid_ph",
    "test_dmah.DMAHandleTest.test_dmah_invalid_mem_type",
    "test_dmah.DMAHandleTest.test_dmah_inval_cpu_id",
}
# Those of other vendors are mostly about their own features, and not counted.
VENDORS = ("test_mlx5", "test_efa")


def lines(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def expected():
    """{test: (result, reason if it is skipped)}"""
    found = {name: ("passed", "") for name in lines(PASSED)}
    for line in lines(SKIPPED):
        name, _, reason = line.partition(": ")
        assert name not in found, f"{name} is listed twice"
        found[name] = ("skipped", reason)
    assert VACUOUS <= {name for name, (result, _) in found.items() if result == "passed"}
    return found


def run(pair, record_property):
    """Each test ends as it is listed, and a test that is skipped is so for the reason listed."""
    outcomes = rdma_core.run(pair.a, pair.ornic[pair.a])
    found = {}
    for outcome in outcomes:
        name = outcome.test.removeprefix("tests.")
        assert name not in found, f"{name} ends twice: {outcome}"
        found[name] = (outcome.result, " ".join(outcome.why.split()))
    results = [result for name, (result, _) in found.items()
               if name not in VACUOUS and not name.startswith(VENDORS)]
    record_property("report", [f"{results.count(result)} {result}"
                               for result in ("passed", "failed", "skipped")] +
                    [f"not counted: {len(VACUOUS)} that pass with any device, other vendors'"])
    want = expected()
    wrong = [f"{name}: {found.get(name, 'did not run')}, not {want.get(name, 'listed')}"
             for name in sorted(found.keys() | want.keys()) if found.get(name) != want.get(name)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_rdma_core(pair, record_property):
    run(pair, record_property)


@pytest.mark.long
def test_bytes(bytes_pair, record_property):
    """With the way of packets that go to another host."""
    run(bytes_pair, record_property)


@pytest.mark.long
def test_debug_kernel(debug_pair, record_property):
    run(debug_pair, record_property)
