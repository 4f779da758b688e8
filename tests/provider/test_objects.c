// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Objects: creation, refused attributes, and errors of the kernel */
#include "fixture.h"

static struct ibv_qp *create_qp_ex(struct fixture *f, uint32_t comp_mask,
				   enum ibv_qp_type type, uint32_t flags)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = f->cq, .recv_cq = f->cq, .qp_type = type,
		.comp_mask = comp_mask, .pd = f->rc->pd,
		.create_flags = flags,
	};

	errno = 0;
	return f->ops->create_qp_ex(f->ctx, &attr);
}

TEST(only_known_qps_are_created, struct fixture *f, IN_OWN)
{
	static const enum ibv_qp_type types[] = {
		IBV_QPT_DRIVER, 0,
	};
	struct ibv_qp *qp;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		assert_fails(create_qp_ex(f, IBV_QP_INIT_ATTR_PD, types[i], 0),
			     EOPNOTSUPP);
	}
	assert_fails(create_qp_ex(f, 0, IBV_QPT_RC, 0), EINVAL);
	assert_fails(create_qp_ex(f, IBV_QP_INIT_ATTR_PD |
				  IBV_QP_INIT_ATTR_MAX_TSO_HEADER, IBV_QPT_RC,
				  0), EOPNOTSUPP);
	assert_fails(create_qp_ex(f, IBV_QP_INIT_ATTR_PD |
				  IBV_QP_INIT_ATTR_CREATE_FLAGS, IBV_QPT_RC,
				  IBV_QP_CREATE_SCATTER_FCS), EOPNOTSUPP);

	/* XRC_RECV needs an XRC domain, XRC_SEND a protection domain */
	assert_fails(create_qp_ex(f, IBV_QP_INIT_ATTR_PD, IBV_QPT_XRC_RECV, 0),
		     EINVAL);
	assert_fails(create_qp_ex(f, IBV_QP_INIT_ATTR_XRCD, IBV_QPT_XRC_SEND,
				  0), EINVAL);

	/* Without flags, the kernel does not get the field */
	qp = create_qp_ex(f, IBV_QP_INIT_ATTR_PD |
			  IBV_QP_INIT_ATTR_CREATE_FLAGS, IBV_QPT_RC, 0);
	assert_non_null(qp);
	assert_int_equal(f->fake.last_attr.comp_mask, IBV_QP_INIT_ATTR_PD);
}

/* Packets name the SRQ, so the QP has neither rings nor CQs */
TEST(xrc_receivers_have_no_rings, struct fixture *f, IN_OWN)
{
	struct ibv_qp_open_attr open_attr = {};
	struct ibv_recv_wr recv_wr = {}, *bad_recv;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_xrcd_init_attr xrcd_attr = {};
	struct ibv_xrcd *xrcd;
	struct ibv_qp *qp, *other;

	xrcd = f->ops->open_xrcd(f->ctx, &xrcd_attr);
	assert_non_null(xrcd);
	qp = create_qp_ex(f, IBV_QP_INIT_ATTR_XRCD, IBV_QPT_XRC_RECV, 0);
	assert_non_null(qp);
	assert_null(f->fake.last_attr.send_cq);
	assert_null(f->fake.last_attr.recv_cq);
	assert_null(f->fake.last_attr.pd);
	fake_to_state(qp, IBV_QPS_INIT);
	fake_to_state(qp, IBV_QPS_RTS);
	assert_int_equal(f->ops->post_send(qp, &wr, &bad), EINVAL);
	assert_int_equal(f->ops->post_recv(qp, &recv_wr, &bad_recv), EINVAL);
	fake_to_state(qp, IBV_QPS_RESET);

	open_attr.qp_num = qp->qp_num;
	other = f->ops->open_qp(f->ctx, &open_attr);
	assert_non_null(other);
	fake_to_state(other, IBV_QPS_INIT);
	assert_int_equal(f->ops->destroy_qp(other), 0);
	assert_int_equal(f->ops->destroy_qp(qp), 0);

	f->fake.fail = EACCES;
	assert_fails(f->ops->open_qp(f->ctx, &open_attr), EACCES);
	f->fake.fail = EBUSY;
	assert_int_equal(f->ops->close_xrcd(xrcd), EBUSY);
	assert_int_equal(f->ops->close_xrcd(xrcd), 0);
	f->fake.fail = EACCES;
	assert_fails(f->ops->open_xrcd(f->ctx, &xrcd_attr), EACCES);
}

static void assert_own_lines(const struct ornic_qp *qp)
{
	uintptr_t sq = (uintptr_t)&qp->sq;
	uintptr_t rq = (uintptr_t)&qp->rq;

	assert_int_equal(sq % ORNIC_CACHE_LINE, 0);
	assert_int_equal(rq % ORNIC_CACHE_LINE, 0);
	/* No other member is in their last cache line */
	assert_true(sizeof(qp->sq) % ORNIC_CACHE_LINE == 0);
	assert_true(sizeof(qp->rq) % ORNIC_CACHE_LINE == 0);
}

