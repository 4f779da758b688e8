# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Packets and events of a running ornic-device, as pcapng with the names of cards and QPs."""

import os
import select
import struct
import sys
import time

from .control import Problem, find_control

SNAPLEN = 65535
ETHERNET = 1
ROCE_PORT = 4791
# Numbers of pcapng (draft-ietf-opsawg-pcapng)
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
BYTE_ORDER = 0x1A2B3C4D
END, COMMENT = 0, 1
SECTION_HARDWARE, SECTION_APPLICATION = 2, 4
IF_NAME, IF_DESCRIPTION, IF_MAC, IF_RESOLUTION = 2, 3, 6, 9
PACKET_DROPCOUNT = 4
# Pairs of sender and QP that get a comment, and interval of questions about unknown ones
NAMED_MAX, NAME_INTERVAL = 65536, 0.1
GSI, MULTICAST = 1, 0xFFFFFF
READ = 1 << 18


def padded(data):
    return data + bytes(-len(data) % 4)


def option(code, value):
    value = value.encode() if isinstance(value, str) else value
    return struct.pack("=HH", code, len(value)) + padded(value)


def block(kind, body):
    length = struct.pack("=I", len(body) + 12)
    return struct.pack("=I", kind) + length + body + length


def header(stats, faults, interfaces):
    """Returns the section header and the descriptions of the interfaces."""
    state = [f"fault {kind} {ppm}" for kind, ppm in faults.items() if ppm]
    options = option(SECTION_HARDWARE, "ORNIC software RDMA cards")
    options += option(SECTION_APPLICATION, f"ornicctl, ornic-device {stats['version']}")
    if state:
        options += option(COMMENT, ", ".join(state))
    parts = [block(SECTION, struct.pack("=IHHq", BYTE_ORDER, 1, 0, -1) + options +
                   option(END, b""))]
    parts += (describe(name, stats["cards"].get(name)) for name in interfaces)
    return b"".join(parts)


def describe(name, card):
    """Returns the description of a card, or of a port that leads out of the process."""
    options = option(IF_NAME, name) + option(IF_RESOLUTION, b"\x09")
    if card:
        host = card.get("host", {}).get("name") or "no driver"
        options += option(IF_DESCRIPTION, f"card of {host}, socket {card['socket']}")
        options += option(IF_MAC, bytes.fromhex(card["mac"].replace(":", "")))
        options += option(COMMENT, f"link {'up' if card['link'] else 'down'}")
    return block(INTERFACE, struct.pack("=HHI", ETHERNET, 0, SNAPLEN) + options + option(END, b""))


def target(frame):
    """Returns the number of the QP that a RoCEv2 packet is for, or None."""
    at = 18 if frame[12:14] == b"\x81\x00" else 14
    kind = frame[at - 2:at]
    if kind == b"\x08\x00" and frame[at + 9:at + 10] == b"\x11":
        at += (frame[at] & 15) * 4
    elif kind == b"\x86\xdd" and frame[at + 6:at + 7] == b"\x11":
        at += 40
    else:
        return None
    # The UDP header, then the fourth to the seventh byte of the BTH
    if frame[at + 2:at + 4] != ROCE_PORT.to_bytes(2, "big") or len(frame) < at + 16:
        return None
    return int.from_bytes(frame[at + 13:at + 16], "big")


class Names:
    """Says whose a QP is, once for each pair of sender and QP."""

    def __init__(self, control, stats, interfaces):
        self.control, self.interfaces = control, interfaces
        self.cards = {bytes.fromhex(card["mac"].replace(":", "")): name
                      for name, card in stats["cards"].items()}
        self.qps, self.known, self.asked = {}, set(), {}

    def find(self, card, number):
        """Returns a QP of a card. The card is asked for a new one, once in an interval."""
        now = time.monotonic()
        if (card, number) not in self.qps and now - self.asked.get(card, 0) > NAME_INTERVAL:
            self.asked[card] = now
            self.qps.update(((card, qp["qp"]), qp) for qp in self.control.qps(card, NAMED_MAX))
        return self.qps.get((card, number))

    def comment(self, interface, frame):
        """Returns a comment for the first packet of a sender to a QP, or None."""
        number = target(frame)
        if number is None:
            return None
        key = interface, bytes(frame[:6]), number
        if key in self.known or len(self.known) >= NAMED_MAX:
            return None
        self.known.add(key)
        sender, card = self.interfaces[interface], self.cards.get(key[1])
        receiver = f"{card} QP {number}" if card else f"QP {number}"
        if number == MULTICAST:
            return f"{sender} -> a group"
        if number == GSI:
            return f"{sender} -> {card or 'another station'} GSI"
        qp = self.find(card, number) if card else None
        if not qp:
            return f"{sender} -> {receiver}"
        sender += f" QP {qp['peer']}" if qp["peer"] else ""
        return f"{sender} -> {receiver} ({qp['type']}, {qp['state']})"


