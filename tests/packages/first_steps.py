# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The first steps of Documentation/install.rst as commands, and the packages that they install."""

import re

from lab import paths

DOCUMENT = paths.TOP / "Documentation/install.rst"
# Parts of the steps, in the order of their literal blocks
PARTS = ("host", "qemu", "guests", "guest0", "guest1")


def blocks(text, before):
    """Returns the commands of each literal block of a document, which has `before` in front."""
    return [[line.strip() for line in block.splitlines()]
            for block in re.findall(rf"{before}((?: {{4}}.*\n)+)", text)]


def first_steps():
    """Returns {part: commands}."""
    return dict(zip(PARTS, blocks(DOCUMENT.read_text(), "::\n\n")))


def copy_debs(directory, machine):
    """Copies the packages of a directory to /root of a machine."""
    for path in [*directory.glob("*.deb"), directory / "SHA256SUMS"]:
        if "dbgsym" not in path.name:
            (machine.root / "root" / path.name).write_bytes(path.read_bytes())
