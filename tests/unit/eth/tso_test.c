// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* TCP segmentation ([ORNIC-SQ-30], [ORNIC-SQ-31], [ORNIC-SQ-32]) */
#include "base/be.h"
#include "card/card.h"
#include "eth/csum.h"
#include "eth/headers.h"
#include "eth/tso.h"
#include "queues/qp.h"
#include "raw.h"

#define MSS 1000
#define PAYLOAD_MAX (4 * RAW_BUF_LEN)
#define SEQ 0xfffffc00u
#define ID 0xffff
#define FLAGS 0x99	/* CWR, ACK, PSH, FIN */
#define SLOTS 64	/* of the send rings of raw.c */

/* A TSO request; a test changes some of its fields */
struct tso_wr {
	uint8_t hdr[256];
	unsigned int hdr_len;
	unsigned int mss;
	uint32_t len;
	uint64_t addr;
	unsigned int flags;
	unsigned int eth_flags;
	unsigned int opcode;
};

/* Ethernet, optionally a tag, IPv4 or IPv6, TCP with 12 bytes of options */
static struct tso_wr make(struct raw *w, bool v6, bool tag, uint32_t len)
{
	struct tso_wr wr = { .mss = MSS, .len = len, .addr = w->data,
			     .opcode = ORNIC_WR_TSO };
	uint8_t *p = wr.hdr + 12, *payload = host_ptr(w->host, w->data);
	unsigned int i;

	memset(wr.hdr, 0xff, 6);
	if (tag) {
		be_put16(p, 0x8100);
		be_put16(p + 2, 0x2042);
		p += 4;
	}
	be_put16(p, v6 ? 0x86dd : 0x0800);
	p += 2;
	if (v6) {
		p[0] = 0x60;
		p[6] = HEADERS_PROTO_TCP;
		p[7] = 64;
		p[8] = 0xfd;
		p[24] = 0xfd;
		p += 40;
	} else {
		p[0] = 0x45;
		be_put16(p + 4, ID);
		be_put16(p + 6, 0x4000);
		p[8] = 64;
		p[9] = HEADERS_PROTO_TCP;
		p[12] = 10;
		p[16] = 10;
		p[19] = 2;
		p += 20;
	}
	be_put16(p, 1234);
	be_put16(p + 2, 80);
	be_put16(p + 4, SEQ >> 16);
	be_put16(p + 6, SEQ & 0xffff);
	p[12] = 8 << 4;
	p[13] = FLAGS;
	wr.hdr_len = p + 32 - wr.hdr;
	for (i = 0; i < PAYLOAD_MAX; i++)
		payload[i] = i * 7 + i / 256;
	return wr;
}

static void publish(struct raw *w, const struct tso_wr *wr)
{
	struct host_qp *qp = &w->qp[0];
	unsigned int aligned = wr->hdr_len > ORNIC_TSO_HDR_MAX ?
				       0 : (wr->hdr_len + 15) & ~15u;
	uint32_t first = wr->len / 3;
	uint8_t wqe[512] = {};
	struct ornic_sq_hdr hdr = {
		.wr_id = htole64(77),
	};
	struct ornic_route_eth route = {
		.flags = htole16(wr->eth_flags),
		.vlan_tci = htole16(0x6123),
		.csum_start = htole16(0xffff),
		.mss = htole16(wr->mss),
		.hdr_len = htole16(wr->hdr_len),
	};
	struct ornic_sge sge[2] = {
		{ htole64(wr->addr), htole32(first), htole32(w->key) },
		{ htole64(wr->addr + first), htole32(wr->len - first),
		  htole32(w->key) },
	};
	/* With INLINE the count is in bytes */
	unsigned int i, len = 32 + aligned + (wr->flags & ORNIC_SEND_INLINE ?
						      2 : sizeof(sge));

	hdr.ctrl = htole32(ORNIC_SQ_CTRL(wr->opcode,
					 ORNIC_SEND_SIGNALED | wr->flags, len));
	memcpy(wqe, &hdr, sizeof(hdr));
	memcpy(wqe + 16, &route, sizeof(route));
	memcpy(wqe + 32, wr->hdr, aligned);
	memcpy(wqe + 32 + aligned, sge, sizeof(sge));
	for (i = 0; i < len; i += 64)
		memcpy(host_ptr(w->host,
				qp->sq + qp->sq_pi++ % SLOTS * 64),
		       wqe + i, 64);
	guest_store32(&host_qp_dbr(qp)->sq_pi, qp->sq_pi);
	host_doorbell(w->host, qp->uctx, ORNIC_DB_SQ, qp->num, qp->sq_pi);
}

