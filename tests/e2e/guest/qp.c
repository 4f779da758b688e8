// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: qp DEVICE GID-INDEX CASE
 *
 * Queue pairs: refusals of ibv_create_qp(), transitions, results of ibv_query_qp(), errors and
 * recovery.
 */
#include "verbs.h"

#define LEN 4096
/* IBV_QP_STATE to IBV_QP_DEST_QPN */
#define ALL_ATTRS 0x1fffff

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

static int create_errno(struct port *port, struct ibv_qp_init_attr *init)
{
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp(port->pd, init);
	if (!qp)
		return errno;
	want_ok(ibv_destroy_qp(qp));
	return 0;
}

CASE(create_unknown_types)
{
	static const enum ibv_qp_type unknown[] = { 1, 5, 7, 11, 77, IBV_QPT_DRIVER };
	struct ibv_cq *cq = cq_make(port, 16, NULL);
	struct ibv_qp_init_attr init;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		init = qp_init(unknown[i], cq);
		want_errno(EOPNOTSUPP, create_errno(port, &init));
	}
}

CASE(create_too_much)
{
	const unsigned int wr = port->dev.max_qp_wr, sge = port->dev.max_sge;
	const struct ibv_qp_cap good = qp_init(IBV_QPT_RC, NULL).cap;
	struct ibv_qp_cap too_much[] = { good, good, good, good, good };
	const struct ibv_qp_cap most[] = {
		{ .max_send_wr = wr, .max_recv_wr = wr, .max_send_sge = 1, .max_recv_sge = 1 },
		{ good.max_send_wr, good.max_recv_wr, sge, sge, good.max_inline_data },
	};
	struct ibv_cq *cq = cq_make(port, 16, NULL);
	struct ibv_qp_init_attr init;
	size_t i, j;

	too_much[0].max_send_wr = wr + 1;
	too_much[1].max_recv_wr = wr + 1;
	too_much[2].max_send_sge = sge + 1;
	too_much[3].max_recv_sge = sge + 1;
	too_much[4].max_inline_data = 1 << 20;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		init = qp_init(types[i], cq);
		for (j = 0; j < ARRAY_SIZE(too_much); j++) {
			init.cap = too_much[j];
			want_errno(EINVAL, create_errno(port, &init));
		}
		/* The announced maxima are available */
		for (j = 0; j < ARRAY_SIZE(most); j++) {
			init.cap = most[j];
			want_ok(create_errno(port, &init));
		}
	}
}

/* A QP can be created with the capabilities that another one was given */
CASE(create_with_returned_caps)
{
	const unsigned int max = port->dev.max_qp_wr;
	const unsigned int wrs[] = { max, max - 1, max / 2 + 1, 10 };
	const unsigned int sges[] = { 1, 2, port->dev.max_sge };
	struct ibv_cq *cq = cq_make(port, 16, NULL);
	struct ibv_qp_init_attr init;
	struct ibv_qp_cap told;
	size_t i, j, k;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		for (j = 0; j < ARRAY_SIZE(wrs); j++)
			for (k = 0; k < ARRAY_SIZE(sges); k++) {
				init = qp_init(types[i], cq);
				init.cap = (struct ibv_qp_cap){ wrs[j], wrs[j], sges[k], sges[k],
								0 };
				want_ok(create_errno(port, &init));
				told = init.cap;
				want(told.max_send_wr <= max && told.max_recv_wr <= max,
				     "type %d: %u, %u", types[i], told.max_send_wr,
				     told.max_recv_wr);
				want_ok(create_errno(port, &init));
				want(!memcmp(&init.cap, &told, sizeof(told)), "type %d: %u",
				     types[i], wrs[j]);
			}
}

CASE(create_empty)
{
	struct ibv_cq *cq = cq_make(port, 16, NULL);
	struct ibv_qp_init_attr init;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		init = qp_init(types[i], cq);
		memset(&init.cap, 0, sizeof(init.cap));
		want_ok(create_errno(port, &init));
	}
}

