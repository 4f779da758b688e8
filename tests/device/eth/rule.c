// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Flow rules: lists, matching, commands */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "eth/eth.h"
#include "eth/eth_recv.h"
#include "eth/eth_rx.h"
#include "eth/flow.h"
#include "eth/rule.h"
#include "objects/counters.h"
#include "queues/qp.h"

#define RULE_FLAGS \
	(ORNIC_FLOW_DROP | ORNIC_FLOW_COUNT | ORNIC_FLOW_DONT_TRAP | \
	 ORNIC_FLOW_EGRESS)
#define RULE_LAYERS \
	(ORNIC_FLOW_LAYER_VXLAN | ORNIC_FLOW_LAYER_GRE | \
	 ORNIC_FLOW_LAYER_MPLS | ORNIC_FLOW_LAYER_ESP)

/* Rules of kernel QPs get no frames of the host's stack ([ORNIC-LOOP-3]) */
static bool rule_is_deaf(const struct rule *rule, bool stack)
{
	return stack && qp_is_kernel(rule->qp);
}

/* ---- matching ---- */

static bool rule_matches(const struct rule *rule, const union flow_fields *key)
{
	unsigned int i;

	if ((key->word[rule->last] & rule->last_mask) != rule->last_value)
		return false;
	for (i = rule->first; i < rule->last; i++)
		if ((key->word[i] & rule->mask[i]) != rule->value[i])
			return false;
	return true;
}

static void rule_count(const struct rule *rule, const struct frame *frame)
{
	struct counters *counters = rule->counters;

	if (!counters)
		return;
	counters->val[ORNIC_COUNTERS_STAT_packets]++;
	counters->val[ORNIC_COUNTERS_STAT_bytes] += frame_len(frame);
}

/**
 * struct rule_walk - state of a received frame while it passes the lists
 * @frame: the frame
 * @flow: its headers
 * @key: their fields
 * @stack: the host's network stack sent it
 * @given: a QP got it
 * @dropped: a rule with DROP matched
 * @took: a rule took the frame; the search ends
 */
struct rule_walk {
	const struct frame *frame;
	struct flow *flow;
	const union flow_fields *key;
	bool stack;
	bool given;
	bool dropped;
	bool took;
};

static void rule_apply(const struct rule *rule, struct rule_walk *walk)
{
	if (rule_is_deaf(rule, walk->stack))
		return;
	rule_count(rule, walk->frame);
	if (rule->flags & ORNIC_FLOW_DROP) {
		walk->dropped = true;
	} else {
		walk->given = true;
		rule->qp->card->budget.work += CARD_RUN_COPY;
		eth_deliver(rule->qp, walk->frame, walk->flow, rule->tag);
	}
	if (!(rule->flags & ORNIC_FLOW_DONT_TRAP))
		walk->took = true;
}

/* If a rule matches, all its twins get the frame, too ([ORNIC-FLOW-5]) */
static void rule_walk_list(const struct list_head *list, struct rule_walk *walk)
{
	const struct list_head *pos;
	const struct rule *rule;
	bool match = false;

	if (walk->took)
		return;
	list_for_each(pos, list) {
		rule = list_entry(pos, struct rule, node);
		if (!rule->twin) {
			if (walk->took)
				return;
			match = rule_matches(rule, walk->key);
		}
		if (match)
			rule_apply(rule, walk);
	}
}

enum rule_verdict rule_rx(struct card *card, const struct frame *frame,
			  struct flow *flow, bool stack)
{
	const struct list_head *list = card->rules.list;
	struct rule_walk walk = {
		.frame = frame,
		.flow = flow,
		.key = flow_fields(frame, flow),
		.stack = stack,
	};

	rule_walk_list(&list[RULE_NORMAL], &walk);
	if (frame->hdr[0] & 1)
		rule_walk_list(&list[RULE_MC_DEFAULT], &walk);
	rule_walk_list(&list[RULE_ALL_DEFAULT], &walk);
	if (walk.given)
		PORT_STAT_INC(card, rx_steered);
	else if (walk.dropped)
		PORT_STAT_INC(card, rx_dropped_rule);
	if (walk.took)
		return RULE_TOOK;
	return walk.given ? RULE_COPIED : RULE_PASSED;
}

void rule_sniff(struct card *card, const struct frame *frame)
{
	const struct list_head *pos, *list = &card->rules.list[RULE_SNIFFER];
	const struct rule *rule;
	const union flow_fields *key;
	struct flow flow;

	if (!eth_valid(card, frame))
		return;
	flow_dissect(frame, &flow);
	key = flow_fields(frame, &flow);
	list_for_each(pos, list) {
		rule = list_entry(pos, struct rule, node);
		if (!rule_matches(rule, key))
			continue;
		rule_count(rule, frame);
		card->budget.work += CARD_RUN_COPY;
		eth_deliver(rule->qp, frame, &flow, rule->tag);
	}
}

