// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ornic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ornic_rdma.h"

#define ORNIC_CQ_LOG_MIN	4
#define ORNIC_CQE_LOG		ilog2(sizeof(struct ornic_cqe))
#define ORNIC_CQE_EXT_LOG	ilog2(sizeof(struct ornic_cqe) + sizeof(struct ornic_cqe_ext))

static size_t ornic_cq_ring_size(const struct ornic_cq *cq)
{
	return (size_t)1 << (cq->ring.log_size + cq->ring.log_cqe_size);
}

/* The doorbell record follows the ring, which is a multiple of its alignment */
static size_t ornic_cq_dbr_offset(const struct ornic_cq *cq)
{
	return ALIGN(ornic_cq_ring_size(cq), 64);
}

static size_t ornic_cq_mem_size(const struct ornic_cq *cq)
{
	return PAGE_ALIGN(ornic_cq_dbr_offset(cq) + sizeof(struct ornic_cq_dbr));
}

static int ornic_cq_alloc_ring(struct ornic_ib_dev *dev, struct ornic_cq *cq)
{
	int err;

	cq->mem = ornic_ringmem_alloc(&dev->ibdev, ornic_cq_mem_size(cq));
	if (IS_ERR(cq->mem))
		return PTR_ERR(cq->mem);

	err = ornic_ringmem_describe(&dev->ibdev, cq->mem, 0, ornic_cq_ring_size(cq), &cq->pbl);
	if (err)
		goto err_free_mem;

	return 0;

err_free_mem:
	ornic_ringmem_free(&dev->ibdev, cq->mem);
	return err;
}

/* A process may be about to map the ring: then the entry frees the memory */
static void ornic_cq_free_ring(struct ornic_ib_dev *dev, struct ornic_cq *cq)
{
	ornic_pbl_free(&dev->ibdev, &cq->pbl);
	if (cq->mmap)
		ornic_ib_mmap_remove(cq->mmap);
	else
		ornic_ringmem_free(&dev->ibdev, cq->mem);
}

static int ornic_cq_create(struct ornic_ib_dev *dev, struct ornic_cq *cq, u32 uctx,
			   const struct ib_cq_init_attr *attr)
{
	struct ornic_create_cq_in in = {
		.uctx = cpu_to_le32(uctx),
		.eqn = cpu_to_le32(ornic_comp_eqn(dev->odev, attr->comp_vector)),
		.log_size = cq->ring.log_size,
		.log_cqe_size = cq->ring.log_cqe_size,
		.buf = cq->pbl.buf,
		.dbr_addr = cpu_to_le64(ornic_ringmem_dma(cq->mem, ornic_cq_dbr_offset(cq))),
	};
	int err;

	if (attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)
		in.flags |= cpu_to_le32(ORNIC_CQ_IGNORE_OVERRUN);

	err = ornic_cmd_create(dev->odev, ORNIC_CMD_CREATE_CQ, &in, sizeof(in), &cq->res.num);
	if (err)
		return err;

	cq->ring.cqn = cq->res.num;
	cq->res.type = ORNIC_RES_CQ;
	cq->res.event = ornic_ib_cq_event;
	err = ornic_res_add(dev->odev, &cq->res);
	if (err)
		goto err_destroy_cq;

	cq->has_events = true;
	return 0;

err_destroy_cq:
	ornic_cmd_destroy(dev->odev, ORNIC_CMD_DESTROY_CQ, cq->res.num);
	return err;
}

static int ornic_cq_destroy(struct ornic_ib_dev *dev, struct ornic_cq *cq)
{
	/* Not again if the device refused the first time */
	if (cq->has_events) {
		ornic_res_remove(dev->odev, &cq->res);
		cq->has_events = false;
	}
	return ornic_cmd_destroy(dev->odev, ORNIC_CMD_DESTROY_CQ, cq->res.num);
}

static int ornic_cq_init(struct ornic_ib_dev *dev, struct ornic_cq *cq,
			 const struct ib_cq_init_attr *attr, bool ext)
{
	if (!attr->cqe || attr->cqe > dev->max_cqe ||
	    attr->comp_vector >= dev->odev->num_comp_vectors)
		return -EINVAL;

	cq->ring.log_size = max_t(u32, order_base_2(attr->cqe), ORNIC_CQ_LOG_MIN);
	cq->ring.log_size = min_t(u32, cq->ring.log_size, ilog2(dev->max_cqe));
	cq->ring.log_cqe_size = ext ? ORNIC_CQE_EXT_LOG : ORNIC_CQE_LOG;
	cq->ibcq.cqe = 1 << cq->ring.log_size;
	spin_lock_init(&cq->lock);
	INIT_LIST_HEAD(&cq->sqs);
	INIT_LIST_HEAD(&cq->rqs);
	INIT_LIST_HEAD(&cq->kcq);
	return 0;
}

