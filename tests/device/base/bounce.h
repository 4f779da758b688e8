/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Bounce buffers: copies of payload that must not change once its WQE is
 * complete, or once its ICRC is computed.
 *
 * A frame refers to payload in place until the switch has delivered it. RC
 * completes a WQE after the acknowledgement, which is later. Payload of WQEs
 * that complete at once (RAW_PACKET, UD, UC), inline data, and payload of RoCE
 * packets that have an ICRC is copied to a piece from here. A piece is reused
 * after all other pieces were used. By then its frame is delivered, because the
 * switch delivers in order and a port has at most ENV_FRAMES_MAX frames in
 * flight.
 */
#ifndef ORNIC_DEVICE_BOUNCE_H
#define ORNIC_DEVICE_BOUNCE_H

#include <stdint.h>

#include "env/env.h"

/* A frame of 9000 bytes with its header and VLAN tag, rounded up */
#define BOUNCE_SIZE 9216
/* Frames in flight, and the piece being filled */
#define BOUNCE_COUNT (ENV_FRAMES_MAX + 1)

/**
 * struct bounce - bounce pieces of a card
 * @next: piece to hand out, until a frame that refers to it is sent
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
 * bounce_uninit - undo bounce_init()
 * @bounce: initialised, or all zero
 */
void bounce_uninit(struct bounce *bounce);

/**
 * bounce_take - get a piece to copy payload to
 * @bounce: of the card
 *
 * The piece is for a frame from env_frame_alloc(). If that frame is not sent,
 * the next call returns the same piece.
 *
 * Return: a piece of BOUNCE_SIZE bytes.
 */
static inline uint8_t *bounce_take(struct bounce *bounce)
{
	return bounce->mem[bounce->next];
}

/**
 * bounce_sent - note that a frame is being sent
 * @bounce: of the card
 * @frame: any frame; if it refers to the piece taken last, that piece is in use
 */
static inline void bounce_sent(struct bounce *bounce, const struct frame *frame)
{
	uintptr_t piece = (uintptr_t)bounce->mem[bounce->next];

	if (frame->iov_count &&
	    (uintptr_t)frame->iov[0].iov_base - piece < BOUNCE_SIZE)
		bounce->next = (bounce->next + 1) % BOUNCE_COUNT;
}

#endif /* ORNIC_DEVICE_BOUNCE_H */
