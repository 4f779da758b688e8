# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A strict check of the Trace Event Format, as far as `ornicctl trace` uses it: what is wrong here,
Perfetto drops or shows at the wrong place, and says so nowhere."""

import collections
import numbers

# Members of each phase besides ph, name, pid and tid; those in brackets are optional
PHASES = {
    "M": "args", "X": "ts dur cat [args]", "i": "ts s cat [args]", "B": "ts cat [args]",
    "E": "ts [cat] [args]", "b": "ts cat id [args]", "e": "ts cat id [args]", "s": "ts cat id",
    "f": "ts cat id bp",
}
METADATA = {"process_name": str, "thread_name": str, "process_sort_index": int}


def check(document):
    """Fails unless a document is valid. Returns its events by phase."""
    assert set(document) <= {"traceEvents", "displayTimeUnit", "otherData"}
    assert document["displayTimeUnit"] in ("ms", "ns")
    phases = collections.defaultdict(list)
    for event in document["traceEvents"]:
        check_members(event)
        phases[event["ph"]].append(event)
    check_names(phases["M"], [event for ph, each in phases.items() if ph != "M"
                              for event in each])
    check_rows(phases)
    check_async(document["traceEvents"])
    check_flows(phases)
    return phases


def check_members(event):
    ph = event["ph"]
    assert ph in PHASES, event
    words = PHASES[ph].split()
    needed = {"ph", "name", "pid", "tid", *(word for word in words if word[0] != "[")}
    assert needed <= set(event) <= needed | {word.strip("[]") for word in words}, event
    assert isinstance(event["name"], str) and event["name"], event
    for name in ("pid", "tid"):
        assert type(event[name]) is int and event[name] >= 0, event
    for name in ("ts", "dur"):
        if name in event:
            assert isinstance(event[name], numbers.Real) and event[name] == event[name], event
    assert event.get("dur", 0) >= 0, event
    assert isinstance(event.get("cat", ""), str) and isinstance(event.get("args", {}), dict), event
    if ph == "i":
        assert event["s"] in ("g", "p", "t"), event
    if ph == "f":
        assert event["bp"] == "e", event
    if "id" in event:
        assert isinstance(event["id"], (int, str)), event


def check_names(metadata, events):
    """Each process and each row with events has one name."""
    names = collections.Counter()
    for event in metadata:
        kind = METADATA[event["name"]]
        value, = event["args"].values()
        assert type(value) is kind, event
        names[event["name"], event["pid"],
              event["tid"] if event["name"] == "thread_name" else 0] += 1
    assert set(names.values()) <= {1}, names
    for event in events:
        assert names["process_name", event["pid"], 0], event
        assert names["thread_name", event["pid"], event["tid"]], event


def ns(us):
    return round(us * 1000)


def slices(phases):
    """Returns {(pid, tid): [(from, to)]} of the slices of each row, in ns. B and E must match."""
    rows, begun = collections.defaultdict(list), collections.defaultdict(list)
    for event in phases["X"]:
        at = ns(event["ts"])
        rows[event["pid"], event["tid"]].append((at, at + ns(event["dur"])))
    for event in sorted(phases["B"] + phases["E"], key=lambda event: event["ts"]):
        row = event["pid"], event["tid"]
        if event["ph"] == "B":
            begun[row].append(event)
            continue
        first = begun[row].pop()
        assert first["name"] == event["name"], (first, event)
        rows[row].append((ns(first["ts"]), ns(event["ts"])))
    assert not any(begun.values()), begun
    return rows


def check_rows(phases):
    """Slices of a row are beside or inside each other."""
    for row, each in slices(phases).items():
        ends = []
        for first, last in sorted(each, key=lambda one: (one[0], -one[1])):
            while ends and ends[-1] <= first:
                ends.pop()
            assert not ends or last <= ends[-1], (row, first, last)
            ends.append(last)


def check_async(events):
    """b and e with a category and an id match like brackets, in the order of their times."""
    chains = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "be":
            chains[event["pid"], event["cat"], event["id"]].append(event)
    for chain in chains.values():
        begun = []
        for event in sorted(chain, key=lambda event: event["ts"]):
            if event["ph"] == "b":
                begun.append(event["name"])
            else:
                assert begun and begun.pop() == event["name"], chain
        assert not begun, chain


def check_flows(phases):
    """Each arrow has one start and one end that is not before it, both where a slice begins."""
    starts = {(event["cat"], event["id"]): event for event in phases["s"]}
    ends = {(event["cat"], event["id"]): event for event in phases["f"]}
    assert len(starts) == len(phases["s"]) and len(ends) == len(phases["f"])
    assert set(starts) == set(ends)
    begins = {(*row, first) for row, each in slices(phases).items() for first, _ in each}
    for key, start in starts.items():
        assert start["ts"] <= ends[key]["ts"], (start, ends[key])
        for event in (start, ends[key]):
            assert (event["pid"], event["tid"], ns(event["ts"])) in begins, event
