/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Internals of the card's core: struct card. card.h is its interface to the
 * environment.
 *
 * A card runs in one thread, so nothing here needs a lock. card_run() does the
 * work in this order: commands, doorbells and boards, QPs that are ready, in
 * turn, CQs that failed, and then events that waited.
 */
#ifndef ORNIC_DEVICE_STATE_H
#define ORNIC_DEVICE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/arena.h"
#include "base/bounce.h"
#include "base/buf.h"
#include "base/cmd.h"
#include "base/config.h"
#include "base/errlog.h"
#include "base/event.h"
#include "base/gid.h"
#include "base/guest.h"
#include "base/lie.h"
#include "base/obj.h"
#include "base/stats.h"
#include "base/trace.h"
#include "base/watch.h"
#include "env/env.h"
#include "env/list.h"
#include "env/timer.h"

struct headers;
struct headers_bounds;
struct qp;

#define CARD_MAX_UCTX_BITS 10	/* as many as there are doorbell pages */
#define CARD_MAX_EQ_BITS 6
#define CARD_MAX_CQ_BITS 15
#define CARD_MAX_QP_BITS 14
#define CARD_MAX_SRQ_BITS 13
#define CARD_MAX_XRCD_BITS 12
#define CARD_MAX_RWQ_TABLE_BITS 12
#define CARD_MAX_LOG_RWQ_SIZE 9
#define CARD_MAX_MR_BITS 17
#define CARD_MAX_FLOW_BITS 10
#define CARD_MAX_COUNTERS_BITS 10
#define CARD_MAX_COMP_CNTR_BITS 10
#define CARD_MAX_LOG_EQE 16
#define CARD_MAX_LOG_CQE 18
#define CARD_MAX_LOG_SQ_SLOTS 18
#define CARD_MAX_LOG_RQ_WQES 14
#define CARD_MAX_SGE 16
#define CARD_MAX_INLINE 512
/* Slots of unsignaled WQEs that are done with before sq_ci tells */
#define CARD_SQ_CI_LAG 8
#define CARD_MAX_TSO 131072
#define CARD_MAX_DELAY_DROP_US 1000000
#define CARD_MAX_RD_ATOMIC 16
#define CARD_MAX_MSG_SIZE 0x80000000u
#define CARD_SINK_SIZE 4096

/* Receive queues of the port, bytes of a Toeplitz key, buckets of groups */
#define ETHPORT_QUEUES_MAX 128
#define RSS_KEY_LEN 40
#define MCAST_HASH_BITS 10
#define MCAST_HASH_SIZE (1u << MCAST_HASH_BITS)

/* Numbers 0 and 1 mean SMI and GSI on the wire (IBTA 3.5.3) */
#define CARD_QP_FIRST 2

/*
 * Limit for the buffer pages that commands process in one card_run(); the same
 * limit applies to work requests. A ring entry that a RESIZE command moves
 * counts as a page. The limit is checked before each item, so the last item may
 * exceed it: by the two rings of a QP, by the entries of a ring, or by the
 * REG_MRs of a QP.
 */
#define CARD_RUN_PAGES (2 * BUF_STEP)

/*
 * Pages that a copy of a packet for a member of a group or for a flow rule
 * counts as. A QP of the card may send to all of them in one turn.
 */
#define CARD_RUN_COPY 16

/**
 * struct run_limit - what one QP may do in one card_run(), besides its packets
 * @qps: QPs that the latest card_run() ran; they share the bytes
 * @answers: QPs whose responses the latest card_run() sent; they share other bytes
 * @postponed: QPs of this turn that were postponed; they have done no work
 * @bytes: payload to send; the last packet may exceed it. A packet inside the
 *	process carries no more than this either.
 * @work: value of @budget.work of the card at which the QPs stop
 */
