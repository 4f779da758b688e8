# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Looks before a run what the host has: memory, directories, and the libraries of the root tree.
A lack is a RunError of one line."""

import os
import re
import socket
from pathlib import Path

from .errors import RunError

# Where programs of x86-64 look for libraries, below the root tree
LIBRARY_FOLDERS = ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu", "usr/lib64", "lib64",
                   "usr/lib", "lib")
UNITS = {"": 1 << 20, "M": 1 << 20, "G": 1 << 30}
# A kernel with less does not come to its first program
MEMORY_LEAST = 192 << 20
# Memory of QEMU itself and of the card
MEMORY_AROUND = 96 << 20


def memory_size(text):
    """Returns the bytes of "1G", "512M" or "512"."""
    found = re.fullmatch(r"(\d+)([MG]?)", text)
    if not found:
        raise RunError(f"{text} is not a size of memory: give one like 512M or 2G")
    size = int(found[1]) * UNITS[found[2]]
    if size < MEMORY_LEAST:
        raise RunError(f"{text} of memory is too little for a machine: give 192M or more")
    return size


def limits_of_cgroup():
    """Yields the bytes that the cgroups of this process (version 2) may still take. The kernel
    gives up what they have of files when they need more."""
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    path = next((line[3:] for line in lines if line.startswith("0::")), "/")
    folder = Path("/sys/fs/cgroup") / path.lstrip("/")
    for one in (folder, *folder.parents):
        try:
            most = (one / "memory.max").read_text().strip()
            if most != "max":
                used = int((one / "memory.current").read_text())
                files = re.findall(r"^(?:in)?active_file (\d+)$", (one / "memory.stat").read_text(),
                                   re.M)
                yield int(most) - used + sum(map(int, files))
        except OSError:
            continue


def free_memory():
    """Returns the bytes that this process may take."""
    text = Path("/proc/meminfo").read_text()
    free = int(re.search(r"^MemAvailable: *(\d+)", text, re.M)[1]) << 10
    return min([free, *limits_of_cgroup()])


def check_memory(nodes, size):
    need, have = nodes * (size + MEMORY_AROUND), free_memory()
    if need > have:
        raise RunError(f"no memory: {nodes} machines of {size >> 20} MiB need {need >> 20} MiB, "
                       f"and {max(have, 0) >> 20} MiB are free: give less by -m or -n")


def working_directory():
    """Returns the caller's directory, or None for /, which guests have anyway."""
    try:
        path = Path.cwd()
    except OSError as error:
        raise RunError(f"the current directory cannot be read: {error.strerror}") from error
    if not os.access(path, os.R_OK | os.X_OK):
        raise RunError(f"{path}: the current directory cannot be read: Permission denied")
    if path.parts[1:2] in (("dev",), ("proc",), ("sys",)):
        raise RunError(f"{path}: guests have a /{path.parts[1]} of their own: run this in another "
                       "directory")
    return None if path == Path("/") else path


def root_tree(path):
    path = Path(path).resolve()
    if not path.is_dir():
        raise RunError(f"{path}: no such directory")
    if not os.access(path, os.R_OK | os.X_OK):
        raise RunError(f"{path}: the root tree cannot be read: Permission denied")
    return path


def check_free(path):
    """Refuses the path of a socket that is to be made and is there."""
    if not path.exists() and not path.is_symlink():
        return
    with socket.socket(socket.AF_UNIX) as sock:
        try:
            sock.connect(str(path))
            words = "another program listens there"
        except OSError:
            words = "the file exists, remove it or give another path"
    raise RunError(f"{path}: the socket is taken: {words}")


def libibverbs_version(root):
    """Returns the version of rdma-core, such as "56.1", whose libibverbs the programs of a root
    tree load, or None. The library's file is libibverbs.so.1.ABI.VERSION."""
    for folder in LIBRARY_FOLDERS:
        link = root / folder / "libibverbs.so.1"
        if link.is_symlink():
            found = re.search(r"\.so\.1\.\d+\.(.*)", os.readlink(link))
            return found[1] if found else None
    return None
