# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Traffic of all kinds causes no report of a debug kernel: 7.3 with KASAN, lockdep, kmemleak, DMA
API debug and checks for sleeping in atomic context."""

import pytest
from lab import rdma_core
from lab.consumers import Nfs, Nvme, NvmeSrq, Rds, Srp, consume
from lab.pair import find_port
from lab.perftest import perftest, pingpong, rping
from ptp import check_page, phc, ptp_device
from settings import Traffic, long, reset_function, resources, set_up_again, wait_until
from statistic import of_port, of_qps, qp_numbers
from stream import send_bytes
from xdp import (
    BROADCAST, COUNT, DROP, GROW, REDIRECT, TX, attach_and_detach, attached, connected, index,
)

TIMEOUT = 300
FRAMES = ("test_flow", "test_rss_traffic", "test_qp.QPTest.test_raw_qp_rate_limit_modify")


@pytest.mark.debug
@pytest.mark.parametrize("kind, options", [long("rc", ""), ("rc", "-e"), ("ud", "-n 200"),
                                           long("ud", "-e -n 200")])
def test_pingpong(debug_pair, kind, options):
    """Pingpong works, with polling and with events."""
    pingpong(debug_pair, debug_pair.ornic, kind, options, timeout=TIMEOUT)


@pytest.mark.debug
def test_rping(debug_pair):
    """rping works, through rdma_cm and the GSI QP."""
    rping(debug_pair, debug_pair.ornic, count=20, timeout=TIMEOUT)


@pytest.mark.debug
@pytest.mark.parametrize("program, size", [
    ("ib_send_bw", 65536), ("ib_write_bw", 65536), ("ib_read_bw", 65536),
    long("ib_write_lat", 2), ("ib_atomic_lat", 8),
])
def test_perftest(debug_pair, program, size):
    """perftest works for every operation."""
    perftest(debug_pair, debug_pair.ornic, program, size, 200, timeout=TIMEOUT)


@pytest.mark.debug
def test_ping(debug_pair):
    """The netdev carries small and large frames."""
    ip = debug_pair.ornic[debug_pair.b].ip
    for size in (56, 8972):
        text = debug_pair.a.check(f"ping -c 5 -i 0.2 -M do -s {size} {ip}")
        assert " 0% packet loss" in text


@pytest.mark.debug
def test_stream(debug_pair):
    """TSO works, which maps and unmaps each fragment of a segment."""
    send_bytes(debug_pair, debug_pair.ornic[debug_pair.b].ip)


@pytest.mark.debug
def test_rules(debug_pair):
    """ethtool's rules can be added, replaced and deleted, and survive a replacement of the
    queues."""
    vm, port = debug_pair.a, debug_pair.ornic[debug_pair.a]
    add = f"ethtool -N {port.netdev} flow-type udp4 dst-port"
    vm.check(f"{add} 4000 action 0 loc 1 && {add} 4001 action -1 loc 2 && "
             f"{add} 4002 action -1 loc 1 && ethtool -G {port.netdev} rx 512 && "
             f"ethtool -N {port.netdev} delete 2 && ethtool -X {port.netdev} equal 1 && "
             f"ethtool -n {port.netdev} && ethtool -S {port.netdev}")
    test_ping(debug_pair)
    vm.check(f"ethtool -N {port.netdev} delete 1 && ethtool -G {port.netdev} rx 1024")
    debug_pair.ornic[vm] = find_port(vm, port.netdev, port.ip, TIMEOUT)


@pytest.mark.debug
def test_frames(debug_pair):
    """rdma-core's tests of flow rules, WQs, RWQ tables and RAW_PACKET QPs pass."""
    outcomes = rdma_core.run(debug_pair.a, debug_pair.ornic[debug_pair.a], FRAMES, TIMEOUT)
    assert {outcome.result for outcome in outcomes} == {"passed"}, outcomes


