# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`make check`: runs every kind of test, counts them, ends with `N passed, N failed, N skipped`.
--quick: those without virtual machines. --long: those, and only those, that it leaves out."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

from . import paths
from .progress import say

LOGS = paths.BUILD / "logs" / "check"
# Tests in virtual machines wait for half of their time: two lots of them keep two processors busy.
WORKERS = 2


def run_logged(name, argv):
    """Runs argv, showing its output and keeping it: (exit code, output)."""
    LOGS.mkdir(parents=True, exist_ok=True)
    lines = []
    with open(LOGS / f"{name}.log", "w", encoding="utf-8") as log:
        with subprocess.Popen(
            [str(word) for word in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, text=True, errors="replace", cwd=paths.TOP,
        ) as process:
            for line in process.stdout:
                print(line, end="", flush=True)
                log.write(line)
                lines.append(line)
    return process.returncode, "".join(lines)


def run_static():
    code, output = run_logged("static", [paths.TOP / "scripts/static", "run"])
    found = re.findall(r"static: (\d+) passed, (\d+) failed, (\d+) skipped", output)
    counts = found[-1] if found else (0, 0, 0)
    return code, Counter(dict(zip(("passed", "failed", "skipped"), map(int, counts))))


def run_unit(part):
    """The C unit tests print what cmocka prints."""
    code, output = run_logged(f"unit-{part}", ["make", "-C", paths.TOP / "tests" / part, "check"])
    counts = Counter()
    for key in ("passed", "failed", "skipped"):
        pattern = rf"\[\s*{key.upper()}\s*\]\s+(\d+) test\(s\)"
        counts[key] = sum(map(int, re.findall(pattern, output)))
    return code, counts


def run_pytest(marks):
    """The tests that these marks select, side by side as far as tests/e2e/conftest.py lets them."""
    report = LOGS / "pytest.xml"
    report.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "pytest", "-v", "-rsfE", "-p", "no:cacheprovider", "-p", "lab.fixtures"]
    argv += ["-n", WORKERS, "--dist", "loadgroup"]
    argv += ["--junitxml", report, "-m", marks, "tests"]
    code, _ = run_logged("pytest", argv)
    counts = Counter()
    if report.exists():
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            number = {key: int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped")}
            failed = number["failures"] + number["errors"]
            counts["failed"] += failed
            counts["skipped"] += number["skipped"]
            counts["passed"] += number["tests"] - failed - number["skipped"]
    # pytest's 5: there was nothing to run.
    return 0 if code == 5 else code, counts


def steps(option):
    """What is run, by name."""
    if option == "--long":
        return [("long tests", lambda: run_pytest("long"))]
    before = [
        ("static checks", run_static),
        ("unit tests of the device", lambda: run_unit("device")),
        ("unit tests of the provider", lambda: run_unit("provider")),
    ]
    if option == "--quick":
        return [*before, ("tests without virtual machines", lambda: run_pytest("not vm"))]
    return [*before, ("tests in virtual machines", lambda: run_pytest("not long"))]


def main():
    total = Counter()
    for name, step in steps(" ".join(sys.argv[1:])):
        say(name)
        code, counts = step()
        # A step that broke down before it could count is a failure, too.
        if code and not counts["failed"]:
            counts["failed"] = 1
        total += counts
        say(f"{name}: {counts['passed']} passed, {counts['failed']} failed, "
            f"{counts['skipped']} skipped")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
