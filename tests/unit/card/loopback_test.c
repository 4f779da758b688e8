// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Frames and packets from one queue of a port to another ([ORNIC-LOOP-1] ff.) */
#include "base/be.h"
#include "card/card.h"
#include "eth/headers.h"
#include "queues/qp.h"
#include "pair.h"
#include "raw.h"

#define LEN 60

static const uint8_t group[6] = { 1, 0x50, 0x56, 0x19, 0x20, 0xa7 };
static const uint8_t broadcast[6] = { 255, 255, 255, 255, 255, 255 };
static const uint8_t somebody[6] = { 2, 2, 2, 2, 2, 2 };

static void send(struct raw *w, unsigned int n, const uint8_t *dmac)
{
	uint8_t *p = host_ptr(w->host, w->data);

	memset(p, 0, LEN);
	memcpy(p, dmac, 6);
	be_put16(p + 12, 0x88b5);
	raw_send(w, n, w->data, LEN, NULL, 0);
}

static void recvs(struct raw *w)
{
	unsigned int n;

	for (n = 0; n < RAW_QPS; n++)
		raw_post_recv(w, n, w->data + n * RAW_BUF_LEN, RAW_BUF_LEN);
}

static void expect_wire(struct raw *w, unsigned int count)
{
	while (count--)
		raw_done(w, raw_sent(w));
	assert_true(list_empty(&w->host->wire));
	assert_int_equal(w->host->frames, 0);
}

static uint64_t looped(struct raw *w)
{
	return host_port_stat(w->host, ORNIC_PORT_STAT_tx_looped);
}

/*
 * Expect that the next completion is the send of QP @n, of which @wire frames
 * went out, and that @loops frames were looped back so far
 */
static void expect_sent(struct raw *w, unsigned int n, unsigned int wire,
			unsigned int loops)
{
	raw_did(w, n, ORNIC_WC_SEND);
	expect_wire(w, wire);
	assert_int_equal(looped(w), loops);
}

static void rule(struct raw *w, unsigned int n, const uint8_t *dmac,
		 unsigned int bits)
{
	struct ornic_create_flow_in in = { .qpn = htole32(w->qp[n].num) };

	memcpy(in.value.outer.dmac, dmac, 6);
	memset(in.mask.outer.dmac, 0xff, 6);
	if (bits < 48) {
		in.value.outer.dmac[5] = 0;
		in.mask.outer.dmac[5] = 0;
	}
	host_create_object(w->host, ORNIC_CMD_CREATE_FLOW, &in, sizeof(in));
}

/* [ORNIC-LOOP-1] Frames of a process to the port's address are looped back */
TEST(test_to_the_port_itself, struct raw *w, IN_RAW_PROCESS)
{
	recvs(w);
	send(w, 1, w->host->mac);
	raw_did(w, 0, ORNIC_WC_RECV);
	expect_sent(w, 1, 0, 1);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, 0);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_rx_frames, 1);
}

/* [ORNIC-LOOP-1] Frames to a group are sent and looped back */
TEST(test_to_groups, struct raw *w, IN_RAW_PROCESS)
{
	recvs(w);
	send(w, 1, broadcast);
	raw_did(w, 0, ORNIC_WC_RECV);
	raw_did(w, 1, ORNIC_WC_SEND);
	expect_wire(w, 1);
	/* A group without a receiver on this card */
	send(w, 1, group);
	expect_sent(w, 1, 1, 1);
	rule(w, 2, group, 48);
	send(w, 1, group);
	raw_did(w, 2, ORNIC_WC_RECV);
	expect_sent(w, 1, 1, 2);
}

/* [ORNIC-LOOP-2] A rule for a whole MAC address makes that address local */
TEST(test_to_addresses_of_rules, struct raw *w, IN_RAW_PROCESS)
{
	recvs(w);
	rule(w, 2, somebody, 40);
	send(w, 1, somebody);
	raw_did(w, 1, ORNIC_WC_SEND);
	expect_wire(w, 1);
	rule(w, 3, somebody, 48);
	send(w, 1, somebody);
	/* The rules decide which QP gets the frame, as for any frame */
	raw_did(w, 2, ORNIC_WC_RECV);
	expect_sent(w, 1, 0, 1);
}

/* [ORNIC-LOOP-3] Frames of the network stack reach QPs of rules, not itself */
TEST(test_of_the_network_stack, struct raw *w, IN_RAW_PROCESS)
{
	recvs(w);
	send(w, 0, broadcast);
	raw_did(w, 0, ORNIC_WC_SEND);
	send(w, 0, w->host->mac);
	raw_did(w, 0, ORNIC_WC_SEND);
	expect_wire(w, 2);
	rule(w, 2, somebody, 48);
	send(w, 0, broadcast);
	raw_did(w, 0, ORNIC_WC_SEND);
	send(w, 0, w->host->mac);
	expect_sent(w, 0, 2, 0);
	send(w, 0, somebody);
	raw_did(w, 2, ORNIC_WC_RECV);
	expect_sent(w, 0, 0, 1);
	/* The stack's own rules apply to frames of others only */
	rule(w, 0, group, 48);
	rule(w, 0, w->host->mac, 48);
	send(w, 0, group);
	raw_did(w, 0, ORNIC_WC_SEND);
	send(w, 0, w->host->mac);
	expect_sent(w, 0, 2, 1);
	send(w, 1, group);
	raw_did(w, 0, ORNIC_WC_RECV);
	raw_did(w, 1, ORNIC_WC_SEND);
	expect_wire(w, 1);
}

