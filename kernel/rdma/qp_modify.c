// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: modify, query and events */
#include <linux/netdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ornic-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ah.h"
#include "device.h"
#include "ornic_rdma_trace.h"
#include "qp.h"

/* Fields of 5 and 3 bits, IBTA 9.7 and table 45 */
#define ORNIC_TIMEOUT_MAX	31
#define ORNIC_RNR_TIMER_MAX	31
#define ORNIC_RETRY_MAX		7

/* Access flags that the device applies to QPs */
#define ORNIC_QP_ACCESS		(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
				 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_FLUSH_GLOBAL | \
				 IB_ACCESS_FLUSH_PERSISTENT)
/* Access flags of memory, which consumers often set for QPs, too */
#define ORNIC_QP_ACCESS_IGNORED	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_MW_BIND | \
				 IB_ACCESS_OPTIONAL)

/*
 * Attributes that are passed to the device. Port and P_Key index have one legal
 * value, and so has the migration state: the core refuses alternate paths on
 * RoCE.
 */
#define ORNIC_QP_ATTR_MASK	(IB_QP_STATE | IB_QP_CUR_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY | \
				 IB_QP_ACCESS_FLAGS | IB_QP_QKEY | IB_QP_AV | \
				 IB_QP_PATH_MTU | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | \
				 IB_QP_RNR_RETRY | IB_QP_RQ_PSN | IB_QP_MAX_QP_RD_ATOMIC | \
				 IB_QP_MIN_RNR_TIMER | IB_QP_SQ_PSN | \
				 IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_DEST_QPN | \
				 IB_QP_RATE_LIMIT)

/* Kinds of events of a QP */
#define ORNIC_QP_EVENTS		(ORNIC_EVENT_QP_LAST_WQE - ORNIC_EVENT_QP_FATAL + 1)

/* Both use the bits and the states of libibverbs */
static_assert(IB_QP_STATE == ORNIC_QP_ATTR_STATE);
static_assert(IB_QP_CUR_STATE == ORNIC_QP_ATTR_CUR_STATE);
static_assert(IB_QP_EN_SQD_ASYNC_NOTIFY == ORNIC_QP_ATTR_EN_SQD_ASYNC);
static_assert(IB_QP_ACCESS_FLAGS == ORNIC_QP_ATTR_ACCESS);
static_assert(IB_QP_QKEY == ORNIC_QP_ATTR_QKEY);
static_assert(IB_QP_AV == ORNIC_QP_ATTR_AV);
static_assert(IB_QP_PATH_MTU == ORNIC_QP_ATTR_PATH_MTU);
static_assert(IB_QP_TIMEOUT == ORNIC_QP_ATTR_TIMEOUT);
static_assert(IB_QP_RETRY_CNT == ORNIC_QP_ATTR_RETRY_CNT);
static_assert(IB_QP_RNR_RETRY == ORNIC_QP_ATTR_RNR_RETRY);
static_assert(IB_QP_RQ_PSN == ORNIC_QP_ATTR_RQ_PSN);
static_assert(IB_QP_MAX_QP_RD_ATOMIC == ORNIC_QP_ATTR_MAX_RD_ATOMIC);
static_assert(IB_QP_MIN_RNR_TIMER == ORNIC_QP_ATTR_MIN_RNR_TIMER);
static_assert(IB_QP_SQ_PSN == ORNIC_QP_ATTR_SQ_PSN);
static_assert(IB_QP_MAX_DEST_RD_ATOMIC == ORNIC_QP_ATTR_MAX_DEST_RD_ATOMIC);
static_assert(IB_QP_DEST_QPN == ORNIC_QP_ATTR_DEST_QPN);
static_assert(IB_QP_RATE_LIMIT == ORNIC_QP_ATTR_RATE_LIMIT);
static_assert((int)IB_QPS_RESET == (int)ORNIC_QPS_RESET);
static_assert((int)IB_QPS_INIT == (int)ORNIC_QPS_INIT);
static_assert((int)IB_QPS_RTR == (int)ORNIC_QPS_RTR);
static_assert((int)IB_QPS_RTS == (int)ORNIC_QPS_RTS);
static_assert((int)IB_QPS_SQD == (int)ORNIC_QPS_SQD);
static_assert((int)IB_QPS_SQE == (int)ORNIC_QPS_SQE);
static_assert((int)IB_QPS_ERR == (int)ORNIC_QPS_ERR);

