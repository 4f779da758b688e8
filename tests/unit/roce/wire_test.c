// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets as a peer sees them: the fields of section 15 of the hardware
 * interface in what a card sends, and what it does with those of others
 */
#include "base/be.h"
#include "card/card.h"
#include "eth/headers.h"
#include "pair.h"
#include "roce/comp.h"
#include "roce/icrc.h"

/* Bytes of a packet with path MTU 3 of pair_attr() */
#define MTU 1024
#define PACKETS 40

/* ---- what a card sends ---- */

/* Fields of the packets that look() has seen */
struct seen {
	unsigned int packets;
	unsigned int requests;
	unsigned int acks;
	uint32_t psn;
	uint32_t msn;
};

static struct seen seen;

static const uint8_t *bth_of(const struct packet *pkt)
{
	return pkt->frame->hdr + pkt->payload - pkt->op->len;
}

/* [ORNIC-WIRE-1] */
static void look_at_ip(const struct packet *pkt)
{
	const uint8_t *udp = bth_of(pkt) - HEADERS_UDP_LEN;
	struct headers headers;
	const uint8_t *ip;

	headers_find(pkt->frame, &headers);
	ip = pkt->frame->hdr + headers.l3_offset;
	if (ip[0] >> 4 == 4) {
		assert_int_equal(ip[0], 0x45);
		/* DF, no MF, no offset */
		assert_int_equal(be_get16(ip + 6), 0x4000);
		assert_int_equal(ip[9], HEADERS_PROTO_UDP);
		assert_ptr_equal(ip + HEADERS_IPV4_LEN, udp);
	} else {
		assert_int_equal(ip[0] >> 4, 6);
		assert_int_equal(ip[6], HEADERS_PROTO_UDP);
		assert_ptr_equal(ip + HEADERS_IPV6_LEN, udp);
	}
	assert_int_equal(be_get16(udp + 2), 4791);
	assert_true(be_get16(udp) >= 0xc000);
	assert_int_equal(be_get16(udp + 6), 0);
}

/* [ORNIC-WIRE-3] */
static void look_at_bth(const struct packet *pkt)
{
	assert_int_equal(be_get16(bth_of(pkt) + 2), 0xffff);
	/* MigReq and TVer */
	assert_int_equal(bth_of(pkt)[1] & 0x4f, 0x40);
}

static bool ends_message(const struct packet *pkt)
{
	switch (pkt->opcode) {
	case OPCODE_RC_SEND_FIRST:
	case OPCODE_RC_SEND_MIDDLE:
	case OPCODE_RC_WRITE_FIRST:
	case OPCODE_RC_WRITE_MIDDLE:
		return false;
	default:
		return true;
	}
}

/* Check each packet of a wire that loses none */
static enum pair_fate look(struct pair *pair, const struct packet *pkt)
{
	look_at_ip(pkt);
	look_at_bth(pkt);
	seen.packets++;
	if (pkt->opcode == OPCODE_RC_ACK) {
		/* [ORNIC-WIRE-21] No credits; the MSN never goes back */
		assert_int_equal(pkt->syndrome, AETH_NO_CREDITS);
		assert_in_range(pkt->msn, seen.msn, seen.requests);
		seen.msn = pkt->msn;
		seen.acks++;
		return PAIR_DELIVER;
	}
	/* [ORNIC-WIRE-14] PSNs are consecutive, modulo 2^24 */
	assert_int_equal(pkt->psn, seen.psn);
	seen.psn = (seen.psn + pkt->npkts) & PSN_MASK;
	if (ends_message(pkt)) {
		assert_true(pkt->ack_req);
		seen.requests++;
	}
	return PAIR_DELIVER;
}

/* Messages of all lengths around the MTU; PSNs wrap at the first of them */
TEST(test_fields_of_packets, struct pair *pair,
     IN_PAIR(pair_setup_rc, bytes), IN_PAIR(pair_setup_rc, v6_vlan))
{
	unsigned int i;

	memset(&seen, 0, sizeof(seen));
	seen.psn = 0xfffffe;
	pair->fate = look;
	for (i = 0; i < 12; i++) {
		struct pair_wr wr = pair_wr_data(A(pair), i & 1 ? ORNIC_WR_SEND :
						 ORNIC_WR_RDMA_WRITE, 0,
						 i * MTU / 2);

		if (i & 1)
			pair_post_recv(B(pair), i, B(pair)->addr, 8 * MTU);
		pair_one(pair, &wr);
		if (i & 1)
			pair_expect(B(pair), i, ORNIC_WC_SUCCESS);
	}
	assert_int_equal(seen.requests, 12);
	/* Each message was waited for, so each has an ACK of its own */
	assert_int_equal(seen.msn, 12);
	assert_true(seen.acks >= 12);
}

