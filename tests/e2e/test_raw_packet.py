# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""RAW_PACKET QPs: whole frames in and out, checked against scapy and tshark, which share no code
with the card."""

import errno
import itertools
import statistics
import subprocess
import zlib

import flow_spec
import pytest
from flow_spec import PORT, to_port
from pcapfile import frames as captured
from pcapfile import timed
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from settings import full, wait_until
from wired import HERE_IP, PEER, PEER_IP, WITH_ALL, Frames

# enum ibv_send_flags, ibv_qp_create_flags, ibv_wc_flags
INLINE, IP_CSUM = 8, 16
SCATTER_FCS, CVLAN_STRIPPING, PAD_END = 0x100, 0x200, 0x800
WC_CSUM_OK = 4
RAW_CVLAN, RAW_FCS, RAW_CSUM, RAW_DELAY_DROP = 1, 2, 4, 8
LOC_LEN_ERR = 1
ERR = 6  # enum ibv_qp_state
MTU = 9000
OTHER = "02:00:00:00:99:77"  # not the address of any port
GROUP = "01:00:5e:01:02:03"


def mine(frame):
    """Returns whether a frame is one of these tests, by its UDP or TCP source port."""
    packet = Ether(frame)
    layer = packet.getlayer(UDP) or packet.getlayer(TCP)
    return layer is not None and layer.sport == PORT


def from_card(wired, *layers, **ethernet):
    """Returns a frame for the card to send."""
    return wired.frame(*layers, **{"dst": PEER, "src": wired.mac, **ethernet})


def receiver(frames, name, create_flags=0, wc_flags=WITH_ALL, posted=16, size=2048):
    """Creates a QP that receives datagrams for the UDP port PORT."""
    frames("cq", f"{name}_cq", wc_flags)
    frames("qp", name, f"{name}_cq", create_flags)
    frames("post", name, posted, size)
    frames.rule(f"{name}_rule", name, to_port())


def listen(vm):
    """Runs a program that prints a datagram for the kernel's port PORT + 1."""
    command = vm.spawn("timeout 30 python3 -c \"import socket\n"
                       "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                       f"s.bind(('{HERE_IP}', {PORT + 1}))\n"
                       "print(s.recv(99).decode())\"")
    wait_until("it listens", lambda: vm.run(f"ss -Hlun sport = {PORT + 1} | grep -q .")[0] == 0)
    return command


def test_limits(frames):
    """The card's capabilities for RAW_PACKET QPs are reported."""
    told = frames("query")
    assert told["raw_packet_caps"] & (RAW_CVLAN | RAW_FCS | RAW_CSUM | RAW_DELAY_DROP) == 15
    raw_packet = 1 << 8
    assert told["tso_qpts"] == told["rate_qpts"] == raw_packet and told["rss_qpts"] & raw_packet
    assert told["max_tso"] >= 65536 and told["max_wq"] > 0 and told["max_tables"] > 0
    assert told["max_table_size"] >= 512 and told["hash_functions"] == 1
    assert 0 < told["min_rate"] < told["max_rate"]


@pytest.mark.parametrize("size", [14, full(60), full(61), full(64), full(127), 128, full(129), 1514,
                                  full(4096), MTU + 14])
def test_send(wired, frames, size):
    """A frame arrives unchanged, from one SGE and from four."""
    frame = from_card(wired, Raw(bytes(i % 253 for i in range(size - 14))), type=0x88B5)[:size]
    frames.sender()
    for sges in (1, 4):
        assert frames("send", "qp", frame.hex(), 0, 1, sges)["status"] == 0
        assert wired.receive(wanted=lambda got: got[12:14] == b"\x88\xb5") == [frame]


def test_send_inline(wired, frames):
    """A frame of inline data, which needs no MR, arrives unchanged."""
    frame = from_card(wired, Raw(b"inline" * 8), type=0x88B5)
    frames.sender(wc_flags=WITH_ALL)
    assert frames("send", "qp", frame[:62].hex(), INLINE, 1)["status"] == 0
    assert wired.receive(wanted=lambda got: got[12:14] == b"\x88\xb5") == [frame[:62]]


