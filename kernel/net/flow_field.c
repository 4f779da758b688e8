// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Which rules the device takes (ORNIC specification, section 20.1) */
#include <linux/module.h>
#include <linux/string.h>

#include "ornic_api.h"

/**
 * struct ornic_flow_field - a field of struct ornic_flow_key
 * @name:	for messages
 * @offset:	bytes
 * @size:	bytes
 */
struct ornic_flow_field {
	const char *name;
	u16 offset;
	u8 size;
};

#define ORNIC_FLOW_FIELD_OF_OUTER(field) { \
	.name = #field, \
	ORNIC_FIELD_PLACE(struct ornic_flow_key, outer.field), \
},
#define ORNIC_FLOW_FIELD_OF_INNER(field) { \
	.name = "inner " #field, \
	ORNIC_FIELD_PLACE(struct ornic_flow_key, inner.field), \
},
#define ORNIC_FLOW_FIELD_OF_KEY(field) { \
	.name = #field, \
	ORNIC_FIELD_PLACE(struct ornic_flow_key, field), \
},

/* In the order of the bits of flow_fields ([ORNIC-FIELD-1]) */
static const struct ornic_flow_field ornic_flow_fields[] = {
	ORNIC_FLOW_HEADERS_FIELDS(ORNIC_FLOW_FIELD_OF_OUTER)
	ORNIC_FLOW_HEADERS_FIELDS(ORNIC_FLOW_FIELD_OF_INNER)
	ORNIC_FLOW_KEY_FIELDS(ORNIC_FLOW_FIELD_OF_KEY)
};

static_assert(ORNIC_FLOW_HEADERS_FIELD_COUNT == 16);

/* Bits that a field can have ([ORNIC-FIELD-2]) */
static u32 ornic_flow_field_bits(u64 bit, size_t size)
{
	switch (bit) {
	case ORNIC_FLOW_FIELD_OUTER(vlan):
	case ORNIC_FLOW_FIELD_INNER(vlan):
	case ORNIC_FLOW_FIELD_OUTER(frag):
	case ORNIC_FLOW_FIELD_INNER(frag):
		return 1;
	case ORNIC_FLOW_FIELD_OUTER(ip_flags):
	case ORNIC_FLOW_FIELD_INNER(ip_flags):
		return ORNIC_FLOW_IP_FLAGS_BITS;
	case ORNIC_FLOW_FIELD_OUTER(flow_label):
	case ORNIC_FLOW_FIELD_INNER(flow_label):
		return ORNIC_FLOW_LABEL_BITS;
	case ORNIC_FLOW_FIELD_KEY(vni):
		return ORNIC_FLOW_VNI_BITS;
	default:
		return size * BITS_PER_BYTE;
	}
}

static bool ornic_flow_field_has_all(u64 bit, const u8 *mask, size_t size)
{
	u32 bits = ornic_flow_field_bits(bit, size);
	u8 first = (1u << bits % BITS_PER_BYTE) - 1;

	/* Whole bytes at the low end, then the bits before them */
	size -= bits / BITS_PER_BYTE;
	if (memchr_inv(mask + size, 0xff, bits / BITS_PER_BYTE))
		return false;
	return !first || (mask[size - 1] & first) == first;
}

const char *ornic_flow_field_unsupported(const struct ornic_limits *lim,
					 const struct ornic_create_flow_in *in)
{
	u32 i;

	if (in->type >= BITS_PER_TYPE(lim->flow_types) || !(lim->flow_types & BIT(in->type)))
		return "rules of this type";
	if (le32_to_cpu(in->flags) & ~lim->flow_flags)
		return "this action";
	if (be32_to_cpu(in->mask.layers) & ~lim->flow_layers)
		return "this tunnel";

	for (i = 0; i < ARRAY_SIZE(ornic_flow_fields); i++) {
		const struct ornic_flow_field *field = &ornic_flow_fields[i];
		const u8 *mask = (const u8 *)&in->mask + field->offset;
		u64 bit = BIT_ULL(i);

		if (!memchr_inv(mask, 0, field->size))
			continue;
		if (!(lim->flow_fields & bit))
			return field->name;
		/* Each bit of layers is a field of its own */
		if (!(lim->flow_any_mask & bit) && bit != ORNIC_FLOW_FIELD_KEY(layers) &&
		    !ornic_flow_field_has_all(bit, mask, field->size))
			return field->name;
	}

	return NULL;
}
EXPORT_SYMBOL_NS_GPL(ornic_flow_field_unsupported, "ORNIC");
