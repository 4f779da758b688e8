# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The netdev: settings under traffic, RSS, segmentation and rules."""

import contextlib
import re
import shutil
import struct
from functools import partial
from typing import NamedTuple

import pcapfile
import pytest
from lab.pair import find_again
from lab.seed import seed
from settings import (
    GUEST, complaints, counters, full, long, pings, queue_statistics, reset_function, wait_until,
)
from stream import BYTES, TRANSFER_PORT, send_bytes
from toeplitz import data_of, toeplitz
from xdp import FRAMES, attached


def test_settings_under_traffic(pair):
    """Rings, MTU, MAC filter and offloads can be changed, and counters be read, under traffic."""
    vm, port = pair.a, pair.ornic[pair.a]
    flood = pair.b.spawn(f"ping -q -i 0.01 {port.ip}", 300)
    try:
        for setting in (
            f"ethtool -G {port.netdev} tx 256 rx 128",
            f"ip link set {port.netdev} mtu 1500",
            f"ip link set {port.netdev} promisc on",
            f"ip link set {port.netdev} mtu 9000",
            f"ip link set {port.netdev} promisc off",
            f"ethtool -G {port.netdev} tx 1024 rx 1024",
            f"ethtool -S {port.netdev}",
            f"ethtool -K {port.netdev} rx off tx off sg off",
            f"ethtool -K {port.netdev} rx on tx on sg on",
        ):
            vm.check(setting, 60)
            assert pings(vm, pair.ornic[pair.b].ip), setting
        # Refused: no power of two, too small a ring, too large an MTU
        assert vm.run(f"ethtool -G {port.netdev} tx 1000")[0]
        assert vm.run(f"ethtool -G {port.netdev} rx 16")[0]
        assert vm.run(f"ip link set {port.netdev} mtu 9001")[0]
    finally:
        flood.kill()
    find_again(pair, vm)


# The frames wait for 8 s in a queue of the guest, and must still be there when the MTU changes
@pytest.mark.full
def test_mtu_lowered_while_frames_wait(taps):
    """A frame that waits while the MTU is lowered, and is then too long, is dropped without other
    effects."""
    pair = taps
    vm, port = pair.a, pair.ornic[pair.a]
    resets = pair.card.stats()["cards"]["nic0"]["function"]["resets"]
    dropped = f"cat /sys/class/net/{port.netdev}/statistics/tx_dropped"
    before, said = int(vm.check(dropped)), complaints(vm)
    assert pings(vm, pair.ornic[pair.b].ip)
    vm.check(f"modprobe sch_netem && tc qdisc replace dev {port.netdev} root netem delay 8s")
    try:
        vm.check(f"ping -c 3 -i 0.1 -W 1 -M do -s 8000 {pair.ornic[pair.b].ip}; "
                 f"ip link set {port.netdev} mtu 1500; sleep 9")
    finally:
        vm.check(f"tc qdisc del dev {port.netdev} root")
    assert 1 <= int(vm.check(dropped)) - before <= 3
    assert pings(vm, pair.ornic[pair.b].ip)
    assert pair.card.stats()["cards"]["nic0"]["function"]["resets"] == resets
    assert complaints(vm) == said
    vm.check(f"ip link set {port.netdev} mtu 9000")
    find_again(pair, vm)


# ---- Queues ----

FLOWS = 200
# Frames that the kernel sends on its own while a test counts: IPv6, ARP
NOISE = 12
KEY = bytes(range(3, 43))
TRACING = "/sys/kernel/tracing"


class Counting:
    """Sets `by` to what the counts of VM `a` increase by while the block runs."""

    def __init__(self, pair, programs):
        self.pair, self.words = pair, (pair.a, programs, pair.ornic[pair.a].netdev)

    def __enter__(self):
        self.before = self.counts()
        return self

    def __exit__(self, *_):
        self.by = {name: count - self.before[name] for name, count in self.counts().items()}


class Received(Counting):
    """Counts the frames that each queue receives."""

    def counts(self):
        return {queue: value for direction, queue, name, value in queue_statistics(*self.words)
                if (direction, name) == ("rx", "packets")}

    @property
    def frames(self):
        return [count for _, count in sorted(self.by.items())]


