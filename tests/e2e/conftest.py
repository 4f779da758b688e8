# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Fixtures of the tests in VMs, and the rules of tests.

`make check` has one test for each feature and layer, at the lowest layer that can see the fault, and
each of its tests is certain:
1. No assertion on elapsed time, but an upper bound for hangs of 120 s or more.
2. None on numbers that scheduling decides: interrupts, doorbells, sleeps, retransmissions, frames of
   the kernel.
3. No program with a race of its own, no kernel with known reports of its own, no random injection.
4. Matrices of operations, sizes, modes, roles and faults belong to layers without VMs.
5. No test needs another test before it. ACK timeouts are 2 s.
6. Nothing is built that one test needs.

A marker leaves all others to other commands:
- `debug`, to `make check-debug`: tests of the drivers that need the debug kernel;
- `full`, to `make check-full`: other cases of a matrix, programs and consumers beyond one of a kind,
  and tests that break the rules above;
- `long`, to `make check-long`: sweeps, which run until something rare has happened, and cases whose
  values all occur in other cases.
"""

import shutil
import tempfile
from pathlib import Path

import pytest
from bundled import Place, make_bundle
from lab import LabError, paths, programs
from lab.consumers import loaded
from lab.pair import Pair, Processes, TwoCards, each
from settings import (
    READY_MS, Interop, Iommu, Taps, Two, counters, run_cases, wait_until,
)
from spaces import Spaces
from wired import Wired

HERE = Path(__file__).parent
# Two cards that differ from the usual one in what the hardware interface leaves to them
FREEDOMS = ("entries=pairs", "shadow=off,ci-lag=256,rq-doorbell=on,push=on")
# Turns KCSAN on. It watches one of this many accesses of our modules per processor; the default is
# for processors that are not emulated, and for a kernel that is instrumented as a whole.
WATCH = "echo 50 >/sys/module/kcsan/parameters/skip_watch && echo on >/sys/kernel/debug/kcsan"


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes a minute or more")


# Before xdist reads the groups, even if pytest has loaded this file first, for a place in here
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks all tests of this directory as tests in VMs. Tests that share VMs run one after the
    other, in the same worker of pytest, and tests that read captures run before the captures are
    long."""
    order = ["pair", "taps", "two", "wired", "capture", "interop", "free", "plain_pair",
             "free_pair", "late_pair", "two_cards", "three_cards", "various", "mixed", "iommu_pair",
             "selftests", "debug_pair", "debug_cards", "debug_spaces", "kcsan_pair", "kernel_pair",
             "kernel_cards", "bundle"]
    # A worker takes the largest group next. The groups of the debug kernel are small and slow: on
    # their own they would run last, with the other worker idle.
    groups = {"capture": "interop", "debug_pair": "wired", "debug_cards": "wired",
              "debug_spaces": "wired"}
    ranks = {}
    for item in items:
        if HERE not in item.path.parents:
            continue
        machines = next((name for name in order if name in item.fixturenames), "pair")
        params = getattr(item, "callspec", None)
        card = params.params.get(machines, "") if params else ""
        ranks[id(item)] = (order.index(machines), card)
        item.user_properties.append(("machines", machines))
        item.add_marker(pytest.mark.vm)
        item.add_marker(pytest.mark.xdist_group(groups.get(machines, machines)))
    items.sort(key=lambda item: ranks.get(id(item), (-1, "")))


def kept(key, make):
    """Returns a fixture for machines that stay alive until a test needs others."""
    @pytest.fixture
    def machines(pairs):
        return pairs.keep(key, lambda: make(pairs.lab))
    return machines


# Those without a comment are described by their classes
interop = kept("interop", Interop)
taps = kept("taps", Taps)
iommu_pair = kept("iommu", Iommu)
two_cards = kept("two cards", TwoCards)
three_cards = kept("three cards", lambda lab: TwoCards(lab, ("", "", "")))
two = kept("two", Two)
# Cards that lack ORNIC_CAPS_SHADOW
plain_pair = kept("no shadow", lambda lab: Pair(lab, nic_options="shadow=off"))
# Cards of two processes that use the freedoms of the hardware interface
free = kept("free", lambda lab: Processes(lab, FREEDOMS))
# Cards that become ready READY_MS after each reset
late_pair = kept("late", lambda lab: Pair(lab, nic_options=f"ready={READY_MS}"))


