/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Objects of the device; see also ornic_api.h */
#ifndef ORNIC_RES_H
#define ORNIC_RES_H

#include "ornic_api.h"

struct ornic_core;

void ornic_res_init(struct ornic_core *core);
void ornic_res_uninit(struct ornic_core *core);
void ornic_res_clear_nums(struct ornic_core *core);
enum ornic_opcode ornic_res_num_destroy(enum ornic_opcode create);
int ornic_res_num_add(struct ornic_core *core, enum ornic_opcode opcode, u32 num, gfp_t gfp);
void ornic_res_num_remove(struct ornic_core *core, enum ornic_opcode destroy, u32 num);
void ornic_res_event(struct ornic_core *core, enum ornic_res_type type, u32 num,
		     enum ornic_event event);
void ornic_res_check_rings(struct ornic_core *core);

/* A device that loses more entries in a row has lost the ring */
#define ORNIC_GAP_REACH		16

/**
 * ornic_gap_at - check whether the device has left out an entry
 * @phase:	the word with the phase in the first entry of the ring
 * @log_entry:	log2 of the bytes of an entry
 * @log_size:	log2 of the number of entries
 * @phase_bit:	of the phase
 * @ci:		consumer index, free running
 *
 * A gap is an entry of a ring that the device has left out, or written with a
 * wrong phase. Its consumer would wait for it for ever, and so for those behind
 * it.
 *
 * Return: true if the entry at @ci is not written, but one behind it is.
 */
static inline bool ornic_gap_at(const void *phase, u8 log_entry, u8 log_size, u32 phase_bit, u32 ci)
{
	u32 size = 1u << log_size, ahead;
	u32 i = ci + 1;

	for (ahead = min(size, ORNIC_GAP_REACH) - 1; ahead; ahead--, i++) {
		if (!ornic_ring_written(phase + ((size_t)(i & (size - 1)) << log_entry), i,
					log_size, phase_bit))
			continue;

		/* The device writes the earlier entry first, so read it last */
		dma_rmb();
		return !ornic_ring_written(phase + ((size_t)(ci & (size - 1)) << log_entry), ci,
					   log_size, phase_bit);
	}
	return false;
}

/**
 * ornic_gap_stays - compare with the last check
 * @gap:	what the last check has found; updated
 * @found:	what ornic_gap_at() says now
 * @ci:		consumer index, free running
 *
 * The consumer may have gone through the ring while ornic_gap_at() looked at
 * it, so one check proves nothing.
 *
 * Return: true if both checks have found the same gap.
 */
static inline bool ornic_gap_stays(struct ornic_gap *gap, bool found, u32 ci)
{
	bool stays = found && gap->found && gap->index == ci;

	*gap = (struct ornic_gap) { .found = found, .index = ci };
	return stays;
}

#endif /* ORNIC_RES_H */
