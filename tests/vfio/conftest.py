# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Each test has a server process of its own, which must survive the test and end cleanly."""

import contextlib
import errno

import pytest

from vfio_client import Client, Closed, Refused, memory
from vfio_host import RAM, Host
from vfio_server import Server


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path)
    try:
        yield server
        server.stop()
    finally:
        server.process.kill()
        server.process.wait()


@pytest.fixture
def client(server):
    client = Client(server.sockets[0])
    yield client
    client.close()


@pytest.fixture
def refuses(server, client):
    """with refuses("vfio_bad_size"): the request inside gets an error reply, the violation is
    counted once, no descriptor is left open, and the connection stays usable."""

    @contextlib.contextmanager
    def check(violation, error=errno.EINVAL):
        before = server.violations()
        fds = server.fds()
        with pytest.raises(Refused) as refused:
            yield
        assert refused.value.errno == error
        after = server.violations()
        assert after.pop(violation) == before.pop(violation, 0) + 1
        assert after == before
        assert client.alive()
        assert server.fds() == fds

    return check


@pytest.fixture
def closes(server, client):
    """with closes("vfio_bad_header"): the data sent inside ends the connection, the violation is
    counted once, and the next client is served."""

    @contextlib.contextmanager
    def check(violation):
        with contextlib.suppress(Closed):
            yield
        assert client.ended()
        assert server.violations() == {violation: 1}
        other = Client(server.sockets[0])
        assert other.alive()
        other.close()

    return check


@pytest.fixture
def host(tmp_path):
    """Starts a server whose card has these options; returns it and the host of the card."""
    with memory(RAM) as fd:
        made = []

        def make(options):
            path = tmp_path / "other.sock"
            server = Server(tmp_path, "--nic", f"socket={path},{options}")
            made.append(server)
            client = Client(path)
            return server, Host(client, fd)
        try:
            yield make
            for server in made:
                server.stop()
        finally:
            for server in made:
                server.process.kill()
                server.process.wait()