/* [ORNIC-WIRE-14] Half of the PSNs are those of the past */
TEST(test_long_message_is_acknowledged_on_its_way, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					 PAIR_BUF_SIZE);

	memset(&seen, 0, sizeof(seen));
	seen.psn = 0xfffffe;
	pair->fate = look;
	pair_fill(A(pair)->buf, PAIR_BUF_SIZE, 1);
	pair_one(pair, &wr);
	pair_check(B(pair)->buf, PAIR_BUF_SIZE, 1);
	assert_true(seen.acks > 1);
}

/* ---- loss ---- */

static enum pair_fate lose_each_fifth(struct pair *pair,
				      const struct packet *pkt)
{
	return ++pair->arg % 5 ? PAIR_DELIVER : PAIR_DROP;
}

/* [ORNIC-WIRE-15] More losses than retries, but each time there is progress */
TEST(test_progress_gives_retries_back, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					 PACKETS * MTU);

	pair_fill(A(pair)->buf, PACKETS * MTU, 6);
	pair->fate = lose_each_fifth;
	pair_send(A(pair), &wr);
	pair_sleep(pair, 1000 * 1000 * 1000);
	pair_expect(A(pair), wr.wr_id, ORNIC_WC_SUCCESS);
	pair_check(B(pair)->buf, PACKETS * MTU, 6);
	assert_true(pair_stat(A(pair), ORNIC_RDMA_STAT_retransmits) > 3);
}

/* [ORNIC-WIRE-15], [ORNIC-WIRE-19] No time passes before the repetition */
TEST(test_sequence_nak_repeats_at_once, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					 8 * MTU);

	pair_fill(A(pair)->buf, 8 * MTU, 6);
	pair->fate = pair_fate_lose_some;
	pair->arg = 1 << 2;
	pair_one(pair, &wr);
	pair_check(B(pair)->buf, 8 * MTU, 6);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_seq_naks_sent, 1);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_seq_naks_received, 1);
	pair_stat_is(A(pair), ORNIC_RDMA_STAT_ack_timeouts, 0);
}

/* Change the memory that the payload of a packet on the wire comes from */
static enum pair_fate scribble(struct pair *pair, const struct packet *pkt)
{
	bool answer = pkt->op->kind == OPCODE_READ_RESP;

	memset(answer ? B(pair)->buf : A(pair)->buf, ++pair->arg, 3000);
	return PAIR_DELIVER;
}

/* [ORNIC-WIRE-2] The ICRC is that of the bytes that leave */
TEST(test_memory_changes_under_a_packet, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint8_t opcodes[] = {
		ORNIC_WR_RDMA_WRITE, ORNIC_WR_SEND, ORNIC_WR_RDMA_READ,
	};
	unsigned int i;

	pair->fate = scribble;
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct pair_wr wr = pair_wr_data(A(pair), opcodes[i], 0, 3000);

		pair_post_recv(B(pair), 1, B(pair)->addr, 3000);
		pair_one(pair, &wr);
		pair_stat_is(A(pair), ORNIC_RDMA_STAT_rx_icrc_errors, 0);
		pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_icrc_errors, 0);
		pair_stat_is(A(pair), ORNIC_RDMA_STAT_retransmits, 0);
	}
}

/* ---- what a card receives ---- */

/* [ORNIC-WIRE-3] A limited member of the default partition may talk to a full one */
TEST(test_limited_member, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct packet pkt = pair_packet(pair, OPCODE_RC_WRITE_ONLY);

	pkt.pkey = 0x7fff;
	pair_inject(pair, &pkt, "12345678", 8);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_wrong_path, 0);
	assert_memory_equal(B(pair)->buf, "12345678", 8);
}

/* [ORNIC-WIRE-3] The QP does not notice */
TEST(test_other_partitions, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const uint16_t pkeys[] = { 1, 0x7ffe, 0x8000, 0xfffe };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pkeys); i++) {
		struct packet pkt = pair_packet(pair, OPCODE_RC_WRITE_ONLY);

		pkt.pkey = pkeys[i];
		pair_inject(pair, &pkt, "12345678", 8);
		pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_wrong_path, i + 1);
	}
	assert_int_equal(*pair_word(B(pair), 0), 0);
	assert_int_equal(pair->packets, 0);
}

