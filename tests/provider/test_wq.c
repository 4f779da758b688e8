// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Work queues, indirection tables, and RSS QPs */
#include "fixture.h"

#define WQ_WRS	8
#define KEY_LEN	40

static struct ibv_wq *create_wq_as(struct fixture *f, struct ibv_pd *pd,
				   struct ibv_wq_init_attr *attr)
{
	attr->pd = pd;
	attr->cq = f->cq;
	errno = 0;
	return f->ops->create_wq(f->ctx, attr);
}

static struct ibv_wq *create_wq(struct fixture *f)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = WQ_WRS, .max_sge = RECV_SGES,
	};
	struct ibv_wq *wq;

	wq = create_wq_as(f, f->rc->pd, &attr);
	assert_non_null(wq);
	assert_int_equal(attr.max_wr, WQ_WRS);
	assert_int_equal(attr.max_sge, RECV_SGES);
	return wq;
}

static int post(struct ibv_wq *wq, uint64_t n)
{
	struct ibv_sge sg[RECV_SGES];
	struct ibv_recv_wr wr = recv_wr(n, sg);
	struct ibv_recv_wr *bad = NULL;
	int ret;

	ret = ibv_post_wq_recv(wq, &wr, &bad);
	assert_ptr_equal(bad, ret ? &wr : NULL);
	return ret;
}

static void take(struct ibv_wq *wq, uint64_t n)
{
	take_recv(fake_wq(wq), n);
	as_polled(&to_ornic_wq(wq)->rq.polled);
}

static void complete(struct fixture *f, uint32_t num, uint64_t n)
{
	struct ornic_cqe cqe = {
		.wr_id = htole64(n), .opcode = htole32(ORNIC_WC_RECV),
		.qpn = htole32(num | ORNIC_PREP(ORNIC_CQE_FLAGS,
						ORNIC_WC_IP_CSUM_OK)),
	};

	fake_complete(fake_cq(f->cq), &cqe);
}

TEST(receives_arrive_across_wraps, struct fixture *f, IN_OWN)
{
	struct ibv_wq *wq = create_wq(f);
	uint64_t in = 0, out = 0;
	int i, n;

	wq_to_state(f, wq, IBV_WQS_RDY);
	for (i = 0; i < 300; i++) {
		for (n = i % (WQ_WRS + 1); n; n--)
			assert_int_equal(post(wq, in++), 0);
		if (in - out == WQ_WRS)
			assert_int_equal(post(wq, in), ENOMEM);
		while (out != in)
			take(wq, out++);
	}
}

