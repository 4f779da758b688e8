// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Documentation/hardware-vectors.txt is what the card does
 * ([ORNIC-VEC-1]): its packets, hashes, and completions; and each work request of
 * the file is one that it has executed.
 */
#include "appendix.h"
#include "card/card.h"
#include "pair.h"
#include "raw.h"

#define WQE_BYTES 128

/* Offset of the page list of REG_MR in the buffer of a side */
#define PAGE_LIST 0x8000
#define MR_PAGES 2
#define IOVA 0x7f0000001000ULL

/* ---- send work requests ---- */

/* Write what the opcode adds behind the route; return where the data begins */
static unsigned int say_extra(struct appendix *a, const uint8_t *wqe,
			      unsigned int opcode, unsigned int at)
{
	const struct ornic_route_eth *eth = (const void *)(wqe + sizeof(struct ornic_sq_hdr));
	unsigned int len;

	switch (opcode) {
	case ORNIC_WR_MASKED_CMP_SWP:
	case ORNIC_WR_MASKED_FETCH_ADD:
		at += appendix_struct(a, "ornic_atomic", wqe + at);
		return at + appendix_struct(a, "ornic_atomic_mask", wqe + at);
	case ORNIC_WR_ATOMIC_CMP_SWP:
	case ORNIC_WR_ATOMIC_FETCH_ADD:
		return at + appendix_struct(a, "ornic_atomic", wqe + at);
	case ORNIC_WR_FLUSH:
		return at + appendix_struct(a, "ornic_flush", wqe + at);
	case ORNIC_WR_BIND_MW:
		return at + appendix_struct(a, "ornic_bind", wqe + at);
	case ORNIC_WR_REG_MR:
		return at + appendix_struct(a, "ornic_reg_mr", wqe + at);
	case ORNIC_WR_TSO:
		len = (le16toh(eth->hdr_len) + 15) & ~15u;
		appendix_hex(a, "headers", wqe + at, len);
		return at + len;
	}
	return at;
}

/* Write a WQE as the device finds it in its ring */
static void say_wqe(struct appendix *a, const char *name, const char *text,
		    const char *route, const uint8_t *wqe)
{
	const struct ornic_sq_hdr *hdr = (const void *)wqe;
	uint32_t ctrl = le32toh(hdr->ctrl);
	unsigned int opcode = ORNIC_GET(ORNIC_SQ_OPCODE, ctrl);
	unsigned int length = ORNIC_GET(ORNIC_SQ_LENGTH, ctrl), at;
	bool invalidates = opcode == ORNIC_WR_LOCAL_INV ||
			   opcode == ORNIC_WR_SEND_WITH_INV;

	appendix_block(a, text, "wqe", name);
	at = appendix_struct(a, invalidates ? "ornic_sq_hdr/inv_key" : "ornic_sq_hdr", wqe);
	at += appendix_struct(a, route, wqe + at);
	at = say_extra(a, wqe, opcode, at);
	if (ctrl & ORNIC_SEND_INLINE) {
		appendix_hex(a, "inline", wqe + at, length - at);
		at = length;
	}
	while (at < length)
		at += appendix_struct(a, "ornic_sge", wqe + at);
	assert_int_equal(at, length);
}

static void say_cqe(struct appendix *a, const char *name, const char *text,
		    const char *layout, struct ornic_cqe cqe)
{
	appendix_block(a, text, "cqe", name);
	appendix_struct(a, layout, &cqe);
}

/* A request of A; what the opcode ignores is 0 */
static struct pair_wr wr_data(struct pair *pair, unsigned int opcode, uint32_t offset,
			      uint32_t len)
{
	struct pair_wr wr = pair_wr_data(A(pair), opcode, offset, len);

	if (opcode != ORNIC_WR_SEND_WITH_IMM && opcode != ORNIC_WR_RDMA_WRITE_WITH_IMM)
		wr.imm = 0;
	if (opcode == ORNIC_WR_SEND || opcode == ORNIC_WR_SEND_WITH_IMM ||
	    opcode == ORNIC_WR_SEND_WITH_INV) {
		wr.raddr = 0;
		wr.rkey = 0;
	}
	return wr;
}

