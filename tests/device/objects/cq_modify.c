// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* MODIFY_CQ and RESIZE_CQ */
#include <string.h>

#include "base/state.h"
#include "objects/cq.h"

#define CQ_US_NS 1000

enum ornic_cmd_status cq_cmd_modify(struct card *card, struct cmd *cmd)
{
	const struct ornic_modify_cq_in *in = cmd->in;
	struct cq *cq = cq_find(card, le32toh(in->cqn));

	if (!cq)
		return ORNIC_CMD_BAD_OBJECT;
	/* Write a delayed event before the values change ([ORNIC-CQ-9]) */
	cq_gather_end(cq);
	cq->count = le16toh(in->count);
	cq->period_ns = (uint64_t)le16toh(in->period) * CQ_US_NS;
	return ORNIC_CMD_OK;
}

/* Copy an entry into the first pass of a new ring */
static void cq_move_entry(const struct cq *cq, void *to, const void *from)
{
	uint32_t size = 1u << cq->log_cqe_size;
	struct ornic_cqe_64 entry;
	struct ornic_cqe *cqe;

	memcpy(&entry, from, size);
	cqe = size == sizeof(*cqe) ? (void *)&entry : &entry.cqe;
	cqe->qpn |= htole32(ORNIC_CQE_PHASE);
	guest_write_entry(to, &entry, size, cq->card->whole_entries);
}

/* Copy the entries that are not consumed to the beginning of another ring */
static enum ornic_cmd_status cq_move(struct cq *cq, struct buf *ring)
{
	uint32_t mask = (1u << cq->log_size) - 1;
	uint32_t size = 1u << cq->log_cqe_size;
	void *from, *to;
	uint32_t i;

	cq->card->budget.work += cq->pi - cq->ci;
	for (i = 0; i < cq->pi - cq->ci; i++) {
		from = buf_slot(&cq->ring, (uint64_t)((cq->ci + i) & mask) <<
				cq->log_cqe_size, size);
		to = buf_slot(ring, (uint64_t)i << cq->log_cqe_size, size);
		if (!from || !to)
			return ORNIC_CMD_DMA_FAULT;
		cq_move_entry(cq, to, from);
	}
	return ORNIC_CMD_OK;
}

/* Switch to the new ring; the moved entries count as just written there */
static void cq_change_ring(struct cq *cq, const struct buf *ring,
			   unsigned int log_size, const struct guest_ref *dbr)
{
	int32_t solicited = cq->solicited_pi - cq->ci;

	buf_uninit(&cq->ring);
	cq->ring = *ring;
	cq->dbr = *dbr;
	cq->log_size = log_size;
	cq->solicited_pi = solicited > 0 ? solicited : 0;
	cq->pi -= cq->ci;
	cq->ci = 0;
	guest_fence();
	cq_look(cq, arm_pending(&cq->arm, cq_record(cq)));
}

static enum ornic_cmd_status cq_resize(struct cq *cq, struct cmd *cmd)
{
	const struct ornic_resize_in *in = cmd->in;
	struct card *card = cq->card;
	enum ornic_cmd_status status;
	struct guest_ref dbr;
	struct buf ring;

	if (!cq_take_ci(cq, le32toh(in->ci)))
		return ORNIC_CMD_BAD_OBJECT;
	if (cq->pi - cq->ci > 1u << in->log_size) {
		cmd->detail = cq->pi - cq->ci;
		return ORNIC_CMD_BAD_PARAM;
	}
	if (!cq_find_record(card, &dbr, le64toh(in->dbr_addr)))
		return ORNIC_CMD_DMA_FAULT;
	status = buf_init(&ring, &card->guest, &card->budget, &in->buf, 0,
			  1ULL << (in->log_size + cq->log_cqe_size),
			  MEM_READ | MEM_WRITE);
	if (status)
		return status;
	status = cq_move(cq, &ring);
	if (status) {
		buf_uninit(&ring);
		return status;
	}
	cq_change_ring(cq, &ring, in->log_size, &dbr);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status cq_cmd_resize(struct card *card, struct cmd *cmd)
{
	const struct ornic_resize_in *in = cmd->in;
	struct ornic_resize_out *out = cmd->out;
	enum ornic_cmd_status status;
	struct cq *cq;
	uint32_t ci;

	if (!CMD_RSVD_ZERO(in->rsvd) || in->rsvd2 ||
	    in->log_size > CARD_MAX_LOG_CQE || le64toh(in->dbr_addr) & 7)
		return ORNIC_CMD_BAD_PARAM;
	cq = cq_find(card, le32toh(in->num));
	if (!cq || cq->dead)
		return ORNIC_CMD_BAD_OBJECT;
	ci = cq->ci;
	status = cq_resize(cq, cmd);
	if (status)
		cq->ci = ci;
	else
		out->count = htole32(cq->pi);
	return status;
}
