// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* XRC domains */

#include <errno.h>
#include <stdlib.h>

#include "ornic.h"

/**
 * ornic_open_xrcd() - open an XRC domain
 * @ibctx: context
 * @attr: attributes; processes that give the same file share one domain
 *
 * Return: the domain; NULL with errno set.
 */
struct ibv_xrcd *ornic_open_xrcd(struct ibv_context *ibctx,
				 struct ibv_xrcd_init_attr *attr)
{
	struct ib_uverbs_open_xrcd_resp resp = {};
	struct ibv_open_xrcd cmd = {};
	struct verbs_xrcd *vxrcd;
	int ret;

	vxrcd = calloc(1, sizeof(*vxrcd));
	if (!vxrcd)
		return NULL;

	ret = ibv_cmd_open_xrcd(ibctx, vxrcd, sizeof(*vxrcd), attr, &cmd,
				sizeof(cmd), &resp, sizeof(resp));
	if (ret) {
		free(vxrcd);
		errno = ret;
		return NULL;
	}
	return &vxrcd->xrcd;
}

/**
 * ornic_close_xrcd() - close an XRC domain; the last close frees it
 * @ibxrcd: domain, freed on success
 *
 * Return: 0 or a positive errno.
 */
int ornic_close_xrcd(struct ibv_xrcd *ibxrcd)
{
	struct verbs_xrcd *vxrcd = container_of(ibxrcd, struct verbs_xrcd,
						xrcd);
	int ret;

	ret = ibv_cmd_close_xrcd(vxrcd);
	if (ret)
		return ret;

	free(vxrcd);
	return 0;
}
