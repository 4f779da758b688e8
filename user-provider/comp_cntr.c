// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion counters: the device writes their values to mapped memory */

#include <errno.h>
#include <stdlib.h>

#include <infiniband/cmd_ioctl.h>

#include "check.h"
#include "index.h"
#include "ornic.h"

#ifndef ORNIC_LACKS_COMP_CNTR
#define ORNIC_COMP_CNTR_OPS \
	(IBV_QP_ATTACH_COMP_CNTR_OP_SEND | IBV_QP_ATTACH_COMP_CNTR_OP_RECV | \
	 IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ | \
	 IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ | \
	 IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE | \
	 IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE)

/**
 * struct ornic_comp_cntr - completion counter
 * @ibv_comp_cntr: verbs counter
 * @counts: its values
 * @mem: mapping that holds @counts
 */
struct ornic_comp_cntr {
	struct ibv_comp_cntr ibv_comp_cntr;
	const struct ornic_comp_counts *counts;
	struct ornic_ringmem mem;
};

static struct ornic_comp_cntr *to_ornic_comp_cntr(struct ibv_comp_cntr *ibcntr)
{
	return container_of(ibcntr, struct ornic_comp_cntr, ibv_comp_cntr);
}

static int ornic_comp_cntr_check(struct ibv_context *ibctx,
				 const struct ibv_comp_cntr_init_attr *attr)
{
	if (!ornic_check_bits(ibctx, "counter comp_mask", attr->comp_mask, 0) ||
	    !ornic_check_bits(ibctx, "counter flags", attr->flags, 0))
		return EOPNOTSUPP;
	if (attr->type != IBV_COMP_CNTR_TYPE_WRS) {
		ornic_refuse(ibctx, "counter type %u is not supported",
			     (unsigned int)attr->type);
		return EOPNOTSUPP;
	}
	return 0;
}

/* The kernel is older, or the device lacks counters: no such object */
static int ornic_comp_cntr_errno(struct ibv_context *ibctx, int err)
{
	if (err != EPROTONOSUPPORT)
		return err;
	ornic_refuse(ibctx, "completion counters are not supported");
	return EOPNOTSUPP;
}

static int ornic_comp_cntr_init(struct ornic_comp_cntr *cntr,
				struct ibv_context *ibctx)
{
	DECLARE_COMMAND_BUFFER_LINK(cmd, UVERBS_OBJECT_COMP_CNTR,
				    UVERBS_METHOD_COMP_CNTR_CREATE, 1, NULL);
	struct ornic_create_comp_cntr_resp resp = {};
	int ret;

	fill_attr_out_ptr(cmd, ORNIC_ATTR_CREATE_COMP_CNTR_RESP, &resp);
	ret = ibv_cmd_create_comp_cntr(ibctx, &cntr->ibv_comp_cntr, cmd);
	if (ret)
		return ornic_comp_cntr_errno(ibctx, ret);

	ret = ornic_slab_map(to_ornic_context(ibctx), &resp.map, &cntr->mem);
	if (ret) {
		ibv_cmd_destroy_comp_cntr(&cntr->ibv_comp_cntr);
		return ret;
	}
	cntr->counts = cntr->mem.map + resp.offset;
	return 0;
}

/**
 * ornic_create_comp_cntr() - create a completion counter
 * @ibctx: context
 * @attr: options, of which there are none
 *
 * Return: the counter; NULL with errno set, EOPNOTSUPP for an unsupported
 * option.
 */
struct ibv_comp_cntr *
ornic_create_comp_cntr(struct ibv_context *ibctx,
		       struct ibv_comp_cntr_init_attr *attr)
{
	struct ornic_comp_cntr *cntr;
	int ret;

	ret = ornic_comp_cntr_check(ibctx, attr);
	if (ret)
		goto err;

	cntr = calloc(1, sizeof(*cntr));
	if (!cntr) {
		ret = ENOMEM;
		goto err;
	}

	ret = ornic_comp_cntr_init(cntr, ibctx);
	if (ret)
		goto err_free;

	return &cntr->ibv_comp_cntr;

err_free:
	free(cntr);
err:
	errno = ret;
	return NULL;
}

/**
 * ornic_destroy_comp_cntr() - destroy a completion counter
 * @ibcntr: counter, freed on success
 *
 * Return: 0 or a positive errno, EBUSY while it is attached to a QP.
 */
int ornic_destroy_comp_cntr(struct ibv_comp_cntr *ibcntr)
{
	struct ornic_comp_cntr *cntr = to_ornic_comp_cntr(ibcntr);
	int ret;

	ret = ibv_cmd_destroy_comp_cntr(ibcntr);
	if (ret)
		return ret;

	ornic_slab_unmap(to_ornic_context(ibcntr->context), &cntr->mem);
	free(cntr);
	return 0;
}

/**
 * ornic_query_comp_cntr_caps() - query what completion counters can count
 * @ibctx: context
 * @caps: returns the capabilities
 * @caps_size: size of @caps
 *
 * Return: 0 or a positive errno, EOPNOTSUPP if there are no counters.
 */
int ornic_query_comp_cntr_caps(struct ibv_context *ibctx,
			       struct ibv_comp_cntr_caps *caps,
			       size_t caps_size)
{
	int ret = ibv_cmd_query_comp_cntr_caps(ibctx, caps, caps_size);

	return ornic_comp_cntr_errno(ibctx, ret);
}

/**
 * ornic_qp_attach_comp_cntr() - count requests of a QP
 * @ibqp: QP in RESET or INIT
 * @ibcntr: counter
 * @attr: kinds of requests
 *
 * Return: 0 or a positive errno, EOPNOTSUPP for an unknown kind: libibverbs
 * would leave it out.
 */
int ornic_qp_attach_comp_cntr(struct ibv_qp *ibqp, struct ibv_comp_cntr *ibcntr,
			      struct ibv_qp_attach_comp_cntr_attr *attr)
{
	if (!ornic_check_bits(ibqp->context, "attach comp_mask",
			      attr->comp_mask, 0) ||
	    !ornic_check_bits(ibqp->context, "attach op_mask", attr->op_mask,
			      ORNIC_COMP_CNTR_OPS))
		return EOPNOTSUPP;

	return ibv_cmd_qp_attach_comp_cntr(ibqp, ibcntr, attr);
}

/*
 * Memory that the count declares valid is read after it. Volatile, because C11
 * would need libatomic for 64 bits on 32-bit hosts.
 */
static uint64_t ornic_comp_cntr_load(const __le64 *count)
{
	uint64_t v = *(const volatile uint64_t *)count;

	atomic_thread_fence(memory_order_acquire);
	ornic_index_barrier();
	return le64toh((__force __le64)v);
}

/**
 * ornic_read_comp_cntr() - read the number of requests that have succeeded
 * @ibcntr: counter
 * @value: returns the number
 *
 * Return: 0.
 */
int ornic_read_comp_cntr(struct ibv_comp_cntr *ibcntr, uint64_t *value)
{
	*value = ornic_comp_cntr_load(&to_ornic_comp_cntr(ibcntr)->counts->completed);
	return 0;
}

/**
 * ornic_read_err_comp_cntr() - read the number of requests that have failed
 * @ibcntr: counter
 * @value: returns the number
 *
 * Return: 0.
 */
int ornic_read_err_comp_cntr(struct ibv_comp_cntr *ibcntr, uint64_t *value)
{
	*value = ornic_comp_cntr_load(&to_ornic_comp_cntr(ibcntr)->counts->errors);
	return 0;
}
#endif /* ORNIC_LACKS_COMP_CNTR */
