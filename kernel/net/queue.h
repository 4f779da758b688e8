/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queue pairs of the interface */
#ifndef ORNIC_QUEUE_H
#define ORNIC_QUEUE_H

#include <linux/netdevice.h>

#include "ornic_api.h"
#include "dbuf.h"
#include "rx.h"
#include "tx.h"

struct ornic_config;
struct ornic_netdev;

/**
 * struct ornic_queue_stats - counters of a queue pair, which outlive it
 * @tx:		send queue
 * @rx:		receive queue
 */
struct ornic_queue_stats {
	struct ornic_tx_stats tx;
	struct ornic_rx_stats rx;
};

/**
 * struct ornic_moderation - when completions of a CQ have an event
 * @usecs:	longest delay after the first completion; 0: each has an event
 *		at once
 * @frames:	completions that end the delay; 0: no number of them does
 */
struct ornic_moderation {
	u16 usecs;
	u16 frames;
};

/**
 * struct ornic_coalesce - moderation of a queue pair, which outlives it
 * @rx:		a completion is a frame
 * @tx:		a completion is of all frames that were published together
 */
struct ornic_coalesce {
	struct ornic_moderation rx;
	struct ornic_moderation tx;
};

/**
 * enum ornic_queue_arming - what goes on after a poll has given up NAPI
 * @ORNIC_QUEUE_IDLE:	nothing
 * @ORNIC_QUEUE_ARMING:	it arms the rings
 * @ORNIC_QUEUE_AGAIN:	the same, and another poll has begun and ended meanwhile
 */
enum ornic_queue_arming {
	ORNIC_QUEUE_IDLE,
	ORNIC_QUEUE_ARMING,
	ORNIC_QUEUE_AGAIN,
};

/**
 * enum ornic_queue_side - what has failed; bits of struct ornic_queue
 * @ORNIC_QUEUE_TX:	the send queue, or the QP
 * @ORNIC_QUEUE_RX:	the receive queue; it is not polled any more
 */
enum ornic_queue_side {
	ORNIC_QUEUE_TX,
	ORNIC_QUEUE_RX,
};

/**
 * struct ornic_queue - queue pair of the interface
 * @nd:		the interface
 * @index:	index of the pair and of its completion vector
 * @retired:	replaced by another queue pair; only pending work is finished
 * @faults:	what has failed, bits of enum ornic_queue_side
 * @reported:	those of @faults that devlink knows; protected by rtnl_lock
 * @qpn:	number of the QP
 * @slot:	slot of the QP on the board
 * @dbr:	doorbell record of the QP
 * @napi:	polls both directions
 * @arming:	enum ornic_queue_arming, changed by polls
 * @tx:		send queue
 * @rx:		receive queue
 * @tx_cq_res:	receives events of the send CQ
 * @rx_cq_res:	receives events of the receive CQ
 * @qp_res:	receives events of the QP
 * @sq_buf:	send ring
 * @rq_buf:	receive ring
 * @tx_cq_buf:	ring of the send CQ
 * @rx_cq_buf:	ring of the receive CQ
 * @dbr_buf:	doorbell records
 */
struct ornic_queue {
	struct ornic_netdev *nd;
	u32 index;
	bool retired;
	unsigned long faults;
	unsigned long reported;
	u32 qpn;
	u32 slot;
	struct ornic_qp_dbr *dbr;
	struct napi_struct napi;
	int arming;
	struct ornic_txq tx;
	struct ornic_rxq rx;
	struct ornic_res tx_cq_res;
	struct ornic_res rx_cq_res;
	struct ornic_res qp_res;
	struct ornic_dbuf sq_buf;
	struct ornic_dbuf rq_buf;
	struct ornic_dbuf tx_cq_buf;
	struct ornic_dbuf rx_cq_buf;
	struct ornic_dbuf dbr_buf;
};

void ornic_queue_destroy(struct ornic_queue *queue);
void ornic_queue_enable(struct ornic_queue *queue);
void ornic_queue_disable(struct ornic_queue *queue);
void ornic_queue_begin_poll(struct ornic_queue *queue);
bool ornic_queue_end_poll(struct ornic_queue *queue);
int ornic_queue_moderate(struct ornic_queue *queue, const struct ornic_coalesce *coalesce);
__printf(3, 4) void ornic_queue_fail(struct ornic_queue *queue, enum ornic_queue_side side,
				     const char *fmt, ...);
void ornic_queue_report(struct ornic_netdev *nd);
int ornic_queues_create(struct ornic_netdev *nd, const struct ornic_config *config,
			struct ornic_queue **queues);
void ornic_queues_destroy(struct ornic_queue **queues, u32 count);

#endif /* ORNIC_QUEUE_H */
