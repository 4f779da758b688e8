# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A card breaks the hardware interface in every way it can (man ornic-device, LIES), under traffic
of processes and of the network stack. The debug kernel reports nothing, nothing hangs for longer
than the driver's watchdogs take, processes with another card notice nothing, and the card works
again when the lies end."""

import json
import re
import time
from dataclasses import dataclass

import pytest
from busy import Busy
from lab.progress import table
from lab.seed import seed
from settings import control, counters, long, pci_address, wait_until


@dataclass(frozen=True)
class Counts:
    """The least number of lies of each kind: about completions, which are cheap, because most of
    them go to processes; at other places; at places where most lies cost a recovery (COSTLY); in
    all. `each` is whether the card must work again after each kind, or after the last one only."""

    completions: int
    others: int
    costly: int
    total: int
    each: bool


FAST = Counts(165, 20, 1, 2000, each=False)
SWEEP = Counts(9200, 100, 20, 100000, each=True)
# Either the driver stops the card at once, or events stop until it does, up to 10 s later
COSTLY = ("command", "phase.event", "silence.interrupt")
# The card takes this many opportunities for a costly lie and is honest then, so that most
# recoveries succeed
BURST = 2
# Opportunities that the card takes, ppm
RATE = 250000
# The opportunity for these lies is a reset, which a lie of another kind causes
DMA, DMA_RATE = "dma,index.command", 1000000
# Seconds: 15 for a send, 10 for a command ([ORNIC-ADM-16]), and a recovery in the debug kernel
WATCHDOGS = 90
# Seconds in which the lies of a kind must be told on a busy machine, and more for each costly one
TIMEOUT, COSTLY_TIMEOUT = 360, 45
# Frames that the interfaces must receive after the last lie
FRAMES = 10

# Messages of the driver that must follow lies in completions of commands. The driver checks the
# slot of every command, and a command that stays pending times out. Wrong lengths and statuses may
# be possible ones, and a wrong number is noticed when the object is destroyed; so these take more
# lies. All other lies may have no effect that the driver can see.
STRAY, LATE = "device completes command id", r"command \S+ timed out"
MUST_NOTICE = {
    "phase": LATE, "silence": LATE,
    "index": STRAY, "twice": STRAY, "nonsense": STRAY, "ones": STRAY,
    "length": r"command \S+ answered \d+ bytes",
    "status": r"command \S+ (0x[0-9a-f]+ failed|failed with status)",
    "number": r"command \S+ (0x[0-9a-f]+ failed|gave the number)",
}

# Why the driver stops a card. It says so once each time, without a rate limit.
REASONS = tuple(rf"ornic \S+: {reason}" for reason in (
    r"device completes command id 0x[0-9a-f]+, which is not pending",
    r"command \S+ timed out, (no completion|completed without an interrupt) \(pi \d+, ci \d+\)",
    r"command \S+ answered \d+ bytes in room for \d+",
    r"command \S+ failed with status \d+",
    r"command \S+ 0x[0-9a-f]+ failed: -\d+",
    r"command \S+ gave the number 0x[0-9a-f]+ twice",
    r"two objects of type \d+ have the number 0x[0-9a-f]+",
    r"device reports fatal error \d+",
    r"device does not answer",
    r"device was disabled, but not by the driver: status 0x[0-9a-f]+",
    r"completion queue 0x[0-9a-f]+ lacks entry \d+",
    r"event queue \d+ lacks entry \d+",
    r"queue \d+ has failed, and is not replaced: error -\d+",
    r"process got doorbell page \d+ of \d+",
    r"mr 0x[0-9a-f]+ is busy without windows",
    r"cq\[\d+\]: completion of qp 0x[0-9a-f]+, wr_id 0x[0-9a-f]+, which is not outstanding",
    r"gsi qp\[\d+\]: (receive failed with status|queue pair event) \d+",
))
# Why it replaces the queues of the netdev, which does not stop the card
REPLACED = tuple(rf"ornic \S+: queue \d+: {reason}" for reason in (
    r"(send|receive) \d+ failed with status \d+",
    r"completion of send \d+, ci \d+",
    r"completion of receive \d+, ci \d+, pi \d+",
    r"(send|receive) completion queue lacks entry \d+",
    r"completion queue event \d+",
    r"queue pair event \d+",
    r"no send was completed for \d+ ms \(pi \d+, ci \d+\)",
))
# The driver does not bring the card up again by itself
GIVEN_UP = (
    r"ornic \S+: device fails too often, giving up",
    r"ornic \S+: device does not come back from reset: error -\d+",
    r"ornic_rdma\S* \S+: probe with driver \S+ failed with error -\d+",
)
ALSO_SAID = (
    # It ignores spurious events, and those of a later version [ORNIC-EQ-4], [ORNIC-ROOM-3]
    r"ornic \S+: unknown event \d+ for \d+",
    r"ornic_eq_handle: \d+ callbacks suppressed",
    r"ornic \S+ \S+: NETDEV WATCHDOG: .*",
    r"infiniband ornic_\d+: .*",
    r"ornic_rdma\S* \S+: .*Failed to register a verbs device",
)

# In one script, because each start of a program takes long
REVIVE = """cd /sys/bus/pci/devices/{address} && echo 1 >reset &&
    until grep -q ACTIVE infiniband/*/ports/1/state; do sleep 0.2; done"""
# Provides a command for the second of two lies while the command of the first one times out
PROCESSES = 2


class Liar:
    """The first of two cards in a VM, with traffic while the block runs."""

    def __init__(self, cards, programs):
        self.vm, self.card = cards.a, cards.card
        self.port, self.other = cards.ports
        self.programs = programs
        self.address = pci_address(self.vm, self.port.netdev)
        self.heard, self.recovered, self.known = 0, 0, self.index()
        self.said()
        self.vm.expects(*REASONS, *REPLACED, *GIVEN_UP, *ALSO_SAID, required=False)
        self.card.expects_reset("nic0")
        self.busy, self.bystander = None, None

    def __enter__(self):
        self.busy = Busy(self.vm, self.programs)
        for _ in range(PROCESSES):
            self.busy.batches(self.address, self.port.gid_index)
        self.busy.ping(self.address)
        self.busy.ping(pci_address(self.vm, self.other.netdev))
        self.bystander = self.vm.spawn(
            f"nice -n 19 {self.programs}/batches {self.other.device} {self.other.gid_index} 100000 strict")
        return self

    def __exit__(self, *_):
        self.tell("none")
        self.busy.kill()
        if self.bystander.poll() is None:
            self.bystander.kill("KILL")
        self.bystander.wait(60)

    def finish(self):
        """Checks the card and the programs after the last lie. Returns the seconds that the longest
        run of a program took."""
        self.revive()
        wait_until("the card works", self.works)
        before = self.received()
        wait_until("the interfaces receive frames", lambda: all(
            now - then >= FRAMES for now, then in zip(self.received(), before)))
        self.undisturbed()
        return self.busy.finish(WATCHDOGS)

    def undisturbed(self):
        """Checks that the process with the other card still runs."""
        assert self.bystander.poll() is None, self.bystander.poll()

    def received(self):
        """Returns the frames that each interface has received; each hears the other one only."""
        return [int(self.vm.check(f"cat /sys/class/net/{port.netdev}/statistics/rx_packets"))
                for port in (self.port, self.other)]

    def tell(self, lies):
        control(self.card, f"lie nic0 {lies}")

    def told(self):
        """Returns {kind: {place: number}}."""
        return counters(self.card, 0, "lies")

    def said(self):
        """Returns the driver's messages since the last call: why it stopped the card, and that it
        gave up. They are on the console, so this takes no time of the slow machine."""
        with open(self.vm.console_log, "rb") as console:
            console.seek(self.heard)
            text = console.read()
        text = text[:text.rfind(b"\n") + 1]
        self.heard += len(text)
        text = text.decode("latin-1").replace("\r", "")
        return [[found.group() for found in re.finditer(rf"(?:{'|'.join(patterns)})$", text, re.M)]
                for patterns in (REASONS, GIVEN_UP)]

    def works(self):
        device = self.vm.run(f"ls /sys/bus/pci/devices/{self.address}/infiniband")[1].strip()
        return bool(device) and self.vm.run(
            f"timeout -k 1 20 {self.programs}/batches {device} {self.port.gid_index} 1 strict",
            60)[0] == 0

    def index(self):
        """Returns the number of the card's RDMA device, or None while it has none. Each new device
        gets the next number."""
        text = self.vm.check(f"echo $(ls /sys/bus/pci/devices/{self.address}/infiniband)\n"
                             "rdma -j dev")
        names, devices = text.split("\n", 1)
        return next((device["ifindex"] for device in json.loads(devices)
                     if device["ifname"] in names.split()), None)

    def count(self, own=0):
        """Counts the recoveries since the last call: each makes an RDMA device. `own` devices were
        made by the test. A device that could not be registered counts too."""
        index = self.index()
        if index is not None:
            self.recovered += index - self.known - own
            self.known = index

    def back(self):
        """Returns whether the driver has brought the card up since the last call of count()."""
        known = self.known
        self.count()
        return self.known != known

    def revive(self):
        """Resets the function. That ends what the driver cannot see, such as a queue whose
        completion was lost, and it brings back a card that the driver gave up."""
        self.vm.check(REVIVE.format(address=self.address), 120)
        self.count(own=1)


class Part:
    """Has lies of one kind told, ends them, and may wait until the card works again."""

    def __init__(self, liar, kind, counts):
        self.liar, self.kind = liar, kind
        self.stops, self.given_up, self.requests, self.seconds = [], 0, 0, None
        begin, before, recovered = time.monotonic(), liar.told()[kind], liar.recovered
        goals = {place: self.goal(place, counts) for place in before}
        cheap = {place: goal for place, goal in goals.items() if not self.costly(place)}
        self.tell(cheap)
        for place in filter(self.costly, goals):
            self.tell({place: goals[place]}, MUST_NOTICE[kind] if place == "command" else "")
        self.telling = time.monotonic() - begin
        if counts.each:
            self.settle()
        elif self.listen():
            liar.revive()
        liar.count()
        self.told = {place: number - before[place] for place, number in liar.told()[kind].items()}
        self.recovered = liar.recovered - recovered
        for place, goal in goals.items():
            assert self.told[place] >= goal, (kind, self.told)

    def costly(self, place):
        return place in COSTLY or f"{self.kind}.{place}" in COSTLY

    def goal(self, place, counts):
        if self.costly(place):
            return counts.costly
        return counts.completions if place == "completion" else counts.others

    def request(self, places):
        self.requests += 1
        words = [f"{self.kind}.{place}" for place in places] + [f"rate={RATE}"]
        if self.kind == "dma":
            words = [DMA, f"rate={DMA_RATE}"]
        if all(map(self.costly, places)):
            words.append(f"count={BURST}")
        self.liar.tell(",".join([*words, f"seed={seed() + self.requests}"]))

    def noticed(self, reason):
        return any(re.search(reason, line) for line in self.stops) if reason else True

    def tell(self, goals, reason=""):
        """Has lies told until each place has its number and the driver has given this reason."""
        begin, asked = self.liar.told()[self.kind], None
        costly = all(map(self.costly, goals))
        deadline = time.monotonic() + TIMEOUT
        if costly:
            deadline += COSTLY_TIMEOUT * sum(goals.values())
        while True:
            now = self.liar.told()[self.kind]
            told = {place: now[place] - begin[place] for place in goals}
            if all(told[place] >= goals[place] for place in goals) and self.noticed(reason):
                break
            assert time.monotonic() < deadline, \
                f"{self.kind}: told {told} of {goals}, not stopped for {reason!r}: {self.stops}"
            # All lies of the last request were told
            if asked is None or costly and sum(told.values()) >= asked + BURST:
                self.request(goals)
                asked = sum(told.values())
            time.sleep(0.2)
            stops = len(self.stops)
            gone = self.listen()
            # Lies are cheap while processes run, and cost a recovery while one is under way
            if gone or not costly and len(self.stops) > stops:
                self.recover(gone, deadline)
                asked = None
        self.liar.tell("none")

    def recover(self, gone, deadline):
        """Has the card be honest until it is up again: by the driver, or, when that has given up
        (gone), by a reset."""
        self.liar.tell("none")
        while not gone and not self.liar.back():
            assert time.monotonic() < deadline, f"{self.kind}: not back from {self.stops}"
            gone = self.listen()
        if gone:
            self.liar.revive()

    def settle(self):
        end = time.monotonic()
        gone = self.listen()
        while not gone and not self.liar.works():
            assert time.monotonic() - end < WATCHDOGS, \
                f"{self.kind}: the card does not work after the last lie"
            gone = self.listen()
        self.seconds = time.monotonic() - end
        self.listen()
        self.liar.revive()

    def listen(self):
        """Returns whether the driver has given up the card since the last call."""
        stops, given_up = self.liar.said()
        self.stops += stops
        self.given_up += len(given_up)
        return bool(given_up)


def report(parts, seconds, longest):
    """A stop is one message of the driver, whatever number of lies it is about; what it ignored
    cannot be observed."""
    places = list(dict.fromkeys(place for part in parts for place in part.told))
    rows = [(part.kind, *(part.told.get(place, "") for place in places), len(part.stops),
             part.recovered, part.given_up, f"{part.telling:.0f}",
             "" if part.seconds is None else f"{part.seconds:.0f}") for part in parts]
    head = ("kind", *places, "stops", "recoveries", "given up", "s", "s until it works")
    total = sum(sum(part.told.values()) for part in parts)
    return [*table(head, rows).splitlines(),
            f"{total} lies in {seconds:.0f} s, longest program {longest} s, seed {seed()}"]


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("counts", [FAST, long(SWEEP)], ids=["fast", "sweep"])
def test_lies(debug_cards, guest_programs, record_property, counts):
    """Lies of each kind are told at each place, 2,000 in all or 100,000. The driver stops the card
    when it must, nothing hangs, and card and interface work after the last one."""
    begin = time.monotonic()
    parts = []
    with Liar(debug_cards, guest_programs) as liar:
        for kind in liar.told():
            parts.append(Part(liar, kind, counts))
            liar.undisturbed()
        longest = liar.finish()
    lines = report(parts, time.monotonic() - begin, longest)
    record_property("report", lines)
    assert sum(sum(part.told.values()) for part in parts) >= counts.total, lines
