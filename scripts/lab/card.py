# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One ornic-device process: any number of software cards on one switch."""

import json
import socket
import time
from pathlib import Path

from . import paths, process
from .errors import LabError

START_TIMEOUT = 20  # seconds; it allocates nothing big, but the machine may be busy


class Card:
    def __init__(self, rundir, logdir, name="card", nics=1, ports=(), pcap=None, nic_options="",
                 args=()):
        """ports and nic_options: ornic-device's own words, as "tap,name=tap0" or
        "dgram,local=A,remote=B", and "shadow=off"."""
        self.name = name
        self.sockets = [Path(rundir) / f"{name}-nic{i}.sock" for i in range(nics)]
        self.macs = [f"02:00:00:00:01:{i + 1:02x}" for i in range(nics)]
        self.control_path = Path(rundir) / f"{name}-control.sock"
        self.log = Path(logdir) / f"{name}.log"
        self.pcap = pcap
        self.process = None
        self.argv = [paths.DEVICE]
        for path, mac in zip(self.sockets, self.macs):
            words = [f"socket={path}", f"mac={mac}", nic_options]
            self.argv += ["--nic", ",".join(filter(None, words))]
        for port in ports:
            self.argv += ["--port", port]
        if pcap:
            self.argv += ["--pcap", pcap]
        self.argv += ["--control", self.control_path, *args]

    def start(self):
        if not paths.DEVICE.exists():
            raise LabError(f"{paths.DEVICE} is missing: run `make device`")
        for path in [*self.sockets, self.control_path]:
            path.unlink(missing_ok=True)
        self.process = process.launch(self.argv, self.log)
        deadline = time.monotonic() + START_TIMEOUT
        while not all(path.exists() for path in [*self.sockets, self.control_path]):
            if not self.running():
                raise LabError(f"ornic-device did not start, see {self.log}\n{self.tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise LabError(f"ornic-device does not listen, see {self.log}")
            time.sleep(0.02)
        return self

    def running(self):
        return self.process is not None and self.process.poll() is None

    def tail(self):
        return process.tail(self.log)

    def control(self, line, timeout=10):
        """Sends one line to the control socket; the answer is one line, too."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(timeout)
            sock.connect(str(self.control_path))
            sock.sendall(line.encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n") and (data := sock.recv(1 << 16)):
                answer += data
        return answer.decode()

    def stats(self):
        return json.loads(self.control("stats"))

    def stop(self):
        """Asks it to end and returns its exit code."""
        return process.stop(self.process) if self.process else 0

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
