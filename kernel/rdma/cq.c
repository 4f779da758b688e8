// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ornic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "cq.h"
#include "device.h"
#include "pbl.h"
#include "ringmem.h"
#include "slab.h"
#include "uctx.h"

#define ORNIC_CQ_LOG_MIN	4
/* Events at which a process has not written another arm word */
#define ORNIC_CQ_TOLD_MAX	16
#define ORNIC_CQE_LOG		ilog2(sizeof(struct ornic_cqe))
#define ORNIC_CQE_EXT_LOG	ilog2(sizeof(struct ornic_cqe_64))

/* The doorbell record follows the ring, aligned to a cache line */
static size_t ornic_cq_dbr_offset(const struct ornic_cq_buf *buf)
{
	return ALIGN((size_t)1 << buf->log_bytes, ORNIC_DBR_ALIGN);
}

static size_t ornic_cq_mem_size(const struct ornic_cq_buf *buf)
{
	return PAGE_ALIGN(ornic_cq_dbr_offset(buf) + sizeof(struct ornic_cq_dbr));
}

/* Memory of a process is not vmapped, so use the page of the record */
static struct ornic_cq_dbr *ornic_cq_dbr(const struct ornic_cq_buf *buf)
{
	return ornic_ringmem_peek(buf->mem, ornic_cq_dbr_offset(buf));
}

static __le64 ornic_cq_dbr_addr(const struct ornic_cq_buf *buf)
{
	return cpu_to_le64(ornic_ringmem_dma(buf->mem, ornic_cq_dbr_offset(buf)));
}

/* @ctx: context of the process that maps it, NULL for the kernel */
static int ornic_cq_alloc_buf(struct ornic_ib_dev *dev, struct ornic_ucontext *ctx,
			      struct ornic_cq_buf *buf)
{
	int err;

	buf->mem = ornic_slab_alloc(&dev->ibdev, ctx ? &ctx->slabs : NULL, ornic_cq_mem_size(buf));
	if (IS_ERR(buf->mem))
		return PTR_ERR(buf->mem);

	err = ornic_ringmem_describe(&dev->ibdev, buf->mem, 0, (size_t)1 << buf->log_bytes,
				     &buf->pbl);
	if (err)
		goto err_free_mem;

	return 0;

err_free_mem:
	ornic_slab_free(&dev->ibdev, buf->mem);
	return err;
}

static void ornic_cq_free_buf(struct ornic_ib_dev *dev, struct ornic_cq_buf *buf)
{
	ornic_pbl_free(&dev->ibdev, &buf->pbl);
	ornic_slab_free(&dev->ibdev, buf->mem);
}

/*
 * Checks whether an event may be the answer to an arm word.
 *
 * A process arms its CQ without the kernel, and the core keeps each event until
 * the process reads it. The device answers a word once, and writes an event
 * when the host has taken the one before ([ORNIC-DB-22], [ORNIC-DB-33]). But
 * the word may have changed since the device read it: then several events find
 * the newest one. So that no answer is lost, a few more are accepted than can
 * be.
 */
