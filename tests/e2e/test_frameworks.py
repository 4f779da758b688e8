# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""UCX, libfabric's verbs provider, Open MPI over UCX between two VMs, qperf and rsocket programs,
as packaged by Debian; and the examples of rdma-core that no other test runs. Each framework runs as
users start it first: no variable is set, and no option that only this card needs."""

import ipaddress
import re
from contextlib import contextmanager

import pytest
from lab import paths, programs
from lab.pair import find_again, gid_index, gid_text, listening, set_address
from lab.perftest import CM_LISTENS, ProgramFailed, both, find
from settings import counters, full, long, wait_until
from spaces import has_gid

REMOTE_SHELL = f"busybox sh {paths.TOP}/scripts/ornicrun/guest/ornic-rsh"
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


@pytest.fixture(params=["ipv4", full("ipv6")])
def server(pair, request):
    """The address of the server. With "ipv6" the netdevs of the cards have no IPv4 address, so
    programs find no IPv4 GID."""
    if request.param == "ipv4":
        yield pair.ornic[pair.b].ip
        return
    addresses = {vm: f"fd00:10::{number}" for number, vm in enumerate(pair.vms, 1)}
    for vm, address in addresses.items():
        port = pair.ornic[vm]
        vm.check(f"ip addr del {port.ip}/24 dev {port.netdev} && "
                 f"ip addr add {address}/64 dev {port.netdev} nodad")
        wait_until("no GID of IPv4", lambda vm=vm, port=port: not has_gid(vm, port.device, port.ip))
        gid_index(vm, port.device, gid_text(ipaddress.ip_address(address).packed))
    yield addresses[pair.b]
    for vm, address in addresses.items():
        port = pair.ornic[vm]
        vm.check(f"ip addr del {address}/64 dev {port.netdev}")
        set_address(vm, port.netdev, port.ip)
        find_again(pair, vm)


@contextmanager
def card_moves(pair, least):
    """Checks that the first card moves at least so many bytes while the block runs: programs have
    not chosen TCP."""
    def moved():
        rdma = counters(pair.card, 0, "rdma")
        return rdma["rx_bytes"] + rdma["tx_bytes"]

    before = moved()
    yield
    assert moved() - before >= least


def ucx_perftest(pair, server, words, client_words=None):
    """Runs ucx_perftest with the same words on both sides, unless the client has others, and checks
    the number of its transfers."""
    # -P 0: without mpirun
    options = f"-P 0 -p {UCX_PORT} {'-6' if ':' in server else ''}"
    _, out, log = both(pair, f"{words} {options}", f"{client_words or words} {options} {server}",
                       listening(UCX_PORT), 120)
    count = re.search(r"-n (\d+)", words)[1]
    find(rf"Final:\s+{count}", out, log)


@pytest.mark.full
@pytest.mark.parametrize("transport, test, size", [
    long("rc_verbs", "am_lat", 8), ("rc_verbs", "am_bw", 4000), ("rc_verbs", "put_lat", 8),
    long("rc_verbs", "put_bw", 4000), ("rc_verbs", "get", 4000), ("rc_verbs", "fadd", 8),
    ("rc_verbs", "cswap", 8), long("ud_verbs", "am_lat", 8), ("ud_verbs", "am_bw", 3000),
])
def test_uct(pair, transport, test, size):
    """UCT, the lower layer of UCX, works; it has no defaults for device and transport. Its
    datagrams carry active messages only."""
    layout = "-D zcopy" if test == "get" else "-D bcopy" if size > 100 else ""
    words = f"ucx_perftest -x {transport} -t {test} {layout} -s {size} -n 200 -w 10 -d"
    server, client = pair.ornic[pair.b], pair.ornic[pair.a]
    ucx_perftest(pair, server.ip, f"{words} {server.device}:1", f"{words} {client.device}:1")


def test_ucx(pair, server):
    """UCX finds the card, connects over it and moves messages in its rendezvous protocol."""
    size, count = 100000, 100
    with card_moves(pair, size * count):
        ucx_perftest(pair, server, f"ucx_perftest -t tag_bw -s {size} -n {count} -w 5")


# rc_v is rc_verbs with ud_verbs for making connections
@pytest.mark.full
@pytest.mark.parametrize("transports, test, size", [
    ("rc_v", "tag_lat", 8), ("rc_v", "tag_bw", 100000), ("rc_v", "ucp_put_bw", 1000000),
    ("rc_v", "ucp_get", 100000), ("rc_v", "ucp_fadd", 8), ("rc_v", "stream_bw", 10000),
    ("rc_v", "ucp_am_bw", 30000), long("ud_v", "tag_lat", 8), ("ud_v", "tag_bw", 100000),
    long("ud_v", "ucp_put_bw", 1000000), long("ud_v", "ucp_get", 100000),
    long("ud_v", "ucp_fadd", 8), long("ud_v", "stream_bw", 10000),
    long("ud_v", "ucp_am_bw", 30000),
])
def test_ucp(pair, transports, test, size):
    """UCP, the upper layer of UCX, works with one kind of QPs only. Over datagrams it makes all
    protocols of active messages."""
    with card_moves(pair, size * 100):
        ucx_perftest(pair, pair.ornic[pair.b].ip,
                     f"UCX_TLS={transports} ucx_perftest -t {test} -s {size} -n 100 -w 5")


@pytest.mark.parametrize("provider, endpoint, size", [
    ("verbs;ofi_rxm", "rdm", 65536), full("verbs", "msg", 65536), full("verbs", "dgram", 1024),
])
def test_fi_pingpong(pair, server, provider, endpoint, size):
    """libfabric works, with verified data."""
    words = f"fi_pingpong -p '{provider}' -e {endpoint} -c -I 100 -S {size}"
    words += " -6" if ":" in server else ""
    for tries in range(1 if endpoint == "rdm" else FABRIC_TRIES, 0, -1):
        try:
            _, out, log = both(pair, words, f"{words} {server}", listening(FABRIC_PORT), 120)
            break
        except ProgramFailed as failed:
            # A server that ends before its client has polled the last completion flushes the
            # client's receives, which the client takes for an error after all its transfers, but
            # not with ofi_rxm
            if tries == 1 or len(re.findall(FABRIC_DONE, str(failed))) < 2:
                raise
    find(FABRIC_DONE, out, log)


@pytest.fixture
def start_address(pair, server):
    """The address of the server for mpirun, which crashes in a host without an IPv4 address: with
    IPv6 that of another network, as clusters have one."""
    if ":" not in server:
        yield server
        return
    netdevs = [vm.netdevs_of("virtio_net")[0] for vm in pair.vms]
    addresses = [f"{pair.RXE_SUBNET}.{number}" for number in (1, 2)]
    for vm, netdev, address in zip(pair.vms, netdevs, addresses):
        set_address(vm, netdev, address)
    yield addresses[1]
    for vm, netdev in zip(pair.vms, netdevs):
        vm.check(f"ip addr flush dev {netdev} && ip link set {netdev} down")


def mpirun(pair, address, options=""):
    """Runs guest/mpi.c on two VMs: ring, reduction and one-sided access have the expected results.
    Open MPI uses UCX by itself only for devices whose names it knows, so users ask for it."""
    words = (
        # mpirun knows its own host by name only
        f"mpirun --allow-run-as-root -n 2 --host $(hostname):1,{address}:1 "
        f"--prtemca plm_ssh_agent '{REMOTE_SHELL}' --mca pml ucx --mca osc ucx {options} "
        f"{programs.make('mpi')}/mpi"
    )
    with serving(pair.b, f"{REMOTE_SHELL} --listen", listening(SHELL_PORT)):
        assert "2 ranks agree" in pair.a.check(words, 120)


@pytest.mark.full
def test_open_mpi(pair, start_address):
    """Open MPI works over UCX, which chooses the card."""
    # The longest message of the ring, there and back
    with card_moves(pair, 2 << 18):
        mpirun(pair, start_address)


@pytest.mark.full
@pytest.mark.parametrize("transports", ["rc_v", "ud_v"])
def test_open_mpi_transports(pair, transports):
    """Open MPI works with one kind of QPs only."""
    mpirun(pair, pair.ornic[pair.b].ip, f"-x UCX_TLS={transports},self")


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.full
def test_rcopy(pair):
    """rcopy copies 4 MiB unchanged."""
    ip = pair.ornic[pair.b].ip
    pair.a.check("head -c 4194304 /dev/urandom >/tmp/rcopy")
    with serving(pair.b, "rcopy", CM_LISTENS):
        pair.a.check(f"rcopy /tmp/rcopy {ip}:/tmp/rcopied", 60)
        assert pair.b.check("sha256sum </tmp/rcopied") == pair.a.check("sha256sum </tmp/rcopy")


@pytest.mark.full
def test_udaddy(pair):
    """Datagrams work with addresses from rdma_cm."""
    server, client = pair.ornic[pair.b], pair.ornic[pair.a]
    both(pair, f"udaddy -b {server.ip} -c 4 -C 20 -S 512",
         f"udaddy -s {server.ip} -b {client.ip} -c 4 -C 20 -S 512", CM_LISTENS, 60)


@pytest.mark.full
def test_ucmatose(pair):
    """20 connections work at the same time."""
    server, client = pair.ornic[pair.b], pair.ornic[pair.a]
    both(pair, f"ucmatose -b {server.ip} -c 20 -C 10 -S 3000",
         f"ucmatose -s {server.ip} -b {client.ip} -c 20 -C 10 -S 3000", CM_LISTENS, 60)


@pytest.mark.full
def test_cmtime(pair):
    """50 connections can be made and closed."""
    ip = pair.ornic[pair.b].ip
    with serving(pair.b, f"cmtime -b {ip} -c 50", CM_LISTENS):
        pair.a.check(f"cmtime -s {ip} -c 50", 60)
