# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""usage: python3 -m house CHECK...

Runs checks of the tree, prints each violation on a line, and exits with 1 if there is one."""

import sys

from . import CHECKS, source


def main(names):
    unknown = [name for name in names if name not in CHECKS]
    if unknown or not names:
        print(f"usage: python3 -m house {'|'.join(CHECKS)}...", file=sys.stderr)
        return 2
    files = list(source.files())
    found = [line for name in names for line in CHECKS[name](files)]
    for line in found:
        print(line)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
