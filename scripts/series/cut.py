# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A C file without some names: what mentions them goes, too."""

import re

from .syntax import JUMPS, Node, Part, closing, items_of

SECTION = re.compile(r"/\* -{4}")
# Macros that mention a name without using it
EXPORTS = re.compile(r"EXPORT_SYMBOL|MODULE_DEVICE_TABLE")
# A lock that protects nothing
LOCK = re.compile(r"^(\w*?)((?:un)?lock\w*\()")
# Calls in a condition that only look
HARMLESS = {"unlikely", "likely", "IS_ERR", "READ_ONCE", "smp_load_acquire", "le32_to_cpu", "BIT"}
TERM = re.compile(r"\t+ \w+ \| \\")
LAST_TERM = re.compile(r"\t+ \w+\)")
TRIVIAL = {"", "0", "NULL", "true", "false"}


class Parsed:
    """A file and its items."""

    def __init__(self, path, text, whole=False):
        self.path, self.text, self.whole = path, text, whole
        self.lines = text.split("\n")
        self.items = items_of(text)
        self.exports = {item.tokens[2].text for item in self.items
                        if item.kind == "macro" and item.tokens[0].text.startswith("EXPORT_")}
        self.words = set(re.findall(r"[A-Za-z_]\w*", text)) | \
            {f"export {name}" for name in self.exports} | \
            {name for item in self.items for name in item.names}


