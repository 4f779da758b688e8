# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The kernel's own unit tests, in a machine with the debug kernel."""

import pytest
from lab import ktap
from lab.pair import find_port, set_address

pytestmark = [pytest.mark.vm, pytest.mark.xdist_group("kunit")]
KUNIT = "kunit.enable=1 kunit.autorun=1"


@pytest.fixture(scope="module")
def machine(lab):
    """It has a card, and no drivers yet; when the tests are over it is no burden to others. The
    card keeps send slots for as long as it may."""
    card = lab.card(1, nic_options="sq-ci=lag", sanitized=True)
    vm = lab.vm("kunit", cards=card.sockets, kernel="debug", append=KUNIT)
    lab.start(vm)
    yield vm
    vm.kill()
    card.stop()


def run_module(vm, name, at_least):
    """Loads a module of tests, which run then: all that it plans, and all have to pass."""
    before = len(vm.dmesg().splitlines())
    vm.check(f"insmod $(find {vm.kernel.modules} -name {name}.ko)", timeout=240)
    log = "\n".join(vm.dmesg().splitlines()[before:])
    passed, wrong = ktap.read(log)
    assert not wrong, log
    assert len(passed) >= at_least, log


def test_kunit(machine):
    """The pure parts. The symbols are inline functions of headers, so that it needs no driver."""
    run_module(machine, "ornic_kunit", 68)


def test_verbs(machine):
    """What kernel consumers do, on a card that talks to itself."""
    machine.load_ornic()
    netdev = machine.netdevs_of("ornic")[0]
    set_address(machine, netdev, "10.10.0.1")
    find_port(machine, netdev, "10.10.0.1")
    # Some cases make the driver stop the device.
    machine.expects(r"ornic \S+: revoking mr 0x[0-9a-f]+ failed: -2",
                    r"ornic \S+: command DESTROY_MR 0x[0-9a-f]+ failed: -2",
                    r"ornic \S+: two objects of type \d+ have the number 0x[0-9a-f]+",
                    r"ornic \S+: a test wants it to")
    run_module(machine, "ornic_verbs_kunit", 23)
