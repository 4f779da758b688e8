# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Kernel consumers of RDMA between two VMs: a target offers storage or a service, a host uses it.

    with Nvme(host, target, pair.ornic) as consumer:
        consumer.exercise()

The port's address and the device's name are enough to find all the rest. At the end of the block
the connection, the target and the modules are removed; LabError names what is left. A block that
fails leaves everything in place for debugging.
"""

import json
import shlex
import time

from . import paths
from .errors import LabError
from .pair import Roles, find_port, rdma_objects

# Large compared with the queues, small compared with a guest's memory
DISK_MIB = 64
# Default amount of data; fio() reduces it for a debug kernel
IO_MIB = 24
FIO_TIMEOUT = 120
RDS = paths.TOP / "tests/e2e/guest/rds"
RESOURCES = ("pd", "cq", "qp", "mr", "cm_id", "srq")


def kernel_resources(vm):
    """Counts the objects of kernel consumers: {(device, consumer, kind): number}. CQs of ib_core
    are left out: they are a pool that the device keeps after its first use."""
    counts = {}
    for kind, entry in rdma_objects(vm, RESOURCES):
        key = (entry["ifname"], entry.get("comm"), kind)
        if "pid" not in entry and key[1:] != ("ib_core", "cq"):
            counts[key] = counts.get(key, 0) + 1
    return counts


def fio_command(path, size=f"{IO_MIB}M", seconds=None, **options):
    """Returns an fio command for a block device or a file: random reads and writes of mixed sizes.
    fio reads each written block again and compares it, some blocks during the writes and all at the
    end. With `seconds` it runs that long; other options are fio's."""
    options = {
        "rw": "randrw", "rwmixread": 30, "bssplit": "4k/30:16k/20:60k/20:128k/20:512k/10",
        "ioengine": "libaio", "iodepth": 16, "direct": 1,
        "verify": "crc32c", "verify_backlog": 32, "verify_fatal": 1, "verify_state_save": 0,
        "size": size, "filename": path, **options,
    }
    if seconds:
        options |= {"time_based": 1, "runtime": seconds}
    words = [f"--{name}={value}" for name, value in options.items()]
    return shlex.join(["fio", "--name=lab", "--output-format=json", *words])


def fio(vm, path, timeout=FIO_TIMEOUT, **options):
    """Runs fio_command() and returns fio's report of the job. Raises LabError for an error or wrong
    data."""
    command = fio_command(path, **{"size": f"{IO_MIB // vm.slowness}M", **options})
    code, output = vm.run(command, timeout)
    start = output.find("{")
    job = json.loads(output[start:output.rindex("}") + 1])["jobs"][0] if start >= 0 else {}
    if code or job.get("error") or not job.get("write", {}).get("total_ios"):
        raise LabError(f"{vm.name}: `{command}` ended with {code}:\n{output}")
    return job


def wait_for(vm, what, script, timeout=20):
    """Repeats a shell script in the guest until it prints something, and returns that."""
    deadline = time.monotonic() + timeout * vm.patience
    while not (text := vm.check(script).strip()):
        if time.monotonic() > deadline:
            raise LabError(f"{vm.name}: not within {timeout} s: {what}")
        time.sleep(0.2)
    return text


class Consumer:
    """A kernel consumer: `host` uses a resource of `target` through the RDMA devices ports[vm]."""

    # Arguments of modprobe, each a module with its parameters, in load order
    HOST_MODULES = TARGET_MODULES = ()

    def __init__(self, host, target, ports):
        self.host, self.target, self.ports = host, target, ports
        self.host_port, self.target_port = ports[host], ports[target]

    def __enter__(self):
        self.load()
        self.export()
        self.attach()
        return self

    def __exit__(self, kind, *_):
        if not kind:
            self.detach()
            self.unexport()
            self.unload()

    def load(self):
        for vm, modules in ((self.target, self.TARGET_MODULES), (self.host, self.HOST_MODULES)):
            for words in modules:
                vm.check(f"modprobe {words}")

    def unload(self):
        """Unloads the modules; fails if one is still in use, because then something is left."""
        for vm, modules in ((self.host, self.HOST_MODULES), (self.target, self.TARGET_MODULES)):
            names = " ".join(words.split()[0] for words in reversed(modules))
            vm.check(f"modprobe -r {names}")

    def renew_device(self, vm, meanwhile="true"):
        """Removes the guest's RDMA device, runs a command, and creates the device again."""
        vm.check(f"rmmod ornic_rdma && {meanwhile}")
        vm.load_ornic()
        port = self.ports[vm]
        self.ports[vm] = find_port(vm, port.netdev, port.ip)

    def export(self):
        """Makes the target offer its resource."""

    def unexport(self):
        """Undoes export()."""

    def attach(self):
        """Connects the host."""

    def detach(self):
        """Disconnects the host cleanly."""

    def exercise(self):
        """Moves and verifies data."""
        raise NotImplementedError


