# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The first five minutes of install.rst as commands, word for word, and the packages that they
install."""

from lab import pages, paths

INSTALL = paths.TOP / "Documentation/install.rst"
# Parts of the steps, in the order of their literal blocks
PARTS = ("host", "qemu", "guests", "guest0", "guest1")


def section():
    """Returns the part of install.rst with the first steps."""
    text = INSTALL.read_text().partition("The first five minutes\n====")[2]
    return text.partition("Tested versions\n====")[0]


def first_steps():
    """Returns {part: commands}."""
    found = [lines for _, _, lines in pages.blocks(section())]
    assert len(found) == len(PARTS)
    return dict(zip(PARTS, found))


def copy_debs(directory, machine):
    """Copies the packages of a directory to /root of a machine."""
    for path in [*directory.glob("*.deb"), directory / "SHA256SUMS"]:
        if "dbgsym" not in path.name:
            (machine.root / "root" / path.name).write_bytes(path.read_bytes())
