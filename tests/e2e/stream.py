# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""A TCP stream between two VMs, with each byte checked."""

import shlex

from lab.pair import listening

TRANSFER_PORT = 5700
# The length of no segment is a multiple of the pattern's length
BYTES = 251 * 12000
DATA = "data = bytes(range(251)) * 12000"


def send_bytes(pair, ip, scope=0):
    """Sends a stream from VM a to VM b, which checks each byte."""
    family, address = ("AF_INET6", (ip, TRANSFER_PORT, 0, scope)) if ":" in ip else \
        ("AF_INET", (ip, TRANSFER_PORT))
    server = f"""
import socket
{DATA}
with socket.socket(socket.{family}) as sock:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("", {TRANSFER_PORT}))
    sock.listen()
    stream, _ = sock.accept()
    with stream:
        got = b"".join(iter(lambda: stream.recv(1 << 20), b""))
print("same" if got == data else f"{{len(got)}} bytes are not what was sent")
"""
    client = f"""
import socket
{DATA}
with socket.socket(socket.{family}) as sock:
    sock.connect({address!r})
    sock.sendall(data)
"""
    (code, output), (client_code, client_output) = pair.duel(
        f"python3 -c {shlex.quote(server)}", f"python3 -c {shlex.quote(client)}",
        listening(TRANSFER_PORT), 120,
    )
    assert client_code == 0, client_output
    assert code == 0 and output == "same\n", output
