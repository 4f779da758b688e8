// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: event DEVICE GID-INDEX CASE
 *
 * Asynchronous events of QPs that no other program provokes. Each event comes once, for the right
 * object. The case `watch` prints the events that a test causes from outside (cable, addresses, a
 * failed card).
 */
#include <stdio.h>

#include "verbs.h"

#define LEN 4096
/* More QPs than an EQ of the driver has entries */
#define CROWD 8500

/* The first packet reaches a responder in RTR: one event per connection */
CASE(comm_est)
{
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);
	unsigned int i;

	pair_to_rtr(&pair);
	qp_to_rts(pair.a);
	for (i = 0; i < 2; i++) {
		post_write(pair.a, i, &sge, &port->mem, 64);
		want_wc(pair.a_cq, i, IBV_WC_SUCCESS);
	}
	want_event(port, IBV_EVENT_COMM_EST, pair.b);
	want_no_event(port);
	qp_to_rts(pair.b);
	want_no_event(port);
}

/* Return: the index of a QP in the crowd, or CROWD */
static unsigned int place(struct ibv_qp **crowd, const struct ibv_qp *qp)
{
	unsigned int i;

	for (i = 0; i < CROWD; i++)
		if (crowd[i] == qp)
			break;
	return i;
}

/*
 * A process fails more QPs at once than an EQ has entries. It gets one event for each of them, and
 * other QPs go on.
 */
CASE(crowd_fails)
{
	struct ibv_cq *cq = cq_make(port, 4, NULL);
	struct pair neighbours = pair_make(port, IBV_QPT_RC, NULL);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	struct ibv_qp **crowd = made(calloc(CROWD, sizeof(struct ibv_qp *)));
	bool *told = made(calloc(CROWD, sizeof(bool)));
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	unsigned int i, at, left = CROWD;
	struct ibv_async_event event;
	bool cq_err = false;
	struct ibv_qp *qp;

	for (i = 0; i < CROWD - 1; i++) {
		crowd[i] = made(ibv_create_qp(port->pd, &init));
		qp_to_init(crowd[i], 0);
	}
	/* The last QP overruns the CQ */
	qp = lonely_qp(port, cq);
	crowd[i] = qp;
	for (i = 0; i < 60; i++)
		post_write(qp, i, &sge, &port->mem, LEN / 2);
	while (left || !cq_err) {
		want(readable(port->ctx->async_fd, SOON_MS), "%u QPs got no event", left);
		event = take_event(port, 0);
		if (event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == cq && !cq_err) {
			cq_err = true;
		} else {
			want(event.event_type == IBV_EVENT_QP_FATAL, "%s",
			     ibv_event_type_str(event.event_type));
			at = place(crowd, event.element.qp);
			want(at < CROWD && !told[at], "%u", at);
			told[at] = true;
			left--;
		}
	}
	post_write(neighbours.a, 7, &sge, &port->mem, LEN / 2);
	want_wc(neighbours.a_cq, 7, IBV_WC_SUCCESS);
	want_no_event(port);
}

/* Print events until the device has failed */
CASE(watch)
{
	struct ibv_async_event event;

	setvbuf(stdout, NULL, _IOLBF, 0);
	do {
		event = take_event(port, CASE_SECONDS * 1000);
		printf("event: %s\n", ibv_event_type_str(event.event_type));
	} while (event.event_type != IBV_EVENT_DEVICE_FATAL);
}
