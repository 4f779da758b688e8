# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Common programs between two VMs: ping, ibv_devinfo, ibv_rc_pingpong and others, with verified
data."""

import re

import pytest
from lab import demo
from lab.leftovers import objects_of
from lab.pair import Roles, gid_index, gid_text
from lab.perftest import perftest, pingpong, rping, xsrq_pingpong
from lab.programs import frame_rates, object_rates, scale_cost
from settings import counters, ipv6_ports, long

MIB = 1 << 20
RAW_RECEIVES = 2048  # posted by guest/pps.c


@pytest.mark.parametrize("name, run", demo.LINES, ids=[name for name, _ in demo.LINES])
def test_demo(pair, name, run):
    """Every program of `make demo` works."""
    run(pair)


@pytest.mark.parametrize("mtu", [256, long(512), 1024, long(2048), 4096])
def test_path_mtu(taps, mtu):
    """Path MTUs from 256 to 4096 work [ORNIC-WIRE-24] [ORNIC-WIRE-25], with messages that are no
    multiple of them and with verified data. Packets have that size only if they are real bytes."""
    size, count = 10007, 200
    before = [counters(taps.card, nic, "rdma")["tx_packets"] for nic in (0, 1)]
    pingpong(taps, taps.ornic, options=f"-m {mtu} -s {size} -n {count}")
    for nic in (0, 1):
        sent = counters(taps.card, nic, "rdma")["tx_packets"] - before[nic]
        # At most one ACK for each packet of the other side
        least = count * -(-size // mtu)
        assert least <= sent <= 2 * least, (nic, sent, least)


@pytest.mark.parametrize("options", ["", "-e"])
def test_rc_pingpong_large(pair, options):
    """Messages of many packets work, with polling and with events, and with verified data."""
    pingpong(pair, pair.ornic, options=f"-s {MIB} -n 20 {options}")


def test_ud_pingpong_events(pair):
    """UD works with a completion channel."""
    pingpong(pair, pair.ornic, "ud", "-e")


@pytest.mark.parametrize("kind, options", [
    ("uc", ""), ("uc", "-e"), ("uc", "-s 20000 -m 512"), ("srq", ""), ("srq", "-e"),
    ("srq", "-q 40 -n 50"),
])
def test_other_pingpong(pair, kind, options):
    """UC works, also with messages of many packets, and 16 and more QPs share one SRQ, with
    verified data."""
    pingpong(pair, pair.ornic, kind, f"-c {options}")


@pytest.mark.parametrize("options", ["-t", "-N", "-N -e"])
def test_rc_pingpong_extended(pair, options):
    """Completions with timestamps, and the calls of ibv_wr_*(), work. -t with -e is left out: the
    program takes an event for an error if it has already polled the completion."""
    pingpong(pair, pair.ornic, options=options)


@pytest.mark.parametrize("options", ["", "-e"])
def test_xrc_pingpong(pair, options):
    """XRC works: a QP of the peer's process fills an SRQ of ours."""
    xsrq_pingpong(pair, pair.ornic, options)


def test_other_direction(pair):
    """Client and server can be swapped."""
    pingpong(Roles(pair.b, pair.a), pair.ornic)
    rping(Roles(pair.b, pair.a), pair.ornic)


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 64, 4096])
@pytest.mark.parametrize("program", ["ib_send_bw", "ib_write_bw", "ib_read_bw"])
def test_bandwidth_small(pair, program, size):
    """perftest works with small messages."""
    perftest(pair, pair.ornic, program, size, 1000)


@pytest.mark.long
@pytest.mark.parametrize("size", [2, 4096])
@pytest.mark.parametrize("program", ["ib_send_lat", "ib_write_lat", "ib_read_lat"])
def test_latency(pair, program, size):
    """perftest's latency tests work, with inline data and without."""
    perftest(pair, pair.ornic, program, size, 500)


@pytest.mark.parametrize("kind", ["CMP_AND_SWAP", "FETCH_AND_ADD"])
def test_atomics(pair, kind):
    """Both atomics of RC work [ORNIC-SQ-13]."""
    perftest(pair, pair.ornic, "ib_atomic_lat", 8, 500, f"-A {kind}")


@pytest.mark.parametrize("options", [
    pytest.param("-b", id="both directions"),
    pytest.param("-q 16", id="16 QPs"),
    pytest.param("-e", id="events"),
    pytest.param("-c UD", id="UD"),
])
def test_send_variants(pair, options):
    """ib_send_bw works with common options."""
    perftest(pair, pair.ornic, "ib_send_bw", 2048, 1000, options)


