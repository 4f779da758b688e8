# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Driver and provider keep rules of the hardware interface that no run would show to be broken: it
would take a race that is lost rarely, or hardware that no emulator has."""

import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
# Words of records, and of boards, that driver or provider load or store
WORDS = "sq_pi|rq_pi|sq_ci|rq_ci|sq_watched|ci|arm|awake"
# Definitions for the driver's functions in board.c; the device takes steps before each access
LINUX = """
#include <ornic_hw.h>
typedef __u32 u32;
#define __force
#define cpu_to_le32(x) (x)
#define cpu_to_le64(x) (x)
#define READ_ONCE(x) (meet(), (x))
#define WRITE_ONCE(x, v) (meet(), (x) = (v))
#define xchg(p, v) (meet(), exchange(p, v))
#define dma_wmb()
#define mb()
#define ornic_db_value(type, num, value) (value)
struct ornic_dev { struct ornic_board *board; void *db; };
void meet(void);
void writeq(unsigned long long value, void *db);
static inline unsigned long exchange(unsigned long *word, unsigned long put)
{
	unsigned long had = *word;

	*word = put;
	return had;
}
"""


def lines(*folders):
    """Yields (place, line) of the C files of these folders."""
    for folder in folders:
        for path in sorted((TOP / folder).rglob("*.[ch]")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                yield f"{path.relative_to(TOP)}:{number}", line


def test_doorbell_pages_are_uncached():
    """[ORNIC-DB-11] The driver maps nothing with write-combining but push pages of processes."""
    text = (TOP / "kernel/rdma/uctx.c").read_text()
    assert re.search(r"uctx->db_phys\), PAGE_SIZE,\s+pgprot_noncached\(", text)
    assert re.search(r"uctx->push_phys\), PAGE_SIZE,\s+pgprot_writecombine\(", text)
    combining = r"\b(ioremap_wc|pci_iomap_wc\w*|pgprot_writecombine|arch_phys_wc_add)\b"
    assert len([line for _, line in lines("kernel") if re.search(combining, line)]) == 1


def test_board_is_marked_in_order(tmp_path):
    """[ORNIC-DB-35], [ORNIC-DB-37] The driver marks bits, then summary, and then reads awake, and
    puts back what an exchange took: no index is lost, whatever the device does meanwhile."""
    api = (TOP / "kernel/include/ornic_api.h").read_text()
    driver = [re.search(rf"^static inline void {name}\(.*?^}}$", api, re.M | re.S)[0]
              for name in ("ornic_board_mark", "ornic_ring_sq")]
    source = "\n".join([LINUX, *driver, (TOP / "tests/documents/board.c").read_text()])
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", f"-I{TOP}/kernel/include", "-xc", "-", "-o",
                    tmp_path / "board"], input=source, text=True, check=True)
    run = subprocess.run([tmp_path / "board"], capture_output=True, text=True, check=False)
    assert not run.returncode, run.stdout


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


@pytest.mark.parametrize("path, doorbell, barrier", [
    ("kernel/include/ornic_api.h", "writeq", "wmb"),
    ("user-provider/doorbell.c", "ornic_db_ring", "udma_to_device_barrier"),
])
def test_doorbells_of_cqs_leave_before_indexes(path, doorbell, barrier):
    """[ORNIC-DB-41] A barrier is behind the doorbell of a CQ, which is rung in one place. x86 needs
    none, so no run on it would find it missing."""
    found = [place for place, line in lines("kernel", "user-provider")
             if re.search(r"\(.*\bORNIC_DB_CQ\b", line)]
    assert len(found) == 2
    rung = rf"\b{doorbell}\([^;]*\bORNIC_DB_CQ\b[^;]*;\s+(?:/\*.*?\*/\s+)?{barrier}\(\);"
    assert re.search(rung, (TOP / path).read_text(), re.S)


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