def send_flows(pair):
    """Sends FLOWS datagrams to as many ports of VM `a` that have no listener."""
    program = f"""
import socket
for number in range({FLOWS}):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("", 20000 + number))
        sock.sendto(b"flow", ("{pair.ornic[pair.a].ip}", 30000 + 7 * number))
"""
    pair.b.check(f"python3 -c '{program}'")


def udp_hash(pair, number):
    """Returns the hash of the datagram `number` of send_flows() [ORNIC-DEV-17]."""
    source, destination = (pair.ornic[vm].ip for vm in (pair.b, pair.a))
    return toeplitz(data_of(source, destination, 20000 + number, 30000 + 7 * number), KEY)


def ethtool(pair, option, words=""):
    return pair.a.check(f"ethtool {option} {pair.ornic[pair.a].netdev} {words}")


def refused(pair, option, words):
    """Makes a change that must be refused, and returns the message."""
    code, text = pair.a.run(f"ethtool {option} {pair.ornic[pair.a].netdev} {words}")
    assert code, text
    return text


def table(pair):
    """Returns (queue by hash, key) as ethtool shows them."""
    text = ethtool(pair, "-x")
    rows = re.findall(r"^ *\d+:((?: +\d+)+)$", text, re.M)
    key = re.search(r"^([0-9a-f:]{119})$", text, re.M)[1]
    return [int(word) for row in rows for word in row.split()], key


@contextlib.contextmanager
def received_by_stack(vm):
    """Provides a list that has a line for each frame that the driver gives to the network stack
    while the block runs."""
    event = f"{TRACING}/events/net/napi_gro_receive_entry/enable"
    vm.check(f"mountpoint -q {TRACING} || mount -t tracefs tracefs {TRACING}")
    vm.check(f"echo >{TRACING}/trace; echo 1 >{event}")
    lines = []
    try:
        yield lines
        lines += vm.check(f"cat {TRACING}/trace").splitlines()
    finally:
        vm.check(f"echo 0 >{event}; echo >{TRACING}/trace")


@pytest.fixture
def defaults(taps):
    """A pair with two queues, whose settings are reset after the test."""
    yield taps
    ethtool(taps, "-L", "combined 2")
    ethtool(taps, "-X", "default")
    for kind in ("udp4", "tcp4", "udp6", "tcp6"):
        ethtool(taps, "-N", f"rx-flow-hash {kind} sdfn")


@pytest.mark.full
@pytest.mark.parametrize("weights", [(1, 0), (0, 1)])
def test_indirection(defaults, guest_programs, weights):
    """All frames go to the queue that the table names [ORNIC-DEV-16]."""
    pair = defaults
    ethtool(pair, "-X", "weight " + " ".join(map(str, weights)))
    assert set(table(pair)[0]) == {weights.index(1)}
    with Received(pair, guest_programs) as received:
        send_flows(pair)
    assert received.frames[weights.index(1)] >= FLOWS and received.frames[weights.index(0)] == 0


def test_hash_key(defaults, guest_programs):
    """The hash is computed with the key and selects the entry of the table [ORNIC-DEV-17]."""
    pair = defaults
    key = ":".join(f"{byte:02x}" for byte in KEY)
    ethtool(pair, "-X", f"hkey {key} weight 1 3")
    entries, shown = table(pair)
    assert shown == key and len(entries) == 128 and entries.count(0) == 32
    wanted = [entries[udp_hash(pair, number) % 128] for number in range(FLOWS)]
    with Received(pair, guest_programs) as received:
        send_flows(pair)
    for queue in (0, 1):
        assert 0 <= received.frames[queue] - wanted.count(queue) <= NOISE, received.frames


@pytest.mark.full
@pytest.mark.parametrize("fields, l4", [("sdfn", True), ("sd", False)])
def test_kind_of_hash(defaults, fields, l4):
    """The network stack learns whether ports are in the hash [ORNIC-CQ-13]."""
    ethtool(defaults, "-N", f"rx-flow-hash udp4 {fields}")
    with received_by_stack(defaults.a) as lines:
        send_flows(defaults)
    assert sum(f"l4_hash={int(l4)}" in line and "hash=0x00000000" not in line
               for line in lines) >= FLOWS
    assert sum(f"l4_hash={int(not l4)}" in line for line in lines) <= NOISE


