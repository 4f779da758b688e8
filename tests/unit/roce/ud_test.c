// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Datagrams of UD QPs and of the GSI QP */
#include "card/card.h"
#include "pair.h"

static struct pair_wr wr_datagram(struct pair *pair, uint32_t len)
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, len);

	wr.wr_id = 1;
	wr.imm = 0;
	return wr;
}

static bool ud_is_ipv4(struct pair *pair)
{
	return pair_qp(A(pair))->base.card->gids.entry[A(pair)->sgid_index].ipv4;
}

static void ud_check_grh(struct pair *pair, const uint8_t *grh)
{
	static const uint8_t nothing[20];

	if (ud_is_ipv4(pair)) {
		assert_memory_equal(grh, nothing, 20);
		assert_int_equal(grh[20], 0x45);
		assert_int_equal(grh[21], 0x22);
		assert_int_equal(grh[28], 9);
		assert_memory_equal(grh + 32, A(pair)->gid + 12, 4);
		assert_memory_equal(grh + 36, B(pair)->gid + 12, 4);
	} else {
		assert_int_equal(grh[0], 0x62);
		assert_int_equal(grh[7], 9);
		assert_memory_equal(grh + 8, A(pair)->gid, GID_LEN);
		assert_memory_equal(grh + 24, B(pair)->gid, GID_LEN);
	}
}

static void ud_check_ext(struct pair *pair, const struct ornic_cqe *cqe,
			 bool vlan)
{
	const struct ornic_cqe_ext *ext = host_cqe_ext(cqe);

	assert_memory_equal(ext->smac, A(pair)->host->mac, MAC_LEN);
	assert_int_equal(le16toh(ext->flags), ORNIC_CQE_EXT_SMAC |
			 (vlan ? ORNIC_CQE_EXT_VLAN : 0));
	assert_int_equal(le16toh(ext->vlan_tci), vlan ? PAIR_VLAN : 0);
}

TEST(test_send, struct pair *pair, IN_PAIR_ALL(pair_setup_ud))
{
	static const uint32_t lengths[] = { 0, 1, 5, 1000, 4096 };
	struct pair_wr wr;
	unsigned int i, imm;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (imm = 0; imm < 2; imm++) {
			const struct ornic_cqe *cqe;
			uint32_t len = lengths[i];
			unsigned int flags;

			pair_fill(A(pair)->buf, len, i);
			memset(B(pair)->buf, 0xee, 40 + len + 1);
			pair_post_recv(B(pair), 9, B(pair)->addr, 40 + len);
			wr = wr_datagram(pair, len);
			wr.opcode += imm;
			wr.imm = 0x1234 + i;
			pair_one(pair, &wr);
			cqe = host_queue_peek(&B(pair)->cq);
			assert_non_null(cqe);
			ud_check_ext(pair, cqe, gid_get(&A(pair)->host->card->gids, 
				     A(pair)->sgid_index)->vlan_id !=
				     GID_NO_VLAN);
			flags = ORNIC_GET(ORNIC_CQE_FLAGS, le32toh(cqe->qpn));
			/* [ORNIC-RQ-8] */
			assert_int_equal(flags, ORNIC_WC_GRH |
					 (ud_is_ipv4(pair) ? ORNIC_WC_IPV4 : 0) |
					 (imm ? ORNIC_WC_WITH_IMM : 0));
			if (imm)
				assert_int_equal(be32toh(cqe->imm), wr.imm);
			assert_int_equal(le32toh(cqe->opcode), ORNIC_WC_RECV);
			assert_int_equal(le32toh(cqe->byte_len), 40 + len);
			assert_int_equal(le32toh(cqe->src_qp),
					 A(pair)->qp.num);
			pair_expect(B(pair), 9, ORNIC_WC_SUCCESS);
			ud_check_grh(pair, B(pair)->buf);
			pair_check(B(pair)->buf + 40, len, i);
			assert_int_equal(B(pair)->buf[40 + len], 0xee);
		}
	}
}

/* The buffer may be reused as soon as the completion is visible */
TEST(test_payload_is_a_copy, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	struct pair_wr wr = wr_datagram(pair, 100);

	pair_fill(A(pair)->buf, 100, 4);
	pair_post_recv(B(pair), 9, B(pair)->addr, 200);
	pair_post(A(pair), &wr);
	pair_ring(A(pair));
	card_run(A(pair)->host->card);
	pair_expect(A(pair), 1, ORNIC_WC_SUCCESS);
	memset(A(pair)->buf, 0, 100);
	pair_run(pair);
	pair_check(B(pair)->buf + 40, 100, 4);
}

