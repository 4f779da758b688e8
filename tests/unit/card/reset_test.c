// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Resets that take several turns ([ORNIC-RST-1] ff., [ORNIC-REG-5]) */
#include "base/state.h"
#include "card/card.h"
#include "card/reset.h"
#include "host.h"
#include "objects/cq.h"

#define MRS (2 * RESET_OBJECTS)
#define TIMER_NS 1000000
#define READY_MS 50
#define MS_NS 1000000

/* More objects than one turn destroys */
static void create_many(struct host *host)
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(host_pd(host)),
		.type = ORNIC_MR_MW1,
	};
	struct ornic_create_mr_out out;
	uint64_t used = host->used;
	unsigned int i;

	for (i = 0; i < MRS; i++) {
		host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &in, &out);
		host->used = used;
	}
}

static uint32_t status(struct host *host)
{
	return host_read(host, ORNIC_REG_STATUS, 4);
}

/* [ORNIC-RST-3] */
TEST(test_ready_is_set_when_all_objects_are_gone, struct host *host, IN_HOST)
{
	unsigned int turns = 1;

	create_many(host);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	for (; !status(host); turns++) {
		assert_false(card_sleep_prepare(host->card));
		assert_true(card_run(host->card));
	}
	assert_in_range(turns, 2 * MRS / RESET_OBJECTS,
			2 * MRS / RESET_OBJECTS + 2);
	assert_int_equal(status(host), ORNIC_STATUS_READY);
	assert_int_equal(host->card->mrs.count, 0);
	assert_false(card_run(host->card));
	assert_true(card_sleep_prepare(host->card));
	host_enable(host);
	host_uctx(host, 0, 0);
}

TEST(test_few_objects_are_gone_at_once, struct host *host, IN_HOST)
{
	host_uctx(host, 0, 0);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	assert_int_equal(status(host), ORNIC_STATUS_READY);
}

/* Check [ORNIC-REG-7] before or after READY */
static void check_identification(struct host *host, uint32_t caps)
{
	host_read_is(host, ORNIC_REG_MAGIC, 4, ORNIC_MAGIC);
	host_read_is(host, ORNIC_REG_VERSION, 4, ORNIC_VERSION);
	host_read_is(host, ORNIC_REG_CAPS, 4, caps);
	host_read_is(host, ORNIC_REG_VECTORS, 4, HOST_VECTORS);
	host_read_is(host, ORNIC_REG_DB_PAGES, 4, CARD_DB_PAGES);
	host_read_is(host, ORNIC_REG_DB_STRIDE, 4, CARD_DB_PAGE_SIZE);
}

/* [ORNIC-REG-5], [ORNIC-REG-7] */
TEST(test_registers_before_ready, struct host *host, IN_HOST)
{
	uint32_t caps = host_read(host, ORNIC_REG_CAPS, 4);
	uint64_t logged = host->card->errlog.next;

	create_many(host);
	host->irqs[0] = 0;
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	assert_int_equal(status(host), 0);
	check_identification(host, caps);
	host_write(host, ORNIC_REG_SCRATCH, 4, 1);
	host_write(host, ORNIC_REG_IRQ_TEST, 4, 0);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_ENABLE);
	/* A hole, and a write-only register */
	host_read_is(host, ORNIC_REG_END, 4, 0);
	host_read_is(host, ORNIC_REG_ADMIN_DB, 4, 0);
	host_run(host);
	assert_int_equal(status(host), ORNIC_STATUS_READY);
	check_identification(host, caps);
	/* The log outlives the counters ([ORNIC-LOG-5]) */
	assert_true(host->card->errlog.next == logged);
	host_read_is(host, ORNIC_REG_SCRATCH, 4, 0);
	assert_int_equal(host->irqs[0], 0);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_register_access, 0);
}

/* The second one neither begins anew nor stops the first one */
TEST(test_reset_during_a_reset, struct host *host, IN_HOST)
{
	uint32_t left;

	create_many(host);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	while (host->card->mrs.count == MRS)
		card_run(host->card);
	left = host->card->mrs.count;
	card_reset(host->card);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	assert_int_equal(status(host), 0);
	assert_int_equal(host->card->mrs.count, left);
	host_run(host);
	assert_int_equal(status(host), ORNIC_STATUS_READY);
}

/* The host may have unmapped its memory ([ORNIC-RST-2]) */
TEST(test_timers_and_faults_before_ready, struct host *host, IN_HOST)
{
	struct host_queue eq, cq;
	struct cq *dying;

	host_eq(host, &eq, 0, 4);
	host_cq(host, &cq, host_uctx(host, 0, 0), eq.num, 4, 5);
	create_many(host);
	host->irqs[0] = 0;
	dying = cq_find(host->card, cq.num);
	dying->gathered = 1;
	dying->gather_for = dying->arm.asked;
	env_timer_arm(host->card->env, &dying->timer, host->now_ns + TIMER_NS);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_unmap(host, HOST_RAM_BASE, HOST_RAM_SIZE);
	host->now_ns += 2 * TIMER_NS;
	assert_int_equal(timers_run(&host->timers, host->now_ns), 1);
	assert_ptr_equal(cq_find(host->card, cq.num), dying);
	card_stop(host->card);
	assert_int_equal(host->irqs[0], 0);
	host_run(host);
	assert_int_equal(status(host), ORNIC_STATUS_READY);
	assert_int_equal(host->irqs[0], 0);
}

