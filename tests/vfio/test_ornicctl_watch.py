# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""ornicctl shows what cards do, while they do it: top, stats, capture."""

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading

import pytest

from test_device_ports import BROADCAST, End, mac, packet
from vfio_client import eventually, memory
from vfio_host import RAM
from vfio_pair import connected
from vfio_proto import TOP

PROGRAM = TOP / "scripts/user/ornicctl"
COMPLETION = TOP / "scripts/user/ornicctl.bash"
# Blocks and options of pcapng
SECTION, INTERFACE, PACKET, JOURNAL = 0x0A0D0D0A, 1, 6, 9
COMMENT, IF_NAME, IF_MAC, DROPCOUNT = 1, 2, 6, 4
# The text format of Prometheus: a sample, one of its labels
SAMPLE = re.compile(r"([a-z_][a-z0-9_]*)(?:\{(.*)\})? (-?[0-9.e+-]+)")
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')
# Suffixes that base units and counters have
PARTS_OF_UNITS = ("_ns", "_us", "_ms", "_kib", "_mib")


def start(server, *words, **options):
    return subprocess.Popen([PROGRAM, "-s", server.control_path, *map(str, words)], **options)


def run(server, *words):
    result = subprocess.run([PROGRAM, "-s", server.control_path, *map(str, words)], timeout=60,
                            capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def refused(*words, **options):
    result = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True,
                            timeout=60, check=False, **options)
    assert result.returncode == 1
    line, = result.stderr.splitlines()
    assert line.startswith("ornicctl: ")
    return line


@pytest.fixture
def server(launch):
    return launch(nics=2)


@pytest.fixture
def sides(server):
    """Two connected QPs, one on each card."""
    with memory(RAM) as a, memory(RAM) as b:
        both = connected(server, (a, b))
        yield both
        for side in both:
            side.client.close()


def qp(server, side, index):
    """Returns what the card tells of the QP of a side."""
    found, = (row for row in server.control(f"qps nic{index}")["qps"] if row["qp"] == side.qpn)
    return found


# ---- the figures of a QP ----

def test_qp(server, sides):
    """Messages, depths, and the RNR NAKs of messages without a receive."""
    a, b = sides
    assert qp(server, a, 0) | {"tx_bytes": 0} == {
        "qp": a.qpn, "type": "RC", "state": "RTS", "peer": b.qpn, "sq_slots": 16, "sq_used": 0,
        "rq_wqes": 16, "rq_used": 0, "tx_bytes": 0, "sends": 0, "rx_messages": 0,
        "retransmits": 0, "ack_timeouts": 0, "seq_naks_received": 0, "rnr_naks_received": 0,
        "rnr_naks_sent": 0}
    a.send()
    eventually(lambda: qp(server, b, 1)["rnr_naks_sent"] >= 2)
    sender = qp(server, a, 0)
    assert sender["rnr_naks_received"] and sender["retransmits"] and sender["sq_used"] == 1
    b.receive()
    eventually(lambda: qp(server, a, 0)["sends"] == 1)
    assert qp(server, a, 0)["sq_used"] == 0
    assert qp(server, b, 1)["rx_messages"] == 1


def test_pages_of_qps(server, sides):
    assert [row["qp"] for row in server.control("qps nic0")["qps"]] == [sides[0].qpn]
    assert server.control("qps nic0 4294967295") == {"qps": []}
    for words in ("", " nic7", " nic0 -1", " nic0 x", " nic0 4294967296", " nic0 1 2"):
        assert "qps wants" in server.control(f"qps{words}")["error"]


# ---- top ----

def columns(text):
    """Returns {first words of a row: {column: word}} of the tables of a page."""
    rows, head = {}, None
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] == "CARD":
            head = words
        elif head:
            rows[tuple(words[:2]) if head[1] == "QP" else words[0]] = dict(zip(head, words))
    return rows


