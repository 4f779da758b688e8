# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Command line and control socket of ornic-device."""

import contextlib
import json
import socket
import subprocess

import pytest

from vfio_client import Client
from vfio_proto import HW
from vfio_server import program

NIC = "socket=/nonexistent/nic"


def run(*args):
    return subprocess.run([program(), *args], capture_output=True, text=True, timeout=20,
                          check=False)


@pytest.mark.parametrize("args,message", [
    ([], "no card"),
    (["--nic", ""], "needs socket=PATH"),
    (["--nic", "mac=02:00:00:00:00:01"], "needs socket=PATH"),
    (["--nic", "socket"], "key without a value"),
    (["--nic", NIC + ",colour=red"], "unknown key"),
    (["--nic", NIC + ",mac=01:00:00:00:00:01"], "not a unicast MAC"),
    (["--nic", NIC + ",mac=02:00:00:00:00"], "not a unicast MAC"),
    (["--nic", NIC + ",mac=02:00:00:00:00:00:00"], "not a unicast MAC"),
    (["--nic", NIC + ",vectors=0"], "vectors must be"),
    (["--nic", NIC + ",vectors=65"], "vectors must be"),
    (["--nic", NIC + ",vectors=-1"], "vectors must be"),
    (["--nic", NIC + ",vectors=4x"], "vectors must be"),
    (["--nic", NIC + ",ci-lag=257"], "ci-lag must be 0 to 256"),
    (["--nic", NIC + ",rq-doorbell=1"], "rq-doorbell must be on or off"),
    (["--nic", NIC + ",push=1"], "push must be on or off"),
    (["--nic", NIC + ",ci-lag=late"], "ci-lag must be 0 to 256"),
    (["--nic", NIC + ",commands=random"], "commands must be"),
    (["--nic", NIC + ",ready=19001"], "ready must be"),
    (["--nic", NIC + ",entries=half"], "entries must be"),
    (["--nic", NIC + ",spoofcheck=yes"], "spoofcheck must be"),
    (["--nic", NIC + ",spoofcheck=on,permit=01:00:00:00:00:01"], "permit must be"),
    (["--nic", NIC + ",permit=02:00:00:00:00:01"], "permit needs spoofcheck=on"),
    (["--nic", NIC + ",spoofcheck=on" + 9 * ",permit=02:00:00:00:00:01"], "too many of permit"),
    (["--nic", NIC + ",profile=storage"], "profile must be"),
    (["--nic", NIC + ",without=speed"], "without: no such feature"),
    (["--nic", NIC + ",without=srq,mw,speed"], "without: no such feature"),
    (["--nic", NIC + ",vectors=4,srq"], "unknown key"),
    (["--nic", NIC + ",flow=none"], "flow must be"),
    (["--nic", NIC + ",parse=all"], "parse must be"),
    (["--nic", NIC + ",version=1"], "version must be"),
    (["--nic", NIC + ",version=0.0"], "version must be"),
    (["--nic", NIC + ",version=1.65536"], "version must be"),
    (["--nic", NIC + ",version=1.0x"], "version must be"),
    (["--nic", NIC + ",limit=max_cqe"], "limit must be"),
    (["--nic", NIC + ",limit=max_cqe:-1"], "limit must be"),
    (["--nic", NIC + ",limit=max_cqe:1,max_hope:1"], "limit: no such limit"),
    (["--nic", NIC + ",limit=needs:1" + 4 * ",needs:1"], "too many of limit"),
    (["--nic", NIC, "--port", "local=a,remote=b"], "needs a kind"),
    (["--nic", NIC, "--port", "dgram,tap,name=x"], "needs a kind"),
    (["--nic", NIC, "--port", "dgram,local=a"], "needs local=PATH,remote=PATH"),
    (["--nic", NIC, "--port", "tap"], "needs name=IF"),
    (["--nic", NIC, "--port", "tap,name=x,mac=01:00:00:00:00:01"], "mac must be"),
    (["--nic", NIC, "--port", "tap,name=x,permit=02:00:00:00:00:01"], "permit needs mac"),
    (["--nic", NIC, "--spin-us", "soon"], "must be 0 to 1000000"),
    (["--nic", NIC, "--sandbox=auto"], "--sandbox: must be"),
    (["--nic", NIC, "--user=nobody-of-that-name"], "--user: no such user"),
    (["--nic", NIC, "--user=1:"], "--user: no such user"),
    (["--nic", NIC, "--user=:1"], "--user: no such user"),
    (["--nic", NIC, "--user=-1:1"], "--user: no such user"),
    (["--nic", NIC, "--user=1:4294967295"], "--user: no such user"),
    (["--nic", NIC, "--user=00000000001:1"], "--user: no such user"),
    (["--nic", NIC, "rubbish"], "argument without an option"),
    (["--nic", NIC, "--frobnicate"], "unrecognized option"),
])
def test_bad_command_line(args, message):
    result = run(*args)
    assert result.returncode == 2
    assert message in result.stderr
    assert "--help" in result.stderr


@pytest.mark.parametrize("args,message", [
    (["--nic", NIC], "cannot listen on /nonexistent/nic"),
    (["--nic", "socket=/" + "x" * 200], "File name too long"),
    (["--nic", "socket=/tmp"], "cannot listen"),
    (["--nic", NIC, "--pcap", "/nonexistent/pcap"], "cannot capture"),
    (["--nic", NIC, "--port", "dgram,local=/nonexistent/a,remote=/b"], "cannot make the socket"),
    (["--nic", NIC, "--port", "dgram,local=/tmp/a,remote=/" + "x" * 200], "too long"),
    (["--nic", NIC, "--port", "tap,name=" + "x" * 20], "too long"),
])
def test_unavailable_resource(args, message):
    result = run(*args)
    assert result.returncode == 1
    assert message in result.stderr


