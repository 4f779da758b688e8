# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ibv_create_flow(): the effect of each spec, action, flag, type and priority on frames made by
scapy, and the rules that are refused."""

import errno

import pytest
from flow_spec import (
    ALL_DEFAULT, DONT_TRAP, EGRESS, MC_DEFAULT, PORT, SNIFFER, count, drop, rule, spec, tag,
    to_port,
)
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrHopByHop
from scapy.layers.ipsec import ESP
from scapy.layers.l2 import GRE, Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw
from settings import counters, resources, wait_until
from wired import HERE_IP, PEER, PEER_IP, WITH_ALL, Frames

PACKETS, BYTES = 0, 1  # enum ibv_counter_description
GROUP, GROUP2 = "01:00:5e:01:02:03", "01:00:5e:01:02:04"
VNI = 0xFFFFFF  # all of its bits
LABEL = 0x12345000 | 0x100 | 64  # label 0x12345, bottom of stack, TTL 64


def receivers(frames, *names, posted=32):
    """Creates QPs with a CQ each, without rules."""
    for name in names:
        frames.sender(name, wc_flags=WITH_ALL)
        frames("post", name, posted, 2048)


def data(frames, name, number=1):
    return [done["data"] for done in frames.poll(f"{name}_cq", number)]


def data_of_all(frames, names, number):
    """Returns the data of `number` frames that came to any of these QPs."""
    found = []

    def have_all():
        for name in names:
            found.extend(data["data"] for data in frames.poll(f"{name}_cq", number, 50, False))
        return len(found) >= number

    wait_until(f"{number} frames", have_all)
    return found


def udp4(**words):
    return IP(**{"src": PEER_IP, "dst": HERE_IP, **words}) / UDP(sport=1000, dport=PORT) / Raw(b"4")


def udp6(*extension, **words):
    network = IPv6(**{"src": "fd00::2", "dst": "fd00::1", **words})
    for header in extension:
        network = network / header
    return network / UDP(sport=1000, dport=PORT) / Raw(b"6")


def tcp4(**words):
    return IP(src=PEER_IP, dst=HERE_IP) / TCP(**{"sport": 1000, "dport": PORT, **words}) / Raw(b"4")


def vxlan(vni, inner, dport=4789):
    return IP(src=PEER_IP, dst=HERE_IP) / UDP(sport=5, dport=dport) / VXLAN(vni=vni) / inner


def gre(inner, **words):
    return IP(src=PEER_IP, dst=HERE_IP) / GRE(**words) / inner


def inside(**words):
    return Ether(src=OUTER, dst=INSIDE) / udp4(**words)


# Matches the frames of these tests, and not the kernel's own broadcasts
FROM_HERE = spec("eth", src=("02:00:00:00:98:00", "ff:ff:ff:ff:fc:00"))
OUTER, INSIDE = "02:00:00:00:00:01", "02:00:00:00:00:02"

# {name: (specs of a rule, packets that it matches, packets that it does not match)}. Each packet
# has keywords for its Ethernet header.
SPECS = {
    "eth dst": ([spec("eth", dst=GROUP)],
                [(udp4(), {"dst": GROUP})], [(udp4(), {"dst": GROUP2}), (udp4(), {})]),
    "eth src": ([spec("eth", src=PEER)],
                [(udp4(), {}), (Raw(b"x" * 50), {"type": 0x88B5})],
                [(udp4(), {"src": "02:00:00:00:99:02"})]),
    "eth src mask": ([spec("eth", src=("02:00:00:00:98:00", "ff:ff:ff:ff:fe:00"))],
                     [(udp4(), {}), (udp4(), {"src": "02:00:00:00:98:07"})],
                     [(udp4(), {"src": "02:00:00:00:9a:01"})]),
    "eth type": ([spec("eth", kind=0x88B5)],
                 [(Raw(b"x" * 50), {"type": 0x88B5}),
                  (Dot1Q(vlan=5, type=0x88B5) / Raw(b"x" * 50), {})],
                 [(udp4(), {}), (Raw(b"x" * 50), {"type": 0x88B6})]),
    "eth vlan": ([spec("eth", vlan=(0x0005, 0x0FFF))],
                 [(Dot1Q(vlan=5) / udp4(), {}), (Dot1Q(vlan=5, prio=7) / udp6(), {}),
                  (Dot1Q(vlan=5) / Dot1Q(vlan=6) / udp4(), {})],
                 [(Dot1Q(vlan=6) / udp4(), {}), (udp4(), {}),
                  (Dot1Q(vlan=6) / Dot1Q(vlan=5) / udp4(), {})]),
    "eth vlan 0": ([spec("eth", vlan=(0x0000, 0x0FFF))],
                   [(Dot1Q(vlan=0, prio=3) / udp4(), {})],
                   [(udp4(), {}), (Dot1Q(vlan=1) / udp4(), {})]),
    "ipv4": ([spec("ipv4", src=PEER_IP, dst=HERE_IP)],
             [(udp4(), {}), (tcp4(), {}), (Dot1Q(vlan=5) / udp4(), {})],
             [(udp4(src="10.50.0.3"), {}), (udp4(dst="10.50.0.9"), {}), (udp6(), {})]),
    "ipv4 mask": ([spec("ipv4", dst=("10.48.0.0", "255.248.0.0"))],
                  [(udp4(), {}), (udp4(dst="10.55.1.2"), {})], [(udp4(dst="10.56.0.1"), {})]),
    "ipv4 any": ([spec("ipv4")],
                 [(udp4(), {}), (IP(src=PEER_IP, dst=HERE_IP) / ICMP(), {})],
                 [(udp6(), {}), (Raw(b"x" * 50), {"type": 0x88B5})]),
    "ipv4 ext": ([spec("ipv4_ext", proto=17, tos=0xB8, ttl=9)],
                 [(udp4(tos=0xB8, ttl=9), {})],
                 [(udp4(tos=0xB8, ttl=8), {}), (udp4(tos=0xB4, ttl=9), {}),
                  (IP(src=PEER_IP, dst=HERE_IP, tos=0xB8, ttl=9) / TCP(), {})]),
    "ipv4 flags": ([spec("ipv4_ext", flags=(2, 2))],
                   [(udp4(flags="DF"), {})], [(udp4(), {}), (udp4(flags="MF"), {})]),
    "ipv6": ([spec("ipv6", src="fd00::2", dst="fd00::1")],
             [(udp6(), {}), (Dot1Q(vlan=5) / udp6(), {})],
             [(udp6(src="fd00::3"), {}), (udp6(dst="fd00::11"), {}), (udp4(), {})]),
    "ipv6 mask": ([spec("ipv6", src=("fd00::", "ffff:ffff::"))],
                  [(udp6(), {}), (udp6(src="fd00:0:77::"), {})], [(udp6(src="fd00:1::2"), {})]),
    "ipv6 fields": ([spec("ipv6", label=(0x12345, 0xFFFFF), tclass=0x28, hops=3, proto=17)],
                    [(udp6(fl=0x12345, tc=0x28, hlim=3), {})],
                    [(udp6(fl=0x12344, tc=0x28, hlim=3), {}),
                     (udp6(fl=0x12345, tc=0x20, hlim=3), {}),
                     (udp6(fl=0x12345, tc=0x28, hlim=4), {})]),
    "ipv6 extension": ([spec("ipv6", proto=17)],
                       [(udp6(IPv6ExtHdrHopByHop()), {}), (udp6(), {})],
                       [(IPv6(src="fd00::2", dst="fd00::1") / TCP(), {})]),
    "udp": ([spec("udp", dport=PORT)],
            [(udp4(), {}), (udp6(), {}), (udp6(IPv6ExtHdrHopByHop()), {})],
            [(tcp4(), {}), (IP(src=PEER_IP, dst=HERE_IP) / UDP(sport=PORT, dport=1000), {}),
             (IP(src=PEER_IP, dst=HERE_IP, flags="MF") / UDP(sport=1, dport=PORT) / Raw(bytes(16)),
              {})]),
    "udp ports": ([spec("udp", sport=1000, dport=(PORT & 0xFF00, 0xFF00))],
                  [(udp4(), {})],
                  [(IP(src=PEER_IP, dst=HERE_IP) / UDP(sport=1001, dport=PORT), {})]),
    "tcp": ([spec("tcp", dport=PORT, sport=1000)],
            [(tcp4(), {}), (tcp4(flags="R"), {})], [(udp4(), {}), (tcp4(sport=1001), {})]),
    "tcp any": ([spec("tcp")], [(tcp4(), {}), (tcp4(dport=5), {})], [(udp4(), {})]),
    "eth, ipv4, udp": ([spec("eth", dst=GROUP, kind=0x0800),
                        spec("ipv4_ext", src=PEER_IP, proto=17), spec("udp", dport=PORT)],
                       [(udp4(), {"dst": GROUP})],
                       [(udp4(), {}), (tcp4(), {"dst": GROUP}),
                        (udp4(src="10.50.0.3"), {"dst": GROUP})]),
    "vxlan": ([spec("udp", dport=4789), spec("vxlan", vni=(0xABCDEF, VNI))],
              [(vxlan(0xABCDEF, inside()), {})],
              [(vxlan(0xABCDEE, inside()), {}), (vxlan(0xABCDEF, inside(), dport=4788), {}),
               (udp4(), {})]),
    "vxlan inner": ([spec("udp"), spec("vxlan", vni=(3, VNI)), spec("eth", inner=True, dst=INSIDE),
                     spec("ipv4", inner=True, src="10.99.0.1"),
                     spec("udp", inner=True, dport=PORT)],
                    [(vxlan(3, inside(src="10.99.0.1")), {})],
                    [(vxlan(3, inside(src="10.99.0.2")), {}),
                     (vxlan(4, inside(src="10.99.0.1")), {}),
                     (udp4(src="10.99.0.1"), {}),
                     (vxlan(3, Ether(src=PEER, dst=OUTER) / udp4(src="10.99.0.1")), {})]),
    "vxlan inner ipv6": ([spec("vxlan"), spec("ipv6", inner=True, dst="fd00::1")],
                         [(vxlan(3, Ether(src=PEER, dst=OUTER) / udp6()), {})],
                         [(udp6(), {}),
                          (vxlan(3, Ether(src=PEER, dst=OUTER) / udp6(dst="fd00::5")), {})]),
    "gre": ([spec("ipv4"), spec("gre", proto=0x0800)],
            [(gre(udp4()), {}), (gre(udp4(), key_present=1, key=5), {})],
            [(gre(udp6()), {}), (udp4(), {})]),
    "gre key": ([spec("gre", flags=(0x2000, 0x2000), key=0xFEEDF00D)],
                [(gre(udp4(), key_present=1, key=0xFEEDF00D), {}),
                 (gre(udp4(), key_present=1, key=0xFEEDF00D, chksum_present=1), {})],
                [(gre(udp4(), key_present=1, key=1), {}), (gre(udp4()), {})]),
    "gre inner": ([spec("gre"), spec("ipv4", inner=True, dst="10.99.0.9"),
                   spec("udp", inner=True, dport=PORT)],
                  [(gre(udp4(dst="10.99.0.9")), {}),
                   (gre(udp4(dst="10.99.0.9"), key_present=1, key=5), {})],
                  [(gre(udp4()), {}), (udp4(dst="10.99.0.9"), {})]),
    "mpls": ([spec("mpls", label=(LABEL, 0xFFFFFFFF))],
             [(MPLS(label=0x12345, s=1, ttl=64) / udp4(), {"type": 0x8847})],
             [(MPLS(label=0x12345, s=1, ttl=63) / udp4(), {"type": 0x8847}), (udp4(), {})]),
    "mpls label": ([spec("mpls", label=(LABEL, 0xFFFFF000))],
                   [(MPLS(label=0x12345, s=1, ttl=1) / udp4(), {"type": 0x8847}),
                    (MPLS(label=0x12345, s=0) / MPLS(label=9, s=1) / udp4(), {"type": 0x8847})],
                   [(MPLS(label=0x12346, s=1) / udp4(), {"type": 0x8847}),
                    (MPLS(label=9, s=0) / MPLS(label=0x12345, s=1) / udp4(), {"type": 0x8847})]),
    "mpls in gre": ([spec("gre"), spec("mpls", label=(LABEL, 0xFFFFF000))],
                    [(gre(MPLS(label=0x12345, s=1) / udp4(), proto=0x8847), {})],
                    [(gre(MPLS(label=0x12346, s=1) / udp4(), proto=0x8847), {})]),
    "esp": ([spec("ipv4"), spec("esp", spi=0x01020304)],
            [(IP(src=PEER_IP, dst=HERE_IP) / ESP(spi=0x01020304, seq=9) / Raw(b"x" * 40), {})],
            [(IP(src=PEER_IP, dst=HERE_IP) / ESP(spi=0x01020305, seq=9) / Raw(b"x" * 40), {}),
             (udp4(), {})]),
    "esp seq": ([spec("esp", spi=7, seq=8)],
                [(IP(src=PEER_IP, dst=HERE_IP) / ESP(spi=7, seq=8) / Raw(b"x" * 40), {})],
                [(IP(src=PEER_IP, dst=HERE_IP) / ESP(spi=7, seq=9) / Raw(b"x" * 40), {})]),
}


@pytest.mark.parametrize("name", SPECS)
def test_spec(wired, frames, name):
    """A rule receives exactly the frames that match its specs, unchanged. Other frames go to a rule
    of lower priority that matches everything."""
    specs, wanted, others = SPECS[name]
    receivers(frames, "qp", "rest")
    frames.rule("rule", "qp", rule(*specs, tag(0x0ABC)))
    frames.rule("all", "rest", rule(FROM_HERE, priority=9))
    wanted, others = ([wired.frame(packet, **words) for packet, words in some]
                      for some in (wanted, others))
    wired.send(*wanted, *others)
    got = frames.poll("qp_cq", len(wanted))
    assert [done["data"] for done in got] == wanted
    assert {done["tag"] for done in got} == {0x0ABC}
    assert data(frames, "rest", len(others)) == others
    frames.nothing("qp_cq")


def test_priorities(wired, frames):
    """The rule with the lowest priority number goes first, among equals the oldest. A destroyed
    rule receives nothing."""
    receivers(frames, "a", "b", "c", "d")
    frame = wired.frame(udp4())
    # Different rules that all match; the first to match is created last
    frames.rule("c_rule", "c", to_port(priority=7))
    frames.rule("d_rule", "d", rule(spec("ipv4", src=PEER_IP), priority=7))
    frames.rule("b_rule", "b", to_port(priority=6))
    frames.rule("a_rule", "a", to_port(priority=0))
    for name in "abcd":
        wired.send(frame, frame)
        assert data(frames, name, 2) == [frame, frame], name
        frames("destroy", f"{name}_rule")
    frames.nothing("a_cq", "b_cq", "c_cq", "d_cq")


def test_same_rule_twice(wired, frames):
    """QPs with the same rule for a group receive a copy each."""
    receivers(frames, "a", "b", "c")
    group = rule(spec("eth", dst=GROUP))
    for name in "abc":
        frames.rule(f"{name}_rule", name, group)
    frame = wired.frame(udp4(), dst=GROUP)
    wired.send(frame)
    for name in "abc":
        assert data(frames, name) == [frame]
    frames("destroy", "b_rule")
    wired.send(frame)
    for name in "ac":
        assert data(frames, name) == [frame]
    frames.nothing("a_cq", "b_cq", "c_cq")


def test_dont_trap(wired, frames):
    """A rule with DONT_TRAP receives a copy, and the frame goes on to the next rule or to the
    kernel."""
    receivers(frames, "tap", "owner")
    frames.rule("tap_rule", "tap", to_port(flags=DONT_TRAP))
    frames.rule("owner_rule", "owner", to_port(priority=1))
    frame = wired.frame(udp4())
    wired.send(frame)
    assert data(frames, "tap") == data(frames, "owner") == [frame]
    frames("destroy", "owner_rule")
    start = wired.unclaimed()
    wired.send(frame)
    assert data(frames, "tap") == [frame]
    wait_until("the kernel has it, too", lambda: wired.unclaimed() == start + 1)


def test_tag(wired, frames):
    """A completion has the tag of the rule, or 0 if the rule has none."""
    receivers(frames, "qp")
    frames.rule("one", "qp", to_port(tag(0x00FEDCBA)))
    frames.rule("two", "qp", to_port(tag(1), port=PORT + 1))
    frames.rule("none", "qp", to_port(port=PORT + 2))
    for offset in (2, 0, 1):
        wired.send(wired.udp(dport=PORT + offset))
    assert [done["tag"] for done in frames.poll("qp_cq", 3)] == [0, 0x00FEDCBA, 1]


def test_drop(wired, frames):
    """A rule that drops discards and counts its frames; other frames pass."""
    receivers(frames, "qp", "rest")
    frames.rule("drop", "qp", to_port(drop()))
    frames.rule("all", "rest", rule(FROM_HERE, priority=1))
    before = wired.stats()["rx_dropped_rule"]
    wired.send(*[wired.udp(dport=PORT)] * 5, wired.udp(dport=PORT + 1))
    assert data(frames, "rest") == [wired.udp(dport=PORT + 1)]
    assert wired.stats()["rx_dropped_rule"] == before + 5
    frames.nothing("qp_cq", "rest_cq")


def test_count(wired, frames):
    """Counters count frames and bytes of their rules, including dropped frames. Two rules may share
    counters, and the user chooses the index of each value."""
    receivers(frames, "qp")
    for name, places in (("taken", {PACKETS: 0, BYTES: 1}), ("dropped", {PACKETS: 3, BYTES: 0})):
        frames("counters", name)
        for description, index in places.items():
            frames("attach", name, "-", description, index)
    frames.rule("one", "qp", to_port(count()), counters="taken")
    frames.rule("two", "qp", to_port(count(), port=PORT + 1), counters="taken")
    frames.rule("drop", "qp", to_port(drop(), count(), port=PORT + 2), counters="dropped")
    assert frames("read", "taken", 2)["values"] == [0, 0]
    sent = [wired.udp(dport=PORT + i % 3, payload=bytes(30 + 10 * i)) for i in range(9)]
    wired.send(*sent)
    frames.poll("qp_cq", 6)
    wait_until("they are dropped", lambda: frames("read", "dropped", 4)["values"][3] == 3)
    length = [sum(map(len, sent[i::3])) for i in range(3)]
    assert frames("read", "taken", 2)["values"] == [6, length[0] + length[1]]
    assert frames("read", "dropped", 4)["values"] == [length[2], 0, 0, 3]
    # In use by rules
    frames("destroy", "taken", errno=errno.EBUSY)
    frames("destroy", "one")
    frames("destroy", "two")
    frames("destroy", "taken")


def test_counters_refused(frames):
    """Descriptions that do not exist, counters attached to a rule, and changes of counters in use
    are refused."""
    frames("counters", "counters")
    receivers(frames, "qp")
    frames("attach", "counters", "-", 2, 0, errno=errno.EOPNOTSUPP)
    frames("attach", "counters", "-", PACKETS, 0)
    frames.rule("rule", "qp", to_port(count()), counters="counters")
    frames("attach", "counters", "rule", BYTES, 0, errno=errno.EOPNOTSUPP)
    frames("attach", "counters", "-", BYTES, 0, errno=errno.EBUSY)
    frames("destroy", "counters", errno=errno.EBUSY)


def test_defaults(wired, frames):
    """ALL_DEFAULT receives the frames that match no other rule, and MC_DEFAULT the multicast among
    them. Without these rules the kernel receives the frames again."""
    receivers(frames, "all", "groups", "port")
    frames.rule("all_rule", "all", rule(kind=ALL_DEFAULT))
    frames.rule("groups_rule", "groups", rule(kind=MC_DEFAULT))
    frames.rule("port_rule", "port", to_port(priority=100))
    taken = wired.frame(udp4(), dst=GROUP)
    other = wired.udp(dport=PORT + 1)
    group = wired.udp(dport=PORT + 1, dst=GROUP)
    wired.send(taken, other, group)
    assert data(frames, "port") == [taken]
    assert data(frames, "all") == [other]
    assert data(frames, "groups") == [group]
    frames("destroy", "groups_rule")
    wired.send(group)
    assert data(frames, "all") == [group]
    frames("destroy", "all_rule")
    start = wired.unclaimed()
    wired.send(other)
    wait_until("the kernel has it", lambda: wired.unclaimed() == start + 1)
    frames.nothing("all_cq", "groups_cq", "port_cq")


def test_sniffer(wired, frames):
    """A sniffer receives a copy of all frames, RoCE too, that the port receives and sends, and
    diverts none."""
    receivers(frames, "spy", "qp", posted=200)
    frames.sender("tx")
    frames.rule("spy_rule", "spy", rule(kind=SNIFFER))
    frames.rule("rule", "qp", to_port())
    received = wired.udp(dport=PORT)
    roce = wired.udp(dport=4791, payload=bytes(12))
    sent = wired.frame(udp4(), dst=PEER, src=wired.mac)
    wired.send(received, roce)
    assert frames("send", "tx", sent.hex(), 0, 1)["status"] == 0
    assert wired.receive(1, 5, lambda frame: frame == sent) == [sent]
    seen = [done["data"] for done in frames.poll("spy_cq", 50, 1000, exact=False)]
    for frame in (received, roce, sent):
        assert seen.count(frame) == 1, frame
    assert data(frames, "qp") == [received]
    # Copies of the kernel's own frames
    wired.a.check(f"ping -c 2 -i 0.2 -W 1 {PEER_IP} || true")
    seen = [Ether(done["data"]) for done in frames.poll("spy_cq", 50, 500, exact=False)]
    assert sum(ICMP in frame and frame.src == wired.mac for frame in seen) == 2


def test_egress(wired, frames):
    """Egress rules drop or count frames that their QP sends, and do not affect other QPs."""
    frames.sender("tx")
    frames.sender("other")
    frames("counters", "counters")
    frames("attach", "counters", "-", PACKETS, 0)
    frames("attach", "counters", "-", BYTES, 1)
    frames.rule("drop", "tx", to_port(drop(), flags=EGRESS))
    frames.rule("count", "tx", to_port(count(), port=PORT + 1, flags=EGRESS), counters="counters")

    def outgoing(port):
        return wired.frame(IP(src=HERE_IP, dst=PEER_IP) / UDP(sport=1, dport=port) / Raw(b"out"),
                           dst=PEER, src=wired.mac)

    before = wired.stats()["tx_dropped_rule"]
    for name in ("tx", "other"):
        for port in (PORT, PORT + 1, PORT + 2):
            assert frames("send", name, outgoing(port).hex(), 0, 1)["status"] == 0
    ours = {outgoing(port) for port in (PORT, PORT + 1, PORT + 2)}
    assert wired.receive(6, 1, lambda frame: frame in ours) == \
        [outgoing(port) for port in (PORT + 1, PORT + 2, PORT, PORT + 1, PORT + 2)]
    assert wired.stats()["tx_dropped_rule"] == before + 1
    assert frames("read", "counters", 2)["values"] == [1, len(outgoing(PORT + 1))]


def test_rule_precedes_address_filter(wired, frames):
    """A rule receives frames for addresses that are not the port's; the netdev does not see
    them."""
    receivers(frames, "qp")
    frames.rule("rule", "qp", rule(spec("eth", dst="02:00:00:00:77:77")))
    frame = wired.frame(udp4(), dst="02:00:00:00:77:77")
    # The switch does not know that address and sends it to every port
    wired.send(frame)
    assert data(frames, "qp") == [frame]
    frames("destroy", "rule")
    before = wired.stats()["rx_dropped_filter"]
    wired.send(frame)
    wait_until("it is filtered", lambda: wired.stats()["rx_dropped_filter"] == before + 1)


def test_roce_reaches_no_rule(wired, frames):
    """Rules do not see datagrams for the card's own transport."""
    receivers(frames, "qp")
    frames.rule("rule", "qp", rule(spec("udp")))
    before = wired.stats("rdma")
    wired.send(wired.udp(dport=4791, payload=bytes(40)), wired.udp(dport=PORT))
    assert data(frames, "qp") == [wired.udp(dport=PORT)]
    assert wired.stats("rdma") != before


