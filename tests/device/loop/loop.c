// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The event loop.
 *
 * Spinning takes CPU time from others: on a small machine, the vCPUs whose
 * stores a task waits for need the same core. So a task spins only as long as
 * earlier work shows that more comes soon (spin.h), and after a short time the
 * loop yields the core every few turns. When another thread took it (time jumped
 * while the loop was idle), the task goes to sleep at once, and for some time a task
 * without a stream of work spins only for a short time, and seldom if that finds
 * nothing: a thread that wakes up gets the core sooner than one that waits for its
 * turn.
 *
 * A driver sends commands one after another, and the thread that waits for an
 * answer sleeps soon, so it does not need the core that a spinning task takes.
 * Between two of them a system call ends and the next begins. So a task spins
 * longer after a command, and does so where others need the core, too.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "loop/loop.h"

/* Packets delivered at a time, before sockets and timers have their turn */
#define SWITCH_BUDGET 1024
/*
 * Time after which the delivery pauses too: a packet may cost its receivers
 * much more than a copy. Read after each batch, so it is cheap.
 */
#define SWITCH_RUN_NS 1000000
#define SWITCH_BATCH 8
/*
 * An idle turn takes about 1 us, and one that yields to a thread with little to
 * do, such as a vCPU that handles an interrupt, some 50 us more. After a longer
 * gap another thread used its time slice, of a millisecond and more.
 */
#define CONTENDED_NS 200000
/* Idle time after which the loop yields the core, and turns between two yields */
#define YIELD_NS 20000
#define YIELD_TURNS 4
/* Longest spin time after a command, in longest spin times after other work */
#define COMMAND_SPINS 5
/* Time that contention counts: the slice that the next one loses is little against it */
#define CROWDED_NS 1000000000

uint64_t loop_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

/*
 * The clock is read only when another share has worked since the last reading,
 * and not in a free turn.
 */
void loop_pay(struct loop *loop, struct share *share)
{
	if (shares_mixed(&loop->shares, share))
		shares_settle(&loop->shares, loop_clock_ns());
	shares_pay(&loop->shares, share);
}

bool loop_serve(struct loop *loop, struct share *share)
{
	if (!shares_allow(&loop->shares, share))
		return false;
	loop_pay(loop, share);
	return true;
}

/* As struct switch_dev.allow */
static bool allow_port(void *arg, struct port *port)
{
	struct loop *loop = arg;

	return shares_allow(&loop->shares, port->share);
}

/* As struct switch_dev.pay */
static void pay_port(void *arg, struct port *port)
{
	loop_pay(arg, port->share);
}

int loop_init(struct loop *loop, unsigned int spin_us)
{
	int err;

	memset(loop, 0, sizeof(*loop));
	loop->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epfd < 0)
		return -errno;
	loop->spare_fd = eventfd(0, EFD_CLOEXEC);
	err = loop->spare_fd < 0 ? -errno : irqfd_init(&loop->irqfd);
	if (err) {
		if (loop->spare_fd >= 0)
			close(loop->spare_fd);
		close(loop->epfd);
		return err;
	}
	loop->now_ns = loop_clock_ns();
	loop->spin_max_ns = (uint64_t)spin_us * 1000;
	loop->worked_ns = loop->now_ns;
	shares_init(&loop->shares, loop->now_ns);
	timers_init(&loop->timers, loop->now_ns);
	switch_init(&loop->sw);
	loop->sw.now_ns = loop->now_ns;
	loop->sw.allow = allow_port;
	loop->sw.pay = pay_port;
	loop->sw.allow_arg = loop;
	list_init(&loop->tasks);
	list_init(&loop->awake);
	return 0;
}

void loop_uninit(struct loop *loop)
{
	switch_uninit(&loop->sw);
	irqfd_uninit(&loop->irqfd);
	if (loop->spare_fd >= 0)
		close(loop->spare_fd);
	close(loop->epfd);
}

int loop_add_fd(struct loop *loop, struct loop_fd *lfd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = lfd };

	return epoll_ctl(loop->epfd, EPOLL_CTL_ADD, lfd->fd, &event) ? -errno :
								      0;
}

void loop_modify_fd(struct loop *loop, struct loop_fd *lfd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = lfd };

	epoll_ctl(loop->epfd, EPOLL_CTL_MOD, lfd->fd, &event);
}

