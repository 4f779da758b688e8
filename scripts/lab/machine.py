# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A user's machine: the tree of `root-tree user`, on which the packages are installed by apt. Its
files can be changed in a chroot, and virtual machines boot them."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ornicrun import processors

from . import paths
from .agent import QemuAgent
from .errors import LabError
from .vm import Vm, accelerator

# Host directories that programs in the chroot need
BOUND = ("dev", "proc")
# Files in memory, and files that change by themselves
VOLATILE = {"dev", "proc", "run", "sys", "tmp", "root", "var/cache", "var/log", "var/lib/apt",
            "var/lib/dpkg", "var/lib/systemd", "etc/ld.so.cache", "etc/resolv.conf"}
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
               "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
               "TERM": "dumb"}


def user_tree():
    """Returns the directory of the tree, which `make check-long` has made."""
    output = subprocess.run([paths.TOP / "scripts/tree/root-tree", "user"], check=True,
                            capture_output=True, text=True).stdout
    return Path(output.strip())


class Machine:
    """The changes of the tree are in a directory of their own, and are lost at the end. `base` is a
    Machine whose files this one has too; the base must not change meanwhile."""

    def __init__(self, base=None):
        self.directory = Path(tempfile.mkdtemp(prefix="ornic-machine-"))
        self.root, self.upper = self.directory / "root", self.directory / "upper"
        self.lower = [base.upper, *base.lower] if base else [user_tree()]

    def __enter__(self):
        for name in ("upper", "work", "root"):
            (self.directory / name).mkdir()
        mount("-t", "overlay", "machine", self.root, "-o",
              f"lowerdir={':'.join(map(str, self.lower))},upperdir={self.upper},"
              f"workdir={self.directory / 'work'}")
        self.bind()
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-R", "-l", self.root], check=True)
        shutil.rmtree(self.directory)

    def bind(self):
        for name in BOUND:
            mount("--rbind", f"/{name}", self.root / name)
        mount("-t", "tmpfs", "run", self.root / "run")

    def unbind(self):
        """Leaves the files alone, for virtual machines."""
        for name in (*BOUND, "run"):
            subprocess.run(["umount", "-R", "-l", self.root / name], check=True)

    def run(self, text, timeout=1200):
        """Runs a shell command in the chroot and returns (exit code, output)."""
        done = subprocess.run(["chroot", self.root, "/bin/bash", "-c", f"cd /root && {text}"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=timeout, env=ENVIRONMENT, check=False)
        return done.returncode, done.stdout

    def check(self, text):
        """Like run(), but raises LabError unless the exit code is 0, and returns the output."""
        code, output = self.run(text)
        if code:
            raise LabError(f"`{text}` ended with {code}:\n{output}")
        return output

    @contextlib.contextmanager
    def started(self, argv):
        """Runs a program in the chroot while the body of the context runs."""
        process = subprocess.Popen(["chroot", self.root, *argv], stdin=subprocess.DEVNULL,
                                   env=ENVIRONMENT)
        try:
            yield process
        finally:
            process.terminate()
            process.wait(20)

    def files(self):
        """Returns the paths of all files that a package could leave behind."""
        found = set()
        for folder, folders, names in os.walk(self.root):
            inside = os.path.relpath(folder, self.root)
            base = "" if inside == "." else f"{inside}/"
            folders[:] = [name for name in folders if f"{base}{name}" not in VOLATILE]
            found |= {f"{base}{name}" for name in [*names, *folders]
                      if f"{base}{name}" not in VOLATILE}
        return found


def mount(*words):
    subprocess.run(["mount", *words], check=True)


class MachineKernel:
    """A kernel of a machine, the newest whose release begins so; its modules are found by modprobe.
    The first programs of a boot are those of the lab's tree."""

    name = kind = "user"
    processor = processors.X86_64
    modules = None

    def __init__(self, root, release):
        self.tree = paths.tree()
        # One-digit major versions are in the order of their names
        images = sorted((root / "boot").glob(f"vmlinuz-{release}*"))
        if not images:
            have = ", ".join(sorted(path.name for path in (root / "boot").glob("vmlinuz-*")))
            raise LabError(f"{root}: no kernel {release}*, there are {have}")
        self.image = images[-1]
        self.release = self.image.name.removeprefix("vmlinuz-")
        self.own_modules = root / "lib/modules" / self.release


class MachineVm(Vm):
    """Boots a Machine with systemd. `attach` has the words of a documented command line of QEMU,
    which are used in place of the lab's: all but KVM where that does not work."""

    Agent = QemuAgent

    def __init__(self, name, rundir, logdir, *, machine, release="", **options):
        super().__init__(name, rundir, logdir, **options)
        self.tree, self.init = machine.root, "/usr/lib/systemd/systemd"
        self.kernel = MachineKernel(machine.root, release)
        self.append += " systemd.show_status=0"
        self.attach = []

    def command_line(self):
        argv = list(map(str, super().command_line()))
        if not self.attach:
            return argv
        for option, value in (("-accel", ""), ("-cpu", ""), ("-smp", ""), ("-m", ""),
                              ("-machine", "memory-backend"), ("-object", "memory"),
                              ("-global", "ICH9")):
            remove(argv, option, value)
        attach = list(self.attach)
        if accelerator() != "kvm":
            remove(attach, "-accel", "kvm")
        return [*argv, *attach]


def remove(argv, option, value):
    """Removes the first option whose value has these words."""
    place = next(place for place, word in enumerate(argv)
                 if word == option and value in argv[place + 1])
    del argv[place:place + 2]
