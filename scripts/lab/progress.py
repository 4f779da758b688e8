# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Output for users: progress lines with the time since the start of `make`, and tables."""

import os
import sys
import time

# The scripts that ran before export the start time
START = int(os.environ.get("ORNIC_T0", time.time()))


def say(text):
    minutes, seconds = divmod(int(time.time()) - START, 60)
    print(f"[{minutes:3d}:{seconds:02d}] {text}", file=sys.stderr, flush=True)


def table(header, rows):
    """Returns a table as text; each column is as wide as its widest cell."""
    rows = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
             for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
