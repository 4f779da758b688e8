# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A card that becomes ready seconds after each reset: the driver waits for it, resets it once at
probe, and takes a READY of before the reset for nothing [ORNIC-RST-5] [ORNIC-RST-4]."""

import pytest
from lab.pair import find_again
from settings import Traffic, fail, pci_address, reset_function, set_up_again, wait_until, works

pytestmark = pytest.mark.full


def card_stats(pair):
    return pair.card.stats()["cards"]["nic0"]["nic"]


def resets(pair):
    """Returns how often the card was reset by any means, such as its register CTRL."""
    return card_stats(pair)["resets"]


def test_load(late_pair):
    """The driver resets the card once at probe, and waits for it."""
    vm = late_pair.a
    vm.check("rmmod ornic_rdma && rmmod ornic", timeout=60)
    # The driver has reset the card when it left; until that reset ends it takes no other
    wait_until("the end of the reset", lambda: card_stats(late_pair)["ready"])
    before = resets(late_pair)
    vm.load_ornic()
    assert resets(late_pair) == before + 1
    set_up_again(late_pair, vm)
    works(late_pair)


def test_probe_of_a_card_that_is_not_ready(late_pair):
    """The card is in a reset when the driver finds it, so it ignores the driver's
    [ORNIC-REG-5]. The registers that say how long to wait have their values [ORNIC-REG-7]."""
    vm, pair = late_pair.a, late_pair
    address = pci_address(vm, pair.ornic[vm].netdev)
    driver = "/sys/bus/pci/drivers/ornic"
    vm.check(f"echo {address} >{driver}/unbind", timeout=60)
    pair.card.expects_reset("nic0")
    vm.check(f"echo 1 >/sys/bus/pci/devices/{address}/reset && echo {address} >{driver}/bind",
             timeout=60)
    set_up_again(pair, vm)
    works(pair)


def test_function_level_reset(late_pair):
    """After a function level reset under traffic the card is not ready when the waiting time of the
    PCI specification is over. The netdev comes back with its address."""
    pair, vm = late_pair, late_pair.a
    traffic = Traffic(pair)
    reset_function(pair, vm)
    traffic.kill()
    wait_until("a netdev", lambda: vm.netdevs_of("ornic"))
    find_again(pair, vm)
    works(pair)


def test_recovery(late_pair):
    """The driver resets a card that has failed, and waits for it."""
    fail(late_pair, late_pair.a)
    works(late_pair)
