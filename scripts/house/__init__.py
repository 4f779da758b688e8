# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks of the rules in CONTRIBUTING.rst that compilers and linters do not know. A check takes the
files of the tree as (name, text) and yields a line for each violation."""

from .commits import commit_messages
from .nouns import function_names, noun_stems
from .refusals import cold_refusals
from .source import spdx_lines
from .statics import private_functions
from .style import forbidden_forms, full_stops, line_widths

# By the names that `python3 -m house` and scripts/static use
CHECKS = {
    "spdx": spdx_lines,
    "refusals": cold_refusals,
    "nouns": noun_stems,
    "names": function_names,
    "statics": private_functions,
    "columns": line_widths,
    "stops": full_stops,
    "words": forbidden_forms,
    "commits": commit_messages,
}
