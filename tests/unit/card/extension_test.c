// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers, bits and space that version 1.0 keeps free for later extensions
 * (hardware.rst, section 17.2): a card that does not know them refuses or
 * ignores them, as the rules say. tests/documents compares the tables here with
 * the table there.
 */
#include "card/card.h"
#include "eth/headers.h"
#include "kit.h"
#include "pair.h"
#include "roce/icrc.h"
#include "rxq.h"

/* Features that no card of version 1.0 announces */
static const uint8_t ext_features[] = {
	11, 12, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
};

/* First and last number of commands that are reserved */
static const uint16_t ext_commands[][2] = {
	{ 0x018, 0x01b }, { 0x053, 0x055 }, { 0x0e0, 0x0e3 },
	{ 0x0f0, 0x0f3 }, { 0x100, 0x10f }, { 0x110, 0x11f },
	{ 0x120, 0x123 },
};

/* Opcodes of packets that are reserved */
static const struct {
	uint8_t opcode;
	enum ornic_rdma_stat counter;
} ext_packets[] = {
	{ 0x81, ORNIC_RDMA_STAT_rx_cnps },
	{ 0xd1, ORNIC_RDMA_STAT_rx_malformed },
	{ 0xf1, ORNIC_RDMA_STAT_rx_malformed },
};

/* First and last register that is reserved */
static const uint16_t ext_registers[2] = { 0x100, 0x11f };

#define EXT_ACCESS_ON_DEMAND	(1u << 6)
#define EXT_MR_DM		6
#define EXT_BUF_LEVELS		4
#define EXT_SRQ_TM		(1u << 2)
#define EXT_CQ_WIRE_TIME	(1u << 1)
#define EXT_DB_TM		16
#define EXT_ATTR_CONGESTION	(1u << 28)
#define EXT_ATTR_REPEAT		(1u << 29)

/* [ORNIC-ROOM-1] */
TEST(test_features_are_not_announced, struct host *host, IN_HOST)
{
	struct ornic_query_device_out out;
	unsigned int i;

	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &out);
	for (i = 0; i < ARRAY_SIZE(ext_features); i++)
		assert_false(le64toh(out.features) >> ext_features[i] & 1);
	assert_false(le32toh(out.access_flags) & EXT_ACCESS_ON_DEMAND);
}

/* [ORNIC-ROOM-3], [ORNIC-DEV-1], [ORNIC-EXT-4] */
TEST(test_commands_are_unknown, struct host *host, IN_HOST)
{
	uint8_t in[64] = {}, out[64];
	unsigned int i, opcode, count = 0;

	for (i = 0; i < ARRAY_SIZE(ext_commands); i++) {
		for (opcode = ext_commands[i][0]; opcode <= ext_commands[i][1];
		     opcode++, count += 2) {
			host_cmd_raw_is(host, opcode, NULL, 0, NULL, 0, ORNIC_CMD_BAD_OPCODE);
			host_cmd_raw_is(host, opcode, in, sizeof(in), out, sizeof(out),
					ORNIC_CMD_BAD_OPCODE);
			assert_int_equal(host->out_len, 0);
		}
	}
	host_device_stat_is(host, ORNIC_DEVICE_STAT_commands_refused, count);
}

/* [ORNIC-ROOM-3] A command with a number for the new object */
TEST(test_submissions_have_no_number, struct host *host, IN_HOST)
{
	struct ornic_cmd_sqe *ring = host_ptr(host, host->admin_sq);
	uint64_t used = host->card->uctxs.count;
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		uint32_t at = host->admin_pi &
			      ((1u << HOST_ADMIN_LOG_DEPTH) - 1);

		host_submit(host, ORNIC_CMD_ALLOC_UCTX, NULL, 0);
		/* The card has not run, so the entry is still the host's */
		ring[at].rsvd = htole32(1u << bit);
		host_run(host);
		assert_int_equal(host_completed(host), ORNIC_CMD_BAD_PARAM);
	}
	assert_int_equal(host->card->uctxs.count, used);
}