@pytest.mark.debug
def test_xdp(debug_pair, guest_programs):
    """All XDP actions work, also on redirected frames, and the program can be attached and detached
    under traffic."""
    vm = debug_pair.a
    with attached(debug_pair, guest_programs) as xdp, connected(vm) as (near, far):
        assert xdp.send(DROP)[0]["drop"] == COUNT
        assert xdp.send(TX)[0]["tx"] == COUNT
        assert len(xdp.received(GROW)[1]) == COUNT
        assert xdp.send(REDIRECT, index(vm, xdp.netdev), BROADCAST)[0]["xmit"] == COUNT
        assert len(xdp.received(REDIRECT, index(vm, near), far)[1]) == COUNT
        attach_and_detach(xdp, 1)


@pytest.mark.debug
def test_sigkill(debug_pair):
    """The kernel releases all resources of killed programs."""
    Traffic(debug_pair).kill()
    for vm in debug_pair.vms:
        wait_until(f"{vm.name} has no resources", lambda vm=vm: resources(vm) == {}, 60)


@pytest.mark.debug
def test_bad_work_requests(debug_pair, guest_programs):
    """Bad work requests break no other QP and corrupt no data."""
    port = debug_pair.ornic[debug_pair.a]
    output = debug_pair.a.check(f"{guest_programs}/wqe {port.device} {port.gid_index}", TIMEOUT)
    assert "broken" not in output and "data wrong" not in output


@pytest.mark.debug
def test_udata(debug_pair, guest_programs):
    """Bad udata takes the error paths of object creation."""
    debug_pair.a.check(f"{guest_programs}/udata {debug_pair.ornic[debug_pair.a].device}", TIMEOUT)


@pytest.mark.full
def test_clock(debug_pair, guest_programs):
    """Every operation of the PTP clock works, and its page agrees while it is renewed."""
    vm = debug_pair.a
    ptp = ptp_device(vm, debug_pair.ornic[vm])
    phc(vm, ptp, "freq 100000 adj 10 set 1000000000 get caps")
    check_page(vm, guest_programs / "clock", debug_pair.ornic[vm], ptp, 9, 1)
    phc(vm, ptp, "freq 0 set")


@pytest.mark.debug
def test_statistic(debug_pair):
    """A QP can be bound to a counter, dumped and destroyed."""
    vm = debug_pair.a
    port = debug_pair.ornic[vm]
    traffic = Traffic(debug_pair)
    (lqpn,) = qp_numbers(vm, port)
    vm.check(f"rdma statistic qp bind link {port.device}/1 lqpn {lqpn}")
    wait_until("the counter moves", lambda: of_qps(vm, port)[0]["tx_packets"])
    vm.check("rdma -dd resource show")
    for kind in ("qp", "cq", "mr"):
        vm.check(f"rdma -dd resource show {kind}")
    traffic.kill()
    wait_until("no QP", lambda: not qp_numbers(vm, port))
    assert of_port(vm, port)["tx_packets"]


@pytest.mark.debug
def test_flr(debug_pair):
    """A function level reset under traffic works."""
    vm = debug_pair.a
    traffic = Traffic(debug_pair)
    reset_function(debug_pair, vm, 120)
    traffic.kill()
    set_up_again(debug_pair, vm)
    pingpong(debug_pair, debug_pair.ornic, timeout=TIMEOUT)


@pytest.mark.debug
def test_unload(debug_pair):
    """Both modules can be unloaded under traffic and loaded again."""
    vm = debug_pair.a
    traffic = Traffic(debug_pair)
    vm.check("rmmod ornic_rdma && rmmod ornic", timeout=120)
    traffic.kill()
    vm.load_ornic()
    set_up_again(debug_pair, vm)
    pingpong(debug_pair, debug_pair.ornic, timeout=TIMEOUT)


# The order matters: lockdep is silent after its report about NVMe, and so is the check of the DMA
# API after its report about RDS, see lab.reports.NOT_OURS.
@pytest.mark.full
@pytest.mark.parametrize("kind", [Nfs, Srp, NvmeSrq, Nvme, Rds],
                         ids=lambda kind: kind.__name__.lower())
def test_kernel_consumer(debug_pair, tidy, guest_programs, kind):
    """Kernel consumers work, from loading to unloading."""
    consume(kind, *debug_pair.vms, debug_pair.ornic, guest_programs)


@pytest.mark.debug
def test_no_leak(debug_pair):
    """kmemleak finds no leak after the tests above and the removal of the modules. retire() records
    leaks, and the lab then fails this test."""
    debug_pair.retire()
