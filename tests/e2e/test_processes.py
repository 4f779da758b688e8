# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Two VMs whose cards are two processes, joined by a Unix datagram socket that holds eleven
packets. Further packets wait in QPs, and nothing is lost [ORNIC-WIRE-24]."""

import pytest
from lab.perftest import perftest, rping
from settings import counters

pytestmark = pytest.mark.full

# Counters that a temporarily slow reader must not increase
LOSSES = ["retransmits", "ack_timeouts", "seq_naks_sent", "rx_out_of_sequence",
          "rx_duplicate_requests"]


def losses(processes):
    """Returns the counters of lost packets, of both cards and of both ports between them."""
    found = {}
    for card in processes.cards:
        stats = card.stats()
        found |= {(card.name, name): counters(card, group="rdma")[name] for name in LOSSES}
        found |= {(card.name, "drops"): sum(port["wire"]["drops"]
                                            for port in stats["switch"]["ports"].values())}
    return found


@pytest.mark.parametrize("program, options", [
    ("ib_read_bw", "-n 30"), ("ib_write_bw", "-n 60"), ("ib_write_bw", "-n 20 -q 8 -b"),
    ("ib_read_bw", "-n 10 -q 4 -b"),
])
def test_nothing_is_lost(processes, program, options):
    """No packet of a 1 MiB message is lost, with one QP and with several, in one direction and in
    both."""
    before = losses(processes)
    words = options.split()
    # Local ACK timeout of 2 s: a busy host may hold up an ACK for longer than perftest's 67 ms
    perftest(processes, processes.ornic, program, 1 << 20, int(words[1]),
             " ".join([*words[2:], "-u 19"]), timeout=240)
    assert losses(processes) == before


def test_netdev_is_not_held_up(processes):
    """rping loses no packets; frames of the netdev wait like packets of QPs."""
    before = losses(processes)
    rping(processes, processes.ornic, count=20, timeout=120)
    assert losses(processes) == before