/* Post a request from A, write it and its packet, and return the completion */
static struct ornic_cqe show(struct appendix *a, struct pair *pair, const char *name,
			     const char *text, const struct pair_wr *wr)
{
	struct side *side = A(pair);
	struct host_qp *qp = &side->qp;
	bool is_ud = pair_qp(side)->base.type == ORNIC_QPT_UD;
	const uint8_t *ring = host_ptr(side->host, qp->sq);
	uint8_t wqe[WQE_BYTES];
	struct ornic_cqe cqe;

	/* The ring is longer than all WQEs of a pair */
	ring += qp->sq_pi * ORNIC_SLOT_SIZE;
	appendix_frames_clear();
	pair_post(side, wr);
	memcpy(wqe, ring, sizeof(wqe));
	pair_ring(side);
	pair_run(pair);
	cqe = pair_poll(side);
	assert_int_equal(le32toh(cqe.status), ORNIC_WC_SUCCESS);
	assert_true(le64toh(cqe.wr_id) == wr->wr_id);
	say_wqe(a, name, text, is_ud ? "ornic_route_ud" : "ornic_route_rc", wqe);
	if (appendix_frames()) {
		appendix_block(a, NULL, "packet", name);
		appendix_packet(a, appendix_frame(0)->bytes, appendix_frame(0)->len);
	}
	return cqe;
}

static uint32_t create_mr(struct side *side, unsigned int type, unsigned int variant)
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(side->pdn),
		.type = type,
		.variant = variant,
		.max_pages = htole32(type == ORNIC_MR_REG ? MR_PAGES : 0),
	};

	return host_create_mr(side->host, &in);
}

/* Two pages of the buffer in reverse order; the region begins 16 bytes into the first */
static struct pair_wr reg_wr(struct side *side, uint32_t key)
{
	struct pair_wr wr = {
		.wr_id = 0x3001,
		.opcode = ORNIC_WR_REG_MR,
		.flags = ORNIC_SEND_SIGNALED,
		.reg = {
			.key = htole32(key),
			.access = htole32(ORNIC_ACCESS_LOCAL_WRITE |
					  ORNIC_ACCESS_REMOTE_READ),
			.iova = htole64(IOVA + 16),
			.length = htole64(0x1800),
			.buf = {
				.addr = htole64(side->addr + PAGE_LIST),
				.npages = htole32(MR_PAGES),
				.page_shift = 12,
				.levels = 1,
			},
		},
	};

	*pair_word(side, PAGE_LIST) = htole64(side->addr + HOST_PAGE);
	*pair_word(side, PAGE_LIST + 8) = htole64(side->addr);
	return wr;
}

static void say_sends(struct appendix *a, struct pair *pair)
{
	struct side *b = B(pair);
	struct pair_wr wr;

	wr = wr_data(pair, ORNIC_WR_SEND, 0, 0);
	wr.flags = ORNIC_SEND_SIGNALED | ORNIC_SEND_SOLICITED | ORNIC_SEND_INLINE;
	wr.data = "inline data";
	wr.data_len = 11;
	pair_post_recv(b, 0x2001, b->addr, 64);
	say_cqe(a, "send", NULL, "ornic_cqe/sq_num",
		show(a, pair, "send-inline", "11 bytes, signaled and solicited, one slot", &wr));
	pair_poll(b);

	wr = wr_data(pair, ORNIC_WR_SEND_WITH_IMM, 0x10, 5);
	memcpy(A(pair)->buf + 0x10, "hello", 5);
	pair_post_recv(b, 0x2002, b->addr, 64);
	show(a, pair, "send-with-imm",
	     "5 bytes by one SGE; the immediate is in the order of the wire", &wr);
	say_cqe(a, "recv-send-with-imm", NULL, "ornic_cqe", pair_poll(b));

	wr = wr_data(pair, ORNIC_WR_RDMA_WRITE, 0x20, 4);
	memcpy(A(pair)->buf + 0x20, "two SGEs", 8);
	wr.sges = 2;
	wr.sge[1] = wr.sge[0];
	wr.sge[1].addr += 4;
	show(a, pair, "rdma-write", "Two SGEs of 4 bytes each", &wr);

	wr = wr_data(pair, ORNIC_WR_RDMA_WRITE_WITH_IMM, 0x30, 0);
	wr.sges = 0;
	pair_post_recv(b, 0x2003, 0, 0);
	show(a, pair, "rdma-write-with-imm", "No data and no SGE", &wr);
	say_cqe(a, "recv-rdma-write-with-imm", NULL, "ornic_cqe", pair_poll(b));

	wr = wr_data(pair, ORNIC_WR_RDMA_READ, 0x40, 24);
	say_cqe(a, "rdma-read", NULL, "ornic_cqe/sq_num",
		show(a, pair, "rdma-read", "24 bytes", &wr));
}

