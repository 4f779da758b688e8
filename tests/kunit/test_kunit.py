# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The kernel's own unit tests, in a machine with the debug kernel and no card."""

import re

import pytest


@pytest.mark.vm
def test_kunit(lab):
    vm = lab.vm("kunit", kernel="debug", append="kunit.enable=1 kunit.autorun=1")
    lab.start(vm)
    # Its symbols are inline functions of headers, so that it needs no driver.
    vm.check(f"insmod $(find {vm.kernel.modules} -name ornic_kunit.ko)")
    log = vm.dmesg()
    failed = re.findall(r"not ok \d+ .*", log)
    passed = re.findall(r"(?<!not )ok \d+ (ornic_test_\w+)", log)
    assert not failed, log
    assert len(passed) >= 20, log
    assert not vm.reports()
