// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pair of the interface: memory, CQs, QP, NAPI */
#include <net/devlink.h>
#include <net/gro.h>

#include "cmd.h"
#include "eq.h"
#include "health.h"
#include "netdev.h"

/* Doorbell records of a queue pair share a page, each on a line of its own */
#define ORNIC_DBR_QP		0
#define ORNIC_DBR_TX_CQ		128
#define ORNIC_DBR_RX_CQ		192
#define ORNIC_DBR_BYTES		256

static struct ornic_queue *ornic_queue_of_cq(struct ornic_res *res, bool rx)
{
	return rx ? container_of(res, struct ornic_queue, rx_cq_res) :
		    container_of(res, struct ornic_queue, tx_cq_res);
}

/**
 * ornic_queue_fail - have a queue pair replaced, because it has failed
 * @queue:	the queue pair
 * @side:	the side that has failed
 * @fmt:	reason for the log, without a newline
 *
 * May be called in any context and more than once. Only the first call for a
 * side is logged and starts recovery.
 */
void ornic_queue_fail(struct ornic_queue *queue, enum ornic_queue_side side, const char *fmt, ...)
{
	struct ornic_core *core = queue->nd->core;
	struct va_format vaf;
	va_list args;

	/* A dead device is reported where it is found; a retired pair goes */
	if (!ornic_cmdq_running(&core->cmdq) || READ_ONCE(queue->retired) ||
	    test_and_set_bit(side, &queue->faults))
		return;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	dev_err(ornic_device(core), "queue %u: %pV\n", queue->index, &vaf);
	va_end(args);

	queue_delayed_work(system_dfl_long_wq, &core->recovery, 0);
}

/*
 * One report is for all queue pairs whose side has failed, because they are
 * replaced together.
 */
static void ornic_queue_report_side(struct ornic_netdev *nd, enum ornic_queue_side side,
				    struct devlink_health_reporter *reporter)
{
	struct ornic_core *core = nd->core;
	u32 found = 0, reported = 0, first = 0, i;
	char reason[32];
	int err;

	rtnl_lock();
	for (i = 0; nd->open && i < nd->config.num_queues; i++) {
		if (!test_bit(side, &nd->queues[i]->faults))
			continue;
		if (__test_and_set_bit(side, &nd->queues[i]->reported))
			reported++;
		else if (!found++)
			first = i;
	}
	rtnl_unlock();
	if (!found)
		return;

	/*
	 * Users may have replaced the queue pairs of the last report, without
	 * devlink.
	 */
	if (!reported)
		devlink_health_reporter_state_update(reporter,
						     DEVLINK_HEALTH_REPORTER_STATE_HEALTHY);

	snprintf(reason, sizeof(reason), "queue %u has failed", first);
	err = devlink_health_report(reporter, reason, core);
	if (err)
		ornic_fail(core, "%s, and is not replaced: error %d", reason, err);
}

/**
 * ornic_queue_report - have devlink recover queue pairs that have failed
 * @nd:		the interface; neither rtnl_lock nor devl_lock is held
 *
 * The device is reset if that is no help.
 */
void ornic_queue_report(struct ornic_netdev *nd)
{
	ornic_queue_report_side(nd, ORNIC_QUEUE_TX, nd->core->tx_reporter);
	ornic_queue_report_side(nd, ORNIC_QUEUE_RX, nd->core->rx_reporter);
}

static void ornic_queue_cq_event(struct ornic_queue *queue, enum ornic_queue_side side,
				 enum ornic_event event)
{
	if (event == ORNIC_EVENT_COMP)
		napi_schedule(&queue->napi);
	else
		ornic_queue_fail(queue, side, "completion queue event %u", event);
}

static void ornic_queue_tx_cq_event(struct ornic_res *res, enum ornic_event event)
{
	ornic_queue_cq_event(ornic_queue_of_cq(res, false), ORNIC_QUEUE_TX, event);
}

static void ornic_queue_rx_cq_event(struct ornic_res *res, enum ornic_event event)
{
	ornic_queue_cq_event(ornic_queue_of_cq(res, true), ORNIC_QUEUE_RX, event);
}

