# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The RPMs have the files of the Debian packages, and a machine takes and loses them. It is a
Debian 13, whose packages rpm does not know: dependencies of ours are checked by name only."""

import re
import subprocess

import pytest
from lab import paths
from lab.errors import LabError
from lab.machine import Machine
from test_packages import CARD, NAMES, RELEASE, check_modules

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("packages")]
DIRECTORY = paths.BUILD / "rpm"
PROGRAMS = {"/usr/bin/ornic-device", "/usr/bin/ornicctl", "/usr/bin/ornic-check",
            f"/usr/src/ornic-{RELEASE}/scripts/package/dkms/build",
            f"/usr/src/ornic-{RELEASE}/scripts/package/dkms/probe"}
# Directories of the packages on which ours depend
FOREIGN = {"usr/lib64", "usr/lib64/libibverbs", "usr/share/licenses"}


@pytest.fixture(scope="module")
def rpms():
    """Returns {name: file} of the RPMs that `make rpm` has made."""
    found = {path.name.split(f"-{RELEASE}")[0]: path for path in DIRECTORY.glob("*/*.rpm")}
    assert sorted(found) == sorted(NAMES)
    return found


@pytest.fixture(scope="module")
def next_device(next_debs, tmp_path_factory):
    """The RPM of the card of a later release, from the tarball of its Debian packages."""
    directory = tmp_path_factory.mktemp("rpm") / "next"
    subprocess.run([paths.TOP / "scripts/package/rpm/build", paths.CACHE / "src/rdma-core-56.1",
                    directory, next_debs / "ornic-99.0.tar.xz"], check=True, capture_output=True)
    found, = directory.glob("*/ornic-device-99.0-*.rpm")
    return found


def rpm(*words):
    done = subprocess.run(["rpm", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


def checked(*words):
    """Returns the output of rpm, which must succeed."""
    code, output = rpm(*words)
    if code:
        raise LabError(f"rpm {' '.join(map(str, words))} ended with {code}:\n{output}")
    return output


def test_contents(rpms):
    files = {name: checked("-qlp", path).split() for name, path in rpms.items()}
    assert {"/usr/bin/ornic-device", "/usr/bin/ornicctl",
            "/usr/lib/systemd/system/ornic-device@.service"} <= set(files["ornic-device"])
    assert f"/usr/src/ornic-{RELEASE}/dkms.conf" in files["ornic-dkms"]
    assert any(name.endswith("libibverbs/libornic-rdmav34.so")
               for name in files["ibverbs-provider-ornic"])
    needs = checked("-qRp", rpms["ibverbs-provider-ornic"])
    assert "libibverbs.so.1(IBVERBS_PRIVATE_34)" in needs
    assert {"python3", "dkms"} <= {line for name in ("ornic-device", "ornic-dkms")
                                   for line in checked("-qRp", rpms[name]).splitlines()}
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=DIRECTORY, check=True)


def check_files(rooted):
    """All files belong to root and can be written by root only, and programs can be executed."""
    rows = checked(*rooted, "-q", *NAMES, "--qf", "[%{FILEUSERNAME}:%{FILEGROUPNAME} "
                   "%{FILEMODES:perms} %{FILENAMES}\n]").splitlines()
    assert len(rows) > 100
    for row in rows:
        owner, mode, name = row.split()
        assert owner == "root:root", row
        assert mode[5] == mode[8] == "-", row
        if mode[0] == "-":
            library = name.endswith(".so")
            assert (mode == "-rwxr-xr-x") == (name in PROGRAMS) or library, row
    # Against the files of the machine: size, digest, owner and mode
    assert not checked(*rooted, "-V", "--nodeps", *NAMES)


def check_programs(machine):
    assert machine.check("ornic-device --version") == f"ornic-device {RELEASE}\n"
    assert re.search(rf"ornic/{RELEASE}, .*: installed", machine.check("dkms status"))
    check_modules(machine)
    code, output = machine.run("ornic-check")
    assert code == 1 and "no card on the PCI bus" in output.splitlines()[0]
    # libibverbs of this Debian has another directory for providers
    machine.check("ldd /usr/lib*/libibverbs/libornic-rdmav34.so | grep -q 'libibverbs.so.1 =>'")


def test_life(rpms, next_device):
    """They are installed, work, leave a running card alone when they are upgraded, are not removed
    while it runs, and leave nothing."""
    with Machine() as machine:
        before = machine.files()
        rooted = ["--root", machine.root, "--dbpath", "/root/rpmdb"]
        checked(*rooted, "--initdb")
        checked(*rooted, "-i", "--nodeps", *rpms.values())
        assert {checked(*rooted, "-q", name, "--qf", "%{VERSION}") for name in NAMES} == {RELEASE}
        check_files(rooted)
        check_programs(machine)
        machine.check("mkdir -p /run/ornic/demo/control")
        with machine.started(CARD) as card:
            machine.check("ornicctl wait")
            output = checked(*rooted, "-U", "--nodeps", next_device)
            assert "ornic-device@demo goes on with the release before" in output
            assert card.poll() is None
            code, output = rpm(*rooted, "-e", "--nodeps", "ornic-device")
            assert code and "services run: stop them first (ornicctl list)" in output
            assert machine.check("ornic-device --version") == "ornic-device 99.0\n"
        machine.check("rm -rf /run/ornic")
        checked(*rooted, "-e", "--nodeps", *NAMES)
        assert machine.files() - before <= FOREIGN
        assert before <= machine.files()
