# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Virtual machines with a card each, for programs that people run (ornic-run) and for the lab. It
needs nothing but Python's own modules, so that a bundle can have it (bundle.py)."""
