# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A refused call leaves its reason in a log, and the trace events of the drivers show the life of a
session. The tests read both as an administrator does: the log of libibverbs, dynamic debug, and
tracefs."""

import contextlib
import re

from lab.perftest import pingpong
from settings import cases_of, fail

TRACING = "/sys/kernel/tracing"
DEBUG = "/proc/dynamic_debug/control"
# A line of the trace: task-pid [cpu] flags time: event: text
LINE = re.compile(r"^\s*(?P<task>.+)-\d+\s+\[\d+\]\s+\S+\s+[\d.]+: "
                  r"(?P<event>ornic_\w+): (?P<text>.*)$", re.M)
COMMAND = re.compile(r"\S+: (?P<name>\w+) opcode=0x\w+ id=0x\w+ status=(?P<status>-?\d+) "
                     r"duration=(?P<ns>\d+) ns")
QP = re.compile(r"\S+: qpn=(?P<qpn>0x\w+) (?P<rest>.*)")

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
