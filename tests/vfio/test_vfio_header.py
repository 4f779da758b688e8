# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Headers and framing: a bad header ends the connection, other bad requests are refused."""


import pytest

from vfio_client import CONFIG, PAGE, RW, Refused, serves
from vfio_proto import CMD, LIMITS, N, S

READ_ID = S["region_access"].pack(offset=0, region=CONFIG, count=4)


@pytest.mark.parametrize("size", [0, 1, 15, LIMITS["MAX_MSG"] + 1, 1 << 20, 0xffffffff])
def test_header_size_out_of_bounds(client, closes, size):
    with closes("vfio_bad_size"):
        client.send_raw(client.header(CMD["REGION_READ"], size=size) + READ_ID)


@pytest.mark.parametrize("flags", [N["TYPE_REPLY"], 2, 15, N["ERROR"], 1 << 6, 1 << 31])
def test_header_flags_of_no_request(client, closes, flags):
    with closes("vfio_bad_header"):
        client.send_raw(client.header(CMD["REGION_READ"], READ_ID, flags=flags) + READ_ID)


@pytest.mark.parametrize("cmd", [0, 6, 11, 12, 14, 16, 17, 18, 19, 0xffff])
def test_header_command_unknown(client, refuses, cmd):
    with refuses("vfio_bad_command"):
        client.request(cmd)


@pytest.mark.parametrize("cmd", sorted(set(CMD) - {"DEVICE_RESET"}))
def test_payload_too_short(client, refuses, cmd):
    with refuses("vfio_bad_size"):
        client.request(cmd, b"\0\0\0")


@pytest.mark.parametrize("cmd", ["DMA_MAP", "DMA_UNMAP", "DEVICE_GET_INFO", "DEVICE_GET_IRQ_INFO",
                                 "REGION_READ", "DEVICE_RESET"])
def test_payload_too_long(client, refuses, cmd):
    with refuses("vfio_bad_size"):
        client.request(cmd, bytes(64))


@pytest.mark.parametrize("missing", [1, None], ids=["byte", "all"])
@pytest.mark.parametrize("cmd,layout,values", [
    ("DEVICE_GET_INFO", "device_info", {}),
    ("DEVICE_GET_REGION_INFO", "region_info", {}),
    ("DEVICE_GET_IRQ_INFO", "irq_info", {}),
    ("DEVICE_SET_IRQS", "irq_set", {"flags": N["IRQ_DATA_NONE"] | N["IRQ_TRIGGER"],
                                    "index": N["IRQ_MSIX"]}),
    ("DMA_MAP", "dma_map", {"flags": RW, "size": PAGE}),
    ("DMA_UNMAP", "dma_unmap", {"size": PAGE}),
])
def test_argsz_too_small(client, refuses, cmd, layout, values, missing):
    argsz = S[layout].size - missing if missing else 0
    with refuses("vfio_bad_argsz"):
        client.request(cmd, S[layout].pack(argsz=argsz, **values))


def test_largest_message_is_received_whole(client, refuses):
    with refuses("vfio_bad_size"):
        client.request("DEVICE_RESET", bytes(LIMITS["MAX_MSG"] - S["header"].size))


def test_no_reply_flag(server, client):
    client.request("DEVICE_RESET", flags=N["NO_REPLY"])
    client.request(99, flags=N["NO_REPLY"])
    assert client.alive()
    assert server.violations() == {"vfio_bad_command": 1}


def test_message_in_single_bytes(client):
    for byte in client.header(CMD["REGION_READ"], READ_ID) + READ_ID:
        client.send_raw(bytes([byte]))
    assert client.reply()[16:] == bytes.fromhex("f41af010")


def test_many_messages_in_one_send(client):
    data = b""
    for _ in range(500):
        data += client.header(CMD["REGION_READ"], READ_ID, flags=N["NO_REPLY"]) + READ_ID
    client.send_raw(data)
    assert client.alive()


@pytest.mark.parametrize("size", [1, 15, 16, 20, 31])
def test_client_dies_mid_message(server, client, size):
    data = client.header(CMD["REGION_READ"], READ_ID) + READ_ID
    client.send_raw(data[:size])
    client.close()
    assert serves(server.sockets[0])


def test_half_a_message_stalls_nobody_else(server, client):
    client.send_raw(client.header(CMD["REGION_READ"], READ_ID)[:7])
    assert server.card()["connected"]
    assert not server.violations()


def test_client_that_does_not_read_is_not_served(server, client):
    payload = S["region_access"].pack(offset=0, region=CONFIG, count=4096)
    data = b"".join(client.header(CMD["REGION_READ"], payload) + payload for _ in range(64))
    client.sock.setblocking(False)
    sent = 0
    try:
        for _ in range(1000):
            sent += client.sock.send(data)
    except BlockingIOError:
        pass
    assert server.card()["connected"]
    client.sock.settimeout(20)
    # One reply of 16 + 16 + 4096 bytes for each request that was sent completely
    whole = sent // 32
    assert whole > 1000
    for _ in range(whole):
        client.receive(16 + 16 + 4096)


def test_refusals_do_not_fill_the_log(server, client):
    for _ in range(300):
        with pytest.raises(Refused):
            client.request(99)
    assert server.violations() == {"vfio_bad_command": 300}
    assert server.text().count("vfio_bad_command") == 16
