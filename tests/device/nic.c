// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The card as a whole: creation, the work loop, the receive path */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "cq.h"
#include "engine.h"
#include "eq.h"
#include "eth.h"
#include "flow.h"

/* Limits of one nic_run(): commands, QPs, packets per QP */
#define NIC_RUN_COMMANDS 32
#define NIC_RUN_QPS 32
#define NIC_RUN_PACKETS 16

/*
 * Payload that the QPs send in one nic_run(), shared evenly: about 0.5 ms of
 * copies. So a QP with little to send waits for 128 busy ones about 2 ms. Each
 * share is a multiple of all path MTUs.
 */
#define NIC_RUN_BYTES (4u << 20)
#define NIC_RUN_SHARE(qps) (NIC_RUN_BYTES / (qps) & ~4095u)

#define NIC_ROCE_PORT 4791
#define NIC_VLAN_ID 0x0fff

/* Numbers in a CQE, an event or a doorbell have 24 bits */
#define NIC_NUM_BITS 24

static int nic_init_tables(struct nic *nic, bool ordered)
{
	/* Peers and neighbours must not guess numbers ([ORNIC-OBJ-21]) */
	struct env *random = ordered ? NULL : nic->env;
	const struct {
		struct obj_table *table;
		unsigned int index_bits;
		unsigned int gen_bits;
		uint32_t first;
		struct env *env;
	} tables[] = {
		/* obj_add_at() assigns doorbell page 0 and all EQs */
		{ &nic->uctxs, CORE_MAX_UCTX_BITS, 0, 1, NULL },
		{ &nic->eqs, CORE_MAX_EQ_BITS, 0, 1u << CORE_MAX_EQ_BITS,
		  NULL },
		{ &nic->pds, CORE_MAX_PD_BITS, 0, 0, NULL },
		{ &nic->mrs, CORE_MAX_MR_BITS, NIC_NUM_BITS - CORE_MAX_MR_BITS,
		  1, random },
		{ &nic->qps, CORE_MAX_QP_BITS, NIC_NUM_BITS - CORE_MAX_QP_BITS,
		  CORE_QP_FIRST, random },
		{ &nic->srqs, CORE_MAX_SRQ_BITS,
		  NIC_NUM_BITS - CORE_MAX_SRQ_BITS, 1, random },
		{ &nic->cqs, CORE_MAX_CQ_BITS, 0, 0, NULL },
		{ &nic->xrcds, CORE_MAX_XRCD_BITS, 0, 0, NULL },
		{ &nic->rwqs, CORE_MAX_RWQ_BITS, 0, 0, NULL },
		{ &nic->flows, CORE_MAX_FLOW_BITS,
		  NIC_NUM_BITS - CORE_MAX_FLOW_BITS, 0, NULL },
		{ &nic->counters, CORE_MAX_COUNTERS_BITS,
		  NIC_NUM_BITS - CORE_MAX_COUNTERS_BITS, 0, NULL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		if (obj_table_init(tables[i].table, tables[i].index_bits,
				   tables[i].gen_bits, tables[i].first,
				   tables[i].env))
			return -1;
	return 0;
}

static void nic_uninit_tables(struct nic *nic)
{
	obj_table_uninit(&nic->counters);
	obj_table_uninit(&nic->flows);
	obj_table_uninit(&nic->rwqs);
	obj_table_uninit(&nic->xrcds);
	obj_table_uninit(&nic->srqs);
	obj_table_uninit(&nic->qps);
	obj_table_uninit(&nic->cqs);
	obj_table_uninit(&nic->mrs);
	obj_table_uninit(&nic->pds);
	obj_table_uninit(&nic->eqs);
	obj_table_uninit(&nic->uctxs);
}

struct nic *nic_create(const struct nic_config *config, struct env *env)
{
	struct nic *nic;

	nic = calloc(1, sizeof(*nic));
	if (!nic)
		return NULL;
	nic->env = env;
	memcpy(nic->mac, config->mac, MAC_LEN);
	nic->vectors = config->vectors;
	nic->sq_ci_lags = config->sq_ci_lags;
	nic->spoofcheck = config->spoofcheck;
	nic->port.link = true;
	nic->limit.bytes = NIC_RUN_BYTES;
	eq_source_init(&nic->events, 0, false);
	nic->regs.clock_base_ns = env_now_ns(env);
	list_init(&nic->ready);
	list_init(&nic->blocked);
	list_init(&nic->dead_cqs);
	mcast_init(nic);
	rule_init(nic);
	lie_init(nic);
	doorbell_init(nic, !config->no_shadow);
	if (nic_init_tables(nic, config->ordered))
		goto err_tables;
	if (bounce_init(&nic->bounce))
		goto err_tables;
	if (engine_init(nic))
		goto err_bounce;
	guest_init(&nic->guest, env->mem);
	ethport_reset(nic);
	regs_reset(nic);
	if (lie_is_any(&config->lie))
		nic_lie(nic, &config->lie);
	return nic;

err_bounce:
	bounce_uninit(&nic->bounce);
err_tables:
	nic_uninit_tables(nic);
	free(nic);
	return NULL;
}

void nic_destroy(struct nic *nic)
{
	if (!nic)
		return;
	reset_begin(nic);
	while (nic->reset.active)
		reset_run(nic);
	lie_uninit(nic);
	guest_uninit(&nic->guest);
	engine_uninit(nic);
	bounce_uninit(&nic->bounce);
	nic_uninit_tables(nic);
	free(nic);
}

void nic_bar_read(struct nic *nic, unsigned int bar, uint64_t offset,
		  unsigned int size, uint64_t *val)
{
	/* Doorbell pages are write-only */
	*val = bar == ORNIC_BAR_REGS ? regs_read(nic, offset, size) : 0;
	if (lie_on(nic))
		*val = lie_register(nic, size, *val);
}

bool nic_bar_write(struct nic *nic, unsigned int bar, uint64_t offset,
		   unsigned int size, uint64_t val)
{
	uint64_t resets = nic->resets;

	if (bar == ORNIC_BAR_REGS)
		regs_write(nic, offset, size, val);
	else if (nic_works(nic))
		doorbell_write(nic, offset, size, val);
	return nic->resets != resets;
}

static bool nic_run_qps(struct nic *nic)
{
	struct list_head turn;
	struct run_limit *limit = &nic->limit;
	unsigned int qps = 0;

	limit->bytes = NIC_RUN_SHARE(limit->qps ? limit->qps : 1);
	limit->work = nic->budget.work + NIC_RUN_PAGES;
	/* QPs that become ready during this call run in the next one */
	list_init(&turn);
	list_splice_tail_init(&nic->ready, &turn);
	while (!list_empty(&turn) && qps < NIC_RUN_QPS &&
	       nic->budget.work < limit->work) {
		struct run_item *item = list_first_entry(&turn, struct run_item,
							 node);

		list_del_init(&item->node);
		if (qp_run(item->qp, NIC_RUN_PACKETS) && !item->blocked)
			core_ready(nic, item);
		qps++;
	}
	/* QPs that had no turn go first in the next call */
	list_splice_tail_init(&nic->ready, &turn);
	list_splice_tail_init(&turn, &nic->ready);
	limit->qps = qps;
	return qps;
}

bool nic_run(struct nic *nic)
{
	bool any;

	if (nic->reset.active) {
		reset_run(nic);
		return true;
	}
	if (!nic_works(nic))
		return false;
	if (!nic->doorbell.awake)
		doorbell_wake(nic);
	any = admin_run(nic, NIC_RUN_COMMANDS);
	any |= doorbell_poll(nic);
	any |= nic_run_qps(nic);
	any |= cq_run_dead(nic);
	return any;
}

void nic_room(struct nic *nic)
{
	while (!list_empty(&nic->blocked))
		core_ready(nic, list_first_entry(&nic->blocked, struct run_item,
						 node));
}

bool nic_sleep_prepare(struct nic *nic)
{
	if (nic->reset.active)
		return false;
	if (!nic_works(nic))
		return true;
	if (admin_pending(nic) || !list_empty(&nic->ready) ||
	    !list_empty(&nic->dead_cqs))
		return false;
	return doorbell_sleep(nic);
}

void nic_wake(struct nic *nic)
{
	if (nic_works(nic))
		doorbell_wake(nic);
}

static bool nic_is_roce(const struct frame *frame, const struct flow *flow)
{
	return flow->l4 == FLOW_PROTO_UDP && !flow->options &&
	       flow_get16(frame->hdr + flow->l4_offset + 2) == NIC_ROCE_PORT;
}

/* VLAN ID 0 marks a priority tag, which names no VLAN */
static uint16_t nic_vlan_id(const struct flow *flow)
{
	uint16_t vlan_id = flow->vlan_tci & NIC_VLAN_ID;

	return vlan_id ? vlan_id : GID_NO_VLAN;
}

/* The source or the destination of a RoCEv2 packet as a GID */
static void nic_packet_gid(const struct frame *frame, const struct flow *flow,
			   bool source, uint8_t *gid)
{
	const uint8_t *ip = frame->hdr + flow->l3_offset;

	if (flow->l3 == 4)
		gid_from_ipv4(gid, ip + (source ? 12 : 16));
	else
		memcpy(gid, ip + (source ? 8 : 24), GID_LEN);
}

bool core_forges_roce(const struct nic *nic, const struct frame *frame)
{
	uint8_t gid[GID_LEN];
	struct flow flow;

	if (!nic->spoofcheck.on)
		return false;
	flow_dissect(frame, &flow);
	/* Other receivers than this card take it with options and after reassembly */
	if (!flow_may_reach_udp(frame, &flow, NIC_ROCE_PORT))
		return false;
	nic_packet_gid(frame, &flow, true, gid);
	return gid_find(nic, gid, nic_vlan_id(&flow)) < 0;
}

/*
 * Process a RoCEv2 packet to one of the card's GIDs or groups. Return: whether
 * the frame is one.
 */
static bool nic_rx_roce(struct nic *nic, const struct frame *frame,
			const struct flow *flow)
{
	const uint8_t *udp = frame->hdr + flow->l4_offset;
	unsigned int bth_offset = flow->l4_offset + FLOW_UDP_LEN;
	uint16_t vlan_id = nic_vlan_id(flow);
	const struct mcast_group *group;
	uint8_t gid[GID_LEN];
	int index;

	if (!nic_is_roce(frame, flow))
		return false;
	if (!(frame->flags & FRAME_LOCAL) &&
	    (flow->l4_offset + flow_get16(udp + 4) != flow->l3_end))
		return false;
	nic_packet_gid(frame, flow, false, gid);
	if (frame->hdr[0] & 1) {
		group = mcast_find(nic, gid, frame->hdr);
		if (!group || !gid_has_vlan(nic, vlan_id))
			return false;
		roce_rx_mcast(nic, frame, group, flow->l3_offset, bth_offset);
		return true;
	}
	index = gid_find(nic, gid, vlan_id);
	if (index < 0 || memcmp(frame->hdr, nic->port.mac, MAC_LEN))
		return false;
	roce_rx(nic, frame, index, flow->l3_offset, bth_offset);
	return true;
}

static void nic_rx_count(struct nic *nic, const struct frame *frame)
{
	static const uint8_t broadcast[MAC_LEN] = { 0xff, 0xff, 0xff,
						    0xff, 0xff, 0xff };

	PORT_STAT_INC(nic, rx_frames);
	PORT_STAT_ADD(nic, rx_bytes, frame_len(frame));
	if (!memcmp(frame->hdr, broadcast, MAC_LEN))
		PORT_STAT_INC(nic, rx_broadcast);
	else if (frame->hdr[0] & 1)
		PORT_STAT_INC(nic, rx_multicast);
}

/*
 * Offer a frame that is not RoCE for this card to the flow rules, then to the
 * port's own queues. accepted: the port's filter passes the frame. stack: the
 * host's network stack sent it.
 *
 * Return: whether the frame has a receiver.
 */
static bool nic_rx_eth(struct nic *nic, const struct frame *frame,
		       const struct flow *flow, bool accepted, bool stack)
{
	enum rule_verdict verdict = RULE_PASSED;

	if (!eth_valid(nic, frame)) {
		if (accepted)
			PORT_STAT_INC(nic, rx_dropped_malformed);
		return accepted;
	}
	if (nic->rules.ingress)
		verdict = rule_rx(nic, frame, flow, stack);
	if (verdict == RULE_TOOK)
		return true;
	if (accepted)
		eth_rx(nic, frame, flow);
	return accepted || verdict == RULE_COPIED;
}

void nic_rx(struct nic *nic, const struct frame *frame)
{
	struct flow flow;
	bool accepted;

	if (!nic_works(nic) || !ethport_running(nic))
		return;
	if (frame->hdr_len < FLOW_ETH_LEN) {
		PORT_STAT_INC(nic, rx_dropped_malformed);
		return;
	}
	if (nic->rules.sniffers)
		rule_sniff(nic, frame);
	accepted = ethport_accepts(nic, frame->hdr);
	if (!accepted && !mcast_accepts(nic, frame->hdr) &&
	    !nic->rules.ingress) {
		PORT_STAT_INC(nic, rx_dropped_filter);
		return;
	}
	flow_dissect(frame, &flow);
	if (nic_rx_roce(nic, frame, &flow) ||
	    nic_rx_eth(nic, frame, &flow, accepted, false))
		nic_rx_count(nic, frame);
	else
		PORT_STAT_INC(nic, rx_dropped_filter);
}

void core_loop(struct nic *nic, const struct frame *frame)
{
	struct flow flow;

	if (!ethport_running(nic))
		return;
	flow_dissect(frame, &flow);
	nic_rx_roce(nic, frame, &flow);
}

void core_loop_eth(struct nic *nic, const struct frame *frame, bool stack)
{
	struct flow flow;
	bool accepted;

	flow_dissect(frame, &flow);
	accepted = !stack && ethport_accepts(nic, frame->hdr);
	if ((!stack && nic_rx_roce(nic, frame, &flow)) ||
	    nic_rx_eth(nic, frame, &flow, accepted, stack)) {
		nic_rx_count(nic, frame);
		PORT_STAT_INC(nic, tx_looped);
	}
}

void nic_link_changed(struct nic *nic, bool up)
{
	if (nic->port.link == up)
		return;
	nic->port.link = up;
	if (nic->enabled && !nic->fatal)
		eq_async(nic, &nic->events,
			 up ? ORNIC_EVENT_PORT_UP : ORNIC_EVENT_PORT_DOWN);
}

void nic_stop(struct nic *nic)
{
	core_fatal(nic, ORNIC_FATAL_INJECTED);
}

void nic_stats(struct nic *nic, nic_stat_fn fn, void *arg)
{
	stats_tell(nic, fn, arg);
	lie_stats(nic, fn, arg);
}

void core_fatal(struct nic *nic, enum ornic_fatal_cause cause)
{
	if (nic->fatal || nic->reset.active)
		return;
	nic->fatal = cause;
	env_log(nic->env, ENV_LOG_ERR, "stopped, cause %u", cause);
	eq_fatal(nic, cause);
	core_irq(nic, 0);
}

void core_irq(struct nic *nic, unsigned int vector)
{
	DEVICE_STAT_INC(nic, interrupts);
	if (lie_on(nic))
		lie_irq(nic, vector);
	else
		env_irq_raise(nic->env, vector);
}

void core_ready(struct nic *nic, struct run_item *item)
{
	if (item->blocked)
		core_not_ready(item);
	if (!list_empty(&item->node))
		return;
	list_add_tail(&item->node, &nic->ready);
	env_mark_runnable(nic->env);
}

void core_block(struct nic *nic, struct run_item *item)
{
	list_del_init(&item->node);
	list_add_tail(&item->node, &nic->blocked);
	item->blocked = true;
}

void core_not_ready(struct run_item *item)
{
	list_del_init(&item->node);
	item->blocked = false;
}

void core_tx(struct nic *nic, struct frame *frame)
{
	if (!ethport_running(nic)) {
		env_frame_free(nic->env, frame);
		return;
	}
	if (!ethport_may_send(nic, frame->hdr + MAC_LEN)) {
		PORT_STAT_INC(nic, tx_dropped_spoofed);
		env_frame_free(nic->env, frame);
		return;
	}
	if (nic->rules.sniffers)
		rule_sniff(nic, frame);
	bounce_sent(&nic->bounce, frame);
	PORT_STAT_INC(nic, tx_frames);
	PORT_STAT_ADD(nic, tx_bytes, frame_len(frame));
	env_tx(nic->env, frame);
}
