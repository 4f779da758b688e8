# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Work queues, RWQ tables and the RSS hash: ibv_create_wq(), ibv_create_rwq_ind_table(), RSS
QPs."""

import errno
import zlib
from collections import Counter

import flow_spec
import pytest
from flow_spec import PORT, to_port
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.ipsec import ESP
from scapy.layers.l2 import GRE, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw
from settings import complaints, counters, fail, full, wait_until
from toeplitz import KEY, VECTORS, data_of, toeplitz
from wired import HERE_IP, PEER, PEER_IP, WITH_ALL, Frames

CVLAN_STRIPPING, SCATTER_FCS, DELAY_DROP, PAD_END = 1, 2, 4, 8
STATE, CURRENT, FLAGS = 1, 2, 4  # enum ibv_wq_attr_mask
RESET, RDY, ERR = 0, 1, 2
WQ_FATAL, CQ_ERR = 19, 0  # enum ibv_event_type
FLUSHED = 5

# enum ibv_rx_hash_fields
SRC4, DST4, SRC6, DST6, TCP_SRC, TCP_DST, UDP_SRC, UDP_DST, SPI = (1 << n for n in range(9))
INNER = 1 << 31
ALL_FIELDS = 0xFF | SPI | INNER


def make_wq(frames, name, flags=0, posted=16, size=2048, cq=None, wc_flags=WITH_ALL, max_wr=64,
            sges=1):
    """Creates a WQ in RDY with receives. `cq` is an existing CQ; by default the WQ has its own."""
    if cq is None:
        cq = f"{name}_cq"
        frames("cq", cq, wc_flags)
    frames("wq", name, cq, flags, max(max_wr, posted), sges)
    frames("modify_wq", name, STATE, RDY, 0, 0, 0)
    if posted:
        frames("post", name, posted, size, sges)


def make_rss(frames, name, wqs, fields=SRC4 | DST4, log_size=None, key=KEY):
    """Creates an RSS QP with a table of its own, whose entries are these WQs in turn."""
    log_size = len(wqs).bit_length() - 1 if log_size is None else log_size
    entries = [wqs[i % len(wqs)] for i in range(1 << log_size)]
    frames("table", f"{name}_tbl", log_size, *entries)
    frames("rss", name, f"{name}_tbl", fields, key.hex())


def single(frames, name="wq", **words):
    """Creates a WQ behind an RSS QP, which receives datagrams for the UDP port PORT."""
    make_wq(frames, name, **words)
    make_rss(frames, f"{name}_qp", [name])
    frames.rule(f"{name}_rule", f"{name}_qp", to_port())


def number_frames(wired, count, start=0, **words):
    return [wired.udp(dport=PORT, payload=i.to_bytes(4, "big") * 10, **words)
            for i in range(start, start + count)]


def test_sizes(frames):
    """max_wr and max_sge are returned, never smaller than requested; impossible values are
    refused."""
    frames("cq", "cq", 0)
    for number, (max_wr, max_sge) in enumerate([(1, 1), (17, 2), (1000, 3), (4096, 1), (64, 16)]):
        told = frames("wq", f"wq{number}", "cq", 0, max_wr, max_sge)
        assert told["max_wr"] >= max_wr and told["max_sge"] >= max_sge, told
        # The ring has room for that many receives
        frames("modify_wq", f"wq{number}", STATE, RDY, 0, 0, 0)
        frames("post", f"wq{number}", max_wr, 64, 1)
        posted = frames("post", f"wq{number}", 2 * told["max_wr"], 64, 1,
                        errno=errno.ENOMEM)["posted"]
        assert max_wr + posted <= 2 * told["max_wr"]
        frames("destroy", f"wq{number}")
    for max_wr, max_sge in [(0, 1), (1 << 31, 1), (0xFFFFFFFF, 1), (16, 1000), (16, 0xFFFFFFFF)]:
        frames("wq", "bad", "cq", 0, max_wr, max_sge, errno=errno.EINVAL)


def test_refusals(frames):
    """Unknown flags and types, and transitions that do not exist, are refused."""
    frames("cq", "cq", 0)
    for flag in range(4, 32):
        frames("wq", "bad", "cq", 1 << flag, 16, 1, errno=errno.EOPNOTSUPP)
    frames("wq", "bad", "cq", 0, 16, 1, 1, errno=errno.EINVAL)
    frames("wq", "wq", "cq", 0, 16, 1)
    frames("modify_wq", "wq", STATE, ERR, 0, 0, 0, errno=errno.EINVAL)
    frames("modify_wq", "wq", STATE | CURRENT, RDY, ERR, 0, 0, errno=errno.EINVAL)
    frames("modify_wq", "wq", 1 << 7, RDY, 0, 0, 0, errno=errno.EINVAL)
    frames("modify_wq", "wq", STATE | CURRENT, RDY, RESET, 0, 0)
    frames("modify_wq", "wq", FLAGS, 0, 0, SCATTER_FCS, SCATTER_FCS, errno=errno.EOPNOTSUPP)
    frames("modify_wq", "wq", FLAGS, 0, 0, 1 << 20, 1 << 20, errno=errno.EOPNOTSUPP)
    frames("modify_wq", "wq", STATE, ERR, 0, 0, 0)
    frames("modify_wq", "wq", STATE, RDY, 0, 0, 0, errno=errno.EINVAL)
    frames("modify_wq", "wq", STATE, RESET, 0, 0, 0)
    frames("modify_wq", "wq", STATE, RDY, 0, 0, 0)


def test_busy(wired, frames):
    """An object in use is not destroyed: a CQ with a WQ, a WQ in a table, a table of a QP, a QP
    with a rule."""
    single(frames)
    chain = ["wq_rule", "wq_qp", "wq_qp_tbl", "wq", "wq_cq"]
    for name in chain[1:]:
        frames("destroy", name, errno=errno.EBUSY)
    wired.send(*number_frames(wired, 3))
    frames.poll("wq_cq", 3)
    for name in chain:
        frames("destroy", name)


def test_tables(wired, frames):
    """Tables can have from 1 entry to the reported maximum, and no more."""
    largest = frames("query")["max_table_size"].bit_length() - 1
    make_wq(frames, "wq", posted=32)
    for log_size in range(largest + 1):
        frames("table", f"t{log_size}", log_size, "wq")
    frames("table", "bad", largest + 1, "wq", errno=errno.EINVAL)
    # A WQ may be in a table more than once; here it is every entry of the largest table
    frames("rss", "qp", f"t{largest}", SRC4 | DST4, KEY.hex())
    frames.rule("rule", "qp", to_port())
    sent = [wired.udp(dport=PORT, src=f"10.50.0.{i}") for i in range(2, 26)]
    wired.send(*sent)
    assert [done["data"] for done in frames.poll("wq_cq", 24)] == sent


def test_rss_refused(frames):
    """Fields that are not reported or make no sense, another function, and a key of another length
    are refused."""
    make_wq(frames, "wq", posted=0)
    frames("table", "table", 0, "wq")
    frames("rss", "qp", "table", 1 << 20, KEY.hex(), errno=errno.EOPNOTSUPP)
    frames("rss", "qp", "table", SRC4, KEY[:39].hex(), errno=errno.EINVAL)
    frames("rss", "qp", "table", SRC4, KEY.hex() + "00", errno=errno.EINVAL)
    frames("rss", "qp", "table", SRC4, KEY.hex(), 2, errno=errno.EOPNOTSUPP)
    frames("rss", "qp", "table", SRC4, KEY.hex(), 0, errno=errno.EOPNOTSUPP)
    frames("rss", "qp", "table", SRC4, KEY.hex())
    # An RSS QP has no states
    frames("state", "qp", 1, errno=errno.EOPNOTSUPP)


def test_states(wired, frames):
    """A WQ drops frames in RESET, receives them in RDY, and flushes its receives in ERR. A change
    to RESET discards receives without completions [ORNIC-WQ-6]."""
    frames("cq", "cq", WITH_ALL)
    frames("wq", "wq", "cq", 0, 64, 1)
    frames("table", "table", 0, "wq")
    frames("rss", "qp", "table", SRC4, KEY.hex())
    frames.rule("rule", "qp", to_port())
    before = wired.stats()["rx_dropped_no_wqe"]
    wired.send(*number_frames(wired, 2))
    wait_until("frames for a WQ in RESET are dropped",
               lambda: wired.stats()["rx_dropped_no_wqe"] == before + 2)
    frames("modify_wq", "wq", STATE, RDY, 0, 0, 0)
    frames("post", "wq", 5, 2048)
    wired.send(*number_frames(wired, 2))
    assert [done["data"] for done in frames.poll("cq", 2)] == number_frames(wired, 2)
    frames("modify_wq", "wq", STATE, ERR, 0, 0, 0)
    assert [done["status"] for done in frames.poll("cq", 3)] == [FLUSHED] * 3
    wired.send(*number_frames(wired, 1))
    wait_until("frames for a WQ in ERR are dropped",
               lambda: wired.stats()["rx_dropped_no_wqe"] == before + 3)
    frames("modify_wq", "wq", STATE, RESET, 0, 0, 0)
    frames("modify_wq", "wq", STATE, RDY, 0, 0, 0)
    # More than the ring has room for if it still has the earlier receives
    frames("post", "wq", 64, 2048)
    frames("modify_wq", "wq", STATE, RESET, 0, 0, 0)
    frames("modify_wq", "wq", STATE, RDY, 0, 0, 0)
    frames("post", "wq", 64, 2048)
    frames.nothing("cq")
    for start in range(0, 64, 16):
        wired.send(*number_frames(wired, 16, start))
        assert [done["data"] for done in frames.poll("cq", 16)] == \
            number_frames(wired, 16, start)
    assert wired.stats()["rx_dropped_no_wqe"] == before + 3


def test_ring_goes_round(wired, frames):
    """A small ring works through many turns, with frames of all sizes in two SGEs."""
    single(frames, posted=8, max_wr=8, size=1024, sges=2)
    for turn in range(20):
        sent = [wired.udp(dport=PORT, payload=bytes([turn]) * (20 + 40 * i)) for i in range(8)]
        wired.send(*sent)
        assert [done["data"] for done in frames.poll("wq_cq", 8)] == sent
        frames("post", "wq", 8, 1024, 2)


@pytest.mark.parametrize("wc_flags", [0, WITH_ALL], ids=["cq", "cq_ex"])
def test_cvlan(wired, frames, wc_flags):
    """CVLAN stripping of a WQ works from its creation, and modify_wq switches it off and on."""
    tagged, plain = wired.udp(dport=PORT, vlan=0x6123), wired.udp(dport=PORT)
    single(frames, flags=CVLAN_STRIPPING, wc_flags=wc_flags)
    for strips in (True, False, True):
        frames("modify_wq", "wq", FLAGS, 0, 0, CVLAN_STRIPPING if strips else 0, CVLAN_STRIPPING)
        wired.send(tagged, plain)
        got = frames.poll("wq_cq", 2)
        assert [done["data"] for done in got] == [plain if strips else tagged, plain]
        if wc_flags:
            assert [done["vlan"] for done in got] == [0x6123 if strips else 0, 0]


def test_scatter_fcs(wired, frames):
    """With SCATTER_FCS the CRC-32 of the frame follows the data."""
    single(frames, flags=SCATTER_FCS)
    sent = [wired.udp(dport=PORT, payload=b"f" * size) for size in (18, 21, 1400)]
    wired.send(*sent)
    for frame, done in zip(sent, frames.poll("wq_cq", 3)):
        assert done["data"] == frame + zlib.crc32(frame).to_bytes(4, "little")
        assert done["len"] == len(frame) + 4


def test_padding(wired, frames):
    """PCI_WRITE_END_PADDING writes whole cache lines; without it nothing after the frame is
    written."""
    frame = wired.udp(dport=PORT, payload=b"p" * 90)
    short = 64 - len(frame) % 64
    for flags, want in ((PAD_END, bytes(short)), (0, b"\xee" * short)):
        single(frames, f"wq{flags}", flags=flags)
        wired.send(frame)
        done = frames.poll(f"wq{flags}_cq")[0]
        assert done["data"] == frame
        assert done["behind"] == want + b"\xee" * (64 - short)
        frames("destroy", f"wq{flags}_rule")


def test_all_flags(wired, frames):
    """All flags work together: the tag is removed, the FCS covers the frame with its tag, and the
    line is filled."""
    single(frames, flags=CVLAN_STRIPPING | SCATTER_FCS | PAD_END | DELAY_DROP)
    frame = wired.udp(dport=PORT, vlan=0x0FFF, payload=b"a" * 77)
    wired.send(frame)
    done = frames.poll("wq_cq")[0]
    want = frame[:12] + frame[16:] + zlib.crc32(frame).to_bytes(4, "little")
    assert done["data"] == want and done["vlan"] == 0x0FFF
    short = -len(want) % 64
    assert done["behind"] == bytes(short) + b"\xee" * (64 - short)


def delay_drops(wired):
    device = wired.ornic[wired.a].device
    counters = f"/sys/class/infiniband/{device}/ports/1/hw_counters"
    return int(wired.a.check(f"cat {counters}/wq_delay_drops"))


def send_then_post(wired, frames, sent, other):
    """Sends frames to the empty WQ `slow`, one to another WQ, and posts receives when the frames
    wait. Returns the frames that arrive: those that have not waited for too long. On a busy host
    that may be none."""
    before = wired.stats()
    wired.send(*sent, other)
    # The guest may be faster than a card that has no processor
    wait_until("they wait",
               lambda: wired.stats()["rx_delayed"] == before["rx_delayed"] + len(sent))
    # Post the receives with one command, as soon as possible
    frames.ask("post", "slow", len(sent), 2048)
    got = [done["data"] for done in frames.poll("slow_cq", len(sent), exact=False)]
    after = wired.stats()
    assert got == sent[after["rx_delay_dropped"] - before["rx_delay_dropped"]:]
    frames.poll("quick_cq", 1)
    frames("modify_wq", "slow", STATE, RESET, 0, 0, 0)
    frames("modify_wq", "slow", STATE, RDY, 0, 0, 0)
    return got


# The receives must be posted within the bounded time in one of ten tries
@pytest.mark.full
def test_delay_drop(wired, frames):
    """With DELAY_DROP frames that find no receive wait for one, in order, and are dropped after a
    bounded time. Other WQs do not wait."""
    single(frames, "slow", flags=DELAY_DROP, posted=0)
    single_port = PORT + 1
    make_wq(frames, "quick")
    make_rss(frames, "quick_qp", ["quick"])
    frames.rule("quick_rule", "quick_qp", to_port(port=single_port))
    sent, other = number_frames(wired, 5), wired.udp(dport=single_port)
    assert any(send_then_post(wired, frames, sent, other) for _ in range(10))
    # No receive comes
    before, told = wired.stats(), delay_drops(wired)
    wired.send(*sent)
    wait_until("they are dropped", lambda: wired.stats()["rx_delay_dropped"]
               == before["rx_delay_dropped"] + len(sent))
    # The device reports it once, and the driver counts that without a message [ORNIC-WQ-9]
    wait_until("it is counted", lambda: delay_drops(wired) == told + 1)
    assert not complaints(wired.a)
    frames("post", "slow", 5, 2048)
    wired.send(sent[2])
    assert frames.poll("slow_cq")[0]["data"] == sent[2]


# {name: (fields, kind of packet, its parts that are hashed)}
HASHES = {
    "ipv4": (SRC4 | DST4, "udp4", ("src", "dst")),
    "ipv4 src": (SRC4, "udp4", ("src",)),
    "ipv4 dst": (DST4, "tcp4", ("dst",)),
    "ipv6": (SRC6 | DST6, "udp6", ("src", "dst")),
    "ipv6 src": (SRC6, "tcp6", ("src",)),
    "ipv6 dst": (DST6, "udp6", ("dst",)),
    "tcp4": (SRC4 | DST4 | TCP_SRC | TCP_DST, "tcp4", ("src", "dst", "sport", "dport")),
    "udp4": (SRC4 | DST4 | UDP_SRC | UDP_DST, "udp4", ("src", "dst", "sport", "dport")),
    "tcp6": (SRC6 | DST6 | TCP_SRC | TCP_DST, "tcp6", ("src", "dst", "sport", "dport")),
    "udp6": (SRC6 | DST6 | UDP_SRC | UDP_DST, "udp6", ("src", "dst", "sport", "dport")),
    "udp port of tcp": (SRC4 | DST4 | UDP_SRC | UDP_DST, "tcp4", ("src", "dst")),
    "tcp port of udp": (SRC4 | DST4 | TCP_SRC | TCP_DST, "udp4", ("src", "dst")),
    "ports": (UDP_SRC | UDP_DST, "udp4", ("sport", "dport")),
    "source port": (SRC4 | TCP_SRC, "tcp4", ("src", "sport")),
    "nothing of it": (SRC6 | DST6 | TCP_SRC, "udp4", ()),
    "all": (0xFF, "udp6", ("src", "dst", "sport", "dport")),
    "inner of vxlan": (INNER | SRC4 | DST4 | UDP_SRC | UDP_DST, "vxlan",
                       ("src", "dst", "sport", "dport")),
    "inner of gre": (INNER | SRC4 | DST4, "gre", ("src", "dst")),
}
# Those of them that drivers and libraries use
USUAL = ("ipv4", "ipv6", "tcp4", "udp6", "udp port of tcp", "inner of vxlan")


def test_hash_fields(frames):
    """The card reports each hash field of ibv_create_qp_ex() and accepts each alone, so none of the
    cases below may be skipped."""
    assert frames("query")["hash_fields"] == ALL_FIELDS
    make_wq(frames, "wq", posted=0)
    frames("table", "table", 0, "wq")
    for field in (1 << n for n in range(32)):
        expected = 0 if field & ALL_FIELDS else errno.EOPNOTSUPP
        # INNER selects the packet whose addresses and ports are hashed
        fields = field | SRC4 if field == INNER else field
        frames("rss", f"qp{field}", "table", fields, KEY.hex(), errno=expected)


def packet(wired, how, dst, dport, src, sport):
    """Returns a frame whose only packet, or inner packet, has these addresses and ports."""
    transport = TCP if how.startswith("tcp") else UDP
    network = IPv6 if ":" in src else IP
    inner = network(src=src, dst=dst) / transport(sport=sport, dport=dport) / Raw(b"hash me")
    outer = IP(src=PEER_IP, dst=HERE_IP)
    if how == "vxlan":
        return wired.frame(outer / UDP(sport=999, dport=4789) / VXLAN(vni=7) /
                           Ether(src=PEER, dst=wired.mac) / inner)
    if how == "gre":
        return wired.frame(outer / GRE() / inner)
    return wired.frame(inner)


def digits(frames, fields):
    """Creates three RSS QPs that receive the same frames. Each QP has eight WQs, and the WQ that
    receives a frame shows three bits of its hash. Completions have the name wq<digit>_<value>."""
    frames("cq", "cq", WITH_ALL, 4096)
    for digit in range(3):
        for value in range(8):
            make_wq(frames, f"wq{digit}_{value}", posted=16, size=256, cq="cq")
        entries = [f"wq{digit}_{index >> 3 * digit & 7}" for index in range(512)]
        frames("table", f"table{digit}", 9, *entries)
        frames("rss", f"qp{digit}", f"table{digit}", fields, KEY.hex())
        # The same rule three times: each of the three gets a copy
        frames.rule(f"rule{digit}", f"qp{digit}",
                    flow_spec.rule(flow_spec.spec("eth", src=PEER)))


def low_bits(frames):
    """Returns the low nine bits of the hash of the last frame."""
    value = 0
    for done in frames.poll("cq", 3):
        digit, three = done["name"].removeprefix("wq").split("_")
        value |= int(three) << 3 * int(digit)
    return value


@pytest.mark.parametrize("name", [name if name in USUAL else full(name) for name in HASHES])
def test_hash(wired, frames, name):
    """Nine bits of the hash of real packets, with the addresses and ports of Microsoft's vectors,
    are right for each set of fields."""
    fields, how, hashed = HASHES[name]
    version = 6 if how.endswith("6") else 4
    digits(frames, fields)
    for dst, dport, src, sport, of_addresses, of_all in VECTORS:
        if (6 if ":" in src else 4) != version:
            continue
        has = {"src": src, "dst": dst, "sport": sport, "dport": dport}
        want = toeplitz(data_of(**{key: has[key] for key in hashed}))
        if hashed == ("src", "dst"):
            assert want == of_addresses
        if len(hashed) == 4:
            assert want == of_all
        wired.send(packet(wired, how, dst, dport, src, sport))
        assert low_bits(frames) == want & 511, (name, src)
    assert not frames.poll("cq", 1, 0, exact=False)


def test_hash_of_spi(wired, frames):
    """The SPI of ESP is hashed if it is selected."""
    digits(frames, SPI)
    for spi in (1, 0xDEADBEEF, 0x00010000):
        wired.send(wired.frame(IP(src=PEER_IP, dst=HERE_IP) / ESP(spi=spi, seq=1) / Raw(b"x" * 40)))
        assert low_bits(frames) == toeplitz(spi.to_bytes(4, "big")) & 511


def test_hash_of_fragments(wired, frames):
    """Fragments have no ports: all are hashed by their addresses, and go to the same WQ."""
    digits(frames, SRC4 | DST4 | UDP_SRC | UDP_DST)
    want = toeplitz(data_of(PEER_IP, HERE_IP)) & 511
    first = IP(src=PEER_IP, dst=HERE_IP, flags="MF") / UDP(sport=1, dport=2) / Raw(bytes(24))
    second = IP(src=PEER_IP, dst=HERE_IP, frag=4, proto=17) / Raw(bytes(24))
    for fragment in (first, second):
        wired.send(wired.frame(fragment))
        assert low_bits(frames) == want


def test_other_key(wired, frames):
    """The hash uses the user's key."""
    key = bytes(range(100, 140))
    make_wq(frames, "a", posted=32)
    make_wq(frames, "b", posted=32)
    make_rss(frames, "qp", ["a", "b"], SRC4 | DST4, key=key)
    frames.rule("rule", "qp", to_port())
    sources = [f"10.50.{i}.{i * 7 % 256}" for i in range(1, 33)]
    wired.send(*(wired.udp(dport=PORT, src=src) for src in sources))
    want = Counter("ab"[toeplitz(data_of(src, HERE_IP), key) & 1] for src in sources)
    got = Counter(done["name"] for name in "ab" for done in frames.poll(f"{name}_cq", want[name]))
    assert got == want and len(want) == 2
    frames.nothing("a_cq", "b_cq")


