# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Each test has a server process of its own, which must survive the test and end cleanly."""

import contextlib
import errno

import pytest

from vfio_client import Client, Closed, Refused, eventfds, memory, serves
from vfio_host import RAM, Host
from vfio_server import Server


@pytest.fixture
def launch(tmp_path):
    """Starts a server with these arguments, which ends with the test."""
    with contextlib.ExitStack() as servers:
        yield lambda *args, **options: servers.enter_context(Server(tmp_path, *args, **options))


@pytest.fixture
def server(launch):
    return launch()


@pytest.fixture
def client(server):
    client = Client(server.sockets[0])
    yield client
    client.close()


@pytest.fixture
def fd():
    """A file like those that back guest memory."""
    with memory() as file:
        yield file


@pytest.fixture
def fds():
    """An eventfd for each vector."""
    with eventfds(16) as each:
        yield each


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
        assert serves(server.sockets[0])

    return check


@pytest.fixture
def host(launch, tmp_path):
    """Starts a server whose card has these options; returns it and the host of the card."""
    path = tmp_path / "other.sock"
    with memory(RAM) as fd:
        def make(options):
            server = launch("--nic", f"socket={path},{options}")
            return server, Host(Client(path), fd)

        yield make