static void say_atomics(struct appendix *a, struct pair *pair)
{
	struct side *b = B(pair);
	struct pair_wr wr;

	wr = wr_data(pair, ORNIC_WR_ATOMIC_CMP_SWP, 0x50, 8);
	wr.swap_add = 0x1122334455667788;
	show(a, pair, "atomic-cmp-swp", "The SGE takes the value before", &wr);

	wr = wr_data(pair, ORNIC_WR_MASKED_CMP_SWP, 0x50, 8);
	wr.swap_add = 0xff00;
	wr.compare = 0x89;
	wr.mask.swap_add_mask = htole64(0xff00);
	wr.mask.compare_mask = htole64(0xff);
	show(a, pair, "masked-cmp-swp", "Two slots: the SGE is in the second one", &wr);

	wr = wr_data(pair, ORNIC_WR_FLUSH, 0x20, 0);
	wr.sges = 0;
	wr.rkey = host_mr(b->host, b->pdn, b->addr, HOST_PAGE,
			  ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE |
			  ORNIC_ACCESS_FLUSH_GLOBAL);
	wr.flush.type = ORNIC_FLUSH_GLOBAL;
	wr.flush.length = htole32(8);
	show(a, pair, "flush", "Global visibility of 8 bytes", &wr);

	wr = wr_data(pair, ORNIC_WR_ATOMIC_WRITE, 0x60, 0);
	wr.flags |= ORNIC_SEND_INLINE;
	wr.data = "\1\2\3\4\5\6\7\10";
	wr.data_len = 8;
	show(a, pair, "atomic-write", "8 bytes, inline", &wr);
}

static void say_keys(struct appendix *a, struct pair *pair)
{
	struct side *side = A(pair), *b = B(pair);
	uint32_t key = create_mr(side, ORNIC_MR_REG, 1), mw;
	struct pair_wr wr = reg_wr(side, key + 1);

	show(a, pair, "reg-mr",
	     "Of a QP of the kernel; two slots, of which 80 bytes are used", &wr);
	wr = (struct pair_wr){ .wr_id = 0x3002, .opcode = ORNIC_WR_LOCAL_INV,
			       .flags = ORNIC_SEND_SIGNALED, .inv_key = key + 1 };
	show(a, pair, "local-inv", "The key of reg-mr", &wr);

	mw = create_mr(side, ORNIC_MR_MW2, 0x10);
	wr = (struct pair_wr){
		.wr_id = 0x3003,
		.opcode = ORNIC_WR_BIND_MW,
		.flags = ORNIC_SEND_SIGNALED,
		.bind = {
			.mw_key = htole32(mw),
			.new_key = htole32(mw + 1),
			.mr_key = htole32(host_mr(side->host, side->pdn, side->addr, HOST_PAGE,
						  ORNIC_ACCESS_LOCAL_WRITE |
						  ORNIC_ACCESS_MW_BIND)),
			.access = htole32(ORNIC_ACCESS_REMOTE_WRITE),
			.addr = htole64(side->addr + 0x80),
			.length = htole64(0x40),
		},
	};
	show(a, pair, "bind-mw", "A type 2 window for 64 bytes", &wr);

	key = create_mr(b, ORNIC_MR_REG, 0x22);
	wr = reg_wr(b, key);
	pair_send(b, &wr);
	pair_expect(b, wr.wr_id, ORNIC_WC_SUCCESS);
	wr = wr_data(pair, ORNIC_WR_SEND_WITH_INV, 0x70, 4);
	wr.inv_key = key;
	memcpy(side->buf + 0x70, "done", 4);
	pair_post_recv(b, 0x2004, b->addr, 64);
	show(a, pair, "send-with-inv", "The key is one of the peer", &wr);
	say_cqe(a, "recv-send-with-inv", NULL, "ornic_cqe/inv_key", pair_poll(b));
}

