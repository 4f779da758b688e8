// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers of QPs and WQs. Completions that were not polled are dropped when
 * their QP or WQ is destroyed. They are found by its number, which the device
 * may give to a new QP or WQ, at worst at once ([ORNIC-OBJ-4]).
 *
 * No lock is held over a command, because ibv_cmd_destroy_qp() waits until the
 * application has acknowledged the events of the QP, and the thread that is to
 * do so may create or destroy another one first. If a thread gets a number that
 * another one still destroys, it drops the old completions itself, while there
 * cannot be new ones.
 */

#include "ornic.h"

/**
 * ornic_nums_init() - prepare the numbers of a context
 * @nums: zeroed
 */
void ornic_nums_init(struct ornic_nums *nums)
{
	pthread_mutex_init(&nums->lock, NULL);
	pthread_cond_init(&nums->idle, NULL);
}

/**
 * ornic_nums_uninit() - undo ornic_nums_init()
 * @nums: no thread uses them any more
 */
void ornic_nums_uninit(struct ornic_nums *nums)
{
	pthread_cond_destroy(&nums->idle);
	pthread_mutex_destroy(&nums->lock);
}

/* Called with @leaver in the list, or counted as a user */
static void ornic_num_clean(struct ornic_leaver *leaver)
{
	pthread_mutex_lock(&leaver->lock);
	if (!leaver->clean) {
		ornic_cqs_clean(leaver->send_cq, leaver->recv_cq, leaver->num);
		leaver->clean = true;
	}
	pthread_mutex_unlock(&leaver->lock);
}

/**
 * ornic_num_leave() - note that a QP or WQ is about to be destroyed
 * @nums: numbers of its context
 * @leaver: its number and its CQs, otherwise zeroed
 */
void ornic_num_leave(struct ornic_nums *nums, struct ornic_leaver *leaver)
{
	pthread_mutex_init(&leaver->lock, NULL);
	pthread_mutex_lock(&nums->lock);
	leaver->next = nums->leavers;
	nums->leavers = leaver;
	pthread_mutex_unlock(&nums->lock);
}

/**
 * ornic_num_left() - drop the completions of a QP or WQ
 * @nums: numbers of its context
 * @leaver: from ornic_num_leave()
 * @gone: it was destroyed; else it remains, with its completions
 */
void ornic_num_left(struct ornic_nums *nums, struct ornic_leaver *leaver,
		    bool gone)
{
	struct ornic_leaver **at;

	if (gone)
		ornic_num_clean(leaver);

	pthread_mutex_lock(&nums->lock);
	for (at = &nums->leavers; *at != leaver; )
		at = &(*at)->next;
	*at = leaver->next;
	while (leaver->users)
		pthread_cond_wait(&nums->idle, &nums->lock);
	pthread_mutex_unlock(&nums->lock);
	pthread_mutex_destroy(&leaver->lock);
}

/**
 * ornic_num_take() - drop the completions of earlier QPs or WQs of a number
 * @nums: numbers of the context
 * @num: number of a new QP or WQ, which has no completions yet
 */
void ornic_num_take(struct ornic_nums *nums, uint32_t num)
{
	struct ornic_leaver *leaver;

	pthread_mutex_lock(&nums->lock);
	/* The last one has dropped those of its predecessors in the same way */
	leaver = nums->leavers;
	while (leaver && leaver->num != num)
		leaver = leaver->next;
	if (leaver) {
		leaver->users++;
		pthread_mutex_unlock(&nums->lock);
		ornic_num_clean(leaver);
		pthread_mutex_lock(&nums->lock);
		leaver->users--;
		pthread_cond_broadcast(&nums->idle);
	}
	pthread_mutex_unlock(&nums->lock);
}
