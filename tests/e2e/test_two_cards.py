# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Two cards in one VM."""

import pytest
from lab.perftest import perftest, pingpong
from settings import Roles

# Client and server share one processor, so a round trip takes two time slices
SHORT = "-n 100"


class Side:
    """The VM in the role of one of its cards."""

    def __init__(self, vm):
        self.spawn, self.run, self.name = vm.spawn, vm.run, vm.name


@pytest.fixture
def sides(two_cards):
    client, server = Side(two_cards.a), Side(two_cards.a)
    return Roles(client, server), dict(zip((client, server), two_cards.ports))


def test_two_devices(two_cards):
    """Each card has its own netdev, RDMA device and GUID."""
    devices = two_cards.a.check("ls /sys/class/infiniband").split()
    guids = two_cards.a.check("cat /sys/class/infiniband/*/node_guid").split()
    assert len(devices) == 2 and len(set(guids)) == 2
    assert len(set(two_cards.a.netdevs_of("ornic"))) == 2


@pytest.mark.parametrize("kind", ["rc", "ud"])
def test_pingpong(sides, kind):
    """Pingpong works from one card to the other."""
    pair, ports = sides
    pingpong(pair, ports, kind, SHORT)


@pytest.mark.parametrize("program", ["ib_write_bw", "ib_read_bw", "ib_send_bw"])
def test_bandwidth(sides, program):
    """perftest works from one card to the other."""
    pair, ports = sides
    perftest(pair, ports, program, 65536, 500)


@pytest.mark.parametrize("number", [0, 1])
def test_loopback(two_cards, number):
    """Pingpong works from a card to itself."""
    client, server = Side(two_cards.a), Side(two_cards.a)
    ports = {client: two_cards.ports[number], server: two_cards.ports[number]}
    pingpong(Roles(client, server), ports, options=SHORT)
    pingpong(Roles(client, server), ports, "ud", SHORT)
