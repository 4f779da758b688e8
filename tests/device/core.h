/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Internals of the card's core: struct nic. nic.h is its interface to the
 * environment.
 *
 * A card runs in one thread, so nothing here needs a lock. nic_run() does the
 * work in this order: commands, doorbells and boards, QPs that are ready, in
 * turn, and then CQs that failed.
 */
#ifndef ORNIC_DEVICE_CORE_H
#define ORNIC_DEVICE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "bounce.h"
#include "buf.h"
#include "cmd.h"
#include "doorbell.h"
#include "env.h"
#include "eq.h"
#include "ethport.h"
#include "gid.h"
#include "guest.h"
#include "lie.h"
#include "list.h"
#include "mcast.h"
#include "nic.h"
#include "obj.h"
#include "regs.h"
#include "reset.h"
#include "rule.h"
#include "stats.h"

struct qp;

#define CORE_MAX_UCTX_BITS 10	/* as many as there are doorbell pages */
#define CORE_MAX_PD_BITS 15
#define CORE_MAX_EQ_BITS 6
#define CORE_MAX_CQ_BITS 15
#define CORE_MAX_QP_BITS 14
#define CORE_MAX_SRQ_BITS 13
#define CORE_MAX_XRCD_BITS 12
#define CORE_MAX_RWQ_BITS 12
#define CORE_MAX_LOG_RWQ_SIZE 9
#define CORE_MAX_MR_BITS 17
#define CORE_MAX_FLOW_BITS 10
#define CORE_MAX_COUNTERS_BITS 10
#define CORE_MAX_LOG_EQE 16
#define CORE_MAX_LOG_CQE 16
#define CORE_MAX_LOG_SQ_SLOTS 18
#define CORE_MAX_LOG_RQ_WQES 14
#define CORE_MAX_SGE 16
#define CORE_MAX_INLINE 512
#define CORE_MAX_TSO 131072
#define CORE_MAX_DELAY_DROP_US 1000000
#define CORE_MAX_RD_ATOMIC 16
#define CORE_MAX_MSG_SIZE 0x80000000u
#define CORE_SINK_SIZE 4096

/* Numbers 0 and 1 mean SMI and GSI on the wire (IBTA 3.5.3) */
#define CORE_QP_FIRST 2

/*
 * Limit for the buffer pages that commands process in one nic_run(); the same
 * limit applies to work requests. A ring entry that a RESIZE command moves
 * counts as a page. The limit is checked before each item, so the last item may
 * exceed it: by the two rings of a QP, by the entries of a ring, or by the
 * REG_MRs of a QP.
 */
#define NIC_RUN_PAGES (2 * BUF_STEP)

/*
 * Pages that a copy of a packet for a member of a group or for a flow rule
 * counts as. A QP of the card may send to all of them in one turn.
 */
#define NIC_RUN_COPY 16

/**
 * struct run_limit - what one QP may do in one nic_run(), besides its packets
 * @qps: QPs that the latest nic_run() ran; they share the bytes
 * @bytes: payload to send; the last packet may exceed it. A packet inside the
 *	process carries no more than this either.
 * @work: value of @budget.work of the card at which the QPs stop
 */
struct run_limit {
	unsigned int qps;
	uint32_t bytes;
	uint64_t work;
};

/**
 * struct mr_build - an MR command that takes several turns
 * @buf: buffer of the new memory, being read
 * @probed: pages of the MR that were checked for the new access
 * @more: some pages are not processed yet
 */
struct mr_build {
	struct buf buf;
	uint32_t probed;
	bool more;
};

/**
 * struct run_item - place of a QP in the run queue; part of the QP
 * @qp: the QP
 * @node: in @nic->ready or @nic->blocked, or unlinked
 * @blocked: @node is in @nic->blocked
 */
struct run_item {
	struct qp *qp;
	struct list_head node;
	bool blocked;
};

/**
 * struct nic - the card
 * @env: environment
 * @mac: permanent address
 * @vectors: MSI-X vectors
 * @sq_ci_lags: publish sq_ci as late as [ORNIC-ORD-4] permits
 * @spoofcheck: check of source addresses
 * @fatal: enum ornic_fatal_cause; unless NONE, the device has stopped until a
 *	reset
 * @resets: number of resets, of any kind
 * @reset: the latest reset
 * @enabled: ORNIC_STATUS_ENABLED
 * @lie: what the card lies about
 * @regs: registers
 * @admin: admin queue
 * @guest: guest memory
 * @budget: buffer pages in use
 * @build: state of an MR command that takes several turns
 * @bounce: bounce buffers
 * @doorbell: boards and watched queues
 * @uctxs: struct uctx
 * @pds: struct pd
 * @mrs: struct mr, by index of the key
 * @eqs: struct eq
 * @cqs: struct cq
 * @qps: struct qp: queue pairs and WQs
 * @srqs: struct srq
 * @xrcds: struct xrcd
 * @rwqs: struct rwq
 * @flows: struct rule
 * @counters: struct counters
 * @gids: GID table
 * @mcast: multicast groups
 * @port: Ethernet port
 * @rules: @flows in the order in which they match
 * @events: event source for link changes
 * @stats: counters
 * @delayed: frames that wait for WQEs, in all WQs
 * @limit: limits of the current nic_run()
 * @ready: struct run_item list: QPs with work
 * @blocked: struct run_item list: QPs with work that wait for room at a port
 * @dead_cqs: failed CQs whose QPs were not notified yet
 * @engine: state of the RoCE engine (qp.h)
 * @sink: write target of all ORNIC_MR_NULL; its content is never read
 */
