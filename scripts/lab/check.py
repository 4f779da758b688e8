# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`make check`: runs all kinds of tests, counts them and ends with `N passed, N failed, N skipped`.
--quick runs the tests without VMs. --long [STEP] runs the steps of long.py that the current tree
has not passed yet, or one step. --raise-floors sets the floors to the counts of the last run
without --long, where these are higher.

Three conditions make a run fail even if no test fails: a skipped test, a part with fewer passed
tests than its floor (tests/floors.list), and an environment variable that changes tests.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time

from . import long, paths, results, seed
from .fixtures import SETTINGS_LONG
from .process import kill_group, launch
from .progress import say, table
from .results import Results

LOGS = paths.BUILD / "logs" / "check"
COUNTED = LOGS / "counted.json"
# Tests in VMs wait for half of their time, so two workers keep two processors busy
WORKERS = 2
# Reports variables that have no value, which the sanitizers do not, in the card as it is installed.
# The registers must be exact, because the card returns from its handler of SIGBUS.
VALGRIND = "valgrind -q --error-exitcode=1 --vex-iropt-register-updates=allregs-at-mem-access"
# Variables that change tests; only --long accepts a seed
SETTINGS = (*SETTINGS_LONG, seed.NAME)


def run_logged(name, argv, timeout=None):
    """Runs argv, shows and logs its output, and returns (exit code, output). The process group is
    killed after `timeout` seconds."""
    LOGS.mkdir(parents=True, exist_ok=True)
    lines = []
    with open(LOGS / f"{name}.log", "w", encoding="utf-8") as log:
        with subprocess.Popen(
            [str(word) for word in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, text=True, errors="replace", cwd=paths.TOP,
            start_new_session=True,
        ) as process:
            timer = threading.Timer(timeout or threading.TIMEOUT_MAX, kill_group, [process])
            timer.start()
            try:
                for line in process.stdout:
                    print(line, end="", flush=True)
                    log.write(line)
                    lines.append(line)
            except BaseException:
                kill_group(process)
                raise
            finally:
                timer.cancel()
    return process.returncode, "".join(lines)


def run_static():
    code, output = run_logged("static", [paths.TOP / "scripts/static", "run"])
    return code, results.of_static(output)


def run_cmocka(name, part, words=("check",)):
    """Runs C tests of a directory, which print their results as cmocka does. words: arguments of
    make."""
    code, output = run_logged(name, ["make", f"-j{os.cpu_count()}", "-C",
                                     paths.TOP / "tests" / part, *words])
    return code, results.of_cmocka(name, output)


def run_pytest(words, timeout=None):
    """Runs the tests that these arguments of pytest select, in parallel as far as
    tests/e2e/conftest.py allows."""
    report = LOGS / "pytest.xml"
    report.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "pytest", "-v", "-rsfE", "-p", "no:cacheprovider"]
    argv += ["-p", "lab.fixtures"]
    argv += ["-n", WORKERS, "--dist", "loadgroup", "--junitxml", report, *words]
    code, _ = run_logged("pytest", argv, timeout)
    return code, results.of_junit(report) if report.exists() else Results()



def steps(option):
    """Returns (name, function, prefixes of the names of its floors) for each step."""
    before = [
        ("static checks", run_static, ["static"]),
        ("unit tests of the device", lambda: run_cmocka("unit-unit", "unit"), ["unit-unit/"]),
        ("unit tests of the device under valgrind",
         lambda: run_cmocka("unit-valgrind", "unit", ("check", "SAN=0", f"RUN={VALGRIND}")),
         ["unit-valgrind/"]),
        ("unit tests of the provider", lambda: run_cmocka("unit-provider", "provider"),
         ["unit-provider/"]),
        ("fuzz corpora and long inputs", lambda: run_cmocka("fuzz", "fuzz", ("replay", "random")),
         ["fuzz/"]),
    ]
    if option == "--quick":
        # All tests in tests/e2e and tests/kunit boot VMs
        quick = [f"tests/{name}/" for name in ("documents", "lab", "packages", "vfio")]
        return [*before, ("tests without virtual machines",
                          lambda: run_pytest(["-m", "not vm and not long", "tests"]), quick)]
    return [*before, ("tests in virtual machines", lambda: run_pytest(["-m", "not long", "tests"]),
                      ["tests/"])]


