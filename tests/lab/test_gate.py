# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/fixtures.py: a test fails for undeclared events of its VMs and cards. Each
of these tests runs pytest with a real card, and with a fake VM that is a process and a console
log."""

import subprocess
import sys

import pytest
from lab import paths, results

HEAD = """\
import pathlib, warnings
import pytest
from lab import Lab, LabError, Vm, evidence, fixtures, process, vm
from lab.pair import Pair, Port
from lab.reports import KernelLog

evidence.DIRECTORY = pathlib.Path("failed")
REPORT = "[    5.0] ornic 0000:01:00.0: device is gone"

CHECKS = {"lockdep_stats": "debug_locks:    1\\n", "disabled": "N\\n", "error_count": "0\\n"}

class Agent:
    def __init__(self):
        self.checks = dict(CHECKS)

    def read_file(self, path):
        return self.checks[path.rsplit("/", 1)[1]]

    def close(self): pass

class Machine(Vm):
    kernel_runs, leaks = True, ""

    def check(self, text, timeout=60):
        return self.leaks

    def debug(self):
        self.kernel.name, self.agent = "debug", Agent()
        self.say("[    1.0] fine")

    def launch(self):
        self.console_log.write_text("")
        self.log, self.heard = KernelLog(), 0
        self.process = process.launch(["sleep", "600"], self.qemu_log)
        self.over = False

    def say(self, text):
        with open(self.console_log, "a") as console:
            console.write(text + "\\n")

    def has_file(self, path):
        self.check_running()
        return self.kernel_runs

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.give_up()

class Small(Pair):
    def __init__(self, lab):
        self.lab, self.card = lab, lab.card(1)
        self.a = self.b = Machine("a", lab.rundir, lab.logdir)
        lab.vms.append(self.a)
        self.vms, self.ornic, self.rxe = (self.a,), {}, {}

    def start(self):
        self.a.launch()
        self.card.booted()
        return self

    def load_ornic(self):
        self.ornic[self.a] = Port("ornic_0", "eth0", "10.0.0.1", 0)
        return self

@pytest.fixture(scope="session")
def lab(request, tmp_path_factory):
    with Lab("gate", tmp_path_factory.mktemp("logs")) as session:
        request.config.stash[fixtures.LAB] = session
        yield session
    if session.complaints:
        pytest.fail("at the end: " + str(session.complaints), pytrace=False)

@pytest.fixture
def small(pairs):
    return pairs.keep("small", lambda: Small(pairs.lab))

@pytest.fixture
def other(pairs):
    return pairs.keep("other", lambda: Small(pairs.lab))

def test_first(small): pass
"""

# Undeclared events, each the body of a test that must fail
UNASKED = [
    "small.a.say(REPORT)",
    "small.a.say('root@a:~# ' + REPORT)",
    "small.a.expects('ornic .*: device is gone')",
    "small.a.expects('ornic .*: device'); small.a.say(REPORT)",
    "small.a.say(REPORT); small.a.expects('ornic .*', required=False)",
    "small.a.process.kill(); small.a.process.wait()",
    "small.a.kernel_runs = False",
    "small.card.process.kill(); small.card.process.wait()",
    "small.card.process.terminate(); small.card.process.wait()",
    "small.card.expects_reset()",
    "small.card.resets['nic0'] -= 1",
    "small.card.control_path.unlink()",
    "open(small.card.log, 'a').write('nic0: error: stopped, cause 3\\n')",
    "open(small.card.log, 'a').write('==1==ERROR: AddressSanitizer: heap-use-after-free\\n')",
    "small.a.say(REPORT); small.discard()",
    "small.card.process.kill(); small.card.process.wait(); small.discard()",
    "small.a.debug(); small.a.agent.checks['lockdep_stats'] = 'debug_locks:    0\\n'",
    "small.a.debug(); small.a.agent.checks['disabled'] = 'Y\\n'",
    "small.a.debug(); small.a.agent.checks['error_count'] = '1\\n'",
    "small.a.debug(); small.a.leaks = 'unreferenced object'; small.retire()",
]
# Declared or allowed events, each the body of a test that must pass
ASKED_FOR = [
    "small.a.expects(r'ornic \\S+: device is gone'); small.a.say(REPORT)",
    "small.a.expects(r'ornic \\S+: .*', required=False)",
    "small.card.expects('nic0: error: .*'); open(small.card.log, 'a').write('nic0: error: x\\n')",
    "small.card.expects_reset(); small.card.resets['nic0'] -= 1",
    "small.discard()",
    "small.a.say('[    1.0] virtio_net virtio0: fine')",
    "small.a.debug()",
    "small.a.debug(); small.retire()",
]
BETWEEN = [
    "living.a.say(REPORT)",
    "living.a.process.kill(); living.a.process.wait()",
    "living.card.process.kill(); living.card.process.wait()",
]
SILENT = """
THEIRS = '''[  9.0] WARNING: possible circular locking dependency detected
[  9.0] at: rdma_destroy_id (&id_priv->handler_mutex)
[  9.0] (nvmet_config_sem) at: nvmet_port_subsys_drop_link
[  9.0]  </TASK>'''
seen = []

