# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`make bench`: compares ORNIC with rdma_rxe over virtio-net, in turn, between the same two VMs."""

import statistics
import subprocess
import sys

from . import Lab, LabError, cputime, paths
from .pair import Pair, Processes
from .perftest import ProgramFailed, find, perftest
from .programs import command_times, frame_rates, object_rates, scale_cost
from .progress import say, table

ROUNDS = 3
# (program, size in bytes, iterations for ORNIC, iterations for rxe)
LATENCIES = [
    (f"ib_{kind}_lat", size, 2000, 300) for kind in ("send", "write", "read") for size in (2, 4096)
] + [
    # Both sides sleep until an event; ib_write_lat has no events
    (f"ib_{kind}_lat -e", 2, 1000, 300) for kind in ("send", "read")
]
BANDWIDTHS = [
    (f"ib_{kind}_bw", size, fast, slow)
    for kind in ("send", "write", "read")
    for size, fast, slow in ((64, 20000, 1000), (4096, 10000, 500), (65536, 5000, 200),
                             (1 << 20, 1000, 50))
] + [
    # Eight QPs at once, bidirectional, so that the card serves many QPs. Iterations are per QP.
    (f"ib_{kind}_bw -b -q 8", size, fast, slow)
    for kind in ("send", "write")
    for size, fast, slow in ((64, 10000, 300), (65536, 1000, 40))
]
# Two cards in two processes: (program, size in bytes, iterations)
PROCESSES = [(f"ib_{kind}_lat", 2, 1000) for kind in ("send", "write", "read")] + [
    ("ib_write_bw", 64, 20000), ("ib_write_bw", 65536, 1000), ("ib_read_bw", 65536, 1000),
    ("ib_write_bw", 1 << 20, 600), ("ib_read_bw", 1 << 20, 600),
]
# (size in bytes, frames by RAW_PACKET, frames by AF_PACKET)
FRAMES = [(64, 200000, 50000), (1500, 100000, 30000)]
# Calls that wait for the device, by kind of object: {call: (command, how many of them)}. Most calls
# of open and close have no command, because the driver keeps doorbell pages.
COMMANDS = [
    {"create CQ": ("CREATE_CQ", 1), "destroy CQ": ("DESTROY_CQ", 1)},
    {"create QP": ("CREATE_QP", 1), "RESET to RTS": ("MODIFY_QP", 3),
     "destroy QP": ("DESTROY_QP", 1)},
    *({f"register {size}": ("CREATE_MR", 1), f"deregister {size}": ("DESTROY_MR", 1)}
      for size in ("4 KiB", "1 MiB", "16 MiB")),
]
# (program, size in bytes, round trips of a run that is subtracted, round trips of the other run)
EVENTS = ("ib_send_lat -e", 2, 500, 10500)
# (number of QPs, messages for ORNIC, messages for rxe)
SCALES = [(1, 400000, 20000), (100, 400000, 20000), (1000, 200000, 20000), (10000, 200000, 20000)]
OUTPUT = paths.TOP / "Documentation"


def size_name(size):
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size // factor} {unit}"
    return f"{size} B"


def measure(pair, program, size, iterations):
    """Returns the numbers of each round by device. The devices take turns, so that a change of the
    host's load affects both. A round in which rdma_rxe fails has no numbers of it: eight of its QPs
    run out of retries on a slow host, which says nothing of ORNIC."""
    results = {"ornic": [], "rxe": []}
    for _ in range(ROUNDS):
        numbers, _ = perftest(pair, pair.ornic, program, size, iterations["ornic"], timeout=300)
        results["ornic"].append(numbers)
        try:
            numbers, _ = perftest(pair, pair.rxe, program, size, iterations["rxe"], timeout=300)
            results["rxe"].append(numbers)
        except ProgramFailed as error:
            say(f"{program}, {size_name(size)}: rdma_rxe failed: {error}")
    return results


def median(results, key):
    """Returns the median of a number of each round, or None without rounds."""
    return statistics.median(numbers[key] for numbers in results) if results else None


