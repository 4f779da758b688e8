# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks of the rules in CONTRIBUTING.rst that compilers and linters do not know. A check takes the
files of the tree as (name, text) and yields a line for each violation."""

from fnmatch import fnmatch

from .commits import commit_messages
from .layout import full_stops, heads, line_widths
from .nouns import function_names, noun_stems
from .refusals import cold_refusals
from .words import forbidden_forms

# By the names that `python3 -m house` and scripts/static use
CHECKS = {
    "heads": heads,
    "columns": line_widths,
    "stops": full_stops,
    "words": forbidden_forms,
    "refusals": cold_refusals,
    "commits": commit_messages,
    "nouns": noun_stems,
    "names": function_names,
}
# Files that a check does not read yet, because they have violations; * matches folders, too
NOT_YET = {
    "words": ["Documentation/hardware.rst"],
}


def run(name, files):
    """Returns the violations that a check finds."""
    left_out = NOT_YET.get(name, [])
    read = [(file, text) for file, text in files
            if not any(fnmatch(file, pattern) for pattern in left_out)]
    return list(CHECKS[name](read))
