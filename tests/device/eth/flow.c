// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Flow rules: lists, matching, commands */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "eth/eth.h"
#include "eth/eth_recv.h"
#include "eth/eth_rx.h"
#include "eth/flow.h"
#include "eth/flow_field.h"
#include "eth/headers.h"
#include "objects/counters.h"
#include "queues/qp.h"

#define FLOW_FLAGS \
	(ORNIC_FLOW_DROP | ORNIC_FLOW_COUNT | ORNIC_FLOW_DONT_TRAP | \
	 ORNIC_FLOW_EGRESS)
#define FLOW_LAYERS \
	(ORNIC_FLOW_LAYER_VXLAN | ORNIC_FLOW_LAYER_GRE | \
	 ORNIC_FLOW_LAYER_MPLS | ORNIC_FLOW_LAYER_ESP)

/* Rules of kernel QPs get no frames of the host's stack ([ORNIC-LOOP-3]) */
static bool flow_is_deaf(const struct flow *flow, bool stack)
{
	return stack && qp_is_kernel(flow->qp);
}

/* ---- matching ---- */

static bool flow_matches(const struct flow *flow, const union headers_fields *key)
{
	unsigned int i;

	if ((key->word[flow->last] & flow->last_mask) != flow->last_value)
		return false;
	for (i = flow->first; i < flow->last; i++)
		if ((key->word[i] & flow->mask[i]) != flow->value[i])
			return false;
	return true;
}

static void flow_count(const struct flow *flow, const struct frame *frame)
{
	struct counters *counters = flow->counters;

	if (!counters)
		return;
	counters->val[ORNIC_COUNTERS_STAT_packets]++;
	counters->val[ORNIC_COUNTERS_STAT_bytes] += frame_len(frame);
}

/**
 * struct flow_walk - state of a received frame while it passes the lists
 * @frame: the frame
 * @headers: its headers
 * @key: their fields
 * @stack: the host's network stack sent it
 * @given: a QP got it
 * @dropped: a rule with DROP matched
 * @took: a rule took the frame; the search ends
 */
struct flow_walk {
	const struct frame *frame;
	struct headers *headers;
	const union headers_fields *key;
	bool stack;
	bool given;
	bool dropped;
	bool took;
};

static void flow_apply(const struct flow *flow, struct flow_walk *walk)
{
	if (flow_is_deaf(flow, walk->stack))
		return;
	flow_count(flow, walk->frame);
	if (flow->flags & ORNIC_FLOW_DROP) {
		walk->dropped = true;
	} else {
		walk->given = true;
		flow->qp->base.card->budget.work += CARD_RUN_COPY;
		eth_deliver(flow->qp, walk->frame, walk->headers, flow->tag);
	}
	if (!(flow->flags & ORNIC_FLOW_DONT_TRAP))
		walk->took = true;
}

/*
 * If a rule matches, all its twins get the frame, too ([ORNIC-FLOW-6]). Without
 * FEAT_FLOW_COPY the oldest takes it ([ORNIC-FIELD-5]). node: offset of the member
 * of struct flow that is in the list.
 */
static void flow_walk_list(const struct list_head *list, size_t node, struct flow_walk *walk)
{
	const struct list_head *pos;
	const struct flow *flow;
	bool match = false;

	if (walk->took)
		return;
	list_for_each(pos, list) {
		flow = (const void *)((const char *)pos - node);
		if (!flow->twin) {
			if (walk->took)
				return;
			match = flow_matches(flow, walk->key);
		} else if (walk->took &&
			   !card_uses(flow->qp->base.card,
				      ORNIC_FEAT_FLOW_COPY)) {
			return;
		}
		if (match)
			flow_apply(flow, walk);
	}
}

enum flow_verdict flow_rx(struct card *card, const struct frame *frame,
			  struct headers *headers, bool stack)
{
	const struct list_head *list = card->flow_table.list;
	const size_t node = offsetof(struct flow, node);
	struct flow_walk walk = {
		.frame = frame,
		.headers = headers,
		.key = headers_fields(frame, headers),
		.stack = stack,
	};

