// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Which rules the device takes (hardware.rst, section 11.15) */
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

/* Fields that are 0 or 1: a mask of 1 has all bits ([ORNIC-FIELD-1]) */
#define ORNIC_FLOW_FIELDS_ONE_BIT \
	(ORNIC_FLOW_FIELD_OUTER(vlan) | ORNIC_FLOW_FIELD_OUTER(frag) | \
	 ORNIC_FLOW_FIELD_INNER(vlan) | ORNIC_FLOW_FIELD_INNER(frag))

static bool ornic_flow_field_has_all(u64 bit, const u8 *mask, size_t size)
{
	if (bit & ORNIC_FLOW_FIELDS_ONE_BIT)
		return mask[0] & 1;
	return !memchr_inv(mask, 0xff, size);
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
		if (!(lim->flow_any_mask & bit) &&
		    !ornic_flow_field_has_all(bit, mask, field->size))
			return field->name;
	}

	return NULL;
}
EXPORT_SYMBOL_NS_GPL(ornic_flow_field_unsupported, "ORNIC");
