# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Bad input gets a clear error, and nothing is lost."""

import json
import re
from collections import Counter

import pytest
from lab.perftest import pingpong, rping
from settings import Traffic, counters, pci_address, resources, set_up_again, wait_until


@pytest.fixture
def nothing_lost(pair):
    """Checks after the test that no resource is left, that the card still runs, and that the
    kernels have nothing new to report."""
    before = {vm: vm.reports() for vm in pair.vms}
    objects = counters(pair.card, 0, "objects")
    yield
    assert pair.card.running()
    assert resources(pair.a) == {}
    assert counters(pair.card, 0, "objects") == objects
    for vm in pair.vms:
        assert [line for line in vm.reports() if line not in before[vm]] == []


def all_ok(output):
    """Checks the output of a program that prints the result of each of its attempts."""
    wrong = [line for line in output.splitlines() if not line.endswith(": ok")]
    assert output and not wrong, wrong


def test_udata(pair, guest_programs, nothing_lost):
    """Malformed or truncated udata, unknown flags, and zero or huge sizes get an errno, and nothing
    is allocated."""
    output = pair.a.check(f"{guest_programs}/udata {pair.ornic[pair.a].device}")
    all_ok(output)


def test_refused_resizes(pair, guest_programs, nothing_lost):
    """If a resize is refused, or its response cannot be copied to the process, process and device
    keep using the same ring."""
    port = pair.ornic[pair.a]
    output = pair.a.check(f"{guest_programs}/resize {port.device} {port.gid_index}")
    all_ok(output)


def test_bad_work_requests(pair, guest_programs, nothing_lost):
    """[ORNIC-SQ-5], [ORNIC-KEY-1], [ORNIC-KEY-2], [ORNIC-QP-6], [ORNIC-DB-16],
    [ORNIC-DB-38]: the QP fails with the right status, the violation is counted, and other QPs
    keep working. [ORNIC-DB-15], [ORNIC-OBJ-10]: a process gets a board of zeros."""
    before = counters(pair.card)
    port = pair.ornic[pair.a]
    output = pair.a.check(f"{guest_programs}/wqe {port.device} {port.gid_index}", timeout=120)
    ways = re.findall(r"^.*: ok, neighbours ok, (\w+)$", output, re.M)
    assert len(ways) == len(output.splitlines()), output
    # The next process gets the same board, and looks at all of it
    pair.a.check(f"{guest_programs}/udata {port.device}")
    after = counters(pair.card)
    wanted = Counter(name for name in ways if name != "nothing")
    assert wanted and wanted == {name: after[name] - before[name] for name in wanted}


def test_lost_srq(pair, guest_programs, nothing_lost):
    """[ORNIC-SRQ-7]: an SRQ with an impossible index fails. Its owner gets an event (14: SRQ
    error), and the QP that uses it fails (1: QP fatal, 16: last WQE reached)."""
    before = counters(pair.card)["bad_rq_pi"]
    port = pair.ornic[pair.a]
    output = pair.a.check(f"{guest_programs}/lost_srq {port.device} {port.gid_index}")
    # 11: remote operation error
    assert output.split("\n")[:-1] == ["status 11", "event 1", "event 14", "event 16"], output
    assert counters(pair.card)["bad_rq_pi"] == before + 1


def test_foreign_doorbell(pair, guest_programs, nothing_lost):
    """[ORNIC-DB-3], [ORNIC-DB-4]: doorbells for another process's queue are ignored and counted,
    and that process is not affected."""
    count = 100
    vm, port = pair.a, pair.ornic[pair.a]
    traffic = Traffic(pair)
    victims = [qp for qp in json.loads(vm.check("rdma -j resource show qp"))
               if qp["ifname"] == port.device and qp["type"] == "RC"]
    assert victims, "no QP of the victim in the resource list"
    before = counters(pair.card)
    vm.check(f"{guest_programs}/doorbell {port.device} {victims[0]['lqpn']} {count}")
    after = counters(pair.card)
    # For the QP, and for an EQ, which belongs to the kernel
    assert after["bad_doorbell_queue"] - before["bad_doorbell_queue"] == 2 * count
    assert after["bad_doorbell_type"] - before["bad_doorbell_type"] == count
    assert after["bad_sq_pi"] == before["bad_sq_pi"]
    traffic.finish()


def test_long_datagrams_to_the_gsi(pair, guest_programs, nothing_lost):
    """[ORNIC-RQ-5]: the peer's GSI drops and counts datagrams that are longer than those of
    connection management, and rdma_cm works afterwards."""
    port, peer = pair.ornic[pair.a], pair.ornic[pair.b]
    before = counters(pair.card, 1, "rdma")["rx_length_errors"]
    pair.a.check(f"{guest_programs}/gsi {port.device} {port.gid_index} {peer.ip} 257 512 1024")
    wait_until("all are dropped",
               lambda: counters(pair.card, 1, "rdma")["rx_length_errors"] == before + 3)
    rping(pair, pair.ornic, count=5)


def test_registers_from_user_space(pair):
    """[ORNIC-REG-1], [ORNIC-REG-2]: root may map BAR0 while it has no driver, and read and write
    anything. The card counts bad accesses, and the driver finds it in working order afterwards."""
    vm = pair.a
    address = pci_address(vm, pair.ornic[vm].netdev)
    script = (
        "import mmap, os, struct, sys\n"
        "fd = os.open(sys.argv[1], os.O_RDWR)\n"
        "bar = mmap.mmap(fd, 65536)\n"
        "assert bar[0:4] == b'ORNC', bar[0:4]\n"
        "for offset in (0x2c0, 0x1000, 0x7ffc):\n"
        "    assert struct.unpack_from('<I', bar, offset)[0] == 0, hex(offset)\n"
        "for offset in range(0, 0x8000, 4):\n"
        "    struct.pack_into('<I', bar, offset, 0xffffffff)\n"
    )
    vm.check(f"echo {address} >/sys/bus/pci/drivers/ornic/unbind")
    vm.check(f"echo 1 >/sys/bus/pci/devices/{address}/enable")
    before = counters(pair.card)["bad_register_access"]
    vm.check(f"python3 -c \"{script}\" /sys/bus/pci/devices/{address}/resource0")
    assert counters(pair.card)["bad_register_access"] > before
    vm.check(f"echo {address} >/sys/bus/pci/drivers/ornic/bind")
    set_up_again(pair, vm)
    pingpong(pair, pair.ornic)
