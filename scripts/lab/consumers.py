# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Kernel consumers of RDMA between two machines: a target offers memory, a host uses it.

    with Nvme(host, target, pair.ornic) as consumer:
        consumer.exercise(programs)

Any RDMA device will do: all is found through the port's address and the device's name. At the end
of the block the connection, the target and the modules are gone, or LabError says what is not. A
block that fails leaves everything as it is, for those who look for the reason.
"""

import json
import shlex
import time

from .errors import LabError
from .pair import Roles, find_port, rdma_objects

# Large against the queues, small against the memory of a guest
DISK_MIB = 64
# What is moved by default; a debug kernel gets less to do, see fio().
IO_MIB = 24
FIO_TIMEOUT = 120
RESOURCES = ("pd", "cq", "qp", "mr", "cm_id", "srq")


def kernel_resources(vm):
    """What consumers in the kernel hold: {(device, consumer, kind): number}. ib_core's own CQs are
    a pool: the device keeps them once a consumer has had one."""
    counts = {}
    for kind, entry in rdma_objects(vm, RESOURCES):
        key = (entry["ifname"], entry.get("comm"), kind)
        if "pid" not in entry and key[1:] != ("ib_core", "cq"):
            counts[key] = counts.get(key, 0) + 1
    return counts


def fio_command(path, size=f"{IO_MIB}M", seconds=None, **options):
    """fio on a block device or a file: random reads and writes of mixed sizes, each block written
    is read again and compared, some while others are still being written, all of them at the end.
    With `seconds` it goes on that long; other options are fio's own."""
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
    """Runs fio_command: fio's own report about the job. An error or a wrong byte is a LabError."""
    command = fio_command(path, **{"size": f"{IO_MIB // vm.slowness}M", **options})
    code, output = vm.run(command, timeout)
    start = output.find("{")
    job = json.loads(output[start:output.rindex("}") + 1])["jobs"][0] if start >= 0 else {}
    if code or job.get("error") or not job.get("write", {}).get("total_ios"):
        raise LabError(f"{vm.name}: `{command}` ended with {code}:\n{output}")
    return job


def wait_for(vm, what, script, timeout=20):
    """What a shell script prints in the machine, as soon as it prints anything."""
    deadline = time.monotonic() + timeout * vm.patience
    while not (text := vm.check(script).strip()):
        if time.monotonic() > deadline:
            raise LabError(f"{vm.name}: not within {timeout} s: {what}")
        time.sleep(0.2)
    return text


class Consumer:
    """A kernel consumer: `host` uses what `target` offers through RDMA devices, ports[vm] each."""

    # In the order of loading; modprobe's words, several of them if a module has parameters
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
        """Fails for a module that is still in use: something is left."""
        for vm, modules in ((self.host, self.HOST_MODULES), (self.target, self.TARGET_MODULES)):
            names = " ".join(words.split()[0] for words in reversed(modules))
            vm.check(f"modprobe -r {names}")

    def renew_device(self, vm, meanwhile="true"):
        """Takes the machine's RDMA device away and brings another, with a command in between."""
        vm.check(f"rmmod ornic_rdma && {meanwhile}")
        vm.load_ornic()
        port = self.ports[vm]
        self.ports[vm] = find_port(vm, port.netdev, port.ip)

    def export(self):
        """Makes the target offer its memory."""

    def unexport(self):
        """Takes the target's offer back."""

    def attach(self):
        """Connects the host."""

    def detach(self):
        """Ends the connection from the host's side, in good order."""

    def exercise(self, programs):
        """Moves data, with all checks there are. programs: where tests/e2e/guest is compiled to."""
        raise NotImplementedError


class Disk(Consumer):
    """A consumer through which the host gets a block device."""

    path = None

    def find(self, what, names):
        """Waits for the block device, whose name fits a shell pattern, and for its size."""
        name = wait_for(self.host, what, f"cd /sys/class/block; for d in {names}; do "
                        "[ -b /dev/$d ] && [ $(cat $d/size) != 0 ] && echo $d; done; true")
        self.path = f"/dev/{name}"

    def exercise(self, programs):
        return fio(self.host, self.path)