def test_send_refused(wired, frames):
    """A frame that is too long for the MTU, or too short, fails alone; later frames are sent. It is
    an error of the interface, too."""
    frames.sender()
    before = wired.stats()["tx_errors"]
    long = from_card(wired, Raw(bytes(MTU + 5)), type=0x88B5)
    short = from_card(wired, type=0x88B5)[:13]
    good = from_card(wired, Raw(bytes(50)), type=0x88B5)
    for bad in (long, short):
        assert frames("send", "qp", bad.hex(), 0, 1)["status"] == LOC_LEN_ERR
    assert wired.stats()["tx_errors"] == before + 2
    assert frames("send", "qp", good.hex(), 0, 1)["status"] == 0
    assert wired.receive(wanted=lambda got: got[12:14] == b"\x88\xb5") == [good]
    # The interface also has those before a reset of the card
    shown = f"cat /sys/class/net/{wired.ornic[wired.a].netdev}/statistics/tx_errors"
    wait_until("the interface counts them",
               lambda: int(wired.a.check(shown)) >= wired.stats()["tx_errors"])


def test_steering(wired, frames):
    """The frames of a rule are received whole; all others reach the netdev."""
    receiver(frames, "qp")
    heard = listen(wired.a)
    sent = [wired.udp(dport=PORT, payload=bytes([i]) * (18 + 300 * i)) for i in range(5)]
    wired.send(*sent, wired.udp(dport=PORT + 1, payload=b"for the kernel"))
    assert [done["data"] for done in frames.poll("qp_cq", 5)] == sent
    assert heard.wait() == (0, "for the kernel\n")
    frames.nothing("qp_cq")


@pytest.mark.parametrize("network", [
    full(IP(src=HERE_IP, dst=PEER_IP, chksum=0)),
    IP(src=HERE_IP, dst=PEER_IP, chksum=0, options=b"\x94\4\0\0"),
    IPv6(src="fd00::1", dst="fd00::2"),
], ids=["4", "4+options", "6"])
@pytest.mark.parametrize("transport", [TCP(sport=PORT, dport=9, chksum=0),
                                       UDP(sport=PORT, dport=9, chksum=0)], ids=["tcp", "udp"])
def test_send_checksums(wired, frames, network, transport):
    """IBV_SEND_IP_CSUM inserts the same checksums as scapy."""
    frame = from_card(wired, network, transport, Raw(b"sum me up"))
    frames.sender()
    right = Ether(frame)
    if IP in right:
        del right[IP].chksum
    del right[type(transport)].chksum
    assert frames("send", "qp", frame.hex(), IP_CSUM, 1)["status"] == 0
    assert wired.receive(wanted=mine) == [bytes(right)]


def test_received_checksums(wired, frames):
    """IBV_WC_IP_CSUM_OK is set only if both checksums are right."""
    receiver(frames, "qp")
    good = wired.udp(dport=PORT)
    bad_ip, bad_udp = Ether(good), Ether(good)
    bad_ip[IP].chksum ^= 0x100
    bad_udp[UDP].chksum ^= 0x100
    no_sum = Ether(good)
    no_sum[UDP].chksum = 0
    wired.send(good, bytes(bad_ip), bytes(bad_udp), bytes(no_sum))
    flags = [bool(done["flags"] & WC_CSUM_OK) for done in frames.poll("qp_cq", 4)]
    assert flags == [True, False, False, False]


