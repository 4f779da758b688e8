# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ornic-check prints one line for each thing that is missing in a virtual machine."""

import re
from functools import partial

import pytest
from checked_guest import CARD, NO_MODULES, PROGRAM
from checked_guest import check as check_guest
from lab.paths import TOP

LOG = """[    2.1] pci 0000:01:00.0: [1af4:10f0] type 00 class 0x020000 PCIe Endpoint
[    3.2] ornic 0000:02:00.0: unknown hardware interface version 2.0
[    3.3] ornic 0000:01:00.0: {reason}
[    3.4] ornic 0000:01:00.0: probe with driver ornic failed with error -19
"""


@pytest.fixture
def check(tmp_path):
    """Runs ornic-check on a machine without the files that begin so, and with others in place."""
    return partial(check_guest, tmp_path)


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
    lines = check(*NO_MODULES)
    assert [re.match(r"no module (\w+)", line)[1] for line in lines] == ["ornic", "ornic_rdma"]


@pytest.mark.parametrize("release, old", [
    ("5.19.0", True), ("6.11-rc1", True), ("6.12", False),
    ("6.12.117+deb13-amd64", False), ("7.0-rc2", False),
])
def test_old_kernel(check, release, old):
    """A kernel that is too old needs another kernel, and not headers."""
    lines = check(*NO_MODULES, release=release)
    too_old = f"Linux {release} is too old for the modules: boot Linux 6.12 or newer"
    assert (lines == [too_old]) == old
    assert len(lines) == (1 if old else 2)


def test_refused_card(check):
    """Another reason of the driver than the two for which ornic-check knows what to do."""
    line, = check(f"{CARD}/driver", log=LOG.format(reason="max_cqe is 1000, which is odd"))
    assert line == "0000:01:00.0: ornic has refused the card: max_cqe is 1000, which is odd"


def test_two_processors(check):
    """A libibverbs for 32-bit programs is beside that of the machine, which alone counts."""
    other = {"lib/i386-linux-gnu/libibverbs.so.1": "\0IBVERBS_PRIVATE_33\0"}
    line, = check("lib/x86_64-linux-gnu/libibverbs/libornic", files=other)
    assert "/x86_64-linux-gnu/libibverbs.so.1 wants libornic-rdmav34.so" in line
    assert check(files=other) == ["ok"]


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
        (TOP / "scripts/package/dkms/dkms.conf").read_text()
    abi = (TOP / "include/uapi/rdma/ornic-abi.h").read_text()
    assert numbers["abi"] == re.search(r"#define ORNIC_ABI_VERSION\s+(\d+)", abi)[1]