void loop_remove_fd(struct loop *loop, struct loop_fd *lfd)
{
	int i;

	epoll_ctl(loop->epfd, EPOLL_CTL_DEL, lfd->fd, NULL);
	/* Drop events of the descriptor that the kernel has already returned */
	for (i = 0; i < loop->event_count; i++)
		if (loop->event[i].data.ptr == lfd)
			loop->event[i].data.ptr = NULL;
}

void loop_task_add(struct loop *loop, struct loop_task *task)
{
	timers_init(&task->timers, loop->now_ns);
	spin_init(&task->spin, loop->spin_max_ns, loop->now_ns);
	spin_init(&task->command_spin, COMMAND_SPINS * loop->spin_max_ns, loop->now_ns);
	list_add_tail(&task->all, &loop->tasks);
	list_init(&task->node);
}

void loop_task_mark(struct loop *loop, struct loop_task *task)
{
	if (!list_empty(&task->node))
		return;
	/* First, so that it may mark itself */
	list_add_tail(&task->node, &loop->awake);
	task->wake(task);
}

static void spin_count(struct loop *loop, enum spin_result result)
{
	switch (result) {
	case SPIN_BUSY:
		break;
	case SPIN_HIT:
		loop->stats.spin_hits++;
		break;
	case SPIN_LATE:
		loop->stats.spin_late++;
		break;
	case SPIN_FAR:
		loop->stats.spin_misses++;
		break;
	}
}

void loop_task_worked(struct loop *loop, struct loop_task *task)
{
	loop_task_mark(loop, task);
	spin_count(loop, spin_work(&task->spin, loop->now_ns));
}

void loop_task_remove(struct loop_task *task)
{
	list_del_init(&task->all);
	list_del_init(&task->node);
}

static void handle_events(struct loop *loop)
{
	struct loop_fd *lfd;
	int i;

	for (i = 0; i < loop->event_count; i++) {
		lfd = loop->event[i].data.ptr;
		/* The next poll finds the events of one that is postponed again */
		if (!lfd || !shares_allow(&loop->shares, lfd->share))
			continue;
		loop_pay(loop, lfd->share);
		lfd->ready(lfd, loop->event[i].events);
	}
	loop->event_count = 0;
}

static bool run_timers(struct loop *loop)
{
	bool worked = timers_run(&loop->timers, loop->polled_ns);
	struct list_head *node;
	struct loop_task *task;

	list_for_each(node, &loop->tasks) {
		task = list_entry(node, struct loop_task, all);
		if (timers_pass(&task->timers, loop->polled_ns) ||
		    !shares_allow(&loop->shares, task->share))
			continue;
		loop_pay(loop, NULL);
		if (!timers_run(&task->timers, loop->polled_ns))
			continue;
		shares_pay(&loop->shares, task->share);
		worked = true;
	}
	return worked;
}

static bool run_tasks(struct loop *loop)
{
	struct list_head *node, *next;
	struct loop_task *task;
	bool worked = false;
	struct spin *spin;

	list_for_each_safe(node, next, &loop->awake) {
		task = list_entry(node, struct loop_task, node);
		if (!shares_allow(&loop->shares, task->share)) {
			spin_wait(&task->spin, loop->now_ns);
			continue;
		}
		/* Whether there is work shows afterwards: a poll costs little */
		loop_pay(loop, NULL);
		task->commanded = false;
		if (!task->run(task))
			continue;
		loop_pay(loop, task->share);
		spin = task->commanded ? &task->command_spin : &task->spin;
		spin_count(loop, spin_work(spin, loop->now_ns));
		worked = true;
	}
	return worked;
}

/* Put tasks to sleep that were idle for the spin time, or if @contended all idle tasks */
static void sleep_tasks(struct loop *loop, bool contended)
{
	struct list_head *node, *next;
	struct loop_task *task;
	bool crowded;

	if (contended)
		loop->crowded_ns = loop->now_ns + CROWDED_NS;
	crowded = loop->now_ns < loop->crowded_ns;
	list_for_each_safe(node, next, &loop->awake) {
		task = list_entry(node, struct loop_task, node);
		if (!contended &&
		    (!spin_is_over(&task->spin, loop->now_ns, crowded) ||
		     !spin_is_over(&task->command_spin, loop->now_ns, false)))
			continue;
		if (!task->sleep_prepare(task)) {
			spin_wait(&task->spin, loop->now_ns);
			continue;
		}
		spin_sleep(&task->spin, contended);
		spin_sleep(&task->command_spin, contended);
		list_del_init(&task->node);
	}
}

