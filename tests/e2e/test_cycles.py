# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The driver is taken from a card under traffic and gets it back, again and again, on two
processors."""

import time

import pytest
from busy import Busy
from lab import long
from settings import (
    RECOVERY, bind_again, counters, fatal_cause, inject, pci_address, resources, wait_until,
)

KINDS = ("unbind", "flr", "fatal", "remove", "kill")
# Cycles of a step of `make check-long`
MANY = 200
# The driver gives a card up that fails more often than this in ten minutes (ORNIC_RECOVERY_BURST),
# and counts anew when it is bound
FATALS = 4


def sysfs(vm, path, text):
    vm.check(f"echo {text} >/sys/bus/pci/{path}", 120)


class Cards:
    """Two cards in a VM, each with an RDMA program and a stream of frames that begin anew whenever
    they can. The cards take turns."""

    def __init__(self, pair):
        self.pair, self.vm, self.busy = pair, pair.a, None
        self.addresses = [pci_address(self.vm, port.netdev) for port in pair.ports]

    def start(self, programs):
        self.busy = Busy(self.vm, programs)
        for address in self.addresses:
            # The link-local GID is there as soon as the port is up
            self.busy.batches(address, 0)
            self.busy.ping(address)

    def counters(self, number, group):
        return counters(self.pair.card, number, group)

    def sends(self, number):
        """Waits until the card has sent packets of RDMA and frames."""
        for group, name in (("rdma", "tx_packets"), ("port", "tx_frames")):
            start = self.counters(number, group)[name]
            wait_until(f"card {number} sends", lambda group=group, name=name, start=start:
                       self.counters(number, group)[name] > start)

    def objects(self):
        return [self.counters(number, "objects") for number in range(len(self.addresses))]

    def unbind(self, number):
        bind_again(self.vm, self.addresses[number])
        self.up(number)

    def remove(self, number):
        sysfs(self.vm, f"devices/{self.addresses[number]}/remove", 1)
        sysfs(self.vm, "rescan", 1)
        self.up(number)

    def up(self, number):
        """Gives a new interface its address."""
        self.vm.check(f"netdev=$(ls /sys/bus/pci/devices/{self.addresses[number]}/net) && "
                      f"ip link set $netdev up && ip addr add 10.{41 + number}.0.1/24 dev $netdev")

    def flr(self, number):
        name, resets = f"nic{number}", self.pair.card.function_resets()
        self.pair.card.expects_reset(name)
        sysfs(self.vm, f"devices/{self.addresses[number]}/reset", 1)
        assert self.pair.card.function_resets()[name] > resets[name]

    def fatal(self, number):
        inject(self.pair, self.vm, "fatal", number)
        wait_until("recovery", lambda: not fatal_cause(self.pair.card, number))

    def kill(self, _):
        self.vm.check("until pkill -KILL batches; do sleep 0.1; done", 60)

    def cycle(self, number, kind):
        self.sends(number)
        getattr(self, kind)(number)
        # After an oops the next cycle may hang
        assert not (reports := self.vm.reports()), reports

    def run(self, kinds):
        """Runs one cycle per element of `kinds`. Returns the seconds that each took."""
        seconds = []
        for done, kind in enumerate(kinds):
            begin = time.monotonic()
            try:
                self.cycle(done % len(self.addresses), kind)
            except Exception as error:
                raise AssertionError(f"cycle {done}, {kind}") from error
            seconds.append(time.monotonic() - begin)
        return seconds

    def finish(self):
        for number in range(len(self.addresses)):
            self.sends(number)
        self.busy.finish(RECOVERY)
        wait_until("no resources", lambda: resources(self.vm) == {})


def run(pair, programs, kinds, record_property):
    """Runs a cycle per element of `kinds`; the cards have as many objects afterwards as before."""
    cards = Cards(pair)
    # Earlier tests may have left the interfaces with other queues than new ones have
    cards.unbind(0)
    cards.unbind(1)
    before = cards.objects()
    cards.start(programs)
    try:
        seconds = cards.run(kinds)
        cards.finish()
    finally:
        cards.busy.kill()
    wait_until("no objects are left", lambda: cards.objects() == before)
    pair.load_ornic()
    record_property("report", [f"{len(seconds)} cycles, {sum(seconds):.0f} s, the longest "
                               f"{max(seconds):.1f} s"])


def test_all_kinds():
    """Each kind is a step of `make check-long`."""
    name = "e2e/test_cycles.py"
    assert [step.only for step in long.STEPS if name in step.files] == list(KINDS)


@pytest.mark.full
def test_few(two_cards, guest_programs, record_property):
    """A cycle of each kind per card with the stock kernel, beside those of test_lifecycle.py."""
    run(two_cards, guest_programs, KINDS * 2, record_property)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many(debug_cards, guest_programs, record_property, kind):
    """Many cycles of one kind with the debug kernel."""
    kinds = [kind] * MANY
    if kind == "fatal":
        kinds = (["fatal"] * FATALS + ["unbind"]) * (MANY // (FATALS + 1))
    run(debug_cards, guest_programs, kinds, record_property)
