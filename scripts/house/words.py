# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Forms that comments, docstrings and documents must not have, because a reader stumbles over them.
Each pattern is narrow enough to match no good sentence of the tree."""

import re

from .source import comments

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


def forbidden_forms(files):
    """Comments and documents have no sentence of these forms."""
    for name, text in files:
        for comment in comments(name, text):
            for line, sentence in comment.sentences():
                for pattern, better in PATTERNS:
                    found = pattern.search(sentence)
                    if found:
                        yield f"{name}:{line}: \"{sentence[found.start():][:60]}\": {better}"
