/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion counters (hardware interface, section 33) */
#ifndef ORNIC_DEVICE_COMP_CNTR_H
#define ORNIC_DEVICE_COMP_CNTR_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/guest.h"
#include "base/obj.h"
#include "base/state.h"

/* The bits of ORNIC_COUNT_* */
enum comp_cntr_request {
	COMP_CNTR_SEND,
	COMP_CNTR_RECV,
	COMP_CNTR_READ,
	COMP_CNTR_REMOTE_READ,
	COMP_CNTR_WRITE,
	COMP_CNTR_REMOTE_WRITE,
	COMP_CNTR_REQUESTS
};

/**
 * struct comp_cntr - a completion counter
 * @obj: number and users (requests of QPs)
 * @card: the card
 * @counts: struct ornic_comp_counts of the host
 * @val: what was written there last, by enum ornic_comp_cntr_entry
 */
struct comp_cntr {
	struct obj obj;
	struct card *card;
	struct guest_ref counts;
	uint64_t val[2];
};

/**
 * comp_cntr_find - look up a completion counter by number
 * @card: the card
 * @num: any number
 *
 * Return: the counter or NULL.
 */
struct comp_cntr *comp_cntr_find(const struct card *card, uint32_t num);

/**
 * comp_cntr_count - count a request that has completed
 * @cntr: the counter
 * @failed: with another status than SUCCESS
 *
 * Called after the data of the request was written, and before its completion.
 */
void comp_cntr_count(struct comp_cntr *cntr, bool failed);

/**
 * comp_cntr_destroy - destroy a completion counter
 * @card: the card
 * @obj: without users
 */
void comp_cntr_destroy(struct card *card, struct obj *obj);

enum ornic_cmd_status comp_cntr_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status comp_cntr_cmd_destroy(struct card *card, struct cmd *cmd);
enum ornic_cmd_status comp_cntr_cmd_modify(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_COMP_CNTR_H */
