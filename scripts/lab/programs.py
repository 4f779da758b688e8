# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Programs of our own that run in the guests: tests/e2e/guest."""

import re
import subprocess

from . import paths
from .perftest import ProgramFailed, both, find

SOURCE = paths.TOP / "tests/e2e/guest"
UDP_PORT = 9000


def make(*names):
    """Makes these, or all: the directory, in the guests too, in which they are then."""
    build = paths.BUILD / "e2e"
    targets = [build / name for name in names]
    build.mkdir(parents=True, exist_ok=True)
    # One at a time: another worker of pytest may want the same.
    subprocess.run(["flock", build / "lock", "make", "-s", "-C", SOURCE, f"BUILD={build}", *targets],
                   check=True)
    return build


def announced(pair, command, name):
    """(a server's command line for a duel that keeps what it says, the condition for the client:
    it has said that it is ready)."""
    log = f"/tmp/{name}.log"
    pair.b.check(f"rm -f {log}")
    return f"set -o pipefail; {command} | tee {log}", f"grep -qs ready {log}"


def spread(pair, ports, count=400, timeout=60):
    """spread.c in b counts as many UDP flows from a, with a datagram each, on four work queues:
    the number on each, and the log."""
    program = make("spread") / "spread"
    server, ready = announced(
        pair, f"{program} {ports[pair.b].device} {UDP_PORT} {count} {timeout - 10}", "spread")
    client = f"for i in $(seq {count}); do echo $i >/dev/udp/{ports[pair.b].ip}/{UDP_PORT}; done"
    out, _, log = both(pair, server, client, ready, timeout)
    numbers = [int(number) for number in re.findall(r"^queue \d: (\d+) frames", out, re.M)]
    if len(numbers) != 4 or sum(numbers) != count or not all(numbers):
        raise ProgramFailed(f"{count} frames are not on four queues\n{log}")
    return numbers, log


def frame_rates(pair, ports, interface, size, count, timeout=120):
    """pps.c from a to b, by RAW_PACKET queue pairs ("raw") or packet sockets ("packet"):
    {sent, received} in frames a second, and the log."""
    program = make("pps") / "pps"

    def words(vm, role):
        return f"{program} {role} {interface} {ports[vm].device} {ports[vm].netdev} {size} {count}"

    mac = pair.b.check(f"cat /sys/class/net/{ports[pair.b].netdev}/address").strip()
    server, ready = announced(pair, words(pair.b, "receive"), "pps")
    out, sent, log = both(pair, server, f"{words(pair.a, 'send')} {mac}", ready, timeout)
    rates = {}
    for name, text in (("sent", sent), ("received", out)):
        frames, time_ns = map(int, find(r"(\d+) frames, (\d+) ns", text, log).groups())
        rates[name] = frames / max(time_ns, 1) * 1e9
    return rates, log
