// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Registers, reset, fatal errors ([ORNIC-REG-1] ff., [ORNIC-RST-1] ff.) */
#include "card/card.h"
#include "card/regs.h"
#include "host.h"

struct reg_case {
	uint64_t offset;
	unsigned int bytes;
	bool readable;
	bool writable;
	uint64_t reset;
};

static const struct reg_case regs[] = {
	{ ORNIC_REG_MAGIC, 4, true, false, ORNIC_MAGIC },
	{ ORNIC_REG_VERSION, 4, true, false, ORNIC_VERSION },
	{ ORNIC_REG_CAPS, 4, true, false,
	  REGS_ADMIN_DEPTH_MAX | REGS_RESET_TIMEOUT << 8 | ORNIC_CAPS_SHADOW },
	{ ORNIC_REG_VECTORS, 4, true, false, HOST_VECTORS },
	{ ORNIC_REG_DB_PAGES, 4, true, false, CARD_DB_PAGES },
	/* [ORNIC-DB-1] */
	{ ORNIC_REG_DB_STRIDE, 4, true, false, CARD_DB_PAGE_SIZE },
	{ ORNIC_REG_STATUS, 4, true, false, ORNIC_STATUS_READY },
	{ ORNIC_REG_CTRL, 4, true, true, 0 },
	{ ORNIC_REG_FATAL_CAUSE, 4, true, false, 0 },
	{ ORNIC_REG_SCRATCH, 4, true, true, 0 },
	{ ORNIC_REG_IRQ_TEST, 4, false, true, 0 },
	{ ORNIC_REG_ADMIN_DEPTH, 4, true, true, 0 },
	{ ORNIC_REG_ADMIN_SQ, 8, true, true, 0 },
	{ ORNIC_REG_ADMIN_CQ, 8, true, true, 0 },
	{ ORNIC_REG_ADMIN_DB, 4, false, true, 0 },
	{ ORNIC_REG_DMA_TEST, 8, false, true, 0 },
	{ ORNIC_REG_ADMIN_DBR, 8, true, true, 0 },
};

static uint64_t bad_accesses(struct host *host)
{
	return host_device_stat(host, ORNIC_DEVICE_STAT_bad_register_access);
}

static int setup_disabled(void **state)
{
	*state = host_create(true, 1);
	return 0;
}

#define IN_DISABLED IN(setup_disabled, host_teardown)

TEST(test_reset_values, struct host *host, IN_DISABLED)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		if (regs[i].readable)
			host_read_is(host, regs[i].offset, regs[i].bytes,
				     regs[i].reset);
	assert_int_equal(bad_accesses(host), 0);
}

TEST_VOID(test_caps_name_the_way_to_arm)
{
	static const struct {
		struct card_config as;
		uint32_t caps;
	} cards[] = {
		{ {}, ORNIC_CAPS_SHADOW },
		{ { .no_shadow = true }, 0 },
	};
	struct host *host;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cards); i++) {
		host = host_create_as(&cards[i].as, 1);
		assert_int_equal(host_read(host, ORNIC_REG_CAPS, 4) &
				 ORNIC_CAPS_SHADOW, cards[i].caps);
		host_destroy(host);
	}
}

TEST(test_write_only_reads_0_and_is_counted, struct host *host, IN_DISABLED)
{
	unsigned int i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		if (regs[i].readable)
			continue;
		host_read_is(host, regs[i].offset, regs[i].bytes, 0);
		assert_int_equal(bad_accesses(host), ++bad);
	}
}

TEST(test_read_only_is_not_written_and_counted, struct host *host, IN_DISABLED)
{
	unsigned int i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		if (regs[i].writable)
			continue;
		host_write(host, regs[i].offset, regs[i].bytes, ~0ULL);
		assert_int_equal(bad_accesses(host), ++bad);
		host_read_is(host, regs[i].offset, regs[i].bytes, regs[i].reset);
	}
}

/* [ORNIC-BUS-1] */
TEST(test_sizes_that_no_register_takes, struct host *host, IN_DISABLED)
{
	unsigned int i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		host_read(host, regs[i].offset, 1);
		host_read(host, regs[i].offset + 2, 2);
		host_write(host, regs[i].offset, 1, 1);
		host_write(host, regs[i].offset, 2, 1);
		bad += 4;
		if (regs[i].bytes == 4 && !(regs[i].offset & 7)) {
			host_read(host, regs[i].offset, 8);
			host_write(host, regs[i].offset, 8, 1);
			bad += 2;
		}
		assert_int_equal(bad_accesses(host), bad);
	}
	host_read_is(host, ORNIC_REG_STATUS, 4, ORNIC_STATUS_READY);
}

TEST(test_holes, struct host *host, IN_DISABLED)
{
	uint64_t offset;
	unsigned int bad = 0;

	for (offset = ORNIC_REG_END; offset < CARD_REGS_SIZE; offset += 4) {
		host_read_is(host, offset, 4, 0);
		host_write(host, offset, 4, ~0U);
		bad += 2;
	}
	host_read(host, ORNIC_REG_ADMIN_DB + 4, 4);
	assert_int_equal(bad_accesses(host), bad + 1);
}

