# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Terminal sessions in the documents for users. A literal block whose first line begins with a
prompt ("$ ", or "NAME# " for root of a host) has commands, each with its output below. A block
after a paragraph that ends with a file's name is that file. In an output, numbers stand for any
numbers, "..." for any words, and a line "..." for any lines."""

import re
from dataclasses import dataclass, field

from . import paths

PROMPT = re.compile(r"(\w*[$#]) (.*)")
INDENT = "    "
FILE = re.compile(r"``([\w.-]+)``::$")
# Output of a node other than the first has its name in front, and comes at any time between others
NODE = re.compile(r"(node\d: ?)?(.*)")
TOKEN = re.compile(r"(\.\.\.)|(0x[0-9a-f]+)|(\d+(?:\.\d+)?)|(\s+)|([^\s\d.]+|\.)")
PATTERNS = (".*", "0x[0-9a-f]+", r"\d+(?:\.\d+)?", r"\s+")
MARK = "\x1e"


@dataclass
class Step:
    """A command with its output. `line` is the number of the line of the command in the document,
    from 0, and `where` the prompt without what is the same for all."""

    line: int
    where: str
    command: str
    output: list = field(default_factory=list)


def documents():
    """Returns the documents that have sessions."""
    found = [paths.TOP / "README.md", *sorted((paths.TOP / "Documentation").glob("*.rst"))]
    return [path for path in found if sessions(path.read_text())]


def blocks(text):
    """Yields (number of the first line, line before the block, lines) of each literal block. Empty
    lines inside a block are part of it."""
    lines, number = text.split("\n"), 0
    markdown = text.startswith("<!--")
    while number < len(lines):
        line = lines[number]
        number += 1
        if not line.startswith(INDENT) or lines[number - 2]:
            continue
        begin = number - 1
        before = lines[begin - 2]
        while number < len(lines) and (lines[number].startswith(INDENT) or not lines[number]):
            number += 1
        if markdown or before.endswith("::"):
            found = [one[len(INDENT):] for one in lines[begin:number]]
            while not found[-1]:
                found.pop()
            yield begin, before, found


def sessions(text):
    """Returns the steps of all blocks with a prompt."""
    steps = []
    for begin, _, lines in blocks(text):
        if not PROMPT.match(lines[0]):
            continue
        for number, line in enumerate(lines, begin):
            if steps and steps[-1].command.endswith("\\"):
                steps[-1].command += f"\n{line}"
            elif found := PROMPT.match(line):
                steps.append(Step(number, found[1], found[2]))
            else:
                steps[-1].output.append(line)
    return steps


def files(text):
    """Returns {name: contents} of the blocks that are files."""
    found = {}
    for _, before, lines in blocks(text):
        if name := FILE.search(before):
            found[name[1]] = "\n".join(lines) + "\n"
    return found


def script(steps):
    """Returns a script of bash with the commands, which writes MARK before each, and MARK and its
    exit status after it. A command may ask for the status of the one before."""
    return "".join(f"printf '\\036'\n(exit ${{status:-0}})\n{step.command}\nstatus=$?\n"
                   f"printf '\\036%s' $status\n" for step in steps)


def results(output):
    """Returns (exit status, lines) of each command of a script that has come to its end."""
    parts = output.split(MARK)[1:]
    found = []
    for text, code in zip(parts[::2], parts[1::2]):
        lines = [line.rstrip().expandtabs() for line in text.split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        found.append((int(code), lines))
    return found


def pattern(line):
    """Returns a regular expression for a line of an output, with a group for each part that a run
    fills."""
    if line.strip() == "...":
        return r"(?:.*\n)*?"
    parts = [r"(\s*)"]
    for token in TOKEN.findall(line.strip()):
        kind = next(number for number, text in enumerate(token) if text)
        parts.append(re.escape(token[kind]) if kind == len(PATTERNS) else
                     PATTERNS[kind] if not kind else f"({PATTERNS[kind]})")
    return "".join(parts) + r"\n"


def streams(lines):
    """Returns {prefix: [(number, rest of the line)]}."""
    found = {}
    for number, line in enumerate(lines):
        prefix, rest = NODE.fullmatch(line).groups()
        found.setdefault((prefix or "").strip(), []).append((number, rest))
    return found


def fill(line, values):
    """Returns a line of a document with the next values of a run; "..." stays."""
    if line.strip() == "...":
        return line
    return next(values) + "".join("".join(token) if token[0] or token[-1] else next(values)
                                  for token in TOKEN.findall(line.strip()))


def match(wanted, lines):
    """Returns the lines of a document with the numbers of a run, or None if its output is another
    one."""
    result, expected, actual = list(wanted), streams(wanted), streams(lines)
    if not actual.keys() <= expected.keys():
        return None
    for prefix, rows in expected.items():
        found = re.fullmatch("".join(pattern(rest) for _, rest in rows),
                             "".join(f"{rest}\n" for _, rest in actual.get(prefix, [])))
        if not found:
            return None
        values = iter(found.groups())
        for number, rest in rows:
            result[number] = f"{prefix} {fill(rest, values)}".strip() if prefix else \
                fill(rest, values)
    return result


def differences(steps, found):
    """Yields what is wrong with each command: its status, or its output."""
    for number, step in enumerate(steps):
        if number >= len(found):
            yield f"$ {step.command}\ndid not end"
            return
        code, lines = found[number]
        asked = number + 1 < len(steps) and steps[number + 1].command == "echo $?"
        if code and not asked or match(step.output, lines) is None:
            yield "\n".join([f"$ {step.command}", *lines, f"exit status {code}; the document has:",
                             *step.output])


def filled(text, steps, found):
    """Returns a document with the numbers of a run. An output that does not fit stays."""
    lines = text.split("\n")
    for step, (_, output) in zip(steps, found):
        begin = step.line + 1 + step.command.count("\n")
        for number, line in enumerate(match(step.output, output) or step.output, begin):
            lines[number] = f"{INDENT}{line}".rstrip()
    return "\n".join(lines)
