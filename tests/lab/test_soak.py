# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/soak.py: its arguments, its loads, and which growth it reports as a leak."""

import random

import pytest
from lab import LabError, soak
from lab.perftest import ProgramFailed

FIRST = {"card": 10 << 20, "a": 100 << 20}


def test_hours():
    assert soak.hours(["8"]) == 8
    assert soak.hours(["0.5"]) == 0.5
    for words in ([], [""], ["0"], ["-1"], ["nan"], ["soon"], ["1", "2"]):
        assert soak.hours(words) is None
        assert soak.main(words) == 2


def test_growth():
    assert soak.grown(FIRST, FIRST, "card") == []
    assert soak.grown(FIRST, {"card": FIRST["card"] + soak.CARD_GROWTH, "a": 0}, "card") == []
    lines = soak.grown(FIRST, {"card": FIRST["card"] + soak.CARD_GROWTH + 1, "a": 0}, "card")
    assert len(lines) == 1 and lines[0].startswith("card uses 266 MiB, and 10 MiB")
    assert len(soak.grown(FIRST, {"card": 0, "a": 1 << 30}, "card")) == 1


class FakePair:
    """A pair that needs no VM."""

    vms = ()
    ornic = {}

    def __init__(self, lab):
        self.discarded = False

    def start(self):
        return self

    load_ornic = start

    def discard(self):
        self.discarded = True


class FakeLab:
    vms, cards = (), ()

    @staticmethod
    def settle():
        return []


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(soak, "Pair", FakePair)
    monkeypatch.setattr(soak, "of_netdevs", lambda pair: {})
    monkeypatch.setattr(soak, "memory", lambda pair: FIRST)
    monkeypatch.setattr(soak, "unhealthy", lambda lab, pair, begin, first: [])
    monkeypatch.setattr(soak.evidence, "keep", lambda lab, test, since: "evidence")


def loads(monkeypatch, call):
    def load(pair, rng):
        return call()
    monkeypatch.setattr(soak, "LOADS", (load,))
    monkeypatch.setattr(soak, "RESET_EVERY", 1 << 30)


def test_ends_in_time(fake, monkeypatch):
    calls = []
    loads(monkeypatch, lambda: calls.append(1) or "load")
    assert soak.soak(FakeLab, 0.01, random.Random(1)) is None
    assert calls


@pytest.mark.parametrize("error", [LabError("broken"), ProgramFailed("broken"), OSError("broken")])
def test_first_failure_ends_it(fake, monkeypatch, error):
    calls = []

    def call():
        calls.append(1)
        raise error
    loads(monkeypatch, call)
    text = soak.soak(FakeLab, 1000, random.Random(1))
    assert text.splitlines() == ["round 1, load:", "broken", "evidence"]
    assert calls == [1]


def test_failed_check_ends_it(fake, monkeypatch):
    loads(monkeypatch, lambda: "load")
    monkeypatch.setattr(soak, "unhealthy", lambda lab, pair, begin, first: ["left behind"])
    assert "left behind" in soak.soak(FakeLab, 1000, random.Random(1))
