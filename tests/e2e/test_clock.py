# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The PTP hardware clock of completion timestamps, in the same PCI function. The counter is that of
[ORNIC-REG-3]. These tests cover what rdma-core's own tests do not."""

import re

import pytest
from ptp import check_page, phc, ptp_device
from settings import reset_function, set_up_again, wait_until

# Seconds that phc_ctl may be late under emulation, for tests of the rate and of the wall clock
LATE = 0.5
# Seconds within which a program does not hang
HANG = 120
# A time (seconds) that no clock has unless it is set
LONG_AGO = 1000000000


def seconds(lines):
    """Returns the time (seconds) in the last output of "get"."""
    return float(re.findall(r"clock time is ([0-9.]+)", "\n".join(lines))[-1])


@pytest.fixture
def clock(pair):
    """Yields (VM, PTP device), and afterwards restores the frequency and the time of the clock."""
    vm = pair.a
    ptp = ptp_device(vm, pair.ornic[vm])
    yield vm, ptp
    ptp = ptp_device(vm, pair.ornic[vm])
    phc(vm, ptp, "freq 0 set")


# The clock runs on its own from the probe on, and the guest's drifts against it
@pytest.mark.full
def test_has_wall_clock_time(pair, clock):
    vm, ptp = clock
    before, now, after = (
        float(vm.check("date +%s.%N")), seconds(phc(vm, ptp, "get")),
        float(vm.check("date +%s.%N")),
    )
    assert before - LATE < now < after + LATE


def test_ethtool_knows_it(pair, clock):
    """ethtool names the clock, although frames have software timestamps only."""
    vm, ptp = clock
    text = vm.check(f"ethtool -T {pair.ornic[vm].netdev}")
    index = re.search(r"(?:PTP Hardware Clock|timestamp provider index): (\d+)", text)
    assert index and ptp == f"ptp{index[1]}", text
    assert "software-transmit" in text and "hardware-transmit" not in text


def test_set_and_adjust(clock):
    vm, ptp = clock
    for step in (0, 1234.5, -777.25):
        now = seconds(phc(vm, ptp, f"set {LONG_AGO} adj {step} get"))
        assert 0 <= now - LONG_AGO - step < HANG
    assert 0 <= seconds(phc(vm, ptp, f"set {LONG_AGO} get")) - LONG_AGO < HANG


# Compares 6 s of the clock with 6 s of the guest
@pytest.mark.full
@pytest.mark.parametrize("ppb", [100000000, -100000000])
def test_frequency(clock, ppb):
    """The frequency can be 10 % higher and lower, which is the limit."""
    vm, ptp = clock
    lines = phc(vm, ptp, f"freq {ppb} set {LONG_AGO} wait 6 get")
    assert abs(seconds(lines) - LONG_AGO - 6 * (1 + ppb / 1e9)) < LATE
    assert "100000000" in "\n".join(phc(vm, ptp, "caps"))


def test_virtual_clocks_run_free(clock):
    """Virtual clocks use the counter, so changes of the PTP clock do not affect them."""
    vm, ptp = clock
    directory = f"/sys/class/ptp/{ptp}"
    vm.check(f"echo 1 >{directory}/n_vclocks")
    try:
        virtual = vm.check(f"basename $(ls -d {directory}/ptp*)").strip()
        before = seconds(phc(vm, virtual, "get"))
        now = seconds(phc(vm, ptp, f"set {LONG_AGO} freq 100000000 get"))
        assert 0 <= now - LONG_AGO < HANG
        assert 0 <= seconds(phc(vm, virtual, "get")) - before < HANG
    finally:
        vm.check(f"echo 0 >{directory}/n_vclocks")


def test_page_agrees(pair, clock, guest_programs):
    """The clock page agrees with the clock to 1 ns, also across renewals of the page every 4 s."""
    vm, ptp = clock
    check_page(vm, guest_programs / "clock", pair.ornic[vm], ptp, 6, 1)


def test_page_agrees_at_another_rate(pair, clock, guest_programs):
    vm, ptp = clock
    phc(vm, ptp, "freq 12345678")
    check_page(vm, guest_programs / "clock", pair.ornic[vm], ptp, 5, 1)


# Its slack is for a timestamp that is at most 0.5 s old
@pytest.mark.full
def test_page_while_clock_is_adjusted(pair, clock, guest_programs):
    """The clock page is consistent while the frequency changes all the time: a reader gets the
    state before or after a change."""
    vm, ptp = clock
    words = " ".join(f"freq {ppb}" for ppb in range(-20000, 20000, 1000))
    command = vm.spawn(f"while :; do phc_ctl -q -- /dev/{ptp} {words}; done >/dev/null")
    # A timestamp may be 0.5 s old on a busy host, and the rate may be off by 40 ppm
    check_page(vm, guest_programs / "clock", pair.ornic[vm], ptp, 6, 20000)
    command.kill("KILL")


def test_clock_survives_reset(pair, clock):
    """[ORNIC-RST-1]: a reset does not change the counter, and the clock keeps the time that was
    set."""
    vm, ptp = clock
    phc(vm, ptp, f"set {LONG_AGO}")
    reset_function(pair, vm, 120)
    wait_until("a netdev", lambda: vm.netdevs_of("ornic"))
    set_up_again(pair, vm)
    assert ptp_device(vm, pair.ornic[vm]) == ptp
    assert 0 <= seconds(phc(vm, ptp, "get")) - LONG_AGO < HANG


def test_clock_is_removed_with_driver(pair, clock):
    """The clock goes away with the driver, and a program that has it open gets an error."""
    vm, ptp = clock
    command = vm.spawn(f"exec 3</dev/{ptp}; while phc_ctl -q /dev/{ptp} get; do sleep 0.2; done")
    vm.check("rmmod ornic_rdma && rmmod ornic", timeout=60)
    assert vm.run(f"[ -e /dev/{ptp} ]")[0] != 0
    assert command.wait(HANG) is not None
    vm.load_ornic()
    set_up_again(pair, vm)
    assert ptp_device(vm, pair.ornic[vm])