class Nvme(Disk):
    """NVMe over Fabrics: a RAM disk of the target's. Capsules with and without data in them, FRWR
    with remote invalidation at the host, RDMA READ and WRITE by the target."""

    HOST_MODULES = ("nvme_rdma",)
    TARGET_MODULES = (f"brd rd_nr=1 rd_size={DISK_MIB << 10}", "nvmet_rdma")
    NQN, SERVICE = "lab", 4420
    # A target that goes away may come back within a minute.
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
        """Lets hosts come; also after the target's device has gone, and its listener with it."""
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
        """The state of the host's controller, "" when there is none any more."""
        return self.host.check("cat /sys/class/nvme/nvme*/state 2>/dev/null; true").strip()


class NvmeSrq(Nvme):
    """The same with a target that receives for all its connections in one SRQ."""

    TARGET_MODULES = (*Nvme.TARGET_MODULES[:-1], "nvmet_rdma use_srq=1")


class Srp(Disk):
    """SCSI over RDMA: a RAM disk of the target's. FRWR with local invalidation at the host, RDMA
    READ and WRITE by the target."""

    HOST_MODULES = ("sd_mod", "ib_srp")
    TARGET_MODULES = ("ib_srpt",)
    SERVICE = 5555
    CORE = "/sys/kernel/config/target/core/rd_mcp_0"

    def fabric(self):
        """The target's directory of this port, whose name is the first GID's lower half."""
        gids = f"/sys/class/infiniband/{self.target_port.device}/ports/1/gids"
        guid = self.target.check(f"cut -d: -f5- {gids}/0").strip()
        return f"/sys/kernel/config/target/srpt/{guid}"

    def export(self):
        # ib_srpt calls a session that comes through rdma_cm by the target's own address.
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
        """SCSI (7.3) takes the DMA limits of its disks for those of the card, for good: later
        consumers would be told of segments that are too long for the device."""
        super().unload()
        if self.host.netdevs_of("ornic"):
            self.renew_device(self.host)


class Nfs(Consumer):
    """NFS 4.1: a tmpfs of the target's. FRWR at the client with invalidation by the server, RDMA
    READ and WRITE by the server, RPCs in both directions."""

    HOST_MODULES = ("rpcrdma", "nfsv4")
    TARGET_MODULES = ("rpcrdma", "nfsd")
    SERVICE = 20049
    EXPORTED, MOUNTED, PIPES = "/srv/lab", "/mnt/lab", "/run/rpc_pipefs"

    def export(self):
        # Version 4 alone needs no portmapper, but TCP beside RDMA. nfsdcld knows of no clients from
        # before, and so the server does not wait for them.
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

    def exercise(self, programs):
        """fio past the client's cache, and a file through the cache, compared at both ends."""
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
    """Reliable datagrams between programs: SENDs of the kernel's own buffers, FRWR of the
    programs' memory, RDMA READ and WRITE."""

    HOST_MODULES = TARGET_MODULES = ("rds", "rds_rdma")

    def unload(self):
        """rds_rdma (7.3) does not wait for its connections when it is unloaded: they end in
        workqueues of their own. When the device goes, rdma_cm waits, so that goes first."""
        for vm in (self.host, self.target):
            self.renew_device(vm, "modprobe -r rds_rdma rds")

    def exercise(self, programs):
        """The counters of RDS at the host."""
        server, client = self.target_port.ip, self.host_port.ip
        # RDS throws away what comes before the server is there.
        bound = "/tmp/lab-rds"
        self.target.check(f"rm -f {bound}")
        results = Roles(self.host, self.target).duel(
            f"set -o pipefail; {programs}/rds serve {server} | tee {bound}",
            f"{programs}/rds ask {client} {server}", f"grep -q bound {bound}", FIO_TIMEOUT,
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
    """The modules of kernel consumers that a machine has loaded."""
    names = vm.check("cut -d' ' -f1 /proc/modules").split()
    ours = {words.split()[0] for kind in CONSUMERS
            for words in (*kind.HOST_MODULES, *kind.TARGET_MODULES)}
    return sorted(ours.intersection(names))


def consume(kind, host, target, ports, programs):
    """A consumer from loading to unloading, after which neither kernel may hold anything. What its
    `exercise` has to tell."""
    before = [kernel_resources(vm) for vm in (host, target)]
    with kind(host, target, ports) as consumer:
        result = consumer.exercise(programs)
    for vm, old in zip((host, target), before):
        if loaded(vm) or kernel_resources(vm) != old:
            raise LabError(f"{vm.name}: {kind.__name__} leaves modules {loaded(vm)} and "
                           f"{kernel_resources(vm)} instead of {old}")
    return result
