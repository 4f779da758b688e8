// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion counters. The device writes their values to memory that the
 * process has mapped, so a read needs no operation of the kernel.
 */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ornic-abi.h>
#define UVERBS_MODULE_NAME ornic_ib
#include <rdma/uverbs_named_ioctl.h>

#include "comp_cntr.h"
#include "device.h"
#include "qp.h"
#include "ringmem.h"
#include "slab.h"
#include "uctx.h"

static_assert((int)IB_COMP_CNTR_ENTRY_COMP == (int)ORNIC_COMP_CNTR_COMPLETED);
static_assert((int)IB_COMP_CNTR_ENTRY_ERR == (int)ORNIC_COMP_CNTR_FAILED);
static_assert((int)IB_COMP_CNTR_MODIFY_OP_SET == (int)ORNIC_COMP_CNTR_SET);
static_assert((int)IB_COMP_CNTR_MODIFY_OP_INC == (int)ORNIC_COMP_CNTR_ADD);
static_assert(IB_QP_ATTACH_COMP_CNTR_OP_SEND == ORNIC_COUNT_SEND);
static_assert(IB_QP_ATTACH_COMP_CNTR_OP_RECV == ORNIC_COUNT_RECV);
static_assert(IB_QP_ATTACH_COMP_CNTR_OP_RDMA_READ == ORNIC_COUNT_READ);
static_assert(IB_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ == ORNIC_COUNT_REMOTE_READ);
static_assert(IB_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE == ORNIC_COUNT_WRITE);
static_assert(IB_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE == ORNIC_COUNT_REMOTE_WRITE);

/**
 * struct ornic_comp_cntr - completion counter
 * @ibcc:	of the RDMA core
 * @num:	number of the device
 * @mem:	begins with struct ornic_comp_counts
 */
struct ornic_comp_cntr {
	struct ib_comp_cntr ibcc;
	u32 num;
	struct ornic_ringmem *mem;
};

static struct ornic_comp_cntr *to_ornic_comp_cntr(struct ib_comp_cntr *ibcc)
{
	return container_of(ibcc, struct ornic_comp_cntr, ibcc);
}

static int ornic_comp_cntr_respond(const struct ornic_comp_cntr *cntr,
				   struct uverbs_attr_bundle *attrs)
{
	struct ornic_slab_place place = ornic_slab_locate(cntr->mem);
	struct ornic_create_comp_cntr_resp resp = {
		.map = place.map,
		.offset = place.offset,
	};

	return uverbs_copy_to_struct_or_zero(attrs, ORNIC_ATTR_CREATE_COMP_CNTR_RESP, &resp,
					     sizeof(resp));
}

static int ornic_ib_create_comp_cntr(struct ib_comp_cntr *ibcc, struct uverbs_attr_bundle *attrs)
{
	struct ornic_ucontext *ctx = rdma_udata_to_drv_context(&attrs->driver_udata,
							       struct ornic_ucontext, ibuctx);
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcc->device);
	struct ornic_comp_cntr *cntr = to_ornic_comp_cntr(ibcc);
	struct ornic_create_comp_cntr_in in;
	int err;

	cntr->mem = ornic_slab_alloc(ibcc->device, &ctx->slabs, sizeof(struct ornic_comp_counts));
	if (IS_ERR(cntr->mem))
		return PTR_ERR(cntr->mem);

	in.addr = cpu_to_le64(ornic_ringmem_dma(cntr->mem, 0));
	err = ornic_cmd_create(dev->odev, ORNIC_CMD_CREATE_COMP_CNTR, &in, sizeof(in), &cntr->num);
	if (err)
		goto err_free_mem;

	err = ornic_comp_cntr_respond(cntr, attrs);
	if (err)
		goto err_destroy;

	return 0;

err_destroy:
	ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_COMP_CNTR, cntr->num);
err_free_mem:
	ornic_slab_free(ibcc->device, cntr->mem);
	return err;
}

