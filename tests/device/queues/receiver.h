/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The part that QPs and WQs share: a receive queue or an SRQ, the CQ of
 * receives, a state, events, and turns in the run queue. qp.h and wq.h add the
 * rest.
 *
 * A receiver in ERR flushes in its turns, a bounded number of WQEs each. Receive
 * WQEs are posted without a doorbell, so it polls for new ones by timer.
 */
#ifndef ORNIC_DEVICE_RECEIVER_H
#define ORNIC_DEVICE_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/event.h"
#include "base/obj.h"
#include "base/run.h"
#include "base/state.h"
#include "env/timer.h"
#include "objects/comp_cntr.h"
#include "objects/cq.h"
#include "objects/mr.h"
#include "objects/rq.h"

struct receiver;
struct srq;

/* @type of a WQ; not in enum ornic_qp_type */
#define RECEIVER_WQ 0

/* Bit of @flags that a host cannot set: @cntrs has a counter */
#define RECEIVER_COUNTS (1u << 30)

/* Interval of polls for receive WQEs in ERR, ns; doubles up to less than 20 ms ([ORNIC-QP-7]) */
#define RECEIVER_POLL_MIN_NS 50000
#define RECEIVER_POLL_MAX_NS 16000000

/**
 * struct receiver_ops - what a failure of the receive queue does
 * @failed: a completion reported it
 * @lost: the queue or its CQ is lost, and nothing reported it yet
 */
struct receiver_ops {
	void (*failed)(struct receiver *receiver);
	void (*lost)(struct receiver *receiver);
};

/**
 * struct receiver - what a QP and a WQ share
 * @ops: of the kind of object
 * @recv_cq: membership in the CQ of receives
 * @events: events about it that wait for room in the EQ
 * @rq: receive queue
 * @poll_ns: in ERR: time until the next poll, ns
 * @rx_flags: ORNIC_WQ_*, processing of received frames
 * @cntrs: for a QP, completion counters, with a reference, or NULL, by enum
 *	comp_cntr_request
 * @obj: number and users: entries of the port's queue table, multicast groups,
 *	rules; for a WQ, entries of RWQ tables. From here on the members that
 *	each message needs, in two cache lines
 * @card: the card
 * @run: link in the card's list of queues with work
 * @srq: SRQ, with a reference, or NULL; for XRC_RECV set and cleared by
 *	xrc_select() and xrc_release(), without a reference
 * @type: enum ornic_qp_type or RECEIVER_WQ
 * @state: enum ornic_qp_state; RESET, RTR (for RDY) or ERR for a WQ
 * @flags: ORNIC_QP_* and RECEIVER_COUNTS; ORNIC_QP_RQ for a WQ
 * @timer: time of the next poll for WQEs in ERR, and what the kind of object
 *	has timers for
 * @user: PD and identity for checks of keys
 * @stat_set: for a QP, set of statistics that counts for it
 * @tx_bytes: for a QP, payload sent, for shares
 */
struct receiver {
	const struct receiver_ops *ops;
	struct cq_link recv_cq;
	struct eq_source events;
	struct rq rq;
	uint64_t poll_ns;
	uint32_t rx_flags;
	struct comp_cntr *cntrs[COMP_CNTR_REQUESTS];
	struct obj obj __attribute__((aligned(64)));
	struct card *card;
	struct run_item run;
	struct srq *srq;
	uint8_t type;
	uint8_t state;
	uint32_t flags;
	struct timer timer;
	struct mr_user user;
	uint32_t stat_set;
	uint64_t tx_bytes;
};

static inline bool receiver_is_wq(const struct receiver *receiver)
{
	return receiver->type == RECEIVER_WQ;
}

/**
 * receiver_kind - name the kind of an object in log messages
 * @receiver: part of a QP or WQ
 *
 * Return: the name.
 */
static inline const char *receiver_kind(const struct receiver *receiver)
{
	return receiver_is_wq(receiver) ? "wq" : "qp";
}

/**
 * receiver_find - look up a QP or a WQ by number
 * @card: the card
 * @num: any number
 *
 * Return: the object or NULL.
 */
static inline struct receiver *receiver_find(const struct card *card,
					     uint32_t num)
{
	struct obj *obj = obj_find(&card->qps, num);

	return obj ? container_of(obj, struct receiver, obj) : NULL;
}

/* Does it own a receive queue? */
static inline bool receiver_has_rq(const struct receiver *receiver)
{
	return receiver->flags & ORNIC_QP_RQ;
}

