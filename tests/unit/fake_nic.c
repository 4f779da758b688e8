// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A core that does almost nothing, for tests of the code around it: the
 * bring-up registers (SCRATCH, IRQ_TEST, DMA_TEST) and a doorbell BAR that
 * accepts every write.
 */
#include <stddef.h>
#include <stdlib.h>

#include "nic.h"

struct nic {
	struct nic_config config;
	struct env *env;
	uint32_t scratch;
	uint64_t dma_test;
	bool dma_test_asked;
	uint64_t resets;
	uint64_t packets;
	uint64_t links;
	bool runnable;
};

struct nic *nic_create(const struct nic_config *config, struct env *env)
{
	struct nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return NULL;
	nic->config = *config;
	nic->env = env;
	return nic;
}

void nic_destroy(struct nic *nic)
{
	free(nic);
}

void nic_reset(struct nic *nic)
{
	nic->scratch = 0;
	nic->dma_test_asked = false;
	nic->resets++;
	nic->runnable = false;
}

void nic_bar_read(struct nic *nic, unsigned int bar, uint64_t offset,
		  unsigned int size, uint64_t *val)
{
	(void)size;
	*val = 0;
	if (bar != ORNIC_BAR_REGS)
		return;
	if (offset == ORNIC_REG_MAGIC)
		*val = ORNIC_MAGIC;
	else if (offset == ORNIC_REG_SCRATCH)
		*val = nic->scratch;
}

bool nic_bar_write(struct nic *nic, unsigned int bar, uint64_t offset,
		   unsigned int size, uint64_t val)
{
	(void)size;
	nic->runnable = true;
	env_mark_runnable(nic->env);
	if (bar != ORNIC_BAR_REGS)
		return false;
	if (offset == ORNIC_REG_SCRATCH)
		nic->scratch = val;
	else if (offset == ORNIC_REG_IRQ_TEST)
		env_irq_raise(nic->env, val);
	if (offset != ORNIC_REG_DMA_TEST)
		return false;
	nic->dma_test = val;
	nic->dma_test_asked = true;
	return false;
}

static void dma_test(struct nic *nic)
{
	struct ornic_dma_test test;
	uint64_t addr = nic->dma_test;

	nic->dma_test_asked = false;
	if (mem_read(nic->env->mem, addr, &test, sizeof(test)))
		return;
	test.answer = ~test.nonce;
	mem_write(nic->env->mem,
		  addr + offsetof(struct ornic_dma_test, answer), &test.answer,
		  sizeof(test.answer));
}

bool nic_run(struct nic *nic)
{
	bool worked = nic->runnable;

	nic->runnable = false;
	if (nic->dma_test_asked)
		dma_test(nic);
	return worked;
}

bool nic_sleep_prepare(struct nic *nic)
{
	return !nic->runnable;
}

void nic_wake(struct nic *nic)
{
	(void)nic;
}

void nic_rx(struct nic *nic, const struct frame *frame)
{
	(void)frame;
	nic->packets++;
}

void nic_room(struct nic *nic)
{
	(void)nic;
}

void nic_stop(struct nic *nic)
{
	(void)nic;
}

void nic_lie(struct nic *nic, const struct lie_config *config)
{
	(void)nic;
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

void nic_link_changed(struct nic *nic, bool up)
{
	(void)up;
	nic->links++;
}

void nic_stats(struct nic *nic, nic_stat_fn fn, void *arg)
{
	fn(arg, "fake.resets", nic->resets);
	fn(arg, "fake.packets", nic->packets);
}
