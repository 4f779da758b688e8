// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RAW_PACKET QPs: frames and TSO with both ways of posting, packet pacing, and
 * the device attributes for them.
 */
#include "fixture.h"

#define SGES		4
#define TSO_HEADER	128
#define MSS		1400

static struct ibv_qp_init_attr_ex raw_attr(struct fixture *f, uint32_t more)
{
	return (struct ibv_qp_init_attr_ex){
		.send_cq = f->cq, .recv_cq = f->cq,
		.cap = {
			.max_send_wr = SQ_SLOTS, .max_recv_wr = RQ_WRS,
			.max_send_sge = SGES, .max_recv_sge = SGES,
			.max_inline_data = 200,
		},
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | more,
		.max_tso_header = TSO_HEADER,
		.send_ops_flags = ALL_RAW_OPS,
	};
}

static struct ibv_qp *create(struct fixture *f,
			     struct ibv_qp_init_attr_ex *attr)
{
	attr->pd = f->rc->pd;
	errno = 0;
	return f->ops->create_qp_ex(f->ctx, attr);
}

/* Creates a QP in RTS with TSO and the ibv_wr_* calls */
static struct ibv_qp *raw_qp(struct fixture *f)
{
	struct ibv_qp_init_attr_ex attr =
		raw_attr(f, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS |
			 IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
	struct ibv_qp *qp = create(f, &attr);

	assert_non_null(qp);
	fake_to_state(qp, IBV_QPS_RTS);
	fake_qp(qp)->dbr->sq_watched = htole32(1);
	return qp;
}

static int post(struct ibv_qp *ibqp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int ret = ibv_post_send(ibqp, wr, &bad);

	assert_ptr_equal(bad, ret ? wr : NULL);
	return ret;
}

static void fill(uint8_t *data, uint32_t seed, uint32_t length)
{
	uint32_t i;

	for (i = 0; i < length; i++)
		data[i] = 1 + (seed + i) % 255;
}

/* The route of a frame is zero, whatever older WQEs left in the ring */
static void assert_no_route(const struct fake_wqe *wqe)
{
	static const struct ornic_route_eth none;
	struct ornic_route_eth route = wqe_route_eth(wqe);

	assert_memory_equal(&route, &none, sizeof(none));
}

TEST(frames_arrive_whole_across_wraps, struct fixture *f, IN_OWN)
{
	struct ibv_sge sg[SGES];
	struct ibv_qp *qp = raw_qp(f);
	struct ibv_send_wr wr = {
		.sg_list = sg, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM,
	};
	struct fake_wqe wqe;
	uint32_t i, n;

	memset(fake_qp(qp)->sq, 0xa5, SQ_SLOTS * ORNIC_SLOT_SIZE);
	for (i = 0; i < 300; i++) {
		wr.wr_id = i;
		wr.num_sge = i % (SGES + 1);
		for (n = 0; n < SGES; n++)
			sg[n] = test_sge(i, n);
		assert_int_equal(post(qp, &wr), 0);
		take_send(qp, &wqe);
		assert_int_equal(wqe.opcode, ORNIC_WR_SEND);
		assert_int_equal(wqe.flags,
				 ORNIC_SEND_SIGNALED | ORNIC_SEND_IP_CSUM);
		assert_int_equal(le64toh(wqe.hdr.wr_id), i);
		assert_int_equal(wqe.count, i % (SGES + 1));
		assert_no_route(&wqe);
		assert_sges(wqe.data, i, wqe.count);
		assert_no_send(qp);
	}
}

TEST(frames_may_be_inline, struct fixture *f, IN_OWN)
{
	uint8_t data[201];
	struct ibv_sge sg[2] = {
		{ .addr = (uintptr_t)data, .length = 14 },
		{ .addr = (uintptr_t)data + 14 },
	};
	struct ibv_send_wr wr = {
		.sg_list = sg, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
	};
	struct ibv_qp *qp = raw_qp(f);
	struct fake_wqe wqe;
	uint32_t i;

	memset(fake_qp(qp)->sq, 0xa5, SQ_SLOTS * ORNIC_SLOT_SIZE);
	for (i = 14; i <= 200; i++) {
		fill(data, i, i);
		wr.num_sge = 2;
		sg[0].length = 14;
		sg[1].length = i - 14;
		assert_int_equal(post(qp, &wr), 0);
		wr.num_sge = 1;
		sg[0].length = i;
		assert_int_equal(post(qp, &wr), 0);
		for (wr.num_sge = 2; wr.num_sge; wr.num_sge--) {
			take_send(qp, &wqe);
			assert_int_equal(wqe.flags, ORNIC_SEND_INLINE);
			assert_int_equal(wqe.count, i);
			assert_no_route(&wqe);
			assert_memory_equal(wqe.data, data, i);
		}
		assert_no_send(qp);
	}
	wr.num_sge = 1;
	sg[0].length = 201;
	assert_int_equal(post(qp, &wr), EINVAL);
}

TEST(only_frames_are_sent, struct fixture *f, IN_OWN)
{
	struct ibv_sge sg = test_sge(1, 1);
	struct ibv_send_wr wr = { .sg_list = &sg, .num_sge = 1 };
	struct ibv_qp *qp = raw_qp(f);
	int opcode;

	for (opcode = IBV_WR_RDMA_WRITE; opcode < 64; opcode++) {
		wr.opcode = opcode;
		/* TSO fails because the request has no headers */
		assert_int_equal(post(qp, &wr),
				 opcode == IBV_WR_SEND ? 0 : EINVAL);
	}
	wr.opcode = IBV_WR_SEND;
	wr.num_sge = SGES + 1;
	assert_int_equal(post(qp, &wr), EINVAL);
}

static void assert_tso(const struct fake_wqe *wqe, const uint8_t *headers,
		       uint32_t hdr_len, uint32_t seed, uint32_t num)
{
	static const uint8_t zeros[16];
	uint32_t room = (hdr_len + 15) / 16 * 16;
	struct ornic_route_eth route = wqe_route_eth(wqe);

	assert_int_equal(wqe->opcode, ORNIC_WR_TSO);
	assert_int_equal(le16toh(route.mss), MSS);
	assert_int_equal(le16toh(route.hdr_len), hdr_len);
	assert_int_equal(route.flags, 0);
	assert_int_equal(route.rsvd, 0);
	assert_memory_equal(wqe->bytes + 16, headers, hdr_len);
	assert_memory_equal(wqe->bytes + 16 + hdr_len, zeros, room - hdr_len);
	assert_int_equal(wqe->count, num);
	assert_ptr_equal(wqe->data, wqe->bytes + 16 + room);
	assert_sges(wqe->data, seed, num);
}

/* Fills the headers and SGEs of a turn; returns the length of the headers */
static uint32_t tso_turn(uint32_t turn, uint8_t *headers, struct ibv_sge *sg)
{
	uint32_t len = 1 + turn % TSO_HEADER;
	uint32_t n;

	fill(headers, turn, len);
	for (n = 0; n < SGES; n++)
		sg[n] = test_sge(turn, n);
	return len;
}

TEST(tso_puts_headers_before_the_payload, struct fixture *f, IN_OWN)
{
	uint8_t headers[TSO_HEADER + 1];
	struct ibv_sge sg[SGES];
	struct ibv_send_wr wr = {
		.sg_list = sg, .opcode = IBV_WR_TSO,
		.tso = { .hdr = headers, .mss = MSS },
	};
	struct ibv_qp *qp = raw_qp(f);
	struct fake_wqe wqe;
	uint32_t i, len;

	memset(fake_qp(qp)->sq, 0xa5, SQ_SLOTS * ORNIC_SLOT_SIZE);
	/* Each length with four numbers of SGEs, at many places in the ring */
	for (i = 0; i < 4 * TSO_HEADER; i++) {
		len = tso_turn(i, headers, sg);
		wr.tso.hdr_sz = len;
		wr.num_sge = i % (SGES + 1);
		assert_int_equal(post(qp, &wr), 0);
		take_send(qp, &wqe);
		assert_tso(&wqe, headers, len, i, wr.num_sge);
		assert_no_send(qp);
	}
}

TEST(tso_needs_headers_that_fit, struct fixture *f, IN_OWN)
{
	static const struct {
		uint32_t length;
		uint32_t mss;
		uint32_t flags;
		int num;
		int ret;
	} rows[] = {
		{ TSO_HEADER, MSS, 0, 1, 0 },
		{ TSO_HEADER, 1, 0, SGES, 0 },
		{ TSO_HEADER + 1, MSS, 0, 1, EINVAL },
		{ 0, MSS, 0, 1, EINVAL },
		{ 54, 0, 0, 1, EINVAL },
		{ 54, MSS, IBV_SEND_INLINE, 1, EINVAL },
		{ 54, MSS, 0, SGES + 1, EINVAL },
		{ 54, MSS, 0, -1, EINVAL },
	};
	static uint8_t headers[TSO_HEADER + 1];
	struct ibv_sge sg[SGES + 1] = {};
	struct ibv_send_wr wr = { .sg_list = sg, .opcode = IBV_WR_TSO };
	struct ibv_qp *qp = raw_qp(f);
	struct ibv_qp *without;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		wr.num_sge = rows[i].num;
		wr.send_flags = rows[i].flags;
		wr.tso.hdr = headers;
		wr.tso.hdr_sz = rows[i].length;
		wr.tso.mss = rows[i].mss;
		assert_int_equal(post(qp, &wr), rows[i].ret);
	}

