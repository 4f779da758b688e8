# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The first five minutes of install.rst, word for word, in virtual machines that boot a user's machine:
systemd runs the card in one, and two others have cards and the modules of DKMS."""

import contextlib
import re

import pytest
from first_steps import copy_debs
from lab import paths
from lab.machine import Machine, MachineVm
from lab.pair import each
from lab.perftest import CM_LISTENS
from test_packages import NAMES

pytestmark = [pytest.mark.long, pytest.mark.vm, pytest.mark.xdist_group("packages")]
# Debian's own, and that of the backports
KERNELS = {"guest0": f"{paths.DISTRIBUTION[0]}.", "guest1": f"{paths.NEWEST}."}
# Waits until rping's server listens; no socket of TCP shows that
LISTENS = f"while ! {CM_LISTENS}; do sleep 0.2; done"
# Waits until rping, which writes blocks, has written a further one
PINGS = """last=$(stat -c %s /run/rping.log)
while [ "$(stat -c %s /run/rping.log)" = "$last" ]; do sleep 0.1; done"""


def boot(lab, machine, *names):
    """Returns a virtual machine for each name; they are not started."""
    machine.unbind()
    return [lab.vm(name, kind=MachineVm, machine=machine, release=KERNELS.get(name, ""))
            for name in names]


@contextlib.contextmanager
def running(*vms):
    """The virtual machines end with the block: before their cards, and before later tests."""
    try:
        yield
    finally:
        for vm in vms:
            vm.kill()


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


def check_group(vm):
    """A service with a group of its own, as the manual page says."""
    vm.check("groupadd tenant && d=/etc/systemd/system/ornic-device@other.service.d && mkdir -p $d && "
             "printf '[Service]\\nGroup=tenant\\n' >$d/group.conf && systemctl daemon-reload && "
             "systemctl start ornic-device@other")
    assert vm.check("stat -c '%G %a' /run/ornic/other /run/ornic/other/nic0.sock").split() == [
        "tenant", "750", "tenant", "770"]
    vm.check("systemctl stop ornic-device@other")


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
    """systemd starts the card, an upgrade leaves it running, and its end removes its files. The
    package is not removed while it runs, and a purge leaves nothing."""
    deb, = next_debs.glob("ornic-device_99.0_*.deb")
    copy_debs(next_debs, installed)
    vm, = boot(lab, installed, "host")
    lab.start(vm)
    with running(vm):
        follow_host(vm, deb, steps)


def follow_host(vm, deb, steps):
    """Follows the steps on the host; upgrades the package, removes and purges it."""
    for line in steps["host"]:
        if not line.startswith(("sha256sum", "apt")):
            output = vm.check(line)
    assert [row.split()[0] for row in output.splitlines()] == ["CARD", "nic0", "nic1"]
    pid = check_service(vm)
    check_group(vm)
    check_bridge(vm)
    code, output = vm.run("ornicctl check")
    # An emulated processor may have virtualization, so there may be a note on KVM or none
    fault, = (line for line in output.splitlines() if not line.startswith("note:"))
    assert code == 1 and fault.startswith("no qemu-system-x86_64: install QEMU")
    output = vm.check(f"apt-get install -y /root/{deb.name}", timeout=300)
    assert "ornic-device@demo goes on with the release before" in output
    assert check_service(vm) == pid
    vm.check("systemctl restart ornic-device@demo")
    assert check_service(vm) != pid
    code, output = vm.run("apt-get remove -y ornic-device", 300)
    assert code and "ornic-device@demo runs: stop it first" in output
    vm.check("systemctl stop ornic-device@demo && test ! -e /run/ornic/demo")
    # Files that the administrator has made stay
    vm.check("apt-get purge -y ornic-device && test -e /etc/ornic/bridge.conf", 300)
    assert not vm.check("find /usr /var/lib -xdev -name 'ornic*ctl' -o -name 'ornic-device*'")


class Host:
    """A machine with the packages, on which the card of the service runs, as its unit starts it.
    QEMU there is a program that keeps its arguments, because QEMU runs beside the machine."""

    ARGUMENTS = "root/qemu.arguments"

    def __init__(self, machine):
        self.machine = machine
        program = machine.root / "usr/local/bin/qemu-system-x86_64"
        program.write_text(f"#!/bin/sh\nprintf '%s\\0' \"$@\" >/{self.ARGUMENTS}\n")
        program.chmod(0o755)

    def command_line(self, options=""):
        """Returns the words with which systemd starts the service demo; `options` are more of the
        last --nic."""
        unit = (self.machine.root / "usr/lib/systemd/system/ornic-device@.service").read_text()
        nics = re.search(r'^Environment="ORNIC_OPTIONS=(.*)"$', unit, re.M)[1] + options
        line = re.search(r"^ExecStart=(.*)$", unit, re.M)[1].replace("$ORNIC_OPTIONS", nics)
        return line.replace("%t", "/run").replace("%i", "demo").split()

    @contextlib.contextmanager
    def started(self, options=""):
        self.machine.check("mkdir -p /run/ornic/demo/control")
        with self.machine.started(self.command_line(options)):
            self.machine.check("ornicctl wait")
            yield

    def options(self, line):
        """Runs a command line of QEMU, and returns its words without the image, with the paths of
        the sockets as QEMU finds them here."""
        self.machine.check(line)
        words = (self.machine.root / self.ARGUMENTS).read_text().split("\0")[:-1]
        image, = (word for word in words if re.fullmatch(r"guest\d\.img", word))
        words.remove(image)
        return [word.replace("/run/ornic/", f"{self.machine.root}/run/ornic/") for word in words]


def attached(lab, machine, host, lines):
    """Returns a running virtual machine for each command line of QEMU, with its options."""
    vms = boot(lab, machine, *KERNELS)
    for vm, line in zip(vms, lines, strict=True):
        vm.attach = host.options(line)
    lab.start(*vms)
    return vms


@pytest.fixture
def host(base):
    """A host with the installed card, beside the machine of the guests."""
    with Machine(base) as machine:
        yield Host(machine)


def test_guests(lab, installed, host, steps, next_debs):
    """rping runs between the installed cards, with the modules that DKMS has built for two kernels,
    and the installed provider. It survives an upgrade; after a purge there is nothing."""
    copy_debs(next_debs, installed)
    with host.started():
        vms = attached(lab, installed, host, steps["qemu"])
        with running(*vms):
            follow(host, vms, steps)
            upgrade(*vms)
            purge(vms[1])


def follow(host, vms, steps):
    """Follows the steps in the guests, to the end."""
    for line in steps["guests"]:
        if not line.startswith("apt"):
            output = each(vms, lambda vm, line=line: vm.check(line))
    assert output == ["ok\n", "ok\n"]
    for vm, release in zip(vms, KERNELS.values()):
        assert vm.check("uname -r").startswith(release)
        # One would let emulation translate atomic instructions to plain ones
        assert vm.check("nproc") == "2\n"
        assert "/updates/dkms/ornic.ko" in vm.check("modinfo -n ornic")
        # Two lines of heads and a device, which udev has named
        assert len(vm.check("ibv_devices").splitlines()) == 3
    for vm, name in zip(vms, ("guest0", "guest1")):
        for line in steps[name][:-1]:
            vm.check(line)
    server = vms[0].spawn(steps["guest0"][-1], 60)
    vms[0].check(LISTENS, 60)
    output = vms[1].check(steps["guest1"][-1])
    assert output.count("ping data: rdma-ping-") == 10
    assert server.wait(60)[0] == 0
    code, output = host.machine.run("ornicctl check --qemu true")
    # The program in place of QEMU has no devices
    fault, = (line for line in output.splitlines() if not line.startswith("note:"))
    assert code == 1 and "no vfio-user-pci" in fault


def upgrade(server, client):
    """Upgrades the packages of the client under rping: modules and library in use stay."""
    server.spawn("rping -s -a 10.10.0.1 -P", 1200)
    server.check(LISTENS, 60)
    client.spawn("rping -c -a 10.10.0.1 -v >/run/rping.log 2>&1", 1200)
    client.check(PINGS, 120)
    # DKMS compiles nothing, and reads only the modules of the kernel that runs: under emulation
    # that takes too long, and test_packages.py does it without
    client.check("touch /etc/dkms/no-autoinstall && "
                 f"rm /lib/modules/{KERNELS['guest0']}*/modules.dep")
    output = client.check("cd /root && apt-get install -y ./ornic-dkms_99.0_*.deb "
                          "./ibverbs-provider-ornic_99.0_*.deb", 600)
    assert "the modules of the release before are loaded and go on working" in output
    assert "stop what uses RDMA and modprobe -r ornic_rdma ornic" in output
    found = client.check("dpkg-query -W -f '${Version}\n' ornic-dkms ibverbs-provider-ornic")
    assert found.split() == ["99.0", "99.0"]
    client.check("grep -q libornic /proc/$(pidof -s rping)/maps")
    client.check(PINGS, 120)
    # The modules of the release before work with the provider of this one
    assert client.check("ornic-check") == "ok\n"
    for vm in (client, server):
        vm.check("pkill rping; while pidof rping; do sleep 0.1; done")


def purge(vm):
    """Purges the packages while the modules are loaded: these stay until they are removed."""
    output = vm.check(f"apt-get purge -y {' '.join(NAMES)}", 300)
    assert "uses RDMA and rmmod ornic_rdma ornic" in output
    vm.check("test -d /sys/module/ornic_rdma && rmmod ornic_rdma ornic")
    code, output = vm.run("modprobe ornic")
    assert code and "Module ornic not found" in output
    assert not vm.check("find /etc /usr /var/lib -xdev -name '*ornic*'")


def test_bad_input(lab, installed, host, steps):
    """A card of another version, and a machine whose memory is not shared: the driver, ornic-check
    and ornicctl have a line for each, which says what to do."""
    with host.started(",version=2.0"):
        vm, = boot(lab, installed, "guest0")
        vm.attach = host.options(steps["qemu"][0].replace("nic0)", "nic0 nic1)"))
        # The machine has memory of its own beside that which is shared
        vm.attach[vm.attach.index("q35,memory-backend=mem")] = "q35"
        vm.launch()
        # udev loads the modules during the boot
        vm.log.expect(r"ornic \S+: device cannot reach host memory",
                      r"ornic \S+: unknown hardware interface version 2\.0")
        vm.log.expect(r"ornic \S+: probe with driver ornic failed with error -\d+", required=False)
        with running(vm):
            vm.wait_ready()
            vm.run("modprobe -a ornic ornic_rdma")
            code, output = vm.run("ornic-check")
            refused = [line for line in output.splitlines() if "ornic has refused the card" in line]
            assert code == 1 and len(refused) == 2, output
            for words in ("host memory: start QEMU with -object",
                          "version 2.0: install ornic-dkms and ornic-device of the same release"):
                assert sum(words in line for line in refused) == 1, output
            code, output = host.machine.run("ornicctl check")
            assert code == 1
            assert "QEMU shares no memory with the card: start it with -object" in output
