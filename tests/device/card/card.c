// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The card as a whole: creation, the work loop */
#include <stdlib.h>
#include <string.h>

#include "base/lie_entry.h"
#include "base/run.h"
#include "base/state.h"
#include "card/admin.h"
#include "card/card.h"
#include "card/doorbell.h"
#include "card/lie_later.h"
#include "card/negotiate.h"
#include "card/push.h"
#include "card/query.h"
#include "card/regs.h"
#include "card/reset.h"
#include "card/rx.h"
#include "eth/ethport.h"
#include "eth/flow.h"
#include "eth/headers.h"
#include "objects/cq.h"
#include "objects/eq.h"
#include "queues/qp.h"
#include "queues/sq.h"
#include "roce/ack.h"
#include "roce/mcast.h"
#include "roce/roce_rx.h"

/* Limits of one card_run(): commands, QPs, packets per QP */
#define CARD_RUN_COMMANDS 32
#define CARD_RUN_QPS 32
#define CARD_RUN_PACKETS 16

/*
 * Payload that the QPs send in one card_run(), shared evenly: about 0.5 ms of
 * copies. So a QP with little to send waits for 128 busy ones about 2 ms. Each
 * share is a multiple of all path MTUs. The work of the card's own host has this
 * limit, and its responses to peers have another one.
 */
#define CARD_RUN_BYTES (4u << 20)
#define CARD_RUN_SHARE(qps) (CARD_RUN_BYTES / (qps) & ~4095u)

/* Numbers in a CQE, an event or a doorbell have 24 bits */
#define CARD_NUM_BITS 24