@pytest.mark.full
def test_hash_fields(defaults, guest_programs):
    """If ports are not hashed, all datagrams between two hosts use one queue."""
    pair = defaults
    assert "L4 bytes 0 & 1" in ethtool(pair, "-n", "rx-flow-hash udp4")
    ethtool(pair, "-N", "rx-flow-hash udp4 sd")
    text = ethtool(pair, "-n", "rx-flow-hash udp4")
    assert "IP SA" in text and "L4" not in text
    assert "L4 bytes 0 & 1" in ethtool(pair, "-n", "rx-flow-hash tcp4")
    with Received(pair, guest_programs) as received:
        send_flows(pair)
    assert max(received.frames) >= FLOWS and min(received.frames) <= NOISE, received.frames
    ethtool(pair, "-N", "rx-flow-hash udp4 sdfn")
    with Received(pair, guest_programs) as received:
        send_flows(pair)
    assert min(received.frames) > FLOWS // 10, received.frames
    for words in ("udp4 s", "udp4 sdf", "tcp6 v", "sctp4 sd"):
        refused(pair, "-N", f"rx-flow-hash {words}")
    assert "L4 bytes 2 & 3" in ethtool(pair, "-n", "rx-flow-hash udp4")


def test_channels(defaults, guest_programs):
    """The number of queues can change under traffic. The table follows, unless a user has set
    it."""
    pair = defaults
    port = pair.ornic[pair.a]
    flood = pair.b.spawn(f"ping -q -i 0.01 {port.ip}", 300)
    try:
        for count in (1, 2, 1, 2):
            ethtool(pair, "-L", f"combined {count}")
            assert pings(pair.a, pair.ornic[pair.b].ip)
            assert set(table(pair)[0]) == set(range(count))
        for words in ("tx 64 rx 64", "tx 2048 rx 512", "tx 1024 rx 1024"):
            ethtool(pair, "-G", words)
            assert pings(pair.a, pair.ornic[pair.b].ip)
    finally:
        flood.kill()
    ethtool(pair, "-X", "weight 0 1")
    assert "indirection table" in refused(pair, "-L", "combined 1")
    refused(pair, "-L", "combined 3")
    assert set(table(pair)[0]) == {1}
    assert re.findall(r"Combined:\s+(\d+)", ethtool(pair, "-l")) == ["2", "2"]
    with Received(pair, guest_programs) as received:
        send_flows(pair)
    assert received.frames[0] == 0


@pytest.mark.full
def test_scaling_survives(defaults, guest_programs):
    """The table, the key and the hash fields survive a time when the interface is down, and a
    reset."""
    pair = defaults
    vm, port = pair.a, pair.ornic[pair.a]
    ethtool(pair, "-X", "weight 0 1")
    ethtool(pair, "-N", "rx-flow-hash udp4 sd")
    before = table(pair)
    vm.check(f"ip link set {port.netdev} down && ethtool -L {port.netdev} combined 2 && "
             f"ip link set {port.netdev} up")
    reset_function(pair, vm)
    assert table(pair) == before
    assert "L4" not in ethtool(pair, "-n", "rx-flow-hash udp4")
    find_again(pair, vm)
    with Received(pair, guest_programs) as received:
        send_flows(pair)
    assert received.frames[0] == 0 and received.frames[1] >= FLOWS


# Settings of ethtool -C
MODERATION = ("rx-usecs", "rx-frames", "tx-usecs", "tx-frames")
NONE = dict.fromkeys(MODERATION, 0)


def moderated(pair):
    """Returns the settings of ethtool -C by queue."""
    texts = ethtool(pair, "--per-queue", "queue_mask 0x3 --show-coalesce").split("Queue: ")[1:]
    return [{name: int(re.search(rf"^{name}:\s+(\d+)$", text, re.M)[1]) for name in MODERATION}
            for text in texts]


def moderate(pair, values):
    ethtool(pair, "-C", " ".join(f"{name} {value}" for name, value in values.items()))