/* [ORNIC-ROOM-3] */
TEST(test_flags_of_objects, struct host *host, IN_HOST)
{
	uint32_t pdn = host_pd(host);
	uint64_t at = host_alloc(host, HOST_PAGE, HOST_PAGE);
	struct ornic_create_mr_in mr = {
		.pdn = htole32(pdn),
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.length = htole64(HOST_PAGE),
	};
	struct ornic_create_mr_out key;

	host_buf(&mr.buf, at, HOST_PAGE);
	host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &mr, &key);
	host_refused(host, ORNIC_CMD_CREATE_MR, mr, type, EXT_MR_DM, &key,
		     ORNIC_CMD_BAD_PARAM);
	host_refused(host, ORNIC_CMD_CREATE_MR, mr, access,
		     htole32(EXT_ACCESS_ON_DEMAND | ORNIC_ACCESS_LOCAL_WRITE),
		     &key, ORNIC_CMD_BAD_PARAM);
	host_refused(host, ORNIC_CMD_CREATE_MR, mr, buf.levels, EXT_BUF_LEVELS,
		     &key, ORNIC_CMD_BAD_PARAM);
}

/* [ORNIC-ROOM-3] */
TEST(test_flags_of_queues, struct kit *kit, IN_KIT)
{
	struct host *host = kit->host;
	uint64_t at = host_alloc(host, 2 * HOST_PAGE, HOST_PAGE);
	struct ornic_create_cq_in cq = {
		.uctx = htole32(kit->uctx),
		.eqn = htole32(kit->eq.num),
		.log_size = 1,
		.log_cqe_size = 6,
		.dbr_addr = htole64(at + HOST_PAGE),
	};
	struct ornic_create_srq_in srq = {
		.pdn = htole32(host_pd(host)),
		.log_wqes = 1,
		.stride_shift = 5,
		.dbr_addr = htole64(at + HOST_PAGE + 128),
	};
	struct ornic_object out;

	host_buf(&cq.buf, at, HOST_PAGE);
	host_buf(&srq.buf, at, HOST_PAGE);
	host_refused(host, ORNIC_CMD_CREATE_CQ, cq, flags,
		     htole32(EXT_CQ_WIRE_TIME), &out, ORNIC_CMD_BAD_PARAM);
	host_refused(host, ORNIC_CMD_CREATE_SRQ, srq, flags,
		     htole32(EXT_SRQ_TM), &out, ORNIC_CMD_BAD_PARAM);
	host_cmd_ok(host, ORNIC_CMD_CREATE_CQ, &cq, &out);
	host_cmd_ok(host, ORNIC_CMD_CREATE_SRQ, &srq, &out);
}

/* [ORNIC-ROOM-3], [ORNIC-BUF-3] Each level of a tree of pages */
TEST(test_bits_of_page_addresses, struct host *host, IN_HOST)
{
	uint64_t page = host_alloc(host, HOST_PAGE, HOST_PAGE);
	uint64_t index = host_alloc(host, 3 * HOST_PAGE, HOST_PAGE);
	struct ornic_create_mr_in in = {
		.pdn = htole32(host_pd(host)),
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.length = htole64(HOST_PAGE),
	};
	struct ornic_create_mr_out out;
	unsigned int level, wrong, bit;
	__le64 *entry[3];

	for (level = 0; level < 3; level++)
		entry[level] = host_ptr(host, index + level * HOST_PAGE);
	host_buf(&in.buf, index, HOST_PAGE);
	for (level = 1; level <= 3; level++) {
		in.buf.levels = level;
		for (wrong = 0; wrong < level; wrong++) {
			unsigned int i;

			for (i = 0; i + 1 < level; i++)
				*entry[i] = htole64(index +
						    (i + 1) * HOST_PAGE);
			*entry[level - 1] = htole64(page);
			host_cmd_ok(host, ORNIC_CMD_CREATE_MR, &in, &out);
			for (bit = 0; bit < 12; bit++) {
				*entry[wrong] ^= htole64(1u << bit);
				host_cmd_is(host, ORNIC_CMD_CREATE_MR, &in,
					    &out, ORNIC_CMD_BAD_PARAM);
				*entry[wrong] ^= htole64(1u << bit);
			}
		}
	}
}

