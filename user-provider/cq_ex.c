// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Polling of extended completion queues: ibv_start_poll(), ibv_wc_read_*() */

#include <config.h>

#include <errno.h>

#include "cqe.h"
#include "doorbell.h"
#include "ornic_abi.h"

/* Gives back the entries up to the current one, and counts them */
static void ornic_cq_give_back(struct ornic_cq *cq)
{
	uint32_t count = ornic_polled_after(cq->polled, cq->want,
					    cq->cqe->sq_num, cq->run);

	ornic_cq_consume(cq, cq->ci);
	ornic_polled_set(cq->polled, count);
	cq->run = 0;
}

/* The next entry is of another queue */
static __attribute__((noinline)) void ornic_cq_turn(struct ornic_cq *cq,
						    uint32_t word)
{
	if (cq->run)
		ornic_cq_give_back(cq);
	ornic_cq_select(cq, word);
}

/*
 * The entry stays in the ring until end_poll, or until the next one is taken:
 * the readers access it there
 */
static ALWAYS_INLINE inline int ornic_cq_take(struct ornic_cq *cq,
					      const uint32_t log_size)
{
	const struct ornic_cqe *cqe;
	uint32_t qpn;

	if (!ornic_cq_peek(cq, cq->ci, log_size, &cqe, &qpn))
		return ENOENT;
	if (unlikely((qpn & ORNIC_CQE_KEY) != cq->polled->key))
		ornic_cq_turn(cq, qpn);

	cq->run++;
	cq->ci++;
	cq->cqe = cqe;
	cq->vcq.cq_ex.wr_id = le64toh(cqe->wr_id);
	cq->vcq.cq_ex.status = le32toh(cqe->status);
	return 0;
}

static ALWAYS_INLINE inline int
ornic_cq_begin_poll(struct ibv_cq_ex *ibcq, struct ibv_poll_cq_attr *attr,
		    const uint32_t log_size)
{
	struct ornic_cq *cq = to_ornic_cq_ex(ibcq);
	int ret;

	if (unlikely(attr->comp_mask))
		return EINVAL;

	ornic_lock(&cq->lock);
	if (unlikely(cq->state != ORNIC_CQ_LIVE && ornic_cq_is_lost(cq)))
		ret = EIO;
	else
		ret = ornic_cq_take(cq, log_size);
	if (ret)
		ornic_unlock(&cq->lock);
	return ret;
}

static int ornic_cq_start_poll(struct ibv_cq_ex *ibcq,
			       struct ibv_poll_cq_attr *attr)
{
	return ornic_cq_begin_poll(ibcq, attr, ORNIC_LOG_CQE_SIZE);
}

static int ornic_cq_start_poll_ext(struct ibv_cq_ex *ibcq,
				   struct ibv_poll_cq_attr *attr)
{
	return ornic_cq_begin_poll(ibcq, attr, ORNIC_LOG_CQE_EXT_SIZE);
}

static int ornic_cq_next_poll(struct ibv_cq_ex *ibcq)
{
	return ornic_cq_take(to_ornic_cq_ex(ibcq), ORNIC_LOG_CQE_SIZE);
}

static int ornic_cq_next_poll_ext(struct ibv_cq_ex *ibcq)
{
	return ornic_cq_take(to_ornic_cq_ex(ibcq), ORNIC_LOG_CQE_EXT_SIZE);
}

static void ornic_cq_end_poll(struct ibv_cq_ex *ibcq)
{
	struct ornic_cq *cq = to_ornic_cq_ex(ibcq);

	ornic_cq_give_back(cq);
	ornic_unlock(&cq->lock);
}

/* For a device that has to be told the index */
static void ornic_cq_end_poll_tell(struct ibv_cq_ex *ibcq)
{
	struct ornic_cq *cq = to_ornic_cq_ex(ibcq);

	ornic_cq_give_back(cq);
	ornic_db_tell_cq(cq);
	ornic_unlock(&cq->lock);
}

static enum ibv_wc_opcode ornic_cq_read_opcode(struct ibv_cq_ex *ibcq)
{
	return le32toh(to_ornic_cq_ex(ibcq)->cqe->opcode);
}

static uint32_t ornic_cq_read_vendor_err(struct ibv_cq_ex *ibcq)
{
	return le32toh(to_ornic_cq_ex(ibcq)->cqe->vendor_err);
}

static uint32_t ornic_cq_read_byte_len(struct ibv_cq_ex *ibcq)
{
	return le32toh(to_ornic_cq_ex(ibcq)->cqe->byte_len);
}

static unsigned int ornic_cq_read_wc_flags(struct ibv_cq_ex *ibcq)
{
	return ornic_cqe_wc_flags(le32toh(to_ornic_cq_ex(ibcq)->cqe->qpn));
}

