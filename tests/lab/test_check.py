# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/check.py and its parts: the conditions under which `make check` fails."""

import json
import os
import re
import subprocess
import sys
from collections import Counter

import pytest
from lab import check, long, paths, results, seed
from lab.results import Results

# Runs pytest, and prints the groups of the tests, as a worker of xdist finds them: its plugin comes
# last
GROUPS = """
import sys, pytest
class Worker:
    def pytest_collection_modifyitems(self, items):
        for item in items:
            print("group", getattr(item.get_closest_marker("xdist_group"), "args", None))
class Begin:
    def pytest_cmdline_main(self, config):
        config.pluginmanager.register(Worker())
sys.exit(pytest.main(sys.argv[1:], plugins=[Begin()]))
"""

CMOCKA = """\
[==========] wq: Running 3 test(s).
[ RUN      ] test_good
[       OK ] test_good
[ RUN      ] test_bad[local]
[  FAILED  ] test_bad[local]
[ RUN      ] test_left_out
[  SKIPPED ] test_left_out
[==========] wq: 3 test(s) run.[  ERROR   ] --- 0x1 != 0
[  PASSED  ] 1 test(s).
[  SKIPPED ] wq: 1 test(s), listed below:
[  SKIPPED ] test_left_out
[  FAILED  ] wq: 1 test(s), listed below:
[  FAILED  ] test_bad[local]
[==========] cq: Running 2 test(s).
[==========] cq: 2 test(s) run.
[  PASSED  ] 2 test(s).
"""


def test_cmocka():
    found = results.of_cmocka("unit", CMOCKA)
    assert found.passed == {"unit/wq": 1, "unit/cq": 2}
    assert found.failed == ["unit/wq: test_bad[local]"]
    assert found.skipped == ["unit/wq: test_left_out"]


def test_times(tmp_path):
    """The slowest tests come first; sums are per group of VMs, or per directory for tests without
    VMs."""
    one = {"verdict": "passed", "skipped": "", "failure": ""}
    (tmp_path / "tests.jsonl").write_text("".join(json.dumps(line | one) + "\n" for line in (
        {"test": "tests/a.py::x", "file": "tests/a.py", "machines": "pair", "seconds": 2.5},
        {"test": "tests/a.py::y", "file": "tests/a.py", "machines": "pair", "seconds": 7},
        {"test": "tests/vfio/b.py::z", "file": "tests/vfio/b.py", "machines": "", "seconds": 1},
    )))
    slow, groups = results.slowest(results.of_lines(tmp_path / "tests.jsonl").times)
    assert [line.split()[-1] for line in slow] == \
        ["tests/a.py::y", "tests/a.py::x", "tests/vfio/b.py::z"]
    assert [line.split() for line in groups] == [["9.5", "s", "pair"], ["1.0", "s", "tests/vfio"]]


def test_killed(monkeypatch, tmp_path):
    """A run that is killed keeps its results, and says how many are missing."""
    def run_logged(name, argv, timeout, show):
        show("2 workers [3 items]\n")
        line = {"test": "a.py::x", "file": "a.py", "machines": "", "seconds": 1,
                "verdict": "passed", "skipped": "", "failure": ""}
        (tmp_path / "pytest.jsonl").write_text(json.dumps(line) + "\n")
        return -9, ""

    monkeypatch.setattr(check, "LOGS", tmp_path)
    monkeypatch.setattr(check, "run_logged", run_logged)
    found = check.judge("step", *check.run_pytest([]))
    assert found.failed == ["step: ended with -9", "2 of 3 tests did not run"]
    assert found.passed == {"a.py": 1}


def test_static():
    found = results.of_static("[  1:00] static: SPDX lines: ok\n"
                              "[  1:00] static: sparse: FAILED, see log\n")
    assert found.passed == {"static": 1} and found.failed == ["static: sparse"]


def judged(passed, skipped=(), code=0):
    return check.judge("step", code, Results(Counter(passed), [], list(skipped))).failed


def test_good_step():
    assert judged({"a/x": 2}) == []


