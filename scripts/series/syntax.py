# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Items of a C file and statements of its functions, by line. Knows the kernel's style only."""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<cpp>(?<![^\n])[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\d\w*)
  | (?P<mark>->|\.\.\.|(?:<<|>>|[=!<>+*/%&|^-])?=|[^\s])""", re.S | re.X)
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
LOOPS = {"for", "while"}
# Words that begin a statement and no declaration
JUMPS = {"return", "goto", "break", "continue"}


@dataclass
class Token:
    kind: str
    text: str
    # Lines, from 0
    first: int
    last: int
    # -> or . before a name
    member: bool = False


@dataclass
class Node:
    """A statement, or an element of a list; a comment is a node of its own."""
    kind: str
    first: int
    last: int
    # Tokens that are not in a part below: the condition of an if, the head of a loop
    tokens: list = field(default_factory=list)
    # Branches of an if, body of a loop or a switch, elements of a list
    parts: list = field(default_factory=list)
    # Declarators of a declaration: (name, tokens)
    names: list = field(default_factory=list)


@dataclass
class Part:
    """Nodes, and the lines of the braces around them, if there are braces."""
    nodes: list
    opening: int = -1
    closing: int = -1


@dataclass
class Item:
    """A top-level item with the comment above it."""
    kind: str
    names: list
    lead: int
    first: int
    last: int
    tokens: list
    # Body of a function, or elements of an enum, a struct or a table
    parts: list = field(default_factory=list)


class SyntaxProblem(Exception):
    """The text is not in the style that this module knows."""


def tokens_of(text):
    """Returns the tokens of a text."""
    found, line, at = [], 0, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        kind = match.lastgroup
        last = line + match[0].count("\n")
        previous = found[-1].text if found else ""
        found.append(Token(kind, match[0], line, last,
                           kind == "name" and previous in ("->", ".")))
    return found


def code(tokens):
    """Returns the tokens without comments."""
    return [token for token in tokens if token.kind != "comment"]


def closing(tokens, at):
    """Returns the position of the bracket that closes the one at a position."""
    depth = 0
    for position in range(at, len(tokens)):
        token = tokens[position]
        if token.kind == "mark":
            depth += token.text in OPENING
            depth -= token.text in CLOSING
            if not depth:
                return position
    raise SyntaxProblem(f"line {tokens[at].first + 1}: {tokens[at].text} is not closed")


def split(tokens, mark):
    """Splits at a mark outside all brackets; comments after a mark on its line stay with it."""
    found, current, depth = [], [], 0
    for token in tokens:
        if not current and found and token.kind == "comment" and \
                token.first == found[-1][-1].last:
            found[-1].append(token)
            continue
        current.append(token)
        if token.kind == "mark":
            depth += token.text in OPENING
            depth -= token.text in CLOSING
            if token.text == mark and not depth:
                found.append(current)
                current = []
    if current:
        found.append(current)
    return found


def listing(tokens, mark):
    """Returns the elements between a pair of braces, as nodes."""
    nodes = []
    for element in split(tokens, mark):
        while element and element[0].kind in ("comment", "cpp"):
            nodes.append(Node(element[0].kind, element[0].first, element[0].last, element[:1]))
            element = element[1:]
        if element:
            nodes.append(simple("element", element, mark))
    return nodes


def simple(kind, tokens, inner=","):
    """Makes a node; lists in braces on lines of their own become parts."""
    node = Node(kind, tokens[0].first, tokens[-1].last)
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.text == "{" and token.kind == "mark":
            end = closing(tokens, at)
            inside = tokens[at + 1:end]
            if inside and inside[0].first > token.first and inside[-1].last < tokens[end].first:
                node.parts.append(Part(listing(inside, inner), token.first, tokens[end].first))
                at = end + 1
                continue
        if token.kind != "comment":
            node.tokens.append(token)
        at += 1
    return node


def declared(tokens):
    """Returns (name, tokens) of the declarators if a statement is a declaration, else nothing."""
    words = 0
    while words < len(tokens) and tokens[words].kind == "name":
        words += 1
    if not words or tokens[0].text in JUMPS:
        return []
    stars = words
    while stars < len(tokens) and tokens[stars].text == "*":
        stars += 1
    # The last word is the name, unless stars come before it
    start = words if stars > words else words - 1
    name = stars if stars > words else start
    if not start or name + 1 >= len(tokens) or tokens[name].kind != "name" or \
            tokens[name + 1].text not in ("=", ";", ",", "["):
        return []
    found = []
    for declarator in split(tokens[start:-1], ","):
        if declarator[-1].text == ",":
            declarator = declarator[:-1]
        found.append((next(token.text for token in declarator if token.kind == "name"),
                      declarator))
    return found


class Body:
    """Parses the statements of a function."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0

    def peek(self, ahead=0):
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else Token("end", "", -1, -1)

    def block(self):
        nodes = []
        while self.at < len(self.tokens):
            nodes.append(self.statement())
        return nodes

    def braced(self):
        """Parses a statement or a block, into a part."""
        token = self.peek()
        if token.text == "{":
            end = closing(self.tokens, self.at)
            inside = Body(self.tokens[self.at + 1:end]).block()
            self.at = end + 1
            return Part(inside, token.first, self.tokens[end].first)
        nodes = []
        while self.peek().kind == "comment":
            nodes.append(self.statement())
        nodes.append(self.statement())
        return Part(nodes)

    def head(self):
        """Takes a word and what follows it in parentheses."""
        start = self.at
        self.at = closing(self.tokens, self.at + 1) + 1
        return code(self.tokens[start:self.at])

    def until(self, mark):
        start, depth = self.at, 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == "mark":
                depth += token.text in OPENING
                depth -= token.text in CLOSING
                if token.text == mark and not depth:
                    return self.tokens[start:self.at]
        raise SyntaxProblem(f"line {self.tokens[start].first + 1}: no {mark}")

    def close(self, node):
        node.last = max([node.last, self.tokens[self.at - 1].last])
        return node

    def statement(self):
        token = self.peek()
        if token.kind in ("comment", "cpp"):
            self.at += 1
            return Node(token.kind, token.first, token.last, [token])
        if token.text == "{":
            return self.close(Node("block", token.first, token.last, [], [self.braced()]))
        if token.text == "if":
            node = Node("if", token.first, token.last, self.head(), [])
            node.parts.append(self.braced())
            if self.peek().text == "else":
                self.at += 1
                node.parts.append(self.braced())
            return self.close(node)
        if token.text == "do":
            self.at += 1
            node = Node("loop", token.first, token.last, [], [self.braced()])
            node.tokens = code(self.until(";"))
            return self.close(node)
        if token.text == "switch":
            node = Node("switch", token.first, token.last, self.head(), [])
            node.parts.append(self.braced())
            return self.close(node)
        if token.text in ("case", "default"):
            return self.close(Node("case", token.first, token.last, code(self.until(":"))))
        if token.kind == "name" and self.peek(1).text == ":":
            self.at += 2
            return self.close(Node("label", token.first, token.last, [token]))
        if token.kind == "name" and token.text not in JUMPS and self.peek(1).text == "(":
            after = self.tokens[min(closing(self.tokens, self.at + 1) + 1,
                                    len(self.tokens) - 1)]
            if token.text in LOOPS or after.text == "{" or after.kind == "name":
                node = Node("loop", token.first, token.last, self.head(), [])
                if self.peek().text == ";":
                    self.at += 1
                    return self.close(node)
                node.parts.append(self.braced())
                return self.close(node)
        statement = self.until(";")
        node = simple("simple", statement)
        node.names = declared(node.tokens)
        if node.names:
            node.kind = "decl"
        return node