static int ornic_ib_destroy_comp_cntr(struct ib_comp_cntr *ibcc)
{
	struct ornic_comp_cntr *cntr = to_ornic_comp_cntr(ibcc);
	int err;

	err = ornic_cmd_destroy(to_ornic_ib_dev(ibcc->device)->odev, ORNIC_CMD_DESTROY_COMP_CNTR,
				cntr->num);
	if (err)
		return err;

	ornic_slab_free(ibcc->device, cntr->mem);
	return 0;
}

/* The core checks neither @entry nor @op */
static int ornic_ib_modify_comp_cntr(struct ib_comp_cntr *ibcc, enum ib_comp_cntr_entry entry,
				     enum ib_comp_cntr_modify_op op, u64 value)
{
	struct ornic_modify_comp_cntr_in in = {
		.num = cpu_to_le32(to_ornic_comp_cntr(ibcc)->num),
		.entry = entry,
		.op = op,
		.value = cpu_to_le64(value),
	};
	int err;

	err = ornic_check_range(ibcc->device, "counter entry", entry, 0, ORNIC_COMP_CNTR_FAILED);
	if (!err)
		err = ornic_check_range(ibcc->device, "counter operation", op, 0,
					ORNIC_COMP_CNTR_ADD);
	if (err)
		return err;

	return ornic_cmd_exec(to_ornic_ib_dev(ibcc->device)->odev, ORNIC_CMD_MODIFY_COMP_CNTR, &in,
			      sizeof(in), NULL, 0);
}

static int ornic_ib_query_comp_cntr_caps(struct ib_device *ibdev, struct ib_comp_cntr_caps *caps,
					 struct uverbs_attr_bundle *attrs)
{
	caps->max_value = U64_MAX;
	caps->max_counters = to_ornic_ib_dev(ibdev)->odev->lim.max_comp_cntrs;
	caps->supported_qp_attach_ops = ORNIC_COUNT_ALL;
	return 0;
}

/* The core detaches nothing: the device does when it destroys the QP */
static int ornic_ib_qp_attach_comp_cntr(struct ib_qp *ibqp, struct ib_comp_cntr *ibcc,
					struct ib_qp_attach_comp_cntr_attr *attr)
{
	struct ornic_attach_comp_cntr_in in = {
		.qpn = cpu_to_le32(to_ornic_qp(ibqp)->res.num),
		.num = cpu_to_le32(to_ornic_comp_cntr(ibcc)->num),
		.requests = cpu_to_le32(attr->op_mask),
	};

	return ornic_cmd_exec(to_ornic_ib_dev(ibqp->device)->odev, ORNIC_CMD_ATTACH_COMP_CNTR, &in,
			      sizeof(in), NULL, 0);
}

const struct ib_device_ops ornic_ib_comp_cntr_ops = {
	.create_comp_cntr = ornic_ib_create_comp_cntr,
	.destroy_comp_cntr = ornic_ib_destroy_comp_cntr,
	.modify_comp_cntr = ornic_ib_modify_comp_cntr,
	.qp_attach_comp_cntr = ornic_ib_qp_attach_comp_cntr,
	.query_comp_cntr_caps = ornic_ib_query_comp_cntr_caps,

	INIT_RDMA_OBJ_SIZE(ib_comp_cntr, ornic_comp_cntr, ibcc),
};

#define ORNIC_CREATE_COMP_CNTR_RESP \
	UVERBS_ATTR_STRUCT(struct ornic_create_comp_cntr_resp, map)

ADD_UVERBS_ATTRIBUTES_SIMPLE(ornic_ib_create_comp_cntr_attrs,
			     UVERBS_OBJECT_COMP_CNTR,
			     UVERBS_METHOD_COMP_CNTR_CREATE,
			     UVERBS_ATTR_PTR_OUT(ORNIC_ATTR_CREATE_COMP_CNTR_RESP,
						 ORNIC_CREATE_COMP_CNTR_RESP,
						 UA_MANDATORY));

const struct uapi_definition ornic_ib_comp_cntr_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_COMP_CNTR, &ornic_ib_create_comp_cntr_attrs),
	{}
};
