# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards in network namespaces, as Documentation/namespaces.rst says: each card in its own, with the
RDMA subsystem in exclusive mode, or shared by all. Devices move while processes use them, and
namespaces end."""

import contextlib
import re

import pytest
from lab.perftest import perftest, pingpong
from settings import GIVEN_UP, counters, inject, listening, two_sides, wait_until, works
from spaces import NAMES, devices, has_gid, maker, netdev_of_gid, node_of

# `enum ibv_event_type`: IBV_EVENT_DEVICE_FATAL
DEVICE_FATAL = 8


@pytest.fixture
def make_spaces(two):
    with maker(two) as make:
        yield make


@pytest.fixture
def spaces(make_spaces):
    """A card in each of two namespaces, in exclusive mode."""
    return make_spaces("exclusive").move()


@pytest.mark.full
def test_seen_in_its_namespace_only(spaces):
    """A device is listed in its namespace only, and a process of another one cannot open it."""
    assert devices(spaces.vm) == {}
    for space, other, device in zip(spaces.vms, spaces.vms[::-1], spaces.devices):
        assert list(devices(space)) == [device]
        assert space.check("ls /sys/class/infiniband").split() == [device]
        assert device in space.check("ibv_devices")
        node = node_of(space, device)
        space.check(f": </dev/infiniband/{node}")
        for stranger in (other, spaces.vm):
            assert "not permitted" in stranger.run(f": </dev/infiniband/{node}")[1]


def test_programs(spaces):
    """rping and perftest work between cards in two namespaces."""
    works(spaces, spaces.ornic)
    perftest(spaces, spaces.ornic, "ib_send_bw", 65536, 200)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["vlan", "macvlan"])
@pytest.mark.parametrize("mode", ["exclusive", "shared"])
def test_uppers(make_spaces, kind, mode):
    """The address of a VLAN or macvlan is a GID of its parent's device, and RDMA works with it in
    the namespace of the new netdev. In shared mode the parents stay in the first namespace. The GID
    goes with its netdev."""
    spaces = make_spaces(mode)
    parents = (None, None)
    if mode == "exclusive":
        spaces.move()
        parents = NAMES
    ports = spaces.add_uppers(kind, parents)
    for space, port in ports.items():
        assert netdev_of_gid(space, port) == "upper0"
    works(spaces, ports)
    for space, port in ports.items():
        space.check("ip link del upper0")
        wait_until("no GID", lambda space=space, port=port:
                   not has_gid(space, port.device, port.ip))


@pytest.mark.full
def test_shared(make_spaces):
    """In shared mode, the default, every namespace lists all devices, and none can be moved. RDMA
    works in the namespace of the netdev."""
    spaces = make_spaces("shared").move_netdevs()
    for space in (*spaces.vms, spaces.vm):
        assert sorted(devices(space)) == sorted(spaces.devices)
    code, output = spaces.vm.run(f"rdma dev set {spaces.devices[0]} netns {NAMES[0]}")
    assert code and re.search("shared|not supported", output), (code, output)
    works(spaces, spaces.ornic)


@contextlib.contextmanager
def endless(spaces, port, options):
    """Runs an endless ibv_rc_pingpong between the namespaces: yields the server and the client, and
    kills them at the end."""
    server, client = spaces.vms[::-1]
    words = [f"ibv_rc_pingpong {options} -n 10000000 -p {port} -d {spaces.ornic[space].device} "
             f"-g {spaces.ornic[space].gid_index}" for space in (server, client)]
    commands = [server.spawn(words[0])]
    try:
        wait_until("pingpong listens", lambda: server.run(listening(port))[0] == 0)
        commands.append(client.spawn(f"{words[1]} {spaces.ornic[server].ip}"))
        yield commands
    finally:
        for command in commands:
            if command.poll() is None:
                command.kill("KILL")
            command.wait(30)


def move_with_processes(spaces):
    client = spaces.a
    before = counters(spaces.card, 0, "objects")
    log = "/tmp/asyncwatch.log"
    watch = client.spawn(f"stdbuf -oL ibv_asyncwatch -d {spaces.devices[0]} >{log}")
    # One process waits for events, another polls
    with endless(spaces, 18600, "-e") as waits, endless(spaces, 18601, "") as polls:
        wait_until("the QPs are there",
                   lambda: counters(spaces.card, 0, "objects")["qp"] == before["qp"] + 2)
        start = counters(spaces.card, 0, "rdma")["tx_bytes"]
        wait_until("bytes move",
                   lambda: counters(spaces.card, 0, "rdma")["tx_bytes"] > start + (1 << 20))
        assert all(one.poll() is None for one in (watch, *waits, *polls))
        spaces.move_back(0)
        assert devices(client) == {} and list(devices(spaces.vm)) == [spaces.devices[0]]
        wait_until("no objects of the processes",
                   lambda: counters(spaces.card, 0, "objects") == before)
        wait_until("the event", lambda: f"({DEVICE_FATAL})" in client.check(f"cat {log}"))
        watch.kill()
        watch.wait(30)
        code, output = waits[1].wait(30)
        assert code == 1 and "Failed to get cq_event" in output, (code, output)
    spaces.move_device(0)
    works(spaces.find(), spaces.ornic)


@pytest.mark.full
def test_move_with_processes(spaces):
    """A device that moves is gone for the processes that use it: they get IBV_EVENT_DEVICE_FATAL,
    waiting for completions ends with EIO, and they leave nothing in the card. The device works
    where it is moved to, and after it is moved back."""
    move_with_processes(spaces)


def namespace_ends(spaces):
    device, space = spaces.devices[0], spaces.a
    watch = space.spawn(f"ibv_asyncwatch -d {device}")
    wait_until("the process has opened it",
               lambda: "ibv_asyncwatch" in space.check("rdma resource show ctx"))
    spaces.delete()
    wait_until("the other card is back", lambda: spaces.devices[1] in devices(spaces.vm))
    assert device not in devices(spaces.vm)
    assert watch.poll() is None
    watch.kill()
    watch.wait(30)
    wait_until("the cards are back", spaces.all_back)
    assert sorted(devices(spaces.vm)) == sorted(spaces.devices)
    assert sorted(spaces.vm.netdevs_of("ornic")) == sorted(spaces.netdevs)
    pingpong(*two_sides(spaces.whole, spaces.whole.set_up().ports), options="-n 100")


@pytest.mark.full
def test_namespace_ends(spaces):
    """A namespace without a name lives as long as its last process. Then the card's netdev and
    device are back, and work."""
    namespace_ends(spaces)


@pytest.mark.full
@pytest.mark.parametrize("moved", ["netdev", "device"])
def test_halves(make_spaces, moved):
    """If only one of netdev and RDMA device is moved, the GIDs are in the device's table, as with
    any RDMA device, but rdma_cm finds no device. When the other follows, all works."""
    spaces = make_spaces("exclusive")
    first, second = spaces.move_netdev, spaces.move_device
    home = spaces.vm
    if moved == "device":
        first, second = second, first
        home = spaces.a
    first(0)
    if moved == "netdev":
        wait_until("the GID", lambda: has_gid(home, spaces.devices[0], spaces.ips[0]))
    link = home.check(f"rdma link show {spaces.devices[0]}/1")
    assert "netdev" not in link, link
    spaces.move_netdev(1)
    spaces.move_device(1)
    code, output = spaces.a.run(f"rping -s -a {spaces.ips[0]} -C 1")
    assert code and re.search("No RDMA devices|Cannot assign", output), (code, output)
    second(0)
    works(spaces.find(), spaces.ornic)


def recovery(spaces):
    name = spaces.devices[0]
    spaces.a.check(f"rdma dev set {name} name pod_0")
    before = devices(spaces.a)
    inject(spaces, spaces.vm, "fatal", 0)
    wait_until("a new device", lambda: devices(spaces.a) not in ({}, before), GIVEN_UP)
    assert devices(spaces.vm) == {} and list(devices(spaces.a)) == ["pod_0"]
    works(spaces.find(), spaces.ornic)
    spaces.a.check(f"rdma dev set pod_0 name {name}")


def test_recovery(spaces):
    """After the recovery of a card its device is in the namespace of the netdev again, with the
    name that an administrator has given it."""
    recovery(spaces)


@pytest.mark.long
@pytest.mark.slow
def test_debug_kernel(debug_cards):
    """Moves with processes, a recovery and the end of a namespace cause no report of a debug
    kernel."""
    with maker(debug_cards) as make:
        spaces = make("exclusive").move()
        works(spaces, spaces.ornic)
        move_with_processes(spaces)
        recovery(spaces)
        namespace_ends(spaces)
