# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The steps of `make check-long`, and the record of when each passed the last time."""

import json
import os
import time
from dataclasses import dataclass

from . import paths
from .git import git

STEP_TIMEOUT = 30 * 60  # seconds
RECORDS = paths.CACHE / "check-long"


@dataclass
class Step:
    """`files` are below tests/; if empty, the step has all files that no other step of the same
    marks names. `marks` selects tests of the files, and so does `only`, by words of their names.
    `loops` is the number of busy loops beside them. With `packages` the tests have the card, the
    modules and the provider of the Debian packages, not those of the build."""

    name: str
    about: str
    files: tuple = ()
    marks: str = "long"
    loops: int = 0
    only: str = ""
    packages: bool = False

    def words(self):
        """Returns the arguments by which pytest selects the tests."""
        if self.files:
            more = ["-k", self.only] if self.only else []
            more += ["--packages"] if self.packages else []
            return ["-m", self.marks, *more, *(f"tests/{name}" for name in self.files)]
        named = {name for step in STEPS if step.marks == self.marks for name in step.files}
        return ["-m", self.marks, *(f"--ignore=tests/{name}" for name in sorted(named)), "tests"]


STEPS = (
    Step("wire-faults", "loss, duplication, reordering, corruption: the whole matrix",
         ("e2e/test_wire_faults.py",)),
    Step("interop", "more operations between ORNIC and rdma_rxe", ("e2e/test_interop.py",)),
    Step("programs", "more cases of the programs that people use",
         ("e2e/test_programs.py", "e2e/test_transports.py", "e2e/test_frameworks.py")),
    Step("rdma-core", "rdma-core's suite with packets that are bytes, and in the debug kernel",
         ("e2e/test_rdma_core.py",)),
    Step("selftests", "the kernel's own tests of network drivers", ("e2e/test_selftests.py",)),
    Step("random", "the C tests and the fuzz targets with other random numbers, and more of them",
         ("unit/test_random.py",)),
    Step("fuzz", "new inputs by libFuzzer, five minutes per target", ("fuzz/test_fuzz.py",)),
    Step("consumers", "more ways for a kernel consumer to lose its card",
         ("e2e/test_kernel_consumers.py",)),
    Step("memory", "each allocation of the drivers fails, one after the other",
         ("e2e/test_nomem.py",)),
    Step("exhaustion", "all objects that the card has, limits of memory and descriptors",
         ("e2e/test_exhaustion.py",), only="not storm"),
    Step("storms", "processes create and destroy objects beside traffic, five minutes each",
         ("e2e/test_exhaustion.py",), only="storm"),
    *(Step(f"cycles-{kind}", f"{about} 200 times in the debug kernel, under traffic",
           ("e2e/test_cycles.py",), only=kind)
      for kind, about in (("unbind", "the driver is unbound and bound"),
                          ("flr", "the function is reset"),
                          ("fatal", "the card fails"),
                          ("remove", "the function is removed and found"),
                          ("kill", "programs are killed"))),
    Step("lies", "a card that breaks the hardware interface 100,000 times", ("e2e/test_lies.py",)),
    Step("kcsan", "concurrent use of the drivers under the kernel's detector of data races",
         ("e2e/test_kcsan.py",)),
    Step("namespaces", "a card per network namespace", ("e2e/test_namespaces.py",), "not long",
         packages=True),
    Step("containers", "a card per container", ("e2e/test_containers.py",), packages=True),
    Step("packages", "the life of the Debian packages and the RPMs; builds of libornic",
         ("packages/test_packages.py", "packages/test_rpm.py", "packages/test_provider.py")),
    Step("first-steps", "first five minutes of install.rst, and libvirt, in VMs with packages",
         ("packages/test_first_steps.py", "packages/test_libvirt.py"), packages=True),
    *(Step(f"kernels-{name}", f"Debian's Linux {name}, with the modules as DKMS builds them",
           ("e2e/test_kernels.py", "e2e/test_absent.py"), only=name, packages=True)
      for name in (*paths.DISTRIBUTION, paths.NEWEST)),
    *(Step(f"processors-{name}", f"{name} guests beside an x86-64 one; the provider on {name}",
           ("e2e/test_processors.py", "provider/test_foreign.py"), only=only, packages=True)
      for name, only in (("arm64", "arm64"), ("s390x", "not arm64"))),
    Step("upstream", "what maintainers ask: the drivers inside Linux in many builds, coccicheck",
         ("lab/test_upstream.py",)),
    Step("rest", "all other long tests"),
    Step("again", "rc_pingpong and rc_packets with rdma_rxe 200 times each beside two busy loops",
         ("e2e/test_interop_again.py",), "long", 2),
    Step("busy-interop", "interop beside two busy loops, for races that an idle machine hides",
         ("e2e/test_interop.py",), "not long", 2),
    Step("busy-lifecycle", "removal, resets and kills beside two busy loops",
         ("e2e/test_lifecycle.py", "e2e/test_faults.py"), "not long", 2),
)


def commit():
    """Returns the hash of HEAD, or None if the checkout differs from it."""
    return git("rev-parse", "HEAD") if git("status", "--porcelain") == "" else None


def passed():
    """Returns {step: record of its last pass}."""
    return {path.stem: json.loads(path.read_text()) for path in RECORDS.glob("*.json")}


def has_passed(record):
    """Returns whether the step of a record, or of None, has passed with the files of HEAD."""
    return bool(record) and git("rev-parse", f"{record['commit']}^{{tree}}") == \
        git("rev-parse", "HEAD^{tree}")


def when(record):
    """Returns how many commits ago a step passed, with what counts and in what time."""
    if not record:
        return "never here"
    ago = git("rev-list", "--count", f"{record['commit']}..HEAD") or "?"
    return f"{ago} commits ago ({record['commit'][:12]}, {record['date']}), " \
           f"{record['counts']}, {record['seconds']} s"


def store(name, on, counts, seconds):
    """Records that a step has passed on this commit."""
    path = RECORDS / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"commit": on, "counts": counts, "seconds": round(seconds),
                "date": time.strftime("%Y-%m-%d %H:%M")}
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(document) + "\n")
    os.replace(temporary, path)
