# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Verbs that rdma-core's suite does not cover: refusals, races of events, states of QPs, error
events. Each case is a function of a program in guest/, on one port of one VM."""

import re

import pytest
from lab.pair import find_again
from lab.perftest import pingpong
from transfer import RC, RC_MORE, UD, mixed, transfer
from settings import cases_of, come_back, control, full, inject, resources, run_cases, wait_until

PROGRAMS = ("qp", "cq", "srq", "mcast", "mr", "event")
# {case: why it is for `make check-full`}
FULL = {
    "arm_poll_race": "some rounds must sleep and some must not, which the processors decide",
    "moderation": "the event for enough completions must come well before the period of 65 ms ends",
}
# The only case of these programs that waits for an action of the test
WATCH = "watch"
CASES = [pytest.param(program, case, marks=[pytest.mark.full] * (case in FULL))
         for program in PROGRAMS for case in cases_of(program) if case != WATCH]
EVENTS = "/tmp/events"


@pytest.mark.parametrize("program, case", CASES)
def test_case(pair, case_passes, program, case):
    """The case passes; the comment at its function says what it proves."""
    case_passes(pair, program)


def test_path_mtu_of_a_small_port(pair, guest_programs):
    """[ORNIC-WIRE-25]: the driver refuses a path MTU above that of a port of 1500 bytes."""
    port, case = pair.ornic[pair.a], "path_mtu_of_the_port"
    pair.a.check(f"ip link set {port.netdev} mtu 1500")
    try:
        assert run_cases(pair.a, port, guest_programs, "qp", [case]) == {case: ""}
    finally:
        pair.a.check(f"ip link set {port.netdev} mtu 9000")


@pytest.mark.parametrize("transport, ops, options", [
    *[full("rc", op, "") for op in RC],
    *[("rc", op, options) for op, options in RC_MORE],
    mixed("rc"),
    mixed("rc", "-x", "extended"),
    mixed("rc", "-S", "srq"),
    full("rc", "write,read,fetch_add", "-w 1", id="rc-window-1"),
    pytest.param("rc", "write,read,fetch_add,send_inv", "-w 2", id="rc-window-2"),
    mixed("uc"),
    mixed("uc", "-x", "extended", pytest.mark.full),
    full("uc", "write", "-w 2", id="uc-window-2"),
    mixed("ud"),
    mixed("ud", "-x", "extended", pytest.mark.full),
    mixed("ud", "-S", "srq", pytest.mark.full),
    pytest.param("ud", ",".join(UD), "-G 239.10.20.30", id="ud-multicast"),
    # Full packets, and packets that are one byte shorter
    mixed("ud", "-l 4096 -m 4096", "largest"),
])
def test_transfer(pair, guest_programs, transport, ops, options):
    """Each operation, and mixtures of them, work between two cards with every byte checked, with
    several packets per message and many messages in flight."""
    longest = "-l 1000" if transport == "ud" else "-l 20000"
    transfer(pair, pair.ornic, guest_programs, ops, f"-t {transport} {longest} {options}")


def watch(pair, programs):
    port = pair.ornic[pair.a]
    command = pair.a.spawn(f"exec {programs}/event {port.device} {port.gid_index} {WATCH} "
                           f">{EVENTS} 2>&1")

    def opened():
        assert command.poll() is None, pair.a.check(f"cat {EVENTS}")
        return (port.device, "pd") in resources(pair.a)

    wait_until("the program has the device open", opened)
    return command


def events(vm):
    """Returns the names of the events that the program has got."""
    return re.findall(r"^event: (.*)$", vm.check(f"cat {EVENTS}"), re.M)


def test_port_events(pair, guest_programs):
    """A program gets an event for each change of the link and of the GID table."""
    vm, port = pair.a, pair.ornic[pair.a]
    command = watch(pair, guest_programs)

    def comes(event, change):
        """Makes a change, and waits for an event that was not there before."""
        before = events(vm).count(event)
        change()
        wait_until(event, lambda: events(vm).count(event) > before)

    comes("port error", lambda: control(pair.card, "link nic0 down"))
    comes("port active", lambda: control(pair.card, "link nic0 up"))
    address = f"10.77.0.1/24 dev {port.netdev}"
    comes("GID table change", lambda: vm.check(f"ip addr add {address}"))
    comes("GID table change", lambda: vm.check(f"ip addr del {address}"))
    assert command.poll() is None, command.poll()
    command.kill("KILL")
    command.wait()
    find_again(pair, vm)


def test_device_fatal(pair, guest_programs):
    """If the card fails, a program gets an event and can end, and the next program works."""
    vm = pair.a
    command = watch(pair, guest_programs)
    come_back(pair, vm, lambda: inject(pair, vm, "fatal"))
    wait_until("the program ends", command.poll)
    assert command.wait()[0] == 0, events(vm)
    assert "local catastrophic error" in events(vm)
    pingpong(pair, pair.ornic)
