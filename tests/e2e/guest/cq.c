// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: cq DEVICE GID-INDEX CASE
 *
 * Completion queues and their channels: no event is lost, and each request gets one event, whatever
 * polls, arms and resizes at the same time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "verbs.h"

#define LEN 4096
#define CHANNELS 3
#define STORM_CQS 24
#define STORM_SENDS 200		/* by the QP of each CQ */
#define RACES 3000
#define RESIZES 300
#define RESIZE_EACH 7		/* completions per resize, at least */

CASE(vectors)
{
	struct ibv_comp_channel *channel = made(ibv_create_comp_channel(port->ctx));
	int i, count = port->ctx->num_comp_vectors;

	want(count >= 1, "%d", count);
	for (i = 0; i < count; i++)
		want_ok(ibv_destroy_cq(made(ibv_create_cq(port->ctx, 16, NULL, channel, i))));
	want_no_object(EINVAL, ibv_create_cq(port->ctx, 16, NULL, channel, count));
	want_ok(ibv_destroy_comp_channel(channel));
}

CASE(sizes)
{
	struct ibv_cq *cq;

	want_no_object(EINVAL, ibv_create_cq(port->ctx, 0, NULL, NULL, 0));
	want_no_object(EINVAL, ibv_create_cq(port->ctx, port->dev.max_cqe + 1, NULL, NULL, 0));
	cq = cq_make(port, port->dev.max_cqe, NULL);
	want(cq->cqe >= port->dev.max_cqe, "%d", cq->cqe);
	want_ok(ibv_destroy_cq(cq));
	cq = cq_make(port, 33, NULL);
	want(cq->cqe >= 33, "%d", cq->cqe);
	want_errno(EINVAL, ibv_resize_cq(cq, 0));
	want_errno(EINVAL, ibv_resize_cq(cq, port->dev.max_cqe + 1));
}

CASE(channel_busy)
{
	struct ibv_comp_channel *channel = made(ibv_create_comp_channel(port->ctx));
	struct ibv_cq *a = cq_make(port, 16, channel), *b = cq_make(port, 16, channel);

	want_errno(EBUSY, ibv_destroy_comp_channel(channel));
	want_ok(ibv_destroy_cq(a));
	want_errno(EBUSY, ibv_destroy_comp_channel(channel));
	want_ok(ibv_destroy_cq(b));
	want_ok(ibv_destroy_comp_channel(channel));
}

static struct ibv_comp_channel *channel_make(struct port *port)
{
	struct ibv_comp_channel *channel = made(ibv_create_comp_channel(port->ctx));

	want(!fcntl(channel->fd, F_SETFL, O_NONBLOCK), "%s", strerror(errno));
	return channel;
}

static void write_to(struct ibv_qp *qp, struct mem *mem, uint64_t wr_id, size_t at)
{
	struct ibv_sge sge = mem_sge(mem, 0, 64);

	post_write(qp, wr_id, &sge, mem, at);
}

static void write_once(struct ibv_qp *qp, struct mem *mem, uint64_t wr_id)
{
	write_to(qp, mem, wr_id, LEN / 2);
}

/* Return: the CQ of the next event, which is not acknowledged */
static struct ibv_cq *want_cq_event(struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq;
	void *context;

	want(readable(channel->fd, SOON_MS), "no event");
	want(!ibv_get_cq_event(channel, &cq, &context), "%s", strerror(errno));
	return cq;
}

