# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Issue: "Then between the two: ping, ibv_devinfo, ibv_rc_pingpong ... with data verified"."""

import json
import re

import pytest
from lab import demo
from lab.perftest import perftest, pingpong, rping, xsrq_pingpong
from lab.programs import frame_rates
from settings import Roles, counters, gid_index, gid_text, ipv6_ports, long

MIB = 1 << 20
RAW_RECEIVES = 2048  # that guest/pps.c posts


@pytest.mark.parametrize("name, run", demo.LINES, ids=[name for name, _ in demo.LINES])
def test_demo(pair, name, run):
    """Every line of `make demo`."""
    run(pair)


@pytest.mark.parametrize("mtu", [256, long(512), 1024, long(2048), 4096])
def test_path_mtu(bytes_pair, mtu):
    """Path MTU 256..4096 [ORNIC-WIRE-19]; messages that are no multiple of it, data checked. Only
    packets that are bytes have that size."""
    size, count = 10007, 200
    before = [counters(bytes_pair.card, nic, "rdma")["tx_packets"] for nic in (0, 1)]
    pingpong(bytes_pair, bytes_pair.ornic, options=f"-m {mtu} -s {size} -n {count}")
    for nic in (0, 1):
        sent = counters(bytes_pair.card, nic, "rdma")["tx_packets"] - before[nic]
        # At most one ACK for each packet of the other side
        least = count * -(-size // mtu)
        assert least <= sent <= 2 * least, (nic, sent, least)


@pytest.mark.parametrize("options", ["", "-e"])
def test_rc_pingpong_large(pair, options):
    """Messages of many packets, polled and by events; data checked."""
    pingpong(pair, pair.ornic, options=f"-s {MIB} -n 20 {options}")


def test_ud_pingpong_events(pair):
    """Datagrams with the completion channel."""
    pingpong(pair, pair.ornic, "ud", "-e")


@pytest.mark.parametrize("kind, options", [
    ("uc", ""), ("uc", "-e"), ("uc", "-s 20000 -m 512"), ("srq", ""), ("srq", "-e"),
    ("srq", "-q 40 -n 50"),
])
def test_other_pingpong(pair, kind, options):
    """Unreliable connections, messages of many packets too; 16 QPs and more on one SRQ; data
    checked."""
    pingpong(pair, pair.ornic, kind, f"-c {options}")


@pytest.mark.parametrize("options", ["-t", "-N", "-N -e"])
def test_rc_pingpong_extended(pair, options):
    """Completions with timestamps, and the calls that build a request piece by piece. (With -t
    and -e the program takes an event whose completion it has polled before for an error.)"""
    pingpong(pair, pair.ornic, options=options)


@pytest.mark.parametrize("options", ["", "-e"])
def test_xrc_pingpong(pair, options):
    """A QP of the other end's process that fills an SRQ of ours."""
    xsrq_pingpong(pair, pair.ornic, options)


def test_other_direction(pair):
    """Nothing depends on which of the machines is the client."""
    pingpong(Roles(pair.b, pair.a), pair.ornic)
    rping(Roles(pair.b, pair.a), pair.ornic)


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 64, 4096])
@pytest.mark.parametrize("program", ["ib_send_bw", "ib_write_bw", "ib_read_bw"])
def test_bandwidth_small(pair, program, size):
    """perftest with small messages ends well."""
    perftest(pair, pair.ornic, program, size, 1000)


@pytest.mark.long
@pytest.mark.parametrize("size", [2, 4096])
@pytest.mark.parametrize("program", ["ib_send_lat", "ib_write_lat", "ib_read_lat"])
def test_latency(pair, program, size):
    """perftest's latencies, inline and not."""
    perftest(pair, pair.ornic, program, size, 500)


@pytest.mark.parametrize("kind", ["CMP_AND_SWAP", "FETCH_AND_ADD"])
def test_atomics(pair, kind):
    """Both atomics of RC [ORNIC-SQ-9]."""
    perftest(pair, pair.ornic, "ib_atomic_lat", 8, 500, f"-A {kind}")


@pytest.mark.parametrize("options", [
    pytest.param("-b", id="both directions"),
    pytest.param("-q 16", id="16 QPs"),
    pytest.param("-e", id="events"),
    pytest.param("-c UD", id="UD"),
])
def test_send_variants(pair, options):
    """ib_send_bw as people use it beside the plain one."""
    perftest(pair, pair.ornic, "ib_send_bw", 2048, 1000, options)


def test_write_with_many_qps(pair):
    """More QPs than the device watches at a time [ORNIC-DB-9]."""
    perftest(pair, pair.ornic, "ib_write_bw", 4096, 200, "-q 100")


def test_ipv6(pair):
    """RoCEv2 over IPv6 [ORNIC-WIRE-5]."""
    ports = ipv6_ports(pair)
    pingpong(pair, ports)
    pingpong(pair, ports, "ud")


def test_vlan(pair):
    """RoCEv2 with a VLAN tag [ORNIC-WIRE-5], [ORNIC-WIRE-7]."""
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
    """Ethernet with an MTU of 9000: nothing is fragmented, nothing is lost."""
    text = pair.a.check(f"ping -c 5 -i 0.2 -M do -s 8972 {pair.ornic[pair.b].ip}")
    assert " 0% packet loss" in text


def test_tcp(pair):
    """The netdev carries TCP with what it offloads: 8 MiB arrive as they were sent."""
    ip = pair.ornic[pair.b].ip
    pair.b.check("head -c 8388608 /dev/urandom >/tmp/sent")
    want = pair.b.check("sha256sum </tmp/sent")
    server = pair.b.spawn("python3 -c \"import socket; s = socket.create_server(('', 5000)); "
                          "c = s.accept()[0]; c.sendall(open('/tmp/sent', 'rb').read()); c.close()\"")
    got = pair.a.check(
        "python3 -c \"import socket, sys, time\nfor _ in range(50):\n"
        f"  try: c = socket.create_connection(('{ip}', 5000)); break\n"
        "  except OSError: time.sleep(0.2)\n"
        "while data := c.recv(65536): sys.stdout.buffer.write(data)\" | sha256sum"
    )
    assert got == want
    assert server.wait(30)[0] == 0


@pytest.mark.parametrize("interface, count", [("raw", 2048), ("raw", 3200), ("packet", 3200)])
def test_frame_rates(pair, interface, count):
    """What `make bench` measures of frames: most arrive, and the receiver's card counts each that
    finds no receive. No frame is lost where there are as many receives as frames."""
    before = counters(pair.card, 1, "port")["rx_dropped_no_wqe"]
    rates, log = frame_rates(pair, pair.ornic, interface, 64, count)
    assert all(rates.values()), log
    received = int(re.findall(r"(\d+) frames,", log)[0])
    dropped = counters(pair.card, 1, "port")["rx_dropped_no_wqe"] - before
    assert received + dropped == count, (dropped, log)
    assert count / 4 < received, log
    assert count > RAW_RECEIVES or not dropped, (dropped, log)


def test_statistics(pair):
    """`rdma statistic` and ethtool -S count what was sent."""
    def sent():
        entry = json.loads(pair.a.check("rdma -j statistic show"))[0]
        return sum(value for key, value in entry.items() if re.match(r"tx_(packets|bytes)", key))

    before = sent()
    pingpong(pair, pair.ornic)
    assert sent() > before
    assert re.search(r"rx.*: [1-9]", pair.a.check(f"ethtool -S {pair.ornic[pair.a].netdev}"))
