# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What is left in machines when their tests are over. No process runs then that holds anything, and
the cards have as many objects as when the drivers had come up."""

import json
import time

from .pair import rdma_objects

KINDS = ("pd", "cq", "qp", "mr", "cm_id", "ctx")
# Those that both a card and `rdma resource show` count
COUNTED = ("pd", "cq", "qp")
# Seconds that what was killed may take to go
TIMEOUT = 10


def resources(vm):
    """Numbers of what user space holds: {(device, kind): number}."""
    counts = {}
    for kind, entry in rdma_objects(vm, KINDS):
        if "pid" in entry or kind == "ctx":
            key = (entry["ifname"], kind)
            counts[key] = counts.get(key, 0) + 1
    return counts


def of_netdevs(pair):
    """{card: {kind: number}} of objects that are not the verbs', but the netdev's."""
    found = {}
    for number, (vm, port) in enumerate(pair.ornic.items()):
        name = f"nic{number}"
        # The two are not told at the same time, so nothing may change meanwhile.
        before = None
        while before != (objects := objects_of(pair.card, name)):
            before = objects
            text = vm.check("rdma -j resource show") or "[]"
        shown = {entry["ifname"]: entry for entry in json.loads(text)}
        if objects and port.device in shown:
            found[name] = {kind: objects[kind] - shown[port.device][kind] for kind in COUNTED}
    return found


def objects_of(card, name):
    """{kind: number} that a card counts, or {} where the machine has another card."""
    objects = card.stats()["cards"].get(name, {"nic": {"objects": {}}})["nic"]["objects"]
    return {kind: objects[kind] for kind in COUNTED if objects}


def find_leftovers(pair, begin):
    found = [f"{vm.name}: processes hold {held}, and none should run" for vm in pair.vms
             if (held := resources(vm))]
    end = of_netdevs(pair)
    if end != begin:
        found.append(f"the cards have other objects than the kernels know: {end}, not {begin}")
    return found


def leftovers(pair, begin):
    """Lines about what is left in machines that work, and does not go in time; begin: of_netdevs()
    when they had come up."""
    deadline = time.monotonic() + TIMEOUT
    while (found := find_leftovers(pair, begin)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found