def item_of(tokens, lead):
    """Makes an item of its tokens."""
    words = code(tokens)
    first, last = tokens[0].first, tokens[-1].last
    item = Item("other", [], lead, first, last, words)
    if words[0].kind == "cpp":
        match = re.match(r"\s*#\s*(\w+)\s*([\w./<\"]*)", words[0].text)
        item.kind = match[1]
        item.tokens = tokens_of(re.sub(r"^\s*#\s*\w+", "", words[0].text))
        if match[1] == "define":
            item.names = [match[2]]
            item.tokens = item.tokens[1:]
        return item
    texts = [token.text for token in words]
    brace = texts.index("{") if "{" in texts else None
    equal = texts.index("=") if "=" in texts else None
    if brace is not None and (equal is None or equal > brace) and words[brace - 1].text == ")":
        item.kind = "function"
        item.names = [function_name(words)]
        inside = next(i for i, t in enumerate(tokens) if t is words[brace])
        end = closing(tokens, inside)
        item.tokens = words[:brace]
        item.parts = [Part(Body(tokens[inside + 1:end]).block(), tokens[inside].first,
                           tokens[end].first)]
        return item
    node = simple("item", tokens, ";" if words[0].text in ("struct", "union") and
                  (equal is None or equal > (brace or 0)) else ",")
    item.tokens, item.parts = node.tokens, node.parts
    if words[0].text in ("struct", "union", "enum") and words[2].text == "{":
        item.kind, item.names = words[0].text, [words[1].text]
        item.tokens = item.tokens[2:]
    elif [t.kind for t in words] == ["name", "name", "mark"] and \
            words[0].text in ("struct", "union", "enum"):
        item.kind = "forward"
    elif words[0].text == "extern":
        item.kind = "prototype"
        item.names = [words[texts.index("[" if "[" in texts else ";") - 1].text]
    elif words[0].text.isupper() and words[1].text == "(":
        item.kind = "macro"
        if words[0].text.startswith("TRACE_EVENT"):
            item.names = [f"trace_{words[2].text}"]
        elif words[0].text == "DEFINE_EVENT":
            item.names = [f"trace_{words[4].text}"]
        elif words[0].text == "DECLARE_DRV_CMD":
            item.names = [words[2].text, f"{words[2].text}_resp"]
        elif words[0].text.startswith("DEFINE_"):
            item.names = [words[2].text]
    elif "(" in texts and not {"=", "["} & set(texts[:texts.index("(")]):
        item.names = [function_name(words)]
        item.kind = "macro" if item.names[0] == words[0].text else "prototype"
        if item.names[0].startswith("DEFINE_"):
            item.kind, item.names = "macro", [words[texts.index("(") + 1].text]
        elif item.kind == "macro":
            item.names = []
    else:
        texts = [token.text for token in item.tokens]
        end = next(i for i, text in enumerate(texts) if text in ("=", "[", ";"))
        item.kind, item.names = "table", [texts[end - 1]]
    return item


