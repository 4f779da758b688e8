// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* MODIFY_CQ and RESIZE_CQ */
#include <string.h>

#include "base/state.h"
#include "objects/cq.h"

#define CQ_US_NS 1000
#define CQ_PAGE_SIZE 4096	/* of a ring at least */

enum ornic_cmd_status cq_cmd_modify(struct card *card, struct cmd *cmd)
{
	const struct ornic_modify_cq_in *in = cmd->in;
	struct cq *cq = cq_find(card, le32toh(in->cqn));

	if (!cq)
		return ORNIC_CMD_BAD_OBJECT;
	/* Write a delayed event before the values change ([ORNIC-CQ-16]) */
	cq_gather_end(cq);
	cq->count = le16toh(in->count);
	cq->period_ns = (uint64_t)le16toh(in->period) * CQ_US_NS;
	return ORNIC_CMD_OK;
}

/*
 * Copy entries into the first pass of a new ring, which the host does not read
 * before the command completes. A hostile one may give overlapping rings.
 */
static void cq_move_entries(const struct cq *cq, void *to, const void *from,
			    uint32_t count)
{
	uint32_t words = (1u << cq->log_cqe_size) / sizeof(__le32);
	__le32 *last = (__le32 *)to + words - 1;

	memmove(to, from, (size_t)count << cq->log_cqe_size);
	for (; count; count--, last += words)
		*last |= htole32(ORNIC_CQE_PHASE);
}

/*
 * Copy entries that are not consumed to the beginning of another ring, as many
 * at a time as are together in a page of both. Those that were added between
 * two steps follow.
 */
static enum ornic_cmd_status cq_move(struct cq *cq, struct buf *ring, bool *more)
{
	const uint32_t page = CQ_PAGE_SIZE >> cq->log_cqe_size;
	uint32_t count = cq->pi - cq->ci;
	uint32_t size = 1u << cq->log_size;
	struct card *card = cq->card;
	uint32_t i, at, n, end;
	void *from, *to;

	end = buf_move_end(&card->budget, card->admin.moved, count,
			   cq->log_cqe_size);
	for (i = card->admin.moved; i < end; i += n) {
		at = (cq->ci + i) & (size - 1);
		n = page - (at % page > i % page ? at % page : i % page);
		if (n > end - i)
			n = end - i;
		if (n > size - at)
			n = size - at;
		from = buf_slot(&cq->ring, (uint64_t)at << cq->log_cqe_size,
				n << cq->log_cqe_size);
		to = buf_slot(ring, (uint64_t)i << cq->log_cqe_size,
			      n << cq->log_cqe_size);
		if (!from || !to)
			return ORNIC_CMD_DMA_FAULT;
		cq_move_entries(cq, to, from, n);
	}
	card->admin.moved = end;
	*more = end != count;
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

/* Each step checks the whole command again, because the CQ may have changed */
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
	status = cq_move(cq, &ring, &cmd->more);
	if (status || cmd->more) {
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
	if (status || cmd->more)
		return status;
	out->count = htole32(cq->pi);
	cq_write_held(cq);
	return ORNIC_CMD_OK;
}