class Cut:
    """The parts of a file that remain without the names in `gone`, without the members in
    `members`, and without the headers in `absent`."""

    def __init__(self, parsed, gone, members, absent):
        self.parsed, self.names, self.members, self.absent = parsed, gone, members, absent
        self.removed, self.flat, self.no_else = set(), set(), set()
        self.dead_declarators = set()
        self.lines_gone, self.edits, self.dedent = set(), {}, {}
        # Labels of the function that is looked at that have become one, by name, and those of lines
        self.merged, self.labels_of = {}, {}
        # Names and members that have gone with their items, and those that remain
        self.dead, self.dead_members = set(), set()
        self.live, self.live_members = set(), set()
        # Those of self.live that another file defines
        self.declared = set()
        # Code that cannot be left out, and code that may have lost too much
        self.problems, self.remarks = set(), set()
        # Names of the item that is looked at
        self.inside = ()
        # Names that are used, by items other than their own
        self.uses = set()
        # Members that get a value, or whose address is taken, and those whose value is used
        self.sets, self.reads = set(), set()
        self.arrays = set()
        for item in parsed.items:
            self.item(item)
        for item in parsed.items:
            if self.removed and item.kind == "forward" and item.tokens[1].text not in self.uses:
                self.lines_gone |= set(range(item.lead, item.last + 1))
                self.removed.add(id(item))
        self.text = self.render()

    def problem(self, node, words):
        """Code cannot be left out: the recipe must say what replaces it."""
        self.problems.add(f"{self.parsed.path}:{node.first + 1}: {words}")

    def remark(self, node, words):
        """Code may have lost too much."""
        self.remarks.add((self.inside, f"{self.parsed.path}:{node.first + 1}: {words}"))

    def look(self, node):
        """A value went with the name of another one: the recipe may have to say what it is."""
        words = [token.text for token in node.tokens]
        if "=" not in words:
            return
        at = words.index("=")
        if node.tokens[at - 1].member and not self.hit(node.tokens[:at]) and \
                not self.hit([token for token in node.tokens[at + 1:] if token.text != "&"][:1]):
            self.remark(node, f"no {''.join(words[:at])}, because of {self.reason(node.tokens)}")

    def reason(self, tokens):
        return next(token.text for token in tokens if self.hit([token]))

    # ---- Names -----------------------------------------------------------

    def hit(self, tokens, local=()):
        return any(token.kind == "name" and
                   (token.text in self.names or token.member and token.text in self.members or
                    not token.member and token.text in local) for token in tokens)

    def note_uses(self, item, tokens):
        if item.kind == "macro" and EXPORTS.match(item.tokens[0].text):
            return
        if item.kind == "forward":
            return
        tokens = [token for token in tokens if id(token) not in self.removed]
        self.sets |= set_members(tokens)
        self.reads |= read_members(tokens)
        self.uses |= used_names(tokens) - set(item.names) - self.own_names(item, False)

    # ---- Items -----------------------------------------------------------

    def item(self, item):
        if item.kind == "comment":
            return
        self.inside = tuple(item.names)
        if self.item_goes(item):
            self.dead |= set(item.names)
            for part in item.parts:
                self.dead_list(item, part)
            self.lines_gone |= set(range(item.lead, item.last + 1))
            self.removed.add(id(item))
            return
        self.live |= set(item.names)
        if item.kind == "prototype":
            self.declared |= set(item.names)
        self.note_uses(item, item.tokens)
        for part in item.parts:
            self.note_uses(item, self.alive([part]))
        if item.kind in ("struct", "union", "enum"):
            self.mend_doc(item)

    def item_goes(self, item):
        if item.kind == "include":
            match = re.match(r'"(?:.*/)?([\w.]+)"', item.tokens[0].text) if item.tokens else None
            return bool(match and match[1] in self.absent)
        if self.parsed.whole:
            for part in item.parts:
                for node in part.nodes:
                    if item.kind in ("struct", "union", "enum") and node.kind == "element":
                        self.live_names(item, node)
            return False
        if any(name in self.names for name in item.names):
            return True
        if item.kind == "define" and self.terms(item):
            return False
        if self.hit(item.tokens) or item.kind == "macro" and len(item.tokens) > 2 and \
                f"export {item.tokens[2].text}" in self.names and \
                item.tokens[0].text.startswith("EXPORT_"):
            return True
        if item.kind == "function":
            return self.function(item)
        for part in item.parts:
            if self.elements(item, part, set()):
                return True
        return False

    def terms(self, item):
        """Cuts a macro with a term of a disjunction per line. Returns false for other macros."""
        gone = [token for token in item.tokens if self.hit([token])]
        lines = {item.first + token.first for token in gone}
        last = item.last in lines and LAST_TERM.fullmatch(self.parsed.lines[item.last])
        if not lines or not all(TERM.fullmatch(self.parsed.lines[line])
                                for line in lines - ({item.last} if last else set())):
            return False
        if last:
            end = max(set(range(item.first, item.last)) - lines)
            self.edits[end] = self.parsed.lines[end].removesuffix(" | \\") + ")"
        self.removed |= set(map(id, gone))
        self.lines_gone |= lines
        return True

    def elements(self, item, part, local):
        """Cuts a list. Returns true if nothing of it remains."""
        kept = gone = 0
        for node in part.nodes:
            if node.kind in ("comment", "cpp"):
                continue
            own = item and item.kind in ("struct", "union") and member_name(node)
            if id(node) in self.removed or self.hit(node.tokens, local) or \
                    own and own in self.members or \
                    any([self.elements(item, inner, local) for inner in node.parts]):
                if id(node) not in self.removed and self.hit(node.tokens):
                    self.look(node)
                self.removed.add(id(node))
                gone += 1
                self.dead_names(item, node)
            else:
                kept += 1
                self.live_names(item, node)
        lines = {}
        for node in part.nodes:
            if node.kind not in ("comment", "cpp"):
                for line in range(node.first, node.last + 1):
                    lines.setdefault(line, set()).add(id(node) in self.removed)
        for line, states in lines.items():
            if len(states) > 1:
                self.problem(part.nodes[0], "elements of several patches in a line")
        return gone and not kept

    def dead_list(self, item, part):
        for node in part.nodes:
            if item.kind in ("struct", "union", "enum"):
                self.dead_names(item, node)

    def dead_names(self, item, node):
        if item and item.kind == "enum" and node.tokens:
            self.dead.add(node.tokens[0].text)
        elif item and item.kind in ("struct", "union"):
            for inner in node.parts:
                for element in inner.nodes:
                    self.dead_names(item, element)
            self.dead_members |= {member_name(node)} - {""}

    def live_names(self, item, node):
        if item and item.kind == "enum":
            self.live.add(node.tokens[0].text)
        elif item and item.kind in ("struct", "union"):
            if "[" in [token.text for token in node.tokens]:
                self.arrays.add(member_name(node))
            self.live_members |= {member_name(node)} - {""}

    def mend_doc(self, item):
        """Removes the members that have gone from the kernel-doc comment of an item."""
        gone = self.own_names(item, True) - self.own_names(item, False)
        inside = False
        for line in range(item.lead, item.first):
            text = self.parsed.lines[line]
            match = re.match(r" \* @([\w.]+):", text)
            if match:
                inside = match[1].split(".")[-1] in gone
            elif not re.match(r" \*[ \t]+\S", text):
                inside = False
            if inside:
                self.lines_gone.add(line)

    def structs(self):
        """Yields (path, struct, member)."""
        for item in self.parsed.items:
            if item.kind in ("struct", "union"):
                for member in self.own_names(item, False):
                    yield self.parsed.path, item.names[0], member

    def own_names(self, item, removed):
        """Returns the members or the values of a type, those that have gone or the others."""
        found = set()
        if item.kind not in ("struct", "union", "enum"):
            return found

        def visit(part):
            for node in part.nodes:
                if node.kind in ("comment", "cpp"):
                    continue
                if (id(node) in self.removed) == removed:
                    found.add(node.tokens[0].text if item.kind == "enum" else member_name(node))
                for inner in node.parts:
                    visit(inner)
        for part in item.parts:
            visit(part)
        return found

    # ---- Functions -------------------------------------------------------

    def function(self, item):
        """Cuts the body. Returns true if nothing of it remains."""
        nodes, local = item.parts[0].nodes, set()
        self.merged = {}
        before = -1
        while before != len(self.removed) + len(self.flat) + len(self.dead_declarators):
            before = len(self.removed) + len(self.flat) + len(self.dead_declarators)
            self.statements(nodes, local)
            self.labels(nodes)
            self.locals(nodes)
        if self.merged:
            self.labels_of |= dict.fromkeys(range(item.first, item.last + 1), self.merged)
        final = [node for node in nodes if node.kind not in ("comment", "cpp")][-1:]
        if final and id(final[0]) in self.removed and final[0].tokens[:1] and \
                final[0].tokens[0].text == "return" and len(final[0].tokens) > 2 and \
                not any(node.kind == "label" for node in nodes):
            self.remark(final[0], f"no {item.names[0]}(), because of its result")
            return True
        rest = [node for node in self.rest(nodes) if node.kind != "decl" and not (
            node.kind == "simple" and node.tokens[0].text == "return" and
            "".join(token.text for token in node.tokens[1:-1]) in TRIVIAL)]
        return not rest and any(id(node) in self.removed for node in nodes)

    def rest(self, nodes):
        return [node for node in nodes
                if id(node) not in self.removed and node.kind not in ("comment", "cpp")]

    def is_empty(self, part):
        return not self.rest(part.nodes) and any(id(node) in self.removed for node in part.nodes)

    def remove(self, node):
        self.removed.add(id(node))

    def statements(self, nodes, local):
        for node in nodes:
            if id(node) not in self.removed:
                self.statement(node, local)
        # The check of a result goes with what had the result
        for node, following in zip(nodes, nodes[1:]):
            if id(node) in self.removed and following.kind == "if" and \
                    following.first == node.last + 1 and len(following.parts) == 1:
                target = assigned(node)
                if target and target in [token.text for token in following.tokens]:
                    self.remove(following)
        left = self.rest(nodes)
        if len(left) < len(nodes):
            for node, following in zip(left, left[1:]):
                if LOCK.sub(r"\1un\2", written(node)) == written(following) != written(node):
                    self.remove(node)
                    self.remove(following)
                elif node.kind == "if" and len(node.parts) == 1 and \
                        [written(inner) for inner in self.rest(node.parts[0].nodes)] == \
                        [written(following)] == \
                        [f"return{''.join(token.text for token in node.tokens[2:-1])};"]:
                    self.remove(node)

    def statement(self, node, local):
        kind = node.kind
        if kind == "decl":
            self.declaration(node, local)
        elif kind == "if":
            self.condition(node, local)
        elif kind == "switch":
            if self.hit(node.tokens, local) or self.cases(node.parts[0].nodes, local):
                self.remove(node)
        elif kind in ("loop", "block"):
            if self.hit(node.tokens, local):
                self.remove(node)
                return
            for part in node.parts:
                self.statements(part.nodes, local)
                if self.is_empty(part):
                    self.remove(node)
        elif kind == "simple":
            if self.hit(node.tokens, local):
                self.remove(node)
                if self.hit(node.tokens):
                    self.look(node)
            for part in node.parts:
                self.elements(None, part, local)

    def declaration(self, node, local):
        start = node.tokens.index(node.names[0][1][0])
        for name, tokens in node.names:
            if self.hit(node.tokens[:start] + tokens[1:], local) or name in self.names:
                self.dead_declarators.add(id(tokens[0]))
                local.add(name)
        for part in node.parts:
            self.elements(None, part, local)
        if all(id(tokens[0]) in self.dead_declarators for _, tokens in node.names):
            self.remove(node)

    def look_at_condition(self, node):
        """A condition went that has a part without the name, or is true without it."""
        words = [token.text for token in node.tokens[2:-1]]
        bars = [at for at, pair in enumerate(zip(words, words[1:])) if pair == ("|", "|")]
        work = [inner for inner in self.rest(node.parts[0].nodes)
                if inner.tokens[0].text not in JUMPS]
        if self.hit(node.tokens) and (bars or words[0] == "!" and work):
            self.remark(node, f"no if ({' '.join(words)}), because of {self.reason(node.tokens)}")

    def condition(self, node, local):
        if id(node) in self.flat or self.hit(node.tokens, local):
            if len(node.parts) == 1:
                self.remove(node)
                self.look_at_condition(node)
                return
            self.flat.add(id(node))
            self.statements(node.parts[1].nodes, local)
            if self.is_empty(node.parts[1]):
                self.remove(node)
            return
        for part in node.parts:
            self.statements(part.nodes, local)
        empty = [self.is_empty(part) for part in node.parts]
        if all(empty):
            self.remove(node)
            called = [before.text for before, token in zip(node.tokens[2:], node.tokens[3:])
                      if token.text == "(" and before.kind == "name" and
                      before.text not in HARMLESS]
            if called:
                self.remark(node, f"no {called[0]}(), because nothing depends on its result")
        elif empty[0]:
            self.problem(node, "only the else branch remains")
        elif empty[-1]:
            self.no_else.add(id(node))

    def cases(self, nodes, local):
        """Cuts the body of a switch. Returns true if nothing of it remains."""
        groups = []
        for node in nodes:
            if node.kind == "case":
                if not groups or groups[-1][1]:
                    groups.append(([], []))
                groups[-1][0].append(node)
            elif groups and node.kind not in ("comment", "cpp"):
                groups[-1][1].append(node)
        for labels, body in groups:
            self.statements(body, local)
            for node in labels:
                if self.hit(node.tokens, local):
                    self.remove(node)
            work = [node for node in body if node.tokens and node.tokens[0].text != "break"]
            if not self.rest(labels) or work and not self.rest(work):
                for node in labels + body:
                    self.remove(node)
        return groups and not any(self.rest(labels) for labels, _ in groups)

    def labels(self, nodes):
        """Removes labels without a goto, and what only they lead to."""
        targets = {self.label(token.text) for goto, token in pairs(self.alive([Part(nodes)]))
                   if goto.text == "goto"}
        self.merge(nodes, targets)
        jumped = False
        for node in nodes:
            if node.kind in ("comment", "cpp"):
                continue
            if node.kind == "label":
                if id(node) not in self.removed and node.tokens[0].text not in targets:
                    self.remove(node)
                elif id(node) not in self.removed:
                    jumped = False
                continue
            if id(node) in self.removed:
                continue
            if jumped:
                self.remove(node)
            elif node.kind == "simple" and node.tokens[0].text in ("return", "goto"):
                jumped = True

    def label(self, name):
        """Returns the label that one has become."""
        while name in self.merged:
            name = self.merged[name]
        return name

    def merge(self, nodes, targets):
        """Of labels that have nothing between them only the last remains."""
        run = []
        for node in [*nodes, Node("end", -1, -1)]:
            if node.kind == "label":
                run.append(node)
            elif node.kind != "comment" and id(node) not in self.removed:
                used = [label for label in run if label.tokens[0].text in targets]
                if used and used[-1] is not run[-1] or len(used) > 1:
                    last = run[-1].tokens[0].text
                    for label in used:
                        if label is not run[-1]:
                            self.merged[label.tokens[0].text] = last
                            self.remove(label)
                    self.removed.discard(id(run[-1]))
                    targets.add(last)
                run = []

    def locals(self, nodes):
        """Removes declarations of what is not used any more."""
        used = {}
        for token in self.alive([Part(nodes)]):
            if token.kind == "name" and not token.member:
                used.setdefault(token.text, set()).add(id(token))
        for node in self.every(nodes):
            if node.kind != "decl" or id(node) in self.removed:
                continue
            for name, tokens in node.names:
                own = {id(token) for token in tokens}
                if not used.get(name, set()) - own:
                    self.dead_declarators.add(id(tokens[0]))
            if all(id(tokens[0]) in self.dead_declarators for _, tokens in node.names):
                self.remove(node)

    def every(self, nodes):
        for node in nodes:
            yield node
            for part in node.parts:
                yield from self.every(part.nodes)

    def alive(self, parts):
        """Yields the tokens that remain."""
        for part in parts:
            for node in part.nodes:
                if id(node) in self.removed or node.kind == "comment":
                    continue
                inner = node.parts
                if id(node) in self.flat:
                    inner = node.parts[1:]
                elif node.kind == "decl":
                    start = node.tokens.index(node.names[0][1][0])
                    yield from node.tokens[:start]
                    for _, tokens in node.names:
                        if id(tokens[0]) not in self.dead_declarators:
                            yield from tokens
                else:
                    yield from node.tokens
                if id(node) in self.no_else:
                    inner = inner[:1]
                yield from self.alive(inner)

    # ---- Lines -----------------------------------------------------------

    def render(self):
        for item in self.parsed.items:
            if id(item) not in self.removed:
                for part in item.parts:
                    self.mark(part.nodes)
        self.sections()
        lines = []
        for number, line in enumerate(self.parsed.lines):
            if number in self.lines_gone:
                continue
            line = self.edits.get(number, line)
            if number in self.labels_of:
                self.merged = self.labels_of[number]
                line = re.sub(r"\bgoto (\w+);", lambda match: f"goto {self.label(match[1])};", line)
            if line.startswith("\t" * self.dedent.get(number, 0)):
                line = line[self.dedent.get(number, 0):]
            lines.append(line)
        if not self.lines_gone and not self.edits:
            return self.parsed.text
        return tidy(lines)

    def sections(self):
        """Removes the headings of sections without items."""
        heading, filled = None, True
        for item in [*self.parsed.items, None]:
            if item is None or item.kind == "comment" and \
                    SECTION.match(self.parsed.lines[item.first]):
                if not filled:
                    self.lines_gone |= set(range(heading.first, heading.last + 1))
                heading, filled = item, False
            elif id(item) not in self.removed and item.kind not in ("comment", "endif"):
                filled = True

    def mark(self, nodes):
        for node in nodes:
            if id(node) in self.removed:
                self.lines_gone |= set(range(node.first, node.last + 1))
        for position in range(len(nodes) - 1, -1, -1):
            node = nodes[position]
            if node.kind == "comment":
                before = nodes[position - 1] if position else None
                after = nodes[position + 1] if position + 1 < len(nodes) else None
                of_before = before is not None and before.last == node.first
                if of_before and id(before) in self.removed or not of_before and \
                        after is not None and after.first == node.last + 1 and \
                        id(after) in self.removed:
                    self.removed.add(id(node))
                    self.lines_gone |= set(range(node.first, node.last + 1))
            elif id(node) not in self.removed:
                self.mark_inside(node)

    def mark_inside(self, node):
        if id(node) in self.flat:
            self.mark_flat(node)
            return
        if id(node) in self.no_else:
            then = node.parts[0]
            last = then.closing if then.closing >= 0 else then.nodes[-1].last
            if then.closing >= 0:
                self.edits[last] = re.sub(r"\} else.*", "}", self.parsed.lines[last])
            self.lines_gone |= set(range(last + 1, node.last + 1))
            self.mark(then.nodes)
            return
        if node.kind == "decl":
            self.mark_declaration(node)
        for part in node.parts:
            self.mark(part.nodes)
        self.mark_braces(node)

    def mark_declaration(self, node):
        left = [tokens for _, tokens in node.names if id(tokens[0]) not in self.dead_declarators]
        if len(left) == len(node.names):
            return
        if node.parts:
            self.problem(node, "a list in a declaration of several variables")
            return
        text = " ".join(line.strip() for line in self.parsed.lines[node.first:node.last + 1])
        start = node.tokens.index(node.names[0][1][0])
        # Declarators by their text, between commas outside brackets
        words, rest = text[:text.index(";")], []
        head = words[:offset(words, node.tokens[start])]
        for declarator in split_text(words[len(head):]):
            rest.append(declarator.strip())
        kept = [rest[i] for i, (_, tokens) in enumerate(node.names)
                if id(tokens[0]) not in self.dead_declarators]
        indent = re.match(r"\t*", self.parsed.lines[node.first])[0]
        self.edits[node.first] = f"{indent}{head}{', '.join(kept)};"
        self.lines_gone |= set(range(node.first + 1, node.last + 1))

    def mark_flat(self, node):
        """Leaves the else branch only."""
        other = node.parts[1]
        first = other.nodes[0]
        if first.kind == "if" and other.opening < 0 and \
                "else if" in self.parsed.lines[first.first]:
            line = self.parsed.lines[first.first]
            self.edits[first.first] = re.sub(r"(\} )?else if", "if", line)
            self.lines_gone |= set(range(node.first, first.first))
        else:
            end = node.last if other.closing >= 0 else node.last + 1
            self.lines_gone |= set(range(node.first, first.first))
            if other.closing >= 0:
                self.lines_gone.add(other.closing)
            for line in range(first.first, end):
                self.dedent[line] = self.dedent.get(line, 0) + 1
        self.mark(other.nodes)

    def mark_braces(self, node):
        """Removes braces around the only statement that is left."""
        if node.kind not in ("if", "loop") or len(node.parts) != 1:
            return
        part = node.parts[0]
        left = [inner for inner in part.nodes if id(inner) not in self.removed]
        if part.opening < 0 or len(left) == len(part.nodes) or len(left) != 1 or \
                left[0].kind != "simple" or left[0].first != left[0].last or \
                part.opening != node.first or part.closing != node.last or \
                self.parsed.lines[node.last].strip() != "}":
            return
        self.edits[part.opening] = self.parsed.lines[part.opening].removesuffix(" {")
        self.lines_gone.add(part.closing)


