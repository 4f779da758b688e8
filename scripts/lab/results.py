# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Parses the output of test programs into counts by name."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field

SLOWEST = 20


@dataclass
class Results:
    """`passed` has the number of tests by name of their file or group; `failed` and `skipped` have
    a line per test."""

    passed: Counter = field(default_factory=Counter)
    failed: list = field(default_factory=list)
    skipped: list = field(default_factory=list)
    # Tests that have failed, and passed alone
    unstable: list = field(default_factory=list)
    # (seconds, test, its group of VMs or its directory)
    times: list = field(default_factory=list)

    def __str__(self):
        unstable = f", {len(self.unstable)} unstable" if self.unstable else ""
        return (f"{self.passed.total()} passed, {len(self.failed)} failed, "
                f"{len(self.skipped)} skipped{unstable}")

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.unstable += other.unstable
        self.times += other.times


def of_static(output):
    """Parses the output of scripts/static, which has one line per check."""
    found = Results()
    for name, verdict in re.findall(r"static: (.*): (ok|FAILED)", output):
        if verdict == "ok":
            found.passed["static"] += 1
        else:
            found.failed.append(f"static: {name}")
    return found


def of_cmocka(part, output):
    """Parses the output of C unit tests; `part` is the first part of their groups' names."""
    found = Results()
    group = "?"
    for line in output.splitlines():
        if match := re.match(r"\[==========\] (\S+): Running", line):
            group = match[1]
        elif match := re.match(r"\[==========\] (\S+): (\d+) test\(s\) run", line):
            group = match[1]
        elif match := re.match(r"\[  PASSED  \] (\d+) test\(s\)", line):
            found.passed[f"{part}/{group}"] += int(match[1])
        elif match := re.match(r"\[ *(FAILED|SKIPPED) *\] (\S+)$", line):
            # cmocka names a test twice: when it has run and in the summary
            names, name = getattr(found, match[1].lower()), f"{part}/{group}: {match[2]}"
            if name not in names:
                names.append(name)
    return found


def of_lines(path):
    """Reads the lines of record.py. A test has several if a worker crashes and the next one runs
    the test again; then it has failed."""
    found, verdicts = Results(), {}
    for line in path.read_text().splitlines():
        one = json.loads(line)
        test, file = one["test"], one["file"]
        if test not in verdicts:
            found.times.append((one["seconds"], test, one["machines"] or file.rpartition("/")[0]))
        names = {"passed": file, "failed": test, "skipped": f"{test}: {one['skipped']}"}
        if one["verdict"] == "failed" or test not in verdicts:
            verdicts[test] = (one["verdict"], names[one["verdict"]])
    for kind, name in verdicts.values():
        if kind == "passed":
            found.passed[name] += 1
        else:
            getattr(found, kind).append(name)
    return found


def slowest(times):
    """Returns lines with the slowest tests, and lines with the sum for each group of VMs."""
    lines = [f"{seconds:8.1f} s  {name}"
             for seconds, name, _ in sorted(times, reverse=True)[:SLOWEST]]
    groups = Counter()
    for seconds, _, machines in times:
        groups[machines] += seconds
    return lines, [f"{seconds:8.1f} s  {name}" for name, seconds in groups.most_common()]
