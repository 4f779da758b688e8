# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`make check`: runs all kinds of tests, counts them and ends with `N passed, N failed, N skipped`.

    check [PLACE...]          the tests of each feature, with the stock kernel (`make check`)
    check --quick             those of them that need no VM
    check --debug [PLACE...]  tests that need the debug kernel (`make check-debug`)
    check --full [PLACE...]   all other tests but those of --long (`make check-full`)
    check --long [STEP...]    the steps of long.py, or those that have not passed with these files

A PLACE is a directory, a file or a test below tests/: of these tests only those in it run. A run
fails, too, if a test is skipped, or if the environment has a variable that changes tests.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from . import long, paths, results, seed
from .fixtures import SETTINGS_LONG
from .process import kill_group, launch
from .progress import say, table
from .results import Results

LOGS = paths.BUILD / "logs" / "check"
TESTS = paths.TOP / "tests"
# Two workers keep two processors busy
WORKERS = 2
# Reports variables that have no value, which the sanitizers do not, in the card as it is installed.
# The registers must be exact, because the card returns from its handler of SIGBUS.
VALGRIND = "valgrind -q --error-exitcode=1 --vex-iropt-register-updates=allregs-at-mem-access"
# Variables that change tests; only --long accepts a seed
SETTINGS = (*SETTINGS_LONG, seed.NAME)
# Seconds between two lines about the progress of tests
PROGRESS = 15
# The tests of each command by their markers, which tests/e2e/conftest.py explains
GATE = "not (debug or full or long)"
MARKS = {"": GATE, "--quick": f"not vm and {GATE}", "--debug": "debug and not (full or long)",
         "--full": "full and not long"}
# Options of all runs of pytest
OPTIONS = ("-p", "no:cacheprovider", "-p", "lab.fixtures")


def run_logged(name, argv, timeout=None, show=lambda line: line):
    """Runs argv, logs its output, and returns (exit code, output). What `show` returns for a line
    is printed. The process group is killed after `timeout` seconds."""
    LOGS.mkdir(parents=True, exist_ok=True)
    lines = []
    # The variables of the make that has called this must not reach other Makefiles
    environment = {key: value for key, value in os.environ.items() if key != "MAKEFLAGS"}
    with open(LOGS / f"{name}.log", "w", encoding="utf-8") as log:
        with subprocess.Popen(
            [str(word) for word in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, text=True, errors="replace", cwd=paths.TOP,
            start_new_session=True, env=environment,
        ) as process:
            timer = threading.Timer(timeout or threading.TIMEOUT_MAX, kill_group, [process])
            timer.start()
            try:
                for line in process.stdout:
                    if shown := show(line):
                        print(shown, end="", flush=True)
                    log.write(line)
                    log.flush()
                    lines.append(line)
            except BaseException:
                kill_group(process)
                raise
            finally:
                timer.cancel()
    return process.returncode, "".join(lines)


def run_static(kind):
    code, output = run_logged("static", [paths.TOP / "scripts/static", kind])
    return code, results.of_static(output)


def failures_of_cmocka(line):
    """Hides the lines about tests that begin or have passed."""
    return None if re.match(r"\[ *(RUN|OK) *\] ", line) else line


def run_cmocka(name, part, words=("check",)):
    """Runs C tests of a directory, which print their results as cmocka does. words: arguments of
    make."""
    code, output = run_logged(name, ["make", f"-j{os.cpu_count()}", "-k", "-C", TESTS / part,
                                     *words], show=failures_of_cmocka)
    return code, results.of_cmocka(name, output)


class Progress:
    """Shows how far pytest is, and each test that fails. Its log has every line."""

    def __init__(self):
        self.total = self.ended = self.failed = 0
        self.shown = time.monotonic()
        # Whether the tests have ended, and pytest prints its report
        self.over = False

    def __call__(self, line):
        if found := re.match(r"\d+ workers \[(\d+) items\]", line):
            self.total = int(found[1])
        self.over = self.over or line.startswith("====") and self.ended > 0
        found = re.match(r"\[gw\d+\] \[ *\d+%\] (\w+) (\S.*)", line)
        if self.over or not found:
            return line if self.over else None
        self.ended += 1
        if found[1] not in ("PASSED", "SKIPPED"):
            self.failed += 1
            say(f"{found[1].lower()}: {found[2]}")
        if time.monotonic() > self.shown + PROGRESS:
            self.shown = time.monotonic()
            say(f"{self.ended} of {self.total} tests, {self.failed} failed")
        return None


def run_pytest(words, timeout=None, workers=WORKERS, name="pytest"):
    """Runs the tests that these arguments of pytest select, in parallel as far as
    tests/e2e/conftest.py allows."""
    record, progress = LOGS / f"{name}.jsonl", Progress()
    record.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "pytest", *OPTIONS, "-v", "-rsfE", "-n", workers]
    argv += ["--dist", "loadgroup", "--record", record, *words]
    code, _ = run_logged(name, argv, timeout, progress)
    found = results.of_lines(record) if record.exists() else Results()
    if (absent := progress.total - len(found.times)) > 0:
        found.failed.append(f"{absent} of {progress.total} tests did not run")
    return code, found


def run_marked(option, places):
    """Runs the tests of a command by pytest."""
    code, found = run_pytest(["-m", MARKS[option], *(places or ["tests"])])
    if option == "--full" and code == 1:
        repeat(found)
        code = 1 if found.failed else 0
    return code, found


