# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Commands, limits and events of the hardware interface are in all their places: the header, the
specification, the driver and the card."""

import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
# Events of the device and of its Ethernet port, which are no objects of verbs
NET_EVENTS = {"COMP", "PORT_UP", "PORT_DOWN", "DEVICE_FATAL"}
# Rules that copy are in flow_types
UNASKED_FEATURES = {"FLOW_COPY"}
# Verbs do not tell how many XRC domains, counters and masks of rules there may be. The others are
# checked in the answer itself; the bounds of the parser are part of the profile.
UNKEPT_LIMITS = {"max_xrcd", "max_counters", "max_flow_masks", "parse_bytes", "parse_tags",
                 "parse_exts", "max_eq", "needs"}

def read(name):
    return (TOP / name).read_text()

def card(name):
    """Text of a file of the card, in any folder."""
    [path] = (TOP / "tests/device").rglob(name)
    return path.read_text()

def folder(name):
    """Text of all C files of a folder."""
    return "".join(path.read_text() for path in sorted((TOP / name).rglob("*.[ch]")))

def body(text, opening):
    """Text between a line and the brace at the margin that closes it."""
    return re.search(rf"^{opening}\n(.*?)^}}", text, re.M | re.S)[1]

def enum(name, prefix):
    """Names of an enum of the header, in order."""
    return re.findall(rf"^\t{prefix}(\w+)", body(read("kernel/include/ornic_hw.h"),
                                                rf"enum {name} {{"), re.M)

def function(text, name):
    """Body of a function."""
    return re.search(rf"^[a-z][^;{{}}]*\b{name}\([^;{{]*\)\n{{\n(.*?)^}}", text, re.M | re.S)[1]

def test_commands():
    """The driver's table has all commands in the order of the header, as have, in any order, the
    card's and that of the specification."""
    opcodes = enum("ornic_opcode", "ORNIC_CMD_")
    assert len(opcodes) > 40
    assert re.findall(r"^\tORNIC_OPCODE\((\w+)", read("kernel/net/cmd.c"), re.M) == opcodes
    table = re.search(r"cmd_table\[\] = {\n(.*?)^};", card("admin.c"), re.M | re.S)[1]
    assert set(re.findall(r"\bCMD(?:_OBJECT|_IN)?\((\w+)", table)) == set(opcodes)
    rows = re.findall(r"^([A-Z_]+) +0x[0-9a-f]{3} ", read("Documentation/hardware.rst"), re.M)
    assert set(rows) == set(opcodes)

def test_limits():
    """The card answers each limit. The driver converts it in the order of its structure."""
    text = body(read("kernel/include/ornic_hw_cmd.h"), "struct ornic_query_device_out {")
    limits = set(re.findall(r"^\t__le\d+ (\w+);", text, re.M)) - {"rsvd"}
    assert len(limits) > 35
    assert set(re.findall(r"\bout->(\w+) =", card("query.c"))) == limits
    text = body(read("kernel/include/ornic_api.h"), "struct ornic_limits {")
    fields = re.findall(r"^\tu\d+ (\w+);", text, re.M)
    assert set(fields) == limits - UNKEPT_LIMITS
    [text] = [path.read_text() for path in (TOP / "kernel/net").glob("*.c")
              if "ORNIC_CMD_QUERY_DEVICE," in path.read_text()]
    pairs = re.findall(r"^\t\t\.(\w+) = (?:\w+\()?le\d+_to_cpu\(out\.(\w+)\)", text, re.M)
    assert pairs == [(field, field) for field in fields]

def test_features():
    """The card announces each feature, that of pushed WQEs with push=on. The specification names
    it, and a driver asks for it."""
    header = read("kernel/include/ornic_hw_cmd.h")
    features = set(re.findall(r"^#define ORNIC_FEAT_(\w+)", header, re.M))
    assert len(features) > 12
    announced = re.search(r"#define QUERY_FEATURES.*?\n\n?#", card("query.c"), re.S)[0]
    assert set(re.findall(r"\bORNIC_FEAT_(\w+)", announced)) == features - {"PUSH"}
    # The driver brings each into force, and asks for it elsewhere
    named = re.search(r"#define ORNIC_START_FEATURES .*?\n\n", read("kernel/net/start.c"), re.S)[0]
    assert set(re.findall(r"\bORNIC_FEAT_(\w+)", named)) == features
    text = (folder("kernel/net") + folder("kernel/rdma")).replace(named, "")
    asked = set(re.findall(r"\bORNIC_FEAT_(\w+)", text))
    assert asked == features - UNASKED_FEATURES
    assert set(re.findall(r"\bFEAT_(\w+)", read("Documentation/hardware.rst"))) >= features

def test_operations():
    """The card announces each operation of the header."""
    text = re.search(r"#define QUERY_SEND_OPS.*?\n\n", card("query.c"), re.S)[0]
    operations = set(enum("ornic_wr_opcode", "ORNIC_WR_"))
    assert len(operations) > 15
    assert set(re.findall(r"\bORNIC_WR_(\w+)", text)) == operations

def test_events():
    """The card raises each event. The driver handles it and can show it in a trace, and verbs get
    it if it is of an object. The specification lists it."""
    events = set(enum("ornic_event", "ORNIC_EVENT_"))
    assert len(events) > 12
    handled = function(read("kernel/net/eq.c"), "ornic_eq_handle")
    assert set(re.findall(r"ORNIC_EVENT_(\w+)", handled)) == events
    names = re.findall(r"ornic_event_(?:name|end)\(([A-Z_]+)\)", read("kernel/net/ornic_trace.h"))
    assert set(names) == events - {"COMP"}
    for part, wanted in (("tests/device", events), ("kernel/rdma", events - NET_EVENTS)):
        assert set(re.findall(r"\bORNIC_EVENT_([A-Z_]+)\b", folder(part))) >= wanted, part
    rows = re.findall(r"^(``[A-Z_]+``.*?) +\d+", read("Documentation/hardware.rst"), re.M)
    assert events <= set(re.findall(r"\w+", " ".join(rows)))

def test_counters():
    """Only the lists of the header name the counters of the driver, the provider and the card. The
    network stack has standard places for some of the port: the driver names each of these once."""
    text = read("kernel/include/ornic_hw_cmd.h")
    lists = dict(re.findall(r"#define ORNIC_(\w+)_STATS\(x\) \\\n((?:.*\\\n)*.*)", text))
    assert {"PORT", "RDMA", "QP", "DEVICE"} <= set(lists)
    used = {"DEVICE": "kernel/net/ethtool.c", "RDMA": "kernel/rdma/counters.c",
            "QP": "kernel/rdma/counters.c"}
    for scope, name in used.items():
        assert f"ORNIC_{scope}_STATS(" in read(name), name
    named = re.findall(r"\bORNIC_(?:PORT_STAT_|STAT_PORT\()([a-z]\w+)\)?[,;\]]",
                       read("kernel/net/ethtool.c") + read("kernel/net/netdev.c"))
    assert sorted(named) == sorted(re.findall(r"x\((\w+)\)", lists["PORT"]))
