// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lies: each is told as its description says, is counted, and ends */
#include <stdio.h>

#include "base/lie.h"
#include "card/card.h"
#include "kit.h"
#include "objects/cq.h"

#define LOG_RING 6
#define STAT_MAX 64
#define OFFERS 1000

static struct kit *make_kit(void)
{
	struct kit *w = malloc(sizeof(*w));

	assert_non_null(w);
	kit_init(w, &(struct card_config){}, LOG_RING, LOG_RING);
	host_port_up(w->host, true);
	return w;
}

static void free_kit(struct kit *w)
{
	kit_uninit(w);
	free(w);
}

static int setup(void **state)
{
	*state = make_kit();
	return 0;
}

static void lies(struct kit *w, const char *text)
{
	struct lie_config config;
	char copy[STAT_MAX];

	snprintf(copy, sizeof(copy), "%s", text);
	assert_null(lie_parse(&config, copy));
	card_lie(w->host->card, &config);
}

static uint64_t told(struct kit *w, const char *name)
{
	char full[STAT_MAX + sizeof("lies.")];

	snprintf(full, sizeof(full), "lies.%s", name);
	return host_card_stat(w->host, full);
}

static void add_lies(void *arg, const char *name, uint64_t value)
{
	uint64_t *sum = arg;

	if (!strncmp(name, "lies.", 5))
		*sum += value;
}

static uint64_t told_in_all(struct kit *w)
{
	uint64_t sum = 0;

	card_stats(w->host->card, add_lies, &sum);
	return sum;
}

/* Post a completion with a lie. Return: the next entry of the CQ or NULL. */
static const struct ornic_cqe *completion(struct kit *w, const char *lie)
{
	char name[STAT_MAX], config[STAT_MAX];

	snprintf(name, sizeof(name), "%s.completion", lie);
	snprintf(config, sizeof(config), "%s.completion,count=1", lie);
	lies(w, config);
	kit_post(w, 5);
	assert_int_equal(told(w, name), 1);
	assert_int_equal(told_in_all(w), 1);
	return host_queue_peek(&w->cq);
}

TEST_VOID(test_completion_entries)
{
	static const struct {
		const char *lie;
		bool wr_id, status, opcode, byte_len, qpn;
	} cases[] = {
		{ "index", .wr_id = true },
		{ "length", .byte_len = true },
		{ "number", .qpn = true },
		{ "status", .status = true },
		{ "type", .opcode = true },
		{ "nonsense", true, true, true, true, true },
		{ "ones", true, true, true, true, true },
	};
	const struct ornic_cqe *cqe;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kit *w = make_kit();

		cqe = completion(w, cases[i].lie);
		assert_non_null(cqe);
		assert_int_equal(le64toh(cqe->wr_id) != 5, cases[i].wr_id);
		assert_int_equal(cqe->status != 0, cases[i].status);
		assert_int_equal(cqe->opcode != 0, cases[i].opcode);
		assert_int_equal(cqe->byte_len != 0, cases[i].byte_len);
		assert_int_equal((le32toh(cqe->qpn) & ORNIC_CQE_QPN) != KIT_QPN,
				 cases[i].qpn);
		host_queue_consume(&w->cq);
		/* One lie was asked for */
		kit_post(w, 6);
		kit_expect_cqe(w, 6);
		free_kit(w);
	}
}

TEST(test_completion_with_the_wrong_phase, struct kit *w, IN(setup, kit_teardown))
{
	assert_null(completion(w, "phase"));
	/* The entry takes its place */
	host_queue_consume(&w->cq);
	kit_post(w, 6);
	kit_expect_cqe(w, 6);
}

TEST(test_completion_is_not_written, struct kit *w, IN(setup, kit_teardown))
{
	assert_null(completion(w, "silence"));
	kit_post(w, 6);
	kit_expect_cqe(w, 6);
}

TEST(test_completion_is_written_twice, struct kit *w, IN(setup, kit_teardown))
{
	assert_non_null(completion(w, "twice"));
	kit_expect_cqe(w, 5);
	kit_expect_cqe(w, 5);
	assert_null(host_queue_peek(&w->cq));
}

TEST(test_completion_comes_after_the_next, struct kit *w, IN(setup, kit_teardown))
{
	lies(w, "order.completion,count=2");
	kit_post(w, 5);
	assert_null(host_queue_peek(&w->cq));
	/* No order with more than one entry that is held back */
	kit_post(w, 6);
	kit_expect_cqe(w, 6);
	kit_expect_cqe(w, 5);
	assert_int_equal(told(w, "order.completion"), 1);
	kit_post(w, 7);
	assert_null(host_queue_peek(&w->cq));
	/* No other comes */
	host_sleep(w->host, 200000000);
	kit_expect_cqe(w, 7);
	assert_int_equal(told(w, "order.completion"), 2);
}

