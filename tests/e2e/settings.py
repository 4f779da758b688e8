# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""VMs and roles other than the usual pair, and continuous traffic."""

import json
import re
import subprocess
import time
from pathlib import Path

import pytest
from lab import paths, seed
from lab.leftovers import resources
from lab.pair import (
    Pair, Roles, TwoCards, find_again, find_port, gid_index, link_local_gid, listening, set_address,
)
from lab.perftest import pingpong, rping

GUEST = Path(__file__).parent / "guest"
PERFTEST_PORT = 18515
# Seconds: the driver waits 10 s for a command ([ORNIC-ADM-16]) and polls the card every few seconds
RECOVERY = 60
# Seconds for a case of a program of guest/, as in verbs.h
CASE_SECONDS = 120
# Seconds: in the worst case NVMe waits 60 s for an answer before it gives up a controller
GIVEN_UP = 150


def full(*values, **words):
    """Marks a case for `make check-full`; conftest.py has the rules."""
    return pytest.param(*values, marks=pytest.mark.full, **words)


def long(*values):
    """Marks a case for `make check-long`."""
    return pytest.param(*values, marks=pytest.mark.long)


class Interop(Pair):
    """VM `a` has an ORNIC card, VM `b` has rdma_rxe on a virtio-net card. Both are on the card's
    switch, whose packets are captured."""

    SUBNET = "10.30.0"

    def __init__(self, lab):
        self.lab = lab
        link = lab.link("dgram")
        self.pcap = lab.logdir / "interop.pcap"
        self.card = lab.card(1, ports=[link.port()], pcap=self.pcap)
        self.a = lab.vm("a", cards=self.card.sockets)
        self.b = lab.vm("b", netdevs=[link.ends[0]])
        self.vms = (self.a, self.b)
        self.ornic, self.rxe = {}, {}

    def load_ornic(self):
        self.a.load_ornic()
        self.b.check("modprobe -a rdma_rxe ib_uverbs rdma_ucm")
        netdevs = {self.a: self.a.netdevs_of("ornic")[0],
                   self.b: self.b.netdevs_of("virtio_net")[0]}
        for number, vm in enumerate(self.vms, 1):
            set_address(vm, netdevs[vm], f"{self.SUBNET}.{number}")
        self.b.check(f"rdma link add rxe0 type rxe netdev {netdevs[self.b]}")
        for number, vm in enumerate(self.vms, 1):
            self.ornic[vm] = find_port(vm, netdevs[vm], f"{self.SUBNET}.{number}")
        return self


# Both directions between an ORNIC card and rdma_rxe, by the side of the client
DIRECTIONS = pytest.mark.parametrize("client", ["ornic", "rxe"])


def roles(interop, client):
    if client == "ornic":
        return Roles(interop.a, interop.b)
    return Roles(interop.b, interop.a)


class Taps(Pair):
    """A pair whose packets are all real bytes and captured. VM `a` has two processors, so its
    netdev has two queues."""

    def __init__(self, lab):
        self.pcap = lab.logdir / "taps.pcap"
        super().__init__(lab, pcap=self.pcap)
        self.a.smp = 2

    def load_ornic(self):
        super().load_ornic()
        self.keep_neighbours()
        return self

    def keep_neighbours(self):
        """Makes the entries for neighbours permanent, until an interface goes down. Packets are
        corrupted after the check of their FCS, and an ARP reply has no other checksum, so the
        kernel would use a wrong MAC for half a minute."""
        for vm, peer, mac in zip(self.vms, self.vms[::-1], self.card.macs[::-1]):
            vm.check(f"ip neigh replace {self.ornic[peer].ip} lladdr {mac} nud permanent "
                     f"dev {self.ornic[vm].netdev}")


# QEMU's options and the kernel's for an IOMMU that unmaps at once. Root may map the registers of a
# card that has a driver. The kernel's check of the timer interrupt is off, because an emulated
# timer may be too slow for it.
IOMMU = ("-device", "intel-iommu,intremap=on,caching-mode=on")
STRICT = "intel_iommu=on iommu.strict=1 iommu.passthrough=0 no_timer_check iomem=relaxed"


class Iommu(Pair):
    """A pair behind IOMMUs, whose cards write memory for as long as they may."""

    def __init__(self, lab):
        super().__init__(lab, nic_options="writes=late")
        for vm in self.vms:
            vm.args, vm.append = list(IOMMU), STRICT