def function_name(words):
    """Returns the name before the parameters; attributes begin with two underscores."""
    for token, after in zip(words, words[1:]):
        if token.kind == "name" and after.text == "(" and not token.text.startswith("__"):
            return token.text
    raise SyntaxProblem(f"line {words[0].first + 1}: no function")


def items_of(text):
    """Returns the items of a file in order; comments that precede no item are items, too."""
    tokens = tokens_of(text)
    found, at, comments = [], 0, []
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "comment":
            # The rest of the line of an item
            if found and found[-1].last == token.first:
                found[-1].last = token.last
                at += 1
                continue
            comments.append(token)
            at += 1
            following = tokens[at] if at < len(tokens) else None
            if following is None or following.first > token.last + 1:
                found.append(Item("comment", [], token.first, token.first, token.last, []))
                comments = []
            continue
        start, depth = at, 0
        while True:
            token = tokens[at]
            at += 1
            if token.kind == "cpp" and at - 1 == start:
                break
            if token.kind == "mark":
                depth += token.text in OPENING
                depth -= token.text in CLOSING
                if not depth and (token.text == ";" or token.text == "}" and
                                  is_function(tokens[start:at])):
                    break
            if at == len(tokens):
                raise SyntaxProblem(f"line {tokens[start].first + 1}: item does not end")
        lead = comments[0].first if comments else tokens[start].first
        found.append(item_of(tokens[start:at], lead))
        comments = []
    return found


def is_function(tokens):
    """Returns whether the first brace outside of others is that of a function."""
    words = code(tokens)
    brace = next(i for i, t in enumerate(words) if t.text == "{")
    return words[brace - 1].text == ")" and "=" not in [t.text for t in words[:brace]]
