// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rings of receive WQEs */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "objects/rq.h"

_Static_assert(sizeof(struct ornic_rq_hdr) +
	       CARD_MAX_SGE * sizeof(struct ornic_sge) <=
	       1 << RQ_STRIDE_SHIFT_MAX, "the longest receive WQE fits");

enum ornic_cmd_status rq_init(struct rq *rq, const struct ornic_buf *desc,
			      unsigned int log_wqes,
			      unsigned int stride_shift, unsigned int dir)
{
	if (log_wqes > CARD_MAX_LOG_RQ_WQES ||
	    stride_shift < ORNIC_RQ_STRIDE_SHIFT_MIN ||
	    stride_shift > RQ_STRIDE_SHIFT_MAX)
		return ORNIC_CMD_BAD_PARAM;
	rq->log_wqes = log_wqes;
	rq->stride_shift = stride_shift;
	return buf_init(&rq->ring, &rq->card->guest, &rq->card->budget, desc, 0,
			1ULL << (log_wqes + stride_shift), dir);
}

void rq_uninit(struct rq *rq)
{
	buf_uninit(&rq->ring);
}

void rq_reset(struct rq *rq)
{
	rq->pi = 0;
	rq->next = 0;
	rq->ci = 0;
	rq->ci_told = 0;
	rq->rung = false;
	rq->broken = false;
}

/* Read the producer index again. Return: 0 or -EIO, counted. */
static int rq_update(struct rq *rq)
{
	struct ornic_qp_dbr *dbr = guest_ref_ptr(rq->dbr);
	uint32_t pi;

	if (!dbr) {
		rq->broken = true;
		DEVICE_VIOLATION(rq->card, dma_faults, rq->owner->num, 0,
				 "%s[%u]: no doorbell record", rq->kind,
				 rq->owner->num);
		return -EIO;
	}
	/* A doorbell that comes now is for an index that may be missed below */
	rq->rung = false;
	pi = guest_load32(&dbr->rq_pi);
	if (pi - rq->ci > 1u << rq->log_wqes ||
	    pi - rq->ci < rq->next - rq->ci) {
		rq->broken = true;
		DEVICE_VIOLATION(rq->card, bad_rq_pi, rq->owner->num, pi,
				 "%s[%u]: rq_pi %u, done %u", rq->kind,
				 rq->owner->num, pi, rq->ci);
		return -EIO;
	}
	rq->pi = pi;
	return 0;
}

int rq_has(struct rq *rq, uint32_t count)
{
	if (rq->broken)
		return 0;
	if (rq->pi - rq->next < count &&
	    (rq->rung || !rq->card->rq_doorbell) && rq_update(rq))
		return -EIO;
	return rq->pi - rq->next >= count;
}

void *rq_slot(struct rq *rq, uint32_t index)
{
	uint32_t pos = index & ((1u << rq->log_wqes) - 1);

	return buf_slot(&rq->ring, (uint64_t)pos << rq->stride_shift,
			1u << rq->stride_shift);
}

int rq_take(struct rq *rq, struct recv_wqe *wqe)
{
	struct ornic_sge sge[CARD_MAX_SGE];
	int err = rq_has(rq, 1);
	struct ornic_rq_hdr hdr;
	unsigned int i, count;
	const uint8_t *slot;
	uint32_t ctrl;

	if (err <= 0)
		return err ? err : -EAGAIN;
	slot = rq_slot(rq, rq->next);
	if (!slot) {
		rq->broken = true;
		DEVICE_VIOLATION(rq->card, dma_faults, rq->owner->num, 0,
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
	if (count > CARD_MAX_SGE ||
	    sizeof(hdr) + count * sizeof(*sge) > 1u << rq->stride_shift) {
		DEVICE_VIOLATION(rq->card, bad_wqe_count, rq->owner->num, count,
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
