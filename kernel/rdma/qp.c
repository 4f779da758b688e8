// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: creation and destruction, multicast groups */
#include <rdma/ornic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "cq.h"
#include "device.h"
#include "ornic_rdma_trace.h"
#include "pbl.h"
#include "pd.h"
#include "qp.h"
#include "ring.h"
#include "ringmem.h"
#include "slab.h"
#include "srq.h"
#include "uctx.h"
#include "xrcd.h"

/* Returns enum ornic_qp_type, or 0 for an unknown type */
static u8 ornic_qp_hw_type(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_GSI:
		return ORNIC_QPT_GSI;
	case IB_QPT_RC:
		return ORNIC_QPT_RC;
	case IB_QPT_UC:
		return ORNIC_QPT_UC;
	case IB_QPT_UD:
		return ORNIC_QPT_UD;
	case IB_QPT_RAW_PACKET:
		return ORNIC_QPT_RAW_PACKET;
	case IB_QPT_XRC_INI:
		return ORNIC_QPT_XRC_SEND;
	case IB_QPT_XRC_TGT:
		return ORNIC_QPT_XRC_RECV;
	default:
		return 0;
	}
}

static int ornic_qp_check_srq(const struct ib_device *ibdev, const struct ib_qp_init_attr *init)
{
	if (!init->srq)
		return 0;
	/* With XRC each packet names the SRQ (IBTA annex A14) */
	if (init->srq->srq_type == IB_SRQT_BASIC &&
	    (init->qp_type == IB_QPT_RC || init->qp_type == IB_QPT_UD))
		return 0;

	ibdev_dbg_ratelimited(ibdev, "QP type %d cannot use an SRQ of type %d\n", init->qp_type,
			      init->srq->srq_type);
	return -EINVAL;
}

/* RAW_PACKET QPs support the same receive options as WQs */
static int ornic_qp_flags_to_hw(const struct ornic_ib_dev *dev, const struct ib_qp_init_attr *init,
				u32 *hw)
{
	static const struct {
		u32 flag;	/* enum ib_qp_create_flags */
		u32 wq_flag;	/* ORNIC_WQ_* */
		u32 hw;		/* ORNIC_QP_* */
	} table[] = {
		{ IB_QP_CREATE_SCATTER_FCS, ORNIC_WQ_SCATTER_FCS, ORNIC_QP_SCATTER_FCS },
		{ IB_QP_CREATE_CVLAN_STRIPPING, ORNIC_WQ_CVLAN_STRIPPING,
		  ORNIC_QP_CVLAN_STRIPPING },
		{ IB_QP_CREATE_PCI_WRITE_END_PADDING, ORNIC_WQ_PAD_END, ORNIC_QP_PAD_END },
	};
	u32 wq_flags = init->qp_type == IB_QPT_RAW_PACKET ? dev->odev->lim.wq_flags : 0;
	u32 known = 0;
	u32 i;

	*hw = 0;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (!(wq_flags & table[i].wq_flag))
			continue;
		known |= table[i].flag;
		if (init->create_flags & table[i].flag)
			*hw |= table[i].hw;
	}
	return ornic_check_flags(&dev->ibdev, "QP create_flags", init->create_flags, known);
}

/* An RSS QP only receives, with the options of its WQs */
static int ornic_qp_check_rss(const struct ornic_ib_dev *dev, const struct ib_qp_init_attr *init,
			      const struct ornic_create_qp_req *req)
{
	const struct ib_device *ibdev = &dev->ibdev;
	int err;

	if (init->qp_type != IB_QPT_RAW_PACKET || init->cap.max_send_wr || req->max_tso_header) {
		ibdev_dbg_ratelimited(ibdev,
				      "RSS QP with type %d, max_send_wr %u, max_tso_header %u\n",
				      init->qp_type, init->cap.max_send_wr, req->max_tso_header);
		return -EOPNOTSUPP;
	}
	if (req->rx_hash_function != ORNIC_RX_HASH_TOEPLITZ) {
		ibdev_dbg_ratelimited(ibdev, "rx_hash_function %u is not %lu\n",
				      req->rx_hash_function, ORNIC_RX_HASH_TOEPLITZ);
		return -EOPNOTSUPP;
	}

	err = ornic_check_flags(ibdev, "RSS QP create_flags", init->create_flags, 0);
	if (err)
		return err;

	err = ornic_check_flags(ibdev, "rx_hash_fields", req->rx_hash_fields,
				dev->odev->lim.rx_hash_fields);
	if (err)
		return err;

	return ornic_check_range(ibdev, "rx_hash_key_len", req->rx_hash_key_len,
				 sizeof(req->rx_hash_key), sizeof(req->rx_hash_key));
}