/* Time of the next timer or delayed packet */
static uint64_t next_ns(struct loop *loop)
{
	uint64_t at_ns, first_ns = switch_next(&loop->sw);
	struct list_head *node;

	at_ns = timers_next(&loop->timers);
	if (at_ns < first_ns)
		first_ns = at_ns;
	list_for_each(node, &loop->tasks) {
		at_ns = timers_next(&list_entry(node, struct loop_task,
						all)->timers);
		if (at_ns < first_ns)
			first_ns = at_ns;
	}
	return first_ns;
}

static int wait_events(struct loop *loop, bool may_sleep)
{
	struct timespec timeout = { 0 };
	uint64_t next, wait;
	int count;

	next = next_ns(loop);
	if (may_sleep && next > loop->now_ns) {
		wait = next - loop->now_ns;
		timeout.tv_sec = wait / 1000000000ULL;
		timeout.tv_nsec = wait % 1000000000ULL;
	}
	if (may_sleep)
		loop->stats.sleeps++;
	count = epoll_pwait2(loop->epfd, loop->event, LOOP_EVENTS,
			     may_sleep && next == TIMER_NEVER ? NULL : &timeout,
			     NULL);
	if (count < 0 && errno != EINTR)
		return -errno;
	loop->event_count = count > 0 ? count : 0;
	return 0;
}

/* Return: true when packets were delivered */
static bool run_switch(struct loop *loop)
{
	uint64_t now_ns, end_ns = 0;
	unsigned int done, total = 0;

	do {
		done = switch_run(&loop->sw, SWITCH_BATCH);
		total += done;
		if (done < SWITCH_BATCH)
			break;
		now_ns = loop_clock_ns();
		shares_settle(&loop->shares, now_ns);
		if (!end_ns)
			end_ns = now_ns + SWITCH_RUN_NS;
	} while (total < SWITCH_BUDGET && now_ns < end_ns);
	return total;
}

/* Was the process not running between the previous idle turn and this one? */
static bool is_contended(struct loop *loop)
{
	if (!loop->idle_ns || loop->now_ns - loop->idle_ns < CONTENDED_NS)
		return false;
	loop->stats.contended++;
	return true;
}

/* Let others have the core from time to time: none is kept waiting by a loop that only looks */
static void yield_idle(struct loop *loop)
{
	if (loop->now_ns - loop->worked_ns < YIELD_NS || loop->stats.turns % YIELD_TURNS)
		return;
	loop->stats.yields++;
	sched_yield();
}

int loop_turn(struct loop *loop)
{
	bool worked, may_sleep = false;
	int err;

	loop->stats.turns++;
	loop->now_ns = loop_clock_ns();
	loop->sw.now_ns = loop->now_ns;
	shares_turn(&loop->shares, loop->now_ns);
	/*
	 * Timers run only up to the last poll of the descriptors, and after the
	 * packets found there. Otherwise timeouts would expire in a process
	 * that did not run for a while, although its peers have answered.
	 */
	worked = run_switch(loop);
	worked |= run_timers(loop);
	worked |= run_tasks(loop);
	worked |= run_switch(loop);
	if (worked) {
		loop->idle_ns = 0;
		loop->worked_ns = loop->now_ns;
	} else {
		shares_idle(&loop->shares, loop->now_ns);
		sleep_tasks(loop, is_contended(loop));
		may_sleep = list_empty(&loop->awake) &&
			    list_empty(&loop->sw.sending);
		loop->idle_ns = may_sleep ? 0 : loop->now_ns;
		if (!may_sleep)
			yield_idle(loop);
	}
	if (!may_sleep && loop->now_ns - loop->polled_ns <
				  (worked ? LOOP_BUSY_POLL_NS : LOOP_POLL_NS))
		return 0;
	loop->polled_ns = loop->now_ns;
	/* An idle loop has time to give, unless a share waits for it */
	if (may_sleep || (!worked && !loop->shares.spent))
		shares_forget(&loop->shares);
	err = wait_events(loop, may_sleep);
	if (loop->event_count) {
		loop->now_ns = loop_clock_ns();
		shares_settle(&loop->shares, loop->now_ns);
		loop->idle_ns = 0;
		loop->worked_ns = loop->now_ns;
		handle_events(loop);
	}
	return err;
}

int loop_run(struct loop *loop)
{
	int err = 0;

	while (!loop->stop && !err)
		err = loop_turn(loop);
	return err;
}
