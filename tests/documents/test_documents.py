# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The documents are well-formed, and the hardware specification agrees with the headers."""

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
DOCUMENTS = [*sorted((TOP / "Documentation").glob("*.rst")), TOP / "CONTRIBUTING.rst",
             TOP / "SECURITY.rst"]
NUMBER = r"(?:\d+|A)(?:\.\d+)?"
# Between words there may be a line break, with the margin of a comment
GAP = r"[\s*#]+"
SECTIONS = re.compile(rf"hardware(?:\.rst| interface),{GAP}sections?{GAP}"
                      rf"({NUMBER}(?:(?:,| and){GAP}{NUMBER})*)")


@pytest.fixture(scope="module")
def words():
    return (TOP / "Documentation/hardware.rst").read_text()


@pytest.fixture(scope="module")
def header():
    parts = ("ornic_hw.h", "ornic_hw_cmd.h", "ornic_hw_profile.h")
    return "".join((TOP / "kernel/include" / part).read_text() for part in parts)


def enum(header, name):
    """Returns {enumerator: value} of an enum whose values are all explicit."""
    body = re.search(rf"enum {name} {{(.*?)}};", header, re.S)[1]
    return {key: int(value, 0) for key, value in re.findall(r"(\w+)\s*=\s*(\w+)", body)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_restructured_text(document):
    """docutils reports no warnings and no errors."""
    subprocess.run(["rst2html", "--halt=2", document, "/dev/null"], check=True)


def test_labels(words):
    """Labels are unique and numbered without a gap within their tag."""
    numbers = defaultdict(list)
    for tag, number in re.findall(r"\*\*\[ORNIC-([A-Z]+)-(\d+)\]\*\*", words):
        numbers[tag].append(int(number))
    for tag, found in numbers.items():
        assert sorted(found) == list(range(1, len(found) + 1)), tag


def sections(words):
    """Numbers of the headings, in order: "11", "11.1"; of the annex "A", "A.1"."""
    return re.findall(rf"^(?:Annex )?({NUMBER})\.? .*\n(?:-+|=+|\*+)$", words, re.M)


def test_sections(words):
    """Sections are numbered without a gap through all parts, no number is used twice, and the annex
    comes last."""
    top, sub = -1, 0
    for number in sections(words):
        if "." in number:
            sub += 1
            assert number == f"{top}.{sub}"
        else:
            assert top != "A"
            top, sub = "A" if number == "A" else top + 1, 0
            assert number == f"{top}"
    assert top == "A"


def grid(words, head):
    """Rows of the simple table whose line of heads begins so: a list of cells each. Lines whose
    first cell is empty continue a row."""
    bar, text = re.search(rf"^(=[ =]+)\n{head}.*\n\1\n(.*?)\n\1$", words, re.M | re.S).groups()
    starts = [found.start() for found in re.finditer("=+", bar)]
    rows = []
    for line in text.split("\n"):
        cells = [line[a:b].strip() for a, b in zip(starts, starts[1:] + [None])]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells)]
    return rows


def numbers(cell):
    """Numbers of "1, 3-5"."""
    found = []
    for part in re.findall(r"[\d-]+", cell):
        first, last = (part.split("-") * 2)[:2]
        found += range(int(first), int(last) + 1)
    return found


def test_keepers(words):
    """The table of who keeps which rule has each label once, and no other."""
    listed = []
    for tag, *cells in grid(words, "Tag +Host +Device"):
        listed += [(tag, number) for cell in cells for number in numbers(cell)]
    labels = [(tag, int(number)) for tag, number in
              re.findall(r"\*\*\[ORNIC-([A-Z]+)-(\d+)\]\*\*", words)]
    assert len(labels) > 250
    assert sorted(listed) == sorted(labels)


def mandatory(text, profile, kind):
    """Items of a list of ornic_hw_profile.h: {field: bits or least value}, or {command: None}."""
    body = re.search(rf"#define ORNIC_PROFILE_{profile}_{kind}\(x\)(.*)", text)[1]
    return {name: value for name, value in re.findall(r"x\(([\w\[\]]+)(?:, ([^()]*))?\)", body)}


