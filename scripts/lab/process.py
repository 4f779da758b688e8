# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Processes of the lab on the host: how long they have waited, and their groups."""

import os
import signal
import threading
import time
from pathlib import Path

from ornicrun.process import launch, launched, stop, tail

__all__ = ["Watch", "kill_group", "launch", "stop", "tail", "waited"]
TICK = 0.05  # seconds


def waited(process):
    """Returns for how many seconds the threads of a process have been ready to run and have waited
    for a processor. The sum omits threads that have ended."""
    total = 0
    for path in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        try:
            total += int(path.read_text().split()[1])
        except OSError:  # This thread has ended
            continue
    return total / 1e9


class Watch:
    """Measures during a test how long the processes of the lab wait for a processor, and the
    longest pause of this process: the longest time between two ticks of a thread that sleeps."""

    def __init__(self):
        self.last = time.monotonic()
        self.begin()
        threading.Thread(target=self.tick, daemon=True).start()

    def begin(self):
        for process in [process for process in launched if process.poll() is not None]:
            del launched[process]
        self.before = {process: waited(process) for process in launched}
        self.begun, self.pause = time.monotonic(), 0

    def tick(self):
        while True:
            time.sleep(TICK)
            now = time.monotonic()
            self.pause, self.last = max(self.pause, now - self.last), now

    def text(self):
        """Returns what was measured since begin(), in a line. Processes that have ended since then
        are not in it."""
        # The thread may not have run yet after a pause
        pause = max(self.pause, time.monotonic() - self.last)
        waits = [f"{name} {max(waited(process) - self.before.get(process, 0), 0):.1f} s"
                 for process, name in launched.items() if process.poll() is None]
        return (f"in {time.monotonic() - self.begun:.1f} s waited for a processor: "
                f"{', '.join(waits) or 'nothing of the lab'}; the longest pause of this worker was "
                f"{pause:.1f} s")


def kill_group(process):
    """Sends SIGKILL to the process group that `process` leads."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
