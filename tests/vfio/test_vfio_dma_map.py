# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""DMA_MAP and DMA_UNMAP, and the memory that the card can access after them."""

import errno
import os
import socket
import struct
import tempfile

import pytest

from vfio_client import PAGE, RW, Refused, eventually, memory, serves, shrink_file
from vfio_proto import HW, N, S

NONCE = 0x0123456789abcdef


def reaches(client, fd, address, offset, wait=True):
    """Returns whether a DMA test at the bus address makes the card change the file at the
    offset."""
    os.pwrite(fd, struct.pack("<QQ", NONCE, 0), offset)
    client.write64(HW["REG_DMA_TEST"], address)

    def answered():
        return struct.unpack("<Q", os.pread(fd, 8, offset + 8))[0] == NONCE ^ (2**64 - 1)

    if wait:
        eventually(answered)
        return True
    # The card runs the DMA test after the write; these messages give it the time for that
    for _ in range(20):
        client.alive()
    return answered()


def test_map_with_memory_is_reached(client, fd):
    client.enable()
    client.dma_map(0x10000, 8 * PAGE, fd, 2 * PAGE)
    assert reaches(client, fd, 0x10000 + 64, 2 * PAGE + 64)


def test_map_does_not_keep_the_descriptor(server, client, fd):
    before = server.fds()
    for i in range(20):
        client.dma_map(i * PAGE, PAGE, fd, i * PAGE)
    assert server.fds() == before
    assert server.card()["function"]["memory_files"] == 1


@pytest.mark.parametrize("flags", [0, 4, 8, RW | 4, 1 << 31])
def test_map_flags_unknown(client, refuses, flags):
    with memory() as fd, refuses("vfio_bad_flags"):
        client.dma_map(0, PAGE, fd, flags=flags)


@pytest.mark.parametrize("iova,size,offset", [
    (0, 0, 0),
    (1, PAGE, 0),
    (0, PAGE - 1, 0),
    (0, PAGE, 7),
    (2**64 - PAGE, PAGE, 0),
    (2**64 - PAGE, 2 * PAGE, 0),
    (PAGE, 2**64 - PAGE, 0),
    (0, 65 * PAGE, 0),
    (0, PAGE, 64 * PAGE),
    (0, PAGE, 2**64 - PAGE),
    (0, 2 * PAGE, 2**64 - PAGE),
])
def test_map_range_odd(client, refuses, iova, size, offset):
    with memory() as fd, refuses("vfio_bad_map"):
        client.dma_map(iova, size, fd, offset)


def test_map_overlap(client, refuses, fd):
    client.dma_map(4 * PAGE, 4 * PAGE, fd)
    for first, count in [(3, 2), (7, 2), (5, 1), (0, 32), (4, 5)]:
        with refuses("vfio_bad_map", errno.EEXIST):
            client.dma_map(first * PAGE, count * PAGE, fd)


def test_map_identical_repeat_is_accepted(server, client, fd):
    client.dma_map(0, PAGE, fd)
    client.dma_map(0, PAGE, fd)
    assert server.card()["function"]["memory_regions"] == 1
    assert server.card()["function"]["memory_bytes"] == PAGE


def test_map_repeat_of_a_part_is_accepted(server, client, fd):
    client.dma_map(4 * PAGE, 4 * PAGE, fd)
    client.dma_map(5 * PAGE, PAGE, fd, PAGE)
    assert server.card()["function"]["memory_regions"] == 1


def test_contiguous_maps_are_merged(server, client, fd):
    client.enable()
    for page in (0, 2, 1):
        client.dma_map(page * PAGE, PAGE, fd, page * PAGE)
    assert server.card()["function"]["memory_regions"] == 1
    client.dma_unmap(PAGE, PAGE)
    assert server.card()["function"]["memory_regions"] == 2
    assert not reaches(client, fd, PAGE, PAGE, wait=False)
    assert reaches(client, fd, 2 * PAGE, 2 * PAGE)


def test_map_with_two_descriptors(client, refuses):
    payload = S["dma_map"].pack(argsz=32, flags=RW, size=PAGE)
    with memory() as one, memory() as two, refuses("vfio_bad_fds"):
        client.request("DMA_MAP", payload, [one, two])


@pytest.mark.parametrize("make", [
    lambda: os.open("/dev/zero", os.O_RDWR),
    lambda: os.open("/proc/self/maps", os.O_RDONLY),
    lambda: os.pipe()[0],
    lambda: os.eventfd(0),
    lambda: socket.socket(socket.AF_UNIX).detach(),
    lambda: os.open("/tmp", os.O_RDONLY),
], ids=["device", "proc", "pipe", "eventfd", "socket", "directory"])
def test_map_of_a_descriptor_that_is_no_memory(client, refuses, make):
    fd = make()
    with refuses("vfio_bad_map"):
        client.dma_map(0, PAGE, fd)
    os.close(fd)


