/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arm words of CQs and EQs (struct ornic_cq_dbr). The device answers each
 * request at most once. The sequence number distinguishes requests.
 *
 * With ORNIC_CAPS_SHADOW the device reads the word from memory after each entry
 * that it writes. The device writes the entry, fences and reads the word; the
 * host writes the word, fences and reads the ring. So at least one side sees
 * the store of the other. Without SHADOW the word comes through the doorbell
 * and may arrive after an entry that it is meant for. The consumer index shows
 * whether that happened.
 */
#ifndef ORNIC_DEVICE_ARM_H
#define ORNIC_DEVICE_ARM_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "base/guest.h"

/**
 * struct arm - arm requests of one queue; all zero in a new queue
 * @asked: latest arm word seen
 * @answered: latest arm word answered
 */
struct arm {
	uint32_t asked;
	uint32_t answered;
};

/**
 * arm_pending - get the request that is not answered yet
 * @arm: requests of the queue
 * @dbr: record to read a newer word from, or NULL without ORNIC_CAPS_SHADOW
 *
 * Call it after the entry is written and fenced. arm_answer() records an
 * answer.
 *
 * Return: enum ornic_arm_type; an undefined type counts as NEXT.
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
	/* The request replaced an unanswered NEXT ([ORNIC-DB-20]) */
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
