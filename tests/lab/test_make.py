# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of the Makefile: `make demo` uses the smallest root tree, `make check` and the like use the
one that has the packages of scripts/tree/packages.list, too, and a step of `make check-long` builds
what it needs."""

import os
import re
import subprocess

import pytest
from lab import paths

# Targets that need the packages of scripts/tree/packages-demo.list only
SHORTEST = ("modules", "provider", "device", "demo", "install")
SHORT = ("lab", "modules", "provider", "device", "demo", "shell", "check", "check-quick", "vectors",
         "style", "bundle", "install")
# Targets that need other packages, and a command by which each does
MORE = {"check-debug": "inroot -f", "check-full": "static prepare", "bench": "inroot -f",
        "soak": "inroot -f", "static": "static prepare", "series": "static prepare",
        "check-long": "inroot -l", "fuzz": "inroot -l", "upstream-check": "inroot -l",
        "deb": "build deb", "rpm": "build rpm"}
COMMAND = re.compile(r"\binroot -[fl]|\broot-tree [a-z]|\bcross\b|\bstatic prepare|"
                     r"\bbuild (?:deb|rpm|installed|modules (?:debug|kcsan)|provider 65\.0)")


def commands(*words):
    """Returns what make would run."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", "-n", "-C", paths.TOP, *words], env=environment, text=True,
                          capture_output=True, check=True).stdout


@pytest.mark.parametrize("target", SHORT)
def test_short(target):
    """No command of the target needs other packages."""
    text = commands(target)
    assert text and not COMMAND.findall(text)


@pytest.mark.parametrize("target", MORE)
def test_more(target):
    """The same check finds what the other targets need."""
    assert MORE[target] in COMMAND.findall(commands(target))


@pytest.mark.parametrize("target", SHORTEST)
def test_shortest(target):
    """No command of the target runs in a larger tree."""
    text = commands(target)
    assert text and not re.search(r"\binroot (?!-d )|\broot-tree\b", text)


def test_all_targets():
    """Each target is in one of the two lists, or only removes files."""
    text = (paths.TOP / "Makefile").read_text().replace("\\\n", "")
    targets = re.search(r"^\.PHONY: (.*)", text, re.M)[1].split()
    assert set(targets) == {*SHORT, *MORE, "help", "clean", "distclean"}


@pytest.mark.parametrize("step, part", [
    ("kernels-6.12", "build installed 6.12"), ("kernels-7.3", "build installed stock"),
    ("processors-s390x", "cross s390x"), ("packages", "root-tree user"),
    ("upstream", "static prepare"),
])
def test_step(step, part):
    """A step has the builds that it needs, and not those of the others."""
    assert part in commands("check-long", f"STEP={step}")
    assert part not in commands("check-long", "STEP=rest")
