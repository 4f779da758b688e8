# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`make fuzz`: runs a target of tests/fuzz with libFuzzer, in a root tree with clang's runtimes
(scripts/inroot -l).

usage: python3 -m lab.fuzz TARGET SECONDS

The new inputs stay in build/fuzz/TARGET/corpus, and one that fails in build/fuzz/TARGET/. Each run
adds a line to the log in the cache: how many inputs have run, and how many edges they reach.
"""

import os
import re
import subprocess
import sys
import time

from . import paths, seed
from .progress import say

# Each target with the kinds of its builds, which share the time
KINDS = {
    "guest": ("asan", "msan"),
    "packet": ("asan", "msan"),
    "flow": ("asan", "msan"),
    "vfio": ("asan",),
    "control": ("asan",),
    "provider": ("asan",),
}
SOURCE = paths.TOP / "tests" / "fuzz"
OUT = paths.BUILD / "fuzz"
LOG = paths.CACHE / "fuzz.log"
INPUT_MAX = 1024  # bytes
INPUT_SECONDS = 60  # for one input; it takes milliseconds, unless the machine is busy
MEMORY_MIB = 2048


def build(target):
    """Builds one target in all its kinds."""
    for kind in KINDS[target]:
        subprocess.run(["make", f"-j{os.cpu_count()}", "-C", SOURCE, kind, f"TARGET={target}"],
                       check=True)


def program(target, kind):
    return OUT / kind / "fuzz" / target


def command(target, kind, seconds):
    """Returns the arguments of a run of libFuzzer. Inputs are read from both directories, and new
    ones are added to the first."""
    return [program(target, kind), f"-seed={seed.any_seed()}", f"-max_total_time={seconds}",
            f"-max_len={INPUT_MAX}", "-len_control=0", f"-timeout={INPUT_SECONDS}",
            f"-rss_limit_mb={MEMORY_MIB}", "-print_final_stats=1",
            f"-artifact_prefix={OUT / target}/{kind}-", OUT / target / "corpus",
            SOURCE / "corpus" / target]


def figures(output):
    """Returns (inputs, edges) of the output of libFuzzer."""
    inputs = re.findall(r"^stat::number_of_executed_units: (\d+)", output, re.MULTILINE)
    edges = re.findall(r"\bcov: (\d+)", output)
    return int(inputs[-1]) if inputs else 0, int(edges[-1]) if edges else 0


def record(target, kind, seconds, output):
    """Adds a line to the log, and returns it."""
    inputs, edges = figures(output)
    line = (f"{time.strftime('%Y-%m-%d %H:%M:%S %z')} {target} {kind} {seconds} s "
            f"{inputs} inputs {edges} edges {seed.NAME}={seed.any_seed()}")
    with open(LOG, "a", encoding="utf-8") as log:
        log.write(line + "\n")
    return line


def explain(target, kind, output):
    """Returns what to know about a failure: the last lines, and how to repeat it."""
    found = re.findall(r"Test unit written to (\S+)", output)
    lines = output.splitlines()[-60:]
    if found:
        lines.append(f"to replay: scripts/inroot -l {program(target, kind)} {found[-1]}")
    return "\n".join(lines)


def run(target, kind, seconds):
    """Runs one build of a target. Returns an explanation of its failure, or None."""
    (OUT / target / "corpus").mkdir(parents=True, exist_ok=True)
    argv = command(target, kind, seconds)
    say(f"fuzz: {target} ({kind}) for {seconds} s, {seed.NAME}={seed.any_seed()}")
    ended = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace", check=False)
    (paths.BUILD / "logs").mkdir(exist_ok=True)
    (paths.BUILD / "logs" / f"fuzz-{target}-{kind}.log").write_text(ended.stdout)
    say(record(target, kind, seconds, ended.stdout))
    return explain(target, kind, ended.stdout) if ended.returncode else None


def fuzz(target, seconds):
    """Builds and runs a target in all its kinds. Returns an explanation of a failure, or None."""
    build(target)
    for kind in KINDS[target]:
        failure = run(target, kind, seconds // len(KINDS[target]))
        if failure:
            return failure
    return None


def main(words):
    if len(words) != 2 or words[0] not in KINDS or not words[1].isdigit():
        say(f"usage: make fuzz TARGET={'|'.join(KINDS)} SECONDS=N")
        return 2
    failure = fuzz(words[0], int(words[1]))
    if failure:
        print(failure)
    say(f"fuzz: {words[0]}: {'FAILED' if failure else 'no failure'}")
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
