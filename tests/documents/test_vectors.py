# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The appendices of the hardware interface agree with the headers, with scapy and zlib, and with
computations from the rules. Unit tests (appendix_*_test.c) make them from what the card does
([ORNIC-VEC-1] to [ORNIC-VEC-3])."""

import re
import sys
import zlib
from pathlib import Path

import pytest
from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/e2e"))

import toeplitz  # noqa: E402

VECTORS, TRACES = (TOP / f"Documentation/hardware-{name}.rst" for name in ("vectors", "traces"))
DOCUMENTS = [VECTORS, TRACES]
HEADER = "".join((TOP / "kernel/include" / name).read_text()
                 for name in ("ornic_hw.h", "ornic_hw_cmd.h"))
SIZES = {"u8": 1, "char": 1, "le16": 2, "be16": 2, "le32": 4, "be32": 4, "le64": 8, "be64": 8}
HEX = r"[0-9a-f]{2}(?: [0-9a-f]{2})*"
# Lines of vectors have a margin of 3 columns, those below a step of a trace one of 7
ROW = re.compile(rf"^   (?: {{4}})?([ \d]{{3}})  ({HEX})(?: {{2,}}(\S.*))?$")
LINE = re.compile(rf"^   (?: {{4}})?(\S.{{11}}| {{12}})  ({HEX})$")
# The only structure that an appendix does not show up to its end
CUT = "ornic_query_device_out"
# Masks of the parts of a field: {(structure, field): {part: mask}}; keys have the same everywhere
PARTS = {
    ("ornic_sq_hdr", "ctrl"): {"opcode": "SQ_OPCODE", "length": "SQ_LENGTH", "flags": "SQ_FLAGS"},
    ("ornic_route_ud", "av.flow"): {"SL": "AV_SL", "flow label": "AV_FLOW_LABEL"},
    ("ornic_cqe", "qpn"): {"phase": "CQE_PHASE", "flags": "CQE_FLAGS", "QPN": "CQE_QPN"},
    ("ornic_eqe", "ctl"): {"phase": "EQE_PHASE", "type": "EQE_TYPE"},
    ("ornic_cmd_cqe", "ctl"): {"phase": "CMD_CQE_PHASE", "sq_ci": "CMD_CQE_SQ_CI"},
}
KEY = {"index": "KEY_INDEX", "variant": "KEY_VARIANT"}


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
    """{name: members} of all structures that a row may be of."""
    found = {}
    for name in re.findall(r"^struct (ornic_\w+) {", HEADER, re.M):
        try:
            found[name] = members(name)
        except KeyError:
            # One with an array of structures, which no appendix shows
            continue
    return found


STRUCTURES = structures()


def rows(text):
    """Runs of rows of fields: [[offset, bytes, rest]], with continued bytes in one row."""
    runs, run = [], None
    for line in [*text.split("\n"), ""]:
        match = ROW.match(line)
        if not match or not match[1].strip():
            run = None
            continue
        if run is None:
            runs.append(run := [])
        offset, data, rest = int(match[1]), bytes.fromhex(match[2]), match[3]
        if rest is None:
            run[-1][1] += data
        else:
            run.append([offset, data, rest])
    return runs


def fits(struct, run):
    """Number of rows at the beginning of a run that are those of a structure, or 0."""
    want = STRUCTURES[struct]
    names = [rest.split("  ")[0].split(" ")[0] for _, _, rest in run[:len(want)]]
    count = len(names) if struct == CUT else len(want)
    if len(names) < count or count < 2:
        return 0
    good = all(name in names_ for name, (names_, _, _) in zip(names, want))
    return count if good else 0


def check_value(struct, name, kind, data, rest):
    """The value behind a name is that of the bytes, and its parts are those of the value."""
    value = int.from_bytes(data, "big" if kind.startswith("be") else "little")
    said = re.match(rf"{re.escape(name)} +(\w+)(?:: (.*))?$", rest)
    if kind == "bytes":
        assert rest == name
        return
    assert int(said[1], 0) == value
    parts = PARTS.get((struct, name), KEY if "index" in (said[2] or "") else {})
    assert bool(said[2]) == bool(parts), rest
    for part in re.split(", ", said[2]) if said[2] else ():
        part, number = part.rsplit(" ", 1)
        bits = mask(parts[part])
        assert int(number, 0) == (value & bits) // (bits & -bits), rest


def check_run(run):
    """Each row is a member of a structure of the header, at its offset, or data; return the names
    of the structures."""
    found, at = [], 0
    while run:
        if run[0][2] in ("inline data", "headers", "payload"):
            assert run[0][0] == at
            at += len(run[0][1])
            run = run[1:]
            continue
        struct, count = max(((struct, fits(struct, run)) for struct in STRUCTURES),
                            key=lambda pair: pair[1])
        assert count, run[0]
        for (names, offset, size), (place, data, rest) in zip(STRUCTURES[struct], run[:count]):
            assert place == at + offset and len(data) == size, rest
            name = rest.split(" ")[0]
            check_value(struct, name, names[name], data, rest)
        at += sum(size for _, _, size in STRUCTURES[struct][:count])
        found.append(struct)
        run = run[count:]
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_fields(document):
    """[ORNIC-VEC-1] Members, offsets, sizes and byte orders are those of the headers."""
    runs = rows(document.read_text())
    assert len(runs) > 5
    found = [check_run(run) for run in runs]
    for run, structs in zip(runs, found):
        if structs[:1] == ["ornic_sq_hdr"]:
            ctrl = int.from_bytes(run[0][1], "little")
            length = (ctrl & mask("SQ_LENGTH")) // (mask("SQ_LENGTH") & -mask("SQ_LENGTH"))
            assert length == run[-1][0] + len(run[-1][1])
    shown = {struct for structs in found for struct in structs}
    assert len(shown) > (15 if document == VECTORS else 8)


def packets(text):
    """Packets from their Ethernet or their BTH on: [{header: bytes}]; an 'ICRC' ends one."""
    found, label = [], None
    for line in text.split("\n"):
        match = LINE.match(line)
        if not match:
            if not line.lstrip().startswith("="):
                label = None
            continue
        if match[1].strip():
            label = match[1].strip()
            if label == "Ethernet" or label == "BTH" and (not found or "BTH" in found[-1]):
                found.append({})
            if label in ("key", "CRC-32 over", "frame"):
                continue
            found[-1][label] = b""
        if label and label not in ("key", "CRC-32 over", "frame"):
            found[-1][label] += bytes.fromhex(match[2])
    return found


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
    labels = list(packet)
    for label in labels[labels.index("BTH") + 1:-1]:
        data += packet[label]
    return b"\xff" * 8 + data


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_packets(document):
    """[ORNIC-VEC-2] The ICRC of each whole packet is right for zlib and for scapy."""
    whole = [packet for packet in packets(document.read_text()) if "Ethernet" in packet]
    assert len(whole) > 4
    for packet in whole:
        assert list(packet)[-1] == "ICRC"
        crc = zlib.crc32(covered(packet)).to_bytes(4, "little")
        assert packet["ICRC"] == crc
        raw = b"".join(packet.values())
        parsed = Ether(raw)
        assert parsed[BTH].icrc.to_bytes(4, "big") == crc
        parsed[BTH].icrc = None
        assert bytes(parsed) == raw


def test_covered_bytes():
    """[ORNIC-VEC-2] The covered bytes are right where they are listed."""
    text = VECTORS.read_text()
    listed = re.findall(rf"^   CRC-32 over   ({HEX}(?:\n {{17}}{HEX})*)$", text, re.M)
    listed = [bytes.fromhex(re.sub(r"\s+", "", lines)) for lines in listed]
    whole = [covered(packet) for packet in packets(text) if "Ethernet" in packet]
    assert len(listed) == 2 and all(data in whole for data in listed)


def section(number):
    """Text of a section of the vectors."""
    return re.search(rf"^{number}\. .*?(?=^\d+\. |\Z)", VECTORS.read_text(), re.M | re.S)[0]


def test_hashes():
    """[ORNIC-VEC-2] Toeplitz hashes are those of Microsoft and of the definition."""
    text = section(2)
    key = re.search(rf"^   key           ({HEX}(?:\n {{17}}{HEX})*)$", text, re.M)[1]
    assert bytes.fromhex(re.sub(r"\s+", "", key)) == toeplitz.KEY
    lines = re.findall(r"^   (\S+) +(\d+)  (\S+) +(\d+)  (0x\S{8}) (0x\S{8})$", text, re.M)
    found = []
    for src, sport, dst, dport, short, long in lines:
        ports = int(sport), int(dport)
        assert int(short, 16) == toeplitz.toeplitz(toeplitz.data_of(src, dst))
        assert int(long, 16) == toeplitz.toeplitz(toeplitz.data_of(src, dst, *ports))
        found.append((dst, ports[1], src, ports[0], int(short, 16), int(long, 16)))
    assert len(found) == 10 and found[:8] == toeplitz.VECTORS


def source_port(flow, qpn1, qpn2):
    """UDP source port from the formula of [ORNIC-WIRE-6]."""
    if not flow:
        v = qpn1 * qpn2
        v ^= v >> 20
        v ^= v >> 40
        flow = v & 0xFFFFF
    return 0xC000 | ((flow & 0x3FFF) ^ (flow >> 14))


def test_source_ports():
    """[ORNIC-VEC-2] Source ports are those of the formula."""
    lines = re.findall(r"^   (0x\w{5})  (0x\w{6})  (0x\w{6})  (0x\w{4})$", section(3), re.M)
    assert len(lines) == 9
    for flow, qpn1, qpn2, port in ((int(word, 16) for word in line) for line in lines):
        assert port == source_port(flow, qpn1, qpn2)


def test_doorbells():
    """[ORNIC-VEC-1] Doorbells have type, number and value in their places."""
    types = {name: int(value) for name, value in re.findall(r"ORNIC_DB_(\w+)\t= (\d),", HEADER)}
    arms = {name: int(value) for name, value in re.findall(r"ORNIC_ARM_(\w+)\s+= (\d),", HEADER)}
    lines = re.findall(rf"^   (\w+) +(0x\w{{6}})  (\S.*?) +(0x\w{{16}})  ({HEX})$", section(8),
                       re.M)
    assert {line[0] for line in lines} == set(types)
    for name, number, what, value, data in lines:
        index, *request = re.fullmatch(r"\w+ (\w+)(?:, (.*))?", what).groups()
        told = int(index, 0)
        if name in ("CQ", "EQ"):
            told = told << 2 & 0xFFFFFFFF | arms["NONE" if request[0] == "no request"
                                                 else request[0]]
        want = types[name] << 56 | int(number, 16) << 32 | told
        assert int(value, 16) == want
        assert bytes.fromhex(data) == want.to_bytes(8, "little")