static void ornic_queue_tx_cq_gap(struct ornic_res *res, u32 ci)
{
	ornic_queue_fail(ornic_queue_of_cq(res, false), ORNIC_QUEUE_TX,
			 "send completion queue lacks entry %u", ci);
}

static void ornic_queue_rx_cq_gap(struct ornic_res *res, u32 ci)
{
	ornic_queue_fail(ornic_queue_of_cq(res, true), ORNIC_QUEUE_RX,
			 "receive completion queue lacks entry %u", ci);
}

static void ornic_queue_qp_event(struct ornic_res *res, enum ornic_event event)
{
	struct ornic_queue *queue = container_of(res, struct ornic_queue, qp_res);

	switch (event) {
	case ORNIC_EVENT_QP_FATAL:
	case ORNIC_EVENT_QP_REQ_ERR:
	case ORNIC_EVENT_QP_ACCESS_ERR:
		ornic_queue_fail(queue, ORNIC_QUEUE_TX, "queue pair event %u", event);
		break;
	default:
		break;
	}
}

/*
 * Each slot or receive may have a completion. If doorbells tell the device what
 * was consumed, a ring of twice that size has room for what is not told yet, so
 * that the request for the next event tells it in most cases.
 */
static u8 ornic_queue_cq_log_size(const struct ornic_queue *queue, u8 log_entries)
{
	const struct ornic_dev *odev = ornic_nd_dev(queue->nd);

	if (odev->shadow || 2u << log_entries > odev->lim.max_cqe)
		return log_entries;
	return log_entries + 1;
}

static int ornic_queue_alloc_bufs(struct ornic_queue *queue)
{
	struct ornic_dev *odev = ornic_nd_dev(queue->nd);
	u8 log_tx_cqes = ornic_queue_cq_log_size(queue, queue->tx.log_slots);
	u8 log_rx_cqes = ornic_queue_cq_log_size(queue, queue->rx.log_wqes);
	u32 tx_slots = 1u << queue->tx.log_slots;
	u32 rx_wqes = 1u << queue->rx.log_wqes;
	int err;

	err = ornic_dbuf_alloc(odev, &queue->dbr_buf, ORNIC_DBR_BYTES);
	if (err)
		return err;

	err = ornic_dbuf_alloc(odev, &queue->sq_buf, tx_slots * ORNIC_SLOT_SIZE);
	if (err)
		goto err_free_dbr;

	err = ornic_dbuf_alloc(odev, &queue->rq_buf, rx_wqes << queue->rx.stride_shift);
	if (err)
		goto err_free_sq;

	err = ornic_dbuf_alloc(odev, &queue->tx_cq_buf, sizeof(struct ornic_cqe) << log_tx_cqes);
	if (err)
		goto err_free_rq;

	err = ornic_dbuf_alloc(odev, &queue->rx_cq_buf, sizeof(struct ornic_cqe_64) << log_rx_cqes);
	if (err)
		goto err_free_tx_cq;

	queue->dbr = queue->dbr_buf.addr + ORNIC_DBR_QP;
	return 0;

err_free_tx_cq:
	ornic_dbuf_free(odev, &queue->tx_cq_buf);
err_free_rq:
	ornic_dbuf_free(odev, &queue->rq_buf);
err_free_sq:
	ornic_dbuf_free(odev, &queue->sq_buf);
err_free_dbr:
	ornic_dbuf_free(odev, &queue->dbr_buf);
	return err;
}

static void ornic_queue_free_bufs(struct ornic_queue *queue)
{
	struct ornic_dev *odev = ornic_nd_dev(queue->nd);

	ornic_dbuf_free(odev, &queue->rx_cq_buf);
	ornic_dbuf_free(odev, &queue->tx_cq_buf);
	ornic_dbuf_free(odev, &queue->rq_buf);
	ornic_dbuf_free(odev, &queue->sq_buf);
	ornic_dbuf_free(odev, &queue->dbr_buf);
}