	/* A QP that was created without TSO, and a full one */
	without = one_more_qp(f, IBV_QPT_RAW_PACKET, 0);
	wr.num_sge = 1;
	wr.send_flags = 0;
	wr.tso.hdr_sz = 54;
	wr.tso.mss = MSS;
	assert_int_equal(post(without, &wr), EINVAL);
	assert_int_equal(f->ops->destroy_qp(without), 0);
	for (i = 0; !post(qp, &wr); i++)
		assert_true(i < SQ_SLOTS);
	assert_int_equal(post(qp, &wr), ENOMEM);

	fake_to_state(qp, IBV_QPS_RESET);
	assert_int_equal(post(qp, &wr), EINVAL);
}

TEST(frames_are_built_call_by_call, struct fixture *f, IN_OWN)
{
	uint8_t data[200];
	struct ibv_data_buf bufs[2] = {
		{ .addr = data, .length = 100 },
		{ .addr = data + 100, .length = 100 },
	};
	struct ibv_sge sg[SGES];
	struct ibv_qp *ibqp = raw_qp(f);
	struct ibv_qp_ex *qp = ex(ibqp);
	struct fake_wqe wqe;
	uint32_t i, n;

	fill(data, 7, sizeof(data));
	memset(fake_qp(ibqp)->sq, 0xa5, SQ_SLOTS * ORNIC_SLOT_SIZE);
	for (i = 0; i < 100; i++) {
		for (n = 0; n < SGES; n++)
			sg[n] = test_sge(i, n);
		ibv_wr_start(qp);
		qp->wr_id = i;
		qp->wr_flags = IBV_SEND_IP_CSUM;
		ibv_wr_send(qp);
		ibv_wr_set_sge(qp, sg[0].lkey, sg[0].addr, sg[0].length);
		ibv_wr_send(qp);
		ibv_wr_set_sge_list(qp, i % (SGES + 1), sg);
		ibv_wr_send(qp);
		ibv_wr_set_inline_data(qp, data, i);
		ibv_wr_send(qp);
		ibv_wr_set_inline_data_list(qp, 2, bufs);
		assert_int_equal(ibv_wr_complete(qp), 0);

		for (n = 0; n < 4; n++) {
			take_send(ibqp, &wqe);
			assert_int_equal(wqe.opcode, ORNIC_WR_SEND);
			assert_int_equal(le64toh(wqe.hdr.wr_id), i);
			assert_int_equal(wqe.flags, ORNIC_SEND_IP_CSUM |
					 (n < 2 ? 0 : ORNIC_SEND_INLINE));
			assert_no_route(&wqe);
			if (n < 2)
				assert_sges(wqe.data, i,
					    n ? i % (SGES + 1) : 1);
			else
				assert_memory_equal(wqe.data, data,
						    n == 2 ? i : 200);
		}
		assert_no_send(ibqp);
	}
}

