# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The PTP clock of a card, and the page that processes read it from."""

import errno
import re


def ptp_device(vm, port):
    """Where rdma-core's tests look for it, too."""
    return vm.check(f"ls /sys/class/infiniband/{port.device}/device/ptp").strip()


def phc(vm, ptp, words):
    """What phc_ctl says of the clock, one line per command."""
    return vm.check(f"phc_ctl -q -- /dev/{ptp} {words}").splitlines()


def check_page(vm, program, port, ptp, duration, slack):
    """The clock page says the same as the clock, and is not written by processes."""
    lines = vm.check(f"{program} {port.device} /dev/{ptp} {duration} {slack}",
                     duration + 30).splitlines()
    assert lines[:2] == [f"map for writing: {errno.EPERM}",
                         f"mprotect for writing: {errno.EACCES}"]
    looks, changes = map(int, re.fullmatch(r"looks: (\d+), changes: (\d+)", lines[2]).groups())
    assert looks > 100
    return changes
