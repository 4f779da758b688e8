# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/evidence.py, which keeps evidence of failed tests."""

import json
import os
import struct
import time
from types import SimpleNamespace

from lab import Lab, evidence


def pcap(*records):
    head = struct.pack("<IHHiIII", evidence.NANOSECONDS_MAGIC, 2, 4, 0, 0, 65535, 1)
    return head + b"".join(
        struct.pack("<4I", int(when), int(when % 1 * 1e9), len(data), len(data)) + data
        for when, data in records)


def test_cut_pcap(tmp_path):
    """The copy has only packets since the given time, and no incomplete packet."""
    records = [(100.5, b"a" * 60), (200.25, b"b" * 90), (200.5, b"c" * 60)]
    (tmp_path / "all").write_bytes(pcap(*records) + b"cut off")
    assert evidence.cut_pcap(tmp_path / "all", tmp_path / "part", 200.25) == 2
    assert (tmp_path / "part").read_bytes() == pcap(*records[1:])
    (tmp_path / "all").write_bytes(pcap(*records)[:-1])
    assert evidence.cut_pcap(tmp_path / "all", tmp_path / "part", 0) == 2
    (tmp_path / "all").write_bytes(b"")
    assert evidence.cut_pcap(tmp_path / "all", tmp_path / "part", 0) == 0


def test_keep(tmp_path, monkeypatch):
    """keep() stores the statistics and packets of a card, also of a dead one, and removes old
    files."""
    monkeypatch.setattr(evidence, "DIRECTORY", tmp_path / "failed")
    old = tmp_path / "failed" / "tests-test_x.py-test_it-a-" / "old"
    old.parent.mkdir(parents=True)
    old.write_text("")
    with Lab("evidence", tmp_path) as lab:
        card = lab.card(1, pcap=tmp_path / "wire.pcap")
        text = evidence.keep(lab, "tests/test_x.py::test_it[a]", time.time())
        assert str(old.parent) in text and not old.exists()
        assert json.loads((old.parent / "card0.json").read_text())["cards"].keys() == {"nic0"}
        assert (old.parent / "card0.pcap").stat().st_size == evidence.GLOBAL_HEADER
        card.process.kill()
        card.process.wait()
        evidence.keep(lab, "tests/test_x.py::test_it[a]", time.time())
        assert (old.parent / "card0.json").exists()


def test_machine_that_ended_in_the_test(tmp_path):
    """The output of a machine that the lab has ended is evidence, unless the machine ended before
    the test, or another one of its name has begun."""
    def vm(name, over, age):
        log = tmp_path / f"{name}-{age}.log"
        log.write_text("")
        os.utime(log, (1000 - age, 1000 - age))
        return SimpleNamespace(name=name, over=over, console_log=log)

    vms = [vm("a", True, 10), vm("a", False, 100), vm("b", True, 10), vm("c", True, 100)]
    vms.append(SimpleNamespace(name="d", over=True, console_log=tmp_path / "none"))
    assert evidence.seen_since(vms, 950) == [vms[1], vms[2]]
