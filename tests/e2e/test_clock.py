# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Issue: "completion timestamps (raw and wall clock) backed by a PTP hardware clock of the same PCI
function". The counter is that of [ORNIC-REG-3]; what rdma-core's own tests do not look at is here."""

import re
import time

import pytest
from ptp import check_page, phc, ptp_device
from settings import reset_function, set_up_again, wait_until

# What phc_ctl, a program under emulation, may be late by.
LATE = 0.5
# A time that no clock has by itself.
LONG_AGO = 1000000000


def seconds(lines):
    """The time in what "get" printed last."""
    return float(re.findall(r"clock time is ([0-9.]+)", "\n".join(lines))[-1])


@pytest.fixture
def clock(pair):
    """(machine, PTP device), and afterwards the clock is as it was."""
    vm = pair.a
    ptp = ptp_device(vm, pair.ornic[vm])
    yield vm, ptp
    ptp = ptp_device(vm, pair.ornic[vm])
    phc(vm, ptp, "freq 0 set")


def test_has_wall_clock_time(pair, clock):
    vm, ptp = clock
    before, now, after = (
        float(vm.check("date +%s.%N")), seconds(phc(vm, ptp, "get")),
        float(vm.check("date +%s.%N")),
    )
    assert before - LATE < now < after + LATE


def test_ethtool_knows_it(pair, clock):
    """Frames have the stamps of software; the clock is named all the same."""
    vm, ptp = clock
    text = vm.check(f"ethtool -T {pair.ornic[vm].netdev}")
    index = re.search(r"(?:PTP Hardware Clock|timestamp provider index): (\d+)", text)
    assert index and ptp == f"ptp{index[1]}", text
    assert "software-transmit" in text and "hardware-transmit" not in text


def test_set_and_adjust(clock):
    vm, ptp = clock
    now = seconds(phc(vm, ptp, f"set {LONG_AGO} get"))
    assert 0 <= now - LONG_AGO < LATE
    now = seconds(phc(vm, ptp, f"set {LONG_AGO} adj 1234.5 get"))
    assert 0 <= now - LONG_AGO - 1234.5 < LATE
    now = seconds(phc(vm, ptp, f"set {LONG_AGO} adj -77.25 get"))
    assert 0 <= now - LONG_AGO + 77.25 < LATE


@pytest.mark.parametrize("ppb", [100000000, -100000000])
def test_frequency(clock, ppb):
    """A tenth faster and slower, which is as far as it goes."""
    vm, ptp = clock
    lines = phc(vm, ptp, f"freq {ppb} set {LONG_AGO} wait 6 get")
    assert abs(seconds(lines) - LONG_AGO - 6 * (1 + ppb / 1e9)) < LATE
    assert "100000000" in "\n".join(phc(vm, ptp, "caps"))


def test_virtual_clocks_run_free(clock):
    """They are made of the counter: what is done to the clock does not concern them."""
    vm, ptp = clock
    directory = f"/sys/class/ptp/{ptp}"
    vm.check(f"echo 1 >{directory}/n_vclocks")
    try:
        virtual = vm.check(f"basename $(ls -d {directory}/ptp*)").strip()
        before = seconds(phc(vm, virtual, "get"))
        now = seconds(phc(vm, ptp, f"set {LONG_AGO} freq 100000000 get"))
        assert 0 <= now - LONG_AGO < LATE
        assert 0 <= seconds(phc(vm, virtual, "get")) - before < 10
    finally:
        vm.check(f"echo 0 >{directory}/n_vclocks")


def test_page_agrees(pair, clock, guest_programs):
    """Through renewals of the page, which come every 4 s, to the nanosecond."""
    vm, ptp = clock
    check_page(vm, guest_programs / "clock", pair.ornic[vm], ptp, 6, 1)


def test_page_agrees_at_another_rate(pair, clock, guest_programs):
    vm, ptp = clock
    phc(vm, ptp, "freq 12345678")
    check_page(vm, guest_programs / "clock", pair.ornic[vm], ptp, 5, 1)


def test_page_while_somebody_disciplines(pair, clock, guest_programs):
    """As ptp4l does it, but all the time: what is read is of before or of after the change."""
    vm, ptp = clock
    words = " ".join(f"freq {ppb}" for ppb in range(-20000, 20000, 1000))
    command = vm.spawn(f"while :; do phc_ctl -q -- /dev/{ptp} {words}; done >/dev/null")
    # A stamp may be half a second old on a busy machine, and the rate be off by 40 ppm
    check_page(vm, guest_programs / "clock", pair.ornic[vm], ptp, 6, 20000)
    command.kill("KILL")


def test_goes_on_after_reset(pair, clock):
    """[ORNIC-RST-1]: a reset does not touch the counter, and the clock stays what it was set to."""
    vm, ptp = clock
    begin = time.monotonic()
    phc(vm, ptp, f"set {LONG_AGO}")
    reset_function(pair, vm, 120)
    wait_until("a netdev", lambda: vm.netdevs_of("ornic"))
    set_up_again(pair, vm)
    assert ptp_device(vm, pair.ornic[vm]) == ptp
    assert 0 <= seconds(phc(vm, ptp, "get")) - LONG_AGO <= time.monotonic() - begin + 1


def test_goes_with_the_driver(pair, clock):
    """A program that has it open is told that it is gone."""
    vm, ptp = clock
    command = vm.spawn(f"exec 3</dev/{ptp}; while phc_ctl -q /dev/{ptp} get; do sleep 0.2; done")
    vm.check("rmmod ornic_rdma && rmmod ornic", timeout=60)
    assert vm.run(f"[ -e /dev/{ptp} ]")[0] != 0
    assert command.wait(20) is not None
    vm.load_ornic()
    set_up_again(pair, vm)
    assert ptp_device(vm, pair.ornic[vm])