def pairs(tokens):
    tokens = list(tokens)
    return zip(tokens, tokens[1:])


def used_names(tokens):
    """Returns the names that are used. `.limit = out.limit` of a list does not use the limit."""
    found, own = set(), None
    for at, token in enumerate(tokens):
        if token.text == ",":
            own = None
        elif token.member and tokens[at - 1].text == "." and \
                (at < 2 or tokens[at - 2].kind == "mark" and tokens[at - 2].text not in (")", "]")):
            own = token.text
        elif token.kind == "name" and not (token.member and token.text == own):
            found.add(token.text)
    return found


def set_members(tokens):
    """Returns the members that are set, or whose address is taken."""
    found = set()
    texts = [token.text for token in tokens]
    for at, token in enumerate(tokens):
        if not token.member:
            continue
        after, start = behind(tokens, at), at
        while start and (tokens[start - 1].kind == "name" or texts[start - 1] in ("->", ".", ")")):
            start = opening(texts, start - 1) if texts[start - 1] == ")" else start - 1
        before = texts[max(start - 2, 0):start]
        if texts[after:after + 1] and re.fullmatch(r"(<<|>>|[+*/%&|^-])?=", texts[after]) or \
                texts[after:after + 2] in (["+", "+"], ["-", "-"]) or \
                before in (["+", "+"], ["-", "-"], ["WRITE_ONCE", "("]) or \
                before[-1:] == ["&"] and not re.match(r"[\w)\]]", before[0]):
            found.add(token.text)
    return found