static void say_failures(struct appendix *a, struct pair *pair)
{
	struct pair_wr wr = wr_data(pair, ORNIC_WR_RDMA_WRITE, 0x20, 8);

	wr.rkey ^= ORNIC_KEY_VARIANT;
	pair_post(A(pair), &wr);
	wr.wr_id++;
	pair_send(A(pair), &wr);
	say_cqe(a, "wrong-key", "RDMA_WRITE with a wrong key", "ornic_cqe/vendor_err",
		pair_poll(A(pair)));
	say_cqe(a, "flushed", "The next one", "ornic_cqe/vendor_err", pair_poll(A(pair)));
}

static void say_connected(struct appendix *a)
{
	struct pair *pair = appendix_pair(&pair_config_bytes, ORNIC_QPT_RC, ORNIC_QP_KERNEL, 5);

	pair_connect(pair);
	appendix_say(a,
"\n# ---- Send work requests (section 6) and completions (section 8) ----\n"
"# A wqe is one that the card has taken from a send queue and completed with SUCCESS. The\n"
"# packet of the same name is what it sends. A cqe is what the card writes then, in the\n"
"# first pass over the ring; recv-* is written at the receiver. Up to flushed, the QPs are\n"
"# of RC, and the entries of the CQs have 32 bytes.\n");
	appendix_sides(a, pair);
	say_sends(a, pair);
	say_atomics(a, pair);
	say_keys(a, pair);
	say_failures(a, pair);
	pair_destroy(pair);
}

/* Write the next entry of a CQ, of 64 bytes: extension and completion */
static void say_cqe_64(struct appendix *a, const char *name, const char *text,
		       struct host_queue *cq)
{
	const struct ornic_cqe *cqe = host_queue_peek(cq);

	assert_int_equal(le32toh(cqe->status), ORNIC_WC_SUCCESS);
	appendix_block(a, text, "cqe", name);
	appendix_struct(a, "ornic_cqe_ext", host_cqe_ext(cqe));
	appendix_struct(a, "ornic_cqe", cqe);
}

static void say_datagram(struct appendix *a)
{
	struct pair *pair = appendix_pair(&pair_config_v6_vlan, ORNIC_QPT_UD, 0, 6);
	struct pair_wr wr = wr_data(pair, ORNIC_WR_SEND, 0, 7);
	struct ornic_av av;

	pair_connect(pair);
	av = pair_attr(A(pair), B(pair)).av;
	av.flow = htole32(ORNIC_PREP(ORNIC_AV_SL, 5) | 0x12345);
	memcpy(A(pair)->buf, "a datum", 7);
	wr.dqpn = B(pair)->qp.num;
	wr.qkey = PAIR_QKEY;
	wr.av = &av;
	pair_post_recv(B(pair), 0x2005, B(pair)->addr, 64);
	show(a, pair, "ud-send", "IPv6, service level 5, a flow label", &wr);
	say_cqe_64(a, "recv-ud-send",
		   "An entry of 64 bytes. The GRH counts in byte_len; the tag was 802.1Q.",
		   &B(pair)->cq);
	pair_destroy(pair);
}

/* ---- frames ---- */

static const uint8_t tcp_frame[] = {
	0x02, 0x0e, 0x1c, 0x00, 0x00, 0x02, 0x02, 0x0e, 0x1c, 0x00, 0x00, 0x01,
	0x08, 0x00, 0x45, 0x00, 0x00, 0x34, 0x12, 0x34, 0x40, 0x00, 0x40, 0x06,
	0x00, 0x00, 0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x02, 0x04, 0xd2,
	0x00, 0x50, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x50, 0x18,
	0x03, 0xe8, 0x00, 0x00, 0x00, 0x00, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
	0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c,
};

#define TCP_HEADERS 54
/* After all that the card did before */
#define CLOCK_NS 1500000
#define SENT_BYTES 128

/* The latest frame on the wire */
static uint8_t sent[SENT_BYTES];
static unsigned int sent_len;

struct raw_wqe {
	struct ornic_sq_hdr hdr;
	struct ornic_route_eth route;
	uint8_t rest[WQE_BYTES - 32];
};

