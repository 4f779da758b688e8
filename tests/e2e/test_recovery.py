# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""After resets of the function and errors of the bus the card works again with all its settings."""

import contextlib
import shlex

import pytest
from lab.pair import find_again
from lab.perftest import pingpong
from settings import carrier_changes, control, inject, pci_address, set_up_again, wait_until

GROUP = "01:00:5e:00:00:63"
# No test sends from this address; otherwise the switch would learn it and not flood such frames
STRANGER = "02:00:00:00:99:63"
FRAMES = 5

# Resets the function, waits until the interface is detached, which is when ethtool is refused, and
# then joins a group or sets promiscuous mode until the program ends.
DURING_RESET = """
import ctypes, fcntl, socket, struct, subprocess, sys, time
netdev, reset, kind, address = sys.argv[1:]
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
packet = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
address = bytes.fromhex(address.replace(":", ""))
member = struct.pack("IHH8s", socket.if_nametoindex(netdev), int(kind), len(address), address)
def attached():
    drvinfo = bytearray(struct.pack("I", 3) + bytes(192))
    pointer = ctypes.addressof((ctypes.c_char * len(drvinfo)).from_buffer(drvinfo))
    try:
        fcntl.ioctl(sock, 0x8946, struct.pack("16sP16x", netdev.encode(), pointer))
    except OSError:
        return False
    return True
assert attached()
doing = subprocess.Popen(f"echo 1 >{reset}", shell=True)
while attached() and doing.poll() is None:
    pass
packet.setsockopt(263, 1, member)
print("too late" if attached() else "detached", flush=True)
time.sleep(300)
"""
MULTICAST, PROMISC = 0, 1  # PACKET_MR_*


@contextlib.contextmanager
def set_during_reset(wired, kind, address):
    """Provides a membership of the interface that began while it was detached."""
    vm, netdev = wired.a, wired.ornic[wired.a].netdev
    wired.card.expects_reset("nic0")
    reset = f"/sys/bus/pci/devices/{pci_address(vm, netdev)}/reset"
    words = shlex.join([DURING_RESET, netdev, reset, str(kind), address])
    vm.check("rm -f /tmp/during")
    # The interface stays detached until the card is ready
    control(wired.card, "hold nic0 on")
    try:
        command = vm.spawn(f"python3 -c {words} >/tmp/during 2>&1", 300)
        wait_until("it is set", lambda: vm.run("cat /tmp/during")[1])
    finally:
        control(wired.card, "hold nic0 off")
    assert vm.check("cat /tmp/during") == "detached\n"
    set_up_again(wired, vm)
    yield
    command.kill()
    command.wait()


def received(wired, dst):
    """Sends FRAMES frames to an address and returns how many of them the interface receives."""
    vm, netdev = wired.a, wired.ornic[wired.a].netdev
    counter = f"cat /sys/class/net/{netdev}/statistics/rx_packets"
    before, dropped = int(vm.check(counter)), wired.stats()["rx_dropped_filter"]

    def gone():
        return wired.stats()["rx_dropped_filter"] - dropped

    wired.send(*[wired.udp(dst=dst)] * FRAMES)
    wait_until("each is dropped or received",
               lambda: int(vm.check(counter)) - before + gone() == FRAMES)
    return FRAMES - gone()


def test_rx_mode_set_during_reset(wired):
    """Receive modes that are set while the interface is detached take effect after the reset; the
    network stack does not repeat them."""
    assert (received(wired, GROUP), received(wired, STRANGER)) == (0, 0)
    with set_during_reset(wired, MULTICAST, GROUP):
        assert (received(wired, GROUP), received(wired, STRANGER)) == (FRAMES, 0)
    with set_during_reset(wired, PROMISC, GROUP):
        assert received(wired, STRANGER) == FRAMES
    assert (received(wired, GROUP), received(wired, STRANGER)) == (0, 0)


# Simulates a card that was just plugged in and is not enabled: the PCI core saves that state
PLUG_IN = """set -e
cd /sys/bus/pci/devices/{address}
echo {address} >driver/unbind
printf '\\0\\0' | dd of=config bs=1 seek=4 conv=notrunc status=none
echo 1 >remove
echo 1 >/sys/bus/pci/rescan
"""


@pytest.mark.full
def test_bus_error(pair):
    """After a fatal error of the link the slot is reset and the card works again, also if it was
    not there at boot. The driver still detects later failures of the card."""
    vm = pair.a
    address = pci_address(vm, pair.ornic[vm].netdev)
    vm.check(PLUG_IN.format(address=address))
    set_up_again(pair, vm)
    pair.card.expects_reset("nic0")
    port = pair.ornic[vm]
    for number in range(1, 3):
        vm.qmp.execute("human-monitor-command", command_line="pcie_aer_inject_error rp0 DLP")
        wait_until("the link recovers", lambda number=number:
                   vm.dmesg().count("device recovery successful") == number)
        find_again(pair, vm)
        pingpong(pair, pair.ornic)
    carrier = carrier_changes(vm, port.netdev)
    inject(pair, vm, "fatal")
    wait_until("the port was down", lambda: carrier_changes(vm, port.netdev) >= carrier + 2)
    find_again(pair, vm)
    pingpong(pair, pair.ornic)
