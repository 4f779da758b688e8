# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The packages, and a machine on which the first five minutes of install.rst install them."""

import subprocess

import pytest
from first_steps import copy_debs, first_steps
from lab import paths
from lab.machine import Machine

DEBS = paths.BUILD / "deb"


@pytest.fixture(scope="session")
def steps():
    return first_steps()


@pytest.fixture(scope="session")
def debs():
    """The directory of the packages that `make deb` has made."""
    assert (DEBS / "SHA256SUMS").exists(), "run `make deb`"
    return DEBS


@pytest.fixture(scope="session")
def next_debs(tmp_path_factory):
    """The directory of packages of the same tree that call themselves a later release."""
    directory = tmp_path_factory.mktemp("next")
    subprocess.run([paths.TOP / "scripts/package/deb/build", paths.CACHE / "src/rdma-core-56.1",
                    directory, "99.0"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return directory


@pytest.fixture(scope="session")
def base(debs, steps):
    """A machine after the steps that install packages, which compile the modules once for all
    tests."""
    with Machine() as machine:
        copy_debs(debs, machine)
        for line in [*steps["host"], *steps["guests"]]:
            if line.startswith(("sha256sum", "apt")):
                machine.check(line)
        machine.unbind()
        yield machine


@pytest.fixture
def installed(base):
    """A machine of the test's own with the packages."""
    with Machine(base) as machine:
        yield machine
