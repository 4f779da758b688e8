# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/fuzz.py: what it reads in the output of libFuzzer."""

from lab import fuzz

OUTPUT = """\
#2	INITED cov: 1896 ft: 2488 corp: 3/1800b exec/s: 2 rss: 49Mb
#114	DONE   cov: 2394 ft: 5568 corp: 67/43Kb lim: 1024 exec/s: 2 rss: 174Mb
stat::number_of_executed_units: 114
stat::average_exec_per_sec:     2
"""
CRASH = OUTPUT + "Test unit written to /tmp/asan-crash-da39\n"


def test_figures():
    assert fuzz.figures(OUTPUT) == (114, 2394)
    assert fuzz.figures("") == (0, 0)


def test_crash_report_has_replay_command():
    assert fuzz.explain("guest", "msan", CRASH).endswith("msan/fuzz/guest /tmp/asan-crash-da39")


def test_usage():
    assert fuzz.main([]) == 2
    assert fuzz.main(["nothing", "5"]) == 2
    assert fuzz.main(["guest", "soon"]) == 2


def test_each_target_has_inputs():
    for target in fuzz.KINDS:
        assert (fuzz.SOURCE / f"{target}.c").exists()
        assert 1 <= len(list((fuzz.SOURCE / "corpus" / target).iterdir())) <= 60