/* Post a WQE, write it and the frames that it makes */
static void show_raw(struct appendix *a, struct raw *w, const char *name, const char *text,
		     const struct raw_wqe *wqe)
{
	unsigned int length = ORNIC_GET(ORNIC_SQ_LENGTH, le32toh(wqe->hdr.ctrl));
	struct host_qp *qp = &w->qp[0];
	struct frame *frame;

	memcpy(host_ptr(w->host, qp->sq + qp->sq_pi * ORNIC_SLOT_SIZE), wqe, sizeof(*wqe));
	qp->sq_pi += ORNIC_SQ_SLOTS(length);
	guest_store32(&host_qp_dbr(qp)->sq_pi, qp->sq_pi);
	host_doorbell(w->host, qp->uctx, ORNIC_DB_SQ, qp->num, qp->sq_pi);
	host_run(w->host);
	raw_expect(w, ORNIC_WC_SUCCESS);
	say_wqe(a, name, text, "ornic_route_eth", (const uint8_t *)wqe);
	while (!list_empty(&w->host->wire)) {
		frame = raw_sent(w);
		sent_len = frame_len(frame);
		assert_true(sent_len <= SENT_BYTES);
		assert_int_equal(frame_read(frame, 0, sent, sent_len), 0);
		appendix_block(a, NULL, "frame", name);
		appendix_hex(a, "", sent, sent_len);
		raw_done(w, frame);
	}
}

static struct ornic_sge sge_of(struct raw *w, uint32_t offset, uint32_t len)
{
	return (struct ornic_sge){ htole64(w->data + offset), htole32(len), htole32(w->key) };
}

/* The frame that was sent comes back with a hash; write its completion */
static void receive(struct appendix *a, struct raw *w)
{
	struct ornic_rx_queues_in queues = {
		.count = htole32(1),
		.hash = htole32(ORNIC_HASH_IPV4 | ORNIC_HASH_TCP),
		.qpn[0] = htole32(w->qp[0].num),
	};

	memcpy(sent, tcp_frame + MAC_LEN, MAC_LEN);
	memcpy(sent + MAC_LEN, tcp_frame, MAC_LEN);
	memcpy(queues.key, appendix_hash_key, sizeof(queues.key));
	host_cmd_in_ok(w->host, ORNIC_CMD_SET_RX_QUEUES, &queues);
	raw_post_recv(w, 0, w->data, RAW_BUF_LEN);
	raw_receive(w, sent, sent_len, 0);
	say_cqe_64(a, "recv-raw-send",
		   "The frame of raw-send with its MACs exchanged, and the key of rss", &w->cq);
	raw_cqe(w);
}

static void say_frames(struct appendix *a)
{
	const struct card_config as = { .ordered = true, .no_shadow = true };
	struct raw_wqe wqe = {};
	struct ornic_sge sge;
	unsigned int length = 32 + sizeof(sge);
	void *state;
	struct raw *w;

	raw_setup_config(&state, &as);
	w = state;
	w->host->clock_step_ns = 0;
	w->host->now_ns = CLOCK_NS;
	memcpy(host_ptr(w->host, w->data), tcp_frame, sizeof(tcp_frame));
	sge = sge_of(w, 0, sizeof(tcp_frame));
	wqe.hdr.ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_SEND, ORNIC_SEND_SIGNALED |
					     ORNIC_SEND_IP_CSUM, length));
	wqe.hdr.wr_id = htole64(0x4001);
	wqe.route.flags = htole16(ORNIC_ETH_TX_VLAN_INSERT);
	wqe.route.vlan_tci = htole16(0x6064);
	memcpy(wqe.rest, &sge, sizeof(sge));
	show_raw(a, w, "raw-send",
		 "SEND of RAW_PACKET, a frame of TCP: the device inserts a tag and fills in both\n"
		 "# checksums. frame is what it sends, without padding and FCS.", &wqe);
	receive(a, w);

	sge = sge_of(w, TCP_HEADERS, sizeof(tcp_frame) - TCP_HEADERS);
	length = 32 + 64 + sizeof(sge);
	memset(&wqe, 0, sizeof(wqe));
	wqe.hdr.ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_TSO, ORNIC_SEND_SIGNALED, length));
	wqe.hdr.wr_id = htole64(0x4002);
	wqe.route.mss = htole16(8);
	wqe.route.hdr_len = htole16(TCP_HEADERS);
	memcpy(wqe.rest, tcp_frame, TCP_HEADERS);
	memcpy(wqe.rest + 64, &sge, sizeof(sge));
	show_raw(a, w, "tso", "12 bytes of payload in segments of 8: two frames", &wqe);
	raw_teardown(&state);
}

