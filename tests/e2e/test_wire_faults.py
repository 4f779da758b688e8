# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Wire faults on RC: 1 % loss, duplication, reordering, delay and corruption, each alone and
together. Nothing is lost, no data is wrong, and the right counters increase. guest/transfer.c
checks every byte and detects requests that were executed twice. Packets pass by reference from
guest to guest, or, with --bytes, as on a wire; only the latter can be corrupted. rdma_rxe, which
believes other packets than the card does, is the peer on a wire with faults, too."""

import json

import pytest
from lab.consumers import Nvme, fio
from lab.perftest import ProgramFailed, perftest
from lab.seed import seed
from transfer import RC, transfer
from settings import DIRECTIONS, control, counters, full, long, roles

PERCENT = 10000
# {fault: counter that must increase if it happens to one packet in a hundred}
FAULTS = {
    "loss": "retransmits",
    "duplicate": "rx_duplicate_requests",
    "reorder": "rx_out_of_sequence",
    "delay": "rx_out_of_sequence",
    "corrupt": "rx_icrc_errors",
}
MIXED = ",".join(RC)
# Enough packets that each fault happens many times: 24 batches of 32, 8 packets each. The ACK
# timeout is 0.5 s, because a batch whose last packet is lost waits for it.
ENOUGH = "-b 24 -s 32 -l 16000 -m 1024 -r 8 -u 17"
RXE_TRIES = 3
# A packet can be reordered only while another one waits behind it, as the scheduler decides
RXE_ROUNDS = 20


def set_faults(pair, **ppm):
    control(pair.card, f"fault seed {seed()}")
    for kind in FAULTS:
        answer = json.loads(pair.card.control(f"fault {kind} {ppm.get(kind, 0)}"))
        assert "error" not in answer, answer


@pytest.fixture
def taps(taps):
    """The usual pair, with permanent entries for neighbours."""
    taps.keep_neighbours()
    return taps


class Faults:
    """Injects faults while the block runs, and then checks that each has happened and was counted.
    `counts` has the counter of each fault; if it is None, no counters are required."""

    def __init__(self, pair, counts=FAULTS, **ppm):
        self.pair, self.ppm, self.counts = pair, ppm, counts

    def count(self):
        stats = self.pair.card.stats()
        happened = stats["switch"]["faults"]
        counted = [counters(self.pair.card, nic, "rdma") for nic in range(len(stats["cards"]))]
        return happened, {name: sum(card[name] for card in counted) for name in counted[0]}

    def moved(self):
        """Returns (faults that have happened, increases of the cards' counters) since the block
        began."""
        return tuple({name: new[name] - old[name] for name in new}
                     for old, new in zip(self.before, self.count()))

    def happened(self):
        """Returns whether each of the faults has happened."""
        return all(self.moved()[0][fault] > 0 for fault in self.ppm)

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
    """Returns the faults of one kind, or of several joined with +."""
    return {kind: ppm for kind in word.split("+")}


@pytest.mark.parametrize("kinds", [full("loss"), long("duplicate"), long("reorder"), long("delay"),
                                   "loss+duplicate+reorder+delay"])
def test_references(pair, guest_programs, kinds):
    """All operations of RC at once withstand faults, with payload passed by reference."""
    with Faults(pair, **faults_of(kinds)):
        transfer(pair, pair.ornic, guest_programs, MIXED, ENOUGH, 120)


@pytest.mark.parametrize("kinds", [
    *(kind if kind == "corrupt" else full(kind) for kind in FAULTS), "+".join(FAULTS),
])
def test_bytes(taps, guest_programs, kinds):
    """All operations of RC at once withstand faults, with packets as bytes."""
    with Faults(taps, **faults_of(kinds)):
        transfer(taps, taps.ornic, guest_programs, MIXED, ENOUGH, 120)


@pytest.mark.full
@pytest.mark.parametrize("ops, options", [
    ("send_inv,write,read", "-w 2"), ("flush,atomic_write", ""), (MIXED, "-S"),
], ids=["windows", "flush", "srq"])
def test_everything_else(taps, guest_programs, ops, options):
    """Other operations are executed exactly once too: a window is bound and invalidated once."""
    with Faults(taps, **faults_of("loss+duplicate+reorder+delay+corrupt")):
        transfer(taps, taps.ornic, guest_programs, ops, f"{options} {ENOUGH}", 120)


# Without READs towards rdma_rxe: it repeats one with the memory region of its last request, which
# has none if it had no bytes. As the client it sometimes sends nothing more after a NAK or a loss.
@pytest.mark.full
@DIRECTIONS
@pytest.mark.parametrize("kinds", ["loss", "duplicate", "reorder", "loss+duplicate+reorder"])
def test_rxe(interop, guest_programs, client, kinds):
    """Operations of one packet withstand faults between the card and rdma_rxe, which takes an ACK
    with the PSN of a READ or an atomic for its result. These PSNs lie next to those of other
    requests. No counter must increase, because the faults may hit TCP only."""
    ops = "send,write,fetch_add" + (",read" if client == "rxe" else "")

    def send():
        for tries in range(RXE_TRIES if client == "rxe" else 1, 0, -1):
            try:
                transfer(roles(interop, client), interop.ornic, guest_programs, ops,
                         f"{ENOUGH} -l 1000", 120)
                break
            except ProgramFailed as failed:
                if tries == 1 or "no completion" not in str(failed):
                    raise

    with Faults(interop, None, **faults_of(kinds)) as faults:
        send()
        for _ in range(RXE_ROUNDS):
            if faults.happened():
                break
            send()


@pytest.mark.full
@pytest.mark.parametrize("program", [long("ib_send_bw"), "ib_write_bw", "ib_read_bw",
                                     "ib_atomic_bw"])
def test_perftest(taps, program):
    """perftest succeeds under all faults together."""
    size = 8 if "atomic" in program else 8192
    with Faults(taps, **faults_of("loss+duplicate+reorder+delay+corrupt")):
        perftest(taps, taps.ornic, program, size, 500)


@pytest.mark.full
def test_fio(taps, tidy):
    """NVMe over Fabrics, which registers and invalidates memory, withstands each kind of fault
    alone and all together, under fio with verification."""
    with Nvme(*taps.vms, taps.ornic) as disk:
        for kinds in (*FAULTS, "+".join(FAULTS)):
            with Faults(taps, **faults_of(kinds)):
                fio(disk.host, disk.path, size="8M")


@pytest.mark.full
@pytest.mark.parametrize("transport", ["uc", "ud"])
def test_unreliable(taps, guest_programs, transport):
    """An equal delay of all packets is no fault: UC and UD, which have no acknowledgements, deliver
    everything in order."""
    with Faults(taps, None, delay=1000000) as faults:
        ops = "send,send_imm" + (",write,write_imm" if transport == "uc" else "")
        transfer(taps, taps.ornic, guest_programs, ops, f"-t {transport} -l 1000", 120)
        assert faults.moved()[1]["rx_out_of_sequence"] == 0


@pytest.mark.long
@pytest.mark.parametrize("mtu", [256, 4096])
@pytest.mark.parametrize("ppm", [100, 1000, 50000])
@pytest.mark.parametrize("kinds", [*FAULTS, "+".join(FAULTS)])
def test_sweep(taps, guest_programs, kinds, ppm, mtu):
    """RC withstands rare faults, which need much traffic to happen at all, up to faults in one of
    twenty packets, where few messages pass at the first attempt and many only after a timeout."""
    options = f"-b {300 if ppm < 10000 else 15} -s 64 -l 30000 -m {mtu} -r 16 -u 16"
    with Faults(taps, **faults_of(kinds, ppm)):
        transfer(taps, taps.ornic, guest_programs, MIXED, options, 900)
