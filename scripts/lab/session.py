# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A session of the lab: owns the processes, their sockets and their logs, and ends them all."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import paths
from .card import Card
from .vm import Vm


@dataclass
class End:
    """One end of a Link: the argument of QEMU's -netdev, and the MAC of the card on it."""

    netdev: str
    mac: str


class Link:
    """An Ethernet cable between two virtio-net cards. `dgram` carries one frame per datagram, and
    its other end may be a port of ornic-device; `stream` is faster for small frames."""

    def __init__(self, rundir, number, kind="stream"):
        self.paths = [Path(rundir) / f"link{number}-{side}.sock" for side in "ab"]
        macs = [f"02:00:00:00:{0x80 + number:02x}:{side:02x}" for side in (1, 2)]
        here, there = self.paths
        if kind == "stream":
            words = [
                f"stream,server=on,addr.type=unix,addr.path={here}",
                f"stream,server=off,addr.type=unix,addr.path={here},reconnect-ms=100",
            ]
        else:
            words = [
                f"dgram,local.type=unix,local.path={a},remote.type=unix,remote.path={b}"
                for a, b in ((here, there), (there, here))
            ]
        self.ends = [End(word, mac) for word, mac in zip(words, macs)]

    def port(self):
        """The second end as a port of ornic-device (dgram only)."""
        return self.ports()[1]

    def ports(self):
        """Both ends as ports of ornic-device (dgram only)."""
        here, there = self.paths
        return [f"dgram,local={a},remote={b}" for a, b in ((here, there), (there, here))]


class Lab:
    def __init__(self, name="lab", logdir=None):
        self.logdir = Path(logdir) if logdir else paths.BUILD / "logs" / name
        self.logdir.mkdir(parents=True, exist_ok=True)
        # A Unix socket's path has at most 107 bytes, so it cannot be under the checkout
        self.rundir = Path(tempfile.mkdtemp(prefix="ornic-"))
        self.cards, self.vms, self.links = [], [], 0
        self.complaints = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for vm in self.vms:
            vm.kill()
        for card in self.cards:
            card.stop()
        self.complaints += self.settle()
        self.cards, self.vms = [], []
        shutil.rmtree(self.rundir, ignore_errors=True)

    def card(self, nics=1, name=None, start=True, **options):
        """Creates an ornic-device with `nics` cards; options as in Card."""
        name = name or f"card{len(self.cards)}"
        card = Card(self.rundir, self.logdir, name, nics, **options)
        self.cards.append(card)
        return card.start() if start else card

    def link(self, kind="stream"):
        self.links += 1
        return Link(self.rundir, self.links - 1, kind)

    def vm(self, name, kind=Vm, **options):
        """Creates a VM that is not started yet; options as in Vm, or as in `kind`, a class of it. A
        second one of the same name gets a number, so that the logs of the first stay."""
        before = sum(vm.base_name == name for vm in self.vms)
        base, name = name, f"{name}{before + 1}" if before else name
        vm = kind(name, self.rundir, self.logdir, **options)
        vm.base_name = base
        self.vms.append(vm)
        return vm

    def start(self, *vms):
        """Boots VMs in parallel and waits for all of them."""
        for vm in vms:
            vm.launch()
        for vm in vms:
            vm.wait_ready()
        sockets = {str(path) for vm in vms for path in vm.cards}
        for card in self.cards:
            if card.running() and sockets & set(map(str, card.sockets)):
                card.booted()

    def settle(self):
        """Called at the end of a test: returns undeclared events of all VMs and cards."""
        return [line for one in [*self.vms, *self.cards] for line in one.settle()]
