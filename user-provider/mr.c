// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <errno.h>
#include <stdlib.h>

#include "ornic.h"

/**
 * ornic_reg_mr() - register memory
 * @ibpd: protection or parent domain
 * @addr: start
 * @length: bytes
 * @hca_va: address by which work requests name @addr
 * @access: enum ibv_access_flags
 *
 * Return: the region; NULL with errno set.
 */
struct ibv_mr *ornic_reg_mr(struct ibv_pd *ibpd, void *addr, size_t length,
			    uint64_t hca_va, int access)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd;
	struct verbs_mr *vmr;
	int ret;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	ret = ibv_cmd_reg_mr(ibpd, addr, length, hca_va, access, vmr, &cmd,
			     sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}

/**
 * ornic_dereg_mr() - deregister memory
 * @vmr: region, freed on success
 *
 * Return: 0 or a positive errno.
 */
int ornic_dereg_mr(struct verbs_mr *vmr)
{
	int ret;

	ret = ibv_cmd_dereg_mr(vmr);
	if (ret)
		return ret;

	free(vmr);
	return 0;
}
