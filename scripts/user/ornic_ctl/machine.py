# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Options of virtual machines that get cards, and a search for what keeps cards from working."""

import json
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

from .control import START, TIMEOUT, Control, Problem, check_listener, find_control, instances

# The variable is for tests
KVM = Path(os.environ.get("ORNIC_KVM", "/dev/kvm"))
QEMU = "qemu-system-x86_64"
# Numbers of the first card's port, which are above those that QEMU and libvirt choose themselves
CHASSIS, SLOT = 100, 0x18
# Cards of a domain: libvirt puts devices of ICH9 into slots 0x1b and above
LIBVIRT_CARDS = 3
# The first version with vfio-user-pci
QEMU_NEEDED = "10.1"
QEMU_SOURCE = "Debian 13 has it in trixie-backports"


class Monitor:
    """The monitor (QMP) of a running QEMU."""

    def __init__(self, path):
        self.path = path
        try:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(TIMEOUT)
            self.sock.connect(path)
            check_listener(path, self.sock)
            self.lines = self.sock.makefile()
            self.read()
        except OSError as error:
            raise Problem(f"{path}: no QEMU answers there ({error}); start it with -qmp "
                          f"unix:{path},server=on,wait=off, and end other clients") from error
        self.execute("qmp_capabilities")

    def read(self):
        """Returns the next answer of QEMU, or its greeting."""
        while True:
            try:
                answer = json.loads(self.lines.readline())
            except ValueError as error:
                raise Problem(f"{self.path}: not the monitor (QMP) of a QEMU, or of one that "
                              "ends") from error
            if "event" not in answer:
                return answer

    def execute(self, command, **arguments):
        try:
            self.sock.sendall(json.dumps({"execute": command,
                                          "arguments": arguments}).encode() + b"\n")
            answer = self.read()
        except OSError as error:
            raise Problem(f"{self.path}: {command}: {error}") from error
        if "error" in answer:
            raise Problem(f"{self.path}: {command}: {answer['error']['desc']}")


def device(card, bus):
    """Returns the device of QEMU for a card."""
    return {"driver": "vfio-user-pci", "bus": bus, "x-msg-timeout": 60000,
            "socket": {"type": "unix", "path": card["socket"]}}


def devices(args, place=lambda number: ""):
    """Yields QEMU's options -device for each card of the command line: a root port, and the card
    behind it. `place` has more words for the port of card `number`."""
    control = find_control(args)
    for number, name in enumerate(args.card):
        yield f"pcie-root-port,id=ornic-{name}{place(number)},chassis={CHASSIS + number}"
        yield json.dumps(device(control.card(name), f"ornic-{name}"))


def do_qemu(args):
    """Prints the part of a command line that attaches cards."""
    lines = [f"-machine q35,memory-backend=mem -m {args.memory}",
             f"-object memory-backend-memfd,id=mem,size={args.memory},share=on",
             "-global ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off"]
    lines += (f"-device '{value}'" for value in devices(args))
    print(" \\\n".join(lines))


def do_attach(args):
    """Has a running QEMU attach a card."""
    card = find_control(args).card(args.card)
    if card["connected"]:
        raise Problem(f"{args.card}: a virtual machine has it; one at a time can use a card")
    bus = args.bus or f"ornic-{args.card}"
    Monitor(args.qmp).execute("device_add", id=args.card, **device(card, bus))


def do_libvirt(args):
    """Prints the parts of a domain that attach cards."""
    if len(args.card) > LIBVIRT_CARDS:
        raise Problem(f"{len(args.card)} cards: a domain has slots for {LIBVIRT_CARDS}")
    values = devices(args, lambda number: f",bus=pcie.0,addr={SLOT + number:#x}")
    options = [word for value in values for word in ("-device", value)]
    print("<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>\n"
          "  <!-- above and below: your domain, of machine type q35 -->\n"
          "  <memoryBacking>\n    <source type='memfd'/>\n    <access mode='shared'/>\n"
          "  </memoryBacking>\n  <qemu:commandline>")
    for option in options:
        print(f"    <qemu:arg value='{option}'/>")
    print("  </qemu:commandline>\n</domain>")


def check_qemu(program):
    """Yields what is wrong with QEMU."""
    if not shutil.which(program):
        yield (f"no {program}: install QEMU {QEMU_NEEDED} or newer ({QEMU_SOURCE}), or name the "
               "program with --qemu")
        return
    run = subprocess.run([program, "-device", "help"], capture_output=True, text=True, check=False)
    if "vfio-user-pci" not in run.stdout:
        version = subprocess.run([program, "--version"], capture_output=True, text=True,
                                 check=False).stdout
        found = re.search(r"version ([\d.]+)", version)
        yield (f"{program} {found[1] if found else ''} has no vfio-user-pci: install QEMU "
               f"{QEMU_NEEDED} or newer ({QEMU_SOURCE})")


def check_kvm():
    """Yields why machines of the user who asks are emulated. Cards work there, too."""
    try:
        with KVM.open("rb"):
            return
    except FileNotFoundError:
        yield (f"note: no {KVM}: machines are emulated, and are many times slower. Load kvm_intel "
               "or kvm_amd; in a virtual machine its host must permit nested virtualization")
    except PermissionError:
        yield (f"note: {KVM}: Permission denied: machines of this user are emulated, and are many "
               "times slower. Group kvm has access (usermod -a -G kvm USER)")
    except OSError as error:
        yield f"note: {KVM}: {error.strerror}: machines are emulated, and are many times slower"


def check_cards(control):
    """Yields what is wrong with the cards of a process."""
    try:
        for name, card in control.cards().items():
            yield from check_card(name, card)
    except Problem as problem:
        yield str(problem)


def check_card(name, card):
    """Yields what is wrong with a card that QEMU has connected to."""
    if not card["connected"]:
        return
    function = card["function"]
    if not function["memory_files"]:
        yield (f"{name}: QEMU shares no memory with the card: start it with -object "
               "memory-backend-memfd,id=mem,size=SIZE,share=on and -machine memory-backend=mem")
    if card["vfio_user"]["refused"]:
        yield (f"{name}: {card['vfio_user']['refused']} clients were refused: one virtual machine "
               "at a time can use a card")
    for violation, count in card["violations"].items():
        if count:
            yield f"{name}: {count} times {violation}; the log of ornic-device -v has the details"


def do_check(args):
    for line in check_kvm():
        print(line)
    found = list(check_qemu(args.qemu))
    services = instances()
    if args.socket or args.instance:
        found += check_cards(find_control(args))
    elif services:
        for service, path in services.items():
            found += (f"{service}: {line}" for line in check_cards(Control(path)))
    else:
        hidden = ", or this user may not see it: be root, or" if os.geteuid() else ":"
        found.append(f"no ornic-device runs as a service{hidden} {START}")
    for line in found:
        print(line)
    if found:
        return 1
    print("ok")
    return 0
