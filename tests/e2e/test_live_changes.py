# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Settings of the netdev that need new queues. The port, which RDMA shares, stays up, and the
queues are replaced without losing a frame."""

import re
import time

import pytest
from lab.pair import find_again
from settings import Traffic, carrier_changes, napi_instances, pings, reset_function

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
