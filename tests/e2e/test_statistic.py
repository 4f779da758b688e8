# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Hardware counters per port and per QP (`rdma statistic`), and resource dumps of QPs, CQs and
MRs."""

import json

import pytest
from settings import Traffic, counters, wait_until
from statistic import of_port, of_qps, qp_numbers, rdma

# Counters of a QP, ORNIC_QP_STATS
OF_QP = {"tx_packets", "tx_bytes", "rx_packets", "rx_bytes", "retransmits", "rnr_naks_received",
         "seq_naks_received", "ack_timeouts"}


@pytest.fixture
def traffic(pair):
    traffic = Traffic(pair)
    yield traffic
    traffic.kill()


def test_qp(pair, traffic):
    """The counter of a manually bound QP begins at 0 and grows, and the port's counters lose
    nothing."""
    vm = pair.a
    port = pair.ornic[vm]
    (lqpn,) = qp_numbers(vm, port)
    before = of_port(vm, port)
    device = counters(pair.card, 0, "rdma")
    vm.check(f"rdma statistic qp bind link {port.device}/1 lqpn {lqpn}")
    (first,) = of_qps(vm, port)
    assert first["lqpn"] == [lqpn]
    assert OF_QP <= first.keys() and "rx_icrc_errors" not in first
    # Nothing that the QP had sent before
    now = counters(pair.card, 0, "rdma")
    assert first["tx_bytes"] <= now["tx_bytes"] - device["tx_bytes"]
    wait_until("the counter moves", lambda: of_qps(vm, port)[0]["tx_bytes"] > first["tx_bytes"])
    while_bound = of_port(vm, port)
    vm.check(f"rdma statistic qp unbind link {port.device}/1 cntn {first['cntn']}")
    assert of_qps(vm, port) == []
    after = of_port(vm, port)
    traffic.kill()
    end = of_port(vm, port)
    # The port's counters are the card's, whether QPs are bound or not
    truth = counters(pair.card, 0, "rdma")
    for name in ("tx_packets", "tx_bytes", "rx_packets", "rx_bytes"):
        assert before[name] <= while_bound[name] <= after[name] <= end[name], name
        assert end[name] == truth[name], name


def test_destroyed_qp(pair, traffic):
    """The port keeps the counts of a QP that is destroyed while it is bound."""
    vm = pair.a
    port = pair.ornic[vm]
    (lqpn,) = qp_numbers(vm, port)
    vm.check(f"rdma statistic qp bind link {port.device}/1 lqpn {lqpn}")
    wait_until("the counter moves", lambda: of_qps(vm, port)[0]["tx_packets"])
    traffic.kill()
    wait_until("no QP", lambda: not qp_numbers(vm, port))
    assert of_qps(vm, port) == []
    end, truth = of_port(vm, port), counters(pair.card, 0, "rdma")
    assert {name: end[name] for name in OF_QP} == {name: truth[name] for name in OF_QP}


def test_qps_by_rule(pair):
    """In automatic mode every QP of a type gets a counter."""
    vm = pair.a
    port = pair.ornic[vm]
    vm.check(f"rdma statistic qp set link {port.device}/1 auto type on")
    try:
        traffic = Traffic(pair)
        (counter,) = of_qps(vm, port)
        assert counter["lqpn"] == qp_numbers(vm, port)
        wait_until("the counter moves", lambda: of_qps(vm, port)[0]["tx_packets"])
        traffic.kill()
    finally:
        vm.check(f"rdma statistic qp set link {port.device}/1 auto off")


def test_performance_management(pair):
    """ports/1/counters, which node_exporter and telegraf read, has what the card has counted, data
    in words of 32 bits."""
    vm = pair.a
    port = pair.ornic[vm]

    def values():
        lines = vm.check(f"cd /sys/class/infiniband/{port.device}/ports/1/counters && grep . *")
        return {name: int(value) for name, value in
                (line.split(":") for line in lines.splitlines())}

    before, start = values(), counters(pair.card, 0, "rdma")
    traffic = Traffic(pair)
    traffic.kill()
    after, truth = values(), counters(pair.card, 0, "rdma")
    assert truth["tx_bytes"] >= start["tx_bytes"] + (1 << 16)
    for name, of_card, unit in (("xmit_data", "tx_bytes", 4), ("rcv_data", "rx_bytes", 4),
                                ("xmit_packets", "tx_packets", 1),
                                ("rcv_packets", "rx_packets", 1)):
        assert before[f"port_{name}"] == start[of_card] // unit, name
        assert after[f"port_{name}"] == truth[of_card] // unit, name
    assert after["port_rcv_errors"] == truth["rx_icrc_errors"] + truth["rx_malformed"]


def test_resources(pair, traffic):
    """Detailed dumps of QPs, CQs and MRs have the driver's state, and raw ones of QPs the card's
    answer, struct ornic_qp_attr."""
    vm = pair.a
    port = pair.ornic[vm]

    def dump(kind):
        return [entry for entry in rdma(vm, f"-dd resource show {kind}") if "pid" in entry]

    (qp,) = dump("qp")
    assert qp["drv_qpn"] == qp["lqpn"]
    wait_until("the queue moves", lambda: dump("qp")[0]["drv_sq_ci"] != qp["drv_sq_ci"])
    (raw,) = rdma(vm, f"-r resource show qp link {port.device}/1 lqpn {qp['lqpn']}")
    assert len(raw["data"]) == 128
    assert qp["state"] == "RTS" and raw["data"][0] == 3
    assert int.from_bytes(raw["data"][16:20], "little") == qp["rqpn"]
    assert all("drv_arm" in cq and "drv_ci" in cq for cq in dump("cq"))
    assert all(mr["drv_pages"] for mr in dump("mr"))


def test_keys_are_for_administrators(pair, traffic):
    """Each user may dump MRs, but not their keys, by which a peer reaches the memory."""
    words = "rdma -j -dd resource show mr"

    def keys(command):
        regions = [mr for mr in json.loads(pair.a.check(command)) if "pid" in mr]
        assert regions
        return [name for mr in regions for name in mr if "key" in name]

    assert keys(words)
    assert not keys(f"setpriv --reuid=65534 --regid=65534 --clear-groups {words}")
