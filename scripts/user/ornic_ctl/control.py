# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The control socket of an ornic-device, and where it is."""

import json
import os
import socket
import struct
import time
from pathlib import Path

# Directories of the unit ornic-device@.service. The variable is for tests.
RUN = Path(os.environ.get("ORNIC_RUN", "/run/ornic"))
CONTROL = "control/socket"
TIMEOUT = 10  # seconds, for an answer of a busy card
WAIT_STEP = 0.05
START = "systemctl start ornic-device@NAME"
REFUSED = {
    FileNotFoundError: f"no ornic-device listens there; start it ({START})",
    ConnectionRefusedError: f"ornic-device has ended; start it ({START})",
    PermissionError: "only root and the user of ornic-device may ask; use sudo",
    TimeoutError: f"no answer for {TIMEOUT} s; see the log of ornic-device",
}
# Refusal of a request that an older ornic-device does not have
UNKNOWN = "unknown request"
# Requests that commands of ornicctl make
NEEDED = ("add", "capture", "fault", "link", "qps", "remove", "stats", "trace")


class Problem(Exception):
    """Ends the program with one line that says what to do."""


def check_listener(path, sock):
    """Refuses an answer of a process that has put its socket in the place of another one's: what it
    says decides to whom QEMU gives the memory of a machine."""
    _, uid, _ = struct.unpack("iII", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    if uid not in (0, os.getuid(), Path(path).parent.stat().st_uid):
        raise Problem(f"{path}: user {uid} listens there, who is not root, not you, and not the "
                      "owner of the directory")


class Control:
    """The control socket of an ornic-device: a line each way."""

    def __init__(self, path):
        self.path = path

    def connect(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(TIMEOUT)
        sock.connect(str(self.path))
        check_listener(self.path, sock)
        return sock

    def open(self, line, sock=None, fds=()):
        """Returns (answer to a request, the connection, bytes that came behind the answer). The
        connection is a new one unless there is one from a request before. The descriptors `fds` go
        with the request."""
        try:
            sock = sock or self.connect()
            socket.send_fds(sock, [line.encode() + b"\n"], fds)
            text, end, rest = self.read_line(sock)
        except OSError as error:
            reason = REFUSED.get(type(error), str(error))
            raise Problem(f"{self.path}: {reason}") from error
        try:
            answer = json.loads(text) if end else None
            refusal = answer.get("error")
        except (ValueError, AttributeError) as error:
            raise Problem(f"{self.path}: not the control socket of an ornic-device, or one that "
                          "ends") from error
        if refusal:
            sock.close()
            self.refuse(line.split(), refusal)
        return answer, sock, rest

    @staticmethod
    def read_line(sock):
        """Returns (line, newline or nothing, what has come behind it)."""
        parts = []
        while not parts or b"\n" not in parts[-1]:
            parts.append(sock.recv(1 << 16))
            if not parts[-1]:
                break
        return b"".join(parts).partition(b"\n")

    def refuse(self, words, refusal):
        name = words[0] if words else "request"
        if refusal.startswith(UNKNOWN) and name in NEEDED:
            refusal = f"this ornic-device is older than ornicctl and has no request {name}"
        raise Problem(f"{name}: {refusal}")

    def ask(self, line, fds=()):
        """Returns the answer to a request."""
        answer, sock, _ = self.open(line, fds=fds)
        sock.close()
        return answer

    def qps(self, card, limit):
        """Yields up to `limit` QPs of a card."""
        place = 0
        while place is not None and limit > 0:
            answer = self.ask(f"qps {card} {place}")
            yield from answer["qps"][:limit]
            limit -= len(answer["qps"])
            place = answer.get("next")

    def cards(self):
        return self.ask("stats")["cards"]

    def card(self, name):
        cards = self.cards()
        if name not in cards:
            raise Problem(f"no card {name}: there are {', '.join(cards)}")
        return cards[name]


def instances():
    """Returns {name: path of the control socket} of the running services."""
    try:
        return {path.parent.parent.name: path for path in sorted(RUN.glob(f"*/{CONTROL}"))}
    except PermissionError:
        return {}


def find_control(args):
    """Returns the Control that the options name, or that of the only service."""
    if args.socket:
        return Control(args.socket)
    if args.instance:
        return Control(RUN / args.instance / CONTROL)
    found = instances()
    if len(found) == 1:
        return Control(*found.values())
    if found:
        raise Problem(f"several services run: choose with -i ({', '.join(found)})")
    raise Problem(f"no control socket below {RUN}: start a service ({START}), be root, or name "
                  "the socket with -s")


def do_wait(args):
    """Waits until ornic-device answers, so that QEMU can connect to its cards."""
    control = find_control(args)
    deadline = time.monotonic() + args.seconds
    while True:
        try:
            return control.ask("help")
        except Problem:
            if time.monotonic() > deadline:
                raise
        time.sleep(WAIT_STEP)


def do_link(args):
    find_control(args).ask(f"link {args.card} {args.state}")


def do_request(args):
    print(json.dumps(find_control(args).ask(" ".join(args.word)), indent=1))
