# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/reports.py: no line of a kernel log that reports a problem is lost."""

import pytest
from lab.reports import KernelLog, find_reports, leaks, scan

LOCKDEP = """\
[  100.000000] ======================================================
[  100.000001] WARNING: possible circular locking dependency detected
[  100.000002] 7.3.4 #1 Tainted: G           O
[  100.000003] ------------------------------------------------------
[  100.000004] kworker/0:1/10 is trying to acquire lock:
[  100.000005] ffff888 (&id_priv->handler_mutex){+.+.}-{4:4}, at: rdma_destroy_id+0x15/0x30
[  100.000006] but task is already holding lock:
[  100.000007] ffff999 (nvmet_config_sem){++++}-{4:4}, at: nvmet_port_subsys_drop_link+0x5/0x20
[  100.000008] -> #1 (&id_priv->handler_mutex){+.+.}-{4:4}:
[  100.000009]        nvmet_rdma_cm_handler+0x100/0x200
[  100.000010] Call Trace:
[  100.000011]  <TASK>
[  100.000012]  dump_stack_lvl+0x50/0x80
[  100.000013]  </TASK>
"""
DMA = """\
[  200.000000] ------------[ cut here ]------------
[  200.000001] DMA-API: ornic 0000:01:00.0: device driver frees DMA memory with other direction
[  200.000002] WARNING: kernel/dma/debug.c:1015 at check_unmap+0x100/0x200, CPU#0: krdsd/20
[  200.000003] Modules linked in: rds_rdma rds ornic_rdma ornic
[  200.000004] Call Trace:
[  200.000005]  <TASK>
[  200.000006]  rds_dma_hdrs_free+0x1/0x2
[  200.000007]  rds_ib_conn_path_shutdown+0x1/0x2
[  200.000008]  </TASK>
[  200.000009] ---[ end trace 0000000000000000 ]---
[  200.000010] DMA-API: Mapped at:
[  200.000011]  debug_dma_map_phys+0x1/0x2
"""
OURS = "[    1.0] ornic 0000:01:00.0: device reports fatal error 3\n"
KASAN = "[  100.500000] BUG: KASAN: slab-use-after-free in ornic_poll+0x10/0x80 [ornic]\n"


@pytest.mark.parametrize("line", [
    "[    1.0] ornic 0000:01:00.0: device reports fatal error 3",
    "[    1.0] ornic 0000:01:00.0 eth0: no queues after a change that has failed",
    "[    1.0] ornic_rdma ornic.rdma.0: error -12: Failed to register a verbs device",
    "[    1.0] infiniband ornic_0: mr[0x100] is not revoked: error -5",
    "root@a:~# [    1.0] ornic 0000:01:00.0: device is gone",
    "[    1.0] DMA-API: debugging out of memory - disabling",
    "[    1.0] DMA-API: cacheline tracking EEXIST",
    "[    1.0] page_pool_release_retry() stalled pool shutdown: id 3, 7 inflight 60 sec",
    "[    1.0] ornic 0000:01:00.0 eth0: NETDEV WATCHDOG: CPU: 0: transmit queue 0 timed out",
    "[    1.0] kernel BUG at mm/slub.c:1!",
])
def test_trouble(line):
    assert find_reports(line + "\n") == [line]


@pytest.mark.parametrize("line", [
    "[    1.0] DMA-API: preallocated 65536 debug entries",
    "[    1.0] DMA-API: debugging enabled by kernel config",
    "[    1.0] ornic: loading out-of-tree module taints kernel.",
    "[    1.0] ornic_kunit: loading out-of-tree module taints kernel.",
    "[    1.0] Modules linked in: ornic_rdma ornic",
    "[    1.0] virtio_net virtio0 eth0: nothing about ornic",
])
def test_harmless(line):
    assert find_reports(line + "\n") == []


def test_harmless_words_are_whole_messages():
    """A message that only begins like a harmless one is a report."""
    line = "[    1.0] ornic: loading out-of-tree module taints kernel. And more"
    assert find_reports(line + "\n") == [line]


@pytest.mark.parametrize("text", [LOCKDEP, DMA], ids=["lockdep", "dma"])
def test_not_ours(text):
    found, foreign, consumed = scan(text)
    assert found == [] and foreign and consumed == len(text)


