# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Finds what is left in VMs after their tests. No process may hold an object, and the cards must
have as many objects as when the drivers had been loaded. A bare guest has no iproute2 to show its
objects, so those of its card are compared alone."""

import json
import time

from . import paths
from .pair import rdma_objects

KINDS = ("pd", "cq", "qp", "mr", "cm_id", "ctx")
# Kinds that both a card and `rdma resource show` count
COUNTED = ("cq", "qp")
# Seconds that killed programs may take to end on a busy host
TIMEOUT = 120


def resources(vm):
    """Counts the objects of user space: {(device, kind): number}."""
    counts = {}
    if vm.kernel.name in paths.BARE:
        return counts
    for kind, entry in rdma_objects(vm, KINDS):
        if "pid" in entry or kind == "ctx":
            key = (entry["ifname"], kind)
            counts[key] = counts.get(key, 0) + 1
    return counts


def summary(vm, port):
    """Returns {device: {kind: number}} of the objects of verbs, all 0 in a bare guest."""
    if vm.kernel.name in paths.BARE:
        return {port.device: dict.fromkeys(COUNTED, 0)}
    text = vm.check("rdma -j resource show") or "[]"
    return {entry["ifname"]: entry for entry in json.loads(text)}


def of_netdevs(pair):
    """Returns {card: {kind: number}} of the objects that belong to the netdev and not to verbs."""
    found = {}
    for number, (vm, port) in enumerate(pair.ornic.items()):
        name = f"nic{number}"
        # The two counts are not read at the same time: repeat until the card's count is stable
        before = None
        while before != (objects := objects_of(pair.card, name)):
            before = objects
            shown = summary(vm, port)
        if objects and port.device in shown:
            found[name] = {kind: objects[kind] - shown[port.device][kind] for kind in COUNTED}
    return found


def objects_of(card, name):
    """Returns {kind: number} as the card counts, or {} if there is no card of this name."""
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
    """Returns lines about objects that working VMs do not release in time. `begin` is the result of
    of_netdevs() when the drivers had been loaded."""
    deadline = time.monotonic() + TIMEOUT
    while (found := find_leftovers(pair, begin)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found