TEST(tso_is_built_call_by_call, struct fixture *f, IN_OWN)
{
	uint8_t headers[TSO_HEADER];
	struct ibv_sge sg[SGES];
	struct ibv_qp *ibqp = raw_qp(f);
	struct ibv_qp_ex *qp = ex(ibqp);
	struct fake_wqe wqe;
	uint32_t i, len;

	memset(fake_qp(ibqp)->sq, 0xa5, SQ_SLOTS * ORNIC_SLOT_SIZE);
	for (i = 0; i < 4 * TSO_HEADER; i++) {
		len = tso_turn(i, headers, sg);
		ibv_wr_start(qp);
		ibv_wr_send_tso(qp, headers, len, MSS);
		ibv_wr_set_sge_list(qp, i % (SGES + 1), sg);
		ibv_wr_send_tso(qp, headers, len, MSS);
		ibv_wr_set_sge(qp, sg[0].lkey, sg[0].addr, sg[0].length);
		/* A TSO without payload is accepted */
		ibv_wr_send_tso(qp, headers, len, MSS);
		assert_int_equal(ibv_wr_complete(qp), 0);

		take_send(ibqp, &wqe);
		assert_tso(&wqe, headers, len, i, i % (SGES + 1));
		take_send(ibqp, &wqe);
		assert_tso(&wqe, headers, len, i, 1);
		take_send(ibqp, &wqe);
		assert_tso(&wqe, headers, len, i, 0);
		assert_no_send(ibqp);
	}
}

