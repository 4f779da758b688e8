# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The messages of commits: a prefix and an imperative sentence, a body, and no signature."""

import re

from lab.git import git

from .source import TOP

PREFIXES = ("RDMA/ornic", "net/ornic", "libornic", "device", "tests", "lab", "scripts",
            "Documentation", "build")
PREFIX = "(?:" + "|".join(PREFIXES) + ")"
SUBJECT = re.compile(rf"{PREFIX}(?:, {PREFIX})*: (?P<verb>\S+) .*[^.]")
# Endings that no imperative has, and verbs that have them nevertheless
NO_IMPERATIVE = re.compile(r"\w+(ed|ing|[^s]s)$")
IMPERATIVES = {"Bring", "Feed", "Need", "String", "Embed", "Proceed", "Exceed"}
# Only a person who submits the change adds this line
SIGNED = re.compile(r"^Signed-off-by:", re.M | re.I)


def faults(subject, body):
    """Yields the faults of a message."""
    found = SUBJECT.fullmatch(subject)
    if not found:
        yield f"the subject is not \"PREFIX: Verb ...\" with one of {', '.join(PREFIXES)}"
    elif not found["verb"][0].isupper():
        yield f"\"{found['verb']}\" begins without a capital"
    elif NO_IMPERATIVE.match(found["verb"]) and found["verb"] not in IMPERATIVES:
        yield f"\"{found['verb']}\" is no imperative"
    if not body.strip():
        yield "no body with the reason"
    if SIGNED.search(body):
        yield "Signed-off-by: the person who submits adds it"


def commit_messages(_files, top=TOP):
    """Commits that are not in origin/main, or the last 20, have good messages."""
    main = git("rev-parse", "--verify", "-q", "origin/main", top=top)
    new = [f"{main}..HEAD"] if main else ["-n", "20"]
    log = git("log", "--no-merges", "--format=%h%x00%s%x00%b%x01", *new, top=top)
    for record in (log or "").split("\x01"):
        if record.strip():
            commit, subject, body = record.strip("\n").split("\0")
            for fault in faults(subject, body):
                yield f"{commit} \"{subject}\": {fault}"
