# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Reads a capture, and computes the invariant CRC of RoCEv2 (IBTA A17.3.3) as the specification
defines it, without code of the card."""

import struct
import zlib

ROCE_PORT = 4791


def timed(path):
    """Yields (seconds, Ethernet frame) of a pcap file, up to the last complete frame."""
    data = path.read_bytes()
    magic = data[:4]
    order = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<",
             b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}[magic]
    assert struct.unpack_from(order + "I", data, 20)[0] == 1, "not Ethernet"
    unit = 1e-9 if magic in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 1e-6
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, captured, length = struct.unpack_from(order + "IIII", data, at)
        if at + 16 + captured > len(data):
            break
        assert captured == length, "a packet was cut"
        yield seconds + fraction * unit, data[at + 16:at + 16 + captured]
        at += 16 + captured


def frames(path):
    """Returns an iterator over the Ethernet frames of a pcap file, up to the last complete
    frame."""
    return (frame for _, frame in timed(path))


def roce(frame):
    """Returns (IP packet, length of its IP header) of a RoCEv2 frame, or None for other frames."""
    kind, at = struct.unpack_from("!H", frame, 12)[0], 14
    if kind == 0x8100:
        kind, at = struct.unpack_from("!H", frame, 16)[0], 18
    packet = frame[at:]
    if kind == 0x0800 and packet[9] == 17:
        packet, header = packet[:struct.unpack_from("!H", packet, 2)[0]], (packet[0] & 15) * 4
    elif kind == 0x86DD and packet[6] == 17:
        packet, header = packet[:struct.unpack_from("!H", packet, 4)[0] + 40], 40
    else:
        return None
    if struct.unpack_from("!H", packet, header + 2)[0] != ROCE_PORT:
        return None
    return packet, header


def icrc(packet, header):
    """Returns the ICRC that the last four bytes must have."""
    masked = bytearray(packet[:-4])
    if header == 40:
        masked[0] |= 0x0F
        masked[1:4] = b"\xff" * 3  # traffic class, flow label
        masked[7] = 0xFF  # hop limit
    else:
        masked[1] = 0xFF  # TOS
        masked[8] = 0xFF  # TTL
        masked[10:12] = b"\xff\xff"  # header checksum
    masked[header + 6:header + 8] = b"\xff\xff"  # UDP checksum
    masked[header + 8 + 4] = 0xFF  # BTH: FECN, BECN, reserved
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(masked)))
