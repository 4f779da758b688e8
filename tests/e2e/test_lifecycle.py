# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Issue: "module unload while traffic runs; the PCI function removed, unbound and FLR-reset with
QPs open and traffic running; SIGKILL of a process mid-transfer leaves no resource; 200 load/unload
cycles"."""

import re
import subprocess

import pytest
from lab import paths
from lab.pair import find_port
from lab.perftest import pingpong, rping
from settings import (
    Traffic, counters, long, pci_address, reset_function, resources, set_up_again, wait_until,
)

CYCLES = 200


def works(pair):
    """Datagrams, connections and rdma_cm between the machines."""
    pingpong(pair, pair.ornic, options="-n 100")
    pingpong(pair, pair.ornic, "ud", "-n 100")
    rping(pair, pair.ornic, count=5)


@pytest.mark.parametrize("program", ["ib_write_bw", long("ib_read_bw"), long("ib_send_bw")])
def test_sigkill(pair, program):
    """SIGKILL in the middle of a transfer: no resource is left, in the kernel or in the device."""
    before = [counters(pair.card, nic, "objects") for nic in (0, 1)]
    traffic = Traffic(pair, program)
    assert resources(pair.a), "the traffic is not to be seen"
    traffic.kill()
    for vm in pair.vms:
        wait_until(f"{vm.name} has no resources", lambda vm=vm: resources(vm) == {})
    for nic in (0, 1):
        assert counters(pair.card, nic, "objects") == before[nic]
    works(pair)


def test_peer_dies(pair):
    """The other side of a connection is gone: the requester's retries end, nobody hangs."""
    traffic = Traffic(pair)
    traffic.commands[0].kill("KILL")
    code, output = traffic.commands[1].wait(60)
    assert code not in (0, 124, 137), output
    # IBV_WC_RETRY_EXC_ERR, in perftest's words
    assert "Completion with error at client" in output, output
    assert re.search(r"Failed status 12: wr_id \d+", output), output
    works(pair)


@pytest.mark.parametrize("module", ["ornic_rdma", "ornic"])
def test_unload_with_traffic(pair, module):
    """The modules go while programs use the card; the programs can be ended; all comes back."""
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
    """The PCI function is removed under traffic, and found again."""
    vm = pair.a
    address = pci_address(vm, pair.ornic[vm].netdev)
    traffic = Traffic(pair)
    vm.check(f"echo 1 >/sys/bus/pci/devices/{address}/remove", timeout=60)
    assert vm.netdevs_of("ornic") == []
    traffic.kill()
    vm.check("echo 1 >/sys/bus/pci/rescan", timeout=60)
    set_up_again(pair, vm)
    works(pair)


def test_unbind_bind(pair):
    """The driver is taken from the function under traffic, and given back."""
    vm = pair.a
    address = pci_address(vm, pair.ornic[vm].netdev)
    traffic = Traffic(pair)
    vm.check(f"echo {address} >/sys/bus/pci/drivers/ornic/unbind", timeout=60)
    traffic.kill()
    vm.check(f"echo {address} >/sys/bus/pci/drivers/ornic/bind", timeout=60)
    set_up_again(pair, vm)
    works(pair)


def test_flr(pair):
    """Function level reset with QPs open and traffic running [ORNIC-RST-1]: the netdev comes back
    by itself with its address, programs end or can be ended, new ones work."""
    vm = pair.a
    address = pci_address(vm, pair.ornic[vm].netdev)
    vm.check(f"grep -qw flr /sys/bus/pci/devices/{address}/reset_method")
    resets = pair.card.stats()["cards"]["nic0"]["function"]["resets"]
    traffic = Traffic(pair)
    reset_function(pair, vm)
    assert pair.card.stats()["cards"]["nic0"]["function"]["resets"] > resets
    traffic.kill()
    port = pair.ornic[vm]
    wait_until("a netdev", lambda: vm.netdevs_of("ornic"))
    pair.ornic[vm] = find_port(vm, port.netdev, port.ip)
    works(pair)


def test_card_keeps_its_guest_apart(pair):
    """A reset of one card is none of the other's business [ORNIC-BAD-1]."""
    objects = counters(pair.card, 1, "objects")
    reset_function(pair, pair.a)
    assert counters(pair.card, 1, "objects") == objects
    port = pair.ornic[pair.a]
    pair.ornic[pair.a] = find_port(pair.a, port.netdev, port.ip)
    works(pair)


def stripped(kernel, name):
    """A module without what is there for debuggers only: many megabytes to load 200 times."""
    target = paths.BUILD / "e2e" / f"{name}.ko"
    target.parent.mkdir(exist_ok=True)
    subprocess.run(["strip", "-g", "-o", target, kernel.modules / f"{name}.ko"], check=True)
    return target


@pytest.mark.slow
def test_load_unload_cycles(pair):
    """200 times the modules go and come."""
    vm = pair.a
    core, verbs = stripped(vm.kernel, "ornic"), stripped(vm.kernel, "ornic_rdma")
    vm.check(
        f"for i in $(seq {CYCLES}); do rmmod ornic_rdma && rmmod ornic && insmod {core} && "
        f"insmod {verbs} || {{ echo \"cycle $i\"; exit 1; }}; done",
        timeout=900,
    )
    set_up_again(pair, vm)
    works(pair)
