# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The Toeplitz hash, written from its definition without code of the card, and Microsoft's test
vectors ("Verifying the RSS Hash Calculation")."""

import ipaddress

KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c"
                    "6a42b73bbeac01fa")

# (destination, its port, source, its port, hash of the addresses, hash with the ports)
VECTORS = [
    ("161.142.100.80", 1766, "66.9.149.187", 2794, 0x323E8FC2, 0x51CCC178),
    ("65.69.140.83", 4739, "199.92.111.2", 14230, 0xD718262A, 0xC626B0EA),
    ("12.22.207.184", 38024, "24.19.198.95", 12898, 0xD2D0A5DE, 0x5C2B394A),
    ("209.142.163.6", 2217, "38.27.205.30", 48228, 0x82989176, 0xAFC7327F),
    ("202.188.127.2", 1303, "153.39.163.191", 44251, 0x5D1809C5, 0x10E828A2),
    ("3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x2CC18CD5, 0x40207D3D),
    ("ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0x0F0C461C, 0xDDE51BBF),
    ("fe80::200:f8ff:fe21:67cf", 38024, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251,
     0x4B61E985, 0x02D1FEEF),
]


def toeplitz(data, key=KEY):
    """Returns the hash: each bit of the data that is 1 adds the 32 bits of the key that begin at
    its place."""
    bits = int.from_bytes(key, "big")
    result = 0
    for place in range(len(data) * 8):
        if data[place // 8] >> (7 - place % 8) & 1:
            result ^= bits >> (len(key) * 8 - 32 - place) & 0xFFFFFFFF
    return result


def data_of(src=None, dst=None, sport=None, dport=None):
    """Returns the given addresses and ports as input of the hash, in the order of the wire."""
    data = b"".join(ipaddress.ip_address(ip).packed for ip in (src, dst) if ip)
    return data + b"".join(port.to_bytes(2, "big") for port in (sport, dport) if port is not None)
