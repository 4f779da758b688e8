// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Fuzzing: Ethernet frames, WQs, RSS QPs and flow rules */
#include "base/be.h"
#include "eth/eth.h"
#include "eth/eth_recv.h"
#include "eth/eth_rx.h"
#include "eth/headers.h"
#include "eth/rss.h"
#include "fuzz.h"
#include "queues/qp.h"

#define LOG_WQES 4
#define DELAY_US 300
/* Ethernet, IPv4, TCP or UDP */
#define HDR_LEN 54

static uint32_t create(struct fuzz *f, unsigned int opcode, const void *in,
		       unsigned int len)
{
	struct ornic_object out = {};

	if (host_cmd_raw(f->host, opcode, in, len, &out, sizeof(out)) !=
	    ORNIC_CMD_OK)
		return 0;
	f->nums[below(f, NUMS)] = le32toh(out.num);
	return le32toh(out.num);
}

static uint32_t create_wq(struct fuzz *f, struct ornic_create_wq_in *in)
{
	uint32_t flags = below(f, 16);

	in->flags = htole32(flags);
	if (flags & ORNIC_WQ_DELAY_DROP)
		in->delay_drop = htole32(1 + below(f, DELAY_US));
	return create(f, ORNIC_CMD_CREATE_WQ, in, sizeof(*in));
}

static uint32_t create_table(struct fuzz *f, unsigned int log_size)
{
	struct {
		struct ornic_create_rwq_table_in in;
		__le32 wqn[4];
	} cmd = { .in.log_size = log_size };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cmd.wqn); i++)
		cmd.wqn[i] = htole32(f->wq.num);
	if (log_size && one_in(f, 4))
		cmd.wqn[1] = htole32(f->nums[below(f, NUMS)]);
	return create(f, ORNIC_CMD_CREATE_RWQ_TABLE, &cmd,
		      sizeof(cmd.in) + (4u << log_size));
}

static uint32_t create_rss(struct fuzz *f, uint32_t pdn)
{
	struct ornic_create_qp_in in = {
		.pdn = htole32(pdn),
		.flags = htole32(ORNIC_QP_RSS),
		.type = ORNIC_QPT_RAW_PACKET,
		.rwq_table = htole32(one_in(f, 4) ? odd(f) : f->table),
		.rx_hash_fields = htole32(rnd(f) & RSS_FIELDS),
	};

	scribble(f, in.rx_hash_key, sizeof(in.rx_hash_key));
	if (one_in(f, 8))
		scribble(f, &in, sizeof(in));
	return create(f, ORNIC_CMD_CREATE_QP, &in, sizeof(in));
}

static void modify_wq(struct fuzz *f, uint32_t wqn, unsigned int state)
{
	struct ornic_modify_wq_in in = {
		.wqn = htole32(wqn),
		.mask = htole32(ORNIC_WQ_ATTR_STATE | below(f, 2) << 2),
		.state = state,
		.flags = htole32(below(f, 2)),
	};

	if (one_in(f, 16))
		scribble(f, &in, sizeof(in));
	host_cmd_in(f->host, ORNIC_CMD_MODIFY_WQ, &in);
}

static void raise_wq(struct fuzz *f)
{
	modify_wq(f, f->wq.num, ORNIC_WQS_RESET);
	f->wq.rq_pi = 0;
	guest_store32(&host_qp_dbr(&f->wq)->rq_pi, 0);
	modify_wq(f, f->wq.num, ORNIC_WQS_RDY);
}

/* Replace @wq by another WQ; tables may still use the old one */
static void replace_wq(struct fuzz *f)
{
	struct ornic_create_wq_in in = {
		.pdn = htole32(below(f, 2)),
		.cqn = htole32(f->cq[below(f, CQS)].num),
		.log_wqes = LOG_WQES,
		.stride_shift = 5 + below(f, 5),
		.dbr_addr = htole64(f->wq.dbr),
	};
	uint32_t num;

	host_buf(&in.buf, f->wq.rq, 512 << LOG_WQES);
	num = create_wq(f, &in);
	if (!num)
		return;
	f->wq.num = num;
	f->wq.rq_stride_shift = in.stride_shift;
	raise_wq(f);
}

static void destroy(struct fuzz *f)
{
	static const uint16_t opcodes[] = {
		ORNIC_CMD_DESTROY_WQ, ORNIC_CMD_DESTROY_RWQ_TABLE,
		ORNIC_CMD_DESTROY_QP, ORNIC_CMD_DESTROY_WQ,
	};
	uint32_t nums[] = { f->wq.num, f->table, f->rss, odd(f) };
	unsigned int n = below(f, ARRAY_SIZE(nums));

	host_cmd_object(f->host, opcodes[n], nums[n]);
}

static void pace(struct fuzz *f)
{
	struct ornic_modify_qp_in in = {
		.qpn = htole32(f->qp[4 + below(f, 2)].num),
		.mask = htole32(ORNIC_QP_ATTR_RATE_LIMIT),
		.attr.rate_limit = htole32(one_in(f, 2) ? 0 : rnd(f)),
	};

	if (in.attr.rate_limit && one_in(f, 2))
		in.max_burst = htole32(odd(f));
	host_cmd_in(f->host, ORNIC_CMD_MODIFY_QP, &in);
}

