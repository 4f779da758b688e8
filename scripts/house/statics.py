# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Functions of drivers and provider that only their own file uses are static."""

import re
from collections import Counter

from .nouns import FUNCTION
from .source import C_TOKEN

PARTS = ("kernel/", "user-provider/")
# Tests use functions as other files do
USERS = (*PARTS, "tests/kunit/", "tests/provider/", "tests/unit/")


def private_functions(files):
    """No other file names such a function, and no header but for its prototype."""
    texts = {name: C_TOKEN.sub(lambda match: "" if match["comment"] else match[0], text)
             for name, text in files if name.startswith(USERS) and name.endswith((".c", ".h"))}
    words = {name: Counter(re.findall(r"\w+", text)) for name, text in texts.items()}
    for name, text in texts.items():
        if not name.startswith(PARTS) or not name.endswith(".c"):
            continue
        for match in FUNCTION.finditer(text):
            function = match[1]
            if not match[0].startswith("static") and \
                    not any(found[function] > other.endswith(".h")
                            for other, found in words.items() if other != name):
                yield f"{name}: only this file uses {function}(), which is not static"
