/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rules: who gets which frames (hardware interface, section 11.13).
 *
 * A port without rules pays one test of a counter for a frame. One with rules
 * compares the frame with each of them until one takes it, CORE_MAX_FLOW_BITS
 * bounding how many there are and RULE_COPIES_MAX how many may get a copy.
 */
#ifndef ORNIC_DEVICE_RULE_H
#define ORNIC_DEVICE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "flow.h"
#include "frame.h"
#include "list.h"
#include "obj.h"

/* Rules that let others see the frame too: what one frame may cost */
#define RULE_COPIES_MAX 64
#define RULE_WORDS (sizeof(struct ornic_flow_key) / sizeof(uint64_t))

struct cmd;
struct counters;
struct nic;
struct qp;

/* The lists, those that a received frame goes through in this order first */
enum rule_list {
	RULE_NORMAL,
	RULE_MC_DEFAULT,
	RULE_ALL_DEFAULT,
	RULE_SNIFFER,
	RULE_EGRESS,
	RULE_LISTS
};

/**
 * struct rule - a rule; all that most frames need of it comes first, in a line
 * @obj: number; nobody uses rules
 * @node: in its list: by priority, older first, behind those it is a twin of
 * @last_mask: the last word of @mask that is not 0: rules that look alike differ
 *	in ports most often
 * @last_value: that of @value
 * @first: first word of @mask that is not 0
 * @last: the last one; both are 0 when all match
 * @twin: has list, priority, value and mask of the one before it
 * @mac_node: in the list of those that name a whole address, or alone
 * @list: enum rule_list
 * @qp: RAW_PACKET, used
 * @counters: with ORNIC_FLOW_COUNT, used; else NULL
 * @priority: 0 first
 * @flags: ORNIC_FLOW_*
 * @tag: for completions
 * @value: struct ornic_flow_key, by words
 * @mask: the same
 */
struct rule {
	struct obj obj;
	struct list_head node;
	uint64_t last_mask;
	uint64_t last_value;
	uint8_t first;
	uint8_t last;
	bool twin;
	struct list_head mac_node;
	uint8_t list;
	struct qp *qp;
	struct counters *counters;
	uint32_t priority;
	uint32_t flags;
	uint32_t tag;
	uint64_t value[RULE_WORDS];
	uint64_t mask[RULE_WORDS];
};

/**
 * struct rule_table - the rules of a card
 * @list: struct rule lists
 * @macs: struct rule list: those of type NORMAL whose mask has all of the
 *	destination address
 * @ingress: rules about received frames, without sniffers
 * @sniffers: of type SNIFFER
 * @egress: with ORNIC_FLOW_EGRESS
 */
struct rule_table {
	struct list_head list[RULE_LISTS];
	struct list_head macs;
	unsigned int ingress;
	unsigned int sniffers;
	unsigned int egress;
};

/**
 * enum rule_verdict - what rules did with a frame
 * @RULE_PASSED: nothing
 * @RULE_COPIED: somebody got a copy, it goes on
 * @RULE_TOOK: it goes no further
 */
enum rule_verdict {
	RULE_PASSED,
	RULE_COPIED,
	RULE_TOOK,
};

/**
 * rule_init - an empty table
 * @nic: the card
 */
void rule_init(struct nic *nic);

/**
 * rule_destroy_all - part of a reset: let go of QPs and counters
 * @nic: the card
 */
void rule_destroy_all(struct nic *nic);

/**
 * rule_rx - give a frame to those that rules name
 * @nic: the card; asked only if @nic->rules.ingress
 * @frame: received, passed eth_valid()
 * @flow: its headers
 * @stack: the host's network stack has sent it; its own rules do not see it
 *
 * Counts. The state of QPs may change.
 *
 * Return: what is to be done with the frame.
 */
enum rule_verdict rule_rx(struct nic *nic, const struct frame *frame,
			  const struct flow *flow, bool stack);

/**
 * rule_sniff - give a copy of a frame to all sniffers
 * @nic: the card; asked only if @nic->rules.sniffers
 * @frame: sent or received; what does not pass eth_valid() nobody sees
 *
 * The state of QPs may change.
 */
void rule_sniff(struct nic *nic, const struct frame *frame);

/**
 * rule_tx - look at a frame that is about to be sent
 * @qp: who sends; asked only if @nic->rules.egress
 * @frame: the frame
 *
 * Counts.
 *
 * Return: whether it is to be dropped.
 */
bool rule_tx(struct qp *qp, const struct frame *frame);

/**
 * rule_has_mac - is an address one that a rule of type NORMAL names
 * @nic: the card
 * @mac: destination of a frame
 * @stack: the host's network stack sends it, whose own rules do not count
 *
 * Return: true if one does, with all 48 bits.
 */
bool rule_has_mac(const struct nic *nic, const uint8_t *mac, bool stack);

enum ornic_cmd_status rule_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status rule_cmd_destroy(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_RULE_H */
