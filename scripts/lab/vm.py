# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One virtual machine of the lab: a kernel of the lab on the root tree, and a judge of what it says
on its console."""

import functools
import re
import shlex
import subprocess
import time
import warnings

from ornicrun import process, processors
from ornicrun.agent import Qmp
from ornicrun.vm import EMULATION, HANGS, Guest, find_accelerator

from . import initramfs, paths, reports
from .errors import LabError
from .reports import KernelLog

# Seconds; a debug kernel needs 20 s on an idle host, systemd of a user's machine as much, and the
# host may be busy
BOOT_TIMEOUT = {"stock": 240, "user": 600, "debug": 600, "kcsan": 600, "arm64": 600,
                "arm64-16k": 600, "s390x": 600}
# Seconds of BOOT_TIMEOUT until the first program runs
KERNEL_TIMEOUT = {"stock": 120, "user": 120, "debug": 240, "kcsan": 240, "arm64": 240,
                  "arm64-16k": 240, "s390x": 240}
MEMORY = {"stock": "1G", "debug": "2G", "kcsan": "1G", "arm64": "1G", "arm64-16k": "1G",
          "s390x": "1G"}
# With one processor, interrupt, poll and destruction never run concurrently
PROCESSORS = {"stock": 1, "debug": 2, "kcsan": 2, "arm64": 1, "arm64-16k": 1, "s390x": 1}
# Factors for timeouts, which are given for the stock kernel on an idle host
SLOWNESS = {"stock": 1, "debug": 6, "kcsan": 8, "arm64": 3, "arm64-16k": 3, "s390x": 3}
# Factor for a busy host: `make check` runs two pairs of VMs at the same time
BUSY = 3
# Seconds in which a kernel completes a report that it is printing
REPORT_TIMEOUT = 30
# The state of the debug kernel's checks, which stop silently after some reports: {file: pattern}
CHECKS = {
    "/proc/lockdep_stats": r"debug_locks: *1\n",
    "/sys/kernel/debug/dma-api/disabled": r"N\n",
    "/sys/kernel/debug/dma-api/error_count": r"0\n",
}
# A stack may still refer to recently freed memory, so the second scan counts
LEAKS = ("cd /sys/kernel/debug && echo scan >kmemleak && sleep 6 && echo scan >kmemleak && "
         "cat kmemleak")
LEAKS_TIMEOUT = 100


@functools.cache
def accelerator():
    """Returns the accelerator for x86-64 guests."""
    return find_accelerator([processors.X86_64.qemu], paths.Kernel("stock").image)


class Command:
    """A program that was started in the guest."""

    def __init__(self, vm, pid, text):
        self.vm, self.pid, self.text = vm, pid, text
        self.result = None

    def poll(self):
        """Returns None while it runs, else (exit code, output)."""
        if self.result is None:
            self.result = self.vm.agent_call(lambda agent: agent.status(self.pid))
        return self.result

    def wait_for(self, timeout):
        """Returns None if it still runs after the timeout (seconds), else (exit code, output)."""
        timeout *= self.vm.patience
        if self.result is None:
            self.result = self.vm.agent_call(lambda agent: agent.wait(self.pid, timeout))
        return self.result

    def wait(self, timeout=60):
        if self.wait_for(timeout) is None:
            raise LabError(f"{self.vm.name}: still running after {timeout * self.vm.patience} s: "
                           f"{self.text}")
        return self.result

    def kill(self, signal="TERM"):
        """Sends a signal to the program and to all that it started."""
        self.vm.run(f"kill -{signal} -- -{self.pid}")


class Vm(Guest):
    init = f"{paths.TOP}/scripts/lab/guest/init"

    def __init__(self, name, rundir, logdir, *, kernel="stock", smp=None, mem=None, netdevs=(),
                 **options):
        """`netdevs` has an end of a Link for each virtio-net card; `options` are those of Guest."""
        kernel = paths.Kernel(kernel)
        kind = kernel.kind
        super().__init__(name, rundir, logdir, kernel=kernel, smp=smp or PROCESSORS[kind],
                         mem=mem or MEMORY[kind], **options)
        self.tree = kernel.tree
        self.netdevs = list(netdevs)
        self.slowness = SLOWNESS[kind]
        self.patience = self.slowness * BUSY
        self.qmp = None
        self.log = KernelLog()
        # How far the console had been read when the debug kernel's checks were examined last
        self.checked = None
        self.over = True  # not started, or ended by the lab
        self.complaints = []

    @property
    def kernel_timeout(self):
        return KERNEL_TIMEOUT[self.kernel.kind]

    @property
    def boot_timeout(self):
        return BOOT_TIMEOUT[self.kernel.kind]

    def shares(self):
        """Returns the checkout, the cache, and a directory for output of the guest. They have the
        same paths in the guest."""
        out = self.rundir / f"{self.name}-out"
        out.mkdir(exist_ok=True)
        return [(tag, path, path, mode) for tag, path, mode in
                (("top", paths.TOP, "ro"), ("cache", paths.CACHE, "ro"), ("out", out, "rw"))]

    def accelerator(self):
        native = self.kernel.processor is processors.X86_64
        return accelerator() if native else EMULATION

    def initramfs(self):
        return initramfs.make(self.kernel)

    def boot_words(self):
        words = [f"guest.own-modules={self.kernel.own_modules}"]
        if self.kernel.name == "debug":
            # identify_cpu() of 7.3 briefly clears the feature of five page table levels; an
            # interrupt at that time makes KASAN take valid memory for invalid.
            words.append("no5lvl")
        if self.netdevs:
            words.append("guest.modules=virtio_net")
        return words

    def network(self):
        words = []
        for number, end in enumerate(self.netdevs):
            words += ["-netdev", f"{end.netdev},id=net{number}", "-device",
                      f"virtio-net-pci,netdev=net{number},mac={end.mac},host_mtu=9000"]
        return words

    def launch(self):
        self.log, self.heard, self.checked = KernelLog(), 0, None
        super().launch()
        self.over = False
        return self

    def note_hang(self, stuck):
        warnings.warn(f"{self.name}: {HANGS}, see {stuck}")

    def wait_ready(self):
        super().wait_ready()
        self.qmp = Qmp(self.socket("qmp"))
        return self

    def start(self):
        return self.launch().wait_ready()

    def come_up_again(self):
        """Waits until the guest has booted once more in the same QEMU. Commands that were started
        before are lost."""
        for client in (self.agent, self.qmp):
            client.close()
        self.agent = self.qmp = None
        self.boots += 1
        self.launched = time.monotonic()
        return self.wait_ready()

    def spawn(self, text, timeout=3600):
        """Starts a shell command in the guest; the guest itself ends it after the timeout."""
        argv = ["/bin/bash", "-c", text]
        pid = self.agent_call(lambda agent: agent.start(argv, timeout * self.patience))
        return Command(self, pid, text)

    def run(self, text, timeout=60):
        """Runs a shell command in the guest and returns (exit code, output). Code 124 means that
        the timeout ended it."""
        return self.spawn(text, timeout).wait(timeout + 30)

    def has_file(self, path):
        """Returns whether a file can be opened in the guest, without starting a program."""
        return self.agent_call(lambda agent: agent.has_file(str(path)))

    def check(self, text, timeout=60):
        """Like run(), but raises LabError unless the exit code is 0, and returns the output."""
        code, output = self.run(text, timeout)
        if code:
            raise LabError(f"{self.name}: `{text}` ended with {code}:\n{output}")
        return output

    def netdevs_of(self, driver):
        """Returns the names of this driver's netdevs in the guest, in the order of its bus."""
        # No program but the shell: each costs a debug kernel a third of a second
        output = self.check(
            "for d in /sys/class/net/*; do [ -e $d/device/driver ] || continue; "
            "cd -P $d/device && device=$PWD && cd -P driver && echo $device ${PWD##*/} ${d##*/}; "
            "done"
        )
        rows = sorted(line.split() for line in output.splitlines())
        return [name for _, found, name in rows if found == driver]

    def load_ornic(self, timeout=120):
        """Loads the drivers and installs the provider for the guest's own rdma-core."""
        self.kernel.check_modules()
        script = paths.TOP / "scripts/lab/guest/load-ornic"
        argv = [script, self.kernel.modules, self.kernel.build, self.kernel.provider or ""]
        return self.check(shlex.join(map(str, argv)), timeout)

    def dmesg(self):
        return self.check("dmesg")

    def listen(self, final=False):
        """Judges the console's output since the last call. Waits for the end of a report that is
        being printed."""
        deadline = time.monotonic() + REPORT_TIMEOUT
        while True:
            late = final or time.monotonic() > deadline
            with open(self.console_log, "rb") as console:
                console.seek(self.heard)
                text = console.read()
                self.heard = console.tell()
            if self.log.feed(text.decode("latin-1"), late) or late:
                return
            time.sleep(0.1)

    def reports(self):
        """Returns the kernel's reports since its boot, without those that a test declared."""
        if not self.over:
            self.listen()
        return list(self.log.found)

    def expects(self, *patterns, required=True):
        """Declares that the current test provokes messages that match these regular expressions,
        from the first word after the time stamp to the last. With `required` each must appear."""
        self.listen()
        self.log.expect(*patterns, required=required)

    def settle(self):
        """Called at the end of a test: returns the VM's events that the test did not declare."""
        if not self.over:
            self.listen()
            if self.process.poll() is not None:
                self.complaints.append(f"QEMU has ended with {self.process.returncode}, see "
                                       f"{self.qemu_log}\n{process.tail(self.qemu_log)}")
                self.give_up()
            elif self.kernel.name == "debug" and self.agent and self.checked != self.heard:
                self.check_checks()
        found, self.complaints = self.complaints + self.log.settle(), []
        return [f"{self.name}: {line}" for line in found]

    def check_checks(self):
        """Complains if a check of the debug kernel is disabled, unless a fault of the kernel itself
        disabled it until the next boot. It costs seconds, so settle() does it only if the console
        has said something, and after the last test of a file."""
        self.checked = self.heard
        if self.log.foreign:
            return
        try:
            for path, pattern in CHECKS.items():
                # A program would cost this kernel a third of a second
                text = self.agent_call(lambda agent, path=path: agent.read_file(path))
                if not re.search(pattern, text):
                    self.complaints.append(f"{path} does not say {pattern!r}:\n{text}")
        except LabError as error:
            self.complaints.append(str(error))

    def find_leaks(self):
        """Returns kmemleak's reports of memory that is lost, as text. For the debug kernel only."""
        return reports.leaks(self.check(LEAKS, LEAKS_TIMEOUT))

    def check_leaks(self):
        """Unloads the drivers and complains about leaked memory. For the debug kernel only."""
        try:
            self.check("rmmod ornic_rdma && rmmod ornic")
            if leaks := self.find_leaks():
                self.complaints.append(f"memory has leaked:\n{leaks}")
        except LabError as error:
            self.complaints.append(str(error))

    def poweroff(self, timeout=60):
        """Powers the guest off through its kernel and returns QEMU's exit code."""
        if self.running():
            self.spawn("echo o >/proc/sysrq-trigger")
            try:
                self.process.wait(timeout * self.patience)
            except subprocess.TimeoutExpired as expired:
                words = f"{self.name} does not power off, see {self.console_log}"
                raise LabError(words) from expired
        self.give_up()
        return self.process.returncode

    def kill(self):
        """Ends QEMU. An exit code other than 0 is a complaint."""
        if not self.over:
            code = process.stop(self.process, process.END_TIMEOUT)
            if code:
                self.complaints.append(f"QEMU ended with {code}, see {self.qemu_log}\n"
                                       f"{process.tail(self.qemu_log)}")
        self.give_up()

    def give_up(self):
        """Called when QEMU has ended: searches its whole console log for reports that were
        missed."""
        if not self.over:
            self.over = True
            self.listen(final=True)
            text = self.console_log.read_bytes().decode("latin-1")
            self.complaints += self.log.missed(text)
        for client in (self.agent, self.qmp):
            if client:
                client.close()
        self.agent = self.qmp = None
