# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One run: a card process, its nodes, and the command in them."""

import base64
import contextlib
import json
import os
import selectors
import shlex
import shutil
import subprocess
from pathlib import Path

from . import host, process
from .card import CardProcess
from .errors import RunError
from .initramfs import archive, module_files
from .layout import INSIDE, JOB
from .node import NODES_MAX, Kernel, Node, address_of, name_of
from .vm import EMULATION, find_accelerator

# Bytes of a Unix socket's path, without the longest name in the directory
SOCKET_PATH = 107 - len("/node0-console.sock")
# Variables of the caller that the command has, too
PASSED = ("HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LOGNAME", "TERM", "TZ", "USER")
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Seconds in which processes end after SIGTERM
GRACE = 10
# Seconds between looks whether QEMU runs, which says so itself only if it closes its sockets
LOOK = 1
QUESTIONS = "dmesg; rdma resource show qp; rdma statistic show"


def export(variables):
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())


def launcher():
    """Returns the variables by which mpirun of Open MPI, 5 and 4, finds the nodes and reaches them.
    Its only user there is root."""
    shell, hosts = f"{INSIDE}/ornic-rsh", f"{JOB}/hostfile"
    return {"PRTE_MCA_plm_ssh_agent": shell, "PRTE_MCA_prte_default_hostfile": hosts,
            "OMPI_MCA_plm_rsh_agent": shell, "OMPI_MCA_orte_default_hostfile": hosts,
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def write_command(path, words):
    """Writes a command for guest/start."""
    path.write_text(f"set -- {shlex.join(words)}\n")


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


class Output:
    """Passes output on, each line with a prefix if there is one."""

    # File to which a line without a prefix was written that has not ended
    begun = None

    def __init__(self, fd, prefix=""):
        self.fd, self.prefix, self.rest = fd, prefix.encode(), b""

    def feed(self, data):
        if not self.prefix:
            write_all(self.fd, data)
            Output.begun = None if data.endswith(b"\n") else self.fd
            return
        *lines, self.rest = (self.rest + data).split(b"\n")
        if lines and Output.begun is not None and os.path.sameopenfile(Output.begun, self.fd):
            write_all(self.fd, b"\n")
            Output.begun = None
        write_all(self.fd, b"".join(self.prefix + line + b"\n" for line in lines))

    def finish(self):
        if self.rest:
            self.feed(b"\n")


class Session:
    def __init__(self, options, bundle):
        self.options, self.bundle = options, bundle
        self.rundir = self.logdir = self.card = None
        self.nodes = []
        # {(node, pid): (output, error output)}
        self.outputs = {}

    def run(self):
        """Returns the exit status of the command."""
        options = self.options
        work = host.working_directory()
        root = host.root_tree(options.root)
        memory = host.memory_size(options.memory)
        host.check_memory(options.nodes, memory)
        qemu = self.bundle.qemu()
        if options.control:
            host.check_free(options.control)
        self.make_directories()
        kernel = self.kernel()
        accel = {"tcg": EMULATION, "kvm": "kvm"}.get(options.accel) or \
            find_accelerator(qemu, kernel.image)
        job = self.make_job(root, work)
        self.start_card()
        self.nodes = [
            Node(number, self.rundir, self.logdir, bundle=self.bundle, root=root, work=work,
                 job=job, provider=self.provider(job), accel=accel, kernel=kernel, cards=[socket],
                 smp=options.cpus, mem=f"{memory >> 20}M")
            for number, socket in enumerate(self.card.sockets, options.first)
        ]
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.wait_ready()
        return self.run_command()

    def make_directories(self):
        parent = Path(os.environ.get("TMPDIR") or "/tmp")
        name = f"ornic-run-{os.urandom(6).hex()}"
        if len(os.fsencode(parent / name)) > SOCKET_PATH:
            parent = Path("/tmp")
        path = parent / name
        try:
            with process.undivided():
                path.mkdir(mode=0o700)
                self.rundir = path
        except OSError as error:
            raise RunError(f"{parent}: cannot be written: {error.strerror}: set TMPDIR") from error
        self.logdir = self.options.log or path / "logs"
        try:
            self.logdir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            path, self.logdir = self.logdir, None
            raise RunError(f"{path}: cannot be written: {error.strerror}") from error

    def kernel(self):
        """Returns the bundle's kernel, or the one of the options."""
        options, bundle = self.options, self.bundle
        if not options.kernel:
            modules = next(path for path in (bundle.guest / "modules").iterdir())
            inside = INSIDE / "modules" / modules.name
            return Kernel(bundle.image, bundle.initramfs, modules, inside)
        for path in (options.kernel, options.modules / "modules.dep"):
            if not os.access(path, os.R_OK):
                raise RunError(f"{path}: cannot be read")
        image = self.rundir / "initramfs.cpio"
        try:
            image.write_bytes(archive(module_files(options.modules),
                                      bundle.guest / "busybox/busybox", bundle.home / "boot/agent"))
        except KeyError as error:
            raise RunError(f"{options.modules}: the kernel has no module {error}") from error
        return Kernel(options.kernel, image, options.modules, Path("/run/ornic-modules"))

    def provider(self, job):
        """Returns what a line of libibverbs.d has, in guests."""
        if not self.options.provider:
            return INSIDE / "provider/libornic"
        shutil.copy(self.options.provider, job)
        return JOB / "libornic"

    def own_libraries(self, root):
        """Returns whether the root tree has another libibverbs than that for which the provider was
        built, so that programs must use the bundle's."""
        have = host.libibverbs_version(root)
        built = (self.bundle.guest / "provider/rdma-core").read_text().strip()
        return not self.options.provider and (have or "").split(".")[0] != built.split(".")[0]

    def make_job(self, root, work):
        """Writes the files that guests read, into a directory that they share."""
        options = self.options
        job = self.rundir / "job"
        job.mkdir()
        names = [name_of(options.first + number) for number in range(options.nodes)]
        (job / "nodes").write_text(" ".join(names) + "\n")
        (job / "hosts").write_text("127.0.0.1 localhost\n::1 localhost\n" + "".join(
            f"{address_of(number)} {name_of(number)}\n" for number in range(NODES_MAX)))
        (job / "hostfile").write_text("".join(f"{name} slots={options.cpus}\n" for name in names))
        own = root == Path("/")
        variables = {name: os.environ[name] for name in PASSED if own and name in os.environ}
        variables.setdefault("HOME", "/root")
        path = os.environ.get("PATH", "") if own else ""
        variables["PATH"] = ":".join(filter(None, (path, SYSTEM_PATH, f"{INSIDE}/bin",
                                                   f"{INSIDE}/busybox")))
        if self.own_libraries(root):
            variables["LD_LIBRARY_PATH"] = f"{INSIDE}/verbs"
        variables |= {"ORNIC_NODES": " ".join(names), "ORNIC_HOSTFILE": f"{JOB}/hostfile",
                      "ORNIC_DIRECTORY": str(work or "/")}
        variables |= launcher()
        variables |= options.environment
        (job / "environment").write_text(export(variables))
        write_command(job / "command", options.command)
        if options.server:
            write_command(job / "server", ["sh", "-c", options.server])
        return job

    def start_card(self):
        options = self.options
        kind = type("Card", (CardProcess,), {"program": self.bundle.command("ornic-device")})
        args = ["--bytes"] if any(name == "corrupt" for name, _ in options.faults) else []
        self.card = kind(self.rundir, self.logdir, nics=options.nodes, pcap=options.pcap,
                         ports=options.ports, nic_options=options.card, args=args,
                         first=options.first + 1)
        if options.control:
            with process.undivided():
                self.card.argv[self.card.argv.index(self.card.control_path)] = options.control
                self.card.control_path = options.control
        try:
            self.card.start()
        except RunError as error:
            lines = map(str.strip, self.card.tail().splitlines())
            said = [line for line in lines if line.startswith("ornic-device:")]
            raise RunError(said[-1] if said else str(error)) from error
        for name, ppm in options.faults:
            answer = json.loads(self.card.control(f"fault {name} {ppm}"))
            if "error" in answer:
                raise RunError(f"--fault {name}={ppm}: {answer['error']}")

    def run_command(self):
        first = self.nodes[:1]
        if self.options.server:
            self.serve("server")
        codes = self.finish(self.start_on(self.nodes if self.options.all else first, "command"))
        return next((code for code in codes if code), 0)

    def serve(self, name):
        """Starts the command of the file `name` on each node but the first, and returns {node:
        number} when each listens or has ended with 0."""
        others = self.nodes[1:]
        servers = self.start_on(others, name, error_only=True)
        waits = {node: self.start(node, "listens") for node in others}
        self.follow(lambda: all(node.programs[waits[node]] is not None or
                                node.programs[servers[node]] is not None for node in others))
        for node, pid in servers.items():
            if node.programs[pid]:
                raise RunError(f"{node.name}: the server has ended with {node.programs[pid]}")
        return servers

    def start_on(self, nodes, name, **options):
        return {node: self.start(node, "start", name, **options) for node in nodes}

    def finish(self, started):
        """Waits for programs, given as {node: number}, and returns their exit codes."""
        self.follow(lambda: all(node.programs[pid] is not None for node, pid in started.items()))
        return [node.programs[pid] for node, pid in started.items()]

    def start(self, node, *words, error_only=False):
        pid = node.start(*words)
        prefix = f"{node.name}: " if error_only or self.options.all else ""
        self.outputs[node, pid] = Output(2 if error_only else 1, prefix), Output(2, prefix)
        return pid

    def follow(self, done):
        """Passes output on until `done()` is true, and fails if a machine or the card ends."""
        with selectors.DefaultSelector() as selector:
            for node in self.nodes:
                selector.register(node.agent.socket, selectors.EVENT_READ, node)
            while not done():
                ready = {key.data for key, _ in selector.select(LOOK)}
                for node in self.nodes:
                    if node in ready or node.agent.has_events():
                        self.take(node)
                    node.check_running()
                if not self.card.running():
                    raise RunError(f"ornic-device has ended with {self.card.process.returncode}")

    def take(self, node):
        try:
            events = node.agent.events()
        except (OSError, RunError) as error:
            # QEMU closes its sockets a little before it has ended
            with contextlib.suppress(subprocess.TimeoutExpired):
                node.process.wait(GRACE)
            node.check_running()
            raise RunError(f"{node.name}: the agent does not answer") from error
        for event in events:
            pid = event["pid"]
            outputs = self.outputs[node, pid]
            if event["event"] == "output":
                outputs[event["stream"] - 1].feed(base64.b64decode(event["buf-b64"]))
            else:
                for output in outputs:
                    output.finish()
                node.programs[pid] = event["code"]

    def keep_state(self):
        """Adds what the nodes and the card say to the logs."""
        for node in self.nodes:
            try:
                if node.agent and node.running():
                    (self.logdir / f"{node.name}-state.txt").write_text(node.ask(QUESTIONS))
            except (OSError, RunError):
                continue
        try:
            if self.card and self.card.running():
                (self.logdir / "card.json").write_text(self.card.control("stats"))
        except OSError:
            pass

    def close(self, keep):
        """Ends all processes and removes all files, but the logs if `keep` is true. Returns the
        directory of the logs that are kept, if there are any."""
        running = list(process.launched)
        for one in running:
            if one.poll() is None:
                one.terminate()
        for one in running:
            try:
                one.wait(GRACE)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        if self.options.control and self.card and self.card.process:
            self.options.control.unlink(missing_ok=True)
        if not self.rundir:
            return None
        own = self.logdir and self.logdir.parent == self.rundir
        keep = keep and self.logdir and any(self.logdir.iterdir())
        if not keep or not own:
            shutil.rmtree(self.rundir, ignore_errors=True)
            return self.logdir if keep else None
        for path in self.rundir.iterdir():
            if path.is_dir() and path != self.logdir:
                shutil.rmtree(path, ignore_errors=True)
            elif not path.is_dir():
                path.unlink()
        return self.logdir
