# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The first steps of a user are the same in README.md and in Documentation/install.rst."""

from first_steps import INSTALL, blocks, first_steps, section

# Lines of a terminal
SCREEN = 50


def test_install_has_the_same_steps():
    text = INSTALL.read_text().partition("Packages\n====")[0]
    assert blocks(text, "::\n\n") == list(first_steps().values())


def test_one_screen():
    """All that a user must read is on one screen."""
    assert len(section().splitlines()) <= SCREEN
