# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The rules at the head of ornic-abi.h hold for its structures, and the kernel's part keeps them."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
HEADER = TOP / "include/uapi/rdma/ornic-abi.h"
DRIVER = TOP / "kernel/rdma"
SIZES = {"__u8": 1, "__u16": 2, "__u32": 4, "__aligned_u64": 8}


def structures():
    """{name: [(type, member, elements)]}"""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    found = {}
    for name, body in re.findall(r"struct (ornic_\w+) {(.*?)};", text, re.S):
        found[name] = [(kind, member, int(count or 1)) for kind, member, count in
                       re.findall(r"(\w+) (\w+)(?:\[(\d+)\])?;", body)]
    return found


STRUCTURES = structures()
REQUESTS = [name for name in STRUCTURES if name.endswith("_req")]
RESPONSES = [name for name in STRUCTURES if name.endswith("_resp")]


def test_found():
    assert len(REQUESTS) >= 6 and len(RESPONSES) >= 8


@pytest.mark.parametrize("name", STRUCTURES)
def test_layout(name):
    """No padding, a multiple of 8 bytes, and reserved fields tell where they are."""
    offset = 0
    for kind, member, count in STRUCTURES[name]:
        assert offset % SIZES[kind] == 0, member
        if "reserved" in member:
            assert member == f"reserved_{offset * 8:x}"
        offset += SIZES[kind] * count
    assert offset % 8 == 0


@pytest.mark.parametrize("name", REQUESTS + RESPONSES)
def test_can_grow(name):
    """Members that are added later have a bit that says so."""
    assert STRUCTURES[name][0] == ("__u32", "comp_mask", 1)


@pytest.mark.parametrize("name", REQUESTS)
def test_no_address(name):
    """A request does not say where in the process's memory the kernel is to write."""
    for _, member, _ in STRUCTURES[name]:
        assert not re.search(r"addr|ptr|buf", member), member


@pytest.mark.parametrize("name", REQUESTS)
def test_frozen_end(name):
    """A request is as long as its structure: there is no shorter one yet."""
    calls = []
    for path in DRIVER.glob("*.c"):
        text = path.read_text()
        if re.search(rf"struct {name}\b", text):
            calls += re.findall(r"ib_copy_validate_udata_in_cm\(\w+, \*?\w+, (\w+), 0\)", text)
    assert calls == [STRUCTURES[name][-1][1]]


def test_helpers_only():
    """Only the core's helpers look at what a process hands in or gets back."""
    for path in DRIVER.glob("*.[ch]"):
        text = path.read_text()
        for word in ("copy_to_user", "copy_from_user", "clear_user", "->outlen", "->inlen"):
            assert word not in text, f"{path.name}: {word}"
