# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Behind a strict IOMMU the card can access exactly the memory that the drivers have mapped, and
only while it is mapped."""

import pytest
from lab.perftest import perftest, pingpong, rping
from settings import counters, iommu_domain, set_up_again, wait_until
from transfer import OPS, transfer

pytestmark = pytest.mark.full


def mapped(pair):
    """Returns how many bytes of memory are mapped for the card of machine a."""
    return pair.card.stats()["cards"]["nic0"]["function"]["memory_bytes"]


@pytest.fixture
def guarded(iommu_pair):
    """A pair with IOMMU domains. After the test its first card must have no new DMA faults."""
    for vm in iommu_pair.vms:
        assert iommu_domain(vm, iommu_pair.ornic[vm]) == "DMA"
    before = counters(iommu_pair.card)["dma_faults"]
    yield iommu_pair
    assert counters(iommu_pair.card)["dma_faults"] == before
    assert iommu_pair.card.stats()["cards"]["nic0"]["nic"]["late_faults"] == 0


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


def late_writes(pair):
    return pair.card.stats()["cards"]["nic0"]["nic"]["late_writes"]


def test_memory_is_there_until_the_reset_is_answered(guarded):
    """[ORNIC-RST-2]: a driver that is unloaded frees memory only after it has read a register of the
    card, which writes until then."""
    vm, before = guarded.a, late_writes(guarded)
    vm.check("rmmod ornic_rdma && rmmod ornic", timeout=60)
    assert late_writes(guarded) > before
    vm.load_ornic()
    set_up_again(guarded, vm)
    pingpong(guarded, guarded.ornic)


def test_memory_is_mapped_while_registered(guarded):
    """[ORNIC-BUF-6]: the memory that a process has registered is mapped for the card until the
    process ends."""
    vm, port, size = guarded.a, guarded.ornic[guarded.a], 4 << 20
    before = mapped(guarded)
    command = vm.spawn(f"ibv_rc_pingpong -d {port.device} -g {port.gid_index} -s {size}")
    wait_until("its memory is mapped", lambda: mapped(guarded) >= before + size)
    command.kill()
    command.wait(30)
    wait_until("its memory is not mapped", lambda: mapped(guarded) < before + size)
