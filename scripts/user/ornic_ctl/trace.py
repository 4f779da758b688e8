# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Traces of messages: joins the events of the cards of an ornic-device with trace events of the
guests, in the Trace Event Format that Perfetto opens."""

import bisect
import collections
import contextlib
import json
import re
import signal
import struct
import time

from .control import Problem, find_control
from .show import table

# Events that wait to be read, and those that end a recording
RING, LIMIT = 1 << 18, 500000
RECORD = struct.Struct("<QQIIIIIIBBBBI")
# enum trace_kind of ornic-device
LOST, DOORBELL, WQE, OUT, IN, CQE, IRQ = range(7)
# enum ornic_wr_opcode
WORK = {
    0: "RDMA_WRITE", 1: "RDMA_WRITE_WITH_IMM", 2: "SEND", 3: "SEND_WITH_IMM", 4: "RDMA_READ",
    5: "ATOMIC_CMP_SWP", 6: "ATOMIC_FETCH_ADD", 7: "LOCAL_INV", 8: "BIND_MW", 9: "SEND_WITH_INV",
    10: "TSO", 12: "MASKED_CMP_SWP", 13: "MASKED_FETCH_ADD", 14: "FLUSH", 15: "ATOMIC_WRITE",
    32: "REG_MR",
}
# Work whose response tells that it is done: its PSNs are those of the response
ANSWERED = {4, 5, 6, 12, 13, 14, 15}
# Bits 4:0 of a BTH opcode
PACKET = {
    0x00: "SEND_FIRST", 0x01: "SEND_MIDDLE", 0x02: "SEND_LAST", 0x03: "SEND_LAST_IMM",
    0x04: "SEND_ONLY", 0x05: "SEND_ONLY_IMM", 0x06: "WRITE_FIRST", 0x07: "WRITE_MIDDLE",
    0x08: "WRITE_LAST", 0x09: "WRITE_LAST_IMM", 0x0a: "WRITE_ONLY", 0x0b: "WRITE_ONLY_IMM",
    0x0c: "READ_REQUEST", 0x0d: "READ_RESP_FIRST", 0x0e: "READ_RESP_MIDDLE",
    0x0f: "READ_RESP_LAST", 0x10: "READ_RESP_ONLY", 0x11: "ACK", 0x12: "ATOMIC_ACK",
    0x13: "CMP_SWP", 0x14: "FETCH_ADD", 0x16: "SEND_LAST_INV", 0x17: "SEND_ONLY_INV",
    0x1c: "FLUSH", 0x1d: "ATOMIC_WRITE",
}
ANSWERS = range(0x0d, 0x13)
LAST_ANSWERS = (0x0f, 0x10, 0x12)
# Bits 4:0 of the AETH syndrome of a NAK
NAKS = ("SEQUENCE", "INVALID_REQUEST", "REMOTE_ACCESS", "REMOTE_OPERATION")
# enum ornic_wc_status
STATUS = {
    0: "SUCCESS", 1: "LOC_LEN_ERR", 2: "LOC_QP_OP_ERR", 4: "LOC_PROT_ERR", 5: "WR_FLUSH_ERR",
    6: "MW_BIND_ERR", 7: "BAD_RESP_ERR", 8: "LOC_ACCESS_ERR", 9: "REM_INV_REQ_ERR",
    10: "REM_ACCESS_ERR", 11: "REM_OP_ERR", 12: "RETRY_EXC_ERR", 13: "RNR_RETRY_EXC_ERR",
    16: "REM_ABORT_ERR", 19: "FATAL_ERR", 20: "RESP_TIMEOUT_ERR", 21: "GENERAL_ERR",
}
# Stages of a message: the name, and the times between which it lasts
STAGES = (("wait for card", "doorbell", "wqe"), ("prepare", "wqe", "packet"),
          ("wait for ACK", "packet", "ack"), ("complete", "ack", "cqe"))
# Width of an event on its row, ns; the next one cuts it
WIDTH = 500
# Numbers of processes and rows
FIRST_GUEST, IDLE_ROWS = 1001, 1 << 30
# A clock pair of the guest is the best one of such a time, ns
WINDOW = 500_000_000
# A pair that took so many times longer than the best one of all is not used
SLOW = 2
READ_PAUSE = 0.01
# Messages of a QP that may wait for a completion of them or of a later one
OPEN_MAX = 4096
# Value of a register of a device that does not answer
ALL_ONES = (1 << 64) - 1
# A line of the trace of a guest, of tracefs or of trace-cmd report
LINE = re.compile(r"^\s*(?P<task>.+?)-(?P<pid>\d+)\s+(?:\([^)]*\)\s+)?\[(?P<cpu>\d+)\]\s+"
                  r"(?:[^\s\d]\S*\s+)?(?P<time>\d+\.\d+): +(?P<event>[\w:]+): *(?P<text>.*)$")
CLOCK = re.compile(r"(?P<device>\S+): cycles=(?P<cycles>\d+) duration=(?P<ns>\d+) ns")
COMMAND = re.compile(r"\S+: (?P<name>\w+) .*duration=(?P<ns>\d+) ns")


class Record:
    """An event of a card."""

    __slots__ = ("ns", "wr_id", "qpn", "num", "psn", "value", "length", "path", "kind", "card",
                 "op", "code")

    def __init__(self, data, offset):
        (self.ns, self.wr_id, self.qpn, self.num, self.psn, self.value, self.length, self.path,
         self.kind, self.card, self.op, self.code, _) = RECORD.unpack_from(data, offset)


def later(first, second, bits):
    """Returns how far a number that wraps around is ahead of another one."""
    half = 1 << bits - 1
    return (first - second + half) % (1 << bits) - half


def unpack(data):
    return [Record(data, at) for at in range(0, len(data), RECORD.size)]


def record(control, ring, limit, ended):
    """Records a trace until `ended` returns true or `limit` events have come. Returns (the start
    as the cards tell it, the bytes of the events, the number of events that were lost)."""
    start, sock, _ = control.open(f"trace start {ring}")
    data, stopped = bytearray(), False
    with sock:
        while True:
            answer = control.open("trace read", sock)[0]
            part = bytes.fromhex(answer["records"])
            data += part
            if stopped and not part:
                return start, bytes(data), answer["lost"]
            start["ended_by_limit"] = len(data) >= limit * RECORD.size
            if not stopped and (ended() or start["ended_by_limit"]):
                control.open("trace stop", sock)
                stopped = True
            elif not part:
                time.sleep(READ_PAUSE)


# ---- messages ----

class Message:
    """A send work request. `times` has ns by the words of STAGES."""

    def __init__(self, wqe):
        self.wqe, self.times = wqe, {"wqe": wqe.ns}
        self.last = None    # PSN behind its packets, once it is known
        self.length = self.packets = self.again = self.naks = 0
        self.status = None

    def has(self, psn):
        return later(psn, self.wqe.psn, 24) >= 0 and \
            (self.last is None or later(psn, self.last, 24) < 0)

    def acknowledge(self, ns):
        self.times.setdefault("ack", ns)

    def stages(self):
        """Yields (name, from, to) of the stages that have both."""
        at = self.begin()
        for name, first, last in STAGES:
            if first in self.times and last in self.times:
                yield name, max(at, self.times[first]), max(at, self.times[last])
                at = max(at, self.times[last])

    def begin(self):
        return self.times.get("doorbell", self.wqe.ns)

    def end(self):
        return max(self.times.values())


class Queue:
    """The messages of a QP, from the events of its card in order."""

    def __init__(self):
        self.doorbells, self.open, self.done = collections.deque(), collections.deque(), []
        self.sent = None    # PSN behind the latest one ever sent

    def wqe(self, one):
        if one.code or (self.open and self.open[-1].wqe.value == one.value):
            return
        message = Message(one)
        while self.doorbells and later(self.doorbells[0].value, one.value, 32) < 0:
            self.doorbells.popleft()
        if self.doorbells:
            message.times["doorbell"] = self.doorbells[0].ns
        if self.open and self.open[-1].last is None:
            self.open[-1].last = one.psn
        self.open.append(message)
        if len(self.open) > OPEN_MAX:
            self.done.append(self.open.popleft())

    def out(self, one):
        """Returns whether a request is sent again."""
        end = (one.psn + one.value) % (1 << 24)
        again = self.sent is not None and later(one.psn, self.sent, 24) < 0
        if self.sent is None or later(end, self.sent, 24) > 0:
            self.sent = end
        message = next((each for each in self.open if each.has(one.psn)), None)
        if message:
            message.times.setdefault("packet", one.ns)
            message.packets += one.value
            message.again += one.value if again else 0
            message.length += 0 if again else one.length
        return again

    def answer(self, one):
        """A response has come: it acknowledges all up to its PSN."""
        kind = one.op & 0x1f
        psn = (one.psn + max(one.value, 1) - 1) % (1 << 24)
        refused = kind == 0x11 and one.code >> 5
        for message in self.open:
            if message.has(psn):
                if refused:
                    message.naks += 1
                elif message.wqe.op in ANSWERED:
                    if kind in LAST_ANSWERS:
                        message.acknowledge(one.ns)
                elif message is not self.open[-1] or kind == 0x11:
                    if later(psn, self.end_of(message), 24) == -1:
                        message.acknowledge(one.ns)
                return
            if later(psn, message.wqe.psn, 24) < 0:
                return
            message.acknowledge(one.ns)

    def end_of(self, message):
        return message.last if message.last is not None else self.sent

    def cqe(self, one):
        """Work completes in order, and some of it without an entry."""
        while self.open and later(self.number(self.open[0]), one.num, 32) <= 0:
            message = self.open.popleft()
            if self.number(message) == one.num:
                message.times["cqe"], message.status = one.ns, one.code
            self.done.append(message)

    @staticmethod
    def number(message):
        return message.wqe.num


def messages(records):
    """Returns ({(card, QPN): Queue}, {id of a Record: whether it is sent again})."""
    queues, again = collections.defaultdict(Queue), set()
    for one in records:
        queue = queues[one.card, one.qpn]
        if one.kind == DOORBELL:
            queue.doorbells.append(one)
        elif one.kind == WQE:
            queue.wqe(one)
        elif one.kind == OUT and one.op & 0x1f not in ANSWERS and queue.out(one):
            again.add(id(one))
        elif one.kind == IN and one.op & 0x1f in ANSWERS:
            queue.answer(one)
        elif one.kind == CQE and one.psn:
            queue.cqe(one)
    for queue in queues.values():
        queue.done += queue.open
    return queues, again


def flows(records):
    """Yields (packet that left, packet that arrived) of the same packet. The latest one that has
    left counts as the one that arrives: retransmissions look the same."""
    left = collections.defaultdict(list)
    for one in records:
        key = (one.path, one.op, one.psn, one.num if one.kind == OUT else one.qpn)
        if one.kind == OUT:
            left[key].append(one)
        elif one.kind == IN and left[key]:
            yield left[key][-1], one
            # A second arrival of the last one is a duplicate
            if len(left[key]) > 1:
                left[key].pop()


# ---- words ----

def packet_name(one):
    kind = one.op & 0x1f
    if kind == 0x11 and one.code >> 5 & 3 == 1:
        return "RNR NAK"
    if kind == 0x11 and one.code >> 5 & 3 == 3:
        value = one.code & 0x1f
        return f"NAK {NAKS[value] if value < len(NAKS) else value}"
    return PACKET.get(kind, f"opcode {one.op:#x}")


def event_name(one, again):
    if one.kind == LOST:
        return f"{one.value} events lost"
    if one.kind == DOORBELL:
        return "doorbell"
    if one.kind == WQE:
        return f"{'reread' if one.code else 'read'} {WORK.get(one.op, one.op)}"
    if one.kind == OUT:
        return f"{'again' if id(one) in again else 'out'} {packet_name(one)}"
    if one.kind == IN:
        return f"in {packet_name(one)}"
    if one.kind == CQE:
        return f"CQE {STATUS.get(one.code, one.code)}"
    return f"interrupt {one.num}"


def event_args(one):
    if one.kind in (OUT, IN):
        return {"psn": one.psn, "packets": one.value, "length": one.length,
                "peer_qpn": one.num}
    if one.kind == WQE:
        return {"wr_id": one.wr_id, "number": one.num, "psn": one.psn}
    if one.kind == CQE:
        return {"wr_id": one.wr_id, "number": one.num, "length": one.length,
                "queue": "send" if one.psn else "receive"}
    if one.kind == DOORBELL:
        return {"sq_pi": one.value}
    return {}


# ---- the Trace Event Format ----

class Writer:
    """Events of the format. Times are microseconds since `base` (ns)."""

    def __init__(self, base):
        self.base, self.events, self.rows = base, [], {}

    def us(self, ns):
        return round((ns - self.base) / 1000, 3)

    def process(self, pid, name):
        self.events.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0,
                            "args": {"name": name}})
        self.events.append({"ph": "M", "name": "process_sort_index", "pid": pid, "tid": 0,
                            "args": {"sort_index": pid}})

    def row(self, pid, tid, name):
        if (pid, tid) not in self.rows:
            self.rows[pid, tid] = name
            self.events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid,
                                "args": {"name": name}})

    def add(self, ph, name, pid, tid, ns, **more):
        self.events.append({"ph": ph, "name": name, "pid": pid, "tid": tid, "ts": self.us(ns),
                            **more})


def write_records(writer, records, again):
    """Adds a row for each QP, with all its events."""
    rows = collections.defaultdict(list)
    for one in records:
        rows[one.card + 1, one.qpn].append(one)
    for (pid, qpn), row in rows.items():
        writer.row(pid, qpn, f"QP {qpn}" if qpn else "card")
        for one, after in zip(row, [*row[1:], None]):
            width = min(WIDTH, after.ns - one.ns) if after else WIDTH
            writer.add("X", event_name(one, again), pid, qpn, one.ns, cat="card",
                       dur=width / 1000, args=event_args(one))


def write_messages(writer, queues):
    """Adds messages, which overlap, as nestable asynchronous slices with their stages."""
    number = 0
    for (card, qpn), queue in queues.items():
        for message in queue.done:
            number += 1
            wqe = message.wqe
            where = {"pid": card + 1, "tid": qpn, "cat": "message", "id": hex(number)}
            writer.add("b", f"{WORK.get(wqe.op, wqe.op)}", ns=message.begin(), **where, args={
                "wr_id": wqe.wr_id, "number": wqe.num, "psn": wqe.psn, "length": message.length,
                "packets": message.packets, "sent_again": message.again, "naks": message.naks,
                "status": STATUS.get(message.status, "no entry")})
            for name, first, last in message.stages():
                writer.add("b", name, ns=first, **where)
                writer.add("e", name, ns=last, **where)
            writer.add("e", f"{WORK.get(wqe.op, wqe.op)}", ns=message.end(), **where)


def write_flows(writer, records):
    for number, (left, arrived) in enumerate(flows(records), 1):
        same = {"cat": "packet", "id": number}
        writer.add("s", "packet", left.card + 1, left.qpn, left.ns, **same)
        writer.add("f", "packet", arrived.card + 1, arrived.qpn, arrived.ns, bp="e", **same)


def build(start, data, lost):
    """Returns the document of a trace."""
    records = unpack(data)
    writer = Writer(start["now_ns"])
    for number, card in enumerate(start["cards"], 1):
        writer.process(number, f"card {card['name']}")
    queues, again = messages(records)
    write_records(writer, records, again)
    write_messages(writer, queues)
    write_flows(writer, records)
    return {"displayTimeUnit": "ns", "otherData": {
        "base_ns": start["now_ns"], "cards": start["cards"], "lost_events": lost,
        "ended_by_limit": start["ended_by_limit"],
        "histograms": histograms(start["cards"], queues), "guests": [],
    }, "traceEvents": writer.events}


# ---- latencies ----

def histograms(cards, queues):
    """Returns the latencies of each QP and operation by stage: sorted values in ns, and how many
    are below each power of two."""
    found = collections.defaultdict(list)
    for (card, qpn), queue in queues.items():
        for message in queue.done:
            if message.status != 0:
                continue
            key = (cards[card]["name"], qpn, WORK.get(message.wqe.op, str(message.wqe.op)))
            for name, first, last in message.stages():
                found[(*key, name)].append(last - first)
            found[(*key, "all")].append(message.end() - message.begin())
    return [{"card": card, "qpn": qpn, "operation": operation, "stage": stage,
             **summary(sorted(values))}
            for (card, qpn, operation, stage), values in found.items()]


def summary(values):
    buckets = collections.Counter(1 << value.bit_length() for value in values)
    return {"count": len(values), "min_ns": values[0], "p50_ns": quantile(values, 0.5),
            "p90_ns": quantile(values, 0.9), "p99_ns": quantile(values, 0.99),
            "max_ns": values[-1], "below_ns": {str(top): buckets[top] for top in sorted(buckets)}}


def quantile(values, part):
    return values[min(len(values) - 1, int(len(values) * part))]


def latency_table(document):
    """Returns the rows of a table of latencies, in microseconds."""
    rows = [("CARD", "QP", "OPERATION", "STAGE", "COUNT", "MIN", "P50", "P90", "P99", "MAX")]
    for one in document["otherData"]["histograms"]:
        rows.append((one["card"], str(one["qpn"]), one["operation"], one["stage"],
                     str(one["count"]), *(f"{one[name] / 1000:.1f}" for name in (
                         "min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"))))
    return rows


# ---- guests ----

class Clock:
    """A guest's clock against that of its card, from the reads of CLOCK in its trace. A read took
    `duration`, so in the middle of it the clock had the value, give or take half of that. The event
    itself may come later, when the guest was interrupted, but never too early."""

    def __init__(self, reads):
        windows = {}
        for at, cycles, duration in reads:
            windows.setdefault(at // WINDOW, []).append((duration, at - duration // 2, cycles))
        found = [self.best(each) for each in windows.values()]
        # The clocks drift less than a read that was interrupted is wrong
        limit = SLOW * min(duration for duration, _, _ in found)
        best = sorted(each[::-1] for each in found if each[0] <= limit)
        self.cycles = [cycles for cycles, _, _ in best]
        self.guest = [at for _, at, _ in best]
        self.rate = 1.0
        if len(best) > 1 and self.guest[-1] > self.guest[0]:
            self.rate = ((self.cycles[-1] - self.cycles[0]) /
                         (self.guest[-1] - self.guest[0]))
        self.error = max(duration for _, _, duration in best) // 2
        # No read can have the value of a later time than that of its event
        self.error = max(self.error, *(cycles - self.card_time(at) for at, cycles, _ in reads))

    @staticmethod
    def best(reads):
        """Returns of the short reads that one whose event came soonest after it."""
        limit = 2 * min(duration for duration, _, _ in reads)
        return max((read for read in reads if read[0] <= limit),
                   key=lambda read: read[2] - read[1])

    def card_time(self, at):
        """Returns CLOCK at a time of the guest, both ns."""
        after = bisect.bisect(self.guest, at)
        if after in (0, len(self.guest)):
            near = 0 if not after else -1
            return round(self.cycles[near] + (at - self.guest[near]) * self.rate)
        first, last = self.guest[after - 1], self.guest[after]
        part = (at - first) / (last - first)
        return round(self.cycles[after - 1] +
                     part * (self.cycles[after] - self.cycles[after - 1]))


def guest_lines(path):
    """Yields the events of a guest's trace as matches of LINE."""
    with opened(path) as file:
        yield from filter(None, map(LINE.match, file))


