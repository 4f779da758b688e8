# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""DEVICE_RESET, FLR, and clients that connect and disconnect."""

import os
import signal
import struct

import pytest

from vfio_client import PAGE, Client, Closed, eventfds, eventually, memory, serves
from vfio_proto import HW, N

SCRATCH = HW["REG_SCRATCH"]
DEVCTL = 0x68
MSIX_CONTROL = 0x52
UNCOR_MASK = 0x118


def flr(client):
    control = struct.unpack("<H", client.config_read(DEVCTL, 2))[0]
    client.config_write(DEVCTL, struct.pack("<H", control | 0x8000))


RESETS = pytest.mark.parametrize("reset", [lambda client: client.request("DEVICE_RESET"), flr],
                                 ids=["device", "function"])


@RESETS
def test_reset_clears_registers_and_command(client, reset):
    """[ORNIC-BUS-12]: what a function level reset clears in configuration space."""
    client.enable()
    client.config_write(MSIX_CONTROL + 1, b"\x80")
    assert client.config_read(MSIX_CONTROL + 1, 1) == b"\x80"
    client.write32(SCRATCH, 7)
    reset(client)
    assert client.config_read(4, 2) == b"\0\0"
    assert client.config_read(MSIX_CONTROL + 1, 1) == b"\0"
    client.enable()
    assert client.read32(SCRATCH) == 0
    assert client.config_read(DEVCTL + 1, 1)[0] & 0x80 == 0


@RESETS
def test_reset_keeps_the_masks_of_errors(server, client, reset):
    """[ORNIC-PCI-9]: only power-on restores the defaults of Advanced Error Reporting."""
    initial = client.config_read(UNCOR_MASK, 4)
    mask = struct.pack("<I", 0x4000)
    assert mask != initial
    client.config_write(UNCOR_MASK, mask)
    reset(client)
    assert client.config_read(UNCOR_MASK, 4) == mask
    client.close()
    eventually(lambda: not server.card()["connected"])
    client = Client(server.sockets[0])
    assert client.config_read(UNCOR_MASK, 4) == initial
    client.close()


def test_reset_keeps_the_memory_map(server, client, fd):
    client.dma_map(0, PAGE, fd)
    client.request("DEVICE_RESET")
    assert server.card()["function"]["memory_regions"] == 1


def test_client_leaves_nothing_behind(server):
    before = server.fds()
    for _ in range(20):
        client = Client(server.sockets[0])
        client.enable()
        with memory() as fd, eventfds(16) as fds:
            client.dma_map(0, 64 * PAGE, fd)
            client.set_irqs(N["IRQ_MSIX"], 0, 16, fds)
        client.write32(SCRATCH, 7)
        client.close()
    client = Client(server.sockets[0])
    assert client.config_read(4, 2) == b"\0\0"
    card = server.card()
    assert card["function"]["memory_regions"] == 0
    assert card["vfio_user"]["connects"] == 21
    assert not server.violations()
    client.close()
    eventually(lambda: not server.card()["connected"])
    assert server.fds() == before


def test_second_client_is_refused_and_the_first_goes_on(server, client):
    with pytest.raises(Closed):
        Client(server.sockets[0])
    assert client.alive()
    assert server.card()["vfio_user"]["refused"] == 1


def test_cards_of_one_process_do_not_see_each_other(launch):
    server = launch(nics=3)
    clients = [Client(path) for path in server.sockets]
    for number, client in enumerate(clients):
        client.enable()
        client.write32(SCRATCH, number)
    clients[1].request("DEVICE_RESET")
    clients[0].send_raw(b"\0" * 16)
    assert clients[0].ended()
    clients[1].enable()
    assert clients[1].read32(SCRATCH) == 0
    assert clients[2].read32(SCRATCH) == 2
    assert server.violations(2) == {}
    for client in clients:
        client.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_cleanly_with_a_client(server, number):
    client = Client(server.sockets[0])
    server.stop(number)
    assert client.ended()


def test_socket_of_a_dead_process_is_taken_over(server, launch):
    server.process.kill()
    server.process.wait()
    assert server.sockets[0].exists()
    os.unlink(server.control_path)
    assert serves(launch().sockets[0])
