/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs, as the engines see them (RC, UC, XRC: req.h and resp.h, UD:
 * ud.h, RAW_PACKET: eth_tx.h), and their failures. qp_run.h gives them turns.
 */
#ifndef ORNIC_DEVICE_QP_H
#define ORNIC_DEVICE_QP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ornic_hw_cmd.h>

#include "base/state.h"
#include "base/watch.h"
#include "queues/pace.h"
#include "queues/rc.h"
#include "queues/receiver.h"
#include "queues/sq_ring.h"

struct rwq_table;
struct uctx;
struct xrcd;

/* QPN of the GSI on the wire, and its Q_Key (IBTA 3.5.3, 10.2.5) */
#define QP_GSI_QPN 1
#define QP_GSI_QKEY 0x80010000u

/**
 * struct qp_attr - attributes of struct ornic_qp_attr that the card keeps, in
 *	CPU byte order
 * @qkey: Q_Key of a UD QP
 * @rq_psn: first PSN expected
 * @sq_psn: first PSN sent
 * @dest_qpn: QPN of the peer
 * @access: ORNIC_ACCESS_*, of which REMOTE_* and FLUSH_* are used
 * @path_mtu: 1 to 5
 * @max_rd_atomic: outstanding READs and atomics as requester
 * @max_dest_rd_atomic: outstanding READs and atomics as responder
 * @min_rnr_timer: code of IBTA table 45
 * @timeout: 4.096 us << n, 0: never
 * @retry_cnt: retries after a timeout or a sequence NAK
 * @rnr_retry: retries after an RNR NAK; 7 means no limit
 * @sqd_notify: en_sqd_async_notify
 * @av: path to the peer
 */
struct qp_attr {
	uint32_t qkey;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint32_t dest_qpn;
	uint32_t access;
	uint8_t path_mtu;
	uint8_t max_rd_atomic;
	uint8_t max_dest_rd_atomic;
	uint8_t min_rnr_timer;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	bool sqd_notify;
	struct ornic_av av;
};

/**
 * struct qp_rx_hash - hash of a QP with ORNIC_QP_RSS that selects the WQ of a
 *	frame
 * @fields: ORNIC_RX_HASH_*
 * @key: Toeplitz key
 */
struct qp_rx_hash {
	uint32_t fields;
	uint8_t key[RSS_KEY_LEN];
};

/**
 * struct qp_events - rare events of a QP since its creation, for the control socket
 * @retransmits: packets sent again
 * @ack_timeouts: ACKs that did not come in time
 * @seq_naks_received: NAKs for a gap in the sequence
 * @rnr_naks_received: peers that had no receive WQE
 * @rnr_naks_sent: messages for which it had no receive WQE
 */
struct qp_events {
	uint32_t retransmits;
	uint32_t ack_timeouts;
	uint32_t seq_naks_received;
	uint32_t rnr_naks_received;
	uint32_t rnr_naks_sent;
};

/**
 * struct qp - a queue pair
 * @base: the part that it shares with a WQ
 * @attr: attributes
 * @mtu_shift: log2 of the path MTU in bytes
 * @comm_est: ORNIC_EVENT_QP_COMM_EST was sent
 * @last_wqe: ORNIC_EVENT_QP_LAST_WQE was sent
 * @leaving: inside ack_settle(): sends even if the port is full
 * @sq: send queue
 * @uctx: user context, with a reference
 * @xrcd: XRCD of XRC_RECV, with a reference, or NULL
 * @rwq_table: RWQ table of a QP with ORNIC_QP_RSS, with a reference, or NULL
 * @board_slot: slot on the board of @uctx, or ORNIC_BOARD_NO_SLOT
 * @drained: in SQD: no WQE is under way any more
 * @watch: the doorbell record, and whether the card polls it
 * @req: requester
 * @send_cq: membership in the send CQ, which ends the cache line of @req
 * @answer: turns of the responder of RC and XRC
 * @resp: responder
 * @rx_hash: hash that selects an entry of @rwq_table
 * @pace: rate limit of a RAW_PACKET QP
 * @pushed: next WQE of @sq, if the host has pushed it
 * @tso_sent: for RAW_PACKET, bytes of the payload of the next WQE that are sent
 * @events: counters that the fast path does not touch
 *
 * A message needs few cache lines, which hold hardly anything else: three from
 * @base.obj on, and as requester the first ones of @sq, @watch and @req, as
 * responder two from @answer on.
 */