def test_profiles(words):
    """The table of profiles has what the header has ([ORNIC-PROF-1])."""
    text = (TOP / "kernel/include/ornic_hw_profile.h").read_text().replace("\\\n", " ")
    rows = {name.strip("`"): cells for name, *cells in grid(words, " +RDMA +Ethernet +ULP, .* Full")}
    for column, profile in enumerate(("RDMA", "ETHERNET", "ULP", "FULL")):
        wanted = {}
        for field, bits in mandatory(text, profile, "BITS").items():
            names = re.findall(r"ORNIC_[A-Z]+_(\w+)", bits)
            wanted[field] = ", ".join(names) if names else f"{eval_least(bits)} bytes"
        for field, least in mandatory(text, profile, "LEAST").items():
            wanted[field] = f"{eval_least(least)}"
        wanted["Commands"] = ", ".join(mandatory(text, profile, "COMMANDS"))
        found = {name: cells[column] for name, cells in rows.items() if cells[column]}
        assert found == {name: value for name, value in wanted.items() if value}, profile
        assert len(wanted) > 7


def eval_least(text):
    """Value of a number or of a shift as in C."""
    value, _, shift = re.sub(r"(\d)U?L*\b", r"\1", text, flags=re.I).partition(" << ")
    return int(value) << int(shift or 0)


def sources():
    """Files that may cite the specification."""
    for folder in ("Documentation", "kernel", "user-provider", "tests", "include", "scripts"):
        for path in (TOP / folder).rglob("*"):
            if path.suffix in (".c", ".h", ".py", ".rst", ".txt", ".1", ".7"):
                yield path
    yield TOP / "CONTRIBUTING.rst"


def test_cited_sections(words):
    """A section of the specification that a file cites exists."""
    known = set(sections(words))
    found = {(path, number) for path in sources() for cited in SECTIONS.findall(path.read_text())
             for number in re.findall(NUMBER, cited)}
    assert len(found) > 30
    assert not [(path, number) for path, number in found if number not in known]


def test_citations(words):
    """Every rule that is cited exists in the specification, with brackets or without."""
    known = set(re.findall(r"\*\*\[(ORNIC-[A-Z]+-\d+)\]\*\*", words))
    for path in sources():
        named = set(re.findall(r"\bORNIC-[A-Z]+-\d+\b", path.read_text()))
        assert named <= known, f"{path}: {named - known}"


def test_byte_order(header):
    """[ORNIC-GEN-1] Each member that is longer than a byte says its byte order."""
    members = re.findall(r"^\t+__(\w+) \w+(?:\[.*\])?;", header, re.M)
    assert len(members) > 200
    assert set(members) == {"u8", "le16", "le32", "le64", "be16", "be32"}


@pytest.mark.parametrize("part", ["ornic_hw.h", "ornic_hw_cmd.h"])
def test_padding(part):
    """[ORNIC-GEN-2] No structure has hidden padding."""
    subprocess.run(["cc", "-fsyntax-only", "-Wpadded", "-Werror", "-include",
                    TOP / "kernel/include" / part, "-xc", "/dev/null"], check=True)


def test_entries_are_powers_of_two(header):
    """[ORNIC-BUF-7] Sizes of entries of rings are powers of two, so that none straddles a page."""
    sizes = dict(re.findall(r"ORNIC_ASSERT_SIZE\(struct (\w+), (\d+)\)", header))
    for name in ("ornic_cmd_sqe", "ornic_cmd_cqe", "ornic_cqe", "ornic_cqe_ext", "ornic_eqe"):
        assert bin(int(sizes[name])).count("1") == 1, name
    slot = int(re.search(r"#define ORNIC_SLOT_SIZE\s+(\d+)", header)[1])
    assert slot == 1 << int(re.search(r"#define ORNIC_SLOT_SHIFT\s+(\d+)", header)[1])


RECORDS = "(?:dbr|board)"


