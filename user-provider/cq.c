// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues: creation, resizing, arming, and dropping of completions */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "check.h"
#include "compat.h"
#include "cqe.h"
#include "doorbell.h"
#include "ornic_abi.h"

/* Fields that only 64-byte entries have */
#define ORNIC_WC_EXT_FLAGS (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK | \
			    IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG)

/**
 * struct ornic_cq_location - location of the ring of a CQ
 * @slab: mapping
 * @ring_offset: offset of the ring in the mapping
 * @dbr_offset: offset of the doorbell record in the mapping
 * @log_size: log2 of the entries
 */
struct ornic_cq_location {
	struct ornic_mmap_place slab;
	uint32_t ring_offset;
	uint32_t dbr_offset;
	uint8_t log_size;
};

/* Called with cq->lock held, or while the CQ is created */
static void ornic_cq_use_ring(struct ornic_cq *cq,
			      const struct ornic_ringmem *mem,
			      const struct ornic_cq_location *from)
{
	cq->mem = *mem;
	cq->ring = (uint8_t *)mem->map + from->ring_offset +
		   ornic_cqe_offset(cq->log_cqe_size);
	cq->dbr = mem->map + from->dbr_offset;
	cq->mask = (1u << from->log_size) - 1;
	cq->phase_shift = 31 - from->log_size;
	cq->ci = 0;
	cq->at = cq->ring;
	cq->end = cq->ring + ((size_t)(cq->mask + 1) << cq->log_cqe_size);
	cq->want = ornic_cq_phase(cq, 0) | cq->polled->key;
	cq->told = 0;
}

static int ornic_cq_init(struct ornic_cq *cq,
			 const struct ornic_create_cq_resp *resp, bool ext)
{
	struct ornic_cq_location from = {
		.slab = resp->map,
		.ring_offset = resp->ring_offset,
		.dbr_offset = resp->dbr_offset,
		.log_size = resp->log_size,
	};
	struct ornic_ringmem mem;
	int ret;

	cq->log_cqe_size = ext ? ORNIC_LOG_CQE_EXT_SIZE : ORNIC_LOG_CQE_SIZE;
	if (resp->log_cqe_size != cq->log_cqe_size) {
		ornic_refuse(cq->vcq.cq.context,
			     "kernel has CQ entries of %u bytes instead of %u",
			     1u << (resp->log_cqe_size & 31),
			     1u << cq->log_cqe_size);
		return EPROTO;
	}

	ret = ornic_slab_map(to_ornic_context(cq->vcq.cq.context), &from.slab,
			     &mem);
	if (ret)
		return ret;

	cq->cqn = resp->cqn;
	cq->polled = &cq->other;
	ornic_cq_use_ring(cq, &mem, &from);
	return 0;
}

static int ornic_cq_check_attr(struct ibv_context *ibctx,
			       const struct ibv_cq_init_attr_ex *attr)
{
	const struct ornic_context *ctx = to_ornic_context(ibctx);
	uint64_t flags = IBV_WC_STANDARD_FLAGS;

	if (ctx->caps & ORNIC_UCONTEXT_CAP_CQE_EXT)
		flags |= ORNIC_WC_EXT_FLAGS;
	if (!(ctx->caps & ORNIC_UCONTEXT_CAP_CLOCK))
		flags &= ~IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;

	if (!ornic_check_bits(ibctx, "CQ comp_mask", attr->comp_mask,
			      IBV_CQ_INIT_ATTR_MASK_FLAGS |
			      IBV_CQ_INIT_ATTR_MASK_PD) ||
	    !ornic_check_bits(ibctx, "CQ wc_flags", attr->wc_flags, flags))
		return EOPNOTSUPP;

	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    !ornic_check_bits(ibctx, "CQ flags", attr->flags,
			      IBV_CREATE_CQ_ATTR_SINGLE_THREADED |
			      IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN))
		return EOPNOTSUPP;

	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
	    (!attr->parent_domain || !to_ornic_pd(attr->parent_domain)->pd)) {
		ornic_refuse(ibctx, "CQ parent_domain is no parent domain");
		return EINVAL;
	}
	return 0;
}