struct qp {
	struct receiver base;
	struct qp_attr attr;
	uint8_t mtu_shift;
	bool comm_est;
	bool last_wqe;
	bool leaving;
	struct sq sq;
	struct uctx *uctx;
	struct xrcd *xrcd;
	struct rwq_table *rwq_table;
	uint32_t board_slot;
	bool drained;
	struct sq_watch watch __attribute__((aligned(64)));
	struct req req __attribute__((aligned(64)));
	struct cq_link send_cq;
	struct run_item answer __attribute__((aligned(64)));
	struct resp resp;
	struct qp_rx_hash rx_hash;
	struct pace pace;
	struct sq_pushed pushed;
	uint32_t tso_sent;
	struct qp_events events;
};

/* Are two members in the same cache line? The end of the second one counts. */
#define QP_LINE(first, last)                                              \
	(offsetof(struct qp, first) / 64 ==                               \
	 (offsetof(struct qp, last) + sizeof(((struct qp *)0)->last) - 1) / 64)

_Static_assert(QP_LINE(base.obj, base.flags) &&
	       QP_LINE(base.timer, base.tx_bytes) && QP_LINE(attr, leaving) &&
	       QP_LINE(sq, sq.ring.one.host) && QP_LINE(watch, watch.busy_ns) &&
	       QP_LINE(req, send_cq.cq) && QP_LINE(answer, resp.left) &&
	       QP_LINE(resp.fresh, resp.payer),
	       "what a message needs is in as few cache lines as possible");

/* Begin to load the lines that both sides of a QP need */
static inline void qp_prefetch(const struct qp *qp)
{
	__builtin_prefetch(&qp->base.obj);
	__builtin_prefetch(&qp->base.timer);
	__builtin_prefetch(&qp->attr);
}

/**
 * qp_prefetch_send - begin to load the state of a QP that has work
 * @qp: the QP
 *
 * With thousands of QPs none of it is in a cache. Loads of one line after
 * another would take much longer than one of all lines at once.
 */
static inline void qp_prefetch_send(const struct qp *qp)
{
	qp_prefetch(qp);
	__builtin_prefetch(&qp->sq);
	__builtin_prefetch(&qp->watch);
	__builtin_prefetch(&qp->req);
}

/**
 * qp_prefetch_receive - begin to load the state of a QP that gets a request
 * @qp: the QP
 */
static inline void qp_prefetch_receive(const struct qp *qp)
{
	qp_prefetch(qp);
	__builtin_prefetch(&qp->answer);
	__builtin_prefetch(&qp->resp.fresh);
}

/**
 * qp_prefetch_work - begin to load what the next WQE of a QP needs
 * @qp: the QP, after qp_prefetch_send(). The pointers that it keeps are used
 *	unchecked, because a prefetch of what is not mapped does nothing
 */
static inline void qp_prefetch_work(const struct qp *qp)
{
	const struct ornic_qp_dbr *dbr = qp->watch.dbr.host;
	const char *ring = qp->sq.ring.one.host;
	uint32_t mask = (1u << qp->sq.log_slots) - 1;
	const struct req *req = &qp->req;

	if (dbr) {
		__builtin_prefetch(&dbr->sq_pi);
		__builtin_prefetch(&dbr->sq_ci, 1);
	}
	/* A ring of one page, as there are thousands of */
	if (ring)
		__builtin_prefetch(ring + ((qp->sq.next & mask) <<
					   ORNIC_SLOT_SHIFT));
	if (req->rec)
		__builtin_prefetch(&req->rec[req->tail & req->rec_mask], 1);
}

static inline struct qp *qp_of(struct receiver *rx)
{
	return container_of(rx, struct qp, base);
}

/**
 * qp_find - look up a QP by number
 * @card: the card
 * @qpn: any number
 *
 * Return: the QP, or NULL if there is none or the number is that of a WQ.
 */
static inline struct qp *qp_find(const struct card *card, uint32_t qpn)
{
	struct receiver *rx = receiver_find(card, qpn);

	return rx && !receiver_is_wq(rx) ? qp_of(rx) : NULL;
}

/**
 * qp_wire_num - get the QPN that packets carry
 * @qp: QP of RoCE
 *
 * Return: QP_GSI_QPN for the GSI QP (IBTA 3.5.3), else the number of the object.
 */
static inline uint32_t qp_wire_num(const struct qp *qp)
{
	return qp->base.type == ORNIC_QPT_GSI ? QP_GSI_QPN : qp->base.obj.num;
}

static inline bool qp_has_sq(const struct qp *qp)
{
	return qp->base.flags & ORNIC_QP_SQ;
}

/* Do receives complete in the receive CQ of the QP? */
static inline bool qp_has_recv_cq(const struct qp *qp)
{
	return qp->base.flags & (ORNIC_QP_RQ | ORNIC_QP_SRQ);
}

static inline bool qp_is_kernel(const struct qp *qp)
{
	return qp->base.flags & ORNIC_QP_KERNEL;
}

