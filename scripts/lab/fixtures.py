# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""pytest fixtures for VMs that stay alive from test to test. `make check` loads them with
`-p lab.fixtures`; a manual run of pytest in the root tree must do so too.

A test that breaks its VMs (or expects to) calls `pair.discard()`; the next test gets new ones.

A test fails if one of these events happens during it, or between it and the previous test, and the
test does not declare the event:
- a kernel reports something (reports.py), declared by `vm.expects(PATTERN, ...)`;
- a card prints an error, declared by `card.expects(PATTERN, ...)`;
- the function of a card is reset, declared by `card.expects_reset("nic0", ...)`;
- QEMU, a card, the agent or the RDMA device is gone, declared by `pair.discard()`.
When the lab ends VMs that still work, no resources may be left in them (leftovers.py).

Each failure's report says how long the lab's processes have waited for a processor during the test.
`--record FILE` writes the result of each test to FILE when the test ends (record.py).
"""

import os
import time
from pathlib import Path

import pytest

from ornicrun.vm import HANGS

from . import Lab, LabError, evidence, paths
from .leftovers import leftovers, of_netdevs
from .pair import Pair, TwoCards, each
from .process import Watch
from .record import Recorder

LAB, PAIRS, FAILED, BEGIN, WATCH = (pytest.StashKey() for _ in range(5))
# The least tolerant card: its consumer indexes in memory lag behind, and it completes the latest of
# several commands first
INTOLERANT = "ci-lag=64,commands=reverse"
# The debug kernel runs KUnit modules when they are loaded
KUNIT = "kunit.enable=1 kunit.autorun=1"
# Variables that `make check` and `make check-long` refuse
SETTINGS_LONG = ("ORNIC_DEVICE", "FUZZ_STEPS", "SAN", "TSAN", "RUN", "TESTS", "TARGET", "COUNT",
                 "BYTES", "PYTEST_ADDOPTS")
UNASKED = "Undeclared events (scripts/lab/fixtures.py says how a test declares an event):"


def pytest_addoption(parser):
    parser.addoption("--packages", action="store_true",
                     help="cards and guests run what the Debian packages install")
    parser.addoption("--record", type=Path, help="file for a line of JSON about each test")


def pytest_configure(config):
    if config.getoption("--packages"):
        paths.use_packages()
    # Workers of xdist pass their reports on to the process that started them
    if config.getoption("--record") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(config.getoption("--record")))
    config.addinivalue_line("markers", "vm: boots virtual machines")
    config.addinivalue_line("markers", "debug: for `make check-debug`")
    config.addinivalue_line("markers", "full: for `make check-full`")
    config.addinivalue_line("markers", "long: for `make check-long` only")
    config.addinivalue_line("markers", "xdist_group(name): of one worker, where pytest has several")


def pytest_report_header():
    """Shows the environment variables that change tests."""
    return [f"{name}={os.environ[name]}" for name in SETTINGS_LONG if name in os.environ]


def pytest_terminal_summary(terminalreporter):
    """Shows the lines that tests, passed ones too, record with record_property("report", lines),
    and the number of boots that hung."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, lines in report.user_properties:
            if name == "report":
                terminalreporter.section(report.nodeid)
                terminalreporter.write_line("\n".join(lines))
    warnings = terminalreporter.stats.get("warnings", [])
    if hangs := sum(HANGS in warning.message for warning in warnings):
        terminalreporter.write_line(f"boots that hung: {hangs}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    stash = item.config.stash
    if WATCH not in stash:
        stash[WATCH] = Watch()
    stash[WATCH].begin()
    item.stash[BEGIN] = time.time()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item, nextitem):
    """Makes the gate after the last test of a file examine the checks of debug kernels."""
    if LAB in item.config.stash and (not nextitem or nextitem.path != item.path):
        for vm in item.config.stash[LAB].vms:
            vm.checked = None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if not report.failed:
        return
    stash = item.config.stash
    try:
        text = stash[WATCH].text()
        failure = "\n".join([f"{report.when}: {text}", report.longreprtext,
                             *(f"--- {name}\n{words}" for name, words in report.sections)])
        if item.stash.get(FAILED, False):
            evidence.add_failure(item.nodeid, failure)
        else:
            text += "\n" + evidence.keep(stash.get(LAB, None), item.nodeid, item.stash[BEGIN],
                                         failure)
    except Exception as error:  # An error in this hook would end all tests
        text = f"not everything could be kept: {error!r}"
    report.sections.append(("evidence", text))
    item.stash[FAILED] = True


