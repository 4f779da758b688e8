# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The vectors of hardware-frames.txt are well-formed, and their hashes are right. The unit test
vector_test.c drives the card with them ([ORNIC-FLOW-1], [ORNIC-DEV-17])."""

import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/e2e"))

import appendix  # noqa: E402
import toeplitz  # noqa: E402

FIELDS = ["hex", "tags", "vlan_tci", "ethertype", "l3", "proto", "frag", "src", "dst", "sport",
          "dport", "layers", "inner.l3", "inner.proto", "inner.src", "inner.dst", "inner.sport",
          "inner.dport", "hash", "csum", "roce", "needs_bytes", "needs_tags", "needs_exts"]
LEAST = {"bytes": 128, "tags": 2, "exts": 1}


def frames():
    """Returns {name: {field: value}}, with all bytes in "hex"."""
    found = {}
    for block in appendix.read("frames"):
        part, = block.parts
        assert block.kind == "frame" and block.name not in found
        found[block.name] = {"hex": part.data, **dict(part.fields)}
        assert len(found[block.name]) == 1 + len(part.fields)
    return found


FRAMES = frames()


def test_there_are_many():
    assert len(FRAMES) > 40


@pytest.mark.parametrize("name", FRAMES)
def test_frame(name):
    """Fields are known and in order, and the frame has a destination, a source and a type."""
    frame = FRAMES[name]
    assert [field for field in FIELDS if field in frame] == list(frame)
    assert 14 <= len(frame["hex"]) <= 1518
    assert frame.get("csum", "ok") == "ok"
    assert frame.get("roce", "yes") in ("yes", "malformed")
    assert ("tags" in frame) == ("vlan_tci" in frame)
    needs = [name for name in LEAST if f"needs_{name}" in frame]
    assert len(needs) <= 1 and all(int(frame[f"needs_{name}"]) > LEAST[name] for name in needs)


def test_some_need_more():
    """There is a frame for each bound ([ORNIC-FLOW-2])."""
    assert all(any(f"needs_{name}" in frame for frame in FRAMES.values()) for name in LEAST)


@pytest.mark.parametrize("name", [name for name in FRAMES if "l3" in FRAMES[name]])
def test_hash(name):
    """The hash is that of the addresses and ports, in the order of the wire."""
    frame = FRAMES[name]
    ports = [int(frame[port]) if port in frame else None for port in ("sport", "dport")]
    data = toeplitz.data_of(frame["src"], frame["dst"], *ports)
    assert int(frame["hash"], 0) == toeplitz.toeplitz(data)