TEST(a_bad_tso_takes_all_back, struct fixture *f, IN_OWN)
{
	static const struct {
		uint32_t length;
		uint32_t mss;
		bool inlined;
	} rows[] = {
		{ TSO_HEADER + 1, MSS, false }, { 0, MSS, false },
		{ 54, 0, false }, { 54, MSS, true },
	};
	static uint8_t headers[TSO_HEADER + 1];
	struct ibv_sge sg = test_sge(0, 0);
	struct ibv_qp *ibqp = raw_qp(f);
	struct ibv_qp_ex *qp = ex(ibqp);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ibv_wr_start(qp);
		ibv_wr_send(qp);
		ibv_wr_set_sge_list(qp, 1, &sg);
		ibv_wr_send_tso(qp, headers, rows[i].length, rows[i].mss);
		if (rows[i].inlined)
			ibv_wr_set_inline_data(qp, headers, 1);
		else
			ibv_wr_set_sge_list(qp, 1, &sg);
		assert_int_equal(ibv_wr_complete(qp), EINVAL);
		assert_no_send(ibqp);
	}

	ibv_wr_start(qp);
	for (i = 0; i < SQ_SLOTS; i++) {
		ibv_wr_send_tso(qp, headers, TSO_HEADER, MSS);
		ibv_wr_set_sge_list(qp, 1, &sg);
	}
	assert_int_equal(ibv_wr_complete(qp), ENOMEM);
	assert_no_send(ibqp);
}

