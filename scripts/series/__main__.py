# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""usage: python3 -m series check
       python3 -m series mail TARGET SOURCE OUTPUT
       python3 -m series place TARGET SOURCE TREE [NUMBER]
       python3 -m series spread LINUX TREE [NUMBER...]

check: makes each state, and finds what has no use at the end of a series. mail: writes a mailbox
per series. place: writes the last state to a tree, or that after a patch. spread: writes the
folders of all states to a tree of Linux, or of some, side by side, and prints them, so that one
make builds all. TARGET is linux or rdma-core, and SOURCE its source, which the series is for.
"""

import itertools
import re
import subprocess
import sys
from pathlib import Path

from . import core, mail, places, states

RECIPE = Path(__file__).parent / "recipe"
CHANGES = places.TOP / "scripts/upstream/patches"
# By target: its module, the folder of changes, and its series in the order of their states
TARGETS = {
    "linux": (places, CHANGES, (
        "net-next", "rdma-fixes", "rdma-next", "net-tso", "net-moderation", "net-xdp",
        "net-ntuple", "net-ptp", "rdma-wq", "rdma-more", "net-checks", "net-trace")),
    "rdma-core": (core, CHANGES / "rdma-core", ("rdma-core",)),
}


def bench(letter, top=places.TOP):
    """Fills in tables of Documentation/bench.rst: {bench HEADING}."""
    text = (top / "Documentation/bench.rst").read_text()

    def table(match):
        found = re.search(rf"^{match[1]}\n=+\n.*?^::\n\n(.*?)\n\n(?=\S)", text, re.S | re.M)
        if not found:
            raise states.RecipeProblem(f"Documentation/bench.rst has no {match[1]}")
        return found[1]
    return re.sub(r"\{bench ([\w ]+)\}", table, letter)


def head(top=places.TOP):
    """Returns (author, date) of the commits: those of MAINTAINERS and of the tree."""
    author = re.search(r"^M:\t(.*)$", (top / "MAINTAINERS").read_text(), re.M)[1]
    run = subprocess.run(["git", "-c", "safe.directory=*", "-C", top, "log", "-1", "--format=%cI"],
                         capture_output=True, text=True, check=False)
    return author, run.stdout.strip() or "2026-01-01T00:00:00Z"


def spans(numbers):
    """Yields 3-5 for 3, 4, 5."""
    for _, group in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        first, *_, last = [number for _, number in group] * 2
        yield str(first) if first == last else f"{first}-{last}"


class Series:
    """All series over a source of a target."""

    def __init__(self, target, source):
        self.target, self.source = target, source
        self.places, changes, names = TARGETS[target]
        self.series = [states.load(RECIPE / f"{name}.toml", changes) for name in names]
        self.patches = [patch for series in self.series for patch in series.patches]
        self.states = states.States(self.places.read_tree(), self.patches)

    def placed(self, number):
        done = self.patches[:number + 1]
        return self.places.placed(self.states.after(number), self.source,
                                  [patch.maintainers for patch in done if patch.maintainers],
                                  [patch.change for patch in done if patch.change])

    def base(self):
        """Returns the files of the target that the series changes."""
        last = self.placed(len(self.patches) - 1)
        return {place: (Path(self.source) / place).read_text() for place in last
                if (Path(self.source) / place).exists()}

    def mail(self, output):
        output = Path(output)
        repository = mail.Repository(output / self.target, *head())
        base = self.base()
        commits = [repository.commit(base, f"{self.target}, the files that the series changes")]
        remarks, before, last = {}, base, self.placed(len(self.patches) - 1)
        for number, patch in enumerate(self.patches):
            files = base | self.placed(number)
            for text in [*self.states.remarks, *self.states.idle]:
                remarks.setdefault(text, []).append(number)
            for place, lines in mail.flicker(before, files, last):
                remarks[f"{place}: {lines} lines go and come back later"] = [number]
            before = files
            commits.append(repository.commit(files, f"{patch.subject}\n\n"
                                                    f"{mail.wrap(patch.message)}\n"))
            added = repository.added(commits[-1])
            print(f"{number:3} {patch.series:12} {added:5} lines  {patch.subject}" +
                  (f", more than {self.places.MAX_LINES} lines"
                   if added > self.places.MAX_LINES else ""))
        if repository.files() != base | last:
            raise states.RecipeProblem("the sum of the patches is not the tree")
        at = 0
        for series in self.series:
            end = at + len(series.patches)
            series.letter = bench(series.letter)
            repository.mailbox(series, commits[at], commits[end], output / f"{series.name}.mbox")
            if len(series.patches) > self.places.MAX_PATCHES:
                print(f"{series.name}: more than {self.places.MAX_PATCHES} patches")
            at = end
        print(*[f"{text}: {', '.join(spans(at))}" for text, at in sorted(remarks.items())],
              f"{len(self.series)} mailboxes in {output}: their sum is the tree. "
              "The person who submits them adds Signed-off-by.", sep="\n")


def main(argv):
    try:
        if argv == ["check"]:
            for target in TARGETS:
                series = Series(target, None)
                ends = {patch.series: number for number, patch in enumerate(series.patches)}
                for number, patch in enumerate(series.patches):
                    print(number, patch.series, patch.subject, len(series.states.after(number)))
                    if series.states.idle and ends[patch.series] == number:
                        raise states.RecipeProblem("\n".join([f"at the end of {patch.series}:",
                                                              *sorted(series.states.idle)]))
        elif argv[:1] == ["mail"] and len(argv) == 4:
            Series(*argv[1:3]).mail(argv[3])
        elif argv[:1] == ["place"] and len(argv) in (4, 5):
            series = Series(*argv[1:3])
            number = int(argv[4]) if argv[4:] else len(series.patches) - 1
            series.places.write(series.placed(number), argv[3])
        elif argv[:1] == ["spread"] and len(argv) >= 3:
            series = Series("linux", argv[1])
            for number in map(int, argv[3:] or range(len(series.patches))):
                for folder in places.spread(series.placed(number), argv[2], number):
                    print(folder)
        else:
            sys.exit(__doc__)
    except (states.RecipeProblem, places.PlaceProblem) as problem:
        sys.exit(f"series: {problem}")


if __name__ == "__main__":
    main(sys.argv[1:])
