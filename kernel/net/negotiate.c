// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Negotiation between driver and device: SET_HOST brings the features into
 * force that both know, QUERY_EFFECTS tells which commands there are
 * (hardware.rst, sections 10.6 and 10.7).
 */
#include <linux/utsname.h>

#include "negotiate.h"

/* Features that a part of the driver uses if the device has them */
#define ORNIC_NEGOTIATE_FEATURES \
	(ORNIC_FEAT_SRQ | ORNIC_FEAT_RESIZE_SRQ | ORNIC_FEAT_XRC | ORNIC_FEAT_MCAST | \
	 ORNIC_FEAT_MW | ORNIC_FEAT_REG_MR | ORNIC_FEAT_MODIFY_MR | ORNIC_FEAT_RESIZE_CQ | \
	 ORNIC_FEAT_CQ_MODERATION | ORNIC_FEAT_CQE_EXT | ORNIC_FEAT_WQ | \
	 ORNIC_FEAT_FLOW | ORNIC_FEAT_STAT_SETS | ORNIC_FEAT_TSO | \
	 ORNIC_FEAT_RATE_LIMIT | ORNIC_FEAT_NULL_MR | ORNIC_FEAT_FLOW_COPY | ORNIC_FEAT_PUSH)

static int ornic_negotiate_set_host(struct ornic_core *core, u64 *features)
{
	struct ornic_set_host_in in = {
		.version = cpu_to_le32(ORNIC_VERSION),
		.page_shift = PAGE_SHIFT,
		.features = cpu_to_le64(*features & ORNIC_NEGOTIATE_FEATURES),
	};
	struct ornic_set_host_out out;
	int err;

	/* A long name of a kernel loses its end ([ORNIC-NEG-2]) */
	snprintf(in.name, sizeof(in.name), KBUILD_MODNAME " Linux %.*s",
		 (int)(sizeof(in.name) - sizeof(KBUILD_MODNAME " Linux ")),
		 init_utsname()->release);
	err = ornic_cmd_exec(&core->odev, ORNIC_CMD_SET_HOST, &in, sizeof(in), &out, sizeof(out));
	if (err) {
		dev_err(ornic_device(core),
			"SET_HOST failed: error %d, version %u.%u, features %#llx\n", err,
			ORNIC_GET(ORNIC_VERSION_MAJOR, ORNIC_VERSION),
			ORNIC_GET(ORNIC_VERSION_MINOR, ORNIC_VERSION), le64_to_cpu(in.features));
		return err;
	}

	/* [ORNIC-NEG-3] */
	if (out.features != in.features) {
		dev_err(ornic_device(core), "SET_HOST: features %#llx in force, %#llx wanted\n",
			le64_to_cpu(out.features), le64_to_cpu(in.features));
		return -ENODEV;
	}

	*features = le64_to_cpu(out.features);
	return 0;
}

/**
 * ornic_negotiate - agree with the device on features
 * @core:	the device; it has no objects, and state_lock is held
 * @features:	those that the device announces; reduced to those in force
 *
 * Return: 0 or a negative error number, which was reported.
 */
int ornic_negotiate(struct ornic_core *core, u64 *features)
{
	int err;

	err = ornic_negotiate_set_host(core, features);
	if (err)
		return err;

	err = ornic_cmd_exec(&core->odev, ORNIC_CMD_QUERY_EFFECTS, NULL, 0, core->effects,
			     sizeof(core->effects));
	if (err) {
		dev_err(ornic_device(core), "QUERY_EFFECTS failed: error %d\n", err);
		return err;
	}

	core->has_effects = true;
	return 0;
}