def test_top(server, sides):
    """The rates of a pair that cannot receive, as text for a pipe."""
    a, b = sides
    server.control("fault delay 1")
    a.send()
    assert run(server, "top", "-n", 2, "-d", 0.1).count("CARD  LINK") == 2
    text = run(server, "top", "-n", 1, "-d", 0.5)
    assert "delay 1 ppm" in text.splitlines()[0] and "captured" not in text
    rows = columns(text)
    assert rows["nic0"]["HOST"] == "host1" and rows["nic0"]["LINK"] == "up"
    for name in ("nic0", "nic1"):
        assert float(rows[name]["RNR/s"]) > 0 and float(rows[name]["TX-PKT/s"]) > 0
        assert rows[name]["QPS"] == "1"
    assert float(rows["nic0"]["RETX/s"]) > 0 and float(rows["nic1"]["RETX/s"]) == 0
    row = rows["nic0", str(a.qpn)]
    assert (row["TYPE"], row["STATE"], row["PEER"], row["SQ"], row["RQ"]) == \
        ("RC", "RTS", str(b.qpn), "1/16", "0/16")
    assert float(row["RETX/s"]) > 0 and float(row["RNR/s"]) > 0
    assert "RC" not in run(server, "top", "-n", 1, "-d", 0.1, "--qps", 0)


def test_top_on_a_terminal(server):
    """A screen, which is left as it was found, also by Ctrl-C."""
    master, slave = pty.openpty()
    process = start(server, "top", "-d", 0.05, stdout=slave)
    os.close(slave)
    shown = b""
    while shown.count(b"\033[H") < 3:
        shown += os.read(master, 4096)
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(OSError):
        while part := os.read(master, 4096):
            shown += part
    os.close(master)
    assert process.wait(20) == 0
    assert shown.startswith(b"\033[?1049h") and shown.endswith(b"\033[?1049l")
    assert b"nic1" in shown