@pytest.mark.parametrize("what", ["the ring", "all that is mapped", "not registered"])
def test_invalid_ring_data(wired, frames, what):
    """If a process writes invalid data into its WQ's ring, that WQ fails with an event. The
    process's other WQ and the netdev are not affected. The ring is so large that it shares no
    mapping with them."""
    single(frames, "good", posted=32)
    make_wq(frames, "bad", posted=8, max_wr=4096)
    make_rss(frames, "bad_qp", ["bad"])
    frames.rule("bad_rule", "bad_qp", to_port(port=PORT + 1))
    if what == "the ring":
        frames("trash", "bad", 0, 256, 0xFF)
    elif what == "all that is mapped":
        frames("trash", "bad", 0, 0, 0xFF)
    else:
        # The addresses of SGEs, and their keys
        frames("trash", "bad", 16, 16, 0x55)
    for _ in range(3):
        wired.send(wired.udp(dport=PORT + 1), wired.udp(dport=PORT))
        assert frames.poll("good_cq")[0]["data"] == wired.udp(dport=PORT)
    assert frames("event", 5000)["name"] == "bad"
    assert wired.a.run(f"ping -c 1 -W 1 {HERE_IP}")[0] == 0
    assert all(done["status"] for done in frames.poll("bad_cq", 8, 0, exact=False))
    # The WQ can start again
    frames("modify_wq", "bad", STATE, RESET, 0, 0, 0)


