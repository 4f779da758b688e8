/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The admin queue: fetches commands, checks their sizes against one table,
 * calls the handler, writes the answer and the completion.
 */
#ifndef ORNIC_DEVICE_ADMIN_H
#define ORNIC_DEVICE_ADMIN_H

#include <stdbool.h>
#include <stdint.h>

struct card;

/**
 * admin_enable - start the queue with empty rings
 * @card: the card
 * @log_depth: log2 of the entries of each ring
 * @sq_addr: bus address of the submission ring
 * @cq_addr: bus address of the completion ring
 * @dbr_addr: bus address of struct ornic_admin_dbr, or 0
 */
void admin_enable(struct card *card, unsigned int log_depth, uint64_t sq_addr,
		  uint64_t cq_addr, uint64_t dbr_addr);

/**
 * admin_disable - stop the queue and drop incomplete commands
 * @card: the card
 */
void admin_disable(struct card *card);

/**
 * admin_ring - handle a write to ORNIC_REG_ADMIN_DB
 * @card: the card
 * @pi: value written
 */
void admin_ring(struct card *card, uint32_t pi);

/**
 * admin_watch - tell the host whether the card looks at the record
 * @card: the card
 * @watched: value of sq_watched
 */
void admin_watch(struct card *card, bool watched);

/**
 * admin_look - read the producer index in the record
 * @card: the card
 *
 * Return: true when there is a command to execute or to continue.
 */
bool admin_look(struct card *card);

/**
 * admin_pending - is there a command to execute or to continue
 * @card: the card
 *
 * Return: true when there is.
 */
bool admin_pending(const struct card *card);

/**
 * admin_run - look for commands and execute them
 * @card: the card
 * @budget: largest number of commands
 *
 * Return: true when any command was executed.
 */
bool admin_run(struct card *card, unsigned int budget);

#endif /* ORNIC_DEVICE_ADMIN_H */