CASE(solicited)
{
	struct ibv_comp_channel *channel = channel_make(port);
	struct ibv_sge sge = mem_sge(&port->mem, 0, 64);
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);
	struct ibv_cq *cq = cq_make(port, 64, channel);
	struct ibv_send_wr wr = {
		.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;
	struct ibv_qp *b = qp_make(port, IBV_QPT_RC, cq);
	unsigned int i;

	qp_to_init(b, ACCESS_ALL);
	qp_to_rtr(port, b, pair.a->qp_num);
	qp_to_rtr(port, pair.a, b->qp_num);
	qp_to_rts(pair.a);
	for (i = 0; i < 4; i++)
		want_ok(post_recv(b, 10 + i, &sge));

	want_ok(ibv_req_notify_cq(cq, 1));
	want_ok(ibv_post_send(pair.a, &wr, &bad));
	want_wc(cq, 10, IBV_WC_SUCCESS);
	want(!readable(channel->fd, NEVER_MS), "it was not solicited");
	wr.send_flags |= IBV_SEND_SOLICITED;
	want_ok(ibv_post_send(pair.a, &wr, &bad));
	ibv_ack_cq_events(want_cq_event(channel), 1);
	want_wc(cq, 11, IBV_WC_SUCCESS);
	want_ok(ibv_post_send(pair.a, &wr, &bad));
	want_wc(cq, 12, IBV_WC_SUCCESS);
	want(!readable(channel->fd, NEVER_MS), "a second event for one arming");
	/* A failure counts as solicited */
	want_ok(ibv_req_notify_cq(cq, 1));
	qp_set_state(b, IBV_QPS_ERR);
	ibv_ack_cq_events(want_cq_event(channel), 1);
	want_wc(cq, 13, IBV_WC_WR_FLUSH_ERR);
}

static void *destroy_cq(void *cq)
{
	want_ok(ibv_destroy_cq(cq));
	return NULL;
}

/* ibv_destroy_cq() waits until all events that were taken are acknowledged */
CASE(destroy_waits_for_acks)
{
	struct ibv_comp_channel *channel = channel_make(port);
	struct ibv_cq *cq = cq_make(port, 64, channel);
	struct ibv_qp *qp = lonely_qp(port, cq);
	struct timespec soon;
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		want_ok(ibv_req_notify_cq(cq, 0));
		write_once(qp, &port->mem, i);
		want(want_cq_event(channel) == cq, "event of something else");
		want_wc(cq, i, IBV_WC_SUCCESS);
	}
	want_ok(ibv_destroy_qp(qp));
	want_ok(pthread_create(&thread, NULL, destroy_cq, cq));
	sleep_ms(NEVER_MS);
	ibv_ack_cq_events(cq, 2);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	want_errno(ETIMEDOUT, pthread_timedjoin_np(thread, NULL, &soon));
	ibv_ack_cq_events(cq, 1);
	want_ok(pthread_join(thread, NULL));
	want_ok(ibv_destroy_comp_channel(channel));
}

/* One of many CQs under load */
struct storm {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct mem *mem;
	unsigned int sent;
	unsigned int done;
	unsigned int armed;	/* requests for an event */
	unsigned int events;
};

struct shooter {
	struct storm *storms;
	unsigned int step;
	unsigned int first;
};

/* Post to this thread's queues in turn, where there is room */
static void *shoot(void *arg)
{
	struct shooter *shooter = arg;
	unsigned int left = 1, i, done;
	struct storm *storm;

	while (left) {
		left = 0;
		for (i = shooter->first; i < STORM_CQS; i += shooter->step) {
			storm = &shooter->storms[i];
			done = __atomic_load_n(&storm->done, __ATOMIC_ACQUIRE);
			left += STORM_SENDS - storm->sent;
			if (storm->sent == STORM_SENDS || storm->sent - done > 30)
				continue;
			write_once(storm->qp, storm->mem, storm->sent++);
			/* Pause, so that CQs are armed before and after their last completion */
			if (storm->sent * 7 % 5 == 0)
				usleep(storm->sent * 13 % 97);
		}
	}
	return NULL;
}

static void drain(struct storm *storm)
{
	struct ibv_wc wc;
	int count;

	while ((count = ibv_poll_cq(storm->cq, 1, &wc))) {
		want(count == 1 && wc.status == IBV_WC_SUCCESS, "%d, %s", count,
		     ibv_wc_status_str(wc.status));
		want(wc.wr_id == storm->done, "completion %llu instead of %u",
		     (unsigned long long)wc.wr_id, storm->done);
		__atomic_store_n(&storm->done, storm->done + 1, __ATOMIC_RELEASE);
	}
}

static void arm(struct storm *storm)
{
	storm->armed++;
	want_ok(ibv_req_notify_cq(storm->cq, 0));
}

/* Count an event, of which there must not be more than requests */
static void count_event(struct storm *storm)
{
	want(++storm->events <= storm->armed, "%u events for %u requests", storm->events,
	     storm->armed);
}

