# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Bus mastering off is a pause on cards of all kinds: what is due waits for its end
[ORNIC-PCI-7]."""

import struct

import pytest

from vfio_client import PAGE, eventfds, eventually, fired
from vfio_host import FREE
from vfio_proto import HW, N

RING, RECORD = FREE, FREE + PAGE
LOG_SIZE = 2
EQE = struct.Struct("<II8x8xII")
MEMORY, MASTER = 2, 4  # bits of the command register
UCTX_KERNEL = 1
# Turns of the loop after which what must not happen has not happened
TURNS = 20
BAR_DB = 2
# Vectors: that of the admin queue, of the EQ, and for IRQ_TEST
_, EVENTS, TEST = range(3)
CARDS = ("vectors=3", "shadow=off", "ci=doorbell", "entries=whole", "shadow=off,entries=whole",
         "ci=doorbell,entries=whole", "commands=reverse,ci-lag=16,rq-doorbell=on")


class Events:
    """EQ 0 of a host, which is armed by its record and by doorbells: a card ignores one of them."""

    def __init__(self, machine):
        self.machine, self.ci, self.arms = machine, 0, 0
        assert machine.command("ALLOC_UCTX", struct.pack("<IIQ", UCTX_KERNEL, 0, 0))[0] == 0
        status, answer = machine.command(
            "CREATE_EQ", struct.pack("<IB3xQIBB2xQ", EVENTS, LOG_SIZE, RING, 1, 12, 0, RECORD))
        assert (status, struct.unpack("<I4x", answer)) == (0, (0,))

    def arm(self):
        self.arms += 1
        self.machine.ram[RECORD:RECORD + 8] = struct.pack("<II", self.ci,
                                                          self.arms << 2 | HW["ARM_NEXT"])
        value = HW["DB_EQ"] << 56 | self.ci << 2 | HW["ARM_NEXT"]
        self.machine.client.write(BAR_DB, 0, struct.pack("<Q", value))

    def peek(self):
        """Returns the type of the next event, or None."""
        at = RING + (self.ci & (1 << LOG_SIZE) - 1) * EQE.size
        ctl = EQE.unpack_from(self.machine.ram, at)[3]
        if bool(ctl & HW["EQE_PHASE"]) == bool(self.ci >> LOG_SIZE & 1):
            return None
        return ctl & HW["EQE_TYPE"]

    def wait(self):
        """Consumes the next event, and returns its type."""
        eventually(lambda: self.peek() is not None)
        kind = self.peek()
        self.ci += 1
        return kind


class Counts:
    """How often each eventfd was signalled."""

    def __init__(self, fds):
        self.fds, self.counts = fds, [0] * len(fds)
        for fd in fds:
            fired(fd)

    def now(self):
        self.counts = [count + fired(fd) for count, fd in zip(self.counts, self.fds)]
        return self.counts


def turn(server):
    """Lets the loop of the card turn: each request takes a turn at least, in which the card runs
    too."""
    for _ in range(TURNS):
        server.control("help")


@pytest.mark.parametrize("options", CARDS)
def test_pause(host, options):
    """Doorbells, commands, events and interrupts of a pause are handled at its end, each once."""
    server, machine = host(options)
    client = machine.client
    with eventfds(3) as fds:
        client.set_irqs(N["IRQ_MSIX"], 0, 3, fds)
        events = Events(machine)
        # More pauses than the ring of events has entries
        for link in ("down", "up") * (1 << LOG_SIZE):
            interrupts = Counts(fds)
            client.enable(MEMORY)
            assert server.control(f"link nic1 {link}") == {}
            events.arm()
            command = machine.submit("NOP")
            for _ in range(2):
                client.write32(HW["REG_IRQ_TEST"], TEST)
            turn(server)
            assert events.peek() is None
            assert not machine.has_completed(command)
            assert interrupts.now() == [0, 0, 0]

            client.enable(MEMORY | MASTER)
            eventually(lambda at=command: machine.has_completed(at))
            assert events.wait() == HW[f"EVENT_PORT_{link.upper()}"]
            eventually(lambda counts=interrupts: all(counts.now()))
            turn(server)
            assert events.peek() is None
            assert interrupts.now() == [1, 1, 1]
    assert server.violations(1) == {}
