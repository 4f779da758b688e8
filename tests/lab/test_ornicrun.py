# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/ornicrun without virtual machines: words for guests, the initramfs, the guest
agent on a terminal in place of its port, and what a run does with signals and libraries."""

import base64
import gzip
import hashlib
import json
import os
import pty
import signal
import socket
import subprocess
import tarfile
import tty

import pytest
from ornicrun import host
from ornicrun.__main__ import Ended, Signals
from ornicrun.agent import GuestAgent
from ornicrun.errors import RunError
from ornicrun.initramfs import AGENT, COMPILER_FLAGS, GUEST, archive
from ornicrun.pack import pack
from ornicrun.session import Output
from ornicrun.vm import quoted


@pytest.mark.parametrize("path", ["/usr/lib", "/a b/c", "/\\040:rw/*?$(x)\"'", "/ü/\n/~", "/a,b=c"])
def test_quoted(path):
    """A path is one word without characters of the shell, and guest/early-init finds it again."""
    word = quoted(path)
    assert not set(word) & set(" *?[]$`\"'\n")
    found = subprocess.run(["busybox", "printf", "%b", word], capture_output=True, check=True)
    assert os.fsdecode(found.stdout) == path


def test_archive(tmp_path):
    """cpio reads the initramfs, and the same files make the same bytes."""
    module = tmp_path / "a-b.ko"
    module.write_bytes(b"module")
    first = archive([module], module, module)
    os.utime(module, (0, 0))
    assert first == archive([module], module, module)
    subprocess.run(["cpio", "-id", "--quiet"], input=first, cwd=tmp_path, check=True)
    assert (tmp_path / "modules/00-a_b.ko").read_bytes() == b"module"
    assert os.readlink(tmp_path / "bin/sh") == "busybox" and os.access(tmp_path / "init", os.X_OK)


def make_home(folder):
    """Makes a directory as that of a bundle; its files are as old as this call."""
    (folder / "guest/busybox").mkdir(parents=True)
    (folder / "ornic-run").write_text("#!/bin/sh\n")
    (folder / "ornic-run").chmod(0o750)
    (folder / "guest/busybox/sh").symlink_to("busybox")
    return folder


@pytest.mark.parametrize("name", ["one.tar.xz", "one.oci.tar"])
def test_pack(tmp_path, monkeypatch, name):
    """The same directory makes the same bytes, whoever made it and when."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    made = []
    for number in range(2):
        home = make_home(tmp_path / str(number) / "ornic-run")
        os.utime(home / "ornic-run", (number, number))
        os.chown(home / "ornic-run", number, number)
        pack(home, home.parent / name)
        made.append((home.parent / name).read_bytes())
        assert {path.name for path in home.parent.iterdir()} == {"ornic-run", name}
    assert made[0] == made[1]