def test_write_with_many_qps(pair):
    """More QPs than the device polls at the same time work [ORNIC-DB-35]."""
    perftest(pair, pair.ornic, "ib_write_bw", 4096, 200, "-q 100")


def test_ipv6(pair):
    """RoCEv2 works over IPv6 [ORNIC-WIRE-7]."""
    ports = ipv6_ports(pair)
    pingpong(pair, ports)
    pingpong(pair, ports, "ud")


def test_vlan(pair):
    """RoCEv2 works with a VLAN tag [ORNIC-WIRE-7], [ORNIC-WIRE-9]."""
    ports = {}
    for number, vm in enumerate(pair.vms, 1):
        port, ip = pair.ornic[vm], f"10.12.0.{number}"
        vm.check(f"modprobe 8021q; ip link add link {port.netdev} name vlan7 type vlan id 7; "
                 f"ip link set vlan7 up; ip addr add {ip}/24 dev vlan7")
        gid = gid_text(bytes(10) + b"\xff\xff" + bytes([10, 12, 0, number]))
        index = gid_index(vm, port.device, gid)
        ports[vm] = port.__class__(port.device, "vlan7", ip, index)
    try:
        pair.a.check("ping -c 2 -i 0.2 10.12.0.2")
        pingpong(pair, ports)
        pingpong(pair, ports, "ud")
        rping(pair, ports)
    finally:
        for vm in pair.vms:
            vm.check("ip link del vlan7")


def test_large_frames(pair):
    """Ethernet frames at an MTU of 9000 are not fragmented and not lost."""
    text = pair.a.check(f"ping -c 5 -i 0.2 -M do -s 8972 {pair.ornic[pair.b].ip}")
    assert " 0% packet loss" in text


def test_tcp(pair):
    """8 MiB arrive unchanged over TCP with the netdev's offloads."""
    ip = pair.ornic[pair.b].ip
    pair.b.check("head -c 8388608 /dev/urandom >/tmp/sent")
    want = pair.b.check("sha256sum </tmp/sent")
    server = pair.b.spawn("python3 -c \"import socket; s = socket.create_server(('', 5000)); "
                          "c = s.accept()[0]; c.sendall(open('/tmp/sent', 'rb').read()); "
                          "c.close()\"")
    got = pair.a.check(
        "python3 -c \"import socket, sys, time\nfor _ in range(50):\n"
        f"  try: c = socket.create_connection(('{ip}', 5000)); break\n"
        "  except OSError: time.sleep(0.2)\n"
        "while data := c.recv(65536): sys.stdout.buffer.write(data)\" | sha256sum"
    )
    assert got == want
    assert server.wait(30)[0] == 0


# A measurement: three quarters of the frames may be lost, but each must be counted
@pytest.mark.full
@pytest.mark.parametrize("interface, count", [("raw", 2048), ("raw", 3200), ("packet", 3200)])
def test_frame_rates(pair, interface, count):
    """The measurement of frames by `make bench` works: most frames arrive, and the receiver's card
    counts each that finds no receive. With as many receives as frames, no frame is lost."""
    before = counters(pair.card, 1, "port")["rx_dropped_no_wqe"]
    rates, log = frame_rates(pair, pair.ornic, interface, 64, count)
    assert all(rates.values()), log
    received = int(re.findall(r"(\d+) frames,", log)[0])
    dropped = counters(pair.card, 1, "port")["rx_dropped_no_wqe"] - before
    assert received + dropped == count, (dropped, log)
    assert count / 4 < received, log
    assert count > RAW_RECEIVES or not dropped, (dropped, log)


@pytest.mark.full
def test_object_rates(pair):
    """The program of `make bench` that measures the control path leaves no object behind."""
    before = objects_of(pair.card, "nic0")
    rates = object_rates(pair.a, pair.ornic[pair.a])
    assert len(rates) == 15 and min(rates.values()) > 0, rates
    assert objects_of(pair.card, "nic0") == before


@pytest.mark.full
@pytest.mark.parametrize("qps", [1, 100])
def test_scale(pair, qps):
    """RDMA WRITEs of 8 bytes on randomly chosen QPs succeed."""
    cost, log = scale_cost(pair, pair.ornic, qps, 5000)
    assert 0 < cost < 10000, log