/*
 * Many CQs on several channels and all vectors, used with epoll as programs do: event, acknowledge,
 * arm, poll until empty. A lost event stops the storm; a duplicate makes more events than requests.
 */
CASE(event_storm)
{
	struct ibv_comp_channel *channels[CHANNELS];
	struct storm storms[STORM_CQS] = { 0 };
	struct shooter shooters[2];
	struct epoll_event event;
	pthread_t threads[2];
	struct storm *storm;
	int epoll = epoll_create1(0);
	unsigned int i, done = 0;
	struct ibv_cq *cq;
	void *context;

	for (i = 0; i < CHANNELS; i++) {
		channels[i] = channel_make(port);
		event = (struct epoll_event){ .events = EPOLLIN, .data.u32 = i };
		want(!epoll_ctl(epoll, EPOLL_CTL_ADD, channels[i]->fd, &event), "epoll");
	}
	for (i = 0; i < STORM_CQS; i++) {
		storms[i].cq = made(ibv_create_cq(port->ctx, 64, &storms[i],
						  channels[i % CHANNELS],
						  i % port->ctx->num_comp_vectors));
		storms[i].qp = lonely_qp(port, storms[i].cq);
		storms[i].mem = &port->mem;
		arm(&storms[i]);
	}
	for (i = 0; i < 2; i++) {
		shooters[i] = (struct shooter){ storms, 2, i };
		want_ok(pthread_create(&threads[i], NULL, shoot, &shooters[i]));
	}
	while (done < STORM_CQS) {
		want(epoll_wait(epoll, &event, 1, SOON_MS) == 1, "an event was lost");
		while (!ibv_get_cq_event(channels[event.data.u32], &cq, &context)) {
			storm = context;
			want(storm->cq == cq, "event of something else");
			count_event(storm);
			/* Acknowledge in batches, as the manual recommends */
			if (storm->events % 8 == 0)
				ibv_ack_cq_events(cq, 8);
			arm(storm);
			done -= storm->done == STORM_SENDS;
			drain(storm);
			done += storm->done == STORM_SENDS;
		}
		want(errno == EAGAIN, "%s", strerror(errno));
	}
	for (i = 0; i < 2; i++)
		want_ok(pthread_join(threads[i], NULL));
	for (i = 0; i < STORM_CQS; i++) {
		/* Events that were still underway count too */
		while (readable(channels[i % CHANNELS]->fd, 0) &&
		       !ibv_get_cq_event(channels[i % CHANNELS], &cq, &context)) {
			storm = context;
			count_event(storm);
			if (storm->events % 8 == 0)
				ibv_ack_cq_events(cq, 8);
		}
	}
	for (i = 0; i < STORM_CQS; i++) {
		ibv_ack_cq_events(storms[i].cq, storms[i].events % 8);
		want_ok(ibv_destroy_qp(storms[i].qp));
		want_ok(ibv_destroy_cq(storms[i].cq));
	}
	for (i = 0; i < CHANNELS; i++)
		want_ok(ibv_destroy_comp_channel(channels[i]));
}

/*
 * Post, arm, poll once more, sleep. The card works at the same time. The time until the arming
 * grows with each round, so that the arming meets all moments of that work.
 */
CASE(arm_poll_race)
{
	struct ibv_comp_channel *channel = channel_make(port);
	unsigned int slept = 0, i, spin;
	struct storm storm = { 0 };

	storm.cq = cq_make(port, 64, channel);
	storm.qp = lonely_qp(port, storm.cq);
	for (i = 0; i < RACES; i++) {
		write_once(storm.qp, &port->mem, i);
		for (spin = 0; spin < i * 11 % 40000; spin++)
			__asm__ volatile("" ::: "memory");
		while (storm.done == i) {
			arm(&storm);
			drain(&storm);
			if (storm.done != i)
				break;
			ibv_ack_cq_events(want_cq_event(channel), 1);
			count_event(&storm);
			slept++;
			drain(&storm);
		}
		/* An event for an entry that was already polled */
		while (readable(channel->fd, 0)) {
			ibv_ack_cq_events(want_cq_event(channel), 1);
			count_event(&storm);
		}
	}
	printf("slept %u times of %u\n", slept, RACES);
	/* Each side has won the race in some rounds */
	want(slept, "no round waited for an event");
	want(slept < RACES, "no round found its completion by itself");
}

