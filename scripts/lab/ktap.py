# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Parses the results of the kernel's unit tests in a kernel log (KTAP version 1)."""

import re

INDENT = 4
STAMP = re.compile(r"^\[ *\d+\.\d+\] ?")
PLAN = re.compile(r"1\.\.(\d+)$")
RESULT = re.compile(r"(not )?ok (\d+)(?: -)? *(.*?)(?: *# *(SKIP.*))?$")


def read(log):
    """Returns (names of passed cases, complaints). Cases are nested in suites; results below a case
    are those of its parameters."""
    passed, wrong = [], []
    open_plans = {}  # {depth: [planned, seen]}

    def close(depth):
        """Compares the numbers of results with the plans, at this depth and below."""
        for inner in sorted(open_plans, reverse=True):
            if inner >= depth:
                planned, seen = open_plans.pop(inner)
                if planned != seen:
                    wrong.append(f"{seen} results at depth {inner}, the plan has {planned}")

    for line in log.splitlines():
        text = STAMP.sub("", line)
        depth = (len(text) - len(text.lstrip())) // INDENT
        text = text.strip()
        if plan := PLAN.match(text):
            close(depth)
            open_plans[depth] = [int(plan[1]), 0]
        elif result := RESULT.match(text):
            close(depth + 1)
            failed, number, name, skip = result.groups()
            if failed or skip:
                wrong.append(text)
            elif depth == 1:
                passed.append(name)
            if depth in open_plans:
                open_plans[depth][1] += 1
                if int(number) != open_plans[depth][1]:
                    wrong.append(f"number {open_plans[depth][1]} is missing before: {text}")
            elif depth < 2:
                wrong.append(f"no plan for: {text}")
    close(0)
    return passed, wrong
