# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Kernel consumers between two VMs: NVMe over Fabrics (nvmet, nvme-rdma, and fio with
verification), NFS over RDMA, SRP and RDS; and their behaviour when a card goes away."""

import pytest
from lab.consumers import CONSUMERS, Nvme, NvmeCopy, NvmeSrq, Srp, consume, fio, fio_command
from settings import (
    GIVEN_UP, RECOVERY, come_back, counters, fail, full, inject, long, pci_address, reset_function,
    set_up_again, wait_until,
)

KINDS = pytest.mark.parametrize("kind", [NvmeCopy, *map(full, CONSUMERS)],
                                ids=[kind.__name__.lower() for kind in (NvmeCopy, *CONSUMERS)])


@KINDS
def test_consumer(pair, tidy, kind):
    """A consumer works with verified data from loading to unloading, and leaves nothing in kernels
    or cards."""
    before = [counters(pair.card, nic, "objects")["qp"] for nic in (0, 1)]
    consume(kind, pair.a, pair.b, pair.ornic)
    assert [counters(pair.card, nic, "objects")["qp"] for nic in (0, 1)] == before


@pytest.mark.full
@pytest.mark.parametrize("kind", [Nvme, long(Srp)], ids=["nvme", "srp"])
@pytest.mark.parametrize("card", ["host", "target"])
def test_interop(interop, tidy, card, kind):
    """A consumer works with rdma_rxe on the other side: one side registers and invalidates memory
    that the other side reads and writes."""
    host, target = interop.vms if card == "host" else interop.vms[::-1]
    consume(kind, host, target, interop.ornic)


class Io:
    """fio with verification on the host's NVMe disk, which runs for `seconds` or until it fails."""

    def __init__(self, pair, disk, seconds=300):
        self.pair = pair
        start = self.bytes_moved()
        self.command = disk.host.spawn(fio_command(disk.path, seconds=seconds), seconds + 60)
        wait_until("bytes move", lambda: self.bytes_moved() > start + (4 << 20))

    def bytes_moved(self):
        stats = counters(self.pair.card, 0, "rdma")
        return stats["tx_bytes"] + stats["rx_bytes"]

    def fails(self):
        """Checks that fio ends with an I/O error, because its disk is gone."""
        code, output = self.command.wait(GIVEN_UP)
        assert code not in (0, 124, 137), output
        # After its first error fio verifies blocks that were not written, in buffers that were not
        # filled.
        before, error, _ = output.partition("io_u error")
        assert error and "verify:" not in before, output


def unload(pair, vm):
    vm.check("rmmod ornic_rdma && rmmod ornic", GIVEN_UP)
    vm.load_ornic()
    set_up_again(pair, vm)


def unload_mute(pair, vm):
    """Unloads the drivers of a card that answers no command, which the driver detects meanwhile."""
    inject(pair, vm, "mute")
    unload(pair, vm)


def remove(pair, vm):
    address = pci_address(vm, pair.ornic[vm].netdev)
    vm.check(f"echo 1 >/sys/bus/pci/devices/{address}/remove")
    vm.check("echo 1 >/sys/bus/pci/rescan")
    set_up_again(pair, vm)


def reset(pair, vm):
    come_back(pair, vm, lambda: reset_function(pair, vm))


def mute(pair, vm):
    """Makes the card answer no command, and runs a program that needs one."""
    def break_down():
        inject(pair, vm, "mute")
        vm.run(f"timeout -k 1 {RECOVERY} ibv_rc_pingpong -d {pair.ornic[vm].device} -g 0 127.0.0.1",
               RECOVERY + 10)

    come_back(pair, vm, break_down)


@pytest.mark.full
@pytest.mark.parametrize("lose", [
    unload, long(remove), reset, long(fail), mute,
    # NVMe waits a minute for the answer to its last request
    long(unload_mute),
])
def test_host_loses_its_card(pair, tidy, lose):
    """If the host loses its card, the disk goes away, programs get errors, and nothing hangs. A new
    disk works."""
    disk = Nvme(pair.a, pair.b, pair.ornic)
    disk.load()
    disk.export()
    disk.attach()
    io = Io(pair, disk)
    # Frames of a dead device must not time out while the disk holds it
    pings = pair.a.spawn(f"ping -q -i 0.2 {pair.ornic[pair.b].ip}", GIVEN_UP)
    lose(pair, pair.a)
    io.fails()
    wait_until("no controller", lambda: disk.state() == "", GIVEN_UP)
    pings.kill("KILL")
    pings.wait(30)
    disk.attach()
    fio(pair.a, disk.path, size="4M")
    disk.detach()
    disk.unexport()
    disk.unload()


@pytest.mark.full
@pytest.mark.parametrize("kind, lose, seconds", [
    long(Nvme, unload, 10), (NvmeSrq, remove, 10), long(Nvme, reset, 10), (NvmeSrq, fail, 10),
    # The driver notices this after 10 s
    long(Nvme, mute, 25),
])
def test_target_loses_its_card(pair, tidy, kind, lose, seconds):
    """If the target loses its card, the host waits; when the target is back, I/O continues and no
    data is lost."""
    with kind(pair.a, pair.b, pair.ornic) as disk:
        io = Io(pair, disk, seconds)
        lose(pair, pair.b)
        disk.listen()
        code, output = io.command.wait(GIVEN_UP)
        assert code == 0, output
        assert disk.state() == "live"
