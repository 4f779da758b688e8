# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The driver is taken from a card under traffic and gets it back, again and again, on two
processors."""

import pytest
from lab import long
from lab.pair import find_port
from lab.perftest import pingpong
from settings import (
    RECOVERY, Traffic, bind_again, counters, fail, pci_address, reset_function, resources,
    set_up_again, wait_until,
)

# Cycles of a step of `make check-long`
MANY = 100
# A step has 30 minutes, so each kind has two
PARTS = ("first", "second")
# The driver gives a card up that fails more often than this in ten minutes (ORNIC_RECOVERY_BURST),
# and counts anew when it is bound
FATALS = 4


def sysfs(vm, path, text, timeout=120):
    vm.check(f"echo {text} >/sys/bus/pci/{path}", timeout)


def flr(pair, vm):
    port = pair.ornic[vm]
    reset_function(pair, vm, 120)
    pair.ornic[vm] = find_port(vm, port.netdev, port.ip, RECOVERY)


def unbind(pair, vm):
    bind_again(vm, pci_address(vm, pair.ornic[vm].netdev))
    set_up_again(pair, vm)


def remove(pair, vm):
    sysfs(vm, f"devices/{pci_address(vm, pair.ornic[vm].netdev)}/remove", 1)
    sysfs(vm, "rescan", 1)
    set_up_again(pair, vm)


def kill(pair, vm):
    """The programs are killed after each cycle anyway; here the driver is not taken away."""
    assert resources(vm)


KINDS = {"unbind": unbind, "flr": flr, "fatal": fail, "remove": remove, "kill": kill}


def cycle(pair, kind):
    traffic = Traffic(pair)
    KINDS[kind](pair, pair.a)
    traffic.kill()
    for vm in pair.vms:
        wait_until(f"{vm.name} has no resources", lambda vm=vm: resources(vm) == {}, RECOVERY)


def run(pair, kinds):
    """Runs one cycle per element of `kinds`; the card has as many objects afterwards as before."""
    # Earlier tests may have left the interface with other queues than a new one has
    cycle(pair, "unbind")
    before = counters(pair.card, 0, "objects")
    for number, kind in enumerate(kinds):
        try:
            cycle(pair, kind)
        except Exception as error:
            raise AssertionError(f"cycle {number}, {kind}") from error
    pingpong(pair, pair.ornic, timeout=300)
    wait_until("no objects are left", lambda: counters(pair.card, 0, "objects") == before, RECOVERY)


def test_all_parts():
    """Each part of each kind is a step of `make check-long`."""
    name = "e2e/test_cycles.py"
    assert [step.only for step in long.STEPS if name in step.files] == \
        [f"{kind} and {part}" for kind in KINDS for part in PARTS]


def test_few(queues):
    """A cycle of each kind with the stock kernel, beside those of test_lifecycle.py."""
    run(queues, KINDS)


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", KINDS)
def test_many(debug_pair, kind, part):
    """Many cycles of one kind with the debug kernel; `part` only gives the step its name."""
    if kind == "fatal":
        kinds = (["fatal"] * FATALS + ["unbind"]) * (MANY // (FATALS + 1))
    else:
        kinds = [kind] * MANY
    run(debug_pair, kinds)
