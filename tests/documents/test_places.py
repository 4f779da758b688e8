# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Files, functions and locks that the documents for developers name exist where they say."""

import re

import pytest
from lab.paths import TOP

ARCHITECTURE = TOP / "Documentation/architecture.rst"
DOCUMENTS = [ARCHITECTURE, TOP / "CONTRIBUTING.rst"]
# Made by a build, so not in the tree
BUILT = ("build/",)
LITERAL = re.compile(r"``([^`\n]+)``")
PLACE = re.compile(r"``(?:(?P<call>\w+)\(\)|(?P<file>[\w/.-]+\.[ch]))``")
# "CALL in FILE", and "CALL and CALL in FILE"
CALL_IN_FILE = re.compile(
    r"``(\w+)\(\)``(?:,?\s+(?:and|or)\s+``\w+\(\)``)*\s+in\s+``([\w/.-]+\.[ch])``")


def named(name):
    """Returns the files of this name. Without a folder it is a file of the card, in any folder, or
    a header of the hardware interface."""
    if "/" in name:
        return list(TOP.glob(name.rstrip("/")))
    return [*(TOP / "tests/device").rglob(name), *(TOP / "kernel/include").glob(name)]


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


def is_defined(path, function):
    """Tells whether a file defines a function; the definition begins at a margin."""
    return re.search(rf"^(?:[a-z][^;{{}}()\n]*\b)?{function}\([^;{{}}]*{{", path.read_text(), re.M)


def paths(text):
    """Literals that are paths below the top: they have a slash, and no spaces."""
    for word in LITERAL.findall(text):
        if re.fullmatch(r"[\w.*-]+(/[\w.*-]+)*/?", word) and "/" in word \
                and not word.startswith(BUILT):
            yield word


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_paths(document):
    """Each path exists; one with a star matches something. Each file name without a folder is that
    of one file."""
    text = document.read_text()
    found = list(paths(text))
    assert len(found) > 20
    assert not [name for name in found if not named(name)]
    for name in re.findall(r"``(\w+\.[ch])``", text):
        find(name)


@pytest.mark.parametrize("document, least", zip(DOCUMENTS, (150, 3)),
                         ids=[path.name for path in DOCUMENTS])
def test_functions(document, least):
    """Each function is defined in the file that the text says."""
    found = list(places(document.read_text()))
    assert len(found) >= least
    for name, function in found:
        assert name, f"{function}: no file is named before"
        assert is_defined(find(name), function), f"{function}: not in {name}"


@pytest.mark.parametrize("folder", ["kernel/net", "kernel/rdma"])
def test_files_of_driver(folder):
    """Each file of the list exists."""
    block = re.search(rf"^Files of ``{folder}/``::\n\n((?: {{4}}.*\n)+)", ARCHITECTURE.read_text(),
                      re.M)[1]
    names = " ".join(line[15:] for line in block.splitlines()).split()
    assert len(names) > 20
    assert not [name for name in names if not (TOP / folder / f"{name}.c").exists()]


def test_locks():
    """Each lock is a member of the structure in one of the headers that the section names."""
    text = ARCHITECTURE.read_text()
    chapter = re.search(r"^Locks\n=+\n(.*?)\nLifetimes\n=", text, re.M | re.S)[1]
    found = 0
    for section in re.split(r"\n``[\w.]+``\n-+\n", chapter)[1:]:
        folder = re.search(r"``([\w/-]+/\*\.h)``", section)[1]
        headers = "".join(path.read_text() for path in sorted(TOP.glob(folder)))
        for name, member in re.findall(r"^``(\w+)\.(\w+)``", section, re.M):
            body = re.search(rf"^struct {name} {{\n(.*?)^}}", headers, re.M | re.S)
            assert body and re.search(rf"\b{member}[;\[]", body[1]), f"{name}.{member}"
            found += 1
    assert found > 15


def test_maintainers():
    """Each pattern of MAINTAINERS matches something."""
    patterns = re.findall(r"^F:\t(\S+)$", (TOP / "MAINTAINERS").read_text(), re.M)
    assert len(patterns) > 10
    assert not [pattern for pattern in patterns if not list(TOP.glob(pattern.rstrip("/")))]


def test_checks_of_the_threat_model():
    """The functions that the threat model names are the drivers'."""
    named_there = re.findall(r"``(\w+)\(\)``", (TOP / "Documentation/threat-model.rst").read_text())
    files = [path for path in (TOP / "kernel").rglob("*.[ch]")]
    assert len(named_there) > 10
    assert [name for name in named_there
            if not any(is_defined(path, name) for path in files)] == []
