# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards that are added to a running ornic-device and removed from it, in its sandbox and under the
sanitizers."""

import array
import contextlib
import json
import os
import resource
import socket
import struct
import subprocess

import pytest

from test_ornicctl import PROGRAM, refused
from vfio_client import PAGE, Client, Closed, eventually, memory, serves
from vfio_host import RAM
from vfio_pair import Side
from vfio_server import program, stock

MAC = "02:00:00:00:0a:01"
OWNER = (65534, 65533)


@pytest.fixture(params=[stock, program], ids=["sandbox", "sanitized"])
def server(launch, request):
    return launch(device=request.param())


def ornicctl(server, *words):
    result = subprocess.run([PROGRAM, "-s", server.control_path, *words], capture_output=True,
                            text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def send(server, line, *socks):
    """Sends a request with the descriptors of these sockets; returns its answer."""
    fds = array.array("i", [sock.fileno() for sock in socks])
    server.sock.sendmsg([line.encode() + b"\n"],
                        [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)] if socks else [])
    return json.loads(server.file.readline())


@contextlib.contextmanager
def listener(path, blocking=False):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
        sock.listen()
        sock.setblocking(blocking)
        yield sock


def test_add_and_remove(server, tmp_path):
    """A card comes, serves a client beside the first one, and goes with all that it has used."""
    path, first = tmp_path / "new.sock", Client(server.sockets[0])
    used = server.fds()
    for _ in range(3):
        assert ornicctl(server, "add", f"socket={path},mac={MAC},vectors=64") == "nic1\n"
        assert server.fds() == used + 1
        assert server.card(1)["mac"] == MAC and server.card(1)["socket"] == str(path)
        with memory() as fd:
            client = Client(path)
            client.enable()
            client.dma_map(0, 64 * PAGE, fd)
            assert "a virtual machine has this card" in refused(
                "-s", server.control_path, "remove", "nic1")
            assert client.alive() and first.alive()
            ornicctl(server, "remove", "nic1", "--force")
            with pytest.raises(Closed):
                client.alive()
            client.close()
        assert not path.exists() and first.alive()
        assert list(server.control("stats")["cards"]) == ["nic0"]
        assert server.fds() == used
    first.close()


def test_traffic_of_a_card_that_goes(server, tmp_path):
    """The first card owes responses to the one that is removed, which it never gets."""
    path = tmp_path / "new.sock"
    for _ in range(3):
        assert ornicctl(server, "add", f"socket={path},mac={MAC}") == "nic1\n"
        with memory(RAM) as here, memory(RAM) as there:
            sides = [Side(server.sockets[0], here, server.card()["mac"], 1),
                     Side(path, there, MAC, 2)]
            sides[0].connect(sides[1])
            sides[1].connect(sides[0])
            sent = server.card(1)["wire"]["tx_packets"]
            # There is a receive for one of them, so the others get RNR NAKs, and repeat
            sides[0].receive()
            for _ in range(8):
                sides[1].send()
                sides[0].send()
            eventually(lambda before=sent: server.card(1)["wire"]["tx_packets"] > before)
            ornicctl(server, "remove", "nic1", "--force")
            assert sides[0].client.alive()
            assert server.violations() == {}
            for side in sides:
                side.client.close()
        eventually(lambda: not server.card()["connected"])


def test_owner_of_the_socket(server, tmp_path):
    """Root makes the socket with the rights of the directory's owner, for the group of QEMU."""
    directory = tmp_path / "own"
    directory.mkdir()
    os.chown(directory, *OWNER)
    path = directory / "nic.sock"
    ornicctl(server, "add", f"socket={path}")
    assert (path.stat().st_uid, path.stat().st_gid) == OWNER
    assert path.stat().st_mode & 0o777 == 0o770
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(path))
        peer = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    assert struct.unpack("iII", peer)[1:] == OWNER
    eventually(lambda: not server.card(1)["connected"])
    assert "nic1" in ornicctl(server, "status", "--rates", "0.1")
    ornicctl(server, "remove", "nic1")
    assert not path.exists()