@pytest.fixture(autouse=True)
def gate(request):
    """Fails the test, after its other fixtures have ended, for undeclared events of VMs and
    cards."""
    yield
    stash = request.config.stash
    complaints = []
    if PAIRS in stash:
        complaints += stash[PAIRS].settle(request.node.stash.get(FAILED, False))
        stash[PAIRS].replace_silent()
    if LAB in stash:
        complaints += stash[LAB].settle()
    if complaints:
        pytest.fail("\n".join([UNASKED, *complaints]), pytrace=False)


class LeanPair(Pair):
    """A pair without the providers of other devices, which each program would load first. Under
    emulation that takes a fifth of a second. VMs of other classes keep them."""

    def load_ornic(self):
        super().load_ornic()
        each(self.vms, lambda vm: vm.check("shopt -s extglob\n"
                                           "cd /etc/libibverbs.d && rm -f !(ornic|rxe).driver"))
        return self


class Pairs:
    """Keeps one pair alive at most, because two cores and their memory must suffice."""

    def __init__(self, lab):
        self.lab = lab
        self.key = self.living = self.begun = None

    def get(self, kernel, cable):
        """Returns a working pair with this kernel and this cable, with the drivers loaded."""
        options = {"nic_options": INTOLERANT} if kernel == "debug" else {}
        return self.keep((kernel, cable), lambda: LeanPair(self.lab, kernel, cable, **options))

    def debug_cards(self):
        """Returns TwoCards with the debug kernel, possibly in namespaces."""
        return self.keep("debug cards", lambda: TwoCards(self.lab, (INTOLERANT, INTOLERANT),
                                                         kernel="debug", append=KUNIT))

    def keep(self, key, make):
        """Like get(), for VMs that `make` defines: a Pair or a similar object, not started. They
        stay alive until a test needs others."""
        if self.living and not self.living.discarded:
            # The last test left them working
            if problem := self.living.ailment():
                self.living.discard()
                raise LabError(f"since the last test: {problem}")
            if self.key == key:
                return self.living
            self.retire()
        self.key, self.living = key, make()
        self.living.start().load_ornic()
        self.begun = of_netdevs(self.living)
        return self.living

    def retire(self):
        """Ends working VMs; resources that are left in them are complaints."""
        self.living.a.complaints += leftovers(self.living, self.begun)
        self.living.retire()

    def settle(self, failed):
        """Called at the end of a test: returns what is wrong with its VMs. A failed test may leave
        them in any state; the next test gets new ones if they do not work."""
        if not self.living or self.living.discarded:
            return []
        problem = self.living.ailment()
        if not problem:
            return []
        self.living.discard()
        return [] if failed else [f"after the test: {problem}"]

    def replace_silent(self):
        """Ends VMs in which a fault of the kernel itself has disabled checks until the next
        boot."""
        if self.living and not self.living.discarded:
            each(self.living.vms, lambda vm: vm.listen())
            if any(vm.log.foreign for vm in self.living.vms):
                self.living.retire()

    def close(self):
        if self.living and not self.living.discarded and not self.living.ailment():
            self.retire()


@pytest.fixture(scope="session")
def lab(request):
    """The session of the lab, with a log directory for each worker if pytest has several."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    with Lab(f"tests/{worker}") as session:
        request.config.stash[LAB] = session
        yield session
    if session.complaints:
        pytest.fail("\n".join([UNASKED, *session.complaints]), pytrace=False)


@pytest.fixture(scope="session")
def pairs(request, lab):
    request.config.stash[PAIRS] = Pairs(lab)
    yield request.config.stash[PAIRS]
    request.config.stash[PAIRS].close()


@pytest.fixture
def pair(pairs):
    """Two VMs with the stock kernel, a card each, and a virtio-net cable between them."""
    return pairs.get("stock", "stream")


@pytest.fixture
def debug_pair(pairs):
    """Two VMs with the debug kernel."""
    return pairs.get("debug", None)


@pytest.fixture
def debug_cards(pairs):
    """One VM with two cards, two processors and the debug kernel."""
    return pairs.debug_cards().leave_spaces()
