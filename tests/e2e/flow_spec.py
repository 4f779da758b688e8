# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Builds struct ibv_flow_attr and its specs as bytes, which guest/frames.c passes to
ibv_create_flow().

A field is a value, or (value, mask); without a mask all its bits are compared."""

import ipaddress
import struct

NORMAL, ALL_DEFAULT, MC_DEFAULT, SNIFFER = range(4)
DONT_TRAP, EGRESS = 2, 4
INNER = 0x100
HEADER = "=IH"  # type and size of a spec
PORT = 7007  # of the datagrams that tests send


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def ip(text):
    return ipaddress.ip_address(text).packed


def number(size):
    return lambda value: value.to_bytes(size, "big")


# {name: (type, offset of the value, [(field, bytes, encoder)])}; a field without a name is padding
KINDS = {
    "eth": (0x20, 6, [("dst", 6, mac), ("src", 6, mac), ("kind", 2, number(2)),
                      ("vlan", 2, number(2))]),
    "ipv4": (0x30, 8, [("src", 4, ip), ("dst", 4, ip)]),
    "ipv4_ext": (0x32, 8, [("src", 4, ip), ("dst", 4, ip), ("proto", 1, number(1)),
                           ("tos", 1, number(1)), ("ttl", 1, number(1)), ("flags", 1, number(1))]),
    "ipv6": (0x31, 8, [("src", 16, ip), ("dst", 16, ip), ("label", 4, number(4)),
                       ("proto", 1, number(1)), ("tclass", 1, number(1)), ("hops", 1, number(1)),
                       ("", 1, None)]),
    "esp": (0x34, 8, [("spi", 4, number(4)), ("seq", 4, number(4))]),
    "tcp": (0x40, 6, [("dport", 2, number(2)), ("sport", 2, number(2))]),
    "udp": (0x41, 6, [("dport", 2, number(2)), ("sport", 2, number(2))]),
    "vxlan": (0x50, 8, [("vni", 4, number(4))]),
    "gre": (0x51, 8, [("flags", 2, number(2)), ("proto", 2, number(2)), ("key", 4, number(4))]),
    "mpls": (0x60, 8, [("label", 4, number(4))]),
}


def spec(name, inner=False, **fields):
    """Returns one spec; KINDS has the names of specs and fields."""
    kind, start, layout = KINDS[name]
    value = mask = b""
    for field, size, write in layout:
        given = fields.pop(field, None) if field else None
        if given is None:
            value, mask = value + bytes(size), mask + bytes(size)
            continue
        wanted, bits = given if isinstance(given, tuple) else (given, None)
        value += write(wanted)
        mask += b"\xff" * size if bits is None else write(bits)
    assert not fields, fields
    size = (start + len(value + mask) + 3) & ~3
    head = struct.pack(HEADER, kind | (INNER if inner else 0), size)
    return (head.ljust(start, b"\0") + value + mask).ljust(size, b"\0")


def tag(value):
    return struct.pack("=IHxxI", 0x1000, 12, value)


def drop():
    return struct.pack("=IHxx", 0x1001, 8)


def count():
    """Returns a count action, which must be the last spec. guest/frames.c sets its pointer."""
    return struct.pack("=IHxxQ", 0x1003, 16, 0)


def rule(*specs, priority=0, kind=NORMAL, flags=0, port=1, specs_said=None, size_said=None):
    """Returns a complete ibv_flow_attr. `specs_said` and `size_said` replace the correct
    numbers."""
    body = b"".join(specs)
    size = 20 + len(body) if size_said is None else size_said
    number_of = len(specs) if specs_said is None else specs_said
    return struct.pack("=IIHHBBxxI", 0, kind, size, priority, number_of, port, flags) + body


def to_port(*more, port=PORT, **words):
    """Returns a rule for the datagrams for a UDP port."""
    return rule(spec("udp", dport=port), *more, **words)