struct run_limit {
	unsigned int qps;
	unsigned int answers;
	unsigned int postponed;
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
 * struct run_item - place of a queue with work in the run queue; part of it
 * @node: in @card->ready, @answers, @postponed or @blocked, or unlinked
 * @blocked: @node is in @card->blocked
 * @answers: the work is responses to another station
 * @run: does a part of the work, up to a number of packets. Returns true when
 *	more can be done now; the item is then made ready again. Work that waits
 *	for a packet, a timer or a doorbell does not count.
 */
struct run_item {
	struct list_head node;
	bool blocked;
	bool answers;
	bool (*run)(struct run_item *item, unsigned int budget);
};

/* Completions that a card with @commands_reverse holds back in a turn */
#define ADMIN_HELD_MAX 8

/**
 * struct admin - the admin queue
 * @depth: entries of each ring, 0 while disabled
 * @sq_addr: bus address of the submission ring
 * @cq_addr: bus address of the completion ring
 * @has_dbr: @dbr is valid
 * @dbr: reference to struct ornic_admin_dbr
 * @answered: latest arm word answered
 * @sq_pi: producer index last published by the host, runs free
 * @sq_ci: commands fetched, runs free
 * @cq_pi: completions written, runs free
 * @busy: a command (@sqe, @in) is fetched and not complete
 * @moved: entries of a ring that it has moved in earlier steps (buf_move_end())
 * @moved_from: index in the old ring of the first of them
 * @sqe: the command being executed
 * @in: copy of its input, which the host cannot change
 * @held: completions to write in reverse order at the end of the turn
 * @held_count: number of @held
 */
struct admin {
	uint32_t depth;
	uint64_t sq_addr;
	uint64_t cq_addr;
	bool has_dbr;
	struct guest_ref dbr;
	uint32_t answered;
	uint32_t sq_pi;
	uint32_t sq_ci;
	uint32_t cq_pi;
	bool busy;
	uint32_t moved;
	uint32_t moved_from;
	struct ornic_cmd_sqe sqe;
	uint64_t in[ORNIC_CMD_MAX_IN / 8];
	struct ornic_cmd_cqe held[ADMIN_HELD_MAX];
	unsigned int held_count;
};

/**
 * struct regs - values of the registers
 * @val: stored values, by offset / 4; 0 for computed ones
 * @clock_base_ns: time of the environment at power-on, ns
 */
struct regs {
	uint32_t val[ORNIC_REG_END / 4];
	uint64_t clock_base_ns;
};

/**
 * struct reset - state of a reset
 * @active: objects are left, or it is too early for READY
 * @held: READY is not set before card_hold() allows it
 * @stage: kind of object that is being destroyed
 * @walk: over the objects of this kind
 * @ready_ns: time before which READY is not set, 0 for any time
 * @timer: ends the wait for that time
 * @late_addr: bus address of a word to write before the next read is answered,
 *	0 if there is none
 * @late_writes: number of such writes, which no reset clears
 * @late_faults: of these, those that found no memory
 */
struct reset {
	bool active;
	bool held;
	unsigned int stage;
	struct obj_walk walk;
	uint64_t ready_ns;
	struct timer timer;
	gaddr_t late_addr;
	uint64_t late_writes;
	uint64_t late_faults;
};

/**
 * struct push - line of a push page of which not all has come (push.h)
 * @have: bytes of it that have come; 0: there is none
 * @page: number of its uctx
 * @next: offset in the page of the byte that follows
 * @bytes: the line
 * @timer: ends the wait for the rest
 */
struct push {
	unsigned int have;
	uint32_t page;
	unsigned int next;
	uint8_t bytes[64];
	struct timer timer;
};

/**
 * struct ethport - an Ethernet port
 * @mac: MAC address in use, at first the permanent one
 * @link: the cable is plugged in
 * @up: enabled by the host
 * @mtu: largest Ethernet payload, bytes
 * @filter: ORNIC_RX_* flags
 * @macs: further addresses that pass the filter
 * @mac_count: number of @macs
 * @queue_count: entries of @queue, a power of two or 0
 * @hash: ORNIC_HASH_* fields to hash
 * @key: Toeplitz key
 * @queue: receive queues: RAW_PACKET QPs; holds references
 */
struct ethport {
	uint8_t mac[MAC_LEN];
	bool link;
	bool up;
	uint32_t mtu;
	uint32_t filter;
	uint8_t macs[ORNIC_RX_MACS_MAX][MAC_LEN];
	unsigned int mac_count;
	unsigned int queue_count;
	uint32_t hash;
	uint8_t key[RSS_KEY_LEN];
	struct qp *queue[ETHPORT_QUEUES_MAX];
};

/* The lists of rules; received frames pass the first three in this order */
enum flow_list {
	FLOW_NORMAL,
	FLOW_MC_DEFAULT,
	FLOW_ALL_DEFAULT,
	FLOW_SNIFFER,
	FLOW_EGRESS,
	FLOW_LISTS
};

/* Different masks of rules at a time, if the card is built so */
#define FLOW_MASKS_MAX 8

/**
 * struct flow_mask - a mask that rules use
 * @bits: struct ornic_flow_key as words
 * @rules: number of rules that use it; 0: the place is free
 */
struct flow_mask {
	uint64_t bits[sizeof(struct ornic_flow_key) / sizeof(uint64_t)];
	unsigned int rules;
};

/**
 * struct flow_table - the rules of a card
 * @list: lists of struct flow, by enum flow_list
 * @macs: list of the rules of type NORMAL whose mask has all bits of the
 *	destination MAC
 * @groups: list of the rules of type NORMAL that frames to groups can match, in the
 *	same order
 * @ingress: number of rules for received frames, without sniffers
 * @sniffers: number of rules of type SNIFFER
 * @egress: number of rules with ORNIC_FLOW_EGRESS
 * @masks: masks in use, of a card that has few
 */
struct flow_table {
	struct list_head list[FLOW_LISTS];
	struct list_head macs;
	struct list_head groups;
	unsigned int ingress;
	unsigned int sniffers;
	unsigned int egress;
	struct flow_mask masks[FLOW_MASKS_MAX];
};

/* A function for what hooks cause, away from the code of those who call it */
#define CARD_RARE __attribute__((noinline, cold))

/**
 * enum card_hook - what makes a card leave the usual way of a message
 * @CARD_LIES: it lies
 * @CARD_SNIFFERS: it has rules of type SNIFFER
 * @CARD_TRACED: a trace is on
 */
enum card_hook {
	CARD_LIES = 1 << 0,
	CARD_SNIFFERS = 1 << 1,
	CARD_TRACED = 1 << 2,
};

/**
 * struct card_trace - the trace of a card
 * @ring: the ring, NULL while no trace is on
 * @number: number of the card in records
 * @qpn: QP of the frame that is sent next
 */
struct card_trace {
	struct trace *ring;
	uint8_t number;
	uint32_t qpn;
};

/**
 * struct mcast_table - the groups of a card
 * @bucket: struct mcast_group lists, by MAC
 * @count: number of groups
 */
struct mcast_table {
	struct list_head bucket[MCAST_HASH_SIZE];
	unsigned int count;
};

/**
 * struct card - the card
 * @env: environment
 * @mac: permanent address
 * @vectors: MSI-X vectors
 * @sq_ci_lag: slots by which sq_ci may lag behind
 * @rq_ci_lag: receive WQEs by which rq_ci lags behind, if so many are done with
 * @ci_lags: sq_ci always lags so far
 * @rq_doorbell: look at rq_pi only after a doorbell ([ORNIC-DB-12])
 * @commands_reverse: complete the commands of a turn in reverse order
 * @late_writes: see struct reset
 * @ready_ms: ms from power-on and from each reset to READY, at least
 * @whole_entries: write entries of rings by one copy ([ORNIC-GEN-6])
 * @pair_entries: write completions two by two
 * @pairing: a completion may wait for the next one now
 * @spoofcheck: check of source addresses
 * @version: of the contract, as ORNIC_REG_VERSION
 * @profiles: ORNIC_PROFILE_RDMA, _ETHERNET: what the card is built for
 * @features: ORNIC_FEAT_* that the card announces
 * @flow_basic: flow rules as simple hardware has them
 * @flow_exact: the masks of flow rules have all bits of a field
 * @parse: bounds within which it finds headers
 * @rx_hash_types: ORNIC_HASH_* of SET_RX_QUEUES
 * @limits: limits that it reports and does not have
 * @host: what the host has told, and is in force
 * @plain_ops: the operations of @host whose WQEs need no further look: all, or
 *	none while a trace is on
 * @trace: the trace
 * @hosts: messages written about hosts
 * @errlog: log of errors
 * @fatal: enum ornic_fatal_cause; unless NONE, the device has stopped until a
 *	reset
 * @resets: number of resets, of any kind
 * @reset: the latest reset
 * @push: line of a push page that is not complete
 * @enabled: ORNIC_STATUS_ENABLED
 * @hooks: enum card_hook
 * @lie: what the card lies about
 * @regs: registers
 * @admin: admin queue
 * @guest: guest memory
 * @budget: buffer pages in use
 * @build: state of an MR command that takes several turns
 * @arena: memory of QPs
 * @bounce: bounce buffers
 * @watches: boards and watched queues
 * @uctxs: struct uctx
 * @mrs: struct mr, by index of the key
 * @eqs: struct eq
 * @cqs: struct cq
 * @qps: struct qp: queue pairs and WQs
 * @srqs: struct srq
 * @xrcds: struct xrcd
 * @rwq_tables: struct rwq_table
 * @flows: struct flow
 * @counters: struct counters
 * @comp_cntrs: struct comp_cntr
 * @gids: GID table
 * @mcast: multicast groups
 * @port: Ethernet port
 * @flow_table: @flows in the order in which they match
 * @events: event source for link changes
 * @stats: counters
 * @delayed: frames that wait for WQEs, in all WQs
 * @limit: limits of the current card_run()
 * @ready: struct run_item list: queues with work of this card's host
 * @answers: struct run_item list: QPs that owe responses to other stations
 * @postponed: the same, until their peers may have more (card_serve_again())
 * @answers_last: the latest card_run() sent them last
 * @blocked: struct run_item list: both kinds, that wait for room at a port
 * @pairs: CQs with a completion that waits for the next one
 * @dead_cqs: failed CQs whose QPs were not notified yet
 * @run_eqs: EQs whose waiting events eq_run() writes
 * @gsi: QP of type GSI, or NULL
 * @loop_roce: delivers a multicast RoCE packet that is about to be sent to
 *	members on the same card; their state may change, the sender's too
 * @trace_packet: adds a frame that is sent to the trace if it is a RoCE packet;
 *	@kind: TRACE_OUT
 * @loop_eth: offers a frame of a RAW_PACKET QP to the card's own port, whether
 *	it is also sent or not; counts it if there is a receiver. The state of
 *	QPs may change. @stack: the host's network stack sends it. It does not
 *	receive its own frames, so only flow rules may take it.
 * @sink: write target of all ORNIC_MR_NULL; its content is never read
 */
struct card {
	struct env *env;
	uint8_t mac[MAC_LEN];
	unsigned int vectors;
	uint32_t sq_ci_lag;
	uint32_t rq_ci_lag;
	bool ci_lags;
	bool rq_doorbell;
	bool commands_reverse;
	bool late_writes;
	unsigned int ready_ms;
	bool whole_entries;
	bool pair_entries;
	bool pairing;
	struct port_spoofcheck spoofcheck;
	uint32_t version;
	uint32_t profiles;
	uint64_t features;
	bool flow_basic;
	bool flow_exact;
	const struct headers_bounds *parse;
	uint32_t rx_hash_types;
	struct card_limits limits;
	struct card_host host;
	uint64_t plain_ops;
	struct card_trace trace;
	unsigned int hosts;
	struct errlog errlog;
	enum ornic_fatal_cause fatal;
	uint64_t resets;
	struct reset reset;
	struct push push;
	bool enabled;
	uint8_t hooks;
	struct lie lie;
	struct regs regs;
	struct admin admin;
	struct guest guest;
	struct buf_budget budget;
	struct mr_build build;
	struct arena arena;
	struct bounce bounce;
	struct watch_list watches;
	struct obj_table uctxs;
	struct obj_table mrs;
	struct obj_table eqs;
	struct obj_table cqs;
	struct obj_table qps;
	struct obj_table srqs;
	struct obj_table xrcds;
	struct obj_table rwq_tables;
	struct obj_table flows;
	struct obj_table counters;
	struct obj_table comp_cntrs;
	struct gid_table gids;
	struct mcast_table mcast;
	struct ethport port;
	struct flow_table flow_table;
	struct eq_source events;
	struct stats stats;
	unsigned int delayed;
	struct run_limit limit;
	struct list_head ready;
	struct list_head answers;
	struct list_head postponed;
	bool answers_last;
	struct list_head blocked;
	struct list_head pairs;
	struct list_head dead_cqs;
	struct list_head run_eqs;
	struct qp *gsi;
	void (*loop_roce)(struct card *card, const struct frame *frame,
			  struct headers *headers);
	void (*trace_packet)(struct card *card, const struct frame *frame,
			     struct headers *headers, enum trace_kind kind);
	void (*loop_eth)(struct card *card, const struct frame *frame,
			 struct headers *headers, bool stack);
	uint8_t sink[CARD_SINK_SIZE];
};

/* Neither in reset nor FATAL */
static inline bool card_works(const struct card *card)
{
	return !card->reset.active && !card->fatal;
}

/* ORNIC_REG_CLOCK, the clock of time stamps: ns since power-on */
static inline uint64_t card_clock(const struct card *card)
{
	return env_now_ns(card->env) - card->regs.clock_base_ns;
}

/* Are all these features in force ([ORNIC-NEG-4])? */
static inline bool card_uses(const struct card *card, uint64_t features)
{
	return !(features & ~card->host.features);
}

/* Does the card leave the usual way? @hooks: enum card_hook. Almost never it does. */
static inline bool card_hooked(const struct card *card, unsigned int hooks)
{
	return __builtin_expect(card->hooks & hooks, 0);
}

/* Is there anything that the card lies about? */
static inline bool lie_on(const struct card *card)
{
	return card_hooked(card, CARD_LIES);
}

static inline void card_set_hook(struct card *card, enum card_hook hook, bool on)
{
	card->hooks = on ? card->hooks | hook : card->hooks & ~hook;
}

/* Follow the operations in force, and whether a trace is on */
static inline void card_set_plain_ops(struct card *card)
{
	card->plain_ops = card->trace.ring ? 0 : card->host.send_ops;
}

/* Add an event to the trace, which is on; the time and the card are set here */
static inline void card_trace_add(struct card *card, struct trace_record record)
{
	record.ns = env_now_ns(card->env);
	record.card = card->trace.number;
	trace_add(card->trace.ring, &record);
}

#endif /* ORNIC_DEVICE_STATE_H */
