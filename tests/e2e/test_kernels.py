# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Debian's kernels, with the modules as DKMS builds them: the demo's programs, rdma-core's suite of
the distribution, the load and unload of the modules, resets, and what the compatibility layer
(scripts/package/dkms/compat/) replaces. Documentation/kernels.rst lists what an old kernel lacks.
The kernel of the root tree has the modules of the packages in `make check-long` only."""

import re

import pytest
import test_lifecycle as lifecycle
from lab import paths
from lab.demo import run_lines
from settings import counters, set_up_again, wait_until
from statistic import of_port, qp_numbers
from test_rdma_core import run_distribution

KERNELS = [*paths.DISTRIBUTION, pytest.param("stock", id=paths.NEWEST)]
pytestmark = [pytest.mark.long, pytest.mark.parametrize("kernel_pair", KERNELS, indirect=True)]

# Kernels that the compatibility layer is for
OLD = ("6.12",)
GROUP = "33:33:00:00:12:34"


def old(pair):
    return pair.a.kernel.name in OLD


def test_modules(kernel_pair):
    """The kernel is that of the step, with what the packages install. Only old kernels get the
    compatibility layer."""
    kernel = kernel_pair.a.kernel
    version = paths.NEWEST if kernel.name == "stock" else kernel.name
    assert kernel_pair.a.check("uname -r").startswith(f"{version}.")
    assert kernel.provider, "the stock kernel has the packages with --packages only"
    symbols = kernel_pair.a.check("grep -c '\\bornic_compat_' /proc/kallsyms; true")
    assert (int(symbols) > 0) == old(kernel_pair)


def test_demo(kernel_pair):
    rows = run_lines(kernel_pair, kernel_pair.lab.logdir)
    assert {result for _, result, _ in rows} == {"passed"}, rows


def test_filter(kernel_pair):
    """The card gets groups and the promiscuous mode, which an old core sets in atomic context."""
    pair = kernel_pair
    vm, port = pair.a, pair.ornic[pair.a]
    for number in range(20):
        vm.check(f"ip maddr add {GROUP[:-2]}{number:02x} dev {port.netdev}")
    vm.check(f"ip maddr add {GROUP} dev {port.netdev}")
    sends = f"""python3 -c '
import socket
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("{pair.ornic[pair.b].netdev}", 0))
for _ in range(20):
    raw.send(bytes.fromhex("%s" + "020000000099" + "88b5") + bytes(60))
'"""
    received = f"cat /sys/class/net/{port.netdev}/statistics/rx_packets"

    def arrive(address):
        before = int(vm.check(received))
        pair.b.check(sends % address.replace(":", ""))
        return int(vm.check(received)) - before >= 20

    wait_until("the group arrives", lambda: arrive(GROUP))
    vm.check(f"ip maddr del {GROUP} dev {port.netdev}")
    wait_until("the group is gone", lambda: not arrive(GROUP))
    vm.check(f"ip link set {port.netdev} promisc on")
    wait_until("all groups arrive", lambda: arrive(GROUP))
    vm.check(f"ip link set {port.netdev} promisc off")
    wait_until("they are gone", lambda: not arrive(GROUP))
    for number in range(20):
        vm.check(f"ip maddr del {GROUP[:-2]}{number:02x} dev {port.netdev}")


def test_ethtool(kernel_pair):
    """ethtool asks for the number of rings in the old way."""
    vm, port = kernel_pair.a, kernel_pair.ornic[kernel_pair.a]
    assert re.search(r"with \d+ RX ring", vm.check(f"ethtool -x {port.netdev}"))
    assert re.search(r"\d+ RX rings available", vm.check(f"ethtool -n {port.netdev}"))


def test_link_events(kernel_pair):
    """Changes of the link are events of the port."""
    vm, port = kernel_pair.a, kernel_pair.ornic[kernel_pair.a]
    log = "/tmp/asyncwatch.log"
    watch = vm.spawn(f"stdbuf -oL ibv_asyncwatch -d {port.device} >{log} 2>&1")

    def has(words):
        return lambda: words in vm.check(f"cat {log}; true")

    wait_until("ibv_asyncwatch waits", has("async event FD"))
    vm.check(f"ip link set {port.netdev} down")
    wait_until("the port is down", has("IBV_EVENT_PORT_ERR"))
    set_up_again(kernel_pair, vm)
    wait_until("the port is active", has("IBV_EVENT_PORT_ACTIVE"))
    watch.kill()
    watch.wait()


def test_absent(kernel_pair):
    """QPs can be bound to counters unless the core cannot carry that."""
    pair = kernel_pair
    vm, port = pair.a, pair.ornic[pair.a]
    traffic = lifecycle.Traffic(pair)
    lqpn = qp_numbers(vm, port)[0]
    code, output = vm.run(f"rdma statistic qp bind link {port.device}/1 lqpn {lqpn}")
    traffic.kill()
    assert (code != 0) == old(pair), output
    # The counters of the port exist on each kernel
    assert of_port(vm, port)


def test_flr(kernel_pair):
    lifecycle.test_flr(kernel_pair)


def test_unbind_bind(kernel_pair):
    lifecycle.test_unbind_bind(kernel_pair)


@pytest.mark.parametrize("module", ["ornic_rdma", "ornic"])
def test_unload(kernel_pair, module):
    lifecycle.test_unload_with_traffic(kernel_pair, module)


def test_nothing_left(kernel_pair):
    """After the modules are unloaded, the card has no objects, and the kernel loads them again."""
    vm = kernel_pair.a
    vm.check("rmmod ornic_rdma && rmmod ornic")
    assert set(counters(kernel_pair.card, 0, "objects").values()) == {0}
    vm.load_ornic()
    set_up_again(kernel_pair, vm)
    lifecycle.works(kernel_pair)


def test_rdma_core(kernel_pair, record_property):
    run_distribution(kernel_pair, record_property)