static void post(struct raw *w, const struct tso_wr *wr)
{
	publish(w, wr);
	host_run(w->host);
}

/* Expect a frame with this part of the payload and its headers */
static void check_segment(struct raw *w, const struct tso_wr *wr,
			  unsigned int offset, unsigned int len)
{
	const uint8_t *payload = host_ptr(w->host, w->data);
	bool last = offset + len == wr->len;
	unsigned int tag = wr->eth_flags & ORNIC_ETH_TX_VLAN_INSERT ? 4 : 0;
	struct frame *frame = raw_sent(w);
	unsigned int hdr_len = wr->hdr_len + tag;
	const uint8_t *ip, *tcp;
	uint8_t got[1600];
	struct headers headers;

	assert_int_equal(frame_len(frame), hdr_len + len);
	headers_find(frame, &headers);
	assert_int_equal(headers.l4, HEADERS_PROTO_TCP);
	assert_int_equal(headers.l3_end, frame_len(frame));
	assert_true(csum_ip_ok(frame, &headers));
	assert_true(csum_l4_ok(frame, &headers));
	frame_read(frame, 0, got, hdr_len + len);
	assert_memory_equal(got + hdr_len, payload + offset, len);
	ip = got + headers.l3_offset;
	tcp = got + headers.l4_offset;
	if (headers.l3 == 4)
		assert_int_equal(be_get16(ip + 4),
				 (uint16_t)(ID + offset / wr->mss));
	assert_int_equal((uint32_t)be_get16(tcp + 4) << 16 |
			 be_get16(tcp + 6), (uint32_t)(SEQ + offset));
	assert_int_equal(tcp[13], 0x10 | (offset ? 0 : 0x80) |
				  (last ? 0x09 : 0));
	if (tag)
		assert_int_equal(headers.vlan_tci, 0x6123);
	assert_memory_equal(got, wr->hdr, 12);
	raw_done(w, frame);
}

static void check_all(struct raw *w, const struct tso_wr *wr)
{
	unsigned int offset;

	for (offset = 0; offset < wr->len; offset += wr->mss)
		check_segment(w, wr, offset, wr->len - offset < wr->mss ?
					     wr->len - offset : wr->mss);
	assert_true(list_empty(&w->host->wire));
}

static void expect_done(struct raw *w)
{
	const struct ornic_cqe *cqe = raw_cqe(w);

	assert_int_equal(le32toh(cqe->status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe->opcode), ORNIC_WC_TSO);
	assert_int_equal(le64toh(cqe->wr_id), 77);
	assert_null(host_queue_peek(&w->cq));
}

/* [ORNIC-SQ-30] */
TEST(test_segments, struct raw *w, IN_RAW)
{
	static const uint32_t lens[] = { 1, MSS - 1, MSS, MSS + 1, 3 * MSS,
					 10 * MSS + 17 };
	unsigned int i, how;

	for (how = 0; how < 8; how++) {
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			struct tso_wr wr = make(w, how & 1, how & 2, lens[i]);

			/* The other fields of the route are ignored */
			wr.eth_flags = ORNIC_ETH_TX_L4_CSUM;
			if (how & 4)
				wr.eth_flags |= ORNIC_ETH_TX_VLAN_INSERT;
			if (how == 6 || how == 7)
				continue;
			post(w, &wr);
			check_all(w, &wr);
			expect_done(w);
		}
	}
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_errors, 0);
}

/* [ORNIC-SQ-30] The checksum of TCP may be 0, and is not 0xffff then */
TEST(test_checksum_of_zero, struct raw *w, IN_RAW)
{
	struct tso_wr wr = make(w, false, false, 100);
	uint8_t *end = host_ptr(w->host, w->data + wr.len - 2);
	struct frame *frame;
	unsigned int i;

	memset(end, 0, 2);
	for (i = 0; i < 2; i++) {
		post(w, &wr);
		expect_done(w);
		frame = raw_sent(w);
		/* This sum makes the checksum of the next frame 0 */
		memcpy(end, frame->hdr + wr.hdr_len - 32 + 16, 2);
		raw_done(w, frame);
	}
	assert_int_equal(be_get16(end), 0);
}

