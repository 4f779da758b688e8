// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A core that does almost nothing, for tests of the code around it: the
 * bring-up registers (SCRATCH, IRQ_TEST, DMA_TEST) and a doorbell BAR that
 * accepts every write.
 */
#include <stddef.h>
#include <stdlib.h>

#include "card/card.h"

struct card {
	struct card_config config;
	struct env *env;
	uint32_t scratch;
	uint64_t dma_test;
	bool dma_test_asked;
	uint64_t resets;
	uint64_t packets;
	uint64_t links;
	bool runnable;
};

struct card *card_create(const struct card_config *config, struct env *env)
{
	struct card *card = calloc(1, sizeof(*card));

	if (!card)
		return NULL;
	card->config = *config;
	card->env = env;
	return card;
}

void card_destroy(struct card *card)
{
	free(card);
}

void card_reset(struct card *card)
{
	card->scratch = 0;
	card->dma_test_asked = false;
	card->resets++;
	card->runnable = false;
}

void card_bar_read(struct card *card, unsigned int bar, uint64_t offset,
		  unsigned int size, uint64_t *val)
{
	(void)size;
	*val = 0;
	if (bar != ORNIC_BAR_REGS)
		return;
	if (offset == ORNIC_REG_MAGIC)
		*val = ORNIC_MAGIC;
	else if (offset == ORNIC_REG_SCRATCH)
		*val = card->scratch;
}

bool card_bar_write(struct card *card, unsigned int bar, uint64_t offset,
		   unsigned int size, uint64_t val)
{
	(void)size;
	card->runnable = true;
	env_mark_runnable(card->env);
	if (bar != ORNIC_BAR_REGS)
		return false;
	if (offset == ORNIC_REG_SCRATCH)
		card->scratch = val;
	else if (offset == ORNIC_REG_IRQ_TEST)
		env_irq_raise(card->env, val);
	if (offset != ORNIC_REG_DMA_TEST)
		return false;
	card->dma_test = val;
	card->dma_test_asked = true;
	return false;
}

static void dma_test(struct card *card)
{
	struct ornic_dma_test test;
	uint64_t addr = card->dma_test;

	card->dma_test_asked = false;
	if (mem_read(card->env->mem, addr, &test, sizeof(test)))
		return;
	test.answer = ~test.nonce;
	mem_write(card->env->mem,
		  addr + offsetof(struct ornic_dma_test, answer), &test.answer,
		  sizeof(test.answer));
}

bool card_run(struct card *card)
{
	bool worked = card->runnable;

	card->runnable = false;
	if (card->dma_test_asked)
		dma_test(card);
	return worked;
}

bool card_sleep_prepare(struct card *card)
{
	return !card->runnable;
}

void card_wake(struct card *card)
{
	(void)card;
}

bool card_rx(struct card *card, const struct frame *frame)
{
	(void)frame;
	card->packets++;
	return true;
}

void card_room(struct card *card)
{
	(void)card;
}

void card_stop(struct card *card)
{
	(void)card;
}

void card_lie(struct card *card, const struct lie_config *config)
{
	(void)card;
	(void)config;
}

const char *lie_parse(struct lie_config *config, char *text)
{
	(void)config;
	(void)text;
	return NULL;
}

const char *lie_help(unsigned int i)
{
	(void)i;
	return NULL;
}

void card_link_changed(struct card *card, bool up)
{
	(void)up;
	card->links++;
}

const struct card_host *card_host(const struct card *card)
{
	(void)card;
	return NULL;
}

void card_stats(struct card *card, stat_fn fn, void *arg)
{
	fn(arg, "fake.resets", card->resets);
	fn(arg, "fake.packets", card->packets);
}
