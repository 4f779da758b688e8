# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards of different versions in one VM, behind an IOMMU. A card comes to the machine that runs
(`ornicctl attach`), and leaves it, as Documentation/install.rst says."""

import re

import pytest
from lab import paths
from lab.perftest import perftest, pingpong
from settings import BITS, counters, host, iommu_domain, pci_address, two_sides, wait_until

# Client and server share one processor, so a round trip takes two time slices
SHORT = "-n 100"
REMOVE = "echo 1 >/sys/bus/pci/devices/{address}/remove"
# Guest memory that no driver maps, because bus addresses are allocated from 4 GiB down
UNMAPPED = 16 << 20
# [ORNIC-RST-8]: a write to the register DMA_TEST makes the card read and write memory
DMA_TEST = """
import ctypes, mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
bar = mmap.mmap(fd, 65536)
ctypes.c_uint64.from_buffer(bar, 0x48).value = int(sys.argv[2])
"""


@pytest.fixture
def guarded(two):
    """Each card has an IOMMU domain, and accesses only memory that is mapped."""
    for port in two.ports:
        assert iommu_domain(two.a, port) == "DMA"
    before = [counters(two.card, number)["dma_faults"] for number in (0, 1)]
    yield two
    assert [counters(two.card, number)["dma_faults"] for number in (0, 1)] == before


def test_documents(two):
    """The manual page has the port of these tests, and the way to remove a card."""
    text = (paths.TOP / "Documentation/ornicctl.1").read_text().replace("\\-", "-")
    assert " ".join(two.PORT) in text
    assert REMOVE.format(address="ADDRESS") in text


def test_two_devices(two):
    """Each card has its own netdev, RDMA device and GUID."""
    devices = two.a.check("ls /sys/class/infiniband").split()
    guids = two.a.check("cat /sys/class/infiniband/*/node_guid").split()
    assert len(devices) == 2 and len(set(guids)) == 2
    assert len(set(two.a.netdevs_of("ornic"))) == 2


@pytest.mark.parametrize("kind", ["rc", "ud", "uc"])
@pytest.mark.parametrize("client, server", [(0, 1), (1, 1)])
def test_pingpong(guarded, client, server, kind):
    """Pingpong works from one card to the other, and from the card that has nothing optional to
    itself [ORNIC-LOOP-5]."""
    pair, ports = two_sides(guarded, [guarded.ports[client], guarded.ports[server]])
    pingpong(pair, ports, kind, f"-c {SHORT}" if kind == "uc" else SHORT)


def test_bandwidth(guarded):
    """perftest works from one card to the other."""
    pair, ports = two_sides(guarded, guarded.ports)
    perftest(pair, ports, "ib_send_bw", 65536, 200)


def test_versions(two):
    """With a card of a newer minor version the lower one is in force [ORNIC-VER-2] [ORNIC-VER-3].
    The driver names the features to the card that both have. It refuses a card of another major
    version in one line [ORNIC-VER-4]."""
    newer, least = (host(two.card, number) for number in (0, 1))
    assert newer["version"] == least["version"] == "1.0"
    # Cards push only if they are asked to
    assert newer["features"] == sum(BITS.values()) - BITS["push"]
    assert least["features"] == BITS["cqe_ext"]
    lines = re.findall(r"ornic \S+: unknown hardware interface version", two.a.dmesg())
    assert len(lines) == 1


def test_remove(two):
    """The function of the second card is removed in the machine, which leaves nothing in the card
    and the other card as it is. It comes back, and works."""
    vm, card = two.a, two.card
    other = counters(card, 0, "objects")
    address = pci_address(vm, two.ports[1].netdev)
    vm.check(REMOVE.format(address=address))
    assert set(counters(card, 1, "objects").values()) == {0}
    assert len(vm.netdevs_of("ornic")) == 1
    assert counters(card, 0, "objects") == other

    vm.check("echo 1 >/sys/bus/pci/rescan")
    wait_until("the function is back", lambda: len(vm.netdevs_of("ornic")) == 2)
    two.set_up()
    links = vm.check("rdma link")
    assert len(re.findall("state ACTIVE", links)) == 2, links
    pingpong(*two_sides(two, two.ports), options=SHORT)


def test_unmapped_memory(two):
    """If the card is made to access memory that exists but is not mapped, it counts a fault and
    accesses nothing. The card and its driver keep working without a reset."""
    before, resets = counters(two.card)["dma_faults"], two.card.function_resets()
    path = f"/sys/bus/pci/devices/{pci_address(two.a, two.ports[0].netdev)}/resource0"
    two.a.check(f'python3 -c "{DMA_TEST}" {path} {UNMAPPED}')
    assert counters(two.card)["dma_faults"] == before + 1
    pingpong(*two_sides(two, two.ports), options=SHORT)
    assert two.card.function_resets() == resets
