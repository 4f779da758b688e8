# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The table of [ORNIC-RST-11], read from the specification and driven cell by cell."""

import re
import struct

import pytest

from vfio_client import PAGE, Client, eventually, memory
from vfio_proto import HW, TOP

POWER = 0x44  # PMCSR
DEVCTL_HIGH = 0x69
RINGS = 0x100000
LOG_DEPTH = 3
# Options of cards that learn of work in different ways
CARDS = ["vectors=16", "shadow=off", "entries=whole"]
STATES = ["RESET", "READY", "ENABLED", "FATAL", "D3"]


def table():
    """Returns {event: {state: next state}}."""
    text = (TOP / "Documentation/hardware.rst").read_text()
    text = text[text.index("**[ORNIC-RST-11]**"):]
    ruler, head, body = re.search(r"^(=+(?: =+)+)\n(.*)\n\1\n(.*?)\n\1$", text,
                                  re.M | re.S).groups()
    columns = [match.span() for match in re.finditer("=+", ruler)]

    def cells(line):
        return [line[begin:end].strip() for begin, end in columns]

    states = cells(head)[1:]
    rows = [cells(line) for line in body.split("\n")]
    return {row[0]: dict(zip(states, row[1:], strict=True)) for row in rows}


class Card:
    """A card with a client whose memory has the admin rings, and which is ready."""

    def __init__(self, server, index, fd):
        self.server, self.name, self.fd = server, f"nic{index}", fd
        self.path = server.sockets[index]
        self.connect()

    def connect(self):
        self.client = Client(self.path)
        self.client.dma_map(RINGS, 2 * PAGE, self.fd)

    def status(self):
        return self.client.read32(HW["REG_STATUS"])

    def control(self, value):
        self.client.write32(HW["REG_CTRL"], value)

    def power(self, state):
        self.client.config_write(POWER, bytes([state]))

    def fail(self):
        assert self.server.control(f"inject {self.name} fatal") == {}

    def hold(self, on):
        assert self.server.control(f"hold {self.name} {on}") == {}

    def release(self):
        """Ends the reset, if the card is in one."""
        self.hold("off")
        eventually(self.status)

    def enable_unaligned(self):
        self.client.write64(HW["REG_ADMIN_SQ"], RINGS + 16)
        self.control(HW["CTRL_ENABLE"])

    def state(self):
        """Returns the state, as a host finds it. Memory space is on afterwards, unless in D3."""
        if self.client.config_read(POWER, 1)[0] & 3 == 3:
            assert self.status() == 0xffffffff
            return "D3"
        [command] = struct.unpack("<H", self.client.config_read(4, 2))
        self.client.enable(command | 2)
        status = self.status()
        if not status:
            return "RESET"
        assert status & HW["STATUS_READY"]
        if status & HW["STATUS_FATAL"]:
            return "FATAL"
        if status & HW["STATUS_ENABLED"]:
            return "ENABLED"
        return "READY"

    def reach(self, state):
        """Brings the card from READY to a state."""
        if state == "RESET":
            self.control(HW["CTRL_RESET"])
        elif state != "READY":
            self.client.write32(HW["REG_ADMIN_DEPTH"], LOG_DEPTH)
            self.client.write64(HW["REG_ADMIN_SQ"], RINGS)
            self.client.write64(HW["REG_ADMIN_CQ"], RINGS + PAGE)
            self.control(HW["CTRL_ENABLE"])
        if state == "FATAL":
            self.fail()
        elif state == "D3":
            self.power(3)

    def power_on(self):
        self.client.close()
        self.connect()

    def ready(self):
        """Waits for READY with memory space and bus mastering on. The card is held in its next
        reset."""
        self.client.enable()
        eventually(self.status)
        self.hold("on")


EVENTS = {
    "power-on": Card.power_on,
    "bus reset": lambda card: card.client.request("DEVICE_RESET"),
    "Function Level Reset": lambda card: card.client.config_write(DEVCTL_HIGH, b"\x80"),
    "CTRL.RESET written": lambda card: card.control(HW["CTRL_RESET"]),
    "the reset is over": Card.release,
    "CTRL.ENABLE becomes 1": lambda card: card.control(HW["CTRL_ENABLE"]),
    "ENABLE 1, not aligned": Card.enable_unaligned,
    "CTRL.ENABLE written 0": lambda card: card.control(0),
    "ADMIN_DB within the ring": lambda card: card.client.write32(HW["REG_ADMIN_DB"], 1),
    "ADMIN_DB beyond the ring":
        lambda card: card.client.write32(HW["REG_ADMIN_DB"], 2 << LOG_DEPTH),
    "failure of the device": Card.fail,
    "bus mastering cleared": lambda card: card.client.enable(2),
    "bus mastering set": lambda card: card.client.enable(6),
    "D3hot entered": lambda card: card.power(3),
    "D0 entered": lambda card: card.power(0),
}


@pytest.fixture(params=CARDS)
def server(launch, tmp_path, request):
    """A process with a card for each event."""
    paths = [tmp_path / f"card{i}.sock" for i in range(len(EVENTS))]
    words = [f"--nic=socket={path},{request.param}" for path in paths]
    server = launch(*words, nics=0)
    server.sockets = paths
    return server


def test_table_is_complete():
    """All events and all states are there, and each cell is a state or none."""
    rows = table()
    assert list(rows) == list(EVENTS)
    for row in rows.values():
        assert list(row) == STATES
        assert set(row.values()) <= {*STATES, "--"}


@pytest.mark.parametrize("state", STATES)
def test_states(server, state):
    """[ORNIC-RST-11]: each event in one state."""
    with memory(2 * PAGE) as fd:
        cards = {event: Card(server, index, fd) for index, event in enumerate(EVENTS)}
        for card in cards.values():
            card.ready()
        for event, row in table().items():
            card = cards[event]
            card.reach(state)
            assert card.state() == state
            EVENTS[event](card)
            expected = state if row[state] == "--" else row[state]
            assert card.state() == expected, event
        for card in cards.values():
            card.client.close()


def test_enable_with_bus_mastering_off(server):
    """[ORNIC-PCI-7]: it leads to FATAL."""
    with memory(2 * PAGE) as fd:
        card = Card(server, 0, fd)
        card.ready()
        card.client.enable(2)
        card.reach("ENABLED")
        assert card.state() == "FATAL"
        card.client.close()
