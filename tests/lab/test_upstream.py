# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What maintainers of Linux and rdma-core ask of the drivers (`make upstream-check`)."""

import re
import subprocess

import pytest
from lab import paths

# Files of Linux that scripts/upstream/in-tree adds lines to
INDICES = {
    "drivers/net/ethernet/Makefile": "", "drivers/net/ethernet/Kconfig": 'source "a"\n',
    "drivers/infiniband/hw/Makefile": "",
    "drivers/infiniband/Kconfig": 'source "drivers/infiniband/hw/a/Kconfig"\n',
    "Documentation/networking/device_drivers/ethernet/index.rst": "   pensando/ionic\n",
    "include/uapi/rdma/a.h": "",
}
ROWS = [f"{part}{number}" for part, last in zip("ABCDEF", (9, 19, 9, 8, 8, 10))
        for number in range(1, last + 1)]


@pytest.fixture
def linux(tmp_path):
    """A kernel tree that has our drivers and nothing else."""
    for name, text in INDICES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run([paths.TOP / "scripts/upstream/in-tree", tmp_path], check=True)
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
    main.write_text(main.read_text().replace("RDMA_DRIVER_UNKNOWN", "RDMA_DRIVER_ORNIC"))
    assert table(linux)["C9"][0] == "FAIL"


def test_other_checks(linux):
    """A row has the worst verdict of the checks that it needs."""
    assert table(linux)["E4"][0] == "later"
    assert table(linux, checkpatch="ok")["E4"][0] == "pass"
    assert table(linux, checkpatch="FAILED")["E4"][0] == "FAIL"


@pytest.mark.long
def test_upstream():
    """In all builds. They mount a kernel source, so in a mount namespace of its own."""
    subprocess.run(["unshare", "--mount", paths.TOP / "scripts/static", "upstream"], check=True)
