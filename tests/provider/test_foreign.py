# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The provider's unit tests, built for other processors and run under QEMU's emulation of programs.
The device is a fake that reads and writes little endian ([ORNIC-GEN-1]): s390x is big endian."""

import os
import subprocess

import pytest
from lab import paths
from lab.programs import cross_compiler

pytestmark = pytest.mark.long

EMULATORS = {"arm64": "qemu-aarch64", "s390x": "qemu-s390x"}


@pytest.mark.parametrize("processor", EMULATORS)
def test_provider(processor):
    """All tests pass. Sanitizers need the address space of the processor itself, so they are
    off."""
    build = paths.BUILD / processor
    subprocess.run(
        ["make", f"-j{os.cpu_count()}", "-C", paths.TOP / "tests/provider", "check", "SAN=0",
         f"O={build}/provider", f"RDMA_CORE={build}/rdma-core-56.1/build",
         f"CC={cross_compiler(processor)}",
         f"RUN={EMULATORS[processor]} -L {paths.foreign_tree(processor)}"], check=True)
