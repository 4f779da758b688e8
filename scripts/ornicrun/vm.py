# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One virtual machine: QEMU, a kernel booted directly, a directory tree over 9p as its root."""

import contextlib
import json
import os
import re
import subprocess
import time
from pathlib import Path

from . import process, processors
from .agent import GuestAgent, Qmp
from .errors import RunError

EMULATION = "tcg,thread=multi"
# Seconds in which a kernel must have booted under KVM
KVM_TIMEOUT = 4
HANGS = "the kernel stands still while it boots"
FIRST_WORDS = b"early-init: the kernel has booted"
# Seconds until the first program runs, and until the agent answers. One boot in several hundred
# hangs at the kernel's first timer tick, before the kernel detects any card.
KERNEL_TIMEOUT, BOOT_TIMEOUT = 120, 240


def find_accelerator(qemu, image):
    """Returns the accelerator for x86-64 guests. /dev/kvm may open and still hang every guest (a
    nested, paravirtual one does), so KVM is used only if kvm_intel or kvm_amd is loaded and a
    kernel has come under KVM to the point where it misses a root file system."""
    if not any(Path(f"/sys/module/{name}").exists() for name in ("kvm_intel", "kvm_amd")):
        return EMULATION
    argv = [*qemu, "-accel", "kvm", "-cpu", "host", "-m", "256M", "-nodefaults"]
    argv += ["-nographic", "-no-reboot", "-serial", "stdio"]
    argv += ["-kernel", image, "-append", "console=ttyS0 panic=-1"]
    try:
        output = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=KVM_TIMEOUT, check=False).stdout
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or b""
    return "kvm" if b"Kernel panic" in output else EMULATION


def quoted(path):
    """Returns a path as a word of the kernel's command line, for guest/early-init."""
    return re.sub(rb"[^\w./:@%+,=~-]", lambda found: b"\\0%03o" % ord(found[0]),
                  os.fsencode(path)).decode()


