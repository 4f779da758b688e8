# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Where the files of the provider are in rdma-core, and the lines for them in files of it."""

import re
from pathlib import Path

from .places import TOP, own_files, replace, replace_files

PROVIDER = "providers/ornic"
FOLDERS = {"user-provider": PROVIDER, "kernel/include": PROVIDER,
           "include/uapi/rdma": "kernel-headers/rdma", "Documentation": f"{PROVIDER}/man"}
# Patches of the series, and added lines of a patch, that reviewers accept
MAX_PATCHES, MAX_LINES = 8, 3000
# Code for an rdma-core that lacks something, which the provider has out of tree only
LACKS = re.compile(r"#ifndef ORNIC_LACKS_\w+\n(.*?)#endif\b[^\n]*\n", re.S)
COMPAT = '#include "compat.h"\n'
# Code that rdma-core has in util/udma_barrier.h after the series
BARRIERS = re.compile(r"/\*\n \* udma_from_device_barrier\(\) is an lfence.*?\n\n"
                      r"(?=/\*\*\n \* ornic_index_peek\(\))", re.S)
WORDS = {"ORNIC_READ_ORDER": "memory_order_relaxed",
         "ornic_index_barrier()": "udma_from_device_cached_barrier()",
         "ornic_index_full_barrier()": "udma_after_atomic_barrier()"}
EDITS = {
    "user-provider/index.h": [
        (" * The caller needs ornic_index_barrier() before it reads memory that the word\n"
         " * declares valid.\n",
         " * The caller needs ornic_index_barrier() before it reads memory\n"
         " * that the word declares valid.\n")],
    # There the driver has an ID of its own, which the provider need not learn from the device
    "user-provider/ornic.c": [("""/*
 * Devices are matched by PCI ID, because only drivers in the kernel tree have
 * an RDMA driver ID.
 */
""", ""), ("	VERBS_PCI_MATCH(", "	VERBS_DRIVER_ID(RDMA_DRIVER_ORNIC),\n	VERBS_PCI_MATCH("),
        ("	dev->driver_id = sysfs_dev->driver_id;\n", "")],
    "user-provider/ornic.h": [
        (" * @driver_id: RDMA driver ID from the kernel; part of each ioctl\n", ""),
        ("	uint32_t driver_id;\n", "")],
    "user-provider/uctx.c": [("to_ornic_device(ibdev)->driver_id", "RDMA_DRIVER_ORNIC")],
    "user-provider/pd.c": [("""/*
 * ibv_alloc_parent_domain(3) has the RDMA driver ID in the upper 32 bits. The
 * PCI IDs replace it, because only drivers in the kernel tree have one.
 */
""", ""), ("""	return ((uint64_t)ORNIC_PCI_VENDOR_ID << 48) |
	       ((uint64_t)ORNIC_PCI_DEVICE_ID << 32) | resource;
""", "	return (uint64_t)RDMA_DRIVER_ORNIC << 32 | resource;\n")],
}


def read_tree(top=TOP):
    """Returns {path: text} of the files of this tree that belong to rdma-core."""
    paths = [*sorted((top / "user-provider").glob("*.[ch]")), top / "kernel/include/ornic_hw.h",
             top / "include/uapi/rdma/ornic-abi.h", top / "Documentation/libornic.7"]
    files = {str(path.relative_to(top)): path.read_text() for path in paths
             if path.name != "compat.h"}
    for path, text in files.items():
        for old, new in EDITS.get(path, ()):
            text = replace(text, old, new)
        if path.startswith("user-provider/"):
            text = BARRIERS.sub("", LACKS.sub(r"\1", text.replace(COMPAT, "")))
            for word, other in WORDS.items():
                text = text.replace(word, other)
        files[path] = text
    return files


def after(line, new):
    """Returns a function that adds lines after each of the lines that begin in one way."""
    def change(text):
        found, count = re.subn(rf"^{re.escape(line)}.*\n", lambda match: f"{match[0]}{new}\n", text,
                               flags=re.M)
        return found if count else replace(text, line, "")
    return change


def ahead(line, new):
    """Returns a function that adds lines before a line."""
    return lambda text: replace(text, f"\n{line}\n", f"\n{new}\n{line}\n")