@pytest.mark.parametrize("words", [["top", "-d", "0.05"], ["capture"]])
def test_reader_ends(server, words):
    """The end of a reader is no error, and is noticed without traffic."""
    process = start(server, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.read(1)
    process.stdout.close()
    assert process.wait(20) == 0
    assert b"Traceback" not in process.stderr.read()


def test_top_without_card(launch, tmp_path):
    """The card ends under it."""
    server = launch()
    process = start(server, "top", "-d", 0.05, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    text=True)
    process.stdout.readline()
    server.stop()
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    line, = errors.splitlines()
    assert "start it (systemctl start" in line
    assert "seconds are needed" in refused("-s", server.control_path, "top", "-d", "0")


# ---- stats ----

def parsed(text):
    """Returns ({name: type}, {(name, sorted labels): value}) of the text format of Prometheus,
    which must follow its rules: HELP and TYPE before the samples, which are together and unique."""
    kinds, samples, helped, closed, current = {}, {}, set(), set(), None
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, words = line[7:].split(" ", 1)
            assert words and name not in helped
            helped.add(name)
            continue
        if line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            assert name in helped and name not in kinds and kind in ("counter", "gauge")
            closed.add(current)
            kinds[name], current = kind, name
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        assert name == current and name not in closed
        labels = labels or ""
        assert LABEL.sub("", labels) == "", labels
        key = name, tuple(sorted(LABEL.findall(labels)))
        assert key not in samples
        samples[key] = float(value)
    assert helped == set(kinds)
    return kinds, samples


def test_prometheus(server, sides):
    a, b = sides
    a.send()
    b.receive()
    eventually(lambda: qp(server, a, 0)["sends"] == 1)
    kinds, samples = parsed(run(server, "stats", "--format", "prometheus", "--qps"))
    for name, kind in kinds.items():
        assert name.startswith("ornic_") and name.endswith("_total") == (kind == "counter")
        assert not name.removesuffix("_total").endswith(PARTS_OF_UNITS)
    stats = server.control("stats")
    card, cards = stats["cards"]["nic0"], (("card", "nic0"),)
    assert samples["ornic_rdma_tx_packets_total", cards] == card["nic"]["rdma"]["tx_packets"] > 0
    assert samples["ornic_wire_rx_packets_total", cards] == card["wire"]["rx_packets"] > 0
    assert samples["ornic_objects", cards + (("kind", "qp"),)] == 1
    assert 0 < samples["ornic_function_time_seconds_total", cards] < 60
    assert samples["ornic_qp_sends_total", cards + (("qp", str(a.qpn)),)] == 1
    info = next(dict(labels) for name, labels in samples if name == "ornic_qp_info")
    assert info["state"] == "RTS" and info["type"] == "RC"
    assert samples["ornic_card_link_up", cards] == 1
    assert {dict(labels)["host"] for name, labels in samples if name == "ornic_card_info"} == \
        {"host1", "host2"}
    # Each counter of the hardware interface is there
    for group in ("port", "rdma", "device"):
        for name in card["nic"][group]:
            assert kinds[f"ornic_{group}_{name}_total"] == "counter"


def test_ports_in_prometheus(launch, tmp_path):
    server = launch("--port", f"dgram,local={tmp_path}/a\"b,remote={tmp_path}/b")
    _, samples = parsed(run(server, "stats", "--format", "prometheus"))
    assert samples["ornic_switch_port_rx_packets_total",
                   (("port", f"{tmp_path}/a\\\"b"),)] == 0


def test_stats_as_json_and_text(server, sides):
    answer = json.loads(run(server, "stats", "--format", "json", "--qps"))
    assert answer["cards"]["nic1"]["mac"] == server.card(1)["mac"]
    assert [row["qp"] for row in answer["qps"]["nic1"]] == [sides[1].qpn]
    assert "qps" not in json.loads(run(server, "stats", "--format", "json"))
    lines = dict(line.rsplit(" ", 1) for line in run(server, "stats").splitlines())
    assert lines["nic0.qp.nic.objects"] == "1" and "0" not in lines.values()


# ---- capture ----

def options_of(data):
    """Returns {code: value} of the options of a block."""
    found, at = {}, 0
    while at < len(data):
        code, length = struct.unpack_from("=HH", data, at)
        if not code:
            assert not length and at + 4 == len(data)
            return found
        found[code] = data[at + 4:at + 4 + length]
        at += 4 + length + -length % 4
    assert not data, "no end of options"
    return found


def blocks(data):
    """Yields (type, body) of the complete blocks of a pcapng file."""
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("=II", data, at)
        if at + length > len(data):
            return
        assert length % 4 == 0
        assert struct.unpack_from("=I", data, at + length - 4)[0] == length
        yield kind, data[at + 8:at + length - 4]
        at += length


class Capture:
    """The output of ornicctl capture."""

    def __init__(self, data):
        self.interfaces, self.packets, self.events = [], [], []
        kinds = []
        for kind, body in blocks(data):
            kinds.append(kind)
            if kind == SECTION:
                assert body.startswith(struct.pack("=I", 0x1A2B3C4D))
                self.section = options_of(body[16:])
            elif kind == INTERFACE:
                self.interfaces.append(options_of(body[8:]))
            elif kind == PACKET:
                number, _, _, captured, length = struct.unpack_from("=IIIII", body)
                end = 20 + captured + -captured % 4
                self.packets.append((self.name(number), body[20:20 + captured], length,
                                     options_of(body[end:])))
            else:
                assert kind == JOURNAL
                fields = dict(line.split("=", 1) for line in body.rstrip(b"\0").decode().split("\n")
                              if line)
                assert int(fields["__REALTIME_TIMESTAMP"]) > 0
                self.events.append(fields["MESSAGE"])
        assert kinds[:1 + len(self.interfaces)] == \
            ([SECTION] + [INTERFACE] * len(self.interfaces) if kinds else [])

    def name(self, number):
        return self.interfaces[number][IF_NAME].decode()

    def comments(self):
        return [options[COMMENT].decode() for _, _, _, options in self.packets
                if COMMENT in options]


class Watcher:
    """A capture that runs, whose output a thread reads."""

    def __init__(self, server, *words):
        self.data = bytearray()
        self.process = start(server, "capture", *words, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        eventually(lambda: self.seen().interfaces)

    def read(self):
        while part := os.read(self.process.stdout.fileno(), 1 << 16):
            self.data += part

    def seen(self):
        return Capture(bytes(self.data))

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.end()

    def end(self):
        """Returns the capture, and the line on standard error."""
        self.thread.join(20)
        assert self.process.wait(20) == 0
        line, = self.process.stderr.read().decode().splitlines()
        return self.seen(), line


def test_capture(server, sides, tmp_path):
    """Packets of two QPs, with names, and what the control socket changes meanwhile."""
    a, b = sides
    server.control("fault duplicate 1")
    server.control("link nic1 down")
    watcher = Watcher(server)
    server.control("link nic1 up")
    b.receive()
    a.send()
    eventually(lambda: len(watcher.seen().packets) >= 2)
    server.control("fault loss 5")
    server.control("fault seed 7")
    assert "error" in server.control("fault thunder 5")
    server.control("lie nic0 phase,rate=0")
    server.control("hold nic0 off")
    server.control("inject nic1 fatal")
    eventually(lambda: len(watcher.seen().events) >= 6)
    capture, line = watcher.stop()
    assert capture.events == ["nic1: link up", "fault loss 5", "fault seed 7",
                              "nic0: lie phase,rate=0", "nic0: hold off", "nic1: inject fatal"]
    assert capture.section[COMMENT] == b"fault duplicate 1"
    assert [one[IF_NAME] for one in capture.interfaces] == [b"nic0", b"nic1"]
    assert [one[IF_MAC].hex(":") for one in capture.interfaces] == \
        [server.card(i)["mac"] for i in (0, 1)]
    assert [one[COMMENT] for one in capture.interfaces] == [b"link up", b"link down"]
    assert [name for name, *_ in capture.packets[:2]] == ["nic0", "nic1"]
    assert capture.comments() == [f"nic0 QP {a.qpn} -> nic1 QP {b.qpn} (RC, RTS)",
                                  f"nic1 QP {b.qpn} -> nic0 QP {a.qpn} (RC, RTS)"]
    # A SEND without data: Ethernet, IP, UDP, BTH and ICRC, as on a wire
    assert len(capture.packets[0][1]) == capture.packets[0][2] == 14 + 20 + 8 + 12 + 4
    assert f"{len(capture.packets)} packets" in line
    eventually(lambda: not server.control("stats")["capture"]["running"])
    check_with_tshark(watcher.data, tmp_path, capture)


def check_with_tshark(data, tmp_path, capture):
    """Wireshark's library reads it, too, where it is installed: in the full root tree."""
    if not shutil.which("tshark"):
        return
    path = tmp_path / "capture.pcapng"
    path.write_bytes(data)
    lines = subprocess.run(
        ["tshark", "-r", path, "-T", "fields", "-E", "separator=|", "-e", "frame.interface_name",
         "-e", "frame.comment", "-e", "infiniband.bth.opcode"], capture_output=True, text=True,
        check=True).stdout.splitlines()
    assert len(lines) == len(capture.packets) + len(capture.events)
    rows = [line.split("|") for line in lines]
    assert [row[:2] for row in rows if row[2]][:2] == \
        [["nic0", capture.comments()[0]], ["nic1", capture.comments()[1]]]


def test_capture_switches_to_real_packets(server, sides):
    """Packets between cards are real while a capture runs, and passed by reference afterwards."""
    a, b = sides
    watcher = Watcher(server, "-c", 2, "-b", 20)
    b.receive()
    a.send()
    capture, line = watcher.end()
    assert "2 packets" in line and len(capture.packets) == 2
    assert all(len(data) == 20 < length for _, data, length, _ in capture.packets)
    eventually(lambda: not server.control("stats")["capture"]["running"])
    packets = server.control("stats")["capture"]["packets"]
    b.receive()
    a.send()
    eventually(lambda: qp(server, a, 0)["sends"] == 2)
    assert server.control("stats")["capture"]["packets"] == packets


def test_capture_beside_the_file(launch, tmp_path):
    """--pcap goes on: it has the packets of the capture, and those after it."""
    path = tmp_path / "pcap"
    server = launch("--pcap", str(path), nics=2)
    with memory(RAM) as one, memory(RAM) as other:
        a, b = connected(server, (one, other))
        watcher = Watcher(server)
        for count in (1, 2):
            b.receive()
            a.send()
            eventually(lambda number=count: qp(server, a, 0)["sends"] == number)
            if count == 1:
                eventually(lambda: len(watcher.seen().packets) >= 2)
                capture, _ = watcher.stop()
        size = path.stat().st_size
        server.control("stats")
        assert path.stat().st_size >= size
        assert capture.packets[0][1] in path.read_bytes()
        assert server.control("stats")["capture"]["packets"] == len(capture.packets)


def test_slow_reader(launch, tmp_path):
    """A client that reads nothing loses packets, and keeps neither card nor guests waiting. Some
    are lost before the ring is full, if the capture has spent its share."""
    end = End(tmp_path, "a")
    server = launch("--port", end.option)
    figures = {"packets": 0, "lost": 0}
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(server.control_path))
        sock.sendall(b"capture\n")
        assert b"interfaces" in sock.recv(4096)
        while figures["packets"] <= 100 or not figures["lost"]:
            for number in range(16):
                end.send(packet(BROADCAST, mac(number), 9000))
            figures = server.control("stats")["capture"]
    eventually(lambda: not server.control("stats")["capture"]["running"])
    end.close()


def test_one_capture_at_a_time(server):
    watcher = Watcher(server)
    assert "another client captures" in refused("-s", server.control_path, "capture", "-w",
                                                "/dev/null")
    # Further clients take the places of each other, and not that of the capture
    others = []
    for _ in range(20):
        others.append(socket.socket(socket.AF_UNIX))
        others[-1].connect(str(server.control_path))
    run(server, "status")
    assert json.loads(run(server, "request", "stats"))["capture"]["running"]
    for sock in others:
        sock.close()
    server.sock.close()
    server.sock = socket.socket(socket.AF_UNIX)
    server.sock.connect(str(server.control_path))
    server.file = server.sock.makefile()
    watcher.stop()


def test_words_behind_capture(server):
    """They end the capture, whether they come with it or later."""
    for parts in ([b"capture\nstats\n"], [b"capture\n", b"x"]):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(server.control_path))
            for part in parts:
                sock.sendall(part)
            with sock.makefile("rb") as answers:
                assert b"interfaces" in answers.readline()
                # The card closes with bytes unread, which resets the connection
                with contextlib.suppress(ConnectionResetError):
                    assert not answers.read()
        assert not server.control("stats")["capture"]["running"]


