/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs, as the engines see them (RC, UC, XRC: req.h and resp.h, UD:
 * ud.h, RAW_PACKET: eth.h). Other parts of the core use engine.h.
 *
 * A QP in ERR flushes from qp_run(), a bounded number of WQEs per call. Receive
 * WQEs are posted without a doorbell, so a QP in ERR polls for new ones by
 * timer.
 */
#ifndef ORNIC_DEVICE_QP_H
#define ORNIC_DEVICE_QP_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "core.h"
#include "cq.h"
#include "delay.h"
#include "doorbell.h"
#include "engine.h"
#include "eq.h"
#include "mr.h"
#include "obj.h"
#include "pace.h"
#include "pd.h"
#include "req.h"
#include "resp.h"
#include "rq.h"
#include "rss.h"
#include "rwq.h"
#include "sq.h"
#include "srq.h"
#include "timer.h"
#include "uctx.h"

/* QPN of the GSI on the wire, and its Q_Key (IBTA 3.5.3, 10.2.5) */
#define QP_GSI_QPN 1
#define QP_GSI_QKEY 0x80010000u

/* @type of a WQ (wq.h); not in enum ornic_qp_type */
#define QP_TYPE_WQ 0

/**
 * struct qp_attr - attributes of struct ornic_qp_attr that the card keeps, in
 *	CPU byte order
 * @path_mtu: 1 to 5
 * @qkey: Q_Key of a UD QP
 * @rq_psn: first PSN expected
 * @sq_psn: first PSN sent
 * @dest_qpn: QPN of the peer
 * @access: ORNIC_ACCESS_*, of which REMOTE_* and FLUSH_* are used
 * @max_rd_atomic: outstanding READs and atomics as requester
 * @max_dest_rd_atomic: outstanding READs and atomics as responder
 * @min_rnr_timer: code of IBTA table 45
 * @timeout: 4.096 us << n, 0: never
 * @retry_cnt: retries after a timeout or a sequence NAK
 * @rnr_retry: retries after an RNR NAK; 7 means no limit
 * @sqd_notify: en_sqd_async_notify
 * @av: primary path
 * @alt_av: alternate path; after a migration, the former path
 * @alt_timeout: @timeout of @alt_av
 * @alt_loaded: @alt_av is set
 * @mig_state: enum ornic_mig_state
 * @mig_failed: ORNIC_EVENT_QP_PATH_MIG_ERR was sent since the host set @mig_state
 */
struct qp_attr {
	uint8_t path_mtu;
	uint32_t qkey;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint32_t dest_qpn;
	uint32_t access;
	uint8_t max_rd_atomic;
	uint8_t max_dest_rd_atomic;
	uint8_t min_rnr_timer;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	bool sqd_notify;
	struct ornic_av av;
	struct ornic_av alt_av;
	uint8_t alt_timeout;
	bool alt_loaded;
	uint8_t mig_state;
	bool mig_failed;
};

/**
 * struct qp_stats - counters of ORNIC_STATS_QP, in the order of the answer
 * @tx_packets: RoCE packets sent
 * @tx_bytes: payload of @tx_packets
 * @rx_packets: RoCE packets received
 * @rx_bytes: payload of @rx_packets
 * @retransmits: packets sent again
 * @rnr_naks: RNR NAKs received
 * @seq_naks: sequence NAKs received
 * @timeouts: expired acknowledgement timers
 */
