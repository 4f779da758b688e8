# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""DEVICE_SET_IRQS, and the interrupts that fire afterwards."""

import os
import socket

import pytest

from vfio_client import Refused, eventfds, eventually, fired
from vfio_proto import HW, N, S

MSIX = N["IRQ_MSIX"]
TRIGGER = N["IRQ_TRIGGER"]
NONE = N["IRQ_DATA_NONE"]
BOOL = N["IRQ_DATA_BOOL"]
EVENTFD = N["IRQ_DATA_EVENTFD"]


def fire(client, vector):
    client.write32(HW["REG_IRQ_TEST"], vector)


@pytest.mark.parametrize("flags", [
    0, NONE, TRIGGER, NONE | BOOL | TRIGGER, NONE | EVENTFD | TRIGGER,
    NONE | TRIGGER | N["IRQ_MASK"], NONE | N["IRQ_MASK"], NONE | N["IRQ_UNMASK"],
    EVENTFD | N["IRQ_UNMASK"], NONE | TRIGGER | 1 << 6, NONE | TRIGGER | 1 << 31,
])
def test_flags_unknown_or_contradicting(client, refuses, flags):
    with refuses("vfio_bad_flags"):
        client.set_irqs(MSIX, 0, 0, flags=flags)


@pytest.mark.parametrize("index,start,count", [
    (5, 0, 0), (0xffffffff, 0, 0), (0, 0, 1), (1, 0, 1), (4, 0, 1), (3, 0, 2),
    (MSIX, 17, 0), (MSIX, 16, 1), (MSIX, 0, 17), (MSIX, 15, 2), (MSIX, 1, 0xffffffff),
    (MSIX, 0xffffffff, 2), (MSIX, 0xffffffff, 0xffffffff),
])
def test_range_outside(client, refuses, index, start, count):
    with refuses("vfio_bad_irq"):
        client.set_irqs(index, start, count, flags=NONE | TRIGGER)


@pytest.mark.parametrize("count,given", [(1, 2), (2, 1), (0, 1), (16, 15)])
def test_descriptors_miscounted(client, refuses, count, given):
    with eventfds(given) as fds, refuses("vfio_bad_fds"):
        client.set_irqs(MSIX, 0, count, fds)


@pytest.mark.parametrize("flags", [NONE | TRIGGER, BOOL | TRIGGER])
def test_descriptors_unexpected(client, refuses, flags):
    with eventfds(1) as fds, refuses("vfio_bad_fds"):
        client.set_irqs(MSIX, 0, 1, fds, flags, b"\1")


@pytest.mark.parametrize("cmd", ["DEVICE_RESET", "DEVICE_GET_INFO", "REGION_READ"])
def test_descriptors_with_other_commands(client, refuses, cmd):
    payload = b"" if cmd == "DEVICE_RESET" else bytes(16)
    with eventfds(3) as fds, refuses("vfio_bad_fds"):
        client.request(cmd, payload, fds)


def test_descriptors_more_than_any_message_may_have(client, closes):
    with eventfds(17) as fds, closes("vfio_bad_fds"):
        client.set_irqs(MSIX, 0, 16, fds)


def test_descriptors_dribbled_with_each_byte(client, closes):
    payload = S["irq_set"].pack(argsz=20, flags=EVENTFD | TRIGGER, index=MSIX, count=16)
    data = client.header(8, payload) + payload
    with eventfds(1) as fds, closes("vfio_bad_fds"):
        for byte in data:
            client.send_raw(bytes([byte]), fds)


@pytest.mark.parametrize("make", [
    lambda: os.open("/dev/null", os.O_RDWR),
    lambda: os.pipe()[1],
    lambda: socket.socket(socket.AF_UNIX).detach(),
    lambda: os.memfd_create("anon_inode:[eventfd]"),
], ids=["device", "pipe", "socket", "memfd"])
def test_descriptor_is_no_eventfd(client, refuses, make):
    fd = make()
    with refuses("vfio_bad_eventfd"):
        client.set_irqs(MSIX, 0, 1, [fd])
    os.close(fd)


def test_one_bad_descriptor_changes_nothing(client, refuses, fds):
    client.enable()
    client.set_irqs(MSIX, 0, 1, fds[:1])
    null = os.open("/dev/null", os.O_RDWR)
    with refuses("vfio_bad_eventfd"):
        client.set_irqs(MSIX, 0, 2, [fds[1], null])
    os.close(null)
    fire(client, 0)
    eventually(lambda: fired(fds[0]))
    assert not fired(fds[1])


@pytest.mark.parametrize("given", [0, 3])
def test_bool_data_too_short(client, refuses, given):
    with refuses("vfio_bad_size"):
        client.set_irqs(MSIX, 0, 4, flags=BOOL | TRIGGER, data=bytes(given))