def test_same_mac_twice(tmp_path):
    nic = f"socket={tmp_path}/a,mac=02:00:00:00:00:01"
    result = run("--nic", nic, "--nic", nic.replace("/a,", "/b,"))
    assert result.returncode == 1
    assert "another card has the same MAC" in result.stderr
    assert not (tmp_path / "a").exists()


def test_socket_in_use(server):
    result = run("--nic", f"socket={server.sockets[0]}")
    assert result.returncode == 1
    assert "Address already in use" in result.stderr
    assert server.sockets[0].exists()


def test_help_and_version():
    assert "Usage:" in run("--help").stdout
    assert run("--version").stdout.startswith("ornic-device ")


@pytest.mark.parametrize("line", [
    "frobnicate", "", "stats now", "a b c d e f g h i j",
    "link", "link nic0", "link nic1 up", "link nic0 sideways", "link nic0 up now",
    "inject", "inject nic7 fatal", "inject nic0", "inject nic0 thunder", "inject nic0 fatal now",
    "lie nic0", "lie nic7 all", "lie nic0 thunder", "lie nic0 phase.register", "lie nic0 all now",
    "lie nic0 all,rate=1000001", "lie nic0 all,seed=-1", "lie nic0 all,until=now",
    "fault loss", "fault thunder 1", "fault loss -1", "fault loss 1000001", "fault loss x",
    "fault loss 99999999999999999999", "fault loss 1 2", "fault seed", "fault seed x",
    "fault seed -1", "fault seed 99999999999999999999", "fault seed 1 2",
])
def test_control_refuses(server, line):
    assert "error" in server.control(line)


def test_control_takes_a_client_beside_silent_ones(server):
    """A client that has been silent for the longest time makes room for the next."""
    with contextlib.ExitStack() as clients:
        for _ in range(20):
            client = clients.enter_context(socket.socket(socket.AF_UNIX))
            client.connect(str(server.control_path))
            client.sendall(b"fault\n")
            assert b"loss" in client.recv(4096)


def test_control_sets_faults(server):
    kinds = ["loss", "duplicate", "reorder", "delay", "corrupt"]
    assert server.control("fault") == dict.fromkeys(kinds, 0)
    assert server.control("fault loss 1000000") == {}
    assert server.control("fault duplicate 5") == {}
    assert server.control("fault")["loss"] == 1000000
    assert server.control("fault")["duplicate"] == 5


def test_control_pulls_and_plugs_the_cable(server):
    assert server.card()["link"] is True
    assert server.control("link nic0 down") == {}
    assert server.card()["link"] is False
    assert server.control("link nic0 up") == {}
    assert server.card()["link"] is True


def test_control_breaks_a_card_until_its_reset(server):
    assert server.control("inject nic0 fatal") == {}
    assert server.card()["nic"]["fatal_cause"] == HW["FATAL_INJECTED"]
    client = Client(server.sockets[0])
    client.request("DEVICE_RESET")
    assert server.card()["nic"]["fatal_cause"] == HW["FATAL_NONE"]
    client.close()


def test_control_sets_lies(server):
    kinds = [text.partition(":")[0] for text in server.control("lie")["lies"]]
    assert kinds == list(server.card()["nic"]["lies"])
    assert server.control(f"lie nic0 {','.join(kinds)},rate=10,seed=5") == {}
    assert server.control("lie nic0 none") == {}


def test_lie_option(launch, tmp_path):
    nic = f"socket={tmp_path}/a"
    server = launch("--nic", nic, "--lie", "phase.event,rate=10,seed=5")
    assert "lies from now on, rate 10 ppm, seed 5" in server.log.read_text()
    assert run("--lie", "all", "--nic", nic).returncode == 2
    result = run("--nic", nic, "--lie", "thunder")
    assert result.returncode == 2 and "no such lie" in result.stderr


def test_control_drops_a_line_without_end(server):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(20)
        sock.connect(str(server.control_path))
        sock.sendall(b"x" * 1024)
        assert sock.recv(1) == b""
    assert server.control("stats")


def test_control_answers_many_and_partial_lines(server):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(20)
        sock.connect(str(server.control_path))
        sock.sendall(b"stats\nhelp\nst")
        with sock.makefile() as file:
            assert "cards" in json.loads(file.readline())
            assert "requests" in json.loads(file.readline())
            sock.sendall(b"ats\n")
            assert "cards" in json.loads(file.readline())


def test_control_client_that_does_not_read_stalls_nobody(server):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(server.control_path))
        sock.setblocking(False)
        try:
            for _ in range(100000):
                sock.send(b"stats\n" * 100)
        except BlockingIOError:
            pass
        assert server.control("stats")


def test_control_limits_clients(server):
    socks = []
    for _ in range(20):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(str(server.control_path))
        socks.append(sock)
    for sock in socks:
        sock.close()
    assert server.control("stats")


def test_vectors_option_is_what_the_client_sees(launch, tmp_path):
    path = tmp_path / "few"
    launch("--nic", f"socket={path},vectors=3")
    client = Client(path)
    assert client.irq_info(2)["count"] == 3
    assert client.config_read(0x52, 2) == b"\2\0"
    client.close()
