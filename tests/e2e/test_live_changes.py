# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Settings of the netdev that need new queues. The port, which RDMA shares, stays up, and the
queues are replaced without losing a frame."""

import re
import time

import pytest
from lab.pair import find_port
from settings import Traffic, carrier_changes

pytestmark = pytest.mark.full

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


def test_removed_queue_is_not_hung(queues):
    """A queue that was removed stays out of the stack's watchdog, whose message would fail this
    test."""
    vm, port = queues.a, queues.ornic[queues.a]
    vm.check(f"ethtool -L {port.netdev} combined 1")
    # The watchdog looks at each queue once per timeout
    time.sleep(2 * WATCHDOG + 1)
    vm.check(f"ethtool -L {port.netdev} combined 2")


def test_port_stays_up(queues, guest_programs):
    """RDMA traffic continues and pings are answered during each change, and the carrier does not
    change. The path MTU fits each MTU of the port."""
    pair, vm, port = queues, queues.a, queues.ornic[queues.a]
    pair.b.check(f"ping -c 1 -W 5 {port.ip}")
    traffic = Traffic(pair, options="-s 65536 -m 1024")
    flood = pair.b.spawn(f"ping -i 0.01 {port.ip}", 300)
    carrier = carrier_changes(vm, port.netdev)
    for change in CHANGES:
        vm.check(change.format(netdev=port.netdev, programs=guest_programs), 60)
        assert carrier_changes(vm, port.netdev) == carrier, change
        assert traffic.running(), change
    traffic.wait_moving()
    flood.kill("INT")
    _, output = flood.wait()
    answered = sorted(map(int, re.findall(r"icmp_seq=(\d+) ttl", output)))
    # Behind the last answer, pings may be in flight
    assert answered == list(range(1, len(answered) + 1)) and len(answered) > 100, output
    traffic.kill()
    pair.ornic[vm] = find_port(vm, port.netdev, port.ip)
