// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Flow rules; the core checks CAP_NET_RAW */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "counters.h"
#include "device.h"
#include "flow.h"
#include "flow_spec.h"
#include "qp.h"

static_assert((int)IB_FLOW_ATTR_NORMAL == (int)ORNIC_FLOW_NORMAL);
static_assert((int)IB_FLOW_ATTR_ALL_DEFAULT == (int)ORNIC_FLOW_ALL_DEFAULT);
static_assert((int)IB_FLOW_ATTR_MC_DEFAULT == (int)ORNIC_FLOW_MC_DEFAULT);
static_assert((int)IB_FLOW_ATTR_SNIFFER == (int)ORNIC_FLOW_SNIFFER);

struct ornic_flow {
	struct ib_flow ibflow;
	u32 num;
};

struct ib_flow *ornic_ib_create_flow(struct ib_qp *ibqp, struct ib_flow_attr *attr,
				     struct ib_udata *udata)
{
	struct ornic_ib_dev *dev = to_ornic_ib_dev(ibqp->device);
	struct ornic_create_flow_in in = {
		.qpn = cpu_to_le32(to_ornic_qp(ibqp)->res.num),
	};
	struct ib_counters *counters;
	struct ornic_flow *flow;
	const char *part;
	int err;

	err = ib_no_udata_io(udata);
	if (err)
		return ERR_PTR(err);

	if (ibqp->qp_type != IB_QPT_RAW_PACKET) {
		ibdev_dbg_ratelimited(ibqp->device, "qp[%u]: type %d has no flow rules\n",
				      ibqp->qp_num, ibqp->qp_type);
		return ERR_PTR(-EOPNOTSUPP);
	}

	err = ornic_flow_from_attr(ibqp->device, attr, &in, &counters);
	if (err)
		return ERR_PTR(err);

	part = ornic_flow_field_unsupported(&dev->odev->lim, &in);
	if (part) {
		ibdev_dbg_ratelimited(ibqp->device,
				      "qp[%u]: the device does not support %s in flow rules\n",
				      ibqp->qp_num, part);
		return ERR_PTR(-EOPNOTSUPP);
	}

	if (counters)
		in.counters = cpu_to_le32(to_ornic_counters(counters)->num);

	flow = kzalloc_obj(*flow);
	if (!flow)
		return ERR_PTR(-ENOMEM);

	err = ornic_cmd_create(dev->odev, ORNIC_CMD_CREATE_FLOW, &in, sizeof(in), &flow->num);
	if (err) {
		kfree(flow);
		return ERR_PTR(err);
	}
	return &flow->ibflow;
}

int ornic_ib_destroy_flow(struct ib_flow *ibflow)
{
	struct ornic_flow *flow = container_of(ibflow, struct ornic_flow, ibflow);
	int err;

	err = ornic_cmd_destroy(to_ornic_ib_dev(ibflow->device)->odev, ORNIC_CMD_DESTROY_FLOW,
				flow->num);
	if (err)
		return err;

	kfree(flow);
	return 0;
}
