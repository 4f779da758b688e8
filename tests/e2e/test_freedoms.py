# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards that use freedoms of the hardware interface, as silicon may: entries of rings are written
as a whole [ORNIC-GEN-6] [ORNIC-GEN-7]; doorbells arm CQs and EQs and tell what is consumed, with
and without ORNIC_CAPS_SHADOW [ORNIC-DB-28] [ORNIC-DB-29] [ORNIC-DB-30] [ORNIC-DB-31]
[ORNIC-DB-32]; consumer indexes in records always lag behind [ORNIC-ORD-5], [ORNIC-ORD-6],
[ORNIC-ORD-7]; receives have doorbells [ORNIC-DB-12]; short WQEs are pushed [ORNIC-PUSH-2]. Nothing
is lost and nothing waits for an index that does not come. The cards are two processes, joined by a
Unix datagram socket that holds eleven packets; further packets wait in QPs [ORNIC-WIRE-6]."""

import re

import pytest
from lab.perftest import perftest, pingpong, rping
from settings import counters, wait_until
from transfer import mixed, transfer

# More than any ring of these programs holds, so that CQs overrun if the card is not told `ci`
MANY = 2000
# Counters of what a host does wrong
WRONG = ("cq_overruns", "eq_overruns", "bad_sq_pi", "bad_rq_pi", "bad_doorbell_page",
         "bad_doorbell_type", "bad_doorbell_queue", "bad_register_access")


def wrong(free):
    return [{name: counters(card)[name] for name in WRONG} for card in free.cards]


@pytest.fixture
def blameless(free):
    """The cards find no fault with what the test makes the drivers do."""
    before = wrong(free)
    yield free
    assert wrong(free) == before


@pytest.mark.parametrize("transport, options", [
    # Time stamps are in the extension of completions
    ("rc", f"-t -n {MANY}"), ("rc", "-e"), ("ud", f"-n {MANY}"),
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


def test_push(blameless, guest_programs):
    """Processes push short WQEs, and the card takes some of them: not those of which QEMU has
    delivered a part too late [ORNIC-PUSH-4]. Each byte is checked."""
    card = blameless.cards[1]
    before = counters(card)["pushed_wqes"]
    transfer(blameless, blameless.ornic, guest_programs, "send,write,read", "-t rc -l 24")

    def taken():
        pingpong(blameless, blameless.ornic, "rc", f"-s 8 -n {MANY}")
        return counters(card)["pushed_wqes"] > before

    wait_until("a line arrives in time", taken)
    assert not counters(blameless.cards[0])["pushed_wqes"]


# A process that has mapped its pages, the addresses of BAR2, and how pages of it are mapped
PAGES = """ibv_rc_pingpong -d {device} -g {gid} >/dev/null & until ss -ltn | grep -q :18515; do
sleep 0.1; done; sed -n 3p /sys/class/infiniband/{device}/device/resource
cat /sys/kernel/debug/x86/pat_memtype_list; kill $!"""


@pytest.mark.parametrize("side", ["a", "b"])
def test_push_page(free, side):
    """[ORNIC-DB-11] A process has its doorbell page uncached, and from a card with push pages
    another one, with write-combining, half of DB_STRIDE behind."""
    vm = getattr(free, side)
    port = free.ornic[vm]
    bar, *lines = vm.check(PAGES.format(device=port.device, gid=port.gid_index), 120).splitlines()
    begin, end = (int(word, 16) for word in bar.split()[:2])
    found = re.findall(r"0x([0-9a-f]+)-0x([0-9a-f]+)\] (\S+)", "\n".join(lines))
    pages = {int(first, 16) - begin: how for first, last, how in found
             if begin <= int(first, 16) <= end and int(last, 16) - int(first, 16) == 4096}
    combined = {at for at, how in pages.items() if how == "write-combining"}
    uncached = {at for at, how in pages.items() if how.startswith("uncached")}
    assert len(uncached) == 1 and combined == ({at + 32768 for at in uncached} if side == "b"
                                               else set()), pages


def test_rping(blameless):
    """The CM of the kernel uses completions of 64 bytes."""
    rping(blameless, blameless.ornic)


@pytest.mark.parametrize("size", [56, 8000])
def test_ping(blameless, size):
    """Frames of the network stack: more than its rings hold, most of them polled under load."""
    ip = blameless.ornic[blameless.b].ip
    blameless.a.check(f"ping -q -f -c {MANY} -s {size} -w 300 {ip}", 330)


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("case", ["overrun", "resize_under_traffic", "resize_keeps_entries"])
def test_cq(free, case_passes, side, case):
    """CQs of these cards overrun and change their size as others do."""
    case_passes(free, "cq", side)


def test_nothing_is_lost(free):
    """No packet of 1 MiB messages of several QPs is lost between the two processes."""
    perftest(free, free.ornic, "ib_write_bw", 1 << 20, 20, "-q 8 -b", timeout=240)
    for card in free.cards:
        drops = {name: port["wire"]["drops"]
                 for name, port in card.stats()["switch"]["ports"].items()}
        assert not any(drops.values()), (card.name, drops)
