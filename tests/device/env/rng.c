// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Random numbers that a seed repeats */
#include "env/rng.h"

#define RNG_FACTOR 0x9e3779b97f4a7c15ULL

void rng_seed(struct rng *rng, uint64_t seed)
{
	/* The product of odd numbers is odd: never 0, the state that never changes */
	rng->state = (2 * seed + 1) * RNG_FACTOR;
}

/* Marsaglia's xorshift64* */
uint64_t rng_bits(struct rng *rng)
{
	rng->state ^= rng->state >> 12;
	rng->state ^= rng->state << 25;
	rng->state ^= rng->state >> 27;
	return rng->state * 0x2545f4914f6cdd1dULL;
}

uint32_t rng_below(struct rng *rng, uint32_t below)
{
	/* The high bits are the good ones */
	return (rng_bits(rng) >> 32) * below >> 32;
}
