# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards with less than all features, and of other versions, as a host sees them over the socket."""

import mmap
import struct

import pytest

from vfio_client import Client, eventually, memory
from vfio_proto import HW
from vfio_server import Server

PAGE = 4096
SQ, CQ, IN, OUT = (number * PAGE for number in range(4))
SQE, CQE = struct.Struct("<HHIIIQQ"), struct.Struct("<HHIII")
SET_HOST = struct.Struct("<IB3xQ64s")
OK, NOT_SUPPORTED = HW["CMD_OK"], HW["CMD_NOT_SUPPORTED"]
SRQ, XRC = 1 << 0, 1 << 1


class Host:
    """The admin queue of a card."""

    def __init__(self, client, fd):
        self.client, self.pi = client, 0
        self.ram = mmap.mmap(fd, 4 * PAGE)
        client.enable()
        client.dma_map(0, 4 * PAGE, fd)
        client.write32(HW["REG_ADMIN_DEPTH"], 4)
        client.write64(HW["REG_ADMIN_SQ"], SQ)
        client.write64(HW["REG_ADMIN_CQ"], CQ)
        client.write32(HW["REG_CTRL"], HW["CTRL_ENABLE"])

    def command(self, name, data=b""):
        """Returns (status, output)."""
        self.ram[IN:IN + len(data)] = data
        SQE.pack_into(self.ram, SQ + self.pi * SQE.size, HW[f"CMD_{name}"], self.pi, 0, len(data),
                      PAGE, IN, OUT)
        at = CQ + self.pi * CQE.size
        self.pi += 1
        self.client.write32(HW["REG_ADMIN_DB"], self.pi)
        eventually(lambda: CQE.unpack_from(self.ram, at)[4] & HW["CMD_CQE_PHASE"])
        _, status, size, _, _ = CQE.unpack_from(self.ram, at)
        return status, self.ram[OUT:OUT + size]

    def set_host(self, features, version=0x10000, name=b"pytest"):
        return self.command("SET_HOST", SET_HOST.pack(version, 12, features, name))


@pytest.fixture
def host(tmp_path):
    """Starts a server whose card has these options; returns it and the host of the card."""
    with memory(4 * PAGE) as fd:
        made = []

        def make(options):
            path = tmp_path / "other.sock"
            server = Server(tmp_path, "--nic", f"socket={path},{options}")
            made.append(server)
            client = Client(path)
            return server, Host(client, fd)
        try:
            yield make
            for server in made:
                server.stop()
        finally:
            for server in made:
                server.process.kill()
                server.process.wait()


def features(host):
    status, answer = host.command("QUERY_DEVICE")
    assert status == OK
    return struct.unpack_from("<Q", answer)[0]


@pytest.mark.parametrize("options, missing", [
    ("without=tso", {13}),
    ("without=srq", {0, 1}),
    ("without=xrc,mw,null_mr,vectors=4", {1, 3, 16}),
    ("without=flow,without=reg_mr", {10, 17, 4}),
    ("flow=basic", {17}),
    ("profile=ethernet", {0, 1, 2, 3, 4, 15, 16}),
])
def test_without(host, options, missing):
    """Only the features of the command line are missing, and those that need them
    ([ORNIC-NEG-6])."""
    server, machine = host(options)
    have = features(machine)
    everything = sum(1 << bit for bit in range(18)) & ~(1 << 11 | 1 << 12)
    assert everything & ~have == sum(1 << bit for bit in missing)
    assert not have & ~everything


@pytest.mark.parametrize("version, newer", [("1.0", False), ("1.7", True), ("2.3", True)])
def test_version(host, version, newer):
    """The register has the version, and a newer card has more to tell."""
    server, machine = host(f"version={version}")
    major, minor = map(int, version.split("."))
    assert machine.client.read32(HW["REG_VERSION"]) == major << 16 | minor
    assert bool(features(machine) >> 62) == newer
    status, _ = machine.set_host(SRQ)
    assert status == (OK if major == 1 else NOT_SUPPORTED)


def test_host_is_shown(host):
    """The request stats shows what the host has told, and what is in force ([ORNIC-NEG-2])."""
    server, machine = host("version=1.2,without=mw")
    assert "host" not in server.card(1)
    assert machine.set_host(SRQ | XRC, 0x10001, b"driver 1")[0] == OK
    shown = server.card(1)["host"]
    assert shown.pop("send_ops")
    assert shown == {"name": "driver 1", "version": "1.1", "page_size": 4096,
                     "features": SRQ | XRC}
    machine.client.write32(HW["REG_CTRL"], HW["CTRL_RESET"])
    eventually(lambda: "host" not in server.card(1))