def test_truncated_and_malformed_frames(wired, frames):
    """Truncated frames, and frames with wrong lengths in their headers, are received unchanged, and
    each once."""
    receivers(frames, "qp", "rest", posted=400)
    frames.rule("udp", "qp", rule(spec("udp", dport=PORT)))
    frames.rule("vxlan", "qp", rule(spec("vxlan", vni=(3, VNI)), priority=1))
    frames.rule("inner", "qp", rule(spec("gre"), spec("ipv4", inner=True, dst=HERE_IP), priority=2))
    frames.rule("all", "rest", rule(FROM_HERE, priority=9))
    whole = [wired.frame(vxlan(3, inside())), wired.frame(gre(udp4())), wired.frame(udp4()),
             wired.frame(udp6(IPv6ExtHdrHopByHop())),
             wired.frame(MPLS(label=1, s=1) / udp4(), type=0x8847)]
    for frame in whole:
        cut = [frame[:length] for length in range(14, len(frame), 3)]
        wired.send(*cut)
        assert sorted(data_of_all(frames, ("qp", "rest"), len(cut))) == sorted(cut)
    lying = []
    for field, value in (("ihl", 15), ("ihl", 4), ("len", 8), ("len", 65535), ("version", 9)):
        frame = Ether(whole[2])
        setattr(frame[IP], field, value)
        lying.append(bytes(frame))
    wired.send(*lying)
    assert sorted(data_of_all(frames, ("qp", "rest"), len(lying))) == sorted(lying)


