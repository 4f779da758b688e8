# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Settings of the netdev that need new queues. The port, which RDMA shares, stays up, and the
queues are replaced without losing a frame."""

import re
import shlex
import time

import pytest
from lab.pair import find_again
from settings import Traffic, carrier_changes, napi_instances, pings, reset_function, wait_until

CHANGES = (
    "ethtool -G {netdev} tx 256 rx 512",
    "ip link set {netdev} mtu 1500",
    "ip -force link set {netdev} xdpdrv obj {programs}/xdp.o sec xdp",
    "ethtool -L {netdev} combined 1",
    "ip link set {netdev} xdpdrv off",
    "ethtool -L {netdev} combined 2",
    "ip link set {netdev} mtu 9000",
    "ethtool -G {netdev} tx 1024 rx 1024",
)
# Sends a TCP segment that GRO holds: correct, with data and without PSH
SEGMENT = """
import socket, struct, sys
netdev, mac, src, dst = sys.argv[1:]
def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    return 0xffff - (total % 0xffff or 0xffff)
data, addresses = bytes(100), socket.inet_aton(src) + socket.inet_aton(dst)
def tcp(check=0):
    return struct.pack(">HHIIHHHH", 9, 9, 1, 1, 0x5010, 100, check, 0) + data
def ip(check=0):
    return struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(data), 1, 0x4000, 64, 6, check) + addresses
segment = tcp(checksum(addresses + struct.pack(">HH", 6, len(tcp())) + tcp()))
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
    sock.bind((netdev, 0))
    sock.send(bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("0200000001070800") +
              ip(checksum(ip())) + segment)
"""
# Prints a line when it listens, and one when the network stack gets the segment
SEES_SEGMENT = """
import socket, sys
sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
sock.bind((sys.argv[1], 0x0800))
print("listens", flush=True)
while not sock.recv(1 << 16)[23:].startswith(bytes([6])):
    pass
print("sees it", flush=True)
"""
# Seconds after which the network stack reports a queue that is stopped (ORNIC_TX_TIMEOUT)
WATCHDOG = 15


# Must wait for two rounds of the watchdog
@pytest.mark.full
def test_removed_queue_is_not_hung(taps):
    """A queue that was removed stays out of the stack's watchdog, whose message would fail this
    test."""
    vm, port = taps.a, taps.ornic[taps.a]
    vm.check(f"ethtool -L {port.netdev} combined 1")
    # The watchdog looks at each queue once per timeout
    time.sleep(2 * WATCHDOG + 1)
    vm.check(f"ethtool -L {port.netdev} combined 2")


def make_changes(pair, programs):
    """Yields each change after it is made, and finds the port again at the end."""
    vm, port = pair.a, pair.ornic[pair.a]
    for change in CHANGES:
        vm.check(change.format(netdev=port.netdev, programs=programs), 60)
        yield change
    find_again(pair, vm)


def test_port_stays_up(taps, guest_programs):
    """RDMA traffic continues during each change, the carrier does not change, and the netdev works
    afterwards. The path MTU fits each MTU of the port."""
    pair, vm, port = taps, taps.a, taps.ornic[taps.a]
    # One message at a time, because all packets are captured. The programs sleep between messages;
    # perftest has no -e with -D.
    traffic = Traffic(pair, "ib_send_lat", "-e -s 64 -m 1024 -u 19", length="-n 5000000")
    carrier = carrier_changes(vm, port.netdev)
    for change in make_changes(pair, guest_programs):
        assert carrier_changes(vm, port.netdev) == carrier, change
        assert traffic.running(), change
        assert pings(pair.b, port.ip), change
    traffic.finish()


# A guest that does not run for long drops pings itself, as its socket is full
@pytest.mark.full
def test_changes_lose_no_frame(taps, guest_programs):
    """Each ping of a flood is answered during the changes."""
    pair, port = taps, taps.ornic[taps.a]
    assert pings(pair.b, port.ip)
    flood = pair.b.spawn(f"ping -i 0.01 {port.ip}", 300)
    assert list(make_changes(pair, guest_programs))
    flood.kill("INT")
    _, output = flood.wait()
    answered = sorted(map(int, re.findall(r"icmp_seq=(\d+) ttl", output)))
    # Behind the last answer, pings may be in flight
    assert answered == list(range(1, len(answered) + 1)) and len(answered) > 100, output


@pytest.fixture
def held_by_gro(taps):
    """Has GRO hold frames of VM `a` for ten minutes, and returns what was seen of SEGMENT."""
    vm, netdev = taps.a, taps.ornic[taps.a].netdev
    timeout = f"/sys/class/net/{netdev}/gro_flush_timeout"
    vm.check(f"echo 600000000000 >{timeout}; rm -f /tmp/seen")
    program = vm.spawn(f"python3 -c {shlex.join([SEES_SEGMENT, netdev])} >/tmp/seen 2>&1", 300)
    yield lambda: vm.run("cat /tmp/seen")[1].splitlines()
    program.kill("KILL")
    program.wait()
    vm.check(f"echo 0 >{timeout}; ethtool -G {netdev} tx 1024")


def test_change_passes_on_what_gro_holds(taps, held_by_gro):
    """The network stack gets a frame that GRO holds when its queue is replaced. A frame that comes
    later to the same queue may let it out before."""
    vm, port, peer = taps.a, taps.ornic[taps.a], taps.ornic[taps.b]
    received = f"cat /sys/class/net/{port.netdev}/statistics/rx_packets"
    wait_until("the program listens", held_by_gro)
    before = int(vm.check(received))
    words = shlex.join([SEGMENT, peer.netdev, taps.card.macs[0], peer.ip, port.ip])
    taps.b.check(f"python3 -c {words}")
    wait_until("it has arrived", lambda: int(vm.check(received)) > before)
    vm.check(f"ethtool -G {port.netdev} tx 512", 60)
    wait_until("it is passed on", lambda: held_by_gro() == ["listens", "sees it"])


@pytest.fixture
def napi(taps, guest_programs):
    """A pair of which the first queue of VM `a` has settings of its own, and the NAPI instances."""
    vm, words = taps.a, (taps.a, guest_programs, taps.ornic[taps.a].netdev)
    change = f"{guest_programs}/qstats {words[2]} napi {napi_instances(*words)[0][0]}"
    vm.check(f"{change} 2 20000 1")
    yield taps, napi_instances(*words)
    vm.check(f"{change} 0 0 0")


def test_napi_settings_stay(napi, guest_programs):
    """Replaced queues, and those after a reset, have the IDs, interrupts and settings of NAPI that
    the old ones had. Each interrupt is of the queue's vector, and for a processor of its own."""
    pair, before = napi
    vm, netdev = pair.a, pair.ornic[pair.a].netdev
    assert [settings for _, _, *settings in before] == [[2, 20000, 1], [0, 0, 0]]
    for queue, (_, irq, *_) in enumerate(before):
        assert f"ornic-{queue + 1}@" in vm.check(f"ls /proc/irq/{irq}")
        assert vm.check(f"cat /proc/irq/{irq}/smp_affinity_list").strip() == str(queue)
    for change in make_changes(pair, guest_programs):
        now = napi_instances(vm, guest_programs, netdev)
        assert now == before[:len(now)] and now, change
    reset_function(pair, vm)
    find_again(pair, vm)
    assert napi_instances(vm, guest_programs, netdev) == before
