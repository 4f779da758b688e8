// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* BAR0: the table of registers */
#include <string.h>

#include "base/irq.h"
#include "base/state.h"
#include "card/admin.h"
#include "card/regs.h"
#include "card/reset.h"

/**
 * struct reg - one register
 * @offset: offset in BAR0
 * @bytes: size, 4 or 8
 * @access: REG_R, REG_W or both, and REG_EARLY
 * @reset: value after a reset
 * @read: compute the value; NULL for the stored one
 * @check: check whether this value may be written now; NULL if it always may
 * @written: called with the whole value when a write takes effect; may be NULL
 */
struct reg {
	uint16_t offset;
	uint8_t bytes;
	uint8_t access;
	uint32_t reset;
	uint64_t (*read)(struct card *card);
	bool (*check)(struct card *card, uint32_t val);
	void (*written)(struct card *card, uint64_t val);
};

#define REG_R 1
#define REG_W 2
/* Has a value before READY ([ORNIC-REG-5]) */
#define REG_EARLY 4

static uint64_t regs_read_clock(struct card *card)
{
	return card_clock(card);
}

static uint64_t regs_read_version(struct card *card)
{
	return card->version;
}

static uint64_t regs_read_caps(struct card *card)
{
	unsigned int timeout = REGS_RESET_TIMEOUT + (card->ready_ms + 99) / 100;

	if (card->reset.held)
		timeout = REGS_RESET_TIMEOUT_MAX;

	return ORNIC_PREP(ORNIC_CAPS_ADMIN_DEPTH_MAX, REGS_ADMIN_DEPTH_MAX) |
	       ORNIC_PREP(ORNIC_CAPS_RESET_TIMEOUT, timeout) |
	       (card->watches.shadow ? ORNIC_CAPS_SHADOW : 0);
}

static uint64_t regs_read_vectors(struct card *card)
{
	return card->vectors;
}

static uint64_t regs_read_status(struct card *card)
{
	if (card->reset.active)
		return 0;
	return ORNIC_STATUS_READY | (card->enabled ? ORNIC_STATUS_ENABLED : 0) |
	       (card->fatal ? ORNIC_STATUS_FATAL : 0);
}

static uint64_t regs_read_ctrl(struct card *card)
{
	return card->enabled ? ORNIC_CTRL_ENABLE : 0;
}

static uint64_t regs_read_fatal(struct card *card)
{
	return card->fatal;
}

static uint32_t regs_get(const struct card *card, enum ornic_reg reg)
{
	return card->regs.val[reg / 4];
}

static uint64_t regs_get64(const struct card *card, enum ornic_reg reg)
{
	return regs_get(card, reg) |
	       (uint64_t)card->regs.val[reg / 4 + 1] << 32;
}

/* The ring addresses are fixed while the admin queue runs ([ORNIC-REG-6]) */
static bool regs_check_admin(struct card *card, uint32_t val)
{
	(void)val;
	return !card->enabled;
}

static bool regs_check_depth(struct card *card, uint32_t val)
{
	return !card->enabled && val <= REGS_ADMIN_DEPTH_MAX;
}

static bool regs_check_ctrl(struct card *card, uint32_t val)
{
	(void)card;
	return !(val & ~(ORNIC_CTRL_RESET | ORNIC_CTRL_ENABLE));
}

static bool regs_check_vector(struct card *card, uint32_t val)
{
	return val < card->vectors;
}

static bool regs_check_db(struct card *card, uint32_t val)
{
	(void)val;
	return card->enabled;
}

static void regs_write_ctrl(struct card *card, uint64_t val)
{
	if (val & ORNIC_CTRL_RESET) {
		/* After READY the card reads no host memory ([ORNIC-RST-2]) */
		env_tx_flush(card->env);
		reset_late_begin(card);
		reset_card(card);
		return;
	}
	if (card->fatal || card->enabled)
		return;
	if (val & ORNIC_CTRL_ENABLE)
		admin_enable(card, regs_get(card, ORNIC_REG_ADMIN_DEPTH),
			     regs_get64(card, ORNIC_REG_ADMIN_SQ),
			     regs_get64(card, ORNIC_REG_ADMIN_CQ),
			     regs_get64(card, ORNIC_REG_ADMIN_DBR));
}

static void regs_write_irq_test(struct card *card, uint64_t val)
{
	irq_raise(card, val);
}

static void regs_write_admin_db(struct card *card, uint64_t val)
{
	admin_ring(card, val);
}

static void regs_write_dma_test(struct card *card, uint64_t val)
{
	struct mem *mem = card->guest.mem;
	struct ornic_dma_test *test;

	if (card->fatal)
		return;
	test = val & 7 ? NULL : mem_ptr(mem, val, sizeof(*test),
					MEM_READ | MEM_WRITE);
	if (!test) {
		DEVICE_VIOLATION(card, dma_faults, 0, val,
				 "DMA test at %#llx",
				 (unsigned long long)val);
		return;
	}
	guest_store64(&test->answer, ~guest_load64(&test->nonce));
}

