# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The kernel's own unit tests, in a machine with the debug kernel."""

import re

import pytest
from lab.pair import find_port, set_address

KUNIT = "kunit.enable=1 kunit.autorun=1"


def run_module(vm, name, at_least):
    """Loads a module of tests, which run then, and all of which have to pass."""
    vm.check(f"insmod $(find {vm.kernel.modules} -name {name}.ko)", timeout=240)
    log = vm.dmesg()
    failed = re.findall(r"not ok \d+ .*", log)
    passed = re.findall(r"(?<!not )ok \d+ (ornic_test_\w+)", log)
    assert not failed, log
    assert len(passed) >= at_least, log
    assert not vm.reports()


@pytest.mark.vm
def test_kunit(lab):
    """The pure parts. The symbols are inline functions of headers, so that it needs no driver."""
    vm = lab.vm("kunit", kernel="debug", append=KUNIT)
    lab.start(vm)
    run_module(vm, "ornic_kunit", 46)


@pytest.mark.vm
def test_verbs(lab):
    """What kernel consumers do, on a card that talks to itself."""
    card = lab.card(1)
    vm = lab.vm("verbs", cards=card.sockets, kernel="debug", append=KUNIT)
    lab.start(vm)
    vm.load_ornic()
    netdev = vm.netdevs_of("ornic")[0]
    set_address(vm, netdev, "10.10.0.1")
    find_port(vm, netdev, "10.10.0.1")
    run_module(vm, "ornic_verbs_kunit", 16)
