# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Concurrent use of the drivers causes no report of KCSAN, the kernel's detector of data races.

The detector watches a random sample of accesses to memory, so each run may find other races. The
tests therefore make each pair of activities meet many times: traffic, readers of all that can be
read, changes of all that can be changed, creation and destruction, resets and removal."""

import contextlib
import re
import shlex
import time

import pytest
from lab.consumers import Nvme, consume
from lab.pair import find_again
from lab.perftest import perftest, pingpong, rping
from ptp import phc, ptp_device
from settings import Storm, Traffic, fail, reset_function, set_up_again
from stream import send_bytes
from test_live_changes import CHANGES

pytestmark = pytest.mark.long

TIMEOUT = 300
SECONDS = 40
DATAGRAMS = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
    while True:
        sock.sendto(bytes(100), ("{peer}", 9))
"""
READERS = (
    "ethtool -S {netdev}", "ethtool -g {netdev}", "ethtool -l {netdev}", "ethtool -x {netdev}",
    "ethtool -n {netdev}", "ethtool -T {netdev}", "ip -s -s link show {netdev}",
    "{programs}/qstats {netdev}",
    "cat /sys/class/infiniband/{device}/ports/1/hw_counters/*",
    "cat /sys/class/infiniband/{device}/ports/1/state",
    "rdma statistic show link {device}/1", "rdma -dd resource show qp",
    "rdma -dd resource show cq", "rdma -dd resource show mr", "ibv_devinfo -v -d {device}",
)
QUEUES = r"{source} $'resource show qp\nresource show cq' | rdma -dd -b - >/dev/null"
# Beside those of test_live_changes.py: changes that keep the queues
SMALL_CHANGES = (
    "ethtool -X {netdev} equal 1", "ethtool -X {netdev} default",
    "ethtool -N {netdev} flow-type udp4 dst-port 4000 action 0 loc 1",
    "ethtool -N {netdev} delete 1",
    "ip link set {netdev} allmulticast on", "ip link set {netdev} allmulticast off",
    "ip addr replace 10.99.0.1/24 dev {netdev}", "ip addr del 10.99.0.1/24 dev {netdev}",
    "ip link add link {netdev} name v7 type vlan id 7 && ip link set v7 up && ip link del v7",
)


@contextlib.contextmanager
def beside(vm, words):
    """Runs a command while the body of the context runs."""
    command = vm.spawn(words)
    try:
        yield
    finally:
        command.kill("KILL")
        command.wait(30)


@contextlib.contextmanager
def repeating(vm, port, words, **names):
    """Repeats shell commands while the body of the context runs. Each works once before that;
    later it may fail, because the body may remove what it needs."""
    words = [word.format(netdev=port.netdev, device=port.device, **names) for word in words]
    for word in words:
        vm.check(word)
    with beside(vm, "while :; do " + "; ".join(words) + "; done >/dev/null 2>&1"):
        yield


@contextlib.contextmanager
def read(pair, programs):
    """Reads all state of both VMs while the body of the context runs, and that of queues, which
    change all the time, much more often."""
    with contextlib.ExitStack() as stack:
        for vm in pair.vms:
            stack.enter_context(repeating(vm, pair.ornic[vm], READERS,
                                          programs=programs))
            vm.check(QUEUES.format(source="echo"))
            stack.enter_context(beside(vm, QUEUES.format(source="yes")))
        yield


@contextlib.contextmanager
def flooding(pair):
    """Sends small datagrams from each VM to the other while the body of the context runs."""
    with contextlib.ExitStack() as stack:
        for vm, peer in zip(pair.vms, reversed(pair.vms)):
            script = DATAGRAMS.format(peer=pair.ornic[peer].ip)
            stack.enter_context(beside(vm, "python3 -c " + shlex.quote(script)))
        yield


@pytest.mark.parametrize("program, options", [
    ("ib_send_bw", "-s 4096 -q 2"), ("ib_write_bw", "-s 65536 -q 4"), ("ib_read_bw", "-s 65536"),
    ("ib_send_bw", "-s 2048 -c UD"),
])
def test_traffic(kcsan_pair, guest_programs, program, options):
    """Traffic of several QPs, a stream and floods of the netdev, beside readers."""
    traffic = Traffic(kcsan_pair, program, options)
    with read(kcsan_pair, guest_programs), flooding(kcsan_pair):
        send_bytes(kcsan_pair, kcsan_pair.ornic[kcsan_pair.b].ip)
        time.sleep(SECONDS)
        traffic.wait_moving()
    traffic.kill()