CASE(create_returns_caps)
{
	const struct ibv_qp_cap asked = { 3, 5, 3, 3, 17 };
	struct ibv_cq *cq = cq_make(port, 16, NULL);
	struct ibv_qp_init_attr init, told;
	struct ibv_qp_attr attr;
	struct ibv_qp *qp;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		init = qp_init(types[i], cq);
		init.cap = asked;
		init.sq_sig_all = 1;
		qp = made(ibv_create_qp(port->pd, &init));
		want(init.cap.max_send_wr >= asked.max_send_wr &&
		     init.cap.max_recv_wr >= asked.max_recv_wr &&
		     init.cap.max_send_sge >= asked.max_send_sge &&
		     init.cap.max_recv_sge >= asked.max_recv_sge &&
		     init.cap.max_inline_data >= asked.max_inline_data, "type %d", types[i]);
		want_ok(ibv_query_qp(qp, &attr, IBV_QP_CAP, &told));
		want(!memcmp(&init.cap, &told.cap, sizeof(told.cap)), "type %d", types[i]);
		want(!memcmp(&init.cap, &attr.cap, sizeof(attr.cap)), "type %d", types[i]);
		want(told.qp_type == types[i] && told.sq_sig_all && told.send_cq == cq &&
		     told.recv_cq == cq && !told.srq, "type %d", types[i]);
		want_ok(ibv_destroy_qp(qp));
	}
}

/* A queue holds at least the reported number of WQEs and becomes full; all are executed */
CASE(queues_hold_reported_sizes)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 8);
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);
	struct ibv_qp_init_attr told;
	struct ibv_qp_attr attr;
	unsigned int i, count;
	int err;

	want_ok(ibv_query_qp(pair.a, &attr, IBV_QP_CAP, &told));
	for (i = 0; !(err = post_recv(pair.a, i, &sge)); i++)
		want(i < 64 * told.cap.max_recv_wr, "never full");
	want(err == ENOMEM && i >= told.cap.max_recv_wr, "%u: %s", i, strerror(err));
	qp_to_rtr(port, pair.a, pair.b->qp_num);
	qp_to_rts(pair.a);
	/* b does not respond yet */
	for (count = 0; !(err = post_send(pair.a, IBV_WR_RDMA_WRITE, count, &sge,
					  (uintptr_t)port->mem.buf + 8,
					  port->mem.mr->rkey)); count++)
		want(count < 64 * told.cap.max_send_wr, "never full");
	want(err == ENOMEM && count >= told.cap.max_send_wr, "%u: %s", count, strerror(err));
	qp_to_rtr(port, pair.b, pair.a->qp_num);
	for (i = 0; i < count; i++)
		want_wc(pair.a_cq, i, IBV_WC_SUCCESS);
}

CASE(signal_all)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 8);
	struct ibv_send_wr wr = {
		.wr_id = 9, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)port->mem.buf + 64, port->mem.mr->rkey },
	}, *bad;
	struct ibv_cq *cq = cq_make(port, 64, NULL);
	struct ibv_qp_init_attr init;
	struct ibv_qp *qp[2];
	int all;

	for (all = 0; all < 2; all++) {
		init = qp_init(IBV_QPT_RC, cq);
		init.sq_sig_all = all;
		qp[0] = made(ibv_create_qp(port->pd, &init));
		qp[1] = made(ibv_create_qp(port->pd, &init));
		qp_to_init(qp[0], ACCESS_ALL);
		qp_to_init(qp[1], ACCESS_ALL);
		qp_to_rtr(port, qp[0], qp[1]->qp_num);
		qp_to_rtr(port, qp[1], qp[0]->qp_num);
		qp_to_rts(qp[0]);
		want_ok(ibv_post_send(qp[0], &wr, &bad));
		if (all)
			want_wc(cq, 9, IBV_WC_SUCCESS);
		else
			want_no_wc(cq);
	}
}

CASE(transitions_refused)
{
	struct ibv_qp_attr attr = { .port_num = 1, .path_mtu = IBV_MTU_1024 };
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);

	attr.qp_state = IBV_QPS_RTS;
	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_SQD;
	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, IBV_QP_STATE));
	/* RTR needs more attributes */
	attr.qp_state = IBV_QPS_RTR;
	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU));
	/* Not an attribute of this transition */
	attr.qp_state = IBV_QPS_INIT;
	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT));
	attr.port_num = 2;
	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, IBV_QP_STATE | IBV_QP_PORT));
	want(qp_state(pair.a) == IBV_QPS_INIT, "%d", qp_state(pair.a));
	qp_to_rtr(port, pair.a, pair.b->qp_num);
	qp_to_rts(pair.a);
	attr.qp_state = IBV_QPS_INIT;
	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_SQE;
	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, IBV_QP_STATE));
	/* The QP is not in the state that the caller names */
	attr.qp_state = IBV_QPS_RTS;
	attr.cur_qp_state = IBV_QPS_SQD;
	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE));
	want(qp_state(pair.a) == IBV_QPS_RTS, "%d", qp_state(pair.a));
}

