# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The lab: virtual machines with ORNIC cards, driven from Python inside the root tree.

    with Lab("example") as lab:
        card = lab.card(2)
        a, b = lab.vm("a", cards=[card.sockets[0]]), lab.vm("b", cards=[card.sockets[1]])
        lab.start(a, b)
        a.load_ornic()
        rc, out = a.run("ibv_devinfo")
"""

from .card import Card
from .errors import LabError
from .session import Lab, Link
from .vm import Vm

__all__ = ["Card", "Lab", "LabError", "Link", "Vm"]