/* [ORNIC-SQ-30] The longest headers, with the longest segments */
TEST(test_longest_headers, struct raw *w, IN_RAW)
{
	struct tso_wr wr = make(w, false, true, 2 * MSS);
	unsigned int i, tcp = 18 + 20;

	/* Options of IP and TCP, 40 bytes each */
	memmove(wr.hdr + tcp + 40, wr.hdr + tcp, 20);
	memset(wr.hdr + tcp, 1, 40);
	wr.hdr[18] = 0x4f;
	tcp += 40;
	wr.hdr[tcp + 12] = 0xf0;
	memset(wr.hdr + tcp + 20, 1, 40);
	wr.hdr_len = tcp + 60;
	wr.mss = 1518 - wr.hdr_len;
	/* Wrap the ring */
	for (i = 0; i < 20; i++) {
		post(w, &wr);
		check_all(w, &wr);
		expect_done(w);
	}
	/* One byte more, or a tag, does not fit */
	wr.mss++;
	post(w, &wr);
	raw_expect(w, ORNIC_WC_LOC_LEN_ERR);
	wr.mss--;
	wr.eth_flags = ORNIC_ETH_TX_VLAN_INSERT;
	post(w, &wr);
	raw_expect(w, ORNIC_WC_LOC_LEN_ERR);
}

static void take(void *arg)
{
	struct raw *w = arg;

	while (!list_empty(&w->host->wire))
		raw_done(w, raw_sent(w));
}

/* [ORNIC-SQ-30] More segments than the host has frames */
TEST(test_longest_payload, struct raw *w, IN_RAW)
{
	struct tso_wr wr = make(w, false, false, CARD_MAX_TSO);
	uint64_t mem = host_alloc(w->host, CARD_MAX_TSO, HOST_PAGE);

	w->key = host_mr(w->host, w->pdn, mem, CARD_MAX_TSO, 0);
	wr.addr = mem;
	w->host->wire_run = take;
	w->host->wire_arg = w;
	post(w, &wr);
	expect_done(w);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, (CARD_MAX_TSO + MSS - 1) / MSS);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_bytes,
			  CARD_MAX_TSO + (CARD_MAX_TSO + MSS - 1) / MSS * wr.hdr_len);
	wr.len++;
	post(w, &wr);
	raw_expect(w, ORNIC_WC_LOC_LEN_ERR);
}

/* [ORNIC-SQ-31] */
TEST(test_refusals, struct raw *w, IN_RAW)
{
	struct tso_wr good = make(w, false, false, 2 * MSS), wr;
	unsigned int errors;

#define REFUSED(status, ...) do { \
	wr = good; \
	__VA_ARGS__; \
	post(w, &wr); \
	raw_expect(w, ORNIC_WC_##status); \
	assert_null(host_queue_peek(&w->cq)); \
	assert_true(list_empty(&w->host->wire)); \
} while (0)
	REFUSED(LOC_QP_OP_ERR, wr.mss = 0);
	REFUSED(LOC_QP_OP_ERR, wr.hdr_len = 0);
	REFUSED(LOC_QP_OP_ERR, wr.hdr_len = 13);
	REFUSED(LOC_QP_OP_ERR, wr.hdr_len = 14);
	/* Less and more than TCP's data offset */
	REFUSED(LOC_QP_OP_ERR, wr.hdr_len--);
	REFUSED(LOC_QP_OP_ERR, wr.hdr_len++);
	REFUSED(LOC_QP_OP_ERR, wr.hdr_len -= 20);
	REFUSED(LOC_QP_OP_ERR, wr.hdr[46] = 0x40);
	REFUSED(LOC_QP_OP_ERR, wr.hdr[46] = 0xf0);
	/* Not TCP, or a fragment */
	REFUSED(LOC_QP_OP_ERR, wr.hdr[23] = HEADERS_PROTO_UDP);
	REFUSED(LOC_QP_OP_ERR, be_put16(wr.hdr + 20, 0x2000));
	REFUSED(LOC_QP_OP_ERR, be_put16(wr.hdr + 20, 1));
	REFUSED(LOC_QP_OP_ERR, be_put16(wr.hdr + 12, 0x0806));
	REFUSED(LOC_QP_OP_ERR, wr.hdr[14] = 0x65);
	REFUSED(LOC_QP_OP_ERR, wr.hdr[14] = 0x44);
	REFUSED(LOC_QP_OP_ERR, wr.hdr[14] = 0x4f);
	REFUSED(LOC_LEN_ERR, wr.len = 0);
	REFUSED(LOC_LEN_ERR, wr.mss = 1518 - wr.hdr_len + 1);
	REFUSED(LOC_LEN_ERR, wr.mss = 0xffff);
	errors = host_port_stat(w->host, ORNIC_PORT_STAT_tx_errors);
	assert_int_equal(errors, 19);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_bad_wqe_count, 0);
	REFUSED(LOC_QP_OP_ERR, wr.hdr_len = ORNIC_TSO_HDR_MAX + 1);
	REFUSED(LOC_QP_OP_ERR, wr.hdr_len = 0xffff);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_bad_wqe_count, 2);
	REFUSED(LOC_QP_OP_ERR, wr.flags = ORNIC_SEND_INLINE);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_bad_wqe_opcode, 1);
	REFUSED(LOC_PROT_ERR, wr.addr = w->data + PAYLOAD_MAX - 100);
	/* It failed in the first segment; each WQE fails alone */
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, 0);
	REFUSED(LOC_PROT_ERR, w->key ^= 1);
	w->key ^= 1;
