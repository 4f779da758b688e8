# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""System calls that a process makes against its will, as if a fault in it was used (x86_64)."""

import ctypes
import os
import signal
import time

PEEKTEXT, CONT, SINGLESTEP, GETREGS, SETREGS, ATTACH, DETACH = 1, 7, 9, 12, 13, 16, 17
# struct user_regs_struct
REGS = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
        "fs_base gs_base ds es fs gs").split()
ARGS = ("rdi", "rsi", "rdx", "r10", "r8", "r9")
SYSCALL = 0x050f  # the instruction
ALL_ONES = (1 << 64) - 1

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]


class Regs(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in REGS]


def ptrace(request, pid, addr=None, data=None):
    ctypes.set_errno(0)
    value = libc.ptrace(request, pid, addr, data)
    if error := ctypes.get_errno():
        raise OSError(error, os.strerror(error))
    return value


def attach(pid):
    """Stops a child in a system call, that is, while it sleeps, and returns its registers."""
    regs = Regs()
    while True:
        ptrace(ATTACH, pid)
        os.waitpid(pid, 0)
        ptrace(GETREGS, pid, None, ctypes.byref(regs))
        if ptrace(PEEKTEXT, pid, regs.rip - 2) & 0xffff == SYSCALL:
            return regs
        ptrace(DETACH, pid)
        time.sleep(0.01)


def inject(pid, number, *args):
    """Makes a child do a system call. Returns the result, or None if the kernel refused the call
    and sent SIGSYS, which the child then gets. If the call ends the child, returns the negative
    signal, and subprocess.Popen cannot wait for it any more."""
    before = attach(pid)
    regs = Regs.from_buffer_copy(before)
    regs.rax, regs.orig_rax, regs.rip = number, ALL_ONES, before.rip - 2
    for name, value in zip(ARGS, args):
        setattr(regs, name, value & ALL_ONES)
    ptrace(SETREGS, pid, None, ctypes.byref(regs))
    ptrace(SINGLESTEP, pid)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return -os.WTERMSIG(status)
    if os.WSTOPSIG(status) == signal.SIGSYS:
        # The end of the single step comes after it
        ptrace(CONT, pid, None, signal.SIGSYS)
        assert os.WSTOPSIG(os.waitpid(pid, 0)[1]) == signal.SIGTRAP
        ptrace(DETACH, pid)
        return None
    assert os.WSTOPSIG(status) == signal.SIGTRAP
    ptrace(GETREGS, pid, None, ctypes.byref(regs))
    ptrace(SETREGS, pid, None, ctypes.byref(before))
    ptrace(DETACH, pid)
    return ctypes.c_int64(regs.rax).value
