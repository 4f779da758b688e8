// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Multicast groups: membership, delivery, and the receive filter of the port */
#include "card/card.h"
#include "eth/headers.h"
#include "pair.h"
#include "roce/mcast.h"

#define GROUP 7

/* GID and MAC of group @n, in the address family of the pair */
static void group_gid(struct pair *pair, unsigned int n, uint8_t *gid,
		      uint8_t *mac)
{
	memset(gid, 0, GID_LEN);
	if (gid_is_ipv4(A(pair)->gid)) {
		memcpy(gid + 10, "\xff\xff\xef\x81", 4);
		memcpy(mac, "\x01\x00\x5e\x01\x00", 5);
	} else {
		memcpy(gid, "\xff\x0e\x00\x01", 4);
		memcpy(gid + 12, "\xab\xcd", 2);
		memcpy(mac, "\x33\x33\xab\xcd\x00", 5);
	}
	gid[15] = n;
	mac[5] = n;
}

static unsigned int command(struct side *side, unsigned int opcode,
			    uint32_t qpn, unsigned int n)
{
	struct ornic_mcast_in in = { .qpn = htole32(qpn) };
	uint8_t mac[MAC_LEN];

	group_gid(side->pair, n, in.gid, mac);
	return host_cmd_in(side->host, opcode, &in);
}

#define ATTACH(side, qpn, n) command(side, ORNIC_CMD_ATTACH_MCAST, qpn, n)
#define DETACH(side, qpn, n) command(side, ORNIC_CMD_DETACH_MCAST, qpn, n)

static void attach(struct side *side)
{
	assert_int_equal(ATTACH(side, side->qp.num, GROUP), ORNIC_CMD_OK);
}

static struct ornic_av group_av(struct pair *pair, unsigned int n)
{
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));

	group_gid(pair, n, attr.av.dgid, attr.av.dmac);
	return attr.av;
}

/* Send a datagram from A to a group */
static void send_to(struct pair *pair, const struct ornic_av *av, uint32_t dqpn)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 100);

	wr.dqpn = dqpn;
	wr.av = av;
	pair_one(pair, &wr);
}

static void send_group(struct pair *pair, unsigned int n)
{
	struct ornic_av av = group_av(pair, n);

	send_to(pair, &av, MCAST_QPN);
}

static void received(struct side *side, uint64_t wr_id, uint32_t offset)
{
	struct ornic_cqe cqe = pair_poll(side);
	struct pair *pair = side->pair;
	uint8_t gid[GID_LEN], mac[MAC_LEN];
	const uint8_t *grh = side->buf + offset;

	assert_int_equal(le64toh(cqe.wr_id), wr_id);
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe.src_qp), A(pair)->qp.num);
	assert_int_equal(le32toh(cqe.byte_len), 140);
	pair_check(grh + 40, 100, 5);
	group_gid(pair, GROUP, gid, mac);
	if (gid_is_ipv4(gid))
		assert_memory_equal(grh + 36, gid + 12, 4);
	else
		assert_memory_equal(grh + 24, gid, GID_LEN);
}

static int setup(void **state)
{
	struct pair *pair;

	pair_setup_ud(state);
	pair = *state;
	pair_fill(A(pair)->buf, 100, 5);
	return 0;
}

#define IN_FAMILIES IN_PAIR_BOTH(setup), IN_PAIR(setup, v6_vlan)

/* [ORNIC-MC-2] Packets to the group pass without the port's filter */
TEST(test_member_gets_packets, struct pair *pair, IN_FAMILIES)
{
	struct side *b = B(pair);

	pair_post_recv(b, 1, b->addr, 140);
	send_group(pair, GROUP);
	pair_poll_none(b);
	host_port_stat_is(b->host, ORNIC_PORT_STAT_rx_dropped_filter, 1);
	attach(b);
	send_group(pair, GROUP);
	received(b, 1, 0);
	host_port_stat_is(b->host, ORNIC_PORT_STAT_rx_multicast, 1);
	assert_int_equal(DETACH(b, b->qp.num, GROUP), ORNIC_CMD_OK);
	pair_post_recv(b, 2, b->addr, 140);
	send_group(pair, GROUP);
	pair_poll_none(b);
}