# {name: (malformed or contradictory rule, expected errno)}
MALFORMED = {
    "more specs than said": (rule(spec("eth", kind=0x800), spec("ipv4"), specs_said=1), 0),
    "fewer specs than said": (rule(spec("eth", kind=0x800), specs_said=3), errno.EINVAL),
    "unknown spec": (rule(b"\x77\0\0\0\x08\0\0\0"), errno.EINVAL),
    "port 0": (rule(port=0), errno.EINVAL),
    "port 9": (rule(port=9), errno.EINVAL),
    "unknown flag": (rule(flags=8), errno.EINVAL),
    "unknown type": (rule(kind=77), errno.EOPNOTSUPP),
    "default that does not trap": (rule(kind=ALL_DEFAULT, flags=DONT_TRAP), errno.EINVAL),
    "both versions of IP": (rule(spec("ipv4"), spec("ipv6")), errno.EINVAL),
    "both transports": (rule(spec("udp"), spec("tcp")), errno.EINVAL),
    "inner without a tunnel": (rule(spec("ipv4", inner=True)), errno.EINVAL),
    "the same twice": (rule(spec("ipv4"), spec("ipv4")), errno.EINVAL),
    "too long a VNI": (rule(spec("vxlan", vni=(1 << 24, 1 << 24))), errno.EINVAL),
    "egress of a default": (rule(kind=ALL_DEFAULT, flags=EGRESS), errno.EINVAL),
}