#undef REFUSED
	post(w, &good);
	check_all(w, &good);
	expect_done(w);
}

/* [ORNIC-SQ-32] Segments that were sent before the failure stay sent */
TEST(test_failure_in_the_middle, struct raw *w, IN_RAW)
{
	struct tso_wr wr = make(w, false, false, 9 * MSS);

	/* The second SGE exceeds the region from the sixth segment on */
	wr.addr = w->data + PAYLOAD_MAX - 5 * MSS;
	post(w, &wr);
	raw_expect(w, ORNIC_WC_LOC_PROT_ERR);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, 5);
	take(w);
	wr.len = MSS;
	wr.addr = w->data;
	post(w, &wr);
	check_all(w, &wr);
	expect_done(w);
}

/* [ORNIC-SQ-32] */
TEST(test_what_has_begun_is_finished_in_sqd, struct raw *w, IN_RAW)
{
	struct tso_wr wr = make(w, false, false, 5 * MSS);
	unsigned int held = HOST_FRAMES - 2;

	/* The host has two free frames */
	w->host->frames += held;
	publish(w, &wr);
	publish(w, &wr);
	card_run(w->host->card);
	card_run(w->host->card);
	assert_null(host_queue_peek(&w->cq));
	w->host->wire_run = take;
	w->host->wire_arg = w;
	assert_int_equal(host_qp_modify(&w->qp[0], ORNIC_QPS_SQD),
			 ORNIC_CMD_OK);
	host_run(w->host);
	take(w);
	expect_done(w);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, 5);
	assert_int_equal(host_qp_modify(&w->qp[0], ORNIC_QPS_RTS),
			 ORNIC_CMD_OK);
	take(w);
	w->host->frames -= held;
	host_run(w->host);
	take(w);
	expect_done(w);
	/* ERR in the middle of a WQE */
	w->host->wire_run = NULL;
	w->host->frames += held;
	publish(w, &wr);
	card_run(w->host->card);
	card_run(w->host->card);
	take(w);
	host_qp_modify(&w->qp[0], ORNIC_QPS_ERR);
	w->host->frames -= held;
	raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
}

/* [ORNIC-RATE-2] Each segment is a frame */
TEST(test_segments_are_paced, struct raw *w, IN_RAW)
{
	struct tso_wr wr = make(w, false, false, 9 * MSS);
	struct ornic_modify_qp_in in = {
		.qpn = htole32(w->qp[0].num),
		.mask = htole32(ORNIC_QP_ATTR_RATE_LIMIT),
		.attr.rate_limit = htole32(8000),
		.max_burst = htole32(2 * (MSS + wr.hdr_len)),
	};
	unsigned int i;

	host_cmd_in_ok(w->host, ORNIC_CMD_MODIFY_QP, &in);
	post(w, &wr);
	host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, 2);
	for (i = 3; i <= 9; i++) {
		assert_null(host_queue_peek(&w->cq));
		host_sleep(w->host, (MSS + wr.hdr_len) * 1000 + 5000);
		host_port_stat_is(w->host, ORNIC_PORT_STAT_tx_frames, i);
	}
	expect_done(w);
	check_all(w, &wr);
}

/* [ORNIC-SQ-9] */
TEST(test_other_types_have_none, struct raw *w, IN_RAW)
{
	struct tso_wr wr = make(w, false, false, MSS);

	host_qp(w->host, &w->qp[0], ORNIC_QPT_UC, w->uctx, w->pdn, &w->cq, 0);
	qp_find(w->host->card, w->qp[0].num)->base.state = ORNIC_QPS_RTS;
	post(w, &wr);
	raw_expect(w, ORNIC_WC_LOC_QP_OP_ERR);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_bad_wqe_opcode, 1);
}

TEST_MAIN("tso")
