/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Protection domains, which group QPs with the memory that they may use. The host
 * chooses their numbers ([ORNIC-OBJ-12]), so a card has no objects for them.
 */
#ifndef ORNIC_DEVICE_PD_H
#define ORNIC_DEVICE_PD_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers are below it: max_pd of QUERY_DEVICE */
#define PD_MAX (1u << 15)

/* An XRC_RECV QP between messages; no object has this number */
#define PD_NONE UINT32_MAX

/**
 * pd_is_valid - may an object be in this PD
 * @pdn: any number
 *
 * Return: true when it may.
 */
static inline bool pd_is_valid(uint32_t pdn)
{
	return pdn < PD_MAX;
}

#endif /* ORNIC_DEVICE_PD_H */
