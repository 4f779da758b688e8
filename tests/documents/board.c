// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The driver's ornic_ring_sq(), which test_host.py puts before this file, with a device as in
 * [ORNIC-DB-36] and another processor, which marks a queue in the same words. Both take steps
 * before each access of the function to what they share. In all orders of these steps the device
 * looks at each queue after it was marked.
 */
#include <stdbool.h>
#include <stdio.h>

#define STEPS 16	/* bits of an order: a step of the device, or no more before this access */
#define STARTS 8	/* accesses before which the other processor may begin */
/* Slots of the driver's queue, of the other processor's and of one that was marked before */
#define SLOT 5
#define OTHER 6
#define EARLIER 7
#define INDEX 9

enum step {
	STOP_WATCHING, LOOK, TAKE_SUMMARY, TAKE_BITS, LOOK_AT_MARKED, SLEEP, ASLEEP,
};

static struct ornic_board board;
static struct ornic_qp_dbr dbr;
static struct ornic_dev odev = { &board };
static enum step next;
static bool last_look, found, seen, seen_other, seen_earlier;
static unsigned long long taken;
static unsigned int order, steps, start, accesses;

static void look(void)
{
	seen |= dbr.sq_pi == INDEX;
}

static void device_step(void)
{
	switch (next++) {
	case STOP_WATCHING:
		dbr.sq_watched = 0;
		break;
	case LOOK:
		look();
		break;
	case TAKE_SUMMARY:
		found = board.summary[0];
		board.summary[0] = 0;
		if (found)
			break;
		next = last_look ? ASLEEP : SLEEP;
		break;
	case TAKE_BITS:
		taken = board.bits[0];
		board.bits[0] = 0;
		break;
	case LOOK_AT_MARKED:
		if (taken >> SLOT & 1)
			look();
		seen_other |= taken >> OTHER & 1;
		seen_earlier |= taken >> EARLIER & 1;
		board.awake = 1;
		last_look = false;
		next = TAKE_SUMMARY;
		break;
	case SLEEP:
		board.awake = 0;
		last_look = true;
		next = TAKE_SUMMARY;
		break;
	case ASLEEP:
		next = ASLEEP;
	}
}

static void wake(void)
{
	board.awake = 1;
	last_look = false;
	if (next == SLEEP || next == ASLEEP)
		next = TAKE_SUMMARY;
}

static void other_step(void)
{
	if (accesses == start)
		board.bits[0] |= 1 << OTHER;
	if (accesses++ != start + 1)
		return;
	board.summary[0] |= 1;
	if (!board.awake)
		wake();
}

/* Called before each access of the driver */
void meet(void)
{
	other_step();
	while (steps < STEPS && order >> steps++ & 1)
		device_step();
}

void writeq(unsigned long long value, void *db)
{
	(void)value;
	(void)db;
	look();
	wake();
}

/* Return: whether the device has looked at all queues */
static bool run(bool watched)
{
	dbr = (struct ornic_qp_dbr){ .sq_watched = watched };
	board = (struct ornic_board){ .awake = 1, .summary = { 1 }, .bits = { 1 << EARLIER } };
	next = watched ? STOP_WATCHING : TAKE_SUMMARY;
	last_look = seen = seen_other = seen_earlier = false;
	steps = accesses = 0;
	ornic_ring_sq(&odev, &dbr, 1, SLOT, INDEX);
	while (accesses < start + 2)
		other_step();
	while (next != ASLEEP)
		device_step();
	return seen && seen_other && seen_earlier;
}

int main(void)
{
	for (start = 0; start < STARTS; start++) {
		for (order = 0; order < 1u << STEPS; order++) {
			if (run(false) && run(true))
				continue;
			printf("order %#x, other at %u: %s is lost\n", order, start,
			       seen ? "another queue" : "the index");
			return 1;
		}
	}
	return 0;
}
