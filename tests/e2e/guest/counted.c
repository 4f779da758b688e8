// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: counted DEVICE GID-INDEX CASE
 *
 * Each case provokes events that the card counts, in known numbers. The test
 * reads the counters before and after.
 */
#include "verbs.h"

#define LEN 4096
/* Numbers of requests of the case `requests` */
#define WRITES 3
#define READS 4
#define ATOMICS 5
#define SENDS 6

static void qp_to_rts_from(struct ibv_qp *qp, uint32_t psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .sq_psn = psn & 0xffffff, .timeout = SHORT_TIMEOUT,
	};

	want_ok(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void write_with(struct ibv_qp *qp, struct mem *mem, uint32_t rkey)
{
	struct ibv_sge sge = mem_sge(mem, 0, 64);

	want_ok(post_send(qp, IBV_WR_RDMA_WRITE, 1, &sge, (uintptr_t)mem->buf + LEN / 2, rkey));
}

/* One try and one retry reach a QP that is destroyed */
CASE(unknown_qp)
{
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);

	pair_to_rtr(&pair);
	qp_to_rts_with(pair.a, SHORT_TIMEOUT, 1, 0);
	want_ok(ibv_destroy_qp(pair.b));
	write_with(pair.a, &port->mem, port->mem.mr->rkey);
	want_wc(pair.a_cq, 1, IBV_WC_RETRY_EXC_ERR);
}

/* The responder expects its peer at the address of the other machine */
CASE(wrong_path)
{
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);
	struct port other = *port;

	/* The last bytes of the machines' addresses are 1 and 2 */
	other.gid.raw[15] ^= 3;
	qp_to_rtr(port, pair.a, pair.b->qp_num);
	qp_to_rtr(&other, pair.b, pair.a->qp_num);
	qp_to_rts_with(pair.a, SHORT_TIMEOUT, 0, 0);
	write_with(pair.a, &port->mem, port->mem.mr->rkey);
	want_wc(pair.a_cq, 1, IBV_WC_RETRY_EXC_ERR);
}

/*
 * Two datagrams with a wrong Q_Key, then two that find no receive WQE, and one that is longer than
 * its receive
 */
CASE(datagrams)
{
	struct ibv_cq *a_cq = cq_make(port, 16, NULL), *b_cq = cq_make(port, 16, NULL);
	struct ibv_qp *a = datagram_qp(port, a_cq), *b = datagram_qp(port, b_cq);
	struct ibv_ah_attr ah_attr = port_ah_attr(port);
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct ibv_send_wr wr = {
		.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .remote_qpn = b->qp_num, .remote_qkey = QKEY + 1 },
	}, *bad;
	unsigned int i;

	wr.wr.ud.ah = made(ibv_create_ah(port->pd, &ah_attr));
	for (i = 0; i < 4; i++) {
		wr.wr.ud.remote_qkey = i < 2 ? QKEY + 1 : QKEY;
		want_ok(ibv_post_send(a, &wr, &bad));
		want_wc(a_cq, 1, IBV_WC_SUCCESS);
	}
	sge = mem_sge(&port->mem, LEN / 2, 40 + 64);
	want_ok(post_recv(b, 2, &sge));
	post_datagram(a, wr.wr.ud.ah, b->qp_num, 3, mem_sge(&port->mem, 0, 65));
	want_wc(a_cq, 3, IBV_WC_SUCCESS);
	/* This datagram is received, after all others were dropped */
	post_datagram(a, wr.wr.ud.ah, b->qp_num, 4, mem_sge(&port->mem, 0, 64));
	want_wc(b_cq, 2, IBV_WC_SUCCESS);
}