/* [ORNIC-ROOM-3] Rates are for RAW_PACKET; [ORNIC-ROOM-3] */
TEST(test_attributes, struct pair *pair, IN_PAIR(pair_setup_rc, local))
{
	struct ornic_qp_attr attr = { .rate_limit = htole32(1000) }, got;
	unsigned int i;

	pair_modify_is(A(pair), ORNIC_QP_ATTR_RATE_LIMIT, &attr, ORNIC_CMD_BAD_PARAM);
	memset(&attr, 0, sizeof(attr));
	pair_modify_is(A(pair), EXT_ATTR_CONGESTION, &attr, ORNIC_CMD_BAD_PARAM);
	pair_modify_is(A(pair), EXT_ATTR_REPEAT, &attr, ORNIC_CMD_BAD_PARAM);
	for (i = 0; i < sizeof(attr.rsvd2); i++) {
		attr.rsvd2[i] = 1;
		pair_modify_is(A(pair), 0, &attr, ORNIC_CMD_BAD_PARAM);
		attr.rsvd2[i] = 0;
	}
	pair_modify_ok(A(pair), 0, &attr);
	memset(&got, 0xff, sizeof(got));
	pair_query(A(pair), &got);
	for (i = 0; i < sizeof(got.rsvd2); i++)
		assert_int_equal(got.rsvd2[i], 0);
}

static void expect_words(struct host_qp *qp, uint32_t word)
{
	struct ornic_qp_dbr *dbr = host_qp_dbr(qp);

	assert_int_equal(guest_load32(&dbr->sq_pi), word);
	assert_int_equal(guest_load32(&dbr->sq_ci), word);
	assert_int_equal(guest_load32(&dbr->sq_watched), word);
}

static void set_words(struct host_qp *qp, uint32_t word)
{
	struct ornic_qp_dbr *dbr = host_qp_dbr(qp);

	guest_store32(&dbr->sq_pi, word);
	guest_store32(&dbr->sq_ci, word);
	guest_store32(&dbr->sq_watched, word);
}

/*
 * [ORNIC-ROOM-3] The words have no effect, and the card leaves them as they are
 * in all that an SRQ does
 */
TEST(test_words_of_an_srq, struct pair *pair, IN_PAIR(pair_setup_rc_srq, local))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_SEND, 0, 8);
	struct side *b = B(pair);
	struct ornic_modify_srq_in limit = { .srqn = htole32(b->srq.num),
					     .limit = htole32(1) };

	set_words(&b->srq, 0x5a5a5a5a);
	pair_post_recv(b, 1, b->addr, 8);
	host_doorbell(b->host, b->uctx, ORNIC_DB_SQ, b->srq.num, 0x5a5a5a5a);
	pair_one(pair, &wr);
	pair_expect(b, 1, ORNIC_WC_SUCCESS);
	host_cmd_in_ok(b->host, ORNIC_CMD_MODIFY_SRQ, &limit);
	pair_sleep(pair, 20 * 1000 * 1000);
	expect_words(&b->srq, 0x5a5a5a5a);
	pair_state(b, ORNIC_QPS_RESET);
	expect_words(&b->srq, 0x5a5a5a5a);
	host_device_stat_is(b->host, ORNIC_DEVICE_STAT_bad_sq_pi, 0);
}

/* [ORNIC-ROOM-3] A WQ in each state */
TEST(test_words_of_a_wq, struct raw *w, IN_RAW_PROCESS)
{
	static const uint8_t states[] = {
		ORNIC_WQS_RDY, ORNIC_WQS_ERR, ORNIC_WQS_RESET, ORNIC_WQS_RDY,
	};
	struct host_qp wq;
	unsigned int i;

	rxq_create_wq(w, &wq, 0, 0);
	set_words(&wq, 0x5a5a5a5a);
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		rxq_modify(w, &wq, states[i]);
		rxq_deliver_any(w, rxq_find(w, &wq));
		expect_words(&wq, 0x5a5a5a5a);
	}
}

