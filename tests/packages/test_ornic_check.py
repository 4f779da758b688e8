# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ornic-check prints one line for each thing that is missing in a virtual machine."""

import os
import re
import subprocess

import pytest
from lab.paths import TOP

PROGRAM = TOP / "scripts/user/ornic-check"
CARD, RDMA = "sys/bus/pci/devices/0000:01:00.0", "ornic_0"
# A machine in which everything is there: {file: text}
WHOLE = {
    f"{CARD}/vendor": "0x1af4\n",
    f"{CARD}/device": "0x10f0\n",
    f"{CARD}/driver/bind": "",
    f"{CARD}/infiniband/{RDMA}/node_guid": "",
    f"{CARD}/infiniband_verbs/uverbs0/abi_version": "1\n",
    "sys/bus/pci/devices/0000:00:00.0/vendor": "0x8086\n",
    "sys/module/ornic/refcnt": "",
    "sys/module/ornic_rdma/refcnt": "",
    "dev/infiniband/uverbs0": "",
    "dev/infiniband/rdma_cm": "",
    "lib/x86_64-linux-gnu/libibverbs.so.1": "\0IBVERBS_1.0\0IBVERBS_PRIVATE_34\0",
    "lib/x86_64-linux-gnu/libibverbs/libornic-rdmav34.so": "",
    "lib/x86_64-linux-gnu/libibverbs/libmlx5-rdmav34.so": "",
    "etc/libibverbs.d/ornic.driver": "driver ornic\n",
}


@pytest.fixture
def check(tmp_path):
    """Runs ornic-check on WHOLE without the files that begin so, and with others in place."""
    def run(*without, **others):
        files = {name: text for name, text in WHOLE.items() if not name.startswith(without)}
        for name, text in (files | others.pop("files", {})).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        release = others.pop("release", "9.9-none")
        settings = {name.upper(): str(tmp_path / name) for name in ("sys", "dev", "lib", "etc")}
        result = subprocess.run([PROGRAM], capture_output=True, text=True, check=False, timeout=60,
                                env={**os.environ, **settings, "RELEASE": release})
        assert not result.stderr
        assert result.returncode == (0 if result.stdout == "ok\n" else 1)
        return result.stdout.splitlines()
    return run


def test_whole(check):
    assert check() == ["ok"]


@pytest.mark.parametrize("without, said", [
    (CARD, "no card on the PCI bus: start ornic-device before QEMU"),
    ("sys/module/ornic_rdma", "no module ornic_rdma for Linux 9.9-none: install its headers"),
    (f"{CARD}/driver", "0000:01:00.0: ornic has refused the card"),
    (f"{CARD}/infiniband/", "0000:01:00.0: no RDMA device"),
    ("dev/infiniband/uverbs0", "uverbs0: modprobe ib_uverbs"),
    ("dev/infiniband/rdma_cm", "rdma_cm, which rping needs: modprobe rdma_ucm"),
    ("lib/x86_64-linux-gnu/libibverbs.so.1", "no libibverbs.so.1: install it"),
    ("lib/x86_64-linux-gnu/libibverbs/libornic",
     "wants libornic-rdmav34.so, and there is none: install the ibverbs-provider-ornic"),
    ("etc/libibverbs.d", 'says "driver ornic": reinstall ibverbs-provider-ornic'),
])
def test_missing(check, without, said):
    line, = check(without)
    assert said in line


def test_no_drivers(check):
    """A card without drivers needs both modules, and nothing is said about what they would make."""
    lines = check("sys/module/", f"{CARD}/driver", f"{CARD}/infiniband")
    assert [re.match(r"no module (\w+)", line)[1] for line in lines] == ["ornic", "ornic_rdma"]


@pytest.mark.parametrize("release, old", [
    ("5.19.0", True), ("6.1.0-44-amd64", True), ("6.11-rc1", True), ("6.12", False),
    ("6.12.117+deb13-amd64", False), ("7.0-rc2", False),
])
def test_old_kernel(check, release, old):
    """A kernel that is too old needs another kernel, and not headers."""
    lines = check("sys/module/", f"{CARD}/driver", f"{CARD}/infiniband", release=release)
    too_old = f"Linux {release} is too old for the modules: boot Linux 6.12 or newer"
    assert (lines == [too_old]) == old
    assert len(lines) == (1 if old else 2)


def test_other_abi(check):
    line, = check(files={f"{CARD}/infiniband_verbs/uverbs0/abi_version": "2\n"})
    assert "module ornic_rdma has ABI 2, libornic has 1" in line and "same release" in line


def test_other_pabi(check):
    line, = check(files={"lib/x86_64-linux-gnu/libibverbs.so.1": "\0IBVERBS_PRIVATE_65\0"})
    assert "wants libornic-rdmav65.so, and there is only libornic-rdmav34.so" in line


def test_numbers():
    """The program has the numbers of the headers."""
    text = PROGRAM.read_text()
    numbers = dict(re.findall(r"\b(vendor|device|abi)=(\w+)", text))
    header = (TOP / "kernel/include/ornic_hw.h").read_text()
    for name in ("vendor", "device"):
        found = re.search(rf"ORNIC_\w*{name.upper()}\w*\s+(0x\w+)", header)[1]
        assert int(numbers[name], 0) == int(found, 0), name
    oldest = re.search(r"^oldest=(\S+)$", text, re.M)[1]
    assert f'BUILD_EXCLUSIVE_KERNEL_MIN="{oldest}"' in \
        (TOP / "scripts/dkms/dkms.conf").read_text()
    abi = (TOP / "include/uapi/rdma/ornic-abi.h").read_text()
    assert numbers["abi"] == re.search(r"#define ORNIC_ABI_VERSION\s+(\d+)", abi)[1]
