// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The run queue of a card */
#include "base/run.h"

void run_ready(struct card *card, struct run_item *item)
{
	if (item->blocked)
		run_remove(item);
	if (!list_empty(&item->node))
		return;
	list_add_tail(&item->node, item->answers ? &card->answers : &card->ready);
	env_mark_runnable(card->env);
}

void run_block(struct card *card, struct run_item *item)
{
	list_del_init(&item->node);
	list_add_tail(&item->node, &card->blocked);
	item->blocked = true;
}

void run_postpone(struct card *card, struct run_item *item)
{
	list_add_tail(&item->node, &card->postponed);
}

void run_resume_all(struct card *card)
{
	list_splice_tail_init(&card->postponed, &card->answers);
}

void run_remove(struct run_item *item)
{
	list_del_init(&item->node);
	item->blocked = false;
}

void run_unblock_all(struct card *card)
{
	while (!list_empty(&card->blocked))
		run_ready(card, list_first_entry(&card->blocked, struct run_item,
						 node));
}
