// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Address handles */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ornic.h"
#include "ornic_abi.h"

static_assert(sizeof(((struct ornic_create_ah_resp *)0)->av) ==
	      sizeof(struct ornic_av), "the ABI's address vector is another");

/**
 * ornic_create_ah() - create an address handle
 * @ibpd: protection or parent domain
 * @attr: destination; the kernel resolves its MAC address
 *
 * Return: the handle; NULL with errno set.
 */
struct ibv_ah *ornic_create_ah(struct ibv_pd *ibpd, struct ibv_ah_attr *attr)
{
	struct ornic_ucreate_ah_resp resp = {};
	struct ornic_ah *ah;
	int ret;

	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;

	ret = ibv_cmd_create_ah(ibpd, &ah->ibv_ah, attr, &resp.ibv_resp,
				sizeof(resp));
	if (ret) {
		free(ah);
		errno = ret;
		return NULL;
	}
	memcpy(&ah->av, resp.av, sizeof(ah->av));
	return &ah->ibv_ah;
}

/**
 * ornic_destroy_ah() - destroy an address handle
 * @ibah: handle, freed on success
 *
 * Return: 0 or a positive errno.
 */
int ornic_destroy_ah(struct ibv_ah *ibah)
{
	int ret;

	ret = ibv_cmd_destroy_ah(ibah);
	if (ret)
		return ret;

	free(to_ornic_ah(ibah));
	return 0;
}
