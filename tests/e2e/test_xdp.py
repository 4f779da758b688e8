# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""XDP on the netdev. guest/xdp.bpf.c does what each frame names, and every frame is accounted for.
VM `b` sends, VM `a` has the program."""

import pytest
from settings import full, reset_function
from xdp import (
    ABORTED, BROADCAST, COUNT, DROP, FRAMES, GROW, NONSENSE, PASS, PUSH, REDIRECT, SHRINK, SIZE, TX,
    attach_and_detach, attached, connected, frames, index, listen,
)

GROWTH = 64
MAX_MTU = 3498


@pytest.fixture
def xdp(taps, guest_programs):
    with attached(taps, guest_programs) as program:
        yield program


@pytest.fixture
def veth(xdp):
    with connected(xdp.vm) as ends:
        yield ends


@pytest.mark.full
@pytest.mark.parametrize("action, counter", [
    (DROP, "drop"), (ABORTED, "error"), (NONSENSE, "error"),
])
def test_drop(xdp, action, counter):
    """Frames are dropped, and counted by the reason."""
    counts, back = xdp.send(action)
    assert counts[counter] == COUNT and not back
    assert counts["tx"] == counts["redirect"] == counts["xmit"] == 0


@pytest.mark.parametrize("size", [full(60), SIZE, full(1514)])
def test_pass(xdp, size):
    """The network stack receives the frames unchanged."""
    counts, got = xdp.received(PASS, size=size)
    assert counts["pass"] >= COUNT and len(got) == COUNT
    assert {len(frame) for frame in got} == {size} and len(set(got)) == 1
    assert got[0][16:] == bytes(i % 251 for i in range(size - 16))


def test_pass_changed(xdp):
    """The network stack receives the frames as the program has changed them: longer, shorter, or
    with a new header in front."""
    _, got = xdp.received(GROW)
    assert {len(frame) for frame in got} == {SIZE + GROWTH} and len(got) == COUNT
    _, got = xdp.received(SHRINK, 100)
    assert {len(frame) for frame in got} == {SIZE - 100} and len(got) == COUNT
    _, got = xdp.received(PUSH)
    assert {len(frame) for frame in got} == {SIZE + 14} and len(got) == COUNT
    assert got[0][:14] == got[0][14:28] and got[0][30:] == bytes(i % 251 for i in range(SIZE - 16))


@pytest.mark.parametrize("size", [full(60), 1514])
def test_tx(xdp, size):
    """Each frame returns to the sender once."""
    counts, back = xdp.send(TX, size=size)
    assert counts["tx"] == COUNT and counts["error"] == 0
    assert len(back) == COUNT and len(set(back)) == 1 and len(back[0]) == size
    macs = [bytes.fromhex(mac.replace(":", "")) for mac in xdp.pair.card.macs]
    assert back[0][:12] == macs[1] + macs[0]
    assert back[0][16:] == bytes(i % 251 for i in range(size - 16))


def test_redirect_out(xdp, veth):
    """Frames can be redirected to another interface."""
    near, far = veth
    counts, got = xdp.received(REDIRECT, index(xdp.vm, near), far)
    assert counts["redirect"] == COUNT and len(got) == COUNT and len(set(got)) == 1


@pytest.mark.full
def test_redirect_in(xdp, veth):
    """The netdev sends frames that are redirected from another interface, and from itself."""
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


@pytest.mark.full
def test_redirect_to_missing_interface(xdp):
    """Frames that are redirected to an interface that does not exist are counted and not sent."""
    counts, _ = xdp.send(REDIRECT, 250)
    # The interface is looked up when redirected frames are sent
    assert counts["redirect"] + counts["error"] == COUNT and counts["xmit"] == 0


@pytest.mark.full
def test_redirect_while_down(xdp, veth):
    """If the interface goes down and up under redirected frames, only frames are lost."""
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
    """XDP needs each frame in one buffer, so an MTU that is too large is refused, with the
    reason."""
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


@pytest.mark.full
def test_attach_and_detach(xdp):
    attach_and_detach(xdp, 3)


@pytest.mark.full
def test_survives_reset(xdp):
    """The program survives a reset of the card and a replacement of the queues."""
    reset_function(xdp.pair, xdp.vm)
    xdp.vm.check(f"ethtool -L {xdp.netdev} combined 1 && ethtool -L {xdp.netdev} combined 2")
    counts, back = xdp.send(TX)
    assert counts["tx"] == len(back) == COUNT