static int card_init_tables(struct card *card, bool ordered)
{
	/* Peers and neighbours must not guess numbers ([ORNIC-OBJ-5]) */
	struct env *random = ordered ? NULL : card->env;
	const struct {
		struct obj_table *table;
		unsigned int index_bits;
		unsigned int gen_bits;
		uint32_t first;
		struct env *env;
	} tables[] = {
		/* obj_add_at() assigns doorbell page 0 and all EQs */
		{ &card->uctxs, CARD_MAX_UCTX_BITS, 0, 1, NULL },
		{ &card->eqs, CARD_MAX_EQ_BITS, 0, 1u << CARD_MAX_EQ_BITS,
		  NULL },
		{ &card->mrs, CARD_MAX_MR_BITS, CARD_NUM_BITS - CARD_MAX_MR_BITS,
		  1, random },
		{ &card->qps, CARD_MAX_QP_BITS, CARD_NUM_BITS - CARD_MAX_QP_BITS,
		  CARD_QP_FIRST, random },
		{ &card->srqs, CARD_MAX_SRQ_BITS,
		  CARD_NUM_BITS - CARD_MAX_SRQ_BITS, 1, random },
		{ &card->cqs, CARD_MAX_CQ_BITS, 0, 0, NULL },
		{ &card->xrcds, CARD_MAX_XRCD_BITS, 0, 0, NULL },
		{ &card->rwq_tables, CARD_MAX_RWQ_TABLE_BITS, 0, 0, NULL },
		{ &card->flows, CARD_MAX_FLOW_BITS,
		  CARD_NUM_BITS - CARD_MAX_FLOW_BITS, 0, NULL },
		{ &card->counters, CARD_MAX_COUNTERS_BITS,
		  CARD_NUM_BITS - CARD_MAX_COUNTERS_BITS, 0, NULL },
		{ &card->comp_cntrs, CARD_MAX_COMP_CNTR_BITS,
		  CARD_NUM_BITS - CARD_MAX_COMP_CNTR_BITS, 0, NULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		if (obj_table_init(tables[i].table, tables[i].index_bits,
				   tables[i].gen_bits, tables[i].first,
				   tables[i].env))
			return -1;
	return 0;
}

static void card_uninit_tables(struct card *card)
{
	obj_table_uninit(&card->comp_cntrs);
	obj_table_uninit(&card->counters);
	obj_table_uninit(&card->flows);
	obj_table_uninit(&card->rwq_tables);
	obj_table_uninit(&card->xrcds);
	obj_table_uninit(&card->srqs);
	obj_table_uninit(&card->qps);
	obj_table_uninit(&card->cqs);
	obj_table_uninit(&card->mrs);
	obj_table_uninit(&card->eqs);
	obj_table_uninit(&card->uctxs);
}

struct card *card_create(const struct card_config *config, struct env *env)
{
	struct card *card;

	card = calloc(1, sizeof(*card));
	if (!card)
		return NULL;
	card->env = env;
	memcpy(card->mac, config->mac, MAC_LEN);
	card->vectors = config->vectors;
	card->ci_lags = config->ci_lags;
	card->rq_doorbell = config->rq_doorbell;
	card->sq_ci_lag = config->ci_lags ? config->ci_lag : CARD_SQ_CI_LAG;
	card->rq_ci_lag = config->ci_lags ? config->ci_lag : 0;
	card->commands_reverse = config->commands_reverse;
	card->late_writes = config->late_writes;
	card->ready_ms = config->ready_ms;
	card->whole_entries = config->whole_entries;
	card->pair_entries = config->pair_entries;
	card->pairing = card->pair_entries;
	card->spoofcheck = config->spoofcheck;
	card->version = config->version ? config->version : ORNIC_VERSION;
	card->profiles = config->profiles ? config->profiles : QUERY_PROFILES;
	card->flow_basic = config->flow_basic;
	card->flow_exact = config->flow_exact;
	card->parse = config->parse_least ? &headers_bounds_least : &headers_bounds_full;
	card->rx_hash_types = config->parse_least ? ETHPORT_HASH_LEAST : ETHPORT_HASH_ALL;
	card->limits = config->limits;
	card->features = query_features(card, config->without);
	if (config->push)
		card->features |= ORNIC_FEAT_PUSH & ~config->without;
	negotiate_reset(card);
	card->port.link = true;
	card->limit.bytes = CARD_RUN_BYTES;
	eq_source_init(&card->events, 0, false);
	card->regs.clock_base_ns = env_now_ns(env);
	arena_init(&card->arena);
	list_init(&card->ready);
	list_init(&card->answers);
	list_init(&card->postponed);
	list_init(&card->blocked);
	list_init(&card->pairs);
	list_init(&card->dead_cqs);
	list_init(&card->run_eqs);
	mcast_init(card);
	flow_init(card);
	rx_init(card);
	lie_init(card);
	push_init(card);
	watch_init(&card->watches, env, !config->no_shadow);
	if (card_init_tables(card, config->ordered))
		goto err_tables;
	if (bounce_init(&card->bounce))
		goto err_tables;
	guest_init(&card->guest, env->mem);
	ethport_reset(card);
	/* The identification registers have their values before READY */
	regs_reset(card);
	reset_power_on(card);
	if (lie_is_any(&config->lie))
		lie_set(card, &config->lie);
	return card;

err_tables:
	card_uninit_tables(card);
	free(card);
	return NULL;
}

void card_destroy(struct card *card)
{
	if (!card)
		return;
	reset_power_off(card);
	lie_uninit(card);
	guest_uninit(&card->guest);
	bounce_uninit(&card->bounce);
	card_uninit_tables(card);
	arena_uninit(&card->arena);
	free(card);
}

void card_reset(struct card *card)
{
	/* The next host may be another one ([ORNIC-LOG-5]) */
	errlog_clear(card);
	card->reset.late_addr = 0;
	reset_card(card);
}

void card_bar_read(struct card *card, unsigned int bar, uint64_t offset,
		   unsigned int size, uint64_t *val)
{
	push_settle(card);
	/* Doorbell pages are write-only */
	*val = bar == ORNIC_BAR_REGS ? regs_read(card, offset, size) : 0;
	if (lie_on(card))
		*val = lie_register(card, size, *val);
}

bool card_bar_write(struct card *card, unsigned int bar, uint64_t offset,
		    unsigned int size, uint64_t val)
{
	uint64_t resets = card->resets;

	if (bar == ORNIC_BAR_REGS) {
		push_settle(card);
		regs_write(card, offset, size, val);
	} else if (!card->reset.active && !card->fatal) {
		doorbell_write(card, offset, size, val);
	}
	return card->resets != resets;
}

/*
 * Give turns to the QPs of a list. shared: how many had one in the latest call.
 * Return: how many did some work.
 */
static unsigned int card_run_list(struct card *card, struct list_head *list,
				  unsigned int *shared)
{
	struct list_head turn;
	struct run_limit *limit = &card->limit;
	unsigned int qps = 0;

	limit->bytes = CARD_RUN_SHARE(*shared ? *shared : 1);
	limit->work = card->budget.work + CARD_RUN_PAGES;
	limit->postponed = 0;
	/* QPs that become ready during this call run in the next one */
	list_init(&turn);
	list_splice_tail_init(list, &turn);
	while (!list_empty(&turn) && qps < CARD_RUN_QPS &&
	       card->budget.work < limit->work) {
		struct run_item *item = list_first_entry(&turn, struct run_item,
							 node);

		list_del_init(&item->node);
		if (item->run(item, CARD_RUN_PACKETS) && !item->blocked)
			run_ready(card, item);
		qps++;
	}
	/* QPs that had no turn go first in the next call */
	list_splice_tail_init(list, &turn);
	list_splice_tail_init(&turn, list);
	*shared = qps - limit->postponed;
	return *shared;
}

static bool card_run_own(struct card *card)
{
	return !list_empty(&card->ready) &&
	       card_run_list(card, &card->ready, &card->limit.qps);
}

static bool card_run_answers(struct card *card)
{
	bool any;

	if (list_empty(&card->answers))
		return false;
	any = card_run_list(card, &card->answers, &card->limit.answers);
	env_serve_end(card->env);
	return any;
}

/*
 * Responses to other stations have their own turns, so that they take none from
 * the card's own host. The first list may take all frames, so the order changes.
 */
static bool card_run_qps(struct card *card)
{
	bool any;

	card->answers_last = !card->answers_last;
	if (card->answers_last) {
		any = card_run_own(card);
		any |= card_run_answers(card);
	} else {
		any = card_run_answers(card);
		any |= card_run_own(card);
	}
	return any;
}

bool card_run(struct card *card)
{
	bool any;

	if (card->reset.active)
		return reset_run(card);
	if (!card_works(card))
		return false;
	if (!card->watches.awake)
		doorbell_wake(card);
	/* Completions before a command are visible when the command completes */
	cq_write_pairs(card);
	card->pairing = false;
	any = admin_run(card, CARD_RUN_COMMANDS);
	card->pairing = card->pair_entries;
	any |= doorbell_poll(card);
	any |= card_run_qps(card);
	cq_write_pairs(card);
	any |= cq_run_dead(card);
	any |= eq_run(card);
	return any;
}

uint32_t card_commands(const struct card *card)
{
	return card->admin.sq_ci;
}

void card_room(struct card *card)
{
	run_unblock_all(card);
}

void card_serve_again(struct card *card)
{
	run_resume_all(card);
}

bool card_sleep_prepare(struct card *card)
{
	if (card->reset.active)
		return reset_waits(card);
	if (!card_works(card))
		return true;
	if (admin_pending(card) || !list_empty(&card->ready) ||
	    !list_empty(&card->answers) || !list_empty(&card->postponed) ||
	    !list_empty(&card->pairs) || !list_empty(&card->dead_cqs) ||
	    !list_empty(&card->run_eqs))
		return false;
	return doorbell_sleep(card);
}

void card_wake(struct card *card)
{
	if (card_works(card))
		doorbell_wake(card);
}

void card_bus_master(struct card *card, bool enable)
{
	mem_enable(card->guest.mem, enable);
	if (enable)
		return;
	card->reset.late_addr = 0;
	if (card->enabled)
		eq_fatal(card, ORNIC_FATAL_BUS_MASTER);
}

bool card_rx(struct card *card, const struct frame *frame)
{
	return rx_frame(card, frame);
}

void card_rx_soon(struct card *card, const struct frame *frame)
{
	roce_rx_soon(card, frame);
}

void card_link_changed(struct card *card, bool up)
{
	if (card->port.link == up)
		return;
	card->port.link = up;
	if (!card->reset.active && !card->fatal)
		eq_async(card, &card->events,
			 up ? ORNIC_EVENT_PORT_UP : ORNIC_EVENT_PORT_DOWN);
}

void card_stop(struct card *card)
{
	eq_fatal(card, ORNIC_FATAL_INJECTED);
}

void card_hold(struct card *card, bool hold)
{
	reset_hold(card, hold);
}

bool card_is_idle(const struct card *card)
{
	return !card->reset.active && !card->budget.leaving.mappings;
}

void card_replace_payer(struct card *card, const struct port *gone, struct port *heir)
{
	struct receiver *rx;
	struct obj *obj;
	uint32_t at = 0;

	while ((obj = obj_each(&card->qps, &at))) {
		rx = container_of(obj, struct receiver, obj);
		if (!receiver_is_wq(rx) && qp_is_connected(qp_of(rx)))
			ack_replace_payer(qp_of(rx), gone, heir);
	}
}

void card_lie(struct card *card, const struct lie_config *config)
{
	lie_set(card, config);
}

void card_trace(struct card *card, struct trace *ring, uint8_t number)
{
	card->trace = (struct card_trace){ .ring = ring, .number = number };
	card_set_hook(card, CARD_TRACED, ring);
	card_set_plain_ops(card);
	watch_set_found(&card->watches, ring ? sq_trace : NULL);
}

uint64_t card_clock_base(const struct card *card)
{
	return card->regs.clock_base_ns;
}

const struct card_host *card_host(const struct card *card)
{
	return card->host.told ? &card->host : NULL;
}

void card_stats(struct card *card, stat_fn fn, void *arg)
{
	stats_tell(&card->stats, fn, arg);
	fn(arg, "objects.uctx", card->uctxs.count);
	fn(arg, "objects.mr", card->mrs.count);
	fn(arg, "objects.eq", card->eqs.count);
	fn(arg, "objects.cq", card->cqs.count);
	fn(arg, "objects.qp", card->qps.count);
	fn(arg, "objects.srq", card->srqs.count);
	fn(arg, "objects.xrcd", card->xrcds.count);
	fn(arg, "objects.rwq_table", card->rwq_tables.count);
	fn(arg, "objects.flow", card->flows.count);
	fn(arg, "objects.counters", card->counters.count);
	fn(arg, "objects.comp_cntr", card->comp_cntrs.count);
	fn(arg, "buffer_pages", card->budget.pages);
	fn(arg, "buffer_pages_leaving", card->budget.leaving.units);
	fn(arg, "fatal_cause", card->fatal);
	fn(arg, "resets", card->resets);
	fn(arg, "ready", !card->reset.active);
	fn(arg, "late_writes", card->reset.late_writes);
	fn(arg, "late_faults", card->reset.late_faults);
	lie_stats(&card->lie, fn, arg);
}

static void list_rq(const struct receiver *rx, struct card_qp *out)
{
	if (!receiver_has_rq(rx))
		return;
	out->rq_wqes = 1u << rx->rq.log_wqes;
	out->rq_used = rx->rq.pi - rx->rq.ci;
}

static void list_qp(const struct qp *qp, struct card_qp *out)
{
	if (qp_is_connected(qp))
		out->peer = qp->attr.dest_qpn;
	if (qp_has_sq(qp)) {
		out->sq_slots = 1u << qp->sq.log_slots;
		out->sq_used = qp->sq.pi - qp->sq.ci;
	}
	out->tx_bytes = qp->base.tx_bytes;
	out->sends = qp->sq.num;
	out->rx_messages = qp->resp.msn;
	out->retransmits = qp->events.retransmits;
	out->ack_timeouts = qp->events.ack_timeouts;
	out->seq_naks_received = qp->events.seq_naks_received;
	out->rnr_naks_received = qp->events.rnr_naks_received;
	out->rnr_naks_sent = qp->events.rnr_naks_sent;
}

bool card_next_qp(const struct card *card, uint32_t *place, struct card_qp *qp)
{
	struct obj *obj = obj_each(&card->qps, place);
	struct receiver *rx;

	if (!obj)
		return false;
	rx = container_of(obj, struct receiver, obj);
	*qp = (struct card_qp){
		.num = obj->num,
		.type = rx->type,
		.state = rx->state,
	};
	list_rq(rx, qp);
	if (!receiver_is_wq(rx))
		list_qp(qp_of(rx), qp);
	return true;
}
