/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs. What other parts of the core call is in engine.h; this is what
 * the engines (RC: req.h and resp.h, UD: ud.h, RAW_PACKET: eth.h) see.
 *
 * A QP that went to error flushes from qp_run(), a bounded number of WQEs each
 * time. As receive WQEs are posted without a doorbell, a QP in error looks for
 * new ones by timer.
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

/* QPN of the GSI on the wire, and its Q_Key (IBTA 3.5.3, 10.2.5). */
#define QP_GSI_QPN 1
#define QP_GSI_QKEY 0x80010000u

/* @type of a WQ, beside enum ornic_qp_type (wq.h) */
#define QP_TYPE_WQ 0

/**
 * struct qp_attr - struct ornic_qp_attr in CPU order, what of it is kept
 * @path_mtu: 1 to 5
 * @qkey: of UD
 * @rq_psn: first PSN expected
 * @sq_psn: first PSN sent
 * @dest_qpn: of the peer
 * @access: ORNIC_ACCESS_REMOTE_*
 * @max_rd_atomic: as requester
 * @max_dest_rd_atomic: as responder
 * @min_rnr_timer: IBTA table 45
 * @timeout: 4.096 us << n, 0: never
 * @retry_cnt: sequence retries
 * @rnr_retry: RNR retries, 7: for ever
 * @sqd_notify: en_sqd_async_notify
 * @av: path
 * @alt_av: alternate path; after a migration, the former path
 * @alt_timeout: as @timeout, of @alt_av
 * @alt_loaded: @alt_av is one
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
 * struct qp_stats - what is counted for ORNIC_STATS_QP, in this order
 * @tx_packets: RoCE packets sent
 * @tx_bytes: their payload
 * @rx_packets: RoCE packets received
 * @rx_bytes: their payload
 * @retransmits: packets sent again
 * @rnr_naks: RNR NAKs received
 * @seq_naks: sequence NAKs received
 * @timeouts: acknowledgements that did not come in time
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
 * struct qp_rx_hash - of a QP with ORNIC_QP_RSS: which of its WQs a frame is for
 * @fields: ORNIC_RX_HASH_*
 * @key: Toeplitz
 */
struct qp_rx_hash {
	uint32_t fields;
	uint8_t key[RSS_KEY_LEN];
};

/**
 * struct qp - a queue pair, or a WQ
 * @obj: number and users (entries of the port's queue table, groups; of a WQ,
 *	entries of tables)
 * @nic: the card
 * @run: place in the card's queue of QPs with work
 * @watch: polled by the card; holds the doorbell record
 * @uctx: doorbell page, used; a WQ has none
 * @pd: its PD, used
 * @srq: where it takes receive WQEs, used, or NULL; of XRC_RECV as
 *	xrcd_select() has it
 * @xrcd: of XRC_RECV, used
 * @rwq: of ORNIC_QP_RSS: where it receives, used, or NULL
 * @rx_hash: with @rwq
 * @delay: of a WQ with ORNIC_WQ_DELAY_DROP: frames that wait, or NULL
 * @user: as the user of keys
 * @send_cq: membership in the send CQ
 * @recv_cq: membership in the receive CQ
 * @board_slot: on the board, or ORNIC_BOARD_NO_SLOT
 * @type: enum ornic_qp_type
 * @flags: ORNIC_QP_*
 * @rx_flags: ORNIC_WQ_*: what it does with frames that it receives
 * @state: enum ornic_qp_state; of a WQ RESET, RTR (for RDY) or ERR
 * @events: what it has to tell
 * @comm_est: ORNIC_EVENT_QP_COMM_EST was sent
 * @last_wqe: ORNIC_EVENT_QP_LAST_WQE was sent
 * @leaving: in ack_settle(): waits for no port
 * @drained: in SQD: nothing is on its way any more
 * @mtu_shift: log2 of the path MTU in bytes
 * @attr: attributes
 * @pace: of RAW_PACKET: its rate limit
 * @tso_sent: of RAW_PACKET: bytes sent of the payload of the next WQE
 * @timer: acknowledgement or RNR timer; of RAW_PACKET, when @pace lets the next
 *	frame go; of a WQ with frames that wait, and in ERR, when to look for WQEs
 * @poll_ns: in ERR: time until the next look
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
 * struct engine - the RoCE engine's own part of a card
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
 * qp_find - find by number
 * @nic: the card
 * @qpn: any number
 *
 * Return: the QP or NULL, also for the number of a WQ.
 */