static __be32 ornic_cq_read_imm_data(struct ibv_cq_ex *ibcq)
{
	return ornic_cqe_imm(to_ornic_cq_ex(ibcq)->cqe,
			     ornic_cq_read_wc_flags(ibcq));
}

static uint32_t ornic_cq_read_qp_num(struct ibv_cq_ex *ibcq)
{
	return ORNIC_GET(ORNIC_CQE_QPN, le32toh(to_ornic_cq_ex(ibcq)->cqe->qpn));
}

static uint32_t ornic_cq_read_src_qp(struct ibv_cq_ex *ibcq)
{
	return le32toh(to_ornic_cq_ex(ibcq)->cqe->src_qp);
}

/* RoCE has no LIDs (A17) */
static uint32_t ornic_cq_read_slid(struct ibv_cq_ex *ibcq)
{
	return 0;
}

static uint8_t ornic_cq_read_sl(struct ibv_cq_ex *ibcq)
{
	return ornic_cqe_sl(le32toh(to_ornic_cq_ex(ibcq)->cqe->qpn));
}

static uint8_t ornic_cq_read_dlid_path_bits(struct ibv_cq_ex *ibcq)
{
	return 0;
}

static const struct ornic_cqe_ext *ornic_cqe_ext(struct ibv_cq_ex *ibcq)
{
	return &container_of(to_ornic_cq_ex(ibcq)->cqe, struct ornic_cqe_64,
			     cqe)->ext;
}

static uint64_t ornic_cq_read_completion_ts(struct ibv_cq_ex *ibcq)
{
	return le64toh(ornic_cqe_ext(ibcq)->timestamp);
}

static uint64_t ornic_cq_read_completion_wallclock_ns(struct ibv_cq_ex *ibcq)
{
	return ornic_clock_to_ns(to_ornic_context(ibcq->context)->clock,
				 ornic_cq_read_completion_ts(ibcq));
}

/* vlan_tci is undefined without ORNIC_CQE_EXT_VLAN */
static uint16_t ornic_cq_read_cvlan(struct ibv_cq_ex *ibcq)
{
	const struct ornic_cqe_ext *ext = ornic_cqe_ext(ibcq);

	return le16toh(ext->flags) & ORNIC_CQE_EXT_VLAN ?
	       le16toh(ext->vlan_tci) : 0;
}

static uint32_t ornic_cq_read_flow_tag(struct ibv_cq_ex *ibcq)
{
	return le32toh(ornic_cqe_ext(ibcq)->flow_tag);
}

/**
 * ornic_cq_fill_pfns() - set the functions of an extended CQ
 * @cq: completion queue
 * @wc_flags: IBV_WC_EX_WITH_*: fields to read, all of which its entries have
 */
void ornic_cq_fill_pfns(struct ornic_cq *cq, uint64_t wc_flags)
{
	bool ext = cq->log_cqe_size == ORNIC_LOG_CQE_EXT_SIZE;
	struct ibv_cq_ex *ibcq = &cq->vcq.cq_ex;

	ibcq->start_poll = ext ? ornic_cq_start_poll_ext : ornic_cq_start_poll;
	ibcq->next_poll = ext ? ornic_cq_next_poll_ext : ornic_cq_next_poll;
	ibcq->end_poll = to_ornic_context(ibcq->context)->caps &
			 ORNIC_UCONTEXT_CAP_SHADOW ?
			 ornic_cq_end_poll : ornic_cq_end_poll_tell;
	ibcq->read_opcode = ornic_cq_read_opcode;
	ibcq->read_vendor_err = ornic_cq_read_vendor_err;
	ibcq->read_wc_flags = ornic_cq_read_wc_flags;
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		ibcq->read_byte_len = ornic_cq_read_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		ibcq->read_imm_data = ornic_cq_read_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		ibcq->read_qp_num = ornic_cq_read_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		ibcq->read_src_qp = ornic_cq_read_src_qp;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		ibcq->read_slid = ornic_cq_read_slid;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		ibcq->read_sl = ornic_cq_read_sl;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		ibcq->read_dlid_path_bits = ornic_cq_read_dlid_path_bits;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		ibcq->read_completion_ts = ornic_cq_read_completion_ts;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		ibcq->read_completion_wallclock_ns =
			ornic_cq_read_completion_wallclock_ns;
	if (wc_flags & IBV_WC_EX_WITH_CVLAN)
		ibcq->read_cvlan = ornic_cq_read_cvlan;
	if (wc_flags & IBV_WC_EX_WITH_FLOW_TAG)
		ibcq->read_flow_tag = ornic_cq_read_flow_tag;
}