@pytest.mark.parametrize("text, foreign", [(LOCKDEP, 1), (DMA, 2)], ids=["lockdep", "dma"])
def test_ours_beside_theirs(text, foreign):
    """A report of our drivers directly before, inside or after one of the kernel's known faults is
    found."""
    lines = text.splitlines(keepends=True)
    for place in (0, len(lines) // 2, len(lines)):
        mixed = "".join([*lines[:place], KASAN.replace("[ornic]", ""), *lines[place:]])
        assert find_reports(mixed) != [], place
    for ours in (KASAN + "[  100.6]  </TASK>\n", OURS):
        found, theirs, _ = scan(ours + text)
        assert found == [ours.splitlines()[0]] and len(theirs) == foreign


@pytest.mark.parametrize("frame", ["ornic_destroy_qp+0x1/0x2 [ornic_rdma]", "ornic_cmd+0x1/0x2",
                                   "foo+0x1/0x20 [ornic]"])
@pytest.mark.parametrize("text", [LOCKDEP, DMA], ids=["lockdep", "dma"])
def test_our_frame_in_theirs(text, frame):
    """A known fault of the kernel is not excused if its stack has a function of our drivers."""
    mixed = text.replace(" <TASK>\n", f" <TASK>\n[  100.0]  {frame}\n")
    assert find_reports(mixed) != []


PAGE_POOL = """\
[   44.108] BUG: sleeping function called from invalid context at include/linux/sched/mm.h:322
[   44.111]  <TASK>
[   44.112]  __might_sleep+0x84/0xc0
[   44.112]  kmem_cache_alloc_lru_noprof+0x322/0x4d0
[   44.112]  __xas_nomem+0x1e8/0x5f0
[   44.112]  page_pool_dma_map+0x442/0x960
[   44.112]  ornic_rx_fill+0x8bf/0xeb0 [ornic]
[   44.113]  ? ornic_queues_destroy+0x50/0x50 [ornic]
[   44.114]  </TASK>
"""


def test_not_ours_below():
    """A known fault of the kernel that our drivers reach is excused with the functions on its
    stack, but not another message inside it."""
    for cut in range(len(PAGE_POOL) + 1):
        log = KernelLog()
        log.feed(PAGE_POOL[:cut])
        log.feed(PAGE_POOL[cut:], final=True)
        assert log.found == [] and len(log.foreign) == 1
    lines = PAGE_POOL.splitlines(keepends=True)
    assert find_reports("".join([*lines[:4], KASAN, *lines[4:]])) == [KASAN.strip()]
    assert find_reports(PAGE_POOL.replace("page_pool_dma_map", "ornic_dma_map")) != []


RACE = """\
[  300.000000] ==================================================================
[  300.000001] BUG: KCSAN: data-race in dev_gro_receive / tcp_poll

[  300.000003] write to 0xffff888003f5a0b8 of 4 bytes by interrupt on cpu 1:
[  300.000004]  dev_gro_receive+0x10/0x500
[  300.000005]  gro_receive_skb+0x20/0x100
[  300.000006]  napi_gro_receive+0x30/0x40
[  300.000007]  ornic_rx_poll+0x40/0x900 [ornic]

[  300.000009] read to 0xffff888003f5a0b8 of 4 bytes by task 300 on cpu 0:
[  300.000010]  tcp_poll+0x10/0x500
[  300.000011]  sock_poll+0x20/0x100
[  300.000012]  do_poll+0x30/0x40
[  300.000013]  __x64_sys_poll+0x40/0x900

[  300.000015] value changed: 0x00000001 -> 0x00000002

[  300.000017] Reported by Kernel Concurrency Sanitizer on:
[  300.000018] CPU: 0 UID: 0 PID: 300 Comm: iperf3 Tainted: G           O        7.3.4 #1 PREEMPT
[  300.000019] ==================================================================
"""


def test_race_elsewhere():
    """A race of the kernel's own functions is no report, wherever the log is split, even where a
    function of our drivers is below them; and no check is off after it."""
    for cut in range(len(RACE) + 1):
        log = KernelLog()
        log.feed(RACE[:cut])
        log.feed(RACE[cut:], final=True)
        assert log.found == log.foreign == []


@pytest.mark.parametrize("theirs, ours", [
    ("dev_gro_receive+0x10/0x500", "ornic_rx_poll+0x10/0x500 [ornic]"),
    ("gro_receive_skb+0x20/0x100", "ornic_rx_poll+0x10/0x500 [ornic]"),
    ("tcp_poll+0x10/0x500", "ornic_poll_cq+0x10/0x500 [ornic_rdma]"),
    ("do_poll+0x30/0x40", "ornic_poll_cq+0x10/0x500 [ornic_rdma]"),
    ("by task 300 on cpu 0:", "garbled"),
])
def test_our_race(theirs, ours):
    """A race is a report if one of the innermost functions of a side is ours."""
    if ours == "garbled":
        mixed = RACE.replace(theirs, ours).replace("by interrupt on cpu 1:", ours)
    else:
        mixed = RACE.replace(theirs, ours)
    assert any("BUG: KCSAN" in line for line in find_reports(mixed))


def test_race_of_unknown_origin():
    """A race with the card has one side."""
    mixed = RACE.replace("data-race in dev_gro_receive / tcp_poll",
                         "data-race in ornic_poll_cq+0x10/0x500 [ornic_rdma]")
    mixed = mixed.replace("read to", "race at unknown origin, with read to")
    lines = mixed.replace("tcp_poll", "ornic_poll_cq").splitlines(keepends=True)
    assert find_reports("".join(lines[:2] + lines[8:])) != []
    assert find_reports("".join(lines[:2] + lines[8:]).replace("ornic", "mlx5")) == []


def test_report_beside_race():
    """Our report inside or behind a race elsewhere is found."""
    lines = RACE.splitlines(keepends=True)
    for place in range(len(lines) + 1):
        assert KASAN.strip() in find_reports("".join([*lines[:place], KASAN, *lines[place:]]))


def test_theirs_without_an_end():
    """An incomplete report is not excused."""
    assert find_reports(LOCKDEP.replace("</TASK>", "")) != []


def test_in_pieces():
    """Each report is found once, wherever the log is split between two scans."""
    text = LOCKDEP + KASAN + "[  101.0]  </TASK>\n" + DMA
    for cut in range(len(text) + 1):
        log = KernelLog()
        log.feed(text[:cut])
        log.feed(text[cut:], final=True)
        assert log.found == [KASAN.strip()], cut
        assert len(log.foreign) == 3


def test_open_report_is_waited_for():
    log = KernelLog()
    assert not log.feed(LOCKDEP[:len(LOCKDEP) // 2])
    assert log.found == []
    assert log.feed(LOCKDEP[len(LOCKDEP) // 2:])
    assert log.found == [] and len(log.foreign) == 1


def test_each_report_fails_one_test():
    """Each report fails one test, also a report from boot or from between two tests."""
    log = KernelLog()
    log.feed(KASAN, final=True)
    assert log.settle() == [KASAN.strip()]
    assert log.settle() == []
    later = KASAN.replace("100.5", "200.5")
    log.feed(later, final=True)
    assert log.settle() == [later.strip()]


FATAL = "[    {}.0] ornic 0000:01:00.0: device reports fatal error 3\n"


def test_declared():
    """A declared message is excused in the test that declares it, and in no other."""
    log = KernelLog()
    log.expect(r"ornic \S+: device reports fatal error \d")
    log.feed(FATAL.format(1) + FATAL.format(2))
    assert log.settle() == []
    log.feed(FATAL.format(3))
    assert log.settle() == [FATAL.format(3).strip()]


def test_declared_too_late():
    log = KernelLog()
    log.feed(FATAL.format(1))
    log.expect(r"ornic \S+: device reports fatal error \d", required=False)
    assert log.settle() == [FATAL.format(1).strip()]


def test_declared_is_the_whole_message():
    log = KernelLog()
    log.expect(r"ornic \S+: device reports", required=False)
    log.feed(FATAL.format(1))
    assert log.settle() == [FATAL.format(1).strip()]


def test_declared_and_not_said():
    log = KernelLog()
    log.expect("ornic .*: device is gone")
    log.expect("ornic .*: device does not answer", required=False)
    assert log.settle() == ["declared, and not said: ornic .*: device is gone"]
    assert log.settle() == []


def test_leaks():
    theirs = """unreferenced object 0xffff8880122d4ec0 (size 6464):
  comm "timeout", pid 207, jiffies 4294929771
  backtrace (crc f50f089c):
    kmem_cache_alloc_node_noprof+0x255/0x4c0
    copy_process+0x646/0x6ba0
"""
    ports = """unreferenced object 0xffff88800bde2800 (size 512):
  comm "kworker/u10:3", pid 417, jiffies 4294955456
  backtrace (crc 9f9f0bfa):
    __kmalloc_noprof+0x364/0x6b0
    rdma_alloc_hw_stats_struct+0x49/0x1a0
    ornic_ib_alloc_hw_port_stats+0x12/0x20 [ornic_rdma]
    setup_port+0x6f7/0x19a0
"""
    nodes = """unreferenced object 0xffff88800ca03c80 (size 576):
  comm "nomem", pid 188, jiffies 4294902421
  backtrace (crc d0e20916):
    kmem_cache_alloc_noprof+0x25a/0x4e0
    radix_tree_node_alloc.constprop.0+0x49/0x2d0
    radix_tree_insert+0x18c/0x540
    uapi_merge_def+0x814/0x1700
    uverbs_alloc_api+0x18f/0x13c0
    ornic_ib_register+0x912/0xa00 [ornic_rdma]
"""
    ours = """unreferenced object 0xffff88800a37ce00 (size 1408):
  comm "ibv_rc_pingpong", pid 209, jiffies 4294929806
  backtrace (crc 68c2d89d):
    __kmalloc_cache_noprof+0x25a/0x4e0
    ornic_ib_create_qp+0x25/0x910 [ornic_rdma]
"""
    assert not leaks("")
    assert not leaks(theirs)
    assert leaks(theirs + ours + ports + nodes) == ours
    assert leaks("cat: kmemleak: Device or resource busy\n")
