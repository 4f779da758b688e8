# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Two cards of a VM as a bond, as distributions set it up: active-backup, with one MAC for both
(fail_over_mac=none). A third card in a network namespace is the peer."""

import contextlib

import pytest
from lab.pair import Port, Roles, set_address
from lab.perftest import rping
from settings import Side, control, pings, wait_until
from spaces import Space, has_gid

# Machines of its own
pytestmark = pytest.mark.full

BOND_IP, PEER_IP = "10.43.1.1", "10.43.1.2"
SPACE = "peer"


class Bond:
    """The first two cards as bond0, and the third in the namespace."""

    def __init__(self, cards):
        self.cards, self.vm, self.space = cards, cards.a, Space(cards.a, SPACE)
        self.side = Side(self.vm)
        self.members, peer = cards.ports[:2], cards.ports[2]
        self.vm.check("ip link add bond0 type bond mode active-backup miimon 100 && " +
                      " && ".join(f"ip addr flush dev {port.netdev} && "
                                  f"ip link set {port.netdev} down master bond0"
                                  for port in self.members))
        self.vm.check(f"ip netns add {SPACE} && ip link set {peer.netdev} netns {SPACE}")
        set_address(self.vm, "bond0", BOND_IP)
        set_address(self.space, peer.netdev, PEER_IP)
        wait_until("the peer's GID", lambda: has_gid(self.space, peer.device, PEER_IP))
        self.ports = {self.side: Port("", "bond0", BOND_IP, 0),
                      self.space: Port(peer.device, peer.netdev, PEER_IP, 0)}

    def read(self, path):
        return self.vm.check(f"cat /sys/class/net/{path}").strip()

    def link(self, number, state):
        """Changes the link of a card, and waits until the bond has seen it."""
        control(self.cards.card, f"link nic{number} {state}")
        netdev = self.members[number].netdev
        wait_until(f"{netdev} is {state}",
                   lambda: self.read(f"{netdev}/bonding_slave/mii_status") == state)

    def works_over(self, number):
        """Checks that the bond uses this card, whose device alone has the GID, and that ping and
        rdma_cm work in both directions."""
        wait_until("the member is active",
                   lambda: self.read("bond0/bonding/active_slave") == self.members[number].netdev)
        wait_until("its device alone has the GID",
                   lambda: [has_gid(self.vm, port.device, BOND_IP) for port in self.members] ==
                   [member == number for member in (0, 1)])
        assert pings(self.vm, PEER_IP) and pings(self.space, BOND_IP)
        for client, server in ((self.side, self.space), (self.space, self.side)):
            rping(Roles(client, server), self.ports, count=5, timeout=120)

    def close(self):
        self.vm.check(f"ip link del bond0 && ip netns del {SPACE}")
        wait_until("the card leaves the namespace",
                   lambda: len(self.vm.netdevs_of("ornic")) == len(self.cards.ports))
        self.cards.set_up()


@pytest.fixture
def bond(three_cards):
    with contextlib.closing(Bond(three_cards)) as made:
        yield made


def test_fail_over(bond):
    """Traffic goes over the other card when the link of the active one is down, stays there when
    the link is up again, and comes back when it must."""
    bond.works_over(0)
    bond.link(0, "down")
    bond.works_over(1)
    bond.link(0, "up")
    bond.works_over(1)
    bond.link(1, "down")
    bond.works_over(0)
    bond.link(1, "up")
    bond.works_over(0)
