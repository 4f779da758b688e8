# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The processors that guests can have, and what QEMU must be told for each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Processor:
    """`compiler` makes programs without libraries. `machine` and `cpu` are values of QEMU's
    options, `cpu` under emulation. `console` is the guest's serial port. `boot` has words for the
    kernel, `args` further options. Cards are behind `root_ports`, or on the machine's bus."""

    name: str
    compiler: str
    qemu: str
    machine: str
    cpu: str
    console: str
    boot: tuple = ()
    args: tuple = ()
    root_ports: bool = True


X86_64 = Processor(
    "x86_64", "gcc", "qemu-system-x86_64", "q35",
    # Under TCG `rep movsb` is six times slower than a plain loop of wide moves, and a kernel uses
    # it if the CPU reports ERMS or FSRM.
    "max,-erms,-fsrm", "ttyS0",
    # Under emulation on a busy host the timer is late, and the kernel panics
    boot=("no_timer_check",),
    # Native PCIe hot-plug, without which a guest cannot reset a secondary bus
    args=("-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off"),
)
ARM64 = Processor(
    "arm64", "aarch64-linux-gnu-gcc", "qemu-system-aarch64",
    # The card's interrupts are messages, which need the ITS of the third GIC
    "virt,gic-version=3",
    # Pointer authentication by the architected algorithm takes half of the time
    "max,pauth-impdef=on", "ttyAMA0",
)
S390X = Processor(
    "s390x", "s390x-linux-gnu-gcc", "qemu-system-s390x", "s390-ccw-virtio", "max", "ttysclp0",
    # Each card is a function of its own
    root_ports=False,
)
