# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Random requests, most of them nearly valid. The process must survive them, serve the client of
its other card, and leave nothing open. The seed is in the name of the failed test, see lab.seed."""

import os
import random
import socket

import pytest
from lab.seed import seed

from vfio_client import PAGE, Client, Closed, Refused, eventually, serves
from vfio_proto import CMD, N, S

STRUCTS = {
    "DMA_MAP": "dma_map", "DMA_UNMAP": "dma_unmap", "DEVICE_GET_INFO": "device_info",
    "DEVICE_GET_REGION_INFO": "region_info", "DEVICE_GET_IRQ_INFO": "irq_info",
    "DEVICE_SET_IRQS": "irq_set", "REGION_READ": "region_access", "REGION_WRITE": "region_access",
    "REGION_WRITE_MULTI": "write_multi",
}
SMALL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 32, 33, 36, 63, 64]
LARGE = [PAGE, 2 * PAGE, 0x2000, 0x8000, 0xffff, 0x10000, 1 << 31, 2**32 - 1, 1 << 32, 2**63,
         2**64 - PAGE, 2**64 - 8, 2**64 - 1]


class Sender:
    def __init__(self, path, seed):
        self.path = path
        self.random = random.Random(seed)
        self.fds = [os.memfd_create("guest"), os.eventfd(0), os.open("/dev/null", os.O_RDWR)]
        os.ftruncate(self.fds[0], 256 * PAGE)
        self.client = Client(path)

    def close(self):
        self.client.close()
        for fd in self.fds:
            os.close(fd)

    def value(self, code):
        kind = self.random.random()
        if kind < 0.5:
            value = self.random.choice(SMALL)
        elif kind < 0.8:
            value = self.random.choice(LARGE)
        elif kind < 0.9:
            value = self.random.randrange(256) * PAGE
        else:
            value = self.random.getrandbits(64)
        return value & {"H": 0xffff, "I": 2**32 - 1, "Q": 2**64 - 1}[code]

    def payload(self, name):
        layout = S.get(STRUCTS.get(name))
        if not layout:
            return self.random.randbytes(self.random.choice([0, 0, 0, 4, 64]))
        codes = layout.format[1:]
        values = {field: self.value(code) for field, code in zip(layout.names, codes)}
        # Pass the first check in most cases
        if "argsz" in values and self.random.random() < 0.9:
            values["argsz"] = 64
        if name == "DMA_MAP" and self.random.random() < 0.7:
            values.update(flags=3, iova=self.random.randrange(64) * PAGE,
                          size=self.random.randrange(1, 16) * PAGE,
                          offset=self.random.randrange(250) * PAGE)
        if name == "DMA_UNMAP" and self.random.random() < 0.7:
            values.update(flags=0, iova=self.random.randrange(64) * PAGE,
                          size=self.random.randrange(1, 16) * PAGE)
        if name == "DEVICE_SET_IRQS" and self.random.random() < 0.7:
            values.update(flags=N["IRQ_TRIGGER"] | self.random.choice([1, 2, 4]),
                          index=N["IRQ_MSIX"])
        data = b""
        if name in ("REGION_READ", "REGION_WRITE") and self.random.random() < 0.8:
            values["region"] = self.random.choice([0, 2, 7])
            values["count"] = self.random.choice([1, 2, 4, 8])
            values["offset"] = self.random.randrange(0x2100)
            if self.random.random() < 0.8:
                values["offset"] -= values["offset"] % values["count"]
            if name == "REGION_WRITE":
                data = self.random.randbytes(values["count"])
        elif self.random.random() < 0.3:
            data = self.random.randbytes(self.random.randrange(100))
        return layout.pack(**values) + data

    def step(self):
        name = self.random.choice(list(CMD))
        payload = self.payload(name)
        fds = self.random.choices(self.fds, k=self.random.choice([0, 0, 0, 1, 1, 2, 16, 17]))
        flags = self.random.choice([0] * 50 + [N["NO_REPLY"]] * 10 + [N["TYPE_REPLY"]])
        try:
            if self.random.random() < 0.01:
                self.client.send_raw(self.random.randbytes(self.random.randrange(1, 100)))
                self.client.close()
            else:
                self.client.request(name, payload, fds, flags)
                return
        except Refused:
            return
        except Closed:
            self.client.close()
        self.client = Client(self.path)


@pytest.mark.parametrize("number", range(8 * seed(), 8 * seed() + 8))
def test_random_requests(launch, number):
    server = launch(nics=2)
    before = server.fds()
    neighbour = Client(server.sockets[1])
    sender = Sender(server.sockets[0], number)
    for _ in range(3000):
        sender.step()
    assert neighbour.alive()
    assert server.violations(1) == {}
    sender.close()
    neighbour.close()
    eventually(lambda: server.fds() == before)


def test_random_bytes(server):
    source = random.Random(seed())
    for _ in range(300):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(server.sockets[0]))
            try:
                sock.sendall(source.randbytes(source.randrange(1, 2000)))
            except (BrokenPipeError, ConnectionResetError):
                pass
    assert serves(server.sockets[0])
