# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Paths, valid inside the root tree (scripts/inroot)."""

import os
from pathlib import Path

from .errors import LabError

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
CACHE = Path(os.environ.get("ORNIC_CACHE", "/var/cache/ornic"))
DEVICE = BUILD / "device" / "ornic-device"
DEVICE_SANITIZED = BUILD / "device-san" / "ornic-device"
# Other kernels of Debian, for which the modules are built as DKMS does
DISTRIBUTION = ("6.12", "7.2")


def tree():
    """Returns the directory of the root tree, as set by scripts/inroot. The guests mount it."""
    path = os.environ.get("ORNIC_TREE")
    if not path:
        raise LabError("not inside the root tree: run this through scripts/inroot")
    return Path(path)


def long_packages():
    """Returns the directory with the files of scripts/packages-long.list."""
    path = os.environ.get("ORNIC_LONG")
    if not path:
        raise LabError("not inside the root tree of the long steps: run this through "
                       "scripts/inroot -l")
    return Path(path)


class Kernel:
    """A kernel that guests can boot, with the directories of its own modules and of ours. Kernels
    of one `kind` are equally fast."""

    def __init__(self, name):
        self.name = self.kind = name
        self.modules = BUILD / name
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
                raise LabError(f"scripts/packages-long.list has no kernel {name}")
            self.own_modules = found[-1]
            self.release = self.own_modules.name
            # Newer packages have the image beside the modules
            images = [self.own_modules / "vmlinuz",
                      long_packages() / f"boot/vmlinuz-{self.release}"]
            self.image = next(image for image in images if image.exists())
        else:
            names = ", ".join(("stock", "debug", "kcsan", *DISTRIBUTION))
            raise LabError(f"no such kernel: {name} ({names})")
