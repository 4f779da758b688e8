# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Bad input gets a clear error, and nothing is lost."""

import errno
import json

import pytest
from lab.perftest import pingpong, rping
from settings import Traffic, counters, pci_address, resources, set_up_again, wait_until

# Expected errno for each way to spoil a request that the driver checks
REQUEST = {
    "no request": errno.EINVAL,
    "request cut by 4 bytes": errno.EINVAL,
    "comp_mask bit": errno.EOPNOTSUPP,
    "second word's top bit": errno.EOPNOTSUPP,
    "tail of zeros": 0,
    "tail with a bit": errno.EOPNOTSUPP,
}

# The same for a call that has no request
NO_REQUEST = {**REQUEST, "no request": 0, "request cut by 4 bytes": 0}

UDATA = {
    **{f"{page}, {odd}": errno.EINVAL
       for page in ("doorbells", "board", "clock") for odd in ("two pages", "private")},
    **{f"context, {what}": want for what, want in REQUEST.items()},
    "context, short answer": 0,
    **{f"cq, {what}": want for what, want in REQUEST.items()},
    "cq, no entries": errno.EINVAL,
    "cq, 4 billion entries": errno.EINVAL,
    "cq, 2 billion entries": errno.EINVAL,
    "cq, vector 4 billion": errno.EINVAL,
    "cq, vector 1000": errno.EINVAL,
    **{f"resize, {what}": want for what, want in NO_REQUEST.items()},
    "resize, no entries": errno.EINVAL,
    "resize, 4 billion entries": errno.EINVAL,
    "resize, 2 billion entries": errno.EINVAL,
    "resize, one entry": 0,
    **{f"qp, {what}": want for what, want in REQUEST.items()},
    "qp, 4 billion sends": errno.EINVAL,
    "qp, 4 billion receives": errno.EINVAL,
    "qp, 4 billion send SGEs": errno.EINVAL,
    "qp, 4 billion receive SGEs": errno.EINVAL,
    "qp, 4 billion inline bytes": errno.EINVAL,
    "qp, type 200": errno.EINVAL,
    "qp, type RAW_PACKET": 0,
    "qp, no such PD": errno.ENOENT,
    "qp, no such CQ": errno.ENOENT,
    "mr, good": 0,
    "mr, length 0": errno.EINVAL,
    "mr, length that wraps": errno.EINVAL,
    "mr, memory that is not there": errno.EFAULT,
    "mr, address of another page offset": errno.EINVAL,
    "mr, remote write without local write": errno.EINVAL,
    "mr, unknown access flag": errno.EINVAL,
    "mr, huge pages that are not there": errno.EOPNOTSUPP,
    "mr, no such PD": errno.ENOENT,
    **{f"{verb}, no memory for the response": errno.EFAULT
       for verb in ("pd", "cq", "srq", "qp", "mr")},
    **{f"{verb}, no memory for the driver's response": errno.EFAULT
       for verb in ("cq", "srq", "qp")},
    **{f"wq, {what}": want for what, want in REQUEST.items()},
    "wq, comp_mask": errno.EOPNOTSUPP,
    "wq, type 7": errno.EOPNOTSUPP,
    "wq, no such PD": errno.ENOENT,
    "wq, no such CQ": errno.ENOENT,
    "wq, no receives": errno.EINVAL,
    "wq, 4 billion receives": errno.EINVAL,
    "wq, 4 billion SGEs": errno.EINVAL,
    "wq, top flag": errno.EOPNOTSUPP,
    "wq, all flags": errno.EOPNOTSUPP,
    "raw qp, good": 0,
    "raw qp, 193 bytes of headers": errno.EINVAL,
    "raw qp, a hash key": errno.EOPNOTSUPP,
    "raw qp, RC with FCS": errno.EOPNOTSUPP,
    "raw qp, unknown flag": errno.EINVAL,
    "table, comp_mask": errno.EOPNOTSUPP,
    "table, no such WQ": errno.ENOENT,
    "table, of 2, said to be 8": errno.ENOSPC,
    "table, of 16, said to be 8": errno.EOPNOTSUPP,
    "table, 2 to the 31": errno.EINVAL,
    "table, 2 to the 4 billion": errno.EINVAL,
    "table, of 64": 0,
    "rss, no request": errno.EINVAL,
    "rss, request of 8 bytes": errno.EINVAL,
    "rss, comp_mask": errno.EOPNOTSUPP,
    "rss, TSO headers": errno.EOPNOTSUPP,
    "rss, no function": errno.EOPNOTSUPP,
    "rss, function 2": errno.EOPNOTSUPP,
    "rss, key of 39": errno.EINVAL,
    "rss, key of 255": errno.EINVAL,
    "rss, unknown field": errno.EOPNOTSUPP,
    "rss, field 63": errno.EOPNOTSUPP,
    "rss, good": 0,
    "rss, of type UD": errno.EOPNOTSUPP,
    "rss, no such table": errno.ENOENT,
    "flow, good": 0,
    "flow, comp_mask": errno.EINVAL,
    "flow, no such QP": errno.ENOENT,
    "flow, reserved byte": errno.EINVAL,
    "flow, top flag": errno.EINVAL,
    "flow, no such port": errno.EINVAL,
    "flow, type 200": errno.EOPNOTSUPP,
    "flow, size beyond the request": errno.ENOSPC,
    "flow, size of one spec": errno.EOPNOTSUPP,
    "flow, size above all": errno.EINVAL,
    "flow, one spec said": errno.EINVAL,
    "flow, 200 specs said": errno.EINVAL,
    "flow, spec of size 0": errno.EINVAL,
    "flow, spec of size 8": errno.EINVAL,
    "flow, spec of size 65535": errno.EINVAL,
    "flow, spec's reserved bits": errno.EINVAL,
    "flow, unknown spec": errno.EINVAL,
    "flow, unknown action": errno.EINVAL,
    "flow, good again": 0,
}

