# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A guest of another processor and an x86-64 guest: RDMA with checked data between them, in both
directions. The other one is arm64 with pages of 4 KiB or 16 KiB, or s390x, which is big endian.
Documentation/processors.rst says what was tried on which processor."""

import pytest
from lab import programs
from lab.pair import Pair, Roles
from lab.perftest import perftest, pingpong, rping
from transfer import OPS, RC_MORE, transfer

pytestmark = pytest.mark.long

# Directory of the programs of each processor in its guest
PROGRAMS = "/run/e2e"
# An emulated processor of another kind is slower
TIMEOUT = 180
ATOMICS = ("cmp_swp", "fetch_add")
KINDS = ["rc", "uc", "ud", "srq"]
# Options of transfer.c: a datagram is one packet
LONGEST = {"rc": "-l 20000", "uc": "-l 20000", "ud": "-l 4096 -m 4096"}


class Mixed(Pair):
    """VM `a` has the host's processor, VM `b` another one."""

    SUBNET = "10.70.0"

    def __init__(self, lab, kernel):
        self.lab = lab
        self.card = lab.card(2)
        self.a, self.b = (lab.vm(name, cards=[socket], kernel=own) for name, socket, own in
                          zip("ab", self.card.sockets, ["stock", kernel]))
        self.vms = (self.a, self.b)
        self.ornic, self.rxe = {}, {}

    def load_ornic(self):
        super().load_ornic()
        for vm, processor in zip(self.vms, (None, self.b.kernel.processor.name)):
            made = programs.make("transfer", processor=processor)
            vm.check(f"mkdir -p {PROGRAMS} && cp {made}/transfer {PROGRAMS}")
        return self


ARM = ["arm64", "arm64-16k"]
# Tests of one byte order, or of both
little_endian = pytest.mark.parametrize("mixed", ARM, indirect=True)
big_endian = pytest.mark.parametrize("mixed", ["s390x"], indirect=True)


@pytest.fixture(params=[*ARM, "s390x"])
def mixed(pairs, request):
    return pairs.keep(f"mixed {request.param}", lambda: Mixed(pairs.lab, request.param))


@pytest.fixture(params=["x86-client", "other-client"])
def roles(mixed, request):
    return Roles(*mixed.vms) if request.param == "x86-client" else Roles(*mixed.vms[::-1])


@little_endian
def test_page_size(mixed):
    """The guest has the pages that its kernel is named after, and processes have doorbell pages
    where the card's are not smaller [ORNIC-DB-1]."""
    size = 16384 if mixed.b.kernel.name.endswith("16k") else 4096
    assert int(mixed.b.check("getconf PAGESIZE")) == size


def test_rping(mixed, roles):
    """rdma_cm connects the two processors, whatever their byte order, and rping finds its data."""
    rping(roles, mixed.ornic, count=50, timeout=TIMEOUT)


@pytest.mark.parametrize("kind", KINDS)
def test_pingpong(mixed, roles, kind):
    """Small messages go back and forth; with RC the program checks the data."""
    pingpong(roles, mixed.ornic, kind, "-n 200", timeout=TIMEOUT)


@pytest.mark.parametrize("transport", sorted(OPS))
def test_transfer(mixed, roles, transport):
    """Every operation of the transport delivers each byte; a big-endian host has no atomics."""
    operations = [op for op in OPS[transport]
                  if op not in ATOMICS or mixed.b.kernel.name != "s390x"]
    options = f"-t {transport} {LONGEST[transport]}"
    transfer(roles, mixed.ornic, PROGRAMS, ",".join(operations), options, timeout=TIMEOUT)


@pytest.mark.parametrize("program", ["ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_atomic_bw"])
@little_endian
def test_bandwidth(mixed, roles, program):
    """Programs that keep many requests in flight end without an error."""
    size = 8 if program == "ib_atomic_bw" else 65536
    perftest(roles, mixed.ornic, program, size, 200, timeout=TIMEOUT)


@pytest.mark.parametrize("operation, options", [
    *RC_MORE,
    pytest.param("send", "-w 1", id="windows of type 1"),
    pytest.param("send", "-S", id="SRQ"),
    pytest.param("send", "-x", id="extended posts"),
])
@big_endian
def test_more(mixed, roles, operation, options):
    """Operations that not every device has, windows, SRQs and extended posts."""
    transfer(roles, mixed.ornic, PROGRAMS, f"write,read,{operation}", options, timeout=TIMEOUT)


@big_endian
def test_no_atomics(mixed):
    """A big-endian host offers no atomics, and a region cannot allow them [ORNIC-SQ-14]."""
    port = mixed.ornic[mixed.b]
    assert "ATOMIC_NONE (0)" in mixed.b.check(f"ibv_devinfo -v -d {port.device}")
    code, out = mixed.b.run(f"{PROGRAMS}/transfer -d {port.device} -g {port.gid_index} cmp_swp "
                             f"{mixed.ornic[mixed.a].ip}")
    assert code == 1 and "Operation not supported" in out
