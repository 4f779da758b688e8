// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Boards and watched queues: what the card polls */
#include "base/watch.h"
#include "env/env.h"

void watch_init(struct watch_list *list, struct env *env, bool shadow)
{
	list->env = env;
	list->shadow = shadow;
	watch_set_found(list, NULL);
	list->awake = false;
	list->now_ns = 0;
	list_init(&list->boards);
	list_init(&list->watched);
	list->watched_count = 0;
}

void watch_set_found(struct watch_list *list, void (*found)(const struct qp *qp))
{
	list->found = found;
	list->plain = list->shadow && !found;
}

void watch_board(struct watch_list *list, struct guest_ref *ref, bool active)
{
	struct ornic_board *board = guest_ref_ptr(ref);

	if (board)
		guest_store32(&board->awake, active && list->awake);
}

bool sq_watch_init(struct sq_watch *watch, struct qp *qp, struct guest *guest,
		   uint64_t dbr_addr)
{
	watch->qp = qp;
	list_init(&watch->node);
	watch->watched = false;
	watch->board = false;
	watch->sq_pi = 0;
	watch->busy_ns = 0;
	return guest_ref_init(&watch->dbr, guest, dbr_addr,
			      sizeof(struct ornic_qp_dbr),
			      MEM_READ | MEM_WRITE);
}

void sq_watch_forget(struct watch_list *list, struct sq_watch *watch)
{
	if (!watch->watched)
		return;
	list_del_init(&watch->node);
	watch->watched = false;
	list->watched_count--;
}

/* Return: whether the card watches queues */
static bool __attribute__((noinline, cold))
sq_watch_found(const struct watch_list *list, const struct sq_watch *watch)
{
	if (list->found)
		list->found(watch->qp);
	return list->shadow;
}

void sq_watch_busy(struct watch_list *list, struct sq_watch *watch)
{
	uint64_t before_ns = watch->busy_ns;

	if (!list->plain && !sq_watch_found(list, watch))
		return;
	/* A poll may find many queues, and reading the clock takes time */
	watch->busy_ns = list->awake ? list->now_ns : env_now_ns(list->env);
	/* A sleeping card polls nothing; the host rings the doorbell */
	if (!list->awake)
		return;
	if (watch->watched) {
		list_del_init(&watch->node);
		list_add_tail(&watch->node, &list->watched);
		return;
	}
	if (watch->board && watch->busy_ns - before_ns > WATCH_BUSY_NS)
		return;
	if (list->watched_count == WATCH_QUEUES_MAX)
		return;
	watch->watched = true;
	list_add_tail(&watch->node, &list->watched);
	list->watched_count++;
	sq_watch_publish(watch, true);
}

void sq_watch_stop(struct watch_list *list, struct sq_watch *watch)
{
	if (!watch->watched)
		return;
	sq_watch_forget(list, watch);
	sq_watch_publish(watch, false);
}