/* Not ib_query_port(), which takes the RTNL to get the speed */
static int ornic_qp_check_mtu(struct ib_device *ibdev, enum ib_mtu mtu)
{
	struct net_device *ndev;
	enum ib_mtu active;

	ndev = ib_device_get_netdev(ibdev, ORNIC_IB_PORT);
	if (!ndev)
		return -ENODEV;

	active = iboe_get_mtu(READ_ONCE(ndev->mtu));
	dev_put(ndev);
	return ornic_check_range(ibdev, "path_mtu", mtu, IB_MTU_256, active);
}

static int ornic_qp_check_values(struct ornic_ib_dev *dev, const struct ib_qp_attr *attr, int mask)
{
	u32 rd_atomic = min(dev->odev->lim.max_rd_atomic, U8_MAX);
	const struct {
		int bit;	/* enum ib_qp_attr_mask */
		const char *name;
		u32 value;
		u32 min;
		u32 max;
	} limits[] = {
		{ IB_QP_PORT, "port_num", attr->port_num, ORNIC_IB_PORT, ORNIC_IB_PORT },
		{ IB_QP_PKEY_INDEX, "pkey_index", attr->pkey_index, 0, ORNIC_IB_PKEYS - 1 },
		{ IB_QP_PATH_MIG_STATE, "path_mig_state", attr->path_mig_state,
		  IB_MIG_MIGRATED, IB_MIG_MIGRATED },
		{ IB_QP_TIMEOUT, "timeout", attr->timeout, 0, ORNIC_TIMEOUT_MAX },
		{ IB_QP_RETRY_CNT, "retry_cnt", attr->retry_cnt, 0, ORNIC_RETRY_MAX },
		{ IB_QP_RNR_RETRY, "rnr_retry", attr->rnr_retry, 0, ORNIC_RETRY_MAX },
		{ IB_QP_MIN_RNR_TIMER, "min_rnr_timer", attr->min_rnr_timer,
		  0, ORNIC_RNR_TIMER_MAX },
		{ IB_QP_MAX_QP_RD_ATOMIC, "max_rd_atomic", attr->max_rd_atomic, 0, rd_atomic },
		{ IB_QP_MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic", attr->max_dest_rd_atomic,
		  0, rd_atomic },
		{ IB_QP_DEST_QPN, "dest_qp_num", attr->dest_qp_num, 0, ORNIC_CQE_QPN },
	};
	u32 i;
	int err;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		if (!(mask & limits[i].bit))
			continue;
		err = ornic_check_range(&dev->ibdev, limits[i].name, limits[i].value,
					limits[i].min, limits[i].max);
		if (err)
			return err;
	}

	if (mask & IB_QP_ACCESS_FLAGS)
		return ornic_check_flags(&dev->ibdev, "qp_access_flags", attr->qp_access_flags,
					 ORNIC_QP_ACCESS | ORNIC_QP_ACCESS_IGNORED);
	return 0;
}

/* The core allows it for every type and transition */
static int ornic_qp_check_rate(struct ornic_ib_dev *dev, const struct ornic_qp *qp, u32 rate,
			       enum ib_qp_state next)
{
	const struct ornic_limits *lim = &dev->odev->lim;

	if (qp->ibqp.qp_type != IB_QPT_RAW_PACKET || !(lim->features & ORNIC_FEAT_RATE_LIMIT)) {
		ibdev_dbg_ratelimited(&dev->ibdev, "qp[%u]: type %d has no rate limit\n",
				      qp->res.num, qp->ibqp.qp_type);
		return -EOPNOTSUPP;
	}
	if (next != IB_QPS_RTS) {
		ibdev_dbg_ratelimited(&dev->ibdev, "qp[%u]: rate limit in state %d, not RTS\n",
				      qp->res.num, next);
		return -EINVAL;
	}

