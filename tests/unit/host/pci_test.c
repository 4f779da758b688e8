// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* PCI configuration space as software sees it */
#include <linux/pci_regs.h>

#include <ornic_hw.h>

#include "card/card.h"
#include "host/pci.h"
#include "unit.h"

static const uint8_t mac[MAC_LEN] = { 2, 0x11, 0x22, 0x33, 0x44, 0x55 };
static struct pci pci;

static int setup(void **state)
{
	pci_init(&pci, 16, mac);
	return 0;
}

static uint32_t get(unsigned int offset, unsigned int len)
{
	uint8_t bytes[4] = { 0 };

	pci_read(&pci, offset, bytes, len);
	return bytes[0] | bytes[1] << 8 | bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static unsigned int set(unsigned int offset, uint32_t value, unsigned int len)
{
	const uint8_t bytes[4] = { value, value >> 8, value >> 16,
				   value >> 24 };

	return pci_write(&pci, offset, bytes, len);
}

/* Find a capability by walking the list, as an OS does */
static unsigned int find_cap(unsigned int id)
{
	unsigned int at = get(PCI_CAPABILITY_LIST, 1), hops = 0;

	while (at && hops++ < 48) {
		if (get(at, 1) == id)
			return at;
		at = get(at + 1, 1);
	}
	return 0;
}

TEST_VOID(test_identity, IN(setup, NULL))
{
	assert_int_equal(get(PCI_VENDOR_ID, 2), 0x1af4);
	assert_int_equal(get(PCI_DEVICE_ID, 2), 0x10f0);
	assert_int_equal(get(PCI_SUBSYSTEM_VENDOR_ID, 2), 0x1af4);
	assert_int_equal(get(PCI_SUBSYSTEM_ID, 2), 0x10f0);
	assert_int_equal(get(PCI_CLASS_REVISION, 4), 0x02000001);
	assert_int_equal(get(PCI_HEADER_TYPE, 1), 0);
	assert_int_equal(get(PCI_INTERRUPT_PIN, 1), 0);
}

/* [ORNIC-PCI-2] The BARs are of 64 bits, and not prefetchable */
TEST_VOID(test_all_ones_everywhere_change_only_what_they_may, IN(setup, NULL))
{
	struct pci before = pci;
	unsigned int i;
	uint8_t ones[PCI_CONFIG_SIZE];

	memset(ones, 0xff, sizeof(ones));
	pci_write(&pci, 0, ones, sizeof(ones));
	for (i = 0; i < PCI_CONFIG_SIZE; i++) {
		assert_int_equal((pci.config[i] ^ before.config[i]) &
					 ~(pci.rw[i] | pci.w1c[i]),
				 0);
		assert_int_equal(pci.rw[i] & pci.w1c[i], 0);
	}
	/* The ROM BAR must stay 0, or QEMU maps a ROM */
	assert_int_equal(get(PCI_ROM_ADDRESS, 4), 0);
	assert_int_equal(get(PCI_BASE_ADDRESS_0, 4), 4);
	assert_int_equal(get(PCI_BASE_ADDRESS_1, 4), 0);
	/* [ORNIC-PCI-2], [ORNIC-BUS-7]: BAR2 is prefetchable. [ORNIC-ROOM-3]: no BAR4 */
	assert_int_equal(get(PCI_BASE_ADDRESS_2, 4), 12);
	assert_int_equal(get(PCI_BASE_ADDRESS_3, 4), 0);
	assert_int_equal(get(PCI_BASE_ADDRESS_4, 4), 0);
	assert_int_equal(get(PCI_BASE_ADDRESS_5, 4), 0);
	assert_int_equal(get(PCI_COMMAND, 2), 0x546);
	pci_power_on(&pci);
	assert_memory_equal(pci.config, before.config, PCI_CONFIG_SIZE);
}

TEST_VOID(test_command_takes_effect_once, IN(setup, NULL))
{
	assert_false(pci_memory_enabled(&pci));
	assert_false(pci_master_enabled(&pci));
	assert_int_equal(set(PCI_COMMAND, 6, 2), PCI_EFFECT_COMMAND);
	assert_true(pci_memory_enabled(&pci));
	assert_true(pci_master_enabled(&pci));
	assert_int_equal(set(PCI_COMMAND, 6, 2), 0);
	assert_int_equal(set(PCI_COMMAND, 0, 1), PCI_EFFECT_COMMAND);
	assert_false(pci_master_enabled(&pci));
	/* There is no I/O space */
	assert_int_equal(set(PCI_COMMAND, 1, 2), 0);
}

TEST_VOID(test_status_is_cleared_by_writing_ones, IN(setup, NULL))
{
	pci.config[PCI_STATUS + 1] = 0xf9;
	set(PCI_STATUS, 0x2000, 2);
	assert_int_equal(get(PCI_STATUS, 2), 0xd910);
	set(PCI_STATUS, 0xffff, 2);
	assert_int_equal(get(PCI_STATUS, 2), PCI_STATUS_CAP_LIST);
}

TEST_VOID(test_msix, IN(setup, NULL))
{
	unsigned int at = find_cap(PCI_CAP_ID_MSIX);

	assert_int_not_equal(at, 0);
	assert_int_equal(get(at + PCI_MSIX_FLAGS, 2), 15);
	assert_int_equal(get(at + PCI_MSIX_TABLE, 4), ORNIC_BAR_MSIX_TABLE);
	assert_int_equal(get(at + PCI_MSIX_PBA, 4), ORNIC_BAR_MSIX_PBA);
	set(at + PCI_MSIX_FLAGS, 0xffff, 2);
	assert_int_equal(get(at + PCI_MSIX_FLAGS, 2), 0xc00f);
	set(at + PCI_MSIX_TABLE, 0, 4);
	assert_int_equal(get(at + PCI_MSIX_TABLE, 4), ORNIC_BAR_MSIX_TABLE);
	pci_init(&pci, CARD_VECTORS_MAX, mac);
	assert_int_equal(get(at + PCI_MSIX_FLAGS, 2), CARD_VECTORS_MAX - 1);
}

/* [ORNIC-PCI-3] */
TEST_VOID(test_msix_table_has_room_for_all_vectors, IN(setup, NULL))
{
	assert_int_equal(ORNIC_VECTORS_MAX * PCI_MSIX_ENTRY_SIZE,
			 ORNIC_BAR_MSIX_PBA - ORNIC_BAR_MSIX_TABLE);
	assert_in_range(ORNIC_BAR_MSIX_PBA + ORNIC_VECTORS_MAX / 8, 0,
			ORNIC_BAR_REGS_SIZE);
}

/*
 * [ORNIC-BUS-3], [ORNIC-BUS-6]: no AtomicOps. [ORNIC-BUS-4], [ORNIC-BUS-8]: the
 * host chooses Relaxed Ordering and the completion timeout.
 */
TEST_VOID(test_transactions_that_the_host_may_choose, IN(setup, NULL))
{
	unsigned int at = find_cap(PCI_CAP_ID_EXP);
	unsigned int was;

	assert_int_equal(get(at + PCI_EXP_DEVCAP2, 4) &
				 (PCI_EXP_DEVCAP2_ATOMIC_ROUTE |
				  PCI_EXP_DEVCAP2_ATOMIC_COMP32 |
				  PCI_EXP_DEVCAP2_ATOMIC_COMP64 |
				  PCI_EXP_DEVCAP2_ATOMIC_COMP128), 0);
	set(at + PCI_EXP_DEVCTL2, PCI_EXP_DEVCTL2_ATOMIC_REQ |
				  PCI_EXP_DEVCTL2_COMP_TMOUT_DIS, 2);
	assert_int_equal(get(at + PCI_EXP_DEVCTL2, 2),
			 PCI_EXP_DEVCTL2_COMP_TMOUT_DIS);
	was = get(at + PCI_EXP_DEVCTL, 2);
	set(at + PCI_EXP_DEVCTL, was ^ PCI_EXP_DEVCTL_RELAX_EN, 2);
	assert_int_equal(get(at + PCI_EXP_DEVCTL, 2),
			 was ^ PCI_EXP_DEVCTL_RELAX_EN);
}

/*
 * [ORNIC-BUS-10]: a reset brings the default of the completion timeout back. The reads of this card
 * end at once, so what waits for one cannot be tried here.
 */
TEST_VOID(test_completion_timeout_is_the_default, IN(setup, NULL))
{
	unsigned int at = find_cap(PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL2;

	assert_int_equal(get(at, 2), 0);
	set(at, PCI_EXP_DEVCTL2_COMP_TMOUT_DIS, 2);
	assert_int_equal(get(at, 2), PCI_EXP_DEVCTL2_COMP_TMOUT_DIS);
	pci_reset(&pci);
	assert_int_equal(get(at, 2), 0);
}

/* [ORNIC-BUS-9]: neither ATS nor PRI nor PASID */
TEST_VOID(test_addresses_are_translated_by_the_host, IN(setup, NULL))
{
	unsigned int at = 0x100, id;

	while (at) {
		id = PCI_EXT_CAP_ID(get(at, 4));
		assert_true(id == PCI_EXT_CAP_ID_DSN ||
			    id == PCI_EXT_CAP_ID_ERR);
		at = PCI_EXT_CAP_NEXT(get(at, 4));
	}
}

TEST_VOID(test_flr_reads_zero_and_is_reported, IN(setup, NULL))
{
	unsigned int at = find_cap(PCI_CAP_ID_EXP) + PCI_EXP_DEVCTL;
	uint32_t was = get(at, 2);

	assert_true(get(find_cap(PCI_CAP_ID_EXP) + PCI_EXP_DEVCAP, 4) &
		    PCI_EXP_DEVCAP_FLR);
	assert_int_equal(set(at, was, 2), 0);
	assert_int_equal(set(at, was | PCI_EXP_DEVCTL_BCR_FLR, 2),
			 PCI_EFFECT_FLR);
	assert_int_equal(get(at, 2), was);
	assert_int_equal(set(at + 1, 0x80, 1), PCI_EFFECT_FLR);
}

TEST_VOID(test_power_state_is_all_of_pm_that_is_written, IN(setup, NULL))
{
	unsigned int at = find_cap(PCI_CAP_ID_PM) + PCI_PM_CTRL;

	set(at, 0xffff, 2);
	assert_int_equal(get(at, 2), PCI_PM_CTRL_NO_SOFT_RESET | 3);
}

/* [ORNIC-PCI-8] */
TEST_VOID(test_d3hot_is_like_a_disabled_function, IN(setup, NULL))
{
	unsigned int at = find_cap(PCI_CAP_ID_PM) + PCI_PM_CTRL;

	set(PCI_COMMAND, 6, 2);
	assert_int_equal(set(at, 3, 1), PCI_EFFECT_COMMAND);
	assert_false(pci_memory_enabled(&pci));
	assert_false(pci_master_enabled(&pci));
	assert_int_equal(get(PCI_COMMAND, 2), 6);
	assert_int_equal(set(at, 3, 1), 0);
	assert_int_equal(set(at, 0, 1), PCI_EFFECT_COMMAND);
	assert_true(pci_memory_enabled(&pci));
	assert_true(pci_master_enabled(&pci));
}

/* [ORNIC-PCI-8] */
TEST_VOID(test_d1_and_d2_are_discarded, IN(setup, NULL))
{
	unsigned int at = find_cap(PCI_CAP_ID_PM) + PCI_PM_CTRL;
	unsigned int from, to;

	for (from = 0; from <= 3; from += 3) {
		set(at, from, 1);
		for (to = 1; to <= 2; to++) {
			assert_int_equal(set(at, to, 1), 0);
			assert_int_equal(get(at, 1) & 3, from);
		}
	}
}

static unsigned int find_ecap(unsigned int id)
{
	unsigned int at = 0x100, hops = 0;

	while (at && hops++ < 48) {
		if (get(at, 2) == id)
			return at;
		at = get(at + 2, 2) >> 4;
	}
	return 0;
}

/* Default values, and the bits that a write of ones sets: PCIe 7.8.4, for an endpoint */
static const struct {
	unsigned int offset;
	uint32_t initial;
	uint32_t ones;
} err_regs[] = {
	{ PCI_ERR_UNCOR_STATUS, 0, 0 },
	{ PCI_ERR_UNCOR_MASK, 0x00400000, 0x00555010 },
	{ PCI_ERR_UNCOR_SEVER, 0x00440010, 0x00555010 },
	{ PCI_ERR_COR_STATUS, 0, 0 },
	{ PCI_ERR_COR_MASK, 0x00006000, 0x000071c0 },
	{ PCI_ERR_CAP, 0, 0 },
	{ PCI_ERR_HEADER_LOG, 0, 0 },
	{ PCI_ERR_HEADER_LOG + 4, 0, 0 },
	{ PCI_ERR_HEADER_LOG + 8, 0, 0 },
	{ PCI_ERR_HEADER_LOG + 12, 0, 0 },
};

/* [ORNIC-PCI-9] */
TEST_VOID(test_error_registers_take_what_they_may, IN(setup, NULL))
{
	unsigned int at = find_ecap(PCI_EXT_CAP_ID_ERR), i;

	assert_int_not_equal(at, 0);
	assert_int_equal(get(at, 4) & 0xfffff, 0x20001);
	for (i = 0; i < sizeof(err_regs) / sizeof(*err_regs); i++) {
		unsigned int reg = at + err_regs[i].offset;

		assert_int_equal(get(reg, 4), err_regs[i].initial);
		assert_int_equal(set(reg, 0xffffffff, 4), 0);
		assert_int_equal(get(reg, 4), err_regs[i].ones);
		set(reg, 0, 4);
		assert_int_equal(get(reg, 4), 0);
	}
}

/* [ORNIC-PCI-9] */
TEST_VOID(test_error_status_is_cleared_by_writing_ones, IN(setup, NULL))
{
	static const struct {
		unsigned int offset;
		uint32_t all;
		uint32_t one;
	} regs[] = {
		{ PCI_ERR_UNCOR_STATUS, 0x00555010, PCI_ERR_UNC_COMP_TIME },
		{ PCI_ERR_COR_STATUS, 0x000071c0, PCI_ERR_COR_BAD_TLP },
	};
	unsigned int at = find_ecap(PCI_EXT_CAP_ID_ERR), i, byte;

	for (i = 0; i < sizeof(regs) / sizeof(*regs); i++) {
		unsigned int reg = at + regs[i].offset;

		for (byte = 0; byte < 4; byte++)
			pci.config[reg + byte] = regs[i].all >> 8 * byte;
		set(reg, 0, 4);
		assert_int_equal(get(reg, 4), regs[i].all);
		set(reg, regs[i].one, 4);
		assert_int_equal(get(reg, 4), regs[i].all & ~regs[i].one);
		set(reg, 0xffffffff, 4);
		assert_int_equal(get(reg, 4), 0);
	}
}

/* [ORNIC-PCI-9] */
TEST_VOID(test_only_power_on_resets_error_registers, IN(setup, NULL))
{
	unsigned int at = find_ecap(PCI_EXT_CAP_ID_ERR);

	set(at + PCI_ERR_UNCOR_MASK, 0x1000, 4);
	set(at + PCI_ERR_UNCOR_SEVER, 0x4000, 4);
	set(at + PCI_ERR_COR_MASK, 0x40, 4);
	pci.config[at + PCI_ERR_UNCOR_STATUS + 2] = 0x10;
	set(PCI_COMMAND, 6, 2);
	pci_reset(&pci);
	assert_int_equal(get(PCI_COMMAND, 2), 0);
	assert_int_equal(get(at + PCI_ERR_UNCOR_MASK, 4), 0x1000);
	assert_int_equal(get(at + PCI_ERR_UNCOR_SEVER, 4), 0x4000);
	assert_int_equal(get(at + PCI_ERR_COR_MASK, 4), 0x40);
	assert_int_equal(get(at + PCI_ERR_UNCOR_STATUS, 4), 0x100000);
	pci_power_on(&pci);
	assert_int_equal(get(at + PCI_ERR_UNCOR_MASK, 4), 0x00400000);
	assert_int_equal(get(at + PCI_ERR_UNCOR_STATUS, 4), 0);
}

/* [ORNIC-PCI-1] [ORNIC-DEV-3]: the GUID, which has the universal/local bit of the MAC inverted */
TEST_VOID(test_serial_number_is_the_guid, IN(setup, NULL))
{
	assert_int_equal(get(0x100, 4) & 0xfffff, 0x10003);
	assert_int_equal(get(0x104, 4), 0xfe334455);
	assert_int_equal(get(0x108, 4), 0x001122ff);
}

TEST_MAIN("pci")