/* Checks what a process requests in addition to the verb */
static int ornic_qp_check_req(const struct ornic_ib_dev *dev, const struct ib_qp_init_attr *init,
			      const struct ornic_create_qp_req *req)
{
	if (init->rwq_ind_tbl)
		return ornic_qp_check_rss(dev, init, req);

	if (req->rx_hash_function || req->rx_hash_key_len || req->rx_hash_fields ||
	    memchr_inv(req->rx_hash_key, 0, sizeof(req->rx_hash_key))) {
		ibdev_dbg_ratelimited(&dev->ibdev, "a QP without a table of WQs has no hash\n");
		return -EOPNOTSUPP;
	}
	if (!req->max_tso_header)
		return 0;
	if (init->qp_type != IB_QPT_RAW_PACKET || !(dev->odev->lim.features & ORNIC_FEAT_TSO)) {
		ibdev_dbg_ratelimited(&dev->ibdev, "QP type %d has no TSO on this device\n",
				      init->qp_type);
		return -EOPNOTSUPP;
	}

	return ornic_check_range(&dev->ibdev, "max_tso_header", req->max_tso_header, 0,
				 ORNIC_TSO_HDR_MAX);
}

/*
 * Kernel work requests cannot name an XRC SRQ, and the kernel sends Ethernet
 * frames through the netdev.
 */
static bool ornic_qp_has_type(const struct ornic_ib_dev *dev, enum ib_qp_type type, bool user)
{
	u8 hw = ornic_qp_hw_type(type);

	if ((type == IB_QPT_XRC_INI || type == IB_QPT_RAW_PACKET) && !user)
		return false;
	return hw && dev->odev->lim.qp_types & BIT(hw);
}

static int ornic_qp_check_cap(const struct ornic_ib_dev *dev, const struct ib_qp_init_attr *init)
{
	const struct {
		const char *name;
		u32 value;
		u32 max;
		bool ignored;	/* with an SRQ */
	} caps[] = {
		{ "max_send_wr", init->cap.max_send_wr, dev->max_wr },
		{ "max_send_sge", init->cap.max_send_sge, dev->max_sge },
		{ "max_inline_data", init->cap.max_inline_data, dev->max_inline },
		{ "max_recv_wr", init->cap.max_recv_wr, dev->max_wr, init->srq },
		{ "max_recv_sge", init->cap.max_recv_sge, dev->max_sge, init->srq },
	};
	u32 i;
	int err;

	for (i = 0; i < ARRAY_SIZE(caps); i++) {
		if (caps[i].ignored)
			continue;
		err = ornic_check_range(&dev->ibdev, caps[i].name, caps[i].value, 0, caps[i].max);
		if (err)
			return err;
	}
	return 0;
}

static int ornic_qp_check(struct ornic_ib_dev *dev, const struct ib_qp_init_attr *init,
			  struct ib_udata *udata)
{
	int err;

	if (!ornic_qp_has_type(dev, init->qp_type, udata)) {
		ibdev_dbg_ratelimited(&dev->ibdev, "QP type %d is not supported\n", init->qp_type);
		return -EOPNOTSUPP;
	}
	if (init->qp_type == IB_QPT_XRC_TGT)
		return 0;

	err = ornic_qp_check_cap(dev, init);
	if (err)
		return err;

	return ornic_qp_check_srq(&dev->ibdev, init);
}

/*
 * A ring begins on a page, or small rings share one ([ORNIC-BUF-8]). The
 * doorbell record follows the receive ring, or the send ring if there is room
 * between the rings: then a receive ring of whole pages needs no page more.
 */
