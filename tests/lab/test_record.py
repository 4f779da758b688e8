# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of what scripts/lab/fixtures.py records of each test: its result as soon as it ends, the
text of its failure, and how long the lab's processes have waited for a processor. Each of these
tests runs pytest."""

import json
import re
import subprocess
import sys

import pytest
from lab import paths, results

HEAD = """\
import os, pathlib, signal, subprocess, time
import pytest
from lab import evidence, process

evidence.DIRECTORY = pathlib.Path("failed")

@pytest.fixture
def broken_end():
    yield
    assert False, "at the end"

"""
RESULTS = """
def test_good(record_property): record_property("machines", "pair")
def test_bad(): assert 1 == 2, "one\\ntwo"
def test_bad_end(broken_end): pass
def test_bad_twice(broken_end): assert False, "at first"
def test_left_out(): pytest.skip("not here")
@pytest.mark.xfail(reason="known")
def test_known(): assert False
"""
KILL = """
def test_first(): pass
def test_kill():
    record = pathlib.Path("record/lines")
    end = time.monotonic() + 120
    while not record.read_text().endswith("\\n") and time.monotonic() < end:
        time.sleep(0.1)
    in_worker = "PYTEST_XDIST_WORKER" in os.environ
    os.kill(os.getppid() if in_worker else os.getpid(), signal.SIGKILL)
    time.sleep(1)
"""
CRASH = """
def test_crash():
    mark = pathlib.Path("crashed")
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
"""
BUSY = """
def test_calm(): assert False

def test_busy(tmp_path):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name in "one", "two":
        process.launch(["sh", "-c", "while :; do :; done"], tmp_path / f"{name}.log")
    me = os.getpid()
    subprocess.run(f"sleep 1; kill -STOP {me}; sleep 1; kill -CONT {me}", shell=True, check=True)
    assert False
"""
WORKERS = ("-n", "2", "--dist", "loadfile")
# Without workers, as a test that has failed is run once more, and with workers
BOTH_WAYS = pytest.mark.parametrize("workers", [(), WORKERS], ids=["one process", "workers"])


@pytest.fixture
def run(tmp_path):
    def run(tests, *words):
        """Runs these tests and returns the exit code, the output, and what was recorded."""
        (tmp_path / "test_it.py").write_text(HEAD + tests)
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "lab.fixtures",
             "--record", "record/lines", *words, "test_it.py"],
            cwd=tmp_path, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PYTHONPATH": str(paths.TOP / "scripts"), "PATH": "/usr/bin:/bin",
                 "ORNIC_TREE": str(paths.tree())},
        )
        return ran.returncode, ran.stdout, results.of_lines(tmp_path / "record/lines")

    return run


def failure_of(tmp_path, name):
    return (tmp_path / "failed" / f"test_it.py-{name}" / "failure.txt").read_text()


@BOTH_WAYS
def test_results(run, tmp_path, workers):
    """Each test has one line, even if it fails twice."""
    code, output, found = run(RESULTS, *workers)
    assert code == 1
    assert found.passed == {"test_it.py": 1}, output
    assert sorted(found.failed) == [f"test_it.py::test_{name}"
                                    for name in ("bad", "bad_end", "bad_twice")]
    assert sorted(found.skipped) == ["test_it.py::test_known: known",
                                     "test_it.py::test_left_out: not here"]
    lines = {line["test"].partition("::test_")[2]: line for line in
             map(json.loads, (tmp_path / "record/lines").read_text().splitlines())}
    assert len(lines) == len(found.times) == 6
    assert lines["good"]["machines"] == "pair" and lines["good"]["failure"] == ""
    assert [lines[name]["failure"] for name in ("bad", "bad_end", "bad_twice")] == \
        [f"AssertionError: {text}" for text in ("one", "at the end", "at first")]
    assert all(0 <= line["seconds"] < 60 for line in lines.values())
    # The time of a test counts for its machines, or else for its directory
    groups = {name.partition("::test_")[2]: group for _, name, group in found.times}
    assert groups["good"] == "pair" and groups["bad"] == ""


@BOTH_WAYS
def test_killed_run(run, workers):
    """The results before the end of a run that is killed stay."""
    code, _, found = run(KILL, *workers)
    assert code == -9
    assert found.passed == {"test_it.py": 1} and not found.failed


def test_worker_that_crashes(run, tmp_path):
    """The test during which a worker crashes has failed, although it passes in the next worker."""
    _, output, found = run(CRASH, "-n", "1", "--dist", "loadfile")
    assert found.failed == ["test_it.py::test_crash"] and not found.passed, output
    assert len(found.times) == 1
    lines = (tmp_path / "record/lines").read_text().splitlines()
    assert [json.loads(line)["verdict"] for line in lines] == ["failed", "passed"]
    assert "crashed while running" in lines[0]


def test_file_with_an_error(run):
    """A file that cannot be collected has failed."""
    _, output, found = run("no words\n", *WORKERS)
    assert found.failed == ["test_it.py"] and not found.passed, output


def test_failure_text(run, tmp_path):
    """The text of each failure of a test stays, without that of an earlier run. No test uses a
    VM."""
    run(RESULTS, *WORKERS)
    _, output, _ = run(RESULTS.replace("at first", "now"), *WORKERS)
    text = failure_of(tmp_path, "test_bad_twice")
    assert re.findall(r"^E +AssertionError: (.*)", text, re.M) == ["now", "at the end"]
    assert len(re.findall("^(?:call|teardown): in ", text, re.M)) == 2
    assert "at the end" in failure_of(tmp_path, "test_bad_end")
    assert not (tmp_path / "failed/test_it.py-test_good").exists()
    assert "kept in failed/test_it.py-test_bad_twice:" in output


def test_nothing_without_the_option(tmp_path, run):
    run(RESULTS)
    before = (tmp_path / "record/lines").stat().st_mtime_ns
    subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "lab.fixtures",
                    "test_it.py"], cwd=tmp_path, check=False, capture_output=True)
    assert (tmp_path / "record/lines").stat().st_mtime_ns == before


def test_waits(run, tmp_path):
    """A failure tells how long each process of the lab has waited for a processor during the test,
    and that the worker itself has stood still."""
    _, output, _ = run(BUSY, *WORKERS)
    busy, calm = failure_of(tmp_path, "test_busy"), failure_of(tmp_path, "test_calm")
    waits = {name: float(text) for name, text in
             re.findall(r"(\w+) ([\d.]+) s[,;]", busy.splitlines()[0])}
    assert waits.keys() == {"one", "two"} and min(waits.values()) >= 0.3, busy
    pause = r"the longest pause of this worker was ([\d.]+) s$"
    assert float(re.search(pause, busy, re.M)[1]) >= 0.9, busy
    assert "nothing of the lab" in calm and re.search(pause, calm, re.M), calm
    assert re.search("waited for a processor: one [0-9.]+ s, two ", output)
