# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Issue: "interop's rc_pingpong and rc_packets pass 200 times in a row beside two busy loops". What
fails in one run of twenty on a busy machine, such as an ACK that is lost because the program at the
other end was done [ORNIC-QP-9], does not fail in a run of its own."""

import pytest
from lab.perftest import ProgramFailed, pingpong
from settings import DIRECTIONS, roles

TIMES = 200
PINGPONGS = ["-n 100", "-n 100 -e"]
PACKETS = ["-m 256 -s 10007 -n 30", "-m 4096 -s 10007 -n 30"]
CASES = [*PINGPONGS, *PACKETS]
# Each of the two in TIMES runs: both directions, both ways.
RUNS = TIMES // (2 * len(PINGPONGS))

pytestmark = pytest.mark.long


@DIRECTIONS
@pytest.mark.parametrize("options", CASES)
def test_again(interop, client, options):
    """Programs that end as soon as they have what they wait for."""
    for run in range(1, RUNS + 1):
        try:
            pingpong(roles(interop, client), interop.ornic, options=options, timeout=120)
        except ProgramFailed as error:
            pytest.fail(f"run {run} of {RUNS}: {error}", pytrace=False)
