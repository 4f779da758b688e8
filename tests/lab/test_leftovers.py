# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/leftovers.py, which finds objects that are left in VMs after their tests."""

import json
from types import SimpleNamespace

import lab.leftovers
import pytest
from lab.leftovers import KINDS, leftovers, of_netdevs
from lab.pair import Port


class Machine:
    """A fake VM whose `rdma` command prints these entries."""

    name, kernel = "a", SimpleNamespace(name="stock")

    def __init__(self, **entries):
        self.entries = entries
        self.totals = {"pd": 1, "cq": 3, "qp": 1}

    def check(self, text):
        if "echo @@" not in text:
            return json.dumps([{"ifindex": 0, "ifname": "ornic_0", **self.totals}])
        return "".join(f"@@{kind}\n{json.dumps(self.entries.get(kind, []))}\n" for kind in KINDS)


class Card:
    def __init__(self, **objects):
        self.objects = {"cq": 5, "qp": 3, "mr": 7, **objects}

    def stats(self):
        return {"cards": {"nic0": {"nic": {"objects": self.objects}}}}


class Machines:
    def __init__(self, machine, card):
        self.vms, self.card = (machine,), card
        self.ornic = {machine: Port("ornic_0", "eth0", "10.0.0.1", 0)}


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(lab.leftovers, "TIMEOUT", 0.5)


BEGIN = of_netdevs(Machines(Machine(), Card()))


def test_nothing():
    """Objects of the kernel do not count as held by a process."""
    assert BEGIN == {"nic0": {"cq": 2, "qp": 2}}
    kernel = Machine(qp=[{"ifname": "ornic_0", "lqpn": 1, "comm": "ib_core"}])
    assert leftovers(Machines(kernel, Card()), BEGIN) == []


@pytest.mark.parametrize("entry", [
    {"qp": [{"ifname": "ornic_0", "lqpn": 7, "pid": 77}]},
    {"ctx": [{"ifname": "ornic_0", "ctxn": 0}]},
    {"mr": [{"ifname": "rxe0", "mrn": 1, "pid": 77}]},
])
def test_process_holds(entry):
    (line,) = leftovers(Machines(Machine(**entry), Card()), BEGIN)
    assert line.startswith("a: processes hold")


def test_goes_in_time():
    """Objects that a killed process releases in time do not count as left."""
    machine = Machine(qp=[{"ifname": "ornic_0", "lqpn": 7, "pid": 77}])
    answers = iter(range(3))

    def check(text):
        if next(answers, None) is None:
            machine.entries = {}
        return Machine.check(machine, text)

    machine.check = check
    assert leftovers(Machines(machine, Card()), BEGIN) == []


@pytest.mark.parametrize("objects", [{"cq": 4}, {"qp": 4}])
def test_card_has_more(objects):
    """A card with more or fewer objects is reported; fewer means that the netdev has lost a
    queue."""
    (line,) = leftovers(Machines(Machine(), Card(**objects)), BEGIN)
    assert line.startswith("the cards have other objects")


@pytest.mark.parametrize("objects, found", [({}, 0), ({"qp": 4}, 1)])
def test_bare_guest(objects, found):
    """A guest that cannot show its objects runs no `rdma`; those of its card must become as many as
    before."""
    machine = Machine()
    machine.kernel, machine.check = SimpleNamespace(name="s390x"), None
    begin = of_netdevs(Machines(machine, Card()))
    assert begin == {"nic0": {"cq": 5, "qp": 3}}
    assert len(leftovers(Machines(machine, Card(**objects)), begin)) == found
