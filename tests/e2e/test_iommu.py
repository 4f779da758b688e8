# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Behind a strict IOMMU the card reaches what the drivers have mapped, for as long as it is mapped,
and nothing else."""

import pytest
from lab.perftest import perftest, pingpong, rping
from settings import counters, pci_address, wait_until
from transfer import OPS, transfer

# Memory of the guest that no driver maps: bus addresses are given out from the top of 4 GiB.
UNMAPPED = 16 << 20

# By [ORNIC-RST-6] the card reads and writes memory when it is told to through a register.
DMA_TEST = """
import ctypes, mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
bar = mmap.mmap(fd, 65536)
ctypes.c_uint64.from_buffer(bar, 0x48).value = int(sys.argv[2])
"""


def domain(vm, port):
    """How the memory of the card is protected."""
    address = pci_address(vm, port.netdev)
    return vm.check(f"cat /sys/bus/pci/devices/{address}/iommu_group/type").strip()


def dma_test(vm, port, bus_address):
    path = f"/sys/bus/pci/devices/{pci_address(vm, port.netdev)}/resource0"
    vm.check(f'python3 -c "{DMA_TEST}" {path} {bus_address}')


def regions(pair):
    """Pieces of memory that are mapped for the card of machine a."""
    return pair.card.stats()["cards"]["nic0"]["function"]["memory_regions"]


@pytest.fixture
def guarded(iommu_pair):
    """Machines in which the card has never been refused memory that it was given."""
    for vm in iommu_pair.vms:
        assert domain(vm, iommu_pair.ornic[vm]) == "DMA"
    before = counters(iommu_pair.card)["dma_faults"]
    yield iommu_pair
    assert counters(iommu_pair.card)["dma_faults"] == before


def test_programs(guarded):
    """What people run first, with data checked, and the netdev with its buffers."""
    pingpong(guarded, guarded.ornic)
    pingpong(guarded, guarded.ornic, "rc", "-e")
    pingpong(guarded, guarded.ornic, "ud")
    rping(guarded, guarded.ornic, count=20)
    guarded.a.check(f"ping -c 3 -i 0.2 -M do -s 8972 {guarded.ornic[guarded.b].ip}")


@pytest.mark.parametrize("program", ["ib_send_bw", "ib_write_bw", "ib_read_bw", "ib_atomic_bw"])
def test_perftest(guarded, program):
    perftest(guarded, guarded.ornic, program, 8 if "atomic" in program else 65536, 500)


@pytest.mark.parametrize("transport", ["rc", "uc"])
def test_transfer(guarded, guest_programs, transport):
    """Every operation, each byte checked."""
    transfer(guarded, guarded.ornic, guest_programs, ",".join(OPS[transport]), f"-t {transport}",
             timeout=120)


def test_regions_come_and_go(guarded):
    """What a process has registered is mapped for the card, and no longer than that."""
    vm, port = guarded.a, guarded.ornic[guarded.a]
    before = regions(guarded)
    command = vm.spawn(f"ib_write_bw -d {port.device} -x {port.gid_index} -s {1 << 20}")
    wait_until("its memory is mapped", lambda: regions(guarded) > before)
    command.kill()
    command.wait(30)
    wait_until("its memory is not mapped", lambda: regions(guarded) == before)


def test_hole(iommu_pair):
    """The card is told to access memory that is there and not mapped: it counts a fault, accesses
    nothing, and both it and its driver go on."""
    vm = iommu_pair.a
    before = counters(iommu_pair.card)
    resets = iommu_pair.card.stats()["cards"]["nic0"]["function"]["resets"]
    dma_test(vm, iommu_pair.ornic[vm], UNMAPPED)
    after = counters(iommu_pair.card)
    assert after["dma_faults"] == before["dma_faults"] + 1
    pingpong(iommu_pair, iommu_pair.ornic)
    vm.check(f"ping -c 3 -i 0.2 {iommu_pair.ornic[iommu_pair.b].ip}")
    assert iommu_pair.card.stats()["cards"]["nic0"]["function"]["resets"] == resets
