# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""libvirt takes the example of a domain, and starts a machine with a card from it."""

import re
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lab import paths
from lab.process import launch

pytestmark = [pytest.mark.long, pytest.mark.vm, pytest.mark.xdist_group("packages")]
USER = paths.INSTALLED / "root/usr"
EXAMPLE = USER / "share/doc/ornic-device/examples/libvirt.xml"
QEMU = "{http://libvirt.org/schemas/domain/qemu/1.0}"
# The packages' scripts, which make these, do not run in the tree of the long steps
ACCOUNTS = {"/etc/passwd": "libvirt-qemu:x:64055:64055::/var/lib/libvirt:/usr/sbin/nologin\n",
            "/etc/group": "libvirt-qemu:x:64055:\n"}
# The tree has no AppArmor, and its cgroups are those of the host
SETTINGS = """user = "root"
group = "root"
security_driver = "none"
cgroup_controllers = []
namespaces = []
stdio_handler = "file"
"""
# In place of the disk of the example
BOOT = "<kernel>{image}</kernel><cmdline>console=ttyS0 panic=0</cmdline>"
CONSOLE = "<serial type='file'><source path='{path}'/></serial>"
# Seconds
DAEMON_TIMEOUT, BOOT_TIMEOUT = 30, 120


def virsh(*words):
    done = subprocess.run(["virsh", "-q", "-c", "qemu:///system", *words], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait(what, condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


@pytest.fixture
def daemon(tmp_path):
    """libvirtd, in the tree of the lab."""
    for path, line in ACCOUNTS.items():
        text = Path(path).read_text()
        if line not in text:
            Path(path).write_text(text + line)
    Path("/etc/libvirt/qemu.conf").write_text(SETTINGS)
    (tmp_path / "libvirtd.conf").write_text('auth_unix_rw = "none"\n')
    process = launch(["libvirtd", "-f", tmp_path / "libvirtd.conf"], tmp_path / "libvirtd.log")
    wait("libvirtd answers", lambda: subprocess.run(
        ["virsh", "-c", "qemu:///system", "version"], capture_output=True,
        check=False).returncode == 0, DAEMON_TIMEOUT)
    yield
    process.terminate()
    process.wait(DAEMON_TIMEOUT)


def validate(path):
    subprocess.run(["virt-xml-validate", path, "domain"], check=True, capture_output=True)


def arguments(root):
    return [arg.get("value") for arg in root.iter(f"{QEMU}arg")]


def test_example(lab):
    """The example is valid, and has the lines that ornicctl prints."""
    validate(EXAMPLE)
    card = lab.card(1)
    printed = subprocess.run([USER / "bin/ornicctl", "-s", card.control_path, "libvirt", "nic0"],
                             check=True, capture_output=True, text=True).stdout
    printed = printed.replace(str(card.sockets[0]), "/run/ornic/demo/nic0.sock")
    one, two = ElementTree.fromstring(printed), ElementTree.parse(EXAMPLE).getroot()
    assert arguments(one) == arguments(two)
    for element in ("source", "access"):
        found = [root.find(f"memoryBacking/{element}").attrib for root in (one, two)]
        assert found[0] == found[1]


def test_domain(lab, daemon, tmp_path):
    """libvirt starts the domain under emulation, with a kernel in place of the disk: the kernel
    finds the card, the card has the machine's memory, and the end of the domain frees it."""
    card = lab.card(1)
    console = tmp_path / "console"
    text = EXAMPLE.read_text().replace("/run/ornic/demo/nic0.sock", str(card.sockets[0]))
    path = tmp_path / "domain.xml"
    path.write_text(text)
    # Whole, for KVM, with the disk
    native = virsh("domxml-to-native", "qemu-argv", "--xml", str(path)) \
        if Path("/dev/kvm").exists() else ""
    text = text.replace("type='kvm'", "type='qemu'").replace("host-passthrough", "maximum")
    text = re.sub(r" *<disk .*</disk>\n", "", text, flags=re.S)
    text = text.replace("hvm</type>", "hvm</type>" +
                        BOOT.format(image=paths.Kernel("stock").image))
    text, count = re.subn("<serial .*/>", CONSOLE.format(path=console), text)
    assert count == 1
    path.write_text(text)
    validate(path)
    native = native or virsh("domxml-to-native", "qemu-argv", "--xml", str(path))
    assert "vfio-user-pci" in native and '"share":true' in native
    virsh("create", str(path))
    try:
        wait("the kernel finds the card", lambda: console.exists() and
             "[1af4:10f0]" in console.read_text(errors="replace"), BOOT_TIMEOUT)
        found = card.stats()["cards"]["nic0"]
        assert found["connected"] and found["function"]["memory_files"]
        assert virsh("domstate", "guest0").strip() == "running"
    finally:
        virsh("destroy", "guest0")
    wait("the card is free", lambda: not card.stats()["cards"]["nic0"]["connected"], 30)
    card.booted()
