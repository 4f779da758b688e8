# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""VERSION must come first and only once; if it is refused, the connection ends."""

import pytest

from vfio_client import Client, Refused
from vfio_proto import CMD, LIMITS, S


@pytest.fixture
def fresh(server):
    client = Client(server.sockets[0], version=False)
    yield client
    client.close()


def assert_refused_for_good(server, client, violation):
    assert client.ended()
    assert server.violations() == {violation: 1}


def test_version_answers_limits(client):
    assert client.capabilities == {
        "max_msg_fds": LIMITS["MAX_FDS"],
        "max_data_xfer_size": LIMITS["MAX_XFER"],
        "max_dma_maps": 65535,
        "write_multiple": True,
    }


def test_version_reply_fits_qemus_buffer(fresh):
    # The size of QEMU's own request, whose buffer receives the reply, with the header
    answer = fresh.request("VERSION", bytes(4))
    assert S["header"].size + len(answer) <= 214


@pytest.mark.parametrize("major", [1, 2, 0xffff])
def test_version_major_unknown(server, fresh, major):
    with pytest.raises(Refused):
        fresh.version(major=major)
    assert_refused_for_good(server, fresh, "vfio_bad_version")


def test_version_minor_newer(fresh):
    assert fresh.version(minor=7)


def test_version_without_text(fresh):
    assert fresh.version(text=b"")
    assert fresh.alive()


@pytest.mark.parametrize("text", [b"{}", b"\0", b"null\0", b"[]\0", b"42\0", b"{\"a\":\0",
                                  b"{" * 100 + b"\0", b"[" * 100 + b"]" * 100 + b"\0",
                                  b"\xff\xfe\0", b"{\"a\":" * 20 + b"1" + b"}" * 20 + b"\0"])
def test_version_text_is_no_json_object(server, fresh, text):
    with pytest.raises(Refused):
        fresh.version(text=text)
    assert_refused_for_good(server, fresh, "vfio_bad_version")


def test_version_twice(client, refuses):
    with refuses("vfio_bad_state"):
        client.version()


@pytest.mark.parametrize("cmd", sorted(set(CMD) - {"VERSION"}))
def test_any_command_before_version(server, fresh, cmd):
    with pytest.raises(Refused):
        fresh.request(cmd, bytes(64))
    assert_refused_for_good(server, fresh, "vfio_bad_state")


def test_unknown_command_before_version(server, fresh):
    with pytest.raises(Refused):
        fresh.request(77)
    assert_refused_for_good(server, fresh, "vfio_bad_command")
