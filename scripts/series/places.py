# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Where the files of this tree are in Linux, and the lines for them in files of Linux."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
NET, RDMA = "drivers/net/ethernet/ornic", "drivers/infiniband/hw/ornic"
PAGES = "Documentation/networking/device_drivers/ethernet"
FOLDERS = {"kernel/net": NET, "kernel/include": NET, "kernel/rdma": RDMA,
           "include/uapi/rdma": "include/uapi/rdma",
           "Documentation": f"{PAGES}/ornic"}
# Pages, and their names there
NAMES = {"driver.rst": "ornic.rst", "threat-model.rst": "threat-model.rst"}
SPDX = "# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB\n"
# Module, option and folder of each Makefile
MODULES = {"kernel/net": ("ornic", "ORNIC"), "kernel/rdma": ("ornic_rdma", "INFINIBAND_ORNIC")}
# Patches of a series, and added lines of a patch, that reviewers accept
MAX_PATCHES, MAX_LINES = 15, 800


class PlaceProblem(Exception):
    """Linux or this tree does not have a line that is to be changed."""


def read_tree(top=TOP):
    """Returns {path: text} of the files of this tree that belong to Linux."""
    files = {}
    for folder in ("kernel/net", "kernel/include", "kernel/rdma", "include/uapi/rdma"):
        for path in sorted((top / folder).glob("*")):
            if path.suffix in (".c", ".h") or path.name == "Kconfig":
                files[f"{folder}/{path.name}"] = path.read_text()
    for name in NAMES:
        files[f"Documentation/{name}"] = (top / "Documentation" / name).read_text()
    for path, edits in EDITS.items():
        for old, new in edits:
            files[path] = replace(files[path], old, new)
    return files


def objects(module, top=TOP):
    """Returns the lines of Kbuild with the objects of a module, by tree path of the source."""
    found = {}
    for match in re.finditer(rf"^{module}-(\S*) *([+:]?=) *(\S+)\.o$",
                             (top / "Kbuild").read_text(), re.M):
        found[f"{match[3]}.c"] = match
    return found


def makefile(folder, files, top=TOP):
    """Makes the Makefile of a folder with the sources that a state has."""
    module, option = MODULES[folder]
    lines = [f"ccflags-y := -I $(srctree)/{NET}\n"]
    if f"{folder}/trace.c" in files:
        lines.append("CFLAGS_trace.o := -I $(src)\n")
    lines.append(f"\nobj-$(CONFIG_{option}) += {module}.o\n")
    mark = ":="
    for source, match in objects(module, top).items():
        if source in files:
            lines.append(f"{module}-{match[1]} {mark} {Path(source).stem}.o\n")
            mark = "+="
    return SPDX + "".join(lines)


def replace(text, old, new):
    if text.count(old) != 1:
        raise PlaceProblem(f"not once: {old}")
    return text.replace(old, new)


def after(line, new):
    """Returns a function that adds a line after another one."""
    return lambda text: replace(text, f"\n{line}\n", f"\n{line}\n{new}\n")


def add_maintainers(text, entry):
    """Inserts an entry of MAINTAINERS by its title."""
    title = entry.split("\n", 1)[0]
    for match in re.finditer(r"(?<=\n\n)([A-Z0-9].*)\n(?=[A-Z]:\t)",
                             text[text.index("\nMaintainers List\n"):]):
        if match[1] > title:
            return replace(text, f"\n\n{match[0]}", f"\n\n{entry}\n{match[0]}")
    raise PlaceProblem(f"no entry of MAINTAINERS comes after {title}")


# Files of Linux, and what adds our lines to them, by the file of this tree that needs the lines
HOOKS = {
    "kernel/net/Kconfig": {
        "drivers/net/ethernet/Kconfig": after('source "drivers/net/ethernet/oki-semi/Kconfig"',
                                              f'source "{NET}/Kconfig"'),
        "drivers/net/ethernet/Makefile": after("obj-$(CONFIG_NET_VENDOR_OKI) += oki-semi/",
                                               "obj-$(CONFIG_NET_VENDOR_ORNIC) += ornic/")},
    "kernel/rdma/Kconfig": {
        "drivers/infiniband/Kconfig": after('source "drivers/infiniband/hw/ocrdma/Kconfig"',
                                            f'source "{RDMA}/Kconfig"'),
        "drivers/infiniband/hw/Makefile": after("obj-$(CONFIG_INFINIBAND_IONIC)\t\t+= ionic/",
                                                "obj-$(CONFIG_INFINIBAND_ORNIC)\t\t+= ornic/")},
    "Documentation/driver.rst": {
        f"{PAGES}/index.rst": after("   netronome/nfp", "   ornic/ornic")},
    "Documentation/threat-model.rst": {
        f"{PAGES}/index.rst": after("   ornic/ornic", "   ornic/threat-model")},
}
# A call that destroys: the core clears the udata before it since the series rdma-fixes
NO_UDATA = "\terr = ib_no_udata_io(udata);\n\tif (err)\n\t\treturn err;\n\n"


def checked(*lines):
    """Returns the edit that checks the udata before the first statement of a function."""
    text = "\n".join(lines)
    return (f"\tint err;\n\n{text}", f"\tint err;\n\n{NO_UDATA}{text}")


