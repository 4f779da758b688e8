# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The kernel's own tests of network drivers, unmodified, on the card: drivers/net and
drivers/net/hw of tools/testing/selftests. selftests.list has the result of each case.

The netdev of the first card is tested. That of the second is the remote end, in a namespace, as
README.rst of these tests says (REMOTE_TYPE=netns)."""

import fnmatch
import re
import shlex
from pathlib import Path

import pytest
from lab import paths
from lab.pair import TwoCards, find_port

DIRECTORY = paths.BUILD / "selftests"
LIST = Path(__file__).with_name("selftests.list")
# Seconds for one program. The longest needs a third of them.
TIMEOUT = 900
REMOTE = "remote"
ADDRESSES = {"LOCAL_V4": "192.0.2.1", "REMOTE_V4": "192.0.2.2",
             "LOCAL_V6": "2001:db8:1::1", "REMOTE_V6": "2001:db8:1::2"}
# For interfaces behind the local one
PREFIX = "2001:db8:2::/64"
# The programs take down the link, which removes its IPv6 addresses, and change the MTU
SET_UP = """set -e
side() {{
	ip link set $1 mtu 1500 up
	ip addr replace $2/24 dev $1
	ip addr replace $3/64 dev $1 nodad
}}
export -f side
side {local} {LOCAL_V4} {LOCAL_V6}
ip netns exec {REMOTE} bash -ec 'side {remote} {REMOTE_V4} {REMOTE_V6}'
ip -n {REMOTE} -6 route replace {PREFIX} via {LOCAL_V6}
for address in {REMOTE_V4} {REMOTE_V6}; do
	until ping -q -c 1 -W 1 $address; do :; done
done"""
# Lines of the kernel's runner: the number of cases, the result of each, that of the program
PLAN = re.compile(r"# 1\.\.(\d+)$")
CASE = re.compile(r"# (not )?ok \d+ (\S+)(?: # ((?:SKIP|XFAIL).*))?$")
PROGRAM = re.compile(r"(?:not )?ok 1 selftests: .*?(?: # (.*))?$")


class Selftests(TwoCards):
    """VM `a` with two cards and eight processors. The second netdev is in a namespace. Both have
    eight queues, because some cases need as many."""

    def __init__(self, lab):
        super().__init__(lab, smp=8, mem="2G")

    def set_up(self):
        self.local, self.remote = self.a.netdevs_of("ornic")
        # The stack aggregates frames of PPPoE only if this module is there
        self.a.check("mount -t bpf bpf /sys/fs/bpf && modprobe pppoe && "
                     f"ethtool -L {self.local} combined 8 && "
                     f"ethtool -L {self.remote} combined 8 && "
                     f"ip netns add {REMOTE} && ip -n {REMOTE} link set lo up && "
                     f"ip link set {self.remote} netns {REMOTE}")
        self.connect()
        self.ornic = {self.a: find_port(self.a, self.local, ADDRESSES["LOCAL_V4"])}
        return self

    def connect(self):
        self.a.check(SET_UP.format(local=self.local, remote=self.remote, REMOTE=REMOTE,
                                   PREFIX=PREFIX, **ADDRESSES))

    def run(self, program):
        """Runs a program of the kernel's list as the kernel's runner does, and returns its
        output."""
        self.connect()
        environment = {**ADDRESSES, "NETIF": self.local, "REMOTE_TYPE": "netns",
                       "REMOTE_ARGS": REMOTE, "LOCAL_PREFIX_V6": PREFIX,
                       # The processors are emulated, and the tests have times
                       "KSFT_MACHINE_SLOW": "yes", "PYTHONPYCACHEPREFIX": "/tmp/pycache"}
        words = shlex.join(f"{name}={value}" for name, value in environment.items())
        # The runner opens its standard output again, so that must not be a file: it would overwrite
        # what it has written
        _, output = self.a.run(f"env {words} {DIRECTORY.resolve()}/run_kselftest.sh -o {TIMEOUT} "
                               f"-t {program} 2>&1 | cat", TIMEOUT + 60)
        return output


def results(program, output):
    """Returns {case: result} as selftests.list has them, without the reason of a FAIL, and what the
    runner says of the whole program, "" if it passed."""
    stem = program.rpartition(":")[2].partition(".")[0]
    cases, planned, whole = {}, None, "the runner did not end"
    for line in map(str.strip, output.splitlines()):
        if found := CASE.match(line):
            failed, name, reason = found.groups()
            cases[name.removeprefix(f"{stem}.")] = "FAIL" if failed else reason or ""
        elif found := PROGRAM.match(line):
            whole = found[1] or ""
        elif found := PLAN.match(line):
            planned = int(found[1])
    if planned != len(cases):
        whole = f"{planned} cases planned, {len(cases)} ended; {whole}"
    return cases, whole


def listed():
    """Returns {program: {case: result}} of selftests.list, and {program: why it does not run}."""
    programs, others, cases = {}, {}, {}
    for line in LIST.read_text().splitlines():
        name, _, result = line.strip().partition(": ")
        if not name or name.startswith("#"):
            continue
        if line.startswith("\t"):
            assert name not in cases, f"{name} is listed twice"
            cases[name] = result
        elif result:
            others[name] = result
        else:
            cases = programs[name] = {}
    return programs, others


PROGRAMS, OTHERS = listed()


def judge(want, cases, whole):
    """Returns lines about what is not as listed."""
    wrong, met = [], set()
    for case, result in cases.items():
        line = next((name for name in want if fnmatch.fnmatchcase(case, name)), None)
        met.add(line)
        listed_as = want.get(line, "not listed")
        as_listed = result == listed_as or \
            result == "FAIL" and listed_as.startswith("FAIL ") or \
            result == "" and listed_as.startswith("XFAIL ")
        if not as_listed:
            wrong.append(f"{case}: {result or 'passed'} (listed: {listed_as or 'passes'})")
    wrong += [f"{name}: did not run" for name in want if name not in met]
    if whole != ("exit=1" if "FAIL" in cases.values() else ""):
        wrong.append(f"the program: {whole or 'passed'}")
    return wrong


@pytest.fixture
def selftests(pairs):
    """A machine for the kernel's selftests."""
    return pairs.keep("selftests", lambda: Selftests(pairs.lab))


@pytest.mark.long
def test_listed():
    """Each program of the kernel's list runs, or has a reason why it does not."""
    text = (DIRECTORY / "kselftest-list.txt").read_text()
    assert sorted(text.split()) == sorted([*PROGRAMS, *OTHERS])


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS)
def test_program(selftests, program):
    """Each case of the program has the listed result."""
    output = selftests.run(program)
    if wrong := judge(PROGRAMS[program], *results(program, output)):
        # The next program gets new machines
        selftests.discard()
        pytest.fail("\n".join([*wrong, output]), pytrace=False)
