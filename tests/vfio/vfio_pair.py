# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Two cards with an RC QP each, connected to each other, whose host is the test."""

import struct

from vfio_client import PAGE, Client
from vfio_host import FREE, Host
from vfio_proto import HW

# Places in the memory of a host; rings of less than a page begin anywhere
EQ, EQ_DBR, CQ, CQ_DBR, SQ, RQ, DBR = (FREE + at for at in (
    0, 0x800, PAGE, PAGE + 0x800, 2 * PAGE, 2 * PAGE + 0x400, 2 * PAGE + 0x800))
LOG_SIZE, RQ_STRIDE_SHIFT = 4, 5
RC, INIT, RTR, RTS = (HW[name] for name in ("QPT_RC", "QPS_INIT", "QPS_RTR", "QPS_RTS"))
ATTRIBUTES = {
    INIT: ("STATE", "ACCESS"),
    RTR: ("STATE", "AV", "PATH_MTU", "DEST_QPN", "RQ_PSN", "MAX_DEST_RD_ATOMIC", "MIN_RNR_TIMER"),
    RTS: ("STATE", "TIMEOUT", "RETRY_CNT", "RNR_RETRY", "SQ_PSN", "MAX_RD_ATOMIC"),
}
GID_INDEX, MTU_1024, RNR_RETRY_FOREVER = 1, 3, 7
HEADER, ROUTE = struct.Struct("<IIQ"), struct.Struct("<QII")


def ring(addr):
    """Returns struct ornic_buf of a ring in one page."""
    return struct.pack("<QIBBxx", addr, 1, 12, 0)


class Side(Host):
    """A host with a QP."""

    def __init__(self, path, fd, mac, number):
        super().__init__(Client(path), fd)
        self.mac = bytes.fromhex(mac.replace(":", ""))
        self.gid = bytes(10) + b"\xff\xff" + bytes([10, 0, 0, number])
        self.sends = self.receives = 0
        self.ok("SET_HOST", struct.pack("<IB3xQ64s", 0x10000, 12, 0, f"host{number}".encode()))
        self.ok("MODIFY_PORT", struct.pack("<II6sBx", HW["PORT_UP"] | HW["PORT_MTU"], 1500,
                                           bytes(6), 1))
        self.ok("SET_GID", struct.pack("<HHH6sI16s", GID_INDEX, HW["GID_VALID"], 0, self.mac, 0,
                                       self.gid))
        self.uctx = self.create("ALLOC_UCTX", struct.pack("<IIQ", HW["UCTX_KERNEL"], 0, 0))
        eqn = self.create("CREATE_EQ", struct.pack("<IB3x", 0, LOG_SIZE) + ring(EQ) +
                          struct.pack("<Q", EQ_DBR))
        self.cqn = self.create("CREATE_CQ", struct.pack("<IIBBxxI", self.uctx, eqn, LOG_SIZE, 5,
                                                        0) +
                               ring(CQ) + struct.pack("<Q", CQ_DBR))
        self.qpn = self.create("CREATE_QP", struct.pack(
            "<7I4B", self.uctx, 1, self.cqn, self.cqn, 0, 0, HW["QP_SQ"] | HW["QP_RQ"], RC,
            LOG_SIZE, LOG_SIZE, RQ_STRIDE_SHIFT) + ring(SQ) + ring(RQ) +
            struct.pack("<QII40x", DBR, 0, 0))

    def ok(self, name, data):
        status, output = self.command(name, data)
        assert status == HW["CMD_OK"], name
        return output

    def create(self, name, data):
        """Returns the number of a new object."""
        return struct.unpack_from("<I", self.ok(name, data))[0]

    def connect(self, peer):
        av = struct.pack("<16s6sHIBBH", peer.gid, peer.mac, GID_INDEX, 0, 0, 64, 0)
        for state in (INIT, RTR, RTS):
            mask = sum(HW[f"QP_ATTR_{name}"] for name in ATTRIBUTES[state])
            # A short RNR timer; the longest ACK timeout, so that no ACK is late
            attr = struct.pack("<4B5I8BI", state, 0, MTU_1024, 0, 0, 0, 0, peer.qpn, 0, 1, 1, 1, 20,
                               7, RNR_RETRY_FOREVER, 0, 0, 0) + av + bytes(60)
            self.ok("MODIFY_QP", struct.pack("<II", self.qpn, mask) + attr + bytes(8))

    def send(self):
        """Posts a SEND without data."""
        size = HEADER.size + ROUTE.size
        at = SQ + self.sends % (1 << LOG_SIZE) * 64
        HEADER.pack_into(self.ram, at, HW["WR_SEND"] << 24 | size << 11, 0, self.sends)
        ROUTE.pack_into(self.ram, at + HEADER.size, 0, 0, 0)
        self.sends += 1
        struct.pack_into("<I", self.ram, DBR, self.sends)
        self.client.write64(0, self.qpn << 32 | self.sends, HW["BAR_DB"])

    def receive(self):
        """Posts a receive without room for data."""
        at = RQ + (self.receives % (1 << LOG_SIZE) << RQ_STRIDE_SHIFT)
        struct.pack_into("<IIQ", self.ram, at, 0, 0, self.receives)
        self.receives += 1
        struct.pack_into("<I", self.ram, DBR + 4, self.receives)
        # A ring of completions later, those before it have been seen
        struct.pack_into("<I", self.ram, CQ_DBR, max(self.receives - (1 << LOG_SIZE), 0))


def connected(server, fds):
    """Returns both sides."""
    sides = [Side(path, fd, server.card(i)["mac"], i + 1)
             for i, (path, fd) in enumerate(zip(server.sockets, fds))]
    sides[0].connect(sides[1])
    sides[1].connect(sides[0])
    return sides