static int ornic_queue_create_cq(struct ornic_queue *queue, struct ornic_cq_ring *ring,
				 struct ornic_dbuf *buf, u8 log_size, u8 log_cqe_size,
				 u32 dbr_offset, struct ornic_res *res)
{
	struct ornic_dev *odev = ornic_nd_dev(queue->nd);
	struct ornic_create_cq_in in = {
		.eqn = cpu_to_le32(ornic_eq_comp_num(odev, queue->index)),
		.log_size = log_size,
		.log_cqe_size = log_cqe_size,
		.dbr_addr = cpu_to_le64(queue->dbr_buf.dma + dbr_offset),
	};
	int err;

	*ring = (struct ornic_cq_ring) {
		.buf = buf->addr,
		.dbr = queue->dbr_buf.addr + dbr_offset,
		.db = odev->shadow ? NULL : odev->db,
		.log_size = log_size,
		.log_cqe_size = log_cqe_size,
	};
	ornic_dbuf_describe(buf, 0, 1u << (log_size + log_cqe_size), &in.buf);
	err = ornic_cmd_create_as(odev, true, ORNIC_CMD_CREATE_CQ, &in, sizeof(in), &ring->cqn);
	if (err)
		return err;

	res->num = ring->cqn;
	res->type = ORNIC_RES_CQ;
	res->polled = ring;
	err = ornic_res_add(odev, res);
	if (err)
		ornic_cmd_release_as(odev, true, ORNIC_CMD_DESTROY_CQ, ring->cqn);
	return err;
}

static void ornic_queue_destroy_cq(struct ornic_queue *queue, struct ornic_res *res)
{
	struct ornic_dev *odev = ornic_nd_dev(queue->nd);

	ornic_res_remove(odev, res);
	ornic_cmd_release_as(odev, true, ORNIC_CMD_DESTROY_CQ, res->num);
}

static int ornic_queue_moderate_cq(struct ornic_queue *queue, const struct ornic_cq_ring *ring,
				   const struct ornic_moderation *moderation)
{
	struct ornic_modify_cq_in in = {
		.cqn = cpu_to_le32(ring->cqn),
		.count = cpu_to_le16(moderation->frames ?: U16_MAX),
		.period = cpu_to_le16(moderation->usecs),
	};

	return ornic_cmd_exec_urgent(ornic_nd_dev(queue->nd), ORNIC_CMD_MODIFY_CQ, &in, sizeof(in),
				     NULL, 0);
}

/**
 * ornic_queue_moderate - set how rare the interrupts of a queue pair are
 * @queue:	the queue pair; its CQs exist, and the device has
 *		FEAT_CQ_MODERATION
 * @coalesce:	the settings
 *
 * Return: 0 or a negative error number.
 */
int ornic_queue_moderate(struct ornic_queue *queue, const struct ornic_coalesce *coalesce)
{
	int err = ornic_queue_moderate_cq(queue, &queue->rx.cq, &coalesce->rx);

	return err ?: ornic_queue_moderate_cq(queue, &queue->tx.cq, &coalesce->tx);
}

static int ornic_queue_modify_qp(struct ornic_queue *queue, enum ornic_qp_state state)
{
	struct ornic_modify_qp_in in = {
		.qpn = cpu_to_le32(queue->qpn),
		.mask = cpu_to_le32(ORNIC_QP_ATTR_STATE),
		.attr.state = state,
	};

	return ornic_cmd_exec_urgent(ornic_nd_dev(queue->nd), ORNIC_CMD_MODIFY_QP, &in, sizeof(in),
				     NULL, 0);
}