/* ---- receives, events ---- */

static void say_receive(struct appendix *a)
{
	struct pair *pair = appendix_pair(&pair_config_bytes, ORNIC_QPT_RC, 0, 6);
	struct side *b = B(pair);
	struct sge sge[2] = { { b->addr, 64, b->key }, { b->addr + 4096, 32, b->key } };
	const uint8_t *wqe = host_ptr(b->host, b->qp.rq);
	unsigned int i;

	pair_post_recv_sges(b, 0x2001, sge, ARRAY_SIZE(sge));
	appendix_block(a, "Section 7: two SGEs. The ring has a stride of 512 bytes.", "wqe",
		       "receive");
	wqe += appendix_struct(a, "ornic_rq_hdr", wqe);
	for (i = 0; i < ARRAY_SIZE(sge); i++)
		wqe += appendix_struct(a, "ornic_sge", wqe);
	pair_destroy(pair);
}

static void say_events(struct appendix *a)
{
	struct pair *pair = appendix_pair(&pair_config_bytes, ORNIC_QPT_RC, 0, 6);
	struct side *b = B(pair);
	struct pair_wr wr = wr_data(pair, ORNIC_WR_SEND_WITH_IMM, 0, 4);
	const struct ornic_eqe *eqe = host_ptr(b->host, b->eq.ring);

	pair_connect(pair);
	pair_post_recv(b, 1, b->addr, 4);
	host_doorbell(b->host, b->uctx, ORNIC_DB_CQ, b->cq.num,
		      host_queue_db(&b->cq, ORNIC_ARM_NEXT));
	pair_one(pair, &wr);
	wr = wr_data(pair, ORNIC_WR_RDMA_WRITE, 0, 4);
	wr.rkey ^= ORNIC_KEY_VARIANT;
	pair_fails(pair, &wr, ORNIC_WC_REM_ACCESS_ERR);
	assert_int_equal(ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe[0].ctl)), ORNIC_EVENT_COMP);
	assert_int_equal(ORNIC_GET(ORNIC_EQE_TYPE, le32toh(eqe[1].ctl)),
			 ORNIC_EVENT_QP_ACCESS_ERR);
	appendix_say(a,
"\n# ---- Events (section 9): the first two entries of an EQ ----\n");
	appendix_block(a, "The CQ was armed.", "eqe", "comp");
	appendix_struct(a, "ornic_eqe", eqe);
	appendix_block(a, "A peer wrote with a wrong key.", "eqe", "qp-access-err");
	appendix_struct(a, "ornic_eqe", eqe + 1);
	pair_destroy(pair);
}

/* ---- commands and doorbells ---- */

static void say_commands(struct appendix *a)
{
	struct pair *pair = appendix_pair(&pair_config_bytes, ORNIC_QPT_RC, 0, 6);
	struct host *host = A(pair)->host;
	unsigned int n = host->admin_pi % (1u << HOST_ADMIN_LOG_DEPTH);
	const struct ornic_cmd_sqe *sqe = host_ptr(host, host->admin_sq);
	const struct ornic_cmd_cqe *cqe = host_ptr(host, host->admin_cq);
	struct ornic_create_cq_in in = {
		.uctx = htole32(A(pair)->uctx),
		.eqn = htole32(A(pair)->eq.num),
		.log_size = 7,
		.log_cqe_size = 5,
		.dbr_addr = htole64(host_alloc(host, 64, 64)),
	};
	struct ornic_object out;

	host_buf(&in.buf, host_alloc(host, HOST_PAGE, HOST_PAGE), HOST_PAGE);
	host_cmd_ok(host, ORNIC_CMD_CREATE_CQ, &in, &out);
	appendix_say(a, "\n# ---- Commands (section 4) ----\n");
	appendix_block(a, "Submission, input, completion and output", "command", "create-cq");
	appendix_struct(a, "ornic_cmd_sqe", sqe + n);
	appendix_struct(a, "ornic_create_cq_in", &in);
	appendix_struct(a, "ornic_cmd_cqe", cqe + n);
	appendix_struct(a, "ornic_object", &out);
	in.log_cqe_size = 7;
	host_cmd_is(host, ORNIC_CMD_CREATE_CQ, &in, &out, ORNIC_CMD_BAD_PARAM);
	appendix_block(a, "The completion of the same with log_cqe_size 7", "command",
		       "create-cq-refused");
	appendix_struct(a, "ornic_cmd_cqe", cqe + n + 1);
	pair_destroy(pair);
}

