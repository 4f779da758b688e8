# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tables of cards, ports and services."""

import json
import time

from .control import find_control, instances


def rows_of(rows):
    """Yields the lines of a table."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip()


def table(rows):
    print("\n".join(rows_of(rows)))


def rates(before, after, seconds):
    """Returns the words that describe the traffic of a card between two looks."""
    words = []
    for way in ("tx", "rx"):
        packets, size = ((after["wire"][f"{way}_{unit}"] - before["wire"][f"{way}_{unit}"])
                         / seconds for unit in ("packets", "bytes"))
        words.append(f"{way} {packets:.0f}/s {size / 1e6:.1f} MB/s")
    return ", ".join(words)


def totals(card):
    wire = card["wire"]
    return ", ".join(f"{way} {wire[f'{way}_packets']}" for way in ("tx", "rx"))


def do_status(args):
    control = find_control(args)
    before = control.ask("stats")
    after = before
    if args.rates:
        time.sleep(args.rates)
        after = control.ask("stats")
    if args.json:
        print(json.dumps(after, indent=1))
        return
    rows = [("CARD", "MAC", "QEMU", "LINK", "DRIVER", "PACKETS", "SOCKET")]
    for name, card in after["cards"].items():
        old = before["cards"].get(name, card)
        traffic = rates(old, card, args.rates) if args.rates else totals(card)
        rows.append((name, card["mac"], "connected" if card["connected"] else "-",
                     "up" if card["link"] else "down", card.get("host", {}).get("name", "-"),
                     traffic, card["socket"]))
    table(rows)


def do_ports(args):
    rows = [("PORT", "SENT", "RECEIVED", "DROPPED")]
    stats = find_control(args).ask("stats")
    ports = {name: card["wire"] for name, card in stats["cards"].items()}
    ports.update((name, port["wire"]) for name, port in stats["switch"]["ports"].items())
    for name, wire in ports.items():
        rows.append((name, f"{wire['tx_packets']}", f"{wire['rx_packets']}", f"{wire['drops']}"))
    table(rows)


def do_list(_):
    table([("SERVICE", "CONTROL SOCKET"), *((name, str(path)) for name, path in
                                            instances().items())])