class Disk(Consumer):
    """A consumer that gives the host a block device."""

    path = None

    def find(self, what, names):
        """Waits for a block device whose name matches a shell pattern and whose size is not 0."""
        name = wait_for(self.host, what, f"cd /sys/class/block; for d in {names}; do "
                        "[ -b /dev/$d ] && [ $(cat $d/size) != 0 ] && echo $d; done; true")
        self.path = f"/dev/{name}"

    def exercise(self):
        return fio(self.host, self.path)


class Nvme(Disk):
    """NVMe over Fabrics to a RAM disk of the target. Uses capsules with and without data, FRWR with
    remote invalidation at the host, and RDMA READ and WRITE by the target."""

    HOST_MODULES = ("nvme_rdma",)
    TARGET_MODULES = (f"brd rd_nr=1 rd_size={DISK_MIB << 10}", "nvmet_rdma")
    NQN, SERVICE = "lab", 4420
    # A target that is gone may return within a minute
    CONNECT = "--reconnect-delay=1 --ctrl-loss-tmo=60"

    def export(self):
        self.target.check(f"""set -e
cd /sys/kernel/config/nvmet
mkdir subsystems/{self.NQN} subsystems/{self.NQN}/namespaces/1 ports/1
echo 1 >subsystems/{self.NQN}/attr_allow_any_host
echo -n /dev/ram0 >subsystems/{self.NQN}/namespaces/1/device_path
echo 1 >subsystems/{self.NQN}/namespaces/1/enable
echo rdma >ports/1/addr_trtype
echo ipv4 >ports/1/addr_adrfam
echo {self.target_port.ip} >ports/1/addr_traddr
echo {self.SERVICE} >ports/1/addr_trsvcid""")
        self.listen()

    def listen(self):
        """Starts the listener; starts it again if the removal of the target's device removed it."""
        self.target.check(f"""set -e
cd /sys/kernel/config/nvmet
rm -f ports/1/subsystems/{self.NQN}
ln -s $PWD/subsystems/{self.NQN} ports/1/subsystems/""")

    def unexport(self):
        self.target.check(f"""set -e
cd /sys/kernel/config/nvmet
rm ports/1/subsystems/{self.NQN}
rmdir ports/1 subsystems/{self.NQN}/namespaces/1 subsystems/{self.NQN}""")

    def attach(self):
        self.host.check(f"nvme connect -t rdma -a {self.target_port.ip} -s {self.SERVICE} "
                        f"-n {self.NQN} {self.CONNECT}")
        self.find("an NVMe namespace", "nvme*n*")

    def detach(self):
        self.host.check(f"nvme disconnect -n {self.NQN}")

    def state(self):
        """Returns the state of the host's controller, or "" if there is none."""
        return self.host.check("cat /sys/class/nvme/nvme*/state 2>/dev/null; true").strip()


class NvmeCopy(Nvme):
    """Nvme with programs of each machine in place of fio."""

    def exercise(self):
        """Copies random data to the disk and back, past the caches, in requests of three sizes."""
        return self.host.check(f"""set -e
for size in 4k 64k 512k; do
  head -c 4M /dev/urandom >/tmp/lab
  dd bs=$size if=/tmp/lab of={self.path} oflag=direct status=none
  dd bs=$size if={self.path} iflag=direct,count_bytes count=4M status=none | cmp - /tmp/lab
done
rm /tmp/lab""", FIO_TIMEOUT)


class NvmeSrq(Nvme):
    """Nvme with a target that receives for all its connections from one SRQ."""

    TARGET_MODULES = (*Nvme.TARGET_MODULES[:-1], "nvmet_rdma use_srq=1")