def nanoseconds(text):
    seconds, part = text.split(".")
    return int(seconds) * 1_000_000_000 + int(part.ljust(9, "0")[:9])


def guest_clock(path, lines, device):
    """Returns the Clock that a guest's trace has for one of its devices."""
    reads = collections.defaultdict(list)
    for line in lines:
        match = CLOCK.match(line["text"]) if line["event"].endswith("ornic_clock") else None
        if match and int(match["cycles"]) != ALL_ONES:
            reads[match["device"]].append((nanoseconds(line["time"]), int(match["cycles"]),
                                           int(match["ns"])))
    if device:
        reads = {name: each for name, each in reads.items() if name == device}
    if not reads:
        raise Problem(f"{path}: no event ornic_clock{f' of {device}' if device else ''}: have the "
                      "guest read the clock while it is traced (phc_ctl /dev/ptp0 get)")
    if len(reads) > 1:
        raise Problem(f"{path}: clocks of {', '.join(sorted(reads))}: say which card is which by "
                      "CARD@DEVICE=FILE")
    return Clock(next(iter(reads.values())))


def add_guest(document, word):
    """Adds the trace of a guest: CARD=FILE or CARD@DEVICE=FILE."""
    name, found, path = word.partition("=")
    name, _, device = name.partition("@")
    cards = {card["name"]: card for card in document["otherData"]["cards"]}
    if not found or name not in cards:
        raise Problem(f"--guest wants CARD=FILE, and CARD is one of {', '.join(cards)}")
    lines = list(guest_lines(path))
    clock = guest_clock(path, lines, device)
    guests = document["otherData"]["guests"]
    pid = FIRST_GUEST + len(guests)
    writer = Writer(document["otherData"]["base_ns"])
    writer.process(pid, f"guest of {name}")
    for line in lines:
        write_line(writer, pid, line,
                   clock.card_time(nanoseconds(line["time"])) + cards[name]["clock_base_ns"])
    document["traceEvents"] += writer.events
    # Text has microseconds
    guests.append({"card": name, "file": str(path), "clock_reads": len(clock.guest),
                   "clock_error_ns": clock.error + 1000})