/* One thread may send while another one posts receives, and a third polls */
TEST(queues_share_no_cache_line, struct fixture *f, IN_OWN)
{
	struct ibv_qp_open_attr open_attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = 5, .qp_type = IBV_QPT_XRC_RECV,
	};
	struct ibv_qp *qp;

	assert_own_lines(to_ornic_qp(f->rc));
	assert_own_lines(to_ornic_qp(f->ud));
	assert_int_equal((uintptr_t)to_ornic_cq(f->cq) % ORNIC_CACHE_LINE, 0);
	qp = f->ops->open_qp(f->ctx, &open_attr);
	assert_non_null(qp);
	assert_own_lines(to_ornic_qp(qp));
}

/* libibverbs then returns EOPNOTSUPP, which librdmacm treats as no options */
TEST(there_is_nothing_to_agree_on, struct fixture *f, IN_OWN)
{
	assert_null(f->ops->query_ece);
	assert_null(f->ops->set_ece);
}

TEST(what_the_kernel_refuses_leaves_nothing, struct fixture *f, IN_OWN)
{
	struct ibv_ah_attr ah_attr = {};

	f->fake.fail = EACCES;
	assert_fails(f->ops->alloc_pd(f->ctx), EACCES);
	f->fake.fail = EFAULT;
	assert_fails(f->ops->reg_mr(f->rc->pd, NULL, 1, 0, 0), EFAULT);
	f->fake.fail = ENOMEM;
	assert_fails(f->ops->create_ah(f->rc->pd, &ah_attr), ENOMEM);
	f->fake.fail = EINVAL;
	assert_fails(f->ops->create_cq(f->ctx, 1, NULL, 0), EINVAL);
	f->fake.fail = EPERM;
	assert_fails(create_qp_in(f, f->rc->pd, f->cq), EPERM);
}

TEST(what_cannot_be_mapped_is_destroyed_again, struct fixture *f, IN_OWN)
{
	f->fake.bad_mmap = true;
	assert_fails(f->ops->create_cq(f->ctx, 1, NULL, 0), EINVAL);
	assert_int_equal(f->fake.cqs[1].cqn, 0);
	f->fake.bad_mmap = true;
	assert_fails(create_qp_in(f, f->rc->pd, f->cq), EINVAL);
	assert_int_equal(f->fake.qps[2].qpn, 0);

	/* Entries of another size than requested */
	f->fake.log_cqe_size = 6;
	assert_fails(f->ops->create_cq(f->ctx, 1, NULL, 0), EPROTO);
	assert_int_equal(f->fake.cqs[1].cqn, 0);
}

/* The object stays valid and can be destroyed later */
TEST(what_cannot_be_destroyed_stays, struct fixture *f, IN_OWN)
{
	struct ornic_pd lone = { .ibv_pd.context = f->ctx };
	struct ibv_pd *pd = f->ops->alloc_pd(f->ctx);
	struct ibv_mr *mr;

	mr = f->ops->reg_mr(&lone.ibv_pd, NULL, 1, 0, 0);
	f->fake.fail = EBUSY;
	assert_int_equal(f->ops->dereg_mr(verbs_get_mr(mr)), EBUSY);
	assert_int_equal(f->ops->dereg_mr(verbs_get_mr(mr)), 0);
	f->fake.fail = EBUSY;
	assert_int_equal(f->ops->dealloc_pd(pd), EBUSY);
	assert_int_equal(f->ops->dealloc_pd(pd), 0);
	f->fake.fail = EBUSY;
	assert_int_equal(f->ops->destroy_ah(f->ah), EBUSY);
	f->fake.fail = EIO;
	assert_int_equal(f->ops->destroy_qp(f->rc), EIO);
	f->fake.fail = EBUSY;
	assert_int_equal(f->ops->destroy_cq(f->cq), EBUSY);
}

TEST(a_refused_transition_changes_nothing, struct fixture *f, IN_OWN)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;

	f->fake.fail = EINVAL;
	assert_int_equal(f->ops->modify_qp(f->rc, &attr, IBV_QP_STATE), EINVAL);
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);

	/* A change of another attribute does not change the state */
	assert_int_equal(f->ops->modify_qp(f->rc, &attr, IBV_QP_QKEY), 0);
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), 0);
}

TEST(queries_are_the_kernels, struct fixture *f, IN_OWN)
{
	struct ibv_qp_init_attr init_attr;
	struct ibv_device_attr_ex dev_attr = {};
	struct ibv_port_attr port_attr;
	struct ibv_qp_attr qp_attr;
	const struct verbs_context_ops *ops = f->ops;

	assert_int_equal(ops->query_device_ex(f->ctx, NULL, &dev_attr,
					      sizeof(dev_attr)), 0);
	assert_string_equal(dev_attr.orig_attr.fw_ver, "1.2.3");
	f->fake.fail = EIO;
	assert_int_equal(ops->query_device_ex(f->ctx, NULL, &dev_attr,
					      sizeof(dev_attr)), EIO);
	f->fake.fail = EINVAL;
	assert_int_equal(ops->query_port(f->ctx, 2, &port_attr), EINVAL);
	f->fake.fail = EINVAL;
	assert_int_equal(ops->query_qp(f->rc, &qp_attr, 0, &init_attr), EINVAL);
}

TEST_MAIN("objects")
