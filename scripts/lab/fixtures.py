# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""pytest fixtures: machines that stay alive from test to test. `make check` loads them with
`-p lab.fixtures`, and so does whoever runs pytest by hand in the root tree.

A test that breaks its machines (or expects to) calls `pair.discard()`; the next one gets new ones.
"""

import os

import pytest

from . import Lab
from .pair import Pair, each

# `make check` and `make check-long` refuse these.
SETTINGS_LONG = ("ORNIC_DEVICE", "FUZZ_STEPS")


def pytest_configure(config):
    config.addinivalue_line("markers", "vm: boots virtual machines")
    config.addinivalue_line("markers", "long: for `make check-long` only")
    config.addinivalue_line("markers", "xdist_group(name): of one worker, where pytest has several")


def pytest_report_header():
    """What in the environment makes a test another one."""
    return [f"{name}={os.environ[name]}" for name in SETTINGS_LONG if name in os.environ]


def pytest_terminal_summary(terminalreporter):
    """What tests have to say although they passed: record_property("report", lines)."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, lines in report.user_properties:
            if name == "report":
                terminalreporter.section(report.nodeid)
                terminalreporter.write_line("\n".join(lines))


class LeanPair(Pair):
    """Without the providers of all the cards in the world, which each program would load first, for
    a fifth of a second under emulation. Other machines keep them."""

    def load_ornic(self):
        super().load_ornic()
        each(self.vms, lambda vm: vm.check("cd /etc/libibverbs.d && "
                                           "rm -f $(ls | grep -vx -e ornic.driver -e rxe.driver)"))
        return self


class Pairs:
    """One living pair at most: two cores and their memory are all there is."""

    def __init__(self, lab):
        self.lab = lab
        self.key = self.living = None

    def get(self, kernel, cable):
        """The pair for this kernel with this cable, with drivers loaded, in working order."""
        return self.keep((kernel, cable), lambda: LeanPair(self.lab, kernel, cable))

    def keep(self, key, make):
        """As get, for machines that `make` defines: a Pair or something like it, not started.
        They are kept until others are asked for."""
        if self.key == key and self.living.healthy():
            return self.living
        if self.living:
            self.living.discard()
        self.key, self.living = key, make()
        return self.living.start().load_ornic()


@pytest.fixture(scope="session")
def lab():
    """With a directory of logs for each worker, if pytest has several."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    with Lab(f"tests/{worker}") as session:
        yield session


@pytest.fixture(scope="session")
def pairs(lab):
    return Pairs(lab)


@pytest.fixture
def pair(pairs):
    """Two machines with the stock kernel, a card each, and a virtio-net cable between them."""
    return pairs.get("stock", "stream")


@pytest.fixture
def debug_pair(pairs):
    """Two machines with the debug kernel. Whatever it reports during a test fails that test."""
    pair = pairs.get("debug", None)
    before = each(pair.vms, lambda vm: vm.reports())
    yield pair
    for vm, old, now in zip(pair.vms, before, each(pair.vms, lambda vm: vm.reports())):
        new = [line for line in now if line not in old]
        if new:
            pair.discard()
        assert not new, f"{vm.name}: the kernel reports:\n" + "\n".join(new)
