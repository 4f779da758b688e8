// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of an attacker, as many as its admin queue holds. Those of its neighbour complete
 * in time ([ORNIC-ADM-15]).
 */
#include "base/state.h"
#include "neighbour.h"
#include "objects/cq.h"

#define TURNS 100
#define SHIFT_16M 24
#define SHIFT_8M 23
#define TIMER_NS 1000000

/* Submit as many commands as the queue takes; all have the same input */
static void flood(struct neighbours *n, unsigned int opcode, const void *in,
		  uint32_t len)
{
	struct host *host = n->host[0];
	uint64_t used = host->used;

	while (host->admin_pi - host->card->admin.cq_pi <
	       1u << HOST_ADMIN_LOG_DEPTH) {
		host_submit(host, opcode, in, len);
		host->used = used;
	}
}

static void push(struct neighbours *n)
{
	flood(n, n->attack->arg, NULL, 0);
}

/* A page that lists itself on all levels */
static void self_page(struct neighbours *n)
{
	struct host *host = n->host[0];
	__le64 *entry;
	unsigned int i;

	n->addr = host_alloc(host, HOST_PAGE, HOST_PAGE);
	entry = host_ptr(host, n->addr);
	for (i = 0; i < ORNIC_INDEX_ENTRIES; i++)
		entry[i] = htole64(n->addr);
}

static struct ornic_buf self_buf(struct neighbours *n, uint64_t len)
{
	return (struct ornic_buf){
		.page_shift = 12,
		.levels = 3,
		.npages = htole32(len >> 12),
		.addr = htole64(n->addr),
	};
}

static void push_create_mr(struct neighbours *n)
{
	uint64_t len = 1ULL << n->attack->arg;
	struct ornic_create_mr_in in = {
		.pdn = htole32(A(n->pair)->pdn),
		.access = htole32(ORNIC_ACCESS_LOCAL_WRITE),
		.type = ORNIC_MR_MEMORY,
		.length = htole64(len),
		.buf = self_buf(n, len),
	};

	flood(n, ORNIC_CMD_CREATE_MR, &in, sizeof(in));
}

static void push_create_reg(struct neighbours *n)
{
	struct ornic_create_mr_in in = {
		.pdn = htole32(A(n->pair)->pdn),
		.type = ORNIC_MR_REG,
		.max_pages = htole32(1024),
	};

	flood(n, ORNIC_CMD_CREATE_MR, &in, sizeof(in));
}

static void push_create_qp(struct neighbours *n)
{
	struct ornic_create_qp_in in = {
		.uctx = htole32(A(n->pair)->uctx),
		.pdn = htole32(A(n->pair)->pdn),
		.send_cqn = htole32(A(n->pair)->cq.num),
		.recv_cqn = htole32(A(n->pair)->cq.num),
		.flags = htole32(ORNIC_QP_SQ | ORNIC_QP_RQ),
		.type = ORNIC_QPT_RC,
		.log_sq_slots = CARD_MAX_LOG_SQ_SLOTS,
		.log_rq_wqes = CARD_MAX_LOG_RQ_WQES,
		.rq_stride_shift = 9,
		.sq = self_buf(n, 64ULL << CARD_MAX_LOG_SQ_SLOTS),
		.rq = self_buf(n, 512ULL << CARD_MAX_LOG_RQ_WQES),
		.dbr_addr = htole64(n->addr),
	};

	flood(n, ORNIC_CMD_CREATE_QP, &in, sizeof(in));
}

static void push_create_cq(struct neighbours *n)
{
	struct ornic_create_cq_in in = {
		.uctx = htole32(A(n->pair)->uctx),
		.eqn = htole32(A(n->pair)->eq.num),
		.log_size = CARD_MAX_LOG_CQE,
		.log_cqe_size = 6,
		.buf = self_buf(n, 64ULL << CARD_MAX_LOG_CQE),
		.dbr_addr = htole64(n->addr),
	};

	flood(n, ORNIC_CMD_CREATE_CQ, &in, sizeof(in));
}

static void push_create_eq(struct neighbours *n)
{
	struct ornic_create_eq_in in = {
		.log_size = CARD_MAX_LOG_EQE,
		.buf = self_buf(n, 32ULL << CARD_MAX_LOG_EQE),
		.dbr_addr = htole64(n->addr),
	};

	flood(n, ORNIC_CMD_CREATE_EQ, &in, sizeof(in));
}