	if (frame->hdr[0] & 1) {
		flow_walk_list(&card->flow_table.groups, offsetof(struct flow, group_node), &walk);
		flow_walk_list(&list[FLOW_MC_DEFAULT], node, &walk);
	} else {
		flow_walk_list(&list[FLOW_NORMAL], node, &walk);
	}
	flow_walk_list(&list[FLOW_ALL_DEFAULT], node, &walk);
	if (walk.given)
		PORT_STAT_INC(card, rx_steered);
	else if (walk.dropped)
		PORT_STAT_INC(card, rx_dropped_rule);
	if (walk.took)
		return FLOW_TOOK;
	return walk.given ? FLOW_COPIED : FLOW_PASSED;
}

void flow_sniff(struct card *card, const struct frame *frame,
		struct headers *headers)
{
	const struct list_head *pos, *list = &card->flow_table.list[FLOW_SNIFFER];
	const struct flow *flow;
	const union headers_fields *key;

	if (!eth_valid(card, frame))
		return;
	key = headers_fields(frame, headers);
	list_for_each(pos, list) {
		flow = list_entry(pos, struct flow, node);
		if (!flow_matches(flow, key))
			continue;
		flow_count(flow, frame);
		card->budget.work += CARD_RUN_COPY;
		eth_deliver(flow->qp, frame, headers, flow->tag);
	}
}

bool flow_tx(struct qp *qp, const struct frame *frame, struct headers *headers)
{
	struct card *card = qp->base.card;
	const struct list_head *pos, *list = &card->flow_table.list[FLOW_EGRESS];
	const union headers_fields *key = headers_fields(frame, headers);
	const struct flow *flow;

	list_for_each(pos, list) {
		flow = list_entry(pos, struct flow, node);
		if (flow->qp != qp || !flow_matches(flow, key))
			continue;
		flow_count(flow, frame);
		if (flow->flags & ORNIC_FLOW_DROP) {
			PORT_STAT_INC(card, tx_dropped_rule);
			return true;
		}
		if (!(flow->flags & ORNIC_FLOW_DONT_TRAP))
			break;
	}
	return false;
}

bool flow_has_mac(const struct card *card, const uint8_t *mac, bool stack)
{
	const struct list_head *pos, *list = &card->flow_table.macs;
	const struct flow *flow;

	list_for_each(pos, list) {
		flow = list_entry(pos, struct flow, mac_node);
		if (!flow_is_deaf(flow, stack) &&
		    !memcmp(flow->value, mac, MAC_LEN))
			return true;
	}
	return false;
}

/* ---- the lists ---- */

static unsigned int *flow_counter(struct card *card, const struct flow *flow)
{
	switch (flow->list) {
	case FLOW_SNIFFER:
		return &card->flow_table.sniffers;
	case FLOW_EGRESS:
		return &card->flow_table.egress;
	default:
		return &card->flow_table.ingress;
	}
}

/* Do two rules have the same priority, value and mask? */
static bool flow_is_twin(const struct flow *a, const struct flow *b)
{
	return a->priority == b->priority &&
	       !memcmp(a->value, b->value, sizeof(a->value)) &&
	       !memcmp(a->mask, b->mask, sizeof(a->mask));
}

/* Set @flow->twin. Return: the node to insert the rule in front of. */
static struct list_head *flow_place(struct card *card, struct flow *flow)
{
	struct list_head *pos, *list = &card->flow_table.list[flow->list];

	list_for_each(pos, list) {
		const struct flow *other = list_entry(pos, struct flow, node);

		if (flow->list < FLOW_SNIFFER && flow_is_twin(flow, other))
			flow->twin = true;
		else if (flow->twin || other->priority > flow->priority)
			break;
	}
	return pos;
}

static bool flow_names_mac(const struct flow *flow)
{
	static const uint8_t all[MAC_LEN] = { 0xff, 0xff, 0xff,
					      0xff, 0xff, 0xff };

	return flow->list == FLOW_NORMAL && !memcmp(flow->mask, all, MAC_LEN);
}

/* Can frames to a group match a rule of type NORMAL? */
static bool flow_takes_groups(const struct flow *flow)
{
	const uint8_t *dmac = (const void *)flow->value, *mask = (const void *)flow->mask;

	return flow->list == FLOW_NORMAL && (!(mask[0] & 1) || dmac[0] & 1);
}