@pytest.mark.parametrize("tag", [full(0x0001), full(0x6FFF), 0xF123])
@pytest.mark.parametrize("wc_flags", [0, WITH_ALL], ids=["cq", "cq_ex"])
def test_cvlan(wired, frames, wc_flags, tag):
    """CVLAN stripping removes the outer tag from the data, and an extended CQ reports it. Without
    stripping the tag stays in the data. A frame without a tag is not changed."""
    receiver(frames, "qp", CVLAN_STRIPPING, wc_flags)
    plain = wired.udp(dport=PORT)
    tagged = plain[:12] + b"\x81\x00" + tag.to_bytes(2, "big") + plain[12:]
    twice = tagged[:16] + b"\x81\x00\x00\x07" + plain[12:]
    wired.send(tagged, plain, twice)
    got = frames.poll("qp_cq", 3)
    assert [done["data"] for done in got] == [plain, plain, plain[:12] + twice[16:]]
    assert [done["len"] for done in got] == [len(plain), len(plain), len(tagged)]
    if wc_flags:
        assert [done["vlan"] for done in got] == [tag, 0, tag]
    receiver(frames, "keeps", 0, wc_flags)
    frames("destroy", "qp_rule")
    wired.send(tagged)
    assert frames.poll("keeps_cq")[0]["data"] == tagged


def test_scatter_fcs(wired, frames):
    """The FCS after the data is the CRC-32 of the frame as it was on the wire."""
    receiver(frames, "qp", SCATTER_FCS)
    sent = [wired.udp(dport=PORT, payload=b"f" * size) for size in (18, 19, 700)]
    wired.send(*sent)
    for frame, done in zip(sent, frames.poll("qp_cq", 3)):
        assert done["len"] == len(frame) + 4
        assert done["data"] == frame + zlib.crc32(frame).to_bytes(4, "little")


def test_scatter_fcs_and_cvlan(wired, frames):
    """With CVLAN stripping the FCS covers the frame with its tag."""
    receiver(frames, "qp", SCATTER_FCS | CVLAN_STRIPPING)
    frame = wired.udp(dport=PORT, vlan=0x2005)
    wired.send(frame)
    done = frames.poll("qp_cq")[0]
    assert done["data"] == frame[:12] + frame[16:] + zlib.crc32(frame).to_bytes(4, "little")
    assert done["vlan"] == 0x2005


def test_padding(wired, frames):
    """PCI_WRITE_END_PADDING fills the last 64 bytes with zeros; without it nothing after the frame
    is written."""
    frame = wired.udp(dport=PORT, payload=b"p" * 100)
    short = 64 - len(frame) % 64
    for flags, want in ((PAD_END, bytes(short)), (0, b"\xee" * short)):
        name = f"qp{flags}"
        receiver(frames, name, flags)
        wired.send(frame)
        done = frames.poll(f"{name}_cq")[0]
        assert done["data"] == frame and done["len"] == len(frame)
        assert done["behind"][:short] == want
        # Nothing after that is written
        assert set(done["behind"][short:]) == {0xEE}
        frames("destroy", f"{name}_rule")


def test_scattered(wired, frames):
    """A frame fills several SGEs in turn. A frame that is too long is dropped and counted, and its
    receive takes the next one."""
    frames("cq", "cq", WITH_ALL)
    frames("qp", "qp", "cq", 0)
    frames("post", "qp", 2, 256, 4)
    frames.rule("rule", "qp", to_port())
    before = wired.stats()["rx_dropped_malformed"]
    fits = wired.udp(dport=PORT, payload=b"s" * 200)
    wired.send(wired.udp(dport=PORT, payload=b"l" * 230), fits, fits)
    assert [done["data"] for done in frames.poll("cq", 2)] == [fits, fits]
    assert wired.stats()["rx_dropped_malformed"] == before + 1


def test_timestamps(wired, frames):
    """Completions have the time of arrival of their frames, by the card's clock, and not the time
    when they are polled."""
    receiver(frames, "qp")
    received = wired.stats()["rx_frames"]
    clock = [frames("query")["clock"]]
    for number in range(1, 3):
        wired.send(wired.udp(dport=PORT))
        wait_until("it is received",
                   lambda want=number: wired.stats()["rx_frames"] >= received + want)
        clock.append(frames("query")["clock"])
    first, second = (done["time"] for done in frames.poll("qp_cq", 2))
    times = [clock[0], first, clock[1], second, clock[2]]
    assert times == sorted(times)


