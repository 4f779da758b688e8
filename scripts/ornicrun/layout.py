# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Where things are: in a bundle (bundle.py makes it), and in guests of ornic-run."""

import shutil
from pathlib import Path

from . import processors
from .errors import RunError

# Directories in guests: the bundle's part for them, and the files of this run
INSIDE, JOB = Path("/run/ornic-run"), Path("/run/ornic-job")
LOADER = "ld-linux-x86-64.so.2"
PYTHON = "python3.13"


class Bundle:
    """The directory of a bundle. `boot` has the kernel, `host` programs and libraries for the host,
    `guest` what guests see as INSIDE."""

    processor = processors.X86_64

    def __init__(self, home=None):
        # This file is host/lib/PYTHON/ornicrun/layout.py
        self.home = Path(home) if home else Path(__file__).resolve().parents[4]
        self.host, self.guest = self.home / "host", self.home / "guest"
        # A line "NAME VERSION" for each part
        self.versions = self.home / "versions"
        self.image = self.home / "boot/vmlinuz"
        self.initramfs = self.home / "boot/initramfs.cpio"

    def command(self, name):
        """Returns the words that run a program of host/bin with the bundle's own libraries."""
        library, program = self.host / "lib", self.host / "bin" / name
        return [library / LOADER, "--library-path", library, "--argv0", program, program]

    def qemu(self):
        """Returns the words that begin a command line of QEMU: the bundle's, or that in PATH."""
        name = self.processor.qemu
        if (self.host / "bin" / name).exists():
            return [*self.command(name), "-L", self.host / "share/qemu"]
        if not shutil.which(name):
            raise RunError(f"no QEMU: neither {self.host / 'bin'} nor PATH has {name}")
        return [name]
