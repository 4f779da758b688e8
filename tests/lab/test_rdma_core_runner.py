# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/guest/rdma-core-tests, which runs rdma-core's own tests in a guest: it
reports the right result for each way in which a test can end."""

import json
import subprocess
import sys

from lab import paths

SCRIPT = paths.TOP / "scripts/lab/guest/rdma-core-tests"
PARSER = """
class Parser:
    def parse_args(self):
        pass

parser = Parser()
"""
SUITE = """
import gc
import unittest

class Case(unittest.TestCase):
    def test_passes(self):
        pass

    def test_is_skipped(self):
        self.skipTest("no such device")

    def test_fails(self):
        self.fail("wrong")

    def test_breaks(self):
        raise OSError("broken")

    def test_part_fails(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)

    def test_parts_pass(self):
        for number in range(3):
            with self.subTest(number=number):
                pass

    def test_part_is_skipped(self):
        with self.subTest(number=1):
            self.skipTest("no such part")

    @unittest.expectedFailure
    def test_failure_is_expected(self):
        self.fail("as expected")

    @unittest.expectedFailure
    def test_success_is_unexpected(self):
        pass

    def test_collector_is_on(self):
        self.assertTrue(gc.isenabled())
"""
# {test or subtest: results}
RESULTS = {
    "Case.test_passes": {"passed"},
    "Case.test_is_skipped": {"skipped"},
    "Case.test_fails": {"failed"},
    "Case.test_breaks": {"failed"},
    "Case.test_part_fails (number=1)": {"failed"},
    "Case.test_parts_pass": {"passed"},
    "Case.test_part_is_skipped (number=1)": {"skipped"},
    "Case.test_failure_is_expected": {"failed"},
    "Case.test_success_is_unexpected": {"failed"},
    "Case.test_collector_is_on": {"passed"},
}


def run(directory, suite):
    """Runs the runner on a directory with the layout of rdma-core and this suite; returns its
    records."""
    tests = directory / "src/tests"
    tests.mkdir(parents=True)
    (tests / "args_parser.py").write_text(PARSER)
    (tests / "__init__.py").write_text(suite)
    output = subprocess.run([sys.executable, SCRIPT, directory], capture_output=True, text=True,
                            check=True, timeout=60).stdout
    return [json.loads(line[2:]) for line in output.splitlines() if line.startswith("@@")]


def test_ends(tmp_path):
    records = run(tmp_path, SUITE)
    assert records[-1] == {"end": True}
    found = {}
    for record in records:
        if "result" in record:
            found.setdefault(record["test"].removeprefix("tests."), set()).add(record["result"])
    # A test with a skipped subtest reports a pass or nothing for itself
    assert found.pop("Case.test_part_is_skipped", {"passed"}) == {"passed"}
    assert found == RESULTS
