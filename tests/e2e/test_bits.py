# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process of 32 bits under a kernel of 64 gets the same objects and the same answers as one of
64."""

import struct

import pytest
from settings import counters, wait_until

pytestmark = pytest.mark.full

# Responses of ornic-abi.h that bits.c prints, and where they have the number of an object
FORMATS = {"context": ("<IIQ12QI4x", None), "cq": ("<IIQQQII2B6x", 1)}


def answers(vm, programs, device, bits):
    """Returns {what: value} of the lines of a run, responses as tuples with the number of an object
    left out."""
    node = vm.check(f"basename $(dirname $(grep -lx {device} "
                    "/sys/class/infiniband_verbs/uverbs*/ibdev))").strip()
    output = vm.check(f"{programs}/bits{bits} /dev/infiniband/{node}")
    found = dict(line.split() for line in output.splitlines())
    for what, (layout, number) in FORMATS.items():
        values = struct.unpack(layout, bytes.fromhex(found[what]))
        found[what] = tuple(value for i, value in enumerate(values) if i != number)
    return found


def test_process_of_32_bits(pair, guest_programs):
    """It gets a context, a PD and a CQ by ioctl() and maps their pages; the driver's responses are
    those to a process of 64 bits, and its end leaves nothing."""
    before = counters(pair.card, 0, "objects")
    device = pair.ornic[pair.a].device
    short, long = (answers(pair.a, guest_programs, device, bits) for bits in (32, 64))
    assert (short.pop("bits"), long.pop("bits")) == ("32", "64")
    assert short == long
    assert int.from_bytes(bytes.fromhex(short["entries"]), "little") >= 100
    wait_until("no objects", lambda: counters(pair.card, 0, "objects") == before)
