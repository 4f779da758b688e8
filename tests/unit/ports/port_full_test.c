// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs whose port to the outside is full: they wait, lose nothing, cost nothing,
 * and go on when there is room ([ORNIC-WIRE-6]).
 */
#include "card/card.h"
#include "kit.h"
#include "pair.h"

static void set_full(struct side *side, bool full)
{
	side->host->path_full = full;
	if (!full)
		card_room(side->host->card);
}

/* The card has only blocked work, so it does nothing and may sleep */
static void waits(struct side *side)
{
	struct card *card = side->host->card;

	assert_true(list_empty(&side->host->wire));
	assert_false(card_run(card));
	assert_false(list_empty(&card->blocked));
	assert_true(card_sleep_prepare(card));
}

static void nothing_lost(struct pair *pair)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct side *side = &pair->side[i];

		pair_stat_is(side, ORNIC_RDMA_STAT_retransmits, 0);
		pair_stat_is(side, ORNIC_RDMA_STAT_ack_timeouts, 0);
	}
}

TEST(test_requester_waits, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					 1 << 20);

	pair_fill(A(pair)->buf, 1 << 20, 1);
	set_full(A(pair), true);
	pair_send(A(pair), &wr);
	waits(A(pair));
	pair_poll_none(A(pair));
	set_full(A(pair), false);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_check(B(pair)->buf, 1 << 20, 1);
	nothing_lost(pair);
}

/* The port fills during a message; the rest and the ACKs wait */
static enum pair_fate fate_fill(struct pair *pair, const struct packet *pkt)
{
	if (pair->packets % 5 == 0)
		pair->side[pair->arg].host->path_full = true;
	return PAIR_DELIVER;
}

static void in_parts(struct pair *pair, unsigned int opcode, unsigned int full)
{
	struct pair_wr wr = pair_wr_data(A(pair), opcode, 0, 1 << 20);
	bool read = opcode == ORNIC_WR_RDMA_READ;
	unsigned int waited = 0;

	pair_fill(read ? B(pair)->buf : A(pair)->buf, 1 << 20, opcode);
	pair->fate = fate_fill;
	pair->arg = full;
	pair_send(A(pair), &wr);
	while (!host_queue_peek(&A(pair)->cq)) {
		struct side *side = &pair->side[full];

		assert_true(side->host->path_full);
		assert_false(card_run(side->host->card));
		waited++;
		set_full(side, false);
		pair_run(pair);
	}
	assert_true(waited > 10);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_check(read ? A(pair)->buf : B(pair)->buf, 1 << 20, opcode);
	nothing_lost(pair);
}

TEST(test_write_in_parts, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	in_parts(pair, ORNIC_WR_RDMA_WRITE, 0);
}

TEST(test_read_in_parts, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	in_parts(pair, ORNIC_WR_RDMA_READ, 1);
}

/* A packet that waits at the port is not lost: the ACK timer is stopped */
TEST(test_no_timeout_while_full, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);

	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	while (card_run(A(pair)->host->card))
		continue;
	/* The packet is underway and waits */
	assert_false(list_empty(&A(pair)->host->wire));
	set_full(A(pair), true);
	A(pair)->host->now_ns += 1000000000;
	timers_run(&A(pair)->host->timers, A(pair)->host->now_ns);
	A(pair)->host->now_ns += 1000000000;
	timers_run(&A(pair)->host->timers, A(pair)->host->now_ns);
	set_full(A(pair), false);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	nothing_lost(pair);
}

/* A blocked QP can be flushed and destroyed */
TEST(test_error_while_full, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);

	set_full(A(pair), true);
	pair_send(A(pair), &wr);
	waits(A(pair));
	pair_state(A(pair), ORNIC_QPS_ERR);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_WR_FLUSH_ERR);
}

TEST(test_destroyed_while_full, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 100);

	set_full(A(pair), true);
	pair_send(A(pair), &wr);
	waits(A(pair));
	host_cmd_object_ok(A(pair)->host, ORNIC_CMD_DESTROY_QP, A(pair)->qp.num);
	assert_true(list_empty(&A(pair)->host->card->blocked));
	set_full(A(pair), false);
	pair_run(pair);
	assert_int_equal(pair->packets, 0);
}

/* [ORNIC-ISO-4] Responses to a peer that used up its time wait, not the host's work */
TEST(test_answers_wait_for_time_of_the_peer, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 100);
	struct pair_wr back = pair_wr_data(B(pair), ORNIC_WR_RDMA_WRITE, 0, 100);
	struct host *host = B(pair)->host;

	host->peers_wait = true;
	pair_send(A(pair), &wr);
	pair_poll_none(A(pair));
	assert_false(list_empty(&host->card->postponed));
	assert_false(card_run(host->card));
	/* The card must look again */
	assert_false(card_sleep_prepare(host->card));
	pair_send(B(pair), &back);
	pair_expect(B(pair), back.wr_id, ORNIC_WC_SUCCESS);
	pair_poll_none(A(pair));
	host->peers_wait = false;
	card_serve_again(host->card);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
}

