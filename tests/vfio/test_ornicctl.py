# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ornicctl asks a running card, and prints one line for each thing that is wrong."""

import json
import os
import shlex
import socket
import subprocess
import threading
from xml.etree import ElementTree

import pytest

from vfio_client import Client
from vfio_proto import TOP
from vfio_server import Server

PROGRAM = TOP / "scripts/user/ornicctl"
# Prints what `qemu -device help` and `qemu --version` print
QEMU = """#!/bin/sh
[ "$1" = --version ] && echo "QEMU emulator version 10.0.3 (Debian)"
[ "$1" = -device ] && echo 'name "{device}", bus PCI'
"""


def run(*words, kvm="/dev/null", services="/run/ornic"):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60,
                          check=False, env={**os.environ, "ORNIC_KVM": str(kvm),
                                            "ORNIC_RUN": str(services)})


@pytest.fixture
def ask(server):
    """Runs ornicctl for the server and returns its output; it must succeed."""
    def call(*words):
        result = run("-s", server.control_path, *words)
        assert result.returncode == 0, result.stderr
        return result.stdout
    return call


@pytest.fixture
def qemu(tmp_path):
    """Returns the path of a program that lists the device as QEMU does."""
    def make(device):
        path = tmp_path / f"qemu-{device}"
        path.write_text(QEMU.format(device=device))
        path.chmod(0o755)
        return path
    return make


def refused(*words):
    """Returns the one line with which ornicctl refuses."""
    result = run(*words)
    assert result.returncode == 1 and not result.stdout
    line, = result.stderr.splitlines()
    assert line.startswith("ornicctl: ")
    return line


def test_socket_of_a_stranger(server, tmp_path):
    """Another user's process that listens in the directory is not believed, be it as a card or as a
    QEMU."""
    path = tmp_path / "stranger.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        # The kernel notes who calls listen()
        os.seteuid(65534)
        try:
            listener.listen()
        finally:
            os.seteuid(0)
        assert "user 65534 listens there" in refused("-s", path, "status")
        assert "user 65534 listens there" in refused("-s", server.control_path, "attach", "nic0",
                                                     path)


def test_status(server, ask):
    head, row = ask("status").splitlines()
    assert head.split()[:4] == ["CARD", "MAC", "QEMU", "LINK"]
    assert row.split()[:4] == ["nic0", server.card()["mac"], "-", "up"]
    assert row.split()[-1] == str(server.sockets[0])
    client = Client(server.sockets[0])
    ask("link", "nic0", "down")
    assert ask("status").splitlines()[1].split()[2:4] == ["connected", "down"]
    client.close()


def test_status_with_rates(ask):
    assert "tx 0/s 0.0 MB/s, rx 0/s" in ask("status", "--rates", "0.1")


def test_status_as_json(server, ask):
    assert json.loads(ask("status", "--json"))["cards"]["nic0"]["mac"] == server.card()["mac"]


def test_mac_is_that_of_the_option(launch, tmp_path):
    path = tmp_path / "other.sock"
    server = launch("--nic", f"socket={path},mac=02:00:00:00:0a:ff")
    assert server.card(1)["mac"] == "02:00:00:00:0a:ff"


def test_ports(launch, tmp_path):
    port = f"dgram,local={tmp_path}/a,remote={tmp_path}/b"
    server = launch("--port", port)
    rows = run("-s", server.control_path, "ports").stdout.splitlines()
    assert [row.split()[0] for row in rows[:2]] == ["PORT", "nic0"] and len(rows) == 3


def test_requests(server, ask):
    ask("request", "fault", "loss", "5")
    assert server.control("fault")["loss"] == 5
    assert "requests" in json.loads(ask("request", "help"))


def test_options_of_qemu(server, ask):
    words = shlex.split(ask("qemu", "nic0", "--memory", "2G"))
    device = json.loads(words[-1])
    assert device["socket"]["path"] == str(server.sockets[0])
    assert f"pcie-root-port,id={device['bus']},chassis=100" in words
    assert "memory-backend-memfd,id=mem,size=2G,share=on" in words


def two_cards(tmp_path, command):
    """Returns what ornicctl prints for two of the three cards of a server."""
    names = [tmp_path / f"{name}.sock" for name in "ab"]
    server = Server(tmp_path, *(word for name in names for word in ("--nic", f"socket={name}")))
    output = run("-s", server.control_path, command, "nic1", "nic2").stdout
    server.stop()
    return output


def check_devices(values, place):
    """Each port has numbers of its own, and each card its own port."""
    for number, (port, card) in enumerate(zip(values[::2], values[1::2], strict=True)):
        name = f"nic{number + 1}"
        assert port == f"pcie-root-port,id=ornic-{name}{place[number]},chassis={100 + number}"
        assert json.loads(card)["bus"] == f"ornic-{name}"
        assert json.loads(card)["socket"]["path"].endswith(f"/{'ab'[number]}.sock")
    assert len(values) == 4


def test_options_of_two_cards(tmp_path):
    words = shlex.split(two_cards(tmp_path, "qemu").replace("\\\n", ""))
    check_devices([value for option, value in zip(words, words[1:]) if option == "-device"],
                  ("", ""))
    assert words.count("-object") == words.count("-m") == 1


class Monitor:
    """Answers one client as the monitor of QEMU does, and keeps its requests."""

    def __init__(self, path, answer):
        self.path, self.answer, self.requests = path, answer, []
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.bind(str(path))
        self.sock.listen()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        with self.sock.accept()[0] as client, client.makefile("rw") as file:
            lines = [{"QMP": {}}, {"return": {}}, self.answer]
            for number, line in enumerate(lines):
                if number:
                    self.requests.append(json.loads(file.readline()))
                # An event may come before each answer
                file.write('{"event": "RESUME"}\n' + json.dumps(line) + "\n")
                file.flush()


