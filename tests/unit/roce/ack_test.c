// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responses that a QP owes when it is destroyed or reset ([ORNIC-QP-13]). The
 * program has polled the completion of a receive, and its next command is in
 * the ring before the card has sent the ACK.
 */
#include "card/card.h"
#include "pair.h"

/* Limit of [ORNIC-QP-13] for such a QP */
#define LAST_BYTES 65536

/* A sends and the wire delivers; B receives, and does not run afterwards */
static void arrive(struct pair *pair, const struct pair_wr *wr,
		   unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		pair_post(A(pair), &wr[i]);
	pair_ring(A(pair));
	while (card_run(A(pair)->host->card))
		continue;
	assert_true(pair_wire(pair));
}

static void submit_destroy(struct side *side)
{
	struct ornic_object in = { .num = htole32(side->qp.num) };

	host_submit(side->host, ORNIC_CMD_DESTROY_QP, &in, sizeof(in));
}

static void submit_state(struct side *side, unsigned int state)
{
	struct ornic_modify_qp_in in = {
		.qpn = htole32(side->qp.num),
		.mask = htole32(ORNIC_QP_ATTR_STATE),
		.attr.state = state,
	};

	host_submit(side->host, ORNIC_CMD_MODIFY_QP, &in, sizeof(in));
}

static void run_command(struct pair *pair)
{
	pair_run(pair);
	assert_int_equal(host_completed(B(pair)->host), ORNIC_CMD_OK);
}

static void go_destroy(struct pair *pair)
{
	submit_destroy(B(pair));
	run_command(pair);
}

static void go_reset(struct pair *pair)
{
	submit_state(B(pair), ORNIC_QPS_RESET);
	run_command(pair);
}

static void go_error_destroy(struct pair *pair)
{
	submit_state(B(pair), ORNIC_QPS_ERR);
	submit_destroy(B(pair));
	run_command(pair);
	assert_int_equal(host_completed(B(pair)->host), ORNIC_CMD_OK);
}

static void go_card_reset(struct pair *pair)
{
	host_write(B(pair)->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	pair_run(pair);
}

/* A's requests succeed without retransmission */
static void acknowledged(struct pair *pair, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		pair_expect(A(pair), i, ORNIC_WC_SUCCESS);
	pair_sleep(pair, 20 * 1000 * 1000);
	pair_poll_none(A(pair));
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_retransmits, 0);
	pair_state_is(A(pair), ORNIC_QPS_RTS);
}

/* Send one message that consumes a receive, then end B's QP with @go */
static void message(struct pair *pair, unsigned int opcode,
		    void (*go)(struct pair *pair))
{
	struct pair_wr wr = pair_wr_data(A(pair), opcode, 0, 5000);

	wr.wr_id = 0;
	pair_fill(A(pair)->buf, 5000, opcode);
	pair_post_recv(B(pair), 77, B(pair)->addr, 5000);
	arrive(pair, &wr, 1);
	pair_check(B(pair)->buf, 5000, opcode);
	pair_expect(B(pair), 77, ORNIC_WC_SUCCESS);
	go(pair);
	acknowledged(pair, 1);
}

TEST(test_destroyed_after_send, struct pair *pair,
     IN_PAIR_BOTH(pair_setup_rc), IN_PAIR_BOTH(pair_setup_xrc))
{
	message(pair, ORNIC_WR_SEND, go_destroy);
}

/* A test of the end of a QP after a message */
#define ENDS(name, opcode, go) \
	TEST(name, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc)) \
	{ \
		message(pair, opcode, go); \
	}

ENDS(test_destroyed_after_write_with_imm, ORNIC_WR_RDMA_WRITE_WITH_IMM, go_destroy)
ENDS(test_reset_after_send, ORNIC_WR_SEND, go_reset)
ENDS(test_failed_and_destroyed_after_send, ORNIC_WR_SEND, go_error_destroy)
ENDS(test_card_reset_after_send, ORNIC_WR_SEND, go_card_reset)