def test_malformed(wired, frames):
    """A malformed rule is refused with an errno, and no object is left."""
    receivers(frames, "qp")
    flows = counters(wired.card, 0, "objects")
    wrong = {}
    for name, (attr, want) in MALFORMED.items():
        got = frames.ask("flow", "bad", "qp", attr.hex(), "-")["errno"]
        if got == 0:
            frames("destroy", "bad")
        if got != want:
            wrong[name] = (got, want)
    assert not wrong
    assert counters(wired.card, 0, "objects") == flows


def test_too_many(wired, frames):
    """If the card's table of rules is full, a new rule is refused with ENOMEM, the others work, and
    a destroyed rule leaves room for another."""
    receivers(frames, "qp")
    made = 0
    while True:
        attr = to_port(port=made + 1, priority=made % 7)
        name = f"rule{made}" if made < 100 else f"more{made}"
        if got := frames.ask("flow", name, "qp", attr.hex(), "-")["errno"]:
            break
        made += 1
    assert made >= 1000 and got == errno.ENOMEM
    frames("destroy", "rule7")
    frames.rule("again", "qp", to_port(port=8))
    wired.send(wired.udp(dport=8), wired.udp(dport=made))
    assert data(frames, "qp", 2) == [wired.udp(dport=8), wired.udp(dport=made)]