/* A full CQ whose ring is one large page */
static void begin_resize_cq(struct neighbours *n)
{
	struct ornic_create_cq_in in = {
		.uctx = htole32(A(n->pair)->uctx),
		.eqn = htole32(A(n->pair)->eq.num),
		.log_size = CARD_MAX_LOG_CQE,
		.log_cqe_size = 6,
		.buf = { .page_shift = SHIFT_16M, .npages = htole32(1) },
	};
	struct host *host = n->host[0];

	n->addr = host_alloc(host, 1u << SHIFT_16M, HOST_PAGE);
	in.buf.addr = htole64(n->addr);
	in.dbr_addr = htole64(host_alloc(host, 64, 64));
	n->key = host_create_object(host, ORNIC_CMD_CREATE_CQ, &in,
				    sizeof(in));
	cq_find(host->card, n->key)->pi = 1u << CARD_MAX_LOG_CQE;
}

static void push_resize_cq(struct neighbours *n)
{
	struct ornic_resize_in in = {
		.num = htole32(n->key),
		.log_size = CARD_MAX_LOG_CQE,
		.buf = {
			.page_shift = SHIFT_16M,
			.npages = htole32(1),
			.addr = htole64(n->addr),
		},
		.dbr_addr = htole64(n->addr),
	};

	flood(n, ORNIC_CMD_RESIZE_CQ, &in, sizeof(in));
}

static void begin_resize_srq(struct neighbours *n)
{
	struct ornic_create_srq_in in = {
		.pdn = htole32(A(n->pair)->pdn),
		.log_wqes = CARD_MAX_LOG_RQ_WQES,
		.stride_shift = 9,
		.buf = { .page_shift = SHIFT_8M, .npages = htole32(1) },
	};
	struct host *host = n->host[0];
	struct ornic_qp_dbr *dbr;

	/* The record, then the ring */
	n->addr = host_alloc(host, HOST_PAGE + (1u << SHIFT_8M), HOST_PAGE);
	in.buf.addr = htole64(n->addr + HOST_PAGE);
	in.dbr_addr = htole64(n->addr);
	n->key = host_create_object(host, ORNIC_CMD_CREATE_SRQ, &in,
				    sizeof(in));
	dbr = host_ptr(host, n->addr);
	guest_store32(&dbr->rq_pi, 1u << CARD_MAX_LOG_RQ_WQES);
}

static void push_resize_srq(struct neighbours *n)
{
	struct ornic_resize_in in = {
		.num = htole32(n->key),
		.log_size = CARD_MAX_LOG_RQ_WQES,
		.buf = {
			.page_shift = SHIFT_8M,
			.npages = htole32(1),
			.addr = htole64(n->addr + HOST_PAGE),
		},
		.dbr_addr = htole64(n->addr),
	};

	flood(n, ORNIC_CMD_RESIZE_SRQ, &in, sizeof(in));
}

static struct ornic_create_flow_in flow(struct neighbours *n, uint32_t priority)
{
	return (struct ornic_create_flow_in){
		.qpn = htole32(n->key),
		.flags = htole32(ORNIC_FLOW_DROP),
		.priority = htole32(priority),
	};
}

static void begin_flows(struct neighbours *n)
{
	struct host_qp qp;
	unsigned int i;

	host_qp(n->host[0], &qp, ORNIC_QPT_RAW_PACKET, A(n->pair)->uctx,
		A(n->pair)->pdn, &A(n->pair)->cq, 0);
	n->key = qp.num;
	for (i = 0; i < 1u << CARD_MAX_FLOW_BITS; i++) {
		struct ornic_create_flow_in in = flow(n, i);

		host_create_object(n->host[0], ORNIC_CMD_CREATE_FLOW, &in,
				   sizeof(in));
	}
}

/* The table is full, which is noticed after all rules were compared */
static void push_create_flow(struct neighbours *n)
{
	struct ornic_create_flow_in in = flow(n, UINT32_MAX);

	flood(n, ORNIC_CMD_CREATE_FLOW, &in, sizeof(in));
}

/* ---- tables that are full ---- */

