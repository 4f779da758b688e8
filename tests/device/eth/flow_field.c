// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Limits of flow rules */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "base/state.h"
#include "eth/flow.h"
#include "eth/flow_field.h"

#define OUTER_BIT(name) ORNIC_FLOW_FIELD_OUTER(name) |
#define INNER_BIT(name) ORNIC_FLOW_FIELD_INNER(name) |
#define KEY_BIT(name) ORNIC_FLOW_FIELD_KEY(name) |

#define FIELDS_ALL                                 \
	(ORNIC_FLOW_HEADERS_FIELDS(OUTER_BIT)      \
	 ORNIC_FLOW_HEADERS_FIELDS(INNER_BIT)      \
	 ORNIC_FLOW_KEY_FIELDS(KEY_BIT) 0)
/* As simple hardware: addresses, protocol and ports, no tunnels */
#define FIELDS_BASIC_IP \
	(ORNIC_FLOW_FIELD_OUTER(src_ip) | ORNIC_FLOW_FIELD_OUTER(dst_ip))
#define FIELDS_BASIC                                                        \
	(FIELDS_BASIC_IP | ORNIC_FLOW_FIELD_OUTER(dmac) |                   \
	 ORNIC_FLOW_FIELD_OUTER(ethertype) | ORNIC_FLOW_FIELD_OUTER(l3) |   \
	 ORNIC_FLOW_FIELD_OUTER(proto) | ORNIC_FLOW_FIELD_OUTER(src_port) | \
	 ORNIC_FLOW_FIELD_OUTER(dst_port))

#define TYPES_BASIC                                             \
	(1u << ORNIC_FLOW_NORMAL | 1u << ORNIC_FLOW_ALL_DEFAULT | \
	 1u << ORNIC_FLOW_MC_DEFAULT)
#define LAYERS_ALL                                           \
	(ORNIC_FLOW_LAYER_VXLAN | ORNIC_FLOW_LAYER_GRE |     \
	 ORNIC_FLOW_LAYER_MPLS | ORNIC_FLOW_LAYER_ESP)

uint32_t flow_types(const struct card *card, uint64_t features)
{
	(void)card;
	return features & ORNIC_FEAT_FLOW_COPY ?
		       TYPES_BASIC | 1u << ORNIC_FLOW_SNIFFER : TYPES_BASIC;
}

uint32_t flow_flags(const struct card *card, uint64_t features)
{
	uint32_t flags = ORNIC_FLOW_DROP;

	if (features & ORNIC_FEAT_FLOW_COPY)
		flags |= ORNIC_FLOW_DONT_TRAP;
	if (!card->flow_basic)
		flags |= ORNIC_FLOW_COUNT | ORNIC_FLOW_EGRESS;
	return flags;
}

uint32_t flow_layers(const struct card *card)
{
	return card->flow_basic ? 0 : LAYERS_ALL;
}

uint64_t flow_fields(const struct card *card)
{
	return card->flow_basic ? FIELDS_BASIC : FIELDS_ALL;
}

uint64_t flow_any_mask(const struct card *card)
{
	if (card->flow_exact)
		return 0;
	return card->flow_basic ? FIELDS_BASIC_IP : FIELDS_ALL;
}

uint32_t flow_max_masks(const struct card *card)
{
	return card->flow_basic ? FLOW_MASKS_MAX : 0;
}

/**
 * struct field - a field of struct ornic_flow_key
 * @bit: in flow_fields
 * @offset: bytes
 * @size: bytes
 */
struct field {
	uint64_t bit;
	uint16_t offset;
	uint8_t size;
};

#define FIELD(field_bit, member)                                      \
	{ .bit = field_bit, .offset = offsetof(struct ornic_flow_key, member), \
	  .size = sizeof(((struct ornic_flow_key *)0)->member) },
#define OUTER_FIELD(name) FIELD(ORNIC_FLOW_FIELD_OUTER(name), outer.name)
#define INNER_FIELD(name) FIELD(ORNIC_FLOW_FIELD_INNER(name), inner.name)
#define KEY_FIELD(name) FIELD(ORNIC_FLOW_FIELD_KEY(name), name)

static const struct field fields[] = {
	ORNIC_FLOW_HEADERS_FIELDS(OUTER_FIELD)
	ORNIC_FLOW_HEADERS_FIELDS(INNER_FIELD)
	ORNIC_FLOW_KEY_FIELDS(KEY_FIELD)
};

#define FIELD_OF_BOTH(name) \
	(ORNIC_FLOW_FIELD_OUTER(name) | ORNIC_FLOW_FIELD_INNER(name))

/* Bits that a field can have ([ORNIC-FIELD-2]) */
static unsigned int field_bits(const struct field *field)
{
	if (field->bit & (FIELD_OF_BOTH(vlan) | FIELD_OF_BOTH(frag)))
		return 1;
	if (field->bit & FIELD_OF_BOTH(ip_flags))
		return ORNIC_FLOW_IP_FLAGS_BITS;
	if (field->bit & FIELD_OF_BOTH(flow_label))
		return ORNIC_FLOW_LABEL_BITS;
	if (field->bit & ORNIC_FLOW_FIELD_KEY(vni))
		return ORNIC_FLOW_VNI_BITS;
	return field->size * 8;
}

static bool mask_has_all(const struct field *field, const uint8_t *mask)
{
	unsigned int bits = field_bits(field), i = field->size;

	for (; bits >= 8; bits -= 8)
		if (mask[--i] != 0xff)
			return false;
	return !bits || !(~mask[--i] & ((1u << bits) - 1));
}

enum ornic_cmd_status flow_field_check(const struct card *card,
				       const struct ornic_create_flow_in *in)
{
	uint64_t known = flow_fields(card), any = flow_any_mask(card);
	uint64_t features = card->host.features;
	const struct field *field;
	const uint8_t *mask;
	unsigned int i;

	if (!(flow_types(card, features) >> in->type & 1) ||
	    le32toh(in->flags) & ~flow_flags(card, features) ||
	    be32toh(in->mask.layers) & ~flow_layers(card))
		return ORNIC_CMD_NOT_SUPPORTED;
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		field = &fields[i];
		mask = (const uint8_t *)&in->mask + field->offset;
		if (cmd_is_zero(mask, field->size))
			continue;
		if (!(known & field->bit))
			return ORNIC_CMD_NOT_SUPPORTED;
		/* Each bit of layers is a field of its own */
		if (!(any & field->bit) &&
		    field->bit != ORNIC_FLOW_FIELD_KEY(layers) &&
		    !mask_has_all(field, mask))
			return ORNIC_CMD_NOT_SUPPORTED;
	}
	return ORNIC_CMD_OK;
}

bool flow_mask_get(struct card *card, struct flow *flow)
{
	struct flow_mask *mask, *unused = NULL;
	unsigned int i;

	if (!card->flow_basic)
		return true;
	for (i = 0; i < FLOW_MASKS_MAX; i++) {
		mask = &card->flow_table.masks[i];
		if (!mask->rules) {
			unused = mask;
		} else if (!memcmp(mask->bits, flow->mask, sizeof(mask->bits))) {
			unused = mask;
			break;
		}
	}
	if (!unused)
		return false;
	memcpy(unused->bits, flow->mask, sizeof(unused->bits));
	unused->rules++;
	flow->mask_slot = unused;
	return true;
}

void flow_mask_put(struct flow *flow)
{
	if (flow->mask_slot)
		flow->mask_slot->rules--;
	flow->mask_slot = NULL;
}
