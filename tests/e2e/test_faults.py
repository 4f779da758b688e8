# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""If the device gives invalid answers or none, the driver reports this once, resets the device, and
no caller hangs. The carrier follows the port. Faults are injected through the control socket."""

import json
import re
import time

import pytest
from lab.pair import find_again
from lab.perftest import pingpong, rping
from settings import (
    RECOVERY, Traffic, bind_again, come_back, complaints, control, counters, fail, inject,
    napi_instances, pci_address, pings, queue_statistics, reset_function, set_up_again, wait_until,
)

# Recoveries within ten minutes after which the driver gives a card up (ORNIC_RECOVERY_BURST)
RECOVERIES = 5
# Seconds within which a program does not hang
HANG = 120
# Seconds in which a device that is not given up would be back
BACK = 10


# A second address in the net of the first ones
OTHER_IP = "10.10.0.99"

# Causes in the register of a card that has stopped (enum ornic_fatal_cause)
CAUSES = {"fatal": 5, "no bus master": 7}
LOG_FATAL = 4  # enum ornic_log_kind


def devlink(pair, vm, words):
    """Returns what devlink prints; {} in the words is the card of a VM."""
    words = words.format(f"pci/{pci_address(vm, pair.ornic[vm].netdev)}")
    return json.loads(vm.check(f"devlink -j {words}", RECOVERY).strip() or "{}")


def reporter(pair, vm, name):
    """Returns what a reporter of health says about itself."""
    [found] = devlink(pair, vm, f"health show {{}} reporter {name}")["health"].values()
    return found[0]


def rdma_index(vm):
    """Returns the number of the RDMA device, which each new device gets anew."""
    [device] = json.loads(vm.check("rdma -j dev"))
    return device["ifindex"]


def recovers(pair, fault, provoke):
    """Checks that the driver resets a device with this fault, reports it once, and works as before
    afterwards."""
    vm = pair.a
    said = len(complaints(vm))
    qps = counters(pair.card, group="objects")["qp"]
    traffic = Traffic(pair)

    def break_down():
        inject(pair, vm, fault)
        provoke(vm)

    come_back(pair, vm, break_down)
    traffic.kill()
    pingpong(pair, pair.ornic)
    rping(pair, pair.ornic, count=5)
    assert counters(pair.card, group="objects")["qp"] == qps
    new = complaints(vm)[said:]
    assert len(new) == 1, new


def open_device(vm):
    """Runs a program that needs a command. It may fail, but it must not hang."""
    assert vm.run("ibv_rc_pingpong -d ornic_0 -g 0 127.0.0.1", HANG)[0] not in (124, 137)


@pytest.mark.parametrize("fault", ["fatal", "no bus master"])
def test_fatal(pair, fault):
    """[ORNIC-RST-7], [ORNIC-PCI-7]. devlink has the cause, the recovery, and the log of the card,
    which the reset leaves ([ORNIC-LOG-2], [ORNIC-LOG-5])."""
    vm = pair.a
    before = reporter(pair, vm, "fw")
    devlink(pair, vm, "health dump clear {} reporter fw")
    recovers(pair, fault, lambda vm: None)
    after = reporter(pair, vm, "fw")
    assert after["state"] == "healthy"
    assert [after[name] - before[name] for name in ("error", "recover")] == [1, 1]
    dump = devlink(pair, vm, "health dump show {} reporter fw")
    assert dump["last_failure"] == f"device reports fatal error {CAUSES[fault]}"
    assert dump["registers"]["fatal_cause"] == CAUSES[fault]
    commands = dump["admin_queue"]["commands"]
    assert commands and all(command["status"] == 0 for command in commands), commands
    # The card was stopped when the dump was made
    assert "log" not in dump
    now = devlink(pair, vm, "health diagnose {} reporter fw")
    assert now["running"] and now["registers"]["fatal_cause"] == 0
    log = now["log"]
    assert log["next"] - log["first"] == len(log["entries"])
    assert all(entry["time"] <= log["time"] and entry["count"] for entry in log["entries"])
    causes = [entry["code"] for entry in log["entries"] if entry["kind"] == LOG_FATAL]
    assert CAUSES[fault] in causes


def test_versions(pair):
    """devlink has the same version as ethtool, that of the interface, and as serial number the GUID
    of the card ([ORNIC-PCI-1])."""
    vm = pair.a
    [info] = devlink(pair, vm, "dev info {}")["info"].values()
    assert info["driver"] == "ornic"
    drvinfo = vm.check(f"ethtool -i {pair.ornic[vm].netdev}")
    running = info["versions"]["running"]
    assert f"firmware-version: {running['fw']}\n" in drvinfo
    assert running["fw.mgmt.api"] == "1.0"
    assert info["versions"]["fixed"] == {"asic.rev": "1"}
    guid = vm.check(f"cat /sys/class/infiniband/{pair.ornic[vm].device}/node_guid").strip()
    assert info["serial_number"].replace("-", "") == guid.replace(":", "")


def test_no_automatic_recovery(pair):
    """With auto_recover off a card that has failed stays down until devlink recovers it."""
    vm = pair.a
    rebind(pair, vm)
    devlink(pair, vm, "health set {} reporter fw auto_recover false")
    vm.expects(r"ornic \S+: device stays down until devlink recovers it")
    said = len(complaints(vm))
    inject(pair, vm, "fatal")
    wait_until("the device is down", lambda: len(complaints(vm)) == said + 2)
    assert json.loads(vm.check("rdma -j dev") or "[]") == []
    assert reporter(pair, vm, "fw")["state"] == "error"
    devlink(pair, vm, "health set {} reporter fw auto_recover true")
    devlink(pair, vm, "health recover {} reporter fw")
    assert reporter(pair, vm, "fw")["state"] == "healthy"
    find_again(pair, vm, RECOVERY)
    pingpong(pair, pair.ornic)
    assert len(complaints(vm)) == said + 2, complaints(vm)[said:]


def test_reload(pair):
    """A reload keeps the netdev with its address, and takes the RDMA device from programs."""
    vm = pair.a
    netdev = pair.ornic[vm].netdev
    index = vm.check(f"cat /sys/class/net/{netdev}/ifindex")
    traffic = Traffic(pair)
    come_back(pair, vm, lambda: devlink(pair, vm, "dev reload {} action driver_reinit"))
    assert vm.check(f"cat /sys/class/net/{netdev}/ifindex") == index
    traffic.kill()
    pingpong(pair, pair.ornic)
    rping(pair, pair.ornic, count=5)
    assert reporter(pair, vm, "fw")["state"] == "healthy"


def completes_wrongly(pair, vm):
    """Has the card give a wrong completion to a queue of the netdev, which sends and receives."""
    vm.expects(r"ornic \S+: queue \d+: completion of (send|receive) .*")
    said = len(complaints(vm))
    control(pair.card, "lie nic0 index.completion,count=1")
    vm.run(f"ping -c 1 -w 5 {pair.ornic[pair.b].ip}")
    wait_until("the driver notices", lambda: len(complaints(vm)) > said)
    control(pair.card, "lie nic0 none")


def recovered(pair, vm):
    """Returns the names of the reporters of queues, each as often as it has had some replaced."""
    return [name for name in ("tx", "rx") for _ in range(reporter(pair, vm, name)["recover"])]


def queues(pair, vm, words, side):
    """Returns what a reporter tells about each queue."""
    found = devlink(pair, vm, f"health {words} {{}} reporter {side}")["queues"]
    return {queue["queue"]: queue for queue in found}


def test_queue_replaced(pair):
    """If a queue of the netdev fails, its reporter has it replaced, and RDMA does not notice. If
    one of the same side fails again soon, the device is reset."""
    vm = pair.a
    rebind(pair, vm)
    device, said = rdma_index(vm), len(complaints(vm))
    completes_wrongly(pair, vm)
    wait_until("the queue is replaced", lambda: recovered(pair, vm))
    [side] = recovered(pair, vm)
    assert pings(vm, pair.ornic[pair.b].ip)
    pingpong(pair, pair.ornic)
    assert rdma_index(vm) == device
    [failed] = [queue for queue in queues(pair, vm, "dump show", side).values() if queue["failed"]]
    now = queues(pair, vm, "diagnose", side)[failed["queue"]]
    assert now["qpn"] != failed["qpn"] and not now["failed"]
    assert len(complaints(vm)) == said + 1

    def is_reset():
        return any("is not replaced" in line for line in complaints(vm)[said:])

    def fails_again():
        while not is_reset():
            number = len(recovered(pair, vm))
            completes_wrongly(pair, vm)
            wait_until("that has an effect",
                       lambda: is_reset() or len(recovered(pair, vm)) > number)
        # The other side may have failed once
        assert len(complaints(vm)) <= said + 4

    vm.expects(r"ornic \S+: queue \d+ has failed, and is not replaced: error -125")
    come_back(pair, vm, fails_again)
    pingpong(pair, pair.ornic)


@pytest.fixture
def queue_flows(taps):
    """Pings from VM `b`, a flow per queue of VM `a`: the queue gets the requests, and sends the
    replies, because its interrupt is for the processor of its number."""
    vm, port, peer = taps.a, taps.ornic[taps.a], taps.ornic[taps.b]
    rebind(taps, vm)
    taps.keep_neighbours()
    taps.b.check(f"ip addr add {OTHER_IP}/24 dev {peer.netdev}")
    flows = []
    for queue, source in enumerate((peer.ip, OTHER_IP)):
        vm.check(f"ethtool -N {port.netdev} flow-type ip4 src-ip {source} action {queue} && "
                 f"echo {1 << queue} >/sys/class/net/{port.netdev}/queues/tx-{queue}/xps_cpus")
        assert pings(vm, source)
        flows.append(taps.b.spawn(f"ping -i 0.02 -I {source} {port.ip}", 300))
    yield flows
    for flow in flows:
        flow.kill("KILL")
        flow.wait()
    taps.b.check(f"ip addr del {OTHER_IP}/24 dev {peer.netdev}")
    rebind(taps, vm)
    taps.keep_neighbours()


def test_queue_replaced_alone(taps, queue_flows, guest_programs):
    """If a queue of the netdev fails, the other one keeps its QP and loses no frame. The new one
    has what the old one had."""
    vm, netdev = taps.a, taps.ornic[taps.a].netdev

    def qpns():
        return [queues(taps, vm, "diagnose", "tx")[queue]["qpn"] for queue in (0, 1)]

    def packets():
        rows = queue_statistics(vm, guest_programs, netdev)
        return {row[:2]: row[3] for row in rows if row[2] == "packets"}

    def wait_flowing():
        before = packets()
        wait_until("all queues are in use",
                   lambda: all(value > before[key] + 10 for key, value in packets().items()))

    wait_flowing()
    said, old = len(complaints(vm)), qpns()
    napi, count = napi_instances(vm, guest_programs, netdev), packets()
    vm.expects(r"ornic \S+: queue \d+: completion of (send|receive) .*")
    control(taps.card, "lie nic0 index.completion,count=1")
    wait_until("the queue is replaced", lambda: recovered(taps, vm))
    control(taps.card, "lie nic0 none")
    wait_flowing()
    assert len(recovered(taps, vm)) == 1 and len(complaints(vm)) == said + 1
    now = qpns()
    [failed] = [queue for queue in (0, 1) if now[queue] != old[queue]]
    assert napi_instances(vm, guest_programs, netdev) == napi
    assert all(value > count[key] for key, value in packets().items())
    other = queue_flows[1 - failed]
    other.kill("INT")
    _, output = other.wait()
    answered = sorted(map(int, re.findall(r"icmp_seq=(\d+) ttl", output)))
    # Behind the last answer, pings may be in flight
    assert answered == list(range(1, len(answered) + 1)) and len(answered) > 20, output


@pytest.mark.full
@pytest.mark.parametrize("fault", ["mute", "nonsense"])
def test_commands_unanswered(pair, fault):
    recovers(pair, fault, open_device)


def rebind(pair, vm):
    bind_again(vm, pci_address(vm, pair.ornic[vm].netdev))
    set_up_again(pair, vm)


def batches(pair, vm, programs):
    """Starts a program that ends with an error as soon as something fails."""
    port = pair.ornic[vm]
    return vm.spawn(f"{programs}/batches {port.device} {port.gid_index} 600 strict")


@pytest.mark.full
def test_giving_up(pair, guest_programs):
    """A device that fails again and again stays down, with one more message, until an administrator
    resets it. Programs on it end with an error, and the card of the other VM goes on working."""
    vm = pair.a
    # The tests before have made the device fail too
    rebind(pair, vm)
    bystander = batches(pair, pair.b, guest_programs)
    for _ in range(RECOVERIES):
        fail(pair, vm)
    qps = counters(pair.card, group="objects")["qp"]
    program = batches(pair, vm, guest_programs)
    wait_until("the program has a QP", lambda: counters(pair.card, group="objects")["qp"] > qps)
    vm.expects(r"ornic \S+: device fails too often, giving up")
    said = len(complaints(vm))
    inject(pair, vm, "fatal")
    wait_until("the driver gives up", lambda: len(complaints(vm)) == said + 2)
    code, output = program.wait(RECOVERY)
    assert code not in (0, 124, 137), output
    time.sleep(BACK)
    assert json.loads(vm.check("rdma -j dev") or "[]") == []
    assert len(complaints(vm)) == said + 2, complaints(vm)[said:]
    assert reporter(pair, vm, "fw")["state"] == "error"
    reset_function(pair, vm)
    find_again(pair, vm, RECOVERY)
    pingpong(pair, pair.ornic)
    assert reporter(pair, vm, "fw")["state"] == "healthy"
    assert bystander.poll() is None, bystander.poll()
    bystander.kill("KILL")
    bystander.wait()
    # The reset has ended the count of failures
    fail(pair, vm)
    pingpong(pair, pair.ornic)


def test_carrier_follows_the_cable(pair):
    vm = pair.a
    port = pair.ornic[vm]

    def carrier():
        return vm.check(f"cat /sys/class/net/{port.netdev}/carrier").strip()

    def state():
        return json.loads(vm.check("rdma -j link"))[0]["state"]

    def times_down():
        path = f"/sys/class/infiniband/{port.device}/ports/1/counters/link_downed"
        return int(vm.check(f"cat {path}"))

    assert carrier() == "1"
    before = times_down()
    control(pair.card, "link nic0 down")
    wait_until("no carrier", lambda: carrier() == "0")
    assert times_down() == before + 1
    wait_until("RDMA port down", lambda: state() == "DOWN")
    control(pair.card, "link nic0 up")
    wait_until("carrier", lambda: carrier() == "1")
    wait_until("RDMA port active", lambda: state() == "ACTIVE")
    find_again(pair, vm)
    pingpong(pair, pair.ornic)
