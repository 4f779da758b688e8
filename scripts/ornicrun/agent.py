# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Clients for QEMU's two JSON sockets: the monitor (QMP) and the guest agent."""

import base64
import json
import random
import socket
import time

from .errors import RunError

# Milliseconds that a guest waits for the end of a program before it answers
WAIT_MS = 5000


class JsonSocket:
    """A Unix socket that carries one JSON document per line."""

    def __init__(self, path, timeout):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(str(path))
        self.buffer = b""

    def send(self, document):
        self.socket.sendall(json.dumps(document).encode() + b"\n")

    def receive(self):
        while b"\n" not in self.buffer:
            data = self.socket.recv(1 << 16)
            if not data:
                raise RunError(f"{self.path}: closed by the other side")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def close(self):
        self.socket.close()

    def execute(self, command, **arguments):
        request = {"execute": command}
        if arguments:
            request["arguments"] = arguments
        self.send(request)
        while True:
            answer = self.receive()
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise RunError(f"{command}: {answer['error']['desc']}")
            self.note(answer)

    def note(self, event):
        """Called for an event that comes before an answer."""


class Qmp(JsonSocket):
    """QEMU's monitor (QMP). Events are discarded."""

    def __init__(self, path, timeout=120):
        super().__init__(path, timeout)
        self.receive()
        self.execute("qmp_capabilities")

    def execute(self, command, **arguments):
        # QMP names contain dashes, Python keywords cannot
        return super().execute(command, **{k.replace("_", "-"): v for k, v in arguments.items()})


class GuestAgent(JsonSocket):
    """guest/agent.c: runs programs in the guest."""

    def __init__(self, path, timeout):
        super().__init__(path, timeout)
        self.noted = []

    def note(self, event):
        self.noted.append(event)

    def has_events(self):
        """Returns whether events came together with an answer, so that events() does not read."""
        return bool(self.noted) or b"\n" in self.buffer

    def events(self):
        """Returns the events of programs with streamed output that have come: at once if
        has_events(), else when there is something to read."""
        if not self.has_events():
            data = self.socket.recv(1 << 16)
            if not data:
                raise RunError(f"{self.path}: closed by the other side")
            self.buffer += data
        while b"\n" in self.buffer:
            self.noted.append(self.receive())
        found, self.noted = self.noted, []
        return found

    def synchronize(self):
        """Makes one attempt to synchronize with the agent; returns False if it does not answer
        (yet)."""
        number = random.randrange(1, 1 << 30)
        # The agent sends 0xff before the answer, so that older bytes can be discarded
        try:
            self.socket.sendall(b"\xff")
            self.send({"execute": "guest-sync-delimited", "arguments": {"id": number}})
            while b"\xff" not in self.buffer:
                data = self.socket.recv(1 << 16)
                if not data:
                    return False
                self.buffer += data
            self.buffer = self.buffer.split(b"\xff")[-1]
            return self.receive().get("return") == number
        except (OSError, ValueError):
            return False

    def has_file(self, path):
        """Returns whether the guest can open a file, without starting a program."""
        try:
            handle = self.execute("guest-file-open", path=path)
        except RunError:
            return False
        self.execute("guest-file-close", handle=handle)
        return True

    def read_file(self, path):
        """Returns the text of a small file, without starting a program."""
        handle = self.execute("guest-file-open", path=path)
        data = b""
        while True:
            piece = self.execute("guest-file-read", handle=handle)
            data += base64.b64decode(piece["buf-b64"])
            if piece["eof"]:
                break
        self.execute("guest-file-close", handle=handle)
        return data.decode(errors="replace")

    def start(self, argv, timeout, stream=False):
        """Starts a program and returns its process id in the guest, which is also that of its
        process group. After `timeout` seconds (0: never) the guest ends the group, and the
        program's exit code is 124. With `stream` its output and its end come as events()."""
        return self.execute("guest-exec", path=argv[0], arg=argv[1:], timeout=timeout,
                            stream=int(stream))["pid"]

    def status(self, pid, **options):
        """Returns None while the program runs, else (exit code, output)."""
        answer = self.execute("guest-exec-status", pid=pid, **options)
        if not answer["exited"]:
            return None
        output = base64.b64decode(answer.get("out-data", "")).decode(errors="replace")
        if "signal" in answer:
            return 128 + answer["signal"], output
        return answer["exitcode"], output

    def wait(self, pid, timeout):
        """Waits for the program; returns (exit code, output), or None after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while True:
            result = self.status(pid, wait=WAIT_MS)
            if result is not None or time.monotonic() > deadline:
                return result