# Features that a card can be without, and still have an interface and an RDMA device
OPTIONAL = ["srq", "resize_srq", "xrc", "mcast", "mw", "reg_mr", "modify_mr", "resize_cq",
            "cq_moderation", "wq", "flow", "stat_sets", "tso", "rate_limit", "null_mr", "flow_copy",
            "comp_cntr"]
# ORNIC_FEAT_* of the header, but for those that no card has yet
BITS = {name.lower(): 1 << int(bit) for name, bit in
        re.findall(r"#define ORNIC_FEAT_(\w+)\s+\(1ULL << (\d+)\)",
                   (paths.TOP / "kernel/include/ornic_hw_cmd.h").read_text())
        if name not in ("ODP", "DM")}
# The least that the drivers use: as a card of an older minor version would be
LEAST = "without=" + ",".join(OPTIONAL)
NEWER, REFUSED = "version=1.65535", "version=2.0"


class Two(TwoCards):
    """VM `a` behind an IOMMU. The first card has a newer minor version. QEMU attaches the second
    one, which has no optional feature, when the VM runs, to the empty port of the manual page of
    ornicctl. A third one has a version that the driver refuses."""

    PORT = ("-device", "pcie-root-port,id=ornic-nic1,chassis=101")

    def __init__(self, lab):
        super().__init__(lab, (NEWER, LEAST, REFUSED), args=IOMMU, append=STRICT)
        self.a.cards[1] = ""
        # The lab's own connection keeps the first monitor
        self.monitor = self.a.socket("qmp2")
        self.a.args += [*self.PORT, "-qmp", f"unix:{self.monitor},server=on,wait=off"]

    def load_ornic(self):
        self.a.expects(r"ornic \S+: unknown hardware interface version 2\.0")
        self.a.load_ornic()
        assert len(self.a.netdevs_of("ornic")) == 1
        self.attach()
        return self.set_up()

    def attach(self):
        """Attaches the second card as a user does."""
        subprocess.run([paths.TOP / "scripts/user/ornicctl", "-s", self.card.control_path, "attach",
                        "nic1", self.monitor], check=True)
        wait_until("the netdev", lambda: len(self.a.netdevs_of("ornic")) == 2)
        # QEMU resets the function once more after device_add has been answered
        self.card.booted()


class Side:
    """The VM of TwoCards in the role of one of its cards."""

    def __init__(self, vm):
        self.spawn, self.run, self.name = vm.spawn, vm.run, vm.name


def two_sides(two_cards, ports):
    """Returns roles for programs between two ports of the VM, and the ports by role."""
    client, server = Side(two_cards.a), Side(two_cards.a)
    return Roles(client, server), dict(zip((client, server), ports))


def cases_of(program):
    """Returns the names of the cases in the source of a program of guest/."""
    return re.findall(r"^CASE\((\w+)\)", (GUEST / f"{program}.c").read_text(), re.M)


def run_cases(vm, port, programs, program, cases):
    """Runs cases of a program of guest/ in one call, and returns {case: output of its failure, or
    ""}. A case without a result has ended the program, or has not ended; those after it run in a
    call of their own."""
    found, left = {}, list(cases)
    while left:
        code, output = vm.run(f"{programs}/{program} {port.device} {port.gid_index} "
                              f"{' '.join(left)}", CASE_SECONDS * len(left))
        for text, case, result in re.findall(r"(.*?)^@@ (\w+): ([^\n]*)\n", output, re.M | re.S):
            found[case] = "" if result == "exit 0" else f"{text}{case}: {result}"
        if unknown := [case for case in left if case not in found]:
            found[unknown[0]] = f"{unknown[0]}: no result, {program} ended with {code}:\n{output}"
        left = unknown[1:]
    return found


def ipv6_ports(pair):
    """Returns the ports like pair.ornic, but with the index of the link-local GID."""
    ports = {}
    for vm in pair.vms:
        port = pair.ornic[vm]
        index = gid_index(vm, port.device, link_local_gid(vm, port.netdev))
        ports[vm] = port.__class__(port.device, port.netdev, port.ip, index)
    return ports


def pci_address(vm, netdev):
    return vm.check(f"basename $(readlink -f /sys/class/net/{netdev}/device)").strip()


