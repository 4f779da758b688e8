// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The spin time of a task */
#include "loop/spin.h"

static uint64_t spin_limit(const struct spin *spin, uint64_t ns)
{
	if (ns < SPIN_MIN_NS)
		ns = SPIN_MIN_NS;
	return ns < spin->max_ns ? ns : spin->max_ns;
}

void spin_init(struct spin *spin, uint64_t max_ns, uint64_t now_ns)
{
	spin->max_ns = max_ns;
	spin->ns = spin_limit(spin, SPIN_START_NS);
	spin->stream = 0;
	spin->skip = 0;
	spin_wait(spin, now_ns);
}

/* Spin twice as long as the work took to come, or longer if that is so already */
static void spin_raise(struct spin *spin, uint64_t gap_ns)
{
	if (spin->ns < gap_ns * 2)
		spin->ns = spin_limit(spin, gap_ns * 2);
}

static void spin_count_stream(struct spin *spin, bool at_once)
{
	if (at_once)
		spin->stream += spin->stream < 2 * SPIN_STREAM;
	else if (spin->stream > SPIN_STREAM_PAUSE)
		spin->stream -= SPIN_STREAM_PAUSE;
	else
		spin->stream = 0;
}

enum spin_result spin_work(struct spin *spin, uint64_t now_ns)
{
	uint64_t gap_ns = now_ns - spin->worked_ns;
	enum spin_state state = spin->state;

	spin_wait(spin, now_ns);
	spin_count_stream(spin, gap_ns <= SPIN_BUSY_NS);
	if (state != SPIN_AWAKE && gap_ns > spin->max_ns) {
		spin->ns = spin_limit(spin, spin->ns / 2);
		return SPIN_FAR;
	}
	if (state == SPIN_CUT || gap_ns <= SPIN_BUSY_NS)
		return SPIN_BUSY;
	spin_raise(spin, gap_ns);
	return state == SPIN_AWAKE ? SPIN_HIT : SPIN_LATE;
}

void spin_sleep(struct spin *spin, bool cut)
{
	/* One that slept already woke up for nothing */
	if (spin->state != SPIN_AWAKE)
		return;
	spin->state = cut ? SPIN_CUT : SPIN_ASLEEP;
	if (!cut && spin->skip)
		spin->skip--;
	else
		spin->skip = SPIN_SKIP;
}