class Srp(Disk):
    """SCSI RDMA Protocol (SRP) to a RAM disk of the target. Uses FRWR with local invalidation at
    the host, and RDMA READ and WRITE by the target."""

    HOST_MODULES = ("sd_mod", "ib_srp")
    TARGET_MODULES = ("ib_srpt",)
    SERVICE = 5555
    CORE = "/sys/kernel/config/target/core/rd_mcp_0"

    def fabric(self):
        """Returns the configfs directory of the target's port, named after the lower half of the
        first GID."""
        gids = f"/sys/class/infiniband/{self.target_port.device}/ports/1/gids"
        guid = self.target.check(f"cut -d: -f5- {gids}/0").strip()
        return f"/sys/kernel/config/target/srpt/{guid}"

    def export(self):
        # ib_srpt names a session through rdma_cm after the target's own address
        self.target.check(f"""set -e
mkdir -p {self.CORE}/lab {self.fabric()}/lab
echo rd_pages={DISK_MIB << 8} >{self.CORE}/lab/control
echo 1 >{self.CORE}/lab/enable
cd {self.fabric()}/lab
mkdir lun/lun_0 acls/{self.target_port.ip} acls/{self.target_port.ip}/lun_0
ln -s {self.CORE}/lab lun/lun_0/lab
ln -s $PWD/lun/lun_0 acls/{self.target_port.ip}/lun_0/lab
echo 1 >enable
echo {self.SERVICE} >../../discovery_auth/rdma_cm_port""")

    def unexport(self):
        self.target.check(f"""set -e
cd {self.fabric()}
echo 0 >../discovery_auth/rdma_cm_port
echo 0 >lab/enable
rm lab/acls/{self.target_port.ip}/lun_0/lab lab/lun/lun_0/lab
rmdir lab/acls/{self.target_port.ip}/lun_0 lab/acls/{self.target_port.ip} lab/lun/lun_0 lab
cd .. && rmdir {self.fabric()}
cd .. && rmdir srpt {self.CORE}/lab {self.CORE}""")

    def attach(self):
        guid = self.target.check("cat /sys/module/ib_srpt/parameters/srpt_service_guid")
        guid = guid.strip().removeprefix("0x")
        target = f"id_ext={guid},ioc_guid={guid},dest={self.target_port.ip}:{self.SERVICE}"
        self.host.check(f"echo {target} >"
                        f"/sys/class/infiniband_srp/srp-{self.host_port.device}-1/add_target")
        self.find("a SCSI disk", "sd*")

    def detach(self):
        self.host.check("for port in /sys/class/srp_remote_ports/*; do echo 1 >$port/delete; done")
        wait_for(self.host, "no SCSI disk", f"[ -e {self.path} ] || echo gone")

    def unload(self):
        """Unloads the modules and renews the host's device. SCSI (7.3) permanently replaces the DMA
        limits of the device by those of its disks, so later consumers would use segments that are
        too long."""
        super().unload()
        if self.host.netdevs_of("ornic"):
            self.renew_device(self.host)