def test_attach(server, ask, tmp_path):
    """ornicctl has QEMU attach a card to the port of its name, or to another."""
    monitor = Monitor(tmp_path / "qmp", {"return": {}})
    ask("attach", "nic0", tmp_path / "qmp")
    monitor.thread.join(10)
    assert [one["execute"] for one in monitor.requests] == ["qmp_capabilities", "device_add"]
    device = monitor.requests[1]["arguments"]
    assert (device["driver"], device["id"], device["bus"]) == \
        ("vfio-user-pci", "nic0", "ornic-nic0")
    assert device["socket"]["path"] == str(server.sockets[0])
    monitor = Monitor(tmp_path / "other", {"return": {}})
    ask("attach", "nic0", tmp_path / "other", "--bus", "rp1")
    monitor.thread.join(10)
    assert monitor.requests[1]["arguments"]["bus"] == "rp1"


def test_refused_attach(server, tmp_path):
    control = ["-s", server.control_path]
    assert "start it with -qmp unix:" in refused(*control, "attach", "nic0", tmp_path / "none")
    Monitor(tmp_path / "qmp", {"error": {"desc": "Bus 'ornic-nic0' not found"}})
    assert "device_add: Bus 'ornic-nic0' not found" in \
        refused(*control, "attach", "nic0", tmp_path / "qmp")
    assert "no card nic7" in refused(*control, "attach", "nic7", tmp_path / "qmp")
    client = Client(server.sockets[0])
    assert "a virtual machine has it" in refused(*control, "attach", "nic0", tmp_path / "qmp")
    client.close()


def test_domain_of_libvirt(server, ask):
    tree = ElementTree.fromstring(ask("libvirt", "nic0"))
    values = [arg.get("value") for arg in tree.iter() if arg.tag.endswith("arg")]
    assert values[::2] == ["-device", "-device"]
    assert json.loads(values[3])["socket"]["path"] == str(server.sockets[0])


def test_domain_with_two_cards(tmp_path):
    tree = ElementTree.fromstring(two_cards(tmp_path, "libvirt"))
    values = [arg.get("value") for arg in tree.iter() if arg.tag.endswith("arg")]
    check_devices(values[1::2], (",bus=pcie.0,addr=0x18", ",bus=pcie.0,addr=0x19"))


@pytest.mark.parametrize("words, reason", [
    (["link", "nic7", "up"], "link wants a card"),
    (["qemu", "nic7"], "no card nic7: there are nic0"),
    (["request", "thunder"], "unknown request"),
])
def test_refusals_of_the_card(server, words, reason):
    assert reason in refused("-s", server.control_path, *words)


def test_no_card(tmp_path):
    assert "start it" in refused("-s", tmp_path / "none", "status")
    assert "start it" in refused("-i", "none", "status")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "ended"))
    assert "has ended" in refused("-s", tmp_path / "ended", "status")
    assert "systemctl start" in refused("status")


def test_socket_of_another_program(tmp_path):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "other"))
        sock.listen()

        def answer():
            client = sock.accept()[0]
            client.recv(100)
            client.sendall(b"hello\n")
            client.close()

        thread = threading.Thread(target=answer)
        thread.start()
        assert "not the control socket" in refused("-s", tmp_path / "other", "status")
        thread.join()


def test_wait(server, tmp_path):
    assert run("-s", server.control_path, "wait", "5").returncode == 0
    assert "start it" in refused("-s", tmp_path / "none", "wait", "0.2")


def test_check_of_qemu(server, qemu):
    def check(program):
        result = run("-s", server.control_path, "check", "--qemu", program)
        return result.returncode, result.stdout.splitlines()

    assert check(qemu("vfio-user-pci")) == (0, ["ok"])
    code, lines = check(qemu("vfio-pci"))
    assert code == 1 and len(lines) == 1
    assert "10.0.3 has no vfio-user-pci: install QEMU 10.1" in lines[0]
    code, lines = check("qemu-of-no-name")
    assert code == 1 and len(lines) == 1 and "no qemu-of-no-name: install QEMU" in lines[0]


def test_check_of_kvm(server, qemu, tmp_path):
    """Machines work without KVM, too, so this is no fault."""
    result = run("-s", server.control_path, "check", "--qemu", qemu("vfio-user-pci"),
                 kvm=tmp_path / "none")
    note, ok = result.stdout.splitlines()
    assert result.returncode == 0 and ok == "ok"
    assert note.startswith(f"note: no {tmp_path}/none: machines are emulated")


def test_check_of_memory(server, qemu):
    client = Client(server.sockets[0])
    result = run("-s", server.control_path, "check", "--qemu", qemu("vfio-user-pci"))
    assert result.returncode == 1
    assert "nic0: QEMU shares no memory" in result.stdout and "share=on" in result.stdout
    client.close()


def test_check_of_services(server, qemu, tmp_path):
    """Without a choice all services are looked at, also one that has ended."""
    for name in ("a", "b"):
        (tmp_path / name / "control").mkdir(parents=True)
    (tmp_path / "a/control/socket").symlink_to(server.control_path)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "b/control/socket"))
    client = Client(server.sockets[0])
    result = run("check", "--qemu", qemu("vfio-user-pci"), services=tmp_path)
    client.close()
    memory, ended = result.stdout.splitlines()
    assert result.returncode == 1
    assert memory.startswith("a: nic0: QEMU shares no memory")
    assert ended.startswith(f"b: {tmp_path}/b/control/socket: ornic-device has ended")


def test_check_without_service(qemu):
    result = run("check", "--qemu", qemu("vfio-user-pci"))
    assert result.returncode == 1
    assert "systemctl start ornic-device@NAME" in result.stdout
