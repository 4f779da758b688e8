/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A second thread that runs at a place of the test's choice, for races: the
 * result does not depend on the scheduler.
 *
 * The tests are linked with wrappers of pthread_mutex_lock() and
 * pthread_spin_lock(), which tell when the second thread has to wait for the
 * first one.
 */
#ifndef MEANWHILE_H
#define MEANWHILE_H

#include <pthread.h>
#include <semaphore.h>

/**
 * enum meanwhile_end - how far the second thread came
 * @MEANWHILE_DONE: to its end
 * @MEANWHILE_SLEEPS: it waits for a mutex
 * @MEANWHILE_SPINS: it waits for a spin lock
 */
enum meanwhile_end {
	MEANWHILE_DONE,
	MEANWHILE_SLEEPS,
	MEANWHILE_SPINS,
};

/**
 * struct meanwhile - a second thread
 * @run: what it does
 * @arg: for @run
 * @end: how far it came before the first thread went on
 * @thread: the thread
 * @stopped: it has ended, or waits for a lock
 */
struct meanwhile {
	void (*run)(void *arg);
	void *arg;
	enum meanwhile_end end;
	pthread_t thread;
	sem_t stopped;
};

enum meanwhile_end meanwhile_start(struct meanwhile *meanwhile,
				   void (*run)(void *arg), void *arg);
void meanwhile_finish(struct meanwhile *meanwhile);

#endif /* MEANWHILE_H */