static int ornic_queue_create_qp(struct ornic_queue *queue)
{
	struct ornic_netdev *nd = queue->nd;
	struct ornic_dev *odev = ornic_nd_dev(nd);
	struct ornic_create_qp_in in = {
		.pdn = cpu_to_le32(nd->pdn),
		.send_cqn = cpu_to_le32(queue->tx.cq.cqn),
		.recv_cqn = cpu_to_le32(queue->rx.cq.cqn),
		.flags = cpu_to_le32(ORNIC_QP_SQ | ORNIC_QP_RQ | ORNIC_QP_KERNEL),
		.type = ORNIC_QPT_RAW_PACKET,
		.log_sq_slots = queue->tx.log_slots,
		.log_rq_wqes = queue->rx.log_wqes,
		.rq_stride_shift = queue->rx.stride_shift,
		.dbr_addr = cpu_to_le64(queue->dbr_buf.dma + ORNIC_DBR_QP),
	};
	struct ornic_create_qp_out out;
	int err;

	if (queue->rx.strip_vlan)
		in.flags |= cpu_to_le32(ORNIC_QP_CVLAN_STRIPPING);
	ornic_dbuf_describe(&queue->sq_buf, 0, ORNIC_SLOT_SIZE << queue->tx.log_slots, &in.sq);
	ornic_dbuf_describe(&queue->rq_buf, 0,
			    1u << (queue->rx.log_wqes + queue->rx.stride_shift), &in.rq);
	err = ornic_cmd_exec_urgent(odev, ORNIC_CMD_CREATE_QP, &in, sizeof(in), &out, sizeof(out));
	if (err)
		return err;

	queue->qpn = le32_to_cpu(out.qpn);
	queue->slot = le32_to_cpu(out.slot);
	queue->qp_res.num = queue->qpn;
	queue->qp_res.type = ORNIC_RES_QP;
	err = ornic_res_add(odev, &queue->qp_res);
	if (err)
		goto err_destroy_qp;

	err = ornic_queue_modify_qp(queue, ORNIC_QPS_INIT);
	if (err)
		goto err_remove_res;

	err = ornic_queue_modify_qp(queue, ORNIC_QPS_RTR);
	if (err)
		goto err_remove_res;

	err = ornic_queue_modify_qp(queue, ORNIC_QPS_RTS);
	if (err)
		goto err_remove_res;

	return 0;

err_remove_res:
	ornic_res_remove(odev, &queue->qp_res);
err_destroy_qp:
	ornic_cmd_release_as(odev, true, ORNIC_CMD_DESTROY_QP, queue->qpn);
	return err;
}

static void ornic_queue_destroy_qp(struct ornic_queue *queue)
{
	struct ornic_dev *odev = ornic_nd_dev(queue->nd);

	ornic_res_remove(odev, &queue->qp_res);
	ornic_cmd_release_as(odev, true, ORNIC_CMD_DESTROY_QP, queue->qpn);
}

/* Returns true if a ring holds completions */
static bool ornic_queue_arm(struct ornic_queue *queue)
{
	bool more = ornic_cq_arm(&queue->tx.cq, ORNIC_ARM_NEXT);

	return ornic_cq_arm(&queue->rx.cq, ORNIC_ARM_NEXT) || more;
}

static int ornic_queue_poll(struct napi_struct *napi, int budget)
{
	struct ornic_queue *queue = container_of(napi, struct ornic_queue, napi);
	bool more;
	int work;

	/* Netpoll keeps other polls away */
	if (!budget) {
		ornic_tx_poll(queue, budget);
		return 0;
	}

	/*
	 * Pairs with xchg() below: the last poll still arms the rings on
	 * another CPU.
	 */
	if (smp_load_acquire(&queue->arming) != ORNIC_QUEUE_IDLE) {
		if (cmpxchg(&queue->arming, ORNIC_QUEUE_ARMING, ORNIC_QUEUE_AGAIN) ==
		    ORNIC_QUEUE_IDLE)
			return budget;
		/* It schedules the next poll */
		napi_complete_done(napi, 0);
		return 0;
	}

	more = ornic_tx_poll(queue, budget);
	work = ornic_rx_poll(queue, budget);
	/*
	 * With gro_flush_timeout GRO holds frames for the next poll; this may
	 * be the last one.
	 */
	if (queue->retired)
		napi_gro_flush(napi, false);
	if (more || work == budget)
		return budget;

	/*
	 * The next poll may begin as soon as NAPI is given up, as when the
	 * first ring that is armed has an event. It must not touch rings that
	 * are being armed here. They are not armed before, because a busy poll
	 * does not give NAPI up and needs no events.
	 */
	WRITE_ONCE(queue->arming, ORNIC_QUEUE_ARMING);
	/*
	 * Do not arm a dead device: the contents of its rings are undefined. A
	 * completion that is a lie stays in its ring.
	 */
	more = napi_complete_done(napi, work) && ornic_cmdq_running(&queue->nd->core->cmdq) &&
	       !test_bit(ORNIC_QUEUE_RX, &queue->faults) && ornic_queue_arm(queue);
	if (xchg(&queue->arming, ORNIC_QUEUE_IDLE) == ORNIC_QUEUE_AGAIN || more)
		napi_schedule(napi);

	return work;
}

