# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Counters of errors and requests. guest/counted.c provokes known numbers of them, and the counters
are read under the names that users see: `rdma statistic` and ethtool -S (hardware interface,
section 16)."""

import json
import re

import pytest
from settings import CASE_SECONDS, cases_of

# {case of guest/counted.c: {counter: increase}}. Counters of RDMA and DEVICE that a case does not
# name must not change, except MAY_GROW.
CASES = {
    "unknown_qp": {"rx_unknown_qp": 2, "ack_timeouts": 2, "retransmits": 1, "retries_exceeded": 1},
    "wrong_path": {"rx_wrong_path": 1, "ack_timeouts": 1, "retries_exceeded": 1},
    "datagrams": {"rx_qkey_errors": 2, "rx_no_wqe": 2, "rx_length_errors": 1, "rx_sends": 1},
    "remote_access": {"remote_access_errors": 1, "bad_rkey": 1},
    "invalid_request": {"remote_invalid_requests": 1},
    "receiver_not_ready": {"rnr_naks_sent": 3, "rnr_naks_received": 3, "retransmits": 2,
                           "rnr_retries_exceeded": 1},
    "out_of_sequence": {"rx_out_of_sequence": 1, "seq_naks_sent": 1, "ack_timeouts": 1,
                        "retries_exceeded": 1},
    "duplicate": {"rx_duplicate_requests": 1},
    "requests": {"rx_write_requests": 3, "rx_read_requests": 4, "rx_atomic_requests": 5,
                 "rx_sends": 6},
    # The smallest CQ has room for 16
    "cq_overrun": {"cq_overruns": 1, "rx_write_requests": 17},
    "command_refused": {"commands_refused": 1},
}

# All counters of the RDMA scope except packets and bytes, and those counters of the device's scope
# that count violations and errors.
RDMA = {
    "rx_icrc_errors", "rx_malformed", "rx_unknown_qp", "rx_wrong_path", "rx_duplicate_requests",
    "rx_out_of_sequence", "rnr_naks_sent", "rnr_naks_received", "seq_naks_sent",
    "seq_naks_received", "remote_access_errors", "remote_invalid_requests", "ack_timeouts",
    "retransmits", "retries_exceeded", "rnr_retries_exceeded", "rx_write_requests",
    "rx_read_requests", "rx_atomic_requests", "rx_sends", "rx_qkey_errors", "rx_no_wqe",
    "rx_length_errors", "rx_cnps",
}
DEVICE = {
    "commands_refused", "bad_register_access", "bad_doorbell_page", "bad_doorbell_type",
    "bad_doorbell_queue", "bad_sq_pi", "bad_rq_pi", "bad_wqe_opcode", "bad_wqe_count", "bad_lkey",
    "bad_rkey", "dma_faults", "cq_overruns", "eq_overruns",
}


# Messages of connection management, which earlier programs may still cause, are SENDs
MAY_GROW = "rx_sends"


def test_all_cases():
    assert cases_of("counted") == list(CASES)


# Prints the counters as users see them
READ = "echo @@ counters; rdma -j statistic show link {device}/1; ethtool -S {netdev}"


def values(text):
    """Returns the counters in the output of READ; each name must exist."""
    of_rdma = json.JSONDecoder().raw_decode(text.lstrip())[0][0]
    of_netdev = dict(re.findall(r"^\s+(\w+): (\d+)$", text, re.M))
    return {name: of_rdma[name] for name in RDMA} | \
        {name: int(of_netdev[f"device_{name}"]) for name in DEVICE}


@pytest.fixture(scope="module")
def counted(pairs, guest_programs):
    """{case: (its output, counters that it has changed)}, from one call of the guest."""
    pair = pairs.get("stock", "stream")
    port = pair.ornic[pair.a]
    read = READ.format(device=port.device, netdev=port.netdev)
    program = f"{guest_programs}/counted {port.device} {port.gid_index}"
    output = pair.a.check("; ".join([read, *(f"{program} {case}; {read}" for case in CASES)]),
                          CASE_SECONDS * len(CASES))
    parts = output.split("@@ counters\n")[1:]
    read = [values(part) for part in parts]
    return {case: (part, {name: after[name] - before[name] for name in after
                          if after[name] != before[name]})
            for case, part, before, after in zip(CASES, parts, read, read[1:])}


@pytest.mark.parametrize("case", CASES)
def test_counter(pair, counted, case):
    """A case changes exactly the counters listed for it, and MAY_GROW at least as listed;
    guest/counted.c describes the case."""
    output, moved = counted[case]
    assert f"@@ {case}: exit 0\n" in output
    moved, expected = dict(moved), dict(CASES[case])
    assert moved.pop(MAY_GROW, 0) >= expected.pop(MAY_GROW, 0)
    assert moved == expected
