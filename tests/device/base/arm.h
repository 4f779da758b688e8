/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arm words of CQs and EQs (struct ornic_cq_dbr). The device answers each
 * request at most once. The sequence number distinguishes requests.
 *
 * With ORNIC_CAPS_SHADOW the device reads the word from memory after each
 * entry that it writes. The device writes the entry, fences and reads the word;
 * the host writes the word, fences and reads the ring. So at least one side
 * sees the store of the other. Without SHADOW a doorbell makes the request and may
 * arrive after an entry that it is meant for. The consumer index in it shows
 * whether that happened. Doorbells have no sequence numbers, so they get some
 * here.
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
	/* The request replaced an unanswered NEXT ([ORNIC-DB-24]) */
	if (type == ORNIC_ARM_SOLICITED &&
	    (arm->asked ^ arm->answered) & ORNIC_ARM_GEN)
		return ORNIC_ARM_NEXT;
	return type;
}

/**
 * arm_request - note a request that a doorbell has made
 * @arm: requests of the queue
 * @type: enum ornic_arm_type; NONE requests nothing
 *
 * A NEXT that is not answered stays one ([ORNIC-DB-29]).
 */
static inline void arm_request(struct arm *arm, unsigned int type)
{
	unsigned int before = arm_pending(arm, NULL);

	if (type == ORNIC_ARM_NONE)
		return;
	if (before > ORNIC_ARM_SOLICITED)
		type = before;
	arm->asked = ((arm->asked | ORNIC_ARM_TYPE) + 1) | type;
	/* Another number of the same generation */
	arm->answered = arm->asked ^ (ORNIC_ARM_TYPE + 1);
}

/**
 * arm_ci - get the consumer index from the value of a doorbell
 * @value: ORNIC_DB_ARM_*
 * @pi: producer index of the ring
 *
 * Return: the index of 32 bits that is not beyond @pi.
 */
static inline uint32_t arm_ci(uint32_t value, uint32_t pi)
{
	const uint32_t mask = ORNIC_GET(ORNIC_DB_ARM_CI, UINT32_MAX);

	return pi - ((pi - ORNIC_GET(ORNIC_DB_ARM_CI, value)) & mask);
}

static inline void arm_answer(struct arm *arm)
{
	arm->answered = arm->asked;
}

#endif /* ORNIC_DEVICE_ARM_H */
