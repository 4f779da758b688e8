# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A card breaks the hardware interface in every way it can (man ornic-device, LIES), under traffic
of processes and of the network stack. The debug kernel reports nothing, nothing hangs for longer
than the driver's watchdogs take, processes with another card notice nothing, and the card works
again when the lies end."""

import re
import time

import pytest
from lab.pair import find_port
from lab.progress import table
from lab.seed import seed
from settings import RECOVERY, control, counters, long, pci_address, wait_until

# Lies of each kind: about completions, of which most are cheap; about other things; about other
# things if the kind is also told about completions, because these lies often cost a recovery
FAST = (200, 20, 2)
SWEEP = (10000, 200, 20)
# Opportunities that the card takes, ppm
COMPLETION_RATE, OTHER_RATE = 200000, 300000
# After a reset, which a lie of another kind brings about
DMA, DMA_RATE = "dma,index.command", 1000000
# Seconds: 15 for a send, 10 for a command ([ORNIC-ADM-12]), and a recovery in the debug kernel
WATCHDOGS = 90
# Seconds in which a part of the test must have told its lies
PART_TIMEOUT = 120

# Why the driver resets a card: it has noticed a lie
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
    r"device was reset by somebody else: status 0x[0-9a-f]+",
    r"completion queue 0x[0-9a-f]+ lacks entry \d+",
    r"event queue \d+ lacks entry \d+",
    r"queue \d+: (send|receive) \d+ failed with status \d+",
    r"queue \d+: completion of send \d+, ci \d+",
    r"queue \d+: completion of receive \d+, ci \d+, pi \d+",
    r"queue \d+: completion queue event \d+",
    r"queue \d+: queue pair event \d+",
    r"queue \d+: no send was completed for \d+ ms \(pi \d+, ci \d+\)",
    r"process got doorbell page \d+ of \d+",
    r"mr 0x[0-9a-f]+ is busy without windows",
    r"cq\[\d+\]: completion of qp 0x[0-9a-f]+, wr_id 0x[0-9a-f]+, which is not outstanding",
))
# The driver does not bring the card up again by itself
GIVEN_UP = (
    r"ornic \S+: device fails too often, giving up",
    r"ornic \S+: device does not come back from reset: error -\d+",
    r"ornic_rdma\S* \S+: .*Failed to register a verbs device",
)
ALSO_SAID = (
    r"ornic \S+: unknown event \d+ for \d+",
    r"ornic_eq_handle: \d+ callbacks suppressed",
    r"ornic \S+ \S+: NETDEV WATCHDOG: .*",
    r"infiniband ornic_\d+: .*",
)

# Programs on the lying card, which may end at any time. The RDMA device may be gone for a while.
PROCESSES = """while :; do
    device=$(ls /sys/bus/pci/devices/{address}/infiniband 2>/dev/null)
    [ "$device" ] && timeout --foreground -k 1 20 {programs}/batches $device {index} 5
    sleep 0.1