static bool ornic_cq_is_asked(struct ornic_cq *cq)
{
	unsigned long flags;
	bool asked = true;
	__le32 arm;

	/* A kernel consumer is only told to poll, however often */
	if (cq->res.polled)
		return true;

	spin_lock_irqsave(&cq->lock, flags);
	arm = READ_ONCE(ornic_cq_dbr(&cq->buf)->arm);
	if (arm != cq->told_arm) {
		cq->told_arm = arm;
		cq->told = 1;
	} else if (!arm || cq->told == ORNIC_CQ_TOLD_MAX) {
		asked = false;
	} else {
		cq->told++;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return asked;
}

/**
 * ornic_cq_tell - call the completion handler of a CQ
 * @cq:		the CQ; ornic_ib_pre_destroy_cq() waits for callers
 */
void ornic_cq_tell(struct ornic_cq *cq)
{
	/*
	 * Pairs with ornic_cq_set_ready(). First, because the core sets the
	 * handler after it has created the CQ.
	 */
	if (!smp_load_acquire(&cq->ready))
		return;
	/* IB_POLL_DIRECT users get no callback: the core would warn */
	if (cq->ibcq.poll_ctx != IB_POLL_DIRECT && cq->ibcq.comp_handler)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

/* Called in hard interrupt context; ornic_res_remove() waits for it */
static void ornic_cq_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_cq *cq = container_of(res, struct ornic_cq, res);
	struct ib_event ibevent = {
		.device = cq->ibcq.device,
		.element.cq = &cq->ibcq,
		.event = IB_EVENT_CQ_ERR,
	};

	switch (event) {
	case ORNIC_EVENT_COMP:
		if (ornic_cq_is_asked(cq))
			ornic_cq_tell(cq);
		break;
	case ORNIC_EVENT_CQ_ERR:
		if (ornic_due_take(&cq->due) && cq->ibcq.event_handler)
			cq->ibcq.event_handler(&ibevent, cq->ibcq.cq_context);
		break;
	default:
		break;
	}
}

static int ornic_cq_create(struct ornic_ib_dev *dev, struct ornic_cq *cq, u32 uctx,
			   const struct ib_cq_init_attr *attr)
{
	struct ornic_create_cq_in in = {
		.uctx = cpu_to_le32(uctx),
		.eqn = cpu_to_le32(ornic_eq_comp_num(dev->odev, attr->comp_vector)),
		.log_size = cq->ring.log_size,
		.log_cqe_size = cq->ring.log_cqe_size,
		.buf = cq->buf.pbl.buf,
		.dbr_addr = ornic_cq_dbr_addr(&cq->buf),
	};
	int err;

	if (attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)
		in.flags |= cpu_to_le32(ORNIC_CQ_IGNORE_OVERRUN);

	err = ornic_cmd_create(dev->odev, ORNIC_CMD_CREATE_CQ, &in, sizeof(in), &cq->res.num);
	if (err)
		return err;

	cq->ring.cqn = cq->res.num;
	cq->res.type = ORNIC_RES_CQ;
	cq->res.event = ornic_cq_event;
	err = ornic_res_add(dev->odev, &cq->res);
	if (err)
		goto err_destroy_cq;

	return 0;

err_destroy_cq:
	ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_CQ, cq->res.num);
	return err;
}

/* Completions that a ring of this size may hold at the same time */
static u32 ornic_cq_room(const struct ornic_ib_dev *dev, u8 log_size)
{
	u32 entries = 1u << log_size;

	return entries - ornic_cq_lag(dev->odev, entries);
}

static int ornic_cq_check_cqe(const struct ornic_ib_dev *dev, u32 cqe)
{
	return ornic_check_range(&dev->ibdev, "CQ cqe", cqe, 1,
				 ornic_cq_room(dev, ilog2(dev->max_cqe)));
}

/* @cqe is checked */
static u8 ornic_cq_log_size(const struct ornic_ib_dev *dev, u32 cqe)
{
	/* The limit of a device with tiny rings may be below the minimum */
	u8 log_size = min(max(order_base_2(cqe), ORNIC_CQ_LOG_MIN), ilog2(dev->max_cqe));

	return ornic_cq_room(dev, log_size) < cqe ? log_size + 1 : log_size;
}

static int ornic_cq_init(struct ornic_ib_dev *dev, struct ornic_cq *cq,
			 const struct ib_cq_init_attr *attr, bool ext)
{
	int err;

	err = ornic_cq_check_cqe(dev, attr->cqe);
	if (err)
		return err;

	err = ornic_check_range(&dev->ibdev, "CQ comp_vector", attr->comp_vector, 0,
				dev->odev->num_comp_vectors - 1);
	if (err)
		return err;

	cq->ring.log_size = ornic_cq_log_size(dev, attr->cqe);
	cq->ring.log_cqe_size = ext ? ORNIC_CQE_EXT_LOG : ORNIC_CQE_LOG;
	cq->buf.log_bytes = cq->ring.log_size + cq->ring.log_cqe_size;
	cq->ibcq.cqe = ornic_cq_room(dev, cq->ring.log_size);
	mutex_init(&cq->resize_lock);
	spin_lock_init(&cq->lock);
	INIT_LIST_HEAD(&cq->sqs);
	INIT_LIST_HEAD(&cq->rqs);
	INIT_LIST_HEAD(&cq->kcq);
	ornic_due_add(&cq->due, 1);
	return 0;
}

