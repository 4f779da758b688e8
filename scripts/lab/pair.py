# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Two VMs connected by RDMA, for the demo, the shell, the benchmarks and most tests."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from .errors import LabError


@dataclass
class Port:
    """An RDMA device with the names that programs in a guest need."""

    device: str
    netdev: str
    ip: str
    gid_index: int


# Prints the index of the RoCE v2 entry with this GID. Tables have hundreds of empty entries, so
# grep selects candidates first.
FIND_GID = """cd /sys/class/infiniband/{device}/ports/1
for file in $(grep -l {gid} gids/*); do
  grep -q 'RoCE v2' gid_attrs/types/${{file#gids/}} && echo ${{file#gids/}}
done; true"""


# Fraction of a program's timeout after which the states of its QPs are recorded
LATE = 0.8
STATES = "rdma resource show qp -dd; rdma statistic show"


def ipv4_gid(ip):
    """Returns the GID of an IPv4 address in the format of sysfs."""
    a, b, c, d = (int(part) for part in ip.split("."))
    return f"0000:0000:0000:0000:0000:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}"


def each(vms, call):
    """Runs call(vm) for all VMs in parallel and returns the list of results. VMs must not be
    started this way, because QEMU is killed when the thread that started it ends."""
    with ThreadPoolExecutor(len(vms)) as pool:
        return list(pool.map(call, vms))


def rdma_objects(vm, kinds):
    """Returns the objects of these kinds in `rdma resource show`: a list of (kind, entry)."""
    output = vm.check("".join(f"echo @@{kind}; rdma -j resource show {kind} || exit; echo; "
                              for kind in kinds))
    # Skip the empty text before the first mark
    words = re.split(r"^@@(\w+)$", output, flags=re.M)[1:]
    return [(kind, entry) for kind, text in zip(words[::2], words[1::2])
            for entry in json.loads(text.strip() or "[]")]


def set_address(vm, netdev, ip, mtu=9000):
    vm.check(f"ip link set {netdev} mtu {mtu} && ip link set {netdev} up && "
             f"ip addr replace {ip}/24 dev {netdev}")


def find_port(vm, netdev, ip, timeout=40):
    """Waits until the RDMA device of a netdev is active and has the GID of `ip`; returns its
    Port."""
    deadline = time.monotonic() + timeout * vm.patience
    while True:
        links = [link for link in json.loads(vm.check("rdma -j link")) if
                 link.get("netdev") == netdev]
        if links and links[0]["state"] == "ACTIVE":
            device = links[0]["ifname"]
            found = vm.check(FIND_GID.format(device=device, gid=ipv4_gid(ip))).split()
            if found:
                return Port(device, netdev, ip, int(found[0]))
        if time.monotonic() > deadline:
            raise LabError(f"{vm.name}: no active RDMA device with {ip} on {netdev}: {links}")
        time.sleep(0.2)


def find_again(pair, vm, timeout=40):
    """Finds the port of a VM again, after its netdev was down or got another RDMA device."""
    port = pair.ornic[vm]
    pair.ornic[vm] = find_port(vm, port.netdev, port.ip, timeout)


def gid_text(address):
    """Returns 16 bytes in sysfs's format of a GID."""
    text = address.hex()
    return ":".join(text[i:i + 4] for i in range(0, 32, 4))


def link_local_gid(vm, netdev):
    mac = bytes.fromhex(vm.check(f"cat /sys/class/net/{netdev}/address").strip().replace(":", ""))
    eui = bytes([mac[0] ^ 2]) + mac[1:3] + b"\xff\xfe" + mac[3:]
    return gid_text(b"\xfe\x80" + bytes(6) + eui)


def gid_index(vm, device, gid, timeout=40):
    """Waits for a RoCE v2 entry with this GID and returns its index."""
    deadline = time.monotonic() + timeout * vm.patience
    while True:
        found = vm.check(FIND_GID.format(device=device, gid=gid)).split()
        if found:
            return int(found[0])
        if time.monotonic() > deadline:
            raise LabError(f"{vm.name}: {device} has no RoCE v2 entry {gid}")
        time.sleep(0.2)