static inline struct qp *qp_find(const struct nic *nic, uint32_t qpn)
{
	struct qp *qp = (void *)obj_find(&nic->qps, qpn);

	return qp && !qp_is_wq(qp) ? qp : NULL;
}

static inline bool qp_has_sq(const struct qp *qp)
{
	return qp->flags & ORNIC_QP_SQ;
}

static inline bool qp_has_rq(const struct qp *qp)
{
	return qp->flags & ORNIC_QP_RQ;
}

/* Do receives complete in its receive CQ? */
static inline bool qp_has_recv_cq(const struct qp *qp)
{
	return qp->flags & (ORNIC_QP_RQ | ORNIC_QP_SRQ);
}

static inline bool qp_is_kernel(const struct qp *qp)
{
	return qp->flags & ORNIC_QP_KERNEL;
}

/* Has it one peer? RC, UC and XRC */
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

/* Does its peer acknowledge? RC and XRC */
static inline bool qp_is_reliable(const struct qp *qp)
{
	return qp_is_connected(qp) && qp->type != ORNIC_QPT_UC;
}

/* May it execute send WQEs? */
static inline bool qp_sends(const struct qp *qp)
{
	return qp->state == ORNIC_QPS_RTS || qp->state == ORNIC_QPS_SQD;
}

/* May it take packets? */
static inline bool qp_receives(const struct qp *qp)
{
	return qp->state >= ORNIC_QPS_RTR && qp->state != ORNIC_QPS_ERR;
}

/* Does it receive in the WQs of a table? */
static inline bool qp_is_rss(const struct qp *qp)
{
	return qp->flags & ORNIC_QP_RSS;
}

/* Who can have no queue has no record. */
static inline bool qp_has_dbr(const struct qp *qp)
{
	return qp->type != ORNIC_QPT_XRC_RECV && !qp_is_rss(qp);
}

/**
 * qp_dbr - the doorbell record
 * @qp: the QP, that has one
 *
 * Return: pointer good until the caller returns to the event loop, or NULL when
 * out of reach.
 */
static inline struct ornic_qp_dbr *qp_dbr(struct qp *qp)
{
	return guest_ref_ptr(&qp->watch.dbr);
}

/**
 * qp_ready - qp_run() has something to do
 * @qp: the QP
 */
static inline void qp_ready(struct qp *qp)
{
	core_ready(qp->nic, &qp->run);
}

/**
 * qp_error - go to the error state; all WQEs will be flushed from qp_run()
 * @qp: in any state but RESET
 *
 * Tells nobody: a completion with an error has been, or will be, written by the
 * caller.
 */
void qp_error(struct qp *qp);

/**
 * qp_error_event - qp_error() for which there is no completion
 * @qp: in any state but RESET
 * @event: ORNIC_EVENT_QP_FATAL, QP_REQ_ERR or QP_ACCESS_ERR (IBTA 11.6.3.2)
 */
void qp_error_event(struct qp *qp, enum ornic_event event);

/**
 * qp_fatal - qp_error_event() with what is left to say when a queue is lost
 * @qp: in any state but RESET
 */
void qp_fatal(struct qp *qp);

/**
 * qp_poll_soon - a QP in error looks for receive WQEs now, and often again
 * @qp: in ERR
 */
void qp_poll_soon(struct qp *qp);

/**
 * qp_send_error - a send WQE of an unreliable QP failed: go to SQE
 * @qp: UC, UD, GSI or RAW_PACKET, in RTS or SQD; its receive queue goes on
 */
void qp_send_error(struct qp *qp);

/**
 * qp_drained - in SQD, the last WQE on its way is complete
 * @qp: the QP
 */
void qp_drained(struct qp *qp);

/**
 * qp_reset - forget all WQEs and packets, start with empty rings
 * @qp: any QP
 *
 * Part of the transition to RESET. Writes sq_ci and rq_ci.
 */
void qp_reset(struct qp *qp);

/**
 * qp_create - make a QP or a WQ as a command wants it
 * @nic: the card
 * @in: checked; of a WQ, what makes one of it
 * @qp: the QP, in RESET
 *
 * Return: status of the command.
 */
enum ornic_cmd_status qp_create(struct nic *nic,
				const struct ornic_create_qp_in *in,
				struct qp **qp);

/**
 * qp_destroy - end of qp_create()
 * @qp: that nobody uses
 *
 * The guest's memory may be gone: nothing is written to it.
 */
void qp_destroy(struct qp *qp);

#endif /* ORNIC_DEVICE_QP_H */
