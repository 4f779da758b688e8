# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The initramfs of the guests: busybox, the modules for 9p and overlay, guest/early-init and
guest/agent.c."""

import lzma
import stat
from pathlib import Path

MODULES = ["9pnet_virtio", "9p", "overlay"]
APPLETS = ["sh", "mount", "mkdir", "insmod", "switch_root", "sed", "cat", "sleep", "echo", "cp"]
GUEST = Path(__file__).parent / "guest"
EARLY_INIT, AGENT = GUEST / "early-init", [GUEST / "agent.c", GUEST / "stream.c"]
# The initramfs depends on these files, beside the kernel's
SOURCES = [Path(__file__), EARLY_INIT, GUEST / "stream.h", *AGENT]
COMPILER_FLAGS = ["-O2", "-Wall", "-Wextra", "-Werror", "-static"]


def module_name(path):
    return Path(path).name.split(".")[0].replace("-", "_")


def dependencies(own_modules):
    """Returns {name: its file and those that it needs, the nearest dependency first}, and the names
    of the modules that are built in."""
    found = {}
    for line in (own_modules / "modules.dep").read_text().splitlines():
        module, needs = line.split(":")
        found[module_name(module)] = [module] + needs.split()
    lines = (own_modules / "modules.builtin").read_text().splitlines()
    return found, {module_name(line) for line in lines}


def module_files(own_modules, names=tuple(MODULES)):
    """Returns the files of modules and of their dependencies in load order."""
    needs, builtin = dependencies(own_modules)
    ordered = []
    for name in names:
        if name in builtin:
            continue
        for module in reversed(needs[name]):
            if module not in ordered:
                ordered.append(module)
    return [own_modules / module for module in ordered]


def read_module(path):
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def entry(number, name, mode, data):
    """Returns a file of a cpio archive in the format "newc"."""
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def archive(modules, busybox, agent):
    """Returns the initramfs. `modules` are files in load order, `busybox` and `agent` are static
    programs. The same files make the same archive."""
    files = [(folder, stat.S_IFDIR | 0o755, b"")
             for folder in ("bin", "dev", "proc", "sys", "modules", "newroot", "mem")]
    files.append(("bin/busybox", stat.S_IFREG | 0o755, busybox.read_bytes()))
    files += [(f"bin/{applet}", stat.S_IFLNK | 0o777, b"busybox") for applet in APPLETS]
    files.append(("init", stat.S_IFREG | 0o755, EARLY_INIT.read_bytes()))
    files.append(("agent", stat.S_IFREG | 0o755, agent.read_bytes()))
    files += [(f"modules/{number:02d}-{module_name(path)}.ko", stat.S_IFREG | 0o644,
               read_module(path)) for number, path in enumerate(modules)]
    return b"".join(entry(number, *file) for number, file in
                    enumerate([*files, ("TRAILER!!!", 0, b"")], 1))
