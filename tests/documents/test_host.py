# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Driver and provider keep rules of the hardware interface that no run would show to be broken: it
would take a race that is lost rarely, or hardware that no emulator has."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
# Words of records, and of boards, that driver or provider load or store
WORDS = "sq_pi|rq_pi|sq_ci|rq_ci|sq_watched|ci|arm|awake"


def lines(*folders):
    """Yields (place, line) of the C files of these folders."""
    for folder in folders:
        for path in sorted((TOP / folder).rglob("*.[ch]")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                yield f"{path.relative_to(TOP)}:{number}", line


def test_doorbell_pages_are_uncached():
    """[ORNIC-DB-11] The driver maps nothing with write-combining but push pages of processes."""
    assert "pgprot_noncached(" in (TOP / "kernel/rdma/mmap.c").read_text()
    combining = r"\b(ioremap_wc|pci_iomap_wc\w*|pgprot_writecombine|arch_phys_wc_add)\b"
    found = [line for _, line in lines("kernel") if re.search(combining, line)]
    assert len(found) == 1 and "map->combines ? pgprot_writecombine(" in found[0]


def test_completion_timeout_is_left_alone():
    """[ORNIC-BUS-11] The driver does not touch the register that has it."""
    assert not [place for place, line in lines("kernel") if "PCI_EXP_DEVCTL2" in line]


def test_records_are_accessed_in_one_piece():
    """[ORNIC-ORD-10] A word is loaded and stored by what makes one access of it. Two words are
    written by the owner alone, who may load them in any way."""
    one = r"(?:(?:READ|WRITE)_ONCE|ornic_index_\w+)\(&?"
    owner = r"le32toh\("
    found = 0
    for place, line in lines("kernel", "user-provider"):
        word = re.search(rf"[\w>.-]*\b(?:dbr|board|record)->(?:{WORDS})\b", line)
        if word:
            found += 1
            assert re.search(rf"(?:{one}|{owner})$", line[:word.start()]), f"{place}: {line}"
    assert found > 20


@pytest.mark.parametrize("file, command", [
    ("qp_modify.c", "MODIFY_QP"), ("wq.c", "MODIFY_WQ"), ("cq.c", "RESIZE_CQ"),
    ("srq.c", "RESIZE_SRQ"),
])
def test_doorbells_arrive_before_the_command(file, command):
    """[ORNIC-DB-8], [ORNIC-CQ-17], [ORNIC-SRQ-11]: the driver flushes doorbells before commands
    that they must not follow."""
    text = (TOP / "kernel/rdma" / file).read_text()
    flushed = rf"ornic_doorbell_flush\([^;]*\);\n[^;]*\bornic_cmd_exec\([^;]*ORNIC_CMD_{command}\b"
    assert re.search(flushed, text)