struct resizer {
	struct storm storm;
	bool stop;
};

static void *resize(void *arg)
{
	static const int wanted[] = { 64, 1000, 128, 4000, 65, 300 };
	struct resizer *resizer = arg;
	unsigned int i;

	for (i = 0; i < RESIZES; i++) {
		/* Otherwise a single processor would resize without completions in between */
		while (__atomic_load_n(&resizer->storm.done, __ATOMIC_ACQUIRE) < i * RESIZE_EACH)
			usleep(50);
		want_ok(ibv_resize_cq(resizer->storm.cq, wanted[i % ARRAY_SIZE(wanted)]));
		want(resizer->storm.cq->cqe >= wanted[i % ARRAY_SIZE(wanted)], "%d",
		     resizer->storm.cq->cqe);
	}
	__atomic_store_n(&resizer->stop, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Every completion comes once and in order during resizes, and no event is lost */
CASE(resize_under_traffic)
{
	struct ibv_comp_channel *channel = channel_make(port);
	struct resizer resizer = { .storm.mem = &port->mem };
	struct storm *storm = &resizer.storm;
	pthread_t thread;

	storm->cq = cq_make(port, 64, channel);
	storm->qp = lonely_qp(port, storm->cq);
	want_ok(pthread_create(&thread, NULL, resize, &resizer));
	while (!__atomic_load_n(&resizer.stop, __ATOMIC_ACQUIRE) || storm->done < storm->sent) {
		while (!resizer.stop && storm->sent - storm->done < 40)
			write_once(storm->qp, &port->mem, storm->sent++);
		arm(storm);
		drain(storm);
		if (storm->done == storm->sent)
			continue;
		ibv_ack_cq_events(want_cq_event(channel), 1);
		drain(storm);
	}
	want_ok(pthread_join(thread, NULL));
	printf("%u completions in %u rings\n", storm->done, RESIZES);
}

/* Unpolled completions move to the new ring, and must fit */
CASE(resize_keeps_entries)
{
	struct ibv_cq *cq = cq_make(port, 64, NULL);
	struct ibv_qp *qp = lonely_qp(port, cq);
	unsigned int i, next = 0;

	for (i = 0; i < 50; i++)
		write_once(qp, &port->mem, i);
	sleep_ms(NEVER_MS);
	want_wc(cq, next++, IBV_WC_SUCCESS);
	want_ok(ibv_resize_cq(cq, 500));
	for (; i < 60; i++)
		write_once(qp, &port->mem, i);
	want_wc(cq, next++, IBV_WC_SUCCESS);
	sleep_ms(NEVER_MS);
	want(ibv_resize_cq(cq, 8) == EINVAL, "58 entries in a CQ for 8");
	want_ok(ibv_resize_cq(cq, 64));
	while (next < 60)
		want_wc(cq, next++, IBV_WC_SUCCESS);
	want_no_wc(cq);
}

static void moderate(struct ibv_cq *cq, uint16_t count, uint16_t period)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = { count, period },
	};

	want_ok(ibv_modify_cq(cq, &attr));
}

/* In at least one of some rounds, the event for so many completions comes at once */
static void want_soon(struct ibv_comp_channel *channel, struct ibv_cq *cq, struct ibv_qp *qp,
		      struct mem *mem, unsigned int count)
{
	uint64_t begin, least = SOON_MS;
	unsigned int try, i;

	for (try = 0; try < 10; try++) {
		want_ok(ibv_req_notify_cq(cq, 0));
		begin = now_ms();
		for (i = 0; i < count; i++)
			write_once(qp, mem, i);
		ibv_ack_cq_events(want_cq_event(channel), 1);
		if (now_ms() - begin < least)
			least = now_ms() - begin;
		for (i = 0; i < count; i++)
			want_wc(cq, i, IBV_WC_SUCCESS);
	}
	want(least < 50, "%u ms", (unsigned int)least);
}

