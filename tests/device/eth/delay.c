// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Frames that wait for a receive WQE */
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "eth/delay.h"
#include "eth/eth_recv.h"
#include "eth/headers.h"
#include "objects/eq.h"
#include "queues/receiver.h"

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

struct delay *delay_create(struct receiver *wq, uint32_t us)
{
	struct delay *delay = calloc(1, sizeof(*delay));

	if (!delay)
		return NULL;
	delay->wq = wq;
	delay->delay_ns = us * 1000ULL;
	list_init(&delay->frames);
	return delay;
}

/* Remove the first frame; the caller delivers, frees or requeues it */
static struct delay_frame *delay_pop(struct delay *delay)
{
	struct delay_frame *first = list_first_entry(&delay->frames,
						     struct delay_frame, node);

	list_del_init(&first->node);
	delay->count--;
	delay->wq->card->delayed--;
	return first;
}

void delay_clear(struct delay *delay)
{
	while (delay && delay->count) {
		free(delay_pop(delay));
		PORT_STAT_INC(delay->wq->card, rx_dropped_no_wqe);
	}
}

void delay_destroy(struct delay *delay)
{
	delay_clear(delay);
	free(delay);
}

static void delay_arm(struct delay *delay)
{
	struct receiver *wq = delay->wq;
	const struct delay_frame *first =
		list_first_entry(&delay->frames, struct delay_frame, node);
	uint64_t at_ns = env_now_ns(wq->card->env) + delay->poll_ns;

	if (at_ns > first->deadline_ns)
		at_ns = first->deadline_ns;
	env_timer_arm(wq->card->env, &wq->timer, at_ns);
	if (delay->poll_ns < DELAY_POLL_MAX_NS)
		delay->poll_ns *= 2;
}

void delay_add(struct delay *delay, const struct frame *frame,
	       const struct ornic_cqe_ext *ext)
{
	struct receiver *wq = delay->wq;
	uint64_t len = frame_len(frame);
	struct delay_frame *copy = NULL;

	if (delay->count < DELAY_FRAMES && wq->card->delayed < DELAY_CARD_FRAMES)
		copy = malloc(sizeof(*copy) + len);
	if (!copy) {
		PORT_STAT_INC(wq->card, rx_dropped_no_wqe);
		return;
	}
	copy->deadline_ns = env_now_ns(wq->card->env) + delay->delay_ns;
	copy->ext = *ext;
	copy->flags = frame->flags;
	copy->len = len;
	/* Cannot fail: the range is the whole frame */
	frame_read(frame, 0, copy->data, len);
	list_add_tail(&copy->node, &delay->frames);
	wq->card->delayed++;
	PORT_STAT_INC(wq->card, rx_delayed);
	if (delay->count++)
		return;
	delay->poll_ns = DELAY_POLL_MIN_NS;
	delay_arm(delay);
}

static enum eth_result delay_give(struct receiver *wq,
				  const struct delay_frame *copy)
{
	struct ornic_cqe_ext ext = copy->ext;
	struct frame frame = { .flags = copy->flags };
	struct headers headers;

	frame.hdr_len = copy->len < FRAME_HDR_MAX ? copy->len : FRAME_HDR_MAX;
	memcpy(frame.hdr, copy->data, frame.hdr_len);
	frame_add(&frame, copy->data + frame.hdr_len,
		  copy->len - frame.hdr_len);
	headers_init(&headers, wq->card->parse);
	headers_need(&frame, &headers);
	return eth_receive(wq, &frame, &headers, &ext);
}

static void delay_tell(struct delay *delay)
{
	struct receiver *wq = delay->wq;

	PORT_STAT_INC(wq->card, rx_delay_dropped);
	if (delay->told)
		return;
	delay->told = true;
	eq_async(wq->card, &wq->events, ORNIC_EVENT_WQ_DELAY_DROP);
}

bool delay_run(struct delay *delay)
{
	struct receiver *wq = delay->wq;
	uint64_t now_ns = env_now_ns(wq->card->env);
	struct delay_frame *first;
	enum eth_result result;

	while (delay->count) {
		/* Delivery may fail the WQ, which drops all other frames */
		first = delay_pop(delay);
		result = delay_give(wq, first);
		if (result == ETH_RECEIVED)
			delay->told = false;
		if (result != ETH_NO_WQE) {
			delay->poll_ns = DELAY_POLL_MIN_NS;
		} else if (first->deadline_ns <= now_ns) {
			delay_tell(delay);
		} else {
			list_add(&first->node, &delay->frames);
			delay->count++;
			wq->card->delayed++;
			return true;
		}
		free(first);
	}
	return false;
}

void delay_timer(struct delay *delay)
{
	if (delay_run(delay))
		delay_arm(delay);
}
