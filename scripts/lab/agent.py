# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The client for guests that have QEMU's own guest agent in place of ours."""

import time

from ornicrun.agent import GuestAgent


class QemuAgent(GuestAgent):
    """qemu-guest-agent, in guests that start as a user's machine does."""

    def start(self, argv, timeout):
        # timeout(1) makes a process group of its own
        argv = ["/usr/bin/timeout", "-k", "5", str(timeout), *argv]
        return self.execute("guest-exec", path=argv[0], arg=argv[1:],
                            **{"capture-output": "merged"})["pid"]

    def wait(self, pid, timeout):
        deadline = time.monotonic() + timeout
        pause = 0.01
        while True:
            result = self.status(pid)
            if result is not None or time.monotonic() > deadline:
                return result
            # Each poll costs guest time, so poll less often the longer the program runs
            time.sleep(pause)
            pause = min(pause * 1.5, 0.25)
