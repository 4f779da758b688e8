# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Processes of the lab on the host; they do not outlive the lab."""

import ctypes
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)
# Processes that launch() has started, with the names of their logs
launched = {}
TICK = 0.05  # seconds


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def launch(argv, log):
    """Starts argv with its output in the file `log`. The caller must be the main thread, because
    the child is killed when the thread that started it ends."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [str(word) for word in argv],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,
            start_new_session=True,
        )
    launched[process] = log.stem
    return process


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


def stop(process, timeout):
    """Sends SIGTERM, and SIGKILL after `timeout` seconds; returns the exit code."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


def kill_group(process):
    """Sends SIGKILL to the process group that `process` leads."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def tail(log, lines=15):
    """Returns the end of a log file, for an error message."""
    text = log.read_text(errors="replace") if log.exists() else ""
    return "\n".join("    " + line for line in text.splitlines()[-lines:])