struct nic {
	struct env *env;
	uint8_t mac[MAC_LEN];
	unsigned int vectors;
	bool sq_ci_lags;
	struct nic_spoofcheck spoofcheck;
	enum ornic_fatal_cause fatal;
	uint64_t resets;
	struct reset reset;
	bool enabled;
	struct lie lie;
	struct regs regs;
	struct admin admin;
	struct guest guest;
	struct buf_budget budget;
	struct mr_build build;
	struct bounce bounce;
	struct doorbell doorbell;
	struct obj_table uctxs;
	struct obj_table pds;
	struct obj_table mrs;
	struct obj_table eqs;
	struct obj_table cqs;
	struct obj_table qps;
	struct obj_table srqs;
	struct obj_table xrcds;
	struct obj_table rwqs;
	struct obj_table flows;
	struct obj_table counters;
	struct gid_table gids;
	struct mcast_table mcast;
	struct ethport port;
	struct rule_table rules;
	struct eq_source events;
	struct stats stats;
	unsigned int delayed;
	struct run_limit limit;
	struct list_head ready;
	struct list_head blocked;
	struct list_head dead_cqs;
	struct engine *engine;
	uint8_t sink[CORE_SINK_SIZE];
};

/* Commands and interrupts wait while bus mastering is off ([ORNIC-PCI-3]) */
static inline bool nic_works(const struct nic *nic)
{
	return nic->enabled && !nic->fatal && nic->guest.mem->enabled;
}

/**
 * core_fatal - stop the device until the next reset
 * @nic: the card
 * @cause: reason
 *
 * Sends ORNIC_EVENT_DEVICE_FATAL where that is still possible, and raises
 * vector 0 in any case.
 */
void core_fatal(struct nic *nic, enum ornic_fatal_cause cause);

/**
 * core_irq - raise an interrupt
 * @nic: the card
 * @vector: MSI-X vector
 */
void core_irq(struct nic *nic, unsigned int vector);

/* Is there anything that the card lies about? Almost always it is honest. */
static inline bool lie_on(const struct nic *nic)
{
	return __builtin_expect(nic->lie.on, false);
}

/**
 * core_ready - schedule a QP for qp_run()
 * @nic: the card
 * @item: part of the QP, queued or not. A blocked QP gets a turn too, because
 *	some of its work may not need the port.
 */
void core_ready(struct nic *nic, struct run_item *item);

/**
 * core_block - suspend a QP until a port has room
 * @nic: the card
 * @item: part of the QP. nic_room() or core_ready() makes it ready again.
 */
void core_block(struct nic *nic, struct run_item *item);

/**
 * core_not_ready - remove a QP from the run queue
 * @item: part of the QP: queued, blocked or neither
 */
void core_not_ready(struct run_item *item);

/**
 * core_loop - deliver a multicast RoCE packet to members on the same card
 * @nic: the card
 * @frame: packet to a group, about to be sent. The sender may be a member, so
 *	its state may change.
 */
void core_loop(struct nic *nic, const struct frame *frame);

/**
 * core_loop_eth - offer a frame of a RAW_PACKET QP to the card's own port
 * @nic: the card
 * @frame: frame, whether it is also sent or not. The state of QPs may change,
 *	including the sender.
 * @stack: the host's network stack sends the frame. It does not receive its own
 *	frames, so only flow rules may take it.
 *
 * Counts the frame if there is a receiver.
 */
void core_loop_eth(struct nic *nic, const struct frame *frame, bool stack);

/**
 * core_tx - send a frame
 * @nic: the card
 * @frame: consumed. The frame is counted, or dropped when the port is down.
 */
void core_tx(struct nic *nic, struct frame *frame);

/**
 * core_forges_roce - check the RoCE packets of others against [ORNIC-DEV-15]
 * @nic: the card
 * @frame: a frame of a RAW_PACKET QP
 *
 * Return: true when receivers would take it for a RoCE packet and its source is
 * not in the GID table, although sources are checked.
 */
bool core_forges_roce(const struct nic *nic, const struct frame *frame);

#endif /* ORNIC_DEVICE_CORE_H */
