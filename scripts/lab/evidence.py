# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Keeps evidence when a test fails: the text of the failure, the packets that were captured during
the test, the states of QPs, the cards' statistics, and the end of each log."""

import json
import re
import struct

from . import paths
from .errors import LabError
from .process import tail

DIRECTORY = paths.BUILD / "logs" / "failed"
GLOBAL_HEADER, RECORD_HEADER = 24, 16
NANOSECONDS_MAGIC = 0xA1B23C4D
LINES = 60
# Diagnostic commands in a guest; TIMEOUT is in seconds and short, because the guest may hang
QUESTIONS = ("rdma resource show qp -dd; rdma statistic show; ip -s link; ss -tnp; "
             "dmesg | tail -n 60")
TIMEOUT = 10


def cut_pcap(source, target, since):
    """Copies the packets of a nanosecond capture from `since` (as of time.time()) on, and returns
    their number. An incomplete last packet is dropped, because the capture is still running."""
    count = 0
    with open(source, "rb") as whole, open(target, "wb") as part:
        header = whole.read(GLOBAL_HEADER)
        if len(header) < GLOBAL_HEADER or struct.unpack("<I", header[:4])[0] != NANOSECONDS_MAGIC:
            return 0
        part.write(header)
        while len(record := whole.read(RECORD_HEADER)) == RECORD_HEADER:
            seconds, nanoseconds, length, _ = struct.unpack("<4I", record)
            if seconds + nanoseconds / 1e9 < since:
                whole.seek(length, 1)
                continue
            data = whole.read(length)
            if len(data) < length:
                break
            part.write(record + data)
            count += 1
    return count


def seen_since(vms, since):
    """Returns the VMs that run, and those that have ended since then whose console log is still
    there: a later VM of the same name overwrites it."""
    running = {vm.name for vm in vms if not vm.over}
    return [vm for vm in vms if not vm.over or
            vm.name not in running and vm.console_log.exists() and
            vm.console_log.stat().st_mtime >= since]


def directory_of(test):
    return DIRECTORY / re.sub(r"[^\w.=-]+", "-", test)


def add_failure(test, text):
    """Stores the text of a failure behind those of earlier failures of the test in this run."""
    with open(directory_of(test) / "failure.txt", "a", encoding="utf-8") as failure:
        failure.write(text + "\n")


def keep(lab, test, since, failure=""):
    """Stores the evidence in a directory for this test, and returns lines for the failure's
    report. `lab` is None if no test has used it; `failure` is the text of the failure."""
    directory = directory_of(test)
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.iterdir():
        old.unlink()
    lines = [f"kept in {directory}:"]
    if failure:
        add_failure(test, failure)
        lines.append("  failure.txt: the text of the failure")
    return "\n".join(lines + (keep_state(lab, directory, since) if lab else []))


def keep_state(lab, directory, since):
    """Stores the state of VMs and cards, and returns lines for the failure's report."""
    lines = []
    for vm in seen_since(lab.vms, since):
        try:
            text = vm.run(QUESTIONS, TIMEOUT)[1] if vm.agent and vm.running() else "it does not run"
        except (LabError, OSError) as error:
            text = str(error)
        text += f"\n\nconsole:\n{tail(vm.console_log, LINES)}\n"
        (directory / f"{vm.name}.txt").write_text(text)
        lines.append(f"  {vm.name}.txt: queue pairs, counters, dmesg; console: {vm.console_log}")
    for card in lab.cards:
        if card.over:
            continue
        try:
            text = json.dumps(card.stats(), indent=1)
        except (OSError, ValueError) as error:
            text = str(error)
        (directory / f"{card.name}.json").write_text(text + "\n")
        lines.append(f"  {card.name}.json: statistics; log: {card.log}\n{card.tail()}")
        if card.pcap and card.pcap.exists():
            count = cut_pcap(card.pcap, directory / f"{card.name}.pcap", since)
            lines.append(f"  {card.name}.pcap: {count} packets of this test")
        else:
            lines.append("  no capture: between cards of one process packets are no bytes")
    return lines
