/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Fault injection on the wire, set through the control socket */
#ifndef ORNIC_DEVICE_FAULT_H
#define ORNIC_DEVICE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "env/rng.h"

/* Probability of 1, in parts per million */
#define FAULT_ALWAYS 1000000
/* Long for a wire, but short compared to the retries of a requester */
#define FAULT_DELAY_NS (5ULL * 1000 * 1000)

/* One list makes enum and names */
#define FAULTS(F)                                                        \
	/* the packet is lost */                                         \
	F(LOSS, "loss")                                                  \
	/* the packet is delivered twice */                              \
	F(DUPLICATE, "duplicate")                                        \
	/* the packet moves to the end of the queue */                   \
	F(REORDER, "reorder")                                            \
	/* the packet is delivered FAULT_DELAY_NS later */               \
	F(DELAY, "delay")                                                \
	/* a bit behind the Ethernet header flips; not FRAME_LOCAL */    \
	F(CORRUPT, "corrupt")

enum fault_kind {
#define F(id, name) FAULT_##id,
	FAULTS(F)
#undef F
	FAULT_KINDS
};

/**
 * struct fault - state of the fault injection
 * @ppm: probability of each kind, in parts per million
 * @count: number of faults of each kind
 * @rng: decides whether a fault happens. Each start of the program begins with
 *	the same seed, so results can be reproduced.
 */
struct fault {
	uint32_t ppm[FAULT_KINDS];
	uint64_t count[FAULT_KINDS];
	struct rng rng;
};

/**
 * fault_init - start without faults
 * @fault: the faults
 */
void fault_init(struct fault *fault);

/**
 * fault_name - name of a kind in requests and statistics
 * @kind: the kind
 *
 * Return: a static string.
 */
const char *fault_name(enum fault_kind kind);

/**
 * fault_happens - decide at random whether a fault happens, and count it
 * @fault: the faults
 * @kind: the kind
 *
 * Return: true when the fault must happen now.
 */
static inline bool fault_happens(struct fault *fault, enum fault_kind kind)
{
	if (!fault->ppm[kind] ||
	    rng_below(&fault->rng, FAULT_ALWAYS) >= fault->ppm[kind])
		return false;
	fault->count[kind]++;
	return true;
}

#endif /* ORNIC_DEVICE_FAULT_H */
