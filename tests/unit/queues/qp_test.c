// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CREATE_QP, DESTROY_QP, MODIFY_QP and QUERY_QP, and their refusals */
#include "card/card.h"
#include "objects/pd.h"
#include "pair.h"
#include "table.h"

#define IN_QP IN(qp_setup, pair_teardown)
#define M(name) ORNIC_QP_ATTR_##name

static int qp_setup(void **state)
{
	*state = pair_create(&pair_config_local);
	return 0;
}

/* ---- CREATE_QP ---- */

static struct ornic_create_qp_in create_in(struct side *side)
{
	struct host *host = side->host;
	struct ornic_create_qp_in in = {
		.uctx = htole32(side->uctx),
		.pdn = htole32(side->pdn),
		.send_cqn = htole32(side->cq.num),
		.recv_cqn = htole32(side->cq.num),
		.flags = htole32(ORNIC_QP_SQ | ORNIC_QP_RQ),
		.type = ORNIC_QPT_RC,
		.log_sq_slots = 6,
		.log_rq_wqes = 6,
		.rq_stride_shift = 6,
	};

	host_buf(&in.sq, host_alloc(host, HOST_PAGE, HOST_PAGE), HOST_PAGE);
	host_buf(&in.rq, host_alloc(host, HOST_PAGE, HOST_PAGE), HOST_PAGE);
	in.dbr_addr = htole64(host_alloc(host, 128, 128));
	return in;
}

static unsigned int create(struct side *side,
			   const struct ornic_create_qp_in *in)
{
	struct ornic_create_qp_out out = {};
	unsigned int status;

	status = host_cmd(side->host, ORNIC_CMD_CREATE_QP, in, &out);
	side->qp.num = le32toh(out.qpn);
	return status;
}

static void destroy(struct side *side)
{
	host_cmd_object_ok(side->host, ORNIC_CMD_DESTROY_QP, side->qp.num);
}

/* Refuse one wrong field, without a leak */
#define REFUSED(_side, _status, ...) do { \
		struct ornic_create_qp_in in = create_in(_side); \
		unsigned int before = (_side)->host->card->qps.count; \
		__VA_ARGS__; \
		assert_int_equal(create(_side, &in), ORNIC_CMD_##_status); \
		assert_int_equal((_side)->host->card->qps.count, before); \
	} while (0)

/* [ORNIC-OBJ-21] */
TEST(test_create_refusals, struct pair *pair, IN_QP)
{
	struct side *side = A(pair);
	struct ornic_create_qp_in good;
	uint32_t pages = side->host->card->budget.pages;

	REFUSED(side, BAD_OBJECT, in.uctx = htole32(999));
	REFUSED(side, BAD_OBJECT, in.pdn = htole32(PD_MAX));
	REFUSED(side, BAD_OBJECT, in.send_cqn = htole32(999));
	REFUSED(side, BAD_OBJECT, in.recv_cqn = htole32(999));
	REFUSED(side, BAD_PARAM, in.type = 0);
	REFUSED(side, BAD_PARAM, in.type = 7);
	REFUSED(side, BAD_PARAM, in.type = 255);
	REFUSED(side, BAD_PARAM, in.type = ORNIC_QPT_XRC_SEND);
	REFUSED(side, BAD_PARAM, in.flags |= htole32(0x80000000));
	REFUSED(side, BAD_PARAM, in.flags |= htole32(ORNIC_QP_SRQ));
	REFUSED(side, BAD_PARAM, in.srqn = htole32(1));
	REFUSED(side, BAD_PARAM, in.xrcdn = htole32(1));
	REFUSED(side, BAD_PARAM, in.log_sq_slots = CARD_MAX_LOG_SQ_SLOTS + 1);
	REFUSED(side, BAD_PARAM, in.log_sq_slots = 255);
	REFUSED(side, BAD_PARAM, in.log_rq_wqes = CARD_MAX_LOG_RQ_WQES + 1);
	REFUSED(side, BAD_PARAM, in.rq_stride_shift = 4);
	REFUSED(side, BAD_PARAM, in.rq_stride_shift = 10);
	REFUSED(side, BAD_PARAM, in.rq_stride_shift = 255);
	REFUSED(side, BAD_PARAM, in.flags = htole32(ORNIC_QP_RQ));
	REFUSED(side, BAD_PARAM, in.flags = htole32(ORNIC_QP_SQ));
	REFUSED(side, BAD_PARAM, in.dbr_addr |= htole64(32));
	REFUSED(side, DMA_FAULT, in.dbr_addr = htole64(HOST_NOWHERE));
	REFUSED(side, DMA_FAULT, in.sq.addr = htole64(HOST_NOWHERE));
	REFUSED(side, DMA_FAULT, in.rq.addr = htole64(HOST_NOWHERE));
	REFUSED(side, BAD_PARAM, in.sq.npages = 0);
	REFUSED(side, BAD_PARAM, in.rq.rsvd[1] = 1);
	REFUSED(side, BAD_PARAM, in.sq.levels = 2);
	assert_int_equal(side->host->card->budget.pages, pages);

	good = create_in(side);
	assert_int_equal(create(side, &good), ORNIC_CMD_OK);
	destroy(side);
	assert_int_equal(side->host->card->budget.pages, pages);
}

