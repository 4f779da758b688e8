# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs the fuzz targets with new inputs, to find what the inputs in the tree do not."""

import pytest
from lab import fuzz

SECONDS = 300


@pytest.mark.long
@pytest.mark.parametrize("target", fuzz.KINDS)
def test_new_inputs(target):
    failure = fuzz.fuzz(target, SECONDS)
    assert failure is None, failure