/*
 * Payload copies of datagrams that are dropped before they are sent must not
 * overwrite those of datagrams that are underway.
 */
TEST(test_lost_copies_are_not_in_the_way, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	struct ornic_set_gid_in in = {
		.index = htole16(A(pair)->sgid_index),
	};
	struct pair_wr wr = wr_datagram(pair, 64);
	unsigned int i, n;

	for (i = 0; i < 8; i++)
		pair_post_recv(B(pair), i, B(pair)->addr + i * 128, 128);
	for (i = 0; i < 8 * 25; i++) {
		if (i == 100) {
			card_run(A(pair)->host->card);
			host_cmd_in_ok(A(pair)->host, ORNIC_CMD_SET_GID, &in);
		}
		pair_fill(A(pair)->buf, 64, i);
		pair_post(A(pair), &wr);
		pair_ring(A(pair));
		card_run(A(pair)->host->card);
		pair_expect(A(pair), 1, ORNIC_WC_SUCCESS);
	}
	pair_run(pair);
	for (n = 0; n < 8; n++) {
		pair_expect(B(pair), n, ORNIC_WC_SUCCESS);
		pair_check(B(pair)->buf + n * 128 + 40, 64, n);
	}
}

/* [ORNIC-SQ-16], [ORNIC-WIRE-10] */
TEST(test_qkey, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	struct pair_wr wr = wr_datagram(pair, 10);

	pair_post_recv(B(pair), 9, B(pair)->addr, 200);
	wr.qkey++;
	pair_one(pair, &wr);
	pair_poll_none(B(pair));
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_qkey_errors, 1);
	/* The top bit selects the Q_Key of the QP */
	wr.qkey = 0x80000000;
	pair_send(A(pair), &wr);
	pair_expect(B(pair), 9, ORNIC_WC_SUCCESS);
	pair_state_is(B(pair), ORNIC_QPS_RTS);
}

/* [ORNIC-WIRE-12] */
TEST(test_unknown_qp_is_a_loss, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	struct pair_wr wr = wr_datagram(pair, 10);

	wr.dqpn = 0xffffff;
	pair_send(A(pair), &wr);
	wr.dqpn = 1;
	pair_one(pair, &wr);
	pair_expect(A(pair), 1, ORNIC_WC_SUCCESS);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_unknown_qp, 2);
}

TEST(test_lost_address_is_a_loss, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	struct pair_wr wr = wr_datagram(pair, 10);
	struct ornic_set_gid_in in = {
		.index = htole16(A(pair)->sgid_index),
	};

	host_cmd_in_ok(A(pair)->host, ORNIC_CMD_SET_GID, &in);
	pair_one(pair, &wr);
	assert_int_equal(pair->packets, 0);
}

/* [ORNIC-RQ-5] The WQE serves the next datagram */
TEST(test_receive_too_short, struct pair *pair,
     IN_PAIR_BOTH(pair_setup_ud), IN_PAIR_BOTH(pair_setup_gsi))
{
	struct pair_wr wr = wr_datagram(pair, 257);

	if (pair_qp(A(pair))->base.type == ORNIC_QPT_GSI) {
		wr.dqpn = 1;
		wr.qkey = QP_GSI_QKEY;
		pair_qp(A(pair))->attr.qkey = QP_GSI_QKEY;
	}
	pair_post_recv(B(pair), 9, B(pair)->addr, 40 + 256);
	pair_send(A(pair), &wr);
	pair_send(A(pair), &wr);
	pair_poll_none(B(pair));
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_length_errors, 2);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_sends, 0);
	wr.sge[0].length = 256;
	pair_fill(A(pair)->buf, 256, 4);
	pair_send(A(pair), &wr);
	pair_expect(B(pair), 9, ORNIC_WC_SUCCESS);
	pair_check(B(pair)->buf + 40, 256, 4);
	pair_state_is(B(pair), ORNIC_QPS_RTS);
	assert_int_equal(pair_event(B(pair)), 0);
}

/*
 * A send error stops the send queue only (SQE). WQEs posted there are flushed
 * until the QP returns to RTS.
 */