def test_objects(kcsan_pair, guest_programs):
    """Several processes create and destroy objects, valid and invalid ones."""
    vm, port = kcsan_pair.a, kcsan_pair.ornic[kcsan_pair.a]
    storms = [vm.spawn(f"{guest_programs}/udata {port.device}", TIMEOUT) for _ in range(3)]
    with read(kcsan_pair, guest_programs):
        pingpong(kcsan_pair, kcsan_pair.ornic, "rc", "-e", timeout=TIMEOUT)
        pingpong(kcsan_pair, kcsan_pair.ornic, "ud", "-e -n 200", timeout=TIMEOUT)
        rping(kcsan_pair, kcsan_pair.ornic, count=20, timeout=TIMEOUT)
        perftest(kcsan_pair, kcsan_pair.ornic, "ib_atomic_lat", 8, 200, timeout=TIMEOUT)
        assert [storm.wait(TIMEOUT)[0] for storm in storms] == [0, 0, 0]


def test_storm(kcsan_pair, guest_programs):
    """Processes with several threads each create, resize and destroy objects of all kinds, beside
    traffic and readers."""
    traffic = Traffic(kcsan_pair)
    with read(kcsan_pair, guest_programs):
        for created, resized in Storm(kcsan_pair, guest_programs, SECONDS).wait():
            assert created > 100 and resized
    traffic.wait_moving()
    traffic.kill()


def test_changes(kcsan_pair, guest_programs):
    """The queues are replaced, and addresses, rules and the indirection table change, under RDMA
    traffic, pings and readers."""
    vm, port = kcsan_pair.a, kcsan_pair.ornic[kcsan_pair.a]
    traffic = Traffic(kcsan_pair, options="-s 65536 -m 1024")
    flood = kcsan_pair.b.spawn(f"ping -q -i 0.01 {port.ip}")
    with read(kcsan_pair, guest_programs), repeating(vm, port, SMALL_CHANGES):
        for change in CHANGES:
            # A rule or table that a small change has just made may forbid it
            vm.run(change.format(netdev=port.netdev, programs=guest_programs), 60)
            time.sleep(2)
    # The loop of small changes may have ended after any of them
    vm.run(f"ethtool -N {port.netdev} delete 1; ethtool -X {port.netdev} default; ip link del v7; "
           f"ip addr del 10.99.0.1/24 dev {port.netdev}")
    for change in CHANGES:
        vm.check(change.format(netdev=port.netdev, programs=guest_programs), 60)
    assert traffic.running()
    traffic.kill()
    flood.kill("INT")
    flood.wait()
    find_again(kcsan_pair, vm)


def test_clock(kcsan_pair, guest_programs):
    """The PTP clock is adjusted while programs read it and its page."""
    vm, port = kcsan_pair.a, kcsan_pair.ornic[kcsan_pair.a]
    ptp = ptp_device(vm, port)
    # The time leaps and the result is not judged here, so the tolerance is large
    page = f"{guest_programs}/clock {port.device} /dev/{ptp} 1 {10 ** 18}"
    vm.check(f"{page} | grep looks:")
    reader = vm.spawn(f"while {page}; do :; done >/dev/null")
    for ppb in range(0, 200, 10):
        phc(vm, ptp, f"freq {ppb} adj 10 get caps")
    phc(vm, ptp, "freq 0 set")
    assert reader.poll() is None
    reader.kill("KILL")
    reader.wait(30)


def test_reset(kcsan_pair, guest_programs):
    """The function is reset by the guest, and by the driver after a fatal error, beside readers."""
    vm = kcsan_pair.a
    with read(kcsan_pair, guest_programs):
        traffic = Traffic(kcsan_pair)
        reset_function(kcsan_pair, vm, 120)
        traffic.kill()
        set_up_again(kcsan_pair, vm)
        traffic = Traffic(kcsan_pair)
        fail(kcsan_pair, vm)
        traffic.kill()
    pingpong(kcsan_pair, kcsan_pair.ornic, timeout=TIMEOUT)


def test_unload(kcsan_pair, guest_programs):
    """Both modules are unloaded under traffic, beside readers, and loaded again."""
    vm = kcsan_pair.a
    with read(kcsan_pair, guest_programs):
        traffic = Traffic(kcsan_pair)
        vm.check("rmmod ornic_rdma && rmmod ornic", timeout=120)
        traffic.kill()
        vm.load_ornic()
        set_up_again(kcsan_pair, vm)
    pingpong(kcsan_pair, kcsan_pair.ornic, timeout=TIMEOUT)


def test_kernel_consumer(kcsan_pair, tidy, guest_programs):
    """A kernel consumer works, from loading to unloading, beside readers."""
    with read(kcsan_pair, guest_programs):
        consume(Nvme, *kcsan_pair.vms, kcsan_pair.ornic)


def test_detector_was_on(kcsan_pair, record_property):
    """The detector has watched accesses during the tests above, and had room for all of them."""
    for vm in kcsan_pair.vms:
        text = vm.check("cat /sys/kernel/debug/kcsan")
        counts = {name: int(number) for name, number in re.findall(r"^(\w+): (\d+)$", text, re.M)}
        record_property("report", [f"{vm.name}: {counts}"])
        assert counts["enabled"] == 1
        assert counts["setup_watchpoints"] > 500000
        assert counts["no_capacity"] < counts["setup_watchpoints"] / 100
