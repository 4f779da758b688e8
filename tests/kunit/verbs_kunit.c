// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Helpers for the tests of kernel verbs. They need a device whose port is up and has an IPv4
 * address.
 */
#include <linux/jiffies.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <rdma/ib_cache.h>

#include "verbs_kunit.h"

#define VERBS_PORT	1
#define VERBS_CQES	128
#define VERBS_RETRIES	7
#define VERBS_TIMER	14	/* 67 ms */
#define VERBS_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

static struct ib_device *verbs_find_device(void)
{
	struct ib_device *ibdev = NULL;
	struct net_device *ndev;

	rcu_read_lock();
	for_each_netdev_rcu(&init_net, ndev) {
		/* The driver has no number of its own */
		ibdev = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);
		if (ibdev)
			break;
	}
	rcu_read_unlock();
	return ibdev;
}

static const struct ib_gid_attr *verbs_find_gid(struct ib_device *ibdev)
{
	const struct ib_gid_attr *attr;
	u32 i;

	for (i = 0; i < ibdev->port_data[VERBS_PORT].immutable.gid_tbl_len; i++) {
		attr = rdma_get_gid_attr(ibdev, VERBS_PORT, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((const struct in6_addr *)attr->gid.raw))
			return attr;
		rdma_put_gid_attr(attr);
	}
	return ERR_PTR(-ENOENT);
}

int verbs_init(struct kunit *test)
{
	struct verbs *v;
	u32 i;

	v = kunit_kzalloc(test, sizeof(*v), GFP_KERNEL);
	if (!v)
		return -ENOMEM;

	v->test = test;
	test->priv = v;
	v->ibdev = verbs_find_device();
	if (!v->ibdev)
		return -ENODEV;

	v->sgid_attr = verbs_find_gid(v->ibdev);
	if (IS_ERR(v->sgid_attr))
		return PTR_ERR(v->sgid_attr);

	v->pd = ib_alloc_pd(v->ibdev, 0);
	if (IS_ERR(v->pd))
		return PTR_ERR(v->pd);

	for (i = 0; i < ARRAY_SIZE(v->cqs); i++) {
		v->cqs[i] = ib_alloc_cq(v->ibdev, NULL, VERBS_CQES, 0, IB_POLL_DIRECT);
		if (IS_ERR(v->cqs[i]))
			return PTR_ERR(v->cqs[i]);
	}
	return 0;
}

/* verbs_init() may have failed half-way */
void verbs_exit(struct kunit *test)
{
	struct verbs *v = test->priv;
	u32 i;

	if (!v || !v->ibdev)
		return;

	for (i = 0; i < ARRAY_SIZE(v->cqs); i++)
		if (!IS_ERR_OR_NULL(v->cqs[i]))
			ib_free_cq(v->cqs[i]);
	if (!IS_ERR_OR_NULL(v->pd))
		ib_dealloc_pd(v->pd);
	if (!IS_ERR_OR_NULL(v->sgid_attr))
		rdma_put_gid_attr(v->sgid_attr);
	ib_device_put(v->ibdev);
}

void verbs_buf_init(struct verbs *v, struct verbs_buf *buf, u32 size)
{
	*buf = (struct verbs_buf) {
		.v = v,
		.data = kzalloc(size, GFP_KERNEL),
		.size = size,
		.sge = { .length = size, .lkey = v->pd->local_dma_lkey },
	};
	KUNIT_ASSERT_NOT_NULL(v->test, buf->data);
	buf->sge.addr = ib_dma_map_single(v->ibdev, buf->data, size, DMA_BIDIRECTIONAL);
	KUNIT_ASSERT_EQ(v->test, ib_dma_mapping_error(v->ibdev, buf->sge.addr), 0);
}

void verbs_buf_exit(struct verbs_buf *buf)
{
	ib_dma_unmap_single(buf->v->ibdev, buf->sge.addr, buf->size, DMA_BIDIRECTIONAL);
	kfree(buf->data);
}

struct ib_qp *verbs_create_qp(struct verbs *v, enum ib_qp_type type, struct ib_cq *cq,
			      struct ib_srq *srq)
{
	struct ib_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.cap = {
			.max_send_wr = VERBS_WRS,
			.max_recv_wr = srq ? 0 : VERBS_WRS,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = type,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.port_num = VERBS_PORT,
	};