/* [ORNIC-FLOW-11] */
TEST(test_sniffers_see_it_once, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_flow_in in = {
		.qpn = htole32(w->qp[3].num),
		.type = ORNIC_FLOW_SNIFFER,
	};
	unsigned int i;

	host_create_object(w->host, ORNIC_CMD_CREATE_FLOW, &in, sizeof(in));
	for (i = 0; i < 2; i++) {
		recvs(w);
		recvs(w);
		send(w, 1, i ? broadcast : w->host->mac);
		raw_did(w, 0, ORNIC_WC_RECV);
		raw_did(w, 3, ORNIC_WC_RECV);
		raw_did(w, 1, ORNIC_WC_SEND);
		assert_null(host_queue_peek(&w->cq));
		expect_wire(w, i);
	}
}

/* [ORNIC-DEV-9] Nothing is looped back then */
TEST(test_while_the_port_is_down, struct raw *w, IN_RAW_PROCESS)
{
	recvs(w);
	host_port_up(w->host, false);
	send(w, 1, w->host->mac);
	raw_did(w, 1, ORNIC_WC_SEND);
	send(w, 1, broadcast);
	expect_sent(w, 1, 0, 0);
}

/* [ORNIC-LOOP-4] A bad receive WQE for its own frame fails a sender */
TEST(test_end_of_the_sender, struct raw *w, IN_RAW_PROCESS)
{
	unsigned int i;

	rule(w, 1, somebody, 48);
	raw_post_recv(w, 1, w->data + 4 * RAW_BUF_LEN - 10, RAW_BUF_LEN);
	memcpy(host_ptr(w->host, w->data), somebody, 6);
	for (i = 0; i < 3; i++)
		raw_publish(w, 1, w->data, LEN, NULL, 0);
	host_run(w->host);
	raw_expect(w, ORNIC_WC_LOC_PROT_ERR);
	raw_expect(w, ORNIC_WC_SUCCESS);
	raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
	raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
	assert_null(host_queue_peek(&w->cq));
	expect_wire(w, 0);
}

/* Give B's GID this MAC, and let the port's filter pass it */
static void macvlan(struct pair *pair, const uint8_t *mac)
{
	struct {
		struct ornic_rx_filter_in head;
		uint8_t macs[1][8];
	} filter = { .head.count = htole32(1) };

	host_set_gid(B(pair)->host, B(pair)->sgid_index, B(pair)->gid, mac, 0);
	memcpy(filter.macs[0], mac, MAC_LEN);
	host_cmd_in_ok(B(pair)->host, ORNIC_CMD_SET_RX_FILTER, &filter);
}

/* Send a datagram from A to B, on the same card; return whether B gets it */
static bool reaches(struct pair *pair, const uint8_t *dmac)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, LEN);
	struct ornic_av av = pair_attr(A(pair), B(pair)).av;

	memcpy(av.dmac, dmac, MAC_LEN);
	wr.av = &av;
	pair_post_recv(B(pair), 1, B(pair)->addr, LEN + ORNIC_GRH_SIZE);
	pair_send(A(pair), &wr);
	pair_run(pair);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	if (!host_queue_peek(&B(pair)->cq))
		return false;
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	return true;
}

/* [ORNIC-LOOP-5] [ORNIC-WIRE-26] Datagrams to the port, to a macvlan, to others */
TEST(test_roce_to_the_port_itself, struct pair *pair, IN_PAIR(pair_setup_ud, loopback))
{
	struct host *host = A(pair)->host;

	assert_true(reaches(pair, host->mac));
	assert_false(reaches(pair, somebody));
	macvlan(pair, somebody);
	assert_true(reaches(pair, somebody));
	macvlan(pair, host->mac);
	assert_false(reaches(pair, somebody));
	/* Each is counted as sent, and what the card gets as received */
	host_port_stat_is(host, ORNIC_PORT_STAT_tx_frames, 4);
	host_port_stat_is(host, ORNIC_PORT_STAT_rx_frames, 2);
	host_port_stat_is(host, ORNIC_PORT_STAT_tx_looped, 0);
}

/* [ORNIC-LOOP-5] The card can be its own peer of RC, whose ACKs return as well */
TEST(test_rc_to_the_port_itself, struct pair *pair, IN_PAIR(pair_setup_rc, loopback))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_READ, 0, 10000);
	uint64_t sent;

	pair_fill(B(pair)->buf, 10000, 1);
	pair_one(pair, &wr);
	pair_check(A(pair)->buf, 10000, 1);
	wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 10000);
	pair_post_recv(B(pair), 1, B(pair)->addr, 10000);
	pair_one(pair, &wr);
	pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	sent = host_port_stat(A(pair)->host, ORNIC_PORT_STAT_tx_frames);
	assert_true(sent >= 2 + 10 + 10);
	host_port_stat_is(A(pair)->host, ORNIC_PORT_STAT_rx_frames, sent);
}

/* [ORNIC-LOOP-5] [ORNIC-WIRE-6] A wire that is full does not hold it up */
TEST(test_roce_to_the_port_itself_while_the_wire_is_full, struct pair *pair,
     IN_PAIR(pair_setup_ud, loopback))
{
	A(pair)->host->path_full = true;
	assert_true(reaches(pair, A(pair)->host->mac));
}

/* [ORNIC-LOOP-5] [ORNIC-DEV-19] Its source address is not checked */
TEST(test_roce_to_the_port_itself_from_any_address, struct pair *pair,
     IN_PAIR(pair_setup_ud, loopback))
{
	A(pair)->host->card->spoofcheck.on = true;
	memset(A(pair)->host->card->mac, 2, MAC_LEN);
	assert_true(reaches(pair, A(pair)->host->mac));
	assert_false(reaches(pair, somebody));
	host_port_stat_is(A(pair)->host, ORNIC_PORT_STAT_tx_dropped_spoofed, 1);
}

TEST_MAIN("loopback")
