# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The lines of a kernel log that say something is wrong, and the tests that declare them."""

import re
from dataclasses import dataclass

# A kernel in trouble.
TROUBLE = re.compile(
    r"BUG:|kernel BUG at|WARNING:|Oops|Kernel panic|KASAN|UBSAN:|kmemleak: \d+ new|DMA-API:|"
    r"possible (circular|recursive)|INFO: (task|rcu|possible)|general protection|refcount_t:|"
    r"list_(add|del) corruption|scheduling while atomic|sleeping function called|"
    r"unregister_netdevice: waiting|soft lockup|hard LOCKUP|ODEBUG:|NETDEV WATCHDOG|"
    r"stalled pool shutdown|page allocation failure|Out of memory:"
)
# Each message of our drivers: the console has no lines below the level of a warning.
OURS = re.compile(r"(infiniband )?ornic")
# Messages that match one of the above, whole, and are no trouble.
HARMLESS = re.compile(
    r"DMA-API: preallocated \d+ debug entries|"
    r"DMA-API: debugging enabled by kernel config|"
    r"DMA-API: Mapped at:|"
    r"ornic\w*: loading out-of-tree module taints kernel\."
)

# Faults of the kernel itself: a report that has all the words of one of these, and no function of
# our drivers on a stack. After its first report lockdep is silent until the next boot, and so is the
# check of the DMA API: the lab replaces a machine that has made such a report.
NOT_OURS = (
    # nvmet 7.3 removes its listener with nvmet_config_sem held, for which rdma_cm waits until the
    # handlers of events have ended, and looks for the subsystem with that semaphore in a handler,
    # when a CONNECT has come before the event that tells of the connection. Both chains are of
    # nvmet_rdma and rdma_cm only, whatever the RDMA device is.
    ("possible circular locking", "(&id_priv->handler_mutex)", "at: rdma_destroy_id",
     "(nvmet_config_sem)", "at: nvmet_port_subsys_drop_link"),
    # RDS 7.3 does the same with rds_trans_sem: bind() destroys an rdma_cm_id with it held, and a
    # handler of rdma_cm takes it.
    ("possible circular locking", "(&id_priv->handler_mutex/1)", "at: cma_ib_req_handler",
     "(rds_trans_sem)", "at: rds_trans_get_preferred"),
    # RDS 7.3 maps headers in rds_dma_hdr_alloc() for both directions, and unmaps them for one.
    (" at check_unmap+", "rds_dma_hdrs_free+", "rds_ib_conn_path_shutdown+"),
)
REPORT_END = "</TASK>"
REPORT_LINES = 400  # A report with chains of locks has 200.
OUR_FRAME = re.compile(r"\bornic\w*\+0x[0-9a-f]+/|\+0x[0-9a-f]+/0x[0-9a-f]+ \[ornic\w*\]")

STAMP = re.compile(r"\[ *\d+\.\d+\] ")


def message(line):
    """A line without its time and the shell's prompt that may stand before it."""
    return STAMP.split(line, maxsplit=1)[-1].strip()


def is_report(line):
    text = message(line)
    wanted = TROUBLE.search(text) or OURS.match(text)
    return bool(wanted) and not HARMLESS.fullmatch(text)


def is_foreign(report):
    """Whether the lines of a whole report are one of NOT_OURS."""
    text = "\n".join(report)
    return (any(all(word in text for word in words) for words in NOT_OURS)
            and not OUR_FRAME.search(text))


def scan(text, final=True):
    """(reports, foreign reports, number of characters that need no second look). A report whose end
    is not there yet is left for the next scan, unless this is the final one."""
    lines = text.splitlines(keepends=True)
    found, foreign, consumed = [], [], 0
    for number, line in enumerate(lines):
        if not final and not line.endswith("\n"):
            break
        if is_report(line):
            behind = lines[number:number + REPORT_LINES]
            end = next((i for i, other in enumerate(behind) if REPORT_END in other), None)
            if end is None and not final and TROUBLE.search(line) and len(behind) < REPORT_LINES:
                break
            whole = end is not None and is_foreign(behind[:end + 1])
            (foreign if whole else found).append(line.strip())
        consumed += len(line)
    return found, foreign, consumed


def find_reports(text):
    """The lines of a kernel log that say something is wrong."""
    return scan(text)[0]


@dataclass
class Declared:
    """A message that a test provokes. required: the test fails when the message does not come."""

    pattern: re.Pattern
    required: bool
    seen: bool = False


class KernelLog:
    """What one kernel has reported since it booted. Each line is judged once, whenever it came."""

    scan = staticmethod(scan)

    def __init__(self):
        self.unread = ""
        self.found, self.foreign, self.forgiven = [], [], []
        self.declared = []
        self.delivered = 0

    def feed(self, text, final=False):
        """More of the log. False when a report's end is still to come."""
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
        """Reports in the whole log that are not known yet: there are none."""
        known = {*self.found, *self.forgiven}
        return [line for line in self.scan(text)[0] if line not in known]

    def forgives(self, line):
        text, forgiven = message(line), False
        for one in self.declared:
            if one.pattern.fullmatch(text):
                one.seen = forgiven = True
        return forgiven

    def expect(self, *patterns, required=True):
        """Until the test ends, messages that match one of these whole are no reports."""
        self.declared += [Declared(re.compile(pattern), required) for pattern in patterns]

    def settle(self):
        """At the end of a test: the reports that no earlier test had, and the declared messages that
        did not come. What was declared is so no more."""
        new = self.found[self.delivered:]
        self.delivered = len(self.found)
        missing = [f"declared, and not said: {one.pattern.pattern}" for one in self.declared
                   if one.required and not one.seen]
        self.declared = []
        return new + missing


# A card's errors, and a sanitizer's.
CARD_TROUBLE = re.compile(r"\berror: |runtime error|Sanitizer")


class CardLog(KernelLog):
    """What an ornic-device has said since it began."""

    @staticmethod
    def scan(text, final=True):
        end = len(text) if final else text.rfind("\n") + 1
        return [line for line in text[:end].splitlines() if CARD_TROUBLE.search(line)], [], end
