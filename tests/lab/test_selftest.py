# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of `ornic-run --self-test` without virtual machines: options, the report, and the exit
status. Programs and their patterns are tested in tests/e2e/test_run.py."""

import os
import re
from types import SimpleNamespace

import pytest
from ornicrun import __main__ as program
from ornicrun import selftest
from ornicrun.errors import RunError
from ornicrun.layout import Bundle
from ornicrun.selftest import STEPS, TROUBLE, SelfTest
from ornicrun.session import Session

GOOD = {"cards": {"nic0": {"violations": {"early": 0}, "nic": {"device": {"commands": 9,
                                                                         "bad_lkey": 0}}}}}
BAD = {"cards": {"nic0": {"violations": {"early": 0}, "nic": {"device": {"bad_lkey": 2}}}}}


@pytest.mark.parametrize("words", [["true"], ["-n", "3"], ["--all"], ["--server", "x"],
                                   ["--fault", "loss=1"], ["--root", "/tmp"], ["-e", "A=1"]])
def test_refused(words, capsys):
    """Options that would change what the report means."""
    with pytest.raises(SystemExit) as caught:
        program.parse(["--self-test", *words])
    assert caught.value.code == 125 and "--self-test takes no" in capsys.readouterr().err


class Run:
    """A self-test whose machines are none. `wrong` has the answers of steps that are not passed, by
    their names: words, or an exception."""

    def __init__(self, monkeypatch, folder, wrong=None, stats=None, boots=True):
        monkeypatch.chdir(folder)
        self.report = folder / selftest.REPORT
        bundle = Bundle(folder / "bundle")
        bundle.home.mkdir()
        bundle.versions.write_text("ORNIC 0.1, commit abc\nlinux 7.3\n")
        options = program.parse(["--self-test", "-m", "2G"])
        self.session = SelfTest(options, bundle)
        console = folder / "console.log"
        console.write_text("[    1.0] ornic: loading out-of-tree module taints kernel.\n")
        node = SimpleNamespace(name="node0", console_log=console, accel="kvm",
                               running=lambda: True)
        self.node = node

        def run(session):
            if not boots:
                raise RunError("no memory: 2 machines")
            session.nodes = [node]
            session.card = SimpleNamespace(stats=lambda: stats or GOOD, running=lambda: True)
            session.run_command()

        def run_step(session, number, step):
            answer = (wrong or {}).get(step.name)
            if isinstance(answer, Exception):
                raise answer
            kept = selftest.Kept()
            kept.feed(b"what it says\n")
            session.programs.append((node, (kept, selftest.Kept())))
            return answer is None, answer or "1.5 us"

        monkeypatch.setattr(Session, "run", run)
        monkeypatch.setattr(Session, "keep_state", lambda session: None)
        monkeypatch.setattr(SelfTest, "run_step", run_step)

    def run(self):
        """Returns (exit status, report)."""
        return self.session.run(), self.report.read_text()


def test_passed(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(
        sysname="Linux", nodename="my-own-machine", release="6.1", machine="x86_64"))
    code, text = Run(monkeypatch, tmp_path).run()
    assert code == 0
    first, *lines = text.splitlines()
    assert first == f"ornic-run --self-test: all {len(STEPS) + 3} steps passed"
    for pattern in (r"processor +\d+ x .+", r"memory +\d+ MiB, \d+ MiB free",
                    r"kernel +Linux 6\.1 x86_64", r"system +\S.*",
                    r"KVM +modules: .*; /dev/kvm: .*",
                    r"machines +KVM, -c 1 -m 2G", r"QEMU +\S.*",
                    r"ORNIC +0\.1, commit abc", r"linux +7\.3",
                    r"demo   ping +passed +\d+\.\d s +1\.5 us"):
        assert any(re.fullmatch(pattern, line) for line in lines), pattern
    assert "my-own-machine" not in text and "what it says" not in text


@pytest.mark.parametrize("answer", ["exit status 1 and 0", RunError("node1: the server has ended")])
def test_failed(monkeypatch, tmp_path, answer):
    """One failed step is the status, and the others run."""
    code, text = Run(monkeypatch, tmp_path, {"rping": answer}).run()
    assert code == 1
    assert text.startswith(f"ornic-run --self-test: FAILED: 1 of {len(STEPS) + 3} steps\n")
    assert re.search(rf"^demo   rping +FAILED .* {answer}$", text, re.M)
    assert f"\ndemo rping: {answer}\n" in text
    assert isinstance(answer, RunError) or "    what it says\n" in text


def test_machine_that_ends(monkeypatch, tmp_path):
    """Steps after the end of a machine do not run."""
    run = Run(monkeypatch, tmp_path, {"ping": RunError("node0: QEMU has ended with 1")})
    run.node.running = lambda: False
    monkeypatch.setattr(run.session, "judge", None)
    code, text = run.run()
    assert code == 1 and re.search(r"^demo   ping +FAILED .*QEMU has ended with 1$", text, re.M)
    assert "ibv_devinfo" not in text


def test_no_machine(monkeypatch, tmp_path):
    code, text = Run(monkeypatch, tmp_path, boots=False).run()
    assert code == 1 and "FAILED: 1 of 1 steps" in text and "no memory: 2 machines" in text
    assert re.search(r"^machines +none was started", text, re.M)


def test_violations(monkeypatch, tmp_path):
    """Reports of the card and of the kernels fail a run whose programs have passed."""
    run = Run(monkeypatch, tmp_path, stats=BAD)
    run.node.console_log.write_text("[   10.5] ornic 0000:01:00.0: no answer\n")
    code, text = run.run()
    assert code == 1 and "FAILED: 2 of " in text
    assert "    nic0: bad_lkey 2\n" in text and "    node0: [   10.5] ornic 0000:01" in text


def test_nowhere_to_write(monkeypatch, tmp_path):
    run = Run(monkeypatch, tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(RunError, match="the report cannot be written"):
        run.session.run()


@pytest.mark.parametrize("line, bad", [
    ("[    1.2] infiniband ornic_0: QUERY_DEVICE failed: -5", True),
    ("[    1.2] WARNING: CPU: 0 PID: 1 at mm/slub.c:1", True),
    ("[    1.2] ornic: loading out-of-tree module taints kernel.", False),
    ("early-init: the kernel has booted", False),
])
def test_trouble(line, bad):
    assert bool(TROUBLE.findall(f"a line\n{line}\n")) == bad
