# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""DEVICE_GET_INFO, DEVICE_GET_REGION_INFO, DEVICE_GET_IRQ_INFO."""

import pytest

from vfio_client import CONFIG
from vfio_proto import HW, N, S


def test_device_info(client):
    reply = client.request("DEVICE_GET_INFO", S["device_info"].pack(argsz=16))
    info = S["device_info"].unpack(reply)
    assert info["regions"] == N["REGIONS"]
    assert info["irqs"] == N["IRQS"]
    assert info["flags"] == N["DEVICE_RESET_OK"] | N["DEVICE_PCI"]


@pytest.mark.parametrize("index", [9, 10, 0xffffffff])
def test_region_info_index_unknown(client, refuses, index):
    with refuses("vfio_bad_region"):
        client.region_info(index)


def test_region_info_sizes(client):
    sizes = {index: client.region_info(index)["size"] for index in range(N["REGIONS"])}
    expected = {HW["BAR_REGS"]: HW["BAR_REGS_SIZE"], HW["BAR_DB"]: 64 << 20, CONFIG: 4096}
    assert sizes == {index: expected.get(index, 0) for index in range(N["REGIONS"])}


def test_region_info_nothing_is_mappable(client):
    # One mappable BAR would make every trapped write to the card synchronous
    for index in range(N["REGIONS"]):
        info = client.region_info(index)
        assert info["flags"] in (0, N["REGION_READABLE"] | N["REGION_WRITABLE"])


@pytest.mark.parametrize("index", [5, 0xffffffff])
def test_irq_info_index_unknown(client, refuses, index):
    with refuses("vfio_bad_irq"):
        client.irq_info(index)


def test_irq_info_counts(client):
    counts = [client.irq_info(index)["count"] for index in range(N["IRQS"])]
    assert counts == [0, 0, 16, 1, 0]
    assert client.irq_info(N["IRQ_MSIX"])["flags"] == N["IRQ_EVENTFD"]
