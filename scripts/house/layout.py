# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The layout of files: the head, the width of lines, and full stops in comments."""

import re
from itertools import takewhile

from . import source

COLUMNS, COMMENT_COLUMNS = 100, 80
# Comments have 80 columns here
NARROW = ("kernel/", "include/uapi/", "user-provider/")
# Lists of names, which cannot be broken
LISTS = (".list", ".skipped")
# A line with nothing but a message, which users search for and therefore is not broken
MESSAGE = re.compile(r'^\s*(@?echo )?f?"[^"]*"[),;]*$')
SPDX = "SPDX-License-Identifier:"
# Lines of a head that describe nothing
NO_WORDS = re.compile(rf"{SPDX}|shellcheck |^-\*-")
DESCRIPTION_WORDS = 2
# Files with a format of their own, whose entries describe themselves
SELF_DESCRIBED = re.compile(r"(^|/)(Kconfig|MAINTAINERS)$")
RULE = re.compile(r"^-{3,}")
# Three dots and abbreviations are no full stop
STOP, END = re.compile(r"(?<!\.)(?<!\be\.g)(?<!\betc)\.$"), re.compile(r"[.:?!][)\"'`]*$")


def head_comments(text, comments):
    """Returns the comments before the first line of code."""
    lines = text.split("\n")
    covered = set()
    for comment in comments:
        covered.update(range(comment.line, comment.line + len(comment.lines)))
    blank = takewhile(lambda pair: pair[0] in covered or not pair[1].strip()
                      or pair[1].startswith("#!"), enumerate(lines, 1))
    end = max((number for number, _ in blank), default=0)
    return [comment for comment in comments if comment.line <= end]


def heads(files):
    """A file begins with its SPDX line. A source file has a description behind it."""
    for name, text in files:
        if SPDX not in "\n".join(text.split("\n")[:5]):
            yield f"{name}:1: no SPDX line in the first 5 lines"
        if source.language(name, text) not in ("c", "python", "hash") or \
                SELF_DESCRIBED.search(name):
            continue
        words = []
        for comment in head_comments(text, source.comments(name, text)):
            for line in comment.lines:
                if not NO_WORDS.search(line):
                    words += re.findall(r"\w+", line)
        if len(words) < DESCRIPTION_WORDS:
            yield f"{name}:1: no description of the file behind the SPDX line"


def line_widths(files):
    """Code has 100 columns at most, and comments of drivers and provider 80."""
    for name, text in files:
        if name.endswith(LISTS) or source.language(name, text) not in ("c", "python", "hash"):
            continue
        lines = text.split("\n")
        for number, line in enumerate(lines, 1):
            if source.columns(line) > COLUMNS and not MESSAGE.match(line):
                yield f"{name}:{number}: {source.columns(line)} columns, {COLUMNS} are allowed"
        for comment in source.comments(name, text) if name.startswith(NARROW) else ():
            for number in range(comment.line, comment.line + len(comment.lines)):
                line = lines[number - 1]
                if COMMENT_COLUMNS < source.columns(line) and SPDX not in line:
                    yield (f"{name}:{number}: a comment with {source.columns(line)} columns, "
                           f"{COMMENT_COLUMNS} are allowed")


def full_stops(files):
    """A comment of one sentence on one line has no full stop; one of several sentences ends with a
    full stop, a colon, or a question mark. Docstrings always have one."""
    for name, text in files:
        for comment in source.comments(name, text):
            lines = [line for line in comment.lines if line.strip() and SPDX not in line]
            words = " ".join(lines)
            if not lines or RULE.match(words):
                continue
            sentences = list(comment.sentences())
            if comment.kind == "comment" and len(lines) == 1 and len(sentences) == 1:
                if STOP.search(words):
                    yield f"{comment}: a full stop after one sentence on one line"
            elif comment.kind == "comment" and len(sentences) > 1 and not END.search(words):
                yield f"{comment}: no full stop after several sentences"
            elif comment.kind == "docstring" and not END.search(comment.text) \
                    and not comment.lines[-1].startswith(("    ", ")")) and len(lines) == 1:
                yield f"{comment}: no full stop at the end of a docstring"
