# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards with less than all features, and of other versions, as a host sees them over the socket."""

import struct

import pytest

from vfio_client import eventually
from vfio_proto import HW

OK, NOT_SUPPORTED = HW["CMD_OK"], HW["CMD_NOT_SUPPORTED"]
SRQ, XRC, PUSH = 1 << 0, 1 << 1, 1 << 32


def features(host):
    status, answer = host.command("QUERY_DEVICE")
    assert status == OK
    return struct.unpack_from("<Q", answer)[0]


@pytest.mark.parametrize("options, missing", [
    ("without=tso", {13}),
    ("without=srq", {0, 1, 19}),
    ("without=resize_srq", {19}),
    ("without=xrc,mw,null_mr,vectors=4", {1, 3, 16}),
    ("without=flow,without=reg_mr", {10, 17, 4}),
    ("flow=basic", {17}),
    ("flow=exact", set()),
    ("parse=least", set()),
    ("profile=ethernet", {0, 1, 2, 3, 4, 16, 18, 19, 20}),
])
def test_without(host, options, missing):
    """Only the features of the command line are missing, and those that need them
    ([ORNIC-NEG-6])."""
    server, machine = host(options)
    have = features(machine)
    everything = sum(1 << bit for bit in range(21) if bit not in (11, 12, 15))
    assert everything & ~have == sum(1 << bit for bit in missing)
    assert not have & ~everything


@pytest.mark.parametrize("options, has", [
    ("", False), ("push=off", False), ("push=on", True), ("push=on,without=push", False),
    ("push=on,profile=ethernet", True), ("push=on,without=all", False),
])
def test_push(host, options, has):
    """The feature of pushed WQEs is that of the command line, and off if that says nothing
    ([ORNIC-PUSH-1])."""
    _, machine = host(options)
    assert bool(features(machine) & PUSH) == has


def test_limit(host):
    """QUERY_DEVICE reports the limits of the command line."""
    _, machine = host("limit=max_cqe:1234567,max_eq:7654321")
    status, answer = machine.command("QUERY_DEVICE")
    assert status == OK
    words = struct.unpack(f"<{len(answer) // 4}I", answer)
    assert words.count(1234567) == words.count(7654321) == 1


@pytest.mark.parametrize("options, bounds", [("parse=full", (256, 60, 25, 0xf)),
                                             ("parse=least", (128, 2, 1, 0x7))])
def test_parse(host, options, bounds):
    """QUERY_DEVICE tells within which bounds the card finds headers, and what it hashes
    ([ORNIC-FLOW-2], [ORNIC-DEV-17])."""
    _, machine = host(options)
    status, answer = machine.command("QUERY_DEVICE")
    assert status == OK
    assert struct.unpack_from("<4I", answer, 268) == bounds


@pytest.mark.parametrize("version, newer", [("1.0", False), ("1.7", True), ("2.3", True)])
def test_version(host, version, newer):
    """The register has the version, and a newer card has more to tell."""
    server, machine = host(f"version={version}")
    major, minor = map(int, version.split("."))
    assert machine.client.read32(HW["REG_VERSION"]) == major << 16 | minor
    assert bool(features(machine) >> 55 & 1) == newer
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