def cell(number):
    return f"{number:.1f}" if number else "-"


def latency_row(program, size, results):
    ornic, rxe = (median(results[name], "typical") for name in ("ornic", "rxe"))
    tail = median(results["ornic"], "p99")
    return (program, size_name(size), f"{ornic:.1f}", f"{tail:.1f}", cell(rxe),
            cell(rxe and rxe / ornic))


def bandwidth_row(program, size, results):
    ornic, rxe = (median(results[name], "mib_s") for name in ("ornic", "rxe"))
    rate = median(results["ornic"], "msgs_s")
    return (program, size_name(size), f"{ornic:.1f}", f"{rate:.0f}", cell(rxe),
            cell(rxe and ornic / rxe))


def attempt(what, failed, call, *words):
    """Returns call(*words), or `failed` if a program or a VM fails."""
    say(what)
    try:
        return call(*words)
    except (ProgramFailed, LabError, subprocess.CalledProcessError) as error:
        say(f"{what} FAILED: {error}")
        return failed


def run(pair, cases, make_row):
    def row(program, size, fast, slow):
        return make_row(program, size, measure(pair, program, size, {"ornic": fast, "rxe": slow}))

    return [attempt(f"{program}, {size_name(size)}", (program, size_name(size), "failed", *"---"),
                    row, program, size, fast, slow) for program, size, fast, slow in cases]


def processes_row(pair, program, size, count, alone):
    """Returns a table row: the median for two processes beside the figure for one process."""
    key, unit = ("typical", "us") if program.endswith("_lat") else ("mib_s", "MiB/s")
    runs = [perftest(pair, pair.ornic, program, size, count, timeout=300)[0] for _ in range(ROUNDS)]
    name = size_name(size)
    return (program, name, alone.get((program, name), "-"), f"{median(runs, key):.1f}", unit)


def run_processes(lab, rows):
    """Measures VMs whose cards are two processes, joined by a dgram port. `rows` has the figures
    for one process."""
    alone = {row[:2]: row[2] for row in rows}
    pair = attempt("two processes", None, lambda: Processes(lab).start().load_ornic())
    if not pair:
        return [("two processes", "-", "failed", "-", "-")]
    return [attempt(f"two processes: {program}, {size_name(size)}",
                    (program, size_name(size), "failed", "-", "-"),
                    processes_row, pair, program, size, count, alone)
            for program, size, count in PROCESSES]


def frame_row(pair, size, counts):
    """Returns a table row: the median frames per second, sent and received, of each interface."""
    results = {name: [] for name in counts}
    for _ in range(ROUNDS):
        for name, count in counts.items():
            results[name].append(frame_rates(pair, pair.ornic, name, size, count)[0])
    raw, packet = ({key: median(results[name], key) for key in ("sent", "received")}
                   for name in ("raw", "packet"))
    return (f"{size} B", f"{raw['sent']:.0f}", f"{raw['received']:.0f}",
            f"{packet['sent']:.0f}", f"{packet['received']:.0f}",
            f"{raw['received'] / max(packet['received'], 1):.1f}")


def run_frames(pair):
    return [attempt(f"frames, {size} B", (f"{size} B", "failed", *"----"),
                    frame_row, pair, size, {"raw": raw, "packet": packet})
            for size, raw, packet in FRAMES]


def waiting_times(pair):
    """Returns {call: us in which it waits for answers to its commands}."""
    found = {}
    for calls in COMMANDS:
        times = command_times(pair.a, pair.ornic[pair.a], next(iter(calls)))
        found |= {call: count * times[command] for call, (command, count) in calls.items()}
    return found


