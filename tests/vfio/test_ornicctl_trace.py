# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The trace of messages: the requests for it, and the document that ornicctl makes of it."""

import copy
import json
import signal
import socket
import subprocess
import sys

import pytest

from lab import trace_events
from vfio_client import eventually
from vfio_proto import HW, TOP
from vfio_server import Server

USER = TOP / "scripts/user"
sys.path.append(str(USER))
from ornic_ctl import trace  # noqa: E402
BASE = 1_000_000_000_000
START = {"now_ns": BASE, "ring": 1024, "ended_by_limit": False,
         "cards": [{"name": "nic0", "clock_base_ns": BASE - 5_000_000},
                   {"name": "nic1", "clock_base_ns": BASE - 4_000_000}]}


def interrupts(client, count):
    """Makes the card of a client raise interrupts, which are events of a trace."""
    for _ in range(count):
        client.write32(HW["REG_IRQ_TEST"], 1)


def read_all(server):
    """Returns the records that wait, and the number of those that were lost."""
    records = []
    while True:
        answer = server.control("trace read")
        part = trace.unpack(bytes.fromhex(answer["records"]))
        records += part
        if not part:
            return records, answer["lost"]


def ornicctl(*words):
    return subprocess.run([USER / "ornicctl", *words], capture_output=True, text=True, timeout=60,
                          check=False)


# ---- the requests ----

def test_start_read_stop(server, client):
    client.enable()
    start = server.control("trace start 1000")
    assert start["ring"] == 1024
    assert [card["name"] for card in start["cards"]] == ["nic0"]
    assert start["cards"][0]["clock_base_ns"] < start["now_ns"]
    interrupts(client, 3)
    records, lost = read_all(server)
    assert [(one.kind, one.num) for one in records] == [(trace.IRQ, 1)] * 3 and not lost
    assert start["now_ns"] < records[0].ns < records[1].ns < records[2].ns
    interrupts(client, 1)
    assert server.control("trace stop") == {}
    interrupts(client, 1)
    assert len(read_all(server)[0]) == 1


def test_records_have_the_clock_of_the_card(server, client):
    """CLOCK plus its base is the time of the records."""
    client.enable()
    base = server.control("trace start")["cards"][0]["clock_base_ns"]
    times = []
    for _ in range(2):
        times.append(sum(client.read32(HW["REG_CLOCK"] + 4 * i) << 32 * i for i in range(2)))
        interrupts(client, 1)
    first, second = read_all(server)[0]
    assert times[0] < first.ns - base < times[1] < second.ns - base


def test_overrun(server, client):
    """A ring that is full drops events, counts them, and tells where they are missing."""
    client.enable()
    assert server.control("trace start 1")["ring"] == 64
    interrupts(client, 70)
    records, lost = read_all(server)
    assert (len(records), lost) == (64, 6)
    interrupts(client, 1)
    (gap, one), lost = read_all(server)
    assert (gap.kind, gap.value, one.kind, lost) == (trace.LOST, 6, trace.IRQ, 6)


@pytest.mark.parametrize("line", ["trace", "trace walk", "trace start 0", "trace start -1",
                                  "trace start x", "trace start 1048577", "trace start 1 2",
                                  "trace read 1", "trace read", "trace stop"])
def test_refusals(server, line):
    assert "error" in server.control(line)


def test_one_client(server, client):
    """A trace is of the client that has started it, and ends when that goes."""
    client.enable()
    server.control("trace start")
    result = ornicctl("-s", server.control_path, "trace", "/dev/null", "--seconds", "1")
    assert result.returncode == 1 and "another client has a trace" in result.stderr
    assert "has started" in server.control("trace start")["error"]
    server.reconnect()
    eventually(lambda: not server.control("stats")["trace"]["running"])
    server.control("trace start")
    interrupts(client, 2)
    assert len(read_all(server)[0]) == 2


