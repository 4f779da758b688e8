# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The number with which tests begin their random numbers. It is the same in each run, so that what
fails fails again, but where ORNIC_SEED in the environment says other; tests/unit/unit.h reads it,
too."""

import os
import random

NAME = "ORNIC_SEED"


def seed():
    return int(os.environ.get(NAME, "1"))


def any_seed():
    """A number for a run that looks for what no run before has met, or the one that is set. It is
    that of all programs that this one starts from now on."""
    return os.environ.setdefault(NAME, str(random.SystemRandom().randrange(2, 1 << 31)))