TEST(test_create_holds_what_it_uses, struct pair *pair, IN_QP)
{
	struct side *side = A(pair);
	struct ornic_create_qp_in in = create_in(side);
	struct host *host = side->host;

	assert_int_equal(create(side, &in), ORNIC_CMD_OK);
	host_cmd_object_is(host, ORNIC_CMD_DESTROY_CQ, side->cq.num, ORNIC_CMD_BUSY);
	destroy(side);
	host_cmd_object_is(host, ORNIC_CMD_DESTROY_QP, side->qp.num, ORNIC_CMD_BAD_OBJECT);
	host_cmd_object_ok(host, ORNIC_CMD_DESTROY_CQ, side->cq.num);
}

/* [ORNIC-OBJ-23] */
TEST(test_kernel_qp_needs_the_kernel_page, struct pair *pair, IN_QP)
{
	struct side *side = A(pair);
	struct ornic_create_qp_in in = create_in(side);

	in.flags |= htole32(ORNIC_QP_KERNEL);
	assert_int_equal(create(side, &in), ORNIC_CMD_OK);
	destroy(side);
	in.uctx = htole32(host_uctx(side->host, 0, 0));
	assert_int_equal(create(side, &in), ORNIC_CMD_BAD_PARAM);
	in.flags &= ~htole32(ORNIC_QP_KERNEL);
	in.type = ORNIC_QPT_GSI;
	assert_int_equal(create(side, &in), ORNIC_CMD_BAD_PARAM);
}

TEST(test_one_gsi, struct pair *pair, IN_QP)
{
	struct side *side = A(pair);
	struct ornic_create_qp_in in = create_in(side);
	uint32_t num;

	in.type = ORNIC_QPT_GSI;
	assert_int_equal(create(side, &in), ORNIC_CMD_OK);
	num = side->qp.num;
	assert_int_equal(create(side, &in), ORNIC_CMD_BUSY);
	side->qp.num = num;
	destroy(side);
	assert_int_equal(create(side, &in), ORNIC_CMD_OK);
}

/* List one page many times, for a ring longer than the host's memory */
static void same_page(struct host *host, struct ornic_buf *buf, uint64_t len)
{
	uint64_t page = host_alloc(host, HOST_PAGE, HOST_PAGE);
	uint32_t npages = len / HOST_PAGE;
	uint64_t list = host_alloc(host, npages * 8ULL, HOST_PAGE);
	uint32_t i;

	for (i = 0; i < npages; i++)
		guest_store64(host_ptr(host, list + i * 8ULL), page);
	host_buf(buf, list, len);
	buf->levels = 1;
}

/*
 * [ORNIC-OBJ-22] The longest rings. Programs expect room for 16384 work
 * requests of any kind, and a card may let sq_ci lag behind ([ORNIC-ORD-8]).
 */
