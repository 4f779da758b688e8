# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Remarks on style: the width of lines, full stops in comments, and forms of sentences over which a
reader stumbles. Each pattern is narrow enough to match no good sentence of the tree."""

import re

from . import source

COLUMNS = 100
# Lines of comments, in folders where these have fewer columns
COMMENT_COLUMNS, NARROW = 80, ("kernel/include/", "kernel/net/")
COMMENT_LINE = re.compile(r"\t*( \*|/\*)(?! SPDX-)")
# Lists of names, which cannot be broken
LISTS = (".list", ".skipped")
# A line with nothing but a message, which users search for and therefore is not broken
MESSAGE = re.compile(r'^\s*(@?echo )?f?"[^"]*"[),;]*$')
# Three dots and abbreviations are no full stop
STOP, END = re.compile(r"(?<!\.)(?<!\be\.g)(?<!\betc)\.$"), re.compile(r"[.:?!][)\"'`]*$")
NO_SENTENCE = re.compile(r"-{3,}|SPDX-")
# (pattern, the better form), where ^ is the beginning of a sentence
FORMS = [
    (r"^Of [^:]*$", "put the subject first: \"XRC targets own no rings\""),
    (r"^Who(ever|m)? ", "name the subject: \"holders of the lock\", \"a user that polls\""),
    (r"^What(ever)? [^?]*$", "name the thing that is meant"),
    (r"^That (the|an?|it|no|all|each|this|there|what|one) ", "make the clause a sentence"),
    (r"\bnobody\b", "name the subject, or use the passive: \"is not used\""),
    (r"\b(some|any)body\b", "name the party: \"the other client\", \"the host\""),
    (r"\bit is what it is\b|\bas good as\b|\bin a hurry\b|\bdear(ly)?\b|\bjok(e|es|ing)\b",
     "state the fact, with a number if there is one"),
    (r"\bto be seen\b|\bwhat else\b", "state what is missing, or what is there"),
    (r"\bwe\b", "name the subject: \"the driver\", \"the card\""),
    (r"\b(lest|whence|thereof|hereby|herein|hence|thus|albeit|whilst|upon)\b", "use a plain word"),
    (r"\b(TODO|FIXME|XXX)\b", "do it, or say in the commit why not"),
]
PATTERNS = [(re.compile(pattern, re.I if pattern.startswith(r"\b") else 0), better)
            for pattern, better in FORMS]


def line_widths(files):
    """Code has 100 columns at most, and comments of Linux 80."""
    for name, text in files:
        if name.endswith(LISTS) or source.language(name, text) not in ("c", "python", "hash"):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            narrow = name.startswith(NARROW) and COMMENT_LINE.match(line)
            limit = COMMENT_COLUMNS if narrow else COLUMNS
            if source.columns(line) > limit and not MESSAGE.match(line):
                yield f"{name}:{number}: {source.columns(line)} columns, {limit} are allowed"


def full_stops(files):
    """A comment of one sentence on one line has no full stop; one of several sentences ends with a
    full stop, a colon, or a question mark."""
    for name, text in files:
        for comment in source.comments(name, text):
            count = len(list(comment.sentences()))
            if comment.kind != "comment" or not count or NO_SENTENCE.match(comment.text):
                continue
            if count == 1 and len(comment.lines) == 1 and STOP.search(comment.text):
                yield f"{comment}: a full stop after one sentence on one line"
            elif count > 1 and not END.search(comment.text):
                yield f"{comment}: no full stop after several sentences"


def forbidden_forms(files):
    """Comments, documents and messages have no sentence of these forms."""
    for name, text in files:
        for comment in [*source.comments(name, text), *source.messages(name, text)]:
            for line, sentence in comment.sentences():
                for pattern, better in PATTERNS:
                    found = pattern.search(sentence)
                    if found:
                        yield f"{name}:{line}: \"{sentence[found.start():][:60]}\": {better}"