/* [ORNIC-WIRE-25] Not above the path MTU of the port, and the QP is as before */
CASE(path_mtu_of_the_port)
{
	struct pair pair = pair_init(port, IBV_QPT_UC, NULL);
	struct ibv_port_attr port_attr;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .dest_qp_num = pair.b->qp_num,
		.ah_attr = port_ah_attr(port),
	};
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	want_ok(ibv_query_port(port->ctx, 1, &port_attr));
	attr.path_mtu = port_attr.active_mtu + 1;
	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, mask));
	want(qp_state(pair.a) == IBV_QPS_INIT, "%d", qp_state(pair.a));
	attr.path_mtu = port_attr.active_mtu;
	want_ok(ibv_modify_qp(pair.a, &attr, mask));
}

/* Linux has no automatic path migration for RoCE: the core refuses it, whatever a card supports */
CASE(alternate_path_refused)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_qp_attr attr = {
		.alt_ah_attr = port_ah_attr(port), .alt_port_num = 1, .alt_timeout = 14,
		.path_mig_state = IBV_MIG_REARM,
	};

	want_errno(EINVAL, ibv_modify_qp(pair.a, &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE));
	want(qp_state(pair.a) == IBV_QPS_RTS, "%d", qp_state(pair.a));
}

CASE(query_returns_all)
{
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	qp_to_rtr(port, pair.a, pair.b->qp_num);
	qp_to_rts_with(pair.a, 13, 5, 4);
	want_ok(ibv_query_qp(pair.a, &attr, ALL_ATTRS, &init));
	want(attr.qp_state == IBV_QPS_RTS && attr.cur_qp_state == IBV_QPS_RTS, "%d",
	     attr.qp_state);
	want(attr.path_mtu == IBV_MTU_1024, "%d", attr.path_mtu);
	want(attr.rq_psn == PSN && attr.sq_psn == PSN, "%#x %#x", attr.rq_psn, attr.sq_psn);
	want(attr.dest_qp_num == pair.b->qp_num, "%#x", attr.dest_qp_num);
	want(attr.qp_access_flags == (ACCESS_ALL & ~IBV_ACCESS_LOCAL_WRITE) ||
	     attr.qp_access_flags == ACCESS_ALL, "%#x", attr.qp_access_flags);
	want(attr.ah_attr.is_global && attr.ah_attr.grh.sgid_index == port->gid_index &&
	     attr.ah_attr.grh.hop_limit == 64 && attr.ah_attr.port_num == 1 &&
	     !memcmp(&attr.ah_attr.grh.dgid, &port->gid, sizeof(port->gid)), "address");
	want(attr.max_rd_atomic == 4 && attr.max_dest_rd_atomic == 4, "%u %u",
	     attr.max_rd_atomic, attr.max_dest_rd_atomic);
	want(attr.min_rnr_timer == 12 && attr.timeout == 13 && attr.retry_cnt == 5 &&
	     attr.rnr_retry == 4, "%u %u %u %u", attr.min_rnr_timer, attr.timeout,
	     attr.retry_cnt, attr.rnr_retry);
	want(attr.port_num == 1 && !attr.pkey_index && !attr.sq_draining, "port %u",
	     attr.port_num);
}

/* PSNs are current: four messages of one packet, then one of three */
CASE(query_psns_are_live)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct mem mem = mem_make(port, 2 * LEN, ACCESS_ALL);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_sge sge;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		sge = mem_sge(&mem, 0, i < 4 ? 100 : 2500);
		post_write(pair.a, i, &sge, &mem, LEN);
		want_wc(pair.a_cq, i, IBV_WC_SUCCESS);
	}
	want_ok(ibv_query_qp(pair.a, &attr, IBV_QP_SQ_PSN, &init));
	want(attr.sq_psn == PSN + 7, "%#x", attr.sq_psn);
	want_ok(ibv_query_qp(pair.b, &attr, IBV_QP_RQ_PSN, &init));
	want(attr.rq_psn == PSN + 7, "%#x", attr.rq_psn);
}