TEST(test_largest_rings, struct pair *pair, IN_QP)
{
	struct side *side = A(pair);
	uint32_t slots = 1u << CARD_MAX_LOG_SQ_SLOTS;
	uint32_t wqe = sizeof(struct ornic_sq_hdr) +
		       sizeof(struct ornic_route_ud) + CARD_MAX_INLINE;
	struct ornic_create_qp_in in = create_in(side);

	assert_true((slots - ORNIC_CI_LAG_MAX) / (wqe / ORNIC_SLOT_SIZE) >=
		    16384);
	assert_true(1u << CARD_MAX_LOG_RQ_WQES >= 16384);
	in.log_sq_slots = CARD_MAX_LOG_SQ_SLOTS;
	in.log_rq_wqes = CARD_MAX_LOG_RQ_WQES;
	in.rq_stride_shift = 9;
	same_page(side->host, &in.sq, 64ULL << in.log_sq_slots);
	same_page(side->host, &in.rq, 512ULL << in.log_rq_wqes);
	assert_int_equal(create(side, &in), ORNIC_CMD_OK);
	destroy(side);
}

/* ---- MODIFY_QP ---- */

/* Attributes of a transition */
struct path {
	uint8_t from;
	uint8_t to;
	uint32_t must;
	uint32_t may;
};

#define RC_RTR (M(AV) | M(PATH_MTU) | M(DEST_QPN) | M(RQ_PSN) | \
		M(MAX_DEST_RD_ATOMIC) | M(MIN_RNR_TIMER))
#define RC_RTS (M(TIMEOUT) | M(RETRY_CNT) | M(RNR_RETRY) | M(SQ_PSN) | \
		M(MAX_RD_ATOMIC))

/* Columns of the table before those of the transitions */
#define FIRST_PATH 2

static uint32_t attr_of(const char *name)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} attrs[] = {
#define ATTR(name) { #name, M(name) }
		ATTR(EN_SQD_ASYNC), ATTR(ACCESS), ATTR(QKEY), ATTR(AV),
		ATTR(PATH_MTU), ATTR(TIMEOUT), ATTR(RETRY_CNT),
		ATTR(RNR_RETRY), ATTR(RQ_PSN), ATTR(MAX_RD_ATOMIC),
		ATTR(MIN_RNR_TIMER), ATTR(SQ_PSN), ATTR(MAX_DEST_RD_ATOMIC),
		ATTR(DEST_QPN), ATTR(RATE_LIMIT),
#undef ATTR
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (!strcmp(attrs[i].name, name))
			return attrs[i].bit;
	fail_msg("no attribute %s", name);
	return 0;
}

/*
 * Read the transitions of a type from hardware.rst. without: attributes of the
 * table that the type does not have. Return: their number.
 */
static unsigned int read_paths(const char *type, uint32_t without, bool sqe,
			       struct path *paths)
{
	struct table *table = calloc(1, sizeof(*table));
	unsigned int i, row, n = 0;

	table_read(table, "**[ORNIC-QP-3]**");
	for (i = FIRST_PATH; i < table->columns; i++) {
		struct path *path = &paths[n];

		memset(path, 0, sizeof(*path));
		path->from = table_qp_state(table->cell[0][i]);
		path->to = table_qp_state(table->cell[1][i]);
		if (path->from == ORNIC_QPS_SQE && !sqe)
			continue;
		for (row = 2; row < table->rows; row++) {
			uint32_t bit = attr_of(table->cell[row][0]);

			if (!table_has_word(table->cell[row][1], type) || without & bit)
				continue;
			if (!strcmp(table->cell[row][i], "must"))
				path->must |= bit;
			else if (!strcmp(table->cell[row][i], "may"))
				path->may |= bit;
			else
				assert_string_equal(table->cell[row][i], "--");
		}
		n++;
	}
	free(table);
	return n;
}

static const struct path *find_path(const struct path *paths, unsigned int n,
				    unsigned int from, unsigned int to)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (paths[i].from == from && paths[i].to == to)
			return &paths[i];
	return NULL;
}