TEST(creation_tells_the_kernel, struct fixture *f, IN_OWN)
{
	const uint32_t flags = IBV_QP_CREATE_SCATTER_FCS |
			       IBV_QP_CREATE_CVLAN_STRIPPING |
			       IBV_QP_CREATE_PCI_WRITE_END_PADDING;
	struct ibv_qp_init_attr_ex attr =
		raw_attr(f, IBV_QP_INIT_ATTR_CREATE_FLAGS |
			 IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
	struct ibv_qp *qp;

	attr.create_flags = flags;
	qp = create(f, &attr);
	assert_non_null(qp);
	assert_true(f->fake.last_attr.comp_mask &
		    IBV_QP_INIT_ATTR_CREATE_FLAGS);
	assert_int_equal(f->fake.last_attr.create_flags, flags);
	assert_int_equal(f->fake.last_qp_req.max_tso_header, TSO_HEADER);
	assert_int_equal(f->fake.last_qp_req.rx_hash_key_len, 0);
	assert_int_equal(f->ops->destroy_qp(qp), 0);

	/* Members that comp_mask does not select are ignored */
	attr = raw_attr(f, 0);
	attr.create_flags = ~0;
	qp = create(f, &attr);
	assert_non_null(qp);
	assert_int_equal(f->fake.last_qp_req.max_tso_header, 0);
}

TEST(what_a_raw_qp_cannot_have, struct fixture *f, IN_OWN)
{
	struct ornic_context *ctx = to_ornic_context(f->ctx);
	struct ibv_qp_init_attr_ex attr;
	struct ibv_srq srq = {};

	attr = raw_attr(f, IBV_QP_INIT_ATTR_CREATE_FLAGS);
	attr.create_flags = IBV_QP_CREATE_SOURCE_QPN;
	assert_fails(create(f, &attr), EOPNOTSUPP);

	attr = raw_attr(f, 0);
	attr.srq = &srq;
	assert_fails(create(f, &attr), EINVAL);

	attr = raw_attr(f, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	attr.send_ops_flags = IBV_QP_EX_WITH_SEND_WITH_IMM;
	assert_fails(create(f, &attr), EOPNOTSUPP);

	attr = raw_attr(f, IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
	attr.max_tso_header = ORNIC_TSO_HDR_MAX + 1;
	assert_fails(create(f, &attr), EINVAL);

	/* A device without TSO */
	ctx->send_ops &= ~(1ULL << IBV_WR_TSO);
	attr = raw_attr(f, IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
	assert_fails(create(f, &attr), EOPNOTSUPP);
	attr = raw_attr(f, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	assert_fails(create(f, &attr), EOPNOTSUPP);
}

TEST(rates_go_to_the_kernel, struct fixture *f, IN_OWN)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .rate_limit = 5000,
	};
	struct ibv_qp_rate_limit_attr rate = {
		.rate_limit = 7000, .max_burst_sz = 3000,
		.typical_pkt_sz = 1500,
	};
	struct ibv_qp_init_attr_ex init = raw_attr(f, 0);
	struct ibv_sge sg = test_sge(1, 1);
	struct ibv_send_wr wr = {
		.sg_list = &sg, .num_sge = 1, .opcode = IBV_WR_SEND,
	};
	struct ibv_qp *qp = create(f, &init);

	fake_to_state(qp, IBV_QPS_RTR);
	assert_int_equal(post(qp, &wr), EINVAL);
	assert_int_equal(f->ops->modify_qp(qp, &attr, IBV_QP_STATE |
					   IBV_QP_RATE_LIMIT), 0);
	assert_int_equal(f->fake.last_rate, 5000);
	assert_int_equal(f->fake.last_modify_req.max_burst_size, 0);
	assert_int_equal(post(qp, &wr), 0);

	assert_int_equal(f->ops->modify_qp_rate_limit(qp, &rate), 0);
	assert_int_equal(f->fake.last_rate, 7000);
	assert_int_equal(f->fake.last_modify_req.max_burst_size, 3000);
	assert_int_equal(f->fake.last_modify_req.typical_packet_size, 1500);
	assert_int_equal(fake_qp(qp)->state, IBV_QPS_RTS);

	f->fake.fail = EINVAL;
	assert_int_equal(f->ops->modify_qp_rate_limit(qp, &rate), EINVAL);
	rate.comp_mask = 1;
	assert_int_equal(f->ops->modify_qp_rate_limit(qp, &rate), EINVAL);
}

TEST(the_device_is_described, struct fixture *f, IN_OWN)
{
	const struct verbs_context_ops *ops = f->ops;
	struct ibv_context *ctx = f->ctx;
	struct ibv_device_attr_ex attr;

	assert_int_equal(ops->query_device_ex(ctx, NULL, &attr,
					      sizeof(attr)), 0);
	assert_int_equal(attr.tso_caps.supported_qpts, 0);
	assert_int_equal(attr.packet_pacing_caps.supported_qpts, 0);

	f->fake.device = (struct ornic_query_device_resp){
		.rx_hash_fields = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_INNER,
		.rx_hash_functions = IBV_RX_HASH_FUNC_TOEPLITZ,
		.max_tso = 65536, .min_rate = 1, .max_rate = 1000000,
	};
	assert_int_equal(ops->query_device_ex(ctx, NULL, &attr,
					      sizeof(attr)), 0);
	assert_int_equal(attr.tso_caps.max_tso, 65536);
	assert_int_equal(attr.tso_caps.supported_qpts,
			 1 << IBV_QPT_RAW_PACKET);
	assert_int_equal(attr.rss_caps.rx_hash_fields_mask,
			 IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_INNER);
	assert_int_equal(attr.rss_caps.rx_hash_function,
			 IBV_RX_HASH_FUNC_TOEPLITZ);
	assert_int_equal(attr.packet_pacing_caps.qp_rate_limit_min, 1);
	assert_int_equal(attr.packet_pacing_caps.qp_rate_limit_max, 1000000);
	assert_int_equal(attr.packet_pacing_caps.supported_qpts,
			 1 << IBV_QPT_RAW_PACKET);

	/* A program that was compiled with a shorter structure */
	memset(&attr, 0xa5, sizeof(attr));
	assert_int_equal(ops->query_device_ex(ctx, NULL, &attr,
					      sizeof(attr.orig_attr)), 0);
	assert_int_equal(attr.tso_caps.max_tso, 0xa5a5a5a5);
	assert_int_equal(ops->query_device_ex(ctx, NULL, &attr,
					      offsetof(struct ibv_device_attr_ex,
						       rss_caps)), 0);
	assert_int_equal(attr.tso_caps.max_tso, 65536);
	assert_int_equal(attr.rss_caps.rx_hash_function, 0xa5);
	assert_int_equal(attr.packet_pacing_caps.qp_rate_limit_max,
			 0xa5a5a5a5);
}

TEST_MAIN("raw")
