# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`make demo`: runs common RDMA programs between two virtual machines with a card each."""

import re
import sys

from . import Lab, LabError
from .pair import Pair
from .perftest import ProgramFailed, find, perftest, pingpong, rping
from .programs import spread
from .progress import say, table


def ping(pair):
    log = pair.a.check(f"ping -c 5 -i 0.2 {pair.ornic[pair.b].ip}")
    if " 0% packet loss" not in log:
        raise ProgramFailed(log)
    return f"{find(r'= [\d.]+/([\d.]+)/', log, log)[1]} ms round trip", log


def devinfo(pair):
    log = "\n".join(vm.check(f"ibv_devinfo -v -d {pair.ornic[vm].device}") for vm in pair.vms)
    if len(re.findall(r"state:\s+PORT_ACTIVE", log)) != 2:
        raise ProgramFailed(f"not both ports are active\n{log}")
    return f"both ports active, max_qp {find(r'max_qp:\s+(\d+)', log, log)[1]}", log


def run_pingpong(kind, options=""):
    def run(pair):
        usec, log = pingpong(pair, pair.ornic, kind, options)
        return f"{usec:.1f} us round trip", log

    return run


def run_rping(pair):
    count, log = rping(pair, pair.ornic)
    return f"{count} pings, data verified", log


def run_perftest(program, size, iterations, options=""):
    def run(pair):
        numbers, log = perftest(pair, pair.ornic, program, size, iterations, options)
        if "typical" in numbers:
            return f"{numbers['typical']:.1f} us ({size} B), p99 {numbers['p99']:.1f} us", log
        return f"{numbers['mib_s']:.0f} MiB/s ({size // 1024} KiB)", log

    return run


def run_spread(pair):
    numbers, log = spread(pair, pair.ornic)
    return f"{sum(numbers)} UDP flows over 4 work queues: {' '.join(map(str, numbers))}", log


def rdma_link(pair):
    log = "\n".join(vm.check("rdma link") for vm in pair.vms)
    if len(re.findall(r"state ACTIVE physical_state LINK_UP", log)) != 2:
        raise ProgramFailed(f"not both links are up\n{log}")
    return "both ACTIVE, LINK_UP", log


def rdma_resources(pair):
    log = "\n".join(vm.check("rdma res show qp") for vm in pair.vms)
    if len(re.findall(r"type GSI", log)) != 2:
        raise ProgramFailed(f"not one GSI QP on each side\n{log}")
    user = len(re.findall(r"type (?!GSI|SMI)", log))
    if user:
        raise ProgramFailed(f"{user} QPs are left from the programs before\n{log}")
    return "GSI QPs only, nothing left behind", log


def kernel_reports(pair):
    reports = [f"{vm.name}: {line}" for vm in pair.vms for line in vm.reports()]
    log = "\n".join(f"{vm.name}:\n{vm.dmesg()}" for vm in pair.vms)
    if reports:
        raise ProgramFailed("\n".join(reports) + f"\n\n{log}")
    return "no warning of any kind", log


LINES = [
    ("ping", ping),
    ("ibv_devinfo -v", devinfo),
    ("ibv_rc_pingpong", run_pingpong("rc")),
    ("ibv_rc_pingpong -e", run_pingpong("rc", "-e")),
    ("ibv_ud_pingpong", run_pingpong("ud")),
    ("rping", run_rping),
    ("ib_send_bw", run_perftest("ib_send_bw", 65536, 1000)),
    ("ib_write_bw", run_perftest("ib_write_bw", 65536, 5000)),
    ("ib_read_bw", run_perftest("ib_read_bw", 65536, 1000)),
    ("ib_write_lat", run_perftest("ib_write_lat", 2, 1000)),
    ("spread", run_spread),
    ("rdma link", rdma_link),
    ("rdma res show qp", rdma_resources),
    ("dmesg", kernel_reports),
]


def run_lines(pair, logdir):
    """Runs all programs and returns rows of (program, result, figure)."""
    rows = []
    for number, (name, run) in enumerate(LINES, 1):
        say(f"{name}")
        path = logdir / f"{number:02d}-{re.sub('[^a-z0-9_]+', '-', name)}.log"
        try:
            figure, log = run(pair)
            rows.append((name, "passed", figure))
        except (ProgramFailed, LabError) as error:
            log = str(error)
            say(f"{name} FAILED: {log.splitlines()[0]}")
            rows.append((name, "FAILED", f"see {path}"))
        path.write_text(log)
    return rows


def main():
    with Lab("demo") as lab:
        try:
            say("starting a card process with two cards")
            pair = Pair(lab)
            say("booting two virtual machines (5 to 15 s)")
            pair.start()
            say("loading the drivers and giving each card's network device an address")
            pair.load_ornic()
        except LabError as error:
            say(f"FAILED: {error}")
            print(f"\nThe demo did not get to its programs. Logs: {lab.logdir}")
            return 1
        rows = run_lines(pair, lab.logdir)
    rows += [("machines and cards", "FAILED", line) for line in lab.complaints]
    print()
    print(table(("program", "result", "figure"), rows))
    failed = [row for row in rows if row[1] != "passed"]
    if failed:
        print(f"\n{len(failed)} of {len(rows)} failed. Logs, the cards' and the machines' "
              f"consoles too: {lab.logdir}")
    else:
        print(f"\nAll {len(rows)} passed. Logs: {lab.logdir}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
