# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Attacks on the process, and so on other clients, by a client or by the reader of the messages."""

import contextlib
import os
import resource
import socket
import subprocess

import pytest

from vfio_client import Client, Closed, eventually, serves
from vfio_proto import HW
from vfio_server import START_TIMEOUT, program

CTRL_ENABLE = 2
CTRL_RESET = 1


def listens(path):
    """Returns whether a process accepts connections to a socket, which it binds before."""
    with socket.socket(socket.AF_UNIX) as sock:
        return sock.connect_ex(str(path)) == 0


@contextlib.contextmanager
def device(tmp_path, stderr):
    """Runs a card whose messages go to a descriptor, and yields the path of its socket."""
    path = tmp_path / "nic.sock"
    process = subprocess.Popen([program(), "--nic", f"socket={path}"], stderr=stderr)
    try:
        eventually(lambda: listens(path) or process.poll() is not None, START_TIMEOUT)
        assert process.poll() is None
        yield path
        assert process.poll() is None
        process.terminate()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()


def test_messages_that_a_guest_causes_are_limited(server, client):
    client.enable()
    for _ in range(500):
        client.write64(HW["REG_ADMIN_SQ"], 1)
        client.write32(HW["REG_CTRL"], CTRL_ENABLE)
        client.write32(HW["REG_CTRL"], CTRL_RESET)
    assert 0 < server.text().count("stopped, cause") < 100


def test_messages_of_clients_that_come_and_go_are_limited(server):
    for _ in range(500):
        Client(server.sockets[0]).close()
    assert 0 < server.text().count("client came") < 100


def test_reader_of_the_messages_is_gone(tmp_path):
    reader, writer = os.pipe()
    with device(tmp_path, writer) as path:
        os.close(writer)
        os.close(reader)
        for _ in range(3):
            assert serves(path)


def test_reader_of_the_messages_has_stopped(tmp_path):
    reader, writer = os.pipe()
    with device(tmp_path, writer) as path:
        os.set_blocking(writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        os.set_blocking(writer, True)
        for _ in range(3):
            assert serves(path)
    os.close(writer)
    os.close(reader)


@pytest.mark.parametrize("said", [b"", b"\0", bytes(15)],
                         ids=["nothing", "a byte", "a header but a byte"])
def test_silent_client_does_not_keep_the_card(server, said):
    mute = Client(server.sockets[0], version=False)
    mute.send_raw(said)
    assert serves(server.sockets[0])
    assert mute.ended()
    mute.close()


def test_no_descriptor_is_left(server):
    """New clients are refused when no descriptor is free; otherwise the listener would stay
    readable."""
    pid = server.process.pid
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = max(int(fd) for fd in os.listdir(f"/proc/{pid}/fd")) + 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, hard))
    for _ in range(3):
        with pytest.raises(Closed):
            Client(server.sockets[0])
    control = socket.socket(socket.AF_UNIX)
    control.settimeout(20)
    control.connect(str(server.control_path))
    assert control.recv(1) == b""
    control.close()
    assert server.card()["vfio_user"]["refused"] == 3
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
    assert serves(server.sockets[0])
