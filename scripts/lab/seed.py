# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The seed of the tests' random numbers. It is the same in each run, so that failures can be
reproduced, unless the environment has ORNIC_SEED; tests/unit/lib/unit.h reads it too."""

import os
import random

NAME = "ORNIC_SEED"


def seed():
    return int(os.environ.get(NAME, "1"))


def any_seed():
    """Returns ORNIC_SEED, after setting it to a random number if it is not set, so that a run can
    find new failures. All programs that are started later inherit it."""
    return os.environ.setdefault(NAME, str(random.SystemRandom().randrange(2, 1 << 31)))
