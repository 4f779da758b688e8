# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""REGION_READ, REGION_WRITE, REGION_WRITE_MULTI."""

import struct
import time

import pytest

from vfio_client import CONFIG, Refused
from vfio_proto import HW, LIMITS, N, S

SCRATCH = HW["REG_SCRATCH"]
REGS = HW["BAR_REGS"]
DB = HW["BAR_DB"]
STRIDE = 65536


@pytest.fixture
def enabled(client):
    client.enable()
    return client


def access(client, cmd, region, offset, count, data=b""):
    payload = S["region_access"].pack(offset=offset, region=region, count=count)
    return client.request(cmd, payload + data)


@pytest.mark.parametrize("region", [1, 3, 4, 5, 6, 8, 9, 0xffffffff])
def test_region_unknown(client, refuses, region):
    with refuses("vfio_bad_region"):
        access(client, "REGION_READ", region, 0, 4)
    with refuses("vfio_bad_region"):
        access(client, "REGION_WRITE", region, 0, 4, bytes(4))


@pytest.mark.parametrize("region,offset,count", [
    (CONFIG, 4096, 1), (CONFIG, 4095, 2), (CONFIG, 0, 4097), (CONFIG, 2**64 - 1, 2),
    (CONFIG, 0, 0), (CONFIG, 0, 0xffffffff),
    (REGS, HW["BAR_REGS_SIZE"], 4), (REGS, HW["BAR_REGS_SIZE"] - 4, 8), (REGS, 2**64 - 4, 4),
    (DB, 64 << 20, 4), (DB, 2**63, 8),
    (REGS, 0, 0), (REGS, 0, 3), (REGS, 0, 16), (REGS, 0, 4096), (REGS, 0, 0xffffffff),
    (REGS, 1, 2), (REGS, 2, 4), (REGS, 4, 8), (DB, 6, 4),
])
def test_read_range_outside_or_odd(enabled, refuses, region, offset, count):
    with refuses("vfio_bad_range"):
        access(enabled, "REGION_READ", region, offset, count)


@pytest.mark.parametrize("region,offset,count", [
    (CONFIG, 4095, 2), (CONFIG, 0, 4097), (CONFIG, 0, 0), (REGS, HW["BAR_REGS_SIZE"], 4),
    (REGS, 2, 4), (REGS, 0, 16), (DB, 64 << 20, 8), (DB, 2**64 - 8, 8),
])
def test_write_range_outside_or_odd(enabled, refuses, region, offset, count):
    with refuses("vfio_bad_range"):
        access(enabled, "REGION_WRITE", region, offset, count, bytes(count))


@pytest.mark.parametrize("count,given", [(4, 3), (4, 5), (4, 0), (0, 4), (0xffffffff, 4)])
def test_write_data_miscounted(enabled, refuses, count, given):
    with refuses("vfio_bad_size"):
        access(enabled, "REGION_WRITE", REGS, SCRATCH, count, bytes(given))


POWER = 0x44  # PMCSR


def test_d3hot_reads_ones_and_ignores_writes(server, enabled):
    """[ORNIC-PCI-8]: D3hot allows no access to registers, and D0 restores it."""
    enabled.write32(SCRATCH, 0x1234)
    enabled.config_write(POWER, b"\3")
    enabled.write32(SCRATCH, 0x5678)
    assert enabled.read32(SCRATCH) == 0xffffffff
    assert server.violations() == {"pci_bar_disabled": 2}
    enabled.config_write(POWER, b"\0")
    assert enabled.read32(SCRATCH) == 0x1234


@pytest.mark.full
def test_clock_runs_in_d3hot(enabled):
    """[ORNIC-REG-3]: CLOCK counts the time that the card spends in D3hot."""
    def clock():
        return int.from_bytes(enabled.read(REGS, HW["REG_CLOCK"], 8), "little")

    before = clock()
    enabled.config_write(POWER, b"\3")
    begin = time.monotonic_ns()
    time.sleep(0.05)
    spent = time.monotonic_ns() - begin
    enabled.config_write(POWER, b"\0")
    assert clock() - before >= spent


def test_memory_space_off_reads_ones_and_ignores_writes(server, client):
    """[ORNIC-PCI-5]."""
    client.write32(SCRATCH, 0x1234)
    assert client.read32(SCRATCH) == 0xffffffff
    assert server.violations() == {"pci_bar_disabled": 2}
    client.enable(2)
    assert client.read32(SCRATCH) == 0


def test_config_in_one_read(client):
    config = client.config_read(0, 4096)
    assert config[:4] == bytes.fromhex("f41af010")
    assert config[0x34] == 0x40
    # The serial number, and behind it Advanced Error Reporting, which is the last
    assert config[0x100:0x104] == bytes.fromhex("03000111")
    assert config[0x110:0x114] == bytes.fromhex("01000200")


