# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Paths, valid inside the root tree (scripts/inroot)."""

import os
from pathlib import Path

from ornicrun import processors

from .errors import LabError

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
CACHE = Path(os.environ.get("ORNIC_CACHE", "/var/cache/ornic"))
DEVICE = BUILD / "device" / "ornic-device"
DEVICE_SANITIZED = BUILD / "device-san" / "ornic-device"
# Files of our Debian packages, and the modules that DKMS has built from them (build installed)
INSTALLED = BUILD / "installed"
# Other kernels of Debian, whose modules are always those of the packages
DISTRIBUTION = ("6.12", "7.2")
# The version of the root tree's own kernel, which is called "stock"
NEWEST = "7.3"
# Kernels for other processors
FOREIGN = ("arm64", "arm64-16k")
# Kernels of guests that are built from sources only
BARE = ("s390x",)


def use_packages():
    """Has all cards, and all guests with a kernel of Debian, run what the packages install."""
    global DEVICE  # pylint: disable=global-statement
    DEVICE = INSTALLED / "root/usr/bin/ornic-device"
    Kernel.packages = True


def tree():
    """Returns the directory of the root tree, as set by scripts/inroot. The guests mount it."""
    path = os.environ.get("ORNIC_TREE")
    if not path:
        raise LabError("not inside the root tree: run this through scripts/inroot")
    return Path(path)


def long_packages():
    """Returns the directory with the files of scripts/tree/packages-long.list."""
    path = os.environ.get("ORNIC_LONG")
    if not path:
        raise LabError("not inside the root tree of the long steps: run this through "
                       "scripts/inroot -l")
    return Path(path)


def foreign_tree(processor):
    """Returns the directory with the packages of another processor, given by its name."""
    link = BUILD / processor / "tree"
    if not link.exists():
        raise LabError(f"no tree for {processor} yet: run `scripts/cross provider {processor}`")
    return link.resolve()


def provider_package():
    """Returns the Debian package with the provider."""
    found = list((BUILD / "deb").glob("ibverbs-provider-ornic_*.deb"))
    if len(found) != 1:
        raise LabError(f"{len(found)} packages of the provider in {BUILD}/deb: run `make deb`")
    return found[0]


class Kernel:
    """A kernel that guests can boot, with the directories of its own modules and of ours, of the
    build of our provider, and of the root tree for its processor. Kernels of one `kind` are equally
    fast."""

    processor = processors.X86_64
    build = BUILD
    # Whether the stock kernel has the modules of the packages, too
    packages = False

    def __init__(self, name):
        self.name = self.kind = name
        self.modules = BUILD / name
        # The Debian package with the provider, or None for the one of the build
        self.provider = None
        if name in DISTRIBUTION or (self.packages and name == "stock"):
            self.modules = INSTALLED / name
            self.provider = provider_package()
        if name in FOREIGN:
            self.set_foreign(processors.ARM64, name)
            return
        if name in BARE:
            self.set_bare(processors.S390X)
            return
        self.tree = tree()
        if name == "stock":
            # Not in /boot, where the long steps have older ones
            images = sorted((tree() / "boot").glob("vmlinuz-*"))
            if not images:
                raise LabError("the root tree has no kernel in /boot")
            self.image = images[-1]
            self.release = self.image.name.removeprefix("vmlinuz-")
            self.own_modules = Path("/lib/modules") / self.release
        elif name in ("debug", "kcsan"):
            link = BUILD / f"{name}-kernel"
            if not link.exists():
                raise LabError(f"no {name} kernel yet: run `make modules KERNEL={name}`")
            self.image = link / "arch/x86/boot/bzImage"
            self.release = (link / "include/config/kernel.release").read_text().strip()
            self.own_modules = link.resolve() / "root/lib/modules" / self.release
        elif name in DISTRIBUTION:
            self.kind = "stock"
            found = sorted((long_packages() / "usr/lib/modules").glob(f"{name}.*"))
            if not found:
                raise LabError(f"scripts/tree/packages-long.list has no kernel {name}")
            self.own_modules = found[-1]
            self.release = self.own_modules.name
            # Newer packages have the image beside the modules
            images = [self.own_modules / "vmlinuz",
                      long_packages() / f"boot/vmlinuz-{self.release}"]
            self.image = next(image for image in images if image.exists())
        else:
            names = ", ".join(("stock", "debug", "kcsan", *DISTRIBUTION, *FOREIGN, *BARE))
            raise LabError(f"no such kernel: {name} ({names})")

    def check_modules(self):
        """Raises LabError if our modules are not built, with the command that builds them."""
        command = f"make modules KERNEL={self.name}"
        if self.provider:
            command = f"scripts/build installed {self.name}"
        elif self.processor is not processors.X86_64:
            command = f"scripts/cross {self.processor.name}"
        for name in ("ornic.ko", "ornic_rdma.ko"):
            if not (self.modules / name).exists():
                raise LabError(f"no {name} in {self.modules}: run `{command}`")

    def set_foreign(self, processor, suffix):
        """Finds the kernel of the processor's tree whose release ends with `suffix`."""
        self.processor, self.tree = processor, foreign_tree(processor.name)
        self.build = BUILD / processor.name
        self.modules = self.build / suffix
        [self.own_modules] = self.tree.glob(f"usr/lib/modules/*-{suffix}")
        self.release = self.own_modules.name
        self.image = self.own_modules / "vmlinuz"

    def set_bare(self, processor):
        """Finds the kernel that `cross guest` has built for this processor."""
        self.processor, self.build = processor, BUILD / processor.name / "guest"
        self.tree, self.modules = self.build / "tree", self.build / "modules"
        if not self.tree.exists():
            raise LabError(f"no guest yet: run `scripts/cross guest {processor.name}`")
        [self.own_modules] = self.build.glob("kernel/root/lib/modules/*")
        self.release = self.own_modules.name
        self.image = self.build / "kernel/arch/s390/boot/bzImage"
