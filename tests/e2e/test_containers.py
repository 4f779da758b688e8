# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Containers with a card each, by podman and crun, as Documentation/namespaces.rst says: a network
namespace per container, the device nodes of one card, and the limit of locked memory. The packages
are in scripts/tree/packages-long.list."""

import shlex

import pytest
from lab import paths
from lab.perftest import pingpong, rping
from settings import GUEST, Roles
from spaces import maker, node_of

pytestmark = pytest.mark.long

PROGRAMS = "bash ls mknod rping ibv_devices ibv_rc_pingpong"
# The VM has no systemd and no journal
PODMAN = "podman --cgroup-manager=cgroupfs --events-backend=none --storage-driver=vfs"
IMAGE = "localhost/ornic"
# An emulated processor takes seconds for the start of a container
TIMEOUT = 180


def install(vm):
    """Lays the packages of the long steps over the tree of a VM, and imports the image."""
    if vm.run("command -v podman")[0] == 0:
        return
    packages = paths.long_packages()
    vm.check(f"mount -t overlay packages -o lowerdir={packages}/usr:/usr /usr && "
             f"cp -a {packages}/etc/containers /etc/ && "
             "{ mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup; }")
    vm.check(f"set -o pipefail; {GUEST}/image {PROGRAMS} | {PODMAN} import - {IMAGE}", TIMEOUT)


class Container:
    """Runs commands in new containers in the namespace of a Space, with the device nodes of one
    card."""

    def __init__(self, space, node, options="--ulimit memlock=-1:-1"):
        self.vm, self.space, self.name = space.vm, space, f"container in {space.name}"
        self.options = f"--rm --log-driver=none --network ns:/run/netns/{space.space} " \
                       f"--device /dev/infiniband/{node} --device /dev/infiniband/rdma_cm " \
                       f"{options}"

    def enter(self, text):
        return f"{PODMAN} run {self.options} {IMAGE} bash -c {shlex.quote(text)}"

    def spawn(self, text, timeout=TIMEOUT):
        return self.vm.spawn(self.enter(text), timeout)

    def run(self, text, timeout=TIMEOUT):
        """Runs the conditions of duel(), which look at the namespace of the container."""
        return self.space.run(text, timeout)

    def result(self, text):
        return self.spawn(text).wait(TIMEOUT + 30)


class Containers:
    """A container for each card of Spaces. Like a pair, so that programs run between the two."""

    duel = Roles.duel

    def __init__(self, spaces, *options):
        self.nodes = [node_of(space, device)
                      for space, device in zip(spaces.vms, spaces.devices)]
        self.a, self.b = self.vms = [Container(space, node, *options)
                                     for space, node in zip(spaces.vms, self.nodes)]
        self.ports = {one: spaces.ornic[one.space] for one in self.vms}


@pytest.fixture
def make_spaces(two_cards):
    install(two_cards.a)
    with maker(two_cards) as make:
        yield make


def test_rping(make_spaces):
    """Two containers with a card each and its node do rping, and RC with events. They see their
    card and their nodes only."""
    spaces = make_spaces("exclusive").move()
    containers = Containers(spaces)
    for one, node, device in zip(containers.vms, containers.nodes, spaces.devices):
        code, output = one.result("ls /dev/infiniband; ls /sys/class/infiniband; ibv_devices")
        assert code == 0, output
        words = output.split()
        assert words[:3] == sorted(["rdma_cm", node]) + [device], output
        assert sum(word.startswith("ornic") for word in words[3:]) == 1, output
    rping(containers, containers.ports, count=5, timeout=TIMEOUT)
    pingpong(containers, containers.ports, options="-e -n 100", timeout=TIMEOUT)


def test_shared(make_spaces):
    """In shared mode a container sees the other card in sysfs, but the devices cgroup keeps it from
    opening any node but its own, even one that it has made."""
    spaces = make_spaces("shared").move_netdevs()
    containers = Containers(spaces, "--ulimit memlock=-1:-1 --cap-add mknod")
    rping(containers, containers.ports, count=5, timeout=TIMEOUT)
    one, (own, other) = containers.a, containers.nodes
    major, minor = spaces.vm.check(f"stat -c '%Hr %Lr' /dev/infiniband/{other}").split()
    code, output = one.result(f": </dev/infiniband/{own} && mknod /tmp/node c {major} {minor} && "
                              ": </tmp/node")
    assert code == 1 and output.count("\n") == 1 and "not permitted" in output, (code, output)


def test_locked_memory(make_spaces):
    """A container without CAP_IPC_LOCK pins memory up to its limit, which the runtime sets."""
    spaces = make_spaces("exclusive").move()
    small = Containers(spaces, "--ulimit memlock=65536:65536").a
    port = spaces.ornic[small.space]
    words = f"ibv_rc_pingpong -s 1048576 -d {port.device} -g {port.gid_index}"
    code, output = small.result(words)
    assert code == 1 and "Couldn't register MR" in output, (code, output)
    large = Containers(spaces)
    pingpong(large, large.ports, options="-s 1048576 -n 20", timeout=TIMEOUT)