/* Does the QP have one peer? True for RC, UC and XRC. */
static inline bool qp_is_connected(const struct qp *qp)
{
	switch (qp->base.type) {
	case ORNIC_QPT_RC:
	case ORNIC_QPT_UC:
	case ORNIC_QPT_XRC_SEND:
	case ORNIC_QPT_XRC_RECV:
		return true;
	default:
		return false;
	}
}

/* Counts for the card and for the set of a QP: QP_STAT_INC(qp, retransmits) */
#define QP_STAT_ADD(qp, name, n) \
	SET_STAT_ADD((qp)->base.card, (qp)->base.stat_set, name, n)
#define QP_STAT_INC(qp, name) QP_STAT_ADD(qp, name, 1)
/* The same for a rare event, which counts for the QP, too */
#define QP_EVENT_ADD(qp, name, n) \
	((qp)->events.name += (n), QP_STAT_ADD(qp, name, n))
#define QP_EVENT_INC(qp, name) QP_EVENT_ADD(qp, name, 1)

/* Payload of a packet inside the process; less while other QPs have work too */
static inline uint32_t qp_segment_max(const struct qp *qp)
{
	return qp->base.card->limit.bytes < REQ_SEGMENT_MAX ? qp->base.card->limit.bytes :
							REQ_SEGMENT_MAX;
}

/* Has the QP done its share of this card_run()? @sent: its tx_bytes before */
static inline bool qp_turn_over(const struct qp *qp, uint64_t sent)
{
	const struct card *card = qp->base.card;

	return qp->base.tx_bytes - sent >= card->limit.bytes ||
	       card->budget.work >= card->limit.work;
}

/* Does the peer send ACKs? True for RC and XRC. */
static inline bool qp_is_reliable(const struct qp *qp)
{
	return qp_is_connected(qp) && qp->base.type != ORNIC_QPT_UC;
}

/* May the QP execute send WQEs? */
static inline bool qp_sends(const struct qp *qp)
{
	return qp->base.state == ORNIC_QPS_RTS || qp->base.state == ORNIC_QPS_SQD;
}

/* Does the QP receive in the WQs of an RWQ table? */
static inline bool qp_is_rss(const struct qp *qp)
{
	return qp->base.flags & ORNIC_QP_RSS;
}

/* XRC_RECV and RSS QPs own no queues and have no doorbell record */
static inline bool qp_has_dbr(const struct qp *qp)
{
	return qp->base.type != ORNIC_QPT_XRC_RECV && !qp_is_rss(qp);
}

/**
 * qp_dbr - get the doorbell record
 * @qp: QP with a doorbell record
 *
 * Return: a pointer that is valid until the caller returns to the event loop,
 * or NULL when the record is out of reach.
 */
static inline struct ornic_qp_dbr *qp_dbr(struct qp *qp)
{
	return guest_ref_ptr(&qp->watch.dbr);
}

/**
 * qp_ready - schedule a turn for the work of the card's own host
 * @qp: the QP
 */
static inline void qp_ready(struct qp *qp)
{
	receiver_ready(&qp->base);
}

/**
 * qp_answer_ready - schedule a turn for responses
 * @qp: the QP, of RC or XRC
 *
 * Responses to the card itself are work of its own host.
 */
static inline void qp_answer_ready(struct qp *qp)
{
	struct card *card = qp->base.card;

	if (list_empty(&qp->answer.node))
		qp->answer.answers = memcmp(qp->attr.av.dmac, card->port.mac,
					    MAC_LEN);
	run_ready(card, &qp->answer);
}

/**
 * qp_error - move the QP to ERR; its turns then flush all WQEs
 * @qp: QP in any state but RESET
 *
 * Sends no event: the caller has written, or will write, a completion with an
 * error.
 */
void qp_error(struct qp *qp);

/**
 * qp_error_event - qp_error() with an event instead of a completion
 * @qp: QP in any state but RESET
 * @event: ORNIC_EVENT_QP_FATAL, QP_REQ_ERR or QP_ACCESS_ERR (IBTA 11.6.3.2)
 */
void qp_error_event(struct qp *qp, enum ornic_event event);

/**
 * qp_fatal - qp_error_event() with QP_FATAL, for a queue that is lost
 * @qp: QP in any state but RESET
 */
void qp_fatal(struct qp *qp);

/* Failures of the receive queue */
extern const struct receiver_ops qp_receiver_ops;

/**
 * qp_send_error - move the QP to SQE after a send WQE failed
 * @qp: UC, UD or GSI QP; its receive queue continues. Nothing changes unless
 *	the QP is in RTS or SQD
 */
void qp_send_error(struct qp *qp);

/**
 * qp_drained - note in SQD that no WQE is under way any more
 * @qp: the QP
 */
void qp_drained(struct qp *qp);

#endif /* ORNIC_DEVICE_QP_H */
