# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ornic-run, from a bundle and as an ordinary user: what the command gets and gives back, and what
is left behind. Rules of conftest.py."""

import contextlib
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from bundled import LIMIT, USER, make_bundle
from lab import paths
from lab.seed import seed
from ornicrun.layout import Bundle
from ornicrun.selftest import REPORT, STEPS

# Runs ornic-run, and sends itself SIGINT when a function is called, or returns, for the N-th time;
# prints how often each was
INTERRUPTED = """
import collections, json, os, signal, sys
import ornicrun.__main__ as program
counts, place = collections.Counter(), sys.argv[1]
def count(frame, event, arg):
    if event not in ("call", "return") or "/ornicrun/" not in frame.f_code.co_filename:
        return
    name = event + " " + frame.f_code.co_qualname
    counts[name] += 1
    if f"{name} {counts[name]}" == place:
        os.kill(os.getpid(), signal.SIGINT)
sys.setprofile(count)
code = program.main(sys.argv[2:])
sys.setprofile(None)
print(json.dumps(counts))
sys.exit(code)
"""
MOMENTS = 20
SAYS = """echo node $ORNIC_NODE of $ORNIC_NODES, peers $ORNIC_PEERS, user $(id -u), in $(pwd)
echo device $ORNIC_DEVICE $(ls /sys/class/infiniband) $ORNIC_NETDEV $ORNIC_ADDRESS
cat $ORNIC_HOSTFILE; grep "node[017]" /etc/hosts; echo variable "$WORD"
ping -c 1 node1 | grep -o '0% packet loss'
ibv_devinfo | grep -o PORT_ACTIVE
echo error >&2
echo made >made
exit 7
"""


@pytest.mark.full
def test_command(place):
    """The status, both outputs, the environment, names and addresses, the directory. A failure
    keeps logs."""
    code, output, errors = place.run("-n", "2", "-e", "WORD=a 'word'", "--", "sh", "-c", SAYS)
    assert code == 7, errors
    assert output.splitlines() == [
        f"node node0 of node0 node1, peers node1, user 0, in {place.work}",
        "device ornic_0 ornic_0 eth0 10.10.0.1", "node0 slots=1", "node1 slots=1",
        "10.10.0.1 node0", "10.10.0.2 node1", "10.10.0.8 node7", "variable a 'word'",
        "0% packet loss", "PORT_ACTIVE",
    ]
    error, last = errors.splitlines()
    assert error == "error"
    logs = Path(re.fullmatch(r"ornic-run: exit status 7; the logs are in (.*)", last)[1])
    assert {path.name for path in logs.iterdir()} >= {
        "card.log", "card.json", "node0-console.log", "node1-console.log", "node0-state.txt"}
    assert (place.work / "made").read_text() == "made\n"
    assert (place.work / "made").stat().st_uid == USER
    assert [path.name for path in logs.parent.iterdir()] == ["logs"]
    shutil.rmtree(logs.parent)
    assert not place.left()


@pytest.mark.full
def test_mpirun(place):
    """mpirun of Open MPI reaches all nodes, with no option for that."""
    code, output, errors = place.run("-n", "2", "--", "mpirun", "-n", "2", "hostname")
    assert code == 0, errors
    assert sorted(output.split()) == ["node0", "node1"]


@pytest.mark.full
def test_stream(place):
    """Output comes while the command runs. A signal ends all, and leaves nothing."""
    text = "echo one; until [ -e go ]; do sleep 0.1; done; echo two; exec tail -f /dev/null"
    process = place.start("-n", "1", "--", "sh", "-c", text)
    assert process.stdout.readline() == "one\n", process.communicate()
    assert place.left()
    (place.work / "go").touch()
    assert process.stdout.readline() == "two\n"
    # As a terminal does, to the whole group
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(LIMIT) == 128 + signal.SIGINT
    assert not place.left()
    assert process.stderr.read() == ""


@pytest.mark.full
def test_all(place):
    """Each node runs the command, its lines have its name, and a failure of one is the status."""
    text = "echo I am $ORNIC_NODE; [ $ORNIC_NODE != node1 ] || exit 5"
    code, output, errors = place.run("-n", "3", "--all", "--log", place.work / "logs", "--", "sh",
                                     "-c", text)
    assert code == 5, errors
    assert sorted(output.splitlines()) == [f"node{i}: I am node{i}" for i in range(3)]
    assert (place.work / "logs/card.log").exists() and not place.left()


@contextlib.contextmanager
def bare_machine(bundle):
    """Yields a root tree with busybox, the bundle, and nothing else."""
    root = Path(tempfile.mkdtemp(prefix="bare-"))
    mounts = ["proc", "sys", "dev", "bundle"]
    for name in [*mounts, "bin", "tmp", "home"]:
        (root / name).mkdir()
    root.chmod(0o755)
    (root / "tmp").chmod(0o777)
    shutil.copy("/usr/bin/busybox", root / "bin/busybox")
    for name in ("sh", "readlink"):
        (root / "bin" / name).symlink_to("busybox")
    try:
        for name in mounts:
            source = bundle if name == "bundle" else f"/{name}"
            subprocess.run(["mount", "--rbind", source, root / name], check=True)
        yield root
    finally:
        for name in mounts:
            subprocess.run(["umount", "-R", "-l", root / name], check=False)
        shutil.rmtree(root)


def run_bare(root, folder, *words, limit=LIMIT):
    """Runs ornic-run as an ordinary user of a bare machine, in a folder of it."""
    return subprocess.run(
        [shutil.which("chroot"), f"--userspec={USER}:{USER}", root, "/bin/sh", "-c",
         'cd "$0" && exec /bundle/ornic-run "$@"', folder, *words],
        env={"PATH": "/bin"}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=limit, check=False)


@pytest.mark.full
def test_bare_machine(bundle):
    """On a machine with nothing but a shell the bundle runs its own RDMA programs: the server comes
    first, and its output is not that of the command."""
    pingpong = "ibv_rc_pingpong -c -n 100 -g $ORNIC_GID_INDEX"
    with bare_machine(bundle) as root:
        done = run_bare(root, "/", "--server", pingpong, "--fault", "duplicate=1000", "--", "sh",
                        "-c", f"exec {pingpong} node1")
        left = list((root / "tmp").iterdir())
    assert done.returncode == 0, done.stderr
    assert re.search(r"^100 iters in ", done.stdout, re.M) and "node1" not in done.stdout
    assert re.search(r"^node1: .*GID", done.stderr, re.M) and not left


def test_self_test_without_machines(place):
    """The report of a self-test that cannot boot machines has the facts and the reason."""
    code, output, errors = place.run("--self-test", "-m", "9000G")
    text = (place.work / REPORT.name).read_text()
    assert code == 1 and not output, errors
    assert re.search(r"^start  machines +FAILED .* no memory: 2 machines of .*$", text, re.M)
    assert re.search(r"^linux +\d", text, re.M) and re.search(r"^QEMU +\d", text, re.M)
    assert not place.left()


@pytest.mark.full
def test_self_test(bundle):
    """On a machine with nothing but a shell all steps of the self-test pass, and the report has
    their figures."""
    with bare_machine(bundle) as root:
        (root / "home").chmod(0o777)
        done = run_bare(root, "/home", "--self-test", limit=4 * LIMIT)
        [report] = (root / "home").iterdir()
        text, left = report.read_text(), list((root / "tmp").iterdir())
    print(text)
    assert done.returncode == 0 and report.name == REPORT.name and not left, done.stderr
    assert re.match(rf"ornic-run --self-test: all {len(STEPS) + 3} steps passed\n", text)
    for step in STEPS:
        figure = rf"(?:[\d.]+|inf) {step.unit}" if step.unit else ".*"
        assert re.search(rf"^{step.part} +{re.escape(step.name)} +passed +[\d.]+ s *{figure}$",
                         text, re.M), step
    for name in ("linux", "qemu-system-x86", "perftest"):
        assert re.search(rf"^{name} +\d", text, re.M)


def listening(place):
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(place.work / "taken"))
    os.chmod(place.work / "taken", 0o777)
    sock.listen()
    return sock


BAD = {
    "nodes": (["-n", "9", "true"], "argument -n: 9 is not a number from 1 to 8; .*"),
    "option": (["--al", "true"], "unrecognized arguments: --al.*|.*--al.*"),
    "first": (["-n", "2", "--first", "7", "true"], "--first 7: there are 8 nodes; .*"),
    "no command": (["-n", "1"], "no COMMAND; try ornic-run --help"),
    "size": (["-m", "1T", "true"], "1T is not a size of memory: .*"),
    "memory": (["-n", "8", "-m", "9000G", "true"], "no memory: 8 machines of .* MiB are free: .*"),
    "root": (["--root", "/root", "true"], "/root: the root tree cannot be read: .*"),
    "no root": (["--root", "/none", "true"], "/none: no such directory"),
    "port": (["--port", "tap,name=none0", "true"], "ornic-device: .*none0.*"),
    "pcap": (["--pcap", "/none/file", "true"], "ornic-device: .*/none/file.*"),
    "card": (["--card", "vectors=0", "true"], "ornic-device: .*vectors.*"),
    "fault": (["--fault", "loss=x", "true"], ".*loss=x is not one of .*"),
    "taken": (["--control", "taken", "true"], ".*/taken: the socket is taken: another .*"),
    "kernel": (["--kernel", "/none", "--modules", "/none", "true"], "/none: cannot be read"),
    "not found": (["-n", "1", "no-such-program"], "no-such-program: command not found .*"),
    "directory": (["-n", "1", "/tmp"], "/tmp: not an executable file"),
}
# Cases in which a machine boots
CODES = {"not found": 127, "directory": 126}


@pytest.mark.parametrize("case", [
    pytest.param(case, marks=pytest.mark.full if case in CODES else ()) for case in BAD])
def test_bad_input(place, case):
    """One line says what is wrong."""
    words, pattern = BAD[case]
    with listening(place) if case == "taken" else contextlib.nullcontext():
        code, output, errors = place.run(*words)
    first, *rest = errors.splitlines()
    assert code == CODES.get(case, 125), errors
    assert re.fullmatch(f"ornic-run: ({pattern})", first) and not output
    assert all(re.fullmatch(r"ornic-run: exit status \d+; the logs are in .*", line)
               for line in rest), errors
    shutil.rmtree(place.temporary)
    place.temporary.mkdir()
    assert not place.left()


def test_unreadable_directory(place):
    place.work.chmod(0o700)
    os.chown(place.work, 0, 0)
    code, _, errors = place.run("true")
    assert code == 125
    assert re.fullmatch("ornic-run: .*: the current directory cannot be read: .*\n", errors)


def test_no_qemu(place):
    """Without QEMU in the bundle the one in PATH is used, if there is one."""
    copy = paths.BUILD / "bundle-without"
    shutil.rmtree(copy, ignore_errors=True)
    subprocess.run(["cp", "-al", place.bundle, copy], check=True)
    (copy / "host/bin/qemu-system-x86_64").unlink()
    code, _, errors = place.run("true", program=[copy / "ornic-run"],
                                env={"PATH": "/none", "TMPDIR": str(place.temporary)},
                                executable=shutil.which("setpriv"))
    shutil.rmtree(copy)
    assert code == 125
    assert re.fullmatch("ornic-run: no QEMU: neither .* nor PATH has qemu-system-x86_64\n", errors)


def test_ornicctl(place):
    """ornicctl of a bundle shows and traces a card of it by the bundle's Python."""
    device = Bundle(place.bundle).command("ornic-device")
    card = place.start("--nic", "socket=nic0", "--control", "control", program=device)

    def ornicctl(*words):
        code, output, errors = place.run("-s", "control", *words,
                                         program=[place.bundle / "ornicctl"], env={"PATH": "/none"},
                                         executable=shutil.which("setpriv"))
        assert code == 0 and not errors, errors
        return output

    try:
        ornicctl("wait")
        assert re.search(r"^nic0 +up", ornicctl("top", "-n", "1", "-d", "0.1"), re.M)
        assert ornicctl("trace", "--seconds", "0.1", "out.json").startswith("CARD")
        assert json.loads((place.work / "out.json").read_text())["otherData"]["cards"]
    finally:
        card.terminate()
    assert card.wait(LIMIT) == 0


