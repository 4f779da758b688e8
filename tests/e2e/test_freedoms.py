# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards that use freedoms of the hardware interface, as silicon may: entries of rings are written
as a whole [ORNIC-GEN-5] [ORNIC-GEN-7]; doorbells arm CQs and EQs and tell what is consumed, with
and without ORNIC_CAPS_SHADOW [ORNIC-DB-17] [ORNIC-DB-27] [ORNIC-DB-28] [ORNIC-DB-29]
[ORNIC-DB-30]."""

import pytest
from lab.perftest import pingpong, rping
from settings import counters
from test_verbs import PROGRAMS
from transfer import mixed, transfer

pytestmark = pytest.mark.full

# More than any ring of these programs holds, so that CQs overrun if the card is not told `ci`
MANY = 2000
# Counters of what a host does wrong
WRONG = ("cq_overruns", "eq_overruns", "bad_doorbell_page", "bad_doorbell_type",
         "bad_doorbell_queue", "bad_register_access")


@pytest.fixture
def blameless(free_pair):
    """The cards find no fault with what the test makes the drivers do."""
    before = counters(free_pair.card)
    yield free_pair
    after = counters(free_pair.card)
    assert {name: after[name] - before[name] for name in WRONG} == dict.fromkeys(WRONG, 0)


@pytest.mark.parametrize("transport, options", [
    ("rc", f"-n {MANY}"), ("rc", "-e"),
    # Time stamps are in the extension of completions
    ("rc", f"-t -n {MANY}"),
    ("ud", f"-n {MANY}"), ("ud", "-e"),
])
def test_pingpong(blameless, transport, options):
    pingpong(blameless, blameless.ornic, transport, options)


@pytest.mark.parametrize("transport, ops, options", [
    mixed("rc", "-x", "extended"), mixed("ud", "-x", "extended"), mixed("rc", "-S", "srq"),
])
def test_transfer(blameless, guest_programs, transport, ops, options):
    longest = "-l 1000" if transport == "ud" else "-l 20000"
    transfer(blameless, blameless.ornic, guest_programs, ops,
             f"-t {transport} {longest} {options}")


def test_rping(blameless):
    """The CM of the kernel uses completions of 64 bytes."""
    rping(blameless, blameless.ornic, count=100)


@pytest.mark.parametrize("size", [56, 8000])
def test_ping(blameless, size):
    """Frames of the network stack: more than its rings hold, most of them polled under load."""
    ip = blameless.ornic[blameless.b].ip
    blameless.a.check(f"ping -q -f -c {MANY} -s {size} -w 60 {ip}", 90)


@pytest.mark.parametrize("case", PROGRAMS["cq"])
def test_cq(free_pair, case_passes, case):
    """CQs of these cards pass the cases of guest/cq.c, two of which overrun CQs."""
    case_passes(free_pair, "cq")


@pytest.mark.parametrize("case", ["crowd_fails"])
def test_many_events(free_pair, case_passes, case):
    """[ORNIC-EQ-6] More events than an EQ holds wait, and none is lost."""
    case_passes(free_pair, "event")