	/* 0 is no limit */
	if (!rate)
		return 0;
	return ornic_check_range(&dev->ibdev, "rate_limit", rate, lim->min_rate, lim->max_rate);
}

static int ornic_qp_check_attr(struct ornic_ib_dev *dev, const struct ib_qp_attr *attr, int mask)
{
	int err;

	err = ornic_qp_check_values(dev, attr, mask);
	if (err)
		return err;

	if (mask & IB_QP_AV) {
		err = ornic_ah_check_attr(&dev->ibdev, &attr->ah_attr);
		if (err)
			return err;
	}

	return mask & IB_QP_PATH_MTU ? ornic_qp_check_mtu(&dev->ibdev, attr->path_mtu) : 0;
}

static void ornic_qp_attr_to_hw(struct ornic_qp *qp, const struct ib_qp_attr *attr, int mask,
				struct ornic_qp_attr *hw)
{
	u32 access = to_ornic_ib_dev(qp->ibqp.device)->odev->lim.access_flags & ORNIC_QP_ACCESS;

	hw->state = attr->qp_state;
	hw->cur_state = attr->cur_qp_state;
	hw->path_mtu = attr->path_mtu;
	hw->qkey = cpu_to_le32(attr->qkey);
	hw->rq_psn = cpu_to_le32(attr->rq_psn);
	hw->sq_psn = cpu_to_le32(attr->sq_psn);
	hw->dest_qpn = cpu_to_le32(attr->dest_qp_num);
	hw->access = cpu_to_le32(attr->qp_access_flags & access);
	hw->max_rd_atomic = attr->max_rd_atomic;
	hw->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	hw->min_rnr_timer = attr->min_rnr_timer;
	hw->timeout = attr->timeout;
	hw->retry_cnt = attr->retry_cnt;
	hw->rnr_retry = attr->rnr_retry;
	hw->en_sqd_async_notify = attr->en_sqd_async_notify;
	hw->rate_limit = cpu_to_le32(attr->rate_limit);
	if (mask & IB_QP_AV) {
		u32 dest = mask & IB_QP_DEST_QPN ? attr->dest_qp_num : qp->dest_qpn;

		ornic_av_from_attr(&attr->ah_attr, &hw->av);
		/* Connections should take different paths, annex A17 */
		hw->av.udp_sport = cpu_to_le16(rdma_get_udp_sport(attr->ah_attr.grh.flow_label,
								  qp->res.num, dest));
	}
}

static int ornic_qp_do_modify(struct ornic_ib_dev *dev, struct ornic_qp *qp,
			      const struct ib_qp_attr *attr, int mask, enum ib_qp_state next,
			      const struct ornic_modify_qp_req *req)
{
	struct ornic_modify_qp_in in = {
		.qpn = cpu_to_le32(qp->res.num),
		.mask = cpu_to_le32(mask & ORNIC_QP_ATTR_MASK),
		.max_burst = cpu_to_le32(req->max_burst_size),
		.typical_frame = cpu_to_le16(req->typical_packet_size),
	};
	bool takes = next == IB_QPS_RESET && qp->kernel;
	struct ornic_modify_qp_out out;
	int err;

	ornic_due_add(&qp->due, ORNIC_QP_EVENTS);
	ornic_qp_attr_to_hw(qp, attr, mask, &in.attr);
	/* A doorbell that arrives after the reset tells an old index, [ORNIC-DB-8] */
	if (next == IB_QPS_RESET)
		ornic_doorbell_flush(dev->odev);
	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_MODIFY_QP, &in, sizeof(in), &out,
			     takes ? sizeof(out) : 0);
	if (!err && takes)
		ornic_qp_return_recv(qp, &out);
	if (err != -EIO || (next != IB_QPS_ERR && next != IB_QPS_RESET))
		return err;

	/* poll_cq flushes on a dead device, as if the QP were in ERR */
	if (next == IB_QPS_ERR && qp->ibqp.srq)
		ornic_qp_event(&qp->res, ORNIC_EVENT_QP_LAST_WQE);
	return 0;
}

