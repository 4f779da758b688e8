// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Send queues: the ring, decoding and checks of WQEs, completion */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "objects/mw.h"
#include "queues/qp.h"
#include "queues/sq.h"

/* The longest WQE: header, UD route and CARD_MAX_INLINE bytes of inline data */
#define WQE_SLOTS_MAX \
	ORNIC_SQ_SLOTS(sizeof(struct ornic_sq_hdr) + \
		       sizeof(struct ornic_route_ud) + CARD_MAX_INLINE)

/* The opcode of a WQE that the card could not read */
#define SQ_OPCODE_UNKNOWN UINT8_MAX

/**
 * enum wr_data - data that an opcode takes
 * @WR_ANY: any number of SGEs
 * @WR_INLINE: any number of SGEs, or inline data
 * @WR_WORD: one SGE of 8 bytes for the response of an atomic (IBTA 9.4.5)
 * @WR_WORD_OUT: one SGE of 8 bytes to send, or 8 bytes inline
 * @WR_NONE: no data
 */
enum wr_data {
	WR_ANY,
	WR_INLINE,
	WR_WORD,
	WR_WORD_OUT,
	WR_NONE,
};

/**
 * struct wr_desc - properties of an opcode of work requests
 * @extra: bytes between the route and the SGEs
 * @wc_opcode: enum ornic_wc_opcode of its completion
 * @types: bit n: allowed for enum ornic_qp_type n; 0 for an unknown opcode
 * @data: enum wr_data
 * @kernel: allowed with ORNIC_QP_KERNEL only
 */
struct wr_desc {
	uint8_t extra;
	uint8_t wc_opcode;
	uint16_t types;
	uint8_t data;
	bool kernel;
};

_Static_assert(ORNIC_TSO_HDR_MAX + CARD_MAX_SGE * sizeof(struct ornic_sge) <=
	       CARD_MAX_INLINE, "headers and SGEs of TSO fit where inline data does");

#define TYPE_RC		(1u << ORNIC_QPT_RC | 1u << ORNIC_QPT_XRC_SEND)
#define TYPE_UC		(1u << ORNIC_QPT_UC)
#define TYPE_UD		(1u << ORNIC_QPT_UD | 1u << ORNIC_QPT_GSI)
#define TYPE_RAW	(1u << ORNIC_QPT_RAW_PACKET)

/* Indexed by enum ornic_wr_opcode */
static const struct wr_desc wr_table[] = {
	[ORNIC_WR_RDMA_WRITE] = {
		0, ORNIC_WC_RDMA_WRITE, TYPE_RC | TYPE_UC, WR_INLINE, false
	},
	[ORNIC_WR_RDMA_WRITE_WITH_IMM] = {
		0, ORNIC_WC_RDMA_WRITE, TYPE_RC | TYPE_UC, WR_INLINE, false
	},
	[ORNIC_WR_SEND] = {
		0, ORNIC_WC_SEND, TYPE_RC | TYPE_UC | TYPE_UD | TYPE_RAW,
		WR_INLINE, false
	},
	[ORNIC_WR_SEND_WITH_IMM] = {
		0, ORNIC_WC_SEND, TYPE_RC | TYPE_UC | TYPE_UD, WR_INLINE, false
	},
	[ORNIC_WR_RDMA_READ] = {
		0, ORNIC_WC_RDMA_READ, TYPE_RC, WR_ANY, false
	},
	[ORNIC_WR_ATOMIC_CMP_SWP] = {
		sizeof(struct ornic_atomic), ORNIC_WC_COMP_SWAP, TYPE_RC,
		WR_WORD, false
	},
	[ORNIC_WR_ATOMIC_FETCH_ADD] = {
		sizeof(struct ornic_atomic), ORNIC_WC_FETCH_ADD, TYPE_RC,
		WR_WORD, false
	},
	[ORNIC_WR_LOCAL_INV] = {
		0, ORNIC_WC_LOCAL_INV, TYPE_RC | TYPE_UC, WR_NONE, false
	},
	[ORNIC_WR_BIND_MW] = {
		sizeof(struct ornic_bind), ORNIC_WC_BIND_MW, TYPE_RC | TYPE_UC,
		WR_NONE, false
	},
	[ORNIC_WR_SEND_WITH_INV] = {
		0, ORNIC_WC_SEND, TYPE_RC, WR_INLINE, false
	},
	[ORNIC_WR_TSO] = {
		0, ORNIC_WC_TSO, TYPE_RAW, WR_ANY, false
	},
	[ORNIC_WR_MASKED_CMP_SWP] = {
		sizeof(struct ornic_atomic) + sizeof(struct ornic_atomic_mask),
		ORNIC_WC_MASKED_COMP_SWAP, TYPE_RC, WR_WORD, false
	},
	[ORNIC_WR_MASKED_FETCH_ADD] = {
		sizeof(struct ornic_atomic) + sizeof(struct ornic_atomic_mask),
		ORNIC_WC_MASKED_FETCH_ADD, TYPE_RC, WR_WORD, false
	},
	[ORNIC_WR_FLUSH] = {
		sizeof(struct ornic_flush), ORNIC_WC_FLUSH, TYPE_RC, WR_NONE,
		false
	},
	[ORNIC_WR_ATOMIC_WRITE] = {
		0, ORNIC_WC_ATOMIC_WRITE, TYPE_RC, WR_WORD_OUT, false
	},
	[ORNIC_WR_REG_MR] = {
		sizeof(struct ornic_reg_mr), ORNIC_WC_REG_MR, TYPE_RC, WR_NONE,
		true
	},
};

