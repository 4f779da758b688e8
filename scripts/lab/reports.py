# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Finds lines of a kernel log that report a problem, and compares them with those that a test
declares."""

import re
from dataclasses import dataclass

# Reports of the kernel itself
TROUBLE = re.compile(
    r"BUG:|kernel BUG at|WARNING:|Oops|Kernel panic|KASAN|UBSAN:|DMA-API:|"
    r"possible (circular|recursive)|INFO: (task|rcu|possible)|general protection|refcount_t:|"
    r"list_(add|del) corruption|scheduling while atomic|sleeping function called|"
    r"unregister_netdevice: waiting|soft lockup|hard LOCKUP|ODEBUG:|NETDEV WATCHDOG|"
    r"stalled pool shutdown|page allocation failure|Out of memory:"
)
# All messages of our drivers: the console shows warnings and errors only
OURS = re.compile(r"(infiniband )?ornic")
# Harmless messages, matched as a whole, that match one of the patterns above
HARMLESS = re.compile(
    r"DMA-API: preallocated \d+ debug entries|"
    r"DMA-API: debugging enabled by kernel config|"
    r"DMA-API: Mapped at:|"
    r"ornic\w*: loading out-of-tree module taints kernel\."
)

# Known faults of the kernel itself: reports with all the words of one entry, the first of them in
# the first line, and without a function of our drivers on a stack. After its first report lockdep
# is silent until the next boot, and so is the check of the DMA API; the lab therefore replaces a VM
# with such a report.
NOT_OURS = (
    # nvmet 7.3 removes its listener with nvmet_config_sem held, and rdma_cm then waits until event
    # handlers have ended. If a CONNECT arrives before the event for the connection, a handler takes
    # nvmet_config_sem to find the subsystem. Both chains are in nvmet_rdma and rdma_cm only, with
    # any RDMA device.
    ("possible circular locking", "(&id_priv->handler_mutex)", "at: rdma_destroy_id",
     "(nvmet_config_sem)", "at: nvmet_port_subsys_drop_link"),
    # RDS 7.3 does the same with rds_trans_sem: bind() holds it and destroys an rdma_cm_id, and a
    # handler of rdma_cm takes it.
    ("possible circular locking", "(&id_priv->handler_mutex/1)", "at: cma_ib_req_handler",
     "(rds_trans_sem)", "at: rds_trans_get_preferred"),
    # RDS 7.3 maps headers in rds_dma_hdr_alloc() for both directions, and unmaps them for one. The
    # report has two lines that count as reports.
    ("device driver frees DMA memory", "rds_dma_hdrs_free+", "rds_ib_conn_path_shutdown+"),
    (" at check_unmap+", "rds_dma_hdrs_free+", "rds_ib_conn_path_shutdown+"),
)
# Likewise, but below functions of our drivers, which call the kernel as they should
NOT_OURS_BELOW = (
    # page_pool 7.3 takes the lock of dma_mapped with softirqs disabled, but initialises the array
    # without XA_FLAGS_LOCK_BH. If an allocation under that lock fails, the array drops the lock and
    # allocates with GFP_KERNEL, while softirqs are still disabled.
    ("sleeping function called from invalid context", " __xas_nomem+", " page_pool_dma_map+"),
)
# The same for memory that kmemleak reports: a word of the stack that allocated it
LEAKS_NOT_OURS = (
    # If a driver has no memory for a context, uverbs 7.3 frees its own half of it without
    # rdma_restrack_put(), in the handler of UVERBS_METHOD_GET_CONTEXT. The reference to the task is
    # lost, and with it the task, its signals and its credentials.
    " copy_process+", " prepare_creds+", " alloc_task_exec_state+",
    # setup_hw_port_stats() of ib_core 7.3, inlined here, loses its memory if get_hw_stats() fails
    " setup_port+",
    # If radix_tree_insert() of 7.3 gets memory for one node and none for the next, the first stays
    # in the tree without an entry. uverbs_destroy_api() deletes entries and never meets it.
    " radix_tree_insert+",
)
REPORT_END = re.compile(r"</TASK>")
# Reports of KCSAN have another end. The kernel's own code has many races by the strict rules of the
# KCSAN kernel (kcsan.config), so a race is a report only if one of the innermost functions on a
# side is ours: our function accesses the memory, or passes it to the one that does. Further out our
# functions are below the whole network stack.
RACE = "BUG: KCSAN: "
RACE_SIDE = re.compile(r" by (task \d+|interrupt) on cpu \d+:$")
RACE_END = re.compile(r"={66}$")
RACE_INNERMOST = 3
REPORT_LINES = 400  # a report with chains of locks has 200
OUR_FRAME = re.compile(r"\bornic\w*\+0x[0-9a-f]+/|\+0x[0-9a-f]+/0x[0-9a-f]+ \[ornic\w*\]")
# A line of a stack with a function of our drivers
CALL = re.compile(r"(\? )?ornic\w*\+0x[0-9a-f]+/0x[0-9a-f]+ \[ornic\w*\]")

STAMP = re.compile(r"\[ *\d+\.\d+\] ")


def message(line):
    """Returns a line without its time stamp and without a shell prompt before it."""
    return STAMP.split(line, maxsplit=1)[-1].strip()


def is_report(line):
    text = message(line)
    wanted = TROUBLE.search(text) or OURS.match(text)
    return bool(wanted) and not HARMLESS.fullmatch(text)


def is_foreign(report):
    """Returns whether a complete report is one of NOT_OURS or NOT_OURS_BELOW."""
    text = "\n".join(report)
    known = NOT_OURS_BELOW if OUR_FRAME.search(text) else NOT_OURS
    return any(words[0] in report[0] and all(word in text for word in words) for words in known)


def is_race_elsewhere(report):
    """Returns whether a complete report is of a race that our drivers take no part in."""
    sides = [i + 1 for i, line in enumerate(report) if RACE_SIDE.search(line.rstrip())]
    inner = "\n".join("".join(report[i:i + RACE_INNERMOST]) for i in sides)
    return bool(sides) and RACE in report[0] and not OUR_FRAME.search(inner)


def scan(text, final=True):
    """Returns (reports, foreign reports, number of characters consumed). An incomplete report is
    left for the next scan, unless `final` is set."""
    lines = text.splitlines(keepends=True)
    found, foreign, consumed = [], [], 0
    foreign_end = 0
    for number, line in enumerate(lines):
        if not final and not line.endswith("\n"):
            break
        if is_report(line) and not (number < foreign_end and CALL.fullmatch(message(line))):
            behind = lines[number:number + REPORT_LINES]
            last = RACE_END if RACE in line else REPORT_END
            end = next((i for i, other in enumerate(behind) if last.search(other.rstrip())), None)
            if end is None and not final and TROUBLE.search(line) and len(behind) < REPORT_LINES:
                break
            report = behind[:end + 1] if end is not None else None
            elsewhere = report is not None and is_race_elsewhere(report)
            whole = report is not None and is_foreign(report)
            if elsewhere or whole:
                foreign_end = number + end + 1
            if not elsewhere:
                (foreign if whole else found).append(line.strip())
        consumed += len(line)
    return found, foreign, consumed


def find_reports(text):
    """Returns the lines of a kernel log that report a problem."""
    return scan(text)[0]


def leaks(text):
    """Returns kmemleak's reports in a text, less those of LEAKS_NOT_OURS."""
    found = re.split(r"^(?=unreferenced object )", text, flags=re.M)
    return "".join(leak for leak in found if not any(word in leak for word in LEAKS_NOT_OURS))


