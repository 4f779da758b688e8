# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The Ethernet interface: what a person may set while frames fly."""

from lab.pair import find_port


def pings(vm, ip):
    """The first may have to wait for an address to be resolved."""
    return vm.run(f"ping -c 3 -W 5 {ip}", 60)[0] == 0


def test_settings_under_traffic(pair):
    """Rings, MTU, MAC filter and counters while frames fly."""
    vm, port = pair.a, pair.ornic[pair.a]
    flood = pair.b.spawn(f"ping -q -i 0.01 {port.ip}", 300)
    try:
        for setting in (
            f"ethtool -G {port.netdev} tx 256 rx 128",
            f"ip link set {port.netdev} mtu 1500",
            f"ip link set {port.netdev} promisc on",
            f"ip link set {port.netdev} mtu 9000",
            f"ip link set {port.netdev} promisc off",
            f"ethtool -G {port.netdev} tx 1024 rx 1024",
            f"ethtool -S {port.netdev}",
            f"ethtool -K {port.netdev} rx off tx off sg off",
            f"ethtool -K {port.netdev} rx on tx on sg on",
        ):
            vm.check(setting, 60)
            assert pings(vm, pair.ornic[pair.b].ip), setting
        # Not a power of two, and too few.
        assert vm.run(f"ethtool -G {port.netdev} tx 1000")[0]
        assert vm.run(f"ethtool -G {port.netdev} rx 16")[0]
        assert vm.run(f"ip link set {port.netdev} mtu 9001")[0]
    finally:
        flood.kill()
    assert not vm.reports()
    pair.ornic[vm] = find_port(vm, port.netdev, port.ip)
