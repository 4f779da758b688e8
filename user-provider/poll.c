// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Polling of completion queues: ibv_poll_cq() */

#include <config.h>

#include "cqe.h"
#include "doorbell.h"
#include "ornic_abi.h"

/* A CQE is the first half of struct ibv_wc on a little-endian machine */
#define ORNIC_WC_IS_CQE(field, cqe_field) \
	static_assert(offsetof(struct ibv_wc, field) == \
		      offsetof(struct ornic_cqe, cqe_field), #field)

ORNIC_WC_IS_CQE(wr_id, wr_id);
ORNIC_WC_IS_CQE(status, status);
ORNIC_WC_IS_CQE(opcode, opcode);
ORNIC_WC_IS_CQE(vendor_err, vendor_err);
ORNIC_WC_IS_CQE(byte_len, byte_len);
ORNIC_WC_IS_CQE(imm_data, imm);
ORNIC_WC_IS_CQE(qp_num, qpn);

static ALWAYS_INLINE inline void ornic_cqe_fill_wc(struct ibv_wc *wc,
						   const struct ornic_cqe *cqe,
						   uint32_t qpn)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
	memcpy(wc, cqe, sizeof(*cqe));
#else
	wc->wr_id = le64toh(cqe->wr_id);
	wc->status = le32toh(cqe->status);
	wc->opcode = le32toh(cqe->opcode);
	wc->vendor_err = le32toh(cqe->vendor_err);
	wc->byte_len = le32toh(cqe->byte_len);
	wc->imm_data = ornic_cqe_imm(cqe, ornic_cqe_wc_flags(qpn));
#endif
	wc->qp_num = qpn & ORNIC_CQE_QPN;
	wc->src_qp = le32toh(cqe->src_qp);
	wc->wc_flags = ornic_cqe_wc_flags(qpn);
	/* P_Key index and LIDs: RoCE has none (A17) */
	memset(&wc->pkey_index, 0,
	       sizeof(*wc) - offsetof(struct ibv_wc, pkey_index));
	if (unlikely(wc->wc_flags & IBV_WC_GRH))
		wc->sl = ornic_cqe_sl(qpn);
}

/* @num is at least 1 */
static ALWAYS_INLINE inline int ornic_cq_fetch(struct ornic_cq *cq, int num,
					       struct ibv_wc *wc,
					       const uint32_t log_size)
{
	/* Copies, because the compiler cannot know that @wc is not @cq */
	const struct ornic_cq_place place = ornic_cq_place(cq);
	const struct ornic_cqe *cqe;
	uint32_t ci = cq->ci;
	int left = num;
	uint32_t qpn;

	do {
		if (!ornic_cq_peek_at(&place, ci, log_size, &cqe, &qpn))
			break;
		ornic_cqe_fill_wc(wc++, cqe, qpn);
		ci++;
	} while (--left);

	num -= left;
	if (num)
		ornic_cq_consume(cq, ci);
	return num;
}

/* Slow path: @num is not positive, or the CQ is not in ORNIC_CQ_LIVE */
static __attribute__((noinline)) int ornic_cq_poll_rare(struct ornic_cq *cq,
							int num,
							struct ibv_wc *wc)
{
	if (num <= 0)
		return 0;
	if (ornic_cq_is_lost(cq))
		return -1;
	return ornic_cq_fetch(cq, num, wc, cq->log_cqe_size);
}

static ALWAYS_INLINE inline int ornic_cq_poll(struct ornic_cq *cq, int num,
					      struct ibv_wc *wc,
					      const bool locked,
					      const uint32_t log_size)
{
	int n;

	if (locked)
		pthread_spin_lock(&cq->lock.spin);
	/* One comparison detects both cases of the slow path */
	if (likely(num > cq->min_num))
		n = ornic_cq_fetch(cq, num, wc, log_size);
	else
		n = ornic_cq_poll_rare(cq, num, wc);
	if (locked)
		pthread_spin_unlock(&cq->lock.spin);

	return n;
}

static int ornic_cq_poll_locked(struct ornic_cq *cq, int num, struct ibv_wc *wc)
{
	return ornic_cq_poll(cq, num, wc, true, ORNIC_LOG_CQE_SIZE);
}

static int ornic_cq_poll_alone(struct ornic_cq *cq, int num, struct ibv_wc *wc)
{
	return ornic_cq_poll(cq, num, wc, false, ORNIC_LOG_CQE_SIZE);
}

static int ornic_cq_poll_ext_locked(struct ornic_cq *cq, int num,
				    struct ibv_wc *wc)
{
	return ornic_cq_poll(cq, num, wc, true, ORNIC_LOG_CQE_EXT_SIZE);
}

static int ornic_cq_poll_ext_alone(struct ornic_cq *cq, int num,
				   struct ibv_wc *wc)
{
	return ornic_cq_poll(cq, num, wc, false, ORNIC_LOG_CQE_EXT_SIZE);
}

/* For a device that has to be told the index, with or without the lock */
static int ornic_cq_poll_tell(struct ornic_cq *cq, int num, struct ibv_wc *wc)
{
	int n;

	ornic_lock(&cq->lock);
	n = ornic_cq_poll(cq, num, wc, false, cq->log_cqe_size);
	ornic_db_tell_cq(cq);
	ornic_unlock(&cq->lock);
	return n;
}

/**
 * ornic_cq_choose_poll() - select the poll function of a CQ
 * @cq: completion queue, its lock and the size of its entries set
 */
void ornic_cq_choose_poll(struct ornic_cq *cq)
{
	const struct ornic_context *ctx =
		to_ornic_context(cq->vcq.cq.context);

	if (ctx->caps & ORNIC_UCONTEXT_CAP_CQ_DB)
		cq->poll = ornic_cq_poll_tell;
	else if (cq->log_cqe_size == ORNIC_LOG_CQE_EXT_SIZE)
		cq->poll = cq->lock.needed ? ornic_cq_poll_ext_locked :
					     ornic_cq_poll_ext_alone;
	else
		cq->poll = cq->lock.needed ? ornic_cq_poll_locked :
					     ornic_cq_poll_alone;
}

/**
 * ornic_poll_cq() - poll a completion queue
 * @ibcq: completion queue
 * @num: entries of @wc
 * @wc: work completions
 *
 * Return: the number of completions, 0 if @num is not positive; -1 if the CQ is
 * not in ORNIC_CQ_LIVE.
 */
int ornic_poll_cq(struct ibv_cq *ibcq, int num, struct ibv_wc *wc)
{
	struct ornic_cq *cq = to_ornic_cq(ibcq);

	return cq->poll(cq, num, wc);
}
