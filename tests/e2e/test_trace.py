# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A refused call leaves its reason in a log, and the trace events of the drivers show the life of a
session. The tests read both as an administrator does: the log of libibverbs, dynamic debug, and
tracefs. `ornicctl trace` joins these events with those of the cards."""

import contextlib
import json
import re
import signal
import subprocess

from lab import paths, trace_events
from lab.perftest import pingpong
from ptp import phc, ptp_device
from settings import cases_of, fail, wait_until

TRACING = "/sys/kernel/tracing"
DEBUG = "/proc/dynamic_debug/control"
# A line of the trace: task-pid [cpu] flags time: event: text
LINE = re.compile(r"^\s*(?P<task>.+)-\d+\s+\[\d+\]\s+\S+\s+[\d.]+: "
                  r"(?P<event>ornic_\w+): (?P<text>.*)$", re.M)
COMMAND = re.compile(r"\S+: (?P<name>\w+) opcode=0x\w+ id=0x\w+ status=(?P<status>-?\d+) "
                     r"duration=(?P<ns>\d+) ns")
QP = re.compile(r"\S+: qpn=(?P<qpn>0x\w+) (?P<rest>.*)")

ORNICCTL = paths.TOP / "scripts/user/ornicctl"
MESSAGES = 20
# Reads of the clock before and after the messages; the shortest one counts
READS = 20

# {case of guest/refused.c: words of the driver}
BY_DRIVER = {
    "qp_timeout": r"timeout 32 is not from 0 to 31",
    "qp_transition": r"qp\[\d+\]: type 2, state 0 to 3: mask 0x1 is not allowed",
    "srq_size": r"SRQ max_wr (\d+) is not from 1 to (\d+)",
}
# {case of guest/refused.c: words of the provider}
BY_PROVIDER = {
    "cq_flags": r"CQ flags 0x100: 0x100 is not supported, only 0x3",
}


def refused(vm, port, programs, cases, environment=""):
    vm.check(f"{environment} {programs}/refused {port.device} {port.gid_index} {' '.join(cases)}")


@contextlib.contextmanager
def explained(vm):
    """Turns the debug messages of the verbs driver on."""
    vm.check(f"echo module ornic_rdma +p >{DEBUG}")
    try:
        yield
    finally:
        vm.check(f"echo module ornic_rdma -p >{DEBUG}")


@contextlib.contextmanager
def traced(vm):
    """Records the trace events of both modules. Yields a function that returns them as matches of
    LINE."""
    vm.check(f"mountpoint -q {TRACING} || mount -t tracefs tracefs {TRACING}")
    vm.check(f"echo >{TRACING}/trace; for d in ornic ornic_rdma; do "
             f"echo 1 >{TRACING}/events/$d/enable; done")
    try:
        yield lambda: list(LINE.finditer(vm.check(f"cat {TRACING}/trace")))
    finally:
        # The events of a module that is gone are gone, too
        vm.run(f"for d in ornic ornic_rdma; do echo 0 >{TRACING}/events/$d/enable; done; "
               f"echo >{TRACING}/trace")


def test_all_cases():
    assert cases_of("refused") == [*BY_DRIVER, *BY_PROVIDER]


def test_driver_explains(pair, guest_programs):
    """A refused call leaves its reason in the kernel's log once debug messages are on, and nothing
    before."""
    vm, port = pair.a, pair.ornic[pair.a]

    def explanations():
        log = vm.dmesg()
        return [len(re.findall(rf"\b{port.device}: {words}", log)) for words in BY_DRIVER.values()]

    before = explanations()
    refused(vm, port, guest_programs, BY_DRIVER)
    assert explanations() == before
    with explained(vm):
        refused(vm, port, guest_programs, BY_DRIVER)
    assert explanations() == [number + 1 for number in before]


def test_provider_explains(pair, guest_programs):
    """A call that libornic refuses leaves its reason in the file that VERBS_LOG_FILE names."""
    vm, port = pair.a, pair.ornic[pair.a]
    log = "/tmp/refused.log"
    vm.check(f"rm -f {log}")
    refused(vm, port, guest_programs, BY_PROVIDER, f"VERBS_LOG_LEVEL=1 VERBS_LOG_FILE={log}")
    text = vm.check(f"cat {log}")
    for words in BY_PROVIDER.values():
        assert re.search(rf"^{port.device}: \w+:\d+: {words}$", text, re.M), text


def test_session(pair):
    """The trace of ibv_rc_pingpong has the commands of its objects, each with a duration, and its
    QP from creation through all states to the end."""
    vm = pair.a
    with traced(vm) as trace:
        pingpong(pair, pair.ornic)
        lines = [line for line in trace() if line["task"] == "ibv_rc_pingpong"]

    commands = [COMMAND.fullmatch(line["text"]) for line in lines if line["event"] == "ornic_cmd"]
    assert all(commands), [line[0] for line in lines]
    assert all(command["status"] == "0" and int(command["ns"]) for command in commands)
    names = [command["name"] for command in commands]
    life = ["CREATE_MR", "CREATE_CQ", "CREATE_QP", "MODIFY_QP", "MODIFY_QP", "MODIFY_QP",
            "DESTROY_QP", "DESTROY_CQ", "DESTROY_MR"]
    assert [name for name in names if name in life] == life

    qps = [(line["event"], QP.fullmatch(line["text"])) for line in lines
           if line["event"].startswith("ornic_qp_")]
    assert len({qp["qpn"] for _, qp in qps}) == 1
    assert [(event, qp["rest"]) for event, qp in qps] == [
        ("ornic_qp_create", "type=2"),
        ("ornic_qp_state", "RESET -> INIT error=0"),
        ("ornic_qp_state", "INIT -> RTR error=0"),
        ("ornic_qp_state", "RTR -> RTS error=0"),
        ("ornic_qp_destroy", "type=2"),
    ]


def test_event(pair, guest_programs):
    """The trace names asynchronous events, and completions are not in it."""
    vm, port = pair.a, pair.ornic[pair.a]
    with traced(vm) as trace:
        vm.check(f"{guest_programs}/event {port.device} {port.gid_index} comm_est", 90)
        lines = trace()
    events = [line["text"] for line in lines if line["event"] == "ornic_event"]
    assert any(re.fullmatch(r"\S+: QP_COMM_EST num=0x\w+", event) for event in events), events
    assert all(re.fullmatch(r"\S+: [A-Z_]+ num=0x\w+", event) for event in events), events


def test_failure(pair):
    """The trace has the failure of the card with its reason, and then the reset that ends it."""
    vm = pair.a
    with traced(vm) as trace:
        fail(pair, vm)
        lines = [line for line in trace() if line["event"] in ("ornic_fail", "ornic_reset")]
    assert [line["event"] for line in lines] == ["ornic_fail", "ornic_reset"]
    assert re.fullmatch(r"\S+: device reports fatal error \d+", lines[0]["text"])
    assert re.fullmatch(r"\S+: error=0", lines[1]["text"])


@contextlib.contextmanager
def recorded(card, path):
    """Runs `ornicctl trace` for the cards of a process."""
    process = subprocess.Popen([ORNICCTL, "-s", card.control_path, "trace", path])
    try:
        wait_until("the trace", lambda: card.stats()["trace"]["running"])
        yield
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 0
    finally:
        process.kill()
        process.wait()


def traced_pingpong(pair, path):
    """Traces ibv_rc_pingpong in the cards and in both guests; returns the traces of the guests."""
    clocks = {vm: ptp_device(vm, pair.ornic[vm]) for vm in pair.vms}

    def read_clocks():
        for vm, ptp in clocks.items():
            phc(vm, ptp, "get " * READS)

    with traced(pair.a), traced(pair.b), recorded(pair.card, path):
        for vm in pair.vms:
            vm.check(f"echo mono >{TRACING}/trace_clock")
        read_clocks()
        pingpong(pair, pair.ornic, options=f"-n {MESSAGES}")
        read_clocks()
        return [vm.check(f"cat {TRACING}/trace") for vm in pair.vms]


def test_one_axis(pair):
    """ornicctl shows each message of ibv_rc_pingpong at both ends, and the guests' commands at the
    right times among them."""
    path = pair.lab.logdir / "trace.json"
    words = []
    try:
        for number, text in enumerate(traced_pingpong(pair, path)):
            guest = pair.lab.logdir / f"trace-{number}.txt"
            guest.write_text(text)
            words += ["--guest", f"nic{number}={guest}"]
    finally:
        for vm in pair.vms:
            vm.check(f"echo local >{TRACING}/trace_clock")
    subprocess.run([ORNICCTL, "trace", *words, path], check=True)
    document = json.loads(path.read_text())
    phases = trace_events.check(document)
    assert document["otherData"]["lost_events"] == 0

    sends = {pid: [event for event in phases["b"] if event["name"] == "SEND" and
                   event["pid"] == pid] for pid in (1, 2)}
    # rdma_cm and neighbours have messages of their own, on other QPs
    qpns = {pid: max((event["tid"] for event in each), key=[event["tid"] for event in each].count)
            for pid, each in sends.items()}
    for pid, each in sends.items():
        each[:] = [event for event in each if event["tid"] == qpns[pid]]
        assert len(each) == MESSAGES
        assert all(event["args"]["status"] == "SUCCESS" for event in each)
    arrows = [(start["pid"], end["pid"]) for start, end in zip(phases["s"], phases["f"])
              if start["tid"] == qpns[start["pid"]]]
    assert arrows.count((1, 2)) >= 2 * MESSAGES <= arrows.count((2, 1))
    stages = {one["stage"]: one["count"] for one in document["otherData"]["histograms"]
              if one["card"] == "nic0" and one["qpn"] == qpns[1]}
    assert stages["all"] == stages["wait for ACK"] == stages["complete"] == MESSAGES

    for guest, pid in zip(document["otherData"]["guests"], (1, 2), strict=True):
        check_guest(phases, guest["clock_error_ns"] / 1000, pid + 1000, pid, qpns[pid])


def check_guest(phases, error, guest, pid, qpn):
    """The QP is in RTS before its first message and destroyed after its last event, and the clocks
    agree as well as they should."""
    assert 0 < error < 1000
    events = [event for event in phases["i"] if event["pid"] == guest and
              f" qpn={qpn:#x} " in event["args"]["text"]]
    at = {event["args"]["text"].split(" ", 2)[2]: event["ts"] for event in events
          if event["name"] == "ornic_qp_state"}
    first = min(event["ts"] for event in phases["b"]
                if event["pid"] == pid and event["tid"] == qpn)
    last = max(event["ts"] + event["dur"] for event in phases["X"]
               if event["pid"] == pid and event["tid"] == qpn)
    assert at["RTR -> RTS error=0"] < first + error
    destroyed, = (event["ts"] for event in events if event["name"] == "ornic_qp_destroy")
    assert destroyed > last - error
