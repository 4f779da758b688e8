# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Packs the directory of a bundle into one file, a tarball or an OCI image. The same directory
makes the same bytes."""

import gzip
import hashlib
import io
import json
import lzma
import os
import tarfile
import time

# Image files have this suffix
IMAGE_SUFFIX = ".oci.tar"
# Where an image has the bundle, and the tag that it gets when it is loaded
INSIDE, TAG = "ornic-run", "ornic-run:latest"
OCI = "application/vnd.oci.image"


def files(home):
    """Yields the files and folders below a directory, and itself, in the order of their names."""
    yield home
    yield from sorted(home.rglob("*"))


def epoch():
    return int(os.environ["SOURCE_DATE_EPOCH"])


def plain(info):
    """Removes what differs from machine to machine."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mtime = epoch()
    if not info.issym():
        info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
    return info


def add_bundle(tar, home, name):
    for path in files(home):
        tar.add(path, name + str(path)[len(str(home)):], recursive=False, filter=plain)


def add_file(tar, name, data=b"", **members):
    """Adds a file that is not in a directory; `members` are of its TarInfo."""
    info = plain(tarfile.TarInfo(name))
    info.size = len(data)
    for member, value in members.items():
        setattr(info, member, value)
    tar.addfile(info, io.BytesIO(data))


def open_tar(stream):
    return tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT)


def make_tarball(home, stream):
    with lzma.open(stream, "wb", preset=6) as packed, open_tar(packed) as tar:
        add_bundle(tar, home, home.name)


def layer(home):
    """Returns the archive that is the root file system of an image: the bundle, a shell, and a
    directory for temporary files."""
    data = io.BytesIO()
    with open_tar(data) as tar:
        add_file(tar, "bin", type=tarfile.DIRTYPE, mode=0o755)
        add_file(tar, "bin/sh", type=tarfile.SYMTYPE, mode=0o777,
                 linkname=f"/{INSIDE}/guest/busybox/busybox")
        add_file(tar, "tmp", type=tarfile.DIRTYPE, mode=0o1777)
        add_bundle(tar, home, INSIDE)
    return data.getvalue()


def digest(data):
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def make_image(home, stream):
    """Writes an image of one layer, as an archive with the layout of OCI."""
    with open_tar(stream) as tar:
        def add_blob(kind, data):
            name = digest(data)
            add_file(tar, f"blobs/{name.replace(':', '/')}", data)
            return {"mediaType": f"{OCI}.{kind}", "digest": name, "size": len(data)}

        def add_json(kind, **document):
            return add_blob(kind, json.dumps(document).encode())

        root = layer(home)
        packed = add_blob("layer.v1.tar+gzip", gzip.compress(root, 6, mtime=0))
        config = add_json(
            "config.v1+json", architecture="amd64", os="linux",
            created=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch())),
            config={"Entrypoint": [f"/{INSIDE}/ornic-run"],
                    "Env": [f"PATH=/{INSIDE}:/{INSIDE}/guest/busybox"]},
            rootfs={"type": "layers", "diff_ids": [digest(root)]})
        manifest = add_json("manifest.v1+json", schemaVersion=2, config=config, layers=[packed],
                            mediaType=f"{OCI}.manifest.v1+json")
        manifest["annotations"] = {"org.opencontainers.image.ref.name": TAG}
        index = {"schemaVersion": 2, "manifests": [manifest]}
        add_file(tar, "index.json", json.dumps(index).encode())
        add_file(tar, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')


def pack(home, target):
    """Makes the file `target`, by its name an image or a tarball."""
    make = make_image if target.name.endswith(IMAGE_SUFFIX) else make_tarball
    part = target.with_name(f"{target.name}.tmp")
    with open(part, "wb") as stream:
        make(home, stream)
    part.rename(target)