def iommu_domain(vm, port):
    """Returns the type of the card's IOMMU domain."""
    address = pci_address(vm, port.netdev)
    return vm.check(f"cat /sys/bus/pci/devices/{address}/iommu_group/type").strip()


def bind_again(vm, address):
    """Takes the driver from a card and gives it back. The driver counts failures anew then."""
    vm.check("cd /sys/bus/pci/drivers/ornic && "
             f"echo {address} >unbind && echo {address} >bind", 240)


def carrier_changes(vm, netdev):
    return int(vm.check(f"cat /sys/class/net/{netdev}/carrier_changes"))


# Milliseconds that the cards of late_pair take to become ready
READY_MS = 4000


def reset_function(pair, vm, timeout=60):
    """Makes the guest reset the function of its card (FLR)."""
    pair.card.expects_reset(f"nic{pair.vms.index(vm)}")
    address = pci_address(vm, pair.ornic[vm].netdev)
    vm.check(f"echo 1 >/sys/bus/pci/devices/{address}/reset", timeout)


def counters(card, nic=0, group="device"):
    """Returns counters of one card by their names in ornic_hw_cmd.h. Doorbell pages are not among
    the objects, because the driver keeps some for the next processes."""
    found = card.stats()["cards"][f"nic{nic}"]["nic"][group]
    return {name: count for name, count in found.items() if (group, name) != ("objects", "uctx")}


def host(card, nic=0):
    """Returns what the driver has told the card with SET_HOST."""
    return card.stats()["cards"][f"nic{nic}"]["host"]


def fatal_cause(card, nic=0):
    """Returns why one card has stopped, or 0."""
    return card.stats()["cards"][f"nic{nic}"]["nic"]["fatal_cause"]


def doorbell_pages(card, nic=0):
    """Returns how many doorbell pages of one card are in use, or kept by the driver."""
    return card.stats()["cards"][f"nic{nic}"]["nic"]["objects"]["uctx"]


def control(card, line):
    """Sends a request to the control socket of the card's process, which must accept it."""
    answer = json.loads(card.control(line))
    assert "error" not in answer, answer


# The driver's only message about each fault of the card
MISBEHAVIOUR = {
    "fatal": r"device reports fatal error \d+",
    "no bus master": r"device reports fatal error 7",
    "mute": r"command \S+ timed out, no completion \(pi \d+, ci \d+\)",
    "nonsense": r"device completes command id \S+, which is not pending",
}


# Requests for them; the card is honest again after the reset
FAULT_REQUESTS = {
    "fatal": "inject {} fatal",
    "mute": "lie {} silence.command,until=reset",
    "nonsense": "lie {} index.command,until=reset",
}


def inject(pair, vm, fault, number=None):
    """Makes a VM's card misbehave until the driver resets it, and declares the messages about
    it. `number` is that of the card if the VM has several."""
    nic = f"nic{pair.vms.index(vm) if number is None else number}"
    vm.expects(rf"ornic \S+: {MISBEHAVIOUR[fault]}")
    if fault == "fatal":
        pair.card.expects(rf"ornic-device: {nic}: error: stopped, cause \d+")
    if fault == "no bus master":
        address = pci_address(vm, pair.ornic[vm].netdev)
        # Memory space only
        vm.check(f"printf '\\2' | dd of=/sys/bus/pci/devices/{address}/config bs=1 seek=4 "
                 "status=none")
    else:
        control(pair.card, FAULT_REQUESTS[fault].format(nic))


# Seconds in which what takes a moment on an idle host happens on a busy one, such as four KCSAN
# machines that start on two processors
SOON = 120