/* A frame from A with a WRITE of 8 bytes */
static void write_frame(struct pair *pair, struct frame *frame)
{
	struct packet pkt = pair_packet(pair, OPCODE_RC_WRITE_ONLY);
	struct packet_path path = pair_path(A(pair));

	memset(frame, 0, sizeof(*frame));
	pkt.pkey = PKEY_DEFAULT;
	frame_add(frame, A(pair)->buf, 8);
	packet_finish(frame, &path, &pkt);
}

/* [ORNIC-WIRE-1] A UDP checksum, right or wrong, is not looked at */
TEST(test_udp_checksum_is_not_looked_at, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct headers headers;
	struct frame frame;

	*pair_word(A(pair), 0) = 77;
	write_frame(pair, &frame);
	headers_find(&frame, &headers);
	be_put16(frame.hdr + headers.l4_offset + 6, 0x1234);
	card_rx(B(pair)->host->card, &frame);
	pair_run(pair);
	assert_int_equal(*pair_word(B(pair), 0), 77);
}

/* [ORNIC-WIRE-3] Nor is MigReq */
TEST(test_mig_req_is_not_looked_at, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct headers headers;
	struct frame frame;
	uint8_t wire[128];
	struct iovec iov;
	unsigned int bth;
	uint32_t crc;

	*pair_word(A(pair), 0) = 77;
	write_frame(pair, &frame);
	headers_find(&frame, &headers);
	bth = headers.l4_offset + HEADERS_UDP_LEN;
	frame.hdr[bth + 1] &= ~0x40;
	assert_int_equal(frame_read(&frame, 0, wire, frame_len(&frame)), 0);
	iov.iov_base = wire + bth + BTH_LEN;
	iov.iov_len = frame_len(&frame) - bth - BTH_LEN - ICRC_LEN;
	crc = htole32(icrc(wire + headers.l3_offset, &iov, 1));
	memcpy(frame.trailer + frame.trailer_len - ICRC_LEN, &crc, ICRC_LEN);
	card_rx(B(pair)->host->card, &frame);
	pair_run(pair);
	assert_int_equal(*pair_word(B(pair), 0), 77);
}

/* [ORNIC-WIRE-2], [ORNIC-WIRE-12] One bit of the ICRC, one byte of the length */
TEST(test_broken_packets, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct headers headers;
	struct frame frame;
	unsigned int bit;

	*pair_word(A(pair), 0) = 77;
	for (bit = 0; bit < 32; bit++) {
		write_frame(pair, &frame);
		frame.trailer[frame.trailer_len - 4 + bit / 8] ^= 1 << bit % 8;
		card_rx(B(pair)->host->card, &frame);
		pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_icrc_errors, bit + 1);
	}
	write_frame(pair, &frame);
	headers_find(&frame, &headers);
	/* A UDP length with which the packet is no multiple of 4 bytes */
	frame.hdr[headers.l4_offset + 5]--;
	card_rx(B(pair)->host->card, &frame);
	pair_run(pair);
	assert_int_equal(*pair_word(B(pair), 0), 0);
	assert_int_equal(pair->packets, 0);
}

/* An answer from B to A's QP */
static void answer(struct pair *pair, uint8_t syndrome, uint32_t psn)
{
	struct packet_path path = pair_path(B(pair));
	struct packet pkt = {
		.opcode = OPCODE_RC_ACK,
		.pkey = PKEY_DEFAULT,
		.npkts = 1,
		.dqpn = A(pair)->qp.num,
		.psn = psn,
		.syndrome = syndrome,
	};
	struct frame frame = {};

	packet_finish(&frame, &path, &pkt);
	card_rx(A(pair)->host->card, &frame);
	pair_run(pair);
}

/* [ORNIC-WIRE-17] Each NAK code that ends a request */
TEST(test_naks, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	static const struct {
		uint8_t code;
		uint8_t status;
	} naks[] = {
		{ NAK_INVALID_REQUEST, ORNIC_WC_REM_INV_REQ_ERR },
		{ NAK_REMOTE_ACCESS, ORNIC_WC_REM_ACCESS_ERR },
		{ NAK_REMOTE_OPERATION, ORNIC_WC_REM_OP_ERR },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(naks); i++) {
		struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE,
						 0, 8);

		pair->fate = pair_fate_lose_all;
		wr.wr_id = 1;
		pair_post(A(pair), &wr);
		wr.wr_id = 2;
		pair_send(A(pair), &wr);
		answer(pair, AETH_NAK | naks[i].code, 0xfffffe);
		pair_expect(A(pair), 1, naks[i].status);
		pair_expect(A(pair), 2, ORNIC_WC_WR_FLUSH_ERR);
		pair_state_is(A(pair), ORNIC_QPS_ERR);
		pair->fate = NULL;
		pair_again(pair);
	}
}