static const struct wr_desc *wr_get(unsigned int opcode)
{
	static const struct wr_desc unknown;

	return opcode < ARRAY_SIZE(wr_table) ? &wr_table[opcode] : &unknown;
}

static unsigned int route_len(const struct qp *qp)
{
	switch (qp->base.type) {
	case ORNIC_QPT_UD:
	case ORNIC_QPT_GSI:
		return sizeof(struct ornic_route_ud);
	case ORNIC_QPT_RAW_PACKET:
		return sizeof(struct ornic_route_eth);
	default:
		return sizeof(struct ornic_route_rc);
	}
}

/*
 * Bytes between route and SGEs. A TSO WQE has headers there, whose length is in
 * the route.
 */
static unsigned int wr_extra(const struct qp *qp, unsigned int opcode,
			     const uint8_t *slot)
{
	struct ornic_route_eth eth;

	if (opcode != ORNIC_WR_TSO || qp->base.type != ORNIC_QPT_RAW_PACKET)
		return wr_get(opcode)->extra;
	memcpy(&eth, slot + sizeof(struct ornic_sq_hdr), sizeof(eth));
	return (le16toh(eth.hdr_len) + 15) & ~15u;
}

static const void *sq_slot(struct qp *qp, uint32_t index)
{
	struct sq *sq = &qp->sq;

	return buf_slot(&sq->ring,
			(uint64_t)(index & ((1u << sq->log_slots) - 1)) <<
			ORNIC_SLOT_SHIFT, ORNIC_SLOT_SIZE);
}

int sq_update(struct qp *qp)
{
	struct ornic_qp_dbr *dbr = qp_dbr(qp);
	struct sq *sq = &qp->sq;
	uint32_t pi;

	if (sq->broken)
		return 0;
	if (!dbr) {
		sq->broken = true;
		DEVICE_VIOLATION(qp->base.card, dma_faults, qp->base.obj.num, 0,
				 "qp[%u]: no doorbell record", qp->base.obj.num);
		return -EIO;
	}
	pi = guest_load32(&dbr->sq_pi);
	/* At most a ring ahead of what is done; never back ([ORNIC-DB-16]) */
	if (pi - sq->ci > 1u << sq->log_slots ||
	    pi - sq->ci < sq->pi - sq->ci) {
		sq->broken = true;
		DEVICE_VIOLATION(qp->base.card, bad_sq_pi, qp->base.obj.num, pi,
				 "qp[%u]: sq_pi %u after %u, done %u",
				 qp->base.obj.num, pi, sq->pi, sq->ci);
		return -EIO;
	}
	sq->pi = pi;
	return 0;
}

/*
 * Copy the header of a WQE, which tells its slots whatever the opcode: at least
 * one, at most up to the producer index ([ORNIC-SQ-4]).
 *
 * Return: length of the WQE in bytes, 0 when it would end behind the producer
 * index.
 */
