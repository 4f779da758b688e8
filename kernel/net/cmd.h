/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Admin commands (ORNIC specification, section 4); see also ornic_api.h */
#ifndef ORNIC_CMD_H
#define ORNIC_CMD_H

#include <linux/errno.h>

#include "ornic_api.h"

/**
 * ornic_cmd_errno - convert the status of a command to an error number
 * @status:	enum ornic_cmd_status, or any other value from the device
 *
 * Return: 0 or a negative error number.
 */
static inline int ornic_cmd_errno(u32 status)
{
	switch (status) {
	case ORNIC_CMD_OK:
		return 0;
	case ORNIC_CMD_BAD_OPCODE:
	case ORNIC_CMD_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	case ORNIC_CMD_BAD_SIZE:
	case ORNIC_CMD_BAD_PARAM:
	case ORNIC_CMD_BAD_STATE:
		return -EINVAL;
	case ORNIC_CMD_BAD_OBJECT:
		return -ENOENT;
	case ORNIC_CMD_BUSY:
		return -EBUSY;
	case ORNIC_CMD_NO_RESOURCES:
		return -ENOMEM;
	case ORNIC_CMD_DMA_FAULT:
		return -EFAULT;
	case ORNIC_CMD_INTERNAL:
	default:
		return -EREMOTEIO;
	}
}

struct ornic_core;

const char *ornic_cmd_name(enum ornic_opcode opcode);
bool ornic_cmd_supported(const struct ornic_core *core, enum ornic_opcode opcode);
void ornic_cmd_interrupt(struct ornic_core *core);
void ornic_cmd_release_as(struct ornic_dev *odev, bool urgent, enum ornic_opcode opcode, u32 num);

#endif /* ORNIC_CMD_H */