static unsigned int try_modify(struct pair *pair, unsigned int from,
			       unsigned int to, uint32_t mask)
{
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));
	unsigned int status;

	pair_qp(A(pair))->base.state = from;
	attr.state = to;
	attr.cur_state = from;
	status = pair_modify(A(pair), mask | M(STATE), &attr);
	if (status)
		pair_state_is(A(pair), from);
	else
		pair_state_is(A(pair), to);
	return status;
}

/* From every state to every state, with each attribute missing or added */
static void transitions(struct pair *pair, unsigned int type, const char *name,
			uint32_t without, bool sqe)
{
	struct path paths[TABLE_COLUMNS];
	unsigned int n = read_paths(name, without, sqe, paths);
	const struct path *path;
	unsigned int from, to, bit;

	pair_qps(pair, type, 0);
	for (from = 0; from <= ORNIC_QPS_ERR; from++) {
		for (to = 0; to < 9; to++) {
			if (to == ORNIC_QPS_RESET || to == ORNIC_QPS_ERR) {
				bool may = to == ORNIC_QPS_RESET ||
					   from != ORNIC_QPS_RESET;

				assert_int_equal(try_modify(pair, from, to, 0),
						 may ? ORNIC_CMD_OK :
						       ORNIC_CMD_BAD_STATE);
				continue;
			}
			path = find_path(paths, n, from, to);
			if (!path) {
				assert_int_equal(try_modify(pair, from, to, 0),
						 ORNIC_CMD_BAD_STATE);
				continue;
			}
			assert_int_equal(try_modify(pair, from, to,
						    path->must), ORNIC_CMD_OK);
			assert_int_equal(try_modify(pair, from, to,
						    path->must | path->may),
					 ORNIC_CMD_OK);
			for (bit = 1; bit < 32; bit++) {
				uint32_t m = 1u << bit;

				if (path->must & m)
					assert_int_equal(try_modify(pair, from,
						to, path->must & ~m),
						ORNIC_CMD_BAD_PARAM);
				else if (!(path->may & m) && m != M(CUR_STATE))
					assert_int_not_equal(try_modify(pair,
						from, to, path->must | m),
						ORNIC_CMD_OK);
			}
		}
	}
}

/* [ORNIC-QP-3] A test of the transitions of a type */
#define TRANSITIONS(test_name, type, name, sqe) \
	TEST(test_name, struct pair *pair, IN_QP) \
	{ \
		transitions(pair, type, name, 0, sqe); \
	}

TRANSITIONS(test_transitions_rc, ORNIC_QPT_RC, "RC", false)
TRANSITIONS(test_transitions_uc, ORNIC_QPT_UC, "UC", true)
TRANSITIONS(test_transitions_ud, ORNIC_QPT_UD, "UD", true)
TRANSITIONS(test_transitions_gsi, ORNIC_QPT_GSI, "UD", true)
TRANSITIONS(test_transitions_raw, ORNIC_QPT_RAW_PACKET, "RAW", false)

/* [ORNIC-QP-3] Each half of an XRC connection, with what both halves have */
TEST(test_transitions_xrc, struct pair *pair, IN_QP)
{
	static const uint32_t requester = M(RETRY_CNT) | M(RNR_RETRY) | M(MAX_RD_ATOMIC);
	static const uint32_t responder = M(MAX_DEST_RD_ATOMIC) | M(MIN_RNR_TIMER);
	unsigned int i;

	for (i = 0; i < 2; i++)
		pair->side[i].xrcdn = host_create_object(pair->side[i].host,
							 ORNIC_CMD_ALLOC_XRCD, NULL, 0);
	transitions(pair, ORNIC_QPT_XRC_SEND, "RC", responder, false);
	transitions(pair, ORNIC_QPT_XRC_RECV, "RC", requester, false);
}

