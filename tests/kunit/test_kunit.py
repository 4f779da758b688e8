# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""KUnit tests of the drivers, in a VM with the debug kernel."""

import re
from pathlib import Path

import pytest
from lab import ktap, paths, programs
from lab.pair import find_port, set_address

pytestmark = [pytest.mark.vm, pytest.mark.debug, pytest.mark.xdist_group("kunit")]
KUNIT = "kunit.enable=1 kunit.autorun=1"
KBUILD = (paths.TOP / "Kbuild").read_text()


@pytest.fixture(scope="module")
def card(lab):
    """A card whose consumer indexes in memory lag behind, and which completes the latest of
    several commands first."""
    card = lab.card(1, nic_options="ci-lag=64,commands=reverse", sanitized=True)
    yield card
    card.stop()


@pytest.fixture(scope="module")
def machine(lab, card):
    """A VM with the card and without drivers. It ends after these tests to free its resources."""
    vm = lab.vm("kunit", cards=card.sockets, kernel="debug", append=KUNIT)
    lab.start(vm)
    yield vm
    vm.kill()


def cases(module):
    """Returns the sorted names of the cases in the sources of a module."""
    sources = re.findall(rf"^{module}-\S+ [:+]= (\S+)\.o$", KBUILD, re.M)
    return sorted(name for source in sources
                  for name in re.findall(r"^\tKUNIT_CASE\w*\((\w+)",
                                         (paths.TOP / f"{source}.c").read_text(), re.M))


def run_module(vm, name):
    """Loads a module of tests, which runs them. All cases of its sources must run and pass."""
    before = len(vm.dmesg().splitlines())
    vm.check(f"insmod $(find {vm.kernel.modules} -name {name}.ko)", timeout=240)
    log = "\n".join(vm.dmesg().splitlines()[before:])
    passed, wrong = ktap.read(log)
    assert not wrong, log
    assert sorted(passed) == cases(name), log


def test_sources():
    """Kbuild has each file of tests."""
    files = [path for path in Path(__file__).parent.glob("*.c") if f"/{path.stem}.o" not in KBUILD]
    assert not files


def test_kunit(machine):
    """Tests of inline functions in headers pass; they need no driver."""
    run_module(machine, "ornic_kunit")


def test_verbs(machine, card):
    """Tests that use verbs like kernel consumers pass, with one card over loopback."""
    machine.load_ornic()
    netdev = machine.netdevs_of("ornic")[0]
    set_address(machine, netdev, "10.10.0.1")
    find_port(machine, netdev, "10.10.0.1")
    # Some cases make the driver stop the device, and then reset it
    card.expects_reset()
    machine.expects(r"ornic \S+: command MODIFY_MR failed with status 4",
                    r"ornic \S+: command RESIZE_SRQ failed with status 4",
                    r"ornic \S+: command DESTROY_MR 0x[0-9a-f]+ failed: -2",
                    r"ornic \S+: cq\[\d+\]: completion of qp 0x2, wr_id 0x0, which is not "
                    r"outstanding",
                    r"ornic \S+: two objects of type \d+ have the number 0x[0-9a-f]+",
                    r"ornic \S+: command CREATE_EQ gave the number 0x[0-9a-f]+ twice",
                    r"ornic \S+: completion queue 0x[0-9a-f]+ lacks entry 0",
                    r"ornic \S+: a test wants it to")
    # The recovery may find the channel frozen, too
    machine.expects(r"ornic \S+: device (fails too often, giving up|is gone)", required=False)
    # The kernel's message about any allocation that fails
    machine.expects(r".*: page allocation failure: .*", required=False)
    machine.check(f"{programs.make('nomem')}/nomem ready")
    run_module(machine, "ornic_verbs_kunit")