def test_first_card_can_go(server, tmp_path):
    """Its name is free for the next one, and its path for other programs, at the end, too."""
    ornicctl(server, "remove", "nic0")
    assert server.control("stats")["cards"] == {}
    assert ornicctl(server, "add", f"socket={tmp_path / 'new.sock'}") == "nic0\n"
    assert serves(tmp_path / "new.sock")
    with listener(server.sockets[0]):
        server.process.terminate()
        assert server.process.wait(20) == 0
        assert server.sockets[0].exists() and not server.control_path.exists()


def test_traces_and_captures(server, tmp_path):
    """A card that comes during a trace is not part of it; a capture keeps its cards."""
    path = tmp_path / "new.sock"
    server.control("trace start")
    ornicctl(server, "add", f"socket={path}")
    ornicctl(server, "remove", "nic0")
    assert serves(path)
    assert server.control("trace read")["lost"] == 0
    with socket.socket(socket.AF_UNIX) as viewer:
        viewer.connect(str(server.control_path))
        viewer.sendall(b"capture\n")
        assert b"interfaces" in viewer.recv(100)
        assert "during a capture" in server.control("remove nic1")["error"]
        other = tmp_path / "other.sock"
        assert "during a capture" in refused("-s", server.control_path, "add", f"socket={other}")
        assert not other.exists()
    eventually(lambda: server.control("remove nic1") == {})


@pytest.mark.parametrize("words, reason", [
    (["add", "mac=02:00:00:00:00:07"], "socket=PATH is needed"),
    (["add", "socket=a b"], "without blanks"),
    (["add", "socket=/nonexistent/nic"], "/nonexistent/nic: cannot listen there"),
    (["add", "socket={dir}/new,vectors=65"], "add: --nic: vectors must be 1 to 64: '65'"),
    (["add", "socket={dir}/new,hope=1"], "--nic: unknown key: 'hope=1'"),
    (["add", "socket={dir}/new,mac={mac}"], "another card has the same MAC"),
    (["add", "socket={dir}/nic0.sock"], "Address already in use"),
    (["remove", "nic7"], "no card nic7"),
    (["request", "remove", "nic7"], "remove wants a card, such as nic0"),
    (["request", "remove", "nic0", "now"], "nothing else or force"),
    (["request", "remove", "nic0", "force", "now"], "nothing else or force"),
    (["request", "add"], "add wants the words"),
    (["request", "add", "socket=a", "b"], "add wants the words"),
    (["request", "add", "socket=a"], "add wants a listening, non-blocking socket"),
])
def test_refusals(server, tmp_path, words, reason):
    words = [word.format(dir=tmp_path, mac=server.card()["mac"]) for word in words]
    assert reason in refused("-s", server.control_path, *words)
    assert not (tmp_path / "new").exists()
    assert list(server.control("stats")["cards"]) == ["nic0"] and serves(server.sockets[0])


def test_refused_descriptors(server, tmp_path):
    """Each is closed when the next one comes, and one message has one."""
    before = server.fds()
    ends = socket.socketpair()
    with listener(tmp_path / "a", blocking=True) as blocking, listener(tmp_path / "b") as good, \
            open("/dev/null", encoding="ascii") as null:
        for other in (blocking, *ends, null):
            assert "listening, non-blocking" in send(server, "add socket=x", other)["error"]
            assert server.fds() == before + 1
        assert "cards" in send(server, "stats", good, blocking)
        assert server.fds() == before + 1
        assert send(server, "add socket=x")["card"] == "nic1"
        assert server.fds() == before + 1
    for end in ends:
        end.close()
    assert serves(tmp_path / "b")


def test_limit(server, tmp_path):
    """There are 64 cards at most, and descriptors for all of them."""
    for number in range(1, 64):
        with listener(tmp_path / f"{number}") as sock:
            assert send(server, f"add socket={tmp_path / str(number)}", sock)["card"] == \
                f"nic{number}"
    assert "64 cards, which is the limit" in refused(
        "-s", server.control_path, "add", f"socket={tmp_path / 'new'}")
    _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
    assert hard >= server.fds() + 64 * 64
    ornicctl(server, "remove", "nic17")
    assert ornicctl(server, "add", f"socket={tmp_path / 'new'}") == "nic17\n"
