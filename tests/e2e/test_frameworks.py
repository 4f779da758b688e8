# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""UCX, libfabric's verbs provider, Open MPI over UCX between two VMs, qperf and rsocket programs,
as packaged by Debian; and the examples of rdma-core that no other test runs."""

import re
from contextlib import contextmanager
from pathlib import Path

import pytest
from lab import programs
from lab.pair import listening
from lab.perftest import CM_LISTENS, ProgramFailed, both, find
from settings import counters, long, wait_until

pytestmark = pytest.mark.full

REMOTE_SHELL = Path(__file__).parent / "guest" / "remote-shell"
# rc_v is rc_verbs with ud_verbs for making connections
UCX_TRANSPORTS = ["rc_v", "ud_v"]
UCX_PORT, FABRIC_PORT, QPERF_PORT, SHELL_PORT = 13337, 47592, 19765, 5999
QPERF_TRIES, FABRIC_TRIES = 5, 3
# Row of fi_pingpong's table: all transfers were acknowledged
FABRIC_DONE = r"(?m)^\d\S*\s+100\s+=100"


@contextmanager
def serving(vm, words, ready):
    """Runs a server that does not end by itself while the body of the context runs."""
    command = vm.spawn(words)
    try:
        wait_until(f"`{words}` listens", lambda: vm.run(ready)[0] == 0)
        yield
    finally:
        command.kill("KILL")
        command.wait(30)


def ucx(port, transports):
    """Returns an environment with nothing but this device and these transports. Without transports
    UCX chooses both."""
    return f"UCX_TLS={transports} UCX_NET_DEVICES={port.device}:1" if transports else ""


def ucx_perftest(pair, transports, words):
    """Runs ucx_perftest with the same words on both sides; {device} in them is the device of each
    VM."""
    server, client = pair.ornic[pair.b], pair.ornic[pair.a]
    # -P 0: without mpirun
    words = f"ucx_perftest -P 0 -p {UCX_PORT} {words}"
    return both(
        pair, f"{ucx(server, transports)} {words.format(device=server.device)}",
        f"{ucx(client, transports)} {words.format(device=client.device)} {server.ip}",
        listening(UCX_PORT), 60,
    )


@pytest.mark.parametrize("transport, test, size", [
    long("rc_verbs", "am_lat", 8), ("rc_verbs", "am_bw", 4000), ("rc_verbs", "put_lat", 8),
    long("rc_verbs", "put_bw", 4000), ("rc_verbs", "get", 4000), ("rc_verbs", "fadd", 8),
    ("rc_verbs", "cswap", 8), long("ud_verbs", "am_lat", 8), ("ud_verbs", "am_bw", 3000),
])
def test_uct(pair, transport, test, size):
    """UCT, the lower layer of UCX, works. Its datagrams carry active messages only."""
    layout = "-D zcopy" if test == "get" else "-D bcopy" if size > 100 else ""
    words = f"-d {{device}}:1 -x {transport} -t {test} {layout} -s {size} -n 200 -w 10"
    _, out, log = ucx_perftest(pair, transport, words)
    find(r"Final:\s+200", out, log)


@pytest.mark.parametrize("transports, test, size", [
    ("rc_v", "tag_lat", 8), ("rc_v", "tag_bw", 100000), ("rc_v", "ucp_put_bw", 1000000),
    ("rc_v", "ucp_get", 100000), ("rc_v", "ucp_fadd", 8), ("rc_v", "stream_bw", 10000),
    ("rc_v", "ucp_am_bw", 30000), long("ud_v", "tag_lat", 8), ("ud_v", "tag_bw", 100000),
    long("ud_v", "ucp_put_bw", 1000000), long("ud_v", "ucp_get", 100000),
    long("ud_v", "ucp_fadd", 8), long("ud_v", "stream_bw", 10000),
    long("ud_v", "ucp_am_bw", 30000), ("", "tag_bw", 100000),
])
def test_ucp(pair, transports, test, size):
    """UCP, the upper layer of UCX, works and uses the card, also with nothing set. Over datagrams
    it makes all protocols of active messages."""
    before = counters(pair.card, 0, "rdma")
    _, out, log = ucx_perftest(pair, transports, f"-t {test} -s {size} -n 100 -w 5")
    find(r"Final:\s+100", out, log)
    after = counters(pair.card, 0, "rdma")
    moved = sum(after[name] - before[name] for name in ("rx_bytes", "tx_bytes"))
    assert moved >= 100 * size, log


@pytest.mark.parametrize("provider, endpoint, domain", [
    ("verbs", "msg", "{device}"),
    ("verbs", "dgram", "{device}-dgram"),
    ("verbs;ofi_rxm", "rdm", "{device}"),
])
def test_fi_pingpong(pair, provider, endpoint, domain):
    """libfabric works, with verified data."""
    server, client = pair.ornic[pair.b], pair.ornic[pair.a]
    size = 1024 if endpoint == "dgram" else 65536
    # ofi_rxm creates CQs for 1024 processes unless FI_UNIVERSE_SIZE is set
    words = f"FI_UNIVERSE_SIZE=2 fi_pingpong -p '{provider}' -e {endpoint} -c -I 100 -S {size}"
    for tries in range(FABRIC_TRIES, 0, -1):
        try:
            _, out, log = both(
                pair, f"{words} -d {domain.format(device=server.device)}",
                f"{words} -d {domain.format(device=client.device)} {server.ip}",
                listening(FABRIC_PORT), 60,
            )
            break
        except ProgramFailed as failed:
            # A server that ends before its client has polled the last completion flushes the
            # client's receives, which the client takes for an error after all its transfers
            if tries == 1 or len(re.findall(FABRIC_DONE, str(failed))) < 2:
                raise
    find(FABRIC_DONE, out, log)


@pytest.mark.parametrize("transports", UCX_TRANSPORTS)
def test_open_mpi(pair, transports):
    """Open MPI works on two VMs: ring, reduction and one-sided access have the expected results."""
    port = pair.ornic[pair.a]
    environment = " ".join(f"-x {word}" for word in
                           ucx(port, f"{transports},self").split())
    words = (
        # mpirun knows its own host by name only
        f"mpirun --allow-run-as-root -n 2 --host $(hostname):1,{pair.ornic[pair.b].ip}:1 "
        f"--prtemca plm_ssh_agent {REMOTE_SHELL} --mca pml ucx --mca osc ucx "
        "--mca opal_common_ucx_tls any --mca opal_common_ucx_devices any "
        f"{environment} {programs.make('mpi')}/mpi"
    )
    with serving(pair.b, f"busybox nc -ll -p {SHELL_PORT} -e /bin/sh", listening(SHELL_PORT)):
        assert "2 ranks agree" in pair.a.check(words, 120)


@pytest.mark.parametrize("test", [
    "rc_bw", "rc_lat", "rc_rdma_read_bw", "rc_rdma_write_poll_lat", "ver_rc_compare_swap",
    "ver_rc_fetch_add",
])
def test_qperf(pair, test):
    """qperf works with RC. Over RoCE it needs rdma_cm, which it supports for RC only. Its server
    (0.4.11) announces a port before it listens there, so a client may come too early and is started
    again."""
    with serving(pair.b, "qperf", listening(QPERF_PORT)):
        for _ in range(QPERF_TRIES):
            code, out = pair.a.run(f"qperf {pair.ornic[pair.b].ip} -t 1 -cm 1 {test}", 60)
            if "Event rejected" not in out:
                break
    assert code == 0 and "=" in out, out


@pytest.mark.parametrize("options", ["", "-T b", "-T n"],
                         ids=["default", "blocking", "nonblocking"])
@pytest.mark.parametrize("program", ["rstream", "riostream"])
def test_rsocket(pair, program, options):
    """The socket calls of rsocket work over RC, with verified data; riostream writes into the
    peer's memory. -T a is left out, because with it a program fails if its peer closes the
    connection first."""
    ip = pair.ornic[pair.b].ip
    for size, count in ((64, 200), (65536, 30)):
        words = f"{program} {options} -T v -S {size} -C {count} -I 2"
        both(pair, f"{words} -b {ip}", f"{words} -s {ip}", CM_LISTENS, 60)


def test_rcopy(pair):
    """rcopy copies 4 MiB unchanged."""
    ip = pair.ornic[pair.b].ip
    pair.a.check("head -c 4194304 /dev/urandom >/tmp/rcopy")
    with serving(pair.b, "rcopy", CM_LISTENS):
        pair.a.check(f"rcopy /tmp/rcopy {ip}:/tmp/rcopied", 60)
        assert pair.b.check("sha256sum </tmp/rcopied") == pair.a.check("sha256sum </tmp/rcopy")


def test_udaddy(pair):
    """Datagrams work with addresses from rdma_cm."""
    server, client = pair.ornic[pair.b], pair.ornic[pair.a]
    both(pair, f"udaddy -b {server.ip} -c 4 -C 20 -S 512",
         f"udaddy -s {server.ip} -b {client.ip} -c 4 -C 20 -S 512", CM_LISTENS, 60)


def test_ucmatose(pair):
    """20 connections work at the same time."""
    server, client = pair.ornic[pair.b], pair.ornic[pair.a]
    both(pair, f"ucmatose -b {server.ip} -c 20 -C 10 -S 3000",
         f"ucmatose -s {server.ip} -b {client.ip} -c 20 -C 10 -S 3000", CM_LISTENS, 60)


def test_cmtime(pair):
    """50 connections can be made and closed."""
    ip = pair.ornic[pair.b].ip
    with serving(pair.b, f"cmtime -b {ip} -c 50", CM_LISTENS):
        pair.a.check(f"cmtime -s {ip} -c 50", 60)
