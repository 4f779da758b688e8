# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A netdev with the XDP program guest/xdp.bpf.c, which does what each frame names, and senders of
such frames."""

import contextlib
import re
from pathlib import Path

from lab.pair import find_again
from settings import wait_until

FRAMES = Path(__file__).parent / "guest/frames"
COUNT = 150
SIZE = 200
BROADCAST = "ff:ff:ff:ff:ff:ff"
# Counters of which one counts each frame
SEEN = ("pass", "drop", "tx", "redirect", "error")
# Actions, numbered as in the program
ABORTED, DROP, PASS, TX, REDIRECT, GROW, SHRINK, PUSH, NONSENSE = range(9)


class Xdp:
    """The program on the netdev of VM a, and its counters."""

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

    def send(self, action, argument=0, mac=None, size=SIZE):
        """Sends frames, and waits until the program has seen each; returns the increase of each
        counter, and the frames that come back."""
        before = self.counts()

        def new():
            return {name: count - before[name] for name, count in self.counts().items()}

        # TX and a broadcast that is redirected return to the sender
        back = COUNT if action == TX or mac == BROADCAST else 0
        mac = mac or self.vm.check(f"cat /sys/class/net/{self.netdev}/address").strip()
        netdev = self.pair.ornic[self.pair.b].netdev
        output = self.pair.b.check(
            f"{FRAMES} {netdev} send {COUNT} {mac} {action} {argument} {size} {back}"
        )
        wait_until("the program has seen each frame",
                   lambda: sum(new()[name] for name in SEEN) >= COUNT)
        return new(), frames(output)

    def received(self, action, argument=0, netdev=None, size=SIZE):
        """Sends frames; returns the increase of each counter, and the frames that reach VM a's
        network stack."""
        command = listen(self.vm, netdev or self.netdev, COUNT)
        counts, _ = self.send(action, argument, size=size)
        code, output = command.wait()
        assert code == 0, output
        return counts, frames(output)


def frames(output):
    return [bytes.fromhex(line) for line in output.splitlines()]


def listen(vm, netdev, count):
    """Starts a program that receives frames, and waits until it is ready."""
    command = vm.spawn(f"{FRAMES} {netdev} receive {count}", 60)
    wait_until("it listens", lambda: vm.run("grep -q 88b5 /proc/net/packet")[0] == 0)
    return command


def index(vm, netdev):
    return int(vm.check(f"cat /sys/class/net/{netdev}/ifindex"))


@contextlib.contextmanager
def attached(pair, programs):
    """Provides the program on the netdev of VM a, with an MTU that it supports."""
    xdp = Xdp(pair, programs)
    pair.a.check(f"ip link set {xdp.netdev} mtu 1500")
    code, text = xdp.attach()
    assert code == 0, text
    try:
        yield xdp
    finally:
        xdp.detach()
        pair.a.check(f"ip link set {xdp.netdev} mtu 9000")
        find_again(pair, pair.a)


@contextlib.contextmanager
def connected(vm):
    """Provides two interfaces that are connected with each other."""
    vm.check("modprobe veth; ip link add v0 type veth peer name v1 && ip link set v0 up && "
             "ip link set v1 up && ethtool -K v1 gro on")
    try:
        yield "v0", "v1"
    finally:
        vm.check("ip link del v0")


def attach_and_detach(xdp, rounds):
    """Attaches, replaces and detaches the program under traffic."""
    flood = xdp.pair.b.spawn(f"ping -q -i 0.01 {xdp.pair.ornic[xdp.vm].ip}", 300)
    try:
        for _ in range(rounds):
            xdp.detach()
            for _ in range(2):
                assert xdp.attach()[0] == 0
                xdp.vm.check(f"ping -c 3 -i 0.2 -W 5 {xdp.pair.ornic[xdp.pair.b].ip}")
    finally:
        flood.kill()