static unsigned int sq_read_header(struct qp *qp, const uint8_t *slot,
				   uint32_t index, struct send_wqe *wqe)
{
	uint32_t left = qp->sq.pi - index;
	struct ornic_sq_hdr hdr;
	unsigned int len;
	uint32_t ctrl;

	memcpy(&hdr, slot, sizeof(hdr));
	ctrl = le32toh(hdr.ctrl);
	wqe->wr_id = le64toh(hdr.wr_id);
	wqe->index = index;
	wqe->opcode = ORNIC_GET(ORNIC_SQ_OPCODE, ctrl);
	wqe->flags = ORNIC_GET(ORNIC_SQ_FLAGS, ctrl);
	wqe->imm = hdr.imm;
	wqe->inv_key = le32toh(hdr.inv_key);
	len = ORNIC_GET(ORNIC_SQ_LENGTH, ctrl);
	wqe->slots = ORNIC_SQ_SLOTS(len);
	if (wqe->slots <= left)
		return len;
	wqe->slots = left;
	return 0;
}

/*
 * Compute the number of SGEs, or of bytes of inline data, from the length of a
 * WQE.
 *
 * Return: the number, or -EINVAL when the WQE is too short for its opcode, ends
 * amidst an SGE, or has more than the card takes ([ORNIC-SQ-5]).
 */
static int sq_count(const struct qp *qp, const uint8_t *slot,
		    const struct send_wqe *wqe, unsigned int len)
{
	unsigned int extra = wr_extra(qp, wqe->opcode, slot);
	unsigned int start = sizeof(struct ornic_sq_hdr) + route_len(qp) + extra;

	if (extra > ORNIC_TSO_HDR_MAX || len < start)
		return -EINVAL;
	len -= start;
	if (wqe->flags & ORNIC_SEND_INLINE)
		return len > CARD_MAX_INLINE ? -EINVAL : (int)len;
	if (len % sizeof(struct ornic_sge) ||
	    len / sizeof(struct ornic_sge) > CARD_MAX_SGE)
		return -EINVAL;
	return len / sizeof(struct ornic_sge);
}

static const uint8_t *sq_decode_atomic(struct send_wqe *wqe, const uint8_t *p)
{
	struct ornic_atomic atomic;

	memcpy(&atomic, p, sizeof(atomic));
	wqe->swap_add = le64toh(atomic.swap_add);
	wqe->compare = le64toh(atomic.compare);
	return p + sizeof(atomic);
}

static void sq_decode_mask(struct send_wqe *wqe, const uint8_t *p)
{
	struct ornic_atomic_mask mask;

	memcpy(&mask, p, sizeof(mask));
	wqe->swap_add_mask = le64toh(mask.swap_add_mask);
	wqe->compare_mask = le64toh(mask.compare_mask);
}

/* Decode the fields behind the route; @p points to them */
static void sq_decode_extra(struct send_wqe *wqe, const uint8_t *p)
{
	switch (wqe->opcode) {
	case ORNIC_WR_ATOMIC_CMP_SWP:
	case ORNIC_WR_ATOMIC_FETCH_ADD:
		sq_decode_atomic(wqe, p);
		break;
	case ORNIC_WR_MASKED_CMP_SWP:
	case ORNIC_WR_MASKED_FETCH_ADD:
		sq_decode_mask(wqe, sq_decode_atomic(wqe, p));
		break;
	case ORNIC_WR_FLUSH:
		memcpy(&wqe->flush, p, sizeof(wqe->flush));
		break;
	case ORNIC_WR_BIND_MW:
		memcpy(&wqe->bind, p, sizeof(wqe->bind));
		break;
	case ORNIC_WR_REG_MR:
		memcpy(&wqe->reg, p, sizeof(wqe->reg));
		break;
	case ORNIC_WR_TSO:
		memcpy(wqe->data, p, ORNIC_TSO_HDR_MAX);
		break;
	default:
		break;
	}
}

