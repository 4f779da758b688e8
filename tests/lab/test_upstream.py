# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What maintainers of Linux and rdma-core ask of the drivers (`make upstream-check`)."""

import re
import subprocess

import pytest
from lab import paths

# Files of Linux that the series change, with the lines that they look for
INDICES = {
    "drivers/net/ethernet/Makefile": "\nobj-$(CONFIG_NET_VENDOR_OKI) += oki-semi/\n",
    "drivers/net/ethernet/Kconfig": '\nsource "drivers/net/ethernet/oki-semi/Kconfig"\n',
    "drivers/infiniband/hw/Makefile": "\nobj-$(CONFIG_INFINIBAND_IONIC)\t\t+= ionic/\n",
    "drivers/infiniband/Kconfig": '\nsource "drivers/infiniband/hw/ocrdma/Kconfig"\n',
    "Documentation/networking/device_drivers/ethernet/index.rst": "\n   netronome/nfp\n",
    "include/uapi/rdma/ib_user_ioctl_verbs.h": "enum rdma_driver_id {\n\tA,\n};\n",
    "MAINTAINERS": "\nMaintainers List\n---\n\nZ B\nM:\tz\n",
}
ROWS = [f"{part}{number}" for part, last in zip("ABCDEF", (9, 19, 9, 8, 8, 10))
        for number in range(1, last + 1)]


def before(change):
    """Returns (name, text): what a patch of one file is for, without the rest of the file."""
    lines = change.read_text().split("\ndiff --git ")[1].splitlines()
    name = next(line for line in lines if line.startswith("--- a/"))[6:]
    return name, "".join(f"{line[1:]}\n" for line in lines
                         if line[:1] in (" ", "-") and not line.startswith("--- "))


@pytest.fixture
def linux(tmp_path):
    """A kernel tree that has our drivers and nothing else."""
    changes = [before(path) for path in (paths.TOP / "scripts/upstream/patches").glob("*.patch")]
    for name, text in [*INDICES.items(), *changes]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["python3", "-m", "series", "place", "linux", tmp_path, tmp_path], check=True)
    return tmp_path


def table(linux, **built):
    """Returns {row: (verdict, the rest of the line)}. `built` has verdicts of other checks."""
    verdicts = " ".join(f"[{name.replace('_', ' ')}]={verdict}" for name, verdict in built.items())
    script = f"""
        set -euo pipefail
        ORNIC_TOP={paths.TOP} linux={linux}
        declare -A verdicts=({verdicts})
        . "$ORNIC_TOP/scripts/upstream/checklist"
        checklist"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    rows = re.findall(r"^([A-F]\d+) +(\w+) +(.*)$", done.stdout, re.M)
    assert not done.stderr and [name for name, *_ in rows] == ROWS
    assert done.returncode == int(any(verdict == "FAIL" for _, verdict, _ in rows))
    return {name: rest for name, *rest in rows}


def test_rows(linux):
    """Each request has a row, and none fails."""
    assert not [row for row in table(linux).items() if row[1][0] == "FAIL"]


@pytest.mark.parametrize("row, line", [
    ("B5", "module_param(debug, int, 0);"), ("B7", "debugfs_create_dir();"),
    ("B13", "tasklet_schedule();"), ("D5", 'ibdev_err(ibdev, "no");'),
])
def test_fault(linux, row, line):
    """A line that maintainers do not take fails its row, which shows it."""
    with open(linux / "drivers/infiniband/hw/ornic/main.c", "a", encoding="ascii") as file:
        file.write(f"{line}\n")
    verdict, rest = table(linux)[row]
    assert verdict == "FAIL" and line in rest


def test_not_open_any_more(linux):
    """A row that is said to be open fails when it is not."""
    main = linux / "drivers/infiniband/hw/ornic/main.c"
    main.write_text(f"{main.read_text()}ib_umem_get_cq_buf_or_va();\n")
    assert table(linux)["C8"][0] == "FAIL"


def test_other_checks(linux):
    """A row has the worst verdict of the checks that it needs."""
    assert table(linux)["E4"][0] == "later"
    assert table(linux, checkpatch="ok")["E4"][0] == "pass"
    assert table(linux, checkpatch="FAILED")["E4"][0] == "FAIL"


@pytest.mark.long
def test_upstream():
    """In all builds. They mount a kernel source, so in a mount namespace of its own."""
    subprocess.run(["unshare", "--mount", paths.TOP / "scripts/static", "upstream"], check=True)