/* An event waits for a number of completions, or for a time after the first one */
CASE(moderation)
{
	struct ibv_comp_channel *channel = channel_make(port);
	struct ibv_cq *cq = cq_make(port, 64, channel);
	struct ibv_qp *qp = lonely_qp(port, cq);
	struct ibv_modify_cq_attr unknown = { .attr_mask = 1u << 30 };
	uint64_t begin;

	want(ibv_modify_cq(cq, &unknown), "an unknown attribute");
	moderate(cq, 8, 65535);
	/* Too few completions: the period of 65 ms passes */
	want_ok(ibv_req_notify_cq(cq, 0));
	begin = now_ms();
	write_once(qp, &port->mem, 0);
	want_wc(cq, 0, IBV_WC_SUCCESS);
	ibv_ack_cq_events(want_cq_event(channel), 1);
	want(now_ms() - begin >= 55, "after %u ms", (unsigned int)(now_ms() - begin));
	/* Enough completions: the event comes at once in at least one of the rounds */
	want_soon(channel, cq, qp, &port->mem, 8);
	/* No moderation */
	moderate(cq, 0, 0);
	want_soon(channel, cq, qp, &port->mem, 1);
}

/* A CQ that is not polled fails with its QPs; other CQs do not */
CASE(overrun)
{
	struct ibv_cq *cq = cq_make(port, 4, NULL), *other = cq_make(port, 64, NULL);
	struct ibv_qp *qp = lonely_qp(port, cq), *neighbour = lonely_qp(port, other);
	struct ibv_qp_attr to_init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_init_attr init = qp_init(IBV_QPT_RC, cq);
	bool cq_err = false, qp_fatal = false;
	struct ibv_async_event event;
	int i;

	want(cq->cqe < 60, "%d", cq->cqe);
	for (i = 0; i < 60; i++)
		write_once(qp, &port->mem, i);
	while (!cq_err || !qp_fatal) {
		event = take_event(port, SOON_MS);
		if (event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == cq && !cq_err)
			cq_err = true;
		else if (event.event_type == IBV_EVENT_QP_FATAL && event.element.qp == qp &&
			 !qp_fatal)
			qp_fatal = true;
		else
			failed(__FILE__, __LINE__, "%s", ibv_event_type_str(event.event_type));
	}
	want(qp_state(qp) == IBV_QPS_ERR, "%d", qp_state(qp));
	want(qp_state(neighbour) == IBV_QPS_RTS, "%d", qp_state(neighbour));
	write_once(neighbour, &port->mem, 7);
	want_wc(other, 7, IBV_WC_SUCCESS);
	want_no_event(port);
	/* The CQ takes no new QP, and its old one stays in RESET ([ORNIC-CQ-8]) */
	want(!ibv_create_qp(port->pd, &init) && errno == ENOENT, "%s", strerror(errno));
	qp_set_state(qp, IBV_QPS_RESET);
	want_errno(EINVAL, ibv_modify_qp(qp, &to_init, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					 IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	want(qp_state(qp) == IBV_QPS_RESET, "%d", qp_state(qp));
	want_ok(ibv_destroy_qp(qp));
	want_ok(ibv_destroy_cq(cq));
}

/* A CQ that ignores overruns may lose completions; its QP goes on */
CASE(overrun_ignored)
{
	struct ibv_cq_init_attr_ex init = {
		.cqe = 4,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN,
	};
	struct ibv_cq *cq = ibv_cq_ex_to_cq(made(ibv_create_cq_ex(port->ctx, &init)));
	struct ibv_qp *qp = lonely_qp(port, cq);
	uint64_t end = now_ms() + SOON_MS;
	int i;

	want(cq->cqe < 59, "%d", cq->cqe);
	mem_fill(&port->mem, 0, 64, 1);
	for (i = 0; i < 59; i++)
		write_once(qp, &port->mem, i);
	/* The data of the last WRITE shows that all earlier ones have completed */
	write_to(qp, &port->mem, i, LEN / 2 + 64);
	while (!mem_is(&port->mem, LEN / 2 + 64, 64, 1))
		want(now_ms() < end, "the QP has stopped");
	want_no_event(port);
	want(qp_state(qp) == IBV_QPS_RTS, "%d", qp_state(qp));
}
