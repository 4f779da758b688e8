/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Limits of flow rules: fields, masks, types and flags */
#ifndef ORNIC_DEVICE_FLOW_FIELD_H
#define ORNIC_DEVICE_FLOW_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

struct card;
struct flow;

/*
 * The limits of QUERY_DEVICE. @features: ORNIC_FEAT_* that are announced or in
 * force.
 */
uint32_t flow_types(const struct card *card, uint64_t features);
uint32_t flow_flags(const struct card *card, uint64_t features);
uint32_t flow_layers(const struct card *card);
uint64_t flow_fields(const struct card *card);
uint64_t flow_any_mask(const struct card *card);
uint32_t flow_max_masks(const struct card *card);

/**
 * flow_field_check - check a rule against the limits
 * @card: the card
 * @in: the rule; its fields are valid
 *
 * Return: ORNIC_CMD_OK or NOT_SUPPORTED ([ORNIC-FIELD-3]).
 */
enum ornic_cmd_status flow_field_check(const struct card *card,
				       const struct ornic_create_flow_in *in);

/**
 * flow_mask_get - use one of the masks that the card has at a time
 * @card: the card
 * @flow: new rule with its mask
 *
 * Return: false when all masks are in use by other rules.
 */
bool flow_mask_get(struct card *card, struct flow *flow);

/**
 * flow_mask_put - undo flow_mask_get()
 * @flow: the rule
 */
void flow_mask_put(struct flow *flow);

#endif /* ORNIC_DEVICE_FLOW_FIELD_H */
