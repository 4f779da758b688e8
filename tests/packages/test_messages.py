# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Each wrong thing that Documentation/install.rst lists (Messages) gets the one line that stands
there. test_first_steps.py sees those of the driver in a machine."""

import errno
import json
import os
import pathlib
import re
import socket
import subprocess
import threading

import pytest
from checked_guest import CARD, NO_MODULES, PABI
from checked_guest import check as guest
from first_steps import INSTALL
from lab.paths import TOP

USER = TOP / "scripts/user"
# root as a user to whom the modes of files apply
UNPRIVILEGED = ("/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search")
QEMU = """#!/bin/sh
[ "$1" = --version ] && echo "QEMU emulator version {version} (Debian)"
[ "$1" = -device ] && echo 'name "{device}", bus PCI'
"""
NEW, OLD = {"version": "11.1.0", "device": "vfio-user-pci"}, \
    {"version": "10.0.3", "device": "vfio-pci"}
# A card to which a QEMU has connected that shares no memory
STATS = {"cards": {"nic0": {"connected": True, "function": {"memory_files": 0},
                            "vfio_user": {"refused": 0}, "violations": {}}}}
# Files of a card that the driver has refused, and what it says
REFUSED = (f"{CARD}/driver", f"{CARD}/infiniband/")
LOG = "[    3.1] ornic 0000:01:00.0: "


def messages():
    """Returns {cause: line} of the document, whose lines are broken."""
    text = INSTALL.read_text().partition("Messages\n====")[2]
    found = re.findall(r"^(\w.*?)(?: \((?:.|\n)*?\))?::\n\n((?: {4}.*\n)+)", text, re.M)
    return {cause: " ".join(line.split()) for cause, line in found}


def private(path):
    """Makes a file that only another user may read."""
    path.touch(0o600)
    os.chown(path, 65534, 65534)


def host(tmp_path, qemu, cards=None, kvm=pathlib.Path.touch):
    """Returns what `ornicctl check` says with this QEMU, or none, and this card, or none. `kvm`
    makes /dev/kvm, or does not."""
    kvm(tmp_path / "kvm")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to("/usr/bin/python3")
    if qemu:
        program = tmp_path / "bin/qemu-system-x86_64"
        program.write_text(QEMU.format(**qemu))
        program.chmod(0o755)
    words = []
    if cards:
        sock = socket.socket(socket.AF_UNIX)
        sock.bind(str(tmp_path / "control"))
        sock.listen()
        words = ["-s", tmp_path / "control"]

        def answer():
            with sock, sock.accept()[0] as client:
                client.recv(100)
                client.sendall(json.dumps(cards).encode() + b"\n")

        threading.Thread(target=answer, daemon=True).start()
    done = subprocess.run([*UNPRIVILEGED, "/usr/bin/python3", USER / "ornicctl", *words, "check"],
                          text=True, capture_output=True, check=False, timeout=60,
                          env={**os.environ, "PATH": str(tmp_path / "bin"),
                               "ORNIC_KVM": str(tmp_path / "kvm")})
    assert done.returncode == 1 and not done.stderr
    return [line.replace(f"{tmp_path}/kvm", "/dev/kvm") for line in done.stdout.splitlines()
            if "runs as a service" not in line]


def build(tmp_path):
    done = subprocess.run(["sh", TOP / "scripts/package/dkms/build", "/lib/modules/9.9-none/build",
                           tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and not done.stdout
    return done.stderr.splitlines()


CAUSES = {
    "No QEMU": lambda path: host(path, None),
    "No KVM": lambda path: host(path, NEW, kvm=lambda kvm: None),
    "No access to KVM": lambda path: host(path, NEW, kvm=private),
    # A link to itself gives another error than a device without a module
    "KVM that does not open": lambda path: [
        line.replace(os.strerror(errno.ELOOP), os.strerror(errno.ENODEV))
        for line in host(path, NEW, kvm=lambda kvm: kvm.symlink_to(kvm))],
    "An old QEMU": lambda path: host(path, OLD),
    "No memory": lambda path: host(path, NEW, STATS),
    "No memory, seen in the machine": lambda path: guest(
        path, *REFUSED, log=f"{LOG}device cannot reach host memory\n"),
    "A kernel that is too old": lambda path: guest(path, *NO_MODULES, release="6.1.0-44-amd64"),
    "A kernel without our modules": lambda path: guest(path, "sys/module/ornic_rdma"),
    "A kernel without headers": build,
    "Modules of another version": lambda path: guest(
        path, files={f"{CARD}/infiniband_verbs/uverbs0/abi_version": "2\n"}),
    "A card of another version": lambda path: guest(
        path, *REFUSED, log=f"{LOG}unknown hardware interface version 2.0\n"),
    "A card that the driver refuses, for a user who may not read the kernel log": lambda path:
        guest(path, *REFUSED, log=None),
    "A provider of another private ABI": lambda path: guest(
        path, files={PABI: "\0IBVERBS_PRIVATE_65\0"}),
}


def test_all_are_tested():
    assert list(messages()) == list(CAUSES)


@pytest.mark.parametrize("cause", CAUSES)
def test_line(tmp_path, cause):
    line, = CAUSES[cause](tmp_path)
    assert line == messages()[cause]
