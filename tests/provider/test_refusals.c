// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The provider logs why it refuses a call; posting and polling log nothing */
#include "fixture.h"

/* The last call was refused with @error, and its reason contains @why */
static void assert_refused(struct fixture *f, int got, int error,
			   const char *why)
{
	assert_int_equal(got, error);
	if (!strstr(f->fake.said, why))
		fail_msg("\"%s\" is not in \"%s\"", why, f->fake.said);
	assert_int_equal(f->fake.said[strlen(f->fake.said) - 1], '\n');
	f->fake.said[0] = '\0';
}

static int error_of(const void *object)
{
	assert_null(object);
	return errno;
}

TEST(of_qps, struct fixture *f, IN_OWN)
{
	struct ibv_srq srq = { .context = f->ctx };
	const uint32_t tso = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
	const uint32_t rss = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH;
	const struct {
		struct ibv_qp_init_attr_ex attr;
		int error;
		const char *why;
	} cases[] = {
		{ { .qp_type = IBV_QPT_DRIVER }, EOPNOTSUPP,
		  "QP type 255 is not supported" },
		{ { .qp_type = IBV_QPT_RC }, EINVAL, "QP type 2 needs a pd" },
		{ { .qp_type = IBV_QPT_XRC_RECV }, EINVAL, "needs an xrcd" },
		{ { .qp_type = IBV_QPT_UC, .srq = &srq }, EINVAL,
		  "QP type 3 has no SRQ" },
		{ { .qp_type = IBV_QPT_RAW_PACKET, .srq = &srq }, EINVAL,
		  "QP type 8 has no SRQ" },
		{ { .qp_type = IBV_QPT_RC, .comp_mask = tso }, EOPNOTSUPP,
		  "QP comp_mask 0x9: 0x8 is not supported, only 0x47" },
		{ { .qp_type = IBV_QPT_RC, .create_flags = 0x100, .comp_mask =
		    IBV_QP_INIT_ATTR_CREATE_FLAGS }, EOPNOTSUPP,
		  "QP create_flags 0x100: 0x100 is not supported, only 0" },
		{ { .qp_type = IBV_QPT_RAW_PACKET, .comp_mask = tso,
		    .max_tso_header = ORNIC_TSO_HDR_MAX + 1 }, EINVAL,
		  "max_tso_header" },
		{ { .qp_type = IBV_QPT_RAW_PACKET,
		    .comp_mask = IBV_QP_INIT_ATTR_RX_HASH }, EINVAL,
		  "needs rwq_ind_tbl and rx_hash_conf" },
		{ { .qp_type = IBV_QPT_RAW_PACKET, .comp_mask = rss,
		    .cap.max_send_wr = 1 }, EINVAL, "max_send_wr 1" },
		{ { .qp_type = IBV_QPT_RAW_PACKET, .comp_mask = rss,
		    .rx_hash_conf.rx_hash_key_len = 39 }, EINVAL,
		  "rx_hash_key_len 39 is not 40" },
		{ { .qp_type = IBV_QPT_RC, .comp_mask = IBV_QP_INIT_ATTR_PD |
		    IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, .send_ops_flags =
		    IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_TSO }, EOPNOTSUPP,
		  "QP send_ops_flags 0x404: 0x400 is not supported, only" },
		{ { .qp_type = IBV_QPT_XRC_RECV, .comp_mask =
		    IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS },
		  EOPNOTSUPP, "QP type 10 cannot send" },
	};
	struct ibv_qp_rate_limit_attr rate = { .comp_mask = 1 };
	struct ibv_qp_init_attr_ex attr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		attr = cases[i].attr;
		attr.pd = f->rc->pd;
		attr.send_cq = f->cq;
		attr.recv_cq = f->cq;
		assert_refused(f, error_of(f->ops->create_qp_ex(f->ctx, &attr)),
			       cases[i].error, cases[i].why);
	}
	assert_refused(f, f->ops->modify_qp_rate_limit(f->rc, &rate), EINVAL,
		       "rate limit comp_mask 0x1");
}

TEST(of_cqs, struct fixture *f, IN_OWN)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 1, .comp_mask = 1u << 31 };

	assert_refused(f, error_of(f->ops->create_cq_ex(f->ctx, &attr)),
		       EOPNOTSUPP, "CQ comp_mask 0x80000000");
	attr.comp_mask = 0;
	attr.wc_flags = 1ULL << 63;
	assert_refused(f, error_of(f->ops->create_cq_ex(f->ctx, &attr)),
		       EOPNOTSUPP, "CQ wc_flags 0x8000000000000000");
	attr.wc_flags = 0;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = 1u << 31;
	assert_refused(f, error_of(f->ops->create_cq_ex(f->ctx, &attr)),
		       EOPNOTSUPP, "CQ flags 0x80000000");
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	attr.parent_domain = f->rc->pd;
	assert_refused(f, error_of(f->ops->create_cq_ex(f->ctx, &attr)), EINVAL,
		       "is no parent domain");
	f->fake.log_cqe_size = 7;
	assert_refused(f, error_of(f->ops->create_cq(f->ctx, 1, NULL, 0)),
		       EPROTO, "entries of 128 bytes instead of 32");
}