/* Sleep as the loop does, and return true if the card allows it */
static bool sleeps(struct host *host)
{
	return !card_run(host->card) && card_sleep_prepare(host->card);
}

/* Check that the card is ready READY_MS after now and not before */
static void check_late(struct host *host)
{
	uint64_t from_ns = host->now_ns;
	unsigned int runnable;

	assert_int_equal(status(host), 0);
	assert_true(sleeps(host));
	host_sleep(host, READY_MS * MS_NS - (host->now_ns - from_ns) - MS_NS);
	assert_int_equal(status(host), 0);
	assert_true(sleeps(host));
	runnable = host->runnable;
	host->now_ns += 2 * MS_NS;
	timers_run(&host->timers, host->now_ns);
	assert_int_equal(host->runnable, runnable + 1);
	assert_true(card_run(host->card));
	assert_int_equal(status(host), ORNIC_STATUS_READY);
	assert_true(sleeps(host));
	assert_true(timers_next(&host->timers) == TIMER_NEVER);
}

/* [ORNIC-RST-3], [ORNIC-RST-5]: no write of RESET is followed by an old READY */
TEST(test_late_after_a_reset, struct host *host, IN_HOST)
{
	uint32_t timeout;

	host->card->ready_ms = READY_MS;
	timeout = ORNIC_GET(ORNIC_CAPS_RESET_TIMEOUT,
			    host_read(host, ORNIC_REG_CAPS, 4));
	assert_true(timeout * 100 >= READY_MS);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	check_late(host);
	card_reset(host->card);
	check_late(host);
	host_enable(host);
	host_pd(host);
}

/* [ORNIC-RST-5]: a reset that goes on is not prolonged by another one */
TEST(test_reset_of_a_card_that_is_late, struct host *host, IN_HOST)
{
	host->card->ready_ms = READY_MS;
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_sleep(host, (READY_MS - 1) * MS_NS);
	assert_int_equal(status(host), 0);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	card_reset(host->card);
	host_sleep(host, 2 * MS_NS);
	assert_int_equal(status(host), ORNIC_STATUS_READY);
}

/* The card that the host has is replaced by one that is switched on now */
TEST(test_late_after_power_on, struct host *host, IN_HOST)
{
	struct card_config config = {
		.name = "nic0",
		.mac = { 0x02, 0x0e, 0x1c, 0x00, 0x00, 0x01 },
		.vectors = HOST_VECTORS,
		.ready_ms = CARD_READY_MS_MAX,
	};
	uint32_t caps;

	card_destroy(host->card);
	host->card = card_create(&config, &host->env);
	assert_non_null(host->card);
	caps = host_read(host, ORNIC_REG_CAPS, 4);
	assert_int_equal(ORNIC_GET(ORNIC_CAPS_RESET_TIMEOUT, caps), 250);
	assert_int_equal(status(host), 0);
	check_identification(host, caps);
	/* A card that is destroyed before it is ready leaves no timer */
	card_destroy(host->card);
	config.ready_ms = READY_MS;
	host->card = card_create(&config, &host->env);
	assert_non_null(host->card);
	check_late(host);
	host_enable(host);
	host_pd(host);
}

/* A held card keeps its reset, and begins no timer for it */
TEST(test_held_in_a_reset, struct host *host, IN_HOST)
{
	unsigned int runnable;

	card_hold(host->card, true);
	assert_int_equal(status(host) & ORNIC_STATUS_READY,
			 ORNIC_STATUS_READY);
	create_many(host);
	assert_int_equal(ORNIC_GET(ORNIC_CAPS_RESET_TIMEOUT,
				   host_read(host, ORNIC_REG_CAPS, 4)), 255);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_run(host);
	assert_int_equal(status(host), 0);
	assert_int_equal(host->card->mrs.count, 0);
	assert_true(sleeps(host));
	assert_true(timers_next(&host->timers) == TIMER_NEVER);
	/* Another reset does not end it */
	card_reset(host->card);
	host_run(host);
	assert_int_equal(status(host), 0);
	runnable = host->runnable;
	card_hold(host->card, false);
	assert_int_equal(host->runnable, runnable + 1);
	host_run(host);
	assert_int_equal(status(host), ORNIC_STATUS_READY);
	host_enable(host);
	host_pd(host);
	/* A card that is destroyed while it is held ends its reset */
	card_hold(host->card, true);
	card_reset(host->card);
}

static void check_late_writes(const struct host *host, unsigned int writes,
			      unsigned int faults)
{
	assert_int_equal(host->card->reset.late_writes, writes);
	assert_int_equal(host->card->reset.late_faults, faults);
}

/* [ORNIC-RST-2], and a host that takes its memory away before the read */
TEST_VOID(test_writes_until_a_read_is_answered)
{
	struct card_config config = { .late_writes = true };
	struct host *host = host_create_as(&config, 1);

	host_enable(host);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	check_late_writes(host, 0, 0);
	status(host);
	check_late_writes(host, 1, 0);
	status(host);
	check_late_writes(host, 1, 0);
	host_enable(host);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_unmap(host, host->admin_cq, HOST_PAGE);
	status(host);
	check_late_writes(host, 2, 1);
	/* Nor does it write after another reset, or when bus mastering is off */
	host_enable(host);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	card_reset(host->card);
	status(host);
	check_late_writes(host, 2, 1);
	host_enable(host);
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	card_bus_master(host->card, false);
	status(host);
	check_late_writes(host, 2, 1);
	host_destroy(host);
}

TEST_MAIN("reset")
