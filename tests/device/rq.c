// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive queues: the ring, and the receive WQEs of a QP */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "qp.h"
#include "rq.h"
#include "srq.h"

_Static_assert(sizeof(struct ornic_rq_hdr) +
	       CORE_MAX_SGE * sizeof(struct ornic_sge) <=
	       1 << RQ_STRIDE_SHIFT_MAX, "the longest receive WQE fits");

enum ornic_cmd_status rq_ring_init(struct rq *rq, const struct ornic_buf *desc,
				   unsigned int log_wqes,
				   unsigned int stride_shift, unsigned int dir)
{
	if (log_wqes > CORE_MAX_LOG_RQ_WQES ||
	    stride_shift < ORNIC_RQ_STRIDE_SHIFT_MIN ||
	    stride_shift > RQ_STRIDE_SHIFT_MAX)
		return ORNIC_CMD_BAD_PARAM;
	rq->log_wqes = log_wqes;
	rq->stride_shift = stride_shift;
	return buf_init(&rq->ring, &rq->nic->guest, &rq->nic->budget, desc, 0,
			1ULL << (log_wqes + stride_shift), dir);
}

void rq_ring_uninit(struct rq *rq)
{
	buf_uninit(&rq->ring);
}

void rq_ring_reset(struct rq *rq)
{
	rq->pi = 0;
	rq->next = 0;
	rq->ci = 0;
	rq->broken = false;
}

/* Read the producer index again. Return: 0 or -EIO, counted. */
static int rq_update(struct rq *rq)
{
	struct ornic_qp_dbr *dbr = guest_ref_ptr(rq->dbr);
	uint32_t pi;

	if (!dbr) {
		rq->broken = true;
		DEVICE_VIOLATION(rq->nic, dma_faults,
				 "%s[%u]: no doorbell record", rq->kind,
				 rq->owner->num);
		return -EIO;
	}
	pi = guest_load32(&dbr->rq_pi);
	if (pi - rq->ci > 1u << rq->log_wqes ||
	    pi - rq->ci < rq->next - rq->ci) {
		rq->broken = true;
		DEVICE_VIOLATION(rq->nic, bad_rq_pi,
				 "%s[%u]: rq_pi %u, rq_ci %u", rq->kind,
				 rq->owner->num, pi, rq->ci);
		return -EIO;
	}
	rq->pi = pi;
	return 0;
}

int rq_ring_has(struct rq *rq, uint32_t count)
{
	if (rq->broken)
		return 0;
	if (rq->pi - rq->next < count && rq_update(rq))
		return -EIO;
	return rq->pi - rq->next >= count;
}

void *rq_ring_slot(struct rq *rq, uint32_t index)
{
	uint32_t pos = index & ((1u << rq->log_wqes) - 1);

	return buf_slot(&rq->ring, (uint64_t)pos << rq->stride_shift,
			1u << rq->stride_shift);
}

int rq_ring_take(struct rq *rq, struct recv_wqe *wqe)
{
	struct ornic_sge sge[CORE_MAX_SGE];
	int err = rq_ring_has(rq, 1);
	struct ornic_rq_hdr hdr;
	unsigned int i, count;
	const uint8_t *slot;
	uint32_t ctrl;

	if (err <= 0)
		return err ? err : -EAGAIN;
	slot = rq_ring_slot(rq, rq->next);
	if (!slot) {
		rq->broken = true;
		DEVICE_VIOLATION(rq->nic, dma_faults,
				 "%s[%u]: receive ring out of reach", rq->kind,
				 rq->owner->num);
		return -EIO;
	}
	memcpy(&hdr, slot, sizeof(hdr));
	rq->next++;
	wqe->wr_id = le64toh(hdr.wr_id);
	wqe->length = 0;
	wqe->sge_count = 0;
	ctrl = le32toh(hdr.ctrl);
	count = ORNIC_GET(ORNIC_RQ_COUNT, ctrl);
	if (count > CORE_MAX_SGE ||
	    sizeof(hdr) + count * sizeof(*sge) > 1u << rq->stride_shift) {
		DEVICE_VIOLATION(rq->nic, bad_wqe_count,
				 "%s[%u]: %u receive SGEs", rq->kind,
				 rq->owner->num, count);
		return -EINVAL;
	}
	memcpy(sge, slot + sizeof(hdr), count * sizeof(*sge));
	for (i = 0; i < count; i++) {
		wqe->sge[i].addr = le64toh(sge[i].addr);
		wqe->sge[i].length = le32toh(sge[i].length);
		wqe->sge[i].lkey = le32toh(sge[i].lkey);
		wqe->length += wqe->sge[i].length;
	}
	wqe->sge_count = count;
	return 0;
}

void rq_ring_done(struct rq *rq, uint32_t ci)
{
	struct ornic_qp_dbr *dbr = guest_ref_ptr(rq->dbr);

	rq->ci = ci;
	if (dbr)
		guest_store32(&dbr->rq_ci, ci);
}

/* ---- receive WQEs of a QP ---- */

int rq_take(struct qp *qp, struct recv_wqe *wqe)
{
	if (qp->srq)
		return srq_take(qp->srq, wqe);
	return qp_has_rq(qp) ? rq_ring_take(&qp->rq, wqe) : -EAGAIN;
}

int rq_write(struct qp *qp, const struct recv_wqe *wqe, uint64_t offset,
	     const struct iovec *src, int src_count)
{
	const struct srq *srq = qp->srq;

	return sge_write_as(qp, srq ? &srq->user : &qp->user, wqe->sge,
			    wqe->sge_count, offset, src, src_count);
}

void rq_complete(struct qp *qp, struct ornic_cqe *cqe, uint64_t wr_id,
		 const struct ornic_cqe_ext *ext, bool solicited)
{
	/* XRC_RECV completes receives in the CQ of the SRQ */
	struct cq *cq = qp->recv_cq.cq ? qp->recv_cq.cq : qp->srq->cq.cq;

	if (qp_has_rq(qp))
		rq_ring_done(&qp->rq, qp->rq.ci + 1);
	cqe->wr_id = htole64(wr_id);
	cqe->qpn |= htole32(qp->obj.num);
	cq_post(cq, cqe, ext, solicited);
}

void rq_fail(struct qp *qp, uint64_t wr_id, enum ornic_wc_status status)
{
	struct ornic_cqe cqe = {
		.status = htole32(status),
		.opcode = htole32(ORNIC_WC_RECV),
	};

	rq_complete(qp, &cqe, wr_id, NULL, false);
}

bool rq_flush(struct qp *qp, unsigned int budget)
{
	struct recv_wqe wqe;
	int err;

	while (budget--) {
		err = rq_ring_take(&qp->rq, &wqe);
		if (err == -EAGAIN || err == -EIO)
			return false;
		rq_fail(qp, wqe.wr_id, ORNIC_WC_WR_FLUSH_ERR);
	}
	return true;
}