/* [ORNIC-ROOM-3] */
TEST(test_doorbells, struct kit *kit, IN_KIT)
{
	struct host *host = kit->host;
	uint64_t types, pages;
	unsigned int offset;

	types = host_device_stat(host, ORNIC_DEVICE_STAT_bad_doorbell_type);
	pages = host_device_stat(host, ORNIC_DEVICE_STAT_bad_doorbell_page);
	host_doorbell(host, 0, EXT_DB_TM, kit->cq.num, 1);
	host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_doorbell_type, ++types);
	for (offset = 8; offset < HOST_PAGE; offset += 8) {
		card_bar_write(host->card, ORNIC_BAR_DB, offset, 8,
			       (uint64_t)ORNIC_DB_CQ << 56 |
			       (uint64_t)kit->cq.num << 32 | ORNIC_ARM_NEXT);
		host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_doorbell_page, ++pages);
	}
	kit_complete(kit, 1, ORNIC_WC_SUCCESS, false);
	host_run(host);
	kit_expect_no_event(kit);
}

/* [ORNIC-ROOM-3] */
TEST(test_registers, struct host *host, IN_HOST)
{
	uint64_t count = host_device_stat(host,
				ORNIC_DEVICE_STAT_bad_register_access);
	unsigned int at;

	for (at = ext_registers[0]; at <= ext_registers[1]; at += 4) {
		host_write(host, at, 4, ~0U);
		host_read_is(host, at, 4, 0);
		count += 2;
		host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_register_access, count);
	}
}

/* [ORNIC-ROOM-4] A card without numbers of a maker's own knows none of them */
TEST(test_makers_numbers, struct host *host, IN_HOST)
{
	uint64_t bad = host_device_stat(host, ORNIC_DEVICE_STAT_bad_register_access);
	struct ornic_query_device_out out;
	unsigned int n;

	host_cmd_out_ok(host, ORNIC_CMD_QUERY_DEVICE, &out);
	assert_int_equal(le64toh(out.features) >> 56, 0);
	assert_int_equal(le64toh(out.send_ops[3]) >> 48, 0);
	for (n = 0xc00; n <= 0xcff; n++)
		host_cmd_raw_is(host, n, NULL, 0, NULL, 0, ORNIC_CMD_BAD_OPCODE);
	for (n = 0x4000; n < 0x8000; n += 0x100) {
		host_write(host, n, 4, ~0U);
		host_read_is(host, n, 4, 0);
		bad += 2;
	}
	host_device_stat_is(host, ORNIC_DEVICE_STAT_bad_register_access, bad);
}

/* A packet with any opcode, with a correct ICRC */
static void inject(struct pair *pair, uint8_t opcode, uint32_t len)
{
	struct packet pkt = pair_packet(pair, OPCODE_RC_WRITE_ONLY);
	struct packet_path path = pair_path(A(pair));
	struct iovec iov[FRAME_IOV_MAX + 2];
	struct frame frame = {};
	struct headers headers;
	uint32_t crc, from;
	int count;

	pkt.pkey = PKEY_DEFAULT;
	pkt.dma_len = len;
	frame_add(&frame, A(pair)->buf, len);
	packet_finish(&frame, &path, &pkt);
	headers_find(&frame, &headers);
	from = headers.l4_offset + HEADERS_UDP_LEN;
	frame.hdr[from] = opcode;
	from += BTH_LEN;
	count = frame_iov(&frame, from, frame_len(&frame) - from - ICRC_LEN,
			  iov, ARRAY_SIZE(iov));
	assert_true(count >= 0);
	crc = htole32(icrc(frame.hdr + headers.l3_offset, iov, count));
	memcpy(frame.trailer + frame.trailer_len - ICRC_LEN, &crc, ICRC_LEN);
	card_rx(B(pair)->host->card, &frame);
	pair_run(pair);
}

