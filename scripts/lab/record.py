# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Records the result of each test when the test ends, so that a run that is killed keeps its
results. results.py reads the file."""

import json

OUTCOMES = ("passed", "skipped", "failed")  # from the best to the worst


class Recorder:
    """A plugin of pytest that writes a line of JSON for each test."""

    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(path, "w", encoding="utf-8", buffering=1)
        self.running = {}  # {test: reports of its phases}

    def pytest_runtest_logreport(self, report):
        self.running.setdefault(report.nodeid, []).append(report)
        # A worker of xdist that crashes is reported as another phase
        if report.when not in ("setup", "call"):
            self.write(self.running.pop(report.nodeid))

    def pytest_collectreport(self, report):
        if not report.passed:
            self.write([report])

    def write(self, reports):
        """Writes the verdict on all phases: the worst of them."""
        worst = max(reports, key=lambda report: OUTCOMES.index(report.outcome))
        machines = {text for report in reports
                    for name, text in getattr(report, "user_properties", ()) if name == "machines"}
        line = {
            "test": worst.nodeid,
            "file": worst.nodeid.partition("::")[0],
            "machines": "".join(machines),
            "verdict": worst.outcome,
            "seconds": round(sum(getattr(report, "duration", 0) for report in reports), 3),
            "skipped": reason(worst) if worst.skipped else "",
            "failure": first_line(worst) if worst.failed else "",
        }
        self.file.write(json.dumps(line) + "\n")


def reason(report):
    """Returns why a test was skipped, or is expected to fail."""
    if hasattr(report, "wasxfail"):
        return report.wasxfail
    return report.longrepr[2].removeprefix("Skipped: ")


def first_line(report):
    """Returns the first line of the exception's message, or of a text that has none."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr)).strip().partition("\n")[0]
