# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/pages.py, which runs the sessions of documents."""

import subprocess

import pytest
from lab import pages

PAGE = """
Title

Save this as ``one.sh``::

    echo one

    echo two

Run it::

    $ sh one.sh
    one
    ...
    $ echo took 12 us \\
        here
    took 3.5 us here
    $ (exit 3)
    $ echo $?
    3

Not run::

    make all
"""


def run(steps):
    done = subprocess.run(["bash", "-c", pages.script(steps)], capture_output=True, text=True,
                          check=False)
    return pages.results(done.stdout)


def test_page(tmp_path, monkeypatch):
    """Files and commands are found, the outputs fit, and a document is filled with them."""
    monkeypatch.chdir(tmp_path)
    assert pages.files(PAGE) == {"one.sh": "echo one\n\necho two\n"}
    (tmp_path / "one.sh").write_text("echo one; echo two")
    steps = pages.sessions(PAGE)
    assert [step.where for step in steps] == ["$"] * 4
    found = run(steps)
    assert [code for code, _ in found] == [0, 0, 3, 0]
    assert not list(pages.differences(steps, found))
    assert pages.filled(PAGE, steps, found) == PAGE.replace("took 3.5 us here", "took 12 us here")


@pytest.mark.parametrize("old, new", [
    ("    one\n", "    two\n"), ("    ...\n", ""), ("took", "took about"), ("(exit 3)", "exit 3"),
    ("echo $?\n    3", "true"), ("    one\n", "    one\n    node1: one\n"),
])
def test_difference(tmp_path, monkeypatch, old, new):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.sh").write_text("echo one; echo two")
    text = PAGE.replace(old, new) if old != "took" else PAGE.replace("    took", f"    {new}")
    steps = pages.sessions(text)
    assert list(pages.differences(steps, run(steps)))


@pytest.mark.parametrize("wanted, lines", [
    (["a 1 b"], ["a 22.5   b"]),
    (["at 0x00"], ["at 0xfe09"]),
    (["...", "end"], ["end"]),
    (["10.10.0.1 -> ..."], ["10.10.0.2 -> 7 bytes"]),
    # Output of another node comes at any time
    (["one", "two", "node1: ready", "node1: ..."], ["node1: ready", "one", "node1: done", "two"]),
])
def test_match(wanted, lines):
    assert pages.match(wanted, lines) is not None


@pytest.mark.parametrize("wanted, lines", [
    (["a"], []), ([], ["a"]), (["a 1"], ["a b"]), (["one", "two"], ["two", "one"]),
    (["a.b"], ["acb"]), (["one"], ["one", "node1: one"]),
])
def test_no_match(wanted, lines):
    assert pages.match(wanted, lines) is None


def test_match_keeps_what_varies():
    assert pages.match(["took 1 us", "...", "node1: 3 of ..."],
                       ["node1: 4 of five", "  took  7.5 us", "x"]) == \
        ["  took  7.5 us", "...", "node1: 4 of ..."]