int ornic_ib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		       struct uverbs_attr_bundle *attrs)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	int err;

	err = ornic_check_flags(ibcq->device, "CQ flags of a kernel consumer", attr->flags, 0);
	if (err)
		return err;

	/* The CM needs the VLAN, which only 64-byte entries have */
	err = ornic_cq_init(dev, cq, attr, dev->odev->lim.features & ORNIC_FEAT_CQE_EXT);
	if (err)
		return err;

	err = ornic_cq_alloc_buf(dev, NULL, &cq->buf);
	if (err)
		return err;

	err = ornic_ringmem_vmap(cq->buf.mem);
	if (err)
		goto err_free_buf;

	cq->ring.buf = cq->buf.mem->addr;
	cq->ring.dbr = cq->buf.mem->addr + ornic_cq_dbr_offset(&cq->buf);
	cq->ring.db = dev->odev->shadow ? NULL : dev->odev->db;
	cq->ring.lag = ornic_cq_lag(dev->odev, 1u << cq->ring.log_size);
	cq->res.polled = &cq->ring;
	err = ornic_cq_create(dev, cq, 0, attr);
	if (err)
		goto err_free_buf;

	mutex_lock(&dev->kcqs_lock);
	list_add_tail(&cq->kcq, &dev->kcqs);
	mutex_unlock(&dev->kcqs_lock);
	return 0;

err_free_buf:
	ornic_cq_free_buf(dev, &cq->buf);
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

/* Checks what was requested before anything is allocated */
static int ornic_cq_check_user(struct ornic_ib_dev *dev, const struct ib_cq_init_attr *attr,
			       const struct ornic_create_cq_req *req,
			       const struct uverbs_attr_bundle *attrs)
{
	bool has_ext = dev->odev->lim.features & ORNIC_FEAT_CQE_EXT;
	u32 flags = IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	int err;

	err = ornic_check_flags(&dev->ibdev, "CQ request flags", req->flags,
				has_ext ? ORNIC_CREATE_CQ_EXT : 0);
	if (err)
		return err;

	if (req->flags & ORNIC_CREATE_CQ_EXT)
		flags |= IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	err = ornic_check_flags(&dev->ibdev, "CQ flags", attr->flags, flags);
	if (err)
		return err;

	/* Rings are always memory of the kernel */
	if (ornic_cq_has_user_buffer(attrs)) {
		ibdev_dbg_ratelimited(&dev->ibdev, "CQ in memory of the process\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

int ornic_ib_create_user_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			    struct uverbs_attr_bundle *attrs)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ib_udata *udata = &attrs->driver_udata;
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	struct ornic_create_cq_resp resp = {};
	struct ornic_create_cq_req req;
	struct ornic_slab_place place;
	struct ornic_ucontext *ctx;
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

	ctx = rdma_udata_to_drv_context(udata, struct ornic_ucontext, ibuctx);
	err = ornic_cq_alloc_buf(dev, ctx, &cq->buf);
	if (err)
		return err;

	cq->ready = true;
	err = ornic_cq_create(dev, cq, ctx->uctx.num, attr);
	if (err)
		goto err_free_buf;

	place = ornic_slab_locate(cq->buf.mem);
	resp.cqn = cq->res.num;
	resp.map = place.map;
	resp.ring_offset = place.offset;
	resp.dbr_offset = place.offset + ornic_cq_dbr_offset(&cq->buf);
	resp.log_size = cq->ring.log_size;
	resp.log_cqe_size = cq->ring.log_cqe_size;
	err = ib_respond_udata(udata, resp);
	if (err)
		goto err_release_cq;

	return 0;

err_release_cq:
	ornic_ib_release(dev, ORNIC_CMD_DESTROY_CQ, &cq->res);
err_free_buf:
	ornic_cq_free_buf(dev, &cq->buf);
	return err;
}

/**
 * ornic_cq_get_dbr - get a copy of the doorbell record of a CQ, for debugging
 * @cq:		the CQ
 * @log_size:	set to log2 of the entries of the same ring: a resize changes
 *		both
 *
 * Return: the current contents.
 */
struct ornic_cq_dbr ornic_cq_get_dbr(struct ornic_cq *cq, u8 *log_size)
{
	const struct ornic_cq_dbr *record;
	struct ornic_cq_dbr dbr;

	mutex_lock(&cq->resize_lock);
	record = ornic_cq_dbr(&cq->buf);
	/* The owner of the CQ may be writing to the record */
	dbr.ci = READ_ONCE(record->ci);
	dbr.arm = READ_ONCE(record->arm);
	*log_size = cq->ring.log_size;
	mutex_unlock(&cq->resize_lock);
	return dbr;
}

int ornic_ib_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct ornic_modify_cq_in in = {
		.cqn = cpu_to_le32(to_ornic_cq(ibcq)->res.num),
		.count = cpu_to_le16(count),
		.period = cpu_to_le16(period),
	};

	return ornic_cmd_exec(to_ornic_ib_dev(ibcq->device)->odev, ORNIC_CMD_MODIFY_CQ, &in,
			      sizeof(in), NULL, 0);
}

