# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The cost of operations in expensive units: doorbells, interrupts, commands, packets. These
numbers do not depend on the speed of the host, so a loss of efficiency shows on any host."""

import pytest
from lab.pair import listening
from lab.perftest import both
from settings import cases_of, counters

pytestmark = pytest.mark.full

FEW, MANY = 3, 103
OPERATIONS = MANY - FEW
# Tolerance for the kernel's own queues, the driver's polling of the device, and the commands of a
# program's start and end, whose interrupts depend on how busy the host is
NOISE = 20
# Path MTU and size of large messages of guest/cost.c (bytes), and the length of its lists
MTU, LARGE, LIST = 1024, 65536, 16
PARTS = LARGE // MTU

# {case of guest/cost.c: (packets, doorbells, interrupts) of one operation} for a card without
# ORNIC_CAPS_SHADOW. A call that posts has one doorbell, however long its list is, and so has a
# request for an event [ORNIC-DB-35] [ORNIC-DB-28]. That event has one interrupt [ORNIC-DB-20],
# after which the kernel requests the next one. One more doorbell tells of each eighth of a ring
# that was polled without a request [ORNIC-DB-31]; see POLLED. A list has a single ACK.
POSTS = {
    "pingpong": (4, 2, 0),
    "events": (2, 3, 1),
    "write_list": (LIST + 1, 1, 0),
    "large_write_list": (LIST * PARTS + 1, 1, 0),
    "large_read_list": (LIST + LIST * PARTS, 1, 0),
}

# {case of guest/cost.c: completions of one operation}, and entries polled per doorbell. CQs are
# made for 64 completions, and so have rings of 128 entries.
POLLED = {"pingpong": 4, "events": 2, "write_list": 1, "large_write_list": 1,
          "large_read_list": 1}
EIGHTH = 128 // 8

# {case of guest/cost.c: commands of one operation}. One command creates an object and one destroys
# it; a PD is a number that the host chooses [ORNIC-OBJ-12], and the driver keeps the doorbell page
# of a process for the next one. Each has one interrupt at most [ORNIC-ADM-8], after which the
# kernel requests the next event.
OBJECTS = {
    "open_device": 0,
    "pd": 0,
    "mr": 2,
    "mw": 2,
    "ah": 0,
    "cq": 2,
    "srq": 2,
    "qp": 2,
    "connect_qp": 5,
}


def test_all_cases():
    assert cases_of("cost") == [*POSTS, *OBJECTS]


def counts(card, nic=0):
    device, rdma, port = (counters(card, nic, group) for group in ("device", "rdma", "port"))
    return {"commands": device["commands"], "doorbells": device["doorbells"],
            "interrupts": device["interrupts"], "packets": rdma["tx_packets"],
            "frames": port["tx_frames"]}


def spent(card, before, nic=0):
    return {name: value - before[name] for name, value in counts(card, nic).items()}


def cost(pair, programs, case):
    """Returns the cost of OPERATIONS operations of a case; start and end of the program cancel
    out."""
    vm, port = pair.a, pair.ornic[pair.a]
    of = {}
    for count in (FEW, MANY):
        before = counts(pair.card)
        code, output = vm.run(f"{programs}/cost {port.device} {port.gid_index} {case} {count}", 90)
        assert code == 0, output
        of[count] = spent(pair.card, before)
    return {name: of[MANY][name] - of[FEW][name] for name in of[FEW]}


@pytest.mark.parametrize("case", POSTS)
def test_posts(plain_pair, guest_programs, case):
    packets, doorbells, interrupts = POSTS[case]
    got = cost(plain_pair, guest_programs, case)
    assert got["packets"] == packets * OPERATIONS, got
    told = POLLED[case] * OPERATIONS // EIGHTH
    assert -NOISE <= got["doorbells"] - doorbells * OPERATIONS <= told + NOISE, got
    assert abs(got["interrupts"] - interrupts * OPERATIONS) <= NOISE, got
    assert got["commands"] <= NOISE, got


@pytest.mark.parametrize("case", ["pingpong", "events", "write_list"])
def test_posts_with_shadow(pair, guest_programs, case):
    """A card with ORNIC_CAPS_SHADOW needs no doorbells while it is awake [ORNIC-DB-35]: each one finds
    that the card has gone to sleep. Requests for events have no doorbells [ORNIC-DB-26]."""
    packets, doorbells, interrupts = POSTS[case]

    def sleeps():
        return pair.card.stats()["cards"]["nic0"]["function"]["sleeps"]

    before = sleeps()
    got = cost(pair, guest_programs, case)
    slept = sleeps() - before
    assert got["packets"] == packets * OPERATIONS, got
    assert got["interrupts"] <= interrupts * OPERATIONS + NOISE, got
    most = min((doorbells - 2 * interrupts) * OPERATIONS, slept)
    assert got["doorbells"] <= most + NOISE, (got, slept)


@pytest.mark.parametrize("case", OBJECTS)
def test_objects(plain_pair, guest_programs, case):
    commands = OBJECTS[case] * OPERATIONS
    got = cost(plain_pair, guest_programs, case)
    assert abs(got["commands"] - commands) <= NOISE, got
    assert got["interrupts"] <= commands + NOISE, got
    assert got["doorbells"] <= commands + NOISE, got
    assert got["packets"] == 0, got


@pytest.mark.parametrize("case", OBJECTS)
def test_objects_with_shadow(pair, guest_programs, case):
    """The driver asks for an interrupt only before it sleeps [ORNIC-ADM-20]. Whether it has to sleep
    depends on how busy the host is."""
    commands = OBJECTS[case] * OPERATIONS
    got = cost(pair, guest_programs, case)
    assert abs(got["commands"] - commands) <= NOISE, got
    assert got["interrupts"] <= commands + NOISE, got


def ping(pair, count):
    pair.a.check(f"ping -q -c {count} -i 0.002 {pair.ornic[pair.b].ip}")


def test_ping(plain_pair):
    """A frame costs one doorbell, and at most one interrupt at each end. After an interrupt the
    kernel requests events of both queues and of their EQ, and does so once more if something
    arrived meanwhile (one time in ten at most). A card that a busy host stops reads both requests
    of an EQ late and may interrupt for each, but not in all of ten attempts."""
    pair, count = plain_pair, 200
    most = 2 * count * 21 // 20 + NOISE
    ping(pair, 2)
    for _ in range(10):
        before = [counts(pair.card, nic) for nic in (0, 1)]
        ping(pair, count)
        both = [spent(pair.card, before[nic], nic) for nic in (0, 1)]
        for got in both:
            assert count <= got["frames"] <= count + NOISE, got
            assert got["doorbells"] <= got["frames"] + 3.3 * got["interrupts"] + NOISE, got
            assert got["commands"] <= NOISE, got
        if max(got["interrupts"] for got in both) <= most:
            return
    assert max(got["interrupts"] for got in both) <= most, both


def test_stream(plain_pair):
    """TCP is sent in segments of up to 64 KiB, which the card splits into frames, and received with
    one interrupt for many frames."""
    pair, mib = plain_pair, 16
    server = ("python3 -c \"import socket; s = socket.create_server(('', 5000)); "
              "c = s.accept()[0]\n"
              "while c.recv(1 << 20): pass\"")
    client = ("python3 -c \"import socket; c = socket.create_connection("
              f"('{pair.ornic[pair.b].ip}', 5000)); c.sendall(bytes({mib} << 20))\"")
    before = [counts(pair.card, nic) for nic in (0, 1)]
    both(pair, server, client, listening(5000), 60)
    sender, receiver = (spent(pair.card, before[nic], nic) for nic in (0, 1))
    # The MTU is 9000
    assert mib << 20 <= sender["frames"] * 9000 <= (mib << 20) * 5 // 4, sender
    # How long a segment is depends on what TCP knows of the path, but it is seldom a single frame
    assert sender["doorbells"] - 3 * sender["interrupts"] <= sender["frames"] * 3 // 4, sender
    assert receiver["interrupts"] <= sender["frames"] // 4, (sender, receiver)
    assert receiver["frames"] <= sender["frames"] // 4, (sender, receiver)