class Guest:
    """`kernel` has the attributes image and processor. The subclass adds the initramfs, and the
    directory that the guest has as its root."""

    # The client of its agent
    Agent = GuestAgent
    # The directory that the guest has as /, and its first program there
    tree = Path("/")
    init = None
    kernel_timeout, boot_timeout = KERNEL_TIMEOUT, BOOT_TIMEOUT

    def __init__(self, name, rundir, logdir, *, kernel, cards=(), smp=1, mem="1G", args=(),
                 append=""):
        """`cards` has a socket of an ornic-device for each card, or "" for an empty slot."""
        self.name = name
        self.rundir, self.logdir = Path(rundir), Path(logdir)
        self.kernel = kernel
        self.cards = list(cards)
        self.smp, self.mem = smp, mem
        self.args, self.append = list(args), append
        self.console_log = self.logdir / f"{name}-console.log"
        self.qemu_log = self.logdir / f"{name}-qemu.log"
        self.process = None
        self.boots = 0
        self.agent = None

    def socket(self, what):
        return self.rundir / f"{self.name}-{what}.sock"

    def shares(self):
        """Returns (tag, directory, directory in the guest, mode) for each shared directory. Mode
        is "ro", "rw", or "fixed" for one that does not change while the guest runs."""
        return []

    def qemu(self):
        """Returns the words that begin a command line of QEMU."""
        return [self.kernel.processor.qemu]

    def accelerator(self):
        return EMULATION

    def initramfs(self):
        """Returns the file of the initramfs."""
        raise NotImplementedError

    def boot_words(self):
        """Returns further words for the kernel and for guest/early-init."""
        return []

    def command_line(self):
        processor = self.kernel.processor
        boot = [f"console={processor.console}", "mitigations=off", "panic=-1", "loglevel=5",
                "rdinit=/init", *processor.boot]
        boot += [f"guest.name={self.name}", f"guest.init={self.init}"]
        boot += [f"guest.mount={tag}:{quoted(path)}:{mode}" for tag, _, path, mode in self.shares()]
        boot += self.boot_words()

        accel = self.accelerator()
        cpu = "host" if accel == "kvm" else processor.cpu
        argv = [*self.qemu(), "-name", self.name, "-accel", accel, "-cpu", cpu]
        # Guest memory must be shared, because the card maps it
        argv += ["-machine", f"{processor.machine},memory-backend=mem", "-m", self.mem]
        # With maxcpus=1 TCG translates atomic instructions to plain loads and stores, which are not
        # fences against the card, which runs in another process.
        argv += ["-smp", f"{self.smp},maxcpus={max(self.smp, 2)}"]
        argv += ["-object", f"memory-backend-memfd,id=mem,size={self.mem},share=on"]
        argv += ["-nodefaults", "-no-reboot", "-display", "none"]
        argv += processor.args
        argv += ["-kernel", self.kernel.image, "-initrd", self.initramfs()]
        argv += ["-append", " ".join([*boot, self.append]).strip()]
        argv += ["-chardev", f"socket,id=console,path={self.socket('console')},server=on,wait=off,"
                             f"logfile={self.console_log}", "-serial", "chardev:console"]
        argv += ["-qmp", f"unix:{self.socket('qmp')},server=on,wait=off"]
        argv += ["-device", "virtio-serial"]
        argv += ["-chardev", f"socket,id=agent,path={self.socket('agent')},server=on,wait=off"]
        argv += ["-device", "virtserialport,chardev=agent,name=org.qemu.guest_agent.0"]
        argv += ["-device", "virtio-rng"]
        for tag, path, _, mode in [("tree", self.tree, "/", "fixed"), *self.shares()]:
            readonly = "" if mode == "rw" else ",readonly=on"
            # QEMU reads a comma as the end of the path, and two as one comma
            argv += ["-fsdev", f"local,id={tag},path={str(path).replace(',', ',,')},"
                               f"security_model=none,multidevs=remap{readonly}"]
            argv += ["-device", f"virtio-9p,fsdev={tag},mount_tag={tag}"]
        argv += self.network()
        for number, path in enumerate(self.cards):
            if processor.root_ports:
                argv += ["-device", f"pcie-root-port,id=rp{number},slot={number + 1},"
                                    f"chassis={number + 1}"]
            if path:
                argv += ["-device", json.dumps(self.card_device(number, path))]
        return [*argv, *self.args]

    def network(self):
        """Returns the options of other network cards."""
        return []

    def card_device(self, number, path):
        """Returns card `number`, behind its root port if it has one, for -device."""
        return {
            "driver": "vfio-user-pci",
            "id": f"nic{number}",
            **({"bus": f"rp{number}"} if self.kernel.processor.root_ports else {}),
            # Milliseconds; a later reply makes QEMU give up the device permanently
            "x-msg-timeout": 120000,
            "socket": {"type": "unix", "path": str(path)},
        }

    def launch(self):
        for what in ("console", "qmp", "agent"):
            self.socket(what).unlink(missing_ok=True)
        self.console_log.unlink(missing_ok=True)
        self.process = process.launch(self.command_line(), self.qemu_log)
        self.boots = 1
        self.launched = time.monotonic()
        return self

    def elapsed(self):
        return time.monotonic() - self.launched

    def wait_kernel(self):
        """Waits until the first program runs. A kernel that hangs before that is booted once more,
        unless the guest itself has booted it again."""
        for attempt in range(2):
            while not self.console_log.exists() or \
                    self.console_log.read_bytes().count(FIRST_WORDS) < self.boots:
                self.check_running()
                if self.elapsed() > self.kernel_timeout:
                    break
                time.sleep(0.1)
            else:
                return
            stuck = self.logdir / f"{self.name}-stuck{attempt}.txt"
            with contextlib.closing(Qmp(self.socket("qmp"))) as qmp:
                stuck.write_text(qmp.execute("human-monitor-command",
                                             command_line="info registers -a"))
            self.note_hang(stuck)
            if attempt or self.boots > 1:
                break
            self.kill()
            self.launch()
        raise RunError(f"{self.name}: the kernel does not boot, see {stuck}")

    def note_hang(self, stuck):
        """Called when a boot has hung; the file `stuck` has the registers."""

    def wait_ready(self):
        """Waits until the guest agent answers."""
        self.wait_kernel()
        agent = self.Agent(self.socket("agent"), timeout=1)
        while not agent.synchronize():
            self.check_running()
            if self.elapsed() > self.boot_timeout:
                raise RunError(f"{self.name} does not come up, see {self.console_log}\n"
                               f"{process.tail(self.console_log)}")
        agent.socket.settimeout(120)
        self.agent = agent
        return self

    def running(self):
        return self.process is not None and self.process.poll() is None

    def check_running(self):
        if not self.running():
            raise RunError(
                f"{self.name}: QEMU has ended, see {self.qemu_log} and {self.console_log}\n"
                f"{process.tail(self.qemu_log)}\n{process.tail(self.console_log)}"
            )

    def agent_call(self, call):
        self.check_running()
        if not self.agent:
            raise RunError(f"{self.name} never came up, see {self.console_log}")
        try:
            return call(self.agent)
        except (OSError, TimeoutError) as error:
            raise RunError(f"{self.name} does not answer ({error}), see {self.console_log}\n"
                           f"{process.tail(self.console_log)}") from error

    def kill(self):
        """Ends QEMU."""
        process.stop(self.process, process.END_TIMEOUT)
