# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Network namespaces of a VM with two cards."""

import contextlib
import json
import shlex

from lab.pair import FIND_GID, Port, Roles, find_port, gid_index, ipv4_gid, set_address
from settings import GIVEN_UP, wait_until

SUBNET = "10.80.0"
# Namespaces of the client's and of the server's card
NAMES = ("red", "blue")
# The namespace of process 1, in which devices are at first, for rdma(8), which begins at /run/netns
INIT = "../../proc/1/ns/net"


class Space:
    """A network namespace of a VM, for functions that take a VM. sysfs shows the namespace."""

    def __init__(self, vm, name):
        self.vm, self.space = vm, name
        self.name, self.patience = f"{vm.name}, namespace {name}", vm.patience

    def enter(self, text):
        return f"ip netns exec {self.space} bash -c {shlex.quote(text)}"

    def spawn(self, text, *args):
        return self.vm.spawn(self.enter(text), *args)

    def run(self, text, *args):
        return self.vm.run(self.enter(text), *args)

    def check(self, text, *args):
        return self.vm.check(self.enter(text), *args)


def devices(vm):
    """Returns {name: number} of the RDMA devices in a namespace, or in that of process 1. A device
    that the driver creates anew has another number."""
    return {one["ifname"]: one["ifindex"] for one in json.loads(vm.check("rdma -j dev") or "[]")}


def node_of(vm, device):
    """Returns the name of a device's node in /dev/infiniband."""
    return vm.check(f"ls /sys/class/infiniband/{device}/device/infiniband_verbs").strip()


def netdev_of_gid(vm, port):
    return vm.check(f"cat /sys/class/infiniband/{port.device}/ports/1/gid_attrs/ndevs/"
                    f"{port.gid_index}").strip()


def has_gid(vm, device, ip):
    return bool(vm.check(FIND_GID.format(device=device, gid=ipv4_gid(ip))).split())


class Spaces:
    """The namespaces NAMES in the VM of `two_cards`: `a` for the first card, `b` for the second.
    Like a pair, so that programs run between the two."""

    duel = Roles.duel

    def __init__(self, two_cards, mode):
        """`mode` of the RDMA subsystem is "shared", its default, or "exclusive"."""
        self.whole, self.vm, self.card = two_cards, two_cards.vms[0], two_cards.card
        self.devices = [port.device for port in two_cards.ports]
        self.netdevs = [port.netdev for port in two_cards.ports]
        self.vm.check(f"rdma system set netns {mode} && " +
                      " && ".join(f"ip netns add {name} && ip -n {name} link set lo up"
                                  for name in NAMES))
        self.a, self.b = self.vms = [Space(self.vm, name) for name in NAMES]
        self.ips = [f"{SUBNET}.{number}" for number in (1, 2)]
        self.ornic = {}

    def move_netdev(self, number):
        """Moves the netdev of a card to its namespace and gives it an address."""
        self.vm.check(f"ip link set {self.netdevs[number]} netns {NAMES[number]}")
        set_address(self.vms[number], self.netdevs[number], self.ips[number])

    def move_device(self, number):
        """Moves the RDMA device of a card to its namespace."""
        self.vm.check(f"rdma dev set {self.devices[number]} netns {NAMES[number]}")

    def move_back(self, number):
        self.vms[number].check(f"rdma dev set {self.devices[number]} netns {INIT}")

    def find(self):
        """Waits for the ports of both cards, in their namespaces."""
        for space, netdev, ip in zip(self.vms, self.netdevs, self.ips):
            self.ornic[space] = find_port(space, netdev, ip)
        return self

    def move(self):
        """Moves each card to its namespace."""
        for number in (0, 1):
            self.move_netdev(number)
            self.move_device(number)
        return self.find()

    def move_netdevs(self):
        """Moves the netdev of each card to its namespace."""
        for number in (0, 1):
            self.move_netdev(number)
        return self.find()

    def add_uppers(self, kind, parents):
        """Adds a VLAN or a macvlan to the netdev of each card in the namespaces of the cards;
        `parents` has the namespaces of the netdevs, None for that of process 1. Returns the
        ports with the addresses of the new netdevs."""
        words = {"vlan": "type vlan id 7", "macvlan": "type macvlan mode bridge"}[kind]
        ports = {}
        for number, (space, parent) in enumerate(zip(self.vms, parents)):
            ip = f"10.81.0.{number + 1}"
            where = f"-n {parent}" if parent else ""
            self.vm.check(f"ip {where} link add upper0 link {self.netdevs[number]} "
                          f"netns {space.space} {words}")
            set_address(space, "upper0", ip)
            device = self.devices[number]
            ports[space] = Port(device, "upper0", ip, gid_index(space, device, ipv4_gid(ip)))
        return ports

    def delete(self):
        """Deletes the namespaces, if they are still there."""
        self.vm.check("".join(f"[ ! -e /run/netns/{name} ] || ip netns del {name}; "
                              for name in NAMES))

    def all_back(self):
        return len(devices(self.vm)) == 2 and len(self.vm.netdevs_of("ornic")) == 2

    def close(self):
        """Deletes the namespaces, and sets the cards up again as they were."""
        self.delete()
        wait_until("the cards leave the namespaces", self.all_back, GIVEN_UP)
        wait_until("the namespaces are gone",
                   lambda: self.vm.run("rdma system set netns shared")[0] == 0)
        self.whole.set_up()


@contextlib.contextmanager
def maker(two_cards):
    """Yields a function that makes Spaces in a mode; they are closed at the end."""
    made = []

    def make(mode):
        made.append(Spaces(two_cards, mode))
        return made[-1]

    try:
        yield make
        for spaces in made:
            spaces.close()
    except BaseException:
        two_cards.discard()
        raise