static void create_qps(struct neighbours *n)
{
	struct side *side = A(n->pair);
	struct ornic_create_qp_in in = {
		.uctx = htole32(side->uctx),
		.pdn = htole32(side->pdn),
		.send_cqn = htole32(side->cq.num),
		.recv_cqn = htole32(side->cq.num),
		.flags = htole32(ORNIC_QP_SQ | ORNIC_QP_RQ),
		.type = ORNIC_QPT_RC,
		.log_sq_slots = 6,
		.log_rq_wqes = 3,
		.rq_stride_shift = 9,
	};
	struct host *host = n->host[0];
	struct ornic_create_qp_out out;

	in.dbr_addr = htole64(host_alloc(host, 128, 128));
	host_buf(&in.sq, host_alloc(host, HOST_PAGE, HOST_PAGE), HOST_PAGE);
	host_buf(&in.rq, host_alloc(host, HOST_PAGE, HOST_PAGE), HOST_PAGE);
	while (host->card->qps.count < host->card->qps.max)
		host_cmd_ok(host, ORNIC_CMD_CREATE_QP, &in, &out);
}

static void create_cqs(struct neighbours *n)
{
	struct host *host = n->host[0];
	struct ornic_create_cq_in in = {
		.uctx = htole32(A(n->pair)->uctx),
		.eqn = htole32(A(n->pair)->eq.num),
		.log_cqe_size = 5,
	};

	in.dbr_addr = htole64(host_alloc(host, 64, 64));
	host_buf(&in.buf, host_alloc(host, HOST_PAGE, HOST_PAGE), HOST_PAGE);
	while (host->card->cqs.count < host->card->cqs.max)
		host_create_object(host, ORNIC_CMD_CREATE_CQ, &in, sizeof(in));
}

static void create_mrs(struct neighbours *n)
{
	struct host *host = n->host[0];

	while (host->card->mrs.count < host->card->mrs.max)
		host_mr(host, A(n->pair)->pdn, A(n->pair)->addr, HOST_PAGE,
			ORNIC_ACCESS_LOCAL_WRITE);
}

static void create_all(struct neighbours *n)
{
	create_qps(n);
	create_cqs(n);
	create_mrs(n);
}

/* Once, as the objects are gone then */
static void push_reset(struct neighbours *n)
{
	if (!n->addr++)
		client_send(n->world->client[0], VFIO_USER_DEVICE_RESET,
			    VFIO_USER_NO_REPLY, NULL, 0, -1);
}

/* A turn that notifies as many queues as it may takes 20 us */
#define DEAD_NS 100000

/* A CQ that all QPs use fails */
static void push_dead_cq(struct neighbours *n)
{
	struct cq *cq = cq_find(n->host[0]->card, A(n->pair)->cq.num);
	struct ornic_cqe cqe = {};
	struct obj *obj;
	uint32_t i = 0;

	if (n->addr++)
		return;
	while ((obj = obj_each(&n->host[0]->card->qps, &i)))
		container_of(obj, struct qp, base.obj)->base.state = ORNIC_QPS_RTS;
	cq->ignore_overrun = false;
	cq->pi = 1u << cq->log_size;
	cq_post(cq, &cqe, NULL, false);
}

/* The timers of all QPs fire at the same time, for polls in ERR */
static void push_qp_timers(struct neighbours *n)
{
	struct timers *timers = n->host[0]->card->env->timers;
	struct loop *loop = &n->world->loop;
	struct obj *obj;
	uint32_t i = 0;

	if (n->addr++)
		return;
	while ((obj = obj_each(&n->host[0]->card->qps, &i))) {
		struct receiver *qp = container_of(obj, struct receiver, obj);

		qp->state = ORNIC_QPS_ERR;
		timer_arm(timers, &qp->timer, loop->now_ns + TIMER_NS);
	}
}

/*
 * The timers of all CQs fire at the same time. Their events wait for room in
 * the EQ, which the attacker empties before each turn.
 */