def test_client_that_captures_too(server):
    """Trace and capture of a client end with it, whichever ends it."""
    for last in (b"", b"trace stop\n"):
        with socket.socket(socket.AF_UNIX) as sock, sock.makefile("rb") as answers:
            sock.connect(str(server.control_path))
            for line in (b"trace start\n", b"capture\n"):
                sock.sendall(line)
                assert b"error" not in answers.readline()
            sock.sendall(last)
        eventually(lambda: not any(server.control("stats")[name]["running"]
                                   for name in ("trace", "capture")))


# ---- ornicctl ----

def test_of_a_card(server, client, tmp_path):
    """ornicctl records until a signal, and writes a valid document."""
    client.enable()
    path = tmp_path / "trace.json"
    process = subprocess.Popen([USER / "ornicctl", "-s", server.control_path, "trace", path],
                               stdout=subprocess.PIPE, text=True)
    eventually(lambda: server.control("stats")["trace"]["running"])
    interrupts(client, 5)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and output.startswith("CARD")
    phases = trace_events.check(json.loads(path.read_text()))
    assert [event["name"] for event in phases["X"]] == ["interrupt 1"] * 5


def test_file_that_cannot_be_written(server, tmp_path):
    """It is refused before the recording, which only a signal would end."""
    result = ornicctl("-s", server.control_path, "trace", tmp_path / "none/file")
    assert result.returncode == 1 and "No such file" in result.stderr


def test_limit(server, client, tmp_path):
    client.enable()
    process = subprocess.Popen([USER / "ornicctl", "-s", server.control_path, "trace",
                                tmp_path / "a", "--limit", "3"], stdout=subprocess.PIPE, text=True)
    eventually(lambda: server.control("stats")["trace"]["running"])
    interrupts(client, 3)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "--limit events had come" in output


def test_end_of_the_card(tmp_path):
    """The recording does not end in silence when the process of the card does."""
    server = Server(tmp_path)
    process = subprocess.Popen([USER / "ornicctl", "-s", server.control_path, "trace",
                                tmp_path / "a"], stderr=subprocess.PIPE, text=True)
    eventually(lambda: server.control("stats")["trace"]["running"])
    server.stop()
    _, errors = process.communicate(timeout=60)
    line, = errors.splitlines()
    assert process.returncode == 1 and line.startswith("ornicctl: ")


# ---- the document ----

class Script:
    """Events that cards might have written, one each microsecond."""

    def __init__(self):
        self.data, self.ns = b"", BASE

    def add(self, kind, card, qpn, **members):
        self.ns += 1000
        order = ("wr_id", "qpn", "num", "psn", "value", "len", "path", "kind", "card", "op", "code")
        values = {"kind": kind, "card": card, "qpn": qpn, **members}
        self.data += trace.RECORD.pack(self.ns, *(values.get(name, 0) for name in order), 0)

    def post(self, number, psn, doorbell=True):
        if doorbell:
            self.add(trace.DOORBELL, 0, 5, value=number)
        self.add(trace.WQE, 0, 5, op=HW["WR_SEND"], num=number, psn=psn, value=number,
                 wr_id=40 + number)

    def packet(self, psn, arrives=True, op=0x04):
        same = {"op": op, "psn": psn, "value": 1, "len": 64, "path": 1}
        self.add(trace.OUT, 0, 5, num=9, **same)
        if arrives:
            self.add(trace.IN, 1, 9, **same)

    def answer(self, psn, code=0):
        same = {"op": 0x11, "psn": psn, "value": 1, "path": 2, "code": code}
        self.add(trace.OUT, 1, 9, num=5, **same)
        self.add(trace.IN, 0, 5, **same)

    def done(self, number):
        self.add(trace.CQE, 0, 5, psn=1, num=number, wr_id=40 + number)

    def document(self, lost=0):
        return trace.build(copy.deepcopy(START), self.data, lost)


