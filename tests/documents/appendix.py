# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Reads the appendices of the hardware interface, which have one format."""

from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
# Words that begin a block; other lines are "hex" or pairs of a field and its value
KINDS = ("command", "cqe", "doorbell", "eqe", "frame", "packet", "rss", "side", "step", "trace",
         "udp-port", "wqe")


@dataclass
class Part:
    """Bytes, their name, or None, and the fields in them."""
    name: str
    data: bytes
    fields: list = field(default_factory=list)


@dataclass
class Block:
    """A kind, the rest of its line, and its parts; the first one may have no bytes."""
    kind: str
    name: str
    parts: list = field(default_factory=list)


def read(name):
    """Returns the blocks of Documentation/hardware-NAME.txt."""
    blocks = []
    for line in (TOP / f"Documentation/hardware-{name}.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        word, rest = line.split(maxsplit=1)
        if word in KINDS:
            blocks.append(Block(word, rest))
            continue
        parts = blocks[-1].parts
        if word == "hex":
            *names, digits = rest.split()
            if names or not parts:
                parts.append(Part(names[0] if names else None, b""))
            assert not parts[-1].fields
            parts[-1].data += bytes.fromhex(digits)
            continue
        if not parts:
            parts.append(Part(None, b""))
        words = line.split()
        assert len(words) % 2 == 0, line
        parts[-1].fields += zip(words[::2], words[1::2])
    return blocks
