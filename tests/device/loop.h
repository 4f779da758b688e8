/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The event loop: file descriptors, timers, tasks that poll guest memory, the
 * switch's queue. It spins while there is work and a bounded time after, and
 * sleeps otherwise.
 */
#ifndef ORNIC_DEVICE_LOOP_H
#define ORNIC_DEVICE_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "irqfd.h"
#include "list.h"
#include "switch.h"
#include "timer.h"

/* Events taken from the kernel at once. */
#define LOOP_EVENTS 64
/* While spinning, file descriptors are looked at this often. */
#define LOOP_POLL_NS 2000
/* While working too, but less: a look costs as much as a small packet. */
#define LOOP_BUSY_POLL_NS 20000

/**
 * struct loop_fd - a file descriptor with somebody who cares
 * @fd: the descriptor, stays the caller's
 * @ready: called with EPOLLIN, EPOLLOUT ... while they hold; bounded work
 */
struct loop_fd {
	int fd;
	void (*ready)(struct loop_fd *lfd, uint32_t events);
};

/**
 * struct loop_task - somebody who polls while awake
 * @run: bounded work; true when it did any
 * @sleep_prepare: true when it may sleep, false when work has just appeared
 * @wake: awake again, before @run
 * @node: in the loop's list of awake tasks, or alone
 * @idle_since_ns: when it last worked
 */
struct loop_task {
	bool (*run)(struct loop_task *task);
	bool (*sleep_prepare)(struct loop_task *task);
	void (*wake)(struct loop_task *task);
	struct list_head node;
	uint64_t idle_since_ns;
};

/**
 * struct loop_stats - how the loop spends its time
 * @turns: times around
 * @sleeps: times it blocked
 * @spin_hits: times that spinning found work
 * @spin_misses: times that spinning ended in sleep
 * @contended: times that spinning stopped because somebody else wanted the CPU
 */
struct loop_stats {
	uint64_t turns;
	uint64_t sleeps;
	uint64_t spin_hits;
	uint64_t spin_misses;
	uint64_t contended;
};

/**
 * struct loop - the event loop
 * @epfd: epoll instance
 * @spare_fd: of sock_accept()
 * @irqfd: fires interrupts
 * @timers: everybody's timers
 * @sw: the switch, run in each turn
 * @awake: struct loop_task list
 * @spin_max_ns: longest time to spin after work
 * @spin_ns: the time now, between 0 and @spin_max_ns, by experience
 * @now_ns: time at the start of the turn, or of handling events
 * @idle_ns: start of the turn before, if nothing was done in it, else 0
 * @polled_ns: when file descriptors were last looked at; timers are as late
 * @stop: leave at the end of the turn
 * @event: events taken from the kernel and not handled yet
 * @event_count: number of @event
 * @stats: counters
 */
struct loop {
	int epfd;
	int spare_fd;
	struct irqfd irqfd;
	struct timers timers;
	struct switch_dev sw;
	struct list_head awake;
	uint64_t spin_max_ns;
	uint64_t spin_ns;
	uint64_t now_ns;
	uint64_t idle_ns;
	uint64_t polled_ns;
	bool stop;
	struct epoll_event event[LOOP_EVENTS];
	int event_count;
	struct loop_stats stats;
};

/**
 * loop_init - make a loop with an empty switch
 * @loop: the loop
 * @spin_us: longest time to spin after work, 0 for never
 *
 * Return: 0 or a negative errno.
 */
int loop_init(struct loop *loop, unsigned int spin_us);

/**
 * loop_uninit - end of loop_init()
 * @loop: the loop; nothing may be left in it but ports of the switch
 */
void loop_uninit(struct loop *loop);

/**
 * loop_add_fd - watch
 * @loop: the loop
 * @lfd: stays the caller's until loop_remove_fd()
 * @events: EPOLLIN or EPOLLOUT, level-triggered
 *
 * Return: 0 or a negative errno.
 */
int loop_add_fd(struct loop *loop, struct loop_fd *lfd, uint32_t events);

/**
 * loop_modify_fd - watch for something else
 * @loop: the loop
 * @lfd: being watched
 * @events: as for loop_add_fd()
 */
void loop_modify_fd(struct loop *loop, struct loop_fd *lfd, uint32_t events);

/**
 * loop_remove_fd - watch no longer; before closing the descriptor
 * @loop: the loop
 * @lfd: being watched; may be freed afterwards, even from its own callback
 */
void loop_remove_fd(struct loop *loop, struct loop_fd *lfd);

/**
 * loop_task_init - make a task that sleeps
 * @task: with its functions filled in
 */
void loop_task_init(struct loop_task *task);

/**
 * loop_task_mark - wake a task, or keep it awake
 * @loop: the loop
 * @task: runs in the next turn, and on until it was idle for the spin time
 */
void loop_task_mark(struct loop *loop, struct loop_task *task);

/**
 * loop_task_remove - forget a task
 * @task: awake or not
 */
void loop_task_remove(struct loop_task *task);

/**
 * loop_turn - one time around
 * @loop: the loop
 *
 * Return: 0, or a negative errno when the kernel fails us.
 */
int loop_turn(struct loop *loop);

/**
 * loop_run - go around until @stop is set
 * @loop: the loop
 *
 * Return: 0 or a negative errno.
 */
int loop_run(struct loop *loop);

/**
 * loop_clock_ns - what time it is
 *
 * Return: CLOCK_MONOTONIC in ns.
 */
uint64_t loop_clock_ns(void);

#endif /* ORNIC_DEVICE_LOOP_H */