/* Reads the attributes of packet pacing other than the rate */
static int ornic_qp_modify_req(const struct ornic_ib_dev *dev, struct ib_udata *udata, int mask,
			       struct ornic_modify_qp_req *req)
{
	int err;

	if (!(mask & IB_QP_RATE_LIMIT) || !udata)
		return ib_no_udata_io(udata);

	err = ib_copy_validate_udata_in_cm(udata, *req, reserved_50, 0);
	if (err)
		return err;

	err = ornic_check_reserved(&dev->ibdev, "modify_qp request", req->reserved_50,
				   sizeof(req->reserved_50));
	if (err)
		return err;

	return ib_respond_empty_udata(udata);
}

int ornic_ib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	struct ornic_modify_qp_req req = {};
	enum ib_qp_state cur, next;
	int err;

	err = ornic_qp_modify_req(dev, udata, mask, &req);
	if (err)
		return err;

	err = ornic_check_flags(&dev->ibdev, "QP attribute mask", mask,
				IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT);
	if (err)
		return err;

	if (ibqp->rwq_ind_tbl) {
		ibdev_dbg_ratelimited(&dev->ibdev, "qp[%u]: an RSS QP never changes\n",
				      qp->res.num);
		return -EOPNOTSUPP;
	}

	mutex_lock(&qp->modify_lock);
	cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	next = mask & IB_QP_STATE ? attr->qp_state : cur;
	if (!ib_modify_qp_is_ok(cur, next, ibqp->qp_type, mask)) {
		ibdev_dbg_ratelimited(&dev->ibdev,
				      "qp[%u]: type %d, state %d to %d: mask %#x is not allowed\n",
				      qp->res.num, ibqp->qp_type, cur, next, mask);
		err = -EINVAL;
		goto out;
	}

	err = ornic_qp_check_attr(dev, attr, mask);
	if (err)
		goto out;

	if (mask & IB_QP_RATE_LIMIT) {
		err = ornic_qp_check_rate(dev, qp, attr->rate_limit, next);
		if (err)
			goto out;
	}

	err = ornic_qp_do_modify(dev, qp, attr, mask, next, &req);
	if (mask & IB_QP_STATE)
		trace_ornic_qp_state(&dev->ibdev, qp->res.num, cur, next, err);
	if (err)
		goto out;

	WRITE_ONCE(qp->state, next);
	if (mask & IB_QP_DEST_QPN)
		qp->dest_qpn = attr->dest_qp_num;
	if (next == IB_QPS_RESET && qp->kernel)
		ornic_qp_forget(qp);
out:
	mutex_unlock(&qp->modify_lock);
	return err;
}

static void ornic_qp_attr_from_hw(const struct ornic_qp_attr *hw, struct ib_qp_attr *attr)
{
	attr->qp_state = min_t(u32, hw->state, IB_QPS_ERR);
	attr->cur_qp_state = attr->qp_state;
	attr->path_mtu = min_t(u32, hw->path_mtu, IB_MTU_4096);
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qkey = le32_to_cpu(hw->qkey);
	attr->rq_psn = le32_to_cpu(hw->rq_psn);
	attr->sq_psn = le32_to_cpu(hw->sq_psn);
	attr->dest_qp_num = le32_to_cpu(hw->dest_qpn);
	attr->qp_access_flags = le32_to_cpu(hw->access) & ORNIC_QP_ACCESS;
	attr->port_num = ORNIC_IB_PORT;
	attr->max_rd_atomic = hw->max_rd_atomic;
	attr->max_dest_rd_atomic = hw->max_dest_rd_atomic;
	attr->min_rnr_timer = hw->min_rnr_timer;
	attr->timeout = hw->timeout;
	attr->retry_cnt = hw->retry_cnt;
	attr->rnr_retry = hw->rnr_retry;
	attr->sq_draining = hw->sq_draining;
	attr->en_sqd_async_notify = hw->en_sqd_async_notify;
	attr->rate_limit = le32_to_cpu(hw->rate_limit);
	ornic_av_to_attr(&hw->av, &attr->ah_attr);
}

