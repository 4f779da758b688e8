/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arm words of CQs and EQs (struct ornic_cq_dbr). Each request is answered at
 * most once; requests are told apart by their sequence numbers.
 *
 * With ORNIC_CAPS_SHADOW the word is read from memory behind each entry that is
 * written: entry, fence, look at the word here; word, fence, look at the ring
 * over there; so one of the two sees the other. Without it the word comes
 * through the doorbell, and may arrive behind an entry that it was meant for:
 * then the consumer index tells.
 */
#ifndef ORNIC_DEVICE_ARM_H
#define ORNIC_DEVICE_ARM_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "guest.h"

/**
 * struct arm - requests of one queue; all zero in a new one
 * @asked: the latest one seen
 * @answered: the latest one that was answered
 */
struct arm {
	uint32_t asked;
	uint32_t answered;
};

/**
 * arm_pending - what is asked for and not answered yet
 * @arm: requests
 * @dbr: where to look for a newer one, or NULL without ORNIC_CAPS_SHADOW
 *
 * Called after the entry was written and fenced. An answer is recorded by
 * arm_answer().
 *
 * Return: enum ornic_arm_type; the one that is not defined counts as NEXT.
 */
static inline unsigned int arm_pending(struct arm *arm,
				       const struct ornic_cq_dbr *dbr)
{
	unsigned int type;

	if (dbr)
		arm->asked = guest_load32(&dbr->arm);
	if (arm->asked == arm->answered)
		return ORNIC_ARM_NONE;

	type = arm->asked & ORNIC_ARM_TYPE;
	/* It replaced a NEXT that was not answered: ORNIC-DB-20 */
	if (type == ORNIC_ARM_SOLICITED &&
	    (arm->asked ^ arm->answered) & ORNIC_ARM_GEN)
		return ORNIC_ARM_NEXT;
	return type;
}

static inline void arm_answer(struct arm *arm)
{
	arm->answered = arm->asked;
}

#endif /* ORNIC_DEVICE_ARM_H */
