# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What pytest finds: each file of tests has one, and no test of `make check` depends on time: it
does not sleep and reads no clock. Tests wait for events with wait_until() or eventually(), and
compare counts of what must happen."""

import ast
import re
import subprocess
import sys

import pytest
from lab import check, paths

# One worker, so that pytest looks for all tests once
pytestmark = pytest.mark.xdist_group("certain")
# Runs pytest, which prints the tests that it selects, and prints the others with a word before them
LIST = """
import sys, pytest
class Others:
    def pytest_deselected(self, items):
        for item in items:
            print("other", item.nodeid)
sys.exit(pytest.main(sys.argv[1:], plugins=[Others()]))
"""
CLOCKS = {"sleep", "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter",
          "perf_counter_ns"}
# A shell that polls sleeps for less than a second
SHELL_SLEEPS = re.compile(r"\bsleep [1-9{]")
# The only exceptions, {FILE::TEST: why its result does not depend on time}. At most ten.
ALLOWED = {
    "tests/lab/test_check.py::test_timeout":
        "the sleep is a program that hangs, and is ended",
    "tests/lab/test_evidence.py::test_keep": "tells evidence.keep() when the test began",
    "tests/lab/test_record.py::test_waits":
        "two loops on one processor wait for each other; other programs make them wait longer",
    "tests/vfio/test_device_ports.py::test_late_packets_are_overtaken":
        "a packet that the card delays cannot come earlier; there is no upper bound",
    "tests/vfio/test_device_ports.py::test_capture_holds_what_passed":
        "a packet is captured between two readings of the same clock",
    "tests/vfio/test_device_ports.py::test_tap_that_is_deleted_leaves_the_rest_alone":
        "a loop that is busy turns often; one that is slow passes",
}


def collect(top):
    """Returns {file: names of its tests} of `make check`, and the files of tests in which pytest
    finds none for any command."""
    argv = [sys.executable, "-c", LIST, *check.OPTIONS, "--collect-only", "-q", "-s",
            "-m", check.GATE, "tests"]
    output = subprocess.run(argv, cwd=top, capture_output=True, text=True, check=True).stdout
    tests, absent = {}, {str(path.relative_to(top)) for path in (top / "tests").rglob("test_*.py")}
    for other, file, name in re.findall(r"^(other )?(tests/\S+?\.py)::(\w+)", output, re.M):
        absent.discard(file)
        if not other:
            tests.setdefault(file, set()).add(name)
    return tests, absent


@pytest.fixture(scope="module")
def collected():
    return collect(paths.TOP)


def reads_clock(node):
    """Returns whether a part of a syntax tree uses the module time, or is the text of a shell
    command that sleeps."""
    if isinstance(node, ast.Attribute):
        return getattr(node.value, "id", "") == "time" and node.attr in CLOCKS
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and \
        bool(SHELL_SLEEPS.search(node.value))


def code_of(definition):
    """Yields the parts of a definition, without its docstring."""
    body = definition.body
    if ast.get_docstring(definition) is not None:
        body = body[1:]
    for part in [definition.args, *body] if hasattr(definition, "args") else body:
        yield from ast.walk(part)


def uncertain(source):
    """Returns the names of those definitions of a module that depend on time, by themselves or by
    others of the module that they name, such as functions, fixtures and constants."""
    direct, named = set(), {}
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            name, parts = node.name, list(code_of(node))
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, parts = node.targets[0].id, list(ast.walk(node.value))
        else:
            continue
        if any(map(reads_clock, parts)):
            direct.add(name)
        named[name] = {part.id for part in parts if isinstance(part, ast.Name)} | \
            {part.arg for part in parts if isinstance(part, ast.arg)}
    while more := {name for name, others in named.items() if others & direct} - direct:
        direct |= more
    return direct


def test_guard_sees_clocks():
    source = '''
import time
SCRIPT = "true; PAUSE 1"
def wait(): time.sleep(1)
def indirect(): wait()
def fixture(): return time.monotonic()
def test_a(fixture): "PAUSE 1"
def test_b(): indirect()
def test_c(vm): vm.run(SCRIPT)
def test_d(): "time.sleep(1); PAUSE 9"
def test_e(vm): vm.check("until true; do PAUSE 0.1; done")
'''.replace("PAUSE", "sleep")
    assert {name for name in uncertain(source) if name.startswith("test")} == \
        {"test_a", "test_b", "test_c"}


def test_file_without_tests(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_one.py").write_text("def test_it(): pass\n")
    (tmp_path / "tests/test_other.py").write_text("import pytest\npytestmark = pytest.mark.long\n"
                                                  "def test_it(): pass\n")
    (tmp_path / "tests/test_none.py").write_text("def tset_it(): pass\n")
    assert collect(tmp_path) == ({"tests/test_one.py": {"test_it"}}, {"tests/test_none.py"})


def test_each_file_has_tests(collected):
    assert not collected[1]


def test_no_test_depends_on_time(collected):
    """Each exception is one that is needed."""
    tests = collected[0]
    assert len(tests) > 50
    found = {f"{file}::{name}" for file, names in tests.items()
             for name in names & uncertain((paths.TOP / file).read_text())}
    assert found - set(ALLOWED) == set(), "these tests sleep or read a clock"
    assert set(ALLOWED) - found == set(), "these need no exception"
    assert len(ALLOWED) <= 10