TEST(test_halves, struct host *host, IN_DISABLED)
{
	host_write(host, ORNIC_REG_ADMIN_SQ, 4, 0x89abcdef);
	host_write(host, ORNIC_REG_ADMIN_SQ + 4, 4, 0x01234567);
	assert_true(host_read(host, ORNIC_REG_ADMIN_SQ, 8) ==
		    0x0123456789abcdefULL);
	host_read_is(host, ORNIC_REG_ADMIN_SQ + 4, 4, 0x01234567);
	assert_int_equal(bad_accesses(host), 0);
}

/* [ORNIC-REG-3] */
TEST(test_clock_in_one_read, struct host *host, IN_DISABLED)
{
	host->clock_step_ns = 0;
	host->now_ns += 0xffffffffULL - card_clock(host->card);
	assert_true(host_read(host, ORNIC_REG_CLOCK, 8) == 0xffffffffULL);
	host->now_ns += 1;
	assert_true(host_read(host, ORNIC_REG_CLOCK, 8) == 0x100000000ULL);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	assert_true(host_read(host, ORNIC_REG_CLOCK, 8) == 0x100000000ULL);
}

/*
 * [ORNIC-REG-3] A reader of the halves sees the carry, and another reader between
 * its reads changes nothing
 */
TEST(test_clock_in_halves, struct host *host, IN_DISABLED)
{
	host->clock_step_ns = 0;
	host->now_ns += 0xffffffffULL - card_clock(host->card);
	host_read_is(host, ORNIC_REG_CLOCK + 4, 4, 0);
	host_read_is(host, ORNIC_REG_CLOCK, 4, 0xffffffff);
	host_read_is(host, ORNIC_REG_CLOCK + 4, 4, 0);
	host->now_ns += 1;
	host_read_is(host, ORNIC_REG_CLOCK + 4, 4, 1);
	host_read_is(host, ORNIC_REG_CLOCK, 4, 0);
	host_read_is(host, ORNIC_REG_CLOCK + 4, 4, 1);
}

/* [ORNIC-REG-4] */
TEST(test_irq_test, struct host *host, IN_DISABLED)
{
	host_write(host, ORNIC_REG_IRQ_TEST, 4, HOST_VECTORS - 1);
	assert_int_equal(host->irqs[HOST_VECTORS - 1], 1);
	host_write(host, ORNIC_REG_IRQ_TEST, 4, HOST_VECTORS);
	host_write(host, ORNIC_REG_IRQ_TEST, 4, ~0U);
	assert_int_equal(bad_accesses(host), 2);
}

TEST(test_dma_test, struct host *host, IN_DISABLED)
{
	uint64_t at = host_alloc(host, sizeof(struct ornic_dma_test), 8);
	struct ornic_dma_test *test = host_ptr(host, at);

	test->nonce = htole64(0x1122334455667788ULL);
	host_write(host, ORNIC_REG_DMA_TEST, 8, at);
	assert_true(le64toh(test->answer) == ~0x1122334455667788ULL);
	test->answer = 0;
	host_write(host, ORNIC_REG_DMA_TEST, 4, at);
	assert_int_equal(test->answer, 0);
	host_write(host, ORNIC_REG_DMA_TEST + 4, 4, at >> 32);
	assert_true(le64toh(test->answer) == ~0x1122334455667788ULL);

	host_write(host, ORNIC_REG_DMA_TEST, 8, HOST_NOWHERE);
	host_write(host, ORNIC_REG_DMA_TEST, 8, at + 4);
	host_write(host, ORNIC_REG_DMA_TEST, 8, ~7ULL);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_dma_faults, 3);
}

/* [ORNIC-RST-8] A card that has stopped does not answer */
TEST(test_no_dma_test_after_a_fatal_error, struct host *host, IN_DISABLED)
{
	uint64_t at = host_alloc(host, sizeof(struct ornic_dma_test), 8);
	struct ornic_dma_test *test = host_ptr(host, at);

	card_stop(host->card);
	host_write(host, ORNIC_REG_DMA_TEST, 8, at);
	assert_int_equal(test->answer, 0);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_write(host, ORNIC_REG_DMA_TEST, 8, at);
	assert_true(le64toh(test->answer) == ~0ULL);
}

/* [ORNIC-REG-6] */
TEST(test_values_that_cannot_be_taken, struct host *host, IN_DISABLED)
{
	host_write(host, ORNIC_REG_CTRL, 4, 4);
	host_write(host, ORNIC_REG_ADMIN_DEPTH, 4, REGS_ADMIN_DEPTH_MAX + 1);
	host_write(host, ORNIC_REG_ADMIN_DB, 4, 1);
	assert_int_equal(bad_accesses(host), 3);
	host_read_is(host, ORNIC_REG_ADMIN_DEPTH, 4, 0);
	host_enable(host);
	host_write(host, ORNIC_REG_ADMIN_DEPTH, 4, 1);
	host_write(host, ORNIC_REG_ADMIN_SQ, 8, 0);
	host_write(host, ORNIC_REG_ADMIN_CQ, 8, 0);
	host_write(host, ORNIC_REG_ADMIN_DBR, 8, 64);
	assert_int_equal(bad_accesses(host), 7);
	host_read_is(host, ORNIC_REG_ADMIN_SQ, 8, host->admin_sq);
}

