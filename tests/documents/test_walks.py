# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The walks of architecture.rst hold: one SEND, one frame and one CREATE_QP through the card with a
client, and through the provider over its fake kernel, enter the files and functions that the text
names. gcov counts them. tests/e2e/test_driver_walks.py does the same for the drivers."""

import os
import subprocess

import pytest
from lab import walks
from lab.walks import CARD, TOP

pytestmark = pytest.mark.xdist_group("walks")
BUILD = TOP / "build/walk"
PROVIDER = TOP / "user-provider"
# {walk: parts that have a program for it}
PARTS = {
    "send": ("unit", "provider"),
    "frame": ("unit",),
    "create_qp": ("unit", "provider"),
}
PROGRAMS = {"unit": "unit/walk", "provider": "plain/walk"}


@pytest.fixture(scope="module")
def programs():
    """Builds the programs, with counters. The compiler cache would have those of other places."""
    for part in PROGRAMS:
        subprocess.run(["make", "-C", f"tests/{part}", f"-j{os.cpu_count()}", f"O={BUILD}/{part}",
                        "SAN=0", "CC=gcc", "CFLAGS=-O0 -g --coverage", "walk"], cwd=TOP, check=True)


@pytest.fixture(scope="module", params=PARTS)
def walk(request, programs):
    """The name of a walk, and the lines that it executes."""
    lines = {}
    for part in PARTS[request.param]:
        build = BUILD / part
        for old in build.rglob("*.gcda"):
            old.unlink()
        subprocess.run([build / PROGRAMS[part], request.param], check=True, timeout=300)
        lines.update(walks.entered(build))
    return request.param, lines


def test_files(walk):
    """The files of the card and the provider that a walk enters are those of its list."""
    name, lines = walk
    found = {}
    for path in lines:
        if path.suffix == ".c" and path.is_relative_to(CARD):
            found.setdefault(path.parent.name, set()).add(path.stem)
        elif path.suffix == ".c" and path.parent == PROVIDER:
            found.setdefault("provider", set()).add(path.stem)
    assert found == walks.listed(name)


def test_functions(walk):
    """A walk enters each function of the card and the provider that its text names."""
    name, lines = walk
    groups = walks.steps(name, "tests/device")
    if "provider" in PARTS[name]:
        groups += walks.steps(name, "user-provider")
    assert len(groups) > 15
    for group in groups:
        assert any(lines.get(path, set()) & set(walks.extent(path, function))
                   for path, function in group), group
