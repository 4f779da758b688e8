# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs common RDMA programs between the two VMs of a pair."""

import re

from .pair import listening

PORT = 18515  # of perftest and of ibv_*_pingpong
# Shell condition: a program listens for connections of rdma_cm
CM_LISTENS = "rdma resource show cm_id | grep -q LISTEN"
# ACK timeout (2 s) of RC, as an exponent. perftest's own is 67 ms, so it gives up a peer whose
# processor does not run for half a second.
ACK_TIMEOUT = 19


class ProgramFailed(Exception):
    """A program failed, or its output lacks a required part."""


def both(pair, server, client, ready, timeout):
    """Runs a duel in which both sides must succeed; returns (server's output, client's output,
    log)."""
    (server_code, server_out), (client_code, client_out) = pair.duel(server, client, ready, timeout)
    log = f"$ {server}\n{server_out}\n$ {client}\n{client_out}\n"
    if server_code or client_code:
        codes = f"server ended with {server_code}, client with {client_code}"
        raise ProgramFailed(f"{codes} (124: not in time)\n{log}")
    return server_out, client_out, log


def connect(pair, ports, words, option, timeout, more=""):
    """Runs a program on both sides by its device and the index of its GID, which `option` precedes.
    `more` is for the server; the client gets the server's address. Returns as both() does."""
    server, client = ports[pair.b], ports[pair.a]
    return both(
        pair,
        f"{words} {more} -d {server.device} {option} {server.gid_index}",
        f"{words} -d {client.device} {option} {client.gid_index} {server.ip}",
        listening(PORT), timeout,
    )


def find(pattern, text, log):
    match = re.search(pattern, text)
    if not match:
        raise ProgramFailed(f"the output does not have {pattern!r}\n{log}")
    return match


def pingpong(pair, ports, kind="rc", options="", timeout=60):
    """Runs ibv_KIND_pingpong; returns microseconds per round trip, and the log."""
    # -c verifies received data; ibv_ud_pingpong has no such option
    check = "-c " if kind == "rc" else ""
    words = f"ibv_{kind}_pingpong {check}{options}"
    _, out, log = connect(pair, ports, words, "-g", timeout)
    return float(find(r"= ([\d.]+) usec/iter", out, log)[1]), log


def xsrq_pingpong(pair, ports, options="", timeout=60):
    """Runs ibv_xsrq_pingpong with one client and returns the log."""
    return connect(pair, ports, f"ibv_xsrq_pingpong {options}", "-g", timeout, "-c 1")[2]


def rping(pair, ports, count=100, timeout=60):
    """Runs rping with data verification; returns the number of pings, and the log."""
    ip = ports[pair.b].ip
    _, out, log = both(
        pair, f"rping -s -a {ip} -C {count} -v -V", f"rping -c -a {ip} -C {count} -v -V",
        CM_LISTENS, timeout,
    )
    found = len(re.findall(r"^ping data: ", out, re.M))
    if found != count:
        raise ProgramFailed(f"{found} of {count} pings came back\n{log}")
    return found, log


def row(output, size, log):
    """Returns the numbers in perftest's result line for messages of `size` bytes. Those of time are
    "inf" if a busy host has kept it from measuring the frequency of the processor."""
    row = find(rf"(?m)^\s*{size}\s+\d+\s+(?:[\d.]|inf).*$", output, log)[0]
    return [float(word) for word in row.split()]


def perftest(pair, ports, program, size, iterations, options="", timeout=120):
    """Runs one perftest program and returns its numbers and the log. ib_*_lat has {typical,
    average, p99} in microseconds, ib_*_bw has {mib_s, msgs_s}."""
    # -F: no warning about the guest's CPU frequency
    words = f"{program} -F -s {size} -n {iterations} -u {ACK_TIMEOUT} {options}"
    _, out, log = connect(pair, ports, words, "-x", timeout)
    numbers = row(out, size, log)
    if program.split()[0].endswith("_lat"):
        return {"typical": numbers[4], "average": numbers[5], "p99": numbers[7]}, log
    return {"mib_s": numbers[3], "msgs_s": numbers[4] * 1e6}, log