@pytest.fixture
def rare(defaults):
    """A pair in which the interrupts of VM `a` wait for 50 ms and more, and their settings."""
    values = dict(zip(MODERATION, (60000, 0, 50000, 7)))
    moderate(defaults, values)
    yield defaults, values
    moderate(defaults, NONE)


@pytest.mark.full
def test_moderation(rare):
    """Interrupts wait for as long as ethtool -C says [ORNIC-CQ-14], also those of queues that are
    made later. Each queue can have settings of its own."""
    pair, values = rare
    vm, port = pair.a, pair.ornic[pair.a]
    ethtool(pair, "--per-queue", "queue_mask 0x2 --coalesce rx-usecs 55000")
    expected = [values, values | {"rx-usecs": 55000}]
    assert moderated(pair) == expected

    def reset():
        reset_function(pair, vm)
        find_again(pair, vm)

    for change in (lambda: None, lambda: ethtool(pair, "-G", "tx 256 rx 512"),
                   lambda: vm.check(f"ethtool -L {port.netdev} combined 1 && "
                                    f"ethtool -L {port.netdev} combined 2"),
                   lambda: ethtool(pair, "-G", "tx 1024 rx 1024"), reset):
        change()
        assert moderated(pair) == expected
        assert pings(vm, pair.ornic[pair.b].ip)
        # Other frames may have begun the wait of some of these
        times = vm.check(f"ping -c 5 -i 0.2 {pair.ornic[pair.b].ip}")
        assert max(map(float, re.findall(r" time=([\d.]+) ms", times))) >= 50, times


@pytest.mark.parametrize("words, reason", [
    ("rx-frames 8", "frames need a time"), full("tx-usecs 65536", "65535 at most"),
    full("tx-usecs 7 tx-frames 65536", "65535 at most"),
])
def test_refused_moderation(defaults, words, reason):
    """What the device cannot do is refused, with the reason."""
    assert reason in refused(defaults, "-C", words)
    assert moderated(defaults) == [NONE, NONE]


# Names of ethtool's standard group eth-mac, and counters of the card
ETH_MAC = {
    "FramesTransmittedOK": "tx_frames", "OctetsTransmittedOK": "tx_bytes",
    "FramesReceivedOK": "rx_frames", "OctetsReceivedOK": "rx_bytes",
    "MulticastFramesReceivedOK": "rx_multicast", "BroadcastFramesReceivedOK": "rx_broadcast",
}


# Counters of the port that ip -s link shows
LINK = ("rx_dropped_no_wqe", "tx_errors")


def eth_mac(pair):
    """Returns the counters of the group eth-mac that the driver has."""
    text = pair.a.check(f"ethtool -S {pair.ornic[pair.a].netdev} --groups eth-mac")
    return {name: int(value) for name, value in re.findall(r"^eth-mac-(\w+): (\d+)$", text, re.M)}


@pytest.mark.full
def test_counters(taps):
    """ethtool shows the card's counters, each of them in one place."""
    before = counters(taps.card, 0, "port")
    standard = eth_mac(taps)
    after = counters(taps.card, 0, "port")
    assert standard.keys() == ETH_MAC.keys()
    for name, of_card in ETH_MAC.items():
        assert before[of_card] <= standard[name] <= after[of_card], name
    shown = dict(re.findall(r"^ +(\w+): (\d+)$", ethtool(taps, "-S"), re.M))
    for group in ("port", "device"):
        names = {f"{group}_{name}" for name in counters(taps.card, 0, group)
                 if group == "device" or name not in (*ETH_MAC.values(), *LINK)}
        assert names == {name for name in shown if name.startswith(f"{group}_")}
    assert 0 < int(shown["device_commands"]) <= counters(taps.card)["commands"]


@pytest.mark.full
def test_total_of_queues(taps, guest_programs):
    """The interface has totals of those counters only that its queues have."""
    vm, netdev = taps.a, taps.ornic[taps.a].netdev

    def names(words=""):
        rows = map(str.split, vm.check(f"{guest_programs}/qstats {netdev} {words}").splitlines())
        return {(direction, name) for direction, _, name, _ in rows}

    assert names() == names("device") and ("rx", "alloc_fail") in names()