def of_messages(phases):
    """Returns [(arguments, {stage: us})] of the messages of a document."""
    found = {}
    for event in phases["b"]:
        found.setdefault(event["id"], []).append(event)
    ends = {(event["id"], event["name"]): event["ts"] for event in phases["e"]}
    return [(message["args"], {stage["name"]: round(ends[stage["id"], stage["name"]] - stage["ts"])
                               for stage in stages})
            for message, *stages in found.values()]


def test_numbers_of_the_contract():
    for table, prefix in ((trace.WORK, "WR_"), (trace.STATUS, "WC_")):
        assert all(HW[prefix + name] == number for number, name in table.items())
    text = (TOP / "tests/device/base/trace.h").read_text()
    for number, name in enumerate(("LOST", "DOORBELL", "WQE", "OUT", "IN", "CQE", "IRQ")):
        assert getattr(trace, name) == number
        assert text.index(f"\tTRACE_{name},") > 0
    operations = (TOP / "tests/device/roce/opcode.h").read_text()
    assert all(f"OPCODE_RC_{name}\t" in operations for name in trace.PACKET.values())


def test_message():
    """A message has its stages, an arrow for each packet, and latencies."""
    script = Script()
    script.post(1, 100)
    script.packet(100)
    script.answer(100)
    script.done(1)
    document = script.document()
    phases = trace_events.check(document)
    (args, stages), = of_messages(phases)
    assert args == {"wr_id": 41, "number": 1, "psn": 100, "length": 64, "packets": 1,
                    "sent_again": 0, "naks": 0, "status": "SUCCESS"}
    assert stages == {"wait for card": 1, "prepare": 1, "wait for ACK": 3, "complete": 1}
    assert [event["name"] for event in phases["X"] if event["pid"] == 1] == [
        "doorbell", "read SEND", "out SEND_ONLY", "in ACK", "CQE SUCCESS"]
    assert [(start["pid"], end["pid"]) for start, end in zip(phases["s"], phases["f"])] == \
        [(1, 2), (2, 1)]
    whole, = (one for one in document["otherData"]["histograms"] if one["stage"] == "all")
    assert (whole["card"], whole["qpn"], whole["operation"]) == ("nic0", 5, "SEND")
    assert (whole["count"], whole["p50_ns"], whole["below_ns"]) == (1, 6000, {"8192": 1})


def test_loss():
    """The first of two packets is lost. The NAK, the packets that are sent again, and the arrows
    of those that arrive are there."""
    script = Script()
    script.post(1, 0xffffff)
    script.packet(0xffffff, arrives=False)
    script.post(2, 0, doorbell=False)
    script.packet(0)
    script.answer(0xffffff, code=0x60)
    for psn in (0xffffff, 0):
        script.packet(psn)
    script.answer(0)
    script.done(2)
    phases = trace_events.check(script.document())
    (first, stages), (second, _) = of_messages(phases)
    assert (first["sent_again"], first["naks"], first["status"]) == (1, 1, "no entry")
    assert (second["sent_again"], second["naks"], second["status"]) == (1, 0, "SUCCESS")
    assert stages == {"wait for card": 1, "prepare": 1, "wait for ACK": 11}
    names = [event["name"] for event in phases["X"]]
    assert names.count("again SEND_ONLY") == 2 and names.count("in NAK SEQUENCE") == 1
    # The lost one has no arrow, and the others lead to what has just left
    assert len(phases["s"]) == 5
    assert all(round(end["ts"] - start["ts"]) == 1
               for start, end in zip(phases["s"], phases["f"]))


def test_lost_events_are_said(tmp_path):
    script = Script()
    script.add(trace.LOST, 0, 0, value=6)
    script.post(1, 100)
    document = script.document(lost=6)
    assert any("6 events lost" == event["name"] for event in trace_events.check(document)["X"])
    assert "6 events were lost" in next(trace.notes(document))


# ---- guests ----