static void ud_fails(struct pair *pair, struct pair_wr *wr, unsigned int status)
{
	struct pair_wr good = wr_datagram(pair, 10);
	struct ornic_qp_attr attr = {
		.state = ORNIC_QPS_RTS,
		.cur_state = ORNIC_QPS_SQE,
	};

	wr->flags &= ~ORNIC_SEND_SIGNALED;
	pair_post(A(pair), wr);
	good.wr_id = 2;
	good.flags = 0;
	pair_send(A(pair), &good);
	pair_expect(A(pair), 1, status);
	pair_expect(A(pair), 2, ORNIC_WC_WR_FLUSH_ERR);
	pair_state_is(A(pair), ORNIC_QPS_SQE);
	good.wr_id = 3;
	pair_send(A(pair), &good);
	pair_expect(A(pair), 3, ORNIC_WC_WR_FLUSH_ERR);
	pair_modify_ok(A(pair), ORNIC_QP_ATTR_STATE | ORNIC_QP_ATTR_CUR_STATE,
		       &attr);
	pair_post_recv(B(pair), 9, B(pair)->addr, 100);
	good.wr_id = 4;
	good.flags = ORNIC_SEND_SIGNALED;
	pair_send(A(pair), &good);
	pair_expect(A(pair), 4, ORNIC_WC_SUCCESS);
	pair_expect(B(pair), 9, ORNIC_WC_SUCCESS);
	assert_int_equal(pair_event(A(pair)), 0);
}

TEST(test_too_long, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	struct pair_wr wr = wr_datagram(pair, 4097);

	ud_fails(pair, &wr, ORNIC_WC_LOC_LEN_ERR);
}

/* A port MTU of 1500 bytes has room for 1024 */
TEST(test_too_long_for_the_port, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	struct pair_wr wr = wr_datagram(pair, 1025);
	struct ornic_modify_port_in in = {
		.mask = htole32(ORNIC_PORT_MTU),
		.mtu = htole32(1500),
	};

	host_cmd_in_ok(A(pair)->host, ORNIC_CMD_MODIFY_PORT, &in);
	ud_fails(pair, &wr, ORNIC_WC_LOC_LEN_ERR);
}

TEST(test_bad_lkey, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	struct pair_wr wr = wr_datagram(pair, 10);

	wr.sge[0].lkey++;
	ud_fails(pair, &wr, ORNIC_WC_LOC_PROT_ERR);
}

TEST(test_write_is_no_datagram, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	struct pair_wr wr = wr_datagram(pair, 10);

	wr.opcode = ORNIC_WR_RDMA_WRITE;
	ud_fails(pair, &wr, ORNIC_WC_LOC_QP_OP_ERR);
	host_device_stat_is(A(pair)->host, ORNIC_DEVICE_STAT_bad_wqe_opcode, 1);
}

/* Note the UDP source port, behind an IPv4 header without options */
static enum pair_fate fate_note_sport(struct pair *pair,
				      const struct packet *pkt)
{
	const uint8_t *udp = pkt->frame->hdr + 14 + 20;

	pair->arg = udp[0] << 8 | udp[1];
	return PAIR_DELIVER;
}

/* [ORNIC-WIRE-8] The port without a flow label is made from both QPNs */
TEST(test_source_port, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud), IN_PAIR_BOTH(pair_setup_gsi))
{
	struct pair_wr wr = wr_datagram(pair, 10);
	bool gsi = pair_qp(A(pair))->base.type == ORNIC_QPT_GSI;
	uint32_t one = gsi ? 1 : A(pair)->qp.num;
	uint32_t two = gsi ? 1 : B(pair)->qp.num;

	assert_int_not_equal(A(pair)->qp.num, 1);
	wr.dqpn = two;
	pair->fate = fate_note_sport;
	pair_send(A(pair), &wr);
	assert_int_equal(pair->arg, packet_sport(0, one, two));
}

/* [ORNIC-SQ-17] Service levels from 8 on have no priority */
TEST(test_priority, struct pair *pair, IN_PAIR(pair_setup_ud, v6_vlan))
{
	struct ornic_av av = pair_attr(A(pair), B(pair)).av;
	struct pair_wr wr = wr_datagram(pair, 10);
	const struct ornic_cqe_ext *ext;
	unsigned int sl, priority;

	wr.av = &av;
	for (sl = 0; sl < 16; sl++) {
		av.flow = htole32(ORNIC_PREP(ORNIC_AV_SL, sl));
		pair_post_recv(B(pair), 9, B(pair)->addr, 50);
		pair_one(pair, &wr);
		ext = host_cqe_ext(host_queue_peek(&B(pair)->cq));
		priority = sl < 8 ? sl : 0;
		assert_int_equal(le16toh(ext->vlan_tci), priority << 13 | PAIR_VLAN);
		assert_int_equal(ext->sl, priority);
		pair_expect(B(pair), 9, ORNIC_WC_SUCCESS);
	}
}

