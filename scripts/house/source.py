# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The source files of the tree and their comments: C, Python, shell, make, lists and documents."""

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
# Built, foreign or binary files
PRUNED = re.compile(r"(^|/)(\.git|build|LICENSES|__pycache__|corpus|patches)(/|$)|\.(svg|png|pyc)$"
                    r"|(^|/)(\.gitignore|\.checkpatch-[^/]*)$")
SUFFIXES = {".c": "c", ".h": "c", ".py": "python", ".rst": "document",
            ".md": "document", ".xml": "document", ".1": "manual", ".7": "manual"}
TAB = 8
# Strings and characters are matched first, because they may contain the marks of a comment
C_TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
                     re.S)
# Folders whose strings are messages for users
LOGGING = ("kernel/", "user-provider/", "tests/device/")
# Marks at the begin of a line, which are no part of the words
C_MARKS, HASH_MARK = re.compile(r"^\s*(/\*\*?|\*|//)?\s?"), re.compile(r"^\s*#(?!!)\s?")
# A macro of a manual page; these begin a paragraph
MACRO, PARAGRAPH = re.compile(r'^(\.\\"|[.\'][A-Za-z]*)\s*'), re.compile(r"^\.(PP|TP|SH|IP)")
UNDERLINE = re.compile(r"([=~*+-])\1{2,}")
SENTENCE_END = re.compile(r"(?<=[.!?])[)\"']?\s+(?=[A-Z\"'`(\[])|(?<=\.)\s+(?=@)")


@dataclass
class Comment:
    """A comment, a docstring, or a paragraph of a document."""
    path: str
    line: int
    # Its lines without marks and margins
    lines: list
    kind: str = "comment"
    # Code precedes the comment on its line
    trailing: bool = False

    def __str__(self):
        return f"{self.path}:{self.line}"

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.lines)).strip()

    def sentences(self):
        """Yields (line, sentence)."""
        text, start = "\n".join(self.lines), 0
        for end in [*(match.end() for match in SENTENCE_END.finditer(text)), len(text)]:
            words = text[start:end].strip()
            if words:
                first = text.index(words, start)
                yield self.line + text.count("\n", 0, first), re.sub(r"\s+", " ", words)
            start = end


def files(top=TOP):
    """Yields (path relative to the top, text) of each source file."""
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top).as_posix()
        if path.is_file() and not path.is_symlink() and not PRUNED.search(name):
            yield name, path.read_text()


def spdx_lines(found):
    """A file begins with its SPDX line."""
    for name, text in found:
        if "SPDX-License-Identifier:" not in "\n".join(text.split("\n")[:5]):
            yield f"{name}:1: no SPDX line in the first 5 lines"


def language(name, text):
    """Returns "c", "python", "document", "manual", or "hash" if a hash sign begins a comment."""
    if re.match(r"#!.*python", text):
        return "python"
    return SUFFIXES.get(Path(name).suffix, "hash")


def columns(line):
    """Returns the width of a line."""
    return len(line.expandtabs(TAB))


def join(found, comment):
    """Adds a comment, or its lines to the comment that ends on the line before."""
    last = found[-1] if found else None
    if last and not (last.trailing or comment.trailing) and last.kind == comment.kind and \
            last.line + len(last.lines) == comment.line:
        last.lines += comment.lines
    else:
        found.append(comment)


def c_comments(name, text):
    found = []
    for match in C_TOKEN.finditer(text):
        mark = match["comment"]
        if not mark:
            continue
        line = text.count("\n", 0, match.start()) + 1
        before = text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip()
        kind = "kernel-doc" if mark.startswith("/**") else "comment"
        lines = [C_MARKS.sub("", part, count=1) for part in mark.removesuffix("*/").split("\n")]
        comment = Comment(name, line, [part.rstrip() for part in lines], kind, bool(before))
        if mark.startswith("//"):
            join(found, comment)
        else:
            found.append(comment)
    return found


def messages(name, text):
    """Returns the strings of drivers, provider and card."""
    if not name.startswith(LOGGING) or language(name, text) != "c":
        return []
    return [Comment(name, text.count("\n", 0, match.start()) + 1,
                    [match[0][1:-1].replace("\\n", "")], "message")
            for match in C_TOKEN.finditer(text) if match[0][0] == '"']


def python_comments(name, text):
    found, docstrings = [], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            before = token.line[:token.start[1]].strip()
            join(found, Comment(name, token.start[0], [token.string[1:].strip()],
                                trailing=bool(before)))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            lines = (ast.get_docstring(node, clean=False) or "").split("\n")
            if any(lines):
                docstrings.append(Comment(name, node.body[0].lineno,
                                          [line.strip() for line in lines], "docstring"))
    return sorted(found + docstrings, key=lambda comment: comment.line)


def hash_comments(name, text):
    """Sees comments that have lines of their own only."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if HASH_MARK.match(line):
            join(found, Comment(name, number, [HASH_MARK.sub("", line).rstrip()]))
    return found


def document_comments(name, text):
    """Returns the paragraphs of a document, and its headings."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not UNDERLINE.fullmatch(line):
            join(found, Comment(name, number, [line], "document"))
    return found


def manual_comments(name, text):
    """Returns the paragraphs of a manual page, without macros."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        comment = Comment(name, number, [MACRO.sub("", line)], "document")
        if found and PARAGRAPH.match(line):
            found.append(comment)
        else:
            join(found, comment)
    return found


READERS = {"c": c_comments, "python": python_comments, "hash": hash_comments,
           "document": document_comments, "manual": manual_comments}


def comments(name, text):
    """Returns the comments of a file in order."""
    return READERS[language(name, text)](name, text)
