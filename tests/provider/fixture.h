/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The fixture of most tests: a CQ, an RC QP and a UD QP. Both QPs are in RTS
 * and watched by the device.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <endian.h>

#include <ccan/array_size.h>

#include "../unit/lib/unit.h"
#include "fake.h"

#define SQ_SLOTS	16
#define RQ_WRS		8
#define ALL_RC_OPS	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | \
			 IBV_QP_EX_WITH_RDMA_WRITE | \
			 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
			 IBV_QP_EX_WITH_RDMA_READ | \
			 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | \
			 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | \
			 IBV_QP_EX_WITH_LOCAL_INV | \
			 IBV_QP_EX_WITH_BIND_MW | \
			 IBV_QP_EX_WITH_SEND_WITH_INV | \
			 IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE)
#define ALL_UC_OPS	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | \
			 IBV_QP_EX_WITH_RDMA_WRITE | \
			 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
			 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW)
#define ALL_RAW_OPS	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_TSO)
#define ALL_UD_OPS	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)

/**
 * struct fixture - the objects of a test
 * @fake: kernel and device
 * @ops: operations of the provider
 * @ctx: context of the process
 * @cq: completion queue of both QPs, or another one of the test
 * @rc: RC QP
 * @ud: UD QP
 * @ah: address handle for @ud
 */
struct fixture {
	struct fake fake;
	const struct verbs_context_ops *ops;
	struct ibv_context *ctx;
	struct ibv_cq *cq;
	struct ibv_qp *rc;
	struct ibv_qp *ud;
	struct ibv_ah *ah;
};

static inline struct ibv_qp_ex *ex(struct ibv_qp *ibqp)
{
	return &to_ornic_qp(ibqp)->vqp.qp_ex;
}

static inline int setup_as(void **state, bool shadow, bool push)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct ibv_ah_attr attr = {};

	fake_open(&f->fake, shadow, push);
	f->ops = f->fake.ops;
	f->ctx = &f->fake.ctx->context;
	f->fake.log_sq_slots = 4;
	memset(&f->fake.av, 0xa5, sizeof(f->fake.av));
	f->cq = f->ops->create_cq(f->ctx, 8, NULL, 0);
	f->rc = fake_create_qp(&f->fake, IBV_QPT_RC, f->cq, SQ_SLOTS, RQ_WRS,
			       ALL_RC_OPS);
	f->ud = fake_create_qp(&f->fake, IBV_QPT_UD, f->cq, SQ_SLOTS, RQ_WRS,
			       ALL_UD_OPS);
	f->ah = f->ops->create_ah(f->rc->pd, &attr);
	assert_non_null(f->cq);
	assert_non_null(f->rc);
	assert_non_null(f->ud);
	assert_non_null(f->ah);
	fake_to_state(f->rc, IBV_QPS_RTS);
	fake_to_state(f->ud, IBV_QPS_RTS);
	fake_qp(f->rc)->dbr->sq_watched = htole32(1);
	fake_qp(f->ud)->dbr->sq_watched = htole32(1);
	*state = f;
	return 0;
}

#define SETUP(name, shadow, push)					\
	static inline int name(void **state)				\
	{								\
		return setup_as(state, shadow, push);			\
	}

SETUP(setup, true, false)
/* A device without ORNIC_CAPS_SHADOW */
SETUP(setup_plain, false, false)
/* A device without ORNIC_CAPS_SHADOW that takes pushed WQEs */
SETUP(setup_push, false, true)

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->ops->destroy_ah(f->ah), 0);
	fake_close(&f->fake);
	free(f);
	return 0;
}

/* As if the completion of the next request had been polled */
static inline void as_polled(struct ornic_polled *polled)
{
	atomic_fetch_add(&polled->count, 1);
}

/* The device fetches a WQE, releases its slots, and its completion is polled */
static inline void take_send(struct ibv_qp *ibqp, struct fake_wqe *wqe)
{
	assert_true(fake_take_send(fake_qp(ibqp), ibqp->qp_type, wqe));
	fake_release_sends(fake_qp(ibqp));
	as_polled(&to_ornic_qp(ibqp)->sq.polled);
}

static inline void assert_no_send(struct ibv_qp *ibqp)
{
	assert_int_equal(le32toh(fake_qp(ibqp)->dbr->sq_pi),
			 fake_qp(ibqp)->sq_ci);
}

/* Returns SGE @n of a WQE, with values that depend on @seed */
static inline struct ibv_sge test_sge(uint32_t seed, uint32_t n)
{
	return (struct ibv_sge){
		.addr = 0x1000000000ULL * (seed + 1) + n,
		.length = 64 * n + seed,
		.lkey = (seed << 8) + n,
	};
}