/* [ORNIC-REG-2] The rest of BAR0, behind the pending bits of all vectors */
TEST(test_rest_of_bar0, struct host *host, IN_DISABLED)
{
	uint32_t offset;
	uint64_t count = 0;

	for (offset = ORNIC_BAR_MSIX_PBA + 1024 / 8; offset < ORNIC_BAR_REGS_SIZE; offset += 4) {
		host_write(host, offset, 4, 0xffffffff);
		host_read_is(host, offset, 4, 0);
		count += 2;
	}
	assert_int_equal(bad_accesses(host), count);
}

/* [ORNIC-RST-5] RESET and ENABLE in one write */
TEST(test_reset_puts_everything_back, struct host *host, IN_DISABLED)
{
	host_enable(host);
	host_write(host, ORNIC_REG_SCRATCH, 4, 0x5a5a5a5a);
	host_write(host, 0xffc, 4, 0);
	host_uctx(host, 0, 0);
	host->flushes = 0;
	host_write(host, ORNIC_REG_CTRL, 4,
		   ORNIC_CTRL_RESET | ORNIC_CTRL_ENABLE);
	assert_int_equal(host->flushes, 1);
	assert_int_equal(host->card->uctxs.count, 0);
	test_reset_values(host);
	host_enable(host);
	host_uctx(host, 0, 0);
}

/* [ORNIC-RST-7], [ORNIC-RST-9] */
TEST(test_unaligned_ring_is_fatal_and_reset_mends, struct host *host, IN_DISABLED)
{
	host_write(host, ORNIC_REG_ADMIN_SQ, 8, HOST_RAM_BASE + 16);
	host_write(host, ORNIC_REG_ADMIN_CQ, 8, HOST_RAM_BASE);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_ENABLE);
	host_read_is(host, ORNIC_REG_STATUS, 4, ORNIC_STATUS_READY | ORNIC_STATUS_FATAL);
	host_read_is(host, ORNIC_REG_FATAL_CAUSE, 4, ORNIC_FATAL_ADMIN_DMA);
	assert_int_equal(host->irqs[0], 1);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_ENABLE);
	host_read_is(host, ORNIC_REG_CTRL, 4, 0);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	test_reset_values(host);
	host_enable(host);
	host_uctx(host, 0, 0);
}

/* [ORNIC-RST-9] */
TEST(test_ring_out_of_reach_is_fatal, struct host *host, IN_DISABLED)
{
	host_enable(host);
	host_unmap(host, host->admin_cq, HOST_PAGE);
	host_write(host, ORNIC_REG_ADMIN_DB, 4, 1);
	host_run(host);
	host_read_is(host, ORNIC_REG_FATAL_CAUSE, 4, ORNIC_FATAL_ADMIN_DMA);
}

/* [ORNIC-RST-10] */
TEST(test_only_a_reset_ends_the_admin_queue, struct host *host, IN_DISABLED)
{
	host_enable(host);
	host_write(host, ORNIC_REG_ADMIN_DB, 4, 3);
	host_write(host, ORNIC_REG_CTRL, 4, 0);
	host_read_is(host, ORNIC_REG_STATUS, 4,
		     ORNIC_STATUS_READY | ORNIC_STATUS_ENABLED);
	host_read_is(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_ENABLE);
	host_run(host);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_commands, 3);
}

static void check_no_bus_master(struct host *host)
{
	host_read_is(host, ORNIC_REG_FATAL_CAUSE, 4, ORNIC_FATAL_BUS_MASTER);
	assert_false(card_run(host->card));
	assert_true(card_sleep_prepare(host->card));
	assert_int_equal(host->irqs[0], 0);
	/* Bus mastering alone does not mend it */
	card_bus_master(host->card, true);
	host_write(host, ORNIC_REG_ADMIN_DB, 4, 1);
	assert_false(card_run(host->card));
	host_device_stat_is(host, ORNIC_DEVICE_STAT_commands, 0);
	assert_int_equal(host->irqs[0], 0);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(host);
}

/* [ORNIC-PCI-6], [ORNIC-PCI-7] */
TEST(test_bus_mastering_off_is_fatal, struct host *host, IN_DISABLED)
{
	host_enable(host);
	host_write(host, ORNIC_REG_ADMIN_DB, 4, 1);
	card_bus_master(host->card, false);
	check_no_bus_master(host);
}

/* [ORNIC-PCI-7] */
TEST(test_enabled_without_bus_mastering_is_fatal, struct host *host, IN_DISABLED)
{
	/* A card that is not enabled has nothing to do */
	card_bus_master(host->card, false);
	host_read_is(host, ORNIC_REG_STATUS, 4, ORNIC_STATUS_READY);
	host_write(host, ORNIC_REG_IRQ_TEST, 4, 0);
	host_start_rings(host);
	check_no_bus_master(host);
}

TEST_MAIN("regs")