@pytest.mark.full
def test_missed_frames(rare):
    """Frames that find no receive WQE are missed by the interface, also those before a reset of the
    card, whose own counter begins with 0 then [ORNIC-DEV-13]."""
    pair, _ = rare
    vm, port = pair.a, pair.ornic[pair.a]

    def missed():
        return int(vm.check(f"cat /sys/class/net/{port.netdev}/statistics/rx_missed_errors"))

    def dropped():
        return port_counter(pair, "rx_dropped_no_wqe")

    # The frames are more than the rings hold, and the interrupts are rare
    ethtool(pair, "-G", "rx 64")
    send = f"{FRAMES} {pair.ornic[pair.b].netdev} send 1000 {pair.card.macs[0]} 0 0 60"
    total = None
    for _ in range(2):
        reset_function(pair, vm)
        find_again(pair, vm)
        assert total in (None, missed())
        before = missed()
        wait_until("frames are dropped", lambda: pair.b.check(send, 60) or dropped())
        wait_until("they are counted", lambda before=before: missed() == before + dropped())
        total = missed()
    ethtool(pair, "-G", "rx 1024")


# ---- Segmentation ----

VLAN = 100


@contextlib.contextmanager
def vlan(pair):
    """Creates VLAN interfaces in both VMs, and yields their addresses."""
    ips = {}
    for number, vm in enumerate(pair.vms, 1):
        ips[vm] = f"10.50.0.{number}"
        netdev = pair.ornic[vm].netdev
        vm.check(f"ip link add link {netdev} name vlan0 type vlan id {VLAN} && "
                 f"ip link set vlan0 up && ip addr add {ips[vm]}/24 dev vlan0")
    try:
        yield ips
    finally:
        for vm in pair.vms:
            vm.check("ip link del vlan0")


@pytest.mark.parametrize("offload, program", [("on", False), full("off", False), full("on", True)])
def test_vlan_tags(taps, guest_programs, offload, program):
    """The card takes tags out of received frames [ORNIC-ETH-1], unless a user or an XDP program
    wants them as they were sent. A VLAN works in each case."""
    with contextlib.ExitStack() as stack:
        ethtool(taps, "-K", f"rxvlan {offload}")
        stack.callback(ethtool, taps, "-K", "rxvlan on")
        if program:
            stack.enter_context(attached(taps, guest_programs))
        ip = stack.enter_context(vlan(taps))[taps.b]
        lines = stack.enter_context(received_by_stack(taps.a))
        taps.a.check(f"ping -c 5 -i 0.2 -W 5 {ip}")
    strips = offload == "on" and not program
    tagged = f"vlan_tagged=1 vlan_proto=0x8100 vlan_tci=0x{VLAN:04x}"
    assert (sum(tagged in line for line in lines) >= 5) == strips, lines
    assert (sum("protocol=0x8100" in line for line in lines) >= 5) != strips, lines


def port_counter(pair, name):
    return counters(pair.card, 0, "port")[name]


class Sent(Counting):
    """Counts what the queues, and the card, send."""

    def counts(self):
        total = {"card_packets": port_counter(self.pair, "tx_frames"),
                 "card_bytes": port_counter(self.pair, "tx_bytes")}
        for direction, _, name, value in queue_statistics(*self.words):
            if direction == "tx":
                total[name] = total.get(name, 0) + value
        return total


def captured(pair):
    """Makes the card write all that it has captured, and returns the size of the file in bytes."""
    pair.card.stats()
    return pair.pcap.stat().st_size


class Segment(NamedTuple):
    """A TCP frame as RFC 9293 and the RFCs of its headers define it."""

    size: int
    vlan: int
    port: int
    seq: int
    payload: int
    whole: bool  # as long as its headers say
    right: bool  # in its checksums