TEST(test_held_entry_of_a_destroyed_cq, struct kit *w, IN(setup, kit_teardown))
{
	completion(w, "order");
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_CQ, w->cq.num);
	host_sleep(w->host, 200000000);
	assert_null(host_queue_peek(&w->cq));
}

/* Post a completion of an armed CQ; the event is a lie */
static const struct ornic_eqe *event(struct kit *w, const char *lie)
{
	char name[STAT_MAX], config[STAT_MAX];

	snprintf(name, sizeof(name), "%s.event", lie);
	snprintf(config, sizeof(config), "%s.event,count=1", lie);
	lies(w, config);
	kit_arm_and_post(w, 5);
	assert_int_equal(told(w, name), 1);
	assert_int_equal(told_in_all(w), 1);
	return host_queue_peek(&w->eq);
}

static void next_event(struct kit *w)
{
	kit_expect_cqe(w, 5);
	kit_arm_and_post(w, 5);
	host_sleep(w->host, 1000000);
}

TEST_VOID(test_event_entries)
{
	static const struct {
		const char *lie;
		bool num, type;
	} cases[] = {
		{ "number", true, false }, { "type", false, true },
		{ "nonsense", true, true }, { "ones", true, true },
	};
	const struct ornic_eqe *eqe;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kit *w = make_kit();

		eqe = event(w, cases[i].lie);
		assert_non_null(eqe);
		assert_int_equal(le32toh(eqe->num) != w->cq.num, cases[i].num);
		assert_int_equal(ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe->ctl)) !=
				 ORNIC_EVENT_COMP, cases[i].type);
		host_queue_consume(&w->eq);
		next_event(w);
		kit_expect_comp(w);
		free_kit(w);
	}
}

TEST(test_event_with_the_wrong_phase, struct kit *w, IN(setup, kit_teardown))
{
	assert_null(event(w, "phase"));
	host_queue_consume(&w->eq);
	next_event(w);
	kit_expect_comp(w);
}

TEST(test_event_is_not_written, struct kit *w, IN(setup, kit_teardown))
{
	assert_null(event(w, "silence"));
	next_event(w);
	kit_expect_comp(w);
}

TEST(test_event_is_written_twice, struct kit *w, IN(setup, kit_teardown))
{
	event(w, "twice");
	kit_expect_comp(w);
	kit_expect_comp(w);
	kit_expect_no_event(w);
}

TEST(test_event_that_nothing_caused, struct kit *w, IN(setup, kit_teardown))
{
	event(w, "spurious");
	kit_expect_comp(w);
	assert_non_null(host_queue_peek(&w->eq));
	host_queue_consume(&w->eq);
	kit_expect_no_event(w);
}

TEST(test_event_comes_after_the_next, struct kit *w, IN(setup, kit_teardown))
{
	struct eq_source source;

	assert_null(event(w, "order"));
	lies(w, "phase.command");
	eq_source_init(&source, 77, false);
	eq_async(w->host->card, &source, ORNIC_EVENT_QP_FATAL);
	kit_expect_event(w, ORNIC_EVENT_QP_FATAL, 77);
	kit_expect_comp(w);
}

/* Execute ALLOC_XRCD with a lie about its completion. Return: where that is. */
static struct ornic_cmd_cqe *command(struct kit *w, const char *lie,
				     struct ornic_object **out)
{
	struct host *host = w->host;
	uint32_t mask = (1u << HOST_ADMIN_LOG_DEPTH) - 1;
	struct ornic_cmd_sqe *sqe = host_ptr(host, host->admin_sq);
	struct ornic_cmd_cqe *cqe = host_ptr(host, host->admin_cq);
	uint64_t at = host_alloc(host, sizeof(**out), 8);
	char config[STAT_MAX];

	snprintf(config, sizeof(config), "%s.command,count=1", lie);
	lies(w, config);
	*out = host_ptr(host, at);
	sqe[host->admin_pi++ & mask] = (struct ornic_cmd_sqe){
		.opcode = htole16(ORNIC_CMD_ALLOC_XRCD),
		.cmd_id = htole16(0x1234),
		.out_len = htole32(sizeof(**out)),
		.out_addr = htole64(at),
	};
	host_write(host, ORNIC_REG_ADMIN_DB, 4, host->admin_pi);
	host_run(host);
	assert_int_equal(told_in_all(w), 1);
	return &cqe[host->admin_ci & mask];
}