def test_theirs(small):
    seen.append(small)
    small.a.say(THEIRS)

def test_new_machines(small):
    assert small not in seen
"""


AFTER = """
@pytest.fixture(autouse=True)
def mend(request, pairs):
    if request.node.name.startswith("test_behind") and pairs.living:
        pairs.living.a.kernel.name = "stock"
"""


@pytest.fixture
def run(tmp_path):
    def run(*tests):
        """Runs these tests and returns the names of those that failed, and the output."""
        (tmp_path / "test_gate.py").write_text(HEAD + "\n".join(tests))
        output = subprocess.run(
            [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "lab.fixtures",
             "--record", tmp_path / "record", "test_gate.py"],
            cwd=tmp_path, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PYTHONPATH": str(paths.TOP / "scripts"), "PATH": "/usr/bin:/bin",
                 "ORNIC_TREE": str(paths.tree())},
        ).stdout
        failed = results.of_lines(tmp_path / "record").failed
        return [name.split("::")[1] for name in failed], output

    return run


def cases(bodies, machines="small"):
    """Returns a test for each body, each followed by a test that does nothing."""
    return [f"def test_{number}({machines}): {body}\ndef test_behind_{number}(small): pass\n"
            for number, body in enumerate(bodies)]


def test_undeclared_events(run):
    """An undeclared event fails the test during which it happens and no other: the next test gets
    new VMs, or the same ones without the fault."""
    failed, output = run(*cases(UNASKED), AFTER)
    assert failed == [f"test_{number}" for number in range(len(UNASKED))], output


def test_declared_events(run):
    """A declared event fails no test. A report of a fault that is not ours fails no test either,
    but the VMs are replaced."""
    failed, output = run(*cases(ASKED_FOR), SILENT)
    assert failed == [], output


@pytest.mark.parametrize("machines", ["small", "other"])
def test_between_tests(run, machines):
    """An event between two tests fails the next test only, whichever VMs it uses."""
    failed, output = run(*(
        f"@pytest.fixture\ndef event_{number}(request):\n"
        f"    living = request.config.stash[fixtures.PAIRS].living\n    {body}\n"
        f"def test_{number}(event_{number}, {machines}): pass\ndef test_behind_{number}(small): pass\n"
        for number, body in enumerate(BETWEEN)))
    assert failed == [f"test_{number}" for number in range(len(BETWEEN))], output


def test_resources_left_behind(run):
    """Resources left in VMs fail the test for which these VMs are ended, and only that test."""
    failed, output = run("""
import lab.leftovers
lab.leftovers.TIMEOUT = 0.5

def check(text, timeout=60):
    return '@@qp\\n[{"ifname": "ornic_0", "pid": 7}]\\n' if "@@" in text else ""

def test_leaves(small): small.a.check = check
def test_next(other): pass
def test_behind(other): pass
""")
    assert failed == ["test_next"] and "a: processes hold" in output, output


def test_checks_end_in_silence(run):
    """A check of the debug kernel that is disabled without a word on the console fails the last
    test of the file."""
    failed, output = run("""
def test_debug(small): small.a.debug()
def test_silent(small): small.a.agent.checks["disabled"] = "Y\\n"
def test_last(small): pass
""")
    assert failed == ["test_last"] and "disabled does not say" in output, output


def test_hangs_are_counted(run):
    """The run ends with the number of boots that hung, which fail no test."""
    failed, output = run("""
def test_one(): warnings.warn(f"a: {vm.HANGS}, see a file")
def test_two(): warnings.warn(f"b: {vm.HANGS}, see a file"); warnings.warn("other")
""")
    assert failed == [] and "boots that hung: 2" in output, output


def test_at_boot(run):
    """A report during boot fails the test that started the VM."""
    failed, output = run("""
class Loud(Small):
    def start(self):
        super().start().a.say(REPORT)
        return self

def test_loud(pairs): pairs.keep("loud", lambda: Loud(pairs.lab))
def test_behind(small): pass
""")
    assert failed == ["test_loud"], output


def test_failed_test_may_break_its_machines(run):
    """A test that fails and breaks its VMs counts as one failure, and the next test gets new
    VMs."""
    failed, output = run("""
def test_bad(small):
    small.a.kernel_runs = False
    assert False
def test_behind(small): pass
""")
    assert failed == ["test_bad"] and "after the test" not in output, output


def test_at_the_end(run):
    """An event after the last test fails the last test."""
    failed, output = run("""
@pytest.fixture(scope="session", autouse=True)
def late(pairs):
    yield
    pairs.living.a.say(REPORT)

def test_last(small): pass
""")
    assert failed == ["test_last"], output