/* READ and atomic responses go first; the ACK after them covers the SEND */
TEST(test_destroyed_after_read_atomic_and_send, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr[] = {
		pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 3000),
		pair_wr_data(A(pair), ORNIC_WR_ATOMIC_FETCH_ADD, 4096, 8),
		pair_wr_data(A(pair), ORNIC_WR_SEND, 8192, 100),
	};
	unsigned int i, flushes;

	for (i = 0; i < ARRAY_SIZE(wr); i++)
		wr[i].wr_id = i;
	pair_fill(B(pair)->buf, 3000, 1);
	*pair_word(B(pair), 4096) = htole64(41);
	wr[1].swap_add = 1;
	pair_post_recv(B(pair), 77, B(pair)->addr + 8192, 100);
	arrive(pair, wr, ARRAY_SIZE(wr));
	pair_expect(B(pair), 77, ORNIC_WC_SUCCESS);
	flushes = B(pair)->host->flushes;
	go_destroy(pair);
	/* [ORNIC-OBJ-7] B no longer reads the memory of the responses */
	assert_true(B(pair)->host->flushes > flushes + 1);
	acknowledged(pair, ARRAY_SIZE(wr));
	pair_check(A(pair)->buf, 3000, 1);
	assert_int_equal(le64toh(*pair_word(A(pair), 4096)), 41);
	assert_int_equal(le64toh(*pair_word(B(pair), 4096)), 42);
}

/* [ORNIC-QP-13] All that is in the first 64 KiB of answers goes out, in any number of frames */
static void read_and_send(struct pair *pair)
{
	struct pair_wr wr[] = {
		pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 20000),
		pair_wr_data(A(pair), ORNIC_WR_SEND, 32768, 100),
	};
	unsigned int i;

	/* A device that sends more packets before it waits than this card */
	pair_qp(A(pair))->req.window = 128;
	for (i = 0; i < ARRAY_SIZE(wr); i++)
		wr[i].wr_id = i;
	pair_fill(B(pair)->buf, 20000, 1);
	pair_post_recv(B(pair), 77, B(pair)->addr + 32768, 100);
	arrive(pair, wr, ARRAY_SIZE(wr));
	pair_expect(B(pair), 77, ORNIC_WC_SUCCESS);
	go_destroy(pair);
	acknowledged(pair, ARRAY_SIZE(wr));
	pair_check(A(pair)->buf, 20000, 1);
}

TEST(test_destroyed_after_read_and_send, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	read_and_send(pair);
}

TEST(test_destroyed_after_read_and_send_of_mtu_256, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	pair_qps_of_mtu(pair, 1);
	read_and_send(pair);
}

static struct pair *flushed;

static void deliver(struct env *env)
{
	(void)env;
	pair_wire(flushed);
}

/* Frames that B flushes arrive at once, as in a switch: a card has too few for 64 KiB */
static void deliver_flushed(struct pair *pair)
{
	static struct env_ops ops;

	flushed = pair;
	ops = *B(pair)->host->env.ops;
	ops.tx_flush = deliver;
	B(pair)->host->env.ops = &ops;
}

/* A command takes bounded time: it sends only the start of a long response, all of 64 KiB */
static void long_read(struct pair *pair)
{
	struct pair_wr wr[] = {
		pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 100),
		pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, PAIR_BUF_SIZE),
	};
	struct card *card = B(pair)->host->card;
	uint32_t frame = pair->bytes ? 1u << pair_qp(B(pair))->mtu_shift : REQ_SEGMENT_MAX;

	wr[0].wr_id = 0;
	wr[1].wr_id = 1;
	pair_post_recv(B(pair), 77, B(pair)->addr, 100);
	arrive(pair, wr, ARRAY_SIZE(wr));
	deliver_flushed(pair);
	submit_destroy(B(pair));
	card_run(card);
	assert_int_equal(host_completed(B(pair)->host), ORNIC_CMD_OK);
	assert_in_range(pair_stat(B(pair), ORNIC_RDMA_STAT_tx_bytes), LAST_BYTES,
			LAST_BYTES + frame);
	pair_run(pair);
	/* The first response acknowledges the SEND */
	pair_expect(A(pair), 0, ORNIC_WC_SUCCESS);
	pair_sleep(pair, 100 * 1000 * 1000);
	pair_expect(A(pair), 1, ORNIC_WC_RETRY_EXC_ERR);
}

TEST(test_destroyed_before_long_read, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	long_read(pair);
}

TEST(test_destroyed_before_long_read_of_mtu_256, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	pair_qps_of_mtu(pair, 1);
	long_read(pair);
}

TEST(test_destroyed_while_not_ready, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 100);

	arrive(pair, &wr, 1);
	go_destroy(pair);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_rnr_naks_received, 1);
}

TEST_MAIN("ack")
