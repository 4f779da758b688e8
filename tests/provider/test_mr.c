// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory regions and windows */
#include "fixture.h"

TEST(buffers_of_other_devices_are_registered, struct fixture *f, IN_OWN)
{
	const struct verbs_context_ops *ops = f->ops;
	struct ibv_mr *mr;

	mr = ops->reg_dmabuf_mr(f->rc->pd, 0, 4096, 0, 3, 0);
	assert_non_null(mr);
	assert_int_equal(ops->dereg_mr(verbs_get_mr(mr)), 0);
	f->fake.fail = EBADF;
	assert_fails(ops->reg_dmabuf_mr(f->rc->pd, 0, 4096, 0, 3, 0), EBADF);
}

TEST(a_region_can_be_changed, struct fixture *f, IN_OWN)
{
	struct ibv_mr *mr = f->ops->reg_mr(f->rc->pd, &f, sizeof(f), 0, 0);

	assert_int_equal(f->ops->rereg_mr(verbs_get_mr(mr),
					  IBV_REREG_MR_CHANGE_ACCESS, NULL,
					  NULL, 0, IBV_ACCESS_REMOTE_READ), 0);
	assert_int_equal(f->fake.last_access, IBV_ACCESS_REMOTE_READ);
	f->fake.fail = EPERM;
	assert_int_equal(f->ops->rereg_mr(verbs_get_mr(mr),
					  IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
					  &mr, sizeof(mr), 0), EPERM);
	assert_int_equal(f->ops->dereg_mr(verbs_get_mr(mr)), 0);
}

/* The context has its lkey, so neither call is a command */
TEST(the_null_region_is_the_contexts, struct fixture *f, IN_OWN)
{
	unsigned int commands = f->fake.commands;
	struct ibv_mr *mr;

	mr = f->ops->alloc_null_mr(f->rc->pd);
	assert_non_null(mr);
	assert_int_equal(mr->lkey, FAKE_NULL_KEY);
	assert_ptr_equal(mr->pd, f->rc->pd);
	assert_int_equal(f->ops->dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(f->fake.commands, commands);

	to_ornic_context(f->ctx)->caps &= ~ORNIC_UCONTEXT_CAP_NULL_MR;
	assert_fails(f->ops->alloc_null_mr(f->rc->pd), EOPNOTSUPP);
}

TEST(each_bind_makes_another_key, struct fixture *f, IN_OWN)
{
	struct verbs_mr mr = { .ibv_mr.lkey = 0xabc00 };
	struct ibv_mw_bind req = {
		.wr_id = 17,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE,
		.bind_info = {
			.mr = &mr.ibv_mr, .addr = 0x123456789a,
			.length = 1ULL << 33,
			.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
		},
	};
	struct ornic_bind bind;
	struct fake_wqe wqe;
	uint32_t key, i;
	struct ibv_mw *mw;

	mw = f->ops->alloc_mw(f->rc->pd, IBV_MW_TYPE_1);
	assert_non_null(mw);
	for (i = 0; i < 300; i++) {
		key = mw->rkey;
		assert_int_equal(f->ops->bind_mw(f->rc, mw, &req), 0);
		assert_int_equal(mw->rkey, ibv_inc_rkey(key));
		take_send(f->rc, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_BIND_MW);
		assert_int_equal(wqe.flags, ORNIC_SEND_SIGNALED |
				 ORNIC_SEND_FENCE);
		assert_int_equal(wqe.count, 0);
		assert_int_equal(wqe.slots, 1);
		assert_int_equal(le64toh(wqe.hdr.wr_id), 17);
		bind = wqe_bind(&wqe);
		assert_int_equal(le32toh(bind.mw_key), key);
		assert_int_equal(le32toh(bind.new_key), mw->rkey);
		assert_int_equal(le32toh(bind.mr_key), 0xabc00);
		assert_int_equal(le32toh(bind.access),
				 ORNIC_ACCESS_REMOTE_WRITE);
		assert_int_equal(le64toh(bind.addr), 0x123456789a);
		assert_int_equal(le64toh(bind.length), 1ULL << 33);
	}

	/* Unbinding has length 0 and needs no region */
	req.bind_info = (struct ibv_mw_bind_info){};
	assert_int_equal(f->ops->bind_mw(f->rc, mw, &req), 0);
	take_send(f->rc, &wqe);
	bind = wqe_bind(&wqe);
	assert_int_equal(le64toh(bind.length), 0);
	assert_int_equal(le32toh(bind.mr_key), 0);
	assert_int_equal(f->ops->dealloc_mw(mw), 0);
}

/* The device would complete these with an error, and take the QP with them */
TEST(what_only_fails_is_not_bound, struct fixture *f, IN_OWN)
{
	struct verbs_mr mr = { .ibv_mr.lkey = 0xabc00 };
	struct ibv_mr *null_mr = f->ops->alloc_null_mr(f->rc->pd);
	struct ibv_mw *mw = f->ops->alloc_mw(f->rc->pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind req = {
		.bind_info = { .mr = &mr.ibv_mr, .length = 8 },
	};
	uint32_t key = mw->rkey;

	req.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_READ |
					IBV_ACCESS_ZERO_BASED;
	assert_int_equal(f->ops->bind_mw(f->rc, mw, &req), EINVAL);
	req.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_READ;
	req.bind_info.mr = null_mr;
	assert_int_equal(f->ops->bind_mw(f->rc, mw, &req), EOPNOTSUPP);
	assert_no_send(f->rc);
	assert_int_equal(mw->rkey, key);
	assert_int_equal(f->ops->dealloc_mw(mw), 0);
	assert_int_equal(f->ops->dereg_mr(verbs_get_mr(null_mr)), 0);
}

TEST(what_is_not_bound_keeps_its_key, struct fixture *f, IN_OWN)
{
	struct ibv_mw_bind req = {};
	struct ibv_mw *mw = f->ops->alloc_mw(f->rc->pd, IBV_MW_TYPE_1);
	uint32_t key = mw->rkey;

	assert_int_equal(f->ops->bind_mw(f->ud, mw, &req), EINVAL);
	assert_int_equal(mw->rkey, key);
	fake_to_state(f->rc, IBV_QPS_RESET);
	assert_int_equal(f->ops->bind_mw(f->rc, mw, &req), EINVAL);
	assert_int_equal(mw->rkey, key);
	assert_no_send(f->ud);

	f->fake.fail = EBUSY;
	assert_int_equal(f->ops->dealloc_mw(mw), EBUSY);
	assert_int_equal(f->ops->dealloc_mw(mw), 0);
	f->fake.fail = EOPNOTSUPP;
	assert_fails(f->ops->alloc_mw(f->rc->pd, 3), EOPNOTSUPP);
}

TEST_MAIN("mr")