/**
 * ornic_queue_create - create a queue pair, ready to run
 * @nd:		the interface; its PD and key exist
 * @index:	index of the pair; another one may have it, too, which this one
 *		is to replace
 * @config:	its configuration
 *
 * Return: the queue pair or an error pointer.
 */
static struct ornic_queue *ornic_queue_create(struct ornic_netdev *nd, u32 index,
					      const struct ornic_config *config)
{
	const struct ornic_coalesce *coalesce = &nd->coalesce[index];
	struct ornic_queue *queue;
	int err;

	queue = kzalloc_node(sizeof(*queue), GFP_KERNEL, ornic_nd_node(nd));
	if (!queue)
		return ERR_PTR(-ENOMEM);

	queue->nd = nd;
	queue->index = index;
	queue->tx.log_slots = ilog2(config->tx_slots);
	queue->rx.log_wqes = ilog2(config->rx_wqes);
	queue->tx.stats = &nd->stats[index].tx;
	queue->rx.stats = &nd->stats[index].rx;
	queue->tx_cq_res.event = ornic_queue_tx_cq_event;
	queue->rx_cq_res.event = ornic_queue_rx_cq_event;
	queue->tx_cq_res.gap_found = ornic_queue_tx_cq_gap;
	queue->rx_cq_res.gap_found = ornic_queue_rx_cq_gap;
	queue->qp_res.event = ornic_queue_qp_event;
	ornic_rx_layout(&queue->rx, config);

	err = ornic_queue_alloc_bufs(queue);
	if (err)
		goto err_free_queue;

	netif_napi_add_config(nd->netdev, &queue->napi, ornic_queue_poll, index);

	err = ornic_rx_init(queue);
	if (err)
		goto err_del_napi;

	/* Uninitialised before rx, because it may be sending rx pages */
	err = ornic_tx_init(queue);
	if (err)
		goto err_uninit_rx;

	err = ornic_queue_create_cq(queue, &queue->tx.cq, &queue->tx_cq_buf,
				    ornic_queue_cq_log_size(queue, queue->tx.log_slots),
				    ilog2(sizeof(struct ornic_cqe)), ORNIC_DBR_TX_CQ,
				    &queue->tx_cq_res);
	if (err)
		goto err_uninit_tx;

	queue->tx.cq.lag = (1u << queue->tx.cq.log_size) - config->tx_slots;

	err = ornic_queue_create_cq(queue, &queue->rx.cq, &queue->rx_cq_buf,
				    ornic_queue_cq_log_size(queue, queue->rx.log_wqes),
				    ilog2(sizeof(struct ornic_cqe_64)), ORNIC_DBR_RX_CQ,
				    &queue->rx_cq_res);
	if (err)
		goto err_destroy_tx_cq;

	queue->rx.cq.lag = (1u << queue->rx.cq.log_size) - config->rx_wqes;

	/* As a new CQ is if it has no delay */
	if (coalesce->rx.usecs || coalesce->tx.usecs) {
		err = ornic_queue_moderate(queue, coalesce);
		if (err)
			goto err_destroy_rx_cq;
	}

	err = ornic_queue_create_qp(queue);
	if (err)
		goto err_destroy_rx_cq;

	err = ornic_rx_fill(queue, GFP_KERNEL);
	if (err)
		goto err_destroy_qp;

	return queue;

err_destroy_qp:
	ornic_queue_destroy_qp(queue);
err_destroy_rx_cq:
	ornic_queue_destroy_cq(queue, &queue->rx_cq_res);
err_destroy_tx_cq:
	ornic_queue_destroy_cq(queue, &queue->tx_cq_res);
err_uninit_tx:
	ornic_tx_uninit(queue);
err_uninit_rx:
	ornic_rx_uninit(queue);
err_del_napi:
	netif_napi_del(&queue->napi);
	ornic_queue_free_bufs(queue);
err_free_queue:
	kfree(queue);
	return ERR_PTR(err);
}