/* Add a rule, in its list already, behind those that come before it there */
static void flow_add_group(struct card *card, struct flow *flow)
{
	const struct list_head *list = &card->flow_table.list[FLOW_NORMAL];
	struct list_head *pos = flow->node.prev;

	while (pos != list && list_empty(&list_entry(pos, struct flow, node)->group_node))
		pos = pos->prev;
	list_add(&flow->group_node, pos == list ? &card->flow_table.groups :
				    &list_entry(pos, struct flow, node)->group_node);
}

static void flow_link(struct card *card, struct flow *flow)
{
	list_add_tail(&flow->node, flow_place(card, flow));
	list_init(&flow->mac_node);
	if (flow_names_mac(flow))
		list_add(&flow->mac_node, &card->flow_table.macs);
	list_init(&flow->group_node);
	if (flow_takes_groups(flow))
		flow_add_group(card, flow);
	(*flow_counter(card, flow))++;
}

static void flow_unlink(struct card *card, struct flow *flow)
{
	struct list_head *next = flow->node.next;

	/* The next twin becomes the first rule of the group */
	if (!flow->twin && next != &card->flow_table.list[flow->list])
		list_entry(next, struct flow, node)->twin = false;
	list_del_init(&flow->node);
	list_del_init(&flow->mac_node);
	list_del_init(&flow->group_node);
	(*flow_counter(card, flow))--;
}

/* Count the rules that give a frame to a further QP ([ORNIC-FLOW-14]) */
static unsigned int flow_copies(const struct card *card)
{
	unsigned int i, copies = card->flow_table.sniffers;
	const struct list_head *pos;
	const struct flow *flow;

	for (i = 0; i < FLOW_SNIFFER; i++) {
		list_for_each(pos, &card->flow_table.list[i]) {
			flow = list_entry(pos, struct flow, node);
			if (flow->twin || flow->flags & ORNIC_FLOW_DONT_TRAP)
				copies++;
		}
	}
	return copies;
}

/* With sniffers all packets are real wire bytes ([ORNIC-FLOW-12]) */
static void flow_update_env(struct card *card)
{
	card_set_hook(card, CARD_SNIFFERS, card->flow_table.sniffers);
	env_want_bytes(card->env, card->flow_table.sniffers);
}

void flow_init(struct card *card)
{
	unsigned int i;

	for (i = 0; i < FLOW_LISTS; i++)
		list_init(&card->flow_table.list[i]);
	list_init(&card->flow_table.macs);
	list_init(&card->flow_table.groups);
}

void flow_destroy(struct card *card, struct obj *obj)
{
	struct flow *flow = container_of(obj, struct flow, obj);

	flow_unlink(card, flow);
	obj_put(&flow->qp->base.obj);
	if (flow->counters)
		obj_put(&flow->counters->obj);
	obj_remove(&card->flows, obj);
	flow_mask_put(flow);
	free(flow);
	flow_update_env(card);
}

/* ---- commands ---- */

