# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A process takes all that the card or its own limits allow. It gets an errno, its neighbours keep
working, and nothing is lost."""

import contextlib
import errno
import re

import pytest
from settings import Storm, Traffic, counters, doorbell_pages, long, resources, wait_until

KINDS = [
    "flow", "counters", *[
        long(kind) for kind in
        ("context", "pd", "cq", "qp", "srq", "wq", "table", "mr", "dma_buf", "mw", "xrcd",
         "mcast")],
]
# Sizes of tables that verbs do not announce
SIZES = {"context": 1024, "xrcd": 4096, "flow": 1024, "counters": 1024}
# The kernel's, and those that the driver keeps for the next processes
PAGES_KEPT = 1 + 64
# Descriptors that exhaust.c may have
FILES = 8192
# Objects of the kernel, of the neighbour and of the program itself
OTHERS = 100
# The stack of a process that gets too much memory
STACK = r"(\? )?ornic\w*\+0x[0-9a-f]+/0x[0-9a-f]+ \[ornic\w*\]"
CGROUP = "/sys/fs/cgroup/exhaust"
# Longer than any of these tests, in seconds
TRAFFIC = 1700
CREATED = re.compile(r"^created (\d+) errno (\d+)$", re.M)


@pytest.fixture
def neighbour(pair):
    """Traffic of other processes during the test; afterwards they still send, and the card and the
    kernel have as many objects as before."""
    before = counters(pair.card, 0, "objects")
    traffic = Traffic(pair, seconds=TRAFFIC)
    # It polls; half of the processor would be lost for hundred thousands of calls
    pair.a.check("renice -n 19 -p $(pidof ib_write_bw)")
    yield traffic
    traffic.finish()
    for vm in pair.vms:
        wait_until("no resources", lambda vm=vm: resources(vm) == {})
    wait_until("no objects", lambda: counters(pair.card, 0, "objects") == before)
    wait_until("few doorbell pages are kept", lambda: doorbell_pages(pair.card) <= PAGES_KEPT)


@pytest.fixture
def exhaust(pair, guest_programs, record_property):
    """Runs guest/exhaust.c, reports how many objects it could create, and returns its exit code and
    its output."""
    port = pair.ornic[pair.a]

    def run(kind, prefix=""):
        # Each ring of a process is a mapping of its own
        words = f"sysctl -qw vm.max_map_count=1000000 && {prefix} {guest_programs}/exhaust"
        code, output = pair.a.run(f"{words} {port.device} {port.gid_index} {kind}", 600)
        record_property("report", [f"{kind}: {count} created, {errno.errorcode[int(err)]}"
                                   for count, err in CREATED.findall(output)[:1]])
        return code, output

    return run


def created(result):
    """Returns (objects, errno) of a run without a failure, whose two rounds were the same."""
    code, output = result
    assert code == 0, output
    rounds = CREATED.findall(output)
    assert len(rounds) == 2 and rounds[0] == rounds[1], output
    return tuple(map(int, rounds[0]))


@contextlib.contextmanager
def cgroup(vm, controller, limit):
    """Makes CGROUP with this limit, and yields what runs a command in it."""
    vm.check(f"mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup; "
             f"echo +{controller} >/sys/fs/cgroup/cgroup.subtree_control; mkdir {CGROUP} && "
             f"echo {limit} >{CGROUP}/{controller}.max")
    yield f"bash -c 'echo $$ >{CGROUP}/cgroup.procs && exec \"$@\"' sh"
    vm.check(f"rmdir {CGROUP}")


def charged_pages(vm):
    """Returns the bytes of whole pages of the kernel that CGROUP is charged with."""
    stat = {name: int(value) for name, value in
            (line.split() for line in vm.check(f"cat {CGROUP}/memory.stat").splitlines())}
    return stat["kernel"] - sum(stat[name] for name in (
        "kernel_stack", "pagetables", "sec_pagetables", "percpu", "vmalloc", "slab"))


@pytest.mark.full
def test_boards_kept(pair, exhaust, neighbour):
    """The driver keeps the doorbell pages that a process leaves, with their boards. The cgroup of
    that process is not charged for them. This test is the first, before any are kept."""
    with cgroup(pair.a, "memory", "max") as prefix:
        code, output = exhaust("context", prefix)
        assert code == 0, output
        wait_until("no charge", lambda: charged_pages(pair.a) < (PAGES_KEPT - 1) * 4096 // 2)
    assert doorbell_pages(pair.card) > PAGES_KEPT // 2


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_device(exhaust, neighbour, kind):
    """When the device has no room for another object, the process gets ENOMEM, and its connection
    still works. As many objects can be created again."""
    code, output = exhaust(kind)
    count, err = created((code, output))
    announced = re.search(r"^limit (\d+)$", output, re.M)
    limit = int(announced[1]) if announced else SIZES[kind]
    assert limit - OTHERS <= count <= limit, output
    assert err == errno.ENOMEM, output


@pytest.mark.full
def test_locked_memory(exhaust, neighbour):
    """RLIMIT_MEMLOCK: a process without CAP_IPC_LOCK gets ENOMEM for the first page beyond it, and
    all of it again when it has released its MRs."""
    pages, own = 64, 2
    assert created(exhaust(
        "mr",
        f"bash -c 'ulimit -l {pages * 4} && exec setpriv --bounding-set=-ipc_lock \"$@\"' sh"
    )) == (pages - own, errno.ENOMEM)


@pytest.mark.long
def test_descriptors(exhaust, neighbour):
    """Completion channels are no objects of the device: the process gets EMFILE when it has no
    descriptor left, and its connection still works."""
    count, err = created(exhaust("channel"))
    assert FILES - OTHERS <= count < FILES
    assert err == errno.EMFILE


@pytest.mark.long
def test_rdma_cgroup(pair, exhaust, neighbour):
    """AHs are no objects of the device either: only the process's rdma cgroup limits them, and it
    gets EAGAIN."""
    limit = 5000
    with cgroup(pair.a, "rdma", f"{pair.ornic[pair.a].device} hca_object={limit}") as prefix:
        result = exhaust("ah", prefix)
    count, err = created(result)
    assert limit - OTHERS <= count < limit
    assert err == errno.EAGAIN


@pytest.mark.full
def test_contexts_of_cgroup(pair):
    """The rdma cgroup of a process limits its contexts (hca_handle) and all its objects, counts
    them, and does not affect other processes."""
    vm, device = pair.a, pair.ornic[pair.a].device
    watch = f"ibv_asyncwatch -d {device}"

    def charged():
        return dict(re.findall(r"(\w+)=(\d+)", vm.check(f"cat {CGROUP}/rdma.current")))

    def nothing():
        return set(charged().values()) <= {"0"}

    with cgroup(vm, "rdma", f"{device} hca_handle=1 hca_object=3") as prefix:
        holder = vm.spawn(f"{prefix} {watch}")
        wait_until("a context is charged", lambda: charged().get("hca_handle") == "1")
        code, output = vm.run(f"{prefix} {watch}")
        assert code == 1 and "Couldn't get context" in output, (code, output)
        vm.check(f"ibv_devinfo -d {device}")
        holder.kill()
        holder.wait(30)
        wait_until("nothing is charged", nothing)
        # A channel, a PD, an MR and a CQ are too many
        code, output = vm.run(f"{prefix} ibv_rc_pingpong -e -d {device}")
        assert code == 1 and "Couldn't" in output, (code, output)
        wait_until("nothing is charged", nothing)
        vm.check(f"{prefix} ibv_devinfo -d {device}")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["cq", "qp"])
def test_memory_cgroup(pair, exhaust, neighbour, kind):
    """Rings count as memory of the process's cgroup: beyond its limit the process gets ENOMEM or
    is killed, and nothing is left."""
    vm = pair.a
    vm.expects(STACK, required=False)
    with cgroup(vm, "memory", "24M") as prefix:
        code, output = exhaust(kind, prefix)
        events = dict(line.split() for line in vm.check(f"cat {CGROUP}/memory.events").splitlines())
    rounds = CREATED.findall(output)
    assert code == 137 or code == 0 and rounds and rounds[0][1] == str(errno.ENOMEM), (code, output)
    assert int(events["max"]), events


def storm(pair, programs, seconds, record_property):
    """Processes with threads create, resize and destroy objects, beside traffic."""
    before = counters(pair.card, 0, "objects")
    traffic = Traffic(pair, seconds=TRAFFIC)
    found = Storm(pair, programs, seconds).wait()
    record_property("report", [f"storm of {seconds} s: {created} objects, {resized} resizes"
                               for created, resized in found])
    assert all(created > 100 and resized for created, resized in found), found
    traffic.finish()
    wait_until("no objects", lambda: counters(pair.card, 0, "objects") == before)


@pytest.mark.full
@pytest.mark.parametrize("seconds", [5, long(300)])
def test_storm(taps, guest_programs, record_property, seconds):
    """Processes with several threads each create, resize and destroy objects at random on two
    processors, beside traffic; no call fails and nothing is left."""
    storm(taps, guest_programs, seconds, record_property)


@pytest.mark.long
def test_storm_in_debug_kernel(debug_pair, guest_programs, record_property):
    """The same with the debug kernel, which has nothing to report."""
    storm(debug_pair, guest_programs, 300, record_property)
