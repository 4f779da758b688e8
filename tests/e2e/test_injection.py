# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Page allocations that fail in chosen functions of the driver, and a card that is stopped for a
while."""

import contextlib
import re
import shlex
import signal

import pytest
from lab.pair import find_again
from settings import carrier_changes, complaints, pings, queue_statistics, wait_until

pytestmark = pytest.mark.full

FAULT = "/sys/kernel/debug/fail_page_alloc"
PORT = 5800
QUEUE_BYTES = 1 << 30
# Frames that a queueing discipline keeps only while its queue is stopped
WAITING = 200


@contextlib.contextmanager
def no_pages(vm, function):
    """Makes page allocations fail in a function of the driver and in the functions that it
    calls."""
    symbols = [line.split() for line in vm.check("grep '\\[ornic\\]' /proc/kallsyms").splitlines()]
    starts = sorted({int(words[0], 16) for words in symbols})
    (start,) = [int(words[0], 16) for words in symbols if words[2] == function]
    end = next(address for address in starts if address > start)
    vm.check(f"cd {FAULT} && echo 0 >verbose && echo 0 >min-order && echo N >ignore-gfp-wait && "
             f"echo 32 >stacktrace-depth && echo {start:#x} >require-start && "
             f"echo {end:#x} >require-end && echo -1 >times && echo 1 >interval && "
             "echo 100 >probability")
    try:
        yield
    finally:
        vm.check(f"echo 0 >{FAULT}/probability")


# Receives datagrams of the sizes in the arguments, each filled with its number. It reads them only
# after a line on stdin, so that their pages do not return to the pool while there are no others.
# SO_SNDBUFFORCE is 32 and SO_RCVBUFFORCE is 33, for which Python has no names.
RECEIVER = f"""
import socket, sys
sizes = [int(word) for word in sys.argv[1:]]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
    sock.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)
    sock.bind(("", {PORT}))
    sock.settimeout(30)
    print("ready", flush=True)
    sys.stdin.readline()
    seen = set()
    sock.settimeout(1)
    while True:
        try:
            data = sock.recv(65536)
        except TimeoutError:
            break
        assert len(set(data)) == 1 and len(data) == sizes[data[0]], (data[0], len(data))
        assert data[0] not in seen
        seen.add(data[0])
print(len(seen))
"""


def test_refill_without_pages(debug_pair):
    """A receive buffer has several pages. If only the first ones can be allocated, these are freed,
    and no page of an earlier frame that is still in use."""
    vm, port = debug_pair.a, debug_pair.ornic[debug_pair.a]
    assert pings(vm, debug_pair.ornic[debug_pair.b].ip)
    for small in range(3):
        # Small frames vary the number of pages in the pool, because each keeps one of three
        sizes = [100] * small + [8900] * 30
        fifo, out = f"/tmp/go{small}", f"/tmp/got{small}"
        words = " ".join(map(str, sizes))
        vm.check(f"mkfifo {fifo}")
        receiver = vm.spawn(f"exec 3<>{fifo}; python3 -c {shlex.quote(RECEIVER)} {words} "
                            f"<&3 >{out} 2>&1", 120)
        wait_until("the receiver listens", lambda: vm.run(f"grep -q ready {out}")[0] == 0)
        sender = f"""
import socket, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
    for number, size in enumerate({sizes}):
        sock.sendto(bytes([number]) * size, ("{port.ip}", {PORT}))
"""
        with no_pages(vm, "ornic_rx_fill"):
            debug_pair.b.check(f"python3 -c {shlex.quote(sender)}")
        assert pings(vm, debug_pair.ornic[debug_pair.b].ip)
        vm.check(f"echo go >{fifo}")
        code, _ = receiver.wait(120)
        text = vm.check(f"cat {out}; rm {fifo} {out}")
        assert code == 0 and int(text.split()[-1]) == len(sizes), text
    assert not complaints(vm)


def sent(vm, programs, netdev):
    """Returns how many frames the netdev has sent."""
    return sum(value for direction, _, name, value in queue_statistics(vm, programs, netdev)
               if (direction, name) == ("tx", "packets"))


def backlog(vm, netdev):
    """Returns how many frames wait in a queueing discipline at most."""
    text = vm.check(f"tc -s qdisc show dev {netdev}")
    return max(map(int, re.findall(r"backlog \S+ (\d+)p", text)))


def test_send_ring_filled(debug_pair, guest_programs):
    """The card of this pair returns send slots as late as it may [ORNIC-ORD-5]. While it is stopped
    the queue fills up, but not with slots that the card still owns [ORNIC-DB-16]."""
    vm, port = debug_pair.a, debug_pair.ornic[debug_pair.a]
    peer = debug_pair.ornic[debug_pair.b].ip
    bad = debug_pair.card.stats()["cards"]["nic0"]["nic"]["device"]["bad_sq_pi"]
    limits = f"/sys/class/net/{port.netdev}/queues/tx-*/byte_queue_limits/limit_min"
    vm.check(f"ethtool -G {port.netdev} tx 256 && "
             f"for file in {limits}; do [ ! -e $file ] || echo {QUEUE_BYTES} >$file; done")
    find_again(debug_pair, vm)
    flood = f"""
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
    sock.setsockopt(socket.SOL_SOCKET, 32, 1 << 26)
    sock.connect(("{peer}", {PORT}))
    while True:
        try:
            sock.send(b"flood")
        except ConnectionRefusedError:
            pass
"""
    assert pings(vm, peer)
    command = vm.spawn(f"python3 -c {shlex.quote(flood)}", 600)
    try:
        for _ in range(5):
            # Send enough datagrams to make sq_ci lag, then fill the ring while the card is stopped
            enough = sent(vm, guest_programs, port.netdev) + 1000
            wait_until("frames", lambda at=enough: sent(vm, guest_programs, port.netdev) >= at)
            debug_pair.card.process.send_signal(signal.SIGSTOP)
            wait_until("a full ring", lambda: backlog(vm, port.netdev) >= WAITING)
            debug_pair.card.process.send_signal(signal.SIGCONT)
    finally:
        debug_pair.card.process.send_signal(signal.SIGCONT)
        command.kill()
    assert pings(vm, peer)
    assert debug_pair.card.stats()["cards"]["nic0"]["nic"]["device"]["bad_sq_pi"] == bad
    assert not complaints(vm)
    vm.check(f"for file in {limits}; do [ ! -e $file ] || echo 0 >$file; done; "
             f"ethtool -G {port.netdev} tx 1024")
    find_again(debug_pair, vm)


def test_change_without_memory(debug_pair):
    """If new queues cannot be allocated, the interface keeps its queues and its carrier."""
    vm, port = debug_pair.a, debug_pair.ornic[debug_pair.a]
    carrier = carrier_changes(vm, port.netdev)
    shown = f"ethtool -g {port.netdev}; cat /sys/class/net/{port.netdev}/mtu"
    before = vm.check(shown)
    for change in (f"ethtool -G {port.netdev} rx 512", f"ip link set {port.netdev} mtu 1500"):
        with no_pages(vm, "ornic_queues_create"):
            assert vm.run(change)[0], change
        assert vm.check(shown) == before
        assert carrier_changes(vm, port.netdev) == carrier
        assert pings(vm, debug_pair.ornic[debug_pair.b].ip), change
    assert not complaints(vm)