class Pair:
    """VMs `a` and `b` with an ORNIC card each, and optionally a virtio-net cable for rdma_rxe."""

    SUBNET, RXE_SUBNET = "10.10.0", "10.20.0"
    discarded = False

    def __init__(self, lab, kernel="stock", cable=None, **card_options):
        """`cable` is None, "stream" or "dgram". With the debug kernel the card has sanitizers."""
        self.lab = lab
        self.card = lab.card(2, sanitized=kernel == "debug", **card_options)
        ends = [[end] for end in lab.link(cable).ends] if cable else [[], []]
        self.a, self.b = (
            lab.vm(name, cards=[socket], kernel=kernel, netdevs=netdevs)
            for name, socket, netdevs in zip("ab", self.card.sockets, ends)
        )
        self.vms = (self.a, self.b)
        self.ornic, self.rxe = {}, {}

    def start(self):
        self.lab.start(*self.vms)
        return self

    def load_ornic(self):
        """Loads the drivers, installs the provider and sets addresses. self.ornic[vm] has the
        ports."""
        each(self.vms, lambda vm: vm.load_ornic())
        for number, vm in enumerate(self.vms, 1):
            netdevs = vm.netdevs_of("ornic")
            if not netdevs:
                raise LabError(f"{vm.name}: ornic.ko made no network device, see "
                               f"{vm.console_log}")
            set_address(vm, netdevs[0], f"{self.SUBNET}.{number}")
        for number, vm in enumerate(self.vms, 1):
            self.ornic[vm] = find_port(vm, vm.netdevs_of("ornic")[0], f"{self.SUBNET}.{number}")
        return self

    def ailment(self):
        """Returns why these VMs cannot be used any longer, or None if the card runs and the VMs
        answer and have their RDMA devices."""
        if not self.card.running():
            return f"{self.card.name}: ornic-device has ended, see {self.card.log}"
        if not self.ornic:
            return "the drivers did not come up"
        try:
            self.card.stats()
            for vm, port in self.ornic.items():
                vm.check_running()
                if not vm.has_file(f"/sys/class/infiniband/{port.device}/node_guid"):
                    return f"{vm.name}: no RDMA device {port.device}"
        except (OSError, LabError) as error:
            return str(error)
        return None

    def retire(self):
        """Like discard(), for working VMs: those with the debug kernel are first checked for
        leaks."""
        debug = [vm for vm in self.vms if vm.kernel.name == "debug"]
        if debug:
            each(debug, lambda vm: (vm.check_checks(), vm.check_leaks()))
        self.discard()

    def discard(self):
        """Ends the VMs and the card; their logs stay."""
        self.discarded = True
        for vm in self.vms:
            vm.kill()
        self.card.stop()
        self.ornic, self.rxe = {}, {}

    def load_rxe(self):
        """Sets up rdma_rxe on the cable. self.rxe[vm] has the ports."""
        for number, vm in enumerate(self.vms, 1):
            netdev, ip = vm.netdevs_of("virtio_net")[0], f"{self.RXE_SUBNET}.{number}"
            set_address(vm, netdev, ip)
            vm.check("[ ! -d /lib/modules/$(uname -r) ] || "
                     "modprobe -a rdma_rxe ib_uverbs rdma_ucm; "
                     f"rdma link add rxe0 type rxe netdev {netdev}")
            self.rxe[vm] = find_port(vm, netdev, ip)
        return self

    def duel(self, server, client, ready, timeout=60):
        """Runs `server` in b, and `client` in a as soon as the shell condition `ready` holds in b.
        Returns both results, server first: ((code, output), (code, output)). The output of a
        program that has nearly reached its timeout includes the states of the QPs."""
        command = self.b.spawn(server, timeout)
        wait = f"for i in $(seq 20); do {ready} && exit 0; sleep 0.1; done; exit 1"
        for _ in range(60):
            if self.b.run(wait, 40)[0] == 0:
                break
            # The output of a server that ended early explains more than the client's failure would
            if command.poll():
                return command.wait(), (-1, "not started: the server had ended")
        result = outcome(self, self.a.spawn(client, timeout), timeout)
        if result[0]:
            command.kill()
        return outcome(self, command, timeout), result