TEST_VOID(test_command_entries)
{
	static const struct {
		const char *lie;
		bool seen, id, status, len, ctl, number;
	} cases[] = {
		{ "phase", false, .ctl = true },
		{ "silence", false, .ctl = true, .id = true, .len = true },
		{ "index", true, .id = true },
		{ "length", true, .len = true },
		{ "status", true, .status = true },
		{ "number", true, .number = true },
		{ "twice", .seen = true },
		{ "nonsense", true, true, true, true, .ctl = true },
		{ "ones", true, true, true, true, .ctl = true },
	};
	const struct ornic_cmd_cqe *cqe;
	struct ornic_object *out;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kit *w = make_kit();
		uint32_t ctl;

		cqe = command(w, cases[i].lie, &out);
		ctl = le32toh(cqe->ctl);
		assert_int_equal(!!(ctl & ORNIC_CMD_CQE_PHASE), cases[i].seen);
		assert_int_equal(le16toh(cqe->cmd_id) != 0x1234, cases[i].id);
		assert_int_equal(cqe->status != 0, cases[i].status);
		assert_int_equal(le32toh(cqe->out_len) != sizeof(*out),
				 cases[i].len);
		assert_int_equal(ctl != (ORNIC_CMD_CQE_PHASE |
					 w->host->admin_pi), cases[i].ctl);
		/* The first XRCD */
		assert_int_equal(out->num != 0, cases[i].number);
		if (!strcmp(cases[i].lie, "twice"))
			assert_memory_equal(cqe, cqe + 1, sizeof(*cqe));
		else
			assert_int_equal(cqe[1].ctl, 0);
		free_kit(w);
	}
}

TEST(test_interrupts, struct kit *w, IN(setup, kit_teardown))
{
	unsigned int *irqs = w->host->irqs;
	unsigned int before = irqs[0], sum = 0, i;

	lies(w, "silence.interrupt,count=1");
	host_write(w->host, ORNIC_REG_IRQ_TEST, 4, 0);
	assert_int_equal(irqs[0], before);
	host_write(w->host, ORNIC_REG_IRQ_TEST, 4, 0);
	assert_int_equal(irqs[0], before + 1);
	lies(w, "late,count=1");
	host_write(w->host, ORNIC_REG_IRQ_TEST, 4, 0);
	assert_int_equal(irqs[0], before + 1);
	host_sleep(w->host, 200000000);
	assert_int_equal(irqs[0], before + 2);
	for (i = 0; i < HOST_VECTORS; i++)
		sum += irqs[i];
	lies(w, "spurious.interrupt,count=1");
	host_write(w->host, ORNIC_REG_IRQ_TEST, 4, 0);
	assert_true(irqs[0] > before + 2);
	for (i = 0; i < HOST_VECTORS; i++)
		sum -= irqs[i];
	assert_int_equal(-sum, 2);
	assert_int_equal(told(w, "silence.interrupt"), 1);
	assert_int_equal(told(w, "late.interrupt"), 1);
	assert_int_equal(told(w, "spurious.interrupt"), 1);
}

TEST(test_registers, struct kit *w, IN(setup, kit_teardown))
{
	lies(w, "ones.register,count=2");
	host_read_is(w->host, ORNIC_REG_MAGIC, 4, UINT32_MAX);
	assert_true(host_read(w->host, ORNIC_REG_CLOCK, 8) == UINT64_MAX);
	host_read_is(w->host, ORNIC_REG_MAGIC, 4, ORNIC_MAGIC);
	lies(w, "nonsense.register,count=1");
	assert_int_not_equal(host_read(w->host, ORNIC_REG_MAGIC, 4),
			     ORNIC_MAGIC);
	assert_int_equal(told(w, "ones.register"), 2);
	assert_int_equal(told(w, "nonsense.register"), 1);
}

