// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How the card finds posted work: doorbells, boards, watched queues, and the
 * races between them ([ORNIC-DB-6] to [ORNIC-DB-19], [ORNIC-DB-35] to
 * [ORNIC-DB-40]). The work is frames of RAW_PACKET QPs.
 */
#include "card/card.h"
#include "card/doorbell.h"
#include "kit.h"
#include "queues/qp.h"

#define QPS 3
#define MANY_BOARDS (2 * DOORBELL_BOARDS_MAX)

struct world {
	struct kit kit;
	uint32_t pdn;
	struct host_qp qp[QPS];
};

static void make_qp(struct world *w, struct host_qp *qp)
{
	host_qp(w->kit.host, qp, ORNIC_QPT_RAW_PACKET, w->kit.uctx, w->pdn,
		&w->kit.cq, 0);
	host_qp_to_rts(qp);
}

static int setup_world(void **state, bool shadow)
{
	struct world *w = calloc(1, sizeof(*w));
	unsigned int i;

	kit_init(&w->kit, &(struct card_config){ .no_shadow = !shadow }, 8, 8);
	host_port_up(w->kit.host, true);
	w->pdn = host_pd(w->kit.host);
	for (i = 0; i < QPS; i++)
		make_qp(w, &w->qp[i]);
	*state = w;
	return 0;
}

static int setup(void **state)
{
	return setup_world(state, true);
}

static int setup_no_shadow(void **state)
{
	return setup_world(state, false);
}

static int teardown(void **state)
{
	struct world *w = *state;

	kit_uninit(&w->kit);
	free(w);
	return 0;
}

static struct ornic_board *board(struct world *w)
{
	return host_ptr(w->kit.host, w->kit.board);
}

/* Publish an inline frame of 60 bytes (two slots) without notification */
static void publish(struct host_qp *qp)
{
	uint32_t mask = (1u << qp->log_sq_slots) - 1;
	uint8_t wqe[128] = {};
	struct ornic_sq_hdr *hdr = (void *)wqe;
	unsigned int i;

	hdr->ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_SEND, ORNIC_SEND_INLINE, 32 + 60));
	memset(wqe + 32, 0xff, 6);
	for (i = 0; i < 2; i++)
		memcpy(host_ptr(qp->host, qp->sq +
				((qp->sq_pi + i) & mask) * 64),
		       wqe + i * 64, 64);
	qp->sq_pi += 2;
	guest_store32(&host_qp_dbr(qp)->sq_pi, qp->sq_pi);
}

static void ring(struct host_qp *qp)
{
	host_doorbell(qp->host, qp->uctx, ORNIC_DB_SQ, qp->num, qp->sq_pi);
}

static void set_bit_of(struct ornic_board *board, uint32_t slot)
{
	board->bits[slot / 64] |= htole64(1ULL << slot % 64);
	board->summary[slot / 4096] |= htole64(1ULL << slot / 64 % 64);
}

static void set_bit(struct world *w, uint32_t slot)
{
	set_bit_of(board(w), slot);
}

/* Post as in [ORNIC-DB-35]; return whether the doorbell was rung */
static bool post(struct world *w, struct host_qp *qp)
{
	publish(qp);
	if (guest_load32(&host_qp_dbr(qp)->sq_watched))
		return false;
	if (qp->slot != ORNIC_BOARD_NO_SLOT) {
		set_bit(w, qp->slot);
		if (guest_load32(&board(w)->awake))
			return false;
	}
	ring(qp);
	return true;
}

static unsigned int pending(struct world *w)
{
	unsigned int count = 0;

	while (!list_empty(&w->kit.host->wire)) {
		struct frame *frame = list_first_entry(&w->kit.host->wire,
						       struct frame, node);

		list_del_init(&frame->node);
		env_frame_free(&w->kit.host->env, frame);
		count++;
	}
	return count;
}

static unsigned int sent(struct world *w)
{
	host_run(w->kit.host);
	return pending(w);
}

/* Post one frame, and expect that it is sent; @rings: by a doorbell */
static void sends(struct world *w, struct host_qp *qp, bool rings)
{
	assert_int_equal(post(w, qp), rings);
	assert_int_equal(sent(w), 1);
}

static void fall_asleep(struct world *w)
{
	host_run(w->kit.host);
	assert_true(card_sleep_prepare(w->kit.host->card));
	assert_int_equal(guest_load32(&board(w)->awake), 0);
}

/*
 * [ORNIC-BUS-5]: what was in the slots of a watched queue before its index was
 * published has no effect, however often the card looked meanwhile
 */