static const struct reg regs_table[] = {
	{ ORNIC_REG_MAGIC, 4, REG_R | REG_EARLY, ORNIC_MAGIC, NULL, NULL,
	  NULL },
	{ ORNIC_REG_VERSION, 4, REG_R | REG_EARLY, 0, regs_read_version, NULL,
	  NULL },
	{ ORNIC_REG_CAPS, 4, REG_R | REG_EARLY, 0, regs_read_caps, NULL, NULL },
	{ ORNIC_REG_VECTORS, 4, REG_R | REG_EARLY, 0, regs_read_vectors, NULL,
	  NULL },
	{ ORNIC_REG_DB_PAGES, 4, REG_R | REG_EARLY, CARD_DB_PAGES, NULL, NULL,
	  NULL },
	{ ORNIC_REG_DB_STRIDE, 4, REG_R | REG_EARLY, CARD_DB_PAGE_SIZE, NULL,
	  NULL, NULL },
	{ ORNIC_REG_STATUS, 4, REG_R | REG_EARLY, 0, regs_read_status, NULL,
	  NULL },
	{ ORNIC_REG_CTRL, 4, REG_R | REG_W, 0, regs_read_ctrl, regs_check_ctrl,
	  regs_write_ctrl },
	{ ORNIC_REG_FATAL_CAUSE, 4, REG_R, 0, regs_read_fatal, NULL, NULL },
	{ ORNIC_REG_SCRATCH, 4, REG_R | REG_W, 0, NULL, NULL, NULL },
	{ ORNIC_REG_IRQ_TEST, 4, REG_W, 0, NULL, regs_check_vector,
	  regs_write_irq_test },
	{ ORNIC_REG_ADMIN_DEPTH, 4, REG_R | REG_W, 0, NULL, regs_check_depth,
	  NULL },
	{ ORNIC_REG_ADMIN_SQ, 8, REG_R | REG_W, 0, NULL, regs_check_admin,
	  NULL },
	{ ORNIC_REG_ADMIN_CQ, 8, REG_R | REG_W, 0, NULL, regs_check_admin,
	  NULL },
	{ ORNIC_REG_ADMIN_DB, 4, REG_W, 0, NULL, regs_check_db,
	  regs_write_admin_db },
	{ ORNIC_REG_DMA_TEST, 8, REG_W, 0, NULL, NULL, regs_write_dma_test },
	{ ORNIC_REG_CLOCK, 8, REG_R, 0, regs_read_clock, NULL, NULL },
	{ ORNIC_REG_ADMIN_DBR, 8, REG_R | REG_W, 0, NULL, regs_check_admin,
	  NULL },
};

void regs_reset(struct card *card)
{
	unsigned int i;

	memset(card->regs.val, 0, sizeof(card->regs.val));
	for (i = 0; i < ARRAY_SIZE(regs_table); i++)
		card->regs.val[regs_table[i].offset / 4] = regs_table[i].reset;
}

/* Find the register that takes an access of this offset, size and direction */
static const struct reg *regs_find(uint64_t offset, unsigned int size,
				   unsigned int access)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regs_table); i++) {
		const struct reg *reg = &regs_table[i];

		if (offset >= reg->offset &&
		    offset + size <= (uint64_t)reg->offset + reg->bytes &&
		    size >= 4 && reg->access & access)
			return reg;
	}
	return NULL;
}

/* Write-only registers never get here: regs_find() excludes them */
static uint64_t regs_value(struct card *card, const struct reg *reg)
{
	if (reg->read)
		return reg->read(card);
	if (reg->bytes == 8)
		return regs_get64(card, reg->offset);
	return regs_get(card, reg->offset);
}

uint64_t regs_read(struct card *card, uint64_t offset, unsigned int size)
{
	const struct reg *reg = regs_find(offset, size, REG_R);
	uint64_t val;

	reset_late_end(card);
	/* [ORNIC-REG-5] */
	if (card->reset.active && !(reg && reg->access & REG_EARLY))
		return 0;
	if (!reg) {
		DEVICE_VIOLATION(card, bad_register_access, 0, offset,
				 "read of %u bytes at %#llx, reads 0", size,
				 (unsigned long long)offset);
		return 0;
	}
	val = regs_value(card, reg) >> 8 * (offset - reg->offset);
	return size == 4 ? (uint32_t)val : val;
}

void regs_write(struct card *card, uint64_t offset, unsigned int size,
		uint64_t val)
{
	const struct reg *reg = regs_find(offset, size, REG_W);
	uint32_t *stored;

	/* [ORNIC-REG-5] */
	if (card->reset.active)
		return;
	if (!reg || (reg->check && !reg->check(card, val))) {
		DEVICE_VIOLATION(card, bad_register_access, 0, offset,
				 "write of %u bytes, %#llx, at %#llx, ignored",
				 size, (unsigned long long)val,
				 (unsigned long long)offset);
		return;
	}
	stored = &card->regs.val[offset / 4];
	stored[0] = val;
	if (size == 8)
		stored[1] = val >> 32;
	/* A write takes effect with the high half ([ORNIC-REG-1]) */
	if (!reg->written || offset + size < (uint64_t)reg->offset + reg->bytes)
		return;
	if (reg->bytes == 8)
		val = regs_get64(card, reg->offset);
	reg->written(card, val);
}
