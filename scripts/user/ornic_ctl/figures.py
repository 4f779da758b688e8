# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""All figures, for people, for programs, and for Prometheus."""

import json
from collections import namedtuple

from .control import find_control

# Figures that may become less; all others are counters
GAUGES = {"buffer_pages", "buffer_pages_leaving", "command_spin_ns", "connected", "fatal_cause",
          "link", "memory_bytes", "memory_files", "memory_leaving_bytes", "memory_regions",
          "objects", "ready", "rq_used", "rq_wqes", "running", "spin_ns", "sq_slots", "sq_used",
          "waiting"}
# Groups whose members have one name, and labels: {group: labels}
LABELLED = {"violations": ["kind"], "objects": ["kind"], "faults": ["kind"],
            "lies": ["kind", "place"]}
RENAMED = {"connected": "card_connected", "link": "card_link_up"}
QPS_MAX = 1 << 20

# One figure: its path, which labels complete, and its value
Figure = namedtuple("Figure", "words labels value")


def label(words, labels, value, names):
    """Yields the figures of a group in LABELLED."""
    if not names:
        yield Figure(words, labels, value)
        return
    for key, part in value.items():
        yield from label(words, {**labels, names[0]: key}, part, names[1:])


def walk(words, labels, value):
    """Yields the figures below a member of the answer."""
    if words and words[-1] in LABELLED:
        yield from label(words, labels, value, LABELLED[words[-1]])
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from walk([*words, key], labels, part)
    elif isinstance(value, int):
        yield Figure(words, labels, int(value))


def qp_figures(card, qp):
    labels = {"card": card, "qp": str(qp["qp"])}
    yield Figure(["qp_info"], {**labels, "type": qp["type"], "state": qp["state"],
                               "peer": str(qp["peer"])}, 1)
    for key, value in qp.items():
        if key not in ("qp", "peer", "type", "state"):
            yield Figure(["qp", key], labels, value)


def figures_of(stats, qps):
    """Yields all figures. `qps` has the QPs by card."""
    yield Figure(["info"], {"version": stats["version"]}, 1)
    for name, card in stats["cards"].items():
        host = card.get("host", {}).get("name", "")
        yield Figure(["card_info"], {"card": name, "mac": card["mac"], "host": host}, 1)
        yield from walk([], {"card": name}, {key: value for key, value in card.items()
                                             if key != "host"})
    for card, rows in qps.items():
        for qp in rows:
            yield from qp_figures(card, qp)
    switch = dict(stats["switch"])
    for name, port in switch.pop("ports", {}).items():
        yield from walk(["switch_port"], {"port": name}, port["wire"])
    yield from walk(["switch"], {}, switch)
    for group in ("capture", "loop", "trace"):
        yield from walk([group], {}, stats[group])


def print_text(figures):
    """Prints what is not 0: the card or port, the QP, the figure and its value."""
    for figure in figures:
        if figure.value and not figure.words[-1].endswith("info"):
            path = [*figure.labels.values(), *figure.words]
            print(".".join(word for word in path if word), figure.value)


def escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def metric(figure):
    """Returns (name, type, value) by the conventions of Prometheus: base units, _total for
    counters."""
    words = [RENAMED.get(word, word) for word in figure.words if word != "nic"]
    name, value = "ornic_" + "_".join(words), figure.value
    if name.endswith("_ns"):
        name, value = name.removesuffix("_ns") + "_seconds", value / 1e9
    if name.endswith("_info") or figure.words[-1] in GAUGES:
        return name, "gauge", value
    return f"{name}_total", "counter", value


def print_prometheus(figures):
    """Prints the text format of Prometheus, in which the samples of a name are together."""
    families = {}
    for figure in figures:
        name, kind, value = metric(figure)
        labels = ",".join(f'{key}="{escaped(text)}"' for key, text in figure.labels.items())
        samples = families.setdefault(name, (kind, []))[1]
        samples.append(f"{name}{{{labels}}} {value}" if labels else f"{name} {value}")
    for name, (kind, samples) in families.items():
        print(f"# HELP {name} {name.removeprefix('ornic_').replace('_', ' ')}, see "
              "ornic-device(1), stats")
        print(f"# TYPE {name} {kind}")
        print("\n".join(samples))


def print_json(stats, qps):
    print(json.dumps({**stats, "qps": qps} if qps else stats, indent=1))


FORMATS = {"text": print_text, "json": None, "prometheus": print_prometheus}


def do_stats(args):
    control = find_control(args)
    stats = control.ask("stats")
    qps = {name: list(control.qps(name, QPS_MAX)) for name in stats["cards"]} if args.qps else {}
    if args.format == "json":
        print_json(stats, qps)
    else:
        FORMATS[args.format](figures_of(stats, qps))
