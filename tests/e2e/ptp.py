# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The PTP clock of a card, and the clock page that processes read."""

import errno
import re


def ptp_device(vm, port):
    """Returns the name of the PTP device, which rdma-core's tests look up at the same place."""
    return vm.check(f"ls /sys/class/infiniband/{port.device}/device/ptp").strip()


def phc(vm, ptp, words):
    """Runs commands of phc_ctl and returns its output, one line per command."""
    return vm.check(f"phc_ctl -q -- /dev/{ptp} {words}").splitlines()


def check_page(vm, program, port, ptp, duration, slack):
    """Checks that the clock page agrees with the clock and that processes cannot write to it.
    Returns how often the page has changed."""
    lines = vm.check(f"{program} {port.device} /dev/{ptp} {duration} {slack}",
                     duration + 30).splitlines()
    assert lines[:2] == [f"map for writing: {errno.EPERM}",
                         f"mprotect for writing: {errno.EACCES}"]
    looks, changes = map(int, re.fullmatch(r"looks: (\d+), changes: (\d+)", lines[2]).groups())
    assert looks
    return changes
