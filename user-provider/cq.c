// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cqe.h"
#include "doorbell.h"
#include "ornic_abi.h"

#define ORNIC_LOG_CQE_SIZE	5

static_assert(sizeof(struct ornic_cqe) == 1 << ORNIC_LOG_CQE_SIZE, "CQE");

static int ornic_cq_map(struct ornic_cq *cq, int cmd_fd,
			const struct ornic_create_cq_resp *resp)
{
	void *map;

	map = mmap(NULL, resp->mmap_length, PROT_READ | PROT_WRITE, MAP_SHARED,
		   cmd_fd, resp->mmap_offset);
	if (map == MAP_FAILED)
		return errno;

	cq->map = map;
	cq->map_length = resp->mmap_length;
	cq->ring = map;
	cq->dbr = map + resp->dbr_offset;
	cq->mask = (1u << resp->log_size) - 1;
	cq->phase_shift = 31 - resp->log_size;
	cq->cqn = resp->cqn;
	return 0;
}

static struct ornic_cq *ornic_new_cq(struct ibv_context *ibctx, int cqe,
				     struct ibv_comp_channel *channel,
				     int comp_vector, struct ibv_pd *parent,
				     bool single_threaded)
{
	struct ornic_ucreate_cq_resp resp = {};
	struct ornic_ucreate_cq cmd = {};
	struct ornic_cq *cq;
	int ret;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;

	ret = ibv_cmd_create_cq(ibctx, cqe, channel, comp_vector, &cq->vcq.cq,
				&cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp,
				sizeof(resp));
	if (ret)
		goto err_free_cq;

	/* The larger entries were not asked for */
	if (resp.log_cqe_size != ORNIC_LOG_CQE_SIZE) {
		ret = EPROTO;
		goto err_destroy_cq;
	}

	ret = ornic_cq_map(cq, ibctx->cmd_fd, &resp.drv_payload);
	if (ret)
		goto err_destroy_cq;

	cq->pd = ornic_get_parent_domain(parent);
	ornic_lock_init(&cq->lock,
			!single_threaded && !(cq->pd && cq->pd->td));
	return cq;

err_destroy_cq:
	ibv_cmd_destroy_cq(&cq->vcq.cq);
err_free_cq:
	free(cq);
	errno = ret;
	return NULL;
}

/**
 * ornic_create_cq() - create a completion queue
 * @ibctx: context
 * @cqe: entries wanted
 * @channel: where its events go, or NULL
 * @comp_vector: event queue that carries them
 *
 * Return: the queue; NULL with errno set.
 */
struct ibv_cq *ornic_create_cq(struct ibv_context *ibctx, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector)
{
	struct ornic_cq *cq;

	cq = ornic_new_cq(ibctx, cqe, channel, comp_vector, NULL, false);
	return cq ? &cq->vcq.cq : NULL;
}

/**
 * ornic_create_cq_ex() - create an extended completion queue
 * @ibctx: context
 * @attr: as ornic_create_cq(), and what is to be read of a completion
 *
 * Return: the queue; NULL with errno set, EOPNOTSUPP for what we do not have.
 */
struct ibv_cq_ex *ornic_create_cq_ex(struct ibv_context *ibctx,
				     struct ibv_cq_init_attr_ex *attr)
{
	bool single_threaded = false;
	struct ibv_pd *parent = NULL;
	struct ornic_cq *cq;

	if (!check_comp_mask(attr->comp_mask,
			     IBV_CQ_INIT_ATTR_MASK_FLAGS |
			     IBV_CQ_INIT_ATTR_MASK_PD) ||
	    !check_comp_mask(attr->wc_flags, IBV_WC_STANDARD_FLAGS)) {
		errno = EOPNOTSUPP;
		return NULL;
	}

	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) {
		if (!check_comp_mask(attr->flags,
				     IBV_CREATE_CQ_ATTR_SINGLE_THREADED)) {
			errno = EOPNOTSUPP;
			return NULL;
		}
		single_threaded = attr->flags;
	}

	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) {
		parent = attr->parent_domain;
		if (!parent || !to_ornic_pd(parent)->pd) {
			errno = EINVAL;
			return NULL;
		}
	}

	cq = ornic_new_cq(ibctx, attr->cqe, attr->channel, attr->comp_vector,
			  parent, single_threaded);
	if (!cq)
		return NULL;

	ornic_cq_fill_pfns(cq, attr->wc_flags);
	return &cq->vcq.cq_ex;
}

/**
 * ornic_destroy_cq() - destroy a completion queue
 * @ibcq: queue, freed on success
 *
 * Return: 0 or a positive errno.
 */
