# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`make check`: runs every kind of test, counts them, ends with `N passed, N failed, N skipped`.
--quick: those without virtual machines. --long [STEP]: the steps of long.py that the current tree has
not passed yet, or one of them. --raise-floors: the floors become what the last `make check` counted.

A skipped test is a failure, and so is a part of which fewer tests passed than its floor says
(tests/floors.list), or a setting in the environment that would make a test another one.
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
# Tests in virtual machines wait for half of their time: two lots of them keep two processors busy.
WORKERS = 2
# These change what a test does; a seed is what the steps of --long are to have.
SETTINGS = (*SETTINGS_LONG, seed.NAME)


def run_logged(name, argv, timeout=None):
    """Runs argv, showing its output and keeping it: (exit code, output). It is ended after the
    timeout, in seconds."""
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


def run_unit(part):
    """The C unit tests print what cmocka prints."""
    name = f"unit-{part}"
    code, output = run_logged(name, ["make", f"-j{os.cpu_count()}", "-C",
                                     paths.TOP / "tests" / part, "check"])
    return code, results.of_cmocka(name, output)


def run_pytest(words, timeout=None):
    """The tests that these words of pytest select, side by side as far as tests/e2e/conftest.py
    lets them."""
    report = LOGS / "pytest.xml"
    report.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "pytest", "-v", "-rsfE", "-p", "no:cacheprovider", "-p", "lab.fixtures"]
    argv += ["-n", WORKERS, "--dist", "loadgroup", "--junitxml", report, *words]
    code, _ = run_logged("pytest", argv, timeout)
    return code, results.of_junit(report) if report.exists() else Results()



def steps(option):
    """(name, function, what the names of its floors begin with) of each step."""
    before = [
        ("static checks", run_static, ["static"]),
        ("unit tests of the device", lambda: run_unit("unit"), ["unit-unit/"]),
        ("unit tests of the provider", lambda: run_unit("provider"), ["unit-provider/"]),
    ]
    if option == "--quick":
        # Those of tests/e2e and tests/kunit all boot machines.
        quick = [f"tests/{name}/" for name in ("documents", "lab", "vfio")]
        return [*before, ("tests without virtual machines", lambda: run_pytest(["-m", "not vm", "tests"]),
                          quick)]
    return [*before, ("tests in virtual machines", lambda: run_pytest(["-m", "not long", "tests"]),
                      ["tests/"])]


def judge(name, code, found, floors, parts):
    """Adds to a step's failures what makes it fail although no test of it did."""
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
    """Whether the environment would change the tests; and says so."""
    found = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
    if found:
        say(f"{', '.join(found)} in the environment makes other tests of these: unset it")
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
    """So many busy loops beside what runs inside."""
    processes = [launch(["sh", "-c", "while :; do :; done"], LOGS / "busy.log") for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run_long_step(step):
    """One step of `make check-long`, with its verdict recorded if the tree is a commit's."""
    tree = long.tree_hash()
    say(f"{step.name}: {step.about}; {seed.NAME}={seed.any_seed()}")
    begin = time.monotonic()
    with beside(step.loops):
        code, found = run_pytest(step.words(), long.STEP_TIMEOUT)
    # A step's floor is in the list under its name.
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
    """Runs these steps, or those that the current tree has not passed."""
    known = {step.name: step for step in long.STEPS}
    if unknown := [name for name in names if name not in known]:
        say(f"no such step: {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    verdicts = long.recorded(long.tree_hash())
    wanted = names or [name for name in known if verdicts.get(name, {}).get("verdict") != "passed"]
    verdicts = {name: one["verdict"] for name, one in verdicts.items()}
    for name in wanted:
        verdicts[name] = run_long_step(known[name])
    print(table(("step", "verdict", "what"),
                [(name, verdicts.get(name, "missing"), step.about) for name, step in known.items()]))
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
