# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Rows of `make bench`."""

from types import SimpleNamespace

import pytest
from lab import bench
from lab.perftest import ProgramFailed

PAIR = SimpleNamespace(ornic="ornic", rxe="rxe")


def program(monkeypatch, failing):
    """Replaces perftest. It fails as often with a device as `failing` has its name."""
    left = list(failing)

    def run(_pair, device, *_words, timeout):
        assert timeout
        if device in left:
            left.remove(device)
            raise ProgramFailed("status 9")
        number = 2.0 if device == "ornic" else 8.0
        return {"typical": number, "p99": 3.0, "mib_s": number, "msgs_s": 5}, ""

    monkeypatch.setattr(bench, "perftest", run)


def rows(monkeypatch, failing):
    """Returns the cells behind program and size, of a latency and of a bandwidth."""
    found = []
    for make_row in (bench.latency_row, bench.bandwidth_row):
        program(monkeypatch, failing)
        found.append(bench.run(PAIR, [("ib_send", 2, 2, 1)], make_row)[0][2:])
    return found


@pytest.mark.parametrize("failing, latency, bandwidth", [
    ([], ("2.0", "3.0", "8.0", "4.0"), ("2.0", "5", "8.0", "0.2")),
    (["rxe"], ("2.0", "3.0", "8.0", "4.0"), ("2.0", "5", "8.0", "0.2")),
    (["rxe"] * bench.ROUNDS, ("2.0", "3.0", "-", "-"), ("2.0", "5", "-", "-")),
    (["ornic"], ("failed", "-", "-", "-"), ("failed", "-", "-", "-")),
], ids=["none", "rxe once", "rxe always", "ornic once"])
def test_failures(monkeypatch, failing, latency, bandwidth):
    """A failure of rdma_rxe takes only its own figures away; one of ORNIC fails the row."""
    assert rows(monkeypatch, failing) == [latency, bandwidth]