def test_records_are_accessed_in_one_piece():
    """[ORNIC-ORD-9] The card reads and writes words of records and boards by guest_*(), which is
    one access each, and never by a plain access or a copy."""
    found = 0
    for path in sorted((TOP / "tests/device").rglob("*.c")):
        text = path.read_text()
        for line in text.splitlines():
            word = re.search(rf"\b{RECORDS}->(sq_pi|rq_pi|sq_ci|rq_ci|sq_watched|ci|arm|awake|"
                             r"summary|bits)\b", line)
            if word:
                found += 1
                assert re.search(rf"&{RECORDS}->{word[1]}", line), f"{path.name}: {line}"
            copied = re.search(rf"\b(memcpy|mem_read|mem_write)\(.*\b{RECORDS}\b", line)
            assert not copied, f"{path.name}: {line}"
    assert found > 10


def test_rules_have_tests(words):
    """A test outside of the card names each rule: a rule without a test is where documents and
    code part."""
    known = set(re.findall(r"\*\*\[(ORNIC-[A-Z]+-\d+)\]\*\*", words))
    named = set()
    for path in (TOP / "tests").rglob("*"):
        if path.suffix in (".c", ".h", ".py") and "device" not in path.parts:
            named |= set(re.findall(r"\bORNIC-[A-Z]+-\d+\b", path.read_text()))
    assert not known - named


def test_registers(words, header):
    """Every register is in the table with its offset."""
    registers = enum(header, "ornic_reg")
    end = registers.pop("ORNIC_REG_END")
    table = dict(re.findall(r"^(0x[0-9a-f]{3})\s+([A-Z_]+) +(?:32|64) ", words, re.M))
    assert table == {f"0x{value:03x}": key.removeprefix("ORNIC_REG_")
                     for key, value in registers.items()}
    assert max(registers.values()) + 8 == end


def test_commands(words, header):
    """Every command of the table has the header's number."""
    numbers = enum(header, "ornic_opcode")
    table = re.findall(r"^([A-Z_]+) +(0x[0-9a-f]{3}) ", words, re.M)
    assert len(table) > 20
    for name, number in table:
        assert numbers[f"ORNIC_CMD_{name}"] == int(number, 16), name


@pytest.mark.parametrize("name, prefix, row", [
    ("ornic_cmd_status", "ORNIC_CMD_", r"^``([A-Z_]+)`` +(\d+) "),
    ("ornic_wc_status", "ORNIC_WC_", r"^([A-Z_]+) +(\d+) "),
    ("ornic_wr_opcode", "ORNIC_WR_", r"^([A-Z_]+) +(\d+) "),
    ("ornic_event", "ORNIC_EVENT_", r"^``([A-Z_]+)`` +(\d+) "),
])
def test_numbers(words, header, name, prefix, row):
    """Rows of tables that name an enumerator have its number, and most enumerators have a row."""
    values = enum(header, name)
    rows = [(word, int(number)) for word, number in re.findall(row, words, re.M)
            if prefix + word in values]
    assert len(rows) >= len(values) * 3 // 4
    wrong = [(word, number) for word, number in rows if values[prefix + word] != number]
    # A name may be in several tables: commands and completions both have an OK
    assert not wrong


def ranges(kind, text):
    """Numbers that a column of the table of section 17.2 lists behind `kind`: "0x018 to 0x01b",
    "0xd1 and 0xf1", "12"."""
    number = r"(?:0x[0-9a-f]+|\d+)"
    pattern = rf"\b{kind}s? ({number})(?:(?: and| to) ({number}))?"
    found = []
    for match in re.finditer(pattern, text):
        first, last = (int(word or match[1], 0) for word in match.groups())
        found += range(first, last + 1) if " to " in match[0] else sorted({first, last})
    return found