def write_line(writer, pid, line, ns):
    idle = line["pid"] == "0"
    tid = IDLE_ROWS + int(line["cpu"]) if idle else int(line["pid"])
    writer.row(pid, tid, f"idle on {int(line['cpu'])}" if idle else f"{line['task']}-{tid}")
    event = line["event"].rpartition(":")[2]
    args = {"text": line["text"], "cpu": int(line["cpu"])}
    command = COMMAND.match(line["text"]) if event == "ornic_cmd" else None
    if command:
        took = int(command["ns"])
        writer.add("X", command["name"], pid, tid, ns - took, cat="guest", dur=took / 1000,
                   args=args)
    else:
        writer.add("i", event, pid, tid, ns, cat="guest", s="t", args=args)


def notes(document):
    """Yields what a reader of the trace must know."""
    other = document["otherData"]
    if other["lost_events"]:
        yield (f"{other['lost_events']} events were lost, where the trace says so: give a longer "
               "--ring, or trace for a shorter time")
    if other["ended_by_limit"]:
        yield "the recording ended because --limit events had come"
    for guest in other["guests"]:
        yield (f"guest of {guest['card']}: its times are right to "
               f"{guest['clock_error_ns'] / 1000:.0f} us")


# ---- the command ----

@contextlib.contextmanager
def opened(path, mode="r"):
    try:
        with open(path, mode, encoding="utf-8", errors="replace") as file:
            yield file
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from error


def load(path):
    with opened(path) as file:
        try:
            document = json.load(file)
            if "base_ns" not in document["otherData"]:
                raise KeyError
        except (ValueError, KeyError, TypeError) as error:
            raise Problem(f"{path}: no trace of ornicctl") from error
    return document


def record_document(args):
    """Returns the document of a recording that a signal or --seconds ends."""
    ended, deadline = [], time.monotonic() + args.seconds if args.seconds else float("inf")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: ended.append(number))
    return build(*record(find_control(args), args.ring, args.limit,
                         lambda: ended or time.monotonic() > deadline))


def do_trace(args):
    """Writes what happens to messages, or adds guests to what was written."""
    if args.guest:
        document = load(args.file)
    else:
        # A file that cannot be written is refused before the recording, and not after it
        with opened(args.file, "a"):
            pass
        document = record_document(args)
    for guest in args.guest:
        add_guest(document, guest)
    with opened(args.file, "w") as file:
        json.dump(document, file)
    table(latency_table(document))
    for note in notes(document):
        print(f"note: {note}")
