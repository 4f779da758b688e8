# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs ornic-check on files that look like a virtual machine in which some things are missing."""

import os
import subprocess

from lab.paths import TOP

PROGRAM = TOP / "scripts/user/ornic-check"
CARD, RDMA = "sys/bus/pci/devices/0000:01:00.0", "ornic_0"
PABI = "lib/x86_64-linux-gnu/libibverbs.so.1"
# A machine in which everything is there: {file: text}
WHOLE = {
    f"{CARD}/vendor": "0x1af4\n",
    f"{CARD}/device": "0x10f0\n",
    f"{CARD}/driver/bind": "",
    f"{CARD}/infiniband/{RDMA}/node_guid": "",
    f"{CARD}/infiniband_verbs/uverbs0/abi_version": "1\n",
    "sys/bus/pci/devices/0000:00:00.0/vendor": "0x8086\n",
    "sys/module/ornic/refcnt": "",
    "sys/module/ornic_rdma/refcnt": "",
    "dev/infiniband/uverbs0": "",
    "dev/infiniband/rdma_cm": "",
    PABI: "\0IBVERBS_1.0\0IBVERBS_PRIVATE_34\0",
    "lib/x86_64-linux-gnu/libibverbs/libornic-rdmav34.so": "",
    "lib/x86_64-linux-gnu/libibverbs/libmlx5-rdmav34.so": "",
    "etc/libibverbs.d/ornic.driver": "driver ornic\n",
}
# Files of a machine that has a card and no drivers
NO_MODULES = ("sys/module/", f"{CARD}/driver", f"{CARD}/infiniband")


def check(path, *without, files=(), release="9.9-none", log=""):
    """Returns the lines of ornic-check on WHOLE, which is made below `path`, without the files that
    begin so, and with `files` in place. `log` is the kernel log, or None if the user may not read
    it."""
    made = {name: text for name, text in WHOLE.items() if not name.startswith(without)}
    for name, text in (made | dict(files)).items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    (path / "bin").mkdir(exist_ok=True)
    (path / "log").write_text(log or "")
    (path / "bin/dmesg").write_text("#!/bin/sh\n" + ("exit 1" if log is None else
                                                     f"cat {path}/log") + "\n")
    (path / "bin/dmesg").chmod(0o755)
    settings = {name.upper(): str(path / name) for name in ("sys", "dev", "lib", "etc")}
    done = subprocess.run([PROGRAM], capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, **settings, "RELEASE": release,
                               "PATH": f"{path}/bin:{os.environ['PATH']}"})
    assert not done.stderr
    assert done.returncode == (0 if done.stdout == "ok\n" else 1)
    return done.stdout.replace(f"{path}/lib/", "/usr/lib/").replace(f"{path}/", "/").splitlines()