def test_map_of_an_absurdly_large_file(client, refuses):
    with memory(1 << 43) as fd, refuses("vfio_bad_map", errno.ENOSPC):
        client.dma_map(0, PAGE, fd)


def test_map_writable_of_a_read_only_descriptor(client, refuses, fd):
    readonly = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
    with refuses("vfio_bad_map", errno.EACCES):
        client.dma_map(0, PAGE, readonly)
    client.dma_map(0, PAGE, readonly, flags=N["MAP_READ"])
    os.close(readonly)


def test_map_read_only_is_not_written(client, fd):
    client.enable()
    client.dma_map(0, PAGE, fd, flags=N["MAP_READ"])
    assert not reaches(client, fd, 0, 0, wait=False)


def test_map_without_descriptor_is_kept_and_not_reached(server, client, fd):
    client.enable()
    client.dma_map(0x100000, PAGE)
    assert server.card()["function"]["memory_regions"] == 1
    assert not reaches(client, fd, 0x100000, 0, wait=False)


def test_map_too_many_regions(client, refuses, fd):
    for i in range(65535):
        client.send_raw(client.header(2, bytes(32), flags=N["NO_REPLY"]) + S["dma_map"].pack(
            argsz=32, flags=RW, iova=2 * i * PAGE, size=PAGE), [fd])
    with refuses("vfio_bad_map", errno.ENOSPC):
        client.dma_map(1 << 40, PAGE, fd)
    client.dma_unmap(0, PAGE)
    client.dma_map(1 << 40, PAGE, fd)


def test_map_too_many_files(client, refuses):
    for i in range(256):
        with memory(PAGE) as fd:
            client.dma_map(i * PAGE, PAGE, fd)
    with memory(PAGE) as fd, refuses("vfio_bad_map", errno.ENOSPC):
        client.dma_map(256 * PAGE, PAGE, fd)


def test_nothing_is_reached_before_bus_master_enable(client, fd):
    client.enable(2)
    client.dma_map(0, PAGE, fd)
    assert not reaches(client, fd, 0, 0, wait=False)
    client.enable(6)
    assert reaches(client, fd, 0, 0)
    client.enable(2)
    assert not reaches(client, fd, 0, 0, wait=False)


@pytest.mark.parametrize("flags,iova,size", [(1, 0, PAGE), (4, 0, PAGE), (3, 0, 0),
                                             (2, 0, PAGE), (2, PAGE, 0)])
def test_unmap_flags_unknown_or_misused(client, refuses, flags, iova, size):
    with refuses("vfio_bad_flags"):
        client.dma_unmap(iova, size, flags)


@pytest.mark.parametrize("iova,size", [(0, 0), (PAGE, 2**64 - 1), (2**64 - 1, 2)])
def test_unmap_range_empty_or_wrapping(client, refuses, iova, size):
    with refuses("vfio_bad_unmap"):
        client.dma_unmap(iova, size)


def test_unmap_is_not_reached_any_more(client, fd):
    client.enable()
    client.dma_map(0, 2 * PAGE, fd)
    client.dma_unmap(PAGE, PAGE)
    assert not reaches(client, fd, PAGE, PAGE, wait=False)
    assert reaches(client, fd, 0, 0)


def test_unmap_of_nothing_is_accepted(client):
    client.dma_unmap(0, 1 << 63)


def test_unmap_all_and_huge_ranges_take_many(server, client, fd):
    for flags, iova, size in [(N["UNMAP_ALL"], 0, 0), (0, 0, 1 << 62)]:
        for i in range(32):
            client.dma_map(2 * i * PAGE, PAGE, fd, i * PAGE)
        client.dma_unmap(iova, size, flags)
        assert server.card()["function"]["memory_regions"] == 0
        assert server.card()["function"]["memory_files"] == 0


def test_file_that_shrinks_ends_only_its_own_client(server, client):
    shrink_file(client)
    assert client.ended()
    assert server.violations()["mem_fault"] == 1
    assert serves(server.sockets[0])


def test_file_on_disk_is_refused(client):
    with tempfile.NamedTemporaryFile(dir="/var/tmp") as file:
        file.truncate(PAGE)
        if os.statvfs(file.name).f_fsid == os.statvfs("/dev/shm").f_fsid:
            pytest.skip("/var/tmp is in memory here")
        try:
            client.dma_map(0, PAGE, file.fileno())
        except Refused as refused:
            assert refused.errno == errno.EINVAL