@pytest.fixture
def debug_spaces(pairs):
    """The cards of debug_cards, each in a network namespace: like a pair, see Spaces."""
    cards = pairs.debug_cards()
    if not cards.spaces:
        cards.spaces = Spaces(cards, "shared").move_netdevs()
    return cards.spaces


@pytest.fixture
def kcsan_pair(pairs):
    """A pair with the KCSAN kernel, whose detector of data races is on."""
    pair = pairs.get("kcsan", None)
    each(pair.vms, lambda vm: vm.check(WATCH))
    return pair


@pytest.fixture
def kernel_pair(pairs, request):
    """A pair with a kernel of Debian."""
    return pairs.keep(f"kernel {request.param}", lambda: Pair(pairs.lab, kernel=request.param))


@pytest.fixture
def kernel_cards(pairs, request):
    """One VM with two cards and a kernel of Debian."""
    return pairs.keep(f"kernel cards {request.param}",
                      lambda: TwoCards(pairs.lab, kernel=request.param))


@pytest.fixture
def wired(pairs, request):
    """One VM whose cable ends in the test, see Wired."""
    machine = pairs.keep("wired", lambda: Wired(pairs.lab))
    if "frames" not in request.fixturenames:
        machine.end_frames()
    return machine


@pytest.fixture(scope="module")
def end_of_frames(pairs):
    """Ends the program that the tests of a file share."""
    yield
    if isinstance(pairs.living, Wired):
        pairs.living.end_frames()


@pytest.fixture
def frames(wired, end_of_frames, guest_programs):
    """guest/frames.c in that VM, without objects. After the test the card must have as many
    objects as before."""
    program = wired.frames(guest_programs)
    objects = counters(wired.card, 0, "objects")
    wired.drain()
    yield program
    wired.reset_frames()
    wait_until("nothing is left", lambda: counters(wired.card, 0, "objects") == objects)


@pytest.fixture
def tidy(pairs):
    """Discards VMs in which a kernel consumer is stuck after the test."""
    yield
    try:
        stuck = pairs.living and any(loaded(vm) for vm in pairs.living.vms)
    except LabError:
        stuck = True
    if stuck:
        pairs.living.discard()


@pytest.fixture(scope="session")
def batches():
    """Results of case_passes."""
    return {}


@pytest.fixture
def case_passes(request, batches, guest_programs):
    """Returns a function that fails the test unless the case of a program of guest/ passes, which
    is the test's parameter `case`. The first test runs the cases of all tests of this session that
    have only this parameter different, in one call."""
    def alike(item):
        params = item.callspec.params if hasattr(item, "callspec") else {}
        return getattr(item, "function", None), {**params, "case": "case" in params}

    def check(pair, program, side="a"):
        tests = [item for item in request.session.items if alike(item) == alike(request.node)]
        cases, key = [item.callspec.params["case"] for item in tests], tests[0].nodeid
        if key not in batches:
            # Without this the next test would try the same with new machines
            batches[key] = dict.fromkeys(cases, "the machine ended with another case")
            vm = getattr(pair, side)
            batches[key] = run_cases(vm, pair.ornic[vm], guest_programs, program, cases)
        failure = batches[key][request.node.callspec.params["case"]]
        assert not failure, failure
    return check


@pytest.fixture(scope="session")
def guest_programs():
    """The directory of the programs built from guest/, at the same path in guests."""
    return programs.make()


@pytest.fixture(scope="session")
def bundle():
    return make_bundle(paths.BUILD / "bundle-test")


@pytest.fixture
def place(bundle):
    # pytest's own directories are for root only
    folder = Path(tempfile.mkdtemp(prefix="run-"))
    yield Place(folder, bundle)
    shutil.rmtree(folder)
