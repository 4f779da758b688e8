// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Push pages: doorbells with the WQE behind them ([ORNIC-PUSH-1] to [ORNIC-PUSH-9]) */
#include "card/card.h"
#include "card/push.h"
#include "pair.h"
#include "queues/qp.h"

#define LINE sizeof(struct ornic_push_line)
#define PIECES (LINE / 8)

static const struct card_config card_config_push = {
	.no_shadow = true, .push = true,
};

static struct host *push_host(uint8_t mac_tail)
{
	struct host *host = host_create_as(&card_config_push, mac_tail);

	host_enable(host);
	host->peers_local = true;
	return host;
}

static int setup(void **state)
{
	struct pair *pair;

	pair = pair_create_on(push_host(1), push_host(2), &pair_config_local);
	pair_qps(pair, ORNIC_QPT_RC, 0);
	pair_connect(pair);
	*state = pair;
	return 0;
}

static uint64_t pushed(struct pair *pair)
{
	return A(pair)->host->card->stats.STAT_DEVICE(pushed_wqes);
}

static uint64_t stat(struct pair *pair, enum ornic_device_stat stat)
{
	return host_device_stat(A(pair)->host, stat);
}

/* A WRITE of 8 bytes, whose value is @seed */
static struct pair_wr write_wr(struct pair *pair, uint64_t seed)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 8 * seed, 8);

	*pair_word(A(pair), 8 * seed) = seed;
	return wr;
}

/* The slot of the WQE that was posted last */
static uint8_t *last_slot(struct side *side)
{
	struct host_qp *qp = &side->qp;
	uint32_t at = (qp->sq_pi - 1) & ((1u << qp->log_sq_slots) - 1);

	return (uint8_t *)host_ptr(side->host, qp->sq) + at * ORNIC_SLOT_SIZE;
}

/* The line that pushes this WQE */
static struct ornic_push_line line_of(struct side *side)
{
	struct ornic_push_line line = {
		.doorbell = htole64(ORNIC_PREP(ORNIC_DB_NUM, (uint64_t)side->qp.num) |
				    side->qp.sq_pi),
	};

	memcpy(line.wqe, last_slot(side), sizeof(line.wqe));
	return line;
}

/* Post the WQE of write_wr(). Return: the line that pushes it. */
static struct ornic_push_line post_write(struct pair *pair, uint64_t seed)
{
	struct pair_wr wr = write_wr(pair, seed);

	pair_post(A(pair), &wr);
	return line_of(A(pair));
}

static void piece(struct side *side, uint32_t page, unsigned int at,
		  const struct ornic_push_line *line, unsigned int n)
{
	uint64_t val;

	memcpy(&val, (const uint8_t *)line + 8 * n, sizeof(val));
	card_bar_write(side->host->card, ORNIC_BAR_DB,
		       (uint64_t)page * CARD_DB_PAGE_SIZE + PUSH_OFFSET + at * LINE + 8 * n,
		       8, le64toh(val));
}

/* Write the first @count pieces of line @at of a page */
static void pieces(struct side *side, uint32_t page, unsigned int at,
		   const struct ornic_push_line *line, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		piece(side, page, at, line, i);
}

static void push_line(struct side *side, unsigned int at)
{
	struct ornic_push_line line = line_of(side);

	pieces(side, side->uctx, at, &line, PIECES);
}

/* Expect that the latest WQE, of write_wr(), has been executed */
static void arrived(struct pair *pair, uint64_t seed)
{
	pair_expect(A(pair), 0x1000 + 8 * seed, ORNIC_WC_SUCCESS);
	assert_int_equal(*pair_word(B(pair), 8 * seed), seed);
}

/* [ORNIC-PUSH-6], [ORNIC-PUSH-9] The ring does not have it any more */
TEST(test_pushed_wqe_is_taken, struct pair *pair, IN(setup, pair_teardown))
{
	uint64_t i;

	for (i = 1; i < 200; i++) {
		post_write(pair, i);
		push_line(A(pair), i % (ORNIC_PUSH_PAGE_SIZE / LINE));
		memset(last_slot(A(pair)), 0xff, ORNIC_SLOT_SIZE);
		pair_run(pair);
		arrived(pair, i);
		assert_int_equal(pushed(pair), i);
	}
	assert_int_equal(stat(pair, ORNIC_DEVICE_STAT_pushed_wqes), i - 1);
}