static void ornic_qp_place(struct ornic_qp_geometry *geo)
{
	u32 end;

	geo->rq_offset = ALIGN(geo->sq_bytes, max_t(u32, geo->rq_bytes, ORNIC_RING_ALIGN));
	if (geo->rq_offset + geo->rq_bytes > PAGE_SIZE || geo->rq_bytes >= ORNIC_RING_SMALL)
		geo->rq_offset = PAGE_ALIGN(geo->sq_bytes);
	geo->dbr_offset = ALIGN(geo->sq_bytes, sizeof(struct ornic_qp_dbr));
	if (geo->dbr_offset == geo->rq_offset)
		geo->dbr_offset = ALIGN(geo->rq_offset + geo->rq_bytes,
					sizeof(struct ornic_qp_dbr));
	end = max_t(u32, geo->rq_offset + geo->rq_bytes,
		    geo->dbr_offset + sizeof(struct ornic_qp_dbr));
	geo->size = PAGE_ALIGN(end);
}

/**
 * ornic_qp_size - choose the sizes of the queues of a QP
 * @dev:	the device
 * @qp:		its cap is the request, within the limits of the device; on
 *		return cap is what is granted, never less and again within the
 *		limits, and geo and wqe_slots are filled in
 *
 * Return: 0, or -EINVAL if the send ring cannot hold WQEs of this size.
 */
static int ornic_qp_size(const struct ornic_ib_dev *dev, struct ornic_qp *qp)
{
	const struct ornic_limits *lim = &dev->odev->lim;
	/* The kernel goes by completions, a process by the record */
	u32 sq_lag = qp->kernel ? 0 : lim->sq_ci_lag, rq_lag = qp->kernel ? 0 : lim->rq_ci_lag;
	u32 max_slots = ornic_ring_usable(min(lim->max_sq_slots, ORNIC_MAX_RING), sq_lag);
	struct ornic_qp_geometry *geo = &qp->geo;
	struct ib_qp_cap *cap = &qp->cap;
	bool ud = ornic_qp_is_ud(qp);
	u32 head = qp->tso_header ? ornic_wqe_tso_head(qp->tso_header) : ornic_wqe_head(ud);
	u32 slots, room;

	*geo = (struct ornic_qp_geometry) {};
	if (cap->max_send_wr) {
		slots = ornic_wqe_slots(ud, cap->max_send_sge, cap->max_inline_data);
		if (qp->kernel && !ud)
			slots = max(slots, ornic_wqe_slots_min());
		slots = max_t(u32, slots,
			      DIV_ROUND_UP(head + cap->max_send_sge * sizeof(struct ornic_sge),
					   ORNIC_SLOT_SIZE));
		if (cap->max_send_wr > max_slots / slots) {
			ibdev_dbg_ratelimited(&dev->ibdev,
					      "max_send_wr %u of %u slots each exceed %u slots\n",
					      cap->max_send_wr, slots, max_slots);
			return -EINVAL;
		}
		qp->wqe_slots = slots;
		room = slots * ORNIC_SLOT_SIZE;
		geo->flags |= ORNIC_QP_SQ;
		geo->log_sq_slots = ornic_sq_log(cap->max_send_wr * slots + sq_lag);
		geo->sq_bytes = ORNIC_SLOT_SIZE << geo->log_sq_slots;
		cap->max_send_wr = min(ornic_ring_usable(1u << geo->log_sq_slots, sq_lag) / slots,
				       dev->max_wr);
		cap->max_send_sge = min_t(u32, (room - head) / sizeof(struct ornic_sge),
					  dev->max_sge);
		cap->max_inline_data = min(room - ornic_wqe_head(ud), dev->max_inline);
	} else {
		cap->max_send_sge = 0;
		cap->max_inline_data = 0;
	}

	if (cap->max_recv_wr) {
		geo->flags |= ORNIC_QP_RQ;
		geo->log_rq_wqes = order_base_2(cap->max_recv_wr + rq_lag);
		geo->rq_stride_shift = ornic_rq_shift(cap->max_recv_sge);
		geo->rq_bytes = 1u << (geo->log_rq_wqes + geo->rq_stride_shift);
		cap->max_recv_wr = min(ornic_ring_usable(1u << geo->log_rq_wqes, rq_lag),
				       dev->max_wr);
		cap->max_recv_sge = min(ornic_rq_sge(geo->rq_stride_shift), dev->max_sge);
	} else {
		cap->max_recv_sge = 0;
	}

	ornic_qp_place(geo);
	return 0;
}