TEST(test_slots_are_read_after_their_index, struct world *w, IN_OWN)
{
	struct host_qp *qp = &w->qp[0];
	uint32_t mask = (1u << qp->log_sq_slots) - 1;

	post(w, qp);
	assert_int_equal(sent(w), 1);
	memset(host_ptr(qp->host, qp->sq + (qp->sq_pi & mask) * 64), 0xff, 128);
	assert_int_equal(sent(w), 0);
	post(w, qp);
	assert_int_equal(sent(w), 1);
	host_device_stat_is(qp->host, ORNIC_DEVICE_STAT_bad_wqe_opcode, 0);
}

TEST(test_asleep_rings_once_then_is_watched, struct world *w, IN_OWN)
{
	struct ornic_qp_dbr *dbr = host_qp_dbr(&w->qp[0]);

	fall_asleep(w);
	sends(w, &w->qp[0], true);
	assert_int_equal(guest_load32(&board(w)->awake), 1);
	/* Awake: the board bit is enough, and soon the queue is watched */
	sends(w, &w->qp[0], false);
	assert_int_not_equal(guest_load32(&dbr->sq_watched), 0);
	assert_int_equal(board(w)->bits[0], 0);
	assert_false(post(w, &w->qp[0]));
	assert_int_equal(board(w)->bits[0], 0);
	assert_int_equal(sent(w), 1);
	host_device_stat_is(w->kit.host, ORNIC_DEVICE_STAT_doorbells, 1);
}

TEST(test_board_of_many_slots, struct world *w, IN_OWN)
{
	unsigned int i;

	host_run(w->kit.host);
	for (i = 0; i < QPS; i++) {
		assert_int_not_equal(w->qp[i].slot, ORNIC_BOARD_NO_SLOT);
		assert_false(post(w, &w->qp[i]));
	}
	assert_int_equal(sent(w), QPS);
}

TEST(test_bits_of_nobody_are_harmless, struct world *w, IN_OWN)
{
	host_run(w->kit.host);
	memset(board(w)->bits, 0xff, sizeof(board(w)->bits));
	memset(board(w)->summary, 0xff, sizeof(board(w)->summary));
	assert_int_equal(sent(w), 0);
	assert_int_equal(board(w)->summary[7], 0);
	assert_int_equal(board(w)->bits[ORNIC_BOARD_WORDS - 1], 0);
}

TEST(test_idle_queue_is_unwatched, struct world *w, IN_OWN)
{
	struct ornic_qp_dbr *dbr = host_qp_dbr(&w->qp[0]);

	ring(&w->qp[0]);
	post(w, &w->qp[0]);
	assert_int_equal(sent(w), 1);
	assert_int_equal(guest_load32(&dbr->sq_watched), 0);
	post(w, &w->qp[0]);
	assert_int_equal(sent(w), 1);
	assert_int_equal(guest_load32(&dbr->sq_watched), 1);
	host_sleep(w->kit.host, DOORBELL_WATCH_IDLE_NS + 1);
	assert_int_equal(guest_load32(&dbr->sq_watched), 0);
	sends(w, &w->qp[0], false);
}

/* [ORNIC-DB-35] Indexes begin anew: the latest one before a reset may come again */
TEST(test_reset_queue_is_looked_at_anew, struct world *w, IN_OWN)
{
	struct host_qp *qp = &w->qp[0];
	unsigned int i;

	host_run(w->kit.host);
	for (i = 0; i < 3; i++)
		sends(w, qp, false);
	assert_int_equal(host_qp_modify(qp, ORNIC_QPS_RESET), ORNIC_CMD_OK);
	qp->sq_pi = 0;
	guest_store32(&host_qp_dbr(qp)->sq_pi, 0);
	host_qp_to_rts(qp);
	for (i = 0; i < 2; i++) {
		publish(qp);
		ring(qp);
	}
	/* Watched, and not looked at before the index of three posts is there */
	assert_int_equal(guest_load32(&host_qp_dbr(qp)->sq_watched), 1);
	assert_false(post(w, qp));
	assert_int_equal(sent(w), 3);
}

static unsigned int watched(struct world *w)
{
	unsigned int i, count = 0;

	for (i = 0; i < QPS; i++)
		count += guest_load32(&host_qp_dbr(&w->qp[i])->sq_watched);
	return count;
}

/* A queue is watched after the second of two posts that follow each other soon */
static void watch_all(struct world *w)
{
	unsigned int i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < QPS; i++)
			post(w, &w->qp[i]);
		assert_int_equal(sent(w), QPS);
	}
}