# Code that is for a build outside Linux, and what Linux has instead
EDITS = {
    "kernel/rdma/main.c": [("""/*
 * Only drivers in the kernel tree get a number of enum rdma_driver_id. Without
 * one, libibverbs finds the provider by the PCI identity.
 */
#define ORNIC_IB_DRIVER_ID	RDMA_DRIVER_UNKNOWN

/*
 * Operations that destroy take no udata and ignore what there is. Up to Linux
 * 7.3 the core passes the udata of the creation when it aborts one, in
 * rdma_alloc_abort_uobject(), and so ib_no_udata_io() would refuse and keep the
 * object until its file is closed. They may call it once the core clears the
 * udata before.
 */
""", ""), ("ORNIC_IB_DRIVER_ID", "RDMA_DRIVER_ORNIC")],
    "kernel/rdma/pd.c": [("""
	/* The core destroys what was in the domain before it */
""", f"""	int err;

{NO_UDATA}	/* The core destroys what was in the domain before it */
""")],
    "kernel/rdma/mr.c": [checked("\terr = ornic_mr_destroy(dev, mr);")],
    "kernel/rdma/cq.c": [checked("\tornic_ib_pre_destroy_cq(ibcq);")],
    "kernel/rdma/qp.c": [checked("\tif (qp->kernel)", "\t\tornic_qp_detach(dev, qp);")],
    "kernel/rdma/srq.c": [checked("\terr = ornic_srq_destroy(dev, srq);")],
    "kernel/rdma/wq.c": [checked("\tornic_res_remove(dev->odev, &wq->res);",
                                 "\terr = ornic_cmd_destroy(dev->odev, ORNIC_CMD_DESTROY_WQ")],
    "kernel/rdma/xrcd.c": [("""
	return ornic_cmd_destroy(""", f"""	int err;

{NO_UDATA}	return ornic_cmd_destroy(""")],
    "Documentation/driver.rst": [("Documentation/threat-model.rst",
                                  f"{PAGES}/ornic/threat-model.rst")],
}


def changed(linux, change):
    """Returns {path: text} of the files of a source that a mail changes."""
    with tempfile.TemporaryDirectory() as folder:
        for place in re.findall(r"^\+\+\+ b/(.*)$", change.read_text(), re.M):
            (Path(folder) / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(linux) / place, Path(folder) / place)
        run = subprocess.run(["git", "apply", change], cwd=folder, capture_output=True, text=True,
                             check=False)
        if run.returncode:
            raise PlaceProblem(f"{change.name}: {run.stderr.strip()}")
        return {str(path.relative_to(folder)): path.read_text()
                for path in Path(folder).rglob("*") if path.is_file()}


def own_files(files, source, changes, folders, names):
    """Returns {path: text} of what changes make of the source, and of our files. `folders` has
    {folder here: there}, and `names` {name here: there} of files that have another one."""
    found = {}
    for change in changes:
        found |= changed(source, change)
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        found[f"{folders[folder]}/{names.get(name, name)}"] = text
    return found


def placed(files, linux, maintainers=(), changes=(), top=TOP):
    """Returns {path: text} of a state in Linux: our files, and those of Linux that change."""
    found = own_files(files, linux, changes, FOLDERS, NAMES)
    for folder in MODULES:
        if f"{folder}/Kconfig" in files:
            found[f"{FOLDERS[folder]}/Makefile"] = makefile(folder, files, top)
    for path in files:
        for place, change in HOOKS.get(path, {}).items():
            found[place] = change(found.get(place) or (Path(linux) / place).read_text())
    if maintainers:
        text = (Path(linux) / "MAINTAINERS").read_text()
        for entry in maintainers:
            text = add_maintainers(text, entry)
        found["MAINTAINERS"] = text
    return found


def replace_files(placed_files, tree, folders):
    """Writes files to a tree, in which the folders have no others."""
    for folder in folders:
        shutil.rmtree(Path(tree) / folder, ignore_errors=True)
    for place, text in placed_files.items():
        path = Path(tree) / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write(placed_files, linux):
    """Writes a state over another one."""
    replace_files(placed_files, linux,
                  [folder for folder in FOLDERS.values() if folder.endswith("/ornic")])


def spread(placed_files, linux, number):
    """Writes the drivers of a state to folders of their own, which it returns."""
    made = []
    # In a folder of headers of both, since the states have different ones
    abi = "include/uapi/rdma/ornic-abi.h"
    (Path(linux) / abi).unlink(missing_ok=True)
    if abi in placed_files:
        path = Path(linux) / f"{NET}-{number}" / "rdma" / Path(abi).name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(placed_files[abi])
    for folder in (NET, RDMA):
        if f"{folder}/Makefile" not in placed_files:
            continue
        for place, text in placed_files.items():
            if Path(place).parent != Path(folder):
                continue
            path = Path(linux) / f"{folder}-{number}" / Path(place).name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace(f"$(srctree)/{NET}", f"$(srctree)/{NET}-{number}"))
        # make builds only what the Makefile above has
        with (Path(linux) / folder).with_name("Makefile").open("a") as above:
            above.write(f"obj-$(CONFIG_ORNIC) += {Path(folder).name}-{number}/\n")
        made.append(f"{folder}-{number}/")
    return made