/* RESET with work in the queues: no completion comes, and the QP is as new */
CASE(reset_and_reuse)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		want_ok(post_recv(pair.a, 10 + i, &sge));
		/* There is no receive WQE for it */
		want_ok(post_send(pair.a, IBV_WR_SEND, i, &sge, 0, 0));
		qp_set_state(pair.a, IBV_QPS_RESET);
		qp_set_state(pair.b, IBV_QPS_RESET);
		want_no_wc(pair.a_cq);
		qp_to_init(pair.a, ACCESS_ALL);
		qp_to_init(pair.b, ACCESS_ALL);
		pair_to_rtr(&pair);
		qp_to_rts(pair.a);
		qp_to_rts(pair.b);
		want_ok(post_recv(pair.b, 20, &sge));
		pair_send(&pair, 21, &sge);
		want_wc(pair.b_cq, 20, IBV_WC_SUCCESS);
	}
}

CASE(error_flushes)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	unsigned int i;

	for (i = 0; i < 10; i++)
		want_ok(post_recv(pair.a, i, &sge));
	qp_set_state(pair.a, IBV_QPS_ERR);
	for (i = 0; i < 10; i++)
		want_wc(pair.a_cq, i, IBV_WC_WR_FLUSH_ERR);
	/* Work requests that are posted in ERR are flushed too */
	want_ok(post_send(pair.a, IBV_WR_SEND, 30, &sge, 0, 0));
	want_wc(pair.a_cq, 30, IBV_WC_WR_FLUSH_ERR);
	want_ok(post_recv(pair.a, 31, &sge));
	want_wc(pair.a_cq, 31, IBV_WC_WR_FLUSH_ERR);
	want(qp_state(pair.a) == IBV_QPS_ERR, "%d", qp_state(pair.a));
}

static int query_draining(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	want_ok(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	want(attr.qp_state == IBV_QPS_SQD, "%d", attr.qp_state);
	return attr.sq_draining;
}

/* Outstanding requests end, new ones wait, and the event comes in between */
CASE(sqd_drains)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

	/* There is no receive WQE yet: RNR NAKs keep it outstanding */
	want_ok(post_send(pair.a, IBV_WR_SEND, 1, &sge, 0, 0));
	sleep_ms(20);
	want_ok(ibv_modify_qp(pair.a, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY));
	want(query_draining(pair.a), "drained too early");
	want_no_event(port);
	want_ok(post_send(pair.a, IBV_WR_SEND, 2, &sge, 0, 0));
	want_ok(post_recv(pair.b, 11, &sge));
	want_ok(post_recv(pair.b, 12, &sge));
	want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);
	want_wc(pair.b_cq, 11, IBV_WC_SUCCESS);
	want_event(port, IBV_EVENT_SQ_DRAINED, pair.a);
	want(!query_draining(pair.a), "still draining");
	want_no_wc(pair.a_cq);

	attr.timeout = 16;
	attr.rnr_retry = 6;
	want_ok(ibv_modify_qp(pair.a, &attr, IBV_QP_TIMEOUT | IBV_QP_RNR_RETRY));
	qp_set_state(pair.a, IBV_QPS_RTS);
	want_wc(pair.a_cq, 2, IBV_WC_SUCCESS);
	want_wc(pair.b_cq, 12, IBV_WC_SUCCESS);
	want_no_event(port);
}

/* An empty queue is drained at once; the event comes only on request */
CASE(sqd_of_an_idle_queue)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

	want_ok(ibv_modify_qp(pair.a, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY));
	want_event(port, IBV_EVENT_SQ_DRAINED, pair.a);
	qp_set_state(pair.b, IBV_QPS_SQD);
	want_no_event(port);
	/* A responder goes on in SQD */
	qp_set_state(pair.a, IBV_QPS_RTS);
	post_write(pair.a, 5, &sge, &port->mem, 64);
	want_wc(pair.a_cq, 5, IBV_WC_SUCCESS);
}

