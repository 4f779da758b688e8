# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""XDP on the Ethernet interface: guest/xdp.bpf.c does what a frame tells it to, and each frame is
looked after. Machine `b` sends, `a` has the program."""

import contextlib
import re
from pathlib import Path

import pytest
from lab.pair import find_port
from settings import pci_address, wait_until

FRAMES = Path(__file__).parent / "guest/frames"
COUNT = 150
SIZE = 200
BROADCAST = "ff:ff:ff:ff:ff:ff"
# As in the program; NETDEV and VETH are replaced by their interface's index.
ABORTED, DROP, PASS, TX, REDIRECT, GROW, SHRINK, PUSH, NONSENSE = range(9)
GROWTH = 64
MAX_MTU = 3498


class Xdp:
    """The program on machine a's interface, and what it has counted."""

    def __init__(self, pair, programs):
        self.pair, self.vm, self.program = pair, pair.a, programs / "xdp.o"
        self.netdev = pair.ornic[pair.a].netdev

    def attach(self, netdev=None):
        return self.vm.run(f"ip -force link set {netdev or self.netdev} "
                           f"xdpdrv obj {self.program} sec xdp")

    def detach(self):
        self.vm.check(f"ip link set {self.netdev} xdpdrv off")

    def counts(self):
        text = self.vm.check(f"ethtool -S {self.netdev}")
        return {name: int(value) for name, value in re.findall(r"^ +xdp_(\w+): (\d+)$", text, re.M)}

    def send(self, action, argument=0, mac=None, size=SIZE, count=COUNT):
        """What each counter grows by, and the frames that come back, without those of others."""
        before = self.counts()
        mac = mac or self.vm.check(f"cat /sys/class/net/{self.netdev}/address").strip()
        netdev = self.pair.ornic[self.pair.b].netdev
        output = self.pair.b.check(
            f"{FRAMES} {netdev} send {count} {mac} {action} {argument} {size}"
        )
        after = self.counts()
        return {name: after[name] - before[name] for name in after}, frames(output)

    def received(self, action, argument=0, netdev=None, size=SIZE):
        """The frames that machine a's network stack gets of those that are sent."""
        command = listen(self.vm, netdev or self.netdev, COUNT)
        counts, _ = self.send(action, argument, size=size)
        code, output = command.wait()
        assert code == 0, output
        return counts, frames(output)


def frames(output):
    return [bytes.fromhex(line) for line in output.splitlines()]


def listen(vm, netdev, count):
    """A program that receives, ready to."""
    command = vm.spawn(f"{FRAMES} {netdev} receive {count}", 60)
    wait_until("it listens", lambda: vm.run("grep -q 88b5 /proc/net/packet")[0] == 0)
    return command


def index(vm, netdev):
    return int(vm.check(f"cat /sys/class/net/{netdev}/ifindex"))


@contextlib.contextmanager
def attached(pair, programs):
    """With the program on machine a's interface, whose MTU allows for it."""
    xdp = Xdp(pair, programs)
    pair.a.check(f"ip link set {xdp.netdev} mtu 1500")
    code, text = xdp.attach()
    assert code == 0, text
    try:
        yield xdp
    finally:
        xdp.detach()
        pair.a.check(f"ip link set {xdp.netdev} mtu 9000")
        pair.ornic[pair.a] = find_port(pair.a, xdp.netdev, pair.ornic[pair.a].ip)


@contextlib.contextmanager
def connected(vm):
    """With two interfaces that are connected with each other."""
    vm.check("modprobe veth; ip link add v0 type veth peer name v1 && ip link set v0 up && "
             "ip link set v1 up && ethtool -K v1 gro on")
    try:
        yield "v0", "v1"
    finally:
        vm.check("ip link del v0")


@pytest.fixture
def xdp(queues, guest_programs):
    with attached(queues, guest_programs) as program:
        yield program


@pytest.fixture
def veth(xdp):
    with connected(xdp.vm) as ends:
        yield ends


@pytest.mark.parametrize("action, counter", [
    (DROP, "drop"), (ABORTED, "error"), (NONSENSE, "error"),
])
def test_drop(xdp, action, counter):
    """The frames are gone, and are counted as what they are."""
    counts, back = xdp.send(action)
    assert counts[counter] == COUNT and not back
    assert counts["tx"] == counts["redirect"] == counts["xmit"] == 0


@pytest.mark.parametrize("size", [60, SIZE, 1514])
def test_pass(xdp, size):
    """The network stack gets them as they are."""
    counts, got = xdp.received(PASS, size=size)
    assert counts["pass"] >= COUNT and len(got) == COUNT
    assert {len(frame) for frame in got} == {size} and len(set(got)) == 1
    assert got[0][16:] == bytes(i % 251 for i in range(size - 16))


