// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A card with RAW_PACKET QPs */
#include "card/card.h"
#include "queues/qp.h"
#include "raw.h"

static int raw_create(void **state, bool process,
		      const struct card_config *config)
{
	struct ornic_rx_queues_in queues = { .count = htole32(1) };
	struct raw *w = calloc(1, sizeof(*w));
	unsigned int i;

	w->host = host_create_as(config, 1);
	host_enable(w->host);
	host_port_up(w->host, true);
	w->uctx = host_uctx(w->host, ORNIC_UCTX_KERNEL, 0);
	w->pdn = host_pd(w->host);
	host_eq(w->host, &w->eq, 1, 8);
	host_cq(w->host, &w->cq, w->uctx, w->eq.num, 8, 6);
	if (process)
		w->page = host_uctx(w->host, 0, 0);
	for (i = 0; i < RAW_QPS; i++) {
		host_qp(w->host, &w->qp[i], ORNIC_QPT_RAW_PACKET,
			i ? w->page : w->uctx, w->pdn, &w->cq, 0);
		host_qp_to_rts(&w->qp[i]);
	}
	w->data = host_alloc(w->host, 4 * RAW_BUF_LEN, HOST_PAGE);
	w->key = host_mr(w->host, w->pdn, w->data, 4 * RAW_BUF_LEN,
			 ORNIC_ACCESS_LOCAL_WRITE);
	queues.qpn[0] = htole32(w->qp[0].num);
	host_cmd_in_ok(w->host, ORNIC_CMD_SET_RX_QUEUES, &queues);
	*state = w;
	return 0;
}

int raw_setup_config(void **state, const struct card_config *config)
{
	return raw_create(state, false, config);
}

int raw_setup(void **state)
{
	const struct card_config config = {};

	return raw_create(state, false, &config);
}

int raw_setup_process(void **state)
{
	const struct card_config config = {};

	return raw_create(state, true, &config);
}

int raw_teardown(void **state)
{
	struct raw *w = *state;

	host_destroy(w->host);
	free(w);
	return 0;
}

const struct ornic_cqe *raw_cqe(struct raw *w)
{
	const struct ornic_cqe *cqe = host_queue_peek(&w->cq);

	assert_non_null(cqe);
	host_queue_consume(&w->cq);
	return cqe;
}

void raw_expect(struct raw *w, unsigned int status)
{
	assert_int_equal(le32toh(raw_cqe(w)->status), status);
}

const struct ornic_cqe *raw_did(struct raw *w, unsigned int n, unsigned int opcode)
{
	const struct ornic_cqe *cqe = raw_cqe(w);

	assert_int_equal(le32toh(cqe->status), ORNIC_WC_SUCCESS);
	assert_int_equal(le32toh(cqe->opcode), opcode);
	assert_int_equal(le32toh(cqe->qpn) & ORNIC_CQE_QPN, w->qp[n].num);
	return cqe;
}

void raw_publish(struct raw *w, unsigned int n, uint64_t addr, uint32_t len,
		 const struct ornic_route_eth *route, unsigned int flags)
{
	struct host_qp *qp = &w->qp[n];
	struct {
		struct ornic_sq_hdr hdr;
		struct ornic_route_eth route;
		struct ornic_sge sge[2];
	} wqe = {
		.hdr.ctrl = htole32(ORNIC_SQ_CTRL(ORNIC_WR_SEND,
						  ORNIC_SEND_SIGNALED | flags,
						  sizeof(wqe))),
		.route = route ? *route : (struct ornic_route_eth){},
		/* Split inside the source MAC address */
		.sge = { { htole64(addr), htole32(11), htole32(w->key) },
			 { htole64(addr + 11), htole32(len - 11),
			   htole32(w->key) } },
	};

	memcpy(host_ptr(w->host, qp->sq + (qp->sq_pi & 63) * 64), &wqe,
	       sizeof(wqe));
	qp->sq_pi++;
	guest_store32(&host_qp_dbr(qp)->sq_pi, qp->sq_pi);
	host_doorbell(w->host, qp->uctx, ORNIC_DB_SQ, qp->num, qp->sq_pi);
}

void raw_send(struct raw *w, unsigned int n, uint64_t addr, uint32_t len,
	      const struct ornic_route_eth *route, unsigned int flags)
{
	raw_publish(w, n, addr, len, route, flags);
	host_run(w->host);
}

struct frame *raw_sent(struct raw *w)
{
	struct frame *frame;

	assert_false(list_empty(&w->host->wire));
	frame = list_first_entry(&w->host->wire, struct frame, node);
	list_del_init(&frame->node);
	return frame;
}

void raw_done(struct raw *w, struct frame *frame)
{
	env_frame_free(&w->host->env, frame);
}

void raw_post(struct raw *w, struct host_qp *q, uint64_t addr, uint32_t len)
{
	uint32_t pos = q->rq_pi & ((1u << q->log_rq_wqes) - 1);
	struct {
		struct ornic_rq_hdr hdr;
		struct ornic_sge sge;
	} wqe = {
		.hdr = { .ctrl = htole32(1), .wr_id = htole64(q->rq_pi) },
		.sge = { htole64(addr), htole32(len), htole32(w->key) },
	};

	memcpy(host_ptr(w->host, q->rq + (pos << q->rq_stride_shift)), &wqe,
	       sizeof(wqe));
	q->rq_pi++;
	guest_store32(&host_qp_dbr(q)->rq_pi, q->rq_pi);
}

void raw_post_recv(struct raw *w, unsigned int n, uint64_t addr, uint32_t len)
{
	raw_post(w, &w->qp[n], addr, len);
}

void raw_frame(struct frame *frame, const uint8_t *data, unsigned int len)
{
	memset(frame, 0, sizeof(*frame));
	frame->hdr_len = len < FRAME_HDR_MAX ? len : FRAME_HDR_MAX;
	memcpy(frame->hdr, data, frame->hdr_len);
	frame_add(frame, data + frame->hdr_len, len - frame->hdr_len);
}

void raw_receive(struct raw *w, const uint8_t *data, unsigned int len,
		 unsigned int flags)
{
	struct frame frame;

	raw_frame(&frame, data, len);
	frame.flags = flags;
	card_rx(w->host->card, &frame);
	host_run(w->host);
}