/* Many queues that post now and then cost no look in each poll */
TEST(test_sparse_queues_are_not_watched, struct world *w, IN_OWN)
{
	unsigned int i, round;

	host_run(w->kit.host);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < QPS; i++) {
			sends(w, &w->qp[i], false);
			host_sleep(w->kit.host, 1 + WATCH_BUSY_NS / QPS);
		}
		assert_int_equal(w->kit.host->card->watches.watched_count, 0);
	}
}

/* A queue without a slot has no other way but the doorbell */
TEST(test_queue_without_slot_is_watched_at_once, struct world *w, IN_OWN)
{
	struct qp *qp = qp_find(w->kit.host->card, w->qp[0].num);

	host_run(w->kit.host);
	qp->watch.board = false;
	w->qp[0].slot = ORNIC_BOARD_NO_SLOT;
	sends(w, &w->qp[0], true);
	sends(w, &w->qp[0], false);
}

/* [ORNIC-DB-35] Several queues that always have work stay watched */
TEST(test_busy_queues_stay_watched, struct world *w, IN_OWN)
{
	unsigned int i, round;

	watch_all(w);
	assert_int_equal(watched(w), QPS);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < QPS; i++)
			publish(&w->qp[i]);
		assert_true(doorbell_poll(w->kit.host->card));
		assert_int_equal(watched(w), QPS);
		assert_int_equal(sent(w), QPS);
		assert_int_equal(watched(w), QPS);
	}
}

#define CROWD (2 * DOORBELL_SCAN_MAX)

static void crowd_init(struct world *w, struct host_qp *qp)
{
	unsigned int i;

	for (i = 0; i < CROWD; i++)
		make_qp(w, &qp[i]);
	host_run(w->kit.host);
}

static unsigned int ready(struct card *card)
{
	unsigned int count = 0;
	struct list_head *pos;

	list_for_each(pos, &card->ready)
		count++;
	return count;
}

/* [ORNIC-ISO-4] One poll reads only a part of a board whose bits are all set */
TEST(test_board_is_looked_at_in_parts, struct world *w, IN_OWN)
{
	struct card *card = w->kit.host->card;
	static struct host_qp qp[CROWD];
	unsigned int i, polls;

	crowd_init(w, qp);
	for (i = 0; i < CROWD; i++) {
		publish(&qp[i]);
		set_bit(w, qp[i].slot);
	}
	for (polls = 0; ready(card) < CROWD; polls++) {
		unsigned int before = ready(card);

		assert_true(doorbell_poll(card));
		/* The last word may be full */
		assert_in_range(ready(card) - before, 1, DOORBELL_SCAN_MAX + 64);
	}
	assert_true(polls >= 2);
	assert_int_equal(board(w)->summary[0], 0);
	assert_false(doorbell_poll(card));
}

/* A process that keeps setting bits does not starve its other queues */
TEST(test_board_is_looked_at_in_turn, struct world *w, IN_OWN)
{
	struct card *card = w->kit.host->card;
	static struct host_qp qp[CROWD];
	struct host_qp *last = &qp[CROWD - 1];
	unsigned int i, polls;

	crowd_init(w, qp);
	publish(last);
	set_bit(w, last->slot);
	for (polls = 0; !ready(card); polls++) {
		assert_true(polls < 4);
		for (i = 0; i < CROWD - 1; i++)
			set_bit(w, qp[i].slot);
		assert_true(doorbell_poll(card));
	}
	/* The card does not sleep while bits are left */
	for (i = 0; i < CROWD; i++)
		set_bit(w, qp[i].slot);
	publish(&qp[0]);
	assert_false(card_sleep_prepare(card));
	host_run(w->kit.host);
	assert_true(list_empty(&card->ready));
	assert_int_equal(pending(w), 2);
}

/* [ORNIC-ISO-4] One poll looks at a part of many boards, and the card sleeps after all */
TEST(test_boards_are_looked_at_in_turn, struct world *w, IN_OWN)
{
	struct host *host = w->kit.host;
	struct card *card = host->card;
	static struct ornic_board *boards[MANY_BOARDS];
	static struct host_qp qp[MANY_BOARDS];
	unsigned int i, polls;
	uint64_t addr;

	for (i = 0; i < MANY_BOARDS; i++) {
		addr = host_alloc(host, sizeof(*boards[i]), HOST_PAGE);
		boards[i] = host_ptr(host, addr);
		host_qp(host, &qp[i], ORNIC_QPT_RAW_PACKET,
			host_uctx(host, 0, addr), w->pdn, &w->kit.cq, 0);
		host_qp_to_rts(&qp[i]);
	}
	host_run(host);
	for (i = 0; i < MANY_BOARDS; i++) {
		publish(&qp[i]);
		set_bit_of(boards[i], qp[i].slot);
	}
	for (polls = 1; ready(card) < MANY_BOARDS; polls++) {
		assert_in_range(polls, 1, 4);
		doorbell_poll(card);
		assert_in_range(ready(card), 1, polls * DOORBELL_BOARDS_MAX);
	}
	while (ready(card)) {
		card_run(card);
		pending(w);
	}
	for (i = 0; i < MANY_BOARDS; i++) {
		publish(&qp[i]);
		set_bit_of(boards[i], qp[i].slot);
		assert_false(card_sleep_prepare(card));
		assert_int_equal(sent(w), 1);
	}
}