def ones(data):
    """Returns the ones' complement sum of data, which is 0xffff if it contains its checksum."""
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def dissect(frame):
    """Returns the Segment in an Ethernet frame, or None."""
    kind, tag = struct.unpack_from("!HH", frame, 12)
    packet = frame[14:]
    if kind == 0x8100:
        kind, packet = struct.unpack_from("!H", frame, 16)[0], frame[18:]
    else:
        tag = 0
    if kind == 0x0800 and packet[9] == 6:
        header, length = (packet[0] & 15) * 4, struct.unpack_from("!H", packet, 2)[0]
        addresses, right = packet[12:20], ones(packet[:(packet[0] & 15) * 4]) == 0xFFFF
    elif kind == 0x86DD and packet[6] == 6:
        header, length = 40, 40 + struct.unpack_from("!H", packet, 4)[0]
        addresses, right = packet[8:40], True
    else:
        return None
    segment = packet[header:length]
    _, port, seq = struct.unpack_from("!HHI", segment)
    pseudo = addresses + struct.pack("!HH", 6, len(segment))
    return Segment(len(frame), tag & 0xFFF, port, seq, len(segment) - (segment[12] >> 4) * 4,
                   length == len(packet), right and ones(pseudo + segment) == 0xFFFF)


def segments(pair, since):
    """Returns the Segments of the stream from VM a after the offset `since` of the capture."""
    part = pair.pcap.with_suffix(".part")
    with open(pair.pcap, "rb") as whole, open(part, "wb") as file:
        file.write(whole.read(24))
        whole.seek(since)
        shutil.copyfileobj(whole, file)
    mac = bytes.fromhex(pair.card.macs[0].replace(":", ""))
    found = [dissect(frame) for frame in pcapfile.frames(part) if frame[6:12] == mac]
    return [segment for segment in found if segment and segment.port == TRANSFER_PORT]


@pytest.mark.parametrize("kind, mtu", [
    ("ipv4", 1500), long("ipv4", 9000), long("ipv6", 1500), ("ipv6", 9000), long("vlan", 1500),
    ("vlan", 9000),
])
def test_segmentation(taps, guest_programs, kind, mtu):
    """The card splits a stream into segments, which are all correct on the wire [ORNIC-SQ-30]."""
    pair = taps
    port = pair.ornic[pair.a]
    pair.a.check(f"ip link set {port.netdev} mtu {mtu}")
    since = captured(pair)
    with Sent(pair, guest_programs) as sent, contextlib.ExitStack() as stack:
        ip, scope = pair.ornic[pair.b].ip, 0
        if kind == "ipv6":
            ip = ipv6_of(pair.b, pair.ornic[pair.b].netdev)
            scope = int(pair.a.check(f"cat /sys/class/net/{port.netdev}/ifindex"))
        elif kind == "vlan":
            ip = stack.enter_context(vlan(pair))[pair.b]
        send_bytes(pair, ip, scope)
    pair.a.check(f"ip link set {port.netdev} mtu 9000")
    find_again(pair, pair.a)

    assert sent.by["gso_packets"] and sent.by["gso_wire_packets"] > 2 * sent.by["gso_packets"]
    assert sent.by["gso_wire_bytes"] > sent.by["gso_bytes"] > BYTES // 2

    captured(pair)
    found = segments(pair, since)
    limit = mtu + 14 + (4 if kind == "vlan" else 0)
    assert max(segment.size for segment in found) == limit
    full = [segment for segment in found if segment.payload]
    assert sum(segment.payload for segment in full) >= BYTES
    starts = {segment.seq for segment in full}
    ends = {(segment.seq + segment.payload) % (1 << 32) for segment in full}
    assert len(ends - starts) == len(starts - ends) == 1
    for segment in found:
        assert segment.whole and segment.right, segment
        assert segment.vlan == (VLAN if kind == "vlan" else 0), segment


def ipv6_of(vm, netdev):
    return vm.check(f"ip -6 -o addr show dev {netdev} scope link").split("inet6 ")[1].split("/")[0]


@pytest.mark.full
def test_segmentation_off(taps, guest_programs):
    """Without TSO the network stack splits the stream, and the driver counts no GSO packets."""
    pair = taps
    ethtool(pair, "-K", "tso off")
    try:
        with Sent(pair, guest_programs) as sent:
            send_bytes(pair, pair.ornic[pair.b].ip)
    finally:
        ethtool(pair, "-K", "tso on")
    assert sent.by["gso_packets"] == 0 and sent.by["packets"] > BYTES // 9000