static bool ornic_cq_needs_lock(const struct ornic_cq *cq,
				const struct ibv_cq_init_attr_ex *attr)
{
	return !ornic_owner_is_one_thread(&cq->owner) &&
	       !(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
		 attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

static void ornic_cq_free(struct ornic_cq *cq)
{
	struct ornic_owner owner = cq->owner;

	ornic_object_free(&owner, cq, ORNIC_RESOURCE_CQ);
}

static int ornic_cq_map_pages(struct ornic_context *ctx, uint64_t wc_flags)
{
	int ret;

	ret = ornic_context_map_queues(ctx);
	if (ret ||
	    !(wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK))
		return ret;

	return ornic_context_map_clock(ctx);
}

static struct ornic_cq *ornic_cq_new(struct ibv_context *ibctx,
				     const struct ibv_cq_init_attr_ex *attr)
{
	bool ext = attr->wc_flags & ORNIC_WC_EXT_FLAGS;
	struct ibv_cq_init_attr_ex kattr = *attr;
	struct ornic_ucreate_cq_resp resp = {};
	struct ornic_ucreate_cq cmd = {};
	struct ornic_owner owner;
	struct ornic_cq *cq;
	int ret;

	ret = ornic_cq_map_pages(to_ornic_context(ibctx), attr->wc_flags);
	if (ret) {
		errno = ret;
		return NULL;
	}

	cq = ornic_object_alloc(&owner, attr->comp_mask &
				IBV_CQ_INIT_ATTR_MASK_PD ?
				attr->parent_domain : NULL, sizeof(*cq),
				ORNIC_RESOURCE_CQ);
	if (!cq)
		return NULL;
	cq->owner = owner;

	/* The kernel needs no flag: 64-byte entries always have a timestamp */
	kattr.wc_flags = 0;
	if (ext)
		cmd.flags = ORNIC_CREATE_CQ_EXT;
	ret = ibv_cmd_create_cq_ex(ibctx, &kattr, NULL, &cq->vcq, &cmd.ibv_cmd,
				   sizeof(cmd), &resp.ibv_resp, sizeof(resp),
				   0);
	if (ret)
		goto err_free_cq;

	ret = ornic_cq_init(cq, &resp.drv_payload, ext);
	if (ret)
		goto err_destroy_cq;

	ornic_lock_init(&cq->lock, ornic_cq_needs_lock(cq, attr));
	pthread_mutex_init(&cq->resize_lock, NULL);
	ornic_cq_choose_poll(cq);
	return cq;

err_destroy_cq:
	ibv_cmd_destroy_cq(&cq->vcq.cq);
err_free_cq:
	ornic_cq_free(cq);
	errno = ret;
	return NULL;
}

/**
 * ornic_create_cq() - create a completion queue
 * @ibctx: context
 * @cqe: minimum number of entries
 * @channel: completion channel, or NULL
 * @comp_vector: completion vector
 *
 * Return: the queue; NULL with errno set.
 */
struct ibv_cq *ornic_create_cq(struct ibv_context *ibctx, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct ornic_cq *cq;

	cq = ornic_cq_new(ibctx, &attr);
	return cq ? &cq->vcq.cq : NULL;
}

/**
 * ornic_create_cq_ex() - create an extended completion queue
 * @ibctx: context
 * @attr: attributes; wc_flags selects the fields to read of completions
 *
 * Return: the queue; NULL with errno set, EOPNOTSUPP for an unsupported option.
 */
struct ibv_cq_ex *ornic_create_cq_ex(struct ibv_context *ibctx,
				     struct ibv_cq_init_attr_ex *attr)
{
	struct ornic_cq *cq;
	int ret;

	ret = ornic_cq_check_attr(ibctx, attr);
	if (ret) {
		errno = ret;
		return NULL;
	}

	cq = ornic_cq_new(ibctx, attr);
	if (!cq)
		return NULL;

	ornic_cq_fill_pfns(cq, attr->wc_flags);
	return &cq->vcq.cq_ex;
}

/**
 * ornic_cq_is_lost() - wait until a resize of a CQ ends, and check its ring
 * @cq: completion queue, locked; unlocked while waiting
 *
 * Return: whether the CQ has no ring that could be read.
 */
bool ornic_cq_is_lost(struct ornic_cq *cq)
{
	while (cq->state == ORNIC_CQ_RESIZING) {
		ornic_unlock(&cq->lock);
		pthread_mutex_lock(&cq->resize_lock);
		pthread_mutex_unlock(&cq->resize_lock);
		ornic_lock(&cq->lock);
	}
	return cq->state != ORNIC_CQ_LIVE;
}

/* Called with cq->lock held */
static void ornic_cq_set_state(struct ornic_cq *cq, enum ornic_cq_state state)
{
	cq->state = state;
	cq->min_num = state == ORNIC_CQ_LIVE ? 0 : INT_MAX;
}

static enum ornic_cq_state ornic_cq_change_state(struct ornic_cq *cq,
						 enum ornic_cq_state state)
{
	enum ornic_cq_state before;

	ornic_lock(&cq->lock);
	before = cq->state;
	ornic_cq_set_state(cq, state);
	ornic_unlock(&cq->lock);
	return before;
}

/* Called with cq->resize_lock held, in ORNIC_CQ_RESIZING */
static int ornic_cq_do_resize(struct ornic_cq *cq, int cqe,
			      enum ornic_cq_state before)
{
	struct ornic_context *ctx = to_ornic_context(cq->vcq.cq.context);
	struct ornic_ringmem mem, old = cq->mem;
	struct ornic_uresize_cq_resp resp = {};
	struct ibv_cq *ibcq = &cq->vcq.cq;
	struct ibv_resize_cq cmd = {};
	struct ornic_cq_location from;
	int old_cqe = ibcq->cqe;
	int ret;

	ret = ibv_cmd_resize_cq(ibcq, cqe, &cmd, sizeof(cmd), &resp.ibv_resp,
				sizeof(resp));
	if (ret) {
		ornic_cq_change_state(cq, before);
		return ret;
	}

	from.slab = resp.map;
	from.ring_offset = resp.ring_offset;
	from.dbr_offset = resp.dbr_offset;
	from.log_size = resp.log_size;
	ret = ornic_slab_map(ctx, &from.slab, &mem);
	if (ret) {
		ibcq->cqe = old_cqe;
		cq->mem = (struct ornic_ringmem){};
		ornic_cq_change_state(cq, ORNIC_CQ_LOST);
	} else {
		ornic_lock(&cq->lock);
		ornic_cq_use_ring(cq, &mem, &from);
		ornic_cq_set_state(cq, ORNIC_CQ_LIVE);
		ornic_unlock(&cq->lock);
	}
	/* Another object may have its ring there by now */
	ornic_slab_unmap(ctx, &old);
	return ret;
}

/**
 * ornic_resize_cq() - resize a completion queue
 * @ibcq: completion queue
 * @cqe: minimum number of entries
 *
 * During the command no thread may poll the ring that the device leaves, or
 * write the arm word that the kernel copies. Other threads sleep, because the
 * command may take long. The new ring begins with the completions that were not
 * polled, in order.
 *
 * If the new ring cannot be mapped, polling fails, because the kernel may have
 * given the memory of the old one to another object. Nothing is lost: another
 * resize may recover the queue, and its ring begins with the same completions.
 *
 * Return: 0 or a positive errno; EIO for a queue in ORNIC_CQ_DEAD.
 */
int ornic_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	enum ornic_cq_state before;
	int ret = EIO;

	pthread_mutex_lock(&cq->resize_lock);
	before = ornic_cq_change_state(cq, ORNIC_CQ_RESIZING);
	if (before == ORNIC_CQ_DEAD)
		ornic_cq_change_state(cq, before);
	else
		ret = ornic_cq_do_resize(cq, cqe, before);
	pthread_mutex_unlock(&cq->resize_lock);
	if (before == ORNIC_CQ_DEAD)
		ornic_refuse(ibcq->context,
			     "CQ %#x lost its ring and can only be destroyed",
			     cq->cqn);
	return ret;
}

/**
 * ornic_modify_cq() - set the event moderation of a completion queue
 * @ibcq: completion queue
 * @attr: moderation
 *
 * Return: 0 or a positive errno.
 */
int ornic_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(ibcq, attr, &cmd, sizeof(cmd));
}

