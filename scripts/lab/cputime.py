# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""CPU time that the host spends per message: the threads of two VMs and of their card."""

import re
from pathlib import Path

from .perftest import perftest


def read_threads(pid):
    """Returns {thread id: (ns on a CPU, ns runnable without one, times it slept)}."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            run_ns, wait_ns, _ = map(int, (task / "schedstat").read_text().split())
            status = (task / "status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue  # It has ended
        slept = int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status, re.M)[1])
        found[int(task.name)] = run_ns, wait_ns, slept
    return found


def add(rows):
    return tuple(map(sum, zip(*rows))) or (0, 0, 0)


def read(pair):
    """Returns {name: what read_threads() counts} for the vCPUs of each VM, the main loop of its
    QEMU, and the card. QEMU's other threads come and go."""
    counts = {}
    for vm in pair.vms:
        vcpus = {cpu["thread-id"] for cpu in vm.qmp.execute("query-cpus-fast")}
        threads = read_threads(vm.process.pid)
        counts[f"vCPU {vm.name}"] = add(threads[tid] for tid in threads if tid in vcpus)
        counts[f"QEMU {vm.name}"] = threads[vm.process.pid]
    counts["card"] = add(read_threads(pair.card.process.pid).values())
    return counts


def per_round_trip(pair, ports, program, size, few, many, timeout=300):
    """Runs a latency program of perftest with `few` and with `many` round trips; the difference has
    no start and no end of the program. Returns {name: (us on a CPU, us runnable, times it slept)}
    per round trip, and the typical latency in us."""
    costs = []
    for count in (few, many):
        before = read(pair)
        numbers, _ = perftest(pair, ports, program, size, count, timeout=timeout)
        after = read(pair)
        costs.append({name: [b - a for a, b in zip(before[name], after[name])] for name in before})
    scales = (1e3, 1e3, 1)
    return {name: tuple((b - a) / scale / (many - few)
                        for a, b, scale in zip(costs[0][name], costs[1][name], scales))
            for name in costs[0]}, numbers["typical"]