/* [ORNIC-PUSH-2] Up to 56 bytes */
TEST(test_longest_wqe, struct pair *pair, IN(setup, pair_teardown))
{
	uint8_t data[32] = { 1, 2, 3 };
	struct pair_wr wr = write_wr(pair, 1);
	unsigned int len;

	wr.flags |= ORNIC_SEND_INLINE;
	wr.data = data;
	for (len = 0; len <= sizeof(data); len++) {
		wr.data_len = len;
		data[len ? len - 1 : 0] = len;
		pair_post(A(pair), &wr);
		push_line(A(pair), 0);
		pair_run(pair);
		pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
		assert_memory_equal(pair_word(B(pair), 8), data, len);
		assert_int_equal(pushed(pair), len < 24 ? len + 1 : 25);
	}
}

/* [ORNIC-PUSH-4] The doorbell alone reads the ring, in time */
TEST(test_doorbell_alone, struct pair *pair, IN(setup, pair_teardown))
{
	unsigned int i;

	for (i = 1; i < PIECES; i++) {
		struct ornic_push_line line;

		line = post_write(pair, i);
		memset(line.wqe, 0xff, sizeof(line.wqe));
		pieces(A(pair), A(pair)->uctx, 3, &line, i);
		pair_sleep(pair, 1000000);
		arrived(pair, i);
	}
	assert_int_equal(pushed(pair), 0);
	assert_int_equal(stat(pair, ORNIC_DEVICE_STAT_bad_doorbell_page), 0);
}

/* [ORNIC-PUSH-4], [ORNIC-BUS-2] Or before whatever comes after it */
TEST(test_later_accesses, struct pair *pair, IN(setup, pair_teardown))
{
	struct host *host = A(pair)->host;
	struct ornic_push_line line;
	unsigned int i;
	uint64_t val;

	for (i = 1; i <= 5; i++) {
		line = post_write(pair, i);
		pieces(A(pair), A(pair)->uctx, 3, &line, PIECES - 1);
		pair_run(pair);
		pair_poll_none(A(pair));
		switch (i) {
		case 1:
			host_read(host, ORNIC_REG_STATUS, 4);
			break;
		case 2:
			host_write(host, ORNIC_REG_SCRATCH, 4, 1);
			break;
		case 3:
			card_bar_read(host->card, ORNIC_BAR_DB, 0, 8, &val);
			break;
		case 4:
			host_doorbell(host, A(pair)->uctx, ORNIC_DB_CQ,
				      A(pair)->cq.num,
				      host_queue_db(&A(pair)->cq, ORNIC_ARM_NONE));
			break;
		case 5:
			host_cmd_in_ok(host, ORNIC_CMD_NOP, &val);
			break;
		}
		pair_run(pair);
		arrived(pair, i);
	}
	assert_int_equal(pushed(pair), 0);
}

/* [ORNIC-PUSH-5] Bytes that do not follow the doorbell are ignored */
TEST(test_pieces_in_disorder, struct pair *pair, IN(setup, pair_teardown))
{
	struct ornic_push_line line;
	uint32_t other = host_uctx(A(pair)->host, 0, 0);
	uint32_t uctx = A(pair)->uctx;
	unsigned int i;

	/* Downwards: the doorbell comes last */
	line = post_write(pair, 1);
	for (i = PIECES; i--;)
		piece(A(pair), uctx, 0, &line, i);
	pair_sleep(pair, 1000000);
	arrived(pair, 1);

	/* With a piece of another line between */
	line = post_write(pair, 2);
	for (i = 0; i < PIECES; i++)
		piece(A(pair), uctx, i == 4, &line, i);
	pair_run(pair);
	arrived(pair, 2);

	/* With one left out */
	line = post_write(pair, 3);
	for (i = 0; i < PIECES; i++)
		if (i != 5)
			piece(A(pair), uctx, 0, &line, i);
	pair_run(pair);
	arrived(pair, 3);

	/* With the rest in the page of another process */
	line = post_write(pair, 4);
	for (i = 0; i < PIECES; i++)
		piece(A(pair), i < 4 ? uctx : other, 0, &line, i);
	pair_run(pair);
	arrived(pair, 4);

	assert_int_equal(pushed(pair), 0);
	assert_int_equal(stat(pair, ORNIC_DEVICE_STAT_doorbells), 4);
	assert_int_equal(stat(pair, ORNIC_DEVICE_STAT_bad_doorbell_page), 0);
}

