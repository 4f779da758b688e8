/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Faults of the wire, asked for through the control socket. */
#ifndef ORNIC_DEVICE_FAULT_H
#define ORNIC_DEVICE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* Chances are in parts per million. */
#define FAULT_ALWAYS 1000000
/* Long for a wire, short for a requester's patience */
#define FAULT_DELAY_NS (5ULL * 1000 * 1000)

/* One list makes enum and names. */
#define FAULTS(F)                                                        \
	/* the packet is gone */                                         \
	F(LOSS, "loss")                                                  \
	/* it is delivered twice */                                      \
	F(DUPLICATE, "duplicate")                                        \
	/* it goes behind all that are queued */                         \
	F(REORDER, "reorder")                                            \
	/* it comes FAULT_DELAY_NS later */                              \
	F(DELAY, "delay")                                                \
	/* one bit behind the Ethernet header flips; needs real bytes */ \
	F(CORRUPT, "corrupt")

enum fault_kind {
#define F(id, name) FAULT_##id,
	FAULTS(F)
#undef F
	FAULT_KINDS
};

/**
 * struct fault - what may happen to a packet
 * @ppm: chance of each kind
 * @count: how often each happened
 * @random: state of the generator, not 0; the same for each start of the
 *	program, so that what was seen once can be seen again
 */
struct fault {
	uint32_t ppm[FAULT_KINDS];
	uint64_t count[FAULT_KINDS];
	uint64_t random;
};

/**
 * fault_init - nothing happens
 * @fault: the faults
 */
void fault_init(struct fault *fault);

/**
 * fault_seed - begin the random numbers anew
 * @fault: the faults
 * @seed: the same seed gives the same numbers
 */
void fault_seed(struct fault *fault, uint64_t seed);

/**
 * fault_name - name of a kind in requests and statistics
 * @kind: the kind
 *
 * Return: a static string.
 */
const char *fault_name(enum fault_kind kind);

/**
 * fault_number - a random number
 * @fault: the faults
 * @below: more than any result, not 0
 *
 * Return: 0 to @below - 1.
 */
uint32_t fault_number(struct fault *fault, uint32_t below);

/**
 * fault_happens - roll the dice and count
 * @fault: the faults
 * @kind: the kind
 *
 * Return: true when it shall happen now.
 */
static inline bool fault_happens(struct fault *fault, enum fault_kind kind)
{
	if (!fault->ppm[kind] ||
	    fault_number(fault, FAULT_ALWAYS) >= fault->ppm[kind])
		return false;
	fault->count[kind]++;
	return true;
}

#endif /* ORNIC_DEVICE_FAULT_H */
