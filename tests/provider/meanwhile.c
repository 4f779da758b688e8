// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A second thread for tests of races; see meanwhile.h */
#include <assert.h>
#include <errno.h>

#include "meanwhile.h"

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_spin_lock(pthread_spinlock_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_spin_lock(pthread_spinlock_t *lock);

/* Set in the second thread until it ends or waits for a lock */
static __thread struct meanwhile *meanwhile_self;

static void meanwhile_stop(enum meanwhile_end end)
{
	struct meanwhile *self = meanwhile_self;

	meanwhile_self = NULL;
	if (!self)
		return;
	self->end = end;
	sem_post(&self->stopped);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	if (!meanwhile_self)
		return __real_pthread_mutex_lock(mutex);
	if (!pthread_mutex_trylock(mutex))
		return 0;
	meanwhile_stop(MEANWHILE_SLEEPS);
	return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_spin_lock(pthread_spinlock_t *lock)
{
	if (!meanwhile_self)
		return __real_pthread_spin_lock(lock);
	if (!pthread_spin_trylock(lock))
		return 0;
	meanwhile_stop(MEANWHILE_SPINS);
	return __real_pthread_spin_lock(lock);
}

static void *meanwhile_main(void *arg)
{
	struct meanwhile *meanwhile = arg;

	meanwhile_self = meanwhile;
	meanwhile->run(meanwhile->arg);
	meanwhile_stop(MEANWHILE_DONE);
	return NULL;
}

/**
 * meanwhile_start() - run a second thread until it ends or waits for a lock
 * @meanwhile: filled in
 * @run: function of the thread
 * @arg: argument of @run
 *
 * The caller may hold locks. The second thread continues when it gets them. The
 * caller must call meanwhile_finish().
 *
 * Return: whether the thread ended or waits.
 */
enum meanwhile_end meanwhile_start(struct meanwhile *meanwhile,
				   void (*run)(void *arg), void *arg)
{
	int ret;

	meanwhile->run = run;
	meanwhile->arg = arg;
	ret = sem_init(&meanwhile->stopped, 0, 0);
	assert(!ret);
	ret = pthread_create(&meanwhile->thread, NULL, meanwhile_main,
			     meanwhile);
	assert(!ret);
	while (sem_wait(&meanwhile->stopped))
		assert(errno == EINTR);
	return meanwhile->end;
}

/**
 * meanwhile_finish() - wait for the end of the second thread
 * @meanwhile: the thread; the caller holds no lock that it needs
 */
void meanwhile_finish(struct meanwhile *meanwhile)
{
	int ret = pthread_join(meanwhile->thread, NULL);

	assert(!ret);
	sem_destroy(&meanwhile->stopped);
}
