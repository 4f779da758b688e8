# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The pages for users are short, listed, and have commands that the programs know. test_pages.py of
tests/e2e runs the commands."""

import importlib.machinery
import importlib.util
import re
import shlex
import sys

import pytest
from lab import pages
from lab.paths import TOP
from ornicrun import __main__ as ornic_run

README = TOP / "README.md"
README_LINES = 100
TASKS = ("first-steps", "ci", "faults", "traces", "two-hosts")
PARTS = ("What it needs", "Commands", "What may go wrong")
# Figures of measurements, which are in bench.rst only
FIGURES = re.compile(r"\b\d[\d.]* ?(?:[KMG]i?B/s|microseconds|us\b)|thousand messages")


def parse_ornicctl():
    user = TOP / "scripts/user"
    sys.path.append(str(user))
    loader = importlib.machinery.SourceFileLoader("ornicctl", str(user / "ornicctl"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("ornicctl", loader))
    loader.exec_module(module)
    return module.parse


PARSERS = {"ornic-run": ornic_run.parse, "ornicctl": parse_ornicctl()}


def calls(command):
    """Yields (program, arguments) of the programs of PARSERS in a command line, without
    redirections."""
    words = shlex.shlex(command.replace("\\\n", ""), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    words.commenters = ""
    call = None
    for word in [*words, ";"]:
        name = word.rpartition("/")[2]
        if call is None and name in PARSERS:
            call = name, []
        elif call and re.fullmatch("[;|&<>]+", word):
            yield call[0], call[1][:-1] if word.startswith(">") and call[1][-1:] == ["2"] else call[1]
            call = None
        elif call:
            call[1].append(word)


@pytest.mark.parametrize("document", pages.documents(), ids=lambda path: path.stem)
def test_options(document):
    """The programs accept their arguments."""
    found = [call for step in pages.sessions(document.read_text()) for call in calls(step.command)]
    assert found
    for name, words in found:
        PARSERS[name](words)


def test_calls():
    command = "until ornicctl -s card top -n 1 2>/dev/null | grep ' RC '; do build/ornic-run \\\n" \
        "--server 'a; b' -- c >log 2>&1 & done"
    assert list(calls(command)) == [("ornicctl", ["-s", "card", "top", "-n", "1"]),
                                    ("ornic-run", ["--server", "a; b", "--", "c"])]


@pytest.mark.parametrize("name", TASKS)
def test_task(name):
    """A page says what it needs, what is run, and what may go wrong, in this order."""
    titles = re.findall(r"^(.*)\n=+$", (TOP / f"Documentation/{name}.rst").read_text(), re.M)
    assert [title for title in titles if title in PARTS] == list(PARTS)


def test_lists():
    """README.md leads to each task; the index has each document."""
    readme, index = README.read_text(), (TOP / "Documentation/index.rst").read_text()
    assert len(readme.splitlines()) <= README_LINES
    for name in TASKS:
        assert f"(Documentation/{name}.rst)" in readme
    for path in (TOP / "Documentation").glob("*.*"):
        if path.suffix != ".svg" and path.name != "index.rst":
            assert f"<{path.name}>`_" in index, path.name


def test_workflow():
    """The steps of the example for GitHub are those of the page's terminal."""
    text = (TOP / "Documentation/ci.rst").read_text()
    workflow = pages.files(text)["rdma.yml"]
    commands = {step.command for step in pages.sessions(text)}
    found = re.findall(r"^(?:\s*run: |\s+)((?:ornic-run|mpicc) .*)$", workflow, re.M)
    assert len(found) == 5 and set(found) <= commands


@pytest.mark.parametrize("path", [
    README, TOP / "SECURITY.rst", TOP / "CONTRIBUTING.rst", TOP / "Documentation/install.rst",
    *(TOP / f"Documentation/{name}.rst" for name in TASKS)], ids=lambda path: path.name)
def test_figures(path):
    assert not FIGURES.findall("\n".join(
        line for line in path.read_text().split("\n") if not line.startswith(pages.INDENT)))
