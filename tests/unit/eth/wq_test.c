// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* WQs, RWQ tables and RSS QPs */
#include <stdio.h>

#include "card/card.h"
#include "eth/rss.h"
#include "eth/rwq_table.h"
#include "eth/wq.h"
#include "objects/pd.h"
#include "queues/qp.h"
#include "rxq.h"

/* ---- objects ---- */

/* [ORNIC-WQ-1] */
TEST(test_create_refusals, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_wq_in good = {};
	struct ornic_object out;
	struct host_qp wq;

	rxq_make_wq(w, &wq, &good);
#define REFUSED(field, val, status) \
	host_refused(w->host, ORNIC_CMD_CREATE_WQ, good, field, val, &out, \
		     ORNIC_CMD_##status)
	REFUSED(flags, htole32(0x10), BAD_PARAM);
	REFUSED(flags, htole32(0x80000000), BAD_PARAM);
	REFUSED(delay_drop, htole32(1), BAD_PARAM);
	REFUSED(rsvd[0], 1, BAD_PARAM);
	REFUSED(rsvd[1], 1, BAD_PARAM);
	REFUSED(uctx, htole32(9999), BAD_OBJECT);
	REFUSED(log_wqes, CARD_MAX_LOG_RQ_WQES + 1, BAD_PARAM);
	REFUSED(stride_shift, 4, BAD_PARAM);
	REFUSED(stride_shift, RQ_STRIDE_SHIFT_MAX + 1, BAD_PARAM);
	REFUSED(dbr_addr, htole64(wq.dbr + 8), BAD_PARAM);
	REFUSED(buf.rsvd[0], 1, BAD_PARAM);
	REFUSED(buf.npages, 0, BAD_PARAM);
	REFUSED(pdn, htole32(PD_MAX), BAD_OBJECT);
	REFUSED(cqn, htole32(w->cq.num + 1), BAD_OBJECT);
	REFUSED(dbr_addr, htole64(HOST_NOWHERE), DMA_FAULT);
#undef REFUSED
	assert_int_equal(w->host->card->qps.count, RAW_QPS);
	host_cmd_raw_is(w->host, ORNIC_CMD_CREATE_WQ, &good, sizeof(good) - 1, NULL, 0,
			ORNIC_CMD_BAD_SIZE);
}

/* [ORNIC-WQ-2] */
TEST(test_numbers_are_of_one_kind, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_modify_wq_in to_wq = {};
	struct ornic_modify_qp_in to_qp = {};
	struct host_qp wq, qp;

	rxq_create_wq(w, &wq, 0, 0);
	rxq_ready_qp(w, &qp, 0);
	assert_int_not_equal(wq.num, qp.num);
	host_cmd_object_is(w->host, ORNIC_CMD_DESTROY_QP, wq.num, ORNIC_CMD_BAD_OBJECT);
	host_cmd_object_is(w->host, ORNIC_CMD_QUERY_QP, wq.num, ORNIC_CMD_BAD_OBJECT);
	to_qp.qpn = htole32(wq.num);
	host_cmd_in_is(w->host, ORNIC_CMD_MODIFY_QP, &to_qp, ORNIC_CMD_BAD_OBJECT);
	host_cmd_object_is(w->host, ORNIC_CMD_DESTROY_WQ, qp.num, ORNIC_CMD_BAD_OBJECT);
	to_wq.wqn = htole32(qp.num);
	host_cmd_in_is(w->host, ORNIC_CMD_MODIFY_WQ, &to_wq, ORNIC_CMD_BAD_OBJECT);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_WQ, wq.num);
	host_cmd_object_is(w->host, ORNIC_CMD_DESTROY_WQ, wq.num, ORNIC_CMD_BAD_OBJECT);
}

