# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The sessions of the documents for users, word for word: each command succeeds, and has the output
that the document has. The documents with the numbers of the run are in build/pages/."""

import contextlib
import os
import signal
import subprocess

import pytest
from bundled import AS_USER, USER, Place
from lab import pages, paths

OUTPUT = paths.BUILD / "pages"
HOSTS = ("host1", "host2")
# Seconds for a document, for hangs
LIMIT = 1800
# In place of `make bundle`, which the fixture has done
MAKE = """#!/bin/sh
[ "$*" = bundle ] && mkdir -p build/bundle && ln -s {bundle} build/bundle/ornic-run
"""


class Reader(Place):
    """A user who follows a document."""

    # Some programs do not take a directory with a space in its name
    name = "work"

    def __init__(self, folder, bundle, text):
        super().__init__(folder, bundle)
        for name, contents in {**pages.files(text), "make": MAKE.format(bundle=bundle)}.items():
            path = (folder if name == "make" else self.work) / name
            path.write_text(contents)
            path.chmod(0o755)
            os.chown(path, USER, USER)
        self.path = f"{folder}:{bundle}:{os.environ['PATH']}"

    def start(self, where, steps):
        """Starts the commands of a terminal: those of "hostN#" run as root in a network namespace
        of this name."""
        words = ["ip", "netns", "exec", where[:-1]] if where != "$" else AS_USER
        return subprocess.Popen(
            [*words, "bash", "-c", pages.script(steps)], cwd=self.work, text=True,
            env={"PATH": self.path, "TMPDIR": str(self.temporary), "LANG": "C.UTF-8",
                 "HOME": str(self.work)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)

    def follow(self, steps):
        """Runs all steps, each terminal beside the others; returns their results."""
        terminals = {}
        for step in steps:
            terminals.setdefault(step.where, []).append(step)
        running = {where: self.start(where, part) for where, part in terminals.items()}
        try:
            return [(terminals[where], pages.results(process.communicate(timeout=LIMIT)[0]))
                    for where, process in running.items()]
        finally:
            for process in running.values():
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture
def hosts():
    """Two hosts, each a network namespace, whose eth1 are connected."""
    for name in HOSTS:
        subprocess.run(["ip", "netns", "add", name], check=True)
    subprocess.run(["ip", "link", "add", "eth1", "netns", HOSTS[0], "type", "veth", "peer", "eth1",
                    "netns", HOSTS[1]], check=True)
    yield
    for name in HOSTS:
        subprocess.run(["ip", "netns", "del", name], check=False)


@pytest.mark.full
@pytest.mark.parametrize("document", pages.documents(), ids=lambda path: path.stem)
def test_page(place, hosts, document):
    text = filled = document.read_text()
    reader, wrong = Reader(place.temporary.parent, place.bundle, text), []
    for steps, found in reader.follow(pages.sessions(text)):
        wrong += pages.differences(steps, found)
        filled = pages.filled(filled, steps, found)
    OUTPUT.mkdir(exist_ok=True)
    (OUTPUT / document.name).write_text(filled)
    assert not wrong, "\n\n".join(wrong)
