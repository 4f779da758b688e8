# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Drivers and provider log the reason of each refusal: the statement before it is a message, or its
condition calls a function that logs. EXCEPTIONS has the refusals without one that were reviewed."""

import re

from .nouns import FUNCTION
from .source import C_TOKEN

FOLDERS = ("kernel/net/", "kernel/rdma/", "user-provider/")
NUMBER = re.compile(r"\bE(INVAL|OPNOTSUPP|NOTSUP|BUSY|RANGE|PERM)\b")
MESSAGES = {"dev_dbg", "dev_err", "ibdev_dbg", "ibdev_dbg_ratelimited", "netdev_dbg",
            "NL_SET_ERR_MSG_MOD", "NL_SET_ERR_MSG_FMT_MOD", "ornic_refuse", "verbs_err"}
# Logs which bits it refuses
ASKED = re.compile(r"\bornic_(check_bits|ethtool_has_queue)\(")
COMPARED = re.compile(r"[=!]=\s*-?$")
# The statement of a refusal, up to its number
STATEMENT = re.compile(r"(?:return\s+(?:ERR_PTR\()?|[\w.>\[\]*-]+\s*=\s*)-?$")
POSTING = "the data path: posting and polling log nothing"
# {functions: why they have no message}
EXCEPTIONS = {
    # kernel/rdma
    r"ornic_(put|post)_\w+|ornic_ib_post_(send|recv)": POSTING,
    r"ornic_mr_access": "posting uses it, too; its caller for verbs logs the flags",
    r"ornic_ib_map_mr_sg": "the data path: kernel consumers call it for each I/O",
    r"ornic_wc_opcode|ornic_qp_event_type": "no answer to a consumer: an unknown number of the "
                                            "device, which the caller handles",
    r"ornic_spec_header": "not reached: the table of specifications has no other type",
    r"ornic_pbl_levels": "not reached: MRs are checked before, and rings are smaller",
    # kernel/net
    r"ornic_cmd_start": "WARN_ON_ONCE() says what is wrong, and a message names the command",
    r"ornic_cmd_errno": "a status of the device, which ornic_cmd_exec() logs",
    r"ornic_dbuf_alloc": "callers have checked the sizes of their rings",
    r"ornic_tx_prepare|ornic_tx_xdp|ornic_xdp_xmit": "the data path: dropped frames are counted",
    r"ornic_uctx_alloc": "the caller logs that there is no doorbell page",
    r"ornic_ethtool_[gs]et_rxnfc|ornic_ethtool_get_sset_count|ornic_config_bpf":
        "an operation that the driver does not have; there is no value to explain",
    r"ornic_ethtool_rxfh_bits": "the caller that refuses logs the flow type",
    # user-provider
    r"ornic_(build|rq|wr)_\w+|ornic_cq_begin_poll": POSTING,
}



def plain(text):
    """Returns C code without comments and the contents of strings, in the same lines."""
    return C_TOKEN.sub(lambda match: "\n" * match[0].count("\n") if match["comment"] else '""',
                       text.replace("\\\n", " \n"))


def call_at_end(code):
    """Returns (what is before, name, arguments) of the call, or the condition, that ends a piece of
    code. Returns three empty strings if it does not end with one."""
    depth = 0
    for i in range(len(code) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(code[i], 0)
        if not depth:
            break
    found = re.search(r"(\w+)\s*$", code[:i]) if code.endswith(")") else None
    return (code[:found.start()].rstrip(), found[1], code[i:]) if found else ("", "", "")


def is_cold(before):
    """Tells whether no message explains a refusal with this code before its number."""
    statement = STATEMENT.search(before)
    if not statement:
        return not COMPARED.search(before)
    before = before[:statement.start()].rstrip()
    if before.endswith(";"):
        start, name, _ = call_at_end(before[:-1].rstrip())
        return name not in MESSAGES or not start.endswith(("{", "}", ";", ":"))
    _, name, condition = call_at_end(before.removesuffix("{").rstrip())
    return name != "if" or not ASKED.search(condition)


def cold_refusals(files):
    """Each refusal has a message, or is an exception."""
    used = set()
    files = [(name, plain(text)) for name, text in files
             if name.startswith(FOLDERS) and name.endswith((".c", ".h"))]
    for name, code in files:
        functions = [(match.start(), match[1]) for match in FUNCTION.finditer(code)]
        for number in NUMBER.finditer(code):
            if not is_cold(code[:number.start()]):
                continue
            function = max((one for one in functions if one[0] < number.start()),
                           default=(0, ""))[1]
            found = [names for names in EXCEPTIONS if re.fullmatch(names, function)]
            used.update(found)
            if not found:
                line = code.count("\n", 0, number.start()) + 1
                yield f"{name}:{line}: {function}() refuses with {number[0]} and no message"
    for functions in EXCEPTIONS if files else ():
        if functions not in used:
            yield f"refusals.py: no cold refusal in {functions}: remove the exception"
