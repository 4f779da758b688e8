# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards come to a machine that runs (`ornicctl attach`), and leave it, as Documentation/install.rst
says."""

import re

import pytest
from lab import paths
from lab.perftest import pingpong
from settings import counters, pci_address, two_sides, wait_until

pytestmark = pytest.mark.full

REMOVE = "echo 1 >/sys/bus/pci/devices/{address}/remove"


def test_documents(hot_plug):
    """The manual page has the port of this test, and the way to remove a card."""
    text = (paths.TOP / "Documentation/ornicctl.1").read_text().replace("\\-", "-")
    assert " ".join(hot_plug.PORT) in text
    assert REMOVE.format(address="ADDRESS") in text


def works(hot_plug):
    """Sets the addresses of both cards, and checks that RC works between them."""
    hot_plug.set_up()
    # A packet to a link-local address has no route until the kernel has found it to be unique
    wait_until("the addresses", lambda: not hot_plug.a.check("ip -6 addr show tentative"))
    pingpong(*two_sides(hot_plug, hot_plug.ports), options="-n 100")


def test_attach_and_remove(hot_plug):
    """The second card works after it was attached. Its function is removed in the machine, which
    leaves nothing in the card and the other card as it is, and comes back."""
    vm, card = hot_plug.a, hot_plug.card
    assert len(hot_plug.ports) == 1
    empty = counters(card, 0, "objects")
    hot_plug.attach()
    wait_until("the netdev", lambda: len(vm.netdevs_of("ornic")) == 2)
    # QEMU resets the function once more after device_add has been answered
    card.booted()
    works(hot_plug)

    port = hot_plug.ports[1]
    address = pci_address(vm, port.netdev)
    vm.check(REMOVE.format(address=address))
    assert set(counters(card, 1, "objects").values()) == {0}
    assert len(vm.netdevs_of("ornic")) == 1
    assert counters(card, 0, "objects") == empty

    vm.check("echo 1 >/sys/bus/pci/rescan")
    wait_until("the function is back", lambda: len(vm.netdevs_of("ornic")) == 2)
    works(hot_plug)
    links = vm.check("rdma link")
    assert len(re.findall("state ACTIVE", links)) == 2, links
