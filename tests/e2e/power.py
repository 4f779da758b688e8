# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Errors of the bus, restarts and sleep of a guest, for tests."""

import hashlib
import os
import shlex
from pathlib import Path

from settings import counters, doorbell_pages, pci_address, wait_until

# Uncorrectable errors by the default of their severity, and a correctable one
NONFATAL, FATAL, CORRECTABLE = 0x4000, 0x40000, 0x40  # completion timeout, malformed TLP, bad TLP
# Everything that the kernel prints about an error of a function with our driver
AER_MESSAGE = r"ornic \S+: +(AER: +)?(.*Bus Error: severity=.*)"
AER_DETAILS = (r"ornic \S+: +(AER: +)?"
               r"(device \[1af4:10f0\] error status.*|\[ *\d+\] .*|TLP Header: .*)")

# Writes struct aer_error_inj of the kernel's aer_inject.c. A third argument disables the memory
# space of the function just before.
INJECT = """
import os, struct, sys
address, errors = sys.argv[1], [int(word) for word in sys.argv[2:4]]
domain, bus, rest = address.split(":")
dev, function = (int(word, 16) for word in rest.split("."))
config = os.open(f"/sys/bus/pci/devices/{address}/config", os.O_RDWR)
inject = os.open("/dev/aer_inject", os.O_WRONLY)
if len(sys.argv) > 4:
    os.pwrite(config, bytes(2), 4)
os.write(inject, struct.pack("<3Bx7I", int(bus, 16), dev, function, *errors, 0, 0, 0, 0,
                             int(domain, 16)))
"""

# reboot(2) with a command of linux/reboot.h, after the agent has answered
RESTART = "import ctypes, time; time.sleep(0.5); ctypes.CDLL(None).reboot({command:#x})"
REBOOT, POWER_OFF, KEXEC = 0x01234567, 0x4321fedc, 0x45584543

# kexec_file_load(2) for the running kernel with its own command line
LOAD = """
import ctypes, os, sys
image, initrd = (os.open(path, os.O_RDONLY) for path in sys.argv[1:3])
line = open("/proc/cmdline", "rb").read().rstrip(b"\\n") + b"\\0"
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(320, image, initrd, ctypes.c_ulong(len(line)), line, ctypes.c_ulong(0)):
    sys.exit(os.strerror(ctypes.get_errno()))
"""


def python(script, *words):
    return shlex.join(["python3", "-c", script, *map(str, words)])


def aer(pair, vm, uncorrectable=0, correctable=0, disable=False):
    """Makes the guest believe that its card has reported errors."""
    vm.expects(AER_MESSAGE)
    vm.expects(AER_DETAILS, required=False)
    address = pci_address(vm, pair.ornic[vm].netdev)
    vm.check("[ -e /dev/aer_inject ] || modprobe aer_inject")
    vm.check(python(INJECT, address, uncorrectable, correctable, *["disable"] * disable))


def recoveries(vm):
    """Returns how many recoveries of the bus the kernel has reported as successful."""
    return vm.dmesg().count("device recovery successful")


def nothing_runs(pair, nic=0):
    """Waits until the card has no object, which only a reset achieves while programs hold some."""
    wait_until("the card has no object",
               lambda: not any(counters(pair.card, nic, "objects").values()) and
               not doorbell_pages(pair.card, nic))


def restart(vm, command):
    """Makes the guest restart the way a program does, through the shutdown of all drivers."""
    vm.spawn(python(RESTART.format(command=command)))


def memory_hash(vm):
    """Returns a hash of all memory of a machine that stands still."""
    fds = Path(f"/proc/{vm.process.pid}/fd").iterdir()
    memory, = [fd for fd in fds if os.readlink(fd).startswith("/memfd:memory-backend-memfd")]
    with open(memory, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


def qemu_status(vm):
    return vm.qmp.execute("query-status")["status"]