/* [ORNIC-QP-2] Any MODIFY_QP may name the state, which must be the right one */
TEST(test_current_state, struct pair *pair, IN_QP)
{
	struct ornic_qp_attr attr = pair_attr(A(pair), B(pair));
	static const unsigned int steps[] = {
		ORNIC_QPS_RESET, ORNIC_QPS_INIT, ORNIC_QPS_INIT, ORNIC_QPS_RTR,
		ORNIC_QPS_RTS, ORNIC_QPS_RTS, ORNIC_QPS_SQD, ORNIC_QPS_SQD,
		ORNIC_QPS_RTS, ORNIC_QPS_ERR, ORNIC_QPS_ERR, ORNIC_QPS_RESET,
	};
	unsigned int i, wrong, now = ORNIC_QPS_RESET;
	uint32_t mask;

	pair_qps(pair, ORNIC_QPT_RC, 0);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		mask = M(STATE) | M(CUR_STATE);
		if (steps[i] != now && steps[i] < ORNIC_QPS_SQD &&
		    now < ORNIC_QPS_RTS)
			mask |= pair_mask(ORNIC_QPT_RC, steps[i]);
		attr.state = steps[i];
		for (wrong = 0; wrong < 9; wrong++) {
			attr.cur_state = wrong;
			if (wrong != now)
				pair_modify_is(A(pair), mask, &attr, ORNIC_CMD_BAD_STATE);
		}
		attr.cur_state = now;
		pair_modify_ok(A(pair), mask, &attr);
		now = steps[i];
	}
}