@pytest.mark.parametrize("words", [
    {"passed": {}},
    {"passed": {"a/x": 1}, "code": 1},
    {"passed": {"a/x": 1}, "code": -9},
    {"passed": {"a/x": 1}, "skipped": ["a/x: one: no such device"]},
], ids=["nothing run", "exit code", "killed", "skipped"])
def test_bad_step(words):
    """A step fails although none of its tests has failed."""
    assert len(judged(**words)) == 1


@pytest.mark.parametrize("places, about", [
    (["tests/unit/objects/cq_test.c"], ["unit tests of the card"]),
    (["tests/e2e/test_wq.py::test_sizes"], ["tests in virtual machines"]),
    ([], ["static checks", "unit tests of the card", "unit tests of the provider",
          "fuzz corpora and long inputs", "tests in virtual machines"]),
])
def test_steps(places, about):
    """A place selects the steps that have its tests."""
    assert [step.about for step in check.steps("", places)] == about


@pytest.mark.parametrize("place", ["tests/e2e", "tests/e2e/test_ready.py"])
def test_groups_of_places(place):
    """Tests that share VMs are in a group wherever pytest begins to look for tests."""
    argv = [sys.executable, "-c", GROUPS, *check.OPTIONS, "--collect-only", "-q", "-s", place]
    output = subprocess.run(argv, cwd=paths.TOP, capture_output=True, text=True, check=True).stdout
    groups = set(re.findall(r"^group (.*)$", output, re.M))
    assert "('late_pair',)" in groups and "None" not in groups


@pytest.mark.parametrize("name", ["ORNIC_DEVICE", "FUZZ_STEPS", "ORNIC_SEED", "SAN", "RUN",
                                  "PYTEST_ADDOPTS"])
def test_settings_are_refused(monkeypatch, name, capsys):
    monkeypatch.setenv(name, "1")
    assert check.main(["--quick"]) == 2
    assert f"{name}=1" in capsys.readouterr().err


def test_timeout():
    """A step that exceeds its timeout is killed, with all processes that it started."""
    code, output = check.run_logged("timeout", ["sh", "-c", "echo on; sleep 600 & sleep 600"], 1)
    assert code != 0 and output == "on\n"


def test_beside():
    """The busy loops run inside the context and end with it."""
    with check.beside(2):
        loops = subprocess.run(["pgrep", "-f", "^sh -c while :; do :; done"], text=True,
                               capture_output=True, check=True).stdout.split()
        assert len(loops) >= 2
    after = subprocess.run(["pgrep", "-f", "^sh -c while :; do :; done"], text=True,
                           capture_output=True, check=False).stdout.split()
    assert not set(loops) & set(after)


# ---- make check-long ----

