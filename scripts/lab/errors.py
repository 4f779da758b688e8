# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The one exception of the lab: something outside the test's subject went wrong. The message says
what failed and names the log to read."""

from ornicrun.errors import RunError as LabError

__all__ = ["LabError"]
