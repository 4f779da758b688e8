// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive queues for frames, as a process has them. */
#include "eth.h"
#include "qp.h"
#include "wqk.h"
#include "wq.h"

/* ---- the host's side ---- */

void wqk_make_wq(struct wqk *wqk, struct wqk_queue *wq,
		 struct ornic_create_wq_in *in)
{
	wq->ring = host_alloc(wqk->host, 32 << WQK_LOG_WQES, HOST_PAGE);
	wq->dbr = host_alloc(wqk->host, sizeof(struct ornic_qp_dbr), 128);
	wq->mask = (1 << WQK_LOG_WQES) - 1;
	wq->pi = 0;
	in->pdn = htole32(wqk->pdn);
	in->cqn = htole32(wqk->cq.num);
	in->log_wqes = WQK_LOG_WQES;
	in->stride_shift = 5;
	in->dbr_addr = htole64(wq->dbr);
	host_buf(&in->buf, wq->ring, 32 << WQK_LOG_WQES);
}

void wqk_create_wq(struct wqk *wqk, struct wqk_queue *wq, uint32_t flags,
		   uint32_t delay_us)
{
	struct ornic_create_wq_in in = { .flags = htole32(flags),
					 .delay_drop = htole32(delay_us) };

	wqk_make_wq(wqk, wq, &in);
	wq->num = host_create_object(wqk->host, ORNIC_CMD_CREATE_WQ, &in,
				     sizeof(in));
	wq->target = wq_find(wqk->host->nic, wq->num);
	assert_non_null(wq->target);
}

unsigned int wqk_modify(struct wqk *wqk, const struct wqk_queue *wq,
			unsigned int state)
{
	struct ornic_modify_wq_in in = {
		.wqn = htole32(wq->num),
		.mask = htole32(ORNIC_WQ_ATTR_STATE),
		.state = state,
	};

	return host_cmd_in(wqk->host, ORNIC_CMD_MODIFY_WQ, &in);
}

void wqk_ready_wq(struct wqk *wqk, struct wqk_queue *wq, uint32_t flags,
		  uint32_t delay_us)
{
	wqk_create_wq(wqk, wq, flags, delay_us);
	assert_int_equal(wqk_modify(wqk, wq, ORNIC_WQS_RDY), ORNIC_CMD_OK);
}

uint32_t wqk_create_table(struct wqk *wqk, unsigned int log_size)
{
	struct {
		struct ornic_create_rwq_table_in in;
		__le32 wqn[1 << CORE_MAX_LOG_RWQ_SIZE];
	} cmd = { .in.log_size = log_size };
	unsigned int i;

	for (i = 0; i < 1u << log_size; i++)
		cmd.wqn[i] = htole32(wqk->wq[i % WQK_WQS].num);
	return host_create_object(wqk->host, ORNIC_CMD_CREATE_RWQ_TABLE, &cmd,
				  sizeof(cmd.in) + (4u << log_size));
}

struct ornic_create_qp_in wqk_rss_qp(struct wqk *wqk, uint32_t table,
				     uint32_t fields)
{
	struct ornic_create_qp_in in = {
		.uctx = htole32(wqk->uctx),
		.pdn = htole32(wqk->pdn),
		.flags = htole32(ORNIC_QP_RSS),
		.type = ORNIC_QPT_RAW_PACKET,
		.rwq_table = htole32(table),
		.rx_hash_fields = htole32(fields),
	};
	unsigned int i;

	for (i = 0; i < sizeof(in.rx_hash_key); i++)
		in.rx_hash_key[i] = i * 29 + 1;
	return in;
}

struct qp *wqk_create_rss(struct wqk *wqk, uint32_t table, uint32_t fields)
{
	struct ornic_create_qp_in in = wqk_rss_qp(wqk, table, fields);
	struct ornic_create_qp_out out;
	struct qp *qp;

	assert_int_equal(host_cmd(wqk->host, ORNIC_CMD_CREATE_QP, &in, &out),
			 ORNIC_CMD_OK);
	qp = qp_find(wqk->host->nic, le32toh(out.qpn));
	assert_non_null(qp);
	return qp;
}

void wqk_ready_qp(struct wqk *wqk, struct wqk_queue *q, uint32_t flags)
{
	struct ornic_create_qp_in in = {
		.uctx = htole32(wqk->uctx),
		.pdn = htole32(wqk->pdn),
		.recv_cqn = htole32(wqk->cq.num),
		.flags = htole32(ORNIC_QP_RQ | flags),
		.type = ORNIC_QPT_RAW_PACKET,
		.log_rq_wqes = WQK_LOG_WQES,
		.rq_stride_shift = 5,
	};
	struct host_qp qp = { .host = wqk->host };
	struct ornic_create_qp_out out;

	q->ring = host_alloc(wqk->host, 32 << WQK_LOG_WQES, HOST_PAGE);
	q->dbr = host_alloc(wqk->host, sizeof(struct ornic_qp_dbr), 128);
	q->mask = (1 << WQK_LOG_WQES) - 1;
	q->pi = 0;
	in.dbr_addr = htole64(q->dbr);
	host_buf(&in.rq, q->ring, 32 << WQK_LOG_WQES);
	assert_int_equal(host_cmd(wqk->host, ORNIC_CMD_CREATE_QP, &in, &out),
			 ORNIC_CMD_OK);
	qp.num = le32toh(out.qpn);
	host_qp_modify(&qp, ORNIC_QPS_INIT);
	assert_int_equal(host_qp_modify(&qp, ORNIC_QPS_RTR), ORNIC_CMD_OK);
	q->num = qp.num;
	q->target = qp_find(wqk->host->nic, q->num);
}