/* The QPN on the wire is 1, and not the device's */
TEST(test_gsi, struct pair *pair, IN_PAIR_BOTH(pair_setup_gsi))
{
	struct pair_wr wr = wr_datagram(pair, 256);
	struct ornic_cqe cqe;

	pair_post_recv(B(pair), 9, B(pair)->addr, 4096);
	wr.qkey = QP_GSI_QKEY & ~0x80000000u;
	wr.dqpn = 1;
	pair_one(pair, &wr);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_qkey_errors, 1);
	pair_qp(A(pair))->attr.qkey = QP_GSI_QKEY;
	wr.qkey = QP_GSI_QKEY;
	pair_send(A(pair), &wr);
	cqe = pair_poll(B(pair));
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe.src_qp), 1);
	assert_int_equal(le32toh(cqe.byte_len), 296);
	wr.dqpn = B(pair)->qp.num;
	pair_send(A(pair), &wr);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_unknown_qp, 1);
}

static void set_filter(struct host *host, const uint8_t *mac)
{
	struct {
		struct ornic_rx_filter_in head;
		uint8_t macs[1][8];
	} in = { .head.count = htole32(mac ? 1 : 0) };

	if (mac)
		memcpy(in.macs[0], mac, MAC_LEN);
	host_cmd_in_ok(host, ORNIC_CMD_SET_RX_FILTER, &in);
}

/* [ORNIC-WIRE-9] A packet to a MAC that is not the port's, as that of a macvlan */
TEST(test_mac_of_gid, struct pair *pair, IN_PAIR_BOTH(pair_setup_ud))
{
	static const uint8_t mac[MAC_LEN] = { 2, 0, 0, 0, 0xca, 0xfe };
	static const uint8_t other[MAC_LEN] = { 2, 0, 0, 0, 0xca, 0xff };
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));
	struct pair_wr wr = wr_datagram(pair, 100);
	const struct {
		const uint8_t *smac, *dmac, *filter;
		bool taken;
	} cases[] = {
		{ mac, mac, mac, true },
		{ mac, mac, NULL, false },
		{ other, mac, mac, false },
		{ mac, other, other, false },
		{ mac, B(pair)->host->mac, NULL, true },
	};
	unsigned int i;

	wr.av = &attr.av;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		host_set_gid(B(pair)->host, B(pair)->sgid_index, B(pair)->gid, cases[i].smac, 0);
		set_filter(B(pair)->host, cases[i].filter);
		memcpy(attr.av.dmac, cases[i].dmac, MAC_LEN);
		pair_post_recv(B(pair), i, B(pair)->addr, 140);
		pair_one(pair, &wr);
		if (!cases[i].taken) {
			pair_poll_none(B(pair));
			pair_post_recv(B(pair), i, B(pair)->addr, 140);
			memcpy(attr.av.dmac, B(pair)->host->mac, MAC_LEN);
			pair_one(pair, &wr);
		}
		assert_int_equal(le32toh(pair_poll(B(pair)).status), ORNIC_WC_SUCCESS);
	}
}

/* [ORNIC-DEV-9] Packets are lost; WQEs do not wait for the port or the cable */
TEST(test_port_is_down, struct pair *pair,
     IN_PAIR_ALL(pair_setup_ud), IN_PAIR_ALL(pair_setup_uc), IN_PAIR_ALL(pair_setup_rc))
{
	struct pair_wr wr = wr_datagram(pair, 100);
	struct host *host = A(pair)->host;
	bool again = pair_qp(A(pair))->base.type == ORNIC_QPT_RC;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		host_port_up(host, i);
		card_link_changed(host->card, !i);
		pair_post_recv(B(pair), 1, B(pair)->addr, 140);
		pair_send(A(pair), &wr);
		pair_sleep(pair, 100 * 1000 * 1000);
		pair_expect(A(pair), 1, again ? ORNIC_WC_RETRY_EXC_ERR : ORNIC_WC_SUCCESS);
		pair_poll_none(B(pair));
		pair_again(pair);
	}
	assert_int_equal(pair->packets, 0);
	host_port_stat_is(host, ORNIC_PORT_STAT_tx_frames, 0);
}

TEST_MAIN("ud")