done"""
FRAMES = "while :; do ping -b -q -c 50 -i 0.01 -w 2 -I {netdev} 255.255.255.255; sleep 0.1; done"


def stamp(line):
    found = re.match(r"\[ *(\d+\.\d+)\]", line)
    return float(found.group(1)) if found else 0.0


class Liar:
    """The first of two cards in a VM, with traffic while the block runs."""

    def __init__(self, cards, programs):
        self.vm, self.card = cards.a, cards.card
        self.port, self.other = cards.ports
        self.ip = "10.41.0.1"
        self.programs = programs
        self.address = pci_address(self.vm, self.port.netdev)
        self.heard = 0.0
        self.said()
        self.vm.expects(*REASONS, *GIVEN_UP, *ALSO_SAID, required=False)
        self.card.expects_reset("nic0")
        self.commands = []

    def __enter__(self):
        words = {"address": self.address, "programs": self.programs,
                 "index": self.port.gid_index}
        self.commands = [self.vm.spawn(f"{PROCESSES.format(**words)} >/dev/null 2>&1")]
        self.commands += [self.vm.spawn(f"{FRAMES.format(netdev=port.netdev)} >/dev/null 2>&1")
                          for port in (self.port, self.other)]
        self.bystander = self.vm.spawn(
            f"{self.programs}/batches {self.other.device} {self.other.gid_index} 100000 strict")
        return self

    def __exit__(self, kind, *_):
        self.tell("none")
        for command in (*self.commands, self.bystander):
            if command.poll() is None:
                command.kill("KILL")
            command.wait(60)
        if not kind:
            self.revive()

    def tell(self, lies):
        control(self.card, f"lie nic0 {lies}")

    def told(self):
        """Returns {(kind, place): number}."""
        return {(kind, place): number for kind, places in counters(self.card, 0, "lies").items()
                for place, number in places.items()}

    def said(self):
        """Returns (reasons for a reset, times that the driver gave up) since the last call."""
        lines = [line for line in self.vm.check("dmesg --level=emerg,alert,crit,err").splitlines()
                 if stamp(line) > self.heard]
        self.heard = max([self.heard, *map(stamp, lines)])
        text = "\n".join(lines)
        return [len(re.findall(rf"(?:{'|'.join(patterns)})$", text, re.M))
                for patterns in (REASONS, GIVEN_UP)]

    def works(self):
        device = self.vm.run(f"ls /sys/bus/pci/devices/{self.address}/infiniband")[1].strip()
        return bool(device) and self.vm.run(
            f"timeout -k 1 20 {self.programs}/batches {device} {self.port.gid_index} 1 strict",
            60)[0] == 0

    def revive(self):
        """Resets the function, which also brings up a card that the driver gave up, and ends what
        the driver cannot see, such as a queue whose completion was lost."""
        self.vm.check(f"echo 1 >/sys/bus/pci/devices/{self.address}/reset", 120)
        port = find_port(self.vm, self.port.netdev, self.ip, RECOVERY)
        self.port.device = port.device
        wait_until("the card works", self.works, WATCHDOGS)


class Part:
    """Has lies told, ends them, and waits until the card works again."""

    def __init__(self, liar, kind, stages):
        """`stages` has (lies, rate, number of lies) to be told one after the other."""
        self.liar, self.kind = liar, kind
        self.noticed = self.given_up = self.told = 0
        for stage in stages:
            self.tell(*stage)
        self.settle()

    def tally(self):
        return sum(number for (kind, _), number in self.liar.told().items() if kind == self.kind)

    def tell(self, lies, rate, count):
        before = self.tally()
        deadline = time.monotonic() + PART_TIMEOUT
        self.liar.tell(f"{lies},rate={rate},seed={seed()}")
        while (told := self.tally() - before) < count:
            assert time.monotonic() < deadline, f"{lies}: {told} of {count} lies were told"
            time.sleep(0.2)
            if self.listen():
                self.liar.tell("none")
                self.liar.revive()
                self.liar.tell(f"{lies},rate={rate},seed={seed() + self.given_up}")
        self.liar.tell("none")
        self.told += self.tally() - before

    def settle(self):
        end = time.monotonic()
        while not self.liar.works():
            if self.listen():
                break
            assert time.monotonic() - end < WATCHDOGS, \
                f"{self.kind}: the card does not work after the last lie"
        self.seconds = time.monotonic() - end
        self.listen()
        self.liar.revive()

    def listen(self):
        """Returns whether the driver has given up the card since the last call."""
        noticed, given_up = self.liar.said()
        self.noticed += noticed
        self.given_up += given_up
        return given_up


def lie(liar, counts):
    """Returns {kind: Part} after the card has told lies of all kinds."""
    completions, others, few = counts
    parts, places = {}, {}
    for kind, place in liar.told():
        places.setdefault(kind, []).append(place)
    for kind, known in places.items():
        stages = []
        if "completion" in known:
            stages.append((f"{kind}.completion", COMPLETION_RATE, completions))
        if rest := [f"{kind}.{place}" for place in known if place != "completion"]:
            stages.append((",".join(rest), OTHER_RATE, few if stages else others))
        if kind == "dma":
            stages = [(DMA, DMA_RATE, others)]
        parts[kind] = Part(liar, kind, stages)
        assert liar.bystander.poll() is None, liar.bystander.poll()
    return parts


def report(parts, seconds):
    rows = [(kind, part.told, part.noticed, max(part.told - part.noticed, 0),
             max(part.noticed - part.given_up, 0), part.given_up, f"{part.seconds:.0f}")
            for kind, part in parts.items()]
    head = ("kind", "told", "noticed", "ignored", "recoveries", "given up", "s until it works")
    total = sum(part.told for part in parts.values())
    return [*table(head, rows).splitlines(), f"{total} lies in {seconds:.0f} s, seed {seed()}"]


@pytest.mark.slow
@pytest.mark.parametrize("counts", [FAST, long(SWEEP)], ids=["fast", "sweep"])
def test_lies(debug_cards, guest_programs, record_property, counts):
    """Lies of each kind are told, 2,000 in all or 100,000, and the card works after each kind."""
    begin = time.monotonic()
    with Liar(debug_cards, guest_programs) as liar:
        parts = lie(liar, counts)
        assert liar.bystander.poll() is None, liar.bystander.poll()
    lines = report(parts, time.monotonic() - begin)
    record_property("report", lines)
    assert sum(part.told for part in parts.values()) >= 10 * counts[0], lines
