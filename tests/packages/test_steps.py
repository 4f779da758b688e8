# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The first steps of a user are the same in README.md and in Documentation/install.rst."""

from first_steps import blocks, first_steps
from lab.paths import TOP


def test_readme_has_the_same_steps():
    readme = (TOP / "README.md").read_text().partition("## On your own machines\n")[2]
    section = readme.partition("`ornicctl check`")[0]
    assert blocks(section, "\n\n") == list(first_steps().values())


def test_one_screen():
    assert sum(map(len, first_steps().values())) <= 24
