# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Rates of cards, ports and QPs: on a terminal a screen, else one text after another."""

import shutil
import sys
import time
from contextlib import contextmanager

from .control import Problem, find_control
from .show import rows_of

QPS = 10
# QPs of a card that are read, so that a look stays cheap for it
QPS_READ = 1024
CARD_HEAD = ("CARD", "LINK", "HOST", "TX-MB/s", "RX-MB/s", "TX-PKT/s", "RX-PKT/s", "RETX/s",
             "RNR/s", "TMO/s", "DROP/s", "QPS", "BUSY%")
QP_HEAD = ("CARD", "QP", "TYPE", "STATE", "PEER", "TX-MB/s", "SEND/s", "RECV/s", "RETX/s", "RNR/s",
           "SQ", "RQ")
# The messages that a QP has executed, and those that it has sent, count up to here
WRAPS = {"rx_messages": 1 << 24, "sends": 1 << 32}
# Another screen without cursor, and back; the upper left corner; the rest of a line, of the screen
ENTER, LEAVE, HOME, LINE, REST = "\033[?1049h\033[?25l", "\033[?25h\033[?1049l", "\033[H", \
    "\033[K\n", "\033[J"


class Look:
    """All figures at one time."""

    def __init__(self, control, want_qps):
        self.stats = control.ask("stats")
        self.time = time.monotonic()
        self.faults = control.ask("fault")
        self.qps = {}
        for name, card in self.stats["cards"].items():
            if want_qps and card["nic"]["objects"]["qp"]:
                for qp in control.qps(name, QPS_READ):
                    self.qps[name, qp["qp"]] = qp


def grown(before, after):
    """Returns how much a counter has grown, which a reset of its card sets to 0."""
    return after - before if after >= before else after


def number(value):
    return f"{value:.0f}" if value >= 10 or not value else f"{value:.1f}"


def megabytes(value):
    return f"{value / 1e6:.1f}"


class Rates:
    """Rates between two looks."""

    def __init__(self, before, after):
        self.before, self.after = before, after
        self.seconds = max(after.time - before.time, 1e-6)

    def card(self, name, *paths):
        """Returns the sum of some counters of a card, which "nic.rdma.retransmits" names."""
        after = self.after.stats["cards"][name]
        before = self.before.stats["cards"].get(name, after)
        return sum(grown(self.figure(before, path), self.figure(after, path))
                   for path in paths) / self.seconds

    @staticmethod
    def figure(value, path):
        for word in path.split("."):
            value = value[word]
        return value

    def qp(self, key, *names):
        """Returns the sum of some counters of a QP; one that is new has had none."""
        old, new = self.before.qps.get(key), self.after.qps[key]
        if old is None:
            return 0
        return sum((new[name] - old[name]) % WRAPS[name] if name in WRAPS else
                   grown(old[name], new[name]) for name in names) / self.seconds

    def card_row(self, name):
        card = self.after.stats["cards"][name]
        return (name, "up" if card["link"] else "down", card.get("host", {}).get("name") or "-",
                megabytes(self.card(name, "wire.tx_bytes")),
                megabytes(self.card(name, "wire.rx_bytes")),
                number(self.card(name, "wire.tx_packets")),
                number(self.card(name, "wire.rx_packets")),
                number(self.card(name, "nic.rdma.retransmits")),
                number(self.card(name, "nic.rdma.rnr_naks_sent", "nic.rdma.rnr_naks_received")),
                number(self.card(name, "nic.rdma.ack_timeouts")),
                number(self.card(name, "wire.drops", "nic.port.rx_dropped_no_wqe",
                                 "nic.rdma.rx_no_wqe")),
                str(card["nic"]["objects"]["qp"]),
                number(self.card(name, "function.time_ns") / 1e7))

    def activity(self, key):
        return self.qp(key, "tx_bytes"), self.qp(key, "sends", "rx_messages", "retransmits",
                                                 "rnr_naks_sent", "rnr_naks_received")

    def qp_row(self, key):
        qp = self.after.qps[key]
        return (key[0], str(key[1]), qp["type"], qp["state"], str(qp["peer"] or "-"),
                megabytes(self.qp(key, "tx_bytes")), number(self.qp(key, "sends")),
                number(self.qp(key, "rx_messages")), number(self.qp(key, "retransmits")),
                number(self.qp(key, "rnr_naks_sent", "rnr_naks_received")),
                depth(qp["sq_used"], qp["sq_slots"]), depth(qp["rq_used"], qp["rq_wqes"]))


def depth(used, size):
    return f"{used}/{size}" if size else "-"


def title(look):
    """Returns the line above the tables."""
    words = [time.strftime("%H:%M:%S"), f"ornic-device {look.stats['version']}"]
    words += (f"{kind} {ppm} ppm" for kind, ppm in look.faults.items() if ppm)
    if look.stats["capture"]["running"]:
        words.append("captured")
    return ", ".join(words)


def page(before, after, qps):
    """Returns the lines of one look."""
    rates = Rates(before, after)
    lines = [title(after)]
    lines += rows_of([CARD_HEAD, *map(rates.card_row, after.stats["cards"])])
    if qps and after.qps:
        busiest = sorted(after.qps, key=rates.activity, reverse=True)[:qps]
        lines += ["", *rows_of([QP_HEAD, *map(rates.qp_row, busiest)])]
    return lines


@contextmanager
def output():
    """Yields a function that prints a page."""
    if not sys.stdout.isatty():
        yield lambda lines: print("\n".join(lines), end="\n\n", flush=True)
        return

    def show(lines):
        width, height = shutil.get_terminal_size()
        shown = LINE.join(line[:width] for line in lines[:height])
        print(HOME + shown + REST, end="", flush=True)

    print(ENTER, end="")
    try:
        yield show
    finally:
        print(LEAVE, end="", flush=True)


def do_top(args):
    if args.delay <= 0:
        raise Problem(f"--delay {args.delay}: seconds are needed, more than 0")
    control = find_control(args)
    before, shown = Look(control, args.qps), 0
    with output() as show:
        while not args.count or shown < args.count:
            time.sleep(args.delay)
            after = Look(control, args.qps)
            show(page(before, after, args.qps))
            before, shown = after, shown + 1
