/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A second thread for tests of races. The test chooses the point at which it
 * runs, so the result does not depend on the scheduler.
 *
 * The tests are linked with wrappers of pthread_mutex_lock() and
 * pthread_spin_lock(), which detect that the second thread has to wait for the
 * first one.
 */
#ifndef MEANWHILE_H
#define MEANWHILE_H

#include <pthread.h>
#include <semaphore.h>

/**
 * enum meanwhile_end - progress of the second thread
 * @MEANWHILE_DONE: it has ended
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
 * @run: function of the thread
 * @arg: argument of @run
 * @end: its progress when the first thread continued
 * @thread: the thread
 * @stopped: posted when it ends or waits for a lock
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