def read_members(tokens):
    """Returns the members that are not only assigned."""
    found = set()
    texts = [token.text for token in tokens]
    for at, token in enumerate(tokens):
        if not token.member:
            continue
        after, start = behind(tokens, at), at
        while tokens[start].kind == "name" or texts[start] in ("->", "."):
            start -= 1
        if texts[after:after + 1] != ["="] and texts[start - 1:start + 1] != ["WRITE_ONCE", "("]:
            found.add(token.text)
    return found


def behind(tokens, at):
    """Returns the position behind a name and its subscripts."""
    at += 1
    while at < len(tokens) and tokens[at].text == "[":
        at = closing(tokens, at) + 1
    return at


def opening(texts, at):
    """Returns the position of the parenthesis that the one at a position closes."""
    depth = 0
    for position in range(at, -1, -1):
        depth += texts[position] == ")"
        depth -= texts[position] == "("
        if not depth:
            return position
    return 0


def written(node):
    """Returns the text of a statement."""
    return "".join(token.text for token in node.tokens)


def assigned(node):
    """Returns the variable that a statement assigns."""
    words = [token.text for token in node.tokens]
    return words[0] if node.kind == "simple" and "=" in words else None


def member_name(node: Node):
    """Returns the name that an element of a struct declares, or an empty one."""
    words = [token.text for token in node.tokens]
    if "(" in words[:-1] and words[words.index("(") + 1] == "*":
        return words[words.index("(") + 2]
    for mark in ("[", ":"):
        if mark in words:
            words = words[:words.index(mark)]
    names = [word for word in words if re.match(r"[A-Za-z_]", word)]
    return names[-1] if len(names) > 1 else ""


def offset(text, token):
    """Returns where the first of the declarators begins."""
    match = re.search(r"(?<![\w])" + re.escape(token.text) + (r"(?!\w)" if token.kind == "name"
                                                            else ""), text)
    return match.start()


def split_text(text):
    """Splits at commas outside brackets."""
    found, depth, current = [], 0, ""
    for char in text:
        depth += char in "([{"
        depth -= char in ")]}"
        if char == "," and not depth:
            found.append(current)
            current = ""
        else:
            current += char
    return [*found, current]


def tidy(lines):
    """Removes blank lines that have lost what they separated."""
    found = []
    for line in lines:
        if not line.strip():
            if not found or not found[-1].strip() or found[-1].endswith("{"):
                continue
        elif re.match(r"\s*\}", line) and found and not found[-1].strip():
            found.pop()
        found.append(line)
    while found and not found[-1].strip():
        found.pop()
    return "\n".join(found) + "\n"
