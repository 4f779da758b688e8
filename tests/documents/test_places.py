# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Files, functions and locks that the documents for developers name exist where they say."""

import re

import pytest
from lab.walks import ARCHITECTURE, CARD, TOP, extent, find, named, places

DOCUMENTS = [ARCHITECTURE, TOP / "CONTRIBUTING.rst"]
# Made by a build, so not in the tree
BUILT = ("build/",)
LITERAL = re.compile(r"``([^`\n]+)``")

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
        assert extent(find(name), function), f"{function}: not in {name}"

def test_files_of_the_card():
    """The list of the card's files is complete."""
    text = ARCHITECTURE.read_text()
    block = re.search(r"^    env .*?\n\n", text, re.M | re.S)[0]
    rooms, room = {}, None
    for line in block.splitlines():
        if not line.strip():
            break
        if line[4] != " ":
            room, line = line.split(maxsplit=1)
        rooms.setdefault(room, []).extend(line.split())
    assert rooms == {path.name: sorted(file.stem for file in path.glob("*.c"))
                     for path in CARD.iterdir() if path.is_dir()}

@pytest.mark.parametrize("folder", ["kernel/net", "kernel/rdma"])
def test_files_of_the_driver(folder):
    """The list of the driver's files is complete, and each file calls only files before it."""
    text = ARCHITECTURE.read_text()
    block = re.search(rf"^Files of ``{folder}/``::\n\n((?: {{4}}.*\n)+)", text, re.M)[1]
    names = " ".join(line[15:] for line in block.splitlines()).split()
    sources = {path.stem: re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
               for path in (TOP / folder).glob("*.c")}
    assert sorted(names) == sorted(sources)
    owner = {}
    for name, code in sources.items():
        found = re.findall(r"^(?!static)[a-z][^;{}()=\n]*?\b(ornic_\w+)(?:\([^;{]*\)\n{|.* = {$)",
                           code, re.M)
        owner.update(dict.fromkeys(found, name))
    assert len(owner) > 80
    for name, code in sources.items():
        for word in set(re.findall(r"\bornic_\w+", code)) & set(owner):
            assert names.index(owner[word]) <= names.index(name), f"{name}.c uses {word}"

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
