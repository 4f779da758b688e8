// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fuzzing: what a host that violates the interface does: registers, commands,
 * rings, records, doorbells, boards, DMA mappings and packets.
 */
#include "card/card.h"
#include "fuzz.h"
#include "queues/qp.h"

void fuzz_learn(struct fuzz *f, uint32_t num)
{
	f->nums[below(f, NUMS)] = num;
}

static void command(struct fuzz *f, unsigned int opcode, void *in,
		    unsigned int len)
{
	uint32_t out[ORNIC_CMD_MAX_OUT / 4];

	if (one_in(f, 4) && len)
		scribble(f, in, len);
	if (host_cmd_raw(f->host, opcode, in, len, out, sizeof(out)) ==
	    ORNIC_CMD_OK && f->host->out_len == 8)
		fuzz_learn(f, le32toh(out[0]));
}

static void create(struct fuzz *f)
{
	struct ornic_alloc_uctx_in uctx = { .flags = htole32(below(f, 2)),
					    .board_addr = htole64(page(f)) };
	struct ornic_create_eq_in eq = { .log_size = below(f, 8),
					 .dbr_addr = htole64(page(f)) };
	struct ornic_create_cq_in cq = { .log_size = below(f, 9),
					 .log_cqe_size = 5 + below(f, 2),
					 .uctx = htole32(below(f, 2)),
					 .eqn = htole32(below(f, 2)),
					 .dbr_addr = htole64(page(f)) };
	struct ornic_create_mr_in mr = { .pdn = htole32(below(f, 2)),
					 .access = htole32(below(f, 16) | 1),
					 .iova = htole64(f->window),
					 .length = htole64(below(f, 40000)) };
	static const uint8_t types[] = { ORNIC_QPT_GSI, ORNIC_QPT_RC,
					 ORNIC_QPT_UD, ORNIC_QPT_RAW_PACKET,
					 ORNIC_QPT_UC, ORNIC_QPT_XRC_SEND,
					 ORNIC_QPT_XRC_RECV };
	struct ornic_create_qp_in qp = { .type = types[below(f, 7)],
					 .uctx = htole32(below(f, 2)),
					 .pdn = htole32(below(f, 2)),
					 .send_cqn = htole32(below(f, 3)),
					 .recv_cqn = htole32(below(f, 3)),
					 .flags = htole32(3 | below(f, 2) << 3),
					 .log_sq_slots = below(f, 8),
					 .log_rq_wqes = below(f, 8),
					 .rq_stride_shift = 5 + below(f, 4),
					 .dbr_addr = htole64(page(f)) };
	struct ornic_create_srq_in srq = { .pdn = htole32(below(f, 2)),
					   .flags = htole32(below(f, 2) << 1),
					   .log_wqes = below(f, 8),
					   .stride_shift = 5 + below(f, 4),
					   .dbr_addr = htole64(page(f)) };

	if (qp.type == ORNIC_QPT_XRC_RECV) {
		qp.flags = 0;
		qp.pdn = 0;
		qp.dbr_addr = 0;
		qp.log_sq_slots = 0;
		qp.log_rq_wqes = 0;
		qp.rq_stride_shift = 0;
	} else if (one_in(f, 4)) {
		qp.flags = htole32(ORNIC_QP_SQ | ORNIC_QP_SRQ);
		qp.srqn = htole32(odd(f));
		qp.log_rq_wqes = 0;
		qp.rq_stride_shift = 0;
	} else {
		fuzz_buf(f, &qp.rq);
	}
	fuzz_buf(f, &srq.buf);
	fuzz_buf(f, &eq.buf);
	fuzz_buf(f, &cq.buf);
	fuzz_buf(f, &mr.buf);
	if (qp.flags)
		fuzz_buf(f, &qp.sq);
	switch (below(f, 11)) {
	case 0:
		command(f, ORNIC_CMD_ALLOC_UCTX, &uctx, sizeof(uctx));
		break;
	case 1:
		command(f, ORNIC_CMD_CREATE_EQ, &eq, sizeof(eq));
		break;
	case 2:
		command(f, ORNIC_CMD_ALLOC_XRCD, NULL, 0);
		break;
	case 3:
	case 4:
		command(f, ORNIC_CMD_CREATE_CQ, &cq, sizeof(cq));
		break;
	case 5:
	case 6:
		command(f, ORNIC_CMD_CREATE_MR, &mr, sizeof(mr));
		break;
	case 7:
		command(f, ORNIC_CMD_CREATE_SRQ, &srq, sizeof(srq));
		break;
	default:
		command(f, ORNIC_CMD_CREATE_QP, &qp, sizeof(qp));
	}
}

