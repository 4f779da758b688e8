# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""An ornic-device process under test."""

import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from vfio_proto import TOP

START_TIMEOUT = 120


def program():
    """Returns $ORNIC_DEVICE, or the sanitized card that the unit tests build, or that of `make
    device`."""
    if name := os.environ.get("ORNIC_DEVICE"):
        return name
    return built("device-san") or stock()


def built(directory):
    path = TOP / "build" / directory / "ornic-device"
    return str(path) if path.exists() else None


def stock():
    """Returns the card of `make device`, which is not sanitized and so has a sandbox."""
    if not (name := built("device")):
        raise FileNotFoundError("no ornic-device: run `make device`")
    return name


class Server:
    def __init__(self, directory, *args, nics=1, device=None):
        self.directory = Path(directory)
        self.sockets = [self.directory / f"nic{i}.sock" for i in range(nics)]
        self.control_path = self.directory / "control.sock"
        self.log = self.directory / "log"
        argv = [device or program(), "-v", "--control", str(self.control_path)]
        for path in self.sockets:
            argv += ["--nic", f"socket={path}"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*argv, *args], stderr=log)
        self.connect()

    def connect(self):
        deadline = time.monotonic() + START_TIMEOUT
        # One connection for all requests keeps the number of open descriptors constant
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        while self.sock.connect_ex(str(self.control_path)):
            assert self.process.poll() is None, self.text()
            assert time.monotonic() < deadline, "it does not listen"
            time.sleep(0.005)
        self.file = self.sock.makefile()
        self.control("help")

    def reconnect(self):
        self.file.close()
        self.sock.close()
        self.connect()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        """Ends the process, which must go as by stop() unless the test has seen its end."""
        try:
            if not kind and self.process.returncode is None:
                self.stop()
        finally:
            self.process.kill()
            self.process.wait()

    def text(self):
        return self.log.read_text(errors="replace")

    def control(self, line):
        self.sock.sendall(line.encode() + b"\n")
        return json.loads(self.file.readline())

    def card(self, index=0):
        return self.control("stats")["cards"][f"nic{index}"]

    def violations(self, index=0):
        """Returns {name: count} of the violations that have happened."""
        return {name: n for name, n in self.card(index)["violations"].items() if n}

    def fds(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self, number=signal.SIGTERM):
        """Ends the process by a signal. It must exit with 0, remove its sockets, and have no
        sanitizer report."""
        self.file.close()
        self.sock.close()
        self.process.send_signal(number)
        code = self.process.wait(20)
        assert code == 0, self.text()
        assert not any(path.exists() for path in [*self.sockets, self.control_path])
        assert "runtime error" not in self.text()
        assert "Sanitizer" not in self.text()
