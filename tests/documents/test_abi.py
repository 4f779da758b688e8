# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The structures in ornic-abi.h follow the rules at its head, and the kernel driver respects
them."""

import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
HEADER = TOP / "include/uapi/rdma/ornic-abi.h"
DRIVER = TOP / "kernel/rdma"
SIZES = {"__u8": 1, "__u16": 2, "__u32": 4, "__aligned_u64": 8, "ornic_mmap_place": 24}


def structures():
    """Returns {name: [(type, member, elements)]}."""
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
    """Structures have no padding and a multiple of 8 bytes; the names of reserved fields have their
    bit offset."""
    offset = 0
    for kind, member, count in STRUCTURES[name]:
        assert offset % min(SIZES[kind], 8) == 0, member
        if "reserved" in member:
            assert member == f"reserved_{offset * 8:x}"
        offset += SIZES[kind] * count
    assert offset % 8 == 0


def claims():
    """Yields C text that compiles only if all structures have the layout that they are written
    with. The headers of the hardware interface check their sizes themselves."""
    yield "#include <stddef.h>\n#include <ornic_hw.h>\n#include <ornic_hw_cmd.h>"
    yield "#include <rdma/ornic-abi.h>"
    for name, members in STRUCTURES.items():
        offset = 0
        for kind, member, count in members:
            yield f"_Static_assert(offsetof(struct {name}, {member}) == {offset}, \"{member}\");"
            offset += SIZES[kind] * count
        yield f"_Static_assert(sizeof(struct {name}) == {offset}, \"{name}\");"


@pytest.mark.parametrize("bits", [32, 64])
def test_processes(bits):
    """Processes of 32 and of 64 bits have the same structures, so the kernel needs no conversion.
    The compiler has no library for 32 bits, but the kernel's headers serve both."""
    argv = ["gcc", f"-m{bits}", "-fsyntax-only", "-Werror", "-xc", "-"]
    argv += ["-I", TOP / "kernel/include", "-I", TOP / "include/uapi"]
    argv += ["-idirafter", "/usr/include/x86_64-linux-gnu"]
    subprocess.run(argv, input="\n".join(claims()), text=True, check=True)


@pytest.mark.parametrize("name", REQUESTS + RESPONSES)
def test_can_grow(name):
    """Requests and responses begin with comp_mask, whose bits announce members that are added
    later."""
    assert STRUCTURES[name][0] == ("__u32", "comp_mask", 1)


@pytest.mark.parametrize("name", REQUESTS)
def test_no_address(name):
    """Requests have no address of user memory for the kernel to write to."""
    for _, member, _ in STRUCTURES[name]:
        assert not re.search(r"addr|ptr|buf", member), member


@pytest.mark.parametrize("name", REQUESTS)
def test_frozen_end(name):
    """The driver requires each request up to its last member, because no shorter version exists
    yet."""
    calls = []
    for path in DRIVER.glob("*.c"):
        text = path.read_text()
        if re.search(rf"struct {name}\b", text):
            calls += re.findall(r"ib_copy_validate_udata_in_cm\(\w+, \*?\w+, (\w+), 0\)", text)
    assert calls == [STRUCTURES[name][-1][1]]


def test_helpers_only():
    """The driver reads and writes udata through helpers of ib_core only."""
    for path in DRIVER.glob("*.[ch]"):
        text = path.read_text()
        for word in ("copy_to_user", "copy_from_user", "clear_user", "->outlen", "->inlen"):
            assert word not in text, f"{path.name}: {word}"