@dataclass
class Declared:
    """A message that a test provokes. With `required` the test fails if the message does not
    appear."""

    pattern: re.Pattern
    required: bool
    seen: bool = False


class KernelLog:
    """The reports of one kernel since its boot. Each line is judged once, whenever it appears."""

    scan = staticmethod(scan)

    def __init__(self):
        self.unread = ""
        self.found, self.foreign, self.forgiven = [], [], []
        self.declared = []
        self.delivered = 0

    def feed(self, text, final=False):
        """Processes more of the log. Returns False if it ends within a report."""
        self.unread += text
        found, foreign, consumed = self.scan(self.unread, final)
        self.unread = self.unread[consumed:]
        self.judge(found)
        self.foreign += foreign
        return not is_report(self.unread.partition("\n")[0])

    def judge(self, lines):
        for line in lines:
            (self.forgiven if self.forgives(line) else self.found).append(line)

    def missed(self, text):
        """Returns reports in the whole log that feed() has not seen; there should be none."""
        known = {*self.found, *self.forgiven}
        return [line for line in self.scan(text)[0] if line not in known]

    def forgives(self, line):
        text, forgiven = message(line), False
        for one in self.declared:
            if one.pattern.fullmatch(text):
                one.seen = forgiven = True
        return forgiven

    def expect(self, *patterns, required=True):
        """Accepts messages that match one of these patterns as a whole, until the test ends."""
        self.declared += [Declared(re.compile(pattern), required) for pattern in patterns]

    def settle(self):
        """Called at the end of a test: returns the new reports and the required messages that did
        not appear, and clears the declarations."""
        new = self.found[self.delivered:]
        self.delivered = len(self.found)
        missing = [f"declared, and not said: {one.pattern.pattern}" for one in self.declared
                   if one.required and not one.seen]
        self.declared = []
        return new + missing


# Errors of a card and of its sanitizers
CARD_TROUBLE = re.compile(r"\berror: |runtime error|Sanitizer")


class CardLog(KernelLog):
    """The errors of an ornic-device since its start."""

    @staticmethod
    def scan(text, final=True):
        end = len(text) if final else text.rfind("\n") + 1
        return [line for line in text[:end].splitlines() if CARD_TROUBLE.search(line)], [], end