def outcome(pair, command, timeout):
    """Waits for one side of a duel and returns (exit code, output)."""
    states = ""
    if command.wait_for(timeout * LATE) is None:
        # The guest ends the program soon, which destroys its QPs
        states = "".join(f"\n{vm.name}, {timeout * LATE:.0f} s after the begin:\n"
                         f"{vm.run(STATES, 20)[1]}" for vm in (pair.a, pair.b))
    code, output = command.wait(timeout + 30)
    return code, output + states


class Processes(Pair):
    """Two VMs whose cards are separate processes: packets are bytes on a Unix datagram socket."""

    SUBNET = "10.60.0"

    def __init__(self, lab, nic_options=("", "")):
        """`nic_options` has the options of each card."""
        self.lab = lab
        self.cards = [lab.card(1, ports=[port], first=number, nic_options=options) for
                      number, (port, options) in enumerate(zip(lab.link("dgram").ports(),
                                                               nic_options, strict=True), 1)]
        self.card = self.cards[0]
        self.a, self.b = (lab.vm(name, cards=card.sockets) for name, card in zip("ab", self.cards))
        self.vms = (self.a, self.b)
        self.ornic, self.rxe = {}, {}

    def ailment(self):
        for card in self.cards:
            if not card.running():
                return f"{card.name}: ornic-device has ended, see {card.log}"
        return super().ailment()

    def discard(self):
        super().discard()
        for card in self.cards:
            card.stop()


class TwoCards(Pair):
    """VM `a` with two cards. Programs in the VM connect through its loopback address, and the cards
    use link-local addresses, which need no route."""

    # Object whose close() brings the cards back from network namespaces
    spaces = None

    def __init__(self, lab, nic_options=("", ""), **options):
        """`nic_options` has the options of each card; `options` are those of Vm."""
        self.lab = lab
        self.card = lab.card(len(nic_options), nic_options=nic_options,
                             sanitized=options.get("kernel") == "debug")
        self.a = self.b = lab.vm("a", cards=self.card.sockets, **options)
        self.vms = (self.a,)
        self.ornic, self.rxe = {}, {}
        self.ports = []

    def load_ornic(self):
        self.a.load_ornic()
        return self.set_up()

    def set_up(self):
        """Sets addresses and finds the ports."""
        netdevs = {f"10.{number}.0.1": netdev
                   for number, netdev in enumerate(self.a.netdevs_of("ornic"), 41)}
        for ip, netdev in netdevs.items():
            set_address(self.a, netdev, ip)
        self.ports = []
        for ip, netdev in netdevs.items():
            port = find_port(self.a, netdev, ip)
            index = gid_index(self.a, port.device, link_local_gid(self.a, netdev))
            self.ports.append(Port(port.device, netdev, "127.0.0.1", index))
        # A packet to a link-local address has no route until the kernel has found it to be unique
        self.a.check('while [ "$(ip -6 addr show tentative)" ]; do sleep 0.2; done')
        self.ornic = {self.a: self.ports[0]}
        return self

    def leave_spaces(self):
        """Brings the cards back from their namespaces, if they are in some."""
        spaces, self.spaces = self.spaces, None
        if spaces:
            spaces.close()
        return self


class Roles:
    """Any two VMs as client `a` and server `b`, for functions that take a pair."""

    duel = Pair.duel

    def __init__(self, client, server):
        self.a, self.b = client, server


def listening(port):
    """Returns a shell condition for duel(): a program listens on this TCP port."""
    return f"ss -Hltn 'sport = :{port}' | grep -q ."