@pytest.mark.parametrize("offset,count", [(0, 1), (1, 2), (3, 7), (2, 4), (255, 1), (4000, 96)])
def test_config_in_any_pieces(client, offset, count):
    assert client.config_read(offset, count) == client.config_read(0, 4096)[offset:offset + count]


def test_config_bars_keep_their_types(client):
    """[ORNIC-PCI-2]: BAR2 is prefetchable, and there is no BAR4."""
    for offset, low in [(0x10, 4), (0x14, 0), (0x18, 12), (0x1c, 0), (0x20, 0), (0x24, 0),
                        (0x30, 0)]:
        client.config_write(offset, b"\xff" * 4)
        assert client.config_read(offset, 4) == struct.pack("<I", low)


def test_magic(enabled):
    assert enabled.read32(HW["REG_MAGIC"]) == HW["MAGIC"]


def test_scratch_holds_what_is_written(enabled):
    for value in (0, 0xffffffff, 0x12345678):
        enabled.write32(SCRATCH, value)
        assert enabled.read32(SCRATCH) == value


@pytest.mark.parametrize("offset", [0x2000, 0x7ff8, HW["BAR_MSIX_TABLE"], HW["BAR_MSIX_PBA"],
                                    HW["BAR_REGS_SIZE"] - 8])
def test_offsets_beyond_the_registers_are_zero(enabled, offset):
    enabled.write64(offset, 2**64 - 1)
    assert enabled.read(REGS, offset, 8) == bytes(8)


def test_posted_write_comes_before_the_next_read(enabled):
    for value in range(1000):
        enabled.write(REGS, SCRATCH, struct.pack("<I", value), flags=N["NO_REPLY"])
    assert enabled.read32(SCRATCH) == 999


def test_every_offset_of_the_registers_can_be_read(enabled):
    for offset in range(0, HW["REG_END"] + 64, 4):
        enabled.read32(offset)


@pytest.mark.parametrize("page", [0, 1, 511, 1023])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_doorbells_of_any_size_survive(enabled, page, size):
    for offset in range(0, 64, size):
        enabled.write(DB, page * STRIDE + offset, b"\xff" * size)
        enabled.read(DB, page * STRIDE + offset, size)


def entry(offset, data, region=REGS, count=None):
    count = len(data) if count is None else count
    return S["write_entry"].pack(offset=offset, region=region, count=count,
                                 data=data.ljust(8, b"\0"))


def multi(client, entries, count=None, flags=0):
    payload = S["write_multi"].pack(count=len(entries) if count is None else count)
    return client.request("REGION_WRITE_MULTI", payload + b"".join(entries), flags=flags)


def test_write_multi_writes_all_in_order(enabled):
    entries = [entry(SCRATCH, struct.pack("<I", value)) for value in range(200)]
    multi(enabled, entries, flags=N["NO_REPLY"])
    assert enabled.read32(SCRATCH) == 199


def test_write_multi_of_none(enabled):
    multi(enabled, [])


@pytest.mark.parametrize("count", [0, 2, 4, 2**32, 2**63, 2**64 - 1])
def test_write_multi_miscounted(enabled, refuses, count):
    with refuses("vfio_bad_size"):
        multi(enabled, [entry(SCRATCH, bytes(4))] * 3, count)


def test_write_multi_cut_entry(enabled, refuses):
    with refuses("vfio_bad_size"):
        multi(enabled, [entry(SCRATCH, bytes(4))[:-1]], 1)


@pytest.mark.parametrize("bad,violation", [
    (entry(SCRATCH, bytes(8), count=9), "vfio_bad_range"),
    (entry(SCRATCH, bytes(8), count=0), "vfio_bad_range"),
    (entry(SCRATCH, bytes(8), count=0xffffffff), "vfio_bad_range"),
    (entry(SCRATCH + 2, bytes(4)), "vfio_bad_range"),
    (entry(2**64 - 4, bytes(4)), "vfio_bad_range"),
    (entry(0, bytes(4), region=1), "vfio_bad_region"),
    (entry(0, bytes(4), region=99), "vfio_bad_region"),
], ids=["9 bytes", "0 bytes", "4 GiB", "odd", "outside", "no region", "unknown region"])
def test_write_multi_stops_at_a_bad_entry(enabled, refuses, bad, violation):
    entries = [entry(SCRATCH, b"\1\0\0\0"), bad, entry(SCRATCH, b"\2\0\0\0")]
    with refuses(violation):
        multi(enabled, entries)
    assert enabled.read32(SCRATCH) == 1


def test_largest_read_is_what_version_said(client):
    assert len(client.config_read(0, LIMITS["MAX_XFER"])) == LIMITS["MAX_XFER"]
    with pytest.raises(Refused):
        client.config_read(0, LIMITS["MAX_XFER"] + 1)
