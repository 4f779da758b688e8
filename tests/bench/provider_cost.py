#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""usage: provider_cost.py [RDMA_CORE_BUILD]

Builds libornic over a fake kernel and a fake device (tests/provider) and prints the cost of each
verbs call in the caller's thread: the exact number of instructions, and nanoseconds. The goal is
the cost of the model, a sketch of a provider for the same rings, with all its locks. Exits with 1
if a call with a goal costs more.
RDMA_CORE_BUILD is a build directory of rdma-core, for its headers (build/rdma-core-56.1/build).
"""

import json
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]


def measure(rdma_core):
    """Builds and runs provider-cost, and returns its rows."""
    out = TOP / "build/provider"
    subprocess.run(
        ["make", "-s", "-C", TOP / "tests/provider", f"O={out}", f"RDMA_CORE={rdma_core}", "cost"],
        check=True, stdout=sys.stderr)
    run = subprocess.run([out / "provider-cost"], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(run.stdout)


def lines(rows):
    """Yields the lines of the table, one per call."""
    yield f"{'call':26} {'instructions':>12} {'model':>6} {'each':>6} {'ns':>7}"
    for row in rows:
        each = row["instructions"] / row["work"] if row["work"] > 1 else None
        yield (f"{row['call']:26} {row['instructions']:12} {row.get('model', '-'):>6} "
               f"{f'{each:.1f}' if each else '-':>6} {row.get('ns', '-'):>7}"
               f"{'  above the goal' if above(row) else ''}")


def above(row):
    return row.get("goal", False) and row["instructions"] > row["model"]


def main():
    args = sys.argv[1:] or [TOP / "build/rdma-core-56.1/build"]
    rdma_core = pathlib.Path(args[0]).resolve()
    if not (rdma_core / "include").is_dir():
        sys.exit(f"{rdma_core} is no build of rdma-core; run `make provider` first")
    rows = measure(rdma_core)
    print("\n".join(lines(rows)))
    return 1 if any(map(above, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
