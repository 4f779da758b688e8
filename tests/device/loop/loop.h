/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The event loop: file descriptors, timers, tasks that poll guest memory, the
 * switch's queue. It spins while there is work and for a bounded time after
 * that, and sleeps otherwise.
 */
#ifndef ORNIC_DEVICE_LOOP_H
#define ORNIC_DEVICE_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "env/list.h"
#include "env/timer.h"
#include "loop/irqfd.h"
#include "loop/share.h"
#include "loop/spin.h"
#include "loop/switch.h"

/* Cards that a process may have */
#define LOOP_CARDS_MAX 64

/* Events taken from the kernel at once */
#define LOOP_EVENTS 64
/* Interval between polls of the file descriptors while spinning */
#define LOOP_POLL_NS 10000
/* The same while working: a poll costs as much as a small packet */
#define LOOP_BUSY_POLL_NS 20000

/**
 * struct loop_fd - a watched file descriptor
 * @fd: descriptor, owned by the caller
 * @ready: called with EPOLLIN, EPOLLOUT ... while they hold; does bounded work
 * @share: pays for @ready; NULL: @ready is free
 */
struct loop_fd {
	int fd;
	void (*ready)(struct loop_fd *lfd, uint32_t events);
	struct share *share;
};

/**
 * struct loop_task - a task that polls while awake, and its timers
 * @run: does bounded work; returns true when there was any, and sets @commanded
 *	when a command was part of it
 * @sleep_prepare: returns true when the task may sleep, false when work has
 *	just appeared
 * @wake: called when the task becomes awake, before @run
 * @share: pays for the task and its timers
 * @timers: timer wheel
 * @all: in the loop's list of tasks
 * @node: in the loop's list of awake tasks, or unlinked
 * @spin: how long it stays awake after work
 * @command_spin: the same after a command, if that is longer
 * @commanded: set by @run, which is called with false
 */
struct loop_task {
	bool (*run)(struct loop_task *task);
	bool (*sleep_prepare)(struct loop_task *task);
	void (*wake)(struct loop_task *task);
	struct share *share;
	struct timers timers;
	struct list_head all;
	struct list_head node;
	struct spin spin;
	struct spin command_spin;
	bool commanded;
};

/**
 * struct loop_stats - how the loop spends its time
 * @turns: number of turns
 * @sleeps: waits for events that were allowed to block
 * @spin_hits: times that spinning found work
 * @spin_late: times that a task was asleep when work came, and a longer spin time
 *	would have found it
 * @spin_misses: the same, but the work came after the longest spin time
 * @yields: times that the idle loop let others have the core
 * @contended: times that spinning stopped because another thread took the CPU
 */
struct loop_stats {
	uint64_t turns;
	uint64_t sleeps;
	uint64_t spin_hits;
	uint64_t spin_late;
	uint64_t spin_misses;
	uint64_t yields;
	uint64_t contended;
};

/**
 * struct loop - the event loop
 * @epfd: epoll instance
 * @spare_fd: descriptor for sock_accept()
 * @irqfd: fires interrupts
 * @shares: who may work, and who pays
 * @timers: timer wheel of all but the tasks
 * @sw: the switch, run in each turn
 * @tasks: struct loop_task list
 * @awake: list of the awake ones
 * @spin_max_ns: longest time that a task spins after work
 * @crowded_ns: end of the time in which contention counts
 * @worked_ns: start of the latest turn with work, or time of the latest event
 * @now_ns: time at the start of the turn or of event handling
 * @idle_ns: start of the previous turn when it was idle, else 0
 * @polled_ns: time of the last poll of the file descriptors; timers run up to
 *	it
 * @confined: files cannot be named any more; remover.c removes the sockets
 * @stop: leave loop_run() at the end of the turn
 * @event: events from the kernel that are not handled yet
 * @event_count: number of events in @event
 * @stats: counters
 */
struct loop {
	int epfd;
	int spare_fd;
	struct irqfd irqfd;
	struct shares shares;
	struct timers timers;
	struct switch_dev sw;
	struct list_head tasks;
	struct list_head awake;
	uint64_t spin_max_ns;
	uint64_t crowded_ns;
	uint64_t worked_ns;
	uint64_t now_ns;
	uint64_t idle_ns;
	uint64_t polled_ns;
	bool confined;
	bool stop;
	struct epoll_event event[LOOP_EVENTS];
	int event_count;
	struct loop_stats stats;
};

/**
 * loop_init - initialise a loop with an empty switch
 * @loop: the loop
 * @spin_us: longest time to spin after work, 0 for never
 *
 * Return: 0 or a negative errno.
 */
int loop_init(struct loop *loop, unsigned int spin_us);

/**
 * loop_uninit - undo loop_init()
 * @loop: the loop; nothing may be left in it but ports of the switch
 */
void loop_uninit(struct loop *loop);

/**
 * loop_add_fd - watch a file descriptor
 * @loop: the loop
 * @lfd: owned by the caller, in use until loop_remove_fd()
 * @events: EPOLLIN or EPOLLOUT, level-triggered
 *
 * Return: 0 or a negative errno.
 */
int loop_add_fd(struct loop *loop, struct loop_fd *lfd, uint32_t events);

/**
 * loop_modify_fd - change the events that are watched
 * @loop: the loop
 * @lfd: watched descriptor
 * @events: as for loop_add_fd()
 */
void loop_modify_fd(struct loop *loop, struct loop_fd *lfd, uint32_t events);

/**
 * loop_remove_fd - stop watching, before the descriptor is closed
 * @loop: the loop
 * @lfd: watched descriptor; may be freed afterwards, even from its own callback
 */
void loop_remove_fd(struct loop *loop, struct loop_fd *lfd);

/**
 * loop_task_add - add a sleeping task
 * @loop: the loop
 * @task: task with its functions and share set
 */
void loop_task_add(struct loop *loop, struct loop_task *task);

/**
 * loop_task_mark - wake a task
 * @loop: the loop
 * @task: runs in the next turn. If it finds no work then, it goes to sleep when
 *	the spin time after its latest work is over, which may be at once.
 */
void loop_task_mark(struct loop *loop, struct loop_task *task);

/**
 * loop_task_worked - note work that came outside of @run, and wake the task
 * @loop: the loop
 * @task: runs from the next turn on, until it was idle for the spin time
 */
void loop_task_worked(struct loop *loop, struct loop_task *task);

/**
 * loop_task_remove - remove a task
 * @task: awake or not
 */
void loop_task_remove(struct loop_task *task);

/**
 * loop_pay - name who pays for the work that comes now
 * @loop: the loop
 * @share: the payer; NULL if that shows only afterwards
 */
void loop_pay(struct loop *loop, struct share *share);

/**
 * loop_serve - work for another share than that of the task
 * @loop: the loop
 * @share: pays from now until the next loop_pay(); NULL may always work
 *
 * Return: false to postpone the work to a later turn; then the payer stays.
 */
bool loop_serve(struct loop *loop, struct share *share);

/**
 * loop_turn - run one turn
 * @loop: the loop
 *
 * Return: 0, or a negative errno when waiting for events fails.
 */
int loop_turn(struct loop *loop);

/**
 * loop_run - run turns until @stop is set
 * @loop: the loop
 *
 * Return: 0 or a negative errno.
 */
int loop_run(struct loop *loop);

/**
 * loop_clock_ns - get the current time
 *
 * Return: CLOCK_MONOTONIC in ns.
 */
uint64_t loop_clock_ns(void);

#endif /* ORNIC_DEVICE_LOOP_H */
