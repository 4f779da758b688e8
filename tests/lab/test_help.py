# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Each program of scripts/ prints its usage when it is asked for help, and does nothing else."""

import os
import subprocess

import pytest
from lab import paths

SCRIPTS = paths.TOP / "scripts"
# Programs that no person runs: those of guests, and those of the tools that make packages
INNER = (SCRIPTS / "lab", SCRIPTS / "ornicrun", SCRIPTS / "package/deb/debian")
PROGRAMS = sorted(path for path in SCRIPTS.rglob("*")
                  if path.is_file() and os.access(path, os.X_OK)
                  and not any(path.is_relative_to(folder) for folder in INNER))


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: str(path.relative_to(SCRIPTS)))
def test_help(tmp_path, program, option):
    done = subprocess.run([program, option], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"ORNIC_CACHE": str(tmp_path / "cache")}, check=True)
    assert done.stdout.split()[:2] == ["usage:", program.name]
    assert not done.stderr and not list(tmp_path.iterdir())


def test_programs():
    """The programs that the list must have."""
    assert len(PROGRAMS) > 15
    assert {SCRIPTS / "build", SCRIPTS / "tree/root-tree"} <= set(PROGRAMS)
