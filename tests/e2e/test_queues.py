# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards that use what the rules of queues leave to them: consumer indexes in records that always
lag behind [ORNIC-ORD-4], [ORNIC-ORD-5], [ORNIC-ORD-9], and doorbells for receives
[ORNIC-DB-31]. Nothing is lost and nothing waits for an index that does not come."""

import pytest
from lab.pair import Pair, find_port
from lab.perftest import perftest, pingpong, rping, xsrq_pingpong
from settings import counters, long, pings
from transfer import mixed, transfer

pytestmark = pytest.mark.full

# The indexes are exact, lag by about a ring of these programs, or by more than any ring of them
CARDS = [long("ci-lag=0"), "ci-lag=64", long("ci-lag=256,rq-doorbell=on"),
         "ci-lag=256,rq-doorbell=on,shadow=off"]
OFFENCES = ("bad_sq_pi", "bad_rq_pi", "bad_doorbell_type", "bad_doorbell_queue")


@pytest.fixture(scope="module", params=CARDS)
def options(request):
    """Options of the cards. All tests with the same ones follow each other."""
    return request.param


@pytest.fixture
def free_pair(options, pairs):
    """A pair whose cards have these options. They have no reason to refuse an index."""
    pair = pairs.keep(options, lambda: Pair(pairs.lab, nic_options=options))
    before = [counters(pair.card, nic) for nic in (0, 1)]
    yield pair
    for nic in (0, 1):
        after = counters(pair.card, nic)
        assert [after[name] - before[nic][name] for name in OFFENCES] == [0] * len(OFFENCES)


@pytest.mark.parametrize("program, count, words", [
    ("ib_send_bw", 2000, "-t 1"), ("ib_send_bw", 2000, "-t 5 -r 8"),
    ("ib_send_bw", 2000, "-t 128 -r 64"),
    ("ib_write_bw", 2000, "-t 1"), ("ib_write_bw", 2000, "-t 5"), ("ib_read_bw", 2000, "-t 128"),
    # A datagram without a receive is lost, so there is one for each
    ("ib_send_bw", 480, "-c UD -t 16 -r 512 -l 8"),
])
def test_depths(free_pair, program, count, words):
    """A program keeps as many work requests in the queues as it has asked for, many times over.
    WQEs of datagrams have two slots, and a list has several [ORNIC-SQ-1]."""
    perftest(free_pair, free_pair.ornic, program, 64, count, f"-Q 1 {words}")


@pytest.mark.parametrize("transport, ops, more", [mixed("rc"), mixed("uc"), mixed("ud")])
def test_all_operations(free_pair, guest_programs, transport, ops, more):
    longest = "-l 1000" if transport == "ud" else "-l 20000"
    transfer(free_pair, free_pair.ornic, guest_programs, ops, f"-t {transport} {longest} {more}")


def test_srq(free_pair):
    """The receives of an SRQ are posted again when the record or the completions say so."""
    perftest(free_pair, free_pair.ornic, "ib_send_bw", 4096, 500, "--use-srq -q 16")
    xsrq_pingpong(free_pair, free_pair.ornic)


def test_events(free_pair):
    pingpong(free_pair, free_pair.ornic, "rc", "-e")
    pingpong(free_pair, free_pair.ornic, "ud", "-e -n 100")


def test_kernel(free_pair):
    """The kernel's own queues: rdma_cm by the GSI QP, and the interface with its smallest rings."""
    vm, port = free_pair.a, free_pair.ornic[free_pair.a]
    peer = free_pair.ornic[free_pair.b].ip
    rping(free_pair, free_pair.ornic, count=50)
    vm.check(f"ethtool -G {port.netdev} tx 64 rx 64")
    assert pings(vm, peer)
    vm.check(f"ping -q -f -c 2000 -l 40 -W 5 {peer}", 60)
    vm.check(f"ethtool -G {port.netdev} tx 1024 rx 1024")
    free_pair.ornic[vm] = find_port(vm, port.netdev, port.ip)