def judge(name, code, found, floors, parts):
    """Adds the failures of a step that are not failures of a test."""
    found.failed += results.below(floors, found.passed, parts)
    found.failed += [f"skipped: {test}" for test in found.skipped]
    if code and not found.failed:
        found.failed.append(f"{name}: ended with {code}")
    if not found.passed:
        found.failed.append(f"{name}: no test has passed")
    return found


def show_times(times):
    for what, lines in zip((f"the slowest {results.SLOWEST}", "time per group of machines"),
                           results.slowest(times)):
        print(f"\n{what}:\n" + "\n".join(lines))


def show_failures(failed):
    if failed:
        print("\nfailed:\n" + "\n".join(failed))


def refuse_settings(names):
    """Returns whether the environment has variables that change tests, and prints them."""
    found = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
    if found:
        say(f"{', '.join(found)} in the environment changes the tests: unset it")
    return bool(found)


def check(option):
    floors = results.read_floors(results.FLOORS.read_text())
    total = Results()
    for name, step, parts in steps(option):
        say(name)
        found = judge(name, *step(), floors, parts)
        total.add(found)
        say(f"{name}: {found}")
    COUNTED.write_text(json.dumps(total.passed))
    show_times(total.times)
    if more := results.unfloored(floors, total.passed):
        print("\nmore tests passed than tests/floors.list says (make raise-floors): "
              + ", ".join(f"{name} {number}" for name, number in more.items()))
    show_failures(total.failed)
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
    """Runs one step of `make check-long`, and records its verdict if the tree is that of a
    commit."""
    tree = long.tree_hash()
    say(f"{step.name}: {step.about}; {seed.NAME}={seed.any_seed()}")
    begin = time.monotonic()
    with beside(step.loops):
        code, found = run_pytest(step.words(), long.STEP_TIMEOUT)
    # The list has the floor of a step as long/NAME
    passed = results.Counter({f"long/{step.name}": found.passed.total()})
    found.failed += results.below(results.read_floors(results.FLOORS.read_text()), passed,
                                  [f"long/{step.name}"])
    judge(step.name, code, found, {}, [])
    show_times(found.times)
    show_failures(found.failed)
    say(f"{step.name}: {found}")
    verdict = "failed" if found.failed else "passed"
    if tree and tree == long.tree_hash():
        long.record(tree, step.name, verdict, str(found), time.monotonic() - begin)
    else:
        say("not recorded: the tree is not a commit's")
    return verdict


def check_long(names):
    """Runs the named steps, or all steps that the current tree has not passed."""
    known = {step.name: step for step in long.STEPS}
    if unknown := [name for name in names if name not in known]:
        say(f"no such step: {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    verdicts = long.recorded(long.tree_hash())
    wanted = names or [name for name in known if verdicts.get(name, {}).get("verdict") != "passed"]
    verdicts = {name: one["verdict"] for name, one in verdicts.items()}
    for name in wanted:
        verdicts[name] = run_long_step(known[name])
    rows = [(name, verdicts.get(name, "missing"), step.about) for name, step in known.items()]
    print(table(("step", "verdict", "what"), rows))
    missing = [name for name in known if verdicts.get(name) != "passed"]
    print(f"missing for this tree: {', '.join(missing) or 'nothing'}")
    return 1 if any(verdicts.get(name) != "passed" for name in names or known) else 0


def raise_floors():
    passed = results.Counter(json.loads(COUNTED.read_text()))
    results.FLOORS.write_text(results.write_floors(results.FLOORS.read_text(), passed))
    return 0


def main(words):
    if words[:1] == ["--raise-floors"]:
        return raise_floors()
    is_long = words[:1] == ["--long"]
    if refuse_settings(SETTINGS_LONG if is_long else SETTINGS):
        return 2
    if is_long:
        return check_long(words[1:])
    return check(" ".join(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