TEST(of_srqs, struct fixture *f, IN_OWN)
{
	struct ibv_srq_init_attr_ex attr = { .comp_mask = 1u << 31 };
	struct ibv_srq_attr change = { .max_wr = 4, .srq_limit = 5 };
	struct ibv_srq *srq;
	uint32_t number;

	assert_refused(f, error_of(f->ops->create_srq_ex(f->ctx, &attr)),
		       EOPNOTSUPP, "SRQ comp_mask 0x80000000");
	attr.comp_mask = 0;
	assert_refused(f, error_of(f->ops->create_srq_ex(f->ctx, &attr)),
		       EINVAL, "an SRQ needs a pd");
	attr.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE;
	attr.pd = f->rc->pd;
	attr.srq_type = IBV_SRQT_TM;
	assert_refused(f, error_of(f->ops->create_srq_ex(f->ctx, &attr)),
		       EOPNOTSUPP, "SRQ type 2 is not supported");

	srq = create_srq_in(f, f->rc->pd, 4, 0);
	assert_non_null(srq);
	assert_refused(f, f->ops->modify_srq(srq, &change, IBV_SRQ_MAX_WR |
					     IBV_SRQ_LIMIT), EINVAL,
		       "srq_limit 5 exceeds max_wr 4");
	assert_refused(f, f->ops->get_srq_num(srq, &number), EINVAL,
		       "an SRQ of type 0 has no number");
}

TEST(of_wqs, struct fixture *f, IN_OWN)
{
	struct ibv_context *ctx = f->ctx;
	struct ibv_rwq_ind_table_init_attr table = { .log_ind_tbl_size = 14 };
	struct ibv_wq_init_attr attr = { .comp_mask = 2 };
	struct ibv_wq_attr change = {
		.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = 7,
	};
	struct ornic_wq wq = { .ibv_wq = { .context = ctx, .wq_num = 0x12 } };

	assert_refused(f, error_of(f->ops->create_wq(ctx, &attr)), EOPNOTSUPP,
		       "WQ comp_mask 0x2");
	attr.comp_mask = 0;
	attr.wq_type = 9;
	assert_refused(f, error_of(f->ops->create_wq(ctx, &attr)), EINVAL,
		       "WQ type 9 is not supported");
	assert_refused(f, f->ops->modify_wq(&wq.ibv_wq, &change), EINVAL,
		       "WQ 0x12: unknown state 7");
	assert_refused(f, error_of(f->ops->create_rwq_ind_table(ctx, &table)),
		       EINVAL, "log_ind_tbl_size 14 exceeds 13");
}

TEST(of_domains, struct fixture *f, IN_OWN)
{
	struct ibv_td_init_attr td_attr = { .comp_mask = 1 };
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_pd *parent;

	assert_refused(f, error_of(f->ops->alloc_td(f->ctx, &td_attr)),
		       EOPNOTSUPP, "thread domain comp_mask 0x1");
	td_attr.comp_mask = 0;
	attr.td = f->ops->alloc_td(f->ctx, &td_attr);
	attr.pd = f->ops->alloc_pd(f->ctx);
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
	assert_refused(f, error_of(f->ops->alloc_parent_domain(f->ctx, &attr)),
		       EINVAL, "needs both alloc and free");
	attr.comp_mask = 1u << 31;
	assert_refused(f, error_of(f->ops->alloc_parent_domain(f->ctx, &attr)),
		       EOPNOTSUPP, "parent domain comp_mask 0x80000000");

	attr.comp_mask = 0;
	parent = f->ops->alloc_parent_domain(f->ctx, &attr);
	assert_non_null(parent);
	assert_refused(f, f->ops->dealloc_pd(attr.pd), EBUSY,
		       "1 objects use the protection domain");
	assert_refused(f, f->ops->dealloc_td(attr.td), EBUSY,
		       "1 parent domains use the thread domain");
	assert_int_equal(f->ops->dealloc_pd(parent), 0);
	assert_int_equal(f->ops->dealloc_td(attr.td), 0);
	assert_int_equal(f->ops->dealloc_pd(attr.pd), 0);
}

TEST(of_counters, struct fixture *f, IN_OWN)
{
	const struct verbs_context_ops *ops = f->ops;
	struct ibv_counters_init_attr init = {};
	struct ibv_counter_attach_attr attr = { .comp_mask = 1 };
	struct ibv_flow flow = {};
	struct ibv_counters *counters;

	counters = ops->create_counters(f->ctx, &init);
	assert_non_null(counters);
	assert_refused(f, ops->attach_counters_point_flow(counters, &attr, NULL),
		       EINVAL, "counter comp_mask 0x1");
	attr.comp_mask = 0;
	assert_refused(f, ops->attach_counters_point_flow(counters, &attr,
							  &flow), ENOTSUP,
		       "cannot be attached to a rule that exists");
	attr.counter_desc = 77;
	assert_refused(f, ops->attach_counters_point_flow(counters, &attr, NULL),
		       ENOTSUP, "unknown counter 77");
	attr.counter_desc = IBV_COUNTER_PACKETS;
	ornic_counters_get(to_ornic_counters(counters));
	assert_refused(f, ops->attach_counters_point_flow(counters, &attr, NULL),
		       EBUSY, "in use by 1 rules");
	ornic_counters_put(to_ornic_counters(counters));
	assert_int_equal(ops->destroy_counters(counters), 0);
}

/* The kernel explains its own refusals; the data path explains nothing */
TEST(others_are_silent, struct fixture *f, IN_OWN)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_TSO }, *bad;
	struct ibv_recv_wr recv = { .num_sge = 1000 }, *bad_recv;
	struct ibv_qp_attr attr = {};

	f->fake.fail = EINVAL;
	assert_int_equal(f->ops->modify_qp(f->rc, &attr, IBV_QP_STATE), EINVAL);
	assert_int_equal(ibv_post_send(f->rc, &wr, &bad), EINVAL);
	assert_int_equal(ibv_post_recv(f->rc, &recv, &bad_recv), EINVAL);
	assert_string_equal(f->fake.said, "");
}

TEST_MAIN("refusals")