def test_each_vector_fires_its_own(client, fds):
    client.enable()
    client.set_irqs(MSIX, 0, 16, fds)
    for vector, fd in enumerate(fds):
        fire(client, vector)
        eventually(lambda fd=fd: fired(fd) == 1)
        assert not any(fired(other) for other in fds)


def test_vector_beyond_the_last_is_dropped(client, fds):
    client.enable()
    client.set_irqs(MSIX, 0, 16, fds)
    for vector in (16, 63, 64, 0xffffffff):
        fire(client, vector)
    assert client.alive()
    assert not any(fired(fd) for fd in fds)


def test_interrupts_without_bus_master_are_lost(server, client, fds):
    """[ORNIC-PCI-6]: they do not fire when bus mastering is set."""
    client.enable(2)
    client.set_irqs(MSIX, 0, 2, fds[:2])
    fire(client, 0)
    assert client.alive()
    client.enable(6)
    fire(client, 1)
    eventually(lambda: fired(fds[1]) == 1)
    assert not fired(fds[0])
    assert server.card()["function"]["irqs_dropped"] == 0


@pytest.mark.parametrize("off", [
    lambda client: client.set_irqs(MSIX, 0, 1),
    lambda client: client.set_irqs(MSIX, 0, 0, flags=NONE | TRIGGER),
], ids=["detached", "all off"])
def test_nothing_fires_when_off(server, client, off, fds):
    """[ORNIC-PCI-4]: an interrupt is lost while MSI-X is off."""
    client.enable()
    before = server.fds()
    client.set_irqs(MSIX, 0, 1, fds[:1])
    assert server.fds() == before + 1
    off(client)
    assert server.fds() == before
    fire(client, 0)
    eventually(lambda: server.card()["function"]["irqs_dropped"] == 1)
    assert not fired(fds[0])


def test_eventfds_survive_reset(client, fds):
    client.set_irqs(MSIX, 0, 1, fds[:1])
    client.request("DEVICE_RESET")
    client.enable()
    fire(client, 0)
    eventually(lambda: fired(fds[0]))


def test_replaced_eventfd_is_closed(server, client, fds):
    client.enable()
    client.set_irqs(MSIX, 0, 1, fds[:1])
    before = server.fds()
    client.set_irqs(MSIX, 0, 1, fds[1:2])
    assert server.fds() == before
    fire(client, 0)
    eventually(lambda: fired(fds[1]))
    assert not fired(fds[0])


def test_trigger_by_the_client(client, fds):
    client.enable()
    client.set_irqs(MSIX, 4, 4, fds[:4])
    client.set_irqs(MSIX, 5, 2, flags=NONE | TRIGGER)
    assert [fired(fd) for fd in fds[:4]] == [0, 1, 1, 0]
    client.set_irqs(MSIX, 4, 4, flags=BOOL | TRIGGER, data=b"\1\0\0\1")
    assert [fired(fd) for fd in fds[:4]] == [1, 0, 0, 1]


def test_saturated_eventfd_blocks_nobody(server, client):
    client.enable()
    fd = os.eventfd(0)  # blocking, as a hostile client may choose
    os.eventfd_write(fd, 2**64 - 2)
    client.set_irqs(MSIX, 0, 1, [fd])
    fire(client, 0)
    assert client.alive()
    assert server.card()["connected"]
    os.close(fd)


def test_eventfd_that_is_made_blocking_again_blocks_nobody(server, client, fds):
    """The card never blocks on an eventfd, although the client can change the shared status
    flags."""
    client.enable()
    client.set_irqs(MSIX, 0, 1, fds[:1])
    os.set_blocking(fds[0], True)
    os.eventfd_write(fds[0], 2**64 - 2)
    fire(client, 0)
    assert client.alive()
    client.set_irqs(MSIX, 0, 1, flags=NONE | TRIGGER)
    assert client.alive()
    assert server.card()["function"]["irqs_dropped"] == 0


def test_eventfd_keeps_the_flags_its_client_gave_it(client):
    fd = os.eventfd(0)
    client.set_irqs(MSIX, 0, 1, [fd])
    assert os.get_blocking(fd)
    os.close(fd)


def test_error_interrupt_is_accepted_and_never_kept(server, client, fds):
    before = server.fds()
    client.set_irqs(N["IRQ_ERR"], 0, 1, fds[:1])
    assert server.fds() == before


def test_refused_request_has_no_effect_on_the_next(client, fds):
    with pytest.raises(Refused):
        client.set_irqs(MSIX, 16, 1, fds[:1])
    client.set_irqs(MSIX, 15, 1, fds[:1])
