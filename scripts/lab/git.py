# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Questions to git."""

import subprocess

from . import paths


def git(*words, top=None):
    """Returns git's output for the repository at `top`, or the checkout. Returns None if git is
    missing or fails."""
    argv = ["git", "-c", "safe.directory=*", "-C", top or paths.TOP, *words]
    try:
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