def test_pass_changed(xdp):
    """As they are now: longer, shorter, with something in front of them."""
    _, got = xdp.received(GROW)
    assert {len(frame) for frame in got} == {SIZE + GROWTH} and len(got) == COUNT
    _, got = xdp.received(SHRINK, 100)
    assert {len(frame) for frame in got} == {SIZE - 100} and len(got) == COUNT
    _, got = xdp.received(PUSH)
    assert {len(frame) for frame in got} == {SIZE + 14} and len(got) == COUNT
    assert got[0][:14] == got[0][14:28] and got[0][30:] == bytes(i % 251 for i in range(SIZE - 16))


@pytest.mark.parametrize("size", [60, 1514])
def test_tx(xdp, size):
    """They come back to the sender, each once."""
    counts, back = xdp.send(TX, size=size)
    assert counts["tx"] == COUNT and counts["error"] == 0
    assert len(back) == COUNT and len(set(back)) == 1 and len(back[0]) == size
    macs = [bytes.fromhex(mac.replace(":", "")) for mac in xdp.pair.card.macs]
    assert back[0][:12] == macs[1] + macs[0]
    assert back[0][16:] == bytes(i % 251 for i in range(size - 16))


def test_redirect_out(xdp, veth):
    """To another interface."""
    near, far = veth
    counts, got = xdp.received(REDIRECT, index(xdp.vm, near), far)
    assert counts["redirect"] == COUNT and len(got) == COUNT and len(set(got)) == 1


def test_redirect_in(xdp, veth):
    """From another interface, and from the same one, which sends them."""
    near, far = veth
    counts, back = xdp.send(REDIRECT, index(xdp.vm, xdp.netdev), BROADCAST)
    assert counts["redirect"] == counts["xmit"] == len(back) == COUNT

    code, text = xdp.attach(far)
    assert code == 0, text
    before = xdp.counts()["xmit"]
    command = listen(xdp.pair.b, xdp.pair.ornic[xdp.pair.b].netdev, COUNT)
    xdp.vm.check(f"{FRAMES} {near} send {COUNT} {BROADCAST} {REDIRECT} "
                 f"{index(xdp.vm, xdp.netdev)} {SIZE}")
    code, output = command.wait()
    assert code == 0 and len(frames(output)) == COUNT
    assert xdp.counts()["xmit"] - before == COUNT


def test_redirect_to_nowhere(xdp):
    """There is no such interface."""
    counts, _ = xdp.send(REDIRECT, 250)
    # The interface is looked up when what was redirected is sent.
    assert counts["redirect"] + counts["error"] == COUNT and counts["xmit"] == 0


def test_redirect_while_down(xdp, veth):
    """An interface that goes down and up under redirected frames loses nothing but frames."""
    near, far = veth
    code, text = xdp.attach(far)
    assert code == 0, text
    words = f"{FRAMES} {near} send 3000 {BROADCAST} {REDIRECT} {index(xdp.vm, xdp.netdev)} {SIZE}"
    command = xdp.vm.spawn(words, 60)
    for _ in range(3):
        xdp.vm.check(f"ip link set {xdp.netdev} down; sleep 0.2; ip link set {xdp.netdev} up")
    command.wait()
    counts, back = xdp.send(TX)
    assert counts["tx"] == len(back) == COUNT


def test_mtu(xdp):
    """A frame is of one piece, so an MTU may be too large for XDP, and the reason is told."""
    peer = xdp.pair.ornic[xdp.pair.b]
    xdp.vm.check(f"ip link set {xdp.netdev} mtu {MAX_MTU}")
    xdp.vm.check(f"ping -c 3 -i 0.2 -W 5 -M do -s {MAX_MTU - 28} {peer.ip}")
    assert xdp.vm.run(f"ip link set {xdp.netdev} mtu {MAX_MTU + 1}")[0]
    xdp.detach()
    xdp.vm.check(f"ip link set {xdp.netdev} mtu {MAX_MTU + 1}")
    code, text = xdp.attach()
    assert code and f"MTU of {MAX_MTU} at most" in text, text
    xdp.vm.check(f"ip link set {xdp.netdev} mtu 1500")
    assert xdp.attach()[0] == 0


def come_and_go(xdp, rounds):
    """The program is attached, replaced and detached while frames fly."""
    flood = xdp.pair.b.spawn(f"ping -q -i 0.01 {xdp.pair.ornic[xdp.vm].ip}", 300)
    try:
        for _ in range(rounds):
            xdp.detach()
            for _ in range(2):
                assert xdp.attach()[0] == 0
                xdp.vm.check(f"ping -c 3 -i 0.2 -W 5 {xdp.pair.ornic[xdp.pair.b].ip}")
    finally:
        flood.kill()


def test_comes_and_goes(xdp):
    come_and_go(xdp, 3)


def test_survives_reset(xdp):
    """The program is there after a reset of the card, and after other queues were made."""
    xdp.vm.check(f"echo 1 >/sys/bus/pci/devices/{pci_address(xdp.vm, xdp.netdev)}/reset")
    xdp.vm.check(f"ethtool -L {xdp.netdev} combined 1 && ethtool -L {xdp.netdev} combined 2")
    counts, back = xdp.send(TX)
    assert counts["tx"] == len(back) == COUNT