/**
 * ornic_destroy_cq() - destroy a completion queue
 * @ibcq: queue, freed on success
 *
 * Return: 0 or a positive errno.
 */
int ornic_destroy_cq(struct ibv_cq *ibcq)
{
	struct ornic_context *ctx = to_ornic_context(ibcq->context);
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	int ret;

	ret = ibv_cmd_destroy_cq(ibcq);
	if (ret)
		return ret;

	ornic_slab_unmap(ctx, &cq->mem);
	pthread_mutex_destroy(&cq->resize_lock);
	ornic_lock_destroy(&cq->lock);
	ornic_cq_free(cq);
	return 0;
}

/**
 * ornic_req_notify_cq() - request a completion event
 * @ibcq: completion queue
 * @solicited_only: request it for a solicited or failed completion only
 *
 * A request for any completion stays in force until it is answered. A later
 * request for solicited completions does not weaken it ([ORNIC-DB-25]).
 *
 * Return: 0, or EIO after the ring was lost.
 */
int ornic_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct ornic_cq *cq = to_ornic_cq(ibcq);

	ornic_lock(&cq->lock);
	if (unlikely(cq->state != ORNIC_CQ_LIVE && ornic_cq_is_lost(cq))) {
		ornic_unlock(&cq->lock);
		return EIO;
	}
	/* Next sequence number; NEXT begins a new generation */
	if (solicited_only)
		cq->arm = (cq->arm | ORNIC_ARM_TYPE) + 1 + ORNIC_ARM_SOLICITED;
	else
		cq->arm = (cq->arm | ~ORNIC_ARM_GEN) + 1 + ORNIC_ARM_NEXT;

	/*
	 * The device writes a CQE and then reads the arm word. The caller polls
	 * next, without a lock perhaps, and that load must not pass this store
	 * ([ORNIC-DB-27]): else it finds no CQE, and the device no request.
	 */
	ornic_index_write_fence(&cq->dbr->arm, cq->arm);
	ornic_index_full_barrier();
	ornic_db_ring_cq(cq, solicited_only ? ORNIC_ARM_SOLICITED :
					      ORNIC_ARM_NEXT);
	ornic_unlock(&cq->lock);
	return 0;
}

