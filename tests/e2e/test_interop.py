# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A VM with a card against a VM with rdma_rxe on virtio-net on the same switch, in both directions,
with RC, UD and rdma_cm. rdma_rxe is the independent reference: it drops packets with a wrong ICRC,
and accepts only RoCEv2."""

import pytest
from lab.perftest import both, perftest, pingpong, rping
from transfer import OPS, RC, RC_MORE, mixed, transfer
from settings import DIRECTIONS, counters, full, long, roles

# Operations that rdma_rxe of Linux 7.3 has, but that differ from other devices. send_inv: its
# server returns the kernel's number of WITH_INV to a process, for which it is IBV_WC_IP_CSUM_OK.
# flush: its ICRC covers the headers twice, because its table has no offset of the payload that
# FLUSH lacks, so it drops the packets of other devices.
RXE_WRONG = ("send_inv", "flush")


def depth(program):
    """Returns the depth of READs and atomics; perftest's default is the maximum of the peer's
    device."""
    return "-o 16" if "read" in program or "atomic" in program else ""


# ibv_rc_pingpong gives up rdma_rxe after 0.5 s without an ACK, for which the peer's processor must
# run; its timeout has no option. guest/transfer.c has the same packets with a longer one.
@pytest.mark.full
@DIRECTIONS
@pytest.mark.parametrize("options", ["", "-e"])
def test_rc_pingpong(interop, client, options):
    """SEND and RECV of RC work, with verified data."""
    pingpong(roles(interop, client), interop.ornic, options=f"-n 100 {options}", timeout=120)


@pytest.mark.full  # As test_rc_pingpong
@DIRECTIONS
@pytest.mark.parametrize("mtu", [256, 4096])
def test_rc_packets(interop, client, mtu):
    """Messages of many packets, the last of which is not full, work."""
    pingpong(roles(interop, client), interop.ornic, options=f"-m {mtu} -s 10007 -n 30", timeout=120)


@DIRECTIONS
def test_ud_pingpong(interop, client):
    """UD works: Q_Key, GRH, IPv4 header in the last 20 of 40 bytes [ORNIC-RQ-8]."""
    pingpong(roles(interop, client), interop.ornic, "ud", "-n 100", timeout=120)


@DIRECTIONS
def test_rdma_cm(interop, client):
    """rping works: GSI, connection management, READ and WRITE, with verified data."""
    rping(roles(interop, client), interop.ornic, count=20, timeout=120)


@DIRECTIONS
@pytest.mark.parametrize("program, size", [
    full("ib_send_bw", 4096), long("ib_write_bw", 65536), ("ib_read_bw", 65536),
    full("ib_write_lat", 2),
    long("ib_read_lat", 64), ("ib_atomic_lat", 8),
])
def test_perftest(interop, client, program, size):
    """Every operation works in both roles, as requester and as responder."""
    perftest(roles(interop, client), interop.ornic, program, size, 100, depth(program), timeout=120)


@DIRECTIONS
@pytest.mark.parametrize("transport, ops, options", [
    *[long("rc", op, "") for op in RC],
    *[full("rc", op, options) for op, options in RC_MORE if op not in RXE_WRONG],
    mixed("rc", "-m 4096 -r 16"),
    mixed("rc", "-m 256", "mtu-256"),
    mixed("rc", "-S", "srq", pytest.mark.full),
    full("rc", "write,read,fetch_add", "-w 1", id="rc-window-1"),
    pytest.param("rc", "write,read,fetch_add", "-w 2", id="rc-window-2"),
    mixed("uc"),
    mixed("ud"),
    mixed("ud", "-S", "srq", pytest.mark.full),
])
def test_transfer(interop, guest_programs, client, transport, ops, options):
    """All operations that both sides have work, with every byte checked."""
    size = "-b 4 -s 8" + (" -l 900" if transport == "ud" else " -l 5000")
    transfer(roles(interop, client), interop.ornic, guest_programs, ops,
           f"-t {transport} {size} {options}", timeout=120)


def test_send_with_invalidate(interop, guest_programs):
    """SEND with invalidate works with rdma_rxe as the client, see RXE_WRONG."""
    transfer(roles(interop, "rxe"), interop.ornic, guest_programs, "send_inv",
             "-t rc -b 4 -s 8 -l 5000 -w 2", timeout=120)


# mckey sends no message again, and waits for all of them: one that comes before the receiver's QP
# is a member, which no program shows, is lost and hangs it
@pytest.mark.full
@DIRECTIONS
def test_multicast(interop, client):
    """Multicast works in a group joined through rdma_cm, which also sets IGMP, MAC filters and the
    Q_Key."""
    pair = roles(interop, client)
    # rdma_rxe sends only the first of ten messages posted at once, but completes all
    words = f"mckey -m 239.40.0.1 -C {10 if client == 'ornic' else 1}"
    server, client = (interop.ornic[vm] for vm in (pair.b, pair.a))
    # The kernel joins the IP group too; the QP is a member soon after that
    both(pair, f"{words} -b {server.ip}", f"{words} -b {client.ip} -s",
         f"ip maddr show dev {server.netdev} | grep -q 239.40.0.1 && sleep 1", 60)


@DIRECTIONS
def test_no_bad_packet(interop, guest_programs, client):
    """The card counts no wrong ICRC and no malformed packet of rdma_rxe, in these transfers and
    all others before."""
    for transport in OPS:
        transfer(roles(interop, client), interop.ornic, guest_programs, ",".join(OPS[transport]),
                 f"-t {transport} -b 4 -s 8 -l 900")
    stats = counters(interop.card, group="rdma")
    assert stats["rx_icrc_errors"] == 0
    assert stats["rx_malformed"] == 0
    assert stats["rx_packets"] > 0