/* [ORNIC-WIRE-21] The requester sends without credits, and with 0 of them */
TEST(test_credits_are_not_looked_at, struct pair *pair, IN_PAIR_BOTH(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 8);
	unsigned int i;

	pair->fate = pair_fate_lose_all;
	for (i = 0; i < 4; i++) {
		wr.wr_id = i;
		pair_send(A(pair), &wr);
		answer(pair, AETH_ACK, (0xfffffe + i) & PSN_MASK);
		pair_expect(A(pair), i, ORNIC_WC_SUCCESS);
	}
	assert_int_equal(pair->packets, 4);
}

/* [ORNIC-WIRE-22] The times by code, units of 10 us */
TEST_VOID(test_rnr_times)
{
	static const uint32_t times[] = {
		65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
		12288, 16384, 24576, 32768, 49152,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(times); i++)
		assert_int_equal(rnr_ns(i), times[i] * 10000ULL);
}

/* ---- packets that are not made ---- */

/* Counters of what one side sends and the other receives */
struct counts {
	uint64_t num[8];
};

static struct counts count(struct side *from, struct side *to)
{
	const struct stats *out = &from->host->card->stats;
	const struct stats *in = &to->host->card->stats;

	return (struct counts){ {
		out->rdma[ORNIC_RDMA_STAT_tx_packets],
		out->rdma[ORNIC_RDMA_STAT_tx_bytes],
		out->port[ORNIC_PORT_STAT_tx_frames],
		out->port[ORNIC_PORT_STAT_tx_bytes],
		in->rdma[ORNIC_RDMA_STAT_rx_packets],
		in->rdma[ORNIC_RDMA_STAT_rx_bytes],
		in->port[ORNIC_PORT_STAT_rx_frames],
		in->port[ORNIC_PORT_STAT_rx_bytes],
	} };
}

static void exercise(struct pair *pair, unsigned int opcode)
{
	static const uint32_t lens[] = { 0, 1, 1024, 1025, 100001 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		bool atomic = opcode == ORNIC_WR_ATOMIC_FETCH_ADD;
		struct pair_wr wr = pair_wr_data(A(pair), opcode, 0,
						 atomic ? 8 : lens[i]);

		if (opcode == ORNIC_WR_SEND)
			pair_post_recv(B(pair), 1, B(pair)->addr, 1 << 20);
		pair_one(pair, &wr);
		if (opcode == ORNIC_WR_SEND)
			pair_expect(B(pair), 1, ORNIC_WC_SUCCESS);
	}
}

static void compare(const struct counts *local, const struct counts *bytes)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(local->num); i++)
		if (local->num[i] != bytes->num[i])
			fail_msg("counter %u: %llu, %llu with bytes", i,
				 (unsigned long long)local->num[i],
				 (unsigned long long)bytes->num[i]);
}

/*
 * [ORNIC-WIRE-5], [ORNIC-DEV-14] Whether packets are made or not, they are
 * counted. ACKs are left out: a responder may acknowledge more or fewer at once.
 */
static void counters_do_not_tell(int (*setup)(void **state))
{
	static const struct pair_config *const configs[] = {
		&pair_config_local, &pair_config_bytes,
	};
	struct counts answers[2], requests[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		void *state = (void *)configs[i];
		struct pair *pair;

		assert_int_equal(setup(&state), 0);
		pair = state;
		exercise(pair, ORNIC_WR_RDMA_READ);
		exercise(pair, ORNIC_WR_ATOMIC_FETCH_ADD);
		answers[i] = count(B(pair), A(pair));
		exercise(pair, ORNIC_WR_RDMA_WRITE);
		exercise(pair, ORNIC_WR_SEND);
		requests[i] = count(A(pair), B(pair));
		pair_teardown(&state);
	}
	compare(&answers[0], &answers[1]);
	compare(&requests[0], &requests[1]);
}

TEST_VOID(test_counters_do_not_tell)
{
	counters_do_not_tell(pair_setup_rc);
}