@pytest.mark.parametrize("network", [IP(src=HERE_IP, dst=PEER_IP, id=0xFFFE, ttl=33, tos=0x10),
                                     IPv6(src="fd00::1", dst="fd00::2", fl=7)], ids=["4", "6"])
def test_tso(wired, frames, network):
    """One request of 20300 bytes becomes segments that are right in each field, as computed by
    scapy, and that contain the data of the request."""
    mss, length = 1000, 20300
    header = from_card(wired, network, TCP(sport=PORT, dport=80, seq=0xFFFFF000, flags="FPAC",
                                           window=500, options=[("Timestamp", (1, 2))]))
    frames.sender("qp", "tso")
    assert frames("tso", "qp", header.hex(), mss, length, IP_CSUM)["status"] == 0
    segments = wired.receive(21, wanted=mine)
    assert len(segments) == 21
    data = b""
    for number, segment in enumerate(map(Ether, segments)):
        right = Ether(header)
        piece = bytes(segment[TCP].payload)
        assert len(piece) == (mss if number < 20 else 300)
        right[TCP].seq = (0xFFFFF000 + len(data)) & 0xFFFFFFFF
        right[TCP].flags = "A"
        if number == 0:
            right[TCP].flags |= "C"
        if number == 20:
            right[TCP].flags |= "FP"
        del right[TCP].chksum
        if IP in right:
            right[IP].id = (0xFFFE + number) & 0xFFFF
            del right[IP].len, right[IP].chksum
        else:
            del right[IPv6].plen
        assert bytes(segment) == bytes(right / Raw(piece)), number
        data += piece
    assert data == bytes(i % 251 for i in range(length))


