# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""scripts/package/provider builds libornic for a given rdma-core, and says what is missing."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from lab.paths import CACHE, TOP

PROGRAM = TOP / "scripts/package/provider"
# The program needs these before it looks for others
FIRST = ("bash", "dirname", "env", "realpath")
PROBE = TOP / "scripts/package/rdma-core-probe"
SOURCES = CACHE / "src"
# Names of the things that 56.1 lacks
ABSENT = {"FD_ARR", "CQ_PROV_ATTR", "PORT_SPEED", "QP_DRIVER", "COMP_CNTR", "CC_UNPROTECTED"}
# Files of apt below a directory of the test's own
APT = """Dir::Etc::SourceList "{path}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "{path}/lists";
Dir::Cache "{path}/cache";
"""


def run(*words, **settings):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "CMAKE_C_COMPILER_LAUNCHER": "ccache", **settings})


def test_tools_are_missing(tmp_path):
    """One line for each."""
    for name in FIRST:
        (tmp_path / name).symlink_to(shutil.which(name))
    result = run("-s", tmp_path, PATH=str(tmp_path))
    assert result.returncode == 1
    assert re.findall(r"^provider: no ([\w-]+): install", result.stderr, re.M) == [
        "cc", "cmake", "ninja", "python3", "pkg-config"]
    assert len(result.stderr.splitlines()) == 5


@pytest.mark.parametrize("words, reason", [
    (["-s", str(TOP)], "is not the source of rdma-core"),
    (["-x"], "usage:"),
    (["more"], "usage:"),
])
def test_refusals(tmp_path, words, reason):
    result = run("-o", tmp_path, *words)
    assert result.returncode == 1
    assert reason in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("version, header, reason", [
    ("50.0", "verbs_err(", "the installed libibverbs is of rdma-core 56.1, and"),
    ("36.0", "", "rdma-core 36.0 has no verbs_err(): libornic needs rdma-core 37.0 or newer"),
])
def test_other_rdma_core(tmp_path, version, header, reason):
    """The directory looks like a source with the private ABI of the installed libibverbs."""
    for name, text in {
        "CMakeLists.txt": f'set(PACKAGE_VERSION "{version}")\nset(IBVERBS_PABI_VERSION "34")\n',
        "libibverbs/driver.h": header,
        "providers/rxe/rxe.c": "",
    }.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result = run("-o", tmp_path / "out", "-s", tmp_path / "source")
    assert result.returncode == 1
    line, = result.stderr.splitlines()
    assert reason in line


def lacks(source):
    output = subprocess.run([PROBE, source], capture_output=True, text=True, check=True).stdout
    return set(output.replace("-DORNIC_LACKS_", "").split())


def make_old(source, path):
    """Copies the source of 56.1 without what came in 44 (ATOMIC WRITE), 45 (FLUSH) and 54."""
    shutil.copytree(source, path, symlinks=True)
    for name in ("verbs.h", "enum_strs.c", "driver.h", "cmd_mr.c"):
        file = path / "libibverbs" / name
        text = re.sub(r"\b(IBV_WR|IBV_QP_EX_WITH|wr)(?=_(FLUSH|ATOMIC_WRITE)\b)", r"\1_NEW",
                      file.read_text(), flags=re.I)
        text = re.sub(r"(\bibv_cmd_reg_dmabuf_mr\([^)]*),\s*struct ibv_command_buffer \*driver",
                      r"\1", text)
        file.write_text(text.replace(" driver);", " NULL);"))
    return path


@pytest.mark.long
@pytest.mark.parametrize("version, pabi, absent", [
    ("old", 34, {"FLUSH", "DMABUF_DRIVER", *ABSENT}), ("56.1", 34, ABSENT), ("65.0", 65, set())])
def test_build(tmp_path, version, pabi, absent):
    """Whether it has what the releases from 37 to 65 have got, or not."""
    if version == "old":
        source = make_old(SOURCES / "rdma-core-56.1", tmp_path / "source")
    else:
        source = SOURCES / f"rdma-core-{version}"
    assert lacks(source) == absent
    result = run("-n", "-s", source, "-o", tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / f"libornic-rdmav{pabi}.so").exists()
    assert (tmp_path / "ornic.driver").read_text() == "driver ornic\n"


@pytest.mark.long
def test_source_of_the_distribution(tmp_path):
    """Without -s the source is that of the installed libibverbs, from the lines deb-src of apt."""
    release = Path("/etc/apt/sources.list").read_text().splitlines()[0]
    for folder in ("lists/partial", "cache/archives/partial"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "apt.conf").write_text(APT.format(path=tmp_path))
    settings = {"APT_CONFIG": str(tmp_path / "apt.conf")}

    def provider(sources):
        (tmp_path / "sources.list").write_text(sources)
        subprocess.run(["apt-get", "update", "-qq", "-o", "Acquire::Languages=none"], check=True,
                       env={**os.environ, **settings})
        return run("-o", tmp_path / "out", **settings)

    result = provider("")
    assert result.returncode == 1
    assert re.search(r"apt has no source of rdma-core 56\.1-\S+: add a deb-src line", result.stderr)
    result = provider(release.replace("deb ", "deb-src ", 1) + "\n")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out/libornic-rdmav34.so").exists()
    assert next((tmp_path / "out/source").glob("rdma-core_56.1*.orig.tar.*"))