def wait_until(what, condition, timeout=SOON):
    """Polls a condition; `what` names it in the failure if it does not become true in time. The
    timeout is for hangs only: callers give one if it must be longer than SOON."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout} s: {what}"
        time.sleep(0.2)


def set_up_again(pair, vm):
    """Waits for a new netdev, sets its address and finds its port."""
    wait_until("a netdev", lambda: vm.netdevs_of("ornic"))
    port = pair.ornic[vm]
    netdev = vm.netdevs_of("ornic")[0]
    set_address(vm, netdev, port.ip)
    pair.ornic[vm] = find_port(vm, netdev, port.ip)


class Traffic:
    """A perftest program between the VMs of a pair, which runs until kill(). `length` takes the
    place of `seconds`."""

    def __init__(self, pair, program="ib_write_bw", options="-s 65536", seconds=300, length=""):
        self.pair = pair
        words = f"{program} -F {options} {length or f'-D {seconds}'}"
        server, client = pair.ornic[pair.b], pair.ornic[pair.a]
        self.commands = [pair.b.spawn(f"{words} -d {server.device} -x {server.gid_index}")]
        wait_until(f"{program} listens", self.listens)
        self.commands.append(
            pair.a.spawn(f"{words} -d {client.device} -x {client.gid_index} {server.ip}")
        )
        self.wait_moving()

    def listens(self):
        ended = self.commands[0].poll()
        assert ended is None, ended
        return self.pair.b.run(listening(PERFTEST_PORT))[0] == 0

    def bytes_sent(self):
        return counters(self.pair.card, 0, "rdma")["tx_bytes"] + \
            counters(self.pair.card, 0, "rdma")["rx_bytes"]

    def wait_moving(self):
        start = self.bytes_sent()
        wait_until("bytes move", lambda: self.bytes_sent() > start + (1 << 18))

    def running(self):
        return all(command.poll() is None for command in self.commands)

    def finish(self):
        """Checks that the programs still send, and ends them."""
        self.wait_moving()
        assert self.running()
        self.kill()

    def kill(self):
        """Sends SIGKILL to the programs and waits for their end."""
        for command in self.commands:
            if command.poll() is None:
                command.kill("KILL")
        for command in self.commands:
            command.wait(30)


class Storm:
    """Processes of guest/storm.c in the first VM of a pair, which create, resize and destroy
    objects by several threads each; no call may fail."""

    def __init__(self, pair, programs, seconds, processes=3, threads=4):
        port = pair.ornic[pair.a]
        self.timeout = seconds * 2 + 60
        self.commands = [
            pair.a.spawn(f"{programs}/storm {port.device} {port.gid_index} {threads} {seconds} "
                         f"{seed.seed() + number * threads}", self.timeout)
            for number in range(processes)
        ]

    def wait(self):
        """Waits for the end and returns (objects created, resizes) of each process."""
        found = []
        for command in self.commands:
            code, output = command.wait(self.timeout)
            assert code == 0, output
            found.append(tuple(map(int, re.findall(r"(\d+) (?:objects|resizes)", output))))
        return found


def pings(vm, ip):
    """Returns whether a ping is answered. The first may wait until an address is resolved."""
    return vm.run(f"ping -c 1 -i 0.2 -w 30 {ip}")[0] == 0


def works(pair, ports=None):
    """Checks that rdma_cm, and RC with addresses that programs exchange, work."""
    ports = ports or pair.ornic
    rping(pair, ports, count=5)
    pingpong(pair, ports, options="-n 100")


def queue_statistics(vm, programs, netdev):
    """Returns (direction, queue, name, value) of all statistics of a netdev's queues."""
    rows = map(str.split, vm.check(f"{programs}/qstats {netdev}").splitlines())
    return [(direction, int(queue), name, int(value)) for direction, queue, name, value in rows]


def napi_instances(vm, programs, netdev):
    """Returns (ID, interrupt, deferred interrupts, GRO timeout in ns, threaded) by queue. Queues
    get IDs in their order."""
    rows = vm.check(f"{programs}/qstats {netdev} napi").splitlines()
    return sorted(tuple(map(int, row.split())) for row in rows)


def complaints(vm):
    """Returns the errors that the drivers have printed."""
    lines = vm.check("dmesg --level=emerg,alert,crit,err").splitlines()
    return [line for line in lines if re.search(r"\bornic", line)]


def come_back(pair, vm, break_down):
    """Calls `break_down`, which makes the driver reset the card, and waits for a new RDMA device.
    The netdev keeps its name and address."""
    def devices():
        return [device["ifindex"] for device in json.loads(vm.check("rdma -j dev") or "[]")]

    before = devices()
    break_down()
    wait_until("a new RDMA device", lambda: devices() not in ([], before), GIVEN_UP)
    find_again(pair, vm, RECOVERY)


def fail(pair, vm):
    """Makes the card stop with a fatal error, and waits for its recovery."""
    come_back(pair, vm, lambda: inject(pair, vm, "fatal"))