/* [ORNIC-PUSH-6] Older WQEs are executed first, from the ring as this one */
TEST(test_not_the_next_wqe, struct pair *pair, IN(setup, pair_teardown))
{
	post_write(pair, 1);
	post_write(pair, 2);
	push_line(A(pair), 0);
	pair_run(pair);
	arrived(pair, 1);
	arrived(pair, 2);
	assert_int_equal(pushed(pair), 0);
	/* One that has been executed */
	push_line(A(pair), 0);
	pair_run(pair);
	pair_poll_none(A(pair));
	assert_int_equal(pushed(pair), 0);
}

/* [ORNIC-PUSH-7] */
TEST(test_refused_as_from_the_ring, struct pair *pair, IN(setup, pair_teardown))
{
	struct pair_wr wr = write_wr(pair, 1);

	wr.opcode = 200;
	pair_post(A(pair), &wr);
	push_line(A(pair), 0);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_LOC_QP_OP_ERR);
	assert_int_equal(stat(pair, ORNIC_DEVICE_STAT_bad_wqe_opcode), 1);
	assert_int_equal(pushed(pair), 1);
}

/* [ORNIC-PUSH-7], [ORNIC-BAD-3] A retransmission reads the ring, where it is now a SEND */
TEST(test_sent_again_from_the_ring, struct pair *pair, IN(setup, pair_teardown))
{
	struct pair_wr wr = write_wr(pair, 1);
	struct ornic_sq_hdr *hdr;

	pair->fate = pair_fate_lose_all;
	pair_post(A(pair), &wr);
	push_line(A(pair), 0);
	pair_run(pair);
	assert_int_equal(pushed(pair), 1);
	hdr = (void *)last_slot(A(pair));
	hdr->ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_SEND, ORNIC_SEND_SIGNALED, 48));
	pair->fate = NULL;
	pair_sleep(pair, 10000000000ULL);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_LOC_QP_OP_ERR);
	assert_int_equal(pushed(pair), 1);
}

/* [ORNIC-PUSH-8], [ORNIC-DB-4] */
TEST(test_bad_lines, struct pair *pair, IN(setup, pair_teardown))
{
	struct host *host = A(pair)->host;
	uint32_t other = host_uctx(host, 0, 0);
	struct ornic_push_line line;
	uint64_t val = 1, at = PUSH_OFFSET;

	line = post_write(pair, 1);
	pieces(A(pair), other, 0, &line, PIECES);
	assert_int_equal(stat(pair, ORNIC_DEVICE_STAT_bad_doorbell_queue), 1);

	line.doorbell = htole64((uint64_t)ORNIC_DB_CQ << 56 |
				(uint64_t)A(pair)->cq.num << 32 | ORNIC_ARM_NEXT);
	pieces(A(pair), A(pair)->uctx, 0, &line, PIECES);
	assert_int_equal(stat(pair, ORNIC_DEVICE_STAT_bad_doorbell_type), 1);

	card_bar_write(host->card, ORNIC_BAR_DB, at, 4, val);
	card_bar_write(host->card, ORNIC_BAR_DB, at + 4, 4, val);
	card_bar_write(host->card, ORNIC_BAR_DB, at + LINE, 2, val);
	assert_int_equal(stat(pair, ORNIC_DEVICE_STAT_bad_doorbell_page), 3);
	card_bar_read(host->card, ORNIC_BAR_DB, at, 8, &val);
	assert_int_equal(val, 0);
	/* The page ends */
	card_bar_write(host->card, ORNIC_BAR_DB, at + ORNIC_PUSH_PAGE_SIZE, 8, 0);
	card_bar_write(host->card, ORNIC_BAR_DB, at - 8, 8, 0);
	assert_int_equal(stat(pair, ORNIC_DEVICE_STAT_bad_doorbell_page), 5);

	pair_run(pair);
	pair_poll_none(A(pair));
	assert_int_equal(pushed(pair), 0);
}

