# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""rdma-core's own Python tests in a guest, on one RDMA device."""

import json
from dataclasses import dataclass

from . import paths
from .errors import LabError

DIRECTORY = paths.BUILD / "rdma-core"
PROVIDER = paths.BUILD / "rdma-core-65.0/build/lib/libornic"
HUGE_PAGES = 64  # of 2 MiB, for the tests that need them


@dataclass
class Outcome:
    """The result of one test: passed, failed or skipped."""

    test: str
    result: str
    why: str = ""


def run(vm, port, names=(), timeout=1800, distribution=False):
    """Runs all tests, or the named ones, on a Port and returns a list of Outcome. A test that kills
    Python counts as failed, and so does a run that does not reach its end. With `distribution` the
    tests and their libraries are those of the root tree's Debian."""
    if not distribution and not (DIRECTORY / "build/bin/run_tests.py").exists():
        raise LabError("no rdma-core 65.0: run `make provider RDMA_CORE=65.0`")
    vm.run(f"echo {HUGE_PAGES} >/proc/sys/vm/nr_hugepages")
    script = paths.TOP / "scripts/lab/guest/rdma-core-tests"
    # libibverbs appends the suffix with the version of the interface
    environment = f"SLOWNESS={vm.slowness}"
    if distribution:
        # Without its own build/python, the script finds python3-pyverbs
        directory = paths.BUILD / "rdma-core-56.1"
    else:
        directory = DIRECTORY.resolve()
        environment += f" IBV_DRIVERS={PROVIDER}"
    command = (f"cd /tmp && {environment} {script} {directory} "
               f"--dev {port.device} --port 1 --gid {port.gid_index}")
    if names:
        command += " -- " + " ".join(names)
    code, output = vm.run(command, timeout)
    (vm.logdir / f"{vm.name}-rdma-core-tests.log").write_text(output)

    outcomes, running, ended = [], None, False
    for line in output.splitlines():
        # Output of the tests may precede ours on the line
        _, mark, text = line.partition("@@")
        if not mark:
            continue
        record = json.loads(text)
        ended = ended or "end" in record
        if "start" in record:
            running = record["start"]
        elif "test" in record:
            outcomes.append(Outcome(**record))
            running = None
    if not ended:
        what = running or "before the first test"
        reason = f"the run ended here with {code}:\n{output[-2000:]}"
        outcomes.append(Outcome(what, "failed", reason))
    return outcomes
