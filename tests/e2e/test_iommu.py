# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Behind a strict IOMMU the card can access exactly the memory that the drivers have mapped, and
only while it is mapped."""

import pytest
from lab.perftest import perftest, pingpong, rping
from settings import counters, pci_address, wait_until
from transfer import OPS, transfer

pytestmark = pytest.mark.full

# Guest memory that no driver maps, because bus addresses are allocated from 4 GiB down
UNMAPPED = 16 << 20

# [ORNIC-RST-6]: a write to the register DMA_TEST makes the card read and write memory
DMA_TEST = """
import ctypes, mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
bar = mmap.mmap(fd, 65536)
ctypes.c_uint64.from_buffer(bar, 0x48).value = int(sys.argv[2])
"""


def domain(vm, port):
    """Returns the type of the card's IOMMU domain."""
    address = pci_address(vm, port.netdev)
    return vm.check(f"cat /sys/bus/pci/devices/{address}/iommu_group/type").strip()


def dma_test(vm, port, bus_address):
    path = f"/sys/bus/pci/devices/{pci_address(vm, port.netdev)}/resource0"
    vm.check(f'python3 -c "{DMA_TEST}" {path} {bus_address}')


def mapped(pair):
    """Returns how many bytes of memory are mapped for the card of machine a."""
    return pair.card.stats()["cards"]["nic0"]["function"]["memory_bytes"]


@pytest.fixture
def guarded(iommu_pair):
    """A pair with IOMMU domains. After the test its first card must have no new DMA faults."""
    for vm in iommu_pair.vms:
        assert domain(vm, iommu_pair.ornic[vm]) == "DMA"
    before = counters(iommu_pair.card)["dma_faults"]
    yield iommu_pair
    assert counters(iommu_pair.card)["dma_faults"] == before


def test_programs(guarded):
    """Common programs work, with verified data, and the netdev carries large frames."""
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
    """Every operation works, with every byte checked."""
    transfer(guarded, guarded.ornic, guest_programs, ",".join(OPS[transport]), f"-t {transport}",
             timeout=120)


def test_memory_is_mapped_while_registered(guarded):
    """The memory that a process has registered is mapped for the card until the process ends."""
    vm, port, size = guarded.a, guarded.ornic[guarded.a], 4 << 20
    before = mapped(guarded)
    command = vm.spawn(f"ibv_rc_pingpong -d {port.device} -g {port.gid_index} -s {size}")
    wait_until("its memory is mapped", lambda: mapped(guarded) >= before + size)
    command.kill()
    command.wait(30)
    wait_until("its memory is not mapped", lambda: mapped(guarded) < before + size)


def test_unmapped_memory(iommu_pair):
    """If the card is made to access memory that exists but is not mapped, it counts a fault and
    accesses nothing. The card and its driver keep working without a reset."""
    vm = iommu_pair.a
    before = counters(iommu_pair.card)
    resets = iommu_pair.card.stats()["cards"]["nic0"]["function"]["resets"]
    dma_test(vm, iommu_pair.ornic[vm], UNMAPPED)
    after = counters(iommu_pair.card)
    assert after["dma_faults"] == before["dma_faults"] + 1
    pingpong(iommu_pair, iommu_pair.ornic)
    vm.check(f"ping -c 3 -i 0.2 {iommu_pair.ornic[iommu_pair.b].ip}")
    assert iommu_pair.card.stats()["cards"]["nic0"]["function"]["resets"] == resets
