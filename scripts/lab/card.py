# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One ornic-device process: any number of software cards on one switch."""

import json
import socket
import time
from pathlib import Path

from . import paths, process
from .errors import LabError
from .reports import CardLog

# Seconds, on a busy host. The end includes the sanitizer's search for leaks.
START_TIMEOUT = CONTROL_TIMEOUT = END_TIMEOUT = 120


class Card:
    def __init__(self, rundir, logdir, name="card", nics=1, ports=(), pcap=None, nic_options="",
                 args=(), sanitized=False, first=1):
        """`ports` and `nic_options` use the syntax of ornic-device: "tap,name=tap0" or
        "dgram,local=A,remote=B", and "shadow=off", "ci-lag=64" or "rq-doorbell=on", which is for
        all cards; a list has one for each. `first` is the number of the first MAC, which must
        differ between joined processes. `sanitized` selects the card built with AddressSanitizer
        and UndefinedBehaviorSanitizer, which cannot have a sandbox. Other cards have a sandbox or
        do not start."""
        self.name = name
        self.sockets = [Path(rundir) / f"{name}-nic{i}.sock" for i in range(nics)]
        self.macs = [f"02:00:00:00:01:{i + first:02x}" for i in range(nics)]
        self.control_path = Path(rundir) / f"{name}-control.sock"
        self.log = Path(logdir) / f"{name}.log"
        self.pcap = pcap
        self.process = None
        self.said = CardLog()
        self.over = True  # not started, or ended by the lab
        self.complaints = []
        self.resets, self.resets_declared = {}, set()
        self.program = paths.DEVICE_SANITIZED if sanitized else paths.DEVICE
        self.argv = [self.program]
        each = [nic_options] * nics if isinstance(nic_options, str) else nic_options
        for path, mac, options in zip(self.sockets, self.macs, each, strict=True):
            words = [f"socket={path}", f"mac={mac}", options]
            self.argv += ["--nic", ",".join(filter(None, words))]
        for port in ports:
            self.argv += ["--port", port]
        if pcap:
            self.argv += ["--pcap", pcap]
        self.argv += ["--control", self.control_path]
        if not sanitized:
            self.argv.append("--sandbox=on")
        self.argv += args

    def start(self):
        if not self.program.exists():
            part = self.program.parent.name
            if paths.INSTALLED in self.program.parents:
                part = "installed"
            raise LabError(f"{self.program} is missing: run `scripts/build {part}`")
        for path in [*self.sockets, self.control_path]:
            path.unlink(missing_ok=True)
        self.said, self.heard = CardLog(), 0
        self.process = process.launch(self.argv, self.log)
        self.over = False
        deadline = time.monotonic() + START_TIMEOUT
        while not all(path.exists() for path in self.sockets) or not self.answers():
            if not self.running():
                raise LabError(f"ornic-device did not start, see {self.log}\n{self.tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise LabError(f"ornic-device does not answer, see {self.log}")
            time.sleep(0.02)
        return self

    def answers(self):
        """Returns whether the card is in its loop. It listens earlier, before it enters the
        sandbox."""
        try:
            return bool(self.control("help"))
        except OSError:
            return False

    def running(self):
        return self.process is not None and self.process.poll() is None

    def tail(self):
        return process.tail(self.log)

    def control(self, line):
        """Sends one line to the control socket and returns the answer, which is one line too."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(CONTROL_TIMEOUT)
            sock.connect(str(self.control_path))
            sock.sendall(line.encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n") and (data := sock.recv(1 << 16)):
                answer += data
        return answer.decode()

    def stats(self):
        return json.loads(self.control("stats"))

    def listen(self, final=False):
        with open(self.log, "rb") as log:
            log.seek(self.heard)
            text = log.read()
            self.heard = log.tell()
        self.said.feed(text.decode(errors="replace"), final)

    def function_resets(self):
        """Returns {card: number of resets of its function}."""
        return {name: card["function"]["resets"] for name, card in self.stats()["cards"].items()}

    def booted(self):
        """Called when a VM has booted: QEMU's resets during the boot are the base of later
        counts."""
        self.resets = self.function_resets()

    def expects(self, *patterns, required=True):
        """Like Vm.expects(), for errors in the card's log."""
        self.listen()
        self.said.expect(*patterns, required=required)

    def expects_reset(self, *names):
        """Declares that the current test resets the functions of these cards."""
        self.resets_declared |= set(names or ("nic0",))

    def settle(self):
        """Called at the end of a test: returns the card's events that the test did not declare."""
        if not self.over:
            self.listen()
            if not self.running():
                self.complaints.append(f"ornic-device has ended with {self.process.returncode}, "
                                       f"see {self.log}\n{self.tail()}")
                self.over = True
            else:
                self.check_resets()
        self.resets_declared = set()
        found, self.complaints = self.complaints + self.said.settle(), []
        return [f"{self.name}: {line}" for line in found]

    def check_resets(self):
        try:
            now = self.function_resets()
        except OSError as error:
            self.complaints.append(f"the control socket does not answer: {error}, see {self.log}")
            return
        for name, number in now.items():
            was_reset = number != self.resets.get(name, number)
            if was_reset != (name in self.resets_declared):
                self.complaints.append(f"{name} was{'' if was_reset else ' not'} reset, and the "
                                       f"test {'does not declare' if was_reset else 'declares'} it")
        self.resets = now

    def stop(self):
        """Sends SIGTERM and returns the exit code. A code other than 0 is a complaint."""
        if self.over:
            return self.process.returncode if self.process else 0
        code = process.stop(self.process, END_TIMEOUT)
        self.over = True
        self.listen(final=True)
        if code:
            self.complaints.append(f"ornic-device ended with {code}, see {self.log}\n{self.tail()}")
        return code

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.over = True