int ornic_ib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		      struct ib_qp_init_attr *init)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_qp *qp = to_ornic_qp(ibqp);
	struct ornic_object in = { .num = cpu_to_le32(qp->res.num) };
	struct ornic_qp_attr hw;
	int err;

	/* The core copies all members to the process, and clears none */
	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));

	mutex_lock(&qp->modify_lock);
	err = ornic_cmd_exec(dev->odev, ORNIC_CMD_QUERY_QP, &in, sizeof(in), &hw, sizeof(hw));
	if (!err) {
		ornic_qp_attr_from_hw(&hw, attr);
		/* An error may have changed the state */
		if (qp->state != attr->qp_state)
			trace_ornic_qp_state(&dev->ibdev, qp->res.num, qp->state, attr->qp_state,
					     0);
		WRITE_ONCE(qp->state, attr->qp_state);
	}
	mutex_unlock(&qp->modify_lock);
	if (err)
		return err;

	attr->cap = qp->cap;
	init->cap = qp->cap;
	init->qp_type = ibqp->qp_type;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->xrcd = ibqp->xrcd;
	init->rwq_ind_tbl = ibqp->rwq_ind_tbl;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->port_num = ibqp->port;
	return 0;
}

static int ornic_qp_event_type(enum ornic_event event)
{
	switch (event) {
	case ORNIC_EVENT_QP_FATAL:
		return IB_EVENT_QP_FATAL;
	case ORNIC_EVENT_QP_REQ_ERR:
		return IB_EVENT_QP_REQ_ERR;
	case ORNIC_EVENT_QP_ACCESS_ERR:
		return IB_EVENT_QP_ACCESS_ERR;
	case ORNIC_EVENT_QP_COMM_EST:
		return IB_EVENT_COMM_EST;
	case ORNIC_EVENT_QP_SQ_DRAINED:
		return IB_EVENT_SQ_DRAINED;
	case ORNIC_EVENT_QP_LAST_WQE:
		return IB_EVENT_QP_LAST_WQE_REACHED;
	default:
		return -EINVAL;
	}
}

/* Called in hard interrupt context, but handlers of consumers may sleep */
void ornic_qp_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_qp *qp = container_of(res, struct ornic_qp, res);

	if (event < ORNIC_EVENT_QP_FATAL || event > ORNIC_EVENT_QP_LAST_WQE)
		return;

	/* See ornic_cq_check_gsi(); receives that are lost with their ring do not complete */
	if (event == ORNIC_EVENT_QP_FATAL && qp->ibqp.qp_type == IB_QPT_GSI) {
		ornic_dev_fail(to_ornic_ib_dev(qp->ibqp.device)->odev,
			       "gsi qp[%u]: queue pair event %u", res->num, event);
		return;
	}

	if (!ornic_due_take(&qp->due))
		return;

	set_bit(event - ORNIC_EVENT_QP_FATAL, &qp->events);
	queue_work(ib_wq, &qp->event_work);
}

void ornic_qp_event_work(struct work_struct *work)
{
	struct ornic_qp *qp = container_of(work, struct ornic_qp, event_work);
	unsigned long events = xchg(&qp->events, 0);
	unsigned int bit;

	for_each_set_bit(bit, &events, BITS_PER_LONG) {
		struct ib_event ibevent = {
			.device = qp->ibqp.device,
			.element.qp = &qp->ibqp,
			.event = ornic_qp_event_type(ORNIC_EVENT_QP_FATAL + bit),
		};

		qp->ibqp.event_handler(&ibevent, qp->ibqp.qp_context);
	}
}
