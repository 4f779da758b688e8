# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""If the device gives invalid answers or none, the driver reports this once, resets the device, and
no caller hangs. The carrier follows the port. Faults are injected through the control socket."""

import json
import time

import pytest
from lab.pair import find_again
from lab.perftest import pingpong, rping
from settings import (
    RECOVERY, Traffic, bind_again, come_back, complaints, control, counters, fail, inject,
    pci_address, reset_function, set_up_again, wait_until,
)

# Recoveries within ten minutes after which the driver gives a card up (ORNIC_RECOVERY_BURST)
RECOVERIES = 5
# Seconds within which a program does not hang
HANG = 120
# Seconds in which a device that is not given up would be back
BACK = 10


def recovers(pair, fault, provoke):
    """Checks that the driver resets a device with this fault, reports it once, and works as before
    afterwards."""
    vm = pair.a
    said = len(complaints(vm))
    qps = counters(pair.card, group="objects")["qp"]
    traffic = Traffic(pair)

    def break_down():
        inject(pair, vm, fault)
        provoke(vm)

    come_back(pair, vm, break_down)
    traffic.kill()
    pingpong(pair, pair.ornic)
    rping(pair, pair.ornic, count=5)
    assert counters(pair.card, group="objects")["qp"] == qps
    new = complaints(vm)[said:]
    assert len(new) == 1, new


def open_device(vm):
    """Runs a program that needs a command. It may fail, but it must not hang."""
    assert vm.run("ibv_rc_pingpong -d ornic_0 -g 0 127.0.0.1", HANG)[0] not in (124, 137)


@pytest.mark.parametrize("fault", ["fatal", "no bus master"])
def test_fatal(pair, fault):
    """[ORNIC-RST-7], [ORNIC-PCI-7]."""
    recovers(pair, fault, lambda vm: None)


@pytest.mark.full
@pytest.mark.parametrize("fault", ["mute", "nonsense"])
def test_commands_unanswered(pair, fault):
    recovers(pair, fault, open_device)


def rebind(pair, vm):
    bind_again(vm, pci_address(vm, pair.ornic[vm].netdev))
    set_up_again(pair, vm)


def batches(pair, vm, programs):
    """Starts a program that ends with an error as soon as something fails."""
    port = pair.ornic[vm]
    return vm.spawn(f"{programs}/batches {port.device} {port.gid_index} 600 strict")


@pytest.mark.full
def test_giving_up(pair, guest_programs):
    """A device that fails again and again stays down, with one more message, until an administrator
    resets it. Programs on it end with an error, and the card of the other VM goes on working."""
    vm = pair.a
    # The tests before have made the device fail too
    rebind(pair, vm)
    bystander = batches(pair, pair.b, guest_programs)
    for _ in range(RECOVERIES):
        fail(pair, vm)
    qps = counters(pair.card, group="objects")["qp"]
    program = batches(pair, vm, guest_programs)
    wait_until("the program has a QP", lambda: counters(pair.card, group="objects")["qp"] > qps)
    vm.expects(r"ornic \S+: device fails too often, giving up")
    said = len(complaints(vm))
    inject(pair, vm, "fatal")
    wait_until("the driver gives up", lambda: len(complaints(vm)) == said + 2)
    code, output = program.wait(RECOVERY)
    assert code not in (0, 124, 137), output
    time.sleep(BACK)
    assert json.loads(vm.check("rdma -j dev") or "[]") == []
    assert len(complaints(vm)) == said + 2, complaints(vm)[said:]
    reset_function(pair, vm)
    find_again(pair, vm, RECOVERY)
    pingpong(pair, pair.ornic)
    assert bystander.poll() is None, bystander.poll()
    bystander.kill("KILL")
    bystander.wait()
    # The reset has ended the count of failures
    fail(pair, vm)
    pingpong(pair, pair.ornic)


def test_carrier_follows_the_cable(pair):
    vm = pair.a
    port = pair.ornic[vm]

    def carrier():
        return vm.check(f"cat /sys/class/net/{port.netdev}/carrier").strip()

    def state():
        return json.loads(vm.check("rdma -j link"))[0]["state"]

    def times_down():
        path = f"/sys/class/infiniband/{port.device}/ports/1/counters/link_downed"
        return int(vm.check(f"cat {path}"))

    assert carrier() == "1"
    before = times_down()
    control(pair.card, "link nic0 down")
    wait_until("no carrier", lambda: carrier() == "0")
    assert times_down() == before + 1
    wait_until("RDMA port down", lambda: state() == "DOWN")
    control(pair.card, "link nic0 up")
    wait_until("carrier", lambda: carrier() == "1")
    wait_until("RDMA port active", lambda: state() == "ACTIVE")
    find_again(pair, vm)
    pingpong(pair, pair.ornic)