static void say_doorbells(struct appendix *a)
{
	static const struct {
		const char *name;
		enum ornic_db_type type;
		uint32_t num, value;
		const char *what;
	} rings[] = {
		{ "SQ", ORNIC_DB_SQ, 0x123456, 0x10, "sq_pi 0x10" },
		{ "SQ", ORNIC_DB_SQ, 2, 0xffffffff, "sq_pi 0xffffffff" },
		{ "CQ", ORNIC_DB_CQ, 0x21, ORNIC_PREP(ORNIC_DB_ARM_CI, 5u) | ORNIC_ARM_NONE,
		  "ci 5 NONE" },
		{ "CQ", ORNIC_DB_CQ, 0x21, ORNIC_PREP(ORNIC_DB_ARM_CI, 5u) | ORNIC_ARM_SOLICITED,
		  "ci 5 SOLICITED" },
		{ "CQ", ORNIC_DB_CQ, 0x21,
		  ORNIC_PREP(ORNIC_DB_ARM_CI, 0x40000005u) | ORNIC_ARM_NEXT,
		  "ci 0x40000005 NEXT" },
		{ "EQ", ORNIC_DB_EQ, 0, ORNIC_PREP(ORNIC_DB_ARM_CI, 1u) | ORNIC_ARM_NEXT,
		  "ci 1 NEXT" },
		{ "RQ", ORNIC_DB_RQ, 0x123456, 3, "rq_pi 3" },
		{ "SRQ", ORNIC_DB_SRQ, 0x31, 3, "rq_pi 3" },
	};
	unsigned int i;

	appendix_say(a,
"\n# ---- Doorbells [ORNIC-DB-2] [ORNIC-DB-28] ----\n"
"# Type, queue, what it tells, and the value of 64 bits that is written; hex has its bytes in\n"
"# ascending order of addresses.\n");
	for (i = 0; i < ARRAY_SIZE(rings); i++) {
		uint64_t value = ORNIC_PREP(ORNIC_DB_TYPE, (uint64_t)rings[i].type) |
				 ORNIC_PREP(ORNIC_DB_NUM, (uint64_t)rings[i].num) |
				 rings[i].value;
		const uint64_t le = htole64(value);

		appendix_say(a, "doorbell %s 0x%06x %s 0x%016llx\n", rings[i].name,
			     rings[i].num, rings[i].what, (unsigned long long)value);
		appendix_hex(a, "", &le, sizeof(le));
	}
}

/* [ORNIC-VEC-1] */
TEST_VOID(test_document)
{
	struct appendix a;

	appendix_open(&a, "hardware-vectors.txt");
	appendix_say(&a,
"# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB\n"
"#\n"
"# Vectors of the ORNIC hardware interface: bytes of structures and packets, for those who\n"
"# build a card. This is an appendix of hardware.rst, whose section 0.4 says what of it binds\n"
"# a card. hardware-traces.txt has steps in their order, hardware-frames.txt frames and what\n"
"# a card finds in them. \"make vectors\" makes this file by driving the software card, and\n"
"# tests compare it with the headers and with computations of their own.\n"
"#\n"
"# A vector begins with its kind and its name. \"hex\" has the name of a structure of\n"
"# ornic_hw.h or of a header of a packet, and its bytes; one without a name goes on with the\n"
"# bytes before it. The lines behind are pairs of a field in these bytes and its value; a\n"
"# field with a dot is a part of the one before the dot, such as ctrl.opcode, or a member,\n"
"# such as buf.addr. A field that has no pair is 0. Numbers are decimal below 10 and\n"
"# hexadecimal from there on; addresses are bytes.\n");
	appendix_wire(&a);
	say_connected(&a);
	say_datagram(&a);
	say_frames(&a);
	say_receive(&a);
	say_events(&a);
	say_commands(&a);
	say_doorbells(&a);
	appendix_close(&a);
}

TEST_MAIN("appendix_vectors")
