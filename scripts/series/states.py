# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The states of the sources between the patches of a recipe."""

import fnmatch
import functools
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from .cut import Cut, Parsed, tidy

# Structures of the hardware and of user space: such a file is added as a whole
WHOLE = re.compile(r"ornic_hw\w*\.h$|ornic-abi\.h$|_trace\.h$|trace\.c$")
# Its headers are for all folders
SHARED = "kernel/include"


# Uses of headers of Linux: the line that includes one goes with the last of them
HEADERS = {name: re.compile(rf"\b(?:{uses})") for name, uses in {
    "linux/array_size.h": "ARRAY_SIZE", "linux/auxiliary_bus.h": "auxiliary_",
    "linux/bitmap.h": r"DECLARE_BITMAP|bitmap_|for_each_set_bit|find_\w+_bit",
    "linux/bpf.h": r"bpf_|BPF|\w+_bpf", "linux/completion.h": r"\w*completion|complete\(",
    "linux/delay.h": "[mu]delay|msleep|usleep|fsleep", "linux/idr.h": "ida_|struct ida",
    "linux/if_vlan.h": r"\w*vlan_|VLAN_", "linux/iopoll.h": "read_poll_timeout",
    "linux/log2.h": "ilog2|is_power_of_2|round(up|down)_pow_of_two|order_base_2",
    "linux/module.h": "MODULE_|EXPORT_|module_|KBUILD_MODNAME", "linux/notifier.h": r"\w*notifier",
    "linux/random.h": "get_random", "linux/ratelimit.h": r"\w*ratelimit",
    "linux/refcount.h": "refcount_", "linux/rtnetlink.h": "rtnl_|ASSERT_RTNL",
    "linux/sched.h": "current|need_resched|cond_resched", "linux/sched/clock.h": "local_clock",
    "linux/sprintf.h": r"\w*printf", "linux/timekeeping.h": "ktime_get",
    "linux/spinlock.h": "spinlock_t|spin_(un)?lock", "linux/unaligned.h": "[gp][eu]t_unaligned",
    "linux/utsname.h": "init_utsname", "linux/xarray.h": "xa_|xarray",
    "linux/workqueue.h": r"\w*(work|WORK)(_|\b)", "net/devlink.h": r"\w*(devl_|devlink)",
    "net/gro.h": "napi_gro_flush",
    "net/netdev_queues.h": "netdev_queue_stats|netdev_stat_ops|netif_txq|netif_subqueue",
    "net/xdp.h": "xdp_|XDP_", "rdma/ib_user_verbs.h": "IB_"}.items()}
COMMENT = re.compile(r"/\*.*?\*/", re.S)
INCLUDE = re.compile(r'#include [<"]([\w./]+)[>"]')


class RecipeProblem(Exception):
    """The recipe does not fit the tree."""


@dataclass
class Without:
    """Code that replaces other code in the states before a patch."""
    file: str
    code: str
    instead: str


@dataclass
class Words:
    """A pattern of code that has other words in all files of the states before a patch."""
    code: str
    instead: str

    def replace(self, text):
        """Returns the text with the other words, and aligns the lines that follow them."""
        lines = text.split("\n")
        shifts, depth = {}, 0
        for number, line in enumerate(lines):
            indent = column(line, len(line) - len(line.lstrip()))
            if depth > 0 and indent in shifts:
                line = indented(line.lstrip(), shifts[indent])
            elif depth <= 0:
                shifts = {}
            new = re.sub(self.code, self.instead, line)
            if new != line:
                shifts[column(line, open_at(line))] = column(new, open_at(new))
                depth = 0
            depth += line.count("(") - line.count(")")
            lines[number] = new
        return "\n".join(lines)


def column(line, at):
    return len(line[:at].expandtabs(8))


