# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/evidence.py, which keeps evidence of failed tests."""

import json
import struct
import time

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
