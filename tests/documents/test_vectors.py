# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The appendices of the hardware interface agree with the headers, with scapy and zlib, and with
computations from the rules. Unit tests (appendix_*_test.c) make them from what the card does
([ORNIC-VEC-2], [ORNIC-VEC-1])."""

import re
import sys
import zlib
from pathlib import Path

import pytest
from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/e2e"))

import appendix  # noqa: E402
import toeplitz  # noqa: E402

DOCUMENTS = {name: appendix.read(name) for name in ("vectors", "traces")}
HEADER = "".join((TOP / "kernel/include" / name).read_text()
                 for name in ("ornic_hw.h", "ornic_hw_cmd.h"))
SIZES = {"u8": 1, "char": 1, "le16": 2, "be16": 2, "le32": 4, "be32": 4, "le64": 8, "be64": 8}
# The only structure that an appendix does not show up to its end
CUT = "ornic_query_device_out"
# Masks of the parts of a field: {(structure, field): {part: mask}}; keys have the same everywhere
PARTS = {
    ("ornic_sq_hdr", "ctrl"): {"opcode": "SQ_OPCODE", "length": "SQ_LENGTH", "flags": "SQ_FLAGS"},
    ("ornic_route_ud", "av.flow"): {"SL": "AV_SL", "flow_label": "AV_FLOW_LABEL"},
    ("ornic_cqe", "qpn"): {"phase": "CQE_PHASE", "flags": "CQE_FLAGS", "QPN": "CQE_QPN"},
    ("ornic_eqe", "ctl"): {"phase": "EQE_PHASE", "type": "EQE_TYPE"},
    ("ornic_cmd_cqe", "ctl"): {"phase": "CMD_CQE_PHASE", "sq_ci": "CMD_CQE_SQ_CI"},
}
KEY = {"index": "KEY_INDEX", "variant": "KEY_VARIANT"}
KEYS = ("rkey", "lkey", "key", "inv_key", "mw_key", "new_key", "mr_key")


def mask(name):
    """Value of a mask of ornic_hw.h."""
    return int(re.search(rf"#define ORNIC_{name}\s+(0x[0-9a-f]+)", HEADER)[1], 16)


def members(name):
    """Members of a structure, in order: [(names, offset, size, type)]; those of a union are one."""
    body = re.search(rf"^struct {name} {{\n(.*?)^}};", HEADER, re.M | re.S)[1]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    found, offset = [], 0
    for union, struct, outer, kind, member, count in re.findall(
            r"union {\n(.*?)\t};|struct (\w+) (\w+);|__?(\w+) (\w+)(?:\[(\w+)\])?;", body, re.S):
        if union:
            names = re.findall(r"__(\w+) (\w+);", union)
            found.append(({name: kind for kind, name in names}, offset, SIZES[names[0][0]]))
        elif struct:
            for names, at, size in members(struct):
                found.append(({f"{outer}.{name}": kind for name, kind in names.items()},
                              offset + at, size))
        else:
            if not (count or "1").isdigit():
                count = re.search(rf"#define {count}\s+(\d+)", HEADER)[1]
            size = SIZES[kind] * int(count or 1)
            found.append(({member: kind if not count else "bytes"}, offset, size))
        offset += found[-1][2] if not struct else sum(size for _, _, size in members(struct))
    return found


def structures():
    """{name: members} of all structures that an appendix may show."""
    found = {}
    for name in re.findall(r"^struct (ornic_\w+) {", HEADER, re.M):
        try:
            found[name] = members(name)
        except KeyError:
            # One with an array of structures, which no appendix shows
            continue
    return found


STRUCTURES = structures()


def number(value):
    """Text of a number."""
    return f"{value}" if value < 10 else f"{value:#x}"


def fields(struct, data, names):
    """Fields of a structure that are not 0, with their parts, as an appendix has them. A union has
    the member that is among the names."""
    found = {}
    for kinds, offset, size in STRUCTURES[struct]:
        raw = data[offset:offset + size]
        if not any(raw):
            continue
        name, = kinds if len(kinds) == 1 else set(kinds) & set(names)
        if kinds[name] == "bytes":
            found[name] = raw.hex()
            continue
        value = int.from_bytes(raw, "big" if kinds[name].startswith("be") else "little")
        found[name] = number(value)
        for part, bits in (KEY if name in KEYS else PARTS.get((struct, name), {})).items():
            bits = mask(bits)
            if value & bits:
                found[f"{name}.{part}"] = number((value & bits) // (bits & -bits))
    return list(found.items())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_fields(document):
    """Members, offsets, sizes and byte orders are those of the headers."""
    shown = set()
    for block in DOCUMENTS[document]:
        for part in block.parts:
            if part.name not in STRUCTURES:
                assert not (part.name or "").startswith("ornic_")
                continue
            size = sum(member[2] for member in STRUCTURES[part.name])
            assert len(part.data) == size or part.name == CUT and len(part.data) < size
            assert part.fields == fields(part.name, part.data, dict(part.fields))
            shown.add(part.name)
        if block.parts and block.parts[0].name == "ornic_sq_hdr":
            length = int(dict(block.parts[0].fields)["ctrl.length"], 0)
            assert length == sum(len(part.data) for part in block.parts)
    assert len(shown) > (15 if document == "vectors" else 8)


def packets(document):
    """Packets of an appendix: [{header: bytes}], with their headers in order."""
    return [{part.name: part.data for part in block.parts} for block in DOCUMENTS[document]
            if block.parts and block.parts[0].name == "Ethernet"]


def covered(packet):
    """Bytes that the ICRC of a packet covers ([ORNIC-WIRE-2])."""
    ip = bytearray(packet.get("IPv4") or packet["IPv6"])
    if "IPv4" in packet:
        ip[1] = ip[8] = ip[10] = ip[11] = 0xFF
    else:
        ip[0] |= 0x0F
        ip[1] = ip[2] = ip[3] = ip[7] = 0xFF
    data = bytes(ip) + packet["UDP"][:6] + b"\xff\xff"
    data += packet["BTH"][:4] + b"\xff" + packet["BTH"][5:]
    names = list(packet)
    behind = names[names.index("BTH") + 1:names.index("ICRC")]
    return b"\xff" * 8 + data + b"".join(packet[name] for name in behind)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_packets(document):
    """[ORNIC-VEC-1] The ICRC of each packet is right for zlib and for scapy, and what it covers is
    right where it is listed."""
    found = packets(document)
    assert len(found) > 4
    for packet in found:
        over = covered(packet)
        assert packet.pop("CRC-32-over", over) == over
        crc = zlib.crc32(over).to_bytes(4, "little")
        assert list(packet)[-1] == "ICRC" and packet["ICRC"] == crc
        raw = b"".join(packet.values())
        parsed = Ether(raw)
        assert parsed[BTH].icrc.to_bytes(4, "big") == crc
        parsed[BTH].icrc = None
        assert bytes(parsed) == raw


def test_covered_bytes():
    """[ORNIC-VEC-1] There are packets whose covered bytes are listed."""
    assert sum("CRC-32-over" in packet for packet in packets("vectors")) == 2


def blocks(kind):
    """Vectors of a kind."""
    return [block for block in DOCUMENTS["vectors"] if block.kind == kind]


def test_hashes():
    """[ORNIC-VEC-1] Toeplitz hashes are those of Microsoft and of the definition."""
    key, *tuples = blocks("rss")
    assert key.name == "key" and key.parts[0].data == toeplitz.KEY
    found = []
    for src, sport, dst, dport, short, long in (block.name.split() for block in tuples):
        ports = int(sport), int(dport)
        assert int(short, 16) == toeplitz.toeplitz(toeplitz.data_of(src, dst))
        assert int(long, 16) == toeplitz.toeplitz(toeplitz.data_of(src, dst, *ports))
        found.append((dst, ports[1], src, ports[0], int(short, 16), int(long, 16)))
    assert len(found) == 10 and found[:8] == toeplitz.VECTORS


def source_port(flow, qpn1, qpn2):
    """UDP source port from the formula of [ORNIC-WIRE-8]."""
    if not flow:
        v = qpn1 * qpn2
        v ^= v >> 20
        v ^= v >> 40
        flow = v & 0xFFFFF
    return 0xC000 | ((flow & 0x3FFF) ^ (flow >> 14))


def test_source_ports():
    """[ORNIC-VEC-1] Source ports are those of the formula."""
    found = [[int(word, 16) for word in block.name.split()] for block in blocks("udp-port")]
    assert len(found) == 9
    for flow, qpn1, qpn2, port in found:
        assert port == source_port(flow, qpn1, qpn2)


def test_doorbells():
    """Doorbells have type, number and value in their places."""
    types = {name: int(value) for name, value in re.findall(r"ORNIC_DB_(\w+)\t= (\d),", HEADER)}
    arms = {name: int(value) for name, value in re.findall(r"ORNIC_ARM_(\w+)\s+= (\d),", HEADER)}
    seen = set()
    for block in blocks("doorbell"):
        name, number, _, index, *request, value = block.name.split()
        told = int(index, 0)
        if name in ("CQ", "EQ"):
            told = told << 2 & 0xFFFFFFFF | arms[request[0]]
        want = types[name] << 56 | int(number, 16) << 32 | told
        assert int(value, 16) == want
        assert block.parts[0].data == want.to_bytes(8, "little")
        seen.add(name)
    assert seen == set(types)


def test_steps():
    """The steps of each trace are numbered from 1."""
    number = 0
    for block in DOCUMENTS["traces"]:
        number = 0 if block.kind == "trace" else number
        if block.kind == "step":
            number += 1
            assert block.name.startswith(f"{number} ")
    assert len([block for block in DOCUMENTS["traces"] if block.kind == "trace"]) == 4