int ornic_destroy_cq(struct ibv_cq *ibcq)
{
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	int ret;

	ret = ibv_cmd_destroy_cq(ibcq);
	if (ret)
		return ret;

	munmap(cq->map, cq->map_length);
	ornic_put_parent_domain(cq->pd);
	ornic_lock_destroy(&cq->lock);
	free(cq);
	return 0;
}

/* A CQE is the first half of struct ibv_wc on a little-endian machine. */
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

static ALWAYS_INLINE inline void ornic_fill_wc(struct ibv_wc *wc,
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
	wc->imm_data = cqe->imm;
#endif
	wc->qp_num = qpn & ORNIC_CQE_QPN;
	wc->src_qp = le32toh(cqe->src_qp);
	wc->wc_flags = ORNIC_GET(ORNIC_CQE_FLAGS, qpn);
	/* P_Key index, LIDs and service level: RoCE has none (A17) */
	memset(&wc->pkey_index, 0,
	       sizeof(*wc) - offsetof(struct ibv_wc, pkey_index));
}

/**
 * ornic_poll_cq() - take completions
 * @ibcq: completion queue
 * @num: room in @wc
 * @wc: work completions
 *
 * Return: how many were there.
 */
int ornic_poll_cq(struct ibv_cq *ibcq, int num, struct ibv_wc *wc)
{
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	const struct ornic_cqe *cqe;
	uint32_t ci, qpn;
	int n;

	ornic_lock(&cq->lock);
	ci = cq->ci;
	for (; num > 0 && ornic_cq_peek(cq, ci, &cqe, &qpn); num--, ci++)
		ornic_fill_wc(wc++, cqe, qpn);
	n = ci - cq->ci;
	if (n)
		ornic_cq_consume(cq, ci);
	ornic_unlock(&cq->lock);

	return n;
}

/**
 * ornic_req_notify_cq() - ask for an event
 * @ibcq: completion queue
 * @solicited_only: only a solicited or failed completion is worth one
 *
 * A request for any completion that was not answered yet is not weakened by
 * one for a solicited completion (IBTA 11.4.2.2). If it was answered and we have not
 * heard of it, the caller gets one event more than it asked for.
 *
 * Return: 0.
 */
int ornic_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	uint32_t type, seq;

	ornic_lock(&cq->lock);
	if (!solicited_only)
		cq->armed_next = true;
	type = cq->armed_next ? ORNIC_ARM_NEXT : ORNIC_ARM_SOLICITED;
	seq = ORNIC_GET(ORNIC_ARM_SEQ, cq->arm) + 1;
	cq->arm = ORNIC_PREP(ORNIC_ARM_SEQ, seq) |
		  ORNIC_PREP(ORNIC_ARM_TYPE, type);

	/* The caller polls once more after this; that must not come earlier */
	ornic_write_index_fence(&cq->dbr->arm, cq->arm);
	ornic_ring_cq(cq);
	ornic_unlock(&cq->lock);

	return 0;
}

/**
 * ornic_cq_event() - an event of this queue was read
 * @ibcq: completion queue
 */
void ornic_cq_event(struct ibv_cq *ibcq)
{
	struct ornic_cq *cq = to_ornic_cq(ibcq);

	ornic_lock(&cq->lock);
	cq->armed_next = false;
	ornic_unlock(&cq->lock);
}

/**
 * ornic_cq_clean() - drop the completions of a QP that is gone or was reset
 * @cq: completion queue
 * @qpn: the device's number of the QP; it completes nothing any more
 *
 * What stays is moved towards the producer's end, where each entry keeps its
 * phase bit. The device writes behind that end only.
 */
void ornic_cq_clean(struct ornic_cq *cq, uint32_t qpn)
{
	const struct ornic_cqe *cqe;
	struct ornic_cqe *dst;
	uint32_t end, from, to, word;

	ornic_lock(&cq->lock);
	for (end = cq->ci; end - cq->ci <= cq->mask; end++)
		if (!ornic_cq_peek(cq, end, &cqe, &word))
			break;

	for (from = end, to = end; from != cq->ci; ) {
		cqe = &cq->ring[--from & cq->mask];
		word = le32toh(cqe->qpn);
		if ((word & ORNIC_CQE_QPN) == qpn)
			continue;
		if (--to == from)
			continue;
		dst = &cq->ring[to & cq->mask];
		word = (word & ~ORNIC_CQE_PHASE) |
		       (le32toh(dst->qpn) & ORNIC_CQE_PHASE);
		*dst = *cqe;
		dst->qpn = htole32(word);
	}

	if (to != cq->ci)
		ornic_cq_consume(cq, to);
	ornic_unlock(&cq->lock);
}
