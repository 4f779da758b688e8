# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A card without ORNIC_CAPS_SHADOW, as silicon may be: every send and every arming rings a
doorbell."""

import pytest
from lab.perftest import pingpong, rping
from settings import counters

pytestmark = pytest.mark.full


@pytest.mark.parametrize("transport, options", [("rc", ""), ("rc", "-e"), ("ud", "-n 100"),
                                                ("ud", "-e -n 100")])
def test_pingpong(plain_pair, transport, options):
    before = counters(plain_pair.card)["doorbells"]
    pingpong(plain_pair, plain_pair.ornic, transport, options)
    assert counters(plain_pair.card)["doorbells"] >= before + 100


def test_rping(plain_pair):
    rping(plain_pair, plain_pair.ornic, count=10)