static uint32_t fuzz_mask(unsigned int type, unsigned int state)
{
	return state >= ORNIC_QPS_INIT && state <= ORNIC_QPS_RTS ?
	       pair_mask(type, state) : ORNIC_QP_ATTR_STATE;
}

static void modify(struct fuzz *f, unsigned int n, unsigned int state)
{
	struct ornic_modify_qp_in in = {
		.qpn = htole32(f->qp[n].num),
		.mask = htole32(fuzz_mask(qp_types[n], state)),
		.attr = { .state = state,
			  .path_mtu = 1 + below(f, 5),
			  .dest_qpn = htole32(f->qp[n ^ 1].num),
			  .access = htole32(0x10e), .max_rd_atomic = 4,
			  .max_dest_rd_atomic = 4, .timeout = 8,
			  .retry_cnt = 3, .rnr_retry = 3, .min_rnr_timer = 1 },
	};

	fuzz_av(f, &in.attr.av);
	if (one_in(f, 32))
		scribble(f, &in, sizeof(in));
	host_cmd_in(f->host, ORNIC_CMD_MODIFY_QP, &in);
}

static void raise_qp(struct fuzz *f, unsigned int n)
{
	struct host_qp *qp = &f->qp[n];

	modify(f, n, ORNIC_QPS_RESET);
	qp->sq_pi = 0;
	qp->rq_pi = 0;
	guest_store32(&host_qp_dbr(qp)->sq_pi, 0);
	guest_store32(&host_qp_dbr(qp)->rq_pi, 0);
	modify(f, n, ORNIC_QPS_INIT);
	modify(f, n, ORNIC_QPS_RTR);
	modify(f, n, ORNIC_QPS_RTS);
}

void fuzz_raise(struct fuzz *f)
{
	raise_qp(f, below(f, QPS));
}

void fuzz_raise_all(struct fuzz *f)
{
	unsigned int n;

	for (n = 0; n < QPS; n++)
		while (qp_find(f->host->card, f->qp[n].num)->base.state !=
		       ORNIC_QPS_RTS)
			raise_qp(f, n);
}

static void lower(struct fuzz *f)
{
	modify(f, below(f, QPS), below(f, 7));
}

/* Resize a CQ, sometimes into memory that has another use */
static void resize_cq(struct fuzz *f)
{
	struct host_queue *cq = &f->cq[below(f, CQS)];
	struct ornic_resize_in in = { .num = htole32(cq->num),
				      .log_size = 1 + below(f, 9),
				      .dbr_addr = htole64(cq->dbr),
				      .ci = htole32(cq->ci) };
	uint64_t ring = one_in(f, 8) ? page(f) : cq->ring;
	struct ornic_cq_dbr *dbr = host_ptr(f->host, cq->dbr);
	struct ornic_resize_out out;

	host_buf(&in.buf, ring, 1ULL << (in.log_size + cq->log_entry));
	if (one_in(f, 8))
		scribble(f, &in, sizeof(in));
	if (host_cmd(f->host, ORNIC_CMD_RESIZE_CQ, &in, &out) != ORNIC_CMD_OK ||
	    le32toh(in.num) != cq->num)
		return;
	cq->log_size = in.log_size;
	cq->ci = 0;
	guest_store32(&dbr->ci, 0);
}

static void moderate_cq(struct fuzz *f)
{
	struct ornic_modify_cq_in in = {
		.cqn = htole32(f->cq[below(f, CQS)].num),
		.count = htole16(below(f, 8)),
		.period = htole16(below(f, 200)),
	};

	command(f, ORNIC_CMD_MODIFY_CQ, &in, sizeof(in));
}

static void set_up(struct fuzz *f)
{
	struct ornic_set_gid_in gid = {
		.flags = htole16(ORNIC_GID_VALID),
		.index = htole16(below(f, 2)),
		.gid = { [10] = 0xff, [11] = 0xff, 10 },
	};
	struct ornic_modify_port_in port = { .mask = htole32(ORNIC_PORT_UP),
					     .up = 1 };
	struct ornic_rx_queues_in queues = { .count = htole32(1),
					     .hash = htole32(15) };
	struct ornic_rx_filter_in filter = { .flags = htole32(1) };

	memcpy(gid.smac, f->host->mac, MAC_LEN);
	queues.qpn[0] = htole32(f->nums[below(f, NUMS)]);
	switch (below(f, 4)) {
	case 0:
		command(f, ORNIC_CMD_SET_GID, &gid, sizeof(gid));
		break;
	case 1:
		command(f, ORNIC_CMD_MODIFY_PORT, &port, sizeof(port));
		break;
	case 2:
		command(f, ORNIC_CMD_SET_RX_QUEUES, &queues, sizeof(queues));
		break;
	default:
		command(f, ORNIC_CMD_SET_RX_FILTER, &filter, sizeof(filter));
	}
}