/* Do completion counters count any of its requests? Almost always none does. */
static inline bool receiver_counts(const struct receiver *receiver)
{
	return __builtin_expect(receiver->flags & RECEIVER_COUNTS, false);
}

/**
 * receiver_count - count a request that has completed, as comp_cntr_count()
 * @receiver: with receiver_counts()
 * @request: its kind
 * @failed: with another status than SUCCESS
 */
static inline void receiver_count(struct receiver *receiver, enum comp_cntr_request request,
				  bool failed)
{
	if (receiver->cntrs[request])
		comp_cntr_count(receiver->cntrs[request], failed);
}

/* May it receive? */
static inline bool receiver_receives(const struct receiver *receiver)
{
	return receiver->state >= ORNIC_QPS_RTR &&
	       receiver->state != ORNIC_QPS_ERR;
}

/* Schedule a turn */
static inline void receiver_ready(struct receiver *receiver)
{
	run_ready(receiver->card, &receiver->run);
}

/**
 * receiver_init - initialise what needs no other object
 * @receiver: all zero but for @card, @type and @flags
 * @ops: of the kind of object
 * @dbr: its doorbell record, struct ornic_qp_dbr
 * @run: as in struct run_item
 * @expired: called when @timer fires
 */
void receiver_init(struct receiver *receiver, const struct receiver_ops *ops,
		   struct guest_ref *dbr,
		   bool (*run)(struct run_item *item, unsigned int budget),
		   void (*expired)(struct timer *timer));

/**
 * receiver_attach - attach to the CQ of receives
 * @receiver: the receiver
 * @cq: the CQ
 *
 * When the CQ fails, the receiver is lost unless it is in RESET.
 */
void receiver_attach(struct receiver *receiver, struct cq *cq);

/**
 * receiver_cq_failed - a CQ of a QP or WQ failed
 * @receiver: struct receiver
 */
void receiver_cq_failed(void *receiver);

/**
 * receiver_error - move to ERR; the next turns flush all WQEs
 * @receiver: in any state but RESET and ERR
 */
void receiver_error(struct receiver *receiver);

/**
 * receiver_poll_soon - poll for receive WQEs now, and restart with the shortest
 *	interval
 * @receiver: in ERR
 */
void receiver_poll_soon(struct receiver *receiver);

/**
 * receiver_take - consume the next WQE of the queue or the SRQ: copy it and
 *	check its form
 * @receiver: any; one without a receive queue never has a WQE
 * @wqe: WQE to fill
 *
 * Return: 0; -EAGAIN when the queue is empty; -EINVAL when the WQE is refused,
 * counted (bad_wqe_count): @wqe->wr_id is valid, and the caller completes it
 * with ORNIC_WC_LOC_QP_OP_ERR; -EIO when the queue is broken (bad_rq_pi,
 * dma_faults). A QP's own queue returns -EIO once and is empty afterwards; an
 * SRQ always returns it.
 */
int receiver_take(struct receiver *receiver, struct recv_wqe *wqe);

/**
 * receiver_complete - complete the oldest taken WQE
 * @receiver: the receiver
 * @cqe: completion without wr_id and QPN, which are set here
 * @wr_id: wr_id of the WQE
 * @ext: second half of a 64-byte completion, or NULL
 * @solicited: the sender asked for a solicited event
 *
 * Publishes rq_ci of a QP's own queue before the completion ([ORNIC-ORD-6]).
 */
void receiver_complete(struct receiver *receiver, struct ornic_cqe *cqe,
		       uint64_t wr_id, const struct ornic_cqe_ext *ext,
		       bool solicited);

/**
 * receiver_fail - complete the oldest taken WQE with an error
 * @receiver: the receiver
 * @wr_id: wr_id of the WQE
 * @status: status of the completion
 */
void receiver_fail(struct receiver *receiver, uint64_t wr_id,
		   enum ornic_wc_status status);

/**
 * receiver_flush - complete the WQEs in the ring with ORNIC_WC_WR_FLUSH_ERR,
 *	then poll for more by timer
 * @receiver: with its own receive queue, in ERR; all taken WQEs are completed
 * @budget: limit of WQEs
 * @more: other work is left, so there is no poll yet
 *
 * Return: true when there is more work.
 */
bool receiver_flush(struct receiver *receiver, unsigned int budget, bool more);

#endif /* ORNIC_DEVICE_RECEIVER_H */