def object_rows(pair):
    """Returns table rows: the median calls per second of one process in VM a, by call, and what
    the call spends its time on."""
    results = {"ornic": [], "rxe": []}
    for _ in range(ROUNDS):
        for name, ports in (("ornic", pair.ornic), ("rxe", pair.rxe)):
            results[name].append(object_rates(pair.a, ports[pair.a]))
    rates = {call: [median(results[name], call) for name in ("ornic", "rxe")]
             for call in results["ornic"][0]}
    waits = dict.fromkeys(rates, 0) | waiting_times(pair)
    return [(call, f"{ornic:.0f}", f"{rxe:.0f}", f"{ornic / rxe:.2f}", f"{1e6 / ornic:.1f}",
             f"{waits[call]:.1f}", f"{1e6 / ornic - waits[call]:.1f}", f"{1e6 / rxe:.1f}")
            for call, (ornic, rxe) in rates.items()]


def event_rows(pair):
    """Returns table rows: what each thread does for a round trip in which both sides sleep."""
    costs = {name: cputime.per_round_trip(pair, ports, *EVENTS)[0]
             for name, ports in (("ornic", pair.ornic), ("rxe", pair.rxe))}
    return [(thread, f"{run:.0f}", f"{wait:.0f}", f"{slept:.1f}",
             *(f"{number:.{digits}f}" for number, digits in zip(costs["rxe"][thread], (0, 0, 1))))
            for thread, (run, wait, slept) in costs["ornic"].items()]


def cards_alone(qps, messages):
    """Returns the least microseconds of CPU time that two cards without VMs need per WRITE."""
    out = paths.BUILD / "device"
    program = out / "unit/roce/scale_bench"
    subprocess.run(["make", "-s", "-C", paths.TOP / "tests/unit", "SAN=0", f"O={out}", program],
                   check=True, stdout=sys.stderr)
    texts = [subprocess.run([program, str(qps), str(messages)], stdout=subprocess.PIPE, text=True,
                            check=True).stdout for _ in range(ROUNDS)]
    return min(float(find(r"([\d.]+) ns per WRITE", text, text)[1]) for text in texts) / 1e3


def scale_row(pair, qps, counts, alone):
    """Returns a table row, and the median cost with ORNIC. `alone` is that of one QP, or None."""
    costs = {"ornic": [], "rxe": []}
    for _ in range(ROUNDS):
        for name, ports in (("ornic", pair.ornic), ("rxe", pair.rxe)):
            costs[name].append(scale_cost(pair, ports, qps, counts[name])[0])
    ornic, rxe = (statistics.median(costs[name]) for name in ("ornic", "rxe"))
    row = (qps, f"{ornic:.2f}", f"{ornic / alone:.2f}" if alone else "-", f"{rxe:.1f}",
           f"{rxe / ornic:.1f}", f"{cards_alone(qps, counts['ornic']):.2f}")
    return row, ornic


def run_scale(pair):
    rows, alone = [], None
    for qps, fast, slow in SCALES:
        row, cost = attempt(f"WRITE on {qps} QPs", ((qps, "failed", *"----"), None),
                            scale_row, pair, qps, {"ornic": fast, "rxe": slow}, alone)
        if qps == 1:
            alone = cost
        rows.append(row)
    return rows


PLOT = """set terminal svg size 800,400 font "DejaVu Sans,11" background "white"
set output "{output}"
set title "{title}"
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.8
set logscale y
set ylabel "{unit}"
set grid ytics
set xtics rotate by -40
set key outside
plot "{data}" using 3:xtic(1) title "ORNIC" lc rgb "#3465a4", \\
     "" using 4 title "rdma_rxe" lc rgb "#cc7a00"
"""


def plot(name, title, unit, rows, logdir):
    data = logdir / f"{name}.dat"
    good = [row for row in rows if row[2] != "failed"]
    if not good:
        return
    data.write_text("".join(
        f'"{row[0].removeprefix("ib_")} {row[1]}" - {row[2]} {row[4]}\n' for row in good))
    script = PLOT.format(output=OUTPUT / f"bench-{name}.svg", title=title, unit=unit, data=data)
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def without_machines(name):
    """Runs a program of tests/bench, which needs no VMs; returns (exit code, text)."""
    run = subprocess.run([sys.executable, paths.TOP / "tests/bench" / name],
                         stdout=subprocess.PIPE, text=True, check=False)
    return run.returncode, run.stdout


