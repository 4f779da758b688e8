# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Drivers and provider log the reason of each refusal. Coccinelle finds those without a message
(refusals.cocci); EXCEPTIONS has the ones that were reviewed."""

import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from .source import C_TOKEN

RULE = Path(__file__).with_name("refusals.cocci")
FOLDERS = ("kernel/net/", "kernel/rdma/", "user-provider/")
NUMBER = re.compile(r"\bE(INVAL|OPNOTSUPP|NOTSUP|BUSY|RANGE|PERM)\b")
POSTING = "the data path: posting and polling log nothing"
# {functions: why they have no message}
EXCEPTIONS = {
    # kernel/rdma
    r"ornic_(put|post)_\w+|ornic_ib_post_(send|recv)": POSTING,
    r"ornic_mr_access": "posting uses it, too; its caller for verbs logs the flags",
    r"ornic_ib_map_mr_sg": "the data path: kernel consumers call it for each I/O",
    r"ornic_wc_opcode|ornic_qp_event_type": "no answer to a consumer: an unknown number of the "
                                            "device, which the caller handles",
    r"ornic_flow_header": "not reached: the table of specifications has no other type",
    r"ornic_pbl_levels": "not reached: MRs are checked before, and rings are smaller",
    # kernel/net
    r"ornic_cmd_start": "WARN_ON_ONCE() says what is wrong, and a message names the command",
    r"ornic_cmd_errno": "a status of the device, which ornic_cmd_exec() logs",
    r"ornic_dbuf_alloc": "callers have checked the sizes of their rings",
    r"ornic_num_add": "the caller reports that the device gave a number twice",
    r"ornic_tx_prepare|ornic_tx_xdp|ornic_xdp_xmit": "the data path: dropped frames are counted",
    r"ornic_uctx_alloc": "the caller logs that there is no doorbell page",
    r"ornic_ethtool_[gs]et_rxnfc|ornic_ethtool_get_sset_count|ornic_config_bpf":
        "an operation that the driver does not have; there is no value to explain",
    r"ornic_ethtool_rxfh_bits": "the caller that refuses logs the flow type",
    # user-provider
    r"ornic_(build|rq|wr)_\w+|ornic_cq_begin_poll": POSTING,
}


def numbers(text):
    """Returns how many error numbers of refusals a C file has outside of comments and strings."""
    return len(NUMBER.findall(C_TOKEN.sub("", text)))


def coccinelle(files):
    """Returns the lines that Coccinelle prints for these files."""
    with tempfile.TemporaryDirectory() as top:
        for name, text in files:
            path = Path(top) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        argv = ["spatch", "--very-quiet", "--no-includes", "--include-headers", "--sp-file", RULE]
        output = subprocess.run([*argv, "--dir", top], text=True, check=True,
                                capture_output=True).stdout
    return [line.replace(f"{top}/", "").split() for line in output.splitlines()]


def cold_refusals(files):
    """Each refusal has a message, or is an exception."""
    files = [(name, text) for name, text in files
             if name.startswith(FOLDERS) and name.endswith((".c", ".h")) and numbers(text)]
    lines, used = coccinelle(files), set()
    seen = Counter(name for kind, name, *_ in lines if kind == "every")
    for name, text in files:
        if seen[name] != numbers(text):
            yield f"{name}: Coccinelle sees {seen[name]} of {numbers(text)} error numbers"
    for kind, name, line, *rest in lines:
        if kind == "cold":
            found = [functions for functions in EXCEPTIONS if re.fullmatch(functions, rest[0])]
            used.update(found)
            if not found:
                yield f"{name}:{line}: {rest[0]}() refuses with {rest[1]} and no message"
    for functions in EXCEPTIONS if files else ():
        if functions not in used:
            yield f"refusals.py: no cold refusal in {functions}: remove the exception"
