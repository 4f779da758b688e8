# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The rights that ornic-device gives up after its start, and its work without them. The sanitized
card has no sandbox, so most of these tests run the card of `make device`."""

import os
import resource
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from vfio_client import (PAGE, Client, Closed, eventfds, eventually, fired, memory, serves,
                         shrink_file)
from vfio_inject import inject
from vfio_proto import HW, TOP, N
from vfio_server import stock

SANITIZED = TOP / "build/device-san/ornic-device"
NOBODY = (65534, 65533)


@pytest.fixture
def launch(launch):
    return lambda *args, **options: launch(*args, **{"device": stock(), **options})


def status(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file)


def threads(pid):
    """That of the cards, and that of the reaper."""
    tids = [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    assert len(tids) == 2
    return tids


def filters(pid):
    """Seccomp filters of a process beyond those that this one has from its environment."""
    count = [int(status(p).get("Seccomp_filters", 0)) for p in (pid, os.getpid())]
    return count[0] - count[1]


def test_in_force_by_default(launch):
    server = launch()
    pid = server.process.pid
    for tid in threads(pid):
        assert status(tid)["Seccomp"] == "2"
        assert filters(tid) == 1
        assert status(tid)["NoNewPrivs"] == "1"
    for name in ("CORE", "NPROC", "MEMLOCK"):
        assert resource.prlimit(pid, getattr(resource, f"RLIMIT_{name}")) == (0, 0)
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    # Cards may be added
    assert soft == hard < 64 * (64 + 32)


def test_enough_descriptors_for_all_vectors(launch, tmp_path):
    """All cards may have all their eventfds."""
    paths = [tmp_path / f"many{i}" for i in range(4)]
    options = [word for path in paths for word in ("--nic", f"socket={path},vectors=64")]
    server = launch(*options)
    clients = [Client(path) for path in paths]
    with eventfds(16) as fds:
        for client in clients:
            for first in range(0, 64, 16):
                client.set_irqs(N["IRQ_MSIX"], first, 16, fds)
        assert server.fds() > 4 * 64
        assert all(client.alive() for client in clients)
    for client in clients:
        client.close()


@pytest.mark.parametrize("number,args", [
    pytest.param(257, (-100, 0, 0), id="openat"),
    pytest.param(59, (0, 0, 0), id="execve"),
    pytest.param(57, (), id="fork"),
    pytest.param(41, (1, 1, 0), id="socket"),
    pytest.param(42, (0, 0, 0), id="connect"),
    pytest.param(87, (0,), id="unlink"),
    pytest.param(62, (1, 0), id="kill"),
    pytest.param(101, (0, 0, 0, 0), id="ptrace"),
    pytest.param(105, (0,), id="setuid"),
    pytest.param(10, (0, 4096, 4), id="mprotect"),
    pytest.param(9, (0, 4096, 5, 0x22, -1, 0), id="mmap-exec"),
    pytest.param(13, (11, 0, 0, 8), id="sigaction-segv"),
    pytest.param(234, (1, 1, 6), id="tgkill-init"),
    pytest.param(202, (0, 4 | 128), id="futex-cmp-requeue"),
    pytest.param(55, (0, 1, 17, 0, 0), id="getsockopt-peercred"),
    pytest.param(72, (0, 4, 0), id="fcntl-setfl"),
])
def test_forbidden_call_ends_the_process(launch, number, args):
    server = launch()
    assert inject(server.process.pid, number, *args) is None
    assert server.process.wait(20) == -signal.SIGSYS
    assert server.text().endswith(f"error: the sandbox forbids system call {number}, ending\n")


def test_call_of_another_architecture_ends_the_process(launch):
    """Numbers with the bit of x32 would pass a filter that looked at numbers only."""
    server = launch()
    assert inject(server.process.pid, 1 << 30 | 39) == -signal.SIGSYS
    server.process.wait()


def test_permitted_calls_do_not_end_the_process(launch):
    """The tracer itself does not end the process, so in the tests above the filter did."""
    server = launch()
    pid = server.process.pid
    assert inject(pid, 39) == pid
    assert inject(pid, 9, 0, 4096, 3, 0x22, -1, 0) > 0
    assert server.control("stats")


def test_off(launch):
    server = launch("--sandbox=off")
    assert filters(server.process.pid) == 0
    assert inject(server.process.pid, 110) == os.getpid()


def test_sanitized_card_has_none(launch):
    server = launch(device=str(SANITIZED))
    assert filters(server.process.pid) == 0
    server.stop()
    result = subprocess.run([SANITIZED, "--sandbox=on", "--nic", f"socket={server.sockets[0]}"],
                            capture_output=True, text=True, timeout=20, check=False)
    assert result.returncode == 1
    assert "cannot enter the sandbox" in result.stderr
    assert not server.sockets[0].exists()


def test_clients_are_served(launch):
    """Memory, interrupts, resets, and the next client."""
    server = launch()
    for _ in range(2):
        client = Client(server.sockets[0])
        client.enable()
        with memory() as fd, eventfds(1) as fds:
            client.dma_map(0, 64 * PAGE, fd)
            client.set_irqs(N["IRQ_MSIX"], 0, 1, fds)
            client.write32(HW["REG_IRQ_TEST"], 0)
            eventually(lambda fds=fds: fired(fds[0]))
            client.dma_unmap(0, 64 * PAGE)
            client.request("DEVICE_RESET")
            assert client.alive()
        client.close()


def test_memory_of_a_client_that_has_gone_is_unmapped(launch):
    server = launch()
    maps = Path(f"/proc/{server.process.pid}/maps")
    client = Client(server.sockets[0])
    with memory(16384 * PAGE) as fd:
        client.dma_map(0, 16384 * PAGE, fd)
        assert "/memfd:" in maps.read_text()
    client.close()
    eventually(lambda: "/memfd:" not in maps.read_text())
    eventually(lambda: server.card()["function"]["memory_leaving_bytes"] == 0)


def test_file_that_shrinks_is_replaced(launch):
    """The handler of SIGBUS makes a memfd and maps it."""
    server = launch()
    client = Client(server.sockets[0])
    shrink_file(client)
    assert client.ended()
    assert server.violations()["mem_fault"] == 1
    client.close()


def test_no_descriptor_is_left(launch):
    """The spare descriptor is closed and made again."""
    server = launch()
    pid = server.process.pid
    limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = max(int(fd) for fd in os.listdir(f"/proc/{pid}/fd")) + 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, limits[1]))
    with pytest.raises(Closed):
        Client(server.sockets[0])
    resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
    assert serves(server.sockets[0])


def test_capture_goes_on(launch, tmp_path):
    """The file was opened before."""
    port, peer = tmp_path / "port", tmp_path / "peer"
    server = launch("--pcap", str(tmp_path / "pcap"),
                    "--port", f"dgram,local={port},remote={peer}")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(peer))
        for _ in range(100):
            sock.sendto(b"\xff" * 6 + b"\2" + bytes(53), str(port))
    eventually(lambda: server.control("stats")["switch"]["flooded"] == 100)
    server.stop()
    assert not port.exists()
    assert (tmp_path / "pcap").stat().st_size == 24 + 100 * (16 + 60)


@pytest.mark.parametrize("sandbox", ["on", "off"])
@pytest.mark.parametrize("user", ["65534:65533", "nobody"])
def test_user(launch, user, sandbox):
    """The process cannot become root again, and its sockets go away although it may not remove
    them."""
    server = launch(f"--sandbox={sandbox}", f"--user={user}")
    for tid in threads(server.process.pid):
        lines = status(tid)
        assert lines["Uid"].split() == ["65534"] * 4
        assert lines["Gid"].split() == [user.partition(":")[2] or "65534"] * 4
        assert lines["Groups"].split() == []
        assert int(lines["CapEff"], 16) == int(lines["CapPrm"], 16) == 0
    assert serves(server.sockets[0])


def test_user_needs_privileges(tmp_path):
    os.chmod(tmp_path, 0o777)
    for parent in tmp_path.parents:
        if parent == Path(tempfile.gettempdir()):
            break
        os.chmod(parent, 0o755)
    path = tmp_path / "nic"
    result = subprocess.run([stock(), "--nic", f"socket={path}", "--user=1:1"], capture_output=True,
                            text=True, timeout=20, check=False, user=NOBODY[0], group=NOBODY[1],
                            extra_groups=[])
    assert result.returncode == 1
    assert "cannot become user 1 with group 1: Operation not permitted" in result.stderr
    assert not path.exists()


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def test_killed_process_leaves_no_other_behind(launch):
    """The process that removes sockets must not remove those of the next card at the same path."""
    server = launch()
    (child,) = children(server.process.pid)
    # It closes what it has inherited when it gets a processor
    eventually(lambda: os.listdir(f"/proc/{child}/fd") == ["0"])
    server.process.kill()
    server.process.wait()
    eventually(lambda: not os.path.exists(f"/proc/{child}"))
    assert server.sockets[0].exists()
    launch()
