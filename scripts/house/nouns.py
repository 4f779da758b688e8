# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One noun has one file stem in drivers, provider and card."""

import re
from pathlib import Path

PARTS = ("kernel/net/", "kernel/rdma/", "user-provider/", "tests/device/")
# {stem of the noun: other words for it}. A stem may go on, as in flow_spec and qp_modify.
NOUNS = {
    "ah": ("av", "addr", "address"),
    "clock": ("ptp", "phc", "timestamp"),
    "cmd": ("command", "admin", "aq"),
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
    "xrcd": ("xrc", "xrc_domain"),
}
OTHERS = {other: noun for noun, others in NOUNS.items() for other in others}


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