def document(latencies, bandwidths, events, objects, scale, frames, processes, neighbours, cost):
    first = table(("program", "size", "ORNIC us", "p99 us", "rxe us", "ratio"), latencies)
    second = table(("program", "size", "ORNIC MiB/s", "messages/s", "rxe MiB/s", "ratio"),
                   bandwidths)
    threads = table(("thread", "runs us", "waits us", "sleeps", "rxe: runs us", "waits us",
                     "sleeps"), events)
    calls = table(("call", "ORNIC /s", "rxe /s", "ratio", "ORNIC us", "device us", "rest us",
                   "rxe us"), objects)
    queues = table(("QPs", "ORNIC us", "to one QP", "rxe us", "ratio", "cards alone us"), scale)
    third = table(("size", "RAW sent/s", "received/s", "AF_PACKET sent/s", "received/s", "ratio"),
                  frames)
    fourth = table(("program", "size", "one process", "two processes", "unit"), processes)
    return f""".. SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

======================
ORNIC against rdma_rxe
======================

Written by ``make bench``. Two virtual machines with one vCPU each; ORNIC cards of one process
against rdma_rxe over virtio-net (QEMU's ``stream`` link, MTU 9000). Both take turns in the same
machines; each figure is the median of {ROUNDS} runs. A ratio above 1 means that ORNIC is faster; a
row without one is of a program that failed with rdma_rxe in each run.
perftest uses the same buffer again and again, so large messages move at the speed of the host's
caches.

Latency
=======

With ``-e`` both sides sleep until a completion event; without it they poll.

::

{indent(first)}

.. image:: bench-latency.svg

The table below has the time of the host's threads for one round trip of ``{EVENTS[0]}``, so for
two messages: on a core, runnable without a core, and how often they slept. A round trip is a chain
of the vCPU, the card, QEMU's main loop, which takes the interrupt, and the other vCPU. So the vCPUs
and main loops together are a lower bound for it, however soon the card is awake.
``scripts/lab/cputime.py`` measures this.

::

{indent(threads)}

Bandwidth
=========

::

{indent(second)}

.. image:: bench-bandwidth.svg

Control path
============

Calls per second of one process that creates a batch of objects and destroys it again. Memory of
regions is touched before. ``tests/e2e/guest/objects.c`` measures this. *device* is the time from
the submission of a call's command to its answer (*RESET to RTS* has three), by the trace event
``ornic_cmd``; *rest* is all else. rdma_rxe has no device behind it, so a call is slower than with
rdma_rxe where *device* is more than the driver saves elsewhere. A creation needs the number that
the device gives. A destruction waits for the device, because the memory would be unpinned, or the
number given away, while a peer still reaches them.

::

{indent(calls)}

Scale
=====

Microseconds per RDMA WRITE of 8 bytes, inline, on a QP that is chosen at random from so many; 32
are under way at any time. *To one QP* is the ratio to the first row. ``tests/e2e/guest/scale.c``
measures this. *Cards alone* is the CPU time of both cards without machines, by
``tests/unit/roce/scale_bench.c``.

The messages under way on one QP share acknowledgements. Each message on a QP of its own has one, so
the cards handle two packets for it. In November 2026 callgrind counted 3,900 instructions for a
WRITE in both cards with one QP and 7,100 with 10,000, and no miss and 18 misses of a cache of 1
MiB: the state of the QP at both ends, its records, WQE and answer. The guest touches a WQE, a
record and a QP of the provider for each message, too. They are on pages of their own, so its TLB,
which QEMU emulates, misses as well.

::

{indent(queues)}

Frames
======

Ethernet frames per second from one machine to the other, with a RAW_PACKET queue pair and a flow
rule, and with packet sockets (``sendmmsg`` and ``recvmmsg``, no queueing discipline) on the netdev
of the same port. Nothing limits the sender, so a receiver that is too slow loses frames. The ratio
is that of the received frames. ``tests/e2e/guest/pps.c`` measures this.

::

{indent(third)}

Two processes
=============

The cards of the two machines are in one process, as above, or in a process each (``--port dgram``),
which is recommended for different tenants. Packets between two processes are bytes with an ICRC,
and cross a Unix datagram socket.

::

{indent(fourth)}

Neighbours
==========

The effect on a client of a card's process while another client attacks: the longest read of a
register, and the bandwidth of RDMA writes of 64 KiB in per cent of the bandwidth without an attack.
Both are measured in CPU time of the card's thread. The goals are at most 5 ms and at least half.
``tests/bench/neighbours.py`` measures this; the attacks are those of
``tests/unit/neighbour/``. In the ``rc_`` rows the client has connected 128 queue pairs with the
attacker, so its own card serves them beside the writes; the attacker pays for that time.

The unit tests hold the same attacks against a clock that counts work instead of time: the client
gets at least 46 % of the work's time under each of them [ORNIC-ISO-4]. Caches, the kernel and the
rest of the machine play no role there. Here they do, so a row may miss a goal for one of these
reasons:

* A share of 45 to 49.9 %: the client has half of the time, but uses less of it well. Its packets
  and those of the attacker evict each other's memory from the caches, and a change of the payer
  reads the clock. ``held_events`` and ``rc_lost`` show more of this, down to 40 %: both clients
  sleep for 2 ms before each turn, and the attacker prepares its work on the same core meanwhile.
  Rows differ by some per cent from run to run, and these two by up to 15.
* ``capture``: the operator's capture copies and writes each packet of any sender, so the client has
  about half of its bandwidth even alone with a capture. It keeps half of that.
* ``faults``: the operator's faults delay half of all packets, also of the client, so packets
  overtake each other and are sent again. The client alone with these faults has less than in
  this row.
* ``shrunk_sent`` and ``shrunk_delivered``, the longest read: the attacker has shrunk a file of 16
  MiB that it had shared as memory. Other pages replace the file, the card sends from nearly all of
  them, and ends the connection. Most of the read's time is one ``munmap()``, in which the kernel
  frees these pages. It happens once per connection, so the share is hardly less than 100 %.

::

{indent(neighbours)}

Provider
========

Instructions and nanoseconds that libornic spends in the caller's thread per verbs call, with a
device that is awake; *each* is per request or completion of a list. The nanoseconds do not include
the work of the device. *model* is a sketch of a provider for these rings, with all its locks.
``tests/bench/provider_cost.py`` measures this.

::

{indent(cost)}
"""