struct vcpu {
	struct world *w;
	unsigned int posts;
};

/* A vCPU that posts to a queue again as soon as the card has looked at it */
static void post_always(void *arg)
{
	struct vcpu *vcpu = arg;

	publish(&vcpu->w->qp[vcpu->posts++ % QPS]);
}

/* [ORNIC-ISO-4] A host that posts during a poll does not prolong it */
TEST(test_each_queue_is_looked_at_once, struct world *w, IN_OWN)
{
	struct vcpu vcpu = { .w = w };
	struct card *card = w->kit.host->card;
	unsigned int i;

	watch_all(w);
	for (i = 0; i < QPS; i++)
		publish(&w->qp[i]);
	w->kit.host->runnable_look = post_always;
	w->kit.host->runnable_arg = &vcpu;
	assert_true(doorbell_poll(card));
	w->kit.host->runnable_look = NULL;
	assert_int_equal(vcpu.posts, QPS);
	/* A WQE has two slots */
	for (i = 0; i < QPS; i++)
		assert_int_equal(qp_find(card, w->qp[i].num)->sq.pi, w->qp[i].sq_pi - 2);
	assert_int_equal(sent(w), QPS + vcpu.posts);
}

/*
 * [ORNIC-DB-36] The host saw "watched" or "awake" and did not ring before
 * the card slept
 */
TEST(test_work_just_before_sleep_is_found, struct world *w, IN_OWN)
{
	/* Found through the watched queue */
	watch_all(w);
	assert_false(post(w, &w->qp[0]));
	assert_false(card_sleep_prepare(w->kit.host->card));
	assert_int_equal(guest_load32(&board(w)->awake), 1);
	assert_int_equal(sent(w), 1);

	/* Found through the board */
	assert_false(post(w, &w->qp[1]));
	assert_false(card_sleep_prepare(w->kit.host->card));
	assert_int_equal(sent(w), 1);
	fall_asleep(w);
	sends(w, &w->qp[0], true);
}

TEST(test_asleep_nobody_is_watched, struct world *w, IN_OWN)
{
	unsigned int i;

	watch_all(w);
	fall_asleep(w);
	for (i = 0; i < QPS; i++)
		assert_int_equal(guest_load32(&host_qp_dbr(&w->qp[i])
						      ->sq_watched), 0);
	assert_int_equal(w->kit.host->card->watches.watched_count, 0);
	card_wake(w->kit.host->card);
	assert_int_equal(guest_load32(&board(w)->awake), 1);
}

TEST(test_one_doorbell_wakes_for_all, struct world *w, IN_OWN)
{
	fall_asleep(w);
	/* Posted before the card woke, with its doorbell still on its way */
	publish(&w->qp[1]);
	set_bit(w, w->qp[1].slot);
	assert_true(post(w, &w->qp[0]));
	assert_int_equal(sent(w), 2);
}

TEST(test_watched_queues_are_bounded, struct world *w, IN_OWN)
{
	struct host_qp qp[WATCH_QUEUES_MAX + 8];
	unsigned int i, watched = 0;

	for (i = 0; i < ARRAY_SIZE(qp); i++) {
		make_qp(w, &qp[i]);
		post(w, &qp[i]);
	}
	assert_int_equal(sent(w), ARRAY_SIZE(qp));
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		post(w, &qp[i]);
	assert_int_equal(sent(w), ARRAY_SIZE(qp));
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		watched += guest_load32(&host_qp_dbr(&qp[i])->sq_watched);
	assert_int_equal(watched, WATCH_QUEUES_MAX);
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		assert_false(post(w, &qp[i]));
	assert_int_equal(sent(w), ARRAY_SIZE(qp));
}

