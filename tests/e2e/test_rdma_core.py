# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""rdma-core's own suite, unmodified, on the card. The result of each test is listed.

The suite uses one host: a test creates both ends on the device of --dev. Packets therefore pass
from a card to itself, by reference or as bytes."""

from pathlib import Path

import pytest
from lab import rdma_core

PASSED = Path(__file__).with_name("rdma-core-tests.list")
SKIPPED = Path(__file__).with_name("rdma-core-tests.skipped")
# These pass with any device, because the kernel's core refuses what they do
VACUOUS = {
    "test_dmah.DMAHandleTest.test_dmah_invalid_ph",
    "test_dmah.DMAHandleTest.test_dmah_invalid_mem_type",
    "test_dmah.DMAHandleTest.test_dmah_inval_cpu_id",
}
# Tests of Debian's suite that pass at least
LEAST = 132
# Tests of other vendors, most of them about own features, are not counted
VENDORS = ("test_mlx5", "test_efa")


def lines(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def expected():
    """Returns {test: (result, reason if it is skipped)}."""
    found = {name: ("passed", "") for name in lines(PASSED)}
    for line in lines(SKIPPED):
        name, _, reason = line.partition(": ")
        assert name not in found, f"{name} is listed twice"
        found[name] = ("skipped", reason)
    assert VACUOUS <= {name for name, (result, _) in found.items() if result == "passed"}
    return found


def run(pair, record_property):
    """Checks that each test has the listed result, and each skipped test the listed reason."""
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


def run_distribution(pair, record_property):
    """The suite of the root tree's Debian: its tests have the results that those of the newer
    version have. Tests that the newer version lacks pass, or are those of a vendor."""
    outcomes = rdma_core.run(pair.a, pair.ornic[pair.a], distribution=True)
    found = {outcome.test.removeprefix("tests."): (outcome.result, " ".join(outcome.why.split()))
             for outcome in outcomes}
    results = [result for name, (result, _) in found.items() if not name.startswith(VENDORS)]
    record_property("report", [f"{results.count(result)} {result}"
                               for result in ("passed", "failed", "skipped")])
    want = expected()
    wrong = [f"{name}: {outcome}, not {want.get(name, 'listed')}"
             for name, outcome in sorted(found.items())
             if outcome != want.get(name, ("passed", "")) and not
             (name not in want and name.startswith(VENDORS) and outcome[0] == "skipped")]
    assert not wrong, "\n".join(wrong)
    assert results.count("passed") >= LEAST


def test_distribution(pair, record_property):
    run_distribution(pair, record_property)


@pytest.mark.full
def test_rdma_core(pair, record_property):
    run(pair, record_property)


@pytest.mark.full
def test_completion_counters(pair):
    """The suite has no test of them: data is there when a counter says so, errors are counted, and
    what ibv_qp_attach_comp_cntr(3) forbids is refused."""
    vm, port = pair.a, pair.ornic[pair.a]
    program = Path(__file__).parent / "guest/comp-cntr"
    vm.check(f"IBV_DRIVERS={rdma_core.PROVIDER} {program} {rdma_core.DIRECTORY.resolve()} "
             f"{port.device} {port.gid_index}", 120)


@pytest.mark.long
def test_bytes(taps, record_property):
    """The suite has the same results if packets are bytes, as on the path to other hosts."""
    run(taps, record_property)


@pytest.mark.long
def test_debug_kernel(debug_pair, record_property):
    run(debug_pair, record_property)