/* Decode a WQE from its local copy */
static void sq_decode(struct qp *qp, struct send_wqe *wqe, const uint8_t *copy,
		      unsigned int count)
{
	const uint8_t *body = copy + sizeof(struct ornic_sq_hdr);
	struct ornic_route_rc rc;
	struct ornic_route_ud ud;
	struct ornic_sge sge;
	unsigned int i;

	switch (qp->base.type) {
	case ORNIC_QPT_UD:
	case ORNIC_QPT_GSI:
		memcpy(&ud, body, sizeof(ud));
		wqe->dqpn = le32toh(ud.dqpn) & 0xffffff;
		wqe->qkey = le32toh(ud.qkey);
		wqe->av = ud.av;
		break;
	case ORNIC_QPT_RAW_PACKET:
		memcpy(&wqe->eth, body, sizeof(wqe->eth));
		break;
	default:
		memcpy(&rc, body, sizeof(rc));
		wqe->raddr = le64toh(rc.raddr);
		wqe->rkey = le32toh(rc.rkey);
		wqe->xrc_srqn = le32toh(rc.xrc_srqn) & 0xffffff;
		break;
	}
	body += route_len(qp);
	sq_decode_extra(wqe, body);
	body += wr_extra(qp, wqe->opcode, copy);

	wqe->sge_count = 0;
	wqe->length = 0;
	if (wqe->flags & ORNIC_SEND_INLINE) {
		memcpy(wqe->data, body, count);
		wqe->length = count;
		return;
	}
	for (i = 0; i < count; i++) {
		memcpy(&sge, body + i * sizeof(sge), sizeof(sge));
		wqe->sge[i].addr = le64toh(sge.addr);
		wqe->sge[i].length = le32toh(sge.length);
		wqe->sge[i].lkey = le32toh(sge.lkey);
		wqe->length += wqe->sge[i].length;
	}
	wqe->sge_count = count;
}

static enum ornic_wc_status bad_opcode(struct qp *qp,
				       const struct send_wqe *wqe)
{
	DEVICE_VIOLATION(qp->base.card, bad_wqe_opcode,
			 qp->base.obj.num, wqe->opcode,
			 "qp[%u]: opcode %u with flags %#x", qp->base.obj.num,
			 wqe->opcode, wqe->flags);
	return ORNIC_WC_LOC_QP_OP_ERR;
}

static enum ornic_wc_status bad_count(struct qp *qp, const struct send_wqe *wqe,
				      unsigned int len)
{
	DEVICE_VIOLATION(qp->base.card, bad_wqe_count, qp->base.obj.num, len,
			 "qp[%u]: opcode %u with flags %#x and %u bytes",
			 qp->base.obj.num, wqe->opcode, wqe->flags, len);
	return ORNIC_WC_LOC_QP_OP_ERR;
}

static bool may_inline(const struct wr_desc *desc)
{
	return desc->data == WR_INLINE || desc->data == WR_WORD_OUT;
}

static bool data_valid(const struct wr_desc *desc, const struct send_wqe *wqe,
		       unsigned int count)
{
	switch (desc->data) {
	case WR_WORD:
		return count == 1 && wqe->length == sizeof(uint64_t);
	case WR_WORD_OUT:
		return wqe->length == sizeof(uint64_t) &&
		       (count == 1 || wqe->flags & ORNIC_SEND_INLINE);
	case WR_NONE:
		return !count;
	default:
		return true;
	}
}

static enum ornic_wc_status out_of_reach(struct qp *qp)
{
	DEVICE_VIOLATION(qp->base.card, dma_faults, qp->base.obj.num, 0,
			 "qp[%u]: send ring out of reach",
			 qp->base.obj.num);
	return ORNIC_WC_LOC_PROT_ERR;
}

/*
 * A header out of reach hides where the next WQE begins, so one WQE stands for
 * all up to the producer index ([ORNIC-SQ-8]).
 */
static enum ornic_wc_status sq_lost(struct qp *qp, uint32_t index,
				    struct send_wqe *wqe)
{
	wqe->wr_id = 0;
	wqe->index = index;
	wqe->slots = qp->sq.pi - index;
	wqe->flags = 0;
	wqe->opcode = SQ_OPCODE_UNKNOWN;
	return out_of_reach(qp);
}

void sq_push(struct qp *qp, const uint8_t *wqe)
{
	struct sq_pushed *pushed = &qp->pushed;
	struct ornic_sq_hdr hdr;

	memcpy(&hdr, wqe, sizeof(hdr));
	qp->sq.pushed = ORNIC_GET(ORNIC_SQ_LENGTH, le32toh(hdr.ctrl)) <=
			sizeof(pushed->wqe);
	pushed->index = qp->sq.next;
	memcpy(pushed->wqe, wqe, sizeof(pushed->wqe));
}

/*
 * Copy the first slot of a WQE, so that only the copy is checked ([ORNIC-BAD-2]):
 * what was pushed, once, or the ring.
 *
 * Return: false when the ring is out of reach.
 */
