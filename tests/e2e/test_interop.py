# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Issue: "a VM with a card against a VM with rdma_rxe on virtio-net on the same switch, both
directions, RC and UD and rdma_cm". rdma_rxe is the independent referee: it drops what has a wrong
ICRC, and takes nothing that is not RoCEv2."""

import pytest
from lab.perftest import both, perftest, pingpong, rping
from transfer import RC, RC_MORE, mixed, transfer
from settings import DIRECTIONS, counters, long, roles

# What rdma_rxe of Linux 7.3 has, but not as others have it. send_inv: its server tells a process
# IBV_WC_IP_CSUM_OK, whose number is the kernel's of WITH_INV. flush: its ICRC covers the headers
# twice, as its table has no place for the payload that FLUSH has not; so it drops everybody's.
RXE_WRONG = ("send_inv", "flush")


def depth(program):
    """perftest asks each side for the READs and atomics that the other one's device can do."""
    return "-o 16" if "read" in program or "atomic" in program else ""


@DIRECTIONS
@pytest.mark.parametrize("options", ["", "-e"])
def test_rc_pingpong(interop, client, options):
    """SEND and RECV of RC, data checked."""
    pingpong(roles(interop, client), interop.ornic, options=f"-n 100 {options}", timeout=120)


@DIRECTIONS
@pytest.mark.parametrize("mtu", [256, 4096])
def test_rc_packets(interop, client, mtu):
    """Messages of many packets, whose last is not full."""
    pingpong(roles(interop, client), interop.ornic, options=f"-m {mtu} -s 10007 -n 30", timeout=120)


@DIRECTIONS
def test_ud_pingpong(interop, client):
    """Datagrams: Q_Key, GRH, IPv4 header in the last 20 of 40 bytes [ORNIC-RQ-6]."""
    pingpong(roles(interop, client), interop.ornic, "ud", "-n 100", timeout=120)


@DIRECTIONS
def test_rdma_cm(interop, client):
    """rping: GSI, connection management, READ and WRITE, data verified."""
    rping(roles(interop, client), interop.ornic, count=20, timeout=120)


@DIRECTIONS
@pytest.mark.parametrize("program, size", [
    ("ib_send_bw", 4096), long("ib_write_bw", 65536), ("ib_read_bw", 65536), ("ib_write_lat", 2),
    long("ib_read_lat", 64), ("ib_atomic_lat", 8),
])
def test_perftest(interop, client, program, size):
    """Every operation in both roles: requester of one side, responder of the other."""
    perftest(roles(interop, client), interop.ornic, program, size, 100, depth(program), timeout=120)


@DIRECTIONS
@pytest.mark.parametrize("transport, ops, options", [
    *[long("rc", op, "") for op in RC],
    *[("rc", op, options) for op, options in RC_MORE if op not in RXE_WRONG],
    mixed("rc", "-m 4096 -r 16"),
    mixed("rc", "-S", "srq"),
    pytest.param("rc", "write,read,fetch_add", "-w 1", id="rc-window-1"),
    pytest.param("rc", "write,read,fetch_add", "-w 2", id="rc-window-2"),
    mixed("uc"),
    mixed("ud"),
    mixed("ud", "-S", "srq"),
])
def test_transfer(interop, guest_programs, client, transport, ops, options):
    """All that both have, with every byte checked."""
    size = "-b 4 -s 8" + (" -l 900" if transport == "ud" else " -l 5000")
    transfer(roles(interop, client), interop.ornic, guest_programs, ops,
           f"-t {transport} {size} {options}", timeout=120)


def test_send_with_invalidate(interop, guest_programs):
    """By rdma_rxe's client, see RXE_WRONG."""
    transfer(roles(interop, "rxe"), interop.ornic, guest_programs, "send_inv",
             "-t rc -b 4 -s 8 -l 5000 -w 2", timeout=120)


@DIRECTIONS
def test_multicast(interop, client):
    """A group joined through rdma_cm, which also makes IGMP, MAC filters and the Q_Key."""
    pair = roles(interop, client)
    # Of ten at once rdma_rxe puts the first on the wire and completes them all.
    words = f"mckey -m 239.40.0.1 -C {10 if client == 'ornic' else 1}"
    server, client = (interop.ornic[vm] for vm in (pair.b, pair.a))
    # The kernel joins the IP group, too; the QP is a member soon after that.
    both(pair, f"{words} -b {server.ip}", f"{words} -b {client.ip} -s",
         f"ip maddr show dev {server.netdev} | grep -q 239.40.0.1 && sleep 1", 60)


def test_no_bad_packet(interop):
    """After all this the card has met nothing that it could not understand."""
    pingpong(interop, interop.ornic, options="-n 10")
    stats = counters(interop.card, group="rdma")
    assert stats["rx_icrc_errors"] == 0
    assert stats["rx_malformed"] == 0
    assert stats["rx_packets"] > 0