/* Take the entries of the EQ after a reset, which the card should not write */
static const void *haunted(struct kit *w, const char *config, bool reachable)
{
	lies(w, config);
	host_write(w->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	assert_null(host_queue_peek(&w->eq));
	mem_enable(&w->host->mem, reachable);
	host_sleep(w->host, 1000000);
	mem_enable(&w->host->mem, true);
	return host_queue_peek(&w->eq);
}

TEST(test_dma_after_a_reset, struct kit *w, IN(setup, kit_teardown))
{
	assert_non_null(haunted(w, "dma", true));
	/* Two entries of the admin queue, the EQ and the CQ each */
	assert_int_equal(told(w, "dma.memory"), 6);
	assert_non_null(host_queue_peek(&w->cq));
}

TEST(test_no_dma_when_bus_mastering_is_off, struct kit *w, IN(setup, kit_teardown))
{
	assert_null(haunted(w, "dma", false));
	assert_int_equal(told_in_all(w), 0);
	host_sleep(w->host, 1000000000);
	assert_null(host_queue_peek(&w->eq));
}

TEST(test_no_dma_after_a_second_reset, struct kit *w, IN(setup, kit_teardown))
{
	lies(w, "dma");
	host_write(w->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_write(w->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_sleep(w->host, 1000000000);
	assert_null(host_queue_peek(&w->eq));
	assert_int_equal(told_in_all(w), 0);
}

/* Give the card an opportunity for each kind but those of commands */
static void offer(struct kit *w)
{
	kit_arm_and_post(w, 5);
	kit_expect_cqe(w, 5);
	host_read(w->host, ORNIC_REG_CLOCK, 8);
	host_write(w->host, ORNIC_REG_IRQ_TEST, 4, 0);
	kit_expect_comp(w);
	host_sleep(w->host, 1000000);
}

static void expect_honest(struct kit *w)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		offer(w);
	host_create_object(w->host, ORNIC_CMD_ALLOC_XRCD, NULL, 0);
	assert_int_equal(told_in_all(w), 0);
}

TEST(test_honest_unless_asked, struct kit *w, IN(setup, kit_teardown))
{
	expect_honest(w);
	lies(w, "all");
	lies(w, "none");
	expect_honest(w);
	lies(w, "all,rate=0");
	expect_honest(w);
}

TEST(test_honest_unless_the_driver_is_up, struct kit *w, IN(setup, kit_teardown))
{
	host_port_up(w->host, false);
	lies(w, "all");
	expect_honest(w);
	card_stop(w->host->card);
	host_read(w->host, ORNIC_REG_MAGIC, 4);
	host_write(w->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_read_is(w->host, ORNIC_REG_MAGIC, 4, ORNIC_MAGIC);
	host_enable(w->host);
	host_create_object(w->host, ORNIC_CMD_ALLOC_XRCD, NULL, 0);
	assert_int_equal(told_in_all(w), 0);
}

TEST(test_until_reset, struct kit *w, IN(setup, kit_teardown))
{
	lies(w, "ones.register,until=reset");
	host_read_is(w->host, ORNIC_REG_MAGIC, 4, UINT32_MAX);
	host_write(w->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(w->host);
	host_port_up(w->host, true);
	host_read_is(w->host, ORNIC_REG_MAGIC, 4, ORNIC_MAGIC);
}

/* Without it the card goes on when the driver is up again */
TEST(test_after_a_reset, struct kit *w, IN(setup, kit_teardown))
{
	lies(w, "ones.register");
	host_write(w->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	host_enable(w->host);
	host_port_up(w->host, true);
	host_read_is(w->host, ORNIC_REG_MAGIC, 4, UINT32_MAX);
}

/* Fold OFFERS reads of a register into a number */
static uint64_t sequence(struct kit *w, const char *config)
{
	uint64_t hash = 0;
	unsigned int i;

	lies(w, config);
	for (i = 0; i < OFFERS; i++)
		hash = hash * 31 + host_read(w->host, ORNIC_REG_MAGIC, 4);
	return hash;
}

TEST(test_seed_repeats_lies, struct kit *w, IN(setup, kit_teardown))
{
	const char *config = "nonsense.register,rate=100000,seed=7";
	uint64_t first = sequence(w, config);

	assert_true(sequence(w, config) == first);
	assert_true(sequence(w, "nonsense.register,rate=100000,seed=8") !=
		    first);
	assert_string_equal(w->host->message,
			    "lies from now on, rate 100000 ppm, seed 8");
	/* A tenth of them, with nine standard deviations to spare */
	assert_in_range(told_in_all(w), 3 * OFFERS / 10 - 150,
			3 * OFFERS / 10 + 150);
}

TEST_VOID(test_words)
{
	static const char *const bad[] = {
		"thunder", "phase.register", "phase.", ".event", "rate=",
		"rate=x", "rate=-1", "rate=1000001", "seed=", "seed=-1",
		"seed=99999999999999999999", "count=x", "until=now", "phase=1",
		"all.event", "=", ".",
	};
	struct lie_config config;
	char text[STAT_MAX];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(text, sizeof(text), "dma,%s", bad[i]);
		assert_non_null(lie_parse(&config, text));
	}
	strcpy(text, "phase.event,phase.command,dma,count=9,until=reset");
	assert_null(lie_parse(&config, text));
	assert_int_equal(config.at[LIE_PHASE],
			 LIE_AT(EVENT) | LIE_AT(COMMAND));
	assert_int_equal(config.at[LIE_DMA], LIE_AT(MEMORY));
	assert_int_equal(config.at[LIE_ONES], 0);
	assert_int_equal(config.count, 9);
	assert_true(config.until_reset);
	for (i = 0; lie_help(i); i++) {
		snprintf(text, sizeof(text), "%.*s",
			 (int)strcspn(lie_help(i), ":"), lie_help(i));
		assert_null(lie_parse(&config, text));
		assert_true(lie_is_any(&config));
	}
	assert_int_equal(i, LIE_KINDS);
}

TEST_MAIN("lie")
