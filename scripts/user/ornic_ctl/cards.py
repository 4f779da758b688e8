# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards that come to a running ornic-device, and go."""

import contextlib
import errno
import os
import socket
import stat
import time
from pathlib import Path

from .control import Problem, find_control

LEAVE = 60  # seconds, for the reset of a card and the release of the memory it has mapped
LEAVE_STEP = 0.02
BACKLOG = 8
# Umask for a socket, as in the unit ornic-device@.service
UMASK = 0o007


@contextlib.contextmanager
def inside(directory):
    """Enters a directory, in which root has the rights of its owner only: that one may not be
    trusted with more, and is the one whose sockets are believed (control.check_listener)."""
    here, root = os.open(".", os.O_PATH), os.geteuid() == 0
    os.chdir(directory)
    there, mask = os.stat("."), os.umask(UMASK)
    if root:
        os.setegid(there.st_gid)
        os.seteuid(there.st_uid)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
            os.setegid(os.getgid())
        os.umask(mask)
        os.fchdir(here)
        os.close(here)


def remove_stale(name):
    """Removes a socket of this directory at which no process listens."""
    with contextlib.suppress(FileNotFoundError), socket.socket(socket.AF_UNIX) as sock:
        if stat.S_ISSOCK(os.lstat(name).st_mode) and sock.connect_ex(name) == errno.ECONNREFUSED:
            os.unlink(name)


def listen(path):
    """Returns a new socket at a path, for a process that accepts without waiting."""
    sock = socket.socket(socket.AF_UNIX)
    try:
        with inside(path.parent):
            remove_stale(path.name)
            sock.bind(path.name)
            sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise Problem(f"{path}: cannot listen there: {error}") from error
    sock.setblocking(False)
    return sock


def place_of(words):
    """Returns (path of the socket among the words of --nic, the words with that path in full)."""
    if len(words.split()) != 1:
        raise Problem(f"'{words}': the words of --nic are one argument, without blanks")
    words = words.split(",")
    for number, word in enumerate(words):
        key, _, path = word.partition("=")
        if key == "socket" and path:
            words[number] = f"socket={os.path.abspath(path)}"
            return Path(os.path.abspath(path)), ",".join(words)
    raise Problem(f"'{','.join(words)}': socket=PATH is needed, where QEMU will connect")


def do_add(args):
    """Makes the socket of a new card, which ornic-device cannot do in its sandbox."""
    control = find_control(args)
    path, words = place_of(args.words)
    with listen(path) as sock:
        try:
            print(control.ask(f"add {words}", [sock.fileno()])["card"])
        except BaseException:
            with inside(path.parent), contextlib.suppress(FileNotFoundError):
                os.unlink(path.name)
            raise


def do_remove(args):
    """Has a card leave, and removes its socket."""
    control, name = find_control(args), args.card
    path = Path(control.card(name)["socket"])
    control.ask(f"remove {name}" + " force" * args.force)
    if path.is_absolute() and path.parent.is_dir():
        with inside(path.parent):
            remove_stale(path.name)
    deadline = time.monotonic() + LEAVE
    while name in control.ask("stats")["leaving"]:
        if time.monotonic() > deadline:
            raise Problem(f"{name}: takes longer than {LEAVE} s to free its memory, and goes when "
                          "that is done")
        time.sleep(LEAVE_STEP)
