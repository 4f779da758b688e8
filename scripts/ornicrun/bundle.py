# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""usage: python3 -m ornicrun.bundle DIRECTORY [FILE]...

Makes a bundle of ornic-run in the lab's root tree, from the packages there and from what the
checkout has built: all that it needs on a machine with x86-64 and Linux. layout.py says what is
where. Each FILE becomes a tarball of it, or, with the suffix of pack.py, an OCI image. The same
inputs make the same files."""

import os
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .initramfs import AGENT, COMPILER_FLAGS, GUEST, archive, module_files, read_module
from .layout import LOADER, PYTHON, Bundle
from .pack import files, pack

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
RDMA_CORE = "56.1"
# The words by which Python runs each program of the bundle
PROGRAMS = {"ornic-run": "-m ornicrun", "ornicctl": '"$host/bin/ornicctl"'}
USER = TOP / "scripts/user"
# Our packages of Python
PACKAGES = ("ornicrun", "ornic_ctl")
DOCUMENTS = ("first-steps.rst", "ci.rst", "faults.rst", "traces.rst", "namespaces.rst",
             "two-hosts.rst", "install.rst", "ornic-run.1", "ornicctl.1", "ornic-device.1")
FIRMWARE = ("qemu/kvmvapic.bin", "qemu/linuxboot_dma.bin", "qemu/efi-virtio.rom",
            "seabios/bios-256k.bin")
# Programs for guests whose root tree does not have them
TOOLS = ("ibv_devices", "ibv_devinfo", "ibv_asyncwatch", "ibv_rc_pingpong", "ibv_uc_pingpong",
         "ibv_ud_pingpong", "ibv_srq_pingpong", "ibv_xsrq_pingpong", "rping", "udaddy", "ucmatose",
         "udpong", "mckey", "rcopy", "riostream", "rstream", "cmtime", "ib_send_bw", "ib_send_lat",
         "ib_write_bw", "ib_write_lat", "ib_read_bw", "ib_read_lat", "ib_atomic_bw",
         "ib_atomic_lat", "raw_ethernet_bw", "raw_ethernet_lat", "ip", "rdma", "ss", "devlink",
         "ethtool", "ping")
# Libraries for programs of the root tree that are linked to another libibverbs than ours
VERBS = ("libibverbs.so.1", "librdmacm.so.1", "libnl-3.so.200", "libnl-route-3.so.200")
# Modules of the kernel, by folder or file below kernel/, to which those are added that they need
MODULES = ("drivers/infiniband/core/", "drivers/infiniband/sw/", "drivers/infiniband/ulp/",
           "drivers/nvme/", "drivers/target/target_core", "drivers/target/iscsi/",
           "drivers/target/loopback/", "drivers/block/null_blk/", "drivers/block/loop",
           "drivers/block/brd", "drivers/net/bonding/", "drivers/net/macvlan", "drivers/net/tun",
           "drivers/net/veth", "drivers/net/dummy", "drivers/net/vrf", "drivers/net/team/",
           "fs/9p/", "fs/nfs/", "fs/nfsd/", "fs/lockd/", "fs/smb/", "fs/overlayfs/", "net/9p/",
           "net/rds/", "net/smc/", "net/sunrpc/", "net/8021q/", "net/bridge/", "net/xdp/")
MODULE_FILES = ("modules.builtin", "modules.builtin.modinfo", "modules.order")
OURS = ("ornic.ko", "ornic_rdma.ko")
# Debian packages whose versions the bundle names
DEBIAN = ("qemu-system-x86", "libibverbs1", "perftest", "iproute2", "libc6", PYTHON)
# Modules of Python that others import when they are called
LATER = ("encodings.utf_8", "encodings.ascii", "encodings.latin_1", "copy", "runpy", "shutil",
         "textwrap", "traceback")
LAUNCHER = f"""#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs a program with the Python and the libraries of this directory.

program=$(PATH=$PATH:/usr/bin:/bin readlink -f "$0") || exit 125
host=${{program%/*}}/host
exec "$host/lib/{LOADER}" --library-path "$host/lib" --argv0 "$host/bin/{PYTHON}" \\
	"$host/bin/{PYTHON}" -I -S -B PROGRAM "$@"
"""
TOOL_LAUNCHER = f"""#!/run/ornic-run/busybox/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
exec /run/ornic-run/lib/{LOADER} --library-path /run/ornic-run/lib --argv0 "$0" \\
	"/run/ornic-run/libexec/${{0##*/}}" "$@"