bool rule_tx(struct qp *qp, const struct frame *frame)
{
	struct card *card = qp->card;
	const struct list_head *pos, *list = &card->rules.list[RULE_EGRESS];
	const struct rule *rule;
	union flow_fields key;

	flow_key(frame, &key.key);
	list_for_each(pos, list) {
		rule = list_entry(pos, struct rule, node);
		if (rule->qp != qp || !rule_matches(rule, &key))
			continue;
		rule_count(rule, frame);
		if (rule->flags & ORNIC_FLOW_DROP) {
			PORT_STAT_INC(card, tx_dropped_rule);
			return true;
		}
		if (!(rule->flags & ORNIC_FLOW_DONT_TRAP))
			break;
	}
	return false;
}

bool rule_has_mac(const struct card *card, const uint8_t *mac, bool stack)
{
	const struct list_head *pos, *list = &card->rules.macs;
	const struct rule *rule;

	list_for_each(pos, list) {
		rule = list_entry(pos, struct rule, mac_node);
		if (!rule_is_deaf(rule, stack) &&
		    !memcmp(rule->value, mac, MAC_LEN))
			return true;
	}
	return false;
}

/* ---- the lists ---- */

static unsigned int *rule_counter(struct card *card, const struct rule *rule)
{
	switch (rule->list) {
	case RULE_SNIFFER:
		return &card->rules.sniffers;
	case RULE_EGRESS:
		return &card->rules.egress;
	default:
		return &card->rules.ingress;
	}
}

/* Do two rules have the same priority, value and mask? */
static bool rule_is_twin(const struct rule *a, const struct rule *b)
{
	return a->priority == b->priority &&
	       !memcmp(a->value, b->value, sizeof(a->value)) &&
	       !memcmp(a->mask, b->mask, sizeof(a->mask));
}

/* Set @rule->twin. Return: the node to insert the rule in front of. */
static struct list_head *rule_place(struct card *card, struct rule *rule)
{
	struct list_head *pos, *list = &card->rules.list[rule->list];

	list_for_each(pos, list) {
		const struct rule *other = list_entry(pos, struct rule, node);

		if (rule->list < RULE_SNIFFER && rule_is_twin(rule, other))
			rule->twin = true;
		else if (rule->twin || other->priority > rule->priority)
			break;
	}
	return pos;
}

static bool rule_names_mac(const struct rule *rule)
{
	static const uint8_t all[MAC_LEN] = { 0xff, 0xff, 0xff,
					      0xff, 0xff, 0xff };

	return rule->list == RULE_NORMAL && !memcmp(rule->mask, all, MAC_LEN);
}

static void rule_link(struct card *card, struct rule *rule)
{
	list_add_tail(&rule->node, rule_place(card, rule));
	list_init(&rule->mac_node);
	if (rule_names_mac(rule))
		list_add(&rule->mac_node, &card->rules.macs);
	(*rule_counter(card, rule))++;
}

static void rule_unlink(struct card *card, struct rule *rule)
{
	struct list_head *next = rule->node.next;

	/* The next twin becomes the first rule of the group */
	if (!rule->twin && next != &card->rules.list[rule->list])
		list_entry(next, struct rule, node)->twin = false;
	list_del_init(&rule->node);
	list_del_init(&rule->mac_node);
	(*rule_counter(card, rule))--;
}

/* Count the rules that give a frame to a further QP ([ORNIC-FLOW-13]) */
static unsigned int rule_copies(const struct card *card)
{
	unsigned int i, copies = card->rules.sniffers;
	const struct list_head *pos;
	const struct rule *rule;

	for (i = 0; i < RULE_SNIFFER; i++) {
		list_for_each(pos, &card->rules.list[i]) {
			rule = list_entry(pos, struct rule, node);
			if (rule->twin || rule->flags & ORNIC_FLOW_DONT_TRAP)
				copies++;
		}
	}
	return copies;
}

/* With sniffers all packets are real wire bytes ([ORNIC-FLOW-11]) */
static void rule_update_env(struct card *card)
{
	env_want_bytes(card->env, card->rules.sniffers);
}

void rule_init(struct card *card)
{
	unsigned int i;

	for (i = 0; i < RULE_LISTS; i++)
		list_init(&card->rules.list[i]);
	list_init(&card->rules.macs);
}

static void rule_destroy(struct card *card, struct rule *rule)
{
	rule_unlink(card, rule);
	obj_put(&rule->qp->obj);
	if (rule->counters)
		obj_put(&rule->counters->obj);
	obj_remove(&card->flows, &rule->obj);
	free(rule);
}

void rule_destroy_all(struct card *card, struct obj_walk *walk)
{
	struct obj *obj;

	while ((obj = obj_walk_next(&card->flows, walk)))
		rule_destroy(card, container_of(obj, struct rule, obj));
	rule_update_env(card);
}