/* A failed send stops the send queue only, and ibv_modify_qp() restarts it */
CASE(sqe_recovers)
{
	struct ibv_ah_attr ah_attr = port_ah_attr(port);
	struct ibv_ah *ah = made(ibv_create_ah(port->pd, &ah_attr));
	struct ibv_cq *a_cq = cq_make(port, 64, NULL), *b_cq = cq_make(port, 64, NULL);
	struct ibv_qp *a = datagram_qp(port, a_cq), *b = datagram_qp(port, b_cq);
	struct ibv_sge good = mem_sge(&port->mem, 0, 64), bad = good;
	struct ibv_sge recv = mem_sge(&port->mem, 1024, 128);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .cur_qp_state = IBV_QPS_SQE };

	bad.lkey ^= 0x5500;
	want_ok(post_recv(a, 11, &recv));
	want_ok(post_recv(b, 12, &recv));
	post_datagram(a, ah, b->qp_num, 1, bad);
	post_datagram(a, ah, b->qp_num, 2, good);
	want_wc(a_cq, 1, IBV_WC_LOC_PROT_ERR);
	want_wc(a_cq, 2, IBV_WC_WR_FLUSH_ERR);
	want(qp_state(a) == IBV_QPS_SQE, "%d", qp_state(a));
	post_datagram(a, ah, b->qp_num, 3, good);
	want_wc(a_cq, 3, IBV_WC_WR_FLUSH_ERR);
	/* The receive queue still works */
	post_datagram(b, ah, a->qp_num, 4, good);
	want_wc(b_cq, 4, IBV_WC_SUCCESS);
	want_wc(a_cq, 11, IBV_WC_SUCCESS);

	want_ok(ibv_modify_qp(a, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE));
	post_datagram(a, ah, b->qp_num, 5, good);
	want_wc(a_cq, 5, IBV_WC_SUCCESS);
	want_wc(b_cq, 12, IBV_WC_SUCCESS);
}

/* The same for UC */
CASE(sqe_of_uc)
{
	struct pair pair = pair_make(port, IBV_QPT_UC, NULL);
	struct ibv_sge good = mem_sge(&port->mem, 0, 64), bad = good;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .cur_qp_state = IBV_QPS_SQE };

	bad.lkey ^= 0x5500;
	want_ok(post_recv(pair.b, 11, &good));
	want_ok(post_send(pair.a, IBV_WR_SEND, 1, &bad, 0, 0));
	want_wc(pair.a_cq, 1, IBV_WC_LOC_PROT_ERR);
	want(qp_state(pair.a) == IBV_QPS_SQE, "%d", qp_state(pair.a));
	want_ok(ibv_modify_qp(pair.a, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE));
	want_ok(post_send(pair.a, IBV_WR_SEND, 2, &good, 0, 0));
	want_wc(pair.a_cq, 2, IBV_WC_SUCCESS);
	want_wc(pair.b_cq, 11, IBV_WC_SUCCESS);
}

/* rnr_retry 7 retries for ever; a smaller value limits the retries */
CASE(rnr_retry)
{
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct pair few;

	pair_to_rtr(&pair);
	qp_to_rts_with(pair.a, 17, 7, 7);
	want_ok(post_send(pair.a, IBV_WR_SEND, 1, &sge, 0, 0));
	/* Time for more than a hundred RNR timers of 0.64 ms on a slow machine */
	sleep_ms(500);
	want_no_wc(pair.a_cq);
	want_ok(post_recv(pair.b, 2, &sge));
	want_wc(pair.a_cq, 1, IBV_WC_SUCCESS);

	few = pair_init(port, IBV_QPT_RC, NULL);
	pair_to_rtr(&few);
	qp_to_rts_with(few.a, 17, 7, 2);
	want_ok(post_send(few.a, IBV_WR_SEND, 3, &sge, 0, 0));
	want_wc(few.a_cq, 3, IBV_WC_RNR_RETRY_EXC_ERR);
	want(qp_state(few.a) == IBV_QPS_ERR, "%d", qp_state(few.a));
}

/* timeout 0 never expires; another one does */
CASE(timeout_0)
{
	struct pair silent = pair_init(port, IBV_QPT_RC, NULL);
	struct pair dead = pair_init(port, IBV_QPT_RC, NULL);
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);

	/* The peers are in INIT and do not respond */
	qp_to_rtr(port, silent.a, silent.b->qp_num);
	qp_to_rts_with(silent.a, 0, 1, 7);
	qp_to_rtr(port, dead.a, dead.b->qp_num);
	qp_to_rts_with(dead.a, 10, 1, 7);
	want_ok(post_send(silent.a, IBV_WR_SEND, 1, &sge, 0, 0));
	want_ok(post_send(dead.a, IBV_WR_SEND, 2, &sge, 0, 0));
	want_wc(dead.a_cq, 2, IBV_WC_RETRY_EXC_ERR);
	want_no_wc(silent.a_cq);
	want(qp_state(silent.a) == IBV_QPS_RTS, "%d", qp_state(silent.a));
}

CASE(destroy_uses)
{
	struct pair pair = pair_make(port, IBV_QPT_RC, NULL);

	want_errno(EBUSY, ibv_destroy_cq(pair.a_cq));
	want_errno(EBUSY, ibv_dealloc_pd(port->pd));
	pair_destroy(&pair);
	mem_free(&port->mem);
	want_ok(ibv_dealloc_pd(port->pd));
}
