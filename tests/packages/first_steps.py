# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The first steps of README.md as commands, word for word, and the packages that they install."""

import re

from lab import paths

README = paths.TOP / "README.md"
INSTALL = paths.TOP / "Documentation/install.rst"
# Parts of the steps, in the order of their literal blocks
PARTS = ("host", "qemu", "guests", "guest0", "guest1")


def blocks(text, before):
    """Returns the commands of each literal block of a document, which has `before` in front."""
    return [[line.strip() for line in block.splitlines()]
            for block in re.findall(rf"{before}((?: {{4}}.*\n)+)", text)]


def section():
    """Returns the part of README.md with the first steps."""
    text = README.read_text().partition("## On your own machines\n")[2]
    return text.partition("Without packages, ")[0]


def first_steps():
    """Returns {part: commands}."""
    found = blocks(section(), "\n\n")
    assert len(found) == len(PARTS)
    return dict(zip(PARTS, found))


def copy_debs(directory, machine):
    """Copies the packages of a directory to /root of a machine."""
    for path in [*directory.glob("*.deb"), directory / "SHA256SUMS"]:
        if "dbgsym" not in path.name:
            (machine.root / "root" / path.name).write_bytes(path.read_bytes())
