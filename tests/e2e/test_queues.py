# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Each option of cards that test_freedoms.py combines, and others: the two cards of a pair differ,
and programs run in both directions. Nothing is lost and nothing waits for an index that does not
come."""

import pytest
from lab.pair import Pair, Roles, find_again
from lab.perftest import perftest, pingpong, rping, xsrq_pingpong
from settings import cases_of, counters, pings
from transfer import mixed, transfer

pytestmark = pytest.mark.full

# Consumer indexes of rings are exact, lag by about a ring of these programs, or by more than any
# ring of them
CARDS = [("entries=whole", "ci-lag=64"), ("entries=pairs", "shadow=off,entries=whole"),
         ("ci-lag=256,rq-doorbell=on", "ci-lag=0")]
# More than any ring of these programs holds
MANY = 2000
OFFENCES = ("bad_sq_pi", "bad_rq_pi", "bad_doorbell_page", "bad_doorbell_type",
            "bad_doorbell_queue", "bad_register_access", "eq_overruns")


@pytest.fixture(params=CARDS, ids="|".join)
def free_pair(pairs, request):
    """A pair whose cards have these options. They have no reason to refuse what the drivers do."""
    pair = pairs.keep(request.param, lambda: Pair(pairs.lab, nic_options=request.param))
    before = [counters(pair.card, nic) for nic in (0, 1)]
    yield pair
    after = [counters(pair.card, nic) for nic in (0, 1)]
    assert [{name: new[name] - old[name] for name in OFFENCES} for new, old in zip(after, before)] \
        == [dict.fromkeys(OFFENCES, 0)] * 2


@pytest.fixture(params=["a", "b"])
def client(request):
    return request.param


@pytest.fixture
def sides(free_pair, client):
    """The pair with one of its cards as the client."""
    return free_pair if client == "a" else Roles(free_pair.b, free_pair.a)


@pytest.mark.parametrize("program, count, words", [
    ("ib_send_bw", MANY, "-t 1"), ("ib_send_bw", MANY, "-t 128 -r 64"),
    # A datagram without a receive is lost, so there is one for each
    ("ib_send_bw", 480, "-c UD -t 16 -r 512 -l 8"),
])
def test_depths(free_pair, sides, program, count, words):
    """A program keeps as many work requests in the queues as it has asked for, many times over.
    WQEs of datagrams have two slots, and a list has several [ORNIC-SQ-1]."""
    perftest(sides, free_pair.ornic, program, 64, count, f"-Q 1 {words}")


@pytest.mark.parametrize("transport, ops, options", [mixed("rc"), mixed("ud", "-x", "extended")])
def test_all_operations(free_pair, sides, guest_programs, transport, ops, options):
    longest = "-l 1000" if transport == "ud" else "-l 20000"
    transfer(sides, free_pair.ornic, guest_programs, ops, f"-t {transport} {longest} {options}")


def test_programs(free_pair):
    """The receives of an SRQ are posted again when the record or the completions say so. Events,
    and completions with time stamps, come."""
    perftest(free_pair, free_pair.ornic, "ib_send_bw", 4096, 500, "--use-srq -q 16")
    xsrq_pingpong(free_pair, free_pair.ornic)
    for transport, options in (("rc", f"-t -n {MANY}"), ("rc", "-e"), ("ud", "-e -n 100")):
        pingpong(free_pair, free_pair.ornic, transport, options)


def test_kernel(free_pair, sides):
    """The kernel's own queues: rdma_cm by the GSI QP, and the interface with its smallest rings."""
    vm, port = sides.a, free_pair.ornic[sides.a]
    peer = free_pair.ornic[sides.b].ip
    rping(sides, free_pair.ornic, count=50)
    vm.check(f"ethtool -G {port.netdev} tx 64 rx 64")
    assert pings(vm, peer)
    vm.check(f"ping -q -f -c {MANY} -l 40 -W 5 {peer}", 300)
    vm.check(f"ethtool -G {port.netdev} tx 1024 rx 1024")
    find_again(free_pair, vm)


@pytest.mark.parametrize("case", cases_of("cq"))
def test_cq(free_pair, case_passes, client, case):
    """CQs of these cards pass the cases of guest/cq.c, two of which overrun CQs."""
    case_passes(free_pair, "cq", client)


@pytest.mark.parametrize("case", ["crowd_fails"])
def test_many_events(free_pair, case_passes, client, case):
    """[ORNIC-EQ-6] More events than an EQ holds wait, and none is lost."""
    case_passes(free_pair, "event", client)
