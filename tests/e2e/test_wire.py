# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""tshark confirms that the card sends well-formed RoCEv2."""

import subprocess
from collections import Counter

import pytest
from lab.perftest import perftest, pingpong, rping
from pcapfile import frames, icrc, roce
from settings import Interop, Roles

# BTH opcodes that the traffic below must contain, from either side
WANTED = {
    "SEND only": 0x04, "WRITE only": 0x0A, "READ request": 0x0C, "READ response only": 0x10,
    "acknowledge": 0x11, "atomic acknowledge": 0x12, "fetch and add": 0x14, "UD SEND only": 0x64,
}


@pytest.fixture(scope="module")
def capture(pairs):
    """A capture with all kinds of traffic, which is made once."""
    interop = pairs.keep("interop", lambda: Interop(pairs.lab))
    pingpong(interop, interop.ornic, options="-n 5", timeout=120)
    pingpong(interop, interop.ornic, "ud", "-n 5", timeout=120)
    rping(Roles(interop.b, interop.a), interop.ornic, count=3, timeout=120)
    perftest(interop, interop.ornic, "ib_write_lat", 8, 10, timeout=120)
    perftest(interop, interop.ornic, "ib_atomic_lat", 8, 10,
             "-A FETCH_AND_ADD -o 16", timeout=120)
    return interop.pcap


def test_icrc(capture, interop):
    """Every RoCEv2 packet has the ICRC that the specification requires [ORNIC-WIRE-2]."""
    mac = bytes.fromhex(interop.card.macs[0].replace(":", ""))
    seen = Counter()
    for frame in frames(capture):
        found = roce(frame)
        if found:
            packet, header = found
            assert packet[-4:] == icrc(packet, header), frame.hex()
            seen["sent" if frame[6:12] == mac else "received"] += 1
    assert seen["sent"] > 20 and seen["received"] > 20, seen


@pytest.mark.full
def test_tshark(capture, interop):
    """tshark dissects every packet from the card as InfiniBand, and reports no error."""
    words = ["tshark", "-r", capture,
             "-Y", f"udp.dstport == 4791 && eth.src == {interop.card.macs[0]}",
             "-T", "fields", "-E", "separator=;"]
    for field in ("frame.number", "infiniband.bth.opcode", "_ws.malformed", "ip.checksum.status",
                  "_ws.expert.severity", "_ws.expert.message"):
        words += ["-e", field]
    # Wireshark does not check IPv4 checksums by default
    words += ["-o", "ip.check_checksum:TRUE"]
    words = list(map(str, words))
    output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    opcodes = Counter()
    for line in output.splitlines():
        number, opcode, malformed, checksum, severity, message = line.split(";", 5)
        assert opcode, f"frame {number} is no InfiniBand to tshark"
        assert not malformed, f"frame {number}: {malformed}"
        assert checksum in ("", "1", "Good"), f"frame {number}: IPv4 checksum {checksum}"
        # 8388608 is an error in Wireshark's scale
        assert all(int(word) < 8388608 for word in severity.split(",") if word), \
            f"frame {number}: {message}"
        opcodes[int(opcode, 0)] += 1
    assert sum(opcodes.values()) > 20


def test_opcodes(capture):
    """The traffic has all kinds of packets."""
    seen = set()
    for frame in frames(capture):
        found = roce(frame)
        if found:
            packet, header = found
            seen.add(packet[header + 8])
    missing = [name for name, opcode in WANTED.items() if opcode not in seen]
    assert not missing
