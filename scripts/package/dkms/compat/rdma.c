// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Replacements of compat.h for ornic_rdma.ko */
#include <linux/slab.h>

#include "../kernel/rdma/comp_cntr.h"
#include "../kernel/rdma/cq.h"
#include "../kernel/rdma/device.h"
#include "../kernel/rdma/mr.h"

/* ---- Link events --------------------------------------------------------- */

#ifdef ORNIC_LACKS_PORT_STATE
/* Reports changes of the link of one device */
struct ornic_compat_port {
	struct list_head list;
	struct notifier_block nb;
	struct ib_device *ibdev;
	enum ib_port_state state;	/* protected by the RTNL */
};

static LIST_HEAD(ornic_compat_ports);
static DEFINE_MUTEX(ornic_compat_ports_lock);

static int ornic_compat_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct ornic_compat_port *port = container_of(nb, struct ornic_compat_port, nb);
	struct net_device *netdev = netdev_notifier_info_to_dev(ptr);
	struct ib_event ibevent = {
		.device = port->ibdev,
		.element.port_num = ORNIC_IB_PORT,
	};
	enum ib_port_state state;

	if (event != NETDEV_UP && event != NETDEV_CHANGE && event != NETDEV_DOWN)
		return NOTIFY_DONE;

	if (netdev != to_ornic_ib_dev(port->ibdev)->odev->netdev)
		return NOTIFY_DONE;

	state = ib_get_curr_port_state(netdev);
	if (state == port->state)
		return NOTIFY_DONE;

	port->state = state;
	ibevent.event = state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR;
	ib_dispatch_event(&ibevent);
	return NOTIFY_DONE;
}

int ornic_compat_register_device(struct ib_device *ibdev, const char *name,
				 struct device *dma_device)
{
	struct ornic_compat_port *port;
	int err;

	port = kzalloc(sizeof(*port), GFP_KERNEL);
	if (!port)
		return -ENOMEM;

	port->ibdev = ibdev;
	port->nb.notifier_call = ornic_compat_netdev_event;
	port->state = ib_get_curr_port_state(to_ornic_ib_dev(ibdev)->odev->netdev);
	err = ib_register_device(ibdev, name, dma_device);
	if (err)
		goto err_free_port;

	/* Calls the notifier, which sees what has changed since */
	err = register_netdevice_notifier(&port->nb);
	if (err)
		goto err_unregister_device;

	mutex_lock(&ornic_compat_ports_lock);
	list_add(&port->list, &ornic_compat_ports);
	mutex_unlock(&ornic_compat_ports_lock);
	return 0;

err_unregister_device:
	ib_unregister_device(ibdev);
err_free_port:
	kfree(port);
	return err;
}

void ornic_compat_unregister_device(struct ib_device *ibdev)
{
	struct ornic_compat_port *port, *found = NULL;

	mutex_lock(&ornic_compat_ports_lock);
	list_for_each_entry(port, &ornic_compat_ports, list) {
		if (port->ibdev == ibdev)
			found = port;
	}
	list_del(&found->list);
	mutex_unlock(&ornic_compat_ports_lock);

	unregister_netdevice_notifier(&found->nb);
	ib_unregister_device(ibdev);
	kfree(found);
}
#endif

/* ---- Requests and responses ---------------------------------------------- */

#ifdef ORNIC_LACKS_UDATA
int ornic_compat_copy_udata(struct ib_udata *udata, void *req, size_t size, size_t minimum)
{
	int err;

	if (udata->inlen < minimum)
		return -EINVAL;

	err = copy_struct_from_user(req, size, udata->inbuf, udata->inlen);
	return err == -E2BIG ? -EOPNOTSUPP : err;
}

int ornic_compat_respond_udata(struct ib_udata *udata, const void *resp, size_t size)
{
	size_t copied = min(size, udata->outlen);

	if (copy_to_user(udata->outbuf, resp, copied) ||
	    clear_user(udata->outbuf + copied, udata->outlen - copied))
		return -EFAULT;

	return 0;
}

int ib_is_udata_in_empty(struct ib_udata *udata)
{
	return udata && udata->inlen ? ornic_compat_copy_udata(udata, NULL, 0, 0) : 0;
}

int ib_respond_empty_udata(struct ib_udata *udata)
{
	return udata && clear_user(udata->outbuf, udata->outlen) ? -EFAULT : 0;
}

int ib_no_udata_io(struct ib_udata *udata)
{
	return ib_is_udata_in_empty(udata) ?: ib_respond_empty_udata(udata);
}
#endif

/* ---- Operations ---------------------------------------------------------- */

#ifdef ORNIC_LACKS_DMAH
struct ib_mr *ornic_compat_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova,
				       int access, struct ib_udata *udata)
{
	return ornic_ib_reg_user_mr(pd, start, length, iova, access, NULL, udata);
}

struct ib_mr *ornic_compat_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova,
					      int fd, int access,
					      struct uverbs_attr_bundle *attrs)
{
	return ornic_ib_reg_user_mr_dmabuf(pd, offset, length, iova, fd, access, NULL, attrs);
}
#endif

#ifdef ORNIC_LACKS_CREATE_USER_CQ
int ornic_compat_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			   struct uverbs_attr_bundle *attrs)
{
	return attrs ? ornic_ib_create_user_cq(cq, attr, attrs) :
		       ornic_ib_create_cq(cq, attr, attrs);
}
#endif

#ifdef ORNIC_LACKS_RESIZE_USER_CQ
/* Kernel consumers could ask, too; newer cores do not let them */
int ornic_compat_resize_cq(struct ib_cq *cq, int cqe, struct ib_udata *udata)
{
	return udata ? ornic_ib_resize_user_cq(cq, cqe, udata) : -EOPNOTSUPP;
}
#endif

/* ---- Completion counters ------------------------------------------------- */

#ifdef ORNIC_LACKS_COMP_CNTR
const struct ib_device_ops ornic_ib_comp_cntr_ops;
const struct uapi_definition ornic_ib_comp_cntr_defs[] = { {} };
#endif