/* ---- commands ---- */

static enum ornic_cmd_status
rule_check_flags(const struct ornic_create_flow_in *in)
{
	uint32_t flags = le32toh(in->flags);

	if (!CMD_RSVD_ZERO(in->rsvd) || in->type > ORNIC_FLOW_SNIFFER ||
	    flags & ~RULE_FLAGS)
		return ORNIC_CMD_BAD_PARAM;
	/* A dropped frame cannot continue or be a sniffer's ([ORNIC-FLOW-3]) */
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
rule_check_key(const struct ornic_create_flow_in *in)
{
	const struct ornic_flow_key *mask = &in->mask;
	union flow_fields value_words, mask_words;
	unsigned int i;

	if (mask->outer.rsvd || mask->inner.rsvd || mask->rsvd ||
	    be32toh(mask->layers) & ~RULE_LAYERS)
		return ORNIC_CMD_BAD_PARAM;
	value_words.key = in->value;
	mask_words.key = in->mask;
	for (i = 0; i < FLOW_WORDS; i++)
		if (value_words.word[i] & ~mask_words.word[i])
			return ORNIC_CMD_BAD_PARAM;
	return ORNIC_CMD_OK;
}

/* Does the QP have the queue that the rule needs? DROP alone needs none. */
static bool rule_check_qp(const struct qp *qp, uint32_t flags)
{
	if (!qp || qp->type != ORNIC_QPT_RAW_PACKET)
		return false;
	if (flags & ORNIC_FLOW_EGRESS)
		return qp_has_sq(qp);
	return flags & ORNIC_FLOW_DROP || receiver_has_rq(&qp->rx) || qp->rwq_table;
}

static enum rule_list rule_list_of(const struct ornic_create_flow_in *in)
{
	if (le32toh(in->flags) & ORNIC_FLOW_EGRESS)
		return RULE_EGRESS;
	switch (in->type) {
	case ORNIC_FLOW_ALL_DEFAULT:
		return RULE_ALL_DEFAULT;
	case ORNIC_FLOW_MC_DEFAULT:
		return RULE_MC_DEFAULT;
	case ORNIC_FLOW_SNIFFER:
		return RULE_SNIFFER;
	default:
		return RULE_NORMAL;
	}
}

static void rule_fill(struct rule *rule, const struct ornic_create_flow_in *in)
{
	unsigned int i;

	rule->list = rule_list_of(in);
	rule->priority = le32toh(in->priority);
	rule->flags = le32toh(in->flags);
	rule->tag = le32toh(in->tag);
	memcpy(rule->value, &in->value, sizeof(rule->value));
	memcpy(rule->mask, &in->mask, sizeof(rule->mask));
	for (i = 0; i < FLOW_WORDS; i++) {
		if (!rule->mask[i])
			continue;
		if (!rule->last_mask)
			rule->first = i;
		rule->last = i;
		rule->last_mask = rule->mask[i];
		rule->last_value = rule->value[i];
	}
}

enum ornic_cmd_status rule_cmd_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_flow_in *in = cmd->in;
	uint32_t flags = le32toh(in->flags);
	struct qp *qp = qp_find(card, le32toh(in->qpn));
	struct ornic_object *out = cmd->out;
	struct counters *counters = NULL;
	enum ornic_cmd_status status;
	struct rule *rule;

	status = rule_check_flags(in);
	if (!status)
		status = rule_check_key(in);
	if (status)
		return status;
	if (flags & ORNIC_FLOW_COUNT)
		counters = counters_find(card, le32toh(in->counters));
	if (!rule_check_qp(qp, flags) || (flags & ORNIC_FLOW_COUNT && !counters))
		return ORNIC_CMD_BAD_OBJECT;
	rule = calloc(1, sizeof(*rule));
	if (!rule)
		return ORNIC_CMD_NO_RESOURCES;
	rule->qp = qp;
	rule->counters = counters;
	rule_fill(rule, in);
	rule_link(card, rule);
	if (rule_copies(card) > RULE_COPIES_MAX ||
	    obj_add(&card->flows, &rule->obj))
		goto err_unlink;

	obj_get(&qp->obj);
	if (counters)
		obj_get(&counters->obj);
	rule_update_env(card);
	out->num = htole32(rule->obj.num);
	return ORNIC_CMD_OK;

err_unlink:
	rule_unlink(card, rule);
	free(rule);
	return ORNIC_CMD_NO_RESOURCES;
}

enum ornic_cmd_status rule_cmd_destroy(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->flows, cmd, &obj);
	if (status)
		return status;
	rule_destroy(card, container_of(obj, struct rule, obj));
	rule_update_env(card);
	return ORNIC_CMD_OK;
}
