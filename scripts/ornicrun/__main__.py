# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ornic-run: runs a command in virtual machines that have an RDMA card each.
Documentation/ornic-run.1 is the manual page."""

import argparse
import os
import re
import signal
import sys
import time
from pathlib import Path

from .errors import RunError
from .layout import Bundle
from .node import NODES_MAX
from .process import ENDING
from .selftest import SelfTest
from .session import Session

FAULTS = ("loss", "duplicate", "reorder", "delay", "corrupt")
# Exit status if ornic-run itself has failed
FAILED = 125
# Options that --self-test obeys
WITH_SELF_TEST = {"self_test", "command", "memory", "cpus", "accel", "kernel", "modules", "log"}
# Seconds after a first signal without success, from which on a further one counts
PATIENCE = 1
EPILOG = """In a node the command has these variables: ORNIC_NODE, ORNIC_NODES, ORNIC_PEERS (names),
ORNIC_ADDRESS, ORNIC_NETDEV, ORNIC_DEVICE, ORNIC_GID_INDEX, and ORNIC_HOSTFILE (for mpirun)."""


class Ended(BaseException):
    """A signal has ended the run."""


class Signals:
    """Ends a run by an exception, at any place before `closing`."""

    def __init__(self):
        self.number = None
        self.first = 0
        self.closing = False

    def install(self):
        for number in ENDING:
            # nohup and shells have some ignored
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self.handle)

    def handle(self, number, _frame):
        now = time.monotonic()
        if self.number is None:
            self.number, self.first = number, now
        elif now - self.first < PATIENCE:
            return
        if not self.closing:
            raise Ended


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(FAILED, f"ornic-run: {message}; try ornic-run --help\n")


def fault(text):
    name, _, ppm = text.partition("=")
    if name not in FAULTS or not ppm.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not one of {', '.join(FAULTS)} with =PPM")
    return name, int(ppm)


def variable(text):
    name, equals, value = text.partition("=")
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise argparse.ArgumentTypeError(f"{text} is no variable")
    return name, value if equals else os.environ.get(name, "")


def count(most, least=1):
    def convert(text):
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not a number from {least} to {most}")
        return int(text)
    return convert


def absolute(text):
    return Path(os.path.abspath(text))


def parser():
    one = Parser(prog="ornic-run", usage="ornic-run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
                 "       ornic-run --self-test [OPTION]...",
                 description="Runs a command in virtual machines that have an RDMA card each.",
                 epilog=EPILOG, allow_abbrev=False)
    add = one.add_argument
    add("-n", dest="nodes", metavar="N", type=count(NODES_MAX), default=2,
        help=f"machines, node0 and so on: 1 to {NODES_MAX} (2)")
    add("--first", metavar="N", type=count(NODES_MAX - 1, 0), default=0,
        help="number of the first one, where --port leads to those of another ornic-run (0)")
    add("--all", action="store_true", help="run the command on all nodes, not on the first only")
    add("--server", metavar="TEXT",
        help="shell command for the other nodes; the command starts when they listen")
    add("-m", dest="memory", metavar="SIZE", default="1G", help="memory of each machine (1G)")
    add("-c", dest="cpus", metavar="N", type=count(64), default=1, help="processors of each (1)")
    add("-e", dest="environment", metavar="NAME[=VALUE]", type=variable, action="append",
        default=[], help="a variable for the command")
    add("--root", metavar="DIR", default="/", help="root tree of the machines (/)")
    add("--fault", dest="faults", metavar="KIND=PPM", type=fault, action="append", default=[],
        help=f"of a million packets: {', '.join(FAULTS)}")
    add("--pcap", metavar="FILE", type=absolute, help="capture all packets")
    add("--card", metavar="OPTIONS", default="", help="options of ornic-device --nic")
    add("--port", dest="ports", metavar="PORT", action="append", default=[],
        help="option of ornic-device --port: a TAP interface or a socket on the switch")
    add("--control", metavar="PATH", type=absolute, help="the card's socket for ornicctl -s")
    add("--accel", choices=("auto", "kvm", "tcg"), default="auto",
        help="KVM or emulation; auto tries KVM")
    add("--kernel", metavar="FILE", type=absolute, help="another kernel, with --modules")
    add("--modules", metavar="DIR", type=absolute, help="its directory in /lib/modules, with ornic")
    add("--provider", metavar="FILE", type=absolute,
        help="libornic-rdmavNN.so for the root tree's own libibverbs")
    add("--log", metavar="DIR", type=absolute, help="keep the logs there")
    add("--self-test", action="store_true",
        help="run the usual RDMA programs instead, and write a report for an issue")
    add("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return one


def parse(argv):
    one = parser()
    options = one.parse_args(argv)
    if options.command[:1] == ["--"]:
        del options.command[0]
    if options.self_test:
        if options.command or any(value != one.get_default(name) for name, value in
                                  vars(options).items() if name not in WITH_SELF_TEST):
            one.error("--self-test takes no COMMAND, and no options but -m, -c, --accel, --kernel, "
                      "--modules and --log")
    elif not options.command:
        one.error("no COMMAND")
    if options.first + options.nodes > NODES_MAX:
        one.error(f"--first {options.first}: there are {NODES_MAX} nodes")
    if bool(options.kernel) != bool(options.modules):
        one.error("--kernel and --modules need each other")
    if options.server and options.all:
        one.error("--server and --all exclude each other")
    if options.server and options.nodes == 1:
        one.error("--server needs a second node")
    if options.provider and not re.fullmatch(r"libornic-rdmav\d+\.so", options.provider.name):
        one.error(f"{options.provider}: the name is not libornic-rdmavNN.so")
    options.environment = dict(options.environment)
    return options


def say(text):
    print(f"ornic-run: {text}", file=sys.stderr, flush=True)


def run(session, signals):
    """Returns the exit status, after a line about a failure of ornic-run itself."""
    try:
        return session.run()
    except BrokenPipeError:
        # As if the signal, which Python has ignored, had ended it
        signals.number = signal.SIGPIPE
    except (RunError, OSError) as error:
        say(str(error).splitlines()[0])
    return FAILED


def main(argv):
    # Nothing is there yet that a signal would leave behind
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    options = parse(argv)
    kind = SelfTest if options.self_test else Session
    signals, session = Signals(), kind(options, Bundle())
    code = FAILED
    try:
        signals.install()
        code = run(session, signals)
        if code and not signals.number:
            session.keep_state()
    except Ended:
        pass
    signals.closing = True
    if signals.number:
        code = 128 + signals.number
    kept = session.close(bool(code) and not signals.number)
    if kept:
        say(f"exit status {code}; the logs are in {kept}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