def test_unprivileged(wired, guest_programs):
    """Rules, RAW_PACKET QPs and RSS QPs need CAP_NET_RAW; WQs and tables, which receive no frames
    without them, do not."""
    program = f"{guest_programs}/udata {wired.ornic[wired.a].device}"
    output = wired.a.check(f"setpriv --bounding-set=-net_raw --inh-caps=-net_raw {program}")
    got = dict(line.rsplit(": ", 1) for line in output.splitlines())
    refused = f"{errno.EPERM}, not 0"
    assert got["flow, good"] == got["rss, good"] == got["raw qp, good"] == refused
    assert got["wq, tail of zeros"] == got["table, of 64"] == "ok"


def test_sigkill(wired, guest_programs):
    """The rules of a killed process are destroyed, also while frames arrive for them."""
    before = counters(wired.card, 0, "objects")
    program = Frames(wired, guest_programs)
    receivers(program, "qp", posted=200)
    program("counters", "counters")
    for number in range(50):
        program.rule(f"rule{number}", "qp", to_port(count(), port=PORT + number), "counters")
    wired.send(*(wired.udp(dport=PORT + number) for number in range(50)))
    program.poll("qp_cq", 50)
    for number in range(500):
        wired.send(wired.udp(dport=PORT + number % 50))
        if number == 250:
            program.kill()
    wait_until("nothing is left", lambda: counters(wired.card, 0, "objects") == before)
    assert resources(wired.a) == {}