struct qp_stats {
	uint64_t tx_packets;
	uint64_t tx_bytes;
	uint64_t rx_packets;
	uint64_t rx_bytes;
	uint64_t retransmits;
	uint64_t rnr_naks;
	uint64_t seq_naks;
	uint64_t timeouts;
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
 * struct qp - a queue pair, or a WQ
 * @obj: number and users: entries of the port's queue table, multicast groups,
 *	rules; for a WQ, entries of RWQ tables
 * @nic: the card
 * @run: link in the card's list of QPs with work
 * @watch: the doorbell record, and whether the card polls it
 * @uctx: user context, with a reference; NULL for a WQ
 * @pd: PD, with a reference; NULL for XRC_RECV
 * @srq: SRQ, with a reference, or NULL; for XRC_RECV set and cleared by
 *	xrcd_select() and xrcd_release(), without a reference
 * @xrcd: XRCD of XRC_RECV, with a reference, or NULL
 * @rwq: RWQ table of a QP with ORNIC_QP_RSS, with a reference, or NULL
 * @rx_hash: hash that selects an entry of @rwq
 * @delay: frames that wait at a WQ with ORNIC_WQ_DELAY_DROP, or NULL
 * @user: identity for checks of keys
 * @send_cq: membership in the send CQ
 * @recv_cq: membership in the receive CQ
 * @board_slot: slot on the board of @uctx, or ORNIC_BOARD_NO_SLOT
 * @type: enum ornic_qp_type or QP_TYPE_WQ
 * @flags: ORNIC_QP_*
 * @rx_flags: ORNIC_WQ_*, processing of received frames
 * @state: enum ornic_qp_state; RESET, RTR (for RDY) or ERR for a WQ
 * @events: events about it that wait for room in the EQ
 * @comm_est: ORNIC_EVENT_QP_COMM_EST was sent
 * @last_wqe: ORNIC_EVENT_QP_LAST_WQE was sent
 * @leaving: inside ack_settle(): sends even if the port is full
 * @drained: in SQD: no WQE is under way any more
 * @mtu_shift: log2 of the path MTU in bytes
 * @attr: attributes
 * @pace: rate limit of a RAW_PACKET QP
 * @tso_sent: for RAW_PACKET, bytes of the payload of the next WQE that are sent
 * @timer: acknowledgement or RNR timer; for RAW_PACKET, time when @pace lets
 *	the next frame go; for a WQ with waiting frames, and in ERR, time of the
 *	next poll for WQEs
 * @poll_ns: in ERR: time until the next poll, ns
 * @sq: send queue
 * @rq: receive queue
 * @req: requester
 * @resp: responder
 * @stats: counters
 */
struct qp {
	struct obj obj;
	struct nic *nic;
	struct run_item run;
	struct sq_watch watch;
	struct uctx *uctx;
	struct pd *pd;
	struct srq *srq;
	struct xrcd *xrcd;
	struct rwq *rwq;
	struct qp_rx_hash rx_hash;
	struct delay *delay;
	struct mr_user user;
	struct cq_link send_cq;
	struct cq_link recv_cq;
	uint32_t board_slot;
	uint8_t type;
	uint8_t state;
	uint32_t flags;
	uint32_t rx_flags;
	struct eq_source events;
	bool comm_est;
	bool last_wqe;
	bool leaving;
	bool drained;
	uint8_t mtu_shift;
	struct qp_attr attr;
	struct pace pace;
	uint32_t tso_sent;
	struct timer timer;
	uint64_t poll_ns;
	struct sq sq;
	struct rq rq;
	struct req req;
	struct resp resp;
	struct qp_stats stats;
};

/**
 * struct engine - state of the RoCE engine, one per card
 * @gsi: QP of type GSI, or NULL
 */
struct engine {
	struct qp *gsi;
};

static inline bool qp_is_wq(const struct qp *qp)
{
	return qp->type == QP_TYPE_WQ;
}

/**
 * qp_kind - name the kind of an object in log messages
 * @qp: QP or WQ
 *
 * Return: the name.
 */
static inline const char *qp_kind(const struct qp *qp)
{
	return qp_is_wq(qp) ? "wq" : "qp";
}

/**
 * qp_find - look up a QP by number
 * @nic: the card
 * @qpn: any number
 *
 * Return: the QP, or NULL if there is none or the number is that of a WQ.
 */
static inline struct qp *qp_find(const struct nic *nic, uint32_t qpn)
{
	struct qp *qp = (void *)obj_find(&nic->qps, qpn);

	return qp && !qp_is_wq(qp) ? qp : NULL;
}

/**
 * qp_wire_num - get the QPN that packets carry
 * @qp: QP of RoCE
 *
 * Return: QP_GSI_QPN for the GSI QP (IBTA 3.5.3), else the number of the object.
 */
static inline uint32_t qp_wire_num(const struct qp *qp)
{
	return qp->type == ORNIC_QPT_GSI ? QP_GSI_QPN : qp->obj.num;
}

static inline bool qp_has_sq(const struct qp *qp)
{
	return qp->flags & ORNIC_QP_SQ;
}

static inline bool qp_has_rq(const struct qp *qp)
{
	return qp->flags & ORNIC_QP_RQ;
}

/* Do receives complete in the receive CQ of the QP? */
static inline bool qp_has_recv_cq(const struct qp *qp)
{
	return qp->flags & (ORNIC_QP_RQ | ORNIC_QP_SRQ);
}

static inline bool qp_is_kernel(const struct qp *qp)
{
	return qp->flags & ORNIC_QP_KERNEL;
}

/* Does the QP have one peer? True for RC, UC and XRC. */
static inline bool qp_is_connected(const struct qp *qp)
{
	switch (qp->type) {
	case ORNIC_QPT_RC:
	case ORNIC_QPT_UC:
	case ORNIC_QPT_XRC_SEND:
	case ORNIC_QPT_XRC_RECV:
		return true;
	default:
		return false;
	}
}

/* Payload of a packet inside the process; less while other QPs have work too */
static inline uint32_t qp_segment_max(const struct qp *qp)
{
	return qp->nic->limit.bytes < REQ_SEGMENT_MAX ? qp->nic->limit.bytes :
							REQ_SEGMENT_MAX;
}

/* Has the QP done its share of this nic_run()? @sent: its tx_bytes before */
static inline bool qp_turn_over(const struct qp *qp, uint64_t sent)
{
	const struct nic *nic = qp->nic;

	return qp->stats.tx_bytes - sent >= nic->limit.bytes ||
	       nic->budget.work >= nic->limit.work;
}

/* Does the peer send ACKs? True for RC and XRC. */
static inline bool qp_is_reliable(const struct qp *qp)
{
	return qp_is_connected(qp) && qp->type != ORNIC_QPT_UC;
}

/* May the QP execute send WQEs? */
static inline bool qp_sends(const struct qp *qp)
{
	return qp->state == ORNIC_QPS_RTS || qp->state == ORNIC_QPS_SQD;
}

/* May the QP receive packets? */
static inline bool qp_receives(const struct qp *qp)
{
	return qp->state >= ORNIC_QPS_RTR && qp->state != ORNIC_QPS_ERR;
}

/* Does the QP receive in the WQs of an RWQ table? */
static inline bool qp_is_rss(const struct qp *qp)
{
	return qp->flags & ORNIC_QP_RSS;
}

/* XRC_RECV and RSS QPs own no queues and have no doorbell record */
static inline bool qp_has_dbr(const struct qp *qp)
{
	return qp->type != ORNIC_QPT_XRC_RECV && !qp_is_rss(qp);
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
 * qp_ready - schedule qp_run()
 * @qp: the QP
 */
static inline void qp_ready(struct qp *qp)
{
	core_ready(qp->nic, &qp->run);
}

/**
 * qp_error - move the QP to ERR; qp_run() then flushes all WQEs
 * @qp: QP in any state but RESET
 *
 * Sends no event: the caller has written, or will write, a completion with an
 * error.
 */
void qp_error(struct qp *qp);

/**
 * qp_error_event - qp_error() with an event instead of a completion
 * @qp: QP in any state but RESET
 * @event: ORNIC_EVENT_QP_FATAL, QP_REQ_ERR or QP_ACCESS_ERR (IBTA 11.6.3.2), or
 *	ORNIC_EVENT_WQ_FATAL
 */
void qp_error_event(struct qp *qp, enum ornic_event event);

/**
 * qp_fatal - qp_error_event() with QP_FATAL or WQ_FATAL, for a queue that is
 *	lost
 * @qp: QP or WQ in any state but RESET
 */
void qp_fatal(struct qp *qp);

/**
 * qp_poll_soon - poll for receive WQEs now, and restart with the shortest
 *	interval
 * @qp: QP in ERR
 */
void qp_poll_soon(struct qp *qp);

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

/**
 * qp_reset - forget all WQEs and packets, and empty the rings
 * @qp: any QP or WQ
 *
 * Part of the transition to RESET. Writes 0 to sq_ci, sq_watched and rq_ci in
 * the doorbell record.
 */
void qp_reset(struct qp *qp);

/**
 * qp_create - create a QP or a WQ
 * @nic: the card
 * @in: checked input of CREATE_QP; for a WQ, its equivalent with type
 *	QP_TYPE_WQ
 * @qp: the new QP, in RESET
 *
 * Return: status of the command.
 */
enum ornic_cmd_status qp_create(struct nic *nic,
				const struct ornic_create_qp_in *in,
				struct qp **qp);

/**
 * qp_destroy - destroy a QP or a WQ
 * @qp: QP without users
 *
 * The guest's memory may be gone: nothing is written to it.
 */
void qp_destroy(struct qp *qp);

#endif /* ORNIC_DEVICE_QP_H */