/* XRC targets and RSS QPs own no rings */
static int ornic_qp_plan(const struct ornic_ib_dev *dev, struct ornic_qp *qp,
			 const struct ib_qp_init_attr *init,
			 const struct ornic_create_qp_req *req, u32 flags)
{
	int err;

	if (init->rwq_ind_tbl)
		qp->geo.flags = ORNIC_QP_RSS;
	if (init->rwq_ind_tbl || init->qp_type == IB_QPT_XRC_TGT)
		return 0;

	qp->cap = init->cap;
	if (init->srq) {
		qp->cap.max_recv_wr = 0;
		qp->cap.max_recv_sge = 0;
		flags |= ORNIC_QP_SRQ;
	}
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->tso_header = req->max_tso_header;
	err = ornic_qp_size(dev, qp);
	if (err)
		return err;

	qp->geo.flags |= flags;
	return 0;
}

/* @ctx: context of the process that maps them, NULL for the kernel */
static int ornic_qp_alloc_rings(struct ornic_ib_dev *dev, struct ornic_qp *qp,
				struct ornic_ucontext *ctx)
{
	const struct ornic_qp_geometry *geo = &qp->geo;
	int err;

	qp->mem = ornic_slab_alloc(&dev->ibdev, ctx ? &ctx->slabs : NULL, geo->size);
	if (IS_ERR(qp->mem))
		return PTR_ERR(qp->mem);

	if (geo->flags & ORNIC_QP_SQ) {
		err = ornic_ringmem_describe(&dev->ibdev, qp->mem, 0, geo->sq_bytes, &qp->sq_pbl);
		if (err)
			goto err_free_mem;
	}
	if (geo->flags & ORNIC_QP_RQ) {
		err = ornic_ringmem_describe(&dev->ibdev, qp->mem, geo->rq_offset, geo->rq_bytes,
					     &qp->rq_pbl);
		if (err)
			goto err_free_sq_pbl;
	}
	return 0;

err_free_sq_pbl:
	ornic_pbl_free(&dev->ibdev, &qp->sq_pbl);
err_free_mem:
	ornic_slab_free(&dev->ibdev, qp->mem);
	return err;
}

static void ornic_qp_free_rings(struct ornic_ib_dev *dev, struct ornic_qp *qp)
{
	ornic_pbl_free(&dev->ibdev, &qp->rq_pbl);
	ornic_pbl_free(&dev->ibdev, &qp->sq_pbl);
	if (qp->mem)
		ornic_slab_free(&dev->ibdev, qp->mem);
}

/* The type of a QP determines the other objects that it uses */
static void ornic_qp_name_objects(const struct ib_qp_init_attr *init, struct ib_pd *pd,
				  struct ornic_create_qp_in *in)
{
	if (pd)
		in->pdn = cpu_to_le32(to_ornic_pd(pd)->pdn);
	if (init->send_cq)
		in->send_cqn = cpu_to_le32(to_ornic_cq(init->send_cq)->res.num);
	if (init->recv_cq)
		in->recv_cqn = cpu_to_le32(to_ornic_cq(init->recv_cq)->res.num);
	if (init->srq)
		in->srqn = cpu_to_le32(to_ornic_srq(init->srq)->res.num);
	if (init->qp_type == IB_QPT_XRC_TGT)
		in->xrcdn = cpu_to_le32(to_ornic_xrcd(init->xrcd)->xrcdn);
	if (init->rwq_ind_tbl)
		in->rwq_table = cpu_to_le32(init->rwq_ind_tbl->ind_tbl_num);
}