/* An invalid rkey: an event for the responder, a completion for the requester */
CASE(remote_access)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);

	write_with(pair.a, &port->mem, port->mem.mr->rkey ^ 0x5500);
	want_wc(pair.a_cq, 1, IBV_WC_REM_ACCESS_ERR);
	want_event(port, IBV_EVENT_QP_ACCESS_ERR, pair.b);
	want(qp_state(pair.b) == IBV_QPS_ERR, "%d", qp_state(pair.b));
	want_no_event(port);
}

/* An atomic on an address that is not aligned */
CASE(invalid_request)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);

	want_ok(post_atomic(pair.a, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, mem_sge(&port->mem, 0, 8),
			    (uintptr_t)port->mem.buf + 4, port->mem.mr->rkey));
	want_wc(pair.a_cq, 1, IBV_WC_REM_INV_REQ_ERR);
	want_event(port, IBV_EVENT_QP_REQ_ERR, pair.b);
	want_no_event(port);
}

/* A SEND and two retries find no receive WQE */
CASE(receiver_not_ready)
{
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);

	pair_to_rtr(&pair);
	/* RNR timers trigger the retries; the ACK timeout of 4 s does not expire */
	qp_to_rts_with(pair.a, 20, 7, 2);
	want_ok(post_send(pair.a, IBV_WR_SEND, 1, &sge, 0, 0));
	want_wc(pair.a_cq, 1, IBV_WC_RNR_RETRY_EXC_ERR);
}

/* The first packet has the PSN after the expected one */
CASE(out_of_sequence)
{
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);

	pair_to_rtr(&pair);
	qp_to_rts_from(pair.a, PSN + 1);
	write_with(pair.a, &port->mem, port->mem.mr->rkey);
	want_wc(pair.a_cq, 1, IBV_WC_RETRY_EXC_ERR);
}

/* The first packet has the PSN before the expected one, so it is only acknowledged */
CASE(duplicate)
{
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);

	mem_fill(&port->mem, 0, 64, 1);
	pair_to_rtr(&pair);
	qp_to_rts_from(pair.a, PSN - 1);
	write_with(pair.a, &port->mem, port->mem.mr->rkey);
	want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
	want(!mem_is(&port->mem, LEN / 2, 64, 1), "it was executed");
}

CASE(requests)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	uintptr_t remote = (uintptr_t)port->mem.buf + LEN / 2;
	struct ibv_sge sge = mem_sge(&port->mem, 0, 8);
	unsigned int i;

	for (i = 0; i < WRITES; i++) {
		write_with(pair.a, &port->mem, port->mem.mr->rkey);
		want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
	}
	for (i = 0; i < READS; i++) {
		want_ok(post_send(pair.a, IBV_WR_RDMA_READ, 1, &sge, remote, port->mem.mr->rkey));
		want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
	}
	for (i = 0; i < ATOMICS; i++) {
		want_ok(post_atomic(pair.a, i & 1 ? IBV_WR_ATOMIC_FETCH_AND_ADD :
						    IBV_WR_ATOMIC_CMP_AND_SWP,
				    1, sge, remote, port->mem.mr->rkey));
		want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
	}
	for (i = 0; i < SENDS; i++) {
		want_ok(post_recv(pair.b, 2, &sge));
		pair_send(&pair, 1, &sge);
	}
}

/* More completions than the CQ holds */
CASE(cq_overrun)
{
	struct ibv_cq *cq = cq_make(port, 4, NULL);
	struct ibv_qp *qp = lonely_qp(port, cq);
	int i;

	want(cq->cqe < 60, "%d", cq->cqe);
	for (i = 0; i <= cq->cqe; i++)
		write_with(qp, &port->mem, port->mem.mr->rkey);
	want_event(port, IBV_EVENT_CQ_ERR, cq);
}

/* One counters object more than the card has */
CASE(command_refused)
{
	struct ibv_counters_init_attr init = { 0 };
	unsigned int count = 0;

	errno = 0;
	while (ibv_create_counters(port->ctx, &init))
		want(++count < 100000, "no end");
	want(count && errno == ENOMEM, "%u: %s", count, strerror(errno));
}
