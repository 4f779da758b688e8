// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Frames that wait for a receive WQE */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "delay.h"
#include "eth.h"
#include "qp.h"

/* First and longest interval between looks for WQEs; it doubles each time */
#define DELAY_POLL_MIN_NS 20000
#define DELAY_POLL_MAX_NS 1000000

/**
 * struct delay_frame - a frame that waits
 * @node: in @frames of its WQ
 * @deadline_ns: time when the frame is dropped
 * @ext: completion data known so far
 * @flags: enum frame_flags
 * @len: bytes of @data
 * @data: frame from the destination MAC on
 */
struct delay_frame {
	struct list_head node;
	uint64_t deadline_ns;
	struct ornic_cqe_ext ext;
	uint32_t flags;
	uint32_t len;
	uint8_t data[];
};

struct delay *delay_create(uint32_t us)
{
	struct delay *delay = calloc(1, sizeof(*delay));

	if (!delay)
		return NULL;
	delay->delay_ns = us * 1000ULL;
	list_init(&delay->frames);
	return delay;
}

/* Remove the first frame; the caller delivers, frees or requeues it */
static struct delay_frame *delay_pop(struct qp *wq)
{
	struct delay_frame *first = list_first_entry(&wq->delay->frames,
						     struct delay_frame, node);

	list_del_init(&first->node);
	wq->delay->count--;
	wq->nic->delayed--;
	return first;
}

void delay_clear(struct qp *wq)
{
	while (wq->delay && wq->delay->count) {
		free(delay_pop(wq));
		PORT_STAT_INC(wq->nic, rx_dropped_no_wqe);
	}
}

void delay_destroy(struct qp *wq)
{
	delay_clear(wq);
	free(wq->delay);
	wq->delay = NULL;
}

static void delay_arm(struct qp *wq)
{
	struct delay *delay = wq->delay;
	const struct delay_frame *first =
		list_first_entry(&delay->frames, struct delay_frame, node);
	uint64_t at_ns = env_now_ns(wq->nic->env) + delay->poll_ns;

	if (at_ns > first->deadline_ns)
		at_ns = first->deadline_ns;
	env_timer_arm(wq->nic->env, &wq->timer, at_ns);
	if (delay->poll_ns < DELAY_POLL_MAX_NS)
		delay->poll_ns *= 2;
}

void delay_add(struct qp *wq, const struct frame *frame,
	       const struct ornic_cqe_ext *ext)
{
	struct delay *delay = wq->delay;
	uint64_t len = frame_len(frame);
	struct delay_frame *copy = NULL;

	if (delay->count < DELAY_FRAMES && wq->nic->delayed < DELAY_CARD_FRAMES)
		copy = malloc(sizeof(*copy) + len);
	if (!copy) {
		PORT_STAT_INC(wq->nic, rx_dropped_no_wqe);
		return;
	}
	copy->deadline_ns = env_now_ns(wq->nic->env) + delay->delay_ns;
	copy->ext = *ext;
	copy->flags = frame->flags;
	copy->len = len;
	/* Cannot fail: the range is the whole frame */
	frame_read(frame, 0, copy->data, len);
	list_add_tail(&copy->node, &delay->frames);
	wq->nic->delayed++;
	PORT_STAT_INC(wq->nic, rx_delayed);
	if (delay->count++)
		return;
	delay->poll_ns = DELAY_POLL_MIN_NS;
	delay_arm(wq);
}

/* Return: false when there is no WQE */
static bool delay_give(struct qp *wq, const struct delay_frame *copy)
{
	struct ornic_cqe_ext ext = copy->ext;
	struct frame frame = { .flags = copy->flags };
	struct flow flow;

	frame.hdr_len = copy->len < FRAME_HDR_MAX ? copy->len : FRAME_HDR_MAX;
	memcpy(frame.hdr, copy->data, frame.hdr_len);
	frame_add(&frame, copy->data + frame.hdr_len,
		  copy->len - frame.hdr_len);
	flow_dissect(&frame, &flow);
	return eth_receive(wq, &frame, &flow, &ext);
}

static void delay_tell(struct qp *wq)
{
	PORT_STAT_INC(wq->nic, rx_delay_dropped);
	if (wq->delay->told)
		return;
	wq->delay->told = true;
	eq_async(wq->nic, &wq->events, ORNIC_EVENT_WQ_DELAY_DROP);
}

bool delay_run(struct qp *wq)
{
	uint64_t now_ns = env_now_ns(wq->nic->env);
	struct delay *delay = wq->delay;
	struct delay_frame *first;

	while (delay->count) {
		/* Delivery may fail the WQ, which drops all other frames */
		first = delay_pop(wq);
		if (delay_give(wq, first)) {
			delay->poll_ns = DELAY_POLL_MIN_NS;
		} else if (first->deadline_ns <= now_ns) {
			delay_tell(wq);
		} else {
			list_add(&first->node, &delay->frames);
			delay->count++;
			wq->nic->delayed++;
			return true;
		}
		free(first);
	}
	return false;
}

void delay_timer(struct qp *wq)
{
	if (wq->delay && delay_run(wq))
		delay_arm(wq);
}
