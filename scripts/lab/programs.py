# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Programs of our own that run in the guests: tests/e2e/guest."""

import re
import subprocess

from . import paths
from .perftest import ProgramFailed, both, find

SOURCE = paths.TOP / "tests/e2e/guest"
UDP_PORT = 9000


def cross_compiler(processor):
    """Returns the compiler for another processor, as a value for make."""
    machine = {"arm64": "aarch64"}.get(processor, processor)
    return f"ccache {machine}-linux-gnu-gcc --sysroot={paths.foreign_tree(processor)}"


def guest_compiler(processor):
    """Returns the compiler for programs of the processor's guest, which may have no packages."""
    if processor not in paths.BARE:
        return cross_compiler(processor)
    core = paths.BUILD / processor / "guest/rdma-core-56.1/build"
    return f"ccache {processor}-linux-gnu-gcc -I{core}/include -L{core}/lib"


def make(*names, processor=None):
    """Builds the named programs, or all; returns their directory, which guests see at the same
    path. `processor` has the name of one that is not the host's."""
    build = paths.BUILD / (processor or "") / "e2e"
    targets = [build / name for name in names]
    if processor:
        targets.append(f"CC={guest_compiler(processor)}")
    build.mkdir(parents=True, exist_ok=True)
    # Serialize, because another worker of pytest may build the same programs
    argv = ["make", "-s", "-C", SOURCE, f"BUILD={build}", *targets]
    subprocess.run(["flock", build / "lock", *argv], check=True)
    return build


def announced(pair, command, name):
    """Returns (command of a server for a duel, condition for the client). The server's output is
    logged, and the condition holds when it contains "ready"."""
    log = f"/tmp/{name}.log"
    pair.b.check(f"rm -f {log}")
    return f"set -o pipefail; {command} | tee {log}", f"grep -qs ready {log}"


def spread(pair, ports, count=400, timeout=60):
    """Sends `count` UDP flows of one datagram each from a to spread.c in b, which receives them on
    four WQs. Returns the number of frames on each WQ, and the log."""
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
    """Runs pps.c from a to b, over RAW_PACKET QPs ("raw") or packet sockets ("packet"). Returns
    {sent, received} in frames per second, and the log."""
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


def object_rates(vm, port, timeout=60):
    """Runs objects.c on one device of a VM; returns {call: calls per second}."""
    program = make("objects") / "objects"
    code, out = vm.run(f"{program} {port.device} {port.gid_index}", timeout)
    times = re.findall(r"^(.+): (\d+) calls, (\d+) ns$", out, re.M)
    if code or not times:
        raise ProgramFailed(f"{program} on {port.device} ended with {code}\n{out}")
    return {call: int(count) / int(time_ns) * 1e9 for call, count, time_ns in times}


def command_times(vm, port, call, timeout=60):
    """Runs objects.c for the objects of one call; returns {command: mean microseconds from its
    submission to its answer}, which the driver's trace event measures."""
    program = make("objects") / "objects"
    event = "/sys/kernel/tracing/events/ornic/ornic_cmd"
    vm.check("mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing")
    vm.check(f"echo hist:keys=name:vals=duration >{event}/trigger")
    try:
        vm.check(f"{program} {port.device} {port.gid_index} '{call}'", timeout)
        text = vm.check(f"cat {event}/hist")
    finally:
        vm.check(f"echo '!hist:keys=name:vals=duration' >{event}/trigger")
    found = re.findall(r"^\{ name: (\w+)\s*\} hitcount:\s*(\d+)\s+duration:\s*(\d+)", text, re.M)
    return {name: int(time_ns) / int(count) / 1e3 for name, count, time_ns in found}


def scale_cost(pair, ports, qps, count, timeout=180):
    """Runs scale.c from a to b; returns the microseconds per message, and the log."""
    program = make("scale") / "scale"

    def words(vm, role):
        # Each QP has mappings of its own
        return f"sysctl -qw vm.max_map_count=1000000 && " \
               f"{program} {ports[vm].device} {ports[vm].gid_index} {qps} {role}"

    server, ready = announced(pair, f"{{ {words(pair.b, 'serve')}; }}", "scale")
    client = words(pair.a, f"{ports[pair.b].ip} {count}")
    _, out, log = both(pair, server, client, ready, timeout)
    messages, time_ns = map(int, find(r"(\d+) messages, (\d+) ns", out, log).groups())
    return time_ns / messages / 1e3, log
