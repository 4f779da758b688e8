# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""pytest fixtures: machines that stay alive from test to test. `make check` loads them with
`-p lab.fixtures`, and so does whoever runs pytest by hand in the root tree.

A test that breaks its machines (or expects to) calls `pair.discard()`; the next one gets new ones.
"""

import pytest

from . import Lab
from .pair import Pair


def pytest_configure(config):
    config.addinivalue_line("markers", "vm: boots virtual machines")


class Pairs:
    """At most one living pair per kind: two cores and their memory are all there is."""

    def __init__(self, lab):
        self.lab = lab
        self.living = {}

    def get(self, kernel, cable):
        """The pair for this kernel with this cable, with drivers loaded, in working order."""
        key = (kernel, cable)
        pair = self.living.get(key)
        if pair and pair.healthy():
            return pair
        if pair:
            pair.discard()
        # Idle machines of another kind only take memory from these.
        for other in self.living.values():
            other.discard()
        self.living = {key: Pair(self.lab, kernel, cable)}
        return self.living[key].start().load_ornic()


@pytest.fixture(scope="session")
def lab():
    with Lab("tests") as session:
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
    before = [vm.reports() for vm in pair.vms]
    yield pair
    for vm, old in zip(pair.vms, before):
        new = [line for line in vm.reports() if line not in old]
        if new:
            pair.discard()
        assert not new, f"{vm.name}: the kernel reports:\n" + "\n".join(new)
