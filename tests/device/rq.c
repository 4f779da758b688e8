// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "qp.h"
#include "rq.h"

/* Read the producer index once more. Return: 0 or -EIO, counted. */
static int rq_update(struct qp *qp)
{
	struct ornic_qp_dbr *dbr = qp_dbr(qp);
	struct rq *rq = &qp->rq;
	uint32_t pi;

	if (!dbr) {
		rq->broken = true;
		DEVICE_VIOLATION(qp->nic, dma_faults,
				 "qp[%u]: no doorbell record", qp->obj.num);
		return -EIO;
	}
	pi = guest_load32(&dbr->rq_pi);
	if (pi - rq->ci > 1u << rq->log_wqes ||
	    pi - rq->ci < rq->next - rq->ci) {
		rq->broken = true;
		DEVICE_VIOLATION(qp->nic, bad_rq_pi,
				 "qp[%u]: rq_pi %u, rq_ci %u", qp->obj.num, pi,
				 rq->ci);
		return -EIO;
	}
	rq->pi = pi;
	return 0;
}

int rq_take(struct qp *qp, struct recv_wqe *wqe)
{
	struct rq *rq = &qp->rq;
	struct ornic_sge sge[CORE_MAX_SGE];
	struct ornic_rq_hdr hdr;
	unsigned int i, count;
	const uint8_t *slot;
	uint64_t offset;
	uint32_t ctrl;

	if (!qp_has_rq(qp) || rq->broken)
		return -EAGAIN;
	if (rq->next == rq->pi) {
		if (rq_update(qp))
			return -EIO;
		if (rq->next == rq->pi)
			return -EAGAIN;
	}
	offset = (uint64_t)(rq->next & ((1u << rq->log_wqes) - 1)) <<
		 rq->stride_shift;
	slot = buf_slot(&rq->ring, offset, 1u << rq->stride_shift);
	if (!slot) {
		rq->broken = true;
		DEVICE_VIOLATION(qp->nic, dma_faults,
				 "qp[%u]: receive ring out of reach",
				 qp->obj.num);
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
		DEVICE_VIOLATION(qp->nic, bad_wqe_count,
				 "qp[%u]: %u receive SGEs", qp->obj.num, count);
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

void rq_complete(struct qp *qp, struct ornic_cqe *cqe, uint64_t wr_id,
		 const struct ornic_cqe_ext *ext, bool solicited)
{
	struct ornic_qp_dbr *dbr = qp_dbr(qp);
	struct rq *rq = &qp->rq;

	rq->ci++;
	if (dbr)
		guest_store32(&dbr->rq_ci, rq->ci);
	cqe->wr_id = htole64(wr_id);
	cqe->qpn |= htole32(qp->obj.num);
	cq_post(qp->recv_cq.cq, cqe, ext, solicited);
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
		err = rq_take(qp, &wqe);
		if (err == -EAGAIN || err == -EIO)
			return false;
		rq_fail(qp, wqe.wr_id, ORNIC_WC_WR_FLUSH_ERR);
	}
	return true;
}