"""


class BundleError(Exception):
    """Something that the bundle needs is missing."""


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True,
                          text=True).stdout


def install(source, target, strip=False):
    if not source.exists():
        raise BundleError(f"{source} is missing: run make modules provider device")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    if strip:
        run("strip", "--strip-debug" if target.suffix == ".ko" else "--strip-unneeded", target)
    executable = os.access(source, os.X_OK) and target.suffix != ".ko"
    target.chmod(0o755 if executable else 0o644)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755 if text.startswith("#!") else 0o644)


def libraries(programs):
    """Returns the files of all libraries that programs and libraries need, the loader too."""
    found = set()
    for program in programs:
        words = run("ldd", program)
        if "not found" in words:
            raise BundleError(f"{program}: {words}")
        found |= {Path(path) for path in re.findall(r"(?:=> |^\t)(/\S+)", words, re.M)}
    return sorted(found)


def install_libraries(programs, folder):
    for library in libraries(programs):
        install(library, folder / library.name)
    (folder / LOADER).chmod(0o755)


def which(name):
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if not path:
        raise BundleError(f"the root tree has no program {name}")
    return Path(path)


def python_modules():
    """Returns {name: file} of the modules of Python that ornic-run needs and that are files."""
    tools = [f"ornic_ctl.{path.stem}" for path in sorted((USER / "ornic_ctl").glob("*.py"))]
    code = "import sys, encodings, ornicrun.__main__\n" + \
        "".join(f"import {name}\n" for name in (*tools, *LATER)) + \
        "for name, module in sorted(sys.modules.items()): " \
        "print(name, getattr(getattr(module, '__spec__', None), 'origin', None))"
    words = subprocess.run([PYTHON, "-S", "-c", code], check=True, capture_output=True, text=True,
                           env={"PYTHONPATH": f"{TOP / 'scripts'}:{USER}",
                                "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"]})
    rows = dict(line.split(" ", 1) for line in words.stdout.splitlines())
    # Python has it built in, and looks for the file to find the others
    rows["os"] = f"/usr/lib/{PYTHON}/os.py"
    return {name: Path(origin) for name, origin in rows.items()
            if origin.startswith("/") and not name.startswith(PACKAGES)}


def install_python(bundle):
    """Python's modules are compiled, ours are as they are."""
    folder = bundle.host / "lib" / PYTHON
    extensions = []
    for name, path in python_modules().items():
        if path.suffix == ".so":
            extensions.append(path)
            install(path, folder / "lib-dynload" / path.name)
            continue
        inside = path.relative_to(f"/usr/lib/{PYTHON}").with_suffix(".pyc")
        (folder / inside).parent.mkdir(parents=True, exist_ok=True)
        py_compile.compile(str(path), str(folder / inside), f"{PYTHON}/{name}", doraise=True,
                           invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        (folder / inside).chmod(0o644)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.name not in ("bundle.py", "pack.py"):
            install(path, folder / "ornicrun" / path.name)
    install(GUEST / "early-init", folder / "ornicrun/guest/early-init")
    install(USER / "ornicctl", bundle.host / "bin/ornicctl")
    for path in sorted((USER / "ornic_ctl").glob("*.py")):
        install(path, bundle.host / "share/ornic/ornic_ctl" / path.name)
    return extensions


def install_host(bundle):
    programs = {bundle.processor.qemu: which(bundle.processor.qemu), PYTHON: which(PYTHON)}
    device = BUILD / "device/ornic-device"
    for name, path in programs.items():
        install(path, bundle.host / "bin" / name)
    install(device, bundle.host / "bin/ornic-device", strip=True)
    extensions = install_python(bundle)
    install_libraries([*programs.values(), device, *extensions], bundle.host / "lib")
    for name in FIRMWARE:
        install(Path("/usr/share") / name, bundle.host / "share/qemu" / Path(name).name)


def install_modules(bundle, own):
    """Copies modules without compression, and ours, and makes their index."""
    wanted = {}
    lines = (own / "modules.dep").read_text().splitlines()
    needs = dict(line.split(":") for line in lines)
    for path in needs:
        if path.removeprefix("kernel/").startswith(MODULES):
            wanted |= dict.fromkeys([path, *needs[path].split()])
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "lib/modules" / own.name
        for path in wanted:
            target = folder / re.sub(r"\.ko.*", ".ko", path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(read_module(own / path))
        for name in OURS:
            install(BUILD / "stock" / name, folder / "updates" / name, strip=True)
        for name in MODULE_FILES:
            install(own / name, folder / name)
        run("depmod", "-b", work, own.name)
        shutil.copytree(folder, bundle.guest / "modules" / own.name)


def install_tools(bundle):
    """The libraries of the programs find their own in the same folder."""
    folder = bundle.guest / "libexec"
    for name in TOOLS:
        install(which(name), folder / name)
        (bundle.guest / "bin").mkdir(exist_ok=True)
        (bundle.guest / "bin" / name).symlink_to("../tool")
    write(bundle.guest / "tool", TOOL_LAUNCHER)
    install_libraries([folder / name for name in TOOLS], bundle.guest / "lib")
    # glibc opens it when a thread ends by pthread_exit() or pthread_cancel(), as those of rping do
    unwinder = Path(run("gcc", "-print-file-name=libgcc_s.so.1").strip())
    install(unwinder, bundle.guest / "lib" / unwinder.name)
    (bundle.guest / "verbs").mkdir()
    for name in VERBS:
        (bundle.guest / "verbs" / name).symlink_to(f"../lib/{name}")


def install_guest(bundle, own):
    busybox = which("busybox")
    install(busybox, bundle.guest / "busybox/busybox")
    for applet in run(busybox, "--list").split():
        if applet != "busybox":
            (bundle.guest / "busybox" / applet).symlink_to("busybox")
    for name in ("node-init", "start", "listens", "ornic-rsh"):
        install(GUEST / name, bundle.guest / name)
    install_modules(bundle, own)
    install_tools(bundle)
    [provider] = (BUILD / f"rdma-core-{RDMA_CORE}/build/lib").glob("libornic-rdmav*.so")
    install(provider, bundle.guest / "provider" / provider.name, strip=True)
    write(bundle.guest / "provider/rdma-core", f"{RDMA_CORE}\n")


def install_boot(bundle, image, own):
    install(image, bundle.image)
    agent = bundle.home / "boot/agent"
    run("gcc", *COMPILER_FLAGS, "-s", "-o", agent, *AGENT)
    agent.chmod(0o755)
    bundle.initramfs.write_bytes(archive(module_files(own), which("busybox"), agent))
    bundle.initramfs.chmod(0o644)


def make(home):
    """Makes the directory of a bundle anew."""
    tree = Path(os.environ["ORNIC_TREE"])
    image = sorted((tree / "boot").glob("vmlinuz-*"))[-1]
    own = Path("/lib/modules") / image.name.removeprefix("vmlinuz-")
    work = home.with_name(f"{home.name}.tmp")
    shutil.rmtree(work, ignore_errors=True)
    bundle = Bundle(work)
    install_host(bundle)
    install_guest(bundle, own)
    install_boot(bundle, image, own)
    for name, words in PROGRAMS.items():
        write(work / name, LAUNCHER.replace("PROGRAM", words))
    for name in DOCUMENTS:
        install(TOP / "Documentation" / name, work / "doc" / name)
    ours = os.environ.get("ORNIC_VERSION", "unknown")
    write(bundle.versions, f"ORNIC {ours}\nlinux {own.name}\n" +
          run("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *DEBIAN))
    shutil.copytree(TOP / "LICENSES", work / "LICENSES")
    shutil.rmtree(home, ignore_errors=True)
    work.rename(home)
    return bundle


def size(home):
    return sum(path.lstat().st_size for path in files(home) if path.is_file())


def main(words):
    if not words or words[0].startswith("-"):
        print(__doc__.splitlines()[0])
        return 0 if words else 1
    home = Path(os.path.abspath(words[0]))
    try:
        make(home)
    except BundleError as error:
        print(f"bundle: {error}", file=sys.stderr)
        return 1
    text = f"{home}: {size(home) >> 20} MiB"
    for target in map(Path, words[1:]):
        pack(home, target)
        text += f"; {target}: {target.stat().st_size / (1 << 20):.1f} MiB"
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
