# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""UC, XRC, SRQ and multicast between two VMs, with perftest and mckey."""

import pytest
from lab.perftest import perftest
from settings import ipv6_ports, long

GROUP = "239.1.2.3"


@pytest.mark.parametrize("transport, size, program", [
    ("UC", 2, "ib_send_bw"), long("UC", 2, "ib_write_bw"), long("UC", 65536, "ib_send_bw"),
    ("UC", 65536, "ib_write_bw"), long("XRC", 2, "ib_send_bw"), ("XRC", 2, "ib_write_bw"),
    ("XRC", 65536, "ib_send_bw"), long("XRC", 65536, "ib_write_bw"),
])
def test_bandwidth(pair, transport, program, size):
    """perftest works over the transport, in both directions at once."""
    perftest(pair, pair.ornic, program, size, 1000, f"-c {transport} -b")


@pytest.mark.parametrize("program", ["ib_read_bw", "ib_atomic_bw"])
def test_xrc_answers(pair, program):
    """READ and atomics of XRC work, whose responses go to a QP without receives."""
    perftest(pair, pair.ornic, program, 8, 1000, "-c XRC")


def test_many_qps_one_srq(pair):
    """Sixteen connections share the receives of one SRQ [ORNIC-SRQ-3]."""
    perftest(pair, pair.ornic, "ib_send_bw", 4096, 500, "--use-srq -q 16")


# mckey sends no message again: one that comes before the receiver's QP is a member is lost, and no
# program shows when it is
@pytest.mark.full
@pytest.mark.parametrize("swap", [False, True], ids=["there", "back"])
def test_mckey(pair, swap):
    """A VM receives what the other VM sends to a group joined through rdma_cm [ORNIC-MC-2]."""
    sender, receiver = (pair.b, pair.a) if swap else (pair.a, pair.b)

    def mckey(vm, options):
        return f"timeout 30 mckey -m {GROUP} -b {pair.ornic[vm].ip} -C 10 {options}"

    command = receiver.spawn(mckey(receiver, ""), 40)
    # The kernel joins the IP group too; the QP is a member soon after that
    receiver.check(f"for i in $(seq 100); do ip maddr show dev {pair.ornic[receiver].netdev} | "
                   f"grep -q {GROUP} && exit 0; sleep 0.1; done; exit 1", 20)
    sender.check("sleep 1; " + mckey(sender, "-s"), 40)
    code, output = command.wait(40)
    assert code == 0, output


@pytest.mark.full
def test_multicast_ipv6(pair):
    """perftest's own IPv6 group works, without rdma_cm."""
    perftest(pair, ipv6_ports(pair), "ib_send_lat", 64, 100, "-c UD -g")
