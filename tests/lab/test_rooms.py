# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/rooms, which checks what the files of the software card use."""

import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture
def card(tmp_path):
    """A copy of the card's sources."""
    shutil.copytree(TOP / "tests/device", tmp_path / "device")
    return tmp_path / "device"


def check(card, objects):
    """Returns the exit status and the output of the check."""
    run = subprocess.run([TOP / "scripts/rooms", "check", "--source", card, "--objects", objects],
                         capture_output=True, text=True)
    return run.returncode, run.stdout


def include(path, header):
    """Adds an include to a file of the card."""
    text = path.read_text()
    at = text.index("#include ")
    path.write_text(f'{text[:at]}#include "{header}"\n{text[at:]}')


def test_as_it_is(card, tmp_path):
    """The card's own includes are permitted."""
    status, text = check(card, tmp_path)
    assert status == 0 and text.endswith("rooms: ok\n")


@pytest.mark.parametrize("name, header, message", [
    ("base/obj.c", "eth/eth.h", "base/obj uses eth/eth: room base may not use room eth"),
    ("roce/ud.h", "card/card.h", "roce/ud uses card/card: room roce may not use room card"),
    ("process/slot.c", "card/rx.h", "process/slot uses card/rx, which is not for room process"),
    ("base/buf.h", "base/state.h", "circle of headers: base/buf base/state"),
])
def test_forbidden(card, tmp_path, name, header, message):
    """An include that the map forbids, or that closes a circle of headers, fails the check."""
    include(card / name, header)
    status, text = check(card, tmp_path)
    assert status == 1 and message in text


def test_circle(card, tmp_path):
    """A circle of more than three files inside a room fails the check; one of three does not."""
    ring = ["mw", "counters", "uctx", "xrcd"]
    for count, expected in (3, 0), (4, 1):
        for i in range(count):
            include(card / f"objects/{ring[i]}.c", f"objects/{ring[(i + 1) % count]}.h")
        status, text = check(card, tmp_path)
        assert status == expected, text
    assert "circle of files: objects/counters objects/" in text


def test_symbol(card, tmp_path):
    """A symbol of another room counts, too, although no header of that room is included."""
    objects = tmp_path / "objects"
    for name, text in (("env/rng", "int card_run(void); int f(void) { return card_run(); }"),
                       ("card/card", "int card_run(void) { return 0; }")):
        path = objects / f"{name}.o"
        path.parent.mkdir(parents=True)
        subprocess.run(["cc", "-xc", "-c", "-o", path, "-"], input=text, text=True, check=True)
    status, text = check(card, objects)
    assert status == 1 and "env/rng uses card/card: room env may not use room card" in text


def test_new_room(card, tmp_path):
    """A folder that the map does not have fails the check."""
    (card / "attic").mkdir()
    (card / "attic/old.c").write_text("")
    status, text = check(card, tmp_path)
    assert status == 1 and "attic/old: attic is not a room" in text