/* Refuse one value out of range, without a change of state or attributes */
#define BAD_VALUE(_pair, _from, _to, _mask, _status, ...) do { \
		struct ornic_qp_attr attr = pair_attr(A(_pair), \
						      B(_pair)); \
		struct qp *_qp = pair_qp(A(_pair)); \
		struct qp_attr before = _qp->attr; \
		_qp->base.state = ORNIC_QPS_##_from; \
		attr.state = ORNIC_QPS_##_to; \
		attr.cur_state = ORNIC_QPS_##_from; \
		__VA_ARGS__; \
		assert_int_equal(pair_modify(A(_pair), M(STATE) | (_mask), \
					     &attr), ORNIC_CMD_##_status); \
		assert_int_equal(_qp->base.state, ORNIC_QPS_##_from); \
		assert_memory_equal(&_qp->attr, &before, sizeof(before)); \
	} while (0)

/* [ORNIC-QP-4] */
TEST(test_access_of_a_feature_that_is_not_in_force, struct pair *pair, IN_QP)
{
	pair_qps(pair, ORNIC_QPT_RC, 0);
	A(pair)->host->card->host.features &= ~ORNIC_FEAT_MW;
	BAD_VALUE(pair, RESET, INIT, M(ACCESS), BAD_PARAM,
		  attr.access = htole32(ORNIC_ACCESS_MW_BIND));
}

/* [ORNIC-QP-4], [ORNIC-SQ-17] */
TEST(test_bad_values, struct pair *pair, IN_QP)
{
	pair_qps(pair, ORNIC_QPT_RC, 0);
#define RTR(...) BAD_VALUE(pair, INIT, RTR, RC_RTR, BAD_PARAM, __VA_ARGS__)
#define RTS(...) BAD_VALUE(pair, RTR, RTS, RC_RTS, BAD_PARAM, __VA_ARGS__)
	BAD_VALUE(pair, RESET, INIT, M(ACCESS), BAD_PARAM,
		  attr.access = htole32(0x40000000));
	RTR(attr.path_mtu = 0);
	RTR(attr.path_mtu = 6);
	RTR(attr.rq_psn = htole32(0x1000000));
	RTR(attr.dest_qpn = htole32(0x1000000));
	RTR(attr.max_dest_rd_atomic = 17);
	RTR(attr.min_rnr_timer = 32);
	RTR(attr.av.sgid_index = htole16(99));
	RTR(attr.av.sgid_index = htole16(0xffff));
	RTR(attr.av.flow = htole32(0x80000000));
	/* One end IPv4, the other IPv6 */
	RTR(attr.av.dgid[0] = 0xfe);
	RTR(attr.av.dmac[0] |= 1);
	RTR(attr.rsvd = 1);
	RTS(attr.timeout = 32);
	RTS(attr.retry_cnt = 8);
	RTS(attr.rnr_retry = 8);
	RTS(attr.sq_psn = htole32(0x1000000));
	RTS(attr.max_rd_atomic = 17);
	BAD_VALUE(pair, RTS, RTS, M(CUR_STATE), BAD_STATE,
		  attr.cur_state = ORNIC_QPS_SQD);
	/* The bits of an alternate path in enum ibv_qp_attr_mask */
	BAD_VALUE(pair, RTS, RTS, 1u << 14, BAD_PARAM, (void)0);
	BAD_VALUE(pair, RTS, RTS, 1u << 18, BAD_PARAM, (void)0);
	BAD_VALUE(pair, RTS, RTS, M(RATE_LIMIT), BAD_PARAM, (void)0);
	BAD_VALUE(pair, RTS, RTS, 1u << 4, BAD_PARAM, (void)0);
	BAD_VALUE(pair, RTS, RTS, 1u << 31, BAD_PARAM, (void)0);
	A(pair)->qp.num++;
	pair_modify_is(A(pair), M(STATE), &(struct ornic_qp_attr){},
		       ORNIC_CMD_BAD_OBJECT);
	A(pair)->qp.num--;
}

TEST(test_query_tells_all, struct pair *pair, IN_QP)
{
	struct side *side = A(pair);
	struct ornic_qp_attr attr, got;

	pair_qps(pair, ORNIC_QPT_RC, 0);
	pair_query(side, &got);
	assert_int_equal(got.state, ORNIC_QPS_RESET);
	attr = pair_attr(side, B(pair));
	attr.rq_psn = htole32(0x111111);
	attr.sq_psn = htole32(0x222222);
	attr.path_mtu = 4;
	attr.timeout = 14;
	attr.retry_cnt = 5;
	attr.rnr_retry = 6;
	attr.max_rd_atomic = 3;
	attr.max_dest_rd_atomic = 2;
	attr.min_rnr_timer = 11;
	pair_connect_side(side, &attr);
	pair_query(side, &got);
	assert_int_equal(got.state, ORNIC_QPS_RTS);
	assert_int_equal(got.cur_state, ORNIC_QPS_RTS);
	assert_int_equal(got.rq_psn, attr.rq_psn);
	assert_int_equal(got.sq_psn, attr.sq_psn);
	assert_int_equal(got.path_mtu, 4);
	assert_int_equal(got.timeout, 14);
	assert_int_equal(got.retry_cnt, 5);
	assert_int_equal(got.rnr_retry, 6);
	assert_int_equal(got.max_rd_atomic, 3);
	assert_int_equal(got.max_dest_rd_atomic, 2);
	assert_int_equal(got.min_rnr_timer, 11);
	assert_int_equal(got.dest_qpn, attr.dest_qpn);
	assert_int_equal(got.access, attr.access);
	assert_memory_equal(&got.av, &attr.av, sizeof(attr.av));
	/* [ORNIC-QP-9] */
	pair_state(side, ORNIC_QPS_RESET);
	pair_query(side, &got);
	memset(&attr, 0, sizeof(attr));
	assert_memory_equal(&got, &attr, sizeof(attr));
}

/* A reset of the card destroys all QPs, whatever they are doing */
TEST(test_card_reset_in_flight, struct pair *pair, IN_QP)
{
	struct side *side = A(pair);
	struct pair_wr wr;

	pair_qps(pair, ORNIC_QPT_RC, 0);
	pair_connect(pair);
	wr = pair_wr_data(side, ORNIC_WR_RDMA_WRITE, 0, 1000);
	pair_post(side, &wr);
	pair_ring(side);
	card_run(side->host->card);
	host_write(side->host, ORNIC_REG_CTRL, 4, ORNIC_CTRL_RESET);
	assert_int_equal(side->host->card->qps.count, 0);
	pair_run(pair);
	pair_sleep(pair, 10 * 1000 * 1000);
	assert_true(timers_next(&side->host->timers) == TIMER_NEVER);
}

TEST_MAIN("qp")
