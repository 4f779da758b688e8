# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Features that depend on the kernel's RDMA core, on Debian's kernels with the modules as DKMS
builds them: rows of the table "Absent features" of Documentation/kernels.rst, and network
namespaces. test_kernels.py has the row about counters."""

import errno
import re

import pytest
import test_namespaces as namespaces
from settings import GIVEN_UP, inject, wait_until
from spaces import devices, maker
from test_kernels import KERNELS, OLD

pytestmark = [pytest.mark.long, pytest.mark.parametrize("kernel_cards", KERNELS, indirect=True)]

# Units of 100 Mb/s
SPEED = 1000


def old(cards):
    return cards.a.kernel.name in OLD


def test_answers(kernel_cards, guest_programs):
    """Programs are told the exact speed of the port, and that all requests are checked, by newer
    cores only. No core has DMA handles for these cards."""
    vm, port = kernel_cards.a, kernel_cards.ports[0]
    out = vm.check(f"{guest_programs}/core {port.device}")
    found = {name: int(value) for name, value in re.findall(r"^(\w+) (-?\d+)$", out, re.M)}
    if old(kernel_cards):
        assert found["robust_udata"] == 0 and found["port_speed"] == -errno.EPROTONOSUPPORT
    else:
        assert found["robust_udata"] == 1 and found["port_speed"] == SPEED
    assert found["dma_handle"] in (-errno.EPROTONOSUPPORT, -errno.EOPNOTSUPP)


def test_namespaces(kernel_cards):
    """A card per namespace: RDMA between them, a move with processes, and a recovery. With an old
    core the device is in the first namespace then, and is moved again."""
    with maker(kernel_cards) as make:
        spaces = make("exclusive").move()
        namespaces.works(spaces, spaces.ornic)
        namespaces.move_with_processes(spaces)
        if not old(kernel_cards):
            namespaces.recovery(spaces)
            return
        inject(spaces, spaces.vm, "fatal", 0)
        wait_until("a new device", lambda: devices(spaces.vm), GIVEN_UP)
        assert devices(spaces.a) == {} and list(devices(spaces.vm)) == [spaces.devices[0]]
        spaces.move_device(0)
        namespaces.works(spaces.find(), spaces.ornic)