/* [ORNIC-MC-3] Each member with the Q_Key gets the packet once */
TEST(test_every_member, struct pair *pair, IN_FAMILIES)
{
	struct side *b = B(pair);
	struct host_qp first = b->qp, second, stranger;

	attach(b);
	attach(b);
	pair_qps(pair, ORNIC_QPT_UD, 0);
	pair_connect(pair);
	second = b->qp;
	attach(b);
	pair_qps(pair, ORNIC_QPT_UD, 0);
	pair_connect(pair);
	stranger = b->qp;
	pair_qps(pair, ORNIC_QPT_UD, 0);
	pair_connect(pair);
	attach(b);
	pair_qp(b)->attr.qkey++;
	b->qp = stranger;
	pair_post_recv(b, 3, b->addr, 140);
	b->qp = first;
	pair_post_recv(b, 1, b->addr, 140);
	pair_post_recv(b, 1, b->addr, 140);
	b->qp = second;
	pair_post_recv(b, 2, b->addr + 4096, 140);

	send_group(pair, GROUP);
	b->qp = first;
	received(b, 1, 0);
	b->qp = second;
	received(b, 2, 4096);
	pair_poll_none(b);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_qkey_errors, 1);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_packets, 1);
	/* A member without a receive WQE does not affect the others */
	send_group(pair, GROUP);
	b->qp = first;
	received(b, 1, 0);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_no_wqe, 1);
}

/* [ORNIC-MC-4] Members on the sender's card, also the sender itself */
TEST(test_members_beside_the_sender, struct pair *pair, IN_FAMILIES)
{
	struct side *a = A(pair);
	struct host_qp sender = a->qp, other;
	struct ornic_av av = group_av(pair, GROUP);
	struct pair_wr wr = pair_wr_data(a, ORNIC_WR_SEND, 0, 100);
	const struct ornic_cqe *cqe;
	uint64_t frames;

	wr.wr_id = 9;
	wr.dqpn = MCAST_QPN;
	wr.av = &av;
	attach(a);
	pair_post_recv(a, 1, a->addr + 4096, 140);
	pair_qps(pair, ORNIC_QPT_UD, 0);
	pair_connect(pair);
	attach(a);
	pair_post_recv(a, 2, a->addr + 8192, 140);
	other = a->qp;
	a->qp = sender;
	frames = host_port_stat(a->host, ORNIC_PORT_STAT_rx_frames);

	pair_send(a, &wr);
	received(a, 1, 4096);
	cqe = host_queue_peek(&a->cq);
	assert_non_null(cqe);
	assert_int_equal(le32toh(cqe->qpn) & ORNIC_CQE_QPN, other.num);
	host_queue_consume(&a->cq);
	pair_check(a->buf + 8192 + 40, 100, 5);
	pair_expect(a, 9, ORNIC_WC_SUCCESS);
	/* The wire carries it once; the port does not count it as received */
	assert_int_equal(pair->packets, 1);
	host_port_stat_is(a->host, ORNIC_PORT_STAT_rx_frames, frames);

	/* [ORNIC-DEV-9] Nor do members get it while the port is down */
	host_port_up(a->host, false);
	pair_send(a, &wr);
	pair_expect(a, 9, ORNIC_WC_SUCCESS);
	assert_null(host_queue_peek(&a->cq));
	assert_int_equal(pair->packets, 1);
}

/* [ORNIC-RQ-5] A datagram that is too long for one member reaches the other */
TEST(test_receive_too_short, struct pair *pair, IN_FAMILIES)
{
	struct side *b = B(pair);
	struct host_qp first = b->qp;

	attach(b);
	pair_post_recv(b, 1, b->addr, 139);
	pair_qps(pair, ORNIC_QPT_UD, 0);
	pair_connect(pair);
	attach(b);
	pair_post_recv(b, 2, b->addr + 4096, 140);
	send_group(pair, GROUP);
	received(b, 2, 4096);
	pair_poll_none(b);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_length_errors, 1);
	b->qp = first;
	pair_state_is(b, ORNIC_QPS_RTS);
}

/* A receive that fails takes the sender to ERR while it is sending */
TEST(test_sender_fails_itself, struct pair *pair, IN_FAMILIES)
{
	struct side *a = A(pair);
	struct sge sge = { a->addr, 140, a->key + 1 };
	struct ornic_av av = group_av(pair, GROUP);
	struct pair_wr wr = {
		.opcode = ORNIC_WR_SEND, .flags = ORNIC_SEND_SIGNALED,
		.dqpn = MCAST_QPN, .qkey = PAIR_QKEY, .av = &av,
	};

	attach(a);
	pair_post_recv_sges(a, 1, &sge, 1);
	for (wr.wr_id = 2; wr.wr_id < 5; wr.wr_id++)
		pair_post(a, &wr);
	pair_ring(a);
	pair_run(pair);
	pair_expect(a, 1, ORNIC_WC_LOC_PROT_ERR);
	pair_expect(a, 2, ORNIC_WC_SUCCESS);
	pair_expect(a, 3, ORNIC_WC_WR_FLUSH_ERR);
	pair_expect(a, 4, ORNIC_WC_WR_FLUSH_ERR);
	assert_int_equal(pair->packets, 1);
}

