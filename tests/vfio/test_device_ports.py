# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""External ports of ornic-device, the switch between them, and the packet capture."""

import fcntl
import os
import socket
import struct
import subprocess
import time

import pytest

from vfio_client import eventually
from vfio_server import Server

BROADCAST = b"\xff" * 6
TUNSETIFF = 0x400454ca
IFF_TAP_NO_PI = 0x1002


def mac(number):
    return bytes([2, 0, 0, 0, 1, number])


def packet(dst, src, size=64, fill=b"x"):
    return (dst + src + b"\x88\xb5").ljust(size, fill)


def numbered(number):
    return packet(BROADCAST, mac(1)) + struct.pack("<I", number)


def number_of(data):
    return struct.unpack("<I", data[-4:])[0]


class End:
    """The far end of a dgram port, in the role of QEMU."""

    def __init__(self, directory, name):
        self.near = directory / f"{name}-card.sock"
        self.far = directory / f"{name}-qemu.sock"
        self.option = f"dgram,local={self.near},remote={self.far}"
        self.open()

    def open(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.sock.settimeout(10)
        self.sock.bind(str(self.far))

    def close(self):
        self.sock.close()
        self.far.unlink()

    def send(self, data):
        self.sock.sendto(data, str(self.near))

    def receive(self):
        return self.sock.recv(1 << 16)

    def silent(self):
        self.sock.settimeout(0.1)
        try:
            return not self.sock.recv(1 << 16)
        except TimeoutError:
            return True
        finally:
            self.sock.settimeout(10)


@pytest.fixture
def ends(tmp_path):
    return [End(tmp_path, name) for name in "abc"]


@pytest.fixture
def server(launch, tmp_path, ends):
    args = ["--pcap", str(tmp_path / "pcap")]
    for end in ends:
        args += ["--port", end.option]
    server = launch(*args)
    yield server
    server.stop()
    assert not any(end.near.exists() for end in ends)


def test_unknown_goes_to_all_and_known_to_one(server, ends):
    a, b, c = ends
    first = packet(mac(2), mac(1))
    a.send(first)
    assert b.receive() == first
    assert c.receive() == first
    answer = packet(mac(1), mac(2))
    b.send(answer)
    assert a.receive() == answer
    a.send(first)
    assert b.receive() == first
    assert c.silent()


def wire(server, end):
    return server.control("stats")["switch"]["ports"][str(end.near)]["wire"]


def injected(server, kind):
    return server.control("stats")["switch"]["faults"][kind]


def test_packet_for_its_source_port_is_filtered(server, ends):
    a, b, _ = ends
    a.send(packet(BROADCAST, mac(1)))
    b.receive()
    a.send(packet(mac(1), mac(9)))
    eventually(lambda: server.control("stats")["switch"]["filtered"] == 1)
    assert b.silent()


@pytest.mark.parametrize("size", [14, 60, 255, 256, 257, 1514, 9018, 10496])
def test_packet_of_any_size_arrives_unchanged(server, ends, size):
    data = packet(BROADCAST, mac(1), 14) + os.urandom(size - 14)
    ends[0].send(data)
    assert ends[1].receive() == data


@pytest.mark.parametrize("size", [0, 1, 13, 10497, 60000])
def test_packet_of_impossible_size_is_dropped(server, ends, size):
    ends[0].send(packet(BROADCAST, mac(1), max(size, 14))[:size])
    ends[0].send(packet(BROADCAST, mac(1), 99))
    assert len(ends[1].receive()) == 99


def test_thousands_of_packets_in_a_row(server, ends):
    a, b, _ = ends
    a.sock.setblocking(True)
    b.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    for first in range(0, 3000, 5):
        for number in range(first, first + 5):
            a.send(numbered(number))
        for number in range(first, first + 5):
            assert number_of(b.receive()) == number


def test_slow_reader_gets_all_in_order(server, ends):
    # Many more packets than a Unix socket buffers, fewer than the card queues
    for number in range(100):
        ends[0].send(numbered(number))
    eventually(lambda: wire(server, ends[2])["rx_packets"] == 100)
    for end in ends[1:]:
        for number in range(100):
            assert number_of(end.receive()) == number


def test_reader_that_never_reads_loses_packets(server, ends):
    for number in range(400):
        ends[0].send(numbered(number))
    eventually(lambda: wire(server, ends[1])["rx_packets"] == 400)
    assert wire(server, ends[1])["drops"] > 0


def test_loss_on_the_wire(server, ends):
    a, b, _ = ends
    server.control("fault loss 1000000")
    a.send(packet(BROADCAST, mac(1)))
    eventually(lambda: injected(server, "loss") == 1)
    assert b.silent()
    server.control("fault loss 0")
    a.send(packet(BROADCAST, mac(1)))
    assert b.receive()


def test_duplicates_on_the_wire(server, ends):
    a, b, _ = ends
    server.control("fault duplicate 1000000")
    data = packet(BROADCAST, mac(1))
    a.send(data)
    assert [b.receive(), b.receive()] == [data, data]
    assert b.silent()
    assert injected(server, "duplicate") == 1


def test_late_packets_are_overtaken(server, ends):
    a, b, _ = ends
    first, second = packet(BROADCAST, mac(1), fill=b"1"), packet(BROADCAST, mac(1), fill=b"2")
    server.control("fault delay 1000000")
    before = time.monotonic()
    a.send(first)
    assert b.receive() == first
    assert time.monotonic() - before >= 0.005
    a.send(first)
    eventually(lambda: injected(server, "delay") == 2)
    server.control("fault delay 0")
    a.send(second)
    assert sorted([b.receive(), b.receive()]) == [first, second]
    assert b.silent()


def test_order_on_the_wire(server, ends):
    a, b, _ = ends
    server.control("fault reorder 500000")
    sent = [numbered(number) for number in range(100)]
    for data in sent:
        a.send(data)
    got = [b.receive() for _ in sent]
    assert b.silent()
    assert sorted(got) == sorted(sent)
    assert injected(server, "reorder")


def test_seed_repeats_faults(server, ends):
    """The same seed loses the same packets, and another seed loses others."""
    a, b, _ = ends
    server.control("fault loss 500000")
    arrived = []

    def seen():
        return injected(server, "loss") + wire(server, b)["rx_packets"]

    for seed in (5, 6, 5):
        assert server.control(f"fault seed {seed}") == {}
        before = seen()
        for number in range(64):
            a.send(numbered(number))
        eventually(lambda want=before + 64: seen() == want)
        # The last packet is an end mark and must not be lost
        server.control("fault loss 0")
        a.send(numbered(64))
        numbers = []
        while not numbers or numbers[-1] != 64:
            numbers.append(number_of(b.receive()))
        arrived.append(numbers)
        server.control("fault loss 500000")
    assert arrived[0] == arrived[2] != arrived[1]
    assert 1 < len(arrived[0]) < 65


def test_flipped_bits_on_the_wire(server, ends):
    a, b, _ = ends
    server.control("fault corrupt 1000000")
    data = packet(BROADCAST, mac(1))
    for number in range(1, 20):
        a.send(data)
        got = b.receive()
        assert got[:12] == data[:12]
        assert sum((x ^ y).bit_count() for x, y in zip(got, data, strict=True)) == 1
        assert injected(server, "corrupt") == number


def test_faults_together_lose_what_they_count(server, ends):
    a, b, _ = ends
    for kind in ("loss", "duplicate", "reorder", "delay", "corrupt"):
        server.control(f"fault {kind} 100000")
    for number in range(100):
        a.send(numbered(number))
    got = 0
    while not b.silent():
        got += 1
    assert got == 100 - injected(server, "loss") + injected(server, "duplicate")


def test_missing_far_end_drops_and_comes_back(server, ends):
    a, b, _ = ends
    b.close()
    a.send(packet(BROADCAST, mac(1)))
    eventually(lambda: wire(server, b)["drops"])
    b.open()
    a.send(packet(BROADCAST, mac(1)))
    assert b.receive()


def test_far_end_that_does_not_read_stalls_nobody(server, ends):
    a, b, c = ends
    for _ in range(400):
        a.send(packet(BROADCAST, mac(1)))
        assert c.receive()
    assert wire(server, b)["drops"] > 0


def test_capture_holds_what_passed(server, ends, tmp_path):
    before = time.time()
    sent = [packet(BROADCAST, mac(1), size) for size in (14, 60, 300, 9018)]
    for data in sent:
        ends[0].send(data)
        ends[1].receive()
    path = tmp_path / "pcap"
    eventually(lambda: path.stat().st_size == 24 + sum(16 + len(data) for data in sent))
    data = path.read_bytes()
    magic, _, _, _, _, _, link = struct.unpack_from("<IHHiIII", data)
    assert magic == 0xa1b23c4d  # nanoseconds
    assert link == 1
    at = 24
    for expected in sent:
        seconds, nanoseconds, caplen, length = struct.unpack_from("<IIII", data, at)
        assert before - 1 <= seconds + nanoseconds / 1e9 <= time.time() + 1
        assert caplen == length == len(expected)
        assert data[at + 16:at + 16 + caplen] == expected
        at += 16 + caplen


def test_dgram_socket_in_use(server, ends, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(AssertionError, match="Address already in use"):
        Server(other, "--port", ends[0].option)


def test_frames_without_work_do_not_keep_a_card_awake(launch, tmp_path):
    """Frames for others reach all ports. A card that does not take them neither spins after them
    nor learns to spin longer."""
    end = End(tmp_path, "a")
    server = launch("--port", end.option, "--spin-us", "1000000")
    before = server.control("stats")["loop"]
    for number in range(1, 21):
        end.send(packet(mac(99), mac(1)))
        eventually(lambda want=number: wire(server, end)["tx_packets"] == want)
    after = server.control("stats")["loop"]
    for what in ("spin_hits", "spin_late", "spin_misses", "spin_ns"):
        assert after[what] == before[what], what


@pytest.fixture
def tap_name():
    name = f"ornic{os.getpid() % 10000}"
    try:
        subprocess.run(["ip", "tuntap", "add", "dev", name, "mode", "tap"], check=True,
                       capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no TAP interface can be made here: {error}")
    subprocess.run(["ip", "link", "set", name, "up"], check=True)
    yield name
    subprocess.run(["ip", "link", "del", name], check=False, capture_output=True)


def test_tap_carries_both_ways(launch, tmp_path, tap_name):
    end = End(tmp_path, "a")
    launch("--port", end.option, "--port", f"tap,name={tap_name}")
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88b5)) as host:
        host.settimeout(10)
        host.bind((tap_name, 0x88b5))
        data = packet(BROADCAST, mac(1), 1000)
        end.send(data)
        assert host.recv(1 << 16) == data
        data = packet(mac(1), mac(2), 1400)
        host.send(data)
        while (got := end.receive()) != data:
            assert got[12:14] != b"\x88\xb5"  # packets of the host's own may come first


def test_tap_that_is_deleted_leaves_the_rest_alone(launch, tmp_path, tap_name):
    ends = [End(tmp_path, name) for name in "ab"]
    server = launch("--port", ends[0].option, "--port", ends[1].option,
                    "--port", f"tap,name={tap_name}")
    subprocess.run(["ip", "link", "del", tap_name], check=True)
    ends[0].send(packet(BROADCAST, mac(1)))
    assert ends[1].receive()
    turns = server.control("stats")["loop"]["turns"]
    time.sleep(0.3)
    assert server.control("stats")["loop"]["turns"] - turns < 1000


def test_tap_in_use(tmp_path, tap_name):
    fd = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", tap_name.encode(), IFF_TAP_NO_PI))
    with pytest.raises(AssertionError, match="cannot attach to the TAP"):
        Server(tmp_path, "--port", f"tap,name={tap_name}")
    os.close(fd)