# Expected errno of changes of the size of a CQ and an SRQ, and the status of a message that uses
# both afterwards.
RESIZES = {
    "cq, no room for the driver's answer": errno.EFAULT,
    "srq, no room for the answer": errno.EFAULT,
    "srq, answer cut by 8 bytes": errno.EINVAL,
    "srq, no such SRQ": errno.ENOENT,
    "srq, no receives": errno.EINVAL,
    "srq, 4 billion receives": errno.EINVAL,
    "srq, by modify_srq": errno.EOPNOTSUPP,
    "srq, by modify_srq with a limit": errno.EOPNOTSUPP,
    "srq, by modify_srq with an address": errno.EOPNOTSUPP,
    "srq, unknown attribute": errno.EOPNOTSUPP,
    "srq, limit": 0,
    "message": 0,
}

# Send work requests: (expected statuses of completions or other result, counter of the violation).
# The statuses are those of enum ornic_wc_status.
WQES = {
    "opcode 200": ("2", "bad_wqe_opcode"),
    "REG_MR of a process": ("2", "bad_wqe_opcode"),
    "509 SGEs": ("2", "bad_wqe_count"),
    "no length": ("2", "bad_wqe_count"),
    "part of an SGE": ("2", "bad_wqe_count"),
    "inline READ": ("2", "bad_wqe_opcode"),
    "lkey of another PD": ("4", "bad_lkey"),
    "stale lkey": ("4", "bad_lkey"),
    "lkey of another variant": ("4", "bad_lkey"),
    "SGE that wraps": ("4", "bad_lkey"),
    "SGE beyond its region": ("4", "bad_lkey"),
    "sum of lengths above 4 GiB": ("1", None),
    "rkey of another PD": ("10", "bad_rkey"),
    "stale rkey": ("10", "bad_rkey"),
    "rkey without remote write": ("10", "bad_rkey"),
    "remote address that wraps": ("10", "bad_rkey"),
    "reserved bits": ("0", None),
    "flush behind opcode 200": ("2 5 5", "bad_wqe_opcode"),
    "sq_pi beyond the ring": ("nothing", "bad_sq_pi"),
    "all bits of the board": ("nothing", None),
}


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


def test_udata(pair, guest_programs, nothing_lost):
    """Malformed or truncated udata, unknown flags, and zero or huge sizes get an errno, and nothing
    is allocated."""
    output = pair.a.check(f"{guest_programs}/udata {pair.ornic[pair.a].device}")
    got = dict(line.rsplit(": ", 1) for line in output.splitlines())
    wrong = {what: f"{got.get(what)}, not {want}" for what, want in UDATA.items()
             if got.get(what) != str(want)}
    assert not wrong and got.keys() == UDATA.keys(), wrong


def test_refused_resizes(pair, guest_programs, nothing_lost):
    """If a resize is refused, or its response cannot be copied to the process, process and device
    keep using the same ring."""
    port = pair.ornic[pair.a]
    output = pair.a.check(f"{guest_programs}/resize {port.device} {port.gid_index}")
    got = dict(line.rsplit(": ", 1) for line in output.splitlines())
    assert got == {what: str(want) for what, want in RESIZES.items()}


def test_bad_work_requests(pair, guest_programs, nothing_lost):
    """[ORNIC-SQ-5], [ORNIC-KEY-1], [ORNIC-KEY-2], [ORNIC-QP-6], [ORNIC-DB-16],
    [ORNIC-DB-38]: the QP fails with the right status, the violation is counted, and other QPs
    keep working. [ORNIC-DB-15], [ORNIC-OBJ-10]: a process gets a board of zeros."""
    before = counters(pair.card)
    port = pair.ornic[pair.a]
    output = pair.a.check(f"{guest_programs}/wqe {port.device} {port.gid_index}", timeout=120)
    got = dict(line.rsplit(": ", 1) for line in output.splitlines())
    wrong = {what: f"{got.get(what)}, not {want}" for what, (want, _) in WQES.items()
             if got.get(what) != f"{want}, neighbours ok"}
    assert not wrong and got.keys() == WQES.keys(), wrong
    # The next process gets the same board, and looks at all of it
    pair.a.check(f"{guest_programs}/udata {port.device}")
    after = counters(pair.card)
    wanted = {}
    for _, name in WQES.values():
        if name:
            wanted[name] = wanted.get(name, 0) + 1
    counted = {name: after[name] - before[name] for name in wanted}
    assert counted == wanted


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