def indent(text):
    return "\n".join("  " + line for line in text.splitlines())


def main():
    OUTPUT.mkdir(exist_ok=True)
    with Lab("bench") as lab:
        say("booting two virtual machines, each with a card and a virtio-net card")
        try:
            pair = Pair(lab, cable="stream").start()
            pair.load_ornic()
            pair.load_rxe()
        except LabError as error:
            say(f"FAILED: {error}")
            return 1
        latencies = run(pair, LATENCIES, latency_row)
        bandwidths = run(pair, BANDWIDTHS, bandwidth_row)
        events = attempt(f"{EVENTS[0]}: CPU time by thread", [("events", "failed", *"-----")],
                         event_rows, pair)
        objects = attempt("calls that create and destroy objects",
                          [("objects", "failed", *"------")], object_rows, pair)
        scale = run_scale(pair)
        frames = run_frames(pair)
        pair.discard()
        processes = run_processes(lab, latencies + bandwidths)
        plot("latency", "Latency (less is better)", "us", latencies, lab.logdir)
        plot("bandwidth", "Bandwidth (more is better)", "MiB/s", bandwidths, lab.logdir)
    say("attacking a neighbour")
    failed, neighbours = without_machines("neighbours.py")
    say("counting the provider's instructions")
    code, cost = without_machines("provider_cost.py")
    text = document(latencies, bandwidths, events, objects, scale, frames, processes, neighbours,
                    cost)
    (OUTPUT / "bench.rst").write_text(text)
    print(text)
    say(f"written: {OUTPUT}/bench.rst")
    rows = latencies + bandwidths + events + objects + scale + frames + processes
    return 1 if failed or code or any("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