/* [ORNIC-MC-1] */
TEST(test_commands, struct pair *pair, IN_FAMILIES)
{
	struct side *b = B(pair);
	struct ornic_mcast_in in = { .qpn = htole32(b->qp.num) };
	uint8_t mac[MAC_LEN];
	static const uint8_t odd[][GID_LEN] = {
		{}, { 0xfe, 0x80, [15] = 1 },
		{ [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 },
		{ [10] = 0xff, [11] = 0xff, 0xf0, 0, 0, 1 },
		{ [10] = 0xff, [11] = 0xff, 0xdf, 0, 0, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		memcpy(in.gid, odd[i], GID_LEN);
		host_cmd_in_is(b->host, ORNIC_CMD_ATTACH_MCAST, &in, ORNIC_CMD_BAD_PARAM);
	}
	group_gid(pair, GROUP, in.gid, mac);
	in.rsvd = htole32(1);
	host_cmd_in_is(b->host, ORNIC_CMD_ATTACH_MCAST, &in, ORNIC_CMD_BAD_PARAM);
	assert_int_equal(ATTACH(b, 0xffff, GROUP), ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(DETACH(b, b->qp.num, GROUP), ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(b->host->card->mcast.count, 0);

	attach(b);
	attach(b);
	assert_int_equal(ATTACH(b, b->qp.num, GROUP + 1), ORNIC_CMD_OK);
	assert_int_equal(b->host->card->mcast.count, 2);
	host_cmd_object_is(b->host, ORNIC_CMD_DESTROY_QP, b->qp.num, ORNIC_CMD_BUSY);
	assert_int_equal(DETACH(b, b->qp.num, GROUP), ORNIC_CMD_OK);
	assert_int_equal(DETACH(b, b->qp.num, GROUP), ORNIC_CMD_BAD_OBJECT);
	host_cmd_object_is(b->host, ORNIC_CMD_DESTROY_QP, b->qp.num, ORNIC_CMD_BUSY);
	assert_int_equal(DETACH(b, b->qp.num, GROUP + 1), ORNIC_CMD_OK);
	assert_int_equal(b->host->card->mcast.count, 0);
	host_cmd_object_ok(b->host, ORNIC_CMD_DESTROY_QP, b->qp.num);
	/* Only UD QPs can be members */
	pair_qps(pair, ORNIC_QPT_RC, 0);
	assert_int_equal(ATTACH(b, b->qp.num, GROUP), ORNIC_CMD_BAD_OBJECT);
}

/* [ORNIC-MC-1] Maxima of QUERY_DEVICE */
TEST(test_limits, struct pair *pair, IN_FAMILIES)
{
	struct side *b = B(pair);
	struct ornic_mcast_in in = { .qpn = htole32(b->qp.num) };
	struct ornic_create_qp_in qp = {
		.uctx = htole32(b->uctx), .pdn = htole32(b->pdn),
		.type = ORNIC_QPT_UD, .dbr_addr = htole64(b->qp.dbr),
	};
	struct ornic_create_qp_out out;
	uint8_t mac[MAC_LEN];
	unsigned int i;

	group_gid(pair, 0, in.gid, mac);
	for (i = 0; i <= MCAST_GROUPS_MAX; i++) {
		in.gid[14] = i >> 8;
		in.gid[15] = i;
		host_cmd_in_is(b->host, ORNIC_CMD_ATTACH_MCAST, &in,
			       i < MCAST_GROUPS_MAX ?
				       ORNIC_CMD_OK : ORNIC_CMD_NO_RESOURCES);
	}
	in.gid[14] = 0;
	in.gid[15] = 0;
	for (i = 1; i <= MCAST_QPS_MAX; i++) {
		host_cmd_ok(b->host, ORNIC_CMD_CREATE_QP, &qp, &out);
		in.qpn = out.qpn;
		host_cmd_in_is(b->host, ORNIC_CMD_ATTACH_MCAST, &in,
			       i < MCAST_QPS_MAX ?
				       ORNIC_CMD_OK : ORNIC_CMD_NO_RESOURCES);
	}
	/* A reset clears all groups */
	card_reset(b->host->card);
	host_run(b->host);
	assert_int_equal(b->host->card->mcast.count, 0);
}

/* Packets to an address do not look at more groups than these, which all have its MAC */
TEST(test_groups_of_a_mac_are_limited, struct pair *pair, IN_FAMILIES)
{
	struct side *b = B(pair);
	struct ornic_mcast_in in = { .qpn = htole32(b->qp.num) };
	uint8_t mac[MAC_LEN];
	unsigned int i;

	group_gid(pair, 0, in.gid, mac);
	for (i = 0; i <= MCAST_BUCKET_MAX; i++) {
		/* The MAC has the low 23 bits of an IPv4 address, 32 of an IPv6 one */
		in.gid[12 - 8 * !gid_is_ipv4(in.gid)] = 0xe0 + i % 16;
		in.gid[13 - 8 * !gid_is_ipv4(in.gid)] = i / 16 * 0x80;
		host_cmd_in_is(b->host, ORNIC_CMD_ATTACH_MCAST, &in,
			       i < MCAST_BUCKET_MAX ?
				       ORNIC_CMD_OK : ORNIC_CMD_NO_RESOURCES);
	}
}

/* Send a packet that must not arrive */
static void lost(struct pair *pair, const struct ornic_av *av, uint32_t dqpn)
{
	pair_post_recv(B(pair), 1, B(pair)->addr, 140);
	send_to(pair, av, dqpn);
	pair_poll_none(B(pair));
}

/* [ORNIC-MC-2] [ORNIC-MC-3] */
TEST(test_strangers, struct pair *pair, IN_FAMILIES)
{
	struct side *b = B(pair);
	struct ornic_av av = group_av(pair, GROUP);
	uint16_t vlan = gid_get(&b->host->card->gids, b->sgid_index)->vlan_id;

	attach(b);
	/* To the group, with the QPN of a member */
	lost(pair, &av, b->qp.num);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_unknown_qp, 1);
	/* To another group with the same MAC */
	av.dgid[gid_is_ipv4(av.dgid) ? 12 : 5] ^= 1;
	lost(pair, &av, MCAST_QPN);
	host_port_stat_is(b->host, ORNIC_PORT_STAT_rx_dropped_filter, 1);
	/* To the group's address with the MAC of the port */
	av = group_av(pair, GROUP);
	memcpy(av.dmac, b->host->mac, MAC_LEN);
	lost(pair, &av, MCAST_QPN);
	/* In a VLAN in which the card has no address */
	host_set_gid(b->host, b->sgid_index, b->gid, b->host->mac, PAIR_VLAN + 1);
	av = group_av(pair, GROUP);
	lost(pair, &av, MCAST_QPN);
	host_port_stat_is(b->host, ORNIC_PORT_STAT_rx_dropped_filter, 2);
	host_set_gid(b->host, b->sgid_index, b->gid, b->host->mac, vlan == GID_NO_VLAN ? 0 : vlan);
	send_group(pair, GROUP);
	received(b, 1, 0);
}

/* [ORNIC-MC-2] Other frames to the MAC need the port's filter */
TEST(test_other_frames_to_the_mac, struct pair *pair, IN_FAMILIES)
{
	struct side *b = B(pair);
	struct ornic_rx_filter_in filter = {
		.flags = htole32(ORNIC_RX_ALLMULTI),
	};
	struct frame frame = { .hdr_len = 60 };
	uint8_t gid[GID_LEN];

	group_gid(pair, GROUP, gid, frame.hdr);
	attach(b);
	card_rx(b->host->card, &frame);
	host_port_stat_is(b->host, ORNIC_PORT_STAT_rx_dropped_filter, 1);
	host_port_stat_is(b->host, ORNIC_PORT_STAT_rx_frames, 0);
	host_cmd_in(b->host, ORNIC_CMD_SET_RX_FILTER, &filter);
	card_rx(b->host->card, &frame);
	host_port_stat_is(b->host, ORNIC_PORT_STAT_rx_dropped_no_wqe, 1);
	/* The port's own queues do not get a RoCE packet */
	pair_post_recv(b, 1, b->addr, 140);
	send_group(pair, GROUP);
	received(b, 1, 0);
	host_port_stat_is(b->host, ORNIC_PORT_STAT_rx_dropped_no_wqe, 1);
}

/* A member in RESET does not receive; the packet is not counted for it */
TEST(test_member_not_ready, struct pair *pair, IN_FAMILIES)
{
	struct side *b = B(pair);

	attach(b);
	pair_post_recv(b, 1, b->addr, 140);
	pair_state(b, ORNIC_QPS_RESET);
	send_group(pair, GROUP);
	pair_poll_none(b);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_unknown_qp, 0);
}

TEST_MAIN("mcast")
