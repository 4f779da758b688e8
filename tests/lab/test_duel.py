# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Pair.duel() adds the states of QPs to the output of programs that hang."""

import pytest
from lab.pair import LATE, STATES, Roles


class Program:
    """A fake program that ends after this share of its timeout, with code 124 if the share is 1."""

    def __init__(self, share):
        self.share, self.killed = share, False

    def poll(self):
        return None

    def kill(self):
        self.killed = True

    def wait_for(self, timeout):
        return self.wait(timeout) if self.killed or timeout >= self.share * 10 else None

    def wait(self, timeout):
        return (137 if self.killed else 124 if self.share >= 1 else 0), "said"


class Machine:
    patience = 1

    def __init__(self, name, share):
        self.name, self.program = name, Program(share)

    def spawn(self, text, timeout):
        return self.program

    def run(self, text, timeout=60):
        return 0, f"QPs of {self.name}" if text == STATES else ""


@pytest.mark.parametrize("client, server, wanted", [
    (0.1, 0.1, ((0, False), (0, False))),
    (1, 0.1, ((137, False), (124, True))),
    (0.1, 1, ((124, True), (0, False))),
    (LATE, LATE, ((0, False), (0, False))),
])
def test_states(client, server, wanted):
    pair = Roles(Machine("a", client), Machine("b", server))
    found = [(code, "QPs of a" in output and "QPs of b" in output)
             for code, output in pair.duel("server", "client", "ready", 10)]
    assert tuple(found) == wanted
