/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Flow rules, which direct, drop and count frames (hardware interface, section
 * 20).
 *
 * Without rules a frame costs one test of a counter. With rules the card
 * compares the frame with each of them until one takes it; a frame to a group not
 * with those that name a unicast address, which most do. CARD_MAX_FLOW_BITS
 * limits their number, and FLOW_COPIES_MAX the number of copies.
 */
#ifndef ORNIC_DEVICE_FLOW_H
#define ORNIC_DEVICE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/obj.h"
#include "env/frame.h"
#include "env/list.h"
#include "eth/headers.h"

/* Limit of rules that let one frame go to more than one QP ([ORNIC-FLOW-14]) */
#define FLOW_COPIES_MAX 16

struct cmd;
struct counters;
struct card;
struct qp;

/**
 * struct flow - a rule; the members that most frames need come first, in one
 *	cache line
 * @obj: number; rules have no users
 * @node: in its list, sorted by priority, then age; twins follow each other
 * @last_mask: last word of @mask that is not 0; compared first, as similar
 *	rules mostly differ in the ports
 * @last_value: the same word of @value
 * @first: index of the first word of @mask that is not 0
 * @last: index of the last one; both are 0 when every frame matches
 * @twin: has the same list, priority, value and mask as the rule before it
 * @mac_node: in @macs of struct flow_table, or unlinked
 * @group_node: in @groups of struct flow_table, or unlinked
 * @list: enum flow_list
 * @qp: RAW_PACKET QP, with a reference
 * @counters: counters of ORNIC_FLOW_COUNT, with a reference, or NULL
 * @mask_slot: place of @mask in struct flow_table, of a card that has few
 * @priority: priority; 0 is matched first
 * @flags: ORNIC_FLOW_*
 * @tag: flow_tag of completions
 * @value: struct ornic_flow_key as words
 * @mask: struct ornic_flow_key as words
 */
struct flow {
	struct obj obj;
	struct list_head node;
	uint64_t last_mask;
	uint64_t last_value;
	uint8_t first;
	uint8_t last;
	bool twin;
	struct list_head mac_node;
	struct list_head group_node;
	uint8_t list;
	struct qp *qp;
	struct counters *counters;
	struct flow_mask *mask_slot;
	uint32_t priority;
	uint32_t flags;
	uint32_t tag;
	uint64_t value[HEADERS_WORDS];
	uint64_t mask[HEADERS_WORDS];
};

/**
 * enum flow_verdict - result of the rules for a frame
 * @FLOW_PASSED: no QP got the frame, and no rule took it
 * @FLOW_COPIED: a QP got a copy; the frame continues
 * @FLOW_TOOK: a rule took the frame
 */
enum flow_verdict {
	FLOW_PASSED,
	FLOW_COPIED,
	FLOW_TOOK,
};

/**
 * flow_init - initialise an empty table
 * @card: the card
 */
void flow_init(struct card *card);

/**
 * flow_destroy - destroy a rule
 * @card: the card
 * @obj: of struct flow
 */
void flow_destroy(struct card *card, struct obj *obj);

/**
 * flow_rx - apply the rules to a received frame
 * @card: the card; @card->flow_table.ingress is not 0
 * @frame: received frame that passes eth_valid()
 * @headers: its headers
 * @stack: the host's network stack sent it; rules of kernel QPs do not see it
 *
 * Counts the frame. May change the state of QPs.
 *
 * Return: enum flow_verdict.
 */
enum flow_verdict flow_rx(struct card *card, const struct frame *frame,
			  struct headers *headers, bool stack);

/**
 * flow_sniff - give a copy of a frame to all sniffers that match
 * @card: the card; @card->flow_table.sniffers is not 0
 * @frame: sent or received frame; one that fails eth_valid() is ignored
 * @headers: its headers, from headers_init()
 *
 * May change the state of QPs.
 */
void flow_sniff(struct card *card, const struct frame *frame,
		struct headers *headers);

/**
 * flow_tx - apply the egress rules to a frame that is about to be sent
 * @qp: sender; @card->flow_table.egress of its card is not 0
 * @frame: the frame
 * @headers: its headers, from headers_init()
 *
 * Counts the frame.
 *
 * Return: true when the frame must be dropped.
 */
bool flow_tx(struct qp *qp, const struct frame *frame,
	     struct headers *headers);

/**
 * flow_has_mac - check whether a rule of type NORMAL names an address
 * @card: the card
 * @mac: destination MAC of a frame
 * @stack: the host's network stack sends it; rules of kernel QPs do not count
 *
 * Return: true when the mask of such a rule has all 48 bits.
 */
bool flow_has_mac(const struct card *card, const uint8_t *mac, bool stack);

enum ornic_cmd_status flow_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status flow_cmd_destroy(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_FLOW_H */