def test_cq_overrun(wired, frames):
    """If a CQ overruns, the WQs that complete in it fail with it, and no others."""
    single(frames, "good", posted=64)
    frames("cq", "small", 0, 4)
    frames("wq", "bad", "small", 0, 1024, 1)
    frames("modify_wq", "bad", STATE, RDY, 0, 0, 0)
    frames("post", "bad", 512, 128)
    make_rss(frames, "bad_qp", ["bad"])
    frames.rule("bad_rule", "bad_qp", to_port(port=PORT + 1))
    for _ in range(40):
        wired.send(*(wired.udp(dport=PORT + 1) for _ in range(10)))
    events = {(frames("event", 5000)["event"], name) for name in ("first", "second")}
    assert {event for event, _ in events} == {CQ_ERR, WQ_FATAL}
    wired.send(wired.udp(dport=PORT))
    assert frames.poll("good_cq")[0]["data"] == wired.udp(dport=PORT)


def test_sigkill(wired, guest_programs):
    """SIGKILL of a process with WQs under traffic leaves nothing, and the netdev receives the
    frames again."""
    before = counters(wired.card, 0, "objects")
    program = Frames(wired, guest_programs)
    single(program, posted=64)
    assert counters(wired.card, 0, "objects") != before
    wired.send(*number_frames(wired, 20))
    program.poll("wq_cq", 20)
    program.kill()
    wait_until("nothing is left", lambda: counters(wired.card, 0, "objects") == before)
    steered = wired.stats()["rx_steered"]
    start = wired.unclaimed()
    wired.send(*number_frames(wired, 20))
    wait_until("the kernel has them", lambda: wired.unclaimed() == start + 20)
    assert wired.stats()["rx_steered"] == steered