static int ornic_qp_create(struct ornic_ib_dev *dev, struct ornic_qp *qp,
			   const struct ib_qp_init_attr *init, u32 uctx,
			   const struct ornic_create_qp_req *req)
{
	struct ornic_create_qp_in in = {
		.uctx = cpu_to_le32(uctx),
		.flags = cpu_to_le32(qp->geo.flags | (qp->kernel ? ORNIC_QP_KERNEL : 0) |
				     (qp->sig_all ? ORNIC_QP_SIG_ALL : 0)),
		.type = ornic_qp_hw_type(init->qp_type),
		.log_sq_slots = qp->geo.log_sq_slots,
		.log_rq_wqes = qp->geo.log_rq_wqes,
		.rq_stride_shift = qp->geo.rq_stride_shift,
		.sq = qp->sq_pbl.buf,
		.rq = qp->rq_pbl.buf,
	};
	struct ornic_create_qp_out out;
	struct ornic_slab_record dbr;
	int err;

	ornic_qp_name_objects(init, qp->ibqp.pd, &in);
	if (qp->mem) {
		dbr = ornic_slab_record(qp->mem, qp->geo.dbr_offset);
		in.dbr_addr = cpu_to_le64(ornic_ringmem_dma(dbr.mem, dbr.offset));
	}
	in.rx_hash_fields = cpu_to_le32(req->rx_hash_fields);
	memcpy(in.rx_hash_key, req->rx_hash_key, sizeof(in.rx_hash_key));

	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_CREATE_QP, &in, sizeof(in), &out, sizeof(out));
	if (err)
		return err;

	qp->slot = le32_to_cpu(out.slot);
	qp->res.num = le32_to_cpu(out.qpn);
	qp->res.type = ORNIC_RES_QP;
	qp->res.event = ornic_qp_event;
	/* Numbers have 24 bits on the wire, and the last one means no QP */
	if (qp->res.num >= ORNIC_QPN_NONE) {
		ibdev_dbg_ratelimited(&dev->ibdev, "the device numbers a QP %#x\n", qp->res.num);
		err = -EIO;
		goto err_destroy_qp;
	}

	err = ornic_res_add(dev->odev, &qp->res);
	if (err)
		goto err_destroy_qp;

	qp->ibqp.qp_num = init->qp_type == IB_QPT_GSI ? 1 : qp->res.num;
	return 0;

err_destroy_qp:
	ornic_cmd_release(dev->odev, ORNIC_CMD_DESTROY_QP, qp->res.num);
	return err;
}

static void ornic_qp_release(struct ornic_ib_dev *dev, struct ornic_qp *qp)
{
	ornic_ib_release(dev, ORNIC_CMD_DESTROY_QP, &qp->res);
	cancel_work_sync(&qp->event_work);
}

/* Kernel consumers free what they posted and ignore the result */
static int ornic_qp_destroy(struct ornic_ib_dev *dev, struct ornic_qp *qp)
{
	if (qp->kernel) {
		ornic_qp_release(dev, qp);
		return 0;
	}

	ornic_res_remove(dev->odev, &qp->res);
	cancel_work_sync(&qp->event_work);
	return ornic_cmd_destroy(dev->odev, ORNIC_CMD_DESTROY_QP, qp->res.num);
}

static int ornic_qp_respond(struct ornic_qp *qp, struct ib_udata *udata)
{
	struct ornic_create_qp_resp resp = {
		.qpn = qp->res.num,
		.slot = qp->slot,
		.log_sq_slots = qp->geo.log_sq_slots,
		.log_rq_wqes = qp->geo.log_rq_wqes,
		.rq_stride_shift = qp->geo.rq_stride_shift,
	};
	struct ornic_slab_place place;

	if (qp->mem) {
		place = ornic_slab_locate(qp->mem);
		resp.map = place.map;
		resp.sq_offset = place.offset;
		resp.rq_offset = place.offset + qp->geo.rq_offset;
		resp.dbr_offset = ornic_slab_record(qp->mem, qp->geo.dbr_offset).offset;
	}

	return ib_respond_udata(udata, resp);
}