class Stream:
    """Splits what comes from ornic-device into blocks, and adds comments."""

    def __init__(self, names, rest, limit):
        self.names, self.data, self.limit = names, bytearray(rest), limit
        self.packets = self.lost = 0

    def ended(self):
        return self.limit and self.packets >= self.limit

    def feed(self, data):
        """Returns the blocks that are complete."""
        self.data += data
        at, parts = 0, []
        while len(self.data) - at >= 12 and not self.ended():
            kind, length = struct.unpack_from("=II", self.data, at)
            if len(self.data) - at < length:
                break
            part = bytes(self.data[at:at + length])
            parts.append(self.packet(part) if kind == PACKET else part)
            at += length
        del self.data[:at]
        return b"".join(parts)

    def packet(self, part):
        """Returns a packet, with a comment if it is the first one to its QP."""
        self.packets += 1
        interface, = struct.unpack_from("=I", part, 8)
        captured, = struct.unpack_from("=I", part, 20)
        end = 28 + captured + -captured % 4
        options = part[end:-4]
        if options:
            code, _, lost = struct.unpack_from("=HHQ", options)
            self.lost += lost if code == PACKET_DROPCOUNT else 0
        comment = self.names.comment(interface, part[28:28 + captured])
        if not comment:
            return part
        return block(PACKET, part[8:end] + option(COMMENT, comment) + (options or option(END, b"")))


def copy(stream, sock, out):
    """Copies until one of both ends, or the limit is reached."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    # POLLERR of a pipe without reader is reported in any case
    poll.register(out, 0)
    out.write(stream.feed(b""))
    while not stream.ended():
        ready = dict(poll.poll())
        if out.fileno() in ready:
            raise BrokenPipeError
        data = sock.recv(READ)
        if not data:
            raise Problem("capture: ornic-device has ended, or ends the capture")
        out.write(stream.feed(data))
        out.flush()


def open_output(args):
    try:
        if args.write:
            return open(args.write, "wb")
    except OSError as error:
        raise Problem(f"{args.write}: {error.strerror}") from error
    if sys.stdout.isatty():
        raise Problem("packets are no text: name a file with -w, or use a pipe "
                      "(ornicctl capture | wireshark -k -i -)")
    return os.fdopen(os.dup(sys.stdout.fileno()), "wb")


def do_capture(args):
    if not 1 <= args.bytes <= SNAPLEN:
        raise Problem(f"--bytes {args.bytes}: 1 to {SNAPLEN} can be kept of each packet")
    control, out = find_control(args), open_output(args)
    answer, sock, rest = control.open(f"capture {args.bytes}")
    stats, faults = control.ask("stats"), control.ask("fault")
    stream = Stream(Names(control, stats, answer["interfaces"]), rest, args.count)
    sock.settimeout(None)
    try:
        out.write(header(stats, faults, answer["interfaces"]))
        out.flush()
        copy(stream, sock, out)
    except (BrokenPipeError, KeyboardInterrupt):
        # The reader or the user ends it
        pass
    except OSError as error:
        raise Problem(f"capture: {error.strerror}") from error
    finally:
        sock.close()
        close(out)
    lost = f", {stream.lost} lost" if stream.lost else ""
    print(f"ornicctl: {stream.packets} packets{lost}", file=sys.stderr)


def close(out):
    """Closes the output, also one without reader."""
    try:
        out.close()
    except BrokenPipeError:
        pass