@pytest.mark.full
def test_segments_are_counted(taps, guest_programs):
    """The driver counts as many segments as the card sends."""
    pair = taps
    with Sent(pair, guest_programs) as sent:
        send_bytes(pair, pair.ornic[pair.b].ip)
        # The last frames are counted when their completions are polled
        pings(pair.a, pair.ornic[pair.b].ip)
    assert abs(sent.by["packets"] - sent.by["card_packets"]) <= 5
    assert sent.by["packets"] > 3 * (sent.by["packets"] - sent.by["gso_wire_packets"])


@pytest.mark.full
@pytest.mark.parametrize("count", [1000, long(10000)])
def test_segmentation_of_malformed_frames(taps, count):
    """The card keeps working after any segmentation request of a raw socket, for any frame."""
    pair = taps
    port, said = pair.ornic[pair.a], complaints(pair.a)
    output = pair.a.check(f"{GUEST}/gso {port.netdev} {pair.card.macs[1]} {seed()} {count}",
                          120 + count // 10)
    assert int(output.split()[0]) > 100, (seed(), output)
    assert pings(pair.a, pair.ornic[pair.b].ip)
    assert complaints(pair.a) == said


# ---- Rules ----

def datagrams(pair, port, count=50):
    """Returns a function that sends datagrams from many ports to one port of VM `a`."""
    def send():
        pair.b.check(f"for ((i = 0; i < {count}; i++)); do "
                     f"echo -n flow >/dev/udp/{pair.ornic[pair.a].ip}/{port}; done")
        return count
    return send


@pytest.fixture
def rules(defaults):
    """A pair that directs frames without a rule to queue 0. Its rules are deleted after the
    test."""
    pair = defaults
    ethtool(pair, "-X", "weight 1 0")
    yield pair
    for location in re.findall(r"^Filter: (\d+)", ethtool(pair, "-n"), re.M):
        ethtool(pair, "-N", f"delete {location}")


def arrives(pair, programs, send):
    """Returns the queue that receives what `send` sends, or None if no queue does."""
    with Received(pair, programs) as received:
        count = send()
    taken = [queue for queue, frames in enumerate(received.frames) if frames >= count]
    assert len(taken) <= 1, received.frames
    return taken[0] if taken else None


def test_rule_to_queue(rules, guest_programs):
    """The first location that matches decides. A new rule replaces an old one at its location."""
    pair = rules
    send = datagrams(pair, 40001)
    assert arrives(pair, guest_programs, send) == 0
    ethtool(pair, "-N", "flow-type udp4 dst-port 40001 action 1 loc 7")
    assert arrives(pair, guest_programs, send) == 1
    assert arrives(pair, guest_programs, datagrams(pair, 40002)) == 0
    text = ethtool(pair, "-n")
    for words in ("Filter: 7", "Dest port: 40001", "Action: Direct to queue 1"):
        assert words in text
    # Add a rule at an earlier location, change its action, and delete the rules
    ethtool(pair, "-N", f"flow-type ip4 src-ip {pair.ornic[pair.b].ip} l4proto 17 action 0 loc 3")
    assert arrives(pair, guest_programs, send) == 0
    ethtool(pair, "-N", f"flow-type ip4 src-ip {pair.ornic[pair.b].ip} l4proto 17 action 1 loc 3")
    assert arrives(pair, guest_programs, datagrams(pair, 40002)) == 1
    ethtool(pair, "-N", "delete 3")
    assert arrives(pair, guest_programs, datagrams(pair, 40002)) == 0
    ethtool(pair, "-N", "delete 7")
    assert arrives(pair, guest_programs, send) == 0
    assert "Total 0 rules" in ethtool(pair, "-n")


def test_rule_drops(rules, guest_programs):
    """A rule with action -1 and a mask of ports drops frames; without a location it gets one."""
    pair = rules
    ethtool(pair, "-N", "flow-type udp4 dst-port 40960 m 0xff action -1")
    before = port_counter(pair, "rx_dropped_rule")
    assert arrives(pair, guest_programs, datagrams(pair, 41000)) is None
    assert port_counter(pair, "rx_dropped_rule") - before == 50
    assert arrives(pair, guest_programs, datagrams(pair, 42000)) == 0
    assert "Action: Drop" in ethtool(pair, "-n")


@pytest.mark.full
def test_rule_kinds(rules, guest_programs):
    """Rules match Ethernet type and addresses, VLAN, IPv6 and TCP."""
    pair = rules
    b, port = pair.b, pair.ornic[pair.b]
    mac = pair.card.macs[0]

    def raw():
        b.check(f"{GUEST}/frames {port.netdev} send 50 {mac} 0 0 60")
        return 50

    def ping(options):
        # Resolve the addresses first
        b.check(f"ping -c 3 -i 0.2 -W 5 {options}")

        def send():
            b.check(f"ping -c 20 -i 0.01 -W 5 {options}")
            return 20
        return send

    ethtool(pair, "-N", "flow-type ether proto 0x88b5 action 1 loc 0")
    assert arrives(pair, guest_programs, raw) == 1
    ethtool(pair, "-N", f"flow-type ether src {pair.card.macs[1]} dst {mac} action 1 loc 0")
    assert arrives(pair, guest_programs, raw) == 1
    ethtool(pair, "-N", "flow-type ether src 02:00:00:00:01:07 action 1 loc 0")
    assert arrives(pair, guest_programs, raw) == 0

    address = ipv6_of(pair.a, pair.ornic[pair.a].netdev)
    send = ping(f"{address}%{port.netdev}")
    assert arrives(pair, guest_programs, send) == 0
    ethtool(pair, "-N", f"flow-type ip6 dst-ip {address} l4proto 58 action 1 loc 0")
    assert arrives(pair, guest_programs, send) == 1
    ethtool(pair, "-N", "flow-type tcp6 action 1 loc 0")
    assert arrives(pair, guest_programs, send) == 0

    with vlan(pair) as ips:
        send = ping(ips[pair.a])
        assert arrives(pair, guest_programs, send) == 0
        ethtool(pair, "-N", f"flow-type ether vlan {VLAN} m 0xf000 action 1 loc 0")
        assert arrives(pair, guest_programs, send) == 1
    assert arrives(pair, guest_programs, ping(pair.ornic[pair.a].ip)) == 0


def test_rules_survive(rules, guest_programs):
    """Rules survive a replacement of the queues, a time when the interface is down, and a reset. A
    queue that a rule names cannot be removed."""
    pair = rules
    vm, port = pair.a, pair.ornic[pair.a]
    send = datagrams(pair, 40001)
    ethtool(pair, "-N", "flow-type udp4 dst-port 40001 action 1 loc 7")
    ethtool(pair, "-N", "flow-type udp4 dst-port 40002 action -1 loc 9")
    ethtool(pair, "-X", "default")
    assert "ntuple" in refused(pair, "-L", "combined 1")
    ethtool(pair, "-X", "weight 1 0")
    changes = [partial(vm.check, words) for words in (
        f"ethtool -G {port.netdev} tx 512 rx 512",
        f"ip link set {port.netdev} down && ip link set {port.netdev} up",
        f"ip link set {port.netdev} down && ethtool -N {port.netdev} delete 7 && ethtool -N "
        f"{port.netdev} flow-type udp4 dst-port 40001 action 1 loc 8; ip link set {port.netdev} up",
    )]
    for change in [*changes, partial(reset_function, pair, vm)]:
        change()
        pings(pair.b, port.ip)
        assert arrives(pair, guest_programs, send) == 1, change
        assert arrives(pair, guest_programs, datagrams(pair, 40002)) is None
    find_again(pair, vm)
    ethtool(pair, "-G", "tx 1024 rx 1024")


@pytest.mark.full
def test_rules_refused(rules):
    """Rules for fields that the card cannot match, and for queues, locations and contexts that do
    not exist, are refused."""
    for words in (
        "flow-type udp4 dst-port 1 action 2 loc 0",
        "flow-type udp4 dst-port 1 action 1 loc 100000",
        "flow-type sctp4 dst-port 1 action 1 loc 0",
        "flow-type ip4 l4data 7 action 1 loc 0",
        "flow-type udp4 dst-port 1 user-def 7 action 1 loc 0",
        "flow-type udp4 dst-port 1 context 1 loc 0",
        "delete 5",
    ):
        refused(rules, "-N", words)
    assert "Total 0 rules" in ethtool(rules, "-n")
