# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The admin queue of a card, driven over the socket."""

import mmap
import struct

from vfio_client import PAGE, eventually
from vfio_proto import HW

SQ, CQ, IN, OUT, FREE = (number * PAGE for number in range(5))
RAM = 8 * PAGE
SQE, CQE = struct.Struct("<HHIIIQQ"), struct.Struct("<HHIII")
SET_HOST = struct.Struct("<IB3xQ64s")


class Host:
    """The admin queue of a card; its memory has RAM bytes, of which those from FREE on are the
    test's."""

    def __init__(self, client, fd):
        self.client, self.pi = client, 0
        self.ram = mmap.mmap(fd, RAM)
        client.enable()
        client.dma_map(0, RAM, fd)
        client.write32(HW["REG_ADMIN_DEPTH"], 4)
        client.write64(HW["REG_ADMIN_SQ"], SQ)
        client.write64(HW["REG_ADMIN_CQ"], CQ)
        client.write32(HW["REG_CTRL"], HW["CTRL_ENABLE"])

    def submit(self, name, data=b""):
        """Returns the place of the completion."""
        self.ram[IN:IN + len(data)] = data
        SQE.pack_into(self.ram, SQ + self.pi * SQE.size, HW[f"CMD_{name}"], self.pi, 0, len(data),
                      PAGE, IN, OUT)
        at = CQ + self.pi * CQE.size
        self.pi += 1
        self.client.write32(HW["REG_ADMIN_DB"], self.pi)
        return at

    def has_completed(self, at):
        return bool(CQE.unpack_from(self.ram, at)[4] & HW["CMD_CQE_PHASE"])

    def command(self, name, data=b""):
        """Returns (status, output)."""
        at = self.submit(name, data)
        eventually(lambda: self.has_completed(at))
        _, status, size, _, _ = CQE.unpack_from(self.ram, at)
        return status, self.ram[OUT:OUT + size]

    def set_host(self, features, version=0x10000, name=b"pytest"):
        return self.command("SET_HOST", SET_HOST.pack(version, 12, features, name))
