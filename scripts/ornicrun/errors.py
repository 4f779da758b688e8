# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The one exception of machines and cards: something outside the tested program went wrong."""


class RunError(Exception):
    """The first line says what failed; more may name the log to read."""
