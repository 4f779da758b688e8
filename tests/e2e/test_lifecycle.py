# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Modules are unloaded under traffic; the PCI function is removed, unbound and reset (FLR) with
open QPs under traffic; processes are killed in the middle of a transfer; the modules are loaded
many times."""

import re
import subprocess

import pytest
import settings
from lab import paths
from lab.pair import find_again
from lab.perftest import pingpong
from settings import (
    Traffic, counters, full, long, pci_address, reset_function, resources, set_up_again, wait_until,
)

CYCLES, MANY_CYCLES = 20, 200


def works(pair):
    """Checks that RC, UD and rdma_cm work between the VMs."""
    settings.works(pair)
    pingpong(pair, pair.ornic, "ud", "-n 100")


@pytest.mark.parametrize("program", ["ib_write_bw", long("ib_read_bw"), long("ib_send_bw")])
def test_sigkill(pair, program):
    """SIGKILL in the middle of a transfer leaves no resource, neither in the kernel nor in the
    card."""
    before = [counters(pair.card, nic, "objects") for nic in (0, 1)]
    traffic = Traffic(pair, program)
    assert resources(pair.a), "no resources of the traffic"
    traffic.kill()
    for vm in pair.vms:
        wait_until(f"{vm.name} has no resources", lambda vm=vm: resources(vm) == {})
    for nic in (0, 1):
        assert counters(pair.card, nic, "objects") == before[nic]
    works(pair)


@pytest.mark.full
def test_peer_dies(pair):
    """If the peer of a connection is killed, the retries of the requester end with an error."""
    traffic = Traffic(pair)
    traffic.commands[0].kill("KILL")
    code, output = traffic.commands[1].wait(60)
    assert code not in (0, 124, 137), output
    # perftest's messages for IBV_WC_RETRY_EXC_ERR
    assert "Completion with error at client" in output, output
    assert re.search(r"Failed status 12: wr_id \d+", output), output
    works(pair)


@pytest.mark.parametrize("module", [full("ornic_rdma"), "ornic"])
def test_unload_with_traffic(pair, module):
    """Modules can be unloaded while programs use the card. The programs can be killed, and the card
    works after a reload."""
    vm = pair.a
    traffic = Traffic(pair)
    words = "rmmod ornic_rdma" + (" && rmmod ornic" if module == "ornic" else "")
    vm.check(words, timeout=60)
    assert vm.run("[ -d /sys/class/infiniband/ornic_0 ]")[0] != 0
    traffic.kill()
    vm.load_ornic()
    set_up_again(pair, vm)
    works(pair)


def test_remove_rescan(pair):
    """The PCI function can be removed under traffic, and works after a rescan."""
    vm = pair.a
    address = pci_address(vm, pair.ornic[vm].netdev)
    traffic = Traffic(pair)
    vm.check(f"echo 1 >/sys/bus/pci/devices/{address}/remove", timeout=60)
    assert vm.netdevs_of("ornic") == []
    traffic.kill()
    vm.check("echo 1 >/sys/bus/pci/rescan", timeout=60)
    set_up_again(pair, vm)
    works(pair)


@pytest.mark.full
def test_unbind_bind(pair):
    """The driver can be unbound from the function under traffic and bound again."""
    vm = pair.a
    address = pci_address(vm, pair.ornic[vm].netdev)
    traffic = Traffic(pair)
    vm.check(f"echo {address} >/sys/bus/pci/drivers/ornic/unbind", timeout=60)
    traffic.kill()
    vm.check(f"echo {address} >/sys/bus/pci/drivers/ornic/bind", timeout=60)
    set_up_again(pair, vm)
    works(pair)


def test_flr(pair):
    """After a function level reset with open QPs under traffic [ORNIC-RST-1] the netdev is back
    with its address, programs end or can be killed, and new programs work."""
    vm = pair.a
    address = pci_address(vm, pair.ornic[vm].netdev)
    vm.check(f"grep -qw flr /sys/bus/pci/devices/{address}/reset_method")
    resets = pair.card.stats()["cards"]["nic0"]["function"]["resets"]
    traffic = Traffic(pair)
    reset_function(pair, vm)
    assert pair.card.stats()["cards"]["nic0"]["function"]["resets"] > resets
    traffic.kill()
    wait_until("a netdev", lambda: vm.netdevs_of("ornic"))
    find_again(pair, vm)
    works(pair)


@pytest.mark.full
def test_reset_affects_one_card(pair):
    """A reset of one card does not affect the other card [ORNIC-BAD-1]."""
    objects = counters(pair.card, 1, "objects")
    reset_function(pair, pair.a)
    assert counters(pair.card, 1, "objects") == objects
    find_again(pair, pair.a)
    works(pair)


def stripped(kernel, name):
    """Returns a module without debug information, which is many megabytes for each load."""
    target = paths.BUILD / "e2e" / f"{name}.ko"
    target.parent.mkdir(exist_ok=True)
    subprocess.run(["strip", "-g", "-o", target, kernel.modules / f"{name}.ko"], check=True)
    return target


@pytest.mark.full
@pytest.mark.parametrize("cycles", [CYCLES, long(MANY_CYCLES)])
def test_load_unload_cycles(pair, cycles):
    """The modules can be unloaded and loaded many times."""
    vm = pair.a
    core, verbs = stripped(vm.kernel, "ornic"), stripped(vm.kernel, "ornic_rdma")
    vm.check(
        f"for i in $(seq {cycles}); do rmmod ornic_rdma && rmmod ornic && insmod {core} && "
        f"insmod {verbs} || {{ echo \"cycle $i\"; exit 1; }}; done",
        timeout=900,
    )
    set_up_again(pair, vm)
    works(pair)
