// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The fake device: fetches WQEs, writes completions, answers arm words */
#include <assert.h>
#include <endian.h>
#include <string.h>

#include "fake.h"

static uint32_t fake_data_offset(const uint8_t *wqe, uint32_t opcode,
				 enum ibv_qp_type type)
{
	struct ornic_route_eth route;

	if (type == IBV_QPT_UD)
		return 64;
	switch (opcode) {
	case ORNIC_WR_ATOMIC_CMP_SWP:
	case ORNIC_WR_ATOMIC_FETCH_ADD:
	case ORNIC_WR_FLUSH:
		return 48;
	case ORNIC_WR_BIND_MW:
		return 64;
	case ORNIC_WR_TSO:
		memcpy(&route, wqe + sizeof(struct ornic_sq_hdr), sizeof(route));
		return 32 + (le16toh(route.hdr_len) + 15) / 16 * 16;
	default:
		return 32;
	}
}

/**
 * fake_take_send() - fetch the next send WQE
 * @qp: queue pair
 * @type: its type
 * @wqe: returns the WQE
 *
 * fake_release_sends() releases its slots.
 *
 * Return: false if there is none.
 */
bool fake_take_send(struct fake_qp *qp, enum ibv_qp_type type,
		    struct fake_wqe *wqe)
{
	uint8_t whole[sizeof(wqe->hdr) + sizeof(wqe->bytes)];
	uint32_t pi = le32toh(qp->dbr->sq_pi);
	uint32_t ctrl, data, length, i;
	const uint8_t *first;

	if (qp->sq_ci == pi)
		return false;

	first = qp->sq + (qp->sq_ci & (qp->sq_slots - 1)) * 64;
	memcpy(&wqe->hdr, first, 16);
	ctrl = le32toh(wqe->hdr.ctrl);
	assert(!(ctrl & ORNIC_SEND_RSVD));
	wqe->opcode = ORNIC_GET(ORNIC_SQ_OPCODE, ctrl);
	wqe->flags = ORNIC_GET(ORNIC_SQ_FLAGS, ctrl);
	length = ORNIC_GET(ORNIC_SQ_LENGTH, ctrl);

	data = fake_data_offset(first, wqe->opcode, type);
	assert(length >= data);
	wqe->count = length - data;
	if (!(wqe->flags & ORNIC_SEND_INLINE)) {
		assert(!(wqe->count % 16));
		wqe->count /= 16;
	}
	wqe->slots = ORNIC_SQ_SLOTS(length);
	assert(wqe->slots <= pi - qp->sq_ci);
	assert(length <= sizeof(whole));

	for (i = 0; i < wqe->slots; i++)
		memcpy(whole + 64 * i,
		       qp->sq + ((qp->sq_ci + i) & (qp->sq_slots - 1)) * 64,
		       64);
	memcpy(wqe->bytes, whole + 16, wqe->slots * 64 - 16);
	wqe->data = wqe->bytes + data - 16;
	qp->sq_ci += wqe->slots;
	return true;
}

/**
 * fake_release_sends() - release the slots of all fetched send WQEs
 * @qp: queue pair
 */
void fake_release_sends(struct fake_qp *qp)
{
	qp->dbr->sq_ci = htole32(qp->sq_ci);
}

/**
 * fake_take_recv() - fetch and release the next receive WQE
 * @qp: queue pair
 * @hdr: returns its header
 * @sge: returns its SGEs
 *
 * Return: false if there is none.
 */
bool fake_take_recv(struct fake_qp *qp, struct ornic_rq_hdr *hdr,
		    struct ornic_sge *sge)
{
	const uint8_t *wqe;

	if (qp->rq_ci == le32toh(qp->dbr->rq_pi))
		return false;

	wqe = qp->rq + ((qp->rq_ci & (qp->rq_wqes - 1)) << qp->stride_shift);
	memcpy(hdr, wqe, sizeof(*hdr));
	assert(!(le32toh(hdr->ctrl) & ~ORNIC_RQ_COUNT));
	memcpy(sge, wqe + sizeof(*hdr), le32toh(hdr->ctrl) * sizeof(*sge));
	qp->dbr->rq_ci = htole32(++qp->rq_ci);
	return true;
}

