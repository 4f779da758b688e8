# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards that lack a feature or a profile, take few flow rules, or have another version of the
hardware interface, or limits against its rules: driver and provider work with them, or refuse them
in one clear line ([ORNIC-NEG-1], [ORNIC-PROF-2], [ORNIC-VER-4], [ORNIC-DEV-6], [ORNIC-ORD-8])."""

import re

import pytest
from lab import LabError
from lab.pair import Pair, Port, find_port, set_address
from lab.perftest import pingpong
from settings import BITS, LEAST, OPTIONAL, counters, host, two_sides

pytestmark = pytest.mark.full

SHORT = "-n 100"
# Features that a card has with the given one only
NEEDED_BY = {"srq": ["resize_srq", "xrc"], "flow": ["flow_copy"]}
# Lines of ibv_devinfo -v about a card without the feature
DEVINFO = {
    "srq": r"max_srq:\s+0$", "resize_srq": r"(?s)\A(?!.*SRQ_RESIZE)", "mw": r"max_mw:\s+0$",
    "mcast": r"max_mcast_grp:\s+0$", "wq": r"max_rwq_indirection_tables:\s+0$",
    "tso": r"max_tso:\s+0$", "rate_limit": r"qp_rate_limit_min:\s+0kbps$",
}
# Programs that need the feature, and what they say without it
PROGRAMS = {
    "srq": ("ibv_srq_pingpong -d {device} -g {gid}", "Couldn't create SRQ"),
    "xrc": ("ibv_xsrq_pingpong -d {device} -g {gid}", "XRC|SRQ|support"),
    "cq_moderation": ("ethtool -C {netdev} rx-usecs 10", "does not moderate interrupts"),
    "flow": ("ethtool -N {netdev} flow-type tcp4 dst-port 80 action 0", "not supported"),
    "tso": ("ethtool -K {netdev} tcp-segmentation-offload on", "Could not change|Cannot change"),
}
# Rules that a card with flow=basic takes, and some that it does not
BASIC_RULES = ("flow-type tcp4 dst-port 80 action 0", "flow-type tcp4 dst-ip 10.0.0.0 m 0.0.0.255 "
               "action -1", "flow-type ether dst 02:00:00:00:00:01 action 0")
OTHER_RULES = ("flow-type ether src 02:00:00:00:00:01 action 0", "flow-type esp4 spi 7 action 0",
               "flow-type tcp4 dst-port 80 tos 4 action 0",
               "flow-type ether dst 02:00:00:00:00:00 m 00:00:00:00:00:ff action 0")
# Options of a card that the driver refuses, and its line
REFUSED = {
    "version=2.0": r"unknown hardware interface version 2\.0",
    "version=0.9": r"unknown hardware interface version 0\.9",
    "profile=rdma": r"no interface, and no RDMA device: the Ethernet profile is not announced",
    "without=cqe_ext": r"no interface, and no RDMA device: the Ethernet profile is not announced",
    "without=all": r"no interface, and no RDMA device: the Ethernet profile is not announced",
}
# Limits, and the line with the field, its value and the bound. A guest of this test has 2 vectors.
LIMITS = {
    "limit=max_eqe:0": r"max_eqe is 0, and each vector needs an event queue",
    "limit=max_srq_wqes:1000":
        r"max_srq_wqes is 1000, which is not a power of two up to 16777216",
    "limit=max_rwq_table_size:3":
        r"max_rwq_table_size is 3, which is not a power of two up to 16777216",
    "limit=max_cqe:1000": r"max_cqe is 1000, which is not a power of two up to 16777216",
    "limit=max_sq_slots:33554432":
        r"max_sq_slots is 33554432, which is not a power of two up to 16777216",
    "limit=max_rq_wqes:1024,rq_ci_lag:257":
        r"rq_ci_lag is 257, which is more than 256 of rings of 1024",
    "limit=max_sq_slots:512,sq_ci_lag:129":
        r"sq_ci_lag is 129, which is more than 128 of rings of 512",
    "limit=max_eq:0": r"max_eq is 0, which is less than \d+, one per vector",
    "limit=max_tso:4095": r"max_tso is 4095, which is less than 4096",
    "limit=needs:2": r"device needs 0x2, this driver does 0x1",
    "limit=parse_bytes:127": r"no interface, and no RDMA device: the Ethernet profile is not complete",
}
# Lines about profiles that demand more, which come before
BEFORE = {"limit=max_eqe:0": r"\w+ profile is not complete: max_eqe is 0x0, not 0x\d+",
          "limit=parse_bytes:127": "Ethernet profile is not complete: parse_bytes is 0x7f, not 0x80",
          "limit=max_cqe:1000": "ULP profile is not complete: max_cqe is 0x3e8, not 0x400",
          "limit=max_sq_slots:512,sq_ci_lag:129":
              "ULP profile is not complete: max_sq_slots is 0x200, not 0x400"}
REFUSED |= LIMITS
VERSIONS = ["version=1.0", "version=1.1", "version=1.65535"]
ETHERNET = "profile=ethernet"
PARSE = "parse=least"
GROUPS = {
    "features": [f"without={name}" for name in OPTIONAL[:8]],
    "more features": [f"without={name}" for name in OPTIONAL[8:]] + ["flow=basic", PARSE, LEAST],
    "versions": [*VERSIONS, ETHERNET, *(name for name in REFUSED if name not in LIMITS)],
    # And one that works
    "limits": ["limit=max_cqe:1024", *LIMITS],
}


class Various(Pair):
    """A VM whose cards differ by their options. self.found has the Port of each card that has an
    RDMA device, and self.netdevs the interfaces, both by options."""

    def __init__(self, lab, options):
        self.lab, self.options = lab, options
        self.card = lab.card(len(options), nic_options=options)
        self.a = self.b = lab.vm("a", cards=self.card.sockets)
        self.vms = (self.a,)
        self.ornic, self.rxe, self.netdevs, self.found = {}, {}, {}, {}

    def load_ornic(self):
        lines = [f"ornic \\S+: {line}" for option, line in [*REFUSED.items(), *BEFORE.items()]
                 if option in self.options]
        # The core's line about a probe that failed
        also = [r"ornic \S+: probe with driver ornic failed with error -19"] if lines else []
        self.a.expects(*sorted(set(lines)), *also, required=False)
        self.a.load_ornic()
        macs = {}
        for netdev in self.a.netdevs_of("ornic"):
            macs[self.a.check(f"cat /sys/class/net/{netdev}/address").strip()] = netdev
        self.netdevs, self.found = {}, {}
        for number, (option, mac) in enumerate(zip(self.options, self.card.macs), 1):
            if mac not in macs:
                continue
            self.netdevs[option] = macs[mac]
            set_address(self.a, macs[mac], f"10.{50 + number}.0.1")
            if option != ETHERNET:
                port = find_port(self.a, macs[mac], f"10.{50 + number}.0.1")
                self.found[option] = Port(port.device, port.netdev, "127.0.0.1", port.gid_index)
        if not self.found:
            raise LabError(f"{self.a.name}: no card has an RDMA device")
        self.ornic = {self.a: next(iter(self.found.values()))}
        return self


@pytest.fixture
def various(pairs):
    """The VM whose cards have these options."""
    def get(option):
        [name] = [name for name, options in GROUPS.items() if option in options]
        return pairs.keep(name, lambda: Various(pairs.lab, GROUPS[name]))
    return get


def loop(machine, option, kind="rc"):
    """Pingpong of a card with itself, in which RC compares all data."""
    roles, ports = two_sides(machine, [machine.found[option]] * 2)
    pingpong(roles, ports, kind, SHORT)


def told(machine, option):
    """Returns what the driver has told this card."""
    return host(machine.card, machine.options.index(option))


@pytest.mark.parametrize("feature", OPTIONAL)
def test_without(various, feature):
    """Everything else works without the feature, programs that need it are told so, and the driver
    does not name it to the card."""
    option = f"without={feature}"
    machine = various(option)
    vm, port = machine.a, machine.found[option]
    parts = told(machine, option)
    assert re.fullmatch(r"ornic Linux \S+", parts["name"])
    assert parts["version"] == "1.0" and parts["page_size"] == 4096
    # Cards have the push page by option only
    missing = {feature, "push", *NEEDED_BY.get(feature, ())}
    assert parts["features"] == sum(bit for name, bit in BITS.items() if name not in missing)
    loop(machine, option)
    loop(machine, option, "ud")
    if feature in DEVINFO:
        out = vm.check(f"ibv_devinfo -v -d {port.device}")
        assert re.search(DEVINFO[feature], out, re.M), out
    if feature in PROGRAMS:
        command, text = PROGRAMS[feature]
        words = command.format(device=port.device, gid=port.gid_index, netdev=port.netdev)
        code, out = vm.run(f"{words} 2>&1")
        assert code not in (0, 124) and re.search(text, out), out


def test_least(various):
    """Driver and provider work with a card that has nothing optional, as one of an older minor
    version would be: its answers are shorter [ORNIC-EXT-2]."""
    machine = various(LEAST)
    assert told(machine, LEAST)["features"] == BITS["cqe_ext"]
    for kind in ("rc", "ud", "uc"):
        loop(machine, LEAST, kind)


def test_basic_rules(various):
    """A card tells which flow rules it takes, and the driver refuses the others itself
    ([ORNIC-FIELD-3])."""
    option = "flow=basic"
    machine = various(option)
    vm, netdev = machine.a, machine.netdevs[option]
    number = machine.options.index(option)
    before = counters(machine.card, number)["commands_refused"]
    for place, rule in enumerate(BASIC_RULES):
        vm.check(f"ethtool -N {netdev} {rule} loc {place}")
    for rule in OTHER_RULES:
        code, out = vm.run(f"ethtool -N {netdev} {rule} loc 9 2>&1")
        assert code and "not supported" in out, (rule, out)
    assert counters(machine.card, number)["commands_refused"] == before
    for place in range(len(BASIC_RULES)):
        vm.check(f"ethtool -N {netdev} delete {place}")


def test_least_bounds(various):
    """A card that cannot hash the ports of UDP: ethtool shows it, and the driver refuses it
    ([ORNIC-DEV-17])."""
    machine = various(PARSE)
    vm, netdev = machine.a, machine.netdevs[PARSE]
    before = counters(machine.card, machine.options.index(PARSE))["commands_refused"]
    for kind, ports in (("udp4", False), ("udp6", False), ("tcp4", True), ("tcp6", True)):
        shown = vm.check(f"ethtool -n {netdev} rx-flow-hash {kind}")
        assert "IP SA" in shown and ("L4 bytes" in shown) == ports
    code, out = vm.run(f"ethtool -N {netdev} rx-flow-hash udp4 sdfn 2>&1")
    assert code and "not supported" in out
    for fields in ("sd", "sdfn"):
        vm.check(f"ethtool -N {netdev} rx-flow-hash tcp4 {fields}")
    assert counters(machine.card, machine.options.index(PARSE))["commands_refused"] == before
    loop(machine, PARSE)


@pytest.mark.parametrize("option", VERSIONS)
def test_minor_versions(various, option):
    """A card of the same or a newer minor version works ([ORNIC-VER-3])."""
    machine = various(option)
    loop(machine, option)
    loop(machine, option, "ud")
    # The lower one is in force ([ORNIC-VER-2])
    assert told(machine, option)["version"] == "1.0"


@pytest.mark.parametrize("option", REFUSED)
def test_refused(various, option):
    """The driver refuses the card, and says why in one line."""
    machine = various(option)
    assert option not in machine.netdevs
    path = machine.a.check(
        "for d in $(grep -l 0x10f0 /sys/bus/pci/devices/*/device); do d=${d%/device}; "
        "[ -e $d/driver ] || echo ${d##*/}; done").split()
    assert len(path) == sum(name in REFUSED for name in machine.options)
    lines = [line for line in machine.a.dmesg().splitlines()
             if re.search(rf"ornic \S+: {REFUSED[option]}", line)]
    assert len(lines) == [REFUSED.get(name) for name in machine.options].count(REFUSED[option])


def test_ethernet_only(various):
    """A card with the Ethernet profile alone has an interface and no RDMA device, and the driver
    says so."""
    machine = various(ETHERNET)
    vm, netdev = machine.a, machine.netdevs[ETHERNET]
    assert netdev not in vm.check("rdma link")
    assert re.search(r"ornic \S+: no RDMA device: the RDMA profile is not announced", vm.dmesg())
    assert "mtu 9000" in vm.check(f"ip link show {netdev}")
    vm.check(f"ethtool -S {netdev}")
