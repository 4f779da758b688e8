// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive queues for frames, for the process of raw_setup_process() */
#include "base/be.h"
#include "eth/eth.h"
#include "eth/eth_rx.h"
#include "eth/headers.h"
#include "eth/wq.h"
#include "queues/qp.h"
#include "rxq.h"

static void rxq_ring(struct raw *w, struct host_qp *q, struct ornic_buf *buf)
{
	memset(q, 0, sizeof(*q));
	q->host = w->host;
	q->log_rq_wqes = RXQ_LOG_WQES;
	q->rq_stride_shift = RXQ_STRIDE_SHIFT;
	q->rq = host_alloc(w->host, RXQ_RING_LEN, HOST_PAGE);
	q->dbr = host_alloc(w->host, sizeof(struct ornic_qp_dbr), 128);
	host_buf(buf, q->rq, RXQ_RING_LEN);
}

struct receiver *rxq_find(struct raw *w, const struct host_qp *q)
{
	struct receiver *receiver = receiver_find(w->host->card, q->num);

	assert_non_null(receiver);
	return receiver;
}

void rxq_make_wq(struct raw *w, struct host_qp *wq,
		 struct ornic_create_wq_in *in)
{
	rxq_ring(w, wq, &in->buf);
	in->pdn = htole32(w->pdn);
	in->cqn = htole32(w->cq.num);
	in->uctx = htole32(w->page);
	in->log_wqes = RXQ_LOG_WQES;
	in->stride_shift = RXQ_STRIDE_SHIFT;
	in->dbr_addr = htole64(wq->dbr);
}

void rxq_create_wq(struct raw *w, struct host_qp *wq, uint32_t flags,
		   uint32_t delay_us)
{
	struct ornic_create_wq_in in = { .flags = htole32(flags),
					 .delay_drop = htole32(delay_us) };

	rxq_make_wq(w, wq, &in);
	wq->num = host_create_object(w->host, ORNIC_CMD_CREATE_WQ, &in,
				     sizeof(in));
}

unsigned int rxq_modify(struct raw *w, const struct host_qp *wq,
			unsigned int state)
{
	struct ornic_modify_wq_in in = {
		.wqn = htole32(wq->num),
		.mask = htole32(ORNIC_WQ_ATTR_STATE),
		.state = state,
	};

	return host_cmd_in(w->host, ORNIC_CMD_MODIFY_WQ, &in);
}

void rxq_ready_wq(struct raw *w, struct host_qp *wq, uint32_t flags,
		  uint32_t delay_us)
{
	rxq_create_wq(w, wq, flags, delay_us);
	assert_int_equal(rxq_modify(w, wq, ORNIC_WQS_RDY), ORNIC_CMD_OK);
}

uint32_t rxq_create_table(struct raw *w, unsigned int log_size)
{
	struct {
		struct ornic_create_rwq_table_in in;
		__le32 wqn[1 << CARD_MAX_LOG_RWQ_SIZE];
	} cmd = { .in.log_size = log_size };
	unsigned int i;

	for (i = 0; i < 1u << log_size; i++)
		cmd.wqn[i] = htole32(w->wq[i % RAW_WQS].num);
	return host_create_object(w->host, ORNIC_CMD_CREATE_RWQ_TABLE, &cmd,
				  sizeof(cmd.in) + (4u << log_size));
}

struct ornic_create_qp_in rxq_rss_qp(struct raw *w, uint32_t table,
				     uint32_t fields)
{
	struct ornic_create_qp_in in = {
		.uctx = htole32(w->page),
		.pdn = htole32(w->pdn),
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

struct qp *rxq_create_rss(struct raw *w, uint32_t table, uint32_t fields)
{
	struct ornic_create_qp_in in = rxq_rss_qp(w, table, fields);
	struct ornic_create_qp_out out;
	struct qp *qp;

	host_cmd_ok(w->host, ORNIC_CMD_CREATE_QP, &in, &out);
	qp = qp_find(w->host->card, le32toh(out.qpn));
	assert_non_null(qp);
	return qp;
}

void rxq_ready_qp(struct raw *w, struct host_qp *q, uint32_t flags)
{
	struct ornic_create_qp_in in = {
		.uctx = htole32(w->page),
		.pdn = htole32(w->pdn),
		.recv_cqn = htole32(w->cq.num),
		.flags = htole32(ORNIC_QP_RQ | flags),
		.type = ORNIC_QPT_RAW_PACKET,
		.log_rq_wqes = RXQ_LOG_WQES,
		.rq_stride_shift = RXQ_STRIDE_SHIFT,
	};

	host_create_qp(w->host, q, &in);
	host_qp_modify(q, ORNIC_QPS_INIT);
	assert_int_equal(host_qp_modify(q, ORNIC_QPS_RTR), ORNIC_CMD_OK);
}

const struct ornic_cqe *rxq_expect_frame(struct raw *w,
					 const struct host_qp *q,
					    uint32_t len)
{
	const struct ornic_cqe *cqe = raw_cqe(w);

	assert_int_equal(le32toh(cqe->status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe->opcode), ORNIC_WC_RECV);
	assert_int_equal(le32toh(cqe->byte_len), len);
	assert_int_equal(le32toh(cqe->qpn) & ORNIC_CQE_QPN, q->num);
	return cqe;
}

void rxq_expect_event(struct raw *w, unsigned int type, uint32_t num)
{
	assert_int_equal(host_event(&w->eq, num), type);
}

void rxq_expect_quiet(struct raw *w)
{
	assert_null(host_queue_peek(&w->cq));
	assert_null(host_queue_peek(&w->eq));
}

uint64_t rxq_no_wqe(struct raw *w)
{
	return host_port_stat(w->host, ORNIC_PORT_STAT_rx_dropped_no_wqe);
}

/* ---- frames ---- */

void rxq_deliver(struct raw *w, struct receiver *receiver, const uint8_t *data,
		 unsigned int len)
{
	struct ornic_cqe_ext ext = { .flow_tag = htole32(RXQ_TAG) };
	struct frame frame;
	struct headers headers;

	raw_frame(&frame, data, len);
	headers_find(&frame, &headers);
	if (receiver_is_wq(receiver))
		wq_receive(container_of(receiver, struct wq, base), &frame, &headers,
			   &ext);
	else
		eth_deliver(qp_of(receiver), &frame, &headers, RXQ_TAG);
	host_run(w->host);
}

void rxq_fill(uint8_t *p, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		p[i] = i * 7 + 3;
}

void rxq_deliver_any(struct raw *w, struct receiver *receiver)
{
	uint8_t data[RXQ_FRAME_LEN];

	rxq_fill(data, sizeof(data));
	rxq_deliver(w, receiver, data, sizeof(data));
}

void rxq_put_tag(uint8_t *p, uint16_t tci)
{
	be_put16(p + 12, 0x8100);
	be_put16(p + 14, tci);
}

void rxq_make_udp(uint8_t *p, uint8_t host, uint16_t sport)
{
	rxq_fill(p, RXQ_FRAME_LEN);
	be_put16(p + 12, 0x0800);
	memset(p + 14, 0, 20);
	p[14] = 0x45;
	be_put16(p + 16, RXQ_FRAME_LEN - 14);
	p[23] = HEADERS_PROTO_UDP;
	p[26] = 10;
	p[29] = host;
	p[30] = 10;
	be_put16(p + 34, sport);
	be_put16(p + 36, 2000);
	be_put16(p + 38, RXQ_FRAME_LEN - 34);
}