void fuzz_eth_change(struct fuzz *f)
{
	uint32_t num;

	switch (below(f, 8)) {
	case 0:
	case 1:
		raise_wq(f);
		break;
	case 2:
		replace_wq(f);
		break;
	case 3:
		num = create_table(f, below(f, 3));
		if (num)
			f->table = num;
		break;
	case 4:
		num = create_rss(f, below(f, 2));
		if (num)
			f->rss = num;
		break;
	case 5:
		destroy(f);
		break;
	case 6:
		pace(f);
		break;
	default:
		modify_wq(f, odd(f), below(f, 4));
	}
}

/* Create a rule for a RAW_PACKET or RSS QP that matches all or some frames */
static void create_rule(struct fuzz *f)
{
	uint32_t qpns[] = { f->qp[4].num, f->qp[5].num, f->rss };
	struct ornic_create_flow_in in = {
		.qpn = htole32(qpns[below(f, ARRAY_SIZE(qpns))]),
		.priority = htole32(below(f, 3)),
		.type = below(f, 4),
		.flags = htole32(below(f, 16)),
	};
	uint8_t *value = (uint8_t *)&in.value;
	uint8_t *mask = (uint8_t *)&in.mask;
	unsigned int n = below(f, sizeof(in.mask));

	if (le32toh(in.flags) & ORNIC_FLOW_COUNT)
		in.counters = htole32(f->nums[below(f, NUMS)]);
	if (one_in(f, 2)) {
		mask[n] = rnd(f);
		value[n] = rnd(f) & mask[n];
	}
	if (one_in(f, 8))
		scribble(f, &in, sizeof(in));
	create(f, ORNIC_CMD_CREATE_FLOW, &in, sizeof(in));
}

void fuzz_eth_rules(struct fuzz *f)
{
	unsigned int opcode = one_in(f, 4) ? ORNIC_CMD_DESTROY_COUNTERS :
					     ORNIC_CMD_DESTROY_FLOW;

	switch (below(f, 4)) {
	case 0:
		create(f, ORNIC_CMD_CREATE_COUNTERS, NULL, 0);
		break;
	case 1:
		host_cmd_object(f->host, opcode, f->nums[below(f, NUMS)]);
		break;
	default:
		create_rule(f);
	}
}

static void make_headers(struct fuzz *f, uint8_t *p, unsigned int proto)
{
	memset(p, 0, HDR_LEN);
	memcpy(p, f->host->mac, MAC_LEN);
	be_put16(p + 12, 0x0800);
	p[14] = 0x45;
	be_put16(p + 16, HDR_LEN - 14);
	p[23] = proto;
	p[26] = 10;
	p[30] = 10;
	be_put16(p + 34, below(f, 8));
	be_put16(p + 36, 80);
	be_put16(p + 38, HDR_LEN - 34);
	p[46] = 0x50;
}

unsigned int fuzz_eth_tso(struct fuzz *f, uint8_t *hdr)
{
	make_headers(f, hdr, HEADERS_PROTO_TCP);
	if (one_in(f, 8))
		scribble(f, hdr, HDR_LEN);
	return one_in(f, 8) ? 1 + below(f, ORNIC_TSO_HDR_MAX) : HDR_LEN;
}

void fuzz_eth_deliver(struct fuzz *f)
{
	uint32_t nums[] = { f->rss, f->rss, f->qp[4].num, odd(f) };
	static const uint8_t rest[1600];
	struct frame frame = { .hdr_len = HDR_LEN };
	unsigned int left = 1 + below(f, 8);
	struct headers headers;
	struct qp *qp;

	make_headers(f, frame.hdr, one_in(f, 2) ? HEADERS_PROTO_TCP :
						  HEADERS_PROTO_UDP);
	if (one_in(f, 4))
		be_put16(frame.hdr + 12, 0x8100);
	if (one_in(f, 8))
		scribble(f, frame.hdr, FRAME_HDR_MAX);
	if (one_in(f, 2)) {
		frame.hdr_len = FRAME_HDR_MAX;
		frame_add(&frame, rest, below(f, 1200));
	} else if (one_in(f, 8)) {
		frame.hdr_len = HEADERS_ETH_LEN + below(f, 40);
	}
	headers_find(&frame, &headers);
	while (left--) {
		qp = qp_find(f->host->card, nums[below(f, ARRAY_SIZE(nums))]);
		if (qp && qp->base.type == ORNIC_QPT_RAW_PACKET &&
		    eth_valid(f->host->card, &frame))
			eth_deliver(qp, &frame, &headers, rnd(f));
	}
}

void fuzz_eth_begin(struct fuzz *f, uint32_t pdn)
{
	struct ornic_create_wq_in in = {
		.pdn = htole32(pdn),
		.cqn = htole32(f->cq[1].num),
		.log_wqes = LOG_WQES,
		.stride_shift = 5,
	};

	f->wq.host = f->host;
	f->wq.log_rq_wqes = LOG_WQES;
	f->wq.rq_stride_shift = in.stride_shift;
	f->wq.rq = host_alloc(f->host, 512 << LOG_WQES, HOST_PAGE);
	f->wq.dbr = host_alloc(f->host, sizeof(struct ornic_qp_dbr), 128);
	in.dbr_addr = htole64(f->wq.dbr);
	host_buf(&in.buf, f->wq.rq, 512 << LOG_WQES);
	f->wq.num = create_wq(f, &in);
	assert_int_not_equal(f->wq.num, 0);
	f->table = create_table(f, 0);
	f->rss = create_rss(f, pdn);
	raise_wq(f);
}