def run_spread(wired, programs, port, count, log):
    """Starts tests/e2e/guest/spread.c and waits until it is ready."""
    vm = wired.a
    vm.run(f"rm -f {log}")
    command = vm.spawn(f"{programs}/spread {wired.ornic[vm].device} {port} {count} 60 | tee {log}")
    wait_until("spread is ready", lambda: vm.run(f"grep -q ready {log}")[0] == 0)
    return command


def spread_result(command):
    """Returns {queue: (frames, bytes)} from the output of spread."""
    code, output = command.wait(90)
    assert code == 0 and "total:" in output, output
    rows = [line.split() for line in output.splitlines() if line.startswith("queue")]
    return {int(row[1][:-1]): (int(row[2]), int(row[4])) for row in rows}


def flows(wired, port, count, size):
    """Returns frames of many flows to a port, and the expected {queue: (frames, bytes)} of four
    queues."""
    sent, want = [], {queue: (0, 0) for queue in range(4)}
    for number in range(count):
        sport = 1024 + number * 37 % 50000
        frame = wired.udp(sport=sport, dport=port, payload=bytes(size))
        queue = toeplitz(data_of(PEER_IP, HERE_IP, sport, port)) & 3
        want[queue] = (want[queue][0] + 1, want[queue][1] + len(frame))
        sent.append(frame)
    return sent, want