static bool sq_read_first(struct qp *qp, uint32_t index, uint8_t *copy)
{
	struct sq_pushed *pushed = &qp->pushed;
	const void *slot;

	if (qp->sq.pushed) {
		qp->sq.pushed = false;
		if (pushed->index == index) {
			memcpy(copy, pushed->wqe, sizeof(pushed->wqe));
			memset(copy + sizeof(pushed->wqe), 0,
			       ORNIC_SLOT_SIZE - sizeof(pushed->wqe));
			DEVICE_STAT_INC(qp->base.card, pushed_wqes);
			return true;
		}
	}
	slot = sq_slot(qp, index);
	if (slot)
		memcpy(copy, slot, ORNIC_SLOT_SIZE);
	return slot;
}

/* Are the opcode and the features in force such that the QP may execute a WQE? */
static bool sq_may(const struct qp *qp, const struct wr_desc *desc, unsigned int opcode,
		   uint64_t ops)
{
	return desc->types >> qp->base.type & 1 && (!desc->kernel || qp_is_kernel(qp)) &&
	       ops >> opcode & 1;
}

void sq_trace(const struct qp *qp)
{
	card_trace_add(qp->base.card, (struct trace_record){
		.kind = TRACE_DOORBELL, .qpn = qp->base.obj.num, .value = qp->sq.pi,
	});
}

/*
 * A WQE that no plain operation has: a trace is on, or it is refused. With a trace it is read
 * once more, in the usual way, so that this way has no code of it.
 */
static CARD_RARE enum ornic_wc_status sq_read_shown(struct qp *qp, const struct wr_desc *desc,
						    struct send_wqe *wqe)
{
	struct card *card = qp->base.card;
	enum ornic_wc_status status;

	if (!sq_may(qp, desc, wqe->opcode, card->host.send_ops))
		return bad_opcode(qp, wqe);
	card_trace_add(card, (struct trace_record){
		.kind = TRACE_WQE,
		.op = wqe->opcode,
		.code = wqe->index != qp->sq.next,
		.qpn = qp->base.obj.num,
		.num = qp->sq.num + (qp->req.tail - qp->req.head) + 1,
		.psn = qp->req.next,
		.value = wqe->index + wqe->slots,
		.wr_id = wqe->wr_id,
	});
	card->plain_ops = card->host.send_ops;
	status = sq_read(qp, wqe->index, wqe);
	card_set_plain_ops(card);
	return status;
}

enum ornic_wc_status sq_read(struct qp *qp, uint32_t index,
			     struct send_wqe *wqe)
{
	uint8_t copy[WQE_SLOTS_MAX][ORNIC_SLOT_SIZE];
	const struct wr_desc *desc;
	unsigned int i, len;
	const void *slot;
	int count;

	wqe->sge_count = 0;
	wqe->length = 0;
	if (!sq_read_first(qp, index, copy[0]))
		return sq_lost(qp, index, wqe);
	len = sq_read_header(qp, copy[0], index, wqe);

	desc = wr_get(wqe->opcode);
	if (!sq_may(qp, desc, wqe->opcode, qp->base.card->plain_ops))
		return sq_read_shown(qp, desc, wqe);
	if (wqe->flags & ORNIC_SEND_INLINE && !may_inline(desc))
		return bad_opcode(qp, wqe);
	count = sq_count(qp, copy[0], wqe, len);
	if (count < 0)
		return bad_count(qp, wqe, len);
	for (i = 1; i < wqe->slots; i++) {
		slot = sq_slot(qp, index + i);
		if (!slot)
			return out_of_reach(qp);
		memcpy(copy[i], slot, ORNIC_SLOT_SIZE);
	}
	sq_decode(qp, wqe, copy[0], count);
	if (!data_valid(desc, wqe, count))
		return bad_count(qp, wqe, len);
	if (wqe->opcode == ORNIC_WR_FLUSH &&
	    !wqe_flush_valid(wqe->flush.type, wqe->flush.level))
		return bad_opcode(qp, wqe);
	return ORNIC_WC_SUCCESS;
}

enum ornic_wc_status sq_execute(struct qp *qp, const struct send_wqe *wqe)
{
	struct card *card = qp->base.card;
	enum mr_error err;