/**
 * fake_cqe() - address of a completion
 * @cq: completion queue
 * @pos: position in the ring
 *
 * Return: the completion, which is the end of an entry of either size.
 */
struct ornic_cqe *fake_cqe(const struct fake_cq *cq, uint32_t pos)
{
	return (void *)(cq->ring + ((pos + 1) << cq->log_cqe_size) -
			sizeof(struct ornic_cqe));
}

/**
 * fake_complete() - write a completion
 * @cq: completion queue
 * @cqe: the completion, with any phase
 */
void fake_complete(struct fake_cq *cq, const struct ornic_cqe *cqe)
{
	uint32_t mask = (1u << cq->log_size) - 1;
	struct ornic_cqe *dst = fake_cqe(cq, cq->pi & mask);
	uint32_t phase = (cq->pi >> cq->log_size) & 1 ? 0 : ORNIC_CQE_PHASE;

	assert(cq->pi - le32toh(cq->dbr->ci) <= mask);
	assert(fake_now->shadow || cq->pi - cq->told <= mask);
	*dst = *cqe;
	dst->qpn = htole32((le32toh(cqe->qpn) & ~ORNIC_CQE_PHASE) | phase);
	cq->pi++;
}

/**
 * fake_complete_ext() - write a completion of 64 bytes
 * @cq: completion queue
 * @cqe: second half, with any phase
 * @ext: first half
 */
void fake_complete_ext(struct fake_cq *cq, const struct ornic_cqe *cqe,
		       const struct ornic_cqe_ext *ext)
{
	uint32_t mask = (1u << cq->log_size) - 1;

	assert(cq->log_cqe_size == 6);
	memcpy(cq->ring + ((cq->pi & mask) << 6), ext, sizeof(*ext));
	fake_complete(cq, cqe);
}

/**
 * fake_take_cq_doorbell() - read the doorbell of a CQ, and clear the page
 * @fake: device
 * @cq: completion queue
 *
 * To be called after each call of the provider that may ring.
 *
 * Return: what it requests; -1 if none was rung.
 */
int fake_take_cq_doorbell(struct fake *fake, struct fake_cq *cq)
{
	uint64_t v = fake_take_doorbell(fake);

	if (v == ~0ULL)
		return -1;
	assert(v >> 56 == ORNIC_DB_CQ);
	assert((v >> 32 & 0xffffff) == cq->cqn);
	cq->told = ORNIC_GET(ORNIC_DB_ARM_CI, (uint32_t)v);
	return v & ORNIC_DB_ARM_TYPE;
}

/**
 * fake_asked() - type of the outstanding request of a CQ
 * @cq: completion queue
 *
 * See [ORNIC-DB-22] and [ORNIC-DB-24].
 *
 * Return: the type; ORNIC_ARM_NONE if the request is answered.
 */
enum ornic_arm_type fake_asked(const struct fake_cq *cq)
{
	uint32_t word = le32toh(cq->dbr->arm);

	if (word == cq->answered)
		return ORNIC_ARM_NONE;
	if (word >> 12 != cq->answered >> 12)
		return ORNIC_ARM_NEXT;
	return word & 3;
}

/**
 * fake_answer() - answer the outstanding request of a CQ
 * @cq: completion queue
 */
void fake_answer(struct fake_cq *cq)
{
	assert(fake_asked(cq) != ORNIC_ARM_NONE);
	cq->answered = le32toh(cq->dbr->arm);
}

/**
 * fake_take_doorbell() - read and clear the doorbell page
 * @fake: device
 *
 * Return: the last doorbell since the previous call, or all ones.
 */
uint64_t fake_take_doorbell(struct fake *fake)
{
	uint64_t v = le64toh(*fake->doorbell);

	*fake->doorbell = ~0ULL;
	return v;
}