def test_capture_ends_with_the_card(launch):
    server = launch()
    process = start(server, "capture", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(1)
    server.stop()
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert b"ornic-device has ended" in errors


def test_refused_captures(server, tmp_path):
    control = ["-s", server.control_path, "capture"]
    assert "No such file" in refused(*control, "-w", tmp_path / "none/file")
    assert "1 to 65535" in refused(*control, "-b", 0)
    for words in ("0", "65536", "-1", "x", "1 2"):
        assert "1 to 65535" in server.control(f"capture {words}")["error"]
    master, slave = pty.openpty()
    result = subprocess.run([PROGRAM, *control], stdout=slave, stderr=subprocess.PIPE, check=False)
    os.close(slave)
    os.close(master)
    assert result.returncode == 1 and b"wireshark -k -i -" in result.stderr


# ---- other versions, completion ----

@pytest.mark.parametrize("answer, reason", [
    ({"error": "unknown request, try help"}, "is older than ornicctl"),
    ({}, "of another version"),
])
def test_other_version(tmp_path, answer, reason):
    path = tmp_path / "old"
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
        sock.listen()

        def serve():
            client = sock.accept()[0]
            client.recv(100)
            client.sendall(json.dumps(answer).encode() + b"\n")
            client.close()

        thread = threading.Thread(target=serve)
        thread.start()
        assert reason in refused("-s", path, "stats")
        thread.join()


def completed(*words):
    """Returns what bash offers for the last word of a line."""
    script = f"""
        . {COMPLETION}
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _ornicctl
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    path = f"{PROGRAM.parent}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-euc", script, "-", "ornicctl", *map(str, words)],
                          env={**os.environ, "PATH": path}, capture_output=True, text=True,
                          check=True).stdout.split()


def test_completion(server):
    """It offers all commands and long options that the program has, and the names of cards."""
    text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^ {4}(\w+) {2}", text, re.M)
    assert len(commands) > 10
    assert set(completed("")) == {*commands, "--instance", "--socket", "--help"}
    for command in commands:
        text = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True,
                              check=True).stdout
        options = set(re.findall(r"--[a-z]+", text.split("options:")[1]))
        if options - {"--help"}:
            assert options <= set(completed(command, "--")), command
    control = ("-s", server.control_path)
    assert completed(*control, "link", "") == ["nic0", "nic1"]
    assert completed(*control, "link", "nic1", "d") == ["down"]
    assert completed("stats", "--format", "p") == ["prometheus"]
    requests = {line.split()[0].rstrip(":") for line in server.control("help")["requests"]}
    assert set(completed(*control, "request", "")) == requests
