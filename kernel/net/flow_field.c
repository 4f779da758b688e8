// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Which rules the device takes (hardware.rst, section 11.15) */
#include <linux/module.h>
#include <linux/string.h>

#include "ornic_api.h"

/**
 * struct ornic_flow_field - a field of struct ornic_flow_key
 * @name:	for messages
 * @bit:	of flow_fields
 * @offset:	bytes
 * @size:	bytes
 */
struct ornic_flow_field {
	const char *name;
	u64 bit;
	u16 offset;
	u8 size;
};

#define ORNIC_FLOW_FIELD(text, field_bit, member) { \
	.name = text, \
	.bit = field_bit, \
	.offset = offsetof(struct ornic_flow_key, member), \
	.size = sizeof_field(struct ornic_flow_key, member), \
},
#define ORNIC_FLOW_FIELD_OF_OUTER(field) \
	ORNIC_FLOW_FIELD(#field, ORNIC_FLOW_FIELD_OUTER(field), outer.field)
#define ORNIC_FLOW_FIELD_OF_INNER(field) \
	ORNIC_FLOW_FIELD("inner " #field, ORNIC_FLOW_FIELD_INNER(field), inner.field)
#define ORNIC_FLOW_FIELD_OF_KEY(field) \
	ORNIC_FLOW_FIELD(#field, ORNIC_FLOW_FIELD_KEY(field), field)

static const struct ornic_flow_field ornic_flow_fields[] = {
	ORNIC_FLOW_HEADERS_FIELDS(ORNIC_FLOW_FIELD_OF_OUTER)
	ORNIC_FLOW_HEADERS_FIELDS(ORNIC_FLOW_FIELD_OF_INNER)
	ORNIC_FLOW_KEY_FIELDS(ORNIC_FLOW_FIELD_OF_KEY)
};

/* Fields that are 0 or 1: a mask of 1 has all bits ([ORNIC-FIELD-1]) */
#define ORNIC_FLOW_FIELDS_ONE_BIT \
	(ORNIC_FLOW_FIELD_OUTER(vlan) | ORNIC_FLOW_FIELD_OUTER(frag) | \
	 ORNIC_FLOW_FIELD_INNER(vlan) | ORNIC_FLOW_FIELD_INNER(frag))

static bool ornic_flow_mask_has_all(const struct ornic_flow_field *field, const u8 *mask)
{
	if (field->bit & ORNIC_FLOW_FIELDS_ONE_BIT)
		return mask[0] & 1;
	return !memchr_inv(mask, 0xff, field->size);
}

const char *ornic_flow_unsupported(const struct ornic_limits *lim,
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

		if (!memchr_inv(mask, 0, field->size))
			continue;
		if (!(lim->flow_fields & field->bit))
			return field->name;
		if (!(lim->flow_any_mask & field->bit) && !ornic_flow_mask_has_all(field, mask))
			return field->name;
	}

	return NULL;
}
EXPORT_SYMBOL_NS_GPL(ornic_flow_unsupported, "ORNIC");