@pytest.mark.full
def test_tso_by_tshark(wired, frames):
    """tshark reassembles the segments of the longest request and finds no errors."""
    length = frames("query")["max_tso"]
    header = from_card(wired, IP(src=HERE_IP, dst=PEER_IP),
                       TCP(sport=PORT, dport=4444, seq=1, flags="PA"))
    frames.sender("qp", "tso")
    assert frames("tso", "qp", header.hex(), 1448, length, IP_CSUM)["status"] == 0
    wired.captured()
    words = ["tshark", "-r", wired.pcap, "-Y", "tcp.dstport == 4444", "-T", "fields",
             "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]
    for field in ("tcp.len", "tcp.checksum.status", "ip.checksum.status", "_ws.malformed",
                  "tcp.seq_raw"):
        words += ["-e", field]
    rows = [line.split("\t") for line in subprocess.run(
        list(map(str, words)), capture_output=True, text=True, check=True).stdout.splitlines()]
    assert sum(int(row[0]) for row in rows) == length
    assert {tuple(row[1:4]) for row in rows} <= {("1", "1", ""), ("Good", "Good", "")}
    at = 1
    for row in rows:
        assert int(row[4]) == at
        at += int(row[0])
    wired.drain()


def test_tso_refused(wired, frames):
    """Requests without an MSS, with an MSS above the MTU, or with a bad header fail; later ones are
    sent."""
    header = from_card(wired, IP(src=HERE_IP, dst=PEER_IP), TCP(sport=PORT, dport=80))
    udp = from_card(wired, IP(src=HERE_IP, dst=PEER_IP), UDP(sport=PORT, dport=80))
    frames.sender("qp", "tso")
    # Either the provider or the card may refuse it
    for words in ((header.hex(), 0, 3000), (header[:30].hex(), 1000, 3000),
                  (udp.hex(), 1000, 3000), (header.hex(), 9000, 20000),
                  ((header + bytes(200)).hex(), 1000, 3000)):
        answer = frames.ask("tso", "qp", *words)
        assert answer["errno"] or answer["status"], words
    wired.drain()
    good = from_card(wired, IP(src=HERE_IP, dst=PEER_IP), UDP(sport=PORT, dport=80), Raw(b"good"))
    assert frames("send", "qp", good.hex(), 0, 1)["status"] == 0
    assert wired.receive(wanted=mine) == [good]


def rates(wired, sport):
    """Returns the times (seconds) of the captured frames from this UDP port, and their length."""
    wired.captured()
    found = [(when, len(frame)) for when, frame in timed(wired.pcap)
             if frame[12:14] == b"\x08\0" and frame[34:36] == sport.to_bytes(2, "big")]
    return [when for when, _ in found], found[0][1]


# The ways to set the rate KBPS, with the most frames of a burst: a bucket of two of the longest
# frames, or of 2000 bytes [ORNIC-RATE-2] [ORNIC-RATE-3]
KBPS, PACED = 2000, 100
RATES = pytest.mark.parametrize("words, burst", [((0, "-"), 20), ((2000, 1000), 3)],
                                ids=["modify_qp", "modify_qp_rate_limit"])


def send_paced(wired, frames, words, sport):
    """Sends PACED frames at the rate; returns the seconds until all were sent, the times of the
    captured frames, the time that is due to each, and a function that sends them again."""
    frame = from_card(wired, IP(src=HERE_IP, dst=PEER_IP), UDP(sport=sport, dport=9),
                      Raw(bytes(958)))
    frames.sender()
    frames("rate", "qp", KBPS, *words)

    def send():
        with wired.taking():
            return frames("send", "qp", frame.hex(), 0, PACED)["ns"] / 1e9

    took = send()
    when, length = rates(wired, sport)
    assert len(when) == PACED
    return took, when, length * 8 / (KBPS * 1000), send


@RATES
def test_rate_limit(wired, frames, words, burst):
    """Bursts are bounded in any interval. The card may stop before it has captured the frames of a
    burst, and send another one when it goes on."""
    _, when, due, _ = send_paced(wired, frames, words, 20000 + burst)
    for first, last in itertools.combinations(range(PACED), 2):
        most = 2 * burst + 1.1 * (when[last] - when[first]) / due
        assert last - first < most, f"{last - first} frames from {first}, at most {most}"


# Needs a card that runs nearly all the time
@pytest.mark.full
@RATES
def test_rate_is_reached(wired, frames, words, burst):
    """Frames leave evenly at the rate that is set, and at once after the limit is removed."""
    took, when, due, send = send_paced(wired, frames, words, 20050 + burst)
    assert (PACED - 20) / (when[-1] - when[0]) > 0.6 / due
    assert took > 0.8 * due * (PACED - 20)
    assert statistics.median(b - a for a, b in zip(when[19:], when[20:])) > due / 4
    frames("rate", "qp", 0, 0, "-")
    assert send() < 0.5 * due * PACED


def test_rate_limit_is_per_qp(wired, frames):
    """A QP that waits because of its rate does not delay other QPs, and goes on when the limit is
    removed."""
    for name in ("slow", "quick"):
        frames.sender(name)
    frame = from_card(wired, Raw(bytes(986)), type=0x88B5)
    # 8 s for each frame, after two of them
    frames("rate", "slow", 1, 2000, 0)
    with wired.taking():
        frames("send", "slow", frame.hex(), 0, 60, 1, "later")
        frames("send", "quick", frame.hex(), 0, 60)
        sent = len(frames.poll("slow_cq", 60, 0, exact=False))
        assert sent < 60
        frames("rate", "slow", 0, 0, "-")
        frames.poll("slow_cq", 60 - sent)


def test_rate_refused(frames):
    """Rates beyond the limits, and rates for a QP in ERR, are refused."""
    told = frames("query")
    frames.sender()
    frames("rate", "qp", told["max_rate"] + 1, 0, 0, errno=errno.EINVAL)
    frames("rate", "qp", told["max_rate"], 0, 0)
    frames("rate", "qp", told["min_rate"], 0, 0)
    frames("state", "qp", ERR)
    frames("rate", "qp", 5000, 0, 0, errno=errno.EINVAL)


@pytest.mark.full
def test_loopback(wired, frames):
    """Frames to the port's own address are looped back only. Frames to a group are looped back and
    sent. Frames to another address are sent only."""
    receiver(frames, "rx")
    frames.sender("tx")
    before = wired.stats()["tx_looped"]
    expected = {wired.mac: (True, False), GROUP: (True, True)}
    for number, (dst, (looped, sent)) in enumerate(expected.items()):
        frame = from_card(wired, IP(src=HERE_IP, dst=PEER_IP), UDP(sport=PORT, dport=PORT),
                          Raw(bytes([number]) * 30), dst=dst)
        assert frames("send", "tx", frame.hex(), 0, 1)["status"] == 0
        got = frames.poll("rx_cq", 1, 5000 if looped else 200, exact=False)
        assert [done["data"] for done in got] == [frame] * looped, dst
        assert wired.receive(1, 5 if sent else 0.3, mine) == [frame] * sent, dst
    assert wired.stats()["tx_looped"] == before + 2
    # No rule matches this frame
    frame = from_card(wired, IP(src=HERE_IP, dst=PEER_IP), UDP(sport=PORT, dport=9), dst=OTHER)
    assert frames("send", "tx", frame.hex(), 0, 1)["status"] == 0
    assert wired.receive(wanted=mine) == [frame]
    # A rule for this address makes it local
    frames.rule("other_rule", "rx", flow_spec.rule(flow_spec.spec("eth", dst=OTHER)))
    assert frames("send", "tx", frame.hex(), 0, 1)["status"] == 0
    assert frames.poll("rx_cq")[0]["data"] == frame
    assert not wired.receive(1, 0.3, mine)
    frames.nothing("rx_cq")


def test_loopback_to_netdev(wired, frames):
    """A QP can send a frame to the kernel through the same port."""
    heard = listen(wired.a)
    frames.sender("tx")
    frame = from_card(wired, IP(src=PEER_IP, dst=HERE_IP), UDP(sport=PORT, dport=PORT + 1),
                      Raw(b"looped"), dst=wired.mac)
    assert frames("send", "tx", frame.hex(), 0, 1)["status"] == 0
    assert heard.wait() == (0, "looped\n")


def test_dead_queue_pair(wired, frames):
    """A QP in ERR flushes its receives, and the frames of its rule are dropped and counted."""
    receiver(frames, "qp", posted=3)
    frames("state", "qp", ERR)
    assert [done["status"] for done in frames.poll("qp_cq", 3)] == [5, 5, 5]
    before = wired.stats()["rx_dropped_no_wqe"]
    wired.send(wired.udp(dport=PORT))
    wait_until("it is dropped", lambda: wired.stats()["rx_dropped_no_wqe"] == before + 1)


def test_unprivileged(wired, guest_programs):
    """Without CAP_NET_RAW neither RAW_PACKET QPs nor RSS QPs can be created, but WQs and tables
    can."""
    program = Frames(wired, guest_programs, "setpriv --bounding-set=-net_raw --inh-caps=-net_raw")
    program("cq", "cq", 0)
    program("qp", "qp", "cq", 0, errno=errno.EPERM)
    program("wq", "wq", "cq", 0, 16, 1)
    program("modify_wq", "wq", 1, 1, 0, 0, 0)
    program("table", "table", 0, "wq")
    program("rss", "rss", "table", 3, "00" * 40, errno=errno.EPERM)
    assert program.close()[0] == 0


def test_capture_is_ethernet(wired):
    """Each frame in the card's capture has at least a header."""
    assert all(len(frame) >= 14 for frame in captured(wired.pcap))
