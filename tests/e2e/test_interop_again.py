# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The cases rc_pingpong and rc_packets of test_interop.py pass 200 times in a row beside two busy
loops. This finds failures that need a busy host and occur once in twenty runs, such as an ACK that
is lost because the program at the other end has ended [ORNIC-QP-13]."""

import pytest
from lab.perftest import ProgramFailed, pingpong
from settings import DIRECTIONS, roles

TIMES = 200
PINGPONGS = ["-n 100", "-n 100 -e"]
PACKETS = ["-m 256 -s 10007 -n 30", "-m 4096 -s 10007 -n 30"]
CASES = [*PINGPONGS, *PACKETS]
# TIMES runs of each of the two, divided among both directions and two sets of options
RUNS = TIMES // (2 * len(PINGPONGS))

pytestmark = pytest.mark.long


@DIRECTIONS
@pytest.mark.parametrize("options", CASES)
def test_again(interop, client, options):
    """Programs that end as soon as they have received their last message pass in every run."""
    for run in range(1, RUNS + 1):
        try:
            pingpong(roles(interop, client), interop.ornic, options=options, timeout=120)
        except ProgramFailed as error:
            pytest.fail(f"run {run} of {RUNS}: {error}", pytrace=False)
