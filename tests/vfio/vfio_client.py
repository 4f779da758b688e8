# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A vfio-user client that sends requests like QEMU's, and invalid ones."""

import array
import contextlib
import json
import os
import socket
import struct
import time

from vfio_proto import CMD, HW, N, S

CAPABILITIES = {"capabilities": {"max_msg_fds": 16, "write_multiple": True}}
RW = N["MAP_READ"] | N["MAP_WRITE"]
CONFIG = N["REGION_CONFIG"]
PAGE = 4096


class Closed(Exception):
    """The server ended the connection."""


class Refused(Exception):
    def __init__(self, error):
        super().__init__(os.strerror(error))
        self.errno = error


class Client:
    def __init__(self, path, version=True):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(path))
        self.sock.settimeout(20)
        self.id = 0
        if version:
            self.capabilities = self.version()

    def close(self):
        self.sock.close()

    def header(self, cmd, payload=b"", flags=0, size=None, error=0):
        self.id = (self.id + 1) & 0xffff
        size = S["header"].size + len(payload) if size is None else size
        return S["header"].pack(id=self.id, cmd=cmd, size=size, flags=flags, error=error)

    def send_raw(self, data, fds=()):
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        try:
            self.sock.sendmsg([data], ancillary)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Closed from error

    def receive(self, size):
        data = b""
        while len(data) < size:
            try:
                part = self.sock.recv(size - len(data))
            except ConnectionResetError as error:
                raise Closed from error
            if not part:
                raise Closed
            data += part
        return data

    def reply(self):
        """Receives the next message, which must answer the last request, and returns its
        payload."""
        header = S["header"].unpack(self.receive(S["header"].size))
        payload = self.receive(header["size"] - S["header"].size)
        assert header["id"] == self.id
        assert header["flags"] & N["TYPE_MASK"] == N["TYPE_REPLY"]
        if header["flags"] & N["ERROR"]:
            assert not payload
            raise Refused(header["error"])
        return payload

    def request(self, cmd, payload=b"", fds=(), flags=0):
        cmd = CMD.get(cmd, cmd)
        self.send_raw(self.header(cmd, payload, flags) + payload, fds)
        return None if flags & N["NO_REPLY"] else self.reply()

    def alive(self):
        """Returns whether the server answers a request that always succeeds."""
        return self.config_read(0, 4) == bytes.fromhex("f41af010")

    def ended(self):
        """Returns whether the server has ended the connection."""
        try:
            self.receive(1)
        except Closed:
            return True
        return False

    # Commands in their valid form

    def version(self, major=0, minor=0, text=None):
        if text is None:
            text = json.dumps(CAPABILITIES).encode() + b"\0"
        answer = self.request("VERSION", S["version"].pack(major=major, minor=minor) + text)
        assert answer[-1] == 0
        return json.loads(answer[S["version"].size:-1])["capabilities"]

    def dma_map(self, iova, size, fd=None, offset=0, flags=RW):
        payload = S["dma_map"].pack(argsz=32, flags=flags, offset=offset, iova=iova, size=size)
        return self.request("DMA_MAP", payload, [] if fd is None else [fd])

    def dma_unmap(self, iova, size, flags=0):
        payload = S["dma_unmap"].pack(argsz=24, flags=flags, iova=iova, size=size)
        return self.request("DMA_UNMAP", payload)

    def region_info(self, index):
        payload = S["region_info"].pack(argsz=32, index=index)
        return S["region_info"].unpack(self.request("DEVICE_GET_REGION_INFO", payload))

    def irq_info(self, index):
        payload = S["irq_info"].pack(argsz=16, index=index)
        return S["irq_info"].unpack(self.request("DEVICE_GET_IRQ_INFO", payload))

    def set_irqs(self, index, start, count, fds=(), flags=None, data=b""):
        if flags is None:
            flags = N["IRQ_DATA_EVENTFD"] | N["IRQ_TRIGGER"]
        payload = S["irq_set"].pack(argsz=20 + len(data), flags=flags, index=index, start=start,
                                    count=count)
        return self.request("DEVICE_SET_IRQS", payload + data, fds)

    def read(self, region, offset, count):
        payload = S["region_access"].pack(offset=offset, region=region, count=count)
        answer = self.request("REGION_READ", payload)
        assert answer[:16] == payload
        assert len(answer) == 16 + count
        return answer[16:]

    def write(self, region, offset, data, flags=0):
        payload = S["region_access"].pack(offset=offset, region=region, count=len(data))
        return self.request("REGION_WRITE", payload + data, flags=flags)

    def config_read(self, offset, count):
        return self.read(CONFIG, offset, count)

    def config_write(self, offset, data):
        return self.write(CONFIG, offset, data)

    def enable(self, command=6):
        self.config_write(4, struct.pack("<H", command))

    def read32(self, offset, region=0):
        return struct.unpack("<I", self.read(region, offset, 4))[0]

    def write32(self, offset, value, region=0):
        self.write(region, offset, struct.pack("<I", value))

    def write64(self, offset, value, region=0):
        self.write(region, offset, struct.pack("<Q", value))


def serves(path):
    """Returns whether a card serves a new client."""
    client = Client(path)
    alive = client.alive()
    client.close()
    return alive


@contextlib.contextmanager
def memory(size=64 * PAGE):
    """A file like those that back guest memory."""
    fd = os.memfd_create("guest")
    try:
        os.ftruncate(fd, size)
        yield fd
    finally:
        os.close(fd)


def shrink_file(client):
    """Maps a file, which shrinks before the card reads past its new end."""
    with memory() as fd:
        client.enable()
        client.dma_map(0, 64 * PAGE, fd)
        os.ftruncate(fd, PAGE)
        client.write64(HW["REG_DMA_TEST"], 32 * PAGE)


@contextlib.contextmanager
def eventfds(count):
    fds = [os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC) for _ in range(count)]
    try:
        yield fds
    finally:
        for fd in fds:
            os.close(fd)


def fired(fd):
    """Returns how often an eventfd was signalled since the last call."""
    try:
        return os.eventfd_read(fd)
    except BlockingIOError:
        return 0


def eventually(condition, timeout=10):
    """Waits for a condition, because posted work is done later."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)
