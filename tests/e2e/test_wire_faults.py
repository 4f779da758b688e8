# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Issue: "Wire faults: 1 % loss, duplication, reordering and corruption, each alone and together, on
RC ... nothing lost, nothing wrong, the right counters move". guest/transfer.c looks at every byte, and
finds what was executed twice. Packets go as references from guest to guest, and, with --bytes, as
they would on a wire: only those can be corrupted."""

import json

import pytest
from lab.consumers import Nvme, fio
from lab.perftest import perftest
from lab.seed import seed
from transfer import RC, transfer
from settings import control, counters, long

PERCENT = 10000
# What the cards count, and must, when that happens to one packet of a hundred
FAULTS = {
    "loss": "retransmits",
    "duplicate": "rx_duplicate_requests",
    "reorder": "rx_out_of_sequence",
    "delay": "rx_out_of_sequence",
    "corrupt": "rx_icrc_errors",
}
MIXED = ",".join(RC)
# Enough packets that each fault happens many times: 24 batches of 32, 8 packets each
ENOUGH = "-b 24 -s 32 -l 16000 -m 1024 -r 8"


def set_faults(pair, **ppm):
    control(pair.card, f"fault seed {seed()}")
    for kind in FAULTS:
        answer = json.loads(pair.card.control(f"fault {kind} {ppm.get(kind, 0)}"))
        assert "error" not in answer, answer


class Faults:
    """While it lasts, packets have these faults; then, each has happened and was counted.
    counts: what the cards count of each, if not FAULTS; None: nothing."""

    def __init__(self, pair, counts=FAULTS, **ppm):
        self.pair, self.ppm, self.counts = pair, ppm, counts

    def count(self):
        happened = self.pair.card.stats()["switch"]["faults"]
        counted = [counters(self.pair.card, nic, "rdma") for nic in (0, 1)]
        return happened, {name: sum(card[name] for card in counted) for name in counted[0]}

    def moved(self):
        """(faults that have happened since, what the cards have counted since)"""
        return tuple({name: new[name] - old[name] for name in new}
                     for old, new in zip(self.before, self.count()))

    def __enter__(self):
        self.before = self.count()
        set_faults(self.pair, **self.ppm)
        return self

    def __exit__(self, kind, *_):
        set_faults(self.pair)
        if kind:
            return
        happened, counted = self.moved()
        for fault in self.ppm:
            assert happened[fault] > 0, happened
            if self.counts:
                assert counted[self.counts[fault]] > 0, (fault, happened, counted)
        if "corrupt" not in self.ppm:
            assert counted["rx_icrc_errors"] == 0 and counted["rx_malformed"] == 0, counted
        assert counted["retries_exceeded"] == 0, counted


def faults_of(word, ppm=PERCENT):
    """Either one kind or several, joined with +"""
    return {kind: ppm for kind in word.split("+")}


@pytest.mark.parametrize("kinds", ["loss", long("duplicate"), long("reorder"), long("delay"),
                                   "loss+duplicate+reorder+delay"])
def test_references(pair, guest_programs, kinds):
    """All operations of RC at once, payload passed by reference."""
    with Faults(pair, **faults_of(kinds)):
        transfer(pair, pair.ornic, guest_programs, MIXED, ENOUGH, 120)


@pytest.mark.parametrize("kinds", [*FAULTS, "+".join(FAULTS)])
def test_bytes(bytes_pair, guest_programs, kinds):
    """The same, packet by packet."""
    with Faults(bytes_pair, **faults_of(kinds)):
        transfer(bytes_pair, bytes_pair.ornic, guest_programs, MIXED, ENOUGH, 120)


@pytest.mark.parametrize("ops, options", [
    ("send_inv,write,read", "-w 2"), ("flush,atomic_write", ""), (MIXED, "-S"),
], ids=["windows", "flush", "srq"])
def test_everything_else(bytes_pair, guest_programs, ops, options):
    """What is executed must be executed once here, too: a window is bound and invalidated once."""
    with Faults(bytes_pair, **faults_of("loss+duplicate+reorder+delay+corrupt")):
        transfer(bytes_pair, bytes_pair.ornic, guest_programs, ops, f"{options} {ENOUGH}", 120)


@pytest.mark.parametrize("program", [long("ib_send_bw"), "ib_write_bw", "ib_read_bw",
                                     "ib_atomic_bw"])
def test_perftest(bytes_pair, program):
    """perftest comes to its end in all of it."""
    size = 8 if "atomic" in program else 8192
    with Faults(bytes_pair, **faults_of("loss+duplicate+reorder+delay+corrupt")):
        perftest(bytes_pair, bytes_pair.ornic, program, size, 500)


def test_fio(bytes_pair, tidy):
    """NVMe over Fabrics, whose memory is registered and invalidated, under fio with verification:
    each kind of fault alone, and all together."""
    with Nvme(*bytes_pair.vms, bytes_pair.ornic) as disk:
        for kinds in (*FAULTS, "+".join(FAULTS)):
            with Faults(bytes_pair, **faults_of(kinds)):
                fio(disk.host, disk.path, size="8M")


@pytest.mark.parametrize("transport", ["uc", "ud"])
def test_unreliable(bytes_pair, guest_programs, transport):
    """Delay of everything alike is no fault: what has no acknowledgements arrives, too, and in
    order."""
    with Faults(bytes_pair, None, delay=1000000) as faults:
        ops = "send,send_imm" + (",write,write_imm" if transport == "uc" else "")
        transfer(bytes_pair, bytes_pair.ornic, guest_programs, ops, f"-t {transport} -l 1000", 120)
        assert faults.moved()[1]["rx_out_of_sequence"] == 0


@pytest.mark.long
@pytest.mark.parametrize("mtu", [256, 4096])
@pytest.mark.parametrize("ppm", [100, 1000, 50000])
@pytest.mark.parametrize("kinds", [*FAULTS, "+".join(FAULTS)])
def test_sweep(bytes_pair, guest_programs, kinds, ppm, mtu):
    """From rare faults, which need much traffic to happen at all, to one in twenty packets, which
    lets few messages through at the first try and many only after a timeout."""
    options = f"-b {300 if ppm < 10000 else 15} -s 64 -l 30000 -m {mtu} -r 16"
    with Faults(bytes_pair, **faults_of(kinds, ppm)):
        transfer(bytes_pair, bytes_pair.ornic, guest_programs, MIXED, options, 900)
