# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A VM whose cable ends in the test. The test sends frames made by scapy to its card and receives
the frames that the card sends. A program in the VM creates queues and rules on command of the
test."""

import contextlib
import itertools
import json
import os
import select
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from lab.pair import Pair, find_port, set_address
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw
from settings import counters

CHANNEL = "org.ornic.frames"
PEER = "02:00:00:00:99:01"
PEER_IP = "10.50.0.2"
HERE_IP = "10.50.0.1"
# enum ibv_create_cq_wc_flags: length, number, time, cvlan, tag
WITH_ALL = 1 | 4 | 128 | 256 | 512


class Wired(Pair):
    """VM `a` with one card; port 2 of the switch is this process."""

    SUBNET = "10.50.0"

    def __init__(self, lab):
        self.lab = lab
        link = lab.link("dgram")
        self.here, self.there = link.paths
        self.pcap = lab.logdir / "wired.pcap"
        self.card = lab.card(1, ports=[link.port()], pcap=self.pcap)
        self.mac = self.card.macs[0]
        self.channel = lab.rundir / f"{self.card.name}-frames.sock"
        self.a = self.b = lab.vm("a", cards=self.card.sockets, args=[
            "-chardev", f"socket,id=frames,path={self.channel},server=on,wait=off",
            "-device", f"virtserialport,chardev=frames,name={CHANNEL}",
        ])
        self.vms = (self.a,)
        self.ornic, self.rxe = {}, {}
        self.socket = self.program = None

    def load_ornic(self):
        self.a.load_ornic()
        netdev = self.a.netdevs_of("ornic")[0]
        # Keep the cable quiet
        self.a.check(f"echo 1 >/proc/sys/net/ipv6/conf/{netdev}/disable_ipv6")
        set_address(self.a, netdev, HERE_IP)
        self.a.check(f"ip neigh replace {PEER_IP} lladdr {PEER} dev {netdev}")
        self.ornic[self.a] = find_port(self.a, netdev, HERE_IP)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.here))
        return self

    def frames(self, programs):
        """Returns the program that tests share. The channel has room for one, so a test that has
        its own calls end_frames() first."""
        if not self.program:
            self.program = Frames(self, programs)
            # The answer shows that it has the port open
            self.program("reset")
        return self.program

    def end_frames(self):
        program, self.program = self.program, None
        if program:
            code, output = program.close()
            assert code == 0, output

    def reset_frames(self):
        """Destroys all objects of the shared program. One that cannot do that has failed and is
        replaced."""
        try:
            self.program("reset")
        except AssertionError:
            self.program.kill()
            self.program = None
            raise

    def discard(self):
        super().discard()
        self.program = None
        if self.socket:
            self.socket.close()
            self.here.unlink(missing_ok=True)

    def frame(self, *layers, dst=None, src=PEER, size=0, **ethernet):
        """Returns the bytes of a frame for the card, filled with zeros to at least `size` bytes."""
        packet = Ether(dst=dst or self.mac, src=src, **ethernet)
        for layer in layers:
            packet = packet / layer
        return bytes(packet).ljust(size, b"\0")

    def udp(self, sport=1000, dport=2000, payload=b"x" * 40, vlan=None, dst=None, **ip):
        """Returns a frame with a UDP datagram, over IPv4 unless the addresses are IPv6."""
        words = {"src": PEER_IP, "dst": HERE_IP, **ip}
        network = (IPv6 if ":" in words["src"] else IP)(**words)
        tags = [Dot1Q(vlan=vlan & 0xFFF, prio=vlan >> 13)] if vlan is not None else []
        return self.frame(*tags, network, UDP(sport=sport, dport=dport), Raw(payload), dst=dst)

    def send(self, *frames):
        """Sends frames to the card. Blocks while the card has not taken earlier frames."""
        for frame in frames:
            self.socket.sendto(frame, str(self.there))

    def drain(self):
        """Discards all frames that the card has sent, and those that it sends again after this end
        was slow."""
        while select.select([self.socket], [], [], 0.05)[0]:
            self.socket.recv(1 << 16)

    @contextlib.contextmanager
    def taking(self):
        """Discards frames that the card sends while the block runs. Without this its port would be
        full after a few dozen, and senders would wait for this end [ORNIC-WIRE-6]."""
        done = threading.Event()

        def take():
            while not done.is_set():
                self.drain()

        with ThreadPoolExecutor(1) as pool:
            taker = pool.submit(take)
            try:
                yield
            finally:
                done.set()
                taker.result()

    def receive(self, count=1, timeout=120, wanted=lambda frame: True):
        """Returns `count` frames that the card sends, as bytes, or fewer after the timeout
        (seconds)."""
        found, deadline = [], time.monotonic() + timeout
        while len(found) < count:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                break
            frame = self.socket.recv(1 << 16)
            if wanted(frame):
                found.append(frame)
        return found

    def captured(self):
        """Makes the card write all that it has captured."""
        self.card.stats()

    def stats(self, group="port"):
        return counters(self.card, 0, group)

    def unclaimed(self):
        """Returns the number of datagrams that the kernel has received for no socket."""
        return int(self.a.check("nstat -az UdpNoPorts | awk '/UdpNoPorts/{print $2}'"))


class Frames:
    """guest/frames.c in the VM: each call is one of its commands."""

    numbers = itertools.count(1)

    def __init__(self, wired, programs, prefix=""):
        self.wired, self.buffer = wired, b""
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(wired.channel))
        self.socket.settimeout(180)
        port = wired.ornic[wired.a]
        self.command = wired.a.spawn(
            f"port=$(grep -lx {CHANNEL} /sys/class/virtio-ports/*/name) && "
            f"exec {prefix} {programs}/frames {port.device} /dev/$(basename $(dirname $port))", 900)

    def __call__(self, verb, *words, errno=0):
        """Sends a command, which must end with this errno, and returns the answer."""
        answer = self.ask(verb, *words)
        assert answer["errno"] == errno, f"{' '.join(map(str, (verb, *words)))[:200]}: " \
            f"{os.strerror(answer['errno'])}, not {os.strerror(errno)}"
        return answer

    def ask(self, *words):
        """Sends a command, which may fail, and returns the answer."""
        number = next(self.numbers)
        self.socket.sendall(f"{' '.join(map(str, (number, *words)))}\n".encode())
        return self.answer(number)

    def sender(self, name="qp", *words, wc_flags=0):
        """Creates a QP with a CQ of its own."""
        self("cq", f"{name}_cq", wc_flags)
        self("qp", name, f"{name}_cq", 0, *words)

    def answer(self, number):
        while True:
            while b"\n" not in self.buffer:
                try:
                    data = self.socket.recv(1 << 16)
                except TimeoutError:
                    data = b""
                if not data or self.command.poll():
                    raise AssertionError(f"the program ended or is silent: {self.command.poll()}")
                self.buffer += data
            line, _, self.buffer = self.buffer.partition(b"\n")
            answer = json.loads(line)
            if answer["number"] == number:
                return answer

    def rule(self, name, qp, attr, counters="-", errno=0):
        self("flow", name, qp, attr.hex(), counters, errno=errno)

    def poll(self, cq, count=1, timeout=120000, exact=True):
        """Returns completions with their data as bytes. `timeout` is in ms; with `exact` fewer than
        `count` are a failure."""
        found = self("poll", cq, count, timeout)["completions"]
        for one in found:
            for field in ("data", "behind"):
                if field in one:
                    one[field] = bytes.fromhex(one[field])
        assert not exact or len(found) == count, f"{len(found)} of {count}: {found}"
        return found

    def nothing(self, *cqs):
        """Checks that no completion comes to any of these CQs within 200 ms."""
        for number, cq in enumerate(cqs):
            assert not self.poll(cq, 1, 0 if number else 200, exact=False), cq

    def close(self):
        """Ends the program and returns (exit code, output)."""
        self.socket.close()
        return self.command.wait(30)

    def kill(self):
        self.command.kill("KILL")
        self.socket.close()
        self.command.wait(30)
