# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Issue: "at least 166 of its 219 device-reachable generic tests run and pass, none fails; every
skip is one that needs ODP, device memory, DMA handles or tag matching"."""

from pathlib import Path

import pytest
from lab import rdma_core

MUST_PASS = Path(__file__).with_name("rdma-core-tests.list")
# Those of other vendors' own features say only that this is no such device.
VENDORS = ("test_mlx5", "test_efa")
# Those that may be skipped, for the card has no such feature, or the machine no GPU and no encrypted
# memory.
FEATURES_TO_COME = ("test_odp.", ".DMTest.", "_dm", "DeviceMemory", "test_dmah.", "DmaHandle",
                    "test_tag_matching.")
ENVIRONMENT = ("DmaBuf", "test_cuda_dmabuf.", "_on_bounce_device")


def must_pass():
    lines = MUST_PASS.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.slow
def test_rdma_core(pair, record_property):
    """Unmodified, on the card: none fails, and none that passed is lost."""
    outcomes = rdma_core.run(pair.a, pair.ornic[pair.a])
    ours = [o for o in outcomes if not any(name in o.test for name in VENDORS)]
    report = [f"skipped: {o.test.removeprefix('tests.')}: {o.why}"
              for o in ours if o.result == "skipped"]
    report += [f"{sum(o.result == result for o in ours)} {result}"
               for result in ("passed", "failed", "skipped")]
    record_property("report", report)
    failed = [f"{o.test}:\n{o.why}" for o in outcomes if o.result == "failed"]
    assert not failed, "\n".join(failed)
    passed = {o.test.removeprefix("tests.") for o in ours if o.result == "passed"}
    lost = [name for name in must_pass() if name not in passed]
    assert not lost, f"passed once and do not now: {lost}"
    needless = [o.test for o in ours if o.result == "skipped"
                and not any(name in o.test for name in FEATURES_TO_COME + ENVIRONMENT)]
    assert not needless, f"skipped without need: {needless}"