/* [ORNIC-OBJ-6] */
TEST(test_uses, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_object bad = { .rsvd = htole32(1) };
	struct ornic_create_qp_in in;
	struct ornic_create_qp_out out;
	uint32_t table, pd = host_pd(w->host);
	unsigned int i;

#define DESTROY(what, num, status) \
	assert_int_equal(host_cmd_object(w->host, ORNIC_CMD_##what, num), \
			 ORNIC_CMD_##status)
	/* Objects without other users */
	w->pdn = pd;
	host_cq(w->host, &w->cq, w->page, w->eq.num, 8, 6);
	for (i = 0; i < RAW_WQS; i++)
		rxq_create_wq(w, &w->wq[i], 0, 0);
	/* The table refers to each WQ twice */
	table = rxq_create_table(w, 3);
	in = rxq_rss_qp(w, table, 0);
	in.pdn = htole32(host_pd(w->host));
	host_cmd_ok(w->host, ORNIC_CMD_CREATE_QP, &in, &out);
	DESTROY(DESTROY_CQ, w->cq.num, BUSY);
	DESTROY(DESTROY_WQ, w->wq[0].num, BUSY);
	DESTROY(DESTROY_RWQ_TABLE, table, BUSY);
	DESTROY(DESTROY_QP, le32toh(out.qpn), OK);
	DESTROY(DESTROY_WQ, w->wq[0].num, BUSY);
	bad.num = htole32(table);
	host_cmd_in_is(w->host, ORNIC_CMD_DESTROY_RWQ_TABLE, &bad, ORNIC_CMD_BAD_PARAM);
	DESTROY(DESTROY_RWQ_TABLE, table, OK);
	DESTROY(DESTROY_RWQ_TABLE, table, BAD_OBJECT);
	bad.num = htole32(w->wq[0].num);
	host_cmd_in_is(w->host, ORNIC_CMD_DESTROY_WQ, &bad, ORNIC_CMD_BAD_PARAM);
	for (i = 0; i < RAW_WQS; i++)
		DESTROY(DESTROY_WQ, w->wq[i].num, OK);
	DESTROY(DESTROY_CQ, w->cq.num, OK);
#undef DESTROY
}

/* [ORNIC-RSS-1] */
TEST(test_table_refusals, struct raw *w, IN_RAW_PROCESS)
{
	struct {
		struct ornic_create_rwq_table_in in;
		__le32 wqn[1 << (CARD_MAX_LOG_RWQ_SIZE + 1)];
	} cmd = {};
	unsigned int i;

#define REFUSED(status, len) \
	assert_int_equal(host_cmd_raw(w->host, ORNIC_CMD_CREATE_RWQ_TABLE, \
				      &cmd, sizeof(cmd.in) + (len), NULL, 0), \
			 ORNIC_CMD_##status)
	rxq_create_wq(w, &w->wq[0], 0, 0);
	for (i = 0; i < ARRAY_SIZE(cmd.wqn); i++)
		cmd.wqn[i] = htole32(w->wq[0].num);
	cmd.in.log_size = CARD_MAX_LOG_RWQ_SIZE + 1;
	REFUSED(BAD_SIZE, sizeof(cmd.wqn));
	REFUSED(BAD_PARAM, 4 << CARD_MAX_LOG_RWQ_SIZE);
	cmd.in.log_size = 255;
	REFUSED(BAD_PARAM, 4);
	/* Too short, and with one number too many */
	cmd.in.log_size = 2;
	REFUSED(BAD_SIZE, 15);
	REFUSED(BAD_SIZE, 20);
	cmd.in.rsvd[6] = 1;
	REFUSED(BAD_PARAM, 16);
	cmd.in.rsvd[6] = 0;
	cmd.wqn[3] = htole32(w->wq[0].num + 1);
	REFUSED(BAD_OBJECT, 16);
	host_cmd_object_ok(w->host, ORNIC_CMD_DESTROY_WQ, w->wq[0].num);
	assert_int_equal(w->host->card->rwq_tables.count, 0);
	cmd.wqn[3] = htole32(w->wq[0].num);
	REFUSED(BAD_OBJECT, 16);
#undef REFUSED
}

/* [ORNIC-RSS-2] */
TEST(test_rss_qp_refusals, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_create_qp_in good;
	struct ornic_create_qp_out out;
	uint32_t flags, table;

	rxq_create_wq(w, &w->wq[0], 0, 0);
	table = rxq_create_table(w, 0);
	good = rxq_rss_qp(w, table, RSS_FIELDS);
#define REFUSED(field, val, status) \
	host_refused(w->host, ORNIC_CMD_CREATE_QP, good, field, val, &out, \
		     ORNIC_CMD_##status)
	REFUSED(rwq_table, htole32(table + 1), BAD_OBJECT);
	REFUSED(uctx, htole32(7), BAD_OBJECT);
	REFUSED(pdn, htole32(PD_MAX), BAD_OBJECT);
	REFUSED(rx_hash_fields, htole32(1 << 9), BAD_PARAM);
	/* No other flag, defined or not */
	for (flags = ORNIC_QP_SQ; flags; flags <<= 1)
		if (flags != ORNIC_QP_RSS)
			REFUSED(flags, htole32(ORNIC_QP_RSS | flags),
				BAD_PARAM);
	REFUSED(dbr_addr, htole64(w->data), BAD_PARAM);
	REFUSED(log_rq_wqes, 1, BAD_PARAM);
	REFUSED(sq.addr, htole64(w->data), BAD_PARAM);
	REFUSED(type, ORNIC_QPT_UD, BAD_PARAM);
	REFUSED(type, RECEIVER_WQ, BAD_PARAM);
	/* Without the flag these fields are 0 */
	good.flags = 0;
	memset(good.rx_hash_key, 0, sizeof(good.rx_hash_key));
	good.rwq_table = 0;
	good.rx_hash_fields = 0;
	REFUSED(rwq_table, htole32(1), BAD_PARAM);
	REFUSED(rx_hash_fields, htole32(1), BAD_PARAM);
	REFUSED(rx_hash_key[39], 1, BAD_PARAM);
#undef REFUSED
	assert_int_equal(w->host->card->qps.count, RAW_QPS + 1);
}

/* [ORNIC-RSS-3] */
TEST(test_rss_qp_has_no_states, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_rx_queues_in queues = { .count = htole32(1) };
	struct ornic_object name = {};
	struct ornic_qp_attr attr;
	struct host_qp host_qp;
	struct qp *qp;

	rxq_create_wq(w, &w->wq[0], 0, 0);
	qp = rxq_create_rss(w, rxq_create_table(w, 0), 0);
	name.num = htole32(qp->base.obj.num);
	host_cmd_ok(w->host, ORNIC_CMD_QUERY_QP, &name, &attr);
	assert_int_equal(attr.state, ORNIC_QPS_RTS);
	host_qp.host = w->host;
	host_qp.num = qp->base.obj.num;
	assert_int_equal(host_qp_modify(&host_qp, ORNIC_QPS_ERR),
			 ORNIC_CMD_BAD_STATE);
	assert_int_equal(host_qp_modify(&host_qp, ORNIC_QPS_RESET),
			 ORNIC_CMD_BAD_STATE);
	/* No doorbell and no SET_RX_QUEUES for an RSS QP */
	host_doorbell(w->host, w->page, ORNIC_DB_SQ, qp->base.obj.num, 5);
	host_run(w->host);
	queues.qpn[0] = name.num;
	host_cmd_in_is(w->host, ORNIC_CMD_SET_RX_QUEUES, &queues, ORNIC_CMD_BAD_OBJECT);
	assert_int_equal(qp->base.state, ORNIC_QPS_RTS);
}

/* ---- states ---- */

/* [ORNIC-WQ-3] */
TEST(test_modify_refusals, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_modify_wq_in good = { .mask = htole32(7) };
	struct ornic_object out;
	struct host_qp wq;

	rxq_create_wq(w, &wq, 0, 0);
	good.wqn = htole32(wq.num);
	good.state = ORNIC_WQS_RDY;
#define REFUSED(field, val, status) \
	host_refused(w->host, ORNIC_CMD_MODIFY_WQ, good, field, val, &out, \
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
	assert_int_equal(rxq_find(w, &wq)->state, ORNIC_QPS_RESET);
	assert_int_equal(rxq_find(w, &wq)->rx_flags, 0);
	REFUSED(mask, 0, OK);
#undef REFUSED
	host_cmd_in_ok(w->host, ORNIC_CMD_MODIFY_WQ, &good);
	assert_int_equal(rxq_find(w, &wq)->rx_flags, ORNIC_WQ_CVLAN_STRIPPING);
}

/* [ORNIC-WQ-4] */
TEST(test_frames_come_in_rdy_only, struct raw *w, IN_RAW_PROCESS)
{
	const struct ornic_cqe *cqe;
	uint8_t data[RXQ_FRAME_LEN];
	struct host_qp wq;

	rxq_create_wq(w, &wq, 0, 0);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	rxq_deliver_any(w, rxq_find(w, &wq));
	rxq_expect_quiet(w);
	assert_int_equal(rxq_no_wqe(w), 1);
	/* A WQE that was published before RDY counts */
	rxq_modify(w, &wq, ORNIC_WQS_RDY);
	rxq_deliver_any(w, rxq_find(w, &wq));
	cqe = rxq_expect_frame(w, &wq, RXQ_FRAME_LEN);
	assert_int_equal(le32toh(host_cqe_ext(cqe)->flow_tag), RXQ_TAG);
	assert_int_equal(le64toh(cqe->wr_id), 0);
	rxq_fill(data, sizeof(data));
	assert_memory_equal(host_ptr(w->host, w->data), data, sizeof(data));
	assert_int_equal(le32toh(((struct ornic_qp_dbr *)
				  host_ptr(w->host, wq.dbr))->rq_ci), 1);
	rxq_deliver_any(w, rxq_find(w, &wq));
	assert_int_equal(rxq_no_wqe(w), 2);
	rxq_modify(w, &wq, ORNIC_WQS_ERR);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	rxq_deliver_any(w, rxq_find(w, &wq));
	assert_int_equal(rxq_no_wqe(w), 3);
	host_sleep(w->host, 1000000);
	raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
	rxq_expect_quiet(w);
}

/* [ORNIC-DB-12] */
TEST(test_doorbell_needed, struct raw *w, IN_RAW_PROCESS)
{
	struct host_qp wq;

	w->host->card->rq_doorbell = true;
	rxq_ready_wq(w, &wq, 0, 0);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	rxq_deliver_any(w, rxq_find(w, &wq));
	rxq_expect_quiet(w);
	assert_int_equal(rxq_no_wqe(w), 1);
	host_doorbell(w->host, w->page + 1, ORNIC_DB_RQ, wq.num, wq.rq_pi);
	host_doorbell(w->host, w->page, ORNIC_DB_RQ, wq.num, wq.rq_pi);
	rxq_deliver_any(w, rxq_find(w, &wq));
	rxq_expect_frame(w, &wq, RXQ_FRAME_LEN);
}

/* [ORNIC-WQ-5] */
TEST(test_err_flushes_and_reset_does_not, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_qp_dbr *dbr;
	struct host_qp wq;
	unsigned int i;

	rxq_ready_wq(w, &wq, 0, 0);
	dbr = host_ptr(w->host, wq.dbr);
	for (i = 0; i < 3; i++)
		raw_post(w, &wq, w->data, RAW_BUF_LEN);
	rxq_modify(w, &wq, ORNIC_WQS_ERR);
	for (i = 0; i < 3; i++)
		raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
	/* WQEs that are published later are flushed too */
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	host_sleep(w->host, 100000000);
	raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
	rxq_expect_quiet(w);

	rxq_modify(w, &wq, ORNIC_WQS_RESET);
	assert_int_equal(le32toh(dbr->rq_ci), 0);
	guest_store32(&dbr->rq_pi, 0);
	wq.rq_pi = 0;
	rxq_modify(w, &wq, ORNIC_WQS_RDY);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	rxq_deliver_any(w, rxq_find(w, &wq));
	assert_int_equal(le64toh(rxq_expect_frame(w, &wq, RXQ_FRAME_LEN)->wr_id), 0);
	rxq_modify(w, &wq, ORNIC_WQS_RESET);
	host_sleep(w->host, 100000000);
	rxq_expect_quiet(w);
}

/* [ORNIC-QP-7] Flushed within 20 ms, or when the host asks for ERR again */
TEST(test_err_looks_again, struct raw *w, IN_RAW_PROCESS)
{
	struct host_qp wq;
	unsigned int i;

	rxq_ready_wq(w, &wq, 0, 0);
	rxq_modify(w, &wq, ORNIC_WQS_ERR);
	for (i = 0; i < 100; i++)
		host_sleep(w->host, 10000000);
	for (i = 0; i < 10; i++) {
		host_sleep(w->host, 1700000);
		raw_post(w, &wq, w->data, RAW_BUF_LEN);
		host_sleep(w->host, 20000000);
		raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
	}
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	host_run(w->host);
	rxq_expect_quiet(w);
	assert_int_equal(rxq_modify(w, &wq, ORNIC_WQS_ERR), ORNIC_CMD_OK);
	raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
}

/* Expect the latest log message of the card to begin with a text */
static void __attribute__((format(printf, 2, 3)))
expect_message(struct raw *w, const char *fmt, ...)
{
	char text[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w->host->message[strlen(text)] = 0;
	assert_string_equal(w->host->message, text);
}

/* [ORNIC-WQ-7] */
TEST(test_wq_that_fails_tells, struct raw *w, IN_RAW_PROCESS)
{
	struct ornic_qp_dbr *dbr;
	struct host_qp wq;

	/* An impossible ring index */
	rxq_ready_wq(w, &wq, 0, 0);
	dbr = host_ptr(w->host, wq.dbr);
	guest_store32(&dbr->rq_pi, 1000);
	rxq_deliver_any(w, rxq_find(w, &wq));
	rxq_expect_event(w, ORNIC_EVENT_WQ_FATAL, wq.num);
	host_device_stat_is(w->host, ORNIC_DEVICE_STAT_bad_rq_pi, 1);
	assert_int_equal(rxq_find(w, &wq)->state, ORNIC_QPS_ERR);
	rxq_expect_quiet(w);
	/* An SGE beyond its region */
	rxq_ready_wq(w, &wq, 0, 0);
	raw_post(w, &wq, w->data + 4 * RAW_BUF_LEN - 10, RAW_BUF_LEN);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	rxq_deliver_any(w, rxq_find(w, &wq));
	raw_expect(w, ORNIC_WC_LOC_PROT_ERR);
	raw_expect(w, ORNIC_WC_WR_FLUSH_ERR);
	rxq_expect_event(w, ORNIC_EVENT_WQ_FATAL, wq.num);
	rxq_expect_quiet(w);
	expect_message(w, "bad_lkey: wq[%u]: ", wq.num);
	/* A WQE with too many SGEs */
	rxq_ready_wq(w, &wq, 0, 0);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	((struct ornic_rq_hdr *)host_ptr(w->host, wq.rq))->ctrl = htole32(2);
	rxq_deliver_any(w, rxq_find(w, &wq));
	raw_expect(w, ORNIC_WC_LOC_QP_OP_ERR);
	rxq_expect_event(w, ORNIC_EVENT_WQ_FATAL, wq.num);
	expect_message(w, "bad_wqe_count: wq[%u]: ", wq.num);
	/* An unmapped ring */
	rxq_ready_wq(w, &wq, 0, 0);
	raw_post(w, &wq, w->data, RAW_BUF_LEN);
	host_unmap(w->host, wq.rq, HOST_PAGE);
	rxq_deliver_any(w, rxq_find(w, &wq));
	rxq_expect_event(w, ORNIC_EVENT_WQ_FATAL, wq.num);
	rxq_expect_quiet(w);
	assert_int_equal(rxq_no_wqe(w), 2);
}

/* ---- RSS ---- */

/* [ORNIC-RSS-4] */
TEST(test_frames_are_spread, struct raw *w, IN_RAW_PROCESS)
{
	unsigned int i, hits[RAW_WQS] = {};
	uint8_t data[RXQ_FRAME_LEN];
	struct qp *qp;

	for (i = 0; i < RAW_WQS; i++)
		rxq_ready_wq(w, &w->wq[i], 0, 0);
	qp = rxq_create_rss(w, rxq_create_table(w, 2),
			    ORNIC_RX_HASH_SRC_PORT_UDP |
			ORNIC_RX_HASH_SRC_PORT_TCP);
	for (i = 0; i < 64; i++) {
		const struct ornic_cqe_ext *ext;
		unsigned int n, at;

		for (n = 0; n < RAW_WQS; n++)
			raw_post(w, &w->wq[n], w->data, RAW_BUF_LEN);
		/* Fields that were not requested do not matter */
		rxq_make_udp(data, i & 1, 1000 + i / 2);
		rxq_deliver(w, &qp->base, data, sizeof(data));
		ext = host_cqe_ext(host_queue_peek(&w->cq));
		assert_true(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS);
		/* [ORNIC-CQ-13] */
		assert_true(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS_L4);
		assert_int_equal(le32toh(ext->flow_tag), RXQ_TAG);
		at = le32toh(ext->rss_hash) % RAW_WQS;
		if (i & 1)
			assert_int_equal(hits[at] & 1, 1);
		hits[at]++;
		rxq_expect_frame(w, &w->wq[at], RXQ_FRAME_LEN);
		/* The rings hold 16 WQEs: start again */
		for (n = 0; n < RAW_WQS; n++) {
			rxq_modify(w, &w->wq[n], ORNIC_WQS_RESET);
			memset(host_ptr(w->host, w->wq[n].dbr), 0, 4 * 16);
			w->wq[n].rq_pi = 0;
			rxq_modify(w, &w->wq[n], ORNIC_WQS_RDY);
		}
	}
	for (i = 0; i < RAW_WQS; i++)
		assert_true(hits[i] > 4);
}

/* [ORNIC-RSS-4] */
TEST(test_frames_without_a_hash, struct raw *w, IN_RAW_PROCESS)
{
	const struct ornic_cqe_ext *ext;
	unsigned int i;
	struct qp *qp;

	for (i = 0; i < RAW_WQS; i++) {
		rxq_ready_wq(w, &w->wq[i], 0, 0);
		raw_post(w, &w->wq[i], w->data, RAW_BUF_LEN);
	}
	qp = rxq_create_rss(w, rxq_create_table(w, 2),
			    RSS_FIELDS & ~ORNIC_RX_HASH_INNER);
	rxq_deliver_any(w, &qp->base);
	ext = host_cqe_ext(rxq_expect_frame(w, &w->wq[0], RXQ_FRAME_LEN));
	assert_int_equal(le32toh(ext->rss_hash), 0);
	assert_false(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS);
	/* A QP with a queue of its own has no hash */
	rxq_ready_qp(w, &w->wq[1], 0);
	raw_post(w, &w->wq[1], w->data, RAW_BUF_LEN);
	rxq_deliver_any(w, rxq_find(w, &w->wq[1]));
	ext = host_cqe_ext(rxq_expect_frame(w, &w->wq[1], RXQ_FRAME_LEN));
	assert_false(le16toh(ext->flags) & ORNIC_CQE_EXT_RSS);
	assert_int_equal(le32toh(ext->flow_tag), RXQ_TAG);
}

/* [ORNIC-RSS-1] */
TEST(test_largest_table, struct raw *w, IN_RAW_PROCESS)
{
	unsigned int i;

	for (i = 0; i < RAW_WQS; i++)
		rxq_create_wq(w, &w->wq[i], 0, 0);
	rxq_create_table(w, CARD_MAX_LOG_RWQ_SIZE);
	assert_int_equal(rxq_find(w, &w->wq[0])->obj.users,
			 (1 << CARD_MAX_LOG_RWQ_SIZE) / RAW_WQS);
	/* A reset destroys users before the objects that they use */
	rxq_create_rss(w, rxq_create_table(w, 1), 0);
	card_reset(w->host->card);
	assert_int_equal(w->host->card->qps.count, 0);
	assert_int_equal(w->host->card->rwq_tables.count, 0);
}

TEST_MAIN("wq")