@pytest.mark.full
def test_interrupted_anywhere(place):
    """Ctrl-C at any function of ornic-run leaves no process, file or socket."""
    host = place.bundle / "host"
    python = host / "bin/python3.13"
    program = [host / "lib/ld-linux-x86-64.so.2", "--library-path", host / "lib", "--argv0", python,
               python, "-I", "-S", "-B", "-c", INTERRUPTED]
    words = ["-n", "2", "--control", "control", "--", "true"]
    code, output, errors = place.run("", *words, program=program)
    assert code == 0 and not place.left(), errors
    counts, codes = json.loads(output), []
    number = random.Random(seed())
    for name in number.sample(sorted(counts), MOMENTS):
        moment = f"{name} {number.randint(1, counts[name])}"
        code, _, errors = place.run(moment, *words, program=program)
        assert not place.left(), moment
        assert not list(place.work.iterdir()), moment
        assert code in (0, 128 + signal.SIGINT, -signal.SIGINT) and not errors, (moment, errors)
        codes.append(code)
    # Loops that wait have fewer turns in one run than in another, and the end is not interrupted
    assert codes.count(128 + signal.SIGINT) >= MOMENTS // 2, codes


@pytest.fixture
def podman():
    """Yields (directory, words that begin a command line of podman, whose files are there)."""
    # crun refuses a machine that has both versions of cgroups, so its mount namespace has one
    shell = ["unshare", "--mount", "sh", "-c",
             'mount -t cgroup2 none /sys/fs/cgroup && exec podman "$@"', "podman"]
    with tempfile.TemporaryDirectory(prefix="podman-") as folder:
        yield Path(folder), [*shell, f"--root={folder}/storage", f"--runroot={folder}/run",
                             "--storage-driver=vfs", "--cgroup-manager=cgroupfs",
                             "--events-backend=none"]


