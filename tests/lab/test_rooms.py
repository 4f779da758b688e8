# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/house/rooms, which checks what the files of the software card use."""

import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
ROOMS = TOP / "scripts/house/rooms"
# An include for each file of a circle
CIRCLE = {"objects/mw.c": "objects/counters.h", "objects/counters.c": "objects/uctx.h",
          "objects/uctx.c": "objects/xrcd.h", "objects/xrcd.c": "objects/mw.h"}


@pytest.mark.parametrize("includes, message", [
    ({}, "rooms: ok\n"),
    ({"base/obj.c": "eth/eth.h"}, "base/obj uses eth/eth: room base may not use room eth"),
    ({"process/slot.c": "card/rx.h"}, "process/slot uses card/rx, which is not for room process"),
    ({"base/buf.h": "base/state.h"}, "circle of headers: base/buf base/state"),
    (CIRCLE, "circle of files: objects/counters objects/"),
    ({"attic/old.c": ""}, "attic/old: attic is not a room"),
    ({"env/rng.o": "card_run"}, "env/rng uses card/card: room env may not use room card"),
])
def test_rooms(tmp_path, includes, message):
    """Each of these fails the check: an include or a symbol that the map forbids, a circle, and a
    folder that the map does not have."""
    card = tmp_path / "device"
    shutil.copytree(TOP / "tests/device", card)
    for name, used in includes.items():
        path = card / name
        path.parent.mkdir(exist_ok=True)
        if path.suffix == ".o":
            for made, code in ((path, f"int {used}(void); int f(void) {{ return {used}(); }}"),
                               (card / "card/card.o", f"int {used}(void) {{ return 0; }}")):
                subprocess.run(["cc", "-xc", "-c", "-o", made, "-"], input=code, text=True,
                               check=True)
        else:
            text = path.read_text() if path.exists() else ""
            path.write_text(f'#include "{used}"\n{text}' if used else text)
    run = subprocess.run([ROOMS, "--source", card, "--objects", card],
                         capture_output=True, text=True)
    assert run.returncode == bool(includes) and message in run.stdout


def test_of_this_tree():
    """The check finds the files of the card."""
    assert not subprocess.run([ROOMS], capture_output=True, text=True,
                              check=True).stdout.startswith("0 files")
