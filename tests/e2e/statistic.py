# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Reads `rdma statistic` of a VM."""

import json


def rdma(vm, words):
    return json.loads(vm.check(f"rdma -j {words}") or "[]")


def of_port(vm, port):
    return rdma(vm, f"statistic show link {port.device}/1")[0]


def of_qps(vm, port):
    return rdma(vm, f"statistic qp show link {port.device}/1")


def qp_numbers(vm, port):
    """Returns the numbers of QPs of processes."""
    return [entry["lqpn"] for entry in rdma(vm, f"resource show qp link {port.device}/1")
            if "pid" in entry]