/*
 * The process does not poll meanwhile. If it arms, it does so in the old record
 * and has to arm again in the new one.
 */
int ornic_ib_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct ornic_ucontext *ctx = rdma_udata_to_drv_context(udata, struct ornic_ucontext,
							       ibuctx);
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	struct ornic_resize_resp resp = {};
	struct ornic_resize_in in = {};
	struct ornic_slab_place place;
	struct ornic_cq_buf buf = {};
	int err;

	err = ib_is_udata_in_empty(udata);
	if (err)
		return err;

	err = ornic_cq_check_cqe(dev, cqe);
	if (err)
		return err;

	resp.log_size = ornic_cq_log_size(dev, cqe);
	buf.log_bytes = resp.log_size + cq->ring.log_cqe_size;
	err = ornic_cq_alloc_buf(dev, ctx, &buf);
	if (err)
		return err;

	/* First, because the device cannot return to the old ring */
	place = ornic_slab_locate(buf.mem);
	resp.map = place.map;
	resp.ring_offset = place.offset;
	resp.dbr_offset = place.offset + ornic_cq_dbr_offset(&buf);
	err = ib_respond_udata(udata, resp);
	if (err)
		goto out_free_buf;

	in.num = cpu_to_le32(cq->res.num);
	in.log_size = resp.log_size;
	in.buf = buf.pbl.buf;
	in.dbr_addr = ornic_cq_dbr_addr(&buf);

	mutex_lock(&cq->resize_lock);
	/* Preserve an outstanding arm request, [ORNIC-CQ-19] */
	ornic_cq_dbr(&buf)->arm = READ_ONCE(ornic_cq_dbr(&cq->buf)->arm);
	in.ci = READ_ONCE(ornic_cq_dbr(&cq->buf)->ci);
	/* Let no doorbell with ci of the old ring come later, [ORNIC-ADM-19] */
	if (!dev->odev->shadow)
		ornic_doorbell_flush(dev->odev);
	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_RESIZE_CQ, &in, sizeof(in), NULL, 0);
	if (!err) {
		spin_lock_irq(&cq->lock);
		swap(cq->buf, buf);
		spin_unlock_irq(&cq->lock);
		cq->ring.log_size = resp.log_size;
		cq->ibcq.cqe = ornic_cq_room(dev, resp.log_size);
	}
	mutex_unlock(&cq->resize_lock);

out_free_buf:
	/* The old ring on success, else the new one */
	ornic_cq_free_buf(dev, &buf);
	return err;
}

/*
 * Stops both callers of the completion handler. After that the core cancels the
 * work that the handler started, and frees the CQ. The device keeps the CQ
 * until then, because that work may still poll and arm it.
 */
int ornic_ib_pre_destroy_cq(struct ib_cq *ibcq)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ornic_cq *cq = to_ornic_cq(ibcq);

	/* A CQ of a process is in no list, and this changes nothing */
	mutex_lock(&dev->kcqs_lock);
	list_del_init(&cq->kcq);
	mutex_unlock(&dev->kcqs_lock);

	ornic_res_remove(dev->odev, &cq->res);
	return 0;
}

void ornic_ib_post_destroy_cq(struct ib_cq *ibcq)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ornic_cq *cq = to_ornic_cq(ibcq);

	ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_CQ, cq->res.num);
	ornic_cq_free_buf(dev, &cq->buf);
}

int ornic_ib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibcq->device);
	struct ornic_cq *cq = to_ornic_cq(ibcq);
	int err;

	ornic_ib_pre_destroy_cq(ibcq);
	if (!cq->buf.mem->slab) {
		/* Kernel consumers ignore the result */
		ornic_ib_post_destroy_cq(ibcq);
		return 0;
	}

	err = ornic_cmd_destroy(dev->odev, ORNIC_CMD_DESTROY_CQ, cq->res.num);
	if (err)
		return err;

	ornic_cq_free_buf(dev, &cq->buf);
	return 0;
}
