# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Each function that writes an index or an arm word, and then reads what the device writes, has a
full fence ([ORNIC-DB-35], [ORNIC-DB-27], [ORNIC-ADM-19]). Without it an event or a doorbell is lost,
but so rarely that no run of a program shows it. So this reads the code that the compiler has made
for x86."""

import re
import subprocess

import pytest
from lab import paths

PROVIDER = "rdma-core-56.1/build/lib/libornic-rdmav*.so"
# A process exchanges the index, which is cheaper than the mb() of the kernel
EXCHANGE, MB = r"\txchg +%(?:e\w\w|r\d+d),[^%]*\(%", r"\tmfence"
# The fence and its number in each function
FENCES = {
    PROVIDER: (EXCHANGE, {
        "ornic_req_notify_cq": 1, "ornic_wr_post_rc": 1, "ornic_wr_post_ud": 1,
        "ornic_wr_post_eth": 1, "ornic_wr_complete": 1, "ornic_wr_complete_to": 1,
    }),
    "stock/ornic_rdma.ko": (MB, {"ornic_ib_req_notify_cq": 1, "ornic_ib_post_send": 1}),
    # The poll arms two CQs
    "stock/ornic.ko": (MB, {"ornic_queue_poll": 2, "ornic_eq_poll": 2, "ornic_cmdq_submit": 1}),
}


@pytest.mark.parametrize("binary", FENCES)
def test_fences(binary):
    """The functions have at least as many fences."""
    [path] = paths.BUILD.glob(binary)
    fence, wanted = FENCES[binary]
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True,
                          capture_output=True, text=True).stdout
    functions = dict(re.findall(r"^\w+ <([\w.]+)>:\n(.*?)(?:\n\n|\Z)", code, re.M | re.S))
    missing = {name: found for name, least in wanted.items()
               if (found := len(re.findall(fence, functions[name]))) < least}
    assert not missing, missing
