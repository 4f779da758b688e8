// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory regions */

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "compat.h"
#include "ornic.h"
#include "ornic_abi.h"

/**
 * ornic_reg_mr() - register memory
 * @ibpd: protection or parent domain
 * @addr: start
 * @length: bytes
 * @hca_va: address of @addr in work requests
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
 * ornic_reg_dmabuf_mr() - register a dma-buf
 * @ibpd: protection or parent domain
 * @offset: bytes from the start of the buffer to that of the region
 * @length: bytes
 * @iova: address of the start of the region in work requests
 * @fd: file descriptor of the dma-buf
 * @access: enum ibv_access_flags
 *
 * Return: the region; NULL with errno set.
 */
struct ibv_mr *ornic_reg_dmabuf_mr(struct ibv_pd *ibpd, uint64_t offset,
				   size_t length, uint64_t iova, int fd,
				   int access)
{
	struct verbs_mr *vmr;
	int ret;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	ret = ibv_cmd_reg_dmabuf_mr(ibpd, offset, length, iova, fd, access,
				    vmr, NULL);
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}

/**
 * ornic_rereg_mr() - change a region
 * @vmr: region; its keys may change
 * @flags: enum ibv_rereg_mr_flags: arguments to apply
 * @ibpd: protection or parent domain
 * @addr: start, and its address in work requests
 * @length: bytes
 * @access: enum ibv_access_flags
 *
 * Return: 0 or a positive errno.
 */
int ornic_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *ibpd,
		   void *addr, size_t length, int access)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ibv_rereg_mr cmd = {};

	return ibv_cmd_rereg_mr(vmr, flags, addr, length, (uintptr_t)addr,
				access, ibpd, &cmd, sizeof(cmd), &resp,
				sizeof(resp));
}

/**
 * ornic_alloc_null_mr() - allocate a region that reads 0 and discards writes
 * @ibpd: protection or parent domain
 *
 * The lkey of the context's null MR is valid in all domains, so no command is
 * needed.
 *
 * Return: the region; NULL with errno set.
 */
struct ibv_mr *ornic_alloc_null_mr(struct ibv_pd *ibpd)
{
	struct ornic_context *ctx = to_ornic_context(ibpd->context);
	struct verbs_mr *vmr;

	if (!(ctx->caps & ORNIC_UCONTEXT_CAP_NULL_MR)) {
		ornic_refuse(ibpd->context, "the device has no null MR");
		errno = EOPNOTSUPP;
		return NULL;
	}

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	vmr->mr_type = IBV_MR_TYPE_NULL_MR;
	vmr->ibv_mr.context = ibpd->context;
	vmr->ibv_mr.pd = ibpd;
	vmr->ibv_mr.length = SIZE_MAX;
	vmr->ibv_mr.lkey = ctx->null_key;
	return &vmr->ibv_mr;
}

/**
 * ornic_import_mr() - import a region that another context registered
 * @ibpd: imported protection domain
 * @handle: handle of the region
 *
 * Return: the region; NULL with errno set.
 */
struct ibv_mr *ornic_import_mr(struct ibv_pd *ibpd, uint32_t handle)
{
	struct verbs_mr *vmr;
	int ret;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;

	ret = ibv_cmd_query_mr(ibpd, vmr, handle);
	if (ret) {
		free(vmr);
		errno = ret;
		return NULL;
	}
	return &vmr->ibv_mr;
}

/**
 * ornic_unimport_mr() - release an imported region, which stays registered
 * @mr: region from ornic_import_mr(), freed
 */
void ornic_unimport_mr(struct ibv_mr *mr)
{
	free(verbs_get_mr(mr));
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

	if (vmr->mr_type != IBV_MR_TYPE_NULL_MR) {
		ret = ibv_cmd_dereg_mr(vmr);
		if (ret)
			return ret;
	}

	free(vmr);
	return 0;
}