static struct ornic_polled *ornic_cq_find(struct ornic_cq *cq, uint32_t key)
{
	struct ornic_polled *polled = cq->heads[key % ORNIC_CQ_HEADS];

	while (polled && polled->key != key)
		polled = polled->next;
	return polled;
}

/**
 * ornic_cq_select() - choose the queue whose completions are polled next
 * @cq: completion queue, locked, with all completions of @cq->polled counted
 * @word: last word of a completion
 *
 * XRC_RECV QPs complete receives of an SRQ, and may be those of another
 * process. What this process does not know is counted for nobody.
 */
void ornic_cq_select(struct ornic_cq *cq, uint32_t word)
{
	uint32_t key = word & ORNIC_CQE_KEY;

	cq->polled = ornic_cq_find(cq, key);
	if (!cq->polled) {
		cq->other.key = key;
		cq->polled = &cq->other;
	}
	cq->want = (cq->want & ORNIC_CQE_PHASE) | key;
}

/**
 * ornic_cq_attach() - count the polled completions of a queue
 * @ibcq: completion queue, or NULL
 * @polled: part of the queue, zeroed
 * @key: see struct ornic_polled
 *
 * If another queue of this number is still being destroyed, its completions
 * have been dropped already.
 */
void ornic_cq_attach(struct ibv_cq *ibcq, struct ornic_polled *polled,
		     uint32_t key)
{
	struct ornic_cq *cq;

	if (!ibcq)
		return;

	cq = to_ornic_cq(ibcq);
	polled->cq = cq;
	polled->key = key;
	ornic_lock(&cq->lock);
	polled->next = cq->heads[key % ORNIC_CQ_HEADS];
	cq->heads[key % ORNIC_CQ_HEADS] = polled;
	ornic_cq_select(cq, key);
	ornic_unlock(&cq->lock);
}