/* [ORNIC-DB-7] A line that waits is of before the RESET that follows */
TEST(test_reset_of_the_qp, struct pair *pair, IN(setup, pair_teardown))
{
	struct ornic_push_line line;

	line = post_write(pair, 1);
	pieces(A(pair), A(pair)->uctx, 0, &line, PIECES - 1);
	pair_again(pair);
	/* The index of the line would fit now */
	post_write(pair, 2);
	piece(A(pair), A(pair)->uctx, 0, &line, PIECES - 1);
	pair_sleep(pair, 1000000);
	pair_poll_none(A(pair));
	pair_ring(A(pair));
	pair_run(pair);
	arrived(pair, 2);
	assert_int_equal(pushed(pair), 0);
}

/* [ORNIC-QP-9] Nor does a copy outlive the RESET, whose slot the next WQE has again */
TEST(test_reset_of_a_qp_with_a_copy, struct pair *pair, IN(setup, pair_teardown))
{
	struct pair_wr wr = write_wr(pair, 1);

	pair_post(A(pair), &wr);
	push_line(A(pair), 0);
	assert_true(pair_qp(A(pair))->sq.pushed);
	/* Commands come before QPs in a turn */
	pair_state(A(pair), ORNIC_QPS_RESET);
	pair_again(pair);
	wr = write_wr(pair, 2);
	pair_send(A(pair), &wr);
	arrived(pair, 2);
	assert_int_equal(*pair_word(B(pair), 8), 0);
	assert_int_equal(pushed(pair), 0);
}

/* Makes a uctx and writes the first 8 bytes of a line there, which the card holds */
static uint32_t hold_line(struct host *host)
{
	uint32_t uctx = host_uctx(host, 0, 0);

	card_bar_write(host->card, ORNIC_BAR_DB,
		       (uint64_t)uctx * CARD_DB_PAGE_SIZE + PUSH_OFFSET, 8, 0);
	assert_int_equal(host->card->push.have, 8);
	return uctx;
}

/* [ORNIC-DB-5], [ORNIC-RST-1] */
TEST_VOID(test_reset_of_the_card)
{
	struct host *host = push_host(1);

	hold_line(host);
	card_reset(host->card);
	assert_int_equal(host->card->push.have, 0);
	host_sleep(host, 1000000);
	host_destroy(host);
}

/* [ORNIC-DB-5] A line that a card which has stopped still holds is ignored */
TEST_VOID(test_fatal_card)
{
	struct host *host = push_host(1);
	uint64_t before;

	hold_line(host);
	before = host->card->stats.STAT_DEVICE(doorbells);
	card_stop(host->card);
	host_sleep(host, 1000000);
	assert_int_equal(host->card->push.have, 0);
	assert_int_equal(host->card->stats.STAT_DEVICE(doorbells), before);
	host_destroy(host);
}

/* A command may free the uctx of a line that is held, if the host found it by the record */
TEST_VOID(test_page_goes_away)
{
	static const struct card_config config = { .push = true };
	struct host *host = host_create_as(&config, 1);
	uint32_t uctx;

	host->wants_record = true;
	host_enable(host);
	host_run(host);
	uctx = hold_line(host);
	host_cmd_object_ok(host, ORNIC_CMD_FREE_UCTX, uctx);
	host_sleep(host, 1000000);
	assert_int_equal(host->card->push.have, 0);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_doorbell_queue, 0);
	host_destroy(host);
}

/* [ORNIC-PUSH-1] Without the feature the page is as the rest of a doorbell page */
TEST_VOID(test_without_the_feature)
{
	static const struct card_config config = { .no_shadow = true };
	struct ornic_query_device_out out = {};
	bool force, has;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct host *host;

		has = i;
		force = i == 2;
		host = host_create_as(has ? &card_config_push : &config, 1);
		host_enable(host);
		host_uctx(host, ORNIC_UCTX_KERNEL, 0);
		host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &out);
		assert_int_equal(!!(le64toh(out.features) & ORNIC_FEAT_PUSH), has);
		if (has && !force)
			host->card->host.features &= ~ORNIC_FEAT_PUSH;
		card_bar_write(host->card, ORNIC_BAR_DB, PUSH_OFFSET, 8, 0);
		host_read(host, ORNIC_REG_STATUS, 4);
		host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_doorbell_page, !force);
		host_destroy(host);
	}
}

TEST_MAIN("push")
