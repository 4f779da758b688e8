# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests of scripts/lab/paths.py: what is not built is named, with the command that builds it."""

import pytest
from lab import LabError, paths


@pytest.fixture
def build(monkeypatch, tmp_path):
    """An empty build directory."""
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    monkeypatch.setattr(paths, "INSTALLED", tmp_path / "installed")
    monkeypatch.setattr(paths.Kernel, "packages", False)
    return tmp_path


def test_modules(build):
    """The modules of the checkout; one of two is not enough."""
    kernel = paths.Kernel("stock")
    with pytest.raises(LabError, match="no ornic.ko in .*/stock: run `make modules KERNEL=stock`"):
        kernel.check_modules()
    (build / "stock").mkdir()
    (build / "stock/ornic.ko").touch()
    with pytest.raises(LabError, match="no ornic_rdma.ko"):
        kernel.check_modules()
    (build / "stock/ornic_rdma.ko").touch()
    kernel.check_modules()


def test_packages(build, monkeypatch):
    """With the packages the stock kernel needs the provider's, and the modules of DKMS."""
    monkeypatch.setattr(paths.Kernel, "packages", True)
    with pytest.raises(LabError, match="0 packages of the provider in .*/deb: run `make deb`"):
        paths.Kernel("stock")
    (build / "deb").mkdir()
    (build / "deb/ibverbs-provider-ornic_0.1_amd64.deb").touch()
    with pytest.raises(LabError, match="run `scripts/build installed stock`"):
        paths.Kernel("stock").check_modules()