/* A request @ahead of the next one comes to B from a port */
static void demand(struct pair *pair, struct port *from, unsigned int opcode, int ahead)
{
	struct packet pkt = pair_packet(pair, opcode);

	pkt.psn = psn_add(pkt.psn, ahead);
	pair->from = from;
	pair_rx(pair, &pkt, NULL, 0);
}

/* B sends @count responses, which @payer pays for */
static void pays(struct pair *pair, const struct port *payer, unsigned int count)
{
	struct host *host = B(pair)->host;
	unsigned int frames = host->frames;

	host->payer = NULL;
	assert_true(card_run(host->card));
	assert_ptr_equal(host->payer, payer);
	assert_int_equal(host->frames, frames + count);
}

/* [ORNIC-ISO-4] Each response is paid for by the port that has demanded it */
TEST(test_port_of_each_request_pays, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct port port[2] = {};

	/* A stray changes nothing for what is owed, also to later requests */
	demand(pair, &port[0], OPCODE_RC_READ_REQUEST, 0);
	demand(pair, &port[1], OPCODE_RC_SEND_ONLY, -1);
	demand(pair, &port[0], OPCODE_RC_READ_REQUEST, 0);
	pays(pair, &port[0], 2);
	/* Two ports take turns, and the second pays for its own response only */
	demand(pair, &port[0], OPCODE_RC_READ_REQUEST, 0);
	demand(pair, &port[1], OPCODE_RC_FETCH_ADD, 0);
	demand(pair, &port[1], OPCODE_RC_READ_REQUEST, 0);
	pays(pair, &port[0], 1);
	pays(pair, &port[1], 2);
	/* The port of a duplicate pays for the repetition */
	demand(pair, &port[0], OPCODE_RC_READ_REQUEST, -1);
	demand(pair, &port[1], OPCODE_RC_READ_REQUEST, 0);
	pays(pair, &port[0], 1);
	pays(pair, &port[1], 1);
	demand(pair, &port[1], OPCODE_RC_READ_REQUEST, -1);
	pays(pair, &port[1], 1);
	/* An ACK, also if a stray comes before it is sent */
	demand(pair, &port[0], OPCODE_RC_SEND_ONLY, -1);
	demand(pair, &port[1], OPCODE_RC_SEND_ONLY, -1);
	demand(pair, &port[1], OPCODE_RC_SEND_ONLY, 5);
	pays(pair, &port[0], 1);
	pair_run(pair);
}

/* Another port pays for what a port has demanded that goes */
TEST(test_heir_of_a_port_pays, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct card *card = B(pair)->host->card;
	struct port port[2] = {};

	demand(pair, &port[0], OPCODE_RC_READ_REQUEST, 0);
	demand(pair, &port[1], OPCODE_RC_FETCH_ADD, 0);
	card_replace_payer(card, &port[1], &port[0]);
	pays(pair, &port[0], 2);
	/* A repetition, and an ACK */
	demand(pair, &port[1], OPCODE_RC_FETCH_ADD, -1);
	card_replace_payer(card, &port[1], &port[0]);
	pays(pair, &port[0], 1);
	demand(pair, &port[1], OPCODE_RC_SEND_ONLY, -1);
	card_replace_payer(card, &port[1], &port[0]);
	pays(pair, &port[0], 1);
	pair_run(pair);
}

/* [ORNIC-QP-13] The responses of a destroyed QP do not wait */
TEST(test_ack_of_destroyed_does_not_wait, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 100);

	pair_post_recv(B(pair), 7, B(pair)->addr, 100);
	set_full(B(pair), true);
	pair_send(A(pair), &wr);
	pair_expect(B(pair), 7, ORNIC_WC_SUCCESS);
	pair_poll_none(A(pair));
	host_cmd_object_ok(B(pair)->host, ORNIC_CMD_DESTROY_QP, B(pair)->qp.num);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	set_full(B(pair), false);
}

TEST(test_datagram_waits, struct pair *pair, IN_PAIR(pair_setup_ud, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 100);

	pair_post_recv(B(pair), 7, B(pair)->addr, 200);
	set_full(A(pair), true);
	pair_send(A(pair), &wr);
	waits(A(pair));
	set_full(A(pair), false);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_expect(B(pair), 7, ORNIC_WC_SUCCESS);
}

TEST_MAIN("room")
