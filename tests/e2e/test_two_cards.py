# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Two cards in one VM."""

import pytest
from lab.perftest import perftest, pingpong
from settings import two_sides

pytestmark = pytest.mark.full

# Client and server share one processor, so a round trip takes two time slices
SHORT = "-n 100"


@pytest.fixture
def sides(two_cards):
    return two_sides(two_cards, two_cards.ports)


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
    roles, ports = two_sides(two_cards, [two_cards.ports[number]] * 2)
    pingpong(roles, ports, options=SHORT)
    pingpong(roles, ports, "ud", SHORT)
