// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Profiles and their mandatory sets (ORNIC specification, section 17.3) */
#include "cmd.h"
#include "core.h"
#include "ornic_hw_profile.h"
#include "profile.h"

/**
 * struct ornic_profile_need - an item of a mandatory set in QUERY_DEVICE
 * @name:	name of the field
 * @offset:	of the field in struct ornic_query_device_out
 * @size:	bytes of the field, 4 or 8
 * @least:	@value is the least value, else bits that must be set
 * @value:	see @least
 */
struct ornic_profile_need {
	const char *name;
	u16 offset;
	u8 size;
	bool least;
	u64 value;
};

/**
 * struct ornic_profile - a profile
 * @name:	for messages
 * @bit:	ORNIC_PROFILE_*
 * @needs:	mandatory fields
 * @num_needs:	number of @needs
 * @commands:	mandatory commands
 * @num_commands: number of @commands
 */
struct ornic_profile {
	const char *name;
	u32 bit;
	const struct ornic_profile_need *needs;
	u32 num_needs;
	const u16 *commands;
	u32 num_commands;
};

#define ORNIC_PROFILE_NEED(field, is_least, need) { \
	.name = #field, \
	ORNIC_FIELD_PLACE(struct ornic_query_device_out, field), \
	.least = is_least, \
	.value = need, \
},
#define ORNIC_PROFILE_BITS(field, bits)		ORNIC_PROFILE_NEED(field, false, bits)
#define ORNIC_PROFILE_LEAST(field, least)	ORNIC_PROFILE_NEED(field, true, least)
#define ORNIC_PROFILE_COMMAND(word)		ORNIC_CMD_##word,

static const struct ornic_profile_need ornic_profile_rdma_needs[] = {
	ORNIC_PROFILE_RDMA_BITS(ORNIC_PROFILE_BITS)
	ORNIC_PROFILE_RDMA_LEAST(ORNIC_PROFILE_LEAST)
};

static const struct ornic_profile_need ornic_profile_ethernet_needs[] = {
	ORNIC_PROFILE_ETHERNET_BITS(ORNIC_PROFILE_BITS)
	ORNIC_PROFILE_ETHERNET_LEAST(ORNIC_PROFILE_LEAST)
};

static const struct ornic_profile_need ornic_profile_ulp_needs[] = {
	ORNIC_PROFILE_ULP_BITS(ORNIC_PROFILE_BITS)
	ORNIC_PROFILE_ULP_LEAST(ORNIC_PROFILE_LEAST)
};

static const u16 ornic_profile_rdma_commands[] = {
	ORNIC_PROFILE_RDMA_COMMANDS(ORNIC_PROFILE_COMMAND)
};

static const u16 ornic_profile_ethernet_commands[] = {
	ORNIC_PROFILE_ETHERNET_COMMANDS(ORNIC_PROFILE_COMMAND)
};

static const struct ornic_profile ornic_profiles[] = {
	{
		.name = "RDMA",
		.bit = ORNIC_PROFILE_RDMA,
		.needs = ornic_profile_rdma_needs,
		.num_needs = ARRAY_SIZE(ornic_profile_rdma_needs),
		.commands = ornic_profile_rdma_commands,
		.num_commands = ARRAY_SIZE(ornic_profile_rdma_commands),
	},
	{
		.name = "Ethernet",
		.bit = ORNIC_PROFILE_ETHERNET,
		.needs = ornic_profile_ethernet_needs,
		.num_needs = ARRAY_SIZE(ornic_profile_ethernet_needs),
		.commands = ornic_profile_ethernet_commands,
		.num_commands = ARRAY_SIZE(ornic_profile_ethernet_commands),
	},
	{
		.name = "ULP",
		.bit = ORNIC_PROFILE_ULP,
		.needs = ornic_profile_ulp_needs,
		.num_needs = ARRAY_SIZE(ornic_profile_ulp_needs),
	},
};

static u64 ornic_profile_value(const struct ornic_query_device_out *out,
			       const struct ornic_profile_need *need)
{
	const void *field = (const void *)out + need->offset;

	return need->size == sizeof(u64) ? le64_to_cpup(field) : le32_to_cpup(field);
}

static bool ornic_profile_complete(struct ornic_core *core, const struct ornic_profile *profile,
				   const struct ornic_query_device_out *out)
{
	u32 i;

	for (i = 0; i < profile->num_needs; i++) {
		const struct ornic_profile_need *need = &profile->needs[i];
		u64 value = ornic_profile_value(out, need);

		if (need->least ? value >= need->value : !(need->value & ~value))
			continue;
		dev_err(ornic_device(core), "%s profile is not complete: %s is %#llx, not %#llx\n",
			profile->name, need->name, value, need->value);
		return false;
	}

	for (i = 0; i < profile->num_commands; i++) {
		if (ornic_cmd_supported(core, profile->commands[i]))
			continue;
		dev_err(ornic_device(core), "%s profile is not complete: no command %s\n",
			profile->name, ornic_cmd_name(profile->commands[i]));
		return false;
	}

	return true;
}

/**
 * ornic_profile_check - find the profiles that the device has in full
 * @core:	the device; its effects are known
 * @out:	answer of QUERY_DEVICE
 *
 * Return: ORNIC_PROFILE_*, but for ORNIC_PROFILE_FULL, or 0.
 */
u32 ornic_profile_check(struct ornic_core *core, const struct ornic_query_device_out *out)
{
	u32 announced = le32_to_cpu(out->profiles);
	u32 profiles = 0, i;

	for (i = 0; i < ARRAY_SIZE(ornic_profiles); i++) {
		const struct ornic_profile *profile = &ornic_profiles[i];

		if (announced & profile->bit && ornic_profile_complete(core, profile, out))
			profiles |= profile->bit;
	}

	return profiles;
}

/**
 * ornic_profile_lack - tell why the device has no profile
 * @core:	the device; ornic_profile_check() has logged what it lacks
 * @profile:	ORNIC_PROFILE_RDMA or ORNIC_PROFILE_ETHERNET, which it has not
 *		in full
 *
 * Return: text for messages.
 */
const char *ornic_profile_lack(const struct ornic_core *core, u32 profile)
{
	return core->odev.lim.profiles & profile ? "not complete" : "not announced";
}