@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small repository with its own records; its steps pass, and `ran` lists their calls of
    pytest."""
    def git(*words):
        user = ["-c", "user.name=n", "-c", "user.email=e"]
        subprocess.run(["git", "-C", tmp_path / "top", *user, *words], check=True,
                       capture_output=True)

    (tmp_path / "top").mkdir()
    git("init")
    (tmp_path / "top/file").write_text("1")
    git("add", ".")
    git("commit", "-m", "one")
    monkeypatch.setattr(paths, "TOP", tmp_path / "top")
    monkeypatch.setattr(long, "RECORDS", tmp_path / "records")
    steps = (long.Step("one", "first", ("a.py",)), long.Step("two", "rest"))
    monkeypatch.setattr(long, "STEPS", steps)
    monkeypatch.setenv(seed.NAME, "1")
    monkeypatch.delenv(seed.NAME)
    ran = []

    def run_pytest(words, timeout):
        ran.append(words[-1])
        assert int(os.environ[seed.NAME]) > 1
        assert timeout == long.STEP_TIMEOUT
        return 0, Results(Counter({"tests/a.py": 1}))

    monkeypatch.setattr(check, "run_pytest", run_pytest)
    return tmp_path / "top", git, ran


def test_long_runs_what_is_missing(checkout, capsys):
    top, git, ran = checkout
    assert check.main(["--long", "one"]) == 0
    assert re.search(r"^two +- +never here +rest$", capsys.readouterr().out, re.M)
    assert check.main(["--long"]) == 0
    assert check.main(["--long"]) == 0
    assert ran == ["tests/a.py", "tests"]
    # The step's last pass is shown after other commits
    (top / "file").write_text("2")
    git("commit", "-am", "two")
    assert check.main(["--long", "one"]) == 0
    assert ran == ["tests/a.py", "tests", "tests/a.py"]
    output = capsys.readouterr().out
    assert re.search(r"^one +passed +0 commits ago \(\w{12}, .*\), 1 passed.* s +first$", output,
                     re.M)
    assert re.search(r"^two +- +1 commits ago ", output, re.M)
    # A commit with the same files needs no other run
    git("commit", "--allow-empty", "-m", "three")
    assert check.main(["--long"]) == 0
    assert ran[3:] == ["tests"]


def test_long_parts_of_a_file():
    """Steps may share a file, and the step for the rest leaves it out."""
    steps = {step.name: step.words() for step in long.STEPS}
    assert steps["cycles-flr"] == ["-m", "long", "-k", "flr", "tests/e2e/test_cycles.py"]
    assert "--ignore=tests/e2e/test_cycles.py" in steps["rest"]


def test_long_dirty_tree(checkout):
    """Verdicts on an uncommitted tree are not recorded, even if the tree is committed later."""
    top, git, ran = checkout
    (top / "other").write_text("2")
    assert check.main(["--long"]) == 0 and len(ran) == 2
    git("add", ".")
    assert check.main(["--long"]) == 0 and len(ran) == 4
    git("commit", "-m", "two")
    assert check.main(["--long"]) == 0 and len(ran) == 6
    assert check.main(["--long"]) == 0 and len(ran) == 6


def test_long_failure(checkout, monkeypatch):
    """A failed step counts as missing and runs again; an unknown step is an error."""
    good = check.run_pytest
    monkeypatch.setattr(check, "run_pytest", lambda *_: (0, Results()))
    assert check.main(["--long"]) == 1
    monkeypatch.setattr(check, "run_pytest", good)
    assert check.main(["--long"]) == 0
    assert check.main(["--long", "three"]) == 2


def test_long_seed(checkout, monkeypatch, capsys):
    """A run without ORNIC_SEED chooses a new seed, a run with it uses it; both print the seed."""
    def told():
        assert check.main(["--long", "one"]) == 0
        return re.search(r"ORNIC_SEED=(\d+)", capsys.readouterr().err)[1]

    first = told()
    assert told() == first
    monkeypatch.delenv(seed.NAME)
    assert told() != first
    monkeypatch.setenv(seed.NAME, "77")
    assert told() == "77"


def test_long_steps_leave_nothing_out():
    """Every long test is in exactly one step: all named files exist, each is in one step or in
    parts with different words, and one step has the rest. test_cycles.py checks its own kinds."""
    steps = [step for step in long.STEPS if step.marks == "long"]
    parts = [(name, step.only) for step in steps for name in step.files]
    assert len(parts) == len(set(parts))
    named = {name for name, _ in parts}
    assert {name for name, only in parts if only} == \
        {"e2e/test_cycles.py", "e2e/test_exhaustion.py", "e2e/test_kernels.py",
         "e2e/test_absent.py", "e2e/test_processors.py", "provider/test_foreign.py"}
    assert ("e2e/test_cycles.py", "") not in parts
    assert {only for name, only in parts if name == "e2e/test_exhaustion.py"} == \
        {"storm", "not storm"}
    for file in ("test_kernels.py", "test_absent.py"):
        assert {only for name, only in parts if name == f"e2e/{file}"} == \
            {*paths.DISTRIBUTION, paths.NEWEST}
    for file in ("e2e/test_processors.py", "provider/test_foreign.py"):
        assert {only for name, only in parts if name == file} == {"arm64", "not arm64"}
    assert all((paths.TOP / "tests" / name).exists() for name in named)
    (rest,) = (step for step in steps if not step.files)
    ignored = [f"--ignore=tests/{name}" for name in sorted(named)]
    assert rest.words() == ["-m", "long", *ignored, "tests"]