static void push_cq_timers(struct neighbours *n)
{
	struct host_queue *eq = &A(n->pair)->eq;
	struct ornic_cq_dbr *dbr = host_ptr(n->host[0], eq->dbr);
	struct card *card = n->host[0]->card;
	struct timers *timers = n->host[0]->card->env->timers;
	struct loop *loop = &n->world->loop;
	struct obj *obj;
	uint32_t i = 0;

	guest_store32(&dbr->ci, eq_find(card, eq->num)->pi);
	if (n->addr++)
		return;
	while ((obj = obj_each(&card->cqs, &i))) {
		struct cq *cq = container_of(obj, struct cq, obj);

		cq->gathered = 1;
		cq->gather_for = cq->arm.asked;
		timer_arm(timers, &cq->timer, loop->now_ns + TIMER_NS);
	}
}

/* ---- held events ---- */

/* Pushes after which events must have left their list, and how many at least */
#define HELD_PUSHES 20
#define HELD_EVENTS 100
/* A turn that writes as many events as it may takes 130 us */
#define HELD_NS 500000

/* All CQs share an EQ of 2^arg entries, and each has an event in it or waits */
static void begin_held(struct neighbours *n)
{
	struct host_queue *queue = &A(n->pair)->eq;
	struct host *host = n->host[0];
	uint32_t others = host->card->cqs.count;

	host_eq(host, queue, 1, n->attack->arg);
	create_cqs(n);
	assert_true(host->card->cqs.count - others > HELD_EVENTS);
}

/*
 * Each CQ has two more events, of which one waits at least, and then the
 * attacker consumes all that are in the EQ.
 */
static void push_held(struct neighbours *n)
{
	struct host_queue *queue = &A(n->pair)->eq;
	struct card *card = n->host[0]->card;
	struct eq *eq = eq_find(card, queue->num);
	struct ornic_cq_dbr *dbr = host_ptr(n->host[0], queue->dbr);
	struct obj *obj;
	uint32_t i = 0;

	while ((obj = obj_each(&card->cqs, &i))) {
		struct cq *cq = container_of(obj, struct cq, obj);

		if (cq->eq != eq || cq->events.pending)
			continue;
		eq_tell(eq, &cq->events, ORNIC_EVENT_COMP);
		eq_tell(eq, &cq->events, ORNIC_EVENT_COMP);
	}
	if (!n->addr++)
		n->key = eq->pi;
	if (n->addr > HELD_PUSHES)
		assert_true(eq->pi - n->key > HELD_EVENTS);
	guest_store32(&dbr->ci, eq->pi);
}

static const struct attack attacks[] = {
	{ "nop", NULL, push, TURNS, ORNIC_CMD_NOP, 0, 0 },
	{ "query_device", NULL, push, TURNS, ORNIC_CMD_QUERY_DEVICE, 0, 0 },
	{ "unknown", NULL, push, TURNS, 0xffff, 0, 0 },
	{ "create_mr_64g", self_page, push_create_mr, 2 * TURNS, 35, 0, 0 },
	{ "create_mr_16m", self_page, push_create_mr, TURNS, 24, 0, 0 },
	{ "create_mr_reg", self_page, push_create_reg, TURNS, 0, 0, 0 },
	{ "create_qp", self_page, push_create_qp, TURNS, 0, 0, 0 },
	{ "create_cq", self_page, push_create_cq, TURNS, 0, 0, 0 },
	{ "create_eq", self_page, push_create_eq, TURNS, 0, 0, 0 },
	{ "resize_cq", begin_resize_cq, push_resize_cq, 10, 0, 0, 0 },
	{ "resize_srq", begin_resize_srq, push_resize_srq, 10, 0, 0, 0 },
	{ "create_flow", begin_flows, push_create_flow, TURNS, 0, 0, 0 },
	{ "reset", create_all, push_reset, 2 * TURNS, 0, 0, 0 },
	{ "dead_cq", create_qps, push_dead_cq, 2 * TURNS, 0, DEAD_NS, 0 },
	{ "qp_timers", create_qps, push_qp_timers, 2 * TURNS, 0, 0,
	  2 * TIMER_NS },
	{ "cq_timers", create_cqs, push_cq_timers, 2 * TURNS, 0, 0,
	  2 * TIMER_NS },
	{ "held_events", begin_held, push_held, TURNS / 2, CARD_MAX_LOG_EQE,
	  HELD_NS, 2 * TIMER_NS },
	{ "held_events_small", begin_held, push_held, TURNS / 2, 4, HELD_NS,
	  2 * TIMER_NS },
};

int main(void)
{
	return neighbours_main("neighbour_command", attacks,
			       ARRAY_SIZE(attacks));
}