TEST(too_many_sges_are_refused, struct fixture *f, IN_OWN)
{
	struct ibv_recv_wr wr = { .num_sge = RECV_SGES + 1 }, *bad;
	struct ibv_wq *wq = create_wq(f);

	wq_to_state(f, wq, IBV_WQS_RDY);
	assert_int_equal(ibv_post_wq_recv(wq, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
}

/* RDY and ERR accept receives; ERR flushes them */
TEST(receives_are_taken_outside_reset, struct fixture *f, IN_OWN)
{
	struct ibv_wq *wq = create_wq(f);

	assert_int_equal(wq->state, IBV_WQS_RESET);
	assert_int_equal(post(wq, 0), EINVAL);
	wq_to_state(f, wq, IBV_WQS_RDY);
	assert_int_equal(post(wq, 0), 0);
	wq_to_state(f, wq, IBV_WQS_ERR);
	assert_int_equal(post(wq, 1), 0);
	wq_to_state(f, wq, IBV_WQS_RESET);
	assert_int_equal(post(wq, 2), EINVAL);
}

/* RESET empties the ring and drops its completions */
TEST(reset_begins_anew, struct fixture *f, IN_OWN)
{
	struct ibv_wq_attr refused = {
		.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RESET,
	};
	struct ibv_wq_attr flags = {
		.attr_mask = IBV_WQ_ATTR_FLAGS,
		.flags_mask = IBV_WQ_FLAGS_CVLAN_STRIPPING,
	};
	struct ibv_wq *wq = create_wq(f);
	struct ibv_wc wc[4];
	uint64_t i;

	wq_to_state(f, wq, IBV_WQS_RDY);
	for (i = 0; i < WQ_WRS; i++)
		assert_int_equal(post(wq, i), 0);
	take(wq, 0);
	complete(f, wq->wq_num, 0);
	complete(f, f->rc->qp_num, 100);
	take(wq, 1);
	complete(f, wq->wq_num, 1);

	/* Neither a refused transition nor new flags change the ring */
	f->fake.fail = EIO;
	assert_int_equal(f->ops->modify_wq(wq, &refused), EIO);
	assert_int_equal(f->ops->modify_wq(wq, &flags), 0);
	take(wq, 2);

	wq_to_state(f, wq, IBV_WQS_RESET);
	assert_int_equal(ibv_poll_cq(f->cq, 4, wc), 1);
	assert_int_equal(wc[0].wr_id, 100);

	wq_to_state(f, wq, IBV_WQS_RDY);
	for (i = 0; i < WQ_WRS; i++)
		assert_int_equal(post(wq, i + 50), 0);
	assert_int_equal(post(wq, i), ENOMEM);
	for (i = 0; i < WQ_WRS; i++)
		take(wq, i + 50);
}

/* Linux up to 7.3 would refuse them and leak a reference to the WQ */
TEST(states_that_are_none_stay_here, struct fixture *f, IN_OWN)
{
	static const struct ibv_wq_attr rows[] = {
		{ .attr_mask = IBV_WQ_ATTR_STATE,
		  .wq_state = IBV_WQS_UNKNOWN },
		{ .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = -1 },
		{ .attr_mask = IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE,
		  .wq_state = IBV_WQS_RDY, .curr_wq_state = IBV_WQS_UNKNOWN },
	};
	struct ibv_wq *wq = create_wq(f);
	unsigned int before = f->fake.commands;
	struct ibv_wq_attr attr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		attr = rows[i];
		assert_int_equal(f->ops->modify_wq(wq, &attr), EINVAL);
		assert_int_equal(f->fake.commands, before);
	}

	/* Members that attr_mask does not select are ignored */
	attr.attr_mask = IBV_WQ_ATTR_STATE;
	assert_int_equal(f->ops->modify_wq(wq, &attr), 0);
	assert_int_equal(post(wq, 0), 0);
}

TEST(completions_name_the_wq, struct fixture *f, IN_OWN)
{
	struct ibv_wq *wq = create_wq(f);
	struct ibv_wc wc[4];

	complete(f, wq->wq_num, 5);
	assert_int_equal(ibv_poll_cq(f->cq, 4, wc), 1);
	assert_int_equal(wc[0].qp_num, wq->wq_num);
	assert_int_equal(wc[0].wr_id, 5);
	assert_int_equal(wc[0].wc_flags, IBV_WC_IP_CSUM_OK);

	/* Destroying the WQ drops its completions */
	complete(f, wq->wq_num, 6);
	complete(f, f->ud->qp_num, 7);
	assert_int_equal(f->ops->destroy_wq(wq), 0);
	assert_int_equal(ibv_poll_cq(f->cq, 4, wc), 1);
	assert_int_equal(wc[0].wr_id, 7);
}

TEST(what_cannot_be_created_leaves_nothing, struct fixture *f, IN_OWN)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ + 1, .max_wr = 1, .max_sge = 1,
	};
	struct ibv_wq *wq;

	assert_fails(create_wq_as(f, f->rc->pd, &attr), EINVAL);
	attr.wq_type = IBV_WQT_RQ;
	attr.comp_mask = IBV_WQ_INIT_ATTR_RESERVED;
	assert_fails(create_wq_as(f, f->rc->pd, &attr), EOPNOTSUPP);

	attr.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
	attr.create_flags = IBV_WQ_FLAGS_DELAY_DROP;
	f->fake.fail = EOPNOTSUPP;
	assert_fails(create_wq_as(f, f->rc->pd, &attr), EOPNOTSUPP);
	assert_int_equal(f->fake.last_wq_attr.create_flags,
			 IBV_WQ_FLAGS_DELAY_DROP);
	f->fake.bad_mmap = true;
	assert_fails(create_wq_as(f, f->rc->pd, &attr), EINVAL);
	assert_int_equal(f->fake.wqs[0].qpn, 0);

	wq = create_wq(f);
	f->fake.fail = EBUSY;
	assert_int_equal(f->ops->destroy_wq(wq), EBUSY);
}

TEST(a_wq_uses_its_parent_domain, struct fixture *f, IN_OWN)
{
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_wq_init_attr wq_attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1,
	};
	struct ibv_td_init_attr td_attr = {};
	struct ibv_pd *parent;
	struct ibv_wq *wq;

	attr.pd = f->ops->alloc_pd(f->ctx);
	attr.td = f->ops->alloc_td(f->ctx, &td_attr);
	parent = f->ops->alloc_parent_domain(f->ctx, &attr);
	wq = create_wq_as(f, parent, &wq_attr);
	assert_non_null(wq);
	assert_false(to_ornic_wq(wq)->rq.lock.needed);
	assert_int_equal(f->ops->dealloc_pd(parent), EBUSY);
	assert_int_equal(f->ops->destroy_wq(wq), 0);
	assert_int_equal(f->ops->dealloc_pd(parent), 0);
	assert_int_equal(f->ops->dealloc_td(attr.td), 0);
	assert_int_equal(f->ops->dealloc_pd(attr.pd), 0);
}