static enum ornic_cmd_status
flow_check_flags(const struct ornic_create_flow_in *in)
{
	uint32_t flags = le32toh(in->flags);

	if (!CMD_RSVD_ZERO(in->rsvd) || in->type > ORNIC_FLOW_SNIFFER ||
	    flags & ~FLOW_FLAGS)
		return ORNIC_CMD_BAD_PARAM;
	/* A dropped frame cannot continue or be a sniffer's ([ORNIC-FLOW-4]) */
	if (flags & ORNIC_FLOW_DROP &&
	    (flags & ORNIC_FLOW_DONT_TRAP || in->type == ORNIC_FLOW_SNIFFER))
		return ORNIC_CMD_BAD_PARAM;
	if (flags & ORNIC_FLOW_EGRESS &&
	    (in->type != ORNIC_FLOW_NORMAL ||
	     !(flags & (ORNIC_FLOW_DROP | ORNIC_FLOW_COUNT))))
		return ORNIC_CMD_BAD_PARAM;
	if (!(flags & ORNIC_FLOW_COUNT) && in->counters)
		return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

static enum ornic_cmd_status
flow_check_key(const struct ornic_create_flow_in *in)
{
	const struct ornic_flow_key *mask = &in->mask;
	union headers_fields value_words, mask_words;
	unsigned int i;

	if (mask->outer.rsvd || mask->inner.rsvd || mask->rsvd ||
	    be32toh(mask->layers) & ~FLOW_LAYERS)
		return ORNIC_CMD_BAD_PARAM;
	value_words.key = in->value;
	mask_words.key = in->mask;
	for (i = 0; i < HEADERS_WORDS; i++)
		if (value_words.word[i] & ~mask_words.word[i])
			return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

/* Does the QP have the queue that the rule needs? DROP alone needs none. */
static bool flow_check_qp(const struct qp *qp, uint32_t flags)
{
	if (!qp || qp->base.type != ORNIC_QPT_RAW_PACKET)
		return false;
	if (flags & ORNIC_FLOW_EGRESS)
		return qp_has_sq(qp);
	return flags & ORNIC_FLOW_DROP || receiver_has_rq(&qp->base) || qp->rwq_table;
}

static enum flow_list flow_list_of(const struct ornic_create_flow_in *in)
{
	if (le32toh(in->flags) & ORNIC_FLOW_EGRESS)
		return FLOW_EGRESS;
	switch (in->type) {
	case ORNIC_FLOW_ALL_DEFAULT:
		return FLOW_ALL_DEFAULT;
	case ORNIC_FLOW_MC_DEFAULT:
		return FLOW_MC_DEFAULT;
	case ORNIC_FLOW_SNIFFER:
		return FLOW_SNIFFER;
	default:
		return FLOW_NORMAL;
	}
}

static void flow_fill(struct flow *flow, const struct ornic_create_flow_in *in)
{
	unsigned int i;

	flow->list = flow_list_of(in);
	flow->priority = le32toh(in->priority);
	flow->flags = le32toh(in->flags);
	flow->tag = le32toh(in->tag);
	memcpy(flow->value, &in->value, sizeof(flow->value));
	memcpy(flow->mask, &in->mask, sizeof(flow->mask));
	for (i = 0; i < HEADERS_WORDS; i++) {
		if (!flow->mask[i])
			continue;
		if (!flow->last_mask)
			flow->first = i;
		flow->last = i;
		flow->last_mask = flow->mask[i];
		flow->last_value = flow->value[i];
	}
}

enum ornic_cmd_status flow_cmd_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_flow_in *in = cmd->in;
	uint32_t flags = le32toh(in->flags);
	struct qp *qp = qp_find(card, le32toh(in->qpn));
	struct ornic_object *out = cmd->out;
	struct counters *counters = NULL;
	enum ornic_cmd_status status;
	struct flow *flow;

	status = flow_check_flags(in);
	if (!status)
		status = flow_check_key(in);
	if (!status)
		status = flow_field_check(card, in);
	if (status)
		return status;
	if (flags & ORNIC_FLOW_COUNT)
		counters = counters_find(card, le32toh(in->counters));
	if (!flow_check_qp(qp, flags) || (flags & ORNIC_FLOW_COUNT && !counters))
		return ORNIC_CMD_BAD_OBJECT;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return ORNIC_CMD_NO_RESOURCES;
	flow->qp = qp;
	flow->counters = counters;
	flow_fill(flow, in);
	flow_link(card, flow);
	if (flow_copies(card) > FLOW_COPIES_MAX ||
	    !flow_mask_get(card, flow) || obj_add(&card->flows, &flow->obj))
		goto err_unlink;

	obj_get(&qp->base.obj);
	if (counters)
		obj_get(&counters->obj);
	flow_update_env(card);
	out->num = htole32(flow->obj.num);
	return ORNIC_CMD_OK;

err_unlink:
	flow_unlink(card, flow);
	flow_mask_put(flow);
	free(flow);
	return ORNIC_CMD_NO_RESOURCES;
}

enum ornic_cmd_status flow_cmd_destroy(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->flows, cmd, &obj);
	if (status)
		return status;
	flow_destroy(card, obj);
	return ORNIC_CMD_OK;
}
