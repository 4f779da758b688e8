# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Each allocation in the drivers fails once: the call fails with ENOMEM and loses nothing, the same
call then works, and the kernel has nothing to report. guest/nomem.c does this in the debug kernel,
for a growing number n of the allocation that fails."""

import re

import pytest
from lab.pair import Port, find_port, set_address
from lab.perftest import pingpong
from settings import Traffic, control, counters, long, pci_address, wait_until

# Growth of n, in per cent; 0: by one
SPARSE, COARSE, SOME, FINE, EACH = 900, 300, 50, 10, 0
TIMEOUT = 900
ADDRESS = "10.41.0.1"

# Entry points with no allocation in our functions or below them, by the reason
NOTHING_OWN = {
    "one command, in memory that the driver has": """modify_cq modify_srq query_srq modify_qp_init
        modify_qp_rtr modify_qp_rts modify_qp_sqd modify_qp_rts_sqd modify_qp_err modify_qp_reset
        modify_qp_ud_init query_qp modify_qp_rate attach_mcast rereg_mr_access rereg_mr_pd modify_wq
        read_counters""",
    "no command": "create_ah query_device query_port query_gid_table open_qp alloc_null_mr",
}
# Likewise, if the driver has what they need: a place in its table of such numbers, a doorbell page
SELDOM_OWN = "open alloc_pd open_xrcd alloc_mw_1 alloc_mw_2 create_counters attach_counters"


@pytest.fixture
def nothing_lost(debug_cards, request):
    """Checks after the test that the card has as many objects as before, and, if the test is long,
    that no memory has leaked. A look for leaks takes as long as a test of `make check`; for these
    the lab does it once, when it ends the VM."""
    cards = debug_cards
    scan = request.node.get_closest_marker("long")
    # The kernel's message about any allocation that fails
    cards.a.expects(r".*: page allocation failure: .*", required=False)
    if scan:
        cards.a.check("echo clear >/sys/kernel/debug/kmemleak")
    before = counters(cards.card, 0, "objects")
    yield
    wait_until("nothing is left", lambda: counters(cards.card, 0, "objects") == before)
    if scan:
        leaked = cards.a.find_leaks()
        cards.a.check("echo clear >/sys/kernel/debug/kmemleak")
        assert not leaked, leaked


def figures(text):
    """Returns {entry point: {"injected": N, ...}} from the output of nomem."""
    return {name: {word: int(number) for word, number in re.findall(r"(\w+) (\d+)", rest)}
            for name, rest in re.findall(r"^(.+): (injected .*)$", text, re.M)}


def sweep(cards, programs, record_property, scope, growth, groups):
    """Sweeps every entry point of these groups. Each must have had a failed allocation. With the
    scope "own" it must be an allocation of our functions, unless they make none."""
    port = cards.ornic[cards.a]
    code, text = cards.a.run(f"{programs}/nomem sweep {growth} {scope} {port.device} "
                             f"{port.gid_index} {groups}", TIMEOUT)
    record_property("report", text.splitlines())
    assert code == 0, text
    found = figures(text)
    names = [name for name in found if not name.endswith(", undone")]
    if scope == "all":
        assert not [name for name in names if not found[name]["injected"]]
        return
    never = " ".join(NOTHING_OWN.values()).split()
    hit = [name for name in names if found[name]["injected"] > found[name]["copies"]]
    assert not set(hit) & set(never)
    assert not set(names) - set(hit) - set(never) - set(SELDOM_OWN.split())


def works_again(cards):
    """Sets the address of the first card's netdev, which may be a new one, and checks that data
    moves."""
    vm = cards.a
    wait_until("an interface", lambda: len(vm.netdevs_of("ornic")) == 2)
    netdev = vm.netdevs_of("ornic")[0]
    set_address(vm, netdev, ADDRESS)
    port = find_port(vm, netdev, ADDRESS)
    cards.ports[0] = cards.ornic[vm] = Port(port.device, netdev, "127.0.0.1", port.gid_index)
    pingpong(cards, cards.ornic, options="-n 100 ")


@pytest.mark.debug
@pytest.mark.parametrize("scope, growth", [
    ("own", SOME), long("all", SOME), long("own", EACH), long("all", EACH),
])
def test_verbs(debug_cards, nothing_lost, guest_programs, record_property, scope, growth):
    """Every call of libibverbs that reaches the driver withstands failed allocations."""
    sweep(debug_cards, guest_programs, record_property, scope, growth, "object qp memory frame")


@pytest.mark.full
@pytest.mark.parametrize("growth", [COARSE, long(EACH)])
def test_netdev(debug_cards, nothing_lost, guest_programs, record_property, growth):
    """A change that fails leaves the interface as it was, with its link."""
    sweep(debug_cards, guest_programs, record_property, "own", growth, "netdev")
    sweep(debug_cards, guest_programs, record_property, "all", growth, "settings")
    works_again(debug_cards)


@pytest.mark.full
@pytest.mark.parametrize("growth", [SPARSE, long(FINE)])
def test_probe(debug_cards, nothing_lost, guest_programs, record_property, growth):
    """A probe without memory leaves the device alone, and the next probe succeeds. A probe takes a
    second and makes thousands of allocations, most of them for buffers of the receive rings: too
    many to let each one fail."""
    vm = debug_cards.a
    vm.expects(r"(infiniband )?ornic.*", required=False)
    sweep(debug_cards, guest_programs, record_property, "own", growth, "probe")
    works_again(debug_cards)


def short_of_memory(vm, programs, per_cent, seconds):
    """Makes this percentage of the drivers' allocations fail, in every context, for this time
    (seconds)."""
    return vm.spawn(f"{programs}/nomem random {per_cent} {seconds}")


def injected(command, record_property, name):
    code, text = command.wait()
    assert code == 0, text
    record_property("report", [f"{name}: {text}"])
    assert int(re.search(r"injected (\d+)", text)[1])


def rdma_device(vm, port):
    return vm.has_file(f"/sys/class/infiniband/{port.device}/node_guid")


@pytest.mark.full
@pytest.mark.parametrize("per_cent", [1, long(10)])
def test_recovery(debug_cards, nothing_lost, guest_programs, record_property, per_cent):
    """If the card fails while memory is short, it recovers by itself, at the latest when there is
    memory again. The verbs driver may have to be bound again, because the kernel does not repeat a
    probe that had no memory."""
    vm, port = debug_cards.a, debug_cards.ornic[debug_cards.a]
    address = pci_address(vm, port.netdev)
    debug_cards.card.expects(r"ornic-device: nic0: error: stopped, cause \d+")
    vm.expects(r"ornic .*: device reports fatal error \d+")
    vm.expects(r"(infiniband )?ornic.*", required=False)
    traffic = Traffic(debug_cards)
    command = short_of_memory(vm, guest_programs, per_cent, 10)
    control(debug_cards.card, "inject nic0 fatal")
    injected(command, record_property, "recovery")
    traffic.kill()
    there = f"cd /sys/bus/pci/devices/{address} && ls -d ornic.rdma.*"
    wait_until("the card runs", lambda: vm.run(there)[0] == 0)
    bind = f"echo $({there}) >/sys/bus/auxiliary/drivers/ornic_rdma.rdma/bind"
    if vm.run(bind)[0] == 0:
        record_property("report", ["recovery: the verbs driver was bound again"])
    wait_until("an RDMA device", lambda: rdma_device(vm, port))
    works_again(debug_cards)


@pytest.fixture
def two_hosts(debug_cards):
    """The address of the second card, whose netdev is in a network namespace of its own."""
    vm = debug_cards.a
    near, far = (port.netdev for port in debug_cards.ports)
    vm.check(f"ip netns add far && ip link set {far} netns far && "
             f"ip -n far addr add 10.50.0.2/24 dev {far} && ip -n far link set {far} up && "
             f"ip addr add 10.50.0.1/24 dev {near}")
    wait_until("it answers", lambda: vm.run("ping -c 1 -W 1 10.50.0.2")[0] == 0)
    yield "10.50.0.2"
    vm.check(f"ip addr del 10.50.0.1/24 dev {near} && ip -n far link set {far} down && "
             f"ip -n far link set {far} netns 1 && ip netns del far")
    set_address(vm, far, "10.42.0.1")


@pytest.mark.full
@pytest.mark.parametrize("per_cent, seconds", [(10, 4), long(10, 10), long(50, 10)])
def test_frames(debug_cards, nothing_lost, guest_programs, two_hosts, record_property, per_cent,
                seconds):
    """If NAPI cannot refill buffers of several pages, frames are lost, without other effects."""
    vm, near = debug_cards.a, debug_cards.ports[0].netdev
    command = short_of_memory(vm, guest_programs, per_cent, seconds)
    for size in (56, 3000, 8900):
        vm.run(f"ping -f -q -w {seconds // 3} -s {size} {two_hosts}")
    injected(command, record_property, "frames")
    text = vm.check(f"ping -c 10 -i 0.2 -s 8900 {two_hosts}")
    assert " 0% packet loss" in text
    # Down and up replaces all buffers
    vm.check(f"ip link set {near} down && ip link set {near} up")
    wait_until("it answers", lambda: vm.run(f"ping -c 1 -W 1 {two_hosts}")[0] == 0)