def repeat(found):
    """Runs each test that has failed once more, alone and on new machines. One that passes then is
    unstable, and does not fail the run."""
    for test in [name for name in found.failed if "::" in name]:
        say(f"once more: {test}")
        # Behind "@" is the group of a worker
        code, again = run_pytest([test.rpartition("@")[0] or test], workers=0, name="again")
        if code == 0 and again.passed and not again.failed:
            found.failed.remove(test)
            found.unstable.append(test)


@dataclass
class Step:
    """A part of a command: what it is, the directory of its tests if it has one, and a function
    that returns (exit code, Results)."""

    about: str
    place: str
    run: object


def steps(option, places):
    """Returns the steps of a command that have tests in one of the places."""
    last = [Step("tests in virtual machines" if option != "--quick" else
                 "tests without virtual machines", "tests", lambda: run_marked(option, places))]
    first = {
        "": [
            Step("static checks", "", lambda: run_static("gate")),
            Step("unit tests of the card", "tests/unit", lambda: run_cmocka("unit", "unit")),
            Step("unit tests of the provider", "tests/provider",
                 lambda: run_cmocka("provider", "provider")),
            Step("fuzz corpora and long inputs", "tests/fuzz",
                 lambda: run_cmocka("fuzz", "fuzz", ("replay", "random"))),
        ],
        "--full": [
            Step("static checks", "", lambda: run_static("full")),
            Step("unit tests of the card under valgrind", "tests/unit",
                 lambda: run_cmocka("valgrind", "unit", ("check", "SAN=0", f"RUN={VALGRIND}"))),
        ],
        "--debug": [],
    }
    every = first["" if option == "--quick" else option] + last
    if not places:
        return every
    c_tests = [step for step in every[:-1] if step.place and
               any(Path(place).is_relative_to(step.place) for place in places)]
    return c_tests or last


def judge(name, code, found):
    """Adds the failures of a step that are not failures of a test."""
    # With failures pytest ends with 1, and make with 2
    if code not in (0, 1, 2) or code and not found.failed:
        found.failed.insert(0, f"{name}: ended with {code}")
    found.failed += [f"skipped: {test}" for test in found.skipped]
    if not found.passed:
        found.failed.append(f"{name}: no test has passed")
    return found


def show_times(times):
    for what, lines in zip((f"the slowest {results.SLOWEST}", "time per group of machines"),
                           results.slowest(times)):
        print(f"\n{what}:\n" + "\n".join(lines))


def show_failures(found):
    for what in ("unstable", "failed"):
        if names := getattr(found, what):
            print(f"\n{what}:\n" + "\n".join(names))


def refuse_settings(names):
    """Returns whether the environment has variables that change tests, and prints them."""
    found = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
    if found:
        say(f"{', '.join(found)} in the environment changes the tests: unset it")
    return bool(found)


def check(option, places):
    if missing := [place for place in places
                   if not (paths.TOP / place.partition("::")[0]).exists()]:
        say(f"no such file or directory: {', '.join(missing)}")
        return 2
    total, todo, times = Results(), steps(option, places), []
    for number, step in enumerate(todo, 1):
        say(f"step {number} of {len(todo)}: {step.about}")
        begin = time.monotonic()
        found = judge(step.about, *step.run())
        total.add(found)
        times.append(f"{time.monotonic() - begin:8.1f} s  {step.about}: {found}")
        say(f"{step.about}: {found}")
    show_times(total.times)
    print("\ntime per step:\n" + "\n".join(times))
    show_failures(total)
    print(total)
    return 1 if total.failed else 0


@contextlib.contextmanager
def beside(loops):
    """Runs this number of busy loops while the body of the context runs."""
    loop = ["sh", "-c", "while :; do :; done"]
    processes = [launch(loop, LOGS / "busy.log") for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run_long_step(step):
    """Runs one step of `make check-long`; records that it passed if the checkout is a commit's.
    Returns the verdict."""
    commit = long.commit()
    say(f"{step.name}: {step.about}; {seed.NAME}={seed.any_seed()}")
    begin = time.monotonic()
    with beside(step.loops):
        code, found = run_pytest(step.words(), long.STEP_TIMEOUT)
    judge(step.name, code, found)
    show_times(found.times)
    show_failures(found)
    say(f"{step.name}: {found}")
    if found.failed:
        return "failed"
    if commit and commit == long.commit():
        long.store(step.name, commit, str(found), time.monotonic() - begin)
    else:
        say("not recorded: the checkout differs from its commit")
    return "passed"


def check_long(names):
    """Runs the named steps, or all steps that have not passed with the files of this commit."""
    known = {step.name: step for step in long.STEPS}
    if unknown := [name for name in names if name not in known]:
        say(f"no such step: {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    before = long.passed()
    wanted = names or [name for name in known if not long.has_passed(before.get(name))]
    verdicts = {name: run_long_step(known[name]) for name in wanted}
    after = long.passed()
    print(table(("step", "now", "last passed", "what"),
                [(name, verdicts.get(name, "-"), long.when(after.get(name)), step.about)
                 for name, step in known.items()]))
    return 1 if "failed" in verdicts.values() else 0


def main(words):
    # Processes of tests end with a run that is terminated
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # A shell ignores Ctrl-C for what it starts in the background, and the programs that tests
    # interrupt would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
    option = words.pop(0) if words and words[0].startswith("--") else ""
    if refuse_settings(SETTINGS_LONG if option == "--long" else SETTINGS):
        return 2
    return check_long(words) if option == "--long" else check(option, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
