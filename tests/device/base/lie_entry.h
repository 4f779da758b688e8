/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Lies as they are told: in entries, interrupts and registers */
#ifndef ORNIC_DEVICE_LIE_ENTRY_H
#define ORNIC_DEVICE_LIE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "base/lie.h"

struct card;

/**
 * lie_set - set what the card lies about from now on
 * @card: the card
 * @config: copied
 */
void lie_set(struct card *card, const struct lie_config *config);

/**
 * lie_choose - decide whether to lie
 * @card: the card
 * @place: place of the opportunity
 *
 * Return: the kind or LIE_NONE.
 */
enum lie_kind lie_choose(struct card *card, enum lie_place place);

/**
 * lie_fill - fill memory with random bits
 * @rng: of the card's lies
 * @p: first byte
 * @len: bytes, a multiple of 4
 */
void lie_fill(struct rng *rng, void *p, size_t len);

/**
 * lie_told - count a lie
 * @card: the card
 * @kind: its kind, or LIE_NONE
 * @place: its place
 */
void lie_told(struct card *card, enum lie_kind kind, enum lie_place place);

/*
 * Decide whether to lie about an entry that is to be written, and change it
 * accordingly; its phase bit is the difference to the right phase. The caller
 * does the rest for NUMBER of a command, ORDER, TWICE, SILENCE and SPURIOUS, and
 * calls lie_told(). Return: the kind or LIE_NONE.
 */
enum lie_kind lie_command(struct card *card, struct ornic_cmd_cqe *cqe,
			  bool has_output);
enum lie_kind lie_event(struct card *card, struct ornic_eqe *eqe);
enum lie_kind lie_completion(struct card *card, struct ornic_cqe *cqe);

/* Return: a number other than @num, for the output of a command */
uint32_t lie_number(struct card *card, uint32_t num);
/* Fill in an event that nothing caused */
void lie_spurious_event(struct card *card, struct ornic_eqe *eqe);

/* Hold an entry back until lie_cqe_due(), lie_eqe_due() or the timer */
void lie_hold_cqe(struct card *card, uint32_t cqn, const struct ornic_cqe *cqe,
		  const struct ornic_cqe_ext *ext, bool solicited);
void lie_hold_eqe(struct card *card, uint32_t eqn, const struct ornic_eqe *eqe);
/* Return: true once for an entry of this ring that is to be written now */
bool lie_cqe_due(struct card *card, uint32_t cqn);
bool lie_eqe_due(struct card *card, uint32_t eqn);

/* Raise an interrupt, or not, or another one, or later; these count the lie */
void lie_irq(struct card *card, unsigned int vector);
/* Return: the value that a register of @size bytes is said to have */
uint64_t lie_register(struct card *card, unsigned int size, uint64_t val);

#endif /* ORNIC_DEVICE_LIE_ENTRY_H */