def test_image(tmp_path, monkeypatch):
    """An image has the layout of OCI: each descriptor has the size and the digest of its blob. Its
    entry point and its shell are in the layer."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    pack(make_home(tmp_path / "home"), tmp_path / "one.oci.tar")
    with tarfile.open(tmp_path / "one.oci.tar") as tar:
        blobs = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
    assert json.loads(blobs.pop("oci-layout")) == {"imageLayoutVersion": "1.0.0"}

    def read(descriptor):
        data = blobs.pop(f"blobs/{descriptor['digest'].replace(':', '/')}")
        assert len(data) == descriptor["size"]
        assert f"sha256:{hashlib.sha256(data).hexdigest()}" == descriptor["digest"]
        return data
    [descriptor] = json.loads(blobs.pop("index.json"))["manifests"]
    manifest = json.loads(read(descriptor))
    config = json.loads(read(manifest["config"]))
    [packed] = manifest["layers"]
    root = gzip.decompress(read(packed))
    assert not blobs
    assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(root).hexdigest()}"]
    (tmp_path / "root.tar").write_bytes(root)
    with tarfile.open(tmp_path / "root.tar") as tar:
        [entry] = config["config"]["Entrypoint"]
        member = tar.getmember(entry.lstrip("/"))
        assert (member.mode, member.uid, member.mtime) == (0o755, 0, 1700000000)
        assert tar.getmember("bin/sh").linkname == "/ornic-run/guest/busybox/busybox"
        assert tar.getmember("tmp").mode == 0o1777


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    target = tmp_path_factory.mktemp("agent") / "agent"
    subprocess.run(["gcc", *COMPILER_FLAGS, "-o", target, *AGENT], check=True)
    return target


class Terminal:
    """A socket for GuestAgent that is a terminal."""

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def sendall(self, data):
        os.write(self.descriptor, data)

    def recv(self, size):
        return os.read(self.descriptor, size)


@pytest.fixture
def agent(program):
    here, there = pty.openpty()
    for end in (here, there):
        tty.setraw(end)
    process = subprocess.Popen([program, os.ttyname(there)])
    client = object.__new__(GuestAgent)
    client.path, client.socket, client.buffer, client.noted = "agent", Terminal(here), b"", []
    yield client
    process.kill()
    process.wait()
    os.close(here)
    os.close(there)


def follow(agent, pid):
    """Returns (exit code, output, error output) of a program whose output is streamed."""
    outputs = {1: b"", 2: b""}
    while True:
        for event in agent.events():
            assert event["pid"] == pid
            if event["event"] == "end":
                return event["code"], outputs[1], outputs[2]
            outputs[event["stream"]] += base64.b64decode(event["buf-b64"])


@pytest.mark.parametrize("text, code", [
    ("exit 7", 7), ("kill -9 $$", 137),
    # A program that it has left behind has its output still open
    ("exec 3>&1; sleep 600 & exit 3", 3),
])
def test_agent_stream(agent, text, code):
    """All output comes before the end, with what was written last."""
    numbers = "".join(f"{number}\n" for number in range(20000))
    pid = agent.start(["/bin/sh", "-c", f"seq 0 19999; echo error >&2; {text}"], 0, stream=True)
    assert follow(agent, pid) == (code, numbers.encode(), b"error\n")


def test_agent_beside_stream(agent):
    """Requests are answered while a program has output that nothing has read."""
    pid = agent.start(["/bin/sh", "-c", "while :; do echo x; done"], 0, stream=True)
    while not agent.events():
        pass
    other = agent.start(["/bin/sh", "-c", "seq 3000; exit 4"], 60)
    code, output = agent.wait(other, 60)
    assert code == 4 and output == "".join(f"{number}\n" for number in range(1, 3001))
    agent.wait(agent.start(["/bin/kill", "-9", f"-{pid}"], 60), 60)
    assert follow(agent, pid)[0] == 137


def test_events_that_come_with_the_answer():
    """Nothing more comes from the agent, so that nobody waits for its socket."""
    here, there = socket.socketpair()
    client = object.__new__(GuestAgent)
    client.path, client.socket, client.buffer, client.noted = "agent", here, b"", []
    end = {"event": "end", "pid": 1, "code": 126}
    with here, there:
        there.sendall(b'{"return": {"pid": 1}}\n' + json.dumps(end).encode() + b"\n")
        assert client.start(["/none"], 0, stream=True) == 1
        assert client.has_events() and client.events() == [end] and not client.has_events()


def test_remote_shell(tmp_path):
    """ornic-rsh has the node's environment, the output and the status, also without a node."""
    (tmp_path / "node").write_text(f"export ORNIC_DIRECTORY={tmp_path} WORD=word\n")
    script = """
        ip link set lo up
        rsh() { busybox sh "$0" "$@"; echo "status $?"; }
        rsh localhost true
        busybox sh "$0" --listen "$1" &
        until grep -q ':176F .* 0A ' /proc/net/tcp /proc/net/tcp6; do sleep 0.01; done
        rsh -x root@localhost 'pwd; echo $WORD; echo error >&2; exit 7'
        rsh localhost printf part
        kill $!
    """
    output = subprocess.run(["unshare", "-n", "sh", "-c", script, GUEST / "ornic-rsh",
                             tmp_path / "node"], stdout=subprocess.PIPE, text=True, timeout=60,
                            check=False).stdout
    assert [line for line in output.splitlines() if line] == [
        "status 255", str(tmp_path), "word", "error", "status 7", "part", "status 0"]


def test_prefix():
    """Output is passed on in whole lines that begin with the name of the node."""
    here, there = os.pipe()
    output = Output(there, "node0: ")
    for data in (b"a", b"b\nc", b"\n\nd"):
        output.feed(data)
    output.finish()
    assert os.read(here, 100) == b"node0: ab\nnode0: c\nnode0: \nnode0: d\n"


def test_lines_stay_apart():
    """A line of another node does not continue one of the command, where both go to one file."""
    here, there = os.pipe()
    command, other = Output(there), Output(os.dup(there), "node1: ")
    for output, data in ((command, b"a"), (other, b"b\n"), (command, b"c\n"), (other, b"d\n")):
        output.feed(data)
    assert os.read(here, 100) == b"a\nnode1: b\nc\nnode1: d\n"


def test_signals():
    """The first signal ends a run, further ones do not disturb the end."""
    signals = Signals()
    with pytest.raises(Ended):
        signals.handle(signal.SIGTERM, None)
    signals.handle(signal.SIGINT, None)
    assert signals.number == signal.SIGTERM


@pytest.mark.parametrize("target, version", [
    ("libibverbs.so.1.14.56.1", "56.1"), ("libibverbs.so.1.15.65.0", "65.0"), ("other", None),
    (None, None),
])
def test_libibverbs(tmp_path, target, version):
    folder = tmp_path / "usr/lib64"
    folder.mkdir(parents=True)
    if target:
        (folder / "libibverbs.so.1").symlink_to(target)
    assert host.libibverbs_version(tmp_path) == version


@pytest.mark.parametrize("text, size", [("512", 512), ("512M", 512), ("2G", 2048)])
def test_memory(text, size):
    assert host.memory_size(text) == size << 20


@pytest.mark.parametrize("text", ["1T", "", "-1G", "100M", "1.5G"])
def test_bad_memory(text):
    with pytest.raises(RunError):
        host.memory_size(text)