/**
 * ornic_cq_detach() - undo ornic_cq_attach()
 * @polled: part of a queue, whose completions have been dropped
 */
void ornic_cq_detach(struct ornic_polled *polled)
{
	struct ornic_cq *cq = polled->cq;
	struct ornic_polled **at;

	if (!cq)
		return;

	ornic_lock(&cq->lock);
	for (at = &cq->heads[polled->key % ORNIC_CQ_HEADS]; *at != polled; )
		at = &(*at)->next;
	*at = polled->next;
	ornic_cq_select(cq, polled->key);
	ornic_unlock(&cq->lock);
}

/* Called with cq->lock held; nothing of the queue is outstanding */
static void ornic_cq_reset_count(struct ornic_cq *cq, uint32_t key)
{
	struct ornic_polled *polled = ornic_cq_find(cq, key);

	if (polled)
		ornic_polled_set(polled, 0);
}

/**
 * ornic_cq_clean() - drop the completions of a destroyed or reset QP or WQ
 * @cq: completion queue
 * @qpn: QP or WQ number of the device; it has no further completions
 *
 * What was polled of them counts no more: requests are numbered from 1 again.
 * The remaining completions move towards the producer index. The phase bits of
 * the ring do not move. The device writes only at or after the producer index.
 */
void ornic_cq_clean(struct ornic_cq *cq, uint32_t qpn)
{
	size_t offset = ornic_cqe_offset(cq->log_cqe_size);
	const struct ornic_cqe *cqe;
	struct ornic_cqe *dst;
	uint32_t end, from, to, word;
	bool lost;

	ornic_lock(&cq->lock);
	lost = cq->state != ORNIC_CQ_LIVE && ornic_cq_is_lost(cq);
	ornic_cq_reset_count(cq, qpn);
	ornic_cq_reset_count(cq, qpn | ORNIC_CQE_SEND);
	if (lost) {
		/* Some of them may be in the ring that could not be mapped */
		ornic_cq_set_state(cq, ORNIC_CQ_DEAD);
		ornic_unlock(&cq->lock);
		return;
	}

	for (end = cq->ci; end - cq->ci <= cq->mask; end++)
		if (!ornic_cq_peek(cq, end, cq->log_cqe_size, &cqe, &word))
			break;

	for (from = end, to = end; from != cq->ci; ) {
		cqe = ornic_cqe(cq, --from, cq->log_cqe_size);
		word = le32toh(cqe->qpn);
		if ((word & ORNIC_CQE_QPN) == qpn)
			continue;
		if (--to == from)
			continue;
		dst = ornic_cqe(cq, to, cq->log_cqe_size);
		word = (word & ~ORNIC_CQE_PHASE) |
		       (le32toh(dst->qpn) & ORNIC_CQE_PHASE);
		memcpy((uint8_t *)dst - offset, (const uint8_t *)cqe - offset,
		       1 << cq->log_cqe_size);
		dst->qpn = htole32(word);
	}

	if (to != cq->ci) {
		ornic_cq_consume(cq, to);
		ornic_db_tell_cq(cq);
	}
	ornic_unlock(&cq->lock);
}

/**
 * ornic_cqs_clean() - ornic_cq_clean() for both CQs of a QP, or that of a WQ
 * @send_cq: completion queue, or NULL
 * @recv_cq: completion queue, the same or another one, or NULL
 * @qpn: as for ornic_cq_clean()
 */
void ornic_cqs_clean(struct ibv_cq *send_cq, struct ibv_cq *recv_cq,
		     uint32_t qpn)
{
	if (recv_cq)
		ornic_cq_clean(to_ornic_cq(recv_cq), qpn);
	if (send_cq && send_cq != recv_cq)
		ornic_cq_clean(to_ornic_cq(send_cq), qpn);
}
