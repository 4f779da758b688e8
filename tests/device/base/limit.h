/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Limits that a card reports and does not have, to test a driver */
#ifndef ORNIC_DEVICE_LIMIT_H
#define ORNIC_DEVICE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include <ornic_hw_cmd.h>

struct card_limits;

/**
 * limit_find - find a limit by its name
 * @name: as in struct ornic_query_device_out
 * @offset: set to its place there
 *
 * Return: false when there is none of this name.
 */
bool limit_find(const char *name, size_t *offset);

/**
 * limit_report - put limits into an answer
 * @limits: the limits
 * @out: answer of QUERY_DEVICE
 */
void limit_report(const struct card_limits *limits,
		  struct ornic_query_device_out *out);

#endif /* ORNIC_DEVICE_LIMIT_H */
