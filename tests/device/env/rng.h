/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Random numbers that a seed repeats: of faults on the wire, and of lies */
#ifndef ORNIC_DEVICE_RNG_H
#define ORNIC_DEVICE_RNG_H

#include <stdint.h>

/**
 * struct rng - a generator
 * @state: never 0
 */
struct rng {
	uint64_t state;
};

/**
 * rng_seed - start a generator
 * @rng: the generator
 * @seed: the same seed gives the same numbers
 */
void rng_seed(struct rng *rng, uint64_t seed);

/**
 * rng_bits - 64 random bits
 * @rng: seeded
 *
 * Return: the bits; the high ones are the better ones.
 */
uint64_t rng_bits(struct rng *rng);

/**
 * rng_below - a random number
 * @rng: seeded
 * @below: upper limit of the result, exclusive, not 0
 *
 * Return: 0 to @below - 1.
 */
uint32_t rng_below(struct rng *rng, uint32_t below);

#endif /* ORNIC_DEVICE_RNG_H */
