# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Issue: "The same traffic in a debug kernel (7.3, KASAN, lockdep, kmemleak, DMA-API debug,
atomic-sleep): no report of any kind"."""

import pytest
from lab import rdma_core
from lab.consumers import Nfs, Nvme, NvmeSrq, Rds, Srp, consume
from lab.pair import find_port
from lab.perftest import perftest, pingpong, rping
from ptp import check_page, phc, ptp_device
from settings import Traffic, long, reset_function, resources, set_up_again, wait_until
from statistic import of_port, of_qps, qp_numbers
from stream import send_bytes
from xdp import BROADCAST, COUNT, DROP, GROW, REDIRECT, TX, attached, come_and_go, connected, index

TIMEOUT = 300
FRAMES = ("test_flow", "test_rss_traffic", "test_qp.QPTest.test_raw_qp_rate_limit_modify")


@pytest.mark.parametrize("kind, options", [long("rc", ""), ("rc", "-e"), ("ud", "-n 200"),
                                           long("ud", "-e -n 200")])
def test_pingpong(debug_pair, kind, options):
    """Polling and events."""
    pingpong(debug_pair, debug_pair.ornic, kind, options, timeout=TIMEOUT)


def test_rping(debug_pair):
    """rdma_cm and the GSI QP."""
    rping(debug_pair, debug_pair.ornic, count=20, timeout=TIMEOUT)


@pytest.mark.parametrize("program, size", [
    ("ib_send_bw", 65536), ("ib_write_bw", 65536), ("ib_read_bw", 65536),
    long("ib_write_lat", 2), ("ib_atomic_lat", 8),
])
def test_perftest(debug_pair, program, size):
    """Every operation."""
    perftest(debug_pair, debug_pair.ornic, program, size, 200, timeout=TIMEOUT)


def test_ping(debug_pair):
    """The netdev, with frames small and large."""
    ip = debug_pair.ornic[debug_pair.b].ip
    for size in (56, 8972):
        text = debug_pair.a.check(f"ping -c 5 -i 0.2 -M do -s {size} {ip}")
        assert " 0% packet loss" in text


def test_stream(debug_pair):
    """Segments of the card, each piece of them mapped and unmapped."""
    send_bytes(debug_pair, debug_pair.ornic[debug_pair.b].ip)


def test_rules(debug_pair):
    """Rules of ethtool come, are replaced, stay when queues are made anew, and go."""
    vm, port = debug_pair.a, debug_pair.ornic[debug_pair.a]
    add = f"ethtool -N {port.netdev} flow-type udp4 dst-port"
    vm.check(f"{add} 4000 action 0 loc 1 && {add} 4001 action -1 loc 2 && "
             f"{add} 4002 action -1 loc 1 && ethtool -G {port.netdev} rx 512 && "
             f"ethtool -N {port.netdev} delete 2 && ethtool -X {port.netdev} equal 1 && "
             f"ethtool -n {port.netdev} && ethtool -S {port.netdev}")
    test_ping(debug_pair)
    vm.check(f"ethtool -N {port.netdev} delete 1 && ethtool -G {port.netdev} rx 1024")
    debug_pair.ornic[vm] = find_port(vm, port.netdev, port.ip, TIMEOUT)


def test_frames(debug_pair):
    """Flow rules, work queues, a table of them, and QPs for frames."""
    outcomes = rdma_core.run(debug_pair.a, debug_pair.ornic[debug_pair.a], FRAMES, TIMEOUT)
    assert {outcome.result for outcome in outcomes} == {"passed"}, outcomes


def test_xdp(debug_pair, guest_programs):
    """What an XDP program can do with a frame and its page, also to redirected ones; and programs
    come and go."""
    vm = debug_pair.a
    with attached(debug_pair, guest_programs) as xdp, connected(vm) as (near, far):
        assert xdp.send(DROP)[0]["drop"] == COUNT
        assert xdp.send(TX)[0]["tx"] == COUNT
        assert len(xdp.received(GROW)[1]) == COUNT
        assert xdp.send(REDIRECT, index(vm, xdp.netdev), BROADCAST)[0]["xmit"] == COUNT
        assert len(xdp.received(REDIRECT, index(vm, near), far)[1]) == COUNT
        come_and_go(xdp, 1)


def test_sigkill(debug_pair):
    """Teardown by the kernel."""
    Traffic(debug_pair).kill()
    for vm in debug_pair.vms:
        wait_until(f"{vm.name} has no resources", lambda vm=vm: resources(vm) == {}, 60)


def test_bad_work_requests(debug_pair, guest_programs):
    """Errors on every path of the data path."""
    port = debug_pair.ornic[debug_pair.a]
    output = debug_pair.a.check(f"{guest_programs}/wqe {port.device} {port.gid_index}", TIMEOUT)
    assert "broken" not in output and "data wrong" not in output


def test_udata(debug_pair, guest_programs):
    """Error paths of creation."""
    debug_pair.a.check(f"{guest_programs}/udata {debug_pair.ornic[debug_pair.a].device}", TIMEOUT)


def test_clock(debug_pair, guest_programs):
    """Every operation of the PTP clock, and its page while it is renewed."""
    vm = debug_pair.a
    ptp = ptp_device(vm, debug_pair.ornic[vm])
    phc(vm, ptp, "freq 100000 adj 10 set 1000000000 get caps")
    check_page(vm, guest_programs / "clock", debug_pair.ornic[vm], ptp, 9, 1)
    phc(vm, ptp, "freq 0 set")


def test_statistic(debug_pair):
    """A QP is bound to a counter, looked at and destroyed."""
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


def test_flr(debug_pair):
    """Reset with traffic."""
    vm = debug_pair.a
    traffic = Traffic(debug_pair)
    reset_function(debug_pair, vm, 120)
    traffic.kill()
    set_up_again(debug_pair, vm)
    pingpong(debug_pair, debug_pair.ornic, timeout=TIMEOUT)


def test_unload(debug_pair):
    """Both modules go with traffic running, and come again."""
    vm = debug_pair.a
    traffic = Traffic(debug_pair)
    vm.check("rmmod ornic_rdma && rmmod ornic", timeout=120)
    traffic.kill()
    vm.load_ornic()
    set_up_again(debug_pair, vm)
    pingpong(debug_pair, debug_pair.ornic, timeout=TIMEOUT)


# In this order, because what lockdep may say of NVMe is its last word, and so is what the check of
# the DMA API says of RDS, see lab.reports.NOT_OURS.
@pytest.mark.parametrize("kind", [Nfs, Srp, NvmeSrq, Nvme, Rds],
                         ids=lambda kind: kind.__name__.lower())
def test_kernel_consumer(debug_pair, tidy, guest_programs, kind):
    """Disks, files and sockets over RDMA: "each under the debug kernel too"."""
    consume(kind, *debug_pair.vms, debug_pair.ornic, guest_programs)


def test_no_leak(debug_pair):
    """kmemleak, after all this and after the modules are gone: the lab fails the test that ends with a
    leak."""
    debug_pair.retire()