static void change_group(struct fuzz *f)
{
	struct ornic_mcast_in in = {
		.qpn = htole32(f->nums[below(f, NUMS)]),
	};

	memcpy(in.gid, fuzz_group_gid, sizeof(in.gid));
	in.gid[15] = below(f, 4);
	command(f, one_in(f, 3) ? ORNIC_CMD_DETACH_MCAST :
				  ORNIC_CMD_ATTACH_MCAST, &in, sizeof(in));
}

static void bind_stats(struct fuzz *f)
{
	struct ornic_bind_stats_in in = {
		.qpn = htole32(f->nums[below(f, NUMS)]),
		.set = htole32(below(f, STATS_SETS + 1)),
	};

	command(f, ORNIC_CMD_BIND_STATS, &in, sizeof(in));
}

/* Create and attach a completion counter, or change and destroy one */
static void count(struct fuzz *f)
{
	struct ornic_create_comp_cntr_in create = { .addr = htole64(page(f)) };
	struct ornic_attach_comp_cntr_in attach = {
		.qpn = htole32(one_in(f, 4) ? odd(f) : f->qp[below(f, 2)].num),
		.num = htole32(f->nums[below(f, NUMS)]),
		.requests = htole32(below(f, ORNIC_COUNT_ALL + 2)),
	};
	struct ornic_modify_comp_cntr_in modify = {
		.num = attach.num, .entry = below(f, 3), .op = below(f, 3),
		.value = htole64(odd(f)),
	};

	if (one_in(f, 2)) {
		command(f, ORNIC_CMD_CREATE_COMP_CNTR, &create, sizeof(create));
		command(f, ORNIC_CMD_ATTACH_COMP_CNTR, &attach, sizeof(attach));
		return;
	}
	command(f, ORNIC_CMD_MODIFY_COMP_CNTR, &modify, sizeof(modify));
	host_cmd_object(f->host, ORNIC_CMD_DESTROY_COMP_CNTR, le32toh(modify.num));
}

static void change_srq(struct fuzz *f)
{
	struct ornic_modify_srq_in limit = { .srqn = htole32(f->srq.num),
					     .limit = htole32(below(f, 18)) };
	struct ornic_resize_in ring = { .num = htole32(f->srq.num),
					.log_size = 2 + below(f, 4) };
	struct host_qp srq = f->srq;
	struct ornic_resize_out out;

	if (!one_in(f, 4)) {
		command(f, ORNIC_CMD_MODIFY_SRQ, &limit, sizeof(limit));
		return;
	}
	srq.log_rq_wqes = ring.log_size;
	srq.rq = page(f);
	srq.dbr = page(f);
	host_buf(&ring.buf, srq.rq, 4 * HOST_PAGE);
	ring.dbr_addr = htole64(srq.dbr);
	if (one_in(f, 4))
		scribble(f, &ring, sizeof(ring));
	/* The test must not write to memory behind the window */
	if (host_cmd(f->host, ORNIC_CMD_RESIZE_SRQ, &ring, &out) ||
	    srq.rq + 4 * HOST_PAGE > f->window + f->window_len)
		return;
	srq.rq_pi = le32toh(out.count);
	f->srq = srq;
}

static void destroy(struct fuzz *f)
{
	static const uint16_t opcodes[] = {
		ORNIC_CMD_FREE_UCTX, ORNIC_CMD_DESTROY_EQ, ORNIC_CMD_FREE_XRCD,
		ORNIC_CMD_DESTROY_MR, ORNIC_CMD_DESTROY_CQ,
		ORNIC_CMD_DESTROY_QP, ORNIC_CMD_QUERY_QP,
		ORNIC_CMD_DESTROY_SRQ, ORNIC_CMD_QUERY_SRQ,
	};

	host_cmd_object(f->host, opcodes[below(f, ARRAY_SIZE(opcodes))],
			odd(f));
}

static void any_command(struct fuzz *f)
{
	uint8_t in[256] = {};

	scribble(f, in, sizeof(in));
	command(f, below(f, 0x100), in, below(f, sizeof(in)));
}

