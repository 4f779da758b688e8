# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ornic-run --self-test: runs the bundle's own RDMA programs between two nodes, and writes a report
with the facts of the machine, which a person can add to an issue."""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from . import host
from .errors import RunError
from .layout import INSIDE
from .session import Session, write_command
from .vm import EMULATION

REPORT = Path("ornic-self-test.txt")
# The bundle's programs, whatever the root tree has
PATH = f"{INSIDE}/bin:{INSIDE}/busybox"
# Seconds after which the guest ends a program
TIMEOUT = 120
# Lines of a log and of a program's output in the report
LINES = 60
# Lines of a console, which shows warnings and errors only, that report a problem
TROUBLE = re.compile(r"^.*(?:BUG:|WARNING:|Oops|NETDEV WATCHDOG|soft lockup|Out of memory:|"
                     r"\] (?:infiniband )?ornic(?!.* taints kernel)).*$", re.M)


@dataclass(frozen=True)
class Step:
    """A command of node0, with `server` on node1, or of both nodes if `everywhere`. `figure` is a
    pattern with one group, which the output must have, and `unit` is what the group is. `loss` is
    the part of a million packets that the switch drops meanwhile."""

    part: str
    name: str
    command: str
    server: str = ""
    figure: str = "()"
    unit: str = ""
    loss: int = 0
    everywhere: bool = False


def connected(part, words, device, figure, unit, more="", loss=0):
    """A program that connects by TCP to its server, which has `more` words."""
    name = words.strip() + (f", {loss // 10000} % loss" if loss else "")
    words += device
    return Step(part, name, f"{words} node1", f"{words} {more}", figure, unit, loss)


def pingpong(part, kind, options="", figure=r"= ([\d.]+) usec/iter", unit="us per round trip",
             **more):
    return connected(part, f"ibv_{kind}_pingpong {options} ",
                     "-d $ORNIC_DEVICE -g $ORNIC_GID_INDEX", figure, unit, **more)


def perftest(part, program, size, iterations, options=""):
    """ACK timeout of 2 s (19), because a peer may get no processor for half a second."""
    # The fourth column is the average bandwidth, the fifth the typical latency
    column, unit = (4, "MiB/s") if program.endswith("_bw") else (5, "us")
    return connected(part, f"{program} -s {size} {options} ",
                     f"-F -n {iterations} -u 19 -d $ORNIC_DEVICE -x $ORNIC_GID_INDEX",
                     rf"(?m)^ *{size} +\d+ +(?:\S+ +){{{column - 3}}}(\S+)", unit)


def rping(part, name, loss=0):
    return Step(part, name, "rping -c -a 10.10.0.2 -C 100 -v -V", "rping -s -C 100 -V",
                "(ping data: rdma-ping-99)", loss=loss)


STEPS = (
    Step("demo", "ping", "ping -c 5 -i 0.2 node1", figure=r" 0% packet loss[^=]*= [\d.]+/([\d.]+)/",
         unit="ms"),
    Step("demo", "ibv_devinfo", "ibv_devinfo -v -d $ORNIC_DEVICE", figure="(PORT_ACTIVE)",
         everywhere=True),
    Step("demo", "rdma link", "rdma link", figure="(ACTIVE physical_state LINK_UP)",
         everywhere=True),
    pingpong("demo", "rc", "-c"),
    pingpong("demo", "rc", "-c -e"),
    pingpong("demo", "ud"),
    rping("demo", "rping"),
    pingpong("suite", "uc", "-c"),
    pingpong("suite", "srq", "-c"),
    pingpong("suite", "xsrq", figure="(success)", unit="", more="-c 1"),
    pingpong("suite", "rc", "-c -N"),
    pingpong("suite", "rc", "-c -s 1048576 -n 20"),
    Step("suite", "udaddy", "udaddy -s 10.10.0.2", "udaddy"),
    Step("suite", "ucmatose", "ucmatose -s 10.10.0.2", "ucmatose"),
    perftest("suite", "ib_atomic_lat", 8, 500),
    perftest("suite", "ib_send_bw", 2048, 1000, "-c UD"),
    perftest("suite", "ib_write_bw", 4096, 200, "-q 16"),
    Step("suite", "ping, large frames", "ping -c 3 -i 0.2 -s 8972 node1",
         figure="( 0% packet loss)"),
    pingpong("suite", "rc", "-c -n 200", loss=10000),
    rping("suite", "rping, 1 % loss", loss=10000),
    *(perftest("bench", f"ib_{name}_lat", 2, 1000) for name in ("send", "write", "read")),
    *(perftest("bench", f"ib_{name}_bw", 65536, 2000) for name in ("send", "write", "read")),
    Step("end", "no QP is left", "! rdma resource show qp | grep -Ev 'type (GSI|SMI)'",
         everywhere=True),
)


class Kept:
    """Keeps the output of a program."""

    def __init__(self):
        self.data = b""

    def feed(self, data):
        self.data += data

    def finish(self):
        pass


@dataclass
class Row:
    part: str
    name: str
    passed: bool
    seconds: float
    # The figure, or why the step failed
    words: str
    output: str = ""


def read(path):
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def first(pattern, text):
    found = re.search(pattern, text, re.M)
    return found[1].strip() if found else "unknown"


def kvm():
    """Returns what the host has of KVM."""
    loaded = [name for name in ("kvm_intel", "kvm_amd") if Path(f"/sys/module/{name}").exists()]
    device = "absent" if not os.path.exists("/dev/kvm") else \
        "usable" if os.access("/dev/kvm", os.R_OK | os.W_OK) else "not permitted"
    return f"modules: {', '.join(loaded) or 'none'}; /dev/kvm: {device}"


def machine_facts():
    """Returns [(name, fact)] of the host: none that tells its name or its user."""
    processor, memory = read("/proc/cpuinfo"), read("/proc/meminfo")
    system = os.uname()
    inside = ", itself virtual" if re.search(r"^flags.*\bhypervisor\b", processor, re.M) else ""
    return [
        ("processor", f"{len(os.sched_getaffinity(0))} x "
                      f"{first(r'^model name.*: (.*)', processor)}{inside}"),
        ("memory", f"{int(first(r'^MemTotal: *([0-9]+)', memory)) >> 10} MiB, "
                   f"{host.free_memory() >> 20} MiB free"),
        ("kernel", f"{system.sysname} {system.release} {system.machine}"),
        ("system", first(r'^PRETTY_NAME="?([^"\n]*)', read("/etc/os-release"))),
        ("KVM", kvm()),
    ]


def listing(rows):
    """Returns lines of a table, whose first column is as wide as it must be."""
    width = max((len(name) for name, _ in rows), default=0)
    return "".join(f"{name:{width}}  {words}\n" for name, words in rows)


def end_of(text):
    return "".join(f"    {line}\n" for line in text.splitlines()[-LINES:])


def report(facts, rows, logs):
    """Returns the text. `facts` has (name, fact), `logs` has (name, text) if a step failed."""
    failed = [row for row in rows if not row.passed]
    verdict = f"FAILED: {len(failed)} of {len(rows)} steps" if failed else \
        f"all {len(rows)} steps passed"
    steps = [(f"{row.part:6} {row.name}", f"{'passed' if row.passed else 'FAILED'} "
              f"{row.seconds:6.1f} s  {row.words}".rstrip()) for row in rows]
    text = f"ornic-run --self-test: {verdict}\n\n{listing(facts)}\n{listing(steps)}"
    for row in failed:
        text += f"\n{row.part} {row.name}: {row.words}\n{end_of(row.output)}"
    return text + "".join(f"\nend of {name}:\n{end_of(log)}" for name, log in logs)


class SelfTest(Session):
    def __init__(self, options, bundle):
        super().__init__(options, bundle)
        options.environment = {"PATH": PATH}
        self.rows = []
        # (node, its two outputs) of each program of this step
        self.programs = []
        self.begin = time.monotonic()

    def run(self):
        """Returns 0 if all steps passed, else 1. A machine that does not work is a failed step."""
        if not os.access(".", os.W_OK):
            raise RunError(f"{REPORT}: the report cannot be written to the current directory")
        try:
            super().run()
        except RunError as error:
            self.note("start", "machines", False, str(error))
        failed = not all(row.passed for row in self.rows)
        if failed:
            super().keep_state()
        REPORT.write_text(report(self.facts(), self.rows, self.logs() if failed else []))
        print(f"ornic-run: the report is {REPORT}", file=sys.stderr)
        return int(failed)

    def keep_state(self):
        """The report of run() has it already."""

    def make_job(self, root, work):
        job = super().make_job(root, work)
        for number, step in enumerate(STEPS):
            write_command(job / f"command{number}", ["sh", "-c", step.command])
            write_command(job / f"server{number}", ["sh", "-c", step.server])
        return job

    def start(self, node, *words, error_only=False):
        pid = node.start(*words, timeout=TIMEOUT)
        self.outputs[node, pid] = Kept(), Kept()
        self.programs.append((node, self.outputs[node, pid]))
        return pid

    def note(self, part, name, passed, words, output=""):
        """Adds a row for what has happened since the row before."""
        now = time.monotonic()
        row = Row(part, name, passed, now - self.begin, words, output)
        self.rows.append(row)
        self.begin = now
        print(f"ornic-run: {part} {name}: {'passed' if passed else 'FAILED'} {words}".rstrip(),
              file=sys.stderr, flush=True)

    def run_command(self):
        self.note("start", "machines", True, "booted")
        for number, step in enumerate(STEPS):
            self.programs = []
            try:
                passed, words = self.run_step(number, step)
            except RunError as error:
                passed, words = False, str(error)
            output = "".join(f"{node.name}:\n{text}" for node, text in self.texts())
            self.note(step.part, step.name, passed, words, output)
            if not all(one.running() for one in (self.card, *self.nodes)):
                return
        self.judge()

    def texts(self):
        """Yields (node, output) of the programs of this step."""
        for node, kept in self.programs:
            if text := b"".join(one.data for one in kept).decode(errors="replace"):
                yield node, text

    def run_step(self, number, step):
        """Returns whether a step passed, and its figure or what is wrong."""
        self.card.control(f"fault loss {step.loss}")
        servers = self.serve(f"server{number}") if step.server else {}
        clients = self.start_on(self.nodes if step.everywhere else self.nodes[:1],
                                f"command{number}")
        codes = self.finish(clients)
        if any(codes):
            for node, pid in servers.items():
                node.ask(f"kill -KILL -{pid}")
        codes += self.finish(servers)
        if any(codes):
            return False, f"exit status {' and '.join(map(str, codes))}"
        found = [re.search(step.figure, text) for node, text in self.texts() if node in clients]
        if not all(found):
            return False, f"the output has no {step.figure}"
        return True, f"{found[0][1]} {step.unit}".strip() if found else ""

    def judge(self):
        """Adds a row for the reports of the kernels, and one for the violations of the hardware
        interface and of vfio-user that the card has counted."""
        lines = [f"{node.name}: {line}" for node in self.nodes
                 for line in TROUBLE.findall(read(node.console_log))]
        self.note("end", "no report of a kernel", not lines, "", "\n".join(lines))
        lines = [f"{name}: {key} {count}" for name, card in self.card.stats()["cards"].items()
                 for key, count in (card["violations"] | card["nic"]["device"]).items()
                 if count and (key in card["violations"] or key.startswith("bad_"))]
        self.note("end", "no violation", not lines, "", "\n".join(lines))

    def facts(self):
        """Returns [(name, fact)] of the host, the machines and the bundle."""
        options = self.options
        accel = {EMULATION: "TCG (emulation)"}.get(self.nodes[0].accel, "KVM") if self.nodes else \
            "none was started"
        return [
            ("date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())), *machine_facts(),
            ("machines", f"{accel}, -c {options.cpus} -m {options.memory}"),
            ("QEMU", self.qemu_version()),
            *(line.split(" ", 1) for line in read(self.bundle.versions).splitlines()),
        ]

    def qemu_version(self):
        try:
            done = subprocess.run([*self.bundle.qemu(), "--version"], capture_output=True,
                                  text=True, check=False)
        except (OSError, RunError) as error:
            return str(error)
        return first("version (.*)", done.stdout)

    def logs(self):
        """Returns [(name, text)] of the logs of a failed run."""
        found = sorted(self.logdir.iterdir()) if self.logdir else []
        return [(path.name, read(path)) for path in found if path.suffix in (".log", ".txt")]
