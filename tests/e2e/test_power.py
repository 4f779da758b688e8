# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Errors of the bus that the card reports, restarts of the machine and its sleep, all with traffic:
the driver stops the card in time, and brings it up again."""

import re
import shlex
import time

import pytest
from lab import initramfs
from lab.pair import find_again
from power import (
    CORRECTABLE, FATAL, KEXEC, LOAD, NONFATAL, POWER_OFF, REBOOT, aer, memory_hash, nothing_runs,
    python, qemu_status, recoveries, restart,
)
from settings import Traffic, pci_address, set_up_again, wait_until, works

# Runs from memory, because the root directory does not survive sleep: the kernel's 9p has no
# support for it. Reports on the console, because the agent's program is in the root directory, too.
# The kernel stays where it would enter S3 for ASLEEP seconds, all devices suspended and the card in
# D3hot. It does not enter S3, because QEMU 11.1 aborts at the end of S3 if a vfio-user card was in
# D3hot (memory_region_del_subregion()).
ASLEEP = 20
AWAKE = """set -e
mkdir /awake
mount -t tmpfs awake /awake
mkdir /awake/bin /awake/proc /awake/sys /awake/dev
cp /bin/busybox /awake/bin
for name in grep ping seq sleep; do ln -s busybox /awake/bin/$name; done
for dir in proc sys dev; do mount --rbind /$dir /awake/$dir; done
cat >/awake/script <<'END'
PATH=/bin
# The agent must be able to answer before
sleep 5
echo {seconds} >/sys/module/suspend/parameters/pm_test_delay
echo core >/sys/power/pm_test
echo mem >/sys/power/state || echo "power: no sleep"
echo "power: awake"
for i in $(seq 100); do
	grep -q ACTIVE /sys/class/infiniband/*/ports/1/state && ping -c 1 -W 2 {peer} && break
	sleep 1
done >/dev/null 2>&1
[ $i = 100 ] && echo "power: no answer" || echo "power: answered"
END
setsid chroot /awake /bin/busybox sh /script </dev/null >/dev/ttyS0 2>&1 &
"""


@pytest.mark.full
def test_correctable_error(pair):
    """The kernel counts a correctable error of the card [ORNIC-PCI-9] [ORNIC-BUS-13], and the
    traffic goes on."""
    vm = pair.a
    path = f"/sys/bus/pci/devices/{pci_address(vm, pair.ornic[vm].netdev)}/aer_dev_correctable"
    traffic = Traffic(pair)
    before = int(vm.check(f"awk '$1 == \"BadTLP\" {{ print $2 }}' {path}"))
    aer(pair, vm, correctable=CORRECTABLE)
    wait_until("it is counted",
               lambda: int(vm.check(f"awk '$1 == \"BadTLP\" {{ print $2 }}' {path}")) == before + 1)
    traffic.finish()


@pytest.mark.full
def test_nonfatal_error(pair):
    """After a non-fatal error a device that is not FATAL goes on [ORNIC-PCI-10]; it is not reset
    [ORNIC-BUS-13] and programs notice nothing."""
    vm = pair.a
    traffic, before = Traffic(pair), recoveries(vm)
    aer(pair, vm, NONFATAL)
    wait_until("the bus recovers", lambda: recoveries(vm) == before + 1)
    traffic.finish()


@pytest.mark.full
def test_nonfatal_error_of_a_lost_device(pair):
    """If the registers cannot be read after a non-fatal error, the driver has the slot reset
    [ORNIC-BUS-13]."""
    vm = pair.a
    traffic, before = Traffic(pair), recoveries(vm)
    pair.card.expects_reset("nic0")
    # The driver's own check of the device may be faster than the error
    vm.expects(r"ornic \S+: device (does not answer|is gone)", required=False)
    aer(pair, vm, NONFATAL, disable=True)
    wait_until("the bus recovers", lambda: recoveries(vm) == before + 1)
    traffic.kill()
    find_again(pair, vm)
    works(pair)


def test_fatal_error(pair):
    """After a fatal error the slot is reset [ORNIC-BUS-13]. Programs end or can be killed, the
    netdev keeps its name and address, and new programs work, also after a second error."""
    vm = pair.a
    pair.card.expects_reset("nic0")
    for _ in range(2):
        traffic, before = Traffic(pair), recoveries(vm)
        aer(pair, vm, FATAL)
        wait_until("the bus recovers", lambda: recoveries(vm) == before + 1)
        traffic.kill()
        find_again(pair, vm)
    works(pair)


def end_peer(traffic):
    """Ends the program of the VM that did not restart."""
    traffic.commands[0].kill("KILL")
    traffic.commands[0].wait(30)


def back_again(pair, vm):
    vm.come_up_again()
    vm.load_ornic()
    set_up_again(pair, vm)
    works(pair)


@pytest.mark.full
def test_kexec(pair):
    """A kernel that is started by kexec under traffic finds a card without objects, so one without
    DMA, although nothing but the driver of the first kernel resets the card [ORNIC-RST-2]."""
    vm = pair.a
    vm.check(python(LOAD, vm.kernel.image, initramfs.make(vm.kernel)))
    traffic = Traffic(pair)
    restart(vm, KEXEC)
    nothing_runs(pair)
    end_peer(traffic)
    back_again(pair, vm)


@pytest.mark.long
def test_reboot(pair):
    """A restart under traffic: the card has no object before the machine is reset, and the machine
    comes up again."""
    vm = pair.a
    # QEMU stops where the machine would be reset
    vm.qmp.execute("set-action", reboot="shutdown", shutdown="pause")
    traffic = Traffic(pair)
    resets = pair.card.function_resets()
    restart(vm, REBOOT)
    wait_until("the guest is down", lambda: qemu_status(vm) == "shutdown")
    nothing_runs(pair)
    assert pair.card.function_resets() == resets
    end_peer(traffic)
    pair.card.expects_reset("nic0")
    vm.qmp.execute("set-action", reboot="reset", shutdown="poweroff")
    vm.qmp.execute("system_reset")
    wait_until("the machine is reset", lambda: qemu_status(vm) == "prelaunch")
    vm.qmp.execute("cont")
    # The firmware may reset the machine once more
    back_again(pair, vm)
    vm.qmp.execute("set-action", reboot="shutdown")


# Seconds in which a card must do nothing, and the time that it may take for that, in ns
QUIET, IDLE = 3, 1000000


@pytest.mark.long
@pytest.mark.parametrize("side", ["client", "server"])
def test_power_off(pair, side):
    """One end of the traffic powers off. Its card has no object when the machine is off; from then
    on the card takes no time of its process and changes no byte of the machine's memory, although
    the other end goes on sending."""
    vm, peer = (pair.a, pair.b) if side == "client" else (pair.b, pair.a)
    nic = pair.vms.index(vm)
    # QEMU stops where the machine would be off
    vm.qmp.execute("set-action", shutdown="pause")
    traffic = Traffic(pair, options="-s 65536 -b")
    flood = peer.spawn(f"ping -q -f {pair.ornic[vm].ip}")
    resets = pair.card.function_resets()
    restart(vm, POWER_OFF)
    wait_until("the machine is off", lambda: qemu_status(vm) == "shutdown")
    nothing_runs(pair, nic)
    assert pair.card.function_resets() == resets

    def spent_ns():
        return pair.card.stats()["cards"][f"nic{nic}"]["function"]["time_ns"]

    def sent():
        return pair.card.stats()["cards"][f"nic{1 - nic}"]["wire"]["tx_packets"]

    memory, time_ns, packets = memory_hash(vm), spent_ns(), sent()
    time.sleep(QUIET)
    assert sent() > packets
    assert spent_ns() - time_ns < IDLE
    assert memory_hash(vm) == memory
    for command in (flood, traffic.commands[pair.vms[::-1].index(peer)]):
        command.kill("KILL")
        command.wait(30)
    # The machine stays off
    pair.discard()


def said(vm):
    """Returns what AWAKE has printed."""
    return re.findall(rb"power: (awake|answered|no answer|no sleep)", vm.console_log.read_bytes())


@pytest.mark.long
def test_sleep(pair):
    """The driver stops the card before the machine sleeps under traffic, and brings it up when the
    machine wakes: the RDMA port is active, and the netdev has its address."""
    vm, peer = pair.a, pair.b
    traffic = Traffic(pair)
    resets = pair.card.function_resets()
    words = AWAKE.replace("{peer}", pair.ornic[peer].ip).replace("{seconds}", str(ASLEEP))
    vm.check("bash -c " + shlex.quote(words))
    nothing_runs(pair)
    assert pair.card.function_resets() == resets
    assert not said(vm)
    end_peer(traffic)
    wait_until("the guest says something", lambda: said(vm)[1:], 150)
    assert said(vm) == [b"awake", b"answered"]
    # The root directory is lost
    pair.discard()
