// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Work queues, tables of them, and RSS QPs. */
#include "qp.h"
#include "wqk.h"
#include "rwq.h"
#include "wq.h"

/* ---- objects ---- */

/* ORNIC-WQ-1 */
static void test_create_refusals(void **state)
{
	struct ornic_create_wq_in good = {};
	struct wqk *wqk = *state;
	struct ornic_object out;
	struct wqk_queue wq;

	wqk_make_wq(wqk, &wq, &good);
#define REFUSED(field, val, status) \
	host_refused(wqk->host, ORNIC_CMD_CREATE_WQ, good, field, val, &out, \
		     ORNIC_CMD_##status)
	REFUSED(flags, htole32(0x10), BAD_PARAM);
	REFUSED(flags, htole32(0x80000000), BAD_PARAM);
	REFUSED(delay_drop, htole32(1), BAD_PARAM);
	REFUSED(rsvd[0], 1, BAD_PARAM);
	REFUSED(rsvd[5], 1, BAD_PARAM);
	REFUSED(log_wqes, CORE_MAX_LOG_RQ_WQES + 1, BAD_PARAM);
	REFUSED(stride_shift, 4, BAD_PARAM);
	REFUSED(stride_shift, RQ_STRIDE_SHIFT_MAX + 1, BAD_PARAM);
	REFUSED(dbr_addr, htole64(wq.dbr + 8), BAD_PARAM);
	REFUSED(buf.rsvd[0], 1, BAD_PARAM);
	REFUSED(buf.npages, 0, BAD_PARAM);
	REFUSED(pdn, htole32(wqk->pdn + 1), BAD_OBJECT);
	REFUSED(cqn, htole32(wqk->cq.num + 1), BAD_OBJECT);
	REFUSED(dbr_addr, htole64(HOST_NOWHERE), DMA_FAULT);
#undef REFUSED
	assert_int_equal(wqk->host->nic->qps.count, 0);
	assert_int_equal(host_cmd_raw(wqk->host, ORNIC_CMD_CREATE_WQ, &good,
				      sizeof(good) - 1, NULL, 0),
			 ORNIC_CMD_BAD_SIZE);
}

/* ORNIC-WQ-2 */
static void test_numbers_are_of_one_kind(void **state)
{
	struct ornic_modify_wq_in to_wq = {};
	struct ornic_modify_qp_in to_qp = {};
	struct wqk *wqk = *state;
	struct wqk_queue wq, qp;

	wqk_create_wq(wqk, &wq, 0, 0);
	wqk_ready_qp(wqk, &qp, 0);
	assert_int_not_equal(wq.num, qp.num);
	assert_int_equal(host_cmd_object(wqk->host, ORNIC_CMD_DESTROY_QP,
					 wq.num), ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(host_cmd_object(wqk->host, ORNIC_CMD_QUERY_QP, wq.num),
			 ORNIC_CMD_BAD_OBJECT);
	to_qp.qpn = htole32(wq.num);
	assert_int_equal(host_cmd_in(wqk->host, ORNIC_CMD_MODIFY_QP, &to_qp),
			 ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(host_cmd_object(wqk->host, ORNIC_CMD_DESTROY_WQ,
					 qp.num), ORNIC_CMD_BAD_OBJECT);
	to_wq.wqn = htole32(qp.num);
	assert_int_equal(host_cmd_in(wqk->host, ORNIC_CMD_MODIFY_WQ, &to_wq),
			 ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(host_cmd_object(wqk->host, ORNIC_CMD_DESTROY_WQ,
					 wq.num), ORNIC_CMD_OK);
	assert_int_equal(host_cmd_object(wqk->host, ORNIC_CMD_DESTROY_WQ,
					 wq.num), ORNIC_CMD_BAD_OBJECT);
}

/* ORNIC-OBJ-3 */
static void test_uses(void **state)
{
	struct wqk *wqk = *state;
	struct ornic_object bad = { .rsvd = htole32(1) };
	struct ornic_create_qp_in in;
	struct ornic_create_qp_out out;
	uint32_t table, pd = wqk->pdn;
	unsigned int i;

#define DESTROY(what, num, status) \
	assert_int_equal(host_cmd_object(wqk->host, ORNIC_CMD_##what, num), \
			 ORNIC_CMD_##status)
	for (i = 0; i < WQK_WQS; i++)
		wqk_create_wq(wqk, &wqk->wq[i], 0, 0);
	/* Some are in it twice. */
	table = wqk_create_table(wqk, 3);
	in = wqk_rss_qp(wqk, table, 0);
	in.pdn = htole32(host_pd(wqk->host));
	assert_int_equal(host_cmd(wqk->host, ORNIC_CMD_CREATE_QP, &in, &out),
			 ORNIC_CMD_OK);
	DESTROY(FREE_PD, le32toh(in.pdn), BUSY);
	DESTROY(FREE_PD, pd, BUSY);
	DESTROY(DESTROY_CQ, wqk->cq.num, BUSY);
	DESTROY(DESTROY_WQ, wqk->wq[0].num, BUSY);
	DESTROY(DESTROY_RWQ_TABLE, table, BUSY);
	DESTROY(DESTROY_QP, le32toh(out.qpn), OK);
	DESTROY(DESTROY_WQ, wqk->wq[0].num, BUSY);
	bad.num = htole32(table);
	assert_int_equal(host_cmd_in(wqk->host, ORNIC_CMD_DESTROY_RWQ_TABLE,
				     &bad), ORNIC_CMD_BAD_PARAM);
	DESTROY(DESTROY_RWQ_TABLE, table, OK);
	DESTROY(DESTROY_RWQ_TABLE, table, BAD_OBJECT);
	bad.num = htole32(wqk->wq[0].num);
	assert_int_equal(host_cmd_in(wqk->host, ORNIC_CMD_DESTROY_WQ, &bad),
			 ORNIC_CMD_BAD_PARAM);
	for (i = 0; i < WQK_WQS; i++)
		DESTROY(DESTROY_WQ, wqk->wq[i].num, OK);
	DESTROY(DESTROY_CQ, wqk->cq.num, OK);
	DESTROY(FREE_PD, le32toh(in.pdn), OK);
#undef DESTROY
}

/* ORNIC-RSS-1 */
static void test_table_refusals(void **state)
{
	struct wqk *wqk = *state;
	struct {
		struct ornic_create_rwq_table_in in;
		__le32 wqn[1 << (CORE_MAX_LOG_RWQ_SIZE + 1)];
	} cmd = {};
	unsigned int i;

#define REFUSED(status, len) \
	assert_int_equal(host_cmd_raw(wqk->host, ORNIC_CMD_CREATE_RWQ_TABLE, \
				      &cmd, sizeof(cmd.in) + (len), NULL, 0), \
			 ORNIC_CMD_##status)
	wqk_create_wq(wqk, &wqk->wq[0], 0, 0);
	for (i = 0; i < ARRAY_SIZE(cmd.wqn); i++)
		cmd.wqn[i] = htole32(wqk->wq[0].num);
	cmd.in.log_size = CORE_MAX_LOG_RWQ_SIZE + 1;
	REFUSED(BAD_SIZE, sizeof(cmd.wqn));
	REFUSED(BAD_PARAM, 4 << CORE_MAX_LOG_RWQ_SIZE);
	cmd.in.log_size = 255;
	REFUSED(BAD_PARAM, 4);
	/* Too short, and with one name too many */
	cmd.in.log_size = 2;
	REFUSED(BAD_SIZE, 15);
	REFUSED(BAD_SIZE, 20);
	cmd.in.rsvd[6] = 1;
	REFUSED(BAD_PARAM, 16);
	cmd.in.rsvd[6] = 0;
	cmd.wqn[3] = htole32(wqk->wq[0].num + 1);
	REFUSED(BAD_OBJECT, 16);
	assert_int_equal(host_cmd_object(wqk->host, ORNIC_CMD_DESTROY_WQ,
					 wqk->wq[0].num), ORNIC_CMD_OK);
	assert_int_equal(wqk->host->nic->rwqs.count, 0);
	cmd.wqn[3] = htole32(wqk->wq[0].num);
	REFUSED(BAD_OBJECT, 16);
#undef REFUSED
}

/* ORNIC-RSS-2 */
static void test_rss_qp_refusals(void **state)
{
	struct wqk *wqk = *state;
	struct ornic_create_qp_in good;
	struct ornic_create_qp_out out;
	uint32_t flags, table;

	wqk_create_wq(wqk, &wqk->wq[0], 0, 0);
	table = wqk_create_table(wqk, 0);
	good = wqk_rss_qp(wqk, table, RSS_FIELDS);
#define REFUSED(field, val, status) \
	host_refused(wqk->host, ORNIC_CMD_CREATE_QP, good, field, val, &out, \
		     ORNIC_CMD_##status)
	REFUSED(rwq_table, htole32(table + 1), BAD_OBJECT);
	REFUSED(uctx, htole32(7), BAD_OBJECT);
	REFUSED(pdn, htole32(7), BAD_OBJECT);
	REFUSED(rx_hash_fields, htole32(1 << 9), BAD_PARAM);
	/* No other flag, whether it is one or not */
	for (flags = ORNIC_QP_SQ; flags; flags <<= 1)
		if (flags != ORNIC_QP_RSS)
			REFUSED(flags, htole32(ORNIC_QP_RSS | flags),
				BAD_PARAM);
	REFUSED(dbr_addr, htole64(wqk->data), BAD_PARAM);
	REFUSED(log_rq_wqes, 1, BAD_PARAM);
	REFUSED(sq.addr, htole64(wqk->data), BAD_PARAM);
	REFUSED(type, ORNIC_QPT_UD, BAD_PARAM);
	REFUSED(type, QP_TYPE_WQ, BAD_PARAM);
	/* And without the flag nothing of it */
	good.flags = 0;
	memset(good.rx_hash_key, 0, sizeof(good.rx_hash_key));
	good.rwq_table = 0;
	good.rx_hash_fields = 0;
	REFUSED(rwq_table, htole32(1), BAD_PARAM);
	REFUSED(rx_hash_fields, htole32(1), BAD_PARAM);
	REFUSED(rx_hash_key[39], 1, BAD_PARAM);
#undef REFUSED
	assert_int_equal(wqk->host->nic->qps.count, 1);
}

/* ORNIC-RSS-3 */
static void test_rss_qp_has_no_states(void **state)
{
	struct ornic_rx_queues_in queues = { .count = htole32(1) };
	struct ornic_object name = {};
	struct ornic_qp_attr attr;
	struct wqk *wqk = *state;
	struct host_qp host_qp;
	struct qp *qp;

	wqk_create_wq(wqk, &wqk->wq[0], 0, 0);
	qp = wqk_create_rss(wqk, wqk_create_table(wqk, 0), 0);
	name.num = htole32(qp->obj.num);
	assert_int_equal(host_cmd(wqk->host, ORNIC_CMD_QUERY_QP, &name, &attr),
			 ORNIC_CMD_OK);
	assert_int_equal(attr.state, ORNIC_QPS_RTS);
	host_qp.host = wqk->host;
	host_qp.num = qp->obj.num;
	assert_int_equal(host_qp_modify(&host_qp, ORNIC_QPS_ERR),
			 ORNIC_CMD_BAD_STATE);
	assert_int_equal(host_qp_modify(&host_qp, ORNIC_QPS_RESET),
			 ORNIC_CMD_BAD_STATE);
	/* No send queue rings, and the netdev's frames have their own table. */
	host_doorbell(wqk->host, wqk->uctx, ORNIC_DB_SQ, qp->obj.num, 5);
	host_run(wqk->host);
	queues.qpn[0] = name.num;
	assert_int_equal(host_cmd_in(wqk->host, ORNIC_CMD_SET_RX_QUEUES,
				     &queues), ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(qp->state, ORNIC_QPS_RTS);
}

/* ---- states ---- */

/* ORNIC-WQ-3 */
static void test_transitions(void **state)
{
	static const struct {
		unsigned int from;
		unsigned int to;
		unsigned int status;
	} steps[] = {
		{ ORNIC_WQS_RESET, ORNIC_WQS_RESET, ORNIC_CMD_OK },
		{ ORNIC_WQS_RESET, ORNIC_WQS_RDY, ORNIC_CMD_OK },
		{ ORNIC_WQS_RESET, ORNIC_WQS_ERR, ORNIC_CMD_BAD_STATE },
		{ ORNIC_WQS_RDY, ORNIC_WQS_RESET, ORNIC_CMD_OK },
		{ ORNIC_WQS_RDY, ORNIC_WQS_RDY, ORNIC_CMD_OK },
		{ ORNIC_WQS_RDY, ORNIC_WQS_ERR, ORNIC_CMD_OK },
		{ ORNIC_WQS_ERR, ORNIC_WQS_RESET, ORNIC_CMD_OK },
		{ ORNIC_WQS_ERR, ORNIC_WQS_RDY, ORNIC_CMD_BAD_STATE },
		{ ORNIC_WQS_ERR, ORNIC_WQS_ERR, ORNIC_CMD_OK },
	};
	struct wqk *wqk = *state;
	unsigned int i;
	struct wqk_queue wq;

	wqk_create_wq(wqk, &wq, 0, 0);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		assert_int_equal(wqk_modify(wqk, &wq, ORNIC_WQS_RESET),
				 ORNIC_CMD_OK);
		if (steps[i].from != ORNIC_WQS_RESET)
			wqk_modify(wqk, &wq, ORNIC_WQS_RDY);
		if (steps[i].from == ORNIC_WQS_ERR)
			wqk_modify(wqk, &wq, ORNIC_WQS_ERR);
		assert_int_equal(wqk_modify(wqk, &wq, steps[i].to), steps[i].status);
	}
}

/* ORNIC-WQ-3 */
static void test_modify_refusals(void **state)
{
	struct wqk *wqk = *state;
	struct ornic_modify_wq_in good = { .mask = htole32(7) };
	struct ornic_object out;
	struct wqk_queue wq;

	wqk_create_wq(wqk, &wq, 0, 0);
	good.wqn = htole32(wq.num);
	good.state = ORNIC_WQS_RDY;
#define REFUSED(field, val, status) \
	host_refused(wqk->host, ORNIC_CMD_MODIFY_WQ, good, field, val, &out, \
		     ORNIC_CMD_##status)
	REFUSED(mask, htole32(8), BAD_PARAM);
	REFUSED(rsvd[1], 1, BAD_PARAM);
	REFUSED(state, 3, BAD_PARAM);
	REFUSED(cur_state, ORNIC_WQS_RDY, BAD_STATE);
	REFUSED(flags, htole32(ORNIC_WQ_SCATTER_FCS), BAD_PARAM);
	REFUSED(flags, htole32(ORNIC_WQ_DELAY_DROP), BAD_PARAM);
	REFUSED(flags, htole32(0x10), BAD_PARAM);
	REFUSED(wqn, htole32(wq.num + 1), BAD_OBJECT);
	/* All or nothing */
	good.flags = htole32(ORNIC_WQ_CVLAN_STRIPPING);
	REFUSED(state, ORNIC_WQS_ERR, BAD_STATE);
	assert_int_equal(wq.target->state, ORNIC_QPS_RESET);
	assert_int_equal(wq.target->rx_flags, 0);
	REFUSED(mask, 0, OK);
#undef REFUSED
	assert_int_equal(host_cmd_in(wqk->host, ORNIC_CMD_MODIFY_WQ, &good),
			 ORNIC_CMD_OK);
	assert_int_equal(wq.target->rx_flags, ORNIC_WQ_CVLAN_STRIPPING);
}

/* ORNIC-WQ-4 */
static void test_frames_come_in_rdy_only(void **state)
{
	struct wqk *wqk = *state;
	const struct ornic_cqe *cqe;
	uint8_t data[WQK_FRAME_LEN];
	struct wqk_queue wq;

	wqk_create_wq(wqk, &wq, 0, 0);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	wqk_deliver_any(wqk, wq.target);
	wqk_expect_quiet(wqk);
	assert_int_equal(wqk_no_wqe(wqk), 1);
	/* What was published before counts. */
	wqk_modify(wqk, &wq, ORNIC_WQS_RDY);
	wqk_deliver_any(wqk, wq.target);
	cqe = wqk_expect_frame(wqk, &wq, WQK_FRAME_LEN);
	assert_int_equal(le32toh(wqk_ext_of(cqe)->flow_tag), WQK_TAG);
	assert_int_equal(le64toh(cqe->wr_id), 0);
	wqk_fill(data, sizeof(data));
	assert_memory_equal(host_ptr(wqk->host, wqk->data), data, sizeof(data));
	assert_int_equal(le32toh(((struct ornic_qp_dbr *)
				  host_ptr(wqk->host, wq.dbr))->rq_ci), 1);
	wqk_deliver_any(wqk, wq.target);
	assert_int_equal(wqk_no_wqe(wqk), 2);
	wqk_modify(wqk, &wq, ORNIC_WQS_ERR);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	wqk_deliver_any(wqk, wq.target);
	assert_int_equal(wqk_no_wqe(wqk), 3);
	host_sleep(wqk->host, 1000000);
	wqk_expect_failed(wqk, ORNIC_WC_WR_FLUSH_ERR);
	wqk_expect_quiet(wqk);
}

/* ORNIC-WQ-5 */
static void test_err_flushes_and_reset_does_not(void **state)
{
	struct ornic_qp_dbr *dbr;
	struct wqk *wqk = *state;
	struct wqk_queue wq;
	unsigned int i;

	wqk_ready_wq(wqk, &wq, 0, 0);
	dbr = host_ptr(wqk->host, wq.dbr);
	for (i = 0; i < 3; i++)
		wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	wqk_modify(wqk, &wq, ORNIC_WQS_ERR);
	for (i = 0; i < 3; i++)
		wqk_expect_failed(wqk, ORNIC_WC_WR_FLUSH_ERR);
	/* What is published later, too */
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	host_sleep(wqk->host, 100000000);
	wqk_expect_failed(wqk, ORNIC_WC_WR_FLUSH_ERR);
	wqk_expect_quiet(wqk);

	wqk_modify(wqk, &wq, ORNIC_WQS_RESET);
	assert_int_equal(le32toh(dbr->rq_ci), 0);
	guest_store32(&dbr->rq_pi, 0);
	wq.pi = 0;
	wqk_modify(wqk, &wq, ORNIC_WQS_RDY);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	wqk_deliver_any(wqk, wq.target);
	assert_int_equal(le64toh(wqk_expect_frame(wqk, &wq, WQK_FRAME_LEN)->wr_id), 0);
	wqk_modify(wqk, &wq, ORNIC_WQS_RESET);
	host_sleep(wqk->host, 100000000);
	wqk_expect_quiet(wqk);
}

/* ORNIC-WQ-6 */
static void test_wq_that_fails_tells(void **state)
{
	struct ornic_qp_dbr *dbr;
	struct wqk *wqk = *state;
	struct wqk_queue wq;

	/* A ring index that cannot be */
	wqk_ready_wq(wqk, &wq, 0, 0);
	dbr = host_ptr(wqk->host, wq.dbr);
	guest_store32(&dbr->rq_pi, 1000);
	wqk_deliver_any(wqk, wq.target);
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_FATAL, wq.num);
	assert_int_equal(host_device_stat(wqk->host, ORNIC_DEVICE_STAT_bad_rq_pi),
			 1);
	assert_int_equal(wq.target->state, ORNIC_QPS_ERR);
	wqk_expect_quiet(wqk);
	/* A key that is none */
	wqk_ready_wq(wqk, &wq, 0, 0);
	wqk_post(wqk, &wq, wqk->data + 4 * WQK_BUF_LEN - 10, WQK_BUF_LEN);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	wqk_deliver_any(wqk, wq.target);
	wqk_expect_failed(wqk, ORNIC_WC_LOC_PROT_ERR);
	wqk_expect_failed(wqk, ORNIC_WC_WR_FLUSH_ERR);
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_FATAL, wq.num);
	wqk_expect_quiet(wqk);
	/* A WQE that makes no sense */
	wqk_ready_wq(wqk, &wq, 0, 0);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	((struct ornic_rq_hdr *)host_ptr(wqk->host, wq.ring))->ctrl = htole32(2);
	wqk_deliver_any(wqk, wq.target);
	wqk_expect_failed(wqk, ORNIC_WC_LOC_QP_OP_ERR);
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_FATAL, wq.num);
	/* A ring that is gone */
	wqk_ready_wq(wqk, &wq, 0, 0);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	host_unmap(wqk->host, wq.ring, HOST_PAGE);
	wqk_deliver_any(wqk, wq.target);
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_FATAL, wq.num);
	wqk_expect_quiet(wqk);
	assert_int_equal(wqk_no_wqe(wqk), 2);
}

/* ORNIC-WQ-6 */
static void test_cq_that_fails_takes_its_wqs(void **state)
{
	struct wqk *wqk = *state;
	struct host_queue small;
	struct wqk_queue wq, other;

	wqk_ready_wq(wqk, &other, 0, 0);
	small = wqk->cq;
	host_cq(wqk->host, &wqk->cq, wqk->uctx, wqk->eq.num, 0, 5);
	wqk_ready_wq(wqk, &wq, 0, 0);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	wqk_post(wqk, &wq, wqk->data, WQK_BUF_LEN);
	wqk_deliver_any(wqk, wq.target);
	wqk_deliver_any(wqk, wq.target);
	wqk_expect_event(wqk, ORNIC_EVENT_CQ_ERR, wqk->cq.num);
	wqk_expect_event(wqk, ORNIC_EVENT_WQ_FATAL, wq.num);
	assert_int_equal(wq.target->state, ORNIC_QPS_ERR);
	/* One in RESET has nothing to lose. */
	assert_int_equal(other.target->state, ORNIC_QPS_RTR);
	wqk->cq = small;
	wqk_expect_quiet(wqk);
}

/* ---- spreading ---- */

/* ORNIC-RSS-4 */
static void test_frames_are_spread(void **state)
{
	struct wqk *wqk = *state;
	unsigned int i, hits[WQK_WQS] = {};
	uint8_t data[WQK_FRAME_LEN];
	struct qp *qp;

	for (i = 0; i < WQK_WQS; i++)
		wqk_ready_wq(wqk, &wqk->wq[i], 0, 0);
	qp = wqk_create_rss(wqk, wqk_create_table(wqk, 2),
			    ORNIC_RX_HASH_SRC_PORT_UDP |
			ORNIC_RX_HASH_SRC_PORT_TCP);
	for (i = 0; i < 64; i++) {
		const struct ornic_cqe_ext *ext;
		unsigned int n, at;

		for (n = 0; n < WQK_WQS; n++)
			wqk_post(wqk, &wqk->wq[n], wqk->data, WQK_BUF_LEN);
		/* What is not asked for does not matter. */
		wqk_make_udp(data, i & 1, 1000 + i / 2);
		wqk_deliver(wqk, qp, data, sizeof(data));
		ext = wqk_ext_of(host_queue_peek(&wqk->cq));
		assert_true(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS);
		assert_int_equal(le32toh(ext->flow_tag), WQK_TAG);
		at = le32toh(ext->rss_hash) % WQK_WQS;
		if (i & 1)
			assert_int_equal(hits[at] & 1, 1);
		hits[at]++;
		wqk_expect_frame(wqk, &wqk->wq[at], WQK_FRAME_LEN);
		/* The rings hold 16: begin anew. */
		for (n = 0; n < WQK_WQS; n++) {
			wqk_modify(wqk, &wqk->wq[n], ORNIC_WQS_RESET);
			memset(host_ptr(wqk->host, wqk->wq[n].dbr), 0, 4 * 16);
			wqk->wq[n].pi = 0;
			wqk_modify(wqk, &wqk->wq[n], ORNIC_WQS_RDY);
		}
	}
	for (i = 0; i < WQK_WQS; i++)
		assert_true(hits[i] > 4);
}

/* ORNIC-RSS-4 */
static void test_frames_without_a_hash(void **state)
{
	const struct ornic_cqe_ext *ext;
	struct wqk *wqk = *state;
	unsigned int i;
	struct qp *qp;

	for (i = 0; i < WQK_WQS; i++) {
		wqk_ready_wq(wqk, &wqk->wq[i], 0, 0);
		wqk_post(wqk, &wqk->wq[i], wqk->data, WQK_BUF_LEN);
	}
	qp = wqk_create_rss(wqk, wqk_create_table(wqk, 2),
			    RSS_FIELDS & ~ORNIC_RX_HASH_INNER);
	wqk_deliver_any(wqk, qp);
	ext = wqk_ext_of(wqk_expect_frame(wqk, &wqk->wq[0], WQK_FRAME_LEN));
	assert_int_equal(le32toh(ext->rss_hash), 0);
	assert_false(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS);
	/* A QP of its own has none of it. */
	wqk_ready_qp(wqk, &wqk->wq[1], 0);
	wqk_post(wqk, &wqk->wq[1], wqk->data, WQK_BUF_LEN);
	wqk_deliver_any(wqk, wqk->wq[1].target);
	ext = wqk_ext_of(wqk_expect_frame(wqk, &wqk->wq[1], WQK_FRAME_LEN));
	assert_false(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS);
	assert_int_equal(le32toh(ext->flow_tag), WQK_TAG);
}

/* ORNIC-RSS-1 */
static void test_largest_table(void **state)
{
	struct wqk *wqk = *state;
	unsigned int i;

	for (i = 0; i < WQK_WQS; i++)
		wqk_create_wq(wqk, &wqk->wq[i], 0, 0);
	wqk_create_table(wqk, CORE_MAX_LOG_RWQ_SIZE);
	assert_int_equal(wqk->wq[0].target->obj.users,
			 (1 << CORE_MAX_LOG_RWQ_SIZE) / WQK_WQS);
	/* A reset takes users before what they use. */
	wqk_create_rss(wqk, wqk_create_table(wqk, 1), 0);
	nic_reset(wqk->host->nic);
	assert_int_equal(wqk->host->nic->qps.count, 0);
	assert_int_equal(wqk->host->nic->rwqs.count, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, wqk_setup, wqk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_create_refusals),
		T(test_numbers_are_of_one_kind),
		T(test_uses),
		T(test_table_refusals),
		T(test_rss_qp_refusals),
		T(test_rss_qp_has_no_states),
		T(test_transitions),
		T(test_modify_refusals),
		T(test_frames_come_in_rdy_only),
		T(test_err_flushes_and_reset_does_not),
		T(test_wq_that_fails_tells),
		T(test_cq_that_fails_takes_its_wqs),
		T(test_frames_are_spread),
		T(test_frames_without_a_hash),
		T(test_largest_table),
	};

	return cmocka_run_group_tests_name("wq", tests, NULL, NULL);
}
