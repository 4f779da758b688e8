# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The machines of ornic-run: nodes of a small cluster with one card each."""

import re
from dataclasses import dataclass
from pathlib import Path

from . import processors
from .errors import RunError
from .layout import INSIDE, JOB
from .vm import FIRST_WORDS, Guest

SUBNET = "10.10.0"
NODES_MAX = 8
# The first programs of a guest print this before they give up
LAST_WORDS = re.compile(rb"^(?:early|node)-init: (.+?)\r?$", re.M)
PANIC = re.compile(rb"(Kernel panic - .+?)\r?$", re.M)
SHELL = str(INSIDE / "busybox/sh")


@dataclass
class Kernel:
    """A kernel with its initramfs and the directory of its modules. `inside` is that directory in
    guests."""

    image: Path
    initramfs: Path
    modules: Path
    inside: Path
    processor = processors.X86_64


def name_of(number):
    return f"node{number}"


def address_of(number):
    return f"{SUBNET}.{number + 1}"


class Node(Guest):
    init = INSIDE / "node-init"

    def __init__(self, number, rundir, logdir, *, bundle, root, work, job, provider, accel,
                 **options):
        """`root` is the directory that the guest has as /, `work` one with the same path in the
        guest, which may write there, or None. `job` is the directory with the files of the run."""
        super().__init__(name_of(number), rundir, logdir, **options)
        self.bundle, self.tree, self.work, self.job = bundle, root, work, job
        self.provider, self.accel = provider, accel
        # Whether the programs that have been started there have ended: {pid: exit code or None}
        self.programs = {}

    def qemu(self):
        return self.bundle.qemu()

    def accelerator(self):
        return self.accel

    def initramfs(self):
        return self.kernel.initramfs

    def shares(self):
        shares = [("bundle", self.bundle.guest, INSIDE, "fixed"), ("job", self.job, JOB, "ro")]
        if INSIDE not in self.kernel.inside.parents:
            shares.append(("modules", self.kernel.modules, self.kernel.inside, "fixed"))
        if self.work:
            shares.append(("work", self.work, self.work, "rw"))
        return shares

    def boot_words(self):
        return [f"guest.own-modules={self.kernel.inside}", f"guest.provider={self.provider}"]

    def check_running(self):
        if not self.running():
            raise RunError(f"{self.name}: {self.reason()}")

    def reason(self):
        """Returns why QEMU has ended, in a line."""
        console = self.console_log.read_bytes() if self.console_log.exists() else b""
        said = [found[1] for found in LAST_WORDS.finditer(console) if found[1] not in FIRST_WORDS]
        if said:
            return said[-1].decode(errors="replace")
        lines = self.qemu_log.read_text(errors="replace").strip().splitlines()
        if lines:
            return lines[-1].strip()
        if panic := PANIC.search(console):
            return f"{panic[1].decode(errors='replace')}; the machine has {self.mem} of memory"
        return f"QEMU has ended with {self.process.returncode}"

    def start(self, script, *arguments, timeout=0):
        """Starts a script of INSIDE, whose output and end come as events; returns its number. The
        guest ends it after `timeout` seconds (0: never)."""
        argv = [SHELL, str(INSIDE / script), *arguments]
        pid = self.agent_call(lambda agent: agent.start(argv, timeout, stream=True))
        self.programs[pid] = None
        return pid

    def ask(self, text, timeout=20):
        """Runs a shell command of busybox and returns its output."""
        def call(agent):
            pid = agent.start([SHELL, "-c", f"PATH={INSIDE}/busybox:{INSIDE}/bin; {text}"], timeout)
            return agent.wait(pid, timeout + 10)
        result = self.agent_call(call)
        return result[1] if result else ""