@pytest.mark.long
def test_image(podman):
    """podman loads the image and runs it, with the current directory of the caller."""
    folder, words = podman
    image, work = folder / "ornic-run.oci.tar", folder / "work"
    make_bundle(folder / "ornic-run", image)
    work.mkdir()
    loaded = subprocess.run([*words, "load", "-i", image], capture_output=True, text=True,
                            check=True).stdout
    name = re.search(r"(\S+/ornic-run:latest)$", loaded, re.M)[1]
    done = subprocess.run(
        [*words, "run", "--rm", "--network=none", "--cgroups=disabled", "--log-driver=none", "-v",
         f"{work}:/work", "-w", "/work", name, "--server", "rping -s -C 10", "--", "sh", "-c",
         "rping -c -a 10.10.0.2 -C 10 -V && ibv_devinfo >made && exit 7"],
        capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 7, done.stderr
    assert "PORT_ACTIVE" in (work / "made").read_text()


def digest(home):
    """Returns {name: contents and mode} of the files of a directory."""
    return {path.relative_to(home): (path.lstat().st_mode, os.readlink(path) if path.is_symlink()
                                     else hashlib.sha256(path.read_bytes()).hexdigest())
            for path in home.rglob("*") if path.is_symlink() or path.is_file()}


@pytest.mark.full
def test_reproducible(bundle, tmp_path):
    """The same inputs make the same bundle."""
    first, second = digest(bundle), digest(make_bundle(tmp_path / "bundle"))
    assert len(first) > 500 and first == second
