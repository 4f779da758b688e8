#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""usage: neighbours.py

Measures what one client of the card suffers from another one: its longest read of a register and
its share of bandwidth under each attack, compared with the bandwidth without an attack. Both are
CPU time of the card's thread, so other processes do not disturb them. The goals are 5 ms and half.
Exits with 1 if an attack could not be measured.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
GOAL_MS = 5
GOAL_SHARE = 50
# The attacks measured, by program; the tests of these programs hold all of them
ATTACKS = {
    "command": ["reset", "create_mr_64g", "create_qp", "create_flow", "dead_cq", "cq_timers",
                "held_events"],
    "memory": ["bus_mastering", "bus_mastering_received", "largest_destroyed", "shrunk_sent",
               "shrunk_delivered", "boards"],
    "message": ["resets", "register_resets", "register_reads", "config_writes", "irq_triggers",
                "irq_tests", "maps_and_unmaps", "reconnects", "leaves"],
    "qp": ["rc_write", "rc_write_small", "rc_read", "rc_read_mixed", "rc_read_elsewhere",
           "rc_atomic", "rc_send_deaf", "rc_lost", "rc_leave", "ud_send"],
    "wire": ["multicast_to_another", "raw_large", "raw_small", "rules", "port", "capture",
             "outside_small", "outside_large", "faults"],
}


def measure():
    """Builds and runs the programs, and returns one row per attack."""
    out = TOP / "build/device"
    subprocess.run(["make", "-s", "-C", TOP / "tests/unit", "SAN=0", f"O={out}", "bench"],
                   check=True, stdout=sys.stderr)
    rows = []
    with tempfile.TemporaryDirectory(prefix="ornic-") as directory:
        for program, attacks in ATTACKS.items():
            path = pathlib.Path(directory) / program
            path.touch()
            settings = {"NEIGHBOUR_ATTACKS": ",".join(attacks), "NEIGHBOUR_ROWS": str(path)}
            subprocess.run([out / f"unit/neighbour/neighbour_{program}_bench"], check=False,
                           stdout=sys.stderr, env=os.environ | settings)
            found = {line.split()[0]: line for line in path.read_text().splitlines()}
            rows += [row_of(name, found.get(name)) for name in attacks]
    return rows


def row_of(name, line):
    """Returns a row as it is printed, so that the goals hold for what a reader sees. It has no
    numbers if the program failed."""
    if line is None:
        return {"attack": name}
    _, read_ns, alone, attacked = line.split()
    return {"attack": name, "read_ms": round(int(read_ns) / 1e6, 2),
            "alone_mib_s": int(alone) * 1000 / (1 << 20),
            "share": round(100 * int(attacked) / int(alone), 1)}


def lines(rows):
    """Yields the lines of the table, one per attack."""
    yield f"{'attack':24} {'longest read ms':>15} {'share %':>8} {'alone MiB/s':>12}"
    for row in rows:
        if "share" not in row:
            yield f"{row['attack']:24} {'failed':>15}"
            continue
        yield (f"{row['attack']:24} {row['read_ms']:15.2f} {row['share']:8.1f} "
               f"{row['alone_mib_s']:12.0f}{'  misses the goal' if misses(row) else ''}")


def misses(row):
    return row["read_ms"] > GOAL_MS or row["share"] < GOAL_SHARE


def main():
    rows = measure()
    print("\n".join(lines(rows)))
    return 1 if any("share" not in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
