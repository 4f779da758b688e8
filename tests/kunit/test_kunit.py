# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""KUnit tests of the drivers, in the VM of debug_cards."""

import re
from pathlib import Path

import pytest
from lab import ktap, paths, programs

# In the worker of the other tests in that VM, see tests/e2e/conftest.py
pytestmark = [pytest.mark.vm, pytest.mark.debug, pytest.mark.xdist_group("wired")]
KBUILD = (paths.TOP / "Kbuild").read_text()


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
    vm.check(f"rmmod {name}")
    passed, wrong = ktap.read(log)
    assert not wrong, log
    assert sorted(passed) == cases(name), log


def test_sources():
    """Kbuild has each file of tests."""
    files = [path for path in Path(__file__).parent.glob("*.c") if f"/{path.stem}.o" not in KBUILD]
    assert not files


def test_kunit(debug_cards):
    """Tests of inline functions in headers pass; they need no driver."""
    run_module(debug_cards.a, "ornic_kunit")


def test_verbs(debug_cards):
    """Tests that use verbs like kernel consumers pass, with the first card over loopback."""
    vm = debug_cards.a
    # Tests take a device that has an IPv4 address, also while the first recovers
    vm.check(f"ip -4 addr flush dev {debug_cards.ports[1].netdev}")
    # Some cases make the driver stop the device, and then reset it
    debug_cards.card.expects_reset()
    vm.expects(r"ornic \S+: command MODIFY_MR failed with status 4",
               r"ornic \S+: command RESIZE_SRQ failed with status 4",
               r"ornic \S+: command DESTROY_MR 0x[0-9a-f]+ failed: -2",
               r"ornic \S+: cq\[\d+\]: completion of qp 0x2, wr_id 0x0, which is not "
               r"outstanding",
               r"ornic \S+: two objects of type \d+ have the number 0x[0-9a-f]+",
               r"ornic \S+: command CREATE_EQ gave the number 0x[0-9a-f]+ twice",
               r"ornic \S+: gsi qp\[\d+\]: receive failed with status 5",
               r"ornic \S+: gsi qp\[\d+\]: queue pair event \d+",
               r"ornic \S+: completion queue 0x[0-9a-f]+ lacks entry 0",
               r"ornic \S+: a test wants it to")
    # The recovery may find the channel frozen, too
    vm.expects(r"ornic \S+: device (fails too often, giving up|is gone)", required=False)
    # The kernel's message about any allocation that fails
    vm.expects(r".*: page allocation failure: .*", required=False)
    vm.check(f"{programs.make('nomem')}/nomem ready")
    run_module(vm, "ornic_verbs_kunit")
    debug_cards.set_up()
