# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A bundle of ornic-run, and an ordinary user who runs it."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

USER = 65534
AS_USER = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--"]
# Seconds, for hangs
LIMIT = 300


def make_bundle(target, *files):
    subprocess.run([sys.executable, "-m", "ornicrun.bundle", target, *files], check=True,
                   env=os.environ | {"PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": "0"})
    return target


class Place:
    """A directory of an ordinary user, and one for temporary files."""

    name = "my work"

    def __init__(self, folder, bundle):
        self.bundle = bundle
        self.work, self.temporary = folder / self.name, folder / "tmp"
        for one in (folder, self.work, self.temporary):
            one.mkdir(exist_ok=True)
            one.chmod(0o755)
            os.chown(one, USER, USER)

    def start(self, *words, program=None, **options):
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(self.temporary), "LANG": "C.UTF-8"}
        return subprocess.Popen([*AS_USER, *(program or [self.bundle / "ornic-run"]), *words],
                                **{"cwd": self.work, "env": environment, "text": True,
                                   "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                   "stderr": subprocess.PIPE, "start_new_session": True} | options)

    def run(self, *words, **options):
        """Returns (exit code, output, error output)."""
        process = self.start(*words, **options)
        output, errors = process.communicate(timeout=LIMIT)
        return process.returncode, output, errors

    def left(self):
        """Returns what is left of runs: files, and processes that have their directory in their
        command line."""
        found = [str(path) for path in self.temporary.rglob("*")]
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = path.read_bytes()
                if os.fsencode(self.temporary) + b"/ornic-run-" in words:
                    found.append(words.replace(b"\0", b" ").decode())
        return found
