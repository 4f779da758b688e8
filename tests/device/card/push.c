// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Push pages: the lines, which come in pieces */
#include <endian.h>
#include <string.h>

#include "card/doorbell.h"
#include "card/push.h"
#include "objects/uctx.h"

_Static_assert(sizeof(((struct push *)0)->bytes) == sizeof(struct ornic_push_line),
	       "a line");

static void push_timer(struct timer *timer)
{
	struct card *card = container_of(timer, struct card, push.timer);

	push_settle(card);
}

void push_init(struct card *card)
{
	timer_init(&card->push.timer, push_timer);
}

void push_forget(struct card *card)
{
	card->push.have = 0;
	env_timer_cancel(card->env, &card->push.timer);
}

void push_end(struct card *card)
{
	struct push *push = &card->push;
	struct ornic_push_line line;
	struct uctx *uctx;
	bool whole;

	whole = push->have == sizeof(line);
	memcpy(&line, push->bytes, sizeof(line));
	push_forget(card);
	uctx = uctx_find(card, push->page);
	/* [ORNIC-DB-5] */
	if (uctx && !card->fatal)
		doorbell_push(card, uctx, le64toh(line.doorbell),
			      whole ? line.wqe : NULL);
}

void push_write(struct card *card, struct uctx *uctx, unsigned int offset,
		unsigned int size, uint64_t val)
{
	struct push *push = &card->push;
	unsigned int at = offset % sizeof(struct ornic_push_line);

	if (push->have && (push->page != uctx->obj.num || push->next != offset))
		push_settle(card);
	if (!push->have) {
		/* Without its doorbell it is nothing ([ORNIC-PUSH-5]) */
		if (at >= sizeof(uint64_t))
			return;
		if (size != sizeof(uint64_t)) {
			DEVICE_VIOLATION(card, bad_doorbell_page,
					 uctx->obj.num, offset,
					 "push page %u, offset %#x, %u bytes, ignored",
					 uctx->obj.num, offset, size);
			return;
		}
		push->page = uctx->obj.num;
		env_timer_arm(card->env, &push->timer,
			      env_now_ns(card->env) + PUSH_HOLD_NS);
	}
	val = htole64(val);
	memcpy(push->bytes + at, &val, size);
	push->have = at + size;
	push->next = offset + size;
	if (push->have == sizeof(struct ornic_push_line))
		push_end(card);
}
