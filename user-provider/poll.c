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

/*
 * Copies completions of the queue at @cq->polled, from @at to @wc, which both
 * move on. @num is at least 1. @diff returns bits in which the next entry
 * differs from one of them, 0 after @num of them. Returns how many of @num are
 * left.
 */
static ALWAYS_INLINE inline int ornic_cq_copy(struct ornic_cq *cq,
					      const uint8_t **at, int num,
					      struct ibv_wc **wc,
					      const uint32_t log_size,
					      uint32_t *diff)
{
	uint32_t word, want = cq->want;

	do {
		word = ornic_index_peek(&((const struct ornic_cqe *)*at)->qpn);
		/* One comparison tells that it is valid, and of this queue */
		*diff = (word ^ want) & (ORNIC_CQE_PHASE | ORNIC_CQE_KEY);
		if (*diff)
			break;
		ornic_index_barrier();
		ornic_cqe_fill_wc((*wc)++, (const void *)*at, word);
		*at += (size_t)1 << log_size;
		if (unlikely(*at == cq->end)) {
			*at = cq->ring;
			want ^= ORNIC_CQE_PHASE;
			cq->want = want;
		}
	} while (--num);
	return num;
}

/* Gives back the entries before @at, of which @num were copied before @wc */
static ALWAYS_INLINE inline void ornic_cq_give_back(struct ornic_cq *cq,
						    const uint8_t *at, int num,
						    const struct ibv_wc *wc)
{
	struct ornic_polled *polled = cq->polled;
	/* Raw, even if the CQE was converted to another byte order */
	__le32 sq_num = (__force __le32)wc[-1].imm_data;
	uint32_t count = ornic_polled_after(polled, cq->want, sq_num, num);

	cq->at = (uint8_t *)at;
	cq->ci += num;
	ornic_index_write(&cq->dbr->ci, cq->ci);
	ornic_polled_set(polled, count);
}

static inline bool ornic_cq_is_turn(uint32_t diff)
{
	return diff && !(diff & ORNIC_CQE_PHASE);
}

/*
 * @n completions were copied, and the next one is of another queue. Up to @left
 * others go to @wc. Returns the number of all.
 */
static __attribute__((noinline)) int ornic_cq_fetch_turns(struct ornic_cq *cq,
							  const uint8_t *at,
							  int n, int left,
							  struct ibv_wc *wc)
{
	int num = n + left;
	uint32_t diff;

	do {
		if (n)
			ornic_cq_give_back(cq, at, n, wc);
		ornic_cq_select(cq, ornic_index_peek(
				&((const struct ornic_cqe *)at)->qpn));
		n = left;
		left = ornic_cq_copy(cq, &at, left, &wc, cq->log_cqe_size,
				     &diff);
		n -= left;
	} while (ornic_cq_is_turn(diff));
	if (n)
		ornic_cq_give_back(cq, at, n, wc);
	return num - left;
}

/* @num is at least 1 */
static ALWAYS_INLINE inline int ornic_cq_fetch(struct ornic_cq *cq, int num,
					       struct ibv_wc *wc,
					       const uint32_t log_size)
{
	const uint8_t *at = cq->at;
	uint32_t diff;
	int left;

	left = ornic_cq_copy(cq, &at, num, &wc, log_size, &diff);
	num -= left;
	if (unlikely(ornic_cq_is_turn(diff)))
		num = ornic_cq_fetch_turns(cq, at, num, left, wc);
	else if (!diff || num)
		ornic_cq_give_back(cq, at, num, wc);
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

	if (!(ctx->caps & ORNIC_UCONTEXT_CAP_SHADOW))
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