TEST(test_destroyed_queue_leaves_the_board, struct world *w, IN_OWN)
{
	unsigned int i;

	post(w, &w->qp[1]);
	assert_int_equal(sent(w), 1);
	for (i = 0; i < QPS; i++)
		host_cmd_object_ok(w->kit.host, ORNIC_CMD_DESTROY_QP, w->qp[i].num);
	assert_int_equal(guest_load32(&board(w)->awake), 0);
	assert_true(list_empty(&w->kit.host->card->watches.boards));
	set_bit(w, w->qp[1].slot);
	assert_int_equal(sent(w), 0);
	assert_true(card_sleep_prepare(w->kit.host->card));
}

/* [ORNIC-DB-5] */
TEST(test_fatal_doorbells_are_not_counted, struct world *w, IN_OWN)
{
	struct host *host = w->kit.host;
	const struct stats *stats = &host->card->stats;
	uint64_t before = stats->STAT_DEVICE(doorbells);

	fall_asleep(w);
	card_stop(host->card);
	publish(&w->qp[0]);
	ring(&w->qp[0]);
	host_doorbell(host, w->qp[0].uctx, 77, w->qp[0].num, 0);
	host_doorbell(host, w->qp[0].uctx, ORNIC_DB_SQ, 0xffffff, 0);
	host_doorbell(host, 999, ORNIC_DB_SQ, w->qp[0].num, 0);
	assert_int_equal(sent(w), 0);
	assert_int_equal(stats->STAT_DEVICE(doorbells), before);
	assert_int_equal(stats->STAT_DEVICE(bad_doorbell_type), 0);
	assert_int_equal(stats->STAT_DEVICE(bad_doorbell_queue), 0);
	assert_int_equal(stats->STAT_DEVICE(bad_doorbell_page), 0);
}

TEST(test_no_shadow_rings_for_each, struct world *w, IN(setup_no_shadow, teardown))
{
	struct ornic_board *b = board(w);
	unsigned int i;

	assert_int_equal(host_read(w->kit.host, ORNIC_REG_CAPS, 4) &
			 ORNIC_CAPS_SHADOW, 0);
	for (i = 0; i < 200; i++) {
		assert_int_equal(w->qp[i % QPS].slot, ORNIC_BOARD_NO_SLOT);
		sends(w, &w->qp[i % QPS], true);
	}
	publish(&w->qp[0]);
	set_bit(w, 0);
	assert_int_equal(sent(w), 0);
	assert_int_equal(le64toh(b->bits[0]), 1);
	assert_int_equal(b->awake, 0);
	ring(&w->qp[0]);
	assert_int_equal(sent(w), 1);
}

TEST(test_reset_with_queues_at_work, struct world *w, IN_OWN)
{
	unsigned int i;

	for (i = 0; i < QPS; i++)
		post(w, &w->qp[i]);
	card_run(w->kit.host->card);
	card_reset(w->kit.host->card);
	assert_int_equal(w->kit.host->card->qps.count, 0);
	assert_true(list_empty(&w->kit.host->card->watches.boards));
	assert_true(list_empty(&w->kit.host->card->watches.watched));
	assert_true(list_empty(&w->kit.host->card->ready));
	assert_int_equal(w->kit.host->card->watches.watched_count, 0);
}

TEST(test_board_out_of_reach, struct world *w, IN_OWN)
{
	host_unmap(w->kit.host, w->kit.board, HOST_PAGE);
	publish(&w->qp[0]);
	ring(&w->qp[0]);
	assert_int_equal(sent(w), 1);
	assert_true(card_sleep_prepare(w->kit.host->card));
	host_map(w->kit.host, w->kit.board, HOST_PAGE);
	card_wake(w->kit.host->card);
	assert_int_equal(guest_load32(&board(w)->awake), 1);
}

/* [ORNIC-OBJ-9], [ORNIC-OBJ-10] It ended inside a doorbell, and has set all bits of its board */
TEST(test_page_is_given_to_another_process, struct world *w, IN_OWN)
{
	struct host *host = w->kit.host;
	unsigned int i;

	for (i = 0; i < QPS; i++)
		host_cmd_object_ok(host, ORNIC_CMD_DESTROY_QP, w->qp[i].num);
	assert_int_equal(guest_load32(&board(w)->awake), 0);
	card_bar_write(host->card, ORNIC_BAR_DB,
		       (uint64_t)w->kit.uctx * CARD_DB_PAGE_SIZE, 4, 77);
	memset(board(w), 0xff, HOST_PAGE);
	host_run(host);
	memset(board(w), 0, HOST_PAGE);
	make_qp(w, &w->qp[0]);
	host_run(host);
	assert_int_equal(guest_load32(&board(w)->awake), 1);
	sends(w, &w->qp[0], false);
	fall_asleep(w);
	sends(w, &w->qp[0], true);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_doorbell_queue, 0);
}

TEST_MAIN("doorbell")
