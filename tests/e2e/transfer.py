# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""guest/transfer.c between two VMs: every operation of a transport, with each byte checked."""

import pytest
from lab.pair import listening
from lab.perftest import both
from lab.seed import seed

PORT = 18600
RC = ["send", "send_imm", "write", "write_imm", "read", "cmp_swp", "fetch_add"]
# Operations that not every device has, with the options that they need
RC_MORE = [("send_inv", "-w 2"), ("flush", ""), ("atomic_write", "")]
UC = ["send", "send_imm", "write", "write_imm"]
UD = ["send", "send_imm"]
OPS = {"rc": RC, "uc": UC, "ud": UD}


def mixed(transport, options="", name="", marks=()):
    """Returns the parameters of a test of all operations of a transport at once. `name` describes
    the options in the test's name."""
    return pytest.param(transport, ",".join(OPS[transport]), options, marks=marks,
                        id=f"{transport}-mixed{name and '-' + name}")


def transfer(pair, ports, programs, ops, options="", timeout=60):
    """Runs guest/transfer.c with pair.b as the server, and returns the log. `ops` has names joined
    with commas; guest/transfer.c describes `options`."""
    server, client = ports[pair.b], ports[pair.a]
    words = f"{programs}/transfer -n {seed()} {options}"
    return both(
        pair,
        f"{words} -d {server.device} -g {server.gid_index} {ops}",
        f"{words} -d {client.device} -g {client.gid_index} {ops} {server.ip}",
        listening(PORT), timeout,
    )[2]
