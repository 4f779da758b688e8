# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""KUnit tests in a guest with the debug kernel."""

import re
import shlex

from .errors import LabError

# A test case in KTAP; suites are lines of the same form with less indentation.
CASE = re.compile(r"^ {4}(not ok|ok) \d+ (\S+?)(?: # SKIP ?(.*))?$", re.M)


def run(vm, module="ornic_kunit", timeout=300):
    """Loads the test module with the drivers it looks into: a list of (test, passed, failed or
    skipped, why), and the log."""
    load = "for f in ornic ornic_rdma {m}; do [ -d /sys/module/$f ] || insmod {d}/$f.ko || exit; done"
    vm.check(load.format(m=module, d=shlex.quote(str(vm.kernel.modules))), timeout)
    log = vm.check("cat /sys/kernel/debug/kunit/*/results")
    results = []
    for word, name, why in CASE.findall(log):
        outcome = "skipped" if "# SKIP" in log and why else "passed" if word == "ok" else "failed"
        results.append((name, outcome, why))
    if not results:
        raise LabError(f"{vm.name}: {module} has no test results:\n{log}")
    return results, log