TEST_VOID(test_counters_do_not_tell_of_xrc)
{
	counters_do_not_tell(pair_setup_xrc);
}

static void bind_stats(struct side *side, uint32_t set)
{
	struct ornic_bind_stats_in in = {
		.qpn = htole32(side->qp.num), .set = htole32(set),
	};

	host_cmd_in_ok(side->host, ORNIC_CMD_BIND_STATS, &in);
}

static void set_is(struct side *side, uint32_t set, const uint64_t *expected)
{
	struct ornic_query_stats_in in = {
		.scope = htole32(ORNIC_STATS_SET), .num = htole32(set),
	};
	uint64_t val[ORNIC_QP_STAT_COUNT];

	host_cmd_ok(side->host, ORNIC_CMD_QUERY_STATS, &in, &val);
	assert_memory_equal(val, expected, sizeof(val));
}

#define RDMA_STAT_OF(name) ORNIC_RDMA_STAT_##name,

/* All sets together have what the card has */
static void sets_are_all(struct side *side)
{
	static const unsigned int names[] = { ORNIC_QP_STATS(RDMA_STAT_OF) };
	const struct stats *stats = &side->host->card->stats;
	unsigned int i, set;
	uint64_t sum;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		sum = 0;
		for (set = 0; set < STATS_SETS; set++)
			sum += stats->set[set][i];
		assert_int_equal(sum, stats->rdma[names[i]]);
	}
}

/*
 * [ORNIC-DEV-20] A message of two packets, of which the first is lost once, and its ACK
 * are counted in the set that the QP is bound to, and in no other
 */
TEST(test_sets_of_statistics, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	static const uint64_t nothing[ORNIC_QP_STAT_COUNT];
	static const uint64_t lossless[ORNIC_QP_STAT_COUNT] = {
		[ORNIC_QP_STAT_tx_packets] = 2,
		[ORNIC_QP_STAT_tx_bytes] = MTU + 1,
		[ORNIC_QP_STAT_rx_packets] = 1,
	};
	static const uint64_t lossy[ORNIC_QP_STAT_COUNT] = {
		[ORNIC_QP_STAT_tx_packets] = 4,
		[ORNIC_QP_STAT_tx_bytes] = 2 * (MTU + 1),
		[ORNIC_QP_STAT_rx_packets] = 2,
		[ORNIC_QP_STAT_retransmits] = 2,
		[ORNIC_QP_STAT_seq_naks_received] = 1,
	};
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0,
					 MTU + 1);
	struct ornic_bind_stats_in bad = {
		.qpn = htole32(A(pair)->qp.num), .set = htole32(STATS_SETS),
	};
	struct pair_wr back = pair_wr_data(B(pair), ORNIC_WR_RDMA_WRITE, 0, 1);
	uint32_t last = STATS_SETS - 1;

	pair_one(pair, &wr);
	set_is(A(pair), 0, lossless);
	bind_stats(A(pair), last);
	pair->fate = pair_fate_lose_some;
	pair->arg = 1;
	pair_one(pair, &wr);
	set_is(A(pair), 0, lossless);
	set_is(A(pair), last, lossy);
	set_is(A(pair), 1, nothing);
	bind_stats(A(pair), 1);
	pair_one(pair, &wr);
	set_is(A(pair), last, lossy);
	set_is(A(pair), 1, lossless);
	sets_are_all(A(pair));
	sets_are_all(B(pair));

	host_cmd_in_is(A(pair)->host, ORNIC_CMD_BIND_STATS, &bad,
		       ORNIC_CMD_BAD_PARAM);
	bad.set = 0;
	bad.qpn = htole32(A(pair)->qp.num + 1);
	host_cmd_in_is(A(pair)->host, ORNIC_CMD_BIND_STATS, &bad,
		       ORNIC_CMD_BAD_OBJECT);
	pair_state(A(pair), ORNIC_QPS_ERR);
	bind_stats(A(pair), 0);
	pair_state(A(pair), ORNIC_QPS_RESET);
	bind_stats(A(pair), 1);
	/* Its packets are for nobody, and B repeats its own */
	pair_send(B(pair), &back);
	pair_sleep(pair, 1000 * 1000 * 1000);
	assert_true(pair_stat(A(pair), ORNIC_RDMA_STAT_rx_unknown_qp) > 0);
	sets_are_all(A(pair));
	sets_are_all(B(pair));
}

TEST_MAIN("wire")