@pytest.mark.full
def test_spread(wired, guest_programs):
    """In the example program the thread of the queue that the hash selects counts a flow."""
    sent, want = flows(wired, 9000, 400, 100)
    command = run_spread(wired, guest_programs, 9000, len(sent), "/tmp/spread.log")
    wired.send(*sent)
    assert spread_result(command) == want
    assert all(count for count, _ in want.values())


@pytest.mark.full
def test_owners_under_load(wired, guest_programs):
    """Under load each frame reaches its owner once: two processes with an RSS QP and four threads
    each, and the kernel."""
    count, rounds = 500, 8
    commands, wants, everything = [], [], []
    for port, size in ((9001, 60), (9002, 333)):
        sent, want = flows(wired, port, count, size)
        wants.append({queue: (n * rounds, size * rounds) for queue, (n, size) in want.items()})
        everything.append(sent)
        commands.append(run_spread(wired, guest_programs, port, count * rounds,
                                   f"/tmp/spread{port}.log"))
    everything.append([wired.udp(sport=i, dport=9003) for i in range(1, count + 1)])
    start, before = wired.unclaimed(), wired.stats()
    for turn in range(1, rounds + 1):
        for three in zip(*everything):
            wired.send(*three)
        # The kernel's ring is the shortest
        wait_until("the kernel has its part",
                   lambda want=start + turn * count: wired.unclaimed() >= want)
    assert [spread_result(command) for command in commands] == wants
    assert wired.unclaimed() == start + count * rounds
    after = wired.stats()
    assert after["rx_steered"] - before["rx_steered"] == 2 * count * rounds
    assert after["rx_dropped_no_wqe"] == before["rx_dropped_no_wqe"]


@pytest.mark.full
def test_card_fails(wired, guest_programs):
    """If the card fails, its rules, tables and queues are gone. The process that owned them ends,
    and a new one can create them again."""
    program = Frames(wired, guest_programs)
    single(program)
    fail(wired, wired.a)
    code, output = program.close()
    assert code not in (124, 137), output
    program = Frames(wired, guest_programs)
    single(program)
    wired.send(*number_frames(wired, 3))
    program.poll("wq_cq", 3)
    assert program.close()[0] == 0
