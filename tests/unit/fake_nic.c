// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A core that does almost nothing, for tests of what is around it. Registers
 * hold what is written; a doorbell at page 0 sends an interrupt on the vector
 * written; the first 8 bytes of BAR2's last page copy guest memory: writing an
 * address there adds 1 to the word at that address.
 */
#include <stdlib.h>
#include <string.h>

#include "nic.h"

struct nic {
	struct nic_config config;
	struct env *env;
	uint8_t regs[NIC_REGS_SIZE];
	uint64_t resets;
	uint64_t packets;
	uint64_t links;
	bool runnable;
};

#define BUMP_OFFSET (NIC_BAR_DB_SIZE - NIC_DB_PAGE_SIZE)

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
	memset(nic->regs, 0, sizeof(nic->regs));
	nic->resets++;
	nic->runnable = false;
}

void nic_bar_read(struct nic *nic, unsigned int bar, uint64_t offset,
		  unsigned int size, uint64_t *val)
{
	*val = 0;
	if (bar == ORNIC_BAR_REGS)
		memcpy(val, nic->regs + offset, size);
}

void nic_bar_write(struct nic *nic, unsigned int bar, uint64_t offset,
		   unsigned int size, uint64_t val)
{
	uint64_t word;

	if (bar == ORNIC_BAR_REGS) {
		memcpy(nic->regs + offset, &val, size);
		return;
	}
	if (offset == 0)
		env_irq_raise(nic->env, val);
	if (offset == BUMP_OFFSET && size == sizeof(word) &&
	    !mem_read(nic->env->mem, val, &word, sizeof(word))) {
		word++;
		mem_write(nic->env->mem, val, &word, sizeof(word));
	}
	nic->runnable = true;
	env_mark_runnable(nic->env);
}

bool nic_run(struct nic *nic)
{
	bool worked = nic->runnable;

	nic->runnable = false;
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
