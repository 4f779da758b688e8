# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Programs of the lab on this machine: they never outlive the lab."""

import ctypes
import os
import signal
import subprocess

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def launch(argv, log):
    """Starts argv with its output in the file log. To be called from the main thread: the child
    is killed when the thread that started it ends."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as output:
        return subprocess.Popen(
            [str(word) for word in argv],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,
            start_new_session=True,
        )


def stop(process, timeout=10):
    """SIGTERM, and SIGKILL if that does not help. The exit code."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


def kill_group(process):
    """SIGKILL to a process that leads a group, and to all in it."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def tail(log, lines=15):
    """The end of a log file, for an error message."""
    text = log.read_text(errors="replace") if log.exists() else ""
    return "\n".join("    " + line for line in text.splitlines()[-lines:])