def driver_id(text):
    """Appends to enum rdma_driver_id."""
    body = re.search(r"enum rdma_driver_id \{\n.*?(?=\};)", text, re.S)
    return replace(text, body[0], f"{body[0]}\tRDMA_DRIVER_ORNIC,\n")


# Files of rdma-core, and what adds our lines to them, by the file of this tree that needs the lines
HOOKS = {
    "include/uapi/rdma/ornic-abi.h": {
        "kernel-headers/CMakeLists.txt": [after("  rdma/ocrdma-abi.h", "  rdma/ornic-abi.h")],
        "kernel-headers/rdma/ib_user_ioctl_verbs.h": [driver_id]},
    "user-provider/ornic.c": {
        "CMakeLists.txt": [after("add_subdirectory(providers/ocrdma)",
                                 f"add_subdirectory({PROVIDER})")],
        "libibverbs/verbs.h": [
            after("extern const struct verbs_device_ops verbs_provider_ocrdma;",
                  "extern const struct verbs_device_ops verbs_provider_ornic;")]},
    "Documentation/libornic.7": {
        "CMakeLists.txt": [after(f"add_subdirectory({PROVIDER})",
                                 f"add_subdirectory({PROVIDER}/man)")],
        "README.md": [after(" - ocrdma.ko", " - ornic_rdma.ko")],
        "MAINTAINERS": [ahead("QEDR USERSPACE PROVIDER (for qedr.ko)", """\
ORNIC USERSPACE PROVIDER (for ornic_rdma.ko)
M:	ORNIC maintainers <maintainers@users.noreply.a-seed-f6fbe695.example>
S:	Supported
F:	providers/ornic/
""")],
        "debian/control": [after("  - ocrdma: ", "  - ornic: Open RDMA NIC")],
        "debian/copyright": [ahead("Files: providers/qedr/*", """\
Files: providers/ornic/*
Copyright: 2026, ORNIC maintainers
License: BSD-MIT or GPL-2
""")],
        "debian/ibverbs-providers.install": [after("usr/lib/*/libmlx5.so",
                                                   "usr/share/man/man7/libornic.7")],
        "redhat/rdma-core.spec": [
            after("Obsoletes: libocrdma < ", "Provides: libornic = %{version}-%{release}\n"
                                             "Obsoletes: libornic < %{version}-%{release}"),
            after("- libocrdma: ", "- libornic: Open RDMA NIC"),
            after("%{_libdir}/libibverbs/*.so", "%{_mandir}/man7/libornic*")],
        "suse/rdma-core.spec": [
            after("- libocrdma: ", "- libornic: Open RDMA NIC"),
            after("%{_libdir}/libibverbs/*.so", "%{_mandir}/man7/libornic*")],
        "kernel-boot/rdma-description.rules": [
            after('DRIVERS=="mlx5_core", ENV{ID_RDMA_ROCE}="1"',
                  'DRIVERS=="ornic", ENV{ID_RDMA_ROCE}="1"')]},
}


def cmake(files):
    """Makes CMakeLists.txt of the provider with the sources that a state has."""
    sources = sorted(Path(path).name for path in files
                     if path.startswith("user-provider/") and path.endswith(".c"))
    return f"rdma_provider(ornic\n{''.join(f'  {name}{chr(10)}' for name in sources)})\n"


def placed(files, source, _maintainers=(), changes=()):
    """Returns {path: text} of a state in rdma-core: our files, and those of it that change."""
    found = own_files(files, source, changes, FOLDERS, {})
    if "user-provider/ornic.c" in files:
        found[f"{PROVIDER}/CMakeLists.txt"] = cmake(files)
    if "Documentation/libornic.7" in files:
        found[f"{PROVIDER}/man/CMakeLists.txt"] = "rdma_man_pages(\n  libornic.7\n)\n"
    for path, hooks in HOOKS.items():
        for place, changes_ in hooks.items() if path in files else ():
            for change in changes_:
                found[place] = change(found.get(place) or (Path(source) / place).read_text())
    return found


def write(placed_files, tree):
    """Writes a state over another one."""
    replace_files(placed_files, tree, [PROVIDER])
