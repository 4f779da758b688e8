# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Traffic of all kinds causes no report of a debug kernel: 7.3 with KASAN, lockdep, kmemleak, DMA
API debug and checks for sleeping in atomic context. When the lab ends a VM it unloads the modules,
and kmemleak must find no leak of all tests before."""

import pytest
from lab import rdma_core
from lab.consumers import Nfs, Nvme, NvmeSrq, Rds, Srp, consume
from lab.pair import find_again
from lab.perftest import perftest, pingpong, rping
from ptp import check_page, phc, ptp_device
from settings import (
    Traffic, come_back, long, reset_function, resources, two_sides, wait_until,
)
from statistic import of_port, of_qps, qp_numbers
from stream import send_bytes
from xdp import (
    BROADCAST, COUNT, DROP, GROW, REDIRECT, TX, attach_and_detach, attached, connected, index,
)

TIMEOUT = 300
FRAMES = ("test_flow", "test_rss_traffic")


@pytest.mark.debug
@pytest.mark.parametrize("kind, options", [long("rc", ""), ("rc", "-e"), ("ud", "-n 200"),
                                           long("ud", "-e -n 200")])
def test_pingpong(debug_spaces, kind, options):
    """Pingpong works, with polling and with events."""
    pingpong(debug_spaces, debug_spaces.ornic, kind, options, timeout=TIMEOUT)


@pytest.mark.debug
def test_rping(debug_spaces):
    """rping works, through rdma_cm and the GSI QP."""
    rping(debug_spaces, debug_spaces.ornic, count=20, timeout=TIMEOUT)


@pytest.mark.debug
@pytest.mark.parametrize("program, size", [
    ("ib_send_bw", 65536), ("ib_write_bw", 65536), ("ib_read_bw", 65536),
    long("ib_write_lat", 2), ("ib_atomic_lat", 8),
])
def test_perftest(debug_spaces, program, size):
    """perftest works for every operation."""
    perftest(debug_spaces, debug_spaces.ornic, program, size, 200, timeout=TIMEOUT)


@pytest.mark.debug
def test_ping(debug_spaces):
    """The netdev carries small and large frames."""
    ip = debug_spaces.ornic[debug_spaces.b].ip
    for size in (56, 8972):
        text = debug_spaces.a.check(f"ping -c 5 -i 0.2 -M do -s {size} {ip}")
        assert " 0% packet loss" in text


@pytest.mark.debug
def test_stream(debug_spaces):
    """TSO works, which maps and unmaps each fragment of a segment."""
    send_bytes(debug_spaces, debug_spaces.ornic[debug_spaces.b].ip)


@pytest.mark.debug
def test_rules(debug_spaces):
    """ethtool's rules can be added, replaced and deleted, and survive a replacement of the
    queues."""
    vm, port = debug_spaces.a, debug_spaces.ornic[debug_spaces.a]
    add = f"ethtool -N {port.netdev} flow-type udp4 dst-port"
    vm.check(f"{add} 4000 action 0 loc 1 && {add} 4001 action -1 loc 2 && "
             f"{add} 4002 action -1 loc 1 && ethtool -G {port.netdev} rx 512 && "
             f"ethtool -N {port.netdev} delete 2 && ethtool -X {port.netdev} equal 1 && "
             f"ethtool -n {port.netdev} && ethtool -S {port.netdev}")
    test_ping(debug_spaces)
    vm.check(f"ethtool -N {port.netdev} delete 1 && ethtool -G {port.netdev} rx 1024")
    find_again(debug_spaces, vm, TIMEOUT)


@pytest.mark.debug
def test_frames(debug_cards):
    """rdma-core's tests of flow rules, WQs, RWQ tables and RAW_PACKET QPs pass."""
    outcomes = rdma_core.run(debug_cards.a, debug_cards.ports[0], FRAMES, TIMEOUT, True)
    assert {outcome.result for outcome in outcomes} == {"passed"}, outcomes


@pytest.mark.debug
def test_xdp(debug_spaces, guest_programs):
    """All XDP actions work, also on redirected frames, and the program can be attached and detached
    under traffic."""
    vm = debug_spaces.a
    with attached(debug_spaces, guest_programs) as xdp, connected(vm) as (near, far):
        assert xdp.send(DROP)[0]["drop"] == COUNT
        assert xdp.send(TX)[0]["tx"] == COUNT
        assert len(xdp.received(GROW)[1]) == COUNT
        assert xdp.send(REDIRECT, index(vm, xdp.netdev), BROADCAST)[0]["xmit"] == COUNT
        assert len(xdp.received(REDIRECT, index(vm, near), far)[1]) == COUNT
        attach_and_detach(xdp, 1)


@pytest.mark.debug
def test_sigkill(debug_spaces):
    """The kernel releases all resources of killed programs."""
    Traffic(debug_spaces).kill()
    wait_until("no resources", lambda: resources(debug_spaces.vm) == {})


@pytest.mark.debug
def test_bad_work_requests(debug_cards, guest_programs):
    """Bad work requests break no other QP and corrupt no data."""
    port = debug_cards.ports[0]
    output = debug_cards.a.check(f"{guest_programs}/wqe {port.device} {port.gid_index}", TIMEOUT)
    assert "broken" not in output and "data wrong" not in output


@pytest.mark.debug
def test_udata(debug_cards, guest_programs):
    """Bad udata takes the error paths of object creation."""
    debug_cards.a.check(f"{guest_programs}/udata {debug_cards.ports[0].device}", TIMEOUT)


@pytest.mark.full
def test_clock(debug_pair, guest_programs):
    """Every operation of the PTP clock works, and its page agrees while it is renewed."""
    vm = debug_pair.a
    ptp = ptp_device(vm, debug_pair.ornic[vm])
    phc(vm, ptp, "freq 100000 adj 10 set 1000000000 get caps")
    check_page(vm, guest_programs / "clock", debug_pair.ornic[vm], ptp, 9, 1)
    phc(vm, ptp, "freq 0 set")


@pytest.mark.debug
def test_statistic(debug_spaces):
    """A QP can be bound to a counter, dumped and destroyed."""
    vm = debug_spaces.a
    port = debug_spaces.ornic[vm]
    traffic = Traffic(debug_spaces)
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
def test_flr(debug_spaces):
    """A function level reset under traffic works."""
    vm = debug_spaces.a
    traffic = Traffic(debug_spaces)
    come_back(debug_spaces, vm, lambda: reset_function(debug_spaces, vm, 120))
    traffic.kill()
    pingpong(debug_spaces, debug_spaces.ornic, timeout=TIMEOUT)


@pytest.mark.debug
def test_unload(debug_spaces):
    """Both modules can be unloaded under traffic and loaded again."""
    cards, vm = debug_spaces.whole, debug_spaces.vm
    traffic = Traffic(debug_spaces)
    vm.check("rmmod ornic_rdma && rmmod ornic", timeout=120)
    traffic.kill()
    vm.load_ornic()
    cards.leave_spaces()
    pingpong(*two_sides(cards, cards.ports), timeout=TIMEOUT)


# The order matters: lockdep is silent after its report about NVMe, and so is the check of the DMA
# API after its report about RDS, see lab.reports.NOT_OURS.
@pytest.mark.full
@pytest.mark.parametrize("kind", [Nfs, Srp, NvmeSrq, Nvme, Rds],
                         ids=lambda kind: kind.__name__.lower())
def test_kernel_consumer(debug_pair, tidy, kind):
    """Kernel consumers work, from loading to unloading."""
    consume(kind, *debug_pair.vms, debug_pair.ornic)
