# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Commits of the states, and the mailboxes of the series, made by git."""

import collections
import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

# Its definitions have no smaller parts
UNLIMITED = re.compile(r"/ornic_hw")


class Repository:
    """A repository of only those files of Linux that the series changes."""

    def __init__(self, path, author, date):
        self.path = Path(path)
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        name, mail = re.fullmatch(r"(.*) <(.*)>", author).groups()
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.path), "LC_ALL": "C.UTF-8",
                    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        for role in ("AUTHOR", "COMMITTER"):
            self.env |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": mail,
                         f"GIT_{role}_DATE": date}
        self.git("init", "-q", "-b", "series")

    def git(self, *argv, stdin=None):
        run = subprocess.run(["git", *argv], cwd=self.path, env=self.env, input=stdin, text=True,
                             capture_output=True, check=False)
        if run.returncode:
            raise RuntimeError(f"git {argv[0]}: {run.stderr}")
        return run.stdout

    def commit(self, files, message):
        """Commits a state, {path: text}, and returns the name of the commit."""
        for path in self.git("ls-files").split():
            if path not in files:
                (self.path / path).unlink()
        for place, text in files.items():
            path = self.path / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-F", "-", stdin=message)
        return self.git("rev-parse", "HEAD").strip()

    def files(self):
        """Returns {path: text} of the last commit."""
        return {path: self.git("show", f"HEAD:{path}")
                for path in self.git("ls-tree", "-r", "--name-only", "HEAD").split()}

    def added(self, commit):
        """Returns the lines that a commit adds outside of files without a limit."""
        return sum(int(line.split("\t")[0])
                   for line in self.git("show", "--numstat", "--format=", commit).splitlines()
                   if line and not UNLIMITED.search(line))

    def mailbox(self, series, base, end, path):
        """Writes the patches between two commits, after a cover letter."""
        text = self.git("format-patch", "--stdout", "--cover-letter", "--no-signature",
                        f"--subject-prefix={series.prefix}", f"{base}..{end}")
        text = text.replace("*** SUBJECT HERE ***", series.title, 1)
        text = text.replace("*** BLURB HERE ***", series.letter.strip(), 1)
        path.write_text(text)


def flicker(before, after, last):
    """Yields (path, number) of the lines that a patch removes and the last state has again."""
    def count(text):
        # A brace is put behind a condition when a second statement depends on it
        return collections.Counter(line.removesuffix(" {") for line in text.split("\n"))

    for path in before.keys() & last.keys():
        lost = (count(before[path]) & count(last[path])) - count(after.get(path, ""))
        if lost.total():
            yield path, lost.total()


def wrap(message):
    """Returns the message with lines of at most 75 columns, which git shows indented."""
    return "\n\n".join(paragraph if paragraph.startswith(" ") else textwrap.fill(paragraph, 75)
                       for paragraph in message.strip().split("\n\n"))