static void admin_is_alive(struct fuzz *f)
{
	struct host *host = f->host;

	if (!host->card->fatal && host->card->enabled && !host->lost)
		return;
	host->lost = false;
	host_write(host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	memset(host_ptr(host, host->admin_cq), 0, HOST_PAGE);
	host_start_admin(host);
}

static void registers(struct fuzz *f)
{
	unsigned int size = 1u << below(f, 4);
	uint64_t offset = below(f, 0x80) & -size;

	host_read(f->host, offset, size);
	/* The fuzzer itself uses the admin queue */
	if (offset + size > ORNIC_REG_ADMIN_DEPTH &&
	    offset < ORNIC_REG_ADMIN_DB + 4)
		return;
	host_write(f->host, offset, size, odd(f));
}

static void modify_mr(struct fuzz *f)
{
	struct ornic_modify_mr_in in = {
		.key = htole32(fuzz_key(f)),
		.mask = htole32(below(f, 8)),
		.pdn = htole32(below(f, 2)),
		.access = htole32(below(f, 32) | 1),
		.iova = htole64(f->data),
		.length = htole64(below(f, DATA)),
	};

	fuzz_buf(f, &in.buf);
	command(f, ORNIC_CMD_MODIFY_MR, &in, sizeof(in));
}

void fuzz_doorbell(struct fuzz *f)
{
	uint64_t at;

	if (one_in(f, 4)) {
		at = below(f, 4 * HOST_PAGE) & ~7ULL;
		card_bar_write(f->host->card, ORNIC_BAR_DB,
			      at / HOST_PAGE * CARD_DB_PAGE_SIZE + at % HOST_PAGE,
			      4u << below(f, 2), rnd(f));
	}
	host_doorbell(f->host, below(f, 2), below(f, 4),
		      f->nums[below(f, NUMS)] & 0xffffff, odd(f));
}

void fuzz_consume(struct fuzz *f)
{
	struct host_queue *queue = one_in(f, 3) ? &f->eq :
						  &f->cq[below(f, CQS)];
	struct ornic_cq_dbr *dbr = host_ptr(f->host, queue->dbr);
	unsigned int left = 1 + below(f, 512);

	while (left-- && host_queue_peek(queue))
		queue->ci++;
	guest_store32(&dbr->ci, queue->ci);
	host_queue_arm(queue, below(f, 4));
	host_doorbell(f->host, 0, queue == &f->eq ? ORNIC_DB_EQ : ORNIC_DB_CQ,
		      queue->num,
		      host_queue_db(queue, below(f, 4)) +
		      (one_in(f, 16) ? below(f, 4096) : 0));
}

static void scribble_anywhere(struct fuzz *f)
{
	scribble(f, host_ptr(f->host, page(f)), HOST_PAGE);
}

static void memory(struct fuzz *f)
{
	uint64_t at = page(f);

	if (one_in(f, 16)) {
		card_bus_master(f->host->card, false);
		card_run(f->host->card);
		card_bus_master(f->host->card, true);
		return;
	}
	if (mem_unmap(&f->host->mem, at, HOST_PAGE))
		return;
	host_run(f->host);
	if (!one_in(f, 4))
		host_map(f->host, at, HOST_PAGE);
}

/* Return the frames that the card sent, changed or not; add random ones */
static void packets(void *arg)
{
	struct fuzz *f = arg;
	struct host *host = f->host;
	struct frame *frame;

	host->peers_local = one_in(f, 2);
	while (!list_empty(&host->wire)) {
		frame = list_first_entry(&host->wire, struct frame, node);
		list_del_init(&frame->node);
		if (one_in(f, 8))
			scribble(f, frame->hdr, frame->hdr_len);
		if (one_in(f, 16))
			frame->hdr_len = below(f, frame->hdr_len + 1);
		if (!one_in(f, 16))
			card_rx(host->card, frame);
		env_frame_free(&host->env, frame);
	}
	if (one_in(f, 8)) {
		struct frame junk = { .hdr_len = below(f, FRAME_HDR_MAX) };

		scribble(f, junk.hdr, FRAME_HDR_MAX);
		memcpy(junk.hdr, host->mac, MAC_LEN);
		card_rx(host->card, &junk);
	}
}

void fuzz_step(struct fuzz *f)
{
	static void (*const deeds[])(struct fuzz *f) = {
		fuzz_post_send, fuzz_post_send, fuzz_post_send,
		fuzz_post_send, fuzz_post_send,
		fuzz_post_recv, fuzz_post_recv, fuzz_post_recv,
		fuzz_consume, fuzz_consume, fuzz_raise, fuzz_eth_deliver,
		/* Those that cause errors */
		lower, create, set_up, destroy, any_command, registers,
		change_group, bind_stats, count, change_srq, modify_mr,
		fuzz_eth_change,
		fuzz_eth_rules,
		resize_cq, moderate_cq, fuzz_doorbell, scribble_anywhere, memory,
	};
	/* Prefer the first 12, which lead to traffic */
	unsigned int n = below(f, one_in(f, 4) ? ARRAY_SIZE(deeds) : 12);

	admin_is_alive(f);
	deeds[n](f);
	if (one_in(f, 2)) {
		unsigned int turns = 200;

		while (turns-- && card_run(f->host->card))
			f->host->wire_run(f->host->wire_arg);
		f->host->wire_run(f->host->wire_arg);
	}
	if (one_in(f, 16))
		host_sleep(f->host, below(f, 3000000));
	if (one_in(f, 16))
		card_sleep_prepare(f->host->card);
}

static void create_keys(struct fuzz *f, uint32_t pdn)
{
	static const uint8_t types[WR_KEYS] = {
		ORNIC_MR_REG, ORNIC_MR_MW1, ORNIC_MR_MW2,
	};
	struct ornic_create_mr_in null = {
		.pdn = htole32(pdn),
		.type = ORNIC_MR_NULL,
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.length = htole64(~0ULL),
	};
	struct ornic_create_mr_out out;
	unsigned int i;

	for (i = 0; i < WR_KEYS; i++) {
		struct ornic_create_mr_in in = {
			.pdn = htole32(pdn),
			.type = types[i],
			.max_pages = htole32(i ? 0 : 16),
		};

		host_cmd_ok(f->host, ORNIC_CMD_CREATE_MR, &in, &out);
		f->wr_key[i] = le32toh(out.key);
		fuzz_learn(f, f->wr_key[i]);
	}
	f->null_key = host_create_mr(f->host, &null);
}

void fuzz_begin(struct fuzz *f, const struct card_config *as, uint64_t seed,
		uint8_t mac_tail)
{
	struct card_config config = {};
	uint32_t pdn, xrcdn;
	unsigned int i;

	memset(f, 0, sizeof(*f));
	f->rng = seed;
	config.no_shadow = one_in(f, 4);
	/* Chosen without a number, as @wants_record below */
	config.push = seed & 4;
	f->host = host_create_as(as ? as : &config, mac_tail);
	/* Until READY */
	if (as)
		host_sleep(f->host, as->ready_ms * 1000000ULL);
	/* Inputs that were kept name objects by numbers given in order */
	f->host->random = 0;
	f->dmac = f->host->mac;
	/* Chosen by the seed without a number that later choices would miss */
	f->host->wants_record = seed & 2;
	host_enable(f->host);
	f->board = host_alloc(f->host, HOST_PAGE, HOST_PAGE);
	f->window = f->board;
	f->data = host_alloc(f->host, DATA, HOST_PAGE);
	f->window_len = DATA;
	host_uctx(f->host, ORNIC_UCTX_KERNEL, f->board);
	pdn = host_pd(f->host);
	f->key = host_mr(f->host, pdn, f->data, DATA,
			 0x1f | ORNIC_ACCESS_FLUSH_GLOBAL);
	f->nums[0] = f->key;
	create_keys(f, pdn);
	host_eq(f->host, &f->eq, 1, 6);
	for (i = 0; i < CQS; i++)
		host_cq(f->host, &f->cq[i], 0, f->eq.num, 9, 5 + i);
	host_srq(f->host, &f->srq, pdn, 0, 0, 0);
	f->nums[NUMS - 1] = f->srq.num;
	xrcdn = host_create_object(f->host, ORNIC_CMD_ALLOC_XRCD, NULL, 0);
	host_srq(f->host, &f->xrc_srq, pdn, ORNIC_SRQ_XRC, xrcdn,
		 f->cq[0].num);
	f->nums[NUMS - 2] = f->xrc_srq.num;
	for (i = 0; i < QPS; i++) {
		host_qp(f->host, &f->qp[i], qp_types[i], 0, pdn,
			&f->cq[i % CQS], has_srq(i) ? f->srq.num :
			qp_types[i] == ORNIC_QPT_XRC_RECV ? xrcdn : 0);
		f->nums[1 + i] = f->qp[i].num;
	}
	fuzz_eth_begin(f, pdn);
	f->window_len = host_alloc(f->host, HOST_PAGE, HOST_PAGE) - f->window;
	f->host->wire_run = packets;
	f->host->wire_arg = f;
	for (i = 0; i < 16; i++)
		set_up(f);
	for (i = 0; i < 16; i++)
		fuzz_raise(f);
}
