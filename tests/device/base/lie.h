/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Lies: breaches of the hardware interface on purpose, to test a driver against
 * a card that it cannot trust.
 *
 * A lie has a kind and a place. The places are where the card writes to the
 * host or answers it. The card lies only while the driver is up: the admin queue
 * runs, the card has not stopped, and the port is up. So any driver can start.
 */
#ifndef ORNIC_DEVICE_LIE_H
#define ORNIC_DEVICE_LIE_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "env/mem.h"
#include "env/rng.h"
#include "env/timer.h"

/* Rate at which each opportunity is taken, in parts per million */
#define LIE_ALWAYS 1000000

/* One list makes enum and names */
#define LIE_PLACE_LIST(P)                                                     \
	P(COMMAND, "command")		/* completions of commands, outputs */ \
	P(EVENT, "event")		/* entries of EQs */                  \
	P(COMPLETION, "completion")	/* entries of CQs */                  \
	P(INTERRUPT, "interrupt")                                             \
	P(REGISTER, "register")		/* values read */                     \
	P(MEMORY, "memory")		/* writes that nothing asked for */

enum lie_place {
#define P(id, name) LIE_##id,
	LIE_PLACE_LIST(P)
#undef P
	LIE_PLACES
};

#define LIE_AT(place)	(1u << LIE_##place)
#define LIE_ENTRY	(LIE_AT(COMMAND) | LIE_AT(EVENT) | LIE_AT(COMPLETION))

/* Label, places, description; "entry" is one of a ring that the host reads */
#define LIES(L)                                                               \
	L(PHASE, "phase", LIE_ENTRY,                                          \
	  "an entry has the wrong phase, so the host does not see it")        \
	L(INDEX, "index", LIE_AT(COMMAND) | LIE_AT(COMPLETION),               \
	  "cmd_id or wr_id is another one")                                   \
	L(LENGTH, "length", LIE_AT(COMMAND) | LIE_AT(COMPLETION),             \
	  "out_len or byte_len is another one")                               \
	L(NUMBER, "number", LIE_ENTRY,                                        \
	  "the number of the object is another one")                          \
	L(STATUS, "status", LIE_AT(COMMAND) | LIE_AT(COMPLETION),             \
	  "a success is reported as a failure, a failure as a success")       \
	L(TYPE, "type", LIE_AT(EVENT) | LIE_AT(COMPLETION),                   \
	  "the type of an event or the opcode is another one")                \
	L(ORDER, "order", LIE_AT(EVENT) | LIE_AT(COMPLETION),                 \
	  "an entry comes after the next one of its ring")                    \
	L(TWICE, "twice", LIE_ENTRY, "an entry is written twice")             \
	L(SILENCE, "silence", LIE_ENTRY | LIE_AT(INTERRUPT),                  \
	  "an entry is not written, an interrupt not raised")                 \
	L(LATE, "late", LIE_AT(INTERRUPT),                                    \
	  "an interrupt is raised up to 100 ms later")                        \
	L(SPURIOUS, "spurious", LIE_AT(EVENT) | LIE_AT(INTERRUPT),            \
	  "an event or an interrupt that nothing caused")                     \
	L(NONSENSE, "nonsense", LIE_ENTRY | LIE_AT(REGISTER),                 \
	  "random bits, in an entry with the right phase")                    \
	L(ONES, "ones", LIE_ENTRY | LIE_AT(REGISTER),                         \
	  "all ones, in an entry with the right phase")                       \
	L(DMA, "dma", LIE_AT(MEMORY),                                         \
	  "rings are written after CTRL.RESET, until the bus is off")

enum lie_kind {
#define L(id, label, places, help) LIE_##id,
	LIES(L)
#undef L
	LIE_KINDS,
	LIE_NONE = LIE_KINDS
};

/**
 * struct lie_config - which lies a card tells
 * @at: places of each kind, bit n: enum lie_place n; 0: the kind is not told
 * @ppm: rate at which the card takes an opportunity
 * @seed: of the random numbers; the same seed and the same opportunities give
 *	the same lies
 * @count: lies to tell before the card is honest again; 0: no limit
 * @until_reset: the card is honest again after its next reset
 */
struct lie_config {
	uint8_t at[LIE_KINDS];
	uint32_t ppm;
	uint64_t seed;
	uint64_t count;
	bool until_reset;
};

/* Rings that are written after a reset, and entries of each */
#define LIE_GHOST_RINGS 12
#define LIE_GHOST_ENTRIES 2

/**
 * struct lie_ghost - an entry to write after a reset
 * @addr: bus address
 * @len: bytes; the last 4 have the phase in bit 31
 * @phase: that bit, as the host expects it
 */
struct lie_ghost {
	gaddr_t addr;
	uint32_t len;
	uint32_t phase;
};

/**
 * struct lie - what a card lies about
 * @config: as set last
 * @rng: decides on lies and their content
 * @left: lies left of @config.count
 * @told: lies told since the start of the program
 * @timer: ends the delay of everything below
 * @cqe: a completion that comes after the next one, if @cqe_held
 * @ext: first half of the entry of @cqe, if @has_ext
 * @cqe_held: see there
 * @has_ext: see there
 * @solicited: of @cqe
 * @cqn: of @cqe
 * @eqe: an event that comes after the next one, if @eqe_held
 * @eqe_held: see there
 * @eqn: of @eqe
 * @late: vectors to raise, bit n: vector n
 * @ghost: entries to write
 * @ghosts: number of @ghost
 */
struct lie {
	struct lie_config config;
	struct rng rng;
	uint64_t left;
	uint64_t told[LIE_KINDS][LIE_PLACES];
	struct timer timer;
	struct ornic_cqe cqe;
	struct ornic_cqe_ext ext;
	bool cqe_held;
	bool has_ext;
	bool solicited;
	uint32_t cqn;
	struct ornic_eqe eqe;
	bool eqe_held;
	uint32_t eqn;
	uint64_t late;
	struct lie_ghost ghost[LIE_GHOST_RINGS * LIE_GHOST_ENTRIES];
	unsigned int ghosts;
};

/**
 * lie_parse - read a list of lies
 * @config: filled in; without "rate=" every opportunity is taken
 * @text: words with commas between: labels, labels with a place (phase.event),
 *	all, none, rate=PPM, seed=N, count=N, until=reset. Overwritten.
 *
 * Return: NULL, or the reason why the text is refused.
 */
const char *lie_parse(struct lie_config *config, char *text);

/**
 * lie_is_any - does a configuration have any kind
 * @config: the configuration
 *
 * Return: true unless the card is honest.
 */
bool lie_is_any(const struct lie_config *config);

/**
 * lie_help - describe a kind
 * @i: number of the line, from 0
 *
 * Return: label and description in static memory; NULL when there are no more.
 */
const char *lie_help(unsigned int i);

/**
 * lie_stats - report the lies told, "lies.KIND.PLACE"
 * @lie: what the card lies about
 * @fn: called for each
 * @arg: passed to @fn
 */
void lie_stats(const struct lie *lie,
	       void (*fn)(void *arg, const char *name, uint64_t value),
	       void *arg);

#endif /* ORNIC_DEVICE_LIE_H */