class Nfs(Consumer):
    """NFS 4.1 with a tmpfs of the target. Uses FRWR at the client with invalidation by the server,
    RDMA READ and WRITE by the server, and RPCs in both directions."""

    HOST_MODULES = ("rpcrdma", "nfsv4")
    TARGET_MODULES = ("rpcrdma", "nfsd")
    SERVICE = 20049
    EXPORTED, MOUNTED, PIPES = "/srv/lab", "/mnt/lab", "/run/rpc_pipefs"

    def export(self):
        # NFS version 4 alone needs no portmapper, but it needs TCP beside RDMA. nfsdcld has no
        # record of earlier clients, so the server does not wait for them.
        options = "rw,fsid=0,insecure,no_root_squash,no_subtree_check,async,sec=sys"
        self.target.check(f"""set -e
mkdir -p {self.EXPORTED} {self.PIPES} /var/lib/nfs/nfsdcld
mount -t tmpfs -o size={DISK_MIB}m lab {self.EXPORTED}
mount -t rpc_pipefs rpc_pipefs {self.PIPES}
mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
nfsdcld --pipefsdir={self.PIPES}
exportfs -o {options} {self.host_port.ip}:{self.EXPORTED}
rpc.mountd --no-nfs-version 3
rpc.nfsd --no-nfs-version 3 --grace-time 10 --rdma={self.SERVICE} 4""")

    def unexport(self):
        self.target.check(f"""set -e
rpc.nfsd 0
kill $(pidof rpc.mountd) $(pidof nfsdcld)
exportfs -u {self.host_port.ip}:{self.EXPORTED}
while pidof rpc.mountd nfsdcld; do sleep 0.1; done
umount {self.EXPORTED} /proc/fs/nfsd {self.PIPES}""")

    def attach(self):
        self.host.check(f"mkdir -p {self.MOUNTED}; mount -t nfs -o "
                        f"vers=4.1,proto=rdma,port={self.SERVICE} "
                        f"{self.target_port.ip}:/ {self.MOUNTED}")

    def detach(self):
        self.host.check(f"umount {self.MOUNTED}")

    def exercise(self):
        """Runs fio past the client's cache, and copies a file through the cache and compares both
        ends."""
        self.host.check(f"grep ' {self.MOUNTED} .*proto=rdma' /proc/mounts")
        result = fio(self.host, f"{self.MOUNTED}/fio")
        self.host.check(f"head -c {20000001 // self.host.slowness} /dev/urandom >/tmp/lab && "
                        f"cp /tmp/lab {self.MOUNTED}/ && sync {self.MOUNTED}/lab && "
                        "echo 3 >/proc/sys/vm/drop_caches && "
                        f"cmp /tmp/lab {self.MOUNTED}/lab")
        here, there = (vm.check(f"sha256sum <{path}/lab") for vm, path in
                       ((self.host, "/tmp"), (self.target, self.EXPORTED)))
        self.host.check(f"rm /tmp/lab {self.MOUNTED}/lab {self.MOUNTED}/fio")
        if here != there:
            raise LabError(f"copy and original differ: {there} {here}")
        return result


class Rds(Consumer):
    """Reliable datagrams (RDS) between programs. Uses SENDs of kernel buffers, FRWR of the
    programs' memory, and RDMA READ and WRITE."""

    HOST_MODULES = TARGET_MODULES = ("rds", "rds_rdma")

    def unload(self):
        """Removes the RDMA device before the modules. rds_rdma (7.3) does not wait for its
        connections, which end in workqueues, when it is unloaded; rdma_cm waits for them when the
        device is removed."""
        for vm in (self.host, self.target):
            self.renew_device(vm, "modprobe -r rds_rdma rds")

    def exercise(self):
        """Returns the host's RDS counters."""
        server, client = self.target_port.ip, self.host_port.ip
        # RDS drops messages that arrive before the server's socket is bound
        bound = "/tmp/lab-rds"
        self.target.check(f"rm -f {bound}")
        results = Roles(self.host, self.target).duel(
            f"set -o pipefail; {RDS} serve {server} | tee {bound}",
            f"{RDS} ask {client} {server}", f"grep -q bound {bound}", FIO_TIMEOUT,
        )
        counters = []
        for code, output in results:
            rows = [line.split() for line in output.splitlines()]
            if code or ["connection", "infiniband"] not in rows or ["connection", "tcp"] in rows:
                raise LabError(f"RDS ended badly or went another way than RDMA:\n{results}")
            counters.append({row[0]: int(row[1]) for row in rows if row[-1].isdigit()})
        return counters[1]


CONSUMERS = (Nvme, NvmeSrq, Srp, Nfs, Rds)


def loaded(vm):
    """Returns the modules of kernel consumers that a guest has loaded."""
    names = vm.check("cut -d' ' -f1 /proc/modules").split()
    ours = {words.split()[0] for kind in CONSUMERS
            for words in (*kind.HOST_MODULES, *kind.TARGET_MODULES)}
    return sorted(ours.intersection(names))


def consume(kind, host, target, ports):
    """Runs a consumer from loading to unloading and returns the result of its exercise().
    Afterwards neither kernel may hold a module or an object of a consumer."""
    before = [kernel_resources(vm) for vm in (host, target)]
    with kind(host, target, ports) as consumer:
        result = consumer.exercise()
    for vm, old in zip((host, target), before):
        if loaded(vm) or kernel_resources(vm) != old:
            raise LabError(f"{vm.name}: {kind.__name__} leaves modules {loaded(vm)} and "
                           f"{kernel_resources(vm)} instead of {old}")
    return result