int ornic_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		       struct uverbs_attr_bundle *attrs)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;

	/* The CM wants to know the VLAN, which only long entries tell */
	err = ornic_cq_init(dev, cq, attr, dev->odev->lim.features & ORNIC_FEAT_CQE_EXT);
	if (err)
		return err;

	err = ornic_cq_alloc_ring(dev, cq);
	if (err)
		return err;

	err = ornic_ringmem_vmap(cq->mem);
	if (err)
		goto err_free_ring;

	cq->ring.buf = cq->mem->addr;
	cq->ring.dbr = cq->mem->addr + ornic_cq_dbr_offset(cq);
	err = ornic_cq_create(dev, cq, 0, attr);
	if (err)
		goto err_free_ring;

	mutex_lock(&dev->kcqs_lock);
	list_add_tail(&cq->kcq, &dev->kcqs);
	mutex_unlock(&dev->kcqs_lock);
	return 0;

err_free_ring:
	ornic_cq_free_ring(dev, cq);
	return err;
}

static bool ornic_cq_has_user_buffer(const struct uverbs_attr_bundle *attrs)
{
	return uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_VA) ||
	       uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_LENGTH) ||
	       uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_FD) ||
	       uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_OFFSET) ||
	       uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_CQ_BUF_UMEM);
}

/* What is asked for and what the device can do, before anything is allocated */
static int ornic_cq_check_user(struct ornic_ib_dev *dev, const struct ib_cq_init_attr *attr,
			       const struct ornic_create_cq_req *req,
			       const struct uverbs_attr_bundle *attrs)
{
	u32 flags = IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;

	if (req->flags & ~ORNIC_CREATE_CQ_EXT)
		return -EOPNOTSUPP;
	if (req->flags & ORNIC_CREATE_CQ_EXT) {
		if (!(dev->odev->lim.features & ORNIC_FEAT_CQE_EXT))
			return -EOPNOTSUPP;
		flags |= IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	}
	if (attr->flags & ~flags)
		return -EOPNOTSUPP;
	/* Rings are the kernel's own memory */
	return ornic_cq_has_user_buffer(attrs) ? -EOPNOTSUPP : 0;
}

int ornic_ib_create_user_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			    struct uverbs_attr_bundle *attrs)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ib_udata *udata = &attrs->driver_udata;
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	struct ornic_create_cq_resp resp = {};
	struct ornic_create_cq_req req;
	struct ornic_ucontext *ctx;
	struct ornic_mmap *map;
	int err;

	err = ib_copy_validate_udata_in_cm(udata, req, flags, 0);
	if (err)
		return err;

	err = ornic_cq_check_user(dev, attr, &req, attrs);
	if (err)
		return err;

	err = ornic_cq_init(dev, cq, attr, req.flags & ORNIC_CREATE_CQ_EXT);
	if (err)
		return err;

	err = ornic_cq_alloc_ring(dev, cq);
	if (err)
		return err;

	ctx = rdma_udata_to_drv_context(udata, struct ornic_ucontext, ibuctx);
	map = ornic_ib_mmap_add(&ctx->ibuctx, &(struct ornic_mmap) { .mem = cq->mem },
				ornic_cq_mem_size(cq));
	if (IS_ERR(map)) {
		err = PTR_ERR(map);
		goto err_free_ring;
	}
	cq->mmap = map;

	err = ornic_cq_create(dev, cq, ctx->uctx.num, attr);
	if (err)
		goto err_free_ring;

	resp.cqn = cq->res.num;
	resp.mmap_offset = rdma_user_mmap_get_offset(&map->entry);
	resp.mmap_length = ornic_cq_mem_size(cq);
	resp.dbr_offset = ornic_cq_dbr_offset(cq);
	resp.log_size = cq->ring.log_size;
	resp.log_cqe_size = cq->ring.log_cqe_size;
	err = ib_respond_udata(udata, resp);
	if (err)
		goto err_destroy_cq;

	return 0;

err_destroy_cq:
	ornic_cq_destroy(dev, cq);
err_free_ring:
	ornic_cq_free_ring(dev, cq);
	return err;
}

int ornic_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return err;

	/* Of a process, it is in no list and this does nothing */
	mutex_lock(&dev->kcqs_lock);
	list_del_init(&cq->kcq);
	mutex_unlock(&dev->kcqs_lock);

	err = ornic_cq_destroy(dev, cq);
	if (err)
		return err;

	ornic_cq_free_ring(dev, cq);
	return 0;
}