/**
 * ornic_queue_destroy - destroy a queue pair
 * @queue:	disabled, or never enabled. synchronize_net() was called since,
 *		because a poll that has given up NAPI may still arm the rings,
 *		and ndo_tx_timeout() look at the pair.
 */
void ornic_queue_destroy(struct ornic_queue *queue)
{
	ornic_queue_destroy_qp(queue);
	ornic_queue_destroy_cq(queue, &queue->rx_cq_res);
	ornic_queue_destroy_cq(queue, &queue->tx_cq_res);
	ornic_tx_uninit(queue);
	ornic_rx_uninit(queue);
	netif_napi_del(&queue->napi);
	ornic_queue_free_bufs(queue);
	kfree(queue);
}

/**
 * ornic_queue_begin_poll - enable NAPI and begin a poll
 * @queue:	disabled
 */
void ornic_queue_begin_poll(struct ornic_queue *queue)
{
	napi_enable(&queue->napi);

	/* The first poll arms the CQs */
	local_bh_disable();
	napi_schedule(&queue->napi);
	local_bh_enable();
}

/**
 * ornic_queue_enable - start polling
 * @queue:	created; the queue pair that it replaces is destroyed, because
 *		both have the same interrupt, and the same ID and settings of
 *		NAPI
 */
void ornic_queue_enable(struct ornic_queue *queue)
{
	struct net_device *netdev = queue->nd->netdev;

	/* Before napi_enable(), which restores the affinity of the interrupt */
	netif_napi_set_irq(&queue->napi, ornic_eq_comp_irq(queue->nd->core, queue->index));
	netif_queue_set_napi(netdev, queue->index, NETDEV_QUEUE_TYPE_RX, &queue->napi);
	netif_queue_set_napi(netdev, queue->index, NETDEV_QUEUE_TYPE_TX, &queue->napi);
	ornic_queue_begin_poll(queue);
}

/**
 * ornic_queue_disable - stop polling
 * @queue:	enabled
 */
void ornic_queue_disable(struct ornic_queue *queue)
{
	struct net_device *netdev = queue->nd->netdev;

	netif_queue_set_napi(netdev, queue->index, NETDEV_QUEUE_TYPE_TX, NULL);
	netif_queue_set_napi(netdev, queue->index, NETDEV_QUEUE_TYPE_RX, NULL);
	napi_disable(&queue->napi);
}

static bool ornic_queue_busy(const struct ornic_queue *queue)
{
	/* A failed queue pair may never finish, as that of a dead device */
	return !READ_ONCE(queue->faults) && ornic_cmdq_running(&queue->nd->core->cmdq) &&
	       (ornic_cq_peek(&queue->rx.cq) || queue->tx.ci != queue->tx.pi);
}

/**
 * ornic_queue_end_poll - end what ornic_queue_begin_poll() has begun
 * @queue:	the queue pair; it was polled once at least, and is disabled now
 *
 * Return: true if it has received frames left, or frames that are not sent.
 */
bool ornic_queue_end_poll(struct ornic_queue *queue)
{
	napi_disable(&queue->napi);
	return ornic_queue_busy(queue);
}

/**
 * ornic_queues_create - create queue pairs, ready to run
 * @nd:		the interface; its PD and key exist
 * @config:	their configuration
 * @queues:	@config.num_queues entries; the pairs are created of those that
 *		are NULL, and on error of a part of those
 *
 * Return: 0 or a negative error number.
 */
int ornic_queues_create(struct ornic_netdev *nd, const struct ornic_config *config,
			struct ornic_queue **queues)
{
	struct ornic_queue *queue;
	u32 i;

	for (i = 0; i < config->num_queues; i++) {
		if (queues[i])
			continue;

		queue = ornic_queue_create(nd, i, config);
		if (IS_ERR(queue))
			return PTR_ERR(queue);
		queues[i] = queue;
	}

	return 0;
}

/**
 * ornic_queues_destroy - destroy queue pairs
 * @queues:	those that exist are disabled, or were never enabled; all become
 *		NULL
 * @count:	number of entries
 */
void ornic_queues_destroy(struct ornic_queue **queues, u32 count)
{
	synchronize_net();
	while (count--) {
		if (queues[count])
			ornic_queue_destroy(queues[count]);
		queues[count] = NULL;
	}
}
