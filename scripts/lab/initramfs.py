# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The initramfs of each kernel of the lab, in the cache."""

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from ornicrun.initramfs import AGENT, COMPILER_FLAGS, SOURCES, archive, module_files

from . import paths


def make(kernel):
    """Returns the path of this kernel's initramfs, and makes it if it is not in the cache."""
    files = module_files(kernel.own_modules)
    key = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES))
    # Kernels of two processors may have the same release
    key.update(kernel.processor.name.encode())
    for path in files:
        key.update(f"{path}:{path.stat().st_size}:{path.stat().st_mtime}".encode())
    target = paths.CACHE / "initramfs" / f"{kernel.release}-{key.hexdigest()[:12]}.cpio"
    if target.exists():
        return target

    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as tmp:
        agent, image = Path(tmp) / "agent", Path(tmp) / "image"
        subprocess.run([kernel.processor.compiler, *COMPILER_FLAGS, "-o", agent, *AGENT],
                       check=True)
        image.write_bytes(archive(files, kernel.tree / "usr/bin/busybox", agent))
        # Rename atomically, because another run may make the same file at this time
        os.replace(image, target)
    return target
