# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The initramfs of the guests: busybox, the modules for 9p and overlay, guest/early-init and
guest/agent.c."""

import hashlib
import lzma
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import paths

MODULES = ["9pnet_virtio", "9p", "overlay"]
APPLETS = ["sh", "mount", "mkdir", "insmod", "switch_root", "sed", "cat", "sleep", "echo", "cp"]
GUEST = Path(__file__).parent / "guest"
EARLY_INIT, AGENT = GUEST / "early-init", GUEST / "agent.c"


def module_files(own_modules):
    """Returns the files of MODULES and of their dependencies in load order."""
    dependencies, builtin = {}, set()
    for line in (own_modules / "modules.dep").read_text().splitlines():
        module, needs = line.split(":")
        name = Path(module).name.split(".")[0].replace("-", "_")
        dependencies[name] = [module] + needs.split()
    for line in (own_modules / "modules.builtin").read_text().splitlines():
        builtin.add(Path(line).name.split(".")[0].replace("-", "_"))

    ordered = []
    for name in MODULES:
        if name in builtin:
            continue
        # modules.dep lists the nearest dependency first
        for module in reversed(dependencies[name]):
            if module not in ordered:
                ordered.append(module)
    return [own_modules / module for module in ordered]


def read_module(path):
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def make(kernel):
    """Returns the path of this kernel's initramfs, and makes it if it is not in the cache."""
    files = module_files(kernel.own_modules)
    key = hashlib.sha256(b"".join(path.read_bytes() for path in
                                  (Path(__file__), EARLY_INIT, AGENT)))
    # Kernels of two processors may have the same release
    key.update(kernel.processor.name.encode())
    for path in files:
        key.update(f"{path}:{path.stat().st_size}:{path.stat().st_mtime}".encode())
    target = paths.CACHE / "initramfs" / f"{kernel.release}-{key.hexdigest()[:12]}.cpio"
    if target.exists():
        return target

    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as tmp:
        root = Path(tmp) / "root"
        for folder in ("bin", "dev", "proc", "sys", "modules", "newroot", "mem"):
            (root / folder).mkdir(parents=True)
        shutil.copy(kernel.tree / "usr/bin/busybox", root / "bin/busybox")
        for applet in APPLETS:
            os.symlink("busybox", root / "bin" / applet)
        shutil.copy(EARLY_INIT, root / "init")
        (root / "init").chmod(0o755)
        subprocess.run([kernel.processor.compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-static",
                        "-o", root / "agent", AGENT], check=True)
        for number, path in enumerate(files):
            name = path.name.split(".")[0]
            (root / "modules" / f"{number:02d}-{name}.ko").write_bytes(read_module(path))
        subprocess.run(
            "find . | cpio --quiet -o -H newc >../image", shell=True, check=True, cwd=root
        )
        # Rename atomically, because another run may make the same file at this time
        os.replace(Path(tmp) / "image", target)
    return target