static inline void assert_sges(const void *wqe_data, uint32_t seed,
			       uint32_t num)
{
	struct ornic_sge sge;
	struct ibv_sge sg;
	uint32_t i;

	for (i = 0; i < num; i++) {
		sg = test_sge(seed, i);
		memcpy(&sge, (const uint8_t *)wqe_data + 16 * i, 16);
		assert_int_equal(le64toh(sge.addr), sg.addr);
		assert_int_equal(le32toh(sge.length), sg.length);
		assert_int_equal(le32toh(sge.lkey), sg.lkey);
	}
}

/* Maximum number of SGEs of a request from recv_wr() */
#define RECV_SGES	3

/* Returns receive request @n of a queue, with its SGEs in @sg */
static inline struct ibv_recv_wr recv_wr(uint64_t n, struct ibv_sge *sg)
{
	uint32_t i;

	for (i = 0; i < RECV_SGES; i++)
		sg[i] = test_sge(n & 0xff, i);
	return (struct ibv_recv_wr){
		.wr_id = n, .sg_list = sg, .num_sge = n % (RECV_SGES + 1),
	};
}

/* The device fetches the next receive, which must be request @n of recv_wr() */
static inline void take_recv(struct fake_qp *queue, uint64_t n)
{
	struct ornic_sge sges[RECV_SGES];
	struct ornic_rq_hdr hdr;

	assert_true(fake_take_recv(queue, &hdr, sges));
	assert_int_equal(le64toh(hdr.wr_id), n);
	assert_int_equal(le32toh(hdr.ctrl), n % (RECV_SGES + 1));
	assert_sges(sges, n & 0xff, n % (RECV_SGES + 1));
}

/* Defines a function that returns a part of a WQE, at an offset in its bytes */
#define WQE_PART(name, part, offset)					\
	static inline struct part name(const struct fake_wqe *wqe)	\
	{								\
		struct part copy;					\
									\
		memcpy(&copy, wqe->bytes + (offset), sizeof(copy));	\
		return copy;						\
	}

WQE_PART(wqe_route, ornic_route_rc, 0)
WQE_PART(wqe_route_ud, ornic_route_ud, 0)
WQE_PART(wqe_route_eth, ornic_route_eth, 0)
WQE_PART(wqe_bind, ornic_bind, 16)
WQE_PART(wqe_atomic, ornic_atomic, 16)

/* Creates another QP in RTS, watched by the device */
static inline struct ibv_qp *one_more_qp(struct fixture *f,
					 enum ibv_qp_type type, uint64_t ops)
{
	struct ibv_qp *qp;

	qp = fake_create_qp(&f->fake, type, f->cq, SQ_SLOTS, RQ_WRS, ops);
	assert_non_null(qp);
	fake_to_state(qp, IBV_QPS_RTS);
	fake_qp(qp)->dbr->sq_watched = htole32(1);
	return qp;
}

/* Creates a small RC QP in domain @pd; may return NULL */
static inline struct ibv_qp *create_qp_in(struct fixture *f,
					  struct ibv_pd *pd,
					  struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
	};

	return f->ops->create_qp(pd, &attr);
}

static inline struct ibv_srq *create_srq_in(struct fixture *f,
					    struct ibv_pd *pd, uint32_t max_wr,
					    uint32_t max_sge)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = max_wr, .max_sge = max_sge },
	};

	return f->ops->create_srq(pd, &attr);
}

static inline struct ibv_wq *create_wq_in(struct fixture *f, struct ibv_pd *pd,
					  struct ibv_cq *cq, uint32_t max_wr)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = max_wr, .max_sge = 1,
		.pd = pd, .cq = cq,
	};

	return f->ops->create_wq(f->ctx, &attr);
}

static inline void wq_to_state(struct fixture *f, struct ibv_wq *wq,
			       enum ibv_wq_state state)
{
	struct ibv_wq_attr attr = {
		.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = state,
	};

	assert_int_equal(f->ops->modify_wq(wq, &attr), 0);
}

/* Checks that a call returns no object and sets errno to @error */
#define assert_fails(object, error) do {		\
		errno = 0;				\
		assert_null(object);			\
		assert_int_equal(errno, error);		\
	} while (0)

/* The fixture without ORNIC_CAPS_SHADOW */
#define IN_PLAIN { "[plain]", setup_plain, teardown, NULL }

#endif /* FIXTURE_H */
