/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How long a task looks for more work before it goes to sleep. Waking up costs
 * the host and the task much more than a look, but a task that spins for nothing
 * takes CPU time from others. So the time is learned, as KVM learns how long to
 * poll for a halted vCPU: work that comes soon after the task went to sleep makes
 * it longer, work that comes later than the longest time makes it shorter.
 * Where others need the processor, a task that spins or yields may lose it for
 * longer than waking up takes. There a stream of work is served sooner by a task
 * that stays awake, and a message now and then by one that sleeps. Messages of a
 * polling peer look the same to a task that sleeps, because each of them waits until
 * it wakes up. So it tries: it spins for a short time now and then, and goes on as
 * long as that finds work.
 */
#ifndef ORNIC_DEVICE_SPIN_H
#define ORNIC_DEVICE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

/* Shortest spin time, and the first one */
#define SPIN_MIN_NS 1000
#define SPIN_START_NS 20000
/* Pieces of work, one right after the other, that make a stream */
#define SPIN_STREAM 64
/* Pieces that one after a pause takes away again */
#define SPIN_STREAM_PAUSE 8
/* Times that a task sleeps at once after it has spun for nothing in a crowd */
#define SPIN_SKIP 16
/* Work that comes sooner needs no spinning: the task would not be asleep yet */
#define SPIN_BUSY_NS 2000

/**
 * enum spin_state - what a task has done since its latest work
 * @SPIN_AWAKE: it looks for work
 * @SPIN_ASLEEP: it went to sleep after the spin time
 * @SPIN_CUT: it went to sleep before, because others needed the processor
 */
enum spin_state {
	SPIN_AWAKE,
	SPIN_ASLEEP,
	SPIN_CUT,
};

/**
 * enum spin_result - how new work was found
 * @SPIN_BUSY: at once, or after SPIN_CUT: nothing is learned
 * @SPIN_HIT: by spinning
 * @SPIN_LATE: asleep, but a longer spin time would have found it
 * @SPIN_FAR: asleep, and no permitted spin time would have found it
 */
enum spin_result {
	SPIN_BUSY,
	SPIN_HIT,
	SPIN_LATE,
	SPIN_FAR,
};

/**
 * struct spin - spin time of a task
 * @max_ns: longest spin time; 0: the task never spins
 * @ns: current spin time
 * @worked_ns: time of the latest work
 * @state: since then
 * @stream: pieces of work that came at once, less those for pauses; at most twice
 *	SPIN_STREAM
 * @skip: times that the task will sleep at once if others need the processor
 */
struct spin {
	uint64_t max_ns;
	uint64_t ns;
	uint64_t worked_ns;
	enum spin_state state;
	unsigned int stream;
	unsigned int skip;
};

/**
 * spin_init - initialise the spin time of a task
 * @spin: to initialise
 * @max_ns: longest spin time
 * @now_ns: current time
 */
void spin_init(struct spin *spin, uint64_t max_ns, uint64_t now_ns);

/**
 * spin_work - note that there was work, and learn from when it came
 * @spin: of the task
 * @now_ns: current time
 *
 * Return: how the work was found.
 */
enum spin_result spin_work(struct spin *spin, uint64_t now_ns);

/**
 * spin_wait - begin the spin time again without learning: work is postponed
 * @spin: of the task
 * @now_ns: current time
 */
static inline void spin_wait(struct spin *spin, uint64_t now_ns)
{
	spin->worked_ns = now_ns;
	spin->state = SPIN_AWAKE;
}

/**
 * spin_is_over - check whether the task has spun long enough
 * @spin: of the task
 * @now_ns: current time
 * @crowded: others needed the processor lately
 *
 * Return: true when it may go to sleep.
 */
static inline bool spin_is_over(const struct spin *spin, uint64_t now_ns,
				bool crowded)
{
	uint64_t ns = spin->ns, most_ns = spin->skip ? SPIN_MIN_NS : SPIN_START_NS;

	if (crowded && spin->stream < SPIN_STREAM && ns > most_ns)
		ns = most_ns;
	return now_ns - spin->worked_ns >= ns;
}

/**
 * spin_sleep - note that the task goes to sleep
 * @spin: of the task
 * @cut: others needed the processor; else the spin time is over
 */
void spin_sleep(struct spin *spin, bool cut);

#endif /* ORNIC_DEVICE_SPIN_H */