def indented(line, width):
    return "\t" * (width // 8) + " " * (width % 8) + line


def open_at(line):
    """Returns the position after the last parenthesis that the line does not close."""
    depth = 0
    for at in range(len(line) - 1, -1, -1):
        depth += (line[at] == ")") - (line[at] == "(")
        if depth < 0:
            return at + 1
    return 0


@dataclass
class Patch:
    series: str
    subject: str
    message: str
    # Files that it adds, by their stems, as net/queue, or one of a stem, as net/queue.h
    files: list = field(default_factory=list)
    # Names that it adds to files of earlier patches: NAME, STEM:NAME, a pattern of either, or
    # .MEMBER of one struct, where a function or a variable has the same name
    names: list = field(default_factory=list)
    # Names that are there from this patch on, although only later ones use them
    keep: list = field(default_factory=list)
    # Functions that are there from this patch on, and exported
    exports: list = field(default_factory=list)
    without: list = field(default_factory=list)
    words: list = field(default_factory=list)
    # Entry of MAINTAINERS
    maintainers: str = ""
    # Change of code that is not of this tree, as a mail
    change: Path | None = None


@dataclass
class Series:
    name: str
    title: str
    prefix: str
    letter: str
    patches: list


def of_change(series, path, maintainers=""):
    """Makes a patch of a mail with a change of code that is not of this tree."""
    head, body = path.read_text().split("\n\n", 1)
    subject = re.search(r"^Subject: \[PATCH\] (.*(?:\n .*)*)", head, re.M)[1]
    return Patch(series, " ".join(subject.split()), body.split("\n---\n", 1)[0],
                 maintainers=maintainers, change=path)


def load(path, changes):
    """Reads the recipe of a series; changes of other code are in the folder `changes`."""
    data = tomllib.loads(path.read_text())
    patches = [of_change(path.stem, changes / entry["change"], entry.get("maintainers", ""))
               if "change" in entry else
               Patch(path.stem, entry["subject"], entry["message"].strip(),
                     entry.get("files", "").split(), entry.get("names", "").split(),
                     entry.get("keep", "").split(), entry.get("exports", "").split(),
                     [Without(**without) for without in entry.get("without", [])],
                     [Words(**words) for words in entry.get("words", [])],
                     entry.get("maintainers", ""))
               for entry in data["patch"]]
    return Series(path.stem, data["title"], data["prefix"], data["letter"], patches)


@functools.cache
def stem(path):
    """Returns net/queue for kernel/net/queue.c."""
    folder, name = place(path)
    return f"{folder.rpartition('/')[2]}/{re.sub(r'[.][ch]$', '', name)}"


@functools.cache
def place(path):
    """Returns (folder, name)."""
    folder, _, name = path.rpartition("/")
    return folder, name


class States:
    """The states of {path: text} after each patch of a list of patches."""

    def __init__(self, files, patches):
        self.files, self.patches = files, patches
        self.parsed, self.cuts, self.remarks, self.idle = {}, {}, [], set()
        self.place()
        self.full = {path: self.cut(path, files[path], set(), set(), set()) for path in files
                     if is_code(path)}
        full = self.full.values()
        self.used = set().union(*(cut.uses for cut in full))
        self.set = set().union(*(cut.sets for cut in full))
        self.read = set().union(*(cut.reads for cut in full))
        self.words = set().union(*(cut.parsed.words for cut in full))
        self.names = set().union(*(re.findall(r"\w+", COMMENT.sub("", files[path]))
                                   for path in self.full))
        self.owners = {}
        for cut in full:
            for path, struct, member in cut.structs():
                self.owners.setdefault(member, []).append((path, struct))
        self.check_names()
        self.check_without()

    # ---- The recipe against the tree ------------------------------------

    def place(self):
        """Finds the patch that adds each file."""
        self.adds = {}
        for number, patch in enumerate(self.patches):
            for wanted in patch.files:
                found = [path for path in self.files
                         if stem(path) == wanted or path.endswith(f"/{wanted}")]
                if not found:
                    raise RecipeProblem(f"{patch.series}: {patch.subject}: there is no file "
                                        f"{wanted}")
                for path in found:
                    if path in self.adds:
                        raise RecipeProblem(f"{path} is added twice: {patch.subject}")
                    self.adds[path] = number
        left = sorted(set(self.files) - set(self.adds))
        if left:
            raise RecipeProblem(f"no patch adds {' '.join(left)}")

    def check_names(self):
        for patch in self.patches:
            for name in patch.names + patch.keep + patch.exports:
                if not self.expand(name):
                    raise RecipeProblem(f"{patch.series}: {patch.subject}: there is no name {name}")
            for name in patch.names:
                owners = self.owners.get(name[1:], ()) if name.startswith(".") else ()
                if len(owners) > 1 or any(WHOLE.search(path) for path, _ in owners):
                    raise RecipeProblem(
                        f"{patch.series}: {patch.subject}: {name} is a member of " +
                        " and ".join(f"struct {struct} of {path}" for path, struct in owners))

    def check_without(self):
        """Code that is replaced is there once, after the replacements of later patches."""
        for number, patch in enumerate(self.patches):
            for without in patch.without:
                if not any(self.text(path, number).count(without.code) == 1
                           for path in self.of_stem(patch, without.file)):
                    raise RecipeProblem(
                        f"{patch.series}: {patch.subject}: {without.file} does not have this "
                        f"code, or twice:\n{without.code}")

    def of_stem(self, patch, name):
        """Returns the files of a stem, or the one with a suffix."""
        found = [path for path in self.files if stem(path) == name or path.endswith("/" + name)]
        if not found:
            raise RecipeProblem(f"{patch.series}: {patch.subject}: there is no file {name}")
        return found

    def expand(self, name):
        """Returns the names of the tree that an entry means, as (stem or None, name)."""
        place, _, name = name.lstrip(".").rpartition(":")
        words = self.words
        if place:
            words = set().union(*(self.parse(path, self.files[path]).words
                                  for path in self.files if stem(path) == place))
        return [(place or None, word) for word in
                (fnmatch.filter(words, name) if "*" in name else {name} & words)]

    # ---- States ----------------------------------------------------------

    def parse(self, path, text):
        if (path, text) not in self.parsed:
            self.parsed[path, text] = Parsed(path, text, bool(WHOLE.search(path)))
        return self.parsed[path, text]

    def cut(self, path, text, gone, members, absent):
        parsed = self.parse(path, text)
        key = (path, text, frozenset(gone & parsed.words), frozenset(members & parsed.words),
               frozenset(absent))
        if key not in self.cuts:
            self.cuts[key] = Cut(parsed, gone & parsed.words, members & parsed.words, absent)
        return self.cuts[key]

    def text(self, path, number):
        """Returns the text of a file with the replacements of the patches after a state."""
        text = self.files[path]
        for patch in reversed(self.patches[number + 1:]):
            for without in patch.without:
                if stem(path) == without.file or path.endswith("/" + without.file):
                    text = text.replace(without.code, without.instead, 1)
            for words in patch.words if is_code(path) else ():
                text = words.replace(text)
        return text

    def later(self, number):
        """Returns the names of the recipe that come after a state, those of one file, and
        members."""
        everywhere, of_file, members = set(), {}, set()
        for patch in self.patches[number + 1:]:
            for entry in patch.names:
                for place, name in self.expand(entry):
                    if place:
                        of_file.setdefault(place, set()).add(name)
                    elif entry.startswith("."):
                        members.add(name)
                    else:
                        everywhere.add(name)
        return everywhere, of_file, members

    def after(self, number):
        """Returns {path: text} after the patch of a number."""
        self.remarks, self.idle = [], set()
        if number == len(self.patches) - 1:
            return dict(self.files)
        texts = {path: self.text(path, number) for path in self.files
                 if self.adds[path] <= number}
        exports = {name for patch in self.patches[:number + 1] for name in patch.exports}
        keep = exports | {name for patch in self.patches[:number + 1] for entry in patch.keep
                          for _, name in self.expand(entry)}
        gone = Gone(*self.later(number))
        for path in self.files:
            if path not in texts and is_code(path):
                gone.absent.add(path)
        live, remarks = {}, []
        for path, text in texts.items():
            if is_code(path):
                whole = self.cut(path, text, set(), set(), set())
                for name in whole.live - whole.declared:
                    live.setdefault(name, set()).add(path)
        for path in gone.absent:
            gone.add(path, self.cut(path, self.files[path], set(), set(), set()).live, live)
        while True:
            cuts = {path: self.cut(path, text, gone.names(path), gone.members_of(path),
                                   gone.headers(path))
                    for path, text in texts.items() if is_code(path)}
            # Later rounds lose the names that a remark of this one is about
            remarks += [(path, *remark) for path, cut in cuts.items() for remark in cut.remarks]
            if not self.drop(cuts, gone, keep, exports):
                break
        problems = sorted(set().union(*(cut.problems for cut in cuts.values())))
        if problems:
            raise RecipeProblem("\n".join([
                f"without what follows \"{self.patches[number].subject}\":", *problems]))
        self.remarks = sorted({text for path, inside, text in remarks
                               if not inside or set(inside) & cuts[path].live})
        self.idle = self.idle_members(cuts)
        done = {path: text for path, text in texts.items() if not is_code(path)} | \
            self.include({path: cut for path, cut in cuts.items() if path not in gone.absent})
        self.idle |= self.unknown(done)
        return done

    def unknown(self, texts):
        """Returns a remark for each name of the tree that only a comment of a state has."""
        found, words, comments = set(), set(), {}
        for path, text in texts.items():
            if is_code(path):
                comments[path] = " ".join(COMMENT.findall(text))
                words |= set(re.findall(r"\w+", COMMENT.sub("", text)))
        for path, text in comments.items():
            named = set(re.findall(r"\b(?:ornic|ORNIC)_\w*\w\b(?!\.ko)", text))
            for name in named & self.names - words:
                if not WHOLE.search(path):
                    found.add(f"{path}: a comment names {name}, which is not there")
        return found

    def include(self, cuts):
        """Returns {path: text} without the lines of headers that only the tree has a use for."""
        texts, known = {path: cut.text for path, cut in cuts.items()}, {}

        def provides(path, files):
            """Returns the names of a header, and of those that it includes."""
            key = path, files is cuts
            if key not in known:
                cut = files[path]
                known[key] = cut.live
                for header in INCLUDE.findall(cut.text):
                    for other in self.headers_of(path, header):
                        known[key] = known[key] | (provides(other, files) if other in files
                                                   else set())
            return known[key]

        def uses(path, text, header, files):
            body = re.sub(r"#include [^\n]*", "", COMMENT.sub("", text))
            if header in HEADERS:
                return HEADERS[header].search(body)
            # A header may be included for the sake of those that include it
            return path.endswith(".h") or any(provides(other, files) & set(re.findall(r"\w+", body))
                       for other in self.headers_of(path, header) if other in files)

        for path, text in texts.items():
            if text == self.files[path] or WHOLE.search(path):
                continue
            for header in INCLUDE.findall(text):
                if uses(path, self.files[path], header, self.full) and \
                        not uses(path, text, header, cuts):
                    texts[path] = re.sub(rf'#include [<"]{re.escape(header)}[>"]\n', "",
                                         texts[path], count=1)
            texts[path] = tidy(re.sub(r"\*/\n\n#include", "*/\n#include", texts[path]).split("\n"))
        return texts

    def headers_of(self, path, name):
        """Returns the files that a name in a line of #include may mean."""
        return [other for other in (f"{place(path)[0]}/{name}", f"{SHARED}/{name}")
                if other in self.files]

    def idle_members(self, cuts):
        """Returns a remark for each member that nothing sets in a state, or nothing reads."""
        cuts = [cut for cut in cuts.values() if not cut.parsed.whole]
        sets = set().union(*(cut.sets for cut in cuts))
        reads = set().union(*(cut.reads for cut in cuts))
        found = set()
        for cut in cuts:
            for member in cut.live_members - cut.arrays:
                if member in reads - sets and member in self.set:
                    found.add(f"{cut.parsed.path}: {member}: nothing sets it")
                if member in sets - reads and member in self.read:
                    found.add(f"{cut.parsed.path}: {member}: nothing reads it")
        return found

    def drop(self, cuts, gone, keep, exports):
        """Adds names that cuts have dropped, and those without a use. Returns false if there are
        none."""
        before = gone.size()
        uses, live = {}, {}
        for path, cut in cuts.items():
            folder = place(path)[0]
            uses.setdefault(folder, set()).update(cut.uses)
            for name in cut.live - cut.declared:
                live.setdefault(name, set()).add(path)
        unused = self.used - set().union(*uses.values()) - keep
        alive = set().union(*(cut.live_members for cut in cuts.values()))
        for path, cut in cuts.items():
            # A symbol is exported when another module has a use for it, or before by the recipe
            elsewhere = set().union(*(names for folder, names in uses.items()
                                      if folder != place(path)[0]))
            gone.folders[None] |= {f"export {name}"
                                   for name in cut.parsed.exports - elsewhere - exports}
            if not cut.parsed.whole:
                gone.add_members(path, (cut.dead_members - alive) | (cut.live_members & unused))
            gone.add(path, cut.dead, live)
            if not cut.parsed.whole:
                gone.add(path, cut.live & unused, {})
                if not cut.live - {guard(path)}:
                    gone.absent.add(path)
        return gone.size() != before


class Gone:
    """Names, members and files that a state does not have."""

    def __init__(self, everywhere, of_file, members):
        # Names by folder; those of all folders have the key None
        self.folders, self.of_file = {None: everywhere}, of_file
        self.members, self.absent = {None: members}, set()

    def size(self):
        return len(self.absent) + \
            sum(map(len, [*self.folders.values(), *self.members.values()]))

    def add(self, path, names, live):
        """Adds names of a file, everywhere unless a file of `live`, {name: paths}, has the same."""
        folder = place(path)[0]
        for name in names:
            others = live.get(name, set()) - {path}
            if not others:
                self.folders[None].add(name)
            if all(place(other)[0] not in (folder, SHARED) for other in others):
                self.folders.setdefault(folder, set()).add(name)

    def add_members(self, path, names):
        """Adds members of a file, in its folder, or everywhere for a file that all include."""
        folder = place(path)[0]
        self.members.setdefault(None if folder == SHARED else folder, set()).update(names)

    def members_of(self, path):
        return self.members[None] | self.members.get(place(path)[0], set())

    def names(self, path):
        return self.folders[None] | self.folders.get(place(path)[0], set()) | \
            self.of_file.get(stem(path), set())

    def headers(self, path):
        """Returns the names of the headers that a file cannot include."""
        return {name for folder, name in map(place, self.absent)
                if folder in (place(path)[0], SHARED)}


def guard(path):
    return re.sub(r"\W", "_", place(path)[1]).upper()


def is_code(path):
    return path.endswith((".c", ".h"))