	return ib_create_qp(v->pd, &init);
}

static void verbs_connect(struct verbs *v, struct ib_qp *qp, u32 dest)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = VERBS_PORT,
		.qp_access_flags = VERBS_ACCESS,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = dest,
		.max_dest_rd_atomic = 4,
		.max_rd_atomic = 4,
		.min_rnr_timer = 12,	/* 0.64 ms */
		.timeout = VERBS_TIMER,
		.retry_cnt = VERBS_RETRIES,
		.rnr_retry = VERBS_RETRIES,
		.ah_attr = { .type = RDMA_AH_ATTR_TYPE_ROCE },
	};
	bool rc = qp->qp_type == IB_QPT_RC;
	int mask, err;

	mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS;
	KUNIT_ASSERT_EQ(v->test, ib_modify_qp(qp, &attr, mask), 0);

	attr.qp_state = IB_QPS_RTR;
	rdma_ah_set_port_num(&attr.ah_attr, VERBS_PORT);
	rdma_ah_set_grh(&attr.ah_attr, (union ib_gid *)&v->sgid_attr->gid, 0,
			v->sgid_attr->index, 64, 0);
	err = rdma_read_gid_l2_fields(v->sgid_attr, NULL, attr.ah_attr.roce.dmac);
	KUNIT_ASSERT_EQ(v->test, err, 0);
	mask = IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	if (rc)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	KUNIT_ASSERT_EQ(v->test, ib_modify_qp(qp, &attr, mask), 0);

	attr.qp_state = IB_QPS_RTS;
	mask = IB_QP_STATE | IB_QP_SQ_PSN;
	if (rc)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	KUNIT_ASSERT_EQ(v->test, ib_modify_qp(qp, &attr, mask), 0);
}

void verbs_pair_init(struct verbs *v, struct verbs_pair *pair, enum ib_qp_type type,
		     struct ib_srq *srq)
{
	u32 i;

	pair->v = v;
	for (i = 0; i < ARRAY_SIZE(pair->qps); i++) {
		pair->qps[i] = verbs_create_qp(v, type, v->cqs[i], i ? srq : NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(v->test, pair->qps[i]);
	}
	for (i = 0; i < ARRAY_SIZE(pair->qps); i++)
		verbs_connect(v, pair->qps[i], pair->qps[!i]->qp_num);
}

void verbs_pair_exit(struct verbs_pair *pair)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(pair->qps); i++)
		KUNIT_EXPECT_EQ(pair->v->test, ib_destroy_qp(pair->qps[i]), 0);
}

static void verbs_wr_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct verbs_wr *wr = container_of(wc->wr_cqe, struct verbs_wr, cqe);

	wr->wc = *wc;
	wr->done = true;
}

struct ib_cqe *verbs_wr_init(struct verbs_wr *wr)
{
	*wr = (struct verbs_wr) { .cqe.done = verbs_wr_done };
	return &wr->cqe;
}

bool verbs_wait(struct verbs *v, u32 cq, struct verbs_wr *wr)
{
	unsigned long end = jiffies + VERBS_TIMEOUT;

	while (!wr->done && time_before(jiffies, end)) {
		if (!ib_process_cq_direct(v->cqs[cq], -1))
			usleep_range(50, 100);
	}
	return wr->done;
}

enum ib_wc_status verbs_send(struct verbs_pair *pair, u32 qp, struct ib_send_wr *wr,
			     struct verbs_wr *done)
{
	wr->wr_cqe = verbs_wr_init(done);
	KUNIT_ASSERT_EQ(pair->v->test, ib_post_send(pair->qps[qp], wr, NULL), 0);
	KUNIT_ASSERT_TRUE(pair->v->test, verbs_wait(pair->v, qp, done));
	return done->wc.status;
}

void verbs_recv(struct verbs_pair *pair, u32 qp, const struct verbs_buf *buf,
		struct verbs_wr *done)
{
	struct ib_sge sge = buf->sge;
	struct ib_recv_wr wr = {
		.wr_cqe = verbs_wr_init(done),
		.sg_list = &sge,
		.num_sge = 1,
	};

	KUNIT_ASSERT_EQ(pair->v->test, ib_post_recv(pair->qps[qp], &wr, NULL), 0);
}