void wqk_post(struct wqk *wqk, struct wqk_queue *q, uint64_t addr, uint32_t len)
{
	struct ornic_qp_dbr *dbr = host_ptr(wqk->host, q->dbr);
	struct {
		struct ornic_rq_hdr hdr;
		struct ornic_sge sge;
	} wqe = {
		.hdr = { .ctrl = htole32(1), .wr_id = htole64(q->pi) },
		.sge = { htole64(addr), htole32(len), htole32(wqk->key) },
	};

	memcpy(host_ptr(wqk->host, q->ring + (q->pi & q->mask) * 32), &wqe,
	       sizeof(wqe));
	guest_store32(&dbr->rq_pi, ++q->pi);
}

int wqk_setup(void **state)
{
	struct wqk *wqk = calloc(1, sizeof(*wqk));
	struct ornic_modify_port_in up = { .mask = htole32(ORNIC_PORT_UP),
					   .up = 1 };

	wqk->host = host_create(true, 1);
	host_enable(wqk->host);
	host_cmd_in(wqk->host, ORNIC_CMD_MODIFY_PORT, &up);
	host_uctx(wqk->host, ORNIC_UCTX_KERNEL, 0);
	wqk->uctx = host_uctx(wqk->host, 0, 0);
	wqk->pdn = host_pd(wqk->host);
	host_eq(wqk->host, &wqk->eq, 1, 8);
	host_cq(wqk->host, &wqk->cq, wqk->uctx, wqk->eq.num, 8, 6);
	wqk->data = host_alloc(wqk->host, 4 * WQK_BUF_LEN, HOST_PAGE);
	wqk->key = host_mr(wqk->host, wqk->pdn, wqk->data, 4 * WQK_BUF_LEN,
			   ORNIC_ACCESS_LOCAL_WRITE);
	*state = wqk;
	return 0;
}

int wqk_teardown(void **state)
{
	struct wqk *wqk = *state;

	host_destroy(wqk->host);
	free(wqk);
	return 0;
}

const struct ornic_cqe *wqk_next_cqe(struct wqk *wqk)
{
	const struct ornic_cqe *cqe = host_queue_peek(&wqk->cq);

	assert_non_null(cqe);
	host_queue_consume(&wqk->cq);
	return cqe;
}

const struct ornic_cqe *wqk_expect_frame(struct wqk *wqk,
					 const struct wqk_queue *q,
					    uint32_t len)
{
	const struct ornic_cqe *cqe = wqk_next_cqe(wqk);

	assert_int_equal(le32toh(cqe->status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe->opcode), ORNIC_WC_RECV);
	assert_int_equal(le32toh(cqe->byte_len), len);
	assert_int_equal(le32toh(cqe->qpn) & ORNIC_CQE_QPN, q->num);
	return cqe;
}

void wqk_expect_failed(struct wqk *wqk, unsigned int status)
{
	assert_int_equal(le32toh(wqk_next_cqe(wqk)->status), status);
}

void wqk_expect_event(struct wqk *wqk, unsigned int type, uint32_t num)
{
	const struct ornic_eqe *eqe = host_queue_peek(&wqk->eq);

	assert_non_null(eqe);
	assert_int_equal(le32toh(eqe->ctl) & ORNIC_EQE_TYPE, type);
	assert_int_equal(le32toh(eqe->num), num);
	host_queue_consume(&wqk->eq);
}

void wqk_expect_quiet(struct wqk *wqk)
{
	assert_null(host_queue_peek(&wqk->cq));
	assert_null(host_queue_peek(&wqk->eq));
}

uint64_t wqk_no_wqe(struct wqk *wqk)
{
	return host_port_stat(wqk->host, ORNIC_PORT_STAT_rx_dropped_no_wqe);
}

/* ---- frames ---- */

void wqk_make_frame(struct frame *frame, const uint8_t *data,
		    unsigned int len)
{
	memset(frame, 0, sizeof(*frame));
	frame->hdr_len = len < FRAME_HDR_MAX ? len : FRAME_HDR_MAX;
	memcpy(frame->hdr, data, frame->hdr_len);
	frame_add(frame, data + frame->hdr_len, len - frame->hdr_len);
}

void wqk_deliver(struct wqk *wqk, struct qp *qp, const uint8_t *data,
		 unsigned int len)
{
	struct frame frame;
	struct flow flow;

	wqk_make_frame(&frame, data, len);
	flow_dissect(&frame, &flow);
	eth_deliver(qp, &frame, &flow, WQK_TAG);
	host_run(wqk->host);
}

void wqk_fill(uint8_t *p, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		p[i] = i * 7 + 3;
}

void wqk_deliver_any(struct wqk *wqk, struct qp *qp)
{
	uint8_t data[WQK_FRAME_LEN];

	wqk_fill(data, sizeof(data));
	wqk_deliver(wqk, qp, data, sizeof(data));
}

void wqk_put_tag(uint8_t *p, uint16_t tci)
{
	flow_put16(p + 12, 0x8100);
	flow_put16(p + 14, tci);
}

void wqk_make_udp(uint8_t *p, uint8_t host, uint16_t sport)
{
	wqk_fill(p, WQK_FRAME_LEN);
	flow_put16(p + 12, 0x0800);
	memset(p + 14, 0, 20);
	p[14] = 0x45;
	flow_put16(p + 16, WQK_FRAME_LEN - 14);
	p[23] = FLOW_PROTO_UDP;
	p[26] = 10;
	p[29] = host;
	p[30] = 10;
	flow_put16(p + 34, sport);
	flow_put16(p + 36, 2000);
	flow_put16(p + 38, WQK_FRAME_LEN - 34);
}