	switch (wqe->opcode) {
	case ORNIC_WR_REG_MR:
		err = mr_reg(card, &qp->base.user, &wqe->reg);
		break;
	case ORNIC_WR_BIND_MW:
		err = mw_bind(card, &qp->base.user, &wqe->bind);
		break;
	default:
		err = mr_local_inv(card, &qp->base.user, wqe->inv_key);
		break;
	}
	if (!err)
		return ORNIC_WC_SUCCESS;
	DEVICE_VIOLATION(card, bad_lkey, qp->base.obj.num, wqe->opcode,
			 "qp[%u]: opcode %u: %s", qp->base.obj.num,
			 wqe->opcode, mr_error_name(err));
	return ORNIC_WC_MW_BIND_ERR;
}

static void sq_done(struct qp *qp, uint32_t end, bool tell)
{
	struct sq *sq = &qp->sq;
	uint32_t lag = qp->base.card->sq_ci_lag;
	struct ornic_qp_dbr *dbr;
	uint32_t told = end;

	sq->num++;
	sq->ci = end;
	if (end - sq->ci_told <= lag && (qp->base.card->ci_lags || !tell))
		return;
	if (qp->base.card->ci_lags)
		told -= lag;
	if (told == sq->ci_told)
		return;
	dbr = qp_dbr(qp);
	if (dbr)
		guest_store32(&dbr->sq_ci, told);
	sq->ci_told = told;
}

static void sq_finish(struct qp *qp, const struct send_wqe *wqe,
		      enum ornic_wc_status status, uint32_t byte_len)
{
	bool signaled = status != ORNIC_WC_SUCCESS ||
			wqe->flags & ORNIC_SEND_SIGNALED ||
			qp->base.flags & ORNIC_QP_SIG_ALL;
	struct ornic_cqe cqe = {
		.wr_id = htole64(wqe->wr_id),
		.status = htole32(status),
		.opcode = htole32(wr_get(wqe->opcode)->wc_opcode),
		.byte_len = htole32(byte_len),
		.sq_num = htole32(qp->sq.num + 1),
		.qpn = htole32(qp->base.obj.num |
			       ORNIC_PREP(ORNIC_CQE_FLAGS, ORNIC_WC_SEND_QUEUE)),
	};

	sq_done(qp, wqe->index + wqe->slots, signaled);
	if (signaled)
		cq_post(qp->send_cq.cq, &cqe, NULL, false);
}

/* Not inlined, so that sq_complete() saves no registers for the call that counts */
static __attribute__((noinline)) void
sq_count_and_finish(struct qp *qp, const struct send_wqe *wqe, enum ornic_wc_status status,
		    uint32_t byte_len)
{
	bool failed = status != ORNIC_WC_SUCCESS;

	switch (wqe->opcode) {
	case ORNIC_WR_SEND:
	case ORNIC_WR_SEND_WITH_IMM:
	case ORNIC_WR_SEND_WITH_INV:
	case ORNIC_WR_TSO:
		receiver_count(&qp->base, COMP_CNTR_SEND, failed);
		break;
	case ORNIC_WR_RDMA_READ:
		receiver_count(&qp->base, COMP_CNTR_READ, failed);
		break;
	case ORNIC_WR_RDMA_WRITE:
	case ORNIC_WR_RDMA_WRITE_WITH_IMM:
		receiver_count(&qp->base, COMP_CNTR_WRITE, failed);
		break;
	}
	sq_finish(qp, wqe, status, byte_len);
}

void sq_complete(struct qp *qp, const struct send_wqe *wqe,
		 enum ornic_wc_status status, uint32_t byte_len)
{
	if (receiver_counts(&qp->base))
		sq_count_and_finish(qp, wqe, status, byte_len);
	else
		sq_finish(qp, wqe, status, byte_len);
}

bool sq_flush(struct qp *qp, unsigned int budget)
{
	enum ornic_wc_status status;
	struct sq *sq = &qp->sq;
	struct send_wqe wqe;
	const void *slot;

	sq_update(qp);
	while (!sq_empty(sq)) {
		if (!budget--)
			return true;
		slot = sq_slot(qp, sq->next);
		if (slot) {
			sq_read_header(qp, slot, sq->next, &wqe);
			status = ORNIC_WC_WR_FLUSH_ERR;
		} else {
			status = sq_lost(qp, sq->next, &wqe);
		}
		sq->next += wqe.slots;
		sq_complete(qp, &wqe, status, 0);
	}
	return false;
}
