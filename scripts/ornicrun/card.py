# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One ornic-device process: any number of software cards on one switch."""

import json
import socket
import time
from pathlib import Path

from . import process
from .errors import RunError

# Seconds, on a busy host
START_TIMEOUT = CONTROL_TIMEOUT = 120


class CardProcess:
    # The words that begin its command line
    program = ["ornic-device"]

    def __init__(self, rundir, logdir, name="card", nics=1, ports=(), pcap=None, nic_options="",
                 args=(), first=1):
        """`ports` and `nic_options` use the syntax of ornic-device: "tap,name=tap0" or
        "dgram,local=A,remote=B", and "shadow=off", "ci-lag=64" or "rq-doorbell=on", which is for
        all cards; a list has one for each. `first` is the number of the first MAC, which must
        differ between joined processes."""
        self.name = name
        self.sockets = [Path(rundir) / f"{name}-nic{i}.sock" for i in range(nics)]
        self.macs = [f"02:00:00:00:01:{i + first:02x}" for i in range(nics)]
        self.control_path = Path(rundir) / f"{name}-control.sock"
        self.log = Path(logdir) / f"{name}.log"
        self.pcap = pcap
        self.process = None
        self.argv = list(self.program)
        each = [nic_options] * nics if isinstance(nic_options, str) else nic_options
        for path, mac, options in zip(self.sockets, self.macs, each, strict=True):
            words = [f"socket={path}", f"mac={mac}", options]
            self.argv += ["--nic", ",".join(filter(None, words))]
        for port in ports:
            self.argv += ["--port", port]
        if pcap:
            self.argv += ["--pcap", pcap]
        self.argv += ["--control", self.control_path, *args]

    def start(self):
        for path in [*self.sockets, self.control_path]:
            path.unlink(missing_ok=True)
        self.process = process.launch(self.argv, self.log)
        deadline = time.monotonic() + START_TIMEOUT
        while not all(path.exists() for path in self.sockets) or not self.answers():
            if not self.running():
                raise RunError(f"ornic-device did not start, see {self.log}\n{self.tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise RunError(f"ornic-device does not answer, see {self.log}")
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

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
