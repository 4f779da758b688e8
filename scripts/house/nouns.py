# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One noun has one file stem in drivers, provider and card. Functions of ornic.ko are named for
their file."""

import re
from pathlib import Path

PARTS = ("kernel/net/", "kernel/rdma/", "user-provider/", "tests/device/")
# {stem of the noun: other words for it}. A stem may go on, as in qp_kernel and qp_modify. Not nouns
# of this table: admin, the queue of commands on the card; xrc, the transport of XRC.
NOUNS = {
    "ah": ("av", "addr", "address"),
    "clock": ("ptp", "phc", "timestamp"),
    "cmd": ("command", "aq"),
    "comp_cntr": ("comp_counter", "completion_counter", "event_counter"),
    "counters": ("counter", "counter_set"),
    "cq": ("compq", "completion"),
    "doorbell": ("db", "dbell"),
    "eq": ("event_queue", "ceq", "aeq"),
    "flow": ("rule", "steering", "filter"),
    "gid": ("gids", "gid_table"),
    "mcast": ("mcg", "multicast", "group"),
    "mr": ("region", "memory_region", "mkey"),
    "mw": ("window", "memory_window"),
    "pd": ("domain", "protection"),
    "qp": ("queue_pair", "qpair"),
    "ring": ("rings", "queue_ring"),
    "rwq_table": ("rwq", "rwqt", "ind_table", "indirection"),
    "srq": ("shared_rq", "xrc_srq"),
    "stats": ("statistics", "hw_stats"),
    "uctx": ("ucontext", "user_context", "context", "uar"),
    "wq": ("work_queue", "rwqueue"),
    "wqe": ("work_request_entry",),
    "wr": ("work_request",),
    "xrcd": ("xrc_domain",),
}
OTHERS = {other: noun for noun, others in NOUNS.items() for other in others}
# Functions of these folders begin with ornic_, the stem of their file, and perhaps a plural's s
NAMED_FOR_FILE = ("kernel/net/",)
FUNCTION = re.compile(r"^(?!typedef\b)[a-z](?:[\w *\n]|__attribute__\(\(\w+\)\))*?"
                      r"\b(?!__attribute__)(\w+)\([^;{}]*\)\n{", re.M)
# {stem of a file: other functions}
OTHER_FUNCTIONS = {
    # Operations of struct pci_driver, and their helpers
    "main": r"ornic_\w+",
    # One subject, with a name for each of its parts; the interface between the modules is named for
    # its structures
    "health": r"ornic_(fail|dev_fail|reset(_\w+)?|recovery_\w+)",
    "res": r"ornic_pd_(alloc|free)",
    # The counterpart of ornic_start(), and the auxiliary device
    "start": r"ornic_(stop(_device)?|adev_\w+)",
}


def noun_stems(files):
    """No file stem begins with another word for a noun of the table."""
    for name, _text in files:
        if not name.startswith(PARTS) or not name.endswith((".c", ".h")):
            continue
        stem = Path(name).stem
        if any(re.match(rf"{noun}(_|$)", stem) for noun in NOUNS):
            continue
        for other, noun in OTHERS.items():
            if re.match(rf"{other}(_|$)", stem):
                yield f"{name}: the other parts call this {noun}, not {other}"


def function_names(files):
    """A function is named for its file, so that a backtrace says where it is."""
    for name, text in files:
        if not name.startswith(NAMED_FOR_FILE) or not name.endswith(".c"):
            continue
        stem = Path(name).stem
        right = re.compile(rf"ornic_{stem}s?(_\w+)?|{OTHER_FUNCTIONS.get(stem, '$')}")
        for match in FUNCTION.finditer(text):
            if not right.fullmatch(match[1]):
                line = text.count("\n", 0, match.start(1)) + 1
                yield f"{name}:{line}: {match[1]}() does not begin with ornic_{stem}_"
