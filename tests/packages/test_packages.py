# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The packages are clean, and a clean Debian 13 takes, upgrades and loses them."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from first_steps import copy_debs
from lab import paths
from lab.machine import Machine

# One machine at a time, because DKMS compiles on each
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("packages")]
NAMES = ("ornic-device", "ornic-dkms", "ibverbs-provider-ornic")
RELEASE = re.search(r"\?= (\S+)", (paths.TOP / "scripts/package/version.mk").read_text())[1]
# At most: 0 is the strictest, and 10 a unit without a sandbox
EXPOSURE = 20
CARD = ["/usr/bin/ornic-device", "--sandbox=on", "--control", "/run/ornic/demo/control/socket",
        "--nic", "socket=/run/ornic/demo/nic0.sock"]
OLD = Path("/lib/modules/6.1.0-44-amd64")
CARD_ON_BUS = "/root/sys/bus/pci/devices/0000:01:00.0"
# A libibverbs of the next major version of rdma-core
OTHER = """Package: libibverbs1
Version: 57.0-1
Architecture: all
Maintainer: test <test@test.invalid>
Description: test
"""


def test_lintian(debs):
    """No warnings and no errors."""
    result = subprocess.run(["lintian", "--no-cfg", "--allow-root", "--fail-on=error,warning",
                             *debs.glob("*.deb")], capture_output=True, text=True, check=False)
    assert not result.returncode, result.stdout + result.stderr


def check_modules(machine):
    """DKMS has installed both modules for both kernels, and no other."""
    found = machine.check("ls -d /lib/modules/*/updates/dkms/*").split()
    assert len({path.split("/")[3] for path in found}) == 2
    assert sorted(Path(path).name.split(".")[0] for path in found) == \
        ["ornic", "ornic", "ornic_rdma", "ornic_rdma"]


def check_contents(machine):
    assert machine.check("ornic-device --version") == f"ornic-device {RELEASE}\n"
    assert re.search(rf"ornic/{RELEASE}, .*: installed", machine.check("dkms status"))
    check_modules(machine)
    # No card and no service here: a line for each, and no other
    code, output = machine.run("ornic-check")
    assert code == 1 and len(output.splitlines()) == 1 and "no card on the PCI bus" in output
    code, output = machine.run("ornicctl check")
    assert code == 1
    lines = (line for line in output.splitlines() if not line.startswith("note:"))
    assert [line.split(":")[0] for line in lines] == [
        "no qemu-system-x86_64", "no ornic-device runs as a service"]
    for page in ("1/ornic-device.1", "1/ornicctl.1", "1/ornic-check.1", "7/libornic.7"):
        machine.check(f"test -s /usr/share/man/man{page}.gz")
    machine.check("bash -c '. /usr/share/bash-completion/completions/ornicctl; "
                  "complete -p ornicctl'")
    machine.check("test -s /usr/share/zsh/vendor-completions/_ornicctl")


def check_path(machine):
    """ornic-check finds the modules with the PATH of a user of Debian, which has no sbin."""
    release = machine.check("ls /lib/modules").split()[-1]
    machine.check(f"mkdir -p {CARD_ON_BUS} && echo 0x1af4 >{CARD_ON_BUS}/vendor && "
                  f"echo 0x10f0 >{CARD_ON_BUS}/device")
    code, output = machine.run(f"SYS=/root/sys RELEASE={release} PATH=/usr/bin:/bin ornic-check")
    assert code == 1 and "module ornic is not loaded: modprobe ornic" in output


def check_other_kernels(machine):
    """DKMS names the headers that are missing, and skips a kernel that is too old."""
    code, output = machine.run(f"dkms build ornic/{RELEASE} -k 9.9-none")
    assert code and "Your kernel headers for kernel 9.9-none cannot be found" in output
    assert "install the linux-headers-9.9-none package" in output
    machine.check(f"mkdir -p {OLD}/build/include && touch {OLD}/build/Makefile {OLD}/build/.config")
    code, output = machine.run(f"dkms autoinstall -k {OLD.name}")
    assert "which does not match this kernel/arch/config" in output
    assert not code and OLD.name not in machine.check("dkms status")
    machine.check(f"rm -r {OLD}")


def check_unit(machine):
    """systemd accepts the unit, and finds it confined."""
    output = machine.check("systemd-analyze verify --man=no ornic-device@demo.service")
    assert not output
    machine.check("systemd-analyze security --offline=true --no-pager "
                  f"--threshold={EXPOSURE} ornic-device@demo.service")


def check_other_libibverbs(machine):
    """apt does not let a libibverbs of another version beside the provider."""
    folder = machine.root / "root/other/DEBIAN"
    folder.mkdir(parents=True)
    (folder / "control").write_text(OTHER)
    machine.check("dpkg-deb -b other other.deb")
    code, output = machine.run("apt-get install -s ./other.deb ibverbs-provider-ornic")
    assert code and "ibverbs-provider-ornic : Depends: libibverbs1 (< 57~)" in output


def check_cards_in_use(machine, next_debs):
    """An upgrade leaves a running card alone and says so; a removal is refused."""
    machine.check("mkdir -p /run/ornic/demo/control")
    with machine.started(CARD) as card:
        machine.check("ornicctl wait")
        copy_debs(next_debs, machine)
        output = machine.check("apt-get install -y ./*_99.0_*.deb")
        assert "ornic-device@demo goes on with the release before" in output
        assert "systemctl restart ornic-device@demo" in output
        assert machine.check("ornic-device --version") == "ornic-device 99.0\n"
        assert card.poll() is None
        assert json.loads(machine.check("ornicctl status --json"))["cards"]["nic0"]
        assert re.search(r"ornic/99.0, .*: installed", machine.check("dkms status"))
        assert f"ornic/{RELEASE}" not in machine.check("dkms status")
        check_modules(machine)
        code, output = machine.run("apt-get remove -y ornic-device")
        assert code and "ornic-device@demo runs: stop it first" in output
        assert card.poll() is None
    assert card.returncode == 0


def test_life_of_the_packages(installed, next_debs):
    check_contents(installed)
    check_path(installed)
    check_other_kernels(installed)
    check_unit(installed)
    check_other_libibverbs(installed)
    check_cards_in_use(installed, next_debs)


def test_nothing_is_left(installed):
    """After removal and purge there is no file that was not there before."""
    with Machine() as clean:
        before = clean.files()
    assert len(installed.files() - before) > 100
    installed.check(f"apt-get remove -y {' '.join(NAMES)}")
    # A configuration file stays until the purge
    assert installed.files() ^ before == {"etc/libibverbs.d/ornic.driver"}
    # apt no longer knows packages that had none
    installed.check(f"dpkg --purge {' '.join(NAMES)}")
    assert installed.files() == before
