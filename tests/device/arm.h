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
 * struct arm - requests of one queue
 * @word: the latest one that was answered, or came through the doorbell
 * @answered: @word was answered; false in a new queue
 */
struct arm {
	uint32_t word;
	bool answered;
};

/**
 * arm_pending - which request is to be answered, if any
 * @arm: requests
 * @dbr: struct ornic_cq_dbr, or NULL without ORNIC_CAPS_SHADOW
 *
 * The caller has fenced after writing the entry. An answer is given by calling
 * arm_answer().
 *
 * Return: enum ornic_arm_type. The type that is not defined counts as NEXT.
 */
static inline unsigned int arm_pending(struct arm *arm,
				       const struct ornic_cq_dbr *dbr)
{
	if (dbr) {
		uint32_t word = guest_load32(&dbr->arm);

		if ((word ^ arm->word) & ORNIC_ARM_SEQ ||
		    (!arm->answered && word != arm->word)) {
			arm->word = word;
			arm->answered = false;
		}
	}
	return arm->answered ? ORNIC_ARM_NONE : arm->word & ORNIC_ARM_TYPE;
}

static inline void arm_answer(struct arm *arm)
{
	arm->answered = true;
}

/**
 * arm_doorbell - a request came through the doorbell
 * @arm: requests
 * @word: as written
 */
static inline void arm_doorbell(struct arm *arm, uint32_t word)
{
	arm->word = word;
	arm->answered = false;
}

#endif /* ORNIC_DEVICE_ARM_H */
