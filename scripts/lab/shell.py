# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`make shell`: boots the two VMs of the demo and connects the user to one of them."""

import os
import select
import socket
import sys
import termios
import tty

from . import Lab
from .pair import Pair, listening
from .perftest import PORT
from .progress import say

LEAVE = b"\x1d"  # Ctrl-]
FOREVER = 7 * 86400  # seconds


def connect_terminal(path):
    """Copies between this terminal and a VM's console until Ctrl-] or end of file."""
    with socket.socket(socket.AF_UNIX) as console:
        console.connect(str(path))
        console.sendall(b"\n")
        saved = termios.tcgetattr(0)
        try:
            tty.setraw(0)
            while True:
                ready, _, _ = select.select([0, console], [], [])
                if console in ready:
                    data = console.recv(4096)
                    if not data:
                        return
                    os.write(1, data)
                if 0 in ready:
                    data = os.read(0, 4096)
                    if not data or LEAVE in data:
                        return
                    console.sendall(data)
        finally:
            termios.tcsetattr(0, termios.TCSANOW, saved)


def main():
    if not sys.stdin.isatty():
        say("make shell needs a terminal")
        return 1
    with Lab("shell") as lab:
        say("booting two virtual machines with a card each")
        pair = Pair(lab).start()
        pair.load_ornic()
        here, there = (pair.ornic[vm] for vm in pair.vms)
        # Servers for the user's clients
        pair.b.spawn(f"while :; do ibv_rc_pingpong -g {there.gid_index} -d {there.device}; done",
                     FOREVER)
        pair.b.spawn(f"rping -s -P -a {there.ip}", FOREVER)
        pair.b.check(f"until {listening(PORT)}; do sleep 0.1; done")
        say(f"you are root in machine a ({here.ip}, RDMA device {here.device}, GID index "
            f"{here.gid_index}); machine b is {there.ip}")
        say(f"try: ibv_rc_pingpong -d {here.device} -g {here.gid_index} {there.ip}")
        say(f" or: rping -c -v -C 10 -a {there.ip}")
        say("Ctrl-] leaves and ends both machines")
        connect_terminal(pair.a.socket("console"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