# In the format of tracefs, and the last line as trace-cmd report has it
GUEST = "# tracer: nop\n" + "\n".join(f"{task} {when}: {event}" for task, when, event in (
    ("     ibv_rc_ping-123     [001] .....", "100.000100",
     "ornic_clock: 0000:01:00.0: cycles=6000000 duration=8000 ns"),
    ("     ibv_rc_ping-123     [001] .....", "100.000500",
     "ornic_cmd: 0000:01:00.0: CREATE_QP opcode=0x20 id=0x1 status=0 duration=100000 ns"),
    ("          <idle>-0       [000] d.h2.", "100.000600",
     "sched_wakeup: comm=ibv rc ping pid=123"),
    (" kworker/0:1-events-7    [000]", "101.000100000",
     "ornic_clock:          0000:01:00.0: cycles=1006100000 duration=4000 ns"),
)) + "\n"


def joined(tmp_path, text, word="nic0"):
    script = Script()
    script.post(1, 100)
    paths = tmp_path / "trace.json", tmp_path / "guest.txt"
    paths[0].write_text(json.dumps(script.document()))
    paths[1].write_text(text)
    result = ornicctl("trace", paths[0], "--guest", f"{word}={paths[1]}")
    return result, json.loads(paths[0].read_text())


def test_guest(tmp_path):
    """The events of a guest get the time of the card, by the reads of its clock."""
    result, document = joined(tmp_path, GUEST)
    assert result.returncode == 0, result.stderr
    phases = trace_events.check(document)
    command, = (event for event in phases["X"] if event["name"] == "CREATE_QP")
    # CLOCK was 6 ms at 100.000096 in the guest; 5 ms is the base of the trace. The rate is 1.0001.
    assert abs(command["ts"] + command["dur"] - 1404) < 0.1 and command["dur"] == 100
    names = {event["args"]["name"] for event in phases["M"] if event["name"] == "thread_name"}
    assert {"ibv_rc_ping-123", "idle on 0", "kworker/0:1-events-7"} <= names
    guest, = document["otherData"]["guests"]
    assert (guest["clock_reads"], guest["clock_error_ns"]) == (2, 5000)
    assert "guest of nic0: its times are right to 5 us" in result.stdout


@pytest.mark.parametrize("text, word, reason", [
    ("nothing\n", "nic0", "no event ornic_clock: have the guest read the clock"),
    (GUEST, "nic7", "CARD is one of nic0, nic1"),
    (GUEST, "nic0@0000:02:00.0", "no event ornic_clock of 0000:02:00.0"),
    (GUEST + GUEST.replace("01:00", "02:00"), "nic0", "by CARD@DEVICE=FILE"),
])
def test_guest_is_refused(tmp_path, text, word, reason):
    result, _ = joined(tmp_path, text, word)
    assert result.returncode == 1 and reason in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_no_trace(tmp_path):
    other = tmp_path / "other.json"
    other.write_text("[]")
    for path, reason in ((other, "no trace of ornicctl"), (tmp_path / "none", "No such file")):
        result = ornicctl("trace", path, "--guest", "nic0=guest.txt")
        assert result.returncode == 1 and reason in result.stderr


# ---- the check itself ----

@pytest.mark.parametrize("change", [
    lambda events: events.append({"ph": "X", "name": "a", "pid": 1, "tid": 5, "ts": 1}),
    lambda events: events.remove(next(one for one in events if one["ph"] == "e")),
    lambda events: events.remove(next(one for one in events if one["ph"] == "s")),
    lambda events: next(one for one in events if one["ph"] == "f").update(ts=0),
    lambda events: next(one for one in events if one["ph"] == "X").update(dur=1.2),
    lambda events: next(one for one in events if one["ph"] == "X").update(tid=77),
    lambda events: next(one for one in events if one["ph"] == "b").update(name=""),
    lambda events: events.append(dict(next(one for one in events if one["ph"] == "M"))),
])
def test_check_finds(change):
    """Each of these is no valid document."""
    script = Script()
    script.post(1, 100)
    script.packet(100)
    script.answer(100)
    script.done(1)
    document = script.document()
    trace_events.check(document)
    change(document["traceEvents"])
    with pytest.raises((AssertionError, KeyError, IndexError)):
        trace_events.check(document)
