# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Files and functions that the documents for developers name, the walks of architecture.rst, and
what a program entered."""

import json
import re
import subprocess
from pathlib import Path

from .paths import TOP

CARD = TOP / "tests/device"
HARDWARE = TOP / "kernel/include"
ARCHITECTURE = TOP / "Documentation/architecture.rst"
# "CALL in FILE", and "CALL and CALL in FILE"
CALL_IN_FILE = re.compile(
    r"``(\w+)\(\)``(?:,?\s+(?:and|or)\s+``\w+\(\)``)*\s+in\s+``([\w/.-]+\.[ch])``")
PLACE = re.compile(r"``(?:(?P<call>\w+)\(\)|(?P<file>[\w/.-]+\.[ch]))``")
# {name: heading in architecture.rst}
WALKS = {
    "send": "A SEND from ibv_post_send() to ibv_poll_cq()",
    "frame": "A frame from the wire to a socket",
    "create_qp": "CREATE_QP from the verb to the card",
}
EITHER = re.compile(r"``(\w+)\(\)`` or ``(\w+)\(\)``")
LIST = re.compile(r"^Files of this walk::\n\n((?: {4}.*\n)+)", re.M)


def named(name):
    """Returns the files of this name. Without a folder it is a file of the card, in any folder, or
    a header of the hardware interface."""
    if "/" in name:
        return list(TOP.glob(name.rstrip("/")))
    return [*CARD.rglob(name), *HARDWARE.glob(name)]


def find(name):
    """Returns the one file of this name."""
    found = named(name)
    assert len(found) == 1 and found[0].is_file(), name
    return found[0]


def places(text):
    """Yields (file, function) for each call in a paragraph. A call without "in FILE" is of the file
    that was named last."""
    for block in re.split(r"\n\s*\n", text):
        last = None
        for match in PLACE.finditer(block):
            if match["file"]:
                last = match["file"]
                continue
            here = CALL_IN_FILE.match(block, match.start())
            yield (here[2] if here else last), match["call"]


def text_of(walk):
    """The text of a walk, to the next heading."""
    rest = ARCHITECTURE.read_text().split(f"\n{WALKS[walk]}\n", 1)[1].split("\n", 1)[1]
    return re.split(r"\n[^\n]+\n(?:-{4,}|={4,})\n", rest, maxsplit=1)[0]


def listed(walk):
    """{part: C files} as the list at the end of the walk has them. Parts are folders."""
    lines = LIST.search(text_of(walk))[1].splitlines()
    found, part = {}, None
    for line in lines:
        words = line.split()
        if line[4] != " ":
            part = words.pop(0)
        found.setdefault(part, set()).update(words)
    return found


def steps(walk, folder):
    """The functions of a folder that the walk names, as sets of (path, function) of which one must
    be entered."""
    text = LIST.sub("", text_of(walk))
    either = [set(pair) for pair in EITHER.findall(text)]
    found = {}
    for name, function in places(text):
        path = find(name)
        if path.is_relative_to(TOP / folder):
            group = next((frozenset(pair) for pair in either if function in pair),
                         frozenset({function}))
            found.setdefault(group, set()).add((path, function))
    return list(found.values())


def extent(path, function):
    """The lines of a function's body, or None without its definition, which begins at a margin."""
    text = path.read_text()
    start = re.search(rf"^(?:[a-z][^;{{}}()\n]*\b)?{function}\([^;{{}}]*{{", text, re.M)
    if not start:
        return None
    end = text.index("\n}", start.end())
    return range(text.count("\n", 0, start.end()) + 1, text.count("\n", 0, end) + 2)


def entered(build):
    """{path: lines with code that was executed} according to the counts below a folder."""
    counts = sorted(build.rglob("*.gcda"))
    assert counts, build
    output = subprocess.run(["gcov", "--json-format", "--stdout", *counts], cwd=build, check=True,
                            capture_output=True, text=True).stdout
    found = {}
    for line in filter(None, output.splitlines()):
        unit = json.loads(line)
        for file in unit["files"]:
            path = (Path(unit["current_working_directory"]) / file["file"]).resolve()
            found.setdefault(path, set()).update(
                line["line_number"] for line in file["lines"] if line["count"])
    return {path: lines for path, lines in found.items() if lines}
