/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copies of payload that must not change after its sender was told it is sent.
 *
 * A frame refers to payload where it lies, until the switch has delivered it.
 * RC may complete a WQE only after the acknowledgement, which is later than
 * that. Whoever completes at once (RAW_PACKET, UD, UC, inline data) sends a
 * copy from here instead. A piece is free again when so many frames were sent
 * after it that the switch cannot hold it any more: it delivers in order, and a
 * port has SWITCH_PORT_FRAMES frames underway at most.
 */
#ifndef ORNIC_DEVICE_BOUNCE_H
#define ORNIC_DEVICE_BOUNCE_H

#include <stdint.h>

#include "switch.h"

/* A frame of 9000 bytes with its header and VLAN tag, rounded up */
#define BOUNCE_SIZE 9216
/* One more than can be underway: that being filled */
#define BOUNCE_COUNT (SWITCH_PORT_FRAMES + 1)

/**
 * struct bounce - pieces of a card
 * @next: piece to be given out, until a frame that refers to it was sent
 * @mem: BOUNCE_COUNT pieces
 */
struct bounce {
	unsigned int next;
	uint8_t (*mem)[BOUNCE_SIZE];
};

/**
 * bounce_init - allocate the pieces
 * @bounce: to initialise
 *
 * Return: 0 or -ENOMEM.
 */
int bounce_init(struct bounce *bounce);

/**
 * bounce_uninit - end of bounce_init()
 * @bounce: initialised, or all zero
 */
void bounce_uninit(struct bounce *bounce);

/**
 * bounce_take - a piece to copy payload to
 * @bounce: of the card
 *
 * For a frame that env_frame_alloc() gave. If that is not sent after all, the
 * same piece is given out again.
 *
 * Return: BOUNCE_SIZE bytes.
 */
static inline uint8_t *bounce_take(struct bounce *bounce)
{
	return bounce->mem[bounce->next];
}

/**
 * bounce_sent - a frame is being sent
 * @bounce: of the card
 * @frame: any; if it refers to the piece taken last, that is in use now
 */
static inline void bounce_sent(struct bounce *bounce, const struct frame *frame)
{
	uintptr_t piece = (uintptr_t)bounce->mem[bounce->next];

	if (frame->iov_count &&
	    (uintptr_t)frame->iov[0].iov_base - piece < BOUNCE_SIZE)
		bounce->next = (bounce->next + 1) % BOUNCE_COUNT;
}

#endif /* ORNIC_DEVICE_BOUNCE_H */