def test_reserved_numbers(words, header):
    """The headers take no number that section 17.2 keeps free, and extension_test.c has all of its
    features, commands, packets and registers."""
    table = re.search(r"^17\.2 .*?(?=^\*\*\[ORNIC-ROOM-1\])", words, re.M | re.S)[0]
    table = " ".join(re.findall(r"^.{20}(.*)$", table, re.M))
    table = re.sub(r"\s+", " ", table)
    features, commands = ranges("feature", table), ranges("command", table)
    packets, registers = ranges("packet opcode", table), ranges("register", table)
    events = ranges("event", table)
    assert len(features) == len(set(features)) == 12 and len(commands) > 40 and len(packets) == 3
    assert not set(commands) & set(enum(header, "ornic_opcode").values())
    assert not set(events) & set(enum(header, "ornic_event").values())
    assert not set(registers) & set(enum(header, "ornic_reg").values())
    taken = {int(bit) for bit in re.findall(r"#define ORNIC_FEAT_\w+\s+\(1ULL << (\d+)\)", header)}
    assert len(taken) > 12 and not set(features) & taken
    types = enum(header, "ornic_mr_type").values()
    assert not set(ranges("MR type", table)) & set(types)
    assert not set(ranges("doorbell type", table)) & set(enum(header, "ornic_db_type").values())
    opcodes, statuses = ranges("completion opcode", table), ranges("statuse", table)
    assert len(opcodes) == 5 and not set(opcodes) & set(enum(header, "ornic_wc_opcode").values())
    assert len(statuses) == 2 and not set(statuses) & set(enum(header, "ornic_wc_status").values())
    for kind, prefix in (("access bit", "ACCESS"), ("attribute bit", "QP_ATTR"),
                         ("SRQ flag bit", "SRQ"), ("CQ flag bit", "CQ")):
        line = rf"#define ORNIC_{prefix}_\w+\s+(?:(0x[0-9a-f]+)|\(1u << (\d+)\))"
        taken = {int(mask, 0) if mask else 1 << int(bit) for mask, bit in re.findall(line, header)}
        free = {1 << bit for bit in ranges(kind, table)} - {1 << 25}
        assert free and taken and not free & taken, kind
    test = (TOP / "tests/unit/card/extension_test.c").read_text()
    lists = {name: [int(word, 0) for word in re.findall(r"0x[0-9a-f]+|\d+", body)] for name, body
             in re.findall(r"(\w+)(?:\[\w*\])+ = \{(.*?)\};", test, re.S)}
    assert lists["ext_features"] == sorted(features)
    assert lists["ext_packets"] == packets
    assert lists["ext_registers"] == [min(registers), max(registers)]
    pairs = lists["ext_commands"]
    assert sorted(number for first, last in zip(pairs[::2], pairs[1::2])
                  for number in range(first, last + 1)) == sorted(commands)


def test_makers_numbers(words, header):
    """Neither the headers nor the table of section 17.2 take numbers that are makers' own
    ([ORNIC-ROOM-4], [ORNIC-ROOM-5])."""
    rule = re.search(r"\*\*\[ORNIC-ROOM-4\]\*\*.*?\n\n", words, re.S)[0].replace("\n", " ")
    table = re.search(r"^17\.2 .*?(?=^\*\*\[ORNIC-ROOM-1\])", words, re.M | re.S)[0]
    bits = {int(bit) for bit in re.findall(r"#define ORNIC_FEAT_\w+\s+\(1ULL << (\d+)\)", header)}
    for kind, count, taken in (
            ("feature", 8, bits), ("command", 256, enum(header, "ornic_opcode").values()),
            ("send opcode", 16, enum(header, "ornic_wr_opcode").values()),
            ("event", 16, enum(header, "ornic_event").values()),
            ("register", 0x4000, enum(header, "ornic_reg").values())):
        own = set(ranges(kind, rule))
        assert len(own) == count, kind
        assert not own & (set(taken) | set(ranges(kind, table))), kind


def test_counters(words, header):
    """The specification names every device counter and every RDMA counter of errors."""
    lists = dict(re.findall(r"#define ORNIC_(\w+)_STATS\(x\) \\\n((?:.*\\\n)*.*)", header))
    for name in re.findall(r"x\((\w+)\)", lists["DEVICE"]):
        assert f"``{name}``" in words, name
    errors = r"x\((rx_\w+|rnr_\w+|seq_\w+|remote_\w+|ack_\w+|retr\w+)\)"
    for name in re.findall(errors, lists["RDMA"]):
        if not re.match(r"rx_(packets|bytes|\w+_requests|sends)", name) or "duplicate" in name:
            assert f"``{name}``" in words, name
