# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Fixtures of the tests in virtual machines, and which of them `make check` runs.

`make check` has 45 minutes, and one fast case for each fault and each feature. What is left for
`make check-long` by the marker `long`, whoever asked for it:
- sweeps, which go on until something rare has happened;
- of a matrix of cases (operations, sizes, modes, roles, peers, faults) those of which every value
  is in another case of `make check` as well, and which take no other way through driver, provider
  or card than these;
- programs that do what another test does with every byte checked.
"""

from pathlib import Path

import pytest
from lab import LabError, programs
from lab.consumers import loaded
from lab.pair import Pair, Processes
from settings import BytesPair, Interop, Iommu, Queues, TwoCards, counters, wait_until
from wired import Frames, Wired

HERE = Path(__file__).parent


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes a minute or more")


def pytest_collection_modifyitems(items):
    """All of these boot machines. Those that share machines run one after the other, in the same
    worker of pytest if there are several, and captures are read before they are long."""
    order = ["pair", "plain_pair", "bytes_pair", "wired", "capture", "interop", "queues", "two_cards",
             "processes", "iommu_pair", "debug_pair", "debug_cards"]
    # A worker takes the group of most tests next, and those of the debug kernel are few and long:
    # on their own they would come last, with the other worker idle.
    groups = {"capture": "interop", "debug_pair": "wired", "debug_cards": "wired"}
    ranks = {}
    for item in items:
        if HERE not in item.path.parents:
            continue
        machines = next((name for name in order if name in item.fixturenames), "pair")
        ranks[id(item)] = order.index(machines)
        item.user_properties.append(("machines", machines))
        item.add_marker(pytest.mark.vm)
        item.add_marker(pytest.mark.xdist_group(groups.get(machines, machines)))
    items.sort(key=lambda item: ranks.get(id(item), -1))


@pytest.fixture
def interop(pairs):
    """An ORNIC card against rdma_rxe, see Interop."""
    return pairs.keep("interop", lambda: Interop(pairs.lab))


@pytest.fixture
def queues(pairs):
    """A pair whose first machine has two queues, see Queues."""
    return pairs.keep("queues", lambda: Queues(pairs.lab))


@pytest.fixture
def two_cards(pairs):
    """One machine with two cards, see TwoCards."""
    return pairs.keep("two cards", lambda: TwoCards(pairs.lab))


@pytest.fixture
def plain_pair(pairs):
    """The usual pair, but for cards that do not look into memory by themselves."""
    return pairs.keep("no shadow", lambda: Pair(pairs.lab, nic_options="shadow=off"))


@pytest.fixture
def bytes_pair(pairs):
    """A pair whose packets are bytes, see BytesPair."""
    return pairs.keep("bytes", lambda: BytesPair(pairs.lab))


@pytest.fixture
def processes(pairs):
    """A pair whose cards are two processes, see Processes."""
    return pairs.keep("processes", lambda: Processes(pairs.lab))


@pytest.fixture
def debug_cards(pairs):
    """One machine with two cards and two processors, and the debug kernel."""
    return pairs.keep("debug cards", lambda: TwoCards(pairs.lab, kernel="debug", smp=2))


@pytest.fixture
def iommu_pair(pairs):
    """A pair behind strict IOMMUs, see Iommu."""
    return pairs.keep("iommu", lambda: Iommu(pairs.lab))


@pytest.fixture
def wired(pairs):
    """One machine whose cable ends in the test, see Wired."""
    return pairs.keep("wired", lambda: Wired(pairs.lab))


@pytest.fixture
def frames(wired, guest_programs):
    """guest/frames.c in that machine. When it ends, the card counts as many objects as before."""
    objects = counters(wired.card, 0, "objects")
    wired.drain()
    program = Frames(wired, guest_programs)
    yield program
    code, output = program.close()
    assert code == 0, output
    wait_until("nothing is left", lambda: counters(wired.card, 0, "objects") == objects)


@pytest.fixture
def tidy(pairs):
    """Machines in which a kernel consumer is stuck are not for the next test."""
    yield
    try:
        stuck = pairs.living and any(loaded(vm) for vm in pairs.living.vms)
    except LabError:
        stuck = True
    if stuck:
        pairs.living.discard()


@pytest.fixture(scope="session")
def guest_programs():
    """The directory, in the guests too, of the programs made from guest/."""
    return programs.make()
