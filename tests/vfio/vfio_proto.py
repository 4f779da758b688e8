# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Constants and structures of the protocol, read from the C headers so that they are defined
once."""

import re
import struct
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
TYPES = {"uint8_t": "B", "uint16_t": "H", "uint32_t": "I", "uint64_t": "Q"}


class Struct:
    def __init__(self, fields):
        self.names = [name for name, _, _ in fields]
        self.format = "=" + "".join(f"{count}s" if count else code for _, code, count in fields)
        self.size = struct.calcsize(self.format)

    def pack(self, **values):
        unknown = set(values) - set(self.names)
        assert not unknown, unknown
        return struct.pack(self.format, *(values.get(name, 0) for name in self.names))

    def unpack(self, data):
        return dict(zip(self.names, struct.unpack_from(self.format, data)))


def evaluate(text, known):
    text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uU](?:LL)?\b", r"\1", text)
    return eval(text, {"__builtins__": {}}, known)  # our own header


def parse(path, prefix):
    """Returns (structures, integer constants) whose names start with the prefix, without the
    prefix."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    structs, numbers = {}, {}
    for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, flags=re.S | re.M):
        fields = re.findall(r"^\t(\w+) (\w+)(?:\[(\d+)\])?;", body, flags=re.M)
        if fields and all(kind in TYPES for kind, _, _ in fields):
            structs[name.removeprefix(prefix)] = Struct(
                [(field, TYPES[kind], int(count or 0)) for kind, field, count in fields])
    for name, value in re.findall(r"^#define (\w+)[ \t]+(\S.*)$", text, flags=re.M):
        try:
            numbers[name] = evaluate(value, numbers)
        except (SyntaxError, NameError, TypeError):
            continue
    for name, value in re.findall(r"^\t(\w+)\s*=\s*(\w+),", text, flags=re.M):
        numbers[name] = int(value, 0)
    upper = prefix.upper()
    return structs, {n.removeprefix(upper): v for n, v in numbers.items() if n.startswith(upper)}


S, N = parse(TOP / "tests/device/host/vfio_user_proto.h", "vfio_user_")
LIMITS = parse(TOP / "tests/device/host/vfio_user.h", "vfio_user_")[1]
HW = {name: number for header in ("ornic_hw.h", "ornic_hw_cmd.h")
      for name, number in parse(TOP / "kernel/include" / header, "ornic_")[1].items()}

CMD = {name: N[name] for name in (
    "VERSION", "DMA_MAP", "DMA_UNMAP", "DEVICE_GET_INFO", "DEVICE_GET_REGION_INFO",
    "DEVICE_GET_IRQ_INFO", "DEVICE_SET_IRQS", "REGION_READ", "REGION_WRITE", "DEVICE_RESET",
    "REGION_WRITE_MULTI")}