static int ornic_qp_create_user(struct ornic_ib_dev *dev, struct ornic_qp *qp,
				const struct ib_qp_init_attr *init,
				const struct ornic_create_qp_req *req, struct ib_udata *udata)
{
	struct ornic_ucontext *ctx = rdma_udata_to_drv_context(udata, struct ornic_ucontext,
							       ibuctx);
	int err;

	if (!init->rwq_ind_tbl) {
		err = ornic_qp_alloc_rings(dev, qp, ctx);
		if (err)
			return err;
	}

	err = ornic_qp_create(dev, qp, init, ctx->uctx.num, req);
	if (err)
		goto err_free_rings;

	err = ornic_qp_respond(qp, udata);
	if (err)
		goto err_release_qp;

	return 0;

err_release_qp:
	ornic_qp_release(dev, qp);
err_free_rings:
	ornic_qp_free_rings(dev, qp);
	return err;
}

static int ornic_qp_create_kernel(struct ornic_ib_dev *dev, struct ornic_qp *qp,
				  const struct ib_qp_init_attr *init,
				  const struct ornic_create_qp_req *req)
{
	int err;

	err = ornic_qp_alloc_rings(dev, qp, NULL);
	if (err)
		return err;

	err = ornic_qp_kernel_init(qp);
	if (err)
		goto err_free_rings;

	err = ornic_qp_create(dev, qp, init, 0, req);
	if (err)
		goto err_kernel_uninit;

	err = ornic_qp_attach(dev, qp);
	if (err)
		goto err_release_qp;

	return 0;

err_release_qp:
	ornic_qp_release(dev, qp);
err_kernel_uninit:
	ornic_qp_kernel_uninit(qp);
err_free_rings:
	ornic_qp_free_rings(dev, qp);
	return err;
}

int ornic_ib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	struct ornic_create_qp_req req = {};
	u32 flags;
	int err;

	if (udata) {
		err = ib_copy_validate_udata_in_cm(udata, req, rx_hash_key, 0);
		if (err)
			return err;
	}

	err = ornic_qp_check(dev, init, udata);
	if (err)
		return err;
	err = ornic_qp_check_req(dev, init, &req);
	if (err)
		return err;
	err = ornic_qp_flags_to_hw(dev, init, &flags);
	if (err)
		return err;

	/* An XRC target is shared by processes, and no kernel QP */
	qp->kernel = !udata && init->qp_type != IB_QPT_XRC_TGT;
	qp->state = init->rwq_ind_tbl ? IB_QPS_RTS : IB_QPS_RESET;
	err = ornic_qp_plan(dev, qp, init, &req, flags);
	if (err)
		return err;

	mutex_init(&qp->modify_lock);
	INIT_WORK(&qp->event_work, ornic_qp_event_work);

	if (udata)
		err = ornic_qp_create_user(dev, qp, init, &req, udata);
	else if (qp->kernel)
		err = ornic_qp_create_kernel(dev, qp, init, &req);
	else
		err = ornic_qp_create(dev, qp, init, 0, &req);
	if (err)
		return err;

	trace_ornic_qp_create(&dev->ibdev, qp->res.num, ibqp->qp_type);
	init->cap = qp->cap;
	return 0;
}

int ornic_ib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	int err;

	if (qp->kernel)
		ornic_qp_detach(dev, qp);

	err = ornic_qp_destroy(dev, qp);
	if (err)
		return err;

	trace_ornic_qp_destroy(&dev->ibdev, qp->res.num, ibqp->qp_type);
	if (qp->kernel)
		ornic_qp_kernel_uninit(qp);
	ornic_qp_free_rings(dev, qp);
	return 0;
}

/* The core has checked the QP's type and the GID; RoCE has no LID */
static int ornic_mcast_exec(struct ib_qp *ibqp, const union ib_gid *gid, enum ornic_opcode opcode)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_mcast_in in = { .qpn = cpu_to_le32(to_ornic_qp(ibqp)->res.num) };

	memcpy(in.gid, gid->raw, sizeof(in.gid));
	return ornic_cmd_exec(dev->odev, opcode, &in, sizeof(in), NULL, 0);
}

int ornic_ib_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return ornic_mcast_exec(ibqp, gid, ORNIC_CMD_ATTACH_MCAST);
}

int ornic_ib_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	int err;

	err = ornic_mcast_exec(ibqp, gid, ORNIC_CMD_DETACH_MCAST);
	/* A dead device has no groups any more */
	return err == -EIO ? 0 : err;
}
