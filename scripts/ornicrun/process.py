# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Processes on the host; they do not outlive the program that has started them."""

import contextlib
import ctypes
import os
import signal
import subprocess

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)
# Processes that launch() has started, with the names of their logs
launched = {}
# Seconds in which a process ends after SIGTERM, on a busy host. That of a card with sanitizers
# includes their search for leaks.
END_TIMEOUT = 120
# Signals that end a program
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def undivided():
    """Delays the signals of ENDING until the body of the context is complete, so that what it makes
    is also noted where it is removed at the end. Yields the mask of signals before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def launch(argv, log):
    """Starts argv with its output in the file `log`. The caller must be the main thread, because
    the child is killed when the thread that started it ends."""
    parent = os.getpid()
    log.parent.mkdir(parents=True, exist_ok=True)

    def prepare():
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # The parent may have ended before the call
        if os.getppid() != parent:
            os._exit(1)

    with open(log, "wb") as output, undivided() as before:
        process = subprocess.Popen(
            [str(word) for word in argv],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=prepare,
            start_new_session=True,
        )
        launched[process] = log.stem
    return process


def stop(process, timeout):
    """Sends SIGTERM, and SIGKILL after `timeout` seconds; returns the exit code."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


def tail(log, lines=15):
    """Returns the end of a log file, for an error message."""
    text = log.read_text(errors="replace") if log.exists() else ""
    return "\n".join("    " + line for line in text.splitlines()[-lines:])
