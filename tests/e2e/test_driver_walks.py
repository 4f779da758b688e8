# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The walks of architecture.rst hold for the drivers: ftrace sees each function that the text
names. tests/documents/test_walks.py does the same for the card and the provider."""

import contextlib
import re

import pytest
from lab import walks
from lab.perftest import rping

pytestmark = pytest.mark.full

TRACING = "/sys/kernel/tracing"
# A line of the function tracer: task-pid [cpu] flags time: function [module] <-caller
FUNCTION = re.compile(r": (ornic_\w+)[\w.]* (?:\[\w+\] )?<-", re.M)
# Functions that the text has under a condition, and that are not entered without it
CONDITIONAL = {"ornic_xdp_run", "ornic_cmdq_begin_sleep"}


@contextlib.contextmanager
def traced(vm):
    """Traces all functions of both modules. Yields a function that returns their names."""
    vm.check(f"mountpoint -q {TRACING} || mount -t tracefs tracefs {TRACING}")
    vm.check(f"cd {TRACING} && echo 8192 >buffer_size_kb && "
             "echo ':mod:ornic' >set_ftrace_filter && "
             "echo ':mod:ornic_rdma' >>set_ftrace_filter && echo function >current_tracer && "
             "echo >trace")
    try:
        yield lambda: set(FUNCTION.findall(vm.check(f"grep ornic_ {TRACING}/trace")))
    finally:
        vm.run(f"cd {TRACING} && echo nop >current_tracer && echo >set_ftrace_filter && "
               "echo >trace")


def ping(pair):
    """A frame of the other machine arrives."""
    pair.b.check(f"ping -c 3 -W 5 {pair.ornic[pair.a].ip}", 60)


def connect(pair):
    """A process creates a QP, and the connection manager sends datagrams from the kernel."""
    rping(pair, pair.ornic, 1)


@pytest.mark.parametrize("walk, act", [("send", connect), ("frame", ping), ("create_qp", connect)],
                         ids=walks.WALKS)
def test_functions(pair, walk, act):
    """A walk enters each function of the drivers that its text names and the compiler has not
    inlined."""
    vm = pair.a
    groups = [group for group in walks.steps(walk, "kernel")
              if not {function for _, function in group} & CONDITIONAL]
    with traced(vm) as functions:
        known = set(re.findall(r"^(ornic_\w+)",
                               vm.check(f"grep ornic {TRACING}/available_filter_functions"), re.M))
        act(pair)
        entered = functions()
    outlined = [{function for _, function in group} & known for group in groups]
    assert sum(map(bool, outlined)) >= len(groups) / 2, (groups, known)
    for group in filter(None, outlined):
        assert group & entered, group
