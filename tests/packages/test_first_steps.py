# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The first steps of Documentation/install.rst, word for word, in virtual machines that boot a
user's machine: systemd runs the card in one, and two others have cards and the modules of DKMS."""

import re
import subprocess

import pytest
from first_steps import copy_debs
from lab import paths
from lab.machine import MachineVm
from lab.pair import each

pytestmark = [pytest.mark.long, pytest.mark.vm, pytest.mark.xdist_group("packages")]
ORNICCTL = paths.TOP / "scripts/user/ornicctl"


def boot(lab, machine, *names):
    """Returns a virtual machine for each name; they are not started."""
    machine.unbind()
    return [lab.vm(name, kind=MachineVm, machine=machine) for name in names]


def check_service(vm):
    """The card runs without privileges, and only group kvm reaches its socket."""
    pid = vm.check("systemctl show -P MainPID ornic-device@demo").strip()
    status = vm.check(f"cat /proc/{pid}/status")
    assert not re.search(r"^Uid:\t0\t", status, re.M)
    assert re.search(r"^CapEff:\t0+$", status, re.M)
    assert re.search(r"^NoNewPrivs:\t1$", status, re.M)
    assert re.search(r"^Seccomp:\t2$", status, re.M)
    assert vm.check("stat -c '%G %a' /run/ornic/demo").split() == ["kvm", "750"]
    assert vm.check("stat -c '%G %a' /run/ornic/demo/nic0.sock").split() == ["kvm", "770"]
    assert vm.check("stat -c %a /run/ornic/demo/control").strip() == "700"
    return pid


def check_bridge(vm):
    """The example with a bridge: the card opens a TAP interface of group kvm."""
    vm.check("ip link add br0 type bridge && ip tuntap add ornic0 mode tap group kvm && "
             "ip link set ornic0 master br0 up && install -D -m 644 -t /etc/ornic "
             "/usr/share/doc/ornic-device/examples/bridge.conf && "
             "systemctl start ornic-device@bridge")
    assert re.search(r"^ornic0 ", vm.check("ornicctl -i bridge ports"), re.M)
    code, output = vm.run("ornicctl status")
    assert code == 1 and "several services run: choose with -i (bridge, demo)" in output
    vm.check("systemctl stop ornic-device@bridge && test ! -e /run/ornic/bridge")


def test_host(lab, installed, next_debs, steps):
    """systemd starts the card, an upgrade leaves it running, and its end removes its files."""
    deb, = next_debs.glob("ornic-device_99.0_*.deb")
    copy_debs(next_debs, installed)
    vm, = boot(lab, installed, "host")
    lab.start(vm)
    for line in steps["host"]:
        if not line.startswith(("sha256sum", "apt")):
            output = vm.check(line)
    assert [row.split()[0] for row in output.splitlines()] == ["CARD", "nic0", "nic1"]
    pid = check_service(vm)
    check_bridge(vm)
    code, output = vm.run("ornicctl check")
    assert code == 1 and output.startswith("no qemu-system-x86_64: install QEMU")
    output = vm.check(f"apt-get install -y /root/{deb.name}", timeout=300)
    assert "ornic-device@demo goes on with the release before" in output
    assert check_service(vm) == pid
    vm.check("systemctl restart ornic-device@demo")
    assert check_service(vm) != pid
    vm.check("systemctl stop ornic-device@demo && test ! -e /run/ornic/demo")


def evaluated(text):
    """Returns the words of a text as the shell's eval does."""
    return subprocess.run(["bash", "-c", 'eval "printf \'%s\\\\0\' $1"', "-", text], check=True,
                          capture_output=True, text=True).stdout.split("\0")[:-1]


def attached(lab, machine, card, steps):
    """Returns a running virtual machine for each card, with the options that ornicctl prints."""
    vms = boot(lab, machine, *("guest0", "guest1")[:len(steps["qemu"])])
    for vm, line in zip(vms, steps["qemu"], strict=True):
        name = re.search(r'"\$\((ornicctl qemu nic\d)\)"$', line)[1].split()[-1]
        options = subprocess.run([ORNICCTL, "-s", card.control_path, "qemu", name], check=True,
                                 capture_output=True, text=True).stdout
        vm.attach = evaluated(options)
    lab.start(*vms)
    card.booted()
    return vms


def test_guests(lab, installed, steps):
    """rping runs with the modules that DKMS has built, and the installed provider."""
    card = lab.card(2)
    vms = attached(lab, installed, card, steps)
    for line in steps["guests"]:
        if not line.startswith("apt"):
            output = each(vms, lambda vm, line=line: vm.check(line))
    assert output == ["ok\n", "ok\n"]
    for vm in vms:
        assert "/updates/dkms/ornic.ko" in vm.check("modinfo -n ornic")
        # Two lines of heads and a device, which udev has named
        assert len(vm.check("ibv_devices").splitlines()) == 3
    for vm, name in zip(vms, ("guest0", "guest1")):
        for line in steps[name][:-1]:
            vm.check(line)
    server = vms[0].spawn(steps["guest0"][-1], 60)
    vms[0].check("for i in $(seq 50); do ss -Hltn | grep -q . && break; sleep 0.1; done")
    output = vms[1].check(steps["guest1"][-1])
    assert output.count("ping data: rdma-ping-") == 10
    assert server.wait(60)[0] == 0
