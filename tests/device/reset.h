/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reset of the card. It begins in nic_reset() and takes as many turns as there
 * are objects to destroy; until then STATUS.READY is 0 ([ORNIC-RST-3]) and the
 * card does nothing else.
 */
#ifndef ORNIC_DEVICE_RESET_H
#define ORNIC_DEVICE_RESET_H

#include <stdbool.h>

#include "obj.h"

/*
 * Objects that one turn destroys, about 0.5 ms. Full tables take 200 turns. The
 * card has 1 ms in a round of all cards (share.h), so beside 63 busy ones that
 * is 6 s, which is RESET_TIMEOUT.
 */
#define RESET_OBJECTS 2048

struct nic;

/**
 * struct reset - state of a reset
 * @active: objects are left
 * @stage: kind of object that is being destroyed
 * @walk: over the objects of this kind
 */
struct reset {
	bool active;
	unsigned int stage;
	struct obj_walk walk;
};

/**
 * reset_begin - begin a reset, and end it if there are few objects
 * @nic: the card
 */
void reset_begin(struct nic *nic);

/**
 * reset_run - go on with a reset
 * @nic: the card, being reset
 */
void reset_run(struct nic *nic);

#endif /* ORNIC_DEVICE_RESET_H */
