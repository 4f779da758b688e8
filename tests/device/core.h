/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * struct nic: the card from inside. nic.h is what the outside sees.
 *
 * Everything of a card runs in one thread; nothing here is locked. Work is done
 * in nic_run(), in this order: commands, CQs that died, what the doorbells
 * brought, then the send queues that are ready, in turn.
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
#include "list.h"
#include "mcast.h"
#include "nic.h"
#include "obj.h"
#include "regs.h"
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

/* Numbers 0 and 1 mean SMI and GSI on the wire (IBTA 3.5.3). */
#define CORE_QP_FIRST 2

/*
 * Pages of buffers that commands, and work requests, may look at in one
 * nic_run() before the rest waits for the next one. Each begins what it begins:
 * a QP's two rings, or a REG_MR, may come on top.
 */
#define NIC_RUN_PAGES (2 * BUF_STEP)

/**
 * struct mr_build - a command about an MR that takes several turns
 * @buf: pages of the memory to be, being read
 * @probed: pages of the MR that were looked at for its access to be
 * @more: not all pages were looked at yet
 */
struct mr_build {
	struct buf buf;
	uint32_t probed;
	bool more;
};

/**
 * struct run_item - part of a QP: its place in the queue of those with work
 * @qp: the QP
 * @node: in @nic->ready or @nic->blocked, or alone
 * @blocked: in @nic->blocked
 */
struct run_item {
	struct qp *qp;
	struct list_head node;
	bool blocked;
};

/**
 * struct nic - the card
 * @env: surroundings
 * @mac: permanent address
 * @vectors: MSI-X vectors
 * @sq_ci_lags: sq_ci is published as late as ORNIC-ORD-4 permits
 * @fatal: enum ornic_fatal_cause; not NONE: nothing runs until a reset
 * @resets: so far, of any kind
 * @enabled: ORNIC_STATUS_ENABLED
 * @mute: NIC_FAULT_MUTE
 * @nonsense: NIC_FAULT_NONSENSE
 * @regs: registers
 * @admin: admin queue
 * @guest: guest memory
 * @budget: pages of all buffers
 * @build: of the command being executed
 * @bounce: copies of payload
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
 * @rules: @flows in the order in which frames meet them
 * @events: about its link
 * @stats: counters
 * @delayed: frames that wait at WQs
 * @ready: struct run_item list: QPs with work
 * @blocked: struct run_item list: QPs with work that wait for a port that is full
 * @dead_cqs: CQs whose QPs are to be told
 * @engine: the RoCE engine's own, see engine.h
 * @sink: where all ORNIC_MR_NULL write to; nobody reads it
 */
struct nic {
	struct env *env;
	uint8_t mac[MAC_LEN];
	unsigned int vectors;
	bool sq_ci_lags;
	enum ornic_fatal_cause fatal;
	uint64_t resets;
	bool enabled;
	bool mute;
	bool nonsense;
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
	struct list_head ready;
	struct list_head blocked;
	struct list_head dead_cqs;
	struct engine *engine;
	uint8_t sink[CORE_SINK_SIZE];
};

/**
 * core_fatal - stop for good
 * @nic: the card
 * @cause: why
 *
 * Tells the kernel (ORNIC_EVENT_DEVICE_FATAL) where that is still possible, and
 * vector 0 in any case.
 */
void core_fatal(struct nic *nic, enum ornic_fatal_cause cause);

/**
 * core_ready - a QP has work: qp_run() will be called soon
 * @nic: the card
 * @item: inside the QP; queued already is fine. One that is blocked has its turn,
 *	too: there may be work that needs no port
 */
void core_ready(struct nic *nic, struct run_item *item);

/**
 * core_block - a QP cannot go on before a port has room
 * @nic: the card
 * @item: inside the QP. It becomes ready with nic_room() or core_ready()
 */
void core_block(struct nic *nic, struct run_item *item);

/**
 * core_not_ready - take a QP off the queues
 * @item: inside the QP, queued or blocked or neither
 */
void core_not_ready(struct run_item *item);

/**
 * core_loop - give a packet to those QPs of the card that are in its group
 * @nic: the card
 * @frame: RoCE packet to a group, about to be sent. One of the QPs may be the
 *	sender: its state may change
 */
void core_loop(struct nic *nic, const struct frame *frame);

/**
 * core_loop_eth - offer a frame that a RAW_PACKET QP sends to its own port
 * @nic: the card
 * @frame: about to be sent, or not. The state of QPs, the sender's too, may
 *	change
 * @stack: of the host's network stack, which does not hear itself: only rules
 *	are asked
 *
 * Counts it, if there is somebody who is meant.
 */
void core_loop_eth(struct nic *nic, const struct frame *frame, bool stack);

/**
 * core_tx - send a frame
 * @nic: the card
 * @frame: gone afterwards. Counted; dropped when the port is down
 */
void core_tx(struct nic *nic, struct frame *frame);

#endif /* ORNIC_DEVICE_CORE_H */
