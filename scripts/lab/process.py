# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Processes of the lab on the host; they do not outlive the lab."""

import ctypes
import os
import signal
import subprocess

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def launch(argv, log):
    """Starts argv with its output in the file `log`. The caller must be the main thread, because
    the child is killed when the thread that started it ends."""
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