/* [ORNIC-ROOM-3] Neither the QP nor its peer notices */
TEST(test_packets, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct pair_wr wr = pair_wr_data(A(pair), ORNIC_WR_RDMA_WRITE, 0, 64);
	struct side *b = B(pair);
	struct ornic_qp_attr before, after;
	unsigned int i, sent = pair->packets;

	pair_query(b, &before);
	for (i = 0; i < ARRAY_SIZE(ext_packets); i++) {
		uint64_t counted = pair_stat(b, ext_packets[i].counter);

		inject(pair, ext_packets[i].opcode, 16);
		pair_stat_is(b, ext_packets[i].counter, counted + 1);
	}
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_cnps, 1);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_malformed, 2);
	pair_stat_is(b, ORNIC_RDMA_STAT_rx_packets, 0);
	pair_query(b, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(pair->packets, sent);
	assert_int_equal(pair_event(b), 0);
	pair_fill(A(pair)->buf, 64, 3);
	pair_one(pair, &wr);
	pair_check(b->buf, 64, 3);
}

/* Reserved bits of the BTH that a frame has, and the ECN bits of IP */
struct seen {
	uint8_t bth4;
	uint8_t bth8;
	uint8_t ecn;
	unsigned int packets;
};

static struct seen seen;

static enum pair_fate look(struct pair *pair, const struct packet *pkt)
{
	const uint8_t *bth = pkt->frame->hdr + pkt->payload - pkt->op->len;
	struct headers headers;
	const uint8_t *ip;

	headers_find(pkt->frame, &headers);
	ip = pkt->frame->hdr + headers.l3_offset;
	seen.bth4 |= bth[4];
	seen.bth8 |= bth[8] & 0x7f;
	seen.ecn |= ip[0] >> 4 == 4 ? ip[1] & 3 : ip[1] >> 4 & 3;
	seen.packets++;
	return PAIR_DELIVER;
}

/* [ORNIC-ROOM-3] As sender; the path of the pair has ECN bits 2 */
TEST(test_reserved_bits_are_sent_as_0, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	static const uint8_t opcodes[] = {
		ORNIC_WR_RDMA_WRITE, ORNIC_WR_RDMA_READ,
		ORNIC_WR_ATOMIC_FETCH_ADD,
	};
	struct pair_wr wr;
	unsigned int i;

	memset(&seen, 0, sizeof(seen));
	pair->fate = look;
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		wr = pair_wr_data(A(pair), opcodes[i], 0, 8);
		pair_one(pair, &wr);
	}
	assert_true(seen.packets >= 2 * ARRAY_SIZE(opcodes));
	assert_int_equal(seen.bth4, 0);
	assert_int_equal(seen.bth8, 0);
	assert_int_equal(seen.ecn, 2);
}

/* [ORNIC-ROOM-3] As receiver. [ORNIC-WIRE-4] This card ignores FECN and BECN, too. */
TEST(test_reserved_bits_are_not_looked_at, struct pair *pair, IN_PAIR_ALL(pair_setup_rc))
{
	struct packet pkt;
	unsigned int bit;

	for (bit = 0; bit < 15; bit++) {
		uint8_t byte = bit + 1;

		pkt = pair_packet(pair, OPCODE_RC_WRITE_ONLY);
		pkt.dma_len = 1;
		/* 8 bits above the QPN, 7 above the PSN */
		if (bit < 8)
			pkt.dqpn |= 1u << (24 + bit);
		else
			pkt.psn |= 1u << (24 + bit - 8);
		pair_inject(pair, &pkt, &byte, 1);
		assert_int_equal(B(pair)->buf[0], byte);
	}
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_malformed, 0);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_unknown_qp, 0);
	pair_stat_is(B(pair), ORNIC_RDMA_STAT_rx_icrc_errors, 0);
}

TEST_MAIN("extension")