TEST(tables_name_their_wqs, struct fixture *f, IN_OWN)
{
	struct ibv_wq *a = create_wq(f), *b = create_wq(f);
	struct ibv_wq *wqs[] = { b, a, b, b };
	struct ibv_rwq_ind_table_init_attr attr = {
		.log_ind_tbl_size = 2, .ind_tbl = wqs,
	};
	struct ibv_rwq_ind_table *table;

	table = f->ops->create_rwq_ind_table(f->ctx, &attr);
	assert_non_null(table);
	assert_int_equal(f->fake.last_table_size, 4);
	assert_int_equal(f->fake.last_table[0], b->wq_num);
	assert_int_equal(f->fake.last_table[1], a->wq_num);
	f->fake.fail = EBUSY;
	assert_int_equal(f->ops->destroy_rwq_ind_table(table), EBUSY);
	assert_int_equal(f->ops->destroy_rwq_ind_table(table), 0);

	f->fake.fail = ENOSPC;
	assert_fails(f->ops->create_rwq_ind_table(f->ctx, &attr), ENOSPC);
	attr.log_ind_tbl_size = 32;
	assert_fails(f->ops->create_rwq_ind_table(f->ctx, &attr), EINVAL);
}

static void make_rss(struct ibv_qp_init_attr_ex *attr, struct ibv_pd *pd,
		     uint8_t *key)
{
	static struct ibv_rwq_ind_table table;

	*attr = (struct ibv_qp_init_attr_ex){
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_RX_HASH |
			     IBV_QP_INIT_ATTR_IND_TABLE,
		.pd = pd,
		.rwq_ind_tbl = &table,
		.rx_hash_conf = {
			.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
			.rx_hash_key_len = KEY_LEN,
			.rx_hash_key = key,
			.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 |
					       IBV_RX_HASH_INNER,
		},
	};
}

TEST(rss_qps_only_receive, struct fixture *f, IN_OWN)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_recv_wr recv_wr = {}, *bad_recv;
	struct ibv_qp_init_attr_ex attr;
	uint8_t key[KEY_LEN];
	struct ibv_qp *qp;

	memset(key, 0x5a, sizeof(key));
	make_rss(&attr, f->rc->pd, key);
	attr.send_cq = f->cq;
	qp = f->ops->create_qp_ex(f->ctx, &attr);
	assert_non_null(qp);
	assert_null(f->fake.last_attr.send_cq);
	assert_int_equal(f->fake.last_qp_req.rx_hash_function,
			 IBV_RX_HASH_FUNC_TOEPLITZ);
	assert_int_equal(f->fake.last_qp_req.rx_hash_key_len, KEY_LEN);
	assert_int_equal(f->fake.last_qp_req.rx_hash_fields,
			 IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_INNER);
	assert_memory_equal(f->fake.last_qp_req.rx_hash_key, key, KEY_LEN);

	assert_int_equal(f->ops->post_send(qp, &wr, &bad), EINVAL);
	assert_int_equal(f->ops->post_recv(qp, &recv_wr, &bad_recv), EINVAL);
}

TEST(what_an_rss_qp_needs, struct fixture *f, IN_OWN)
{
	static const struct {
		enum ibv_qp_type type;
		uint32_t without;
		uint32_t with;
		uint8_t key_len;
		uint32_t send_wr;
		int ret;
	} rows[] = {
		{ IBV_QPT_RAW_PACKET, IBV_QP_INIT_ATTR_PD, 0, KEY_LEN, 0,
		  EINVAL },
		{ IBV_QPT_RAW_PACKET, IBV_QP_INIT_ATTR_RX_HASH, 0, KEY_LEN, 0,
		  EINVAL },
		{ IBV_QPT_RAW_PACKET, IBV_QP_INIT_ATTR_IND_TABLE, 0, KEY_LEN,
		  0, EINVAL },
		{ IBV_QPT_RAW_PACKET, 0, 0, KEY_LEN - 1, 0, EINVAL },
		{ IBV_QPT_RAW_PACKET, 0, 0, KEY_LEN + 1, 0, EINVAL },
		{ IBV_QPT_RAW_PACKET, 0, 0, KEY_LEN, 1, EINVAL },
		{ IBV_QPT_RAW_PACKET, 0, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		  KEY_LEN, 0, EOPNOTSUPP },
		{ IBV_QPT_UD, 0, 0, KEY_LEN, 0, EOPNOTSUPP },
	};
	struct ibv_qp_init_attr_ex attr;
	uint8_t key[KEY_LEN + 1] = {};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		make_rss(&attr, f->rc->pd, key);
		attr.qp_type = rows[i].type;
		attr.comp_mask &= ~rows[i].without;
		attr.comp_mask |= rows[i].with;
		attr.rx_hash_conf.rx_hash_key_len = rows[i].key_len;
		attr.cap.max_send_wr = rows[i].send_wr;
		errno = 0;
		assert_null(f->ops->create_qp_ex(f->ctx, &attr));
		assert_int_equal(errno, rows[i].ret);
	}
}

TEST_MAIN("wq")
