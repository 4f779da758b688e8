# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""`make soak HOURS=N`: two virtual machines run a mixed load for hours. After each part of the load
everything is checked that the tests check, and that memory does not grow; the first failure ends
it."""

import random
import re
import sys
import time

from . import Lab, LabError, evidence, programs, seed
from .leftovers import find_leftovers, of_netdevs
from .pair import Pair, find_again, listening
from .perftest import ProgramFailed, both, perftest, pingpong, rping
from .progress import say

IPERF_PORT = 5201
# Bytes of one transfer, in messages of random size
TRANSFER = 64 << 20
# Growth since the first round that counts as a leak
CARD_GROWTH, GUEST_GROWTH = 256 << 20, 256 << 20
# Seconds in which killed or reset programs release their objects
RELEASE = 30
# Resets by FLR have no limit; the driver gives up a device that fails too often
RESET_EVERY = 5


def transfer(pair, rng):
    program = f"ib_{rng.choice(('send', 'write', 'read'))}_{rng.choice(('bw', 'lat'))}"
    size = 1 << rng.randrange(1, 21)
    iterations = min(max(TRANSFER // size, 50), 5000)
    options = f"-q {rng.choice((1, 4, 16))}" if program.endswith("bw") else ""
    perftest(pair, pair.ornic, program, size, iterations, options, timeout=600)
    return f"{program} {size} B {options}".rstrip()


def messages(pair, rng):
    kind, options = rng.choice((("rc", "-n 2000"), ("rc", "-e -n 2000"), ("uc", "-n 2000"),
                                ("ud", "-n 500")))
    pingpong(pair, pair.ornic, kind, options, timeout=300)
    return f"{kind} pingpong {options}"


def connections(pair, rng):
    count = rng.randrange(10, 200)
    rping(pair, pair.ornic, count, timeout=300)
    return f"rping {count}"


def stream(pair, rng):
    seconds = rng.randrange(5, 20)
    ip = pair.ornic[pair.b].ip
    both(pair, "iperf3 -s -1", f"iperf3 -c {ip} -t {seconds}", listening(IPERF_PORT), 120)
    return f"TCP stream of {seconds} s"


def objects(pair, rng):
    seconds, port = rng.randrange(5, 20), pair.ornic[pair.a]
    program = programs.make("storm") / "storm"
    text = pair.a.check(f"{program} {port.device} {port.gid_index} 8 {seconds} "
                        f"{rng.randrange(1, 1 << 30)}", seconds + 120)
    return f"{text.split()[0]} objects created and destroyed"


def reset(pair, rng):
    number = rng.randrange(2)
    vm = pair.vms[number]
    port = pair.ornic[vm]
    pair.card.expects_reset(f"nic{number}")
    vm.check(f"echo 1 >/sys/class/net/{port.netdev}/device/reset")
    find_again(pair, vm, 60)
    return f"function level reset of nic{number}"


LOADS = (transfer, messages, connections, stream, objects)


def memory(pair):
    """Returns {name: bytes in use} of the card's process and of the guests' kernels."""
    status = open(f"/proc/{pair.card.process.pid}/status", encoding="ascii").read()
    used = {pair.card.name: int(re.search(r"^RssAnon:\s+(\d+) kB", status, re.M)[1]) << 10}
    for vm in pair.vms:
        text = vm.check("cat /proc/meminfo")
        used[vm.name] = sum(int(re.search(rf"^{name}:\s+(\d+) kB", text, re.M)[1]) << 10
                            for name in ("SUnreclaim", "KernelStack", "PageTables", "AnonPages"))
    return used


def grown(first, now, card):
    """Returns lines about processes and kernels that use more memory than they should."""
    return [f"{name} uses {now[name] >> 20} MiB, and {first[name] >> 20} MiB after the first round"
            for name in first
            if now[name] - first[name] > (CARD_GROWTH if name == card else GUEST_GROWTH)]


def unhealthy(lab, pair, begin, first):
    """Returns what is wrong: a list of lines."""
    found = lab.settle()
    if problem := pair.ailment():
        return [*found, problem]
    deadline = time.monotonic() + RELEASE
    while (left := find_leftovers(pair, begin)) and time.monotonic() < deadline:
        time.sleep(0.5)
    return found + left + (grown(first, memory(pair), pair.card.name) if first else [])


def soak(lab, seconds, rng):
    """Returns an explanation of the first failure, or None."""
    pair = Pair(lab)
    for vm in pair.vms:
        vm.smp = 2
    pair.start().load_ornic()
    begin, first, end, number = of_netdevs(pair), None, time.monotonic() + seconds, 0
    while time.monotonic() < end:
        number += 1
        loads = rng.sample(LOADS, len(LOADS)) + [reset] * (number % RESET_EVERY == 0)
        for load in loads:
            since, what = time.time(), load.__name__
            try:
                what = load(pair, rng)
                problems = unhealthy(lab, pair, begin, first)
            except (LabError, ProgramFailed, OSError) as error:
                problems = [str(error)]
            if problems:
                return "\n".join([f"round {number}, {what}:", *problems,
                                  evidence.keep(lab, "soak", since)])
            say(f"soak: round {number}: {what}, {time.time() - since:.0f} s; "
                f"{(end - time.monotonic()) / 3600:.2f} h to go")
        first = first or memory(pair)
    pair.discard()
    return "\n".join(lab.settle()) or None


def hours(words):
    """Returns the number of hours that the arguments ask for, or None."""
    try:
        number = float(" ".join(words))
    except ValueError:
        return None
    return number if 0 < number < 10000 else None


def main(words):
    number = hours(words)
    if number is None:
        say("usage: make soak HOURS=N, such as 0.5")
        return 2
    say(f"soak: {number:g} h, {seed.NAME}={seed.any_seed()}")
    with Lab("soak") as lab:
        failure = soak(lab, number * 3600, random.Random(seed.seed()))
    if failure:
        print(failure)
    say(f"soak: {'FAILED' if failure else 'no failure'}")
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
