/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User contexts: a doorbell page, a board, and the queues that use them */
#ifndef ORNIC_DEVICE_UCTX_H
#define ORNIC_DEVICE_UCTX_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/guest.h"
#include "base/obj.h"
#include "env/list.h"

struct cmd;
struct card;
struct qp;

/**
 * struct uctx - a user context
 * @obj: number, which is that of the doorbell page, and users (CQs, QPs)
 * @card: the card
 * @kernel: ORNIC_UCTX_KERNEL, page 0
 * @has_board: @board is valid
 * @board: reference to struct ornic_board
 * @slots: QPs, by slot of the board
 * @slots_size: size of @slots
 * @slots_used: number of QPs with a slot
 * @slot_hint: where the search for a free slot starts
 * @scan_from: word of the board where the next scan starts
 * @active: in the card's list of boards to scan, while @slots_used is not 0
 * @db_low: low half of a doorbell that is written as two halves
 */
struct uctx {
	struct obj obj;
	struct card *card;
	bool kernel;
	bool has_board;
	struct guest_ref board;
	struct qp **slots;
	uint32_t slots_size;
	uint32_t slots_used;
	uint32_t slot_hint;
	uint32_t scan_from;
	struct list_head active;
	uint32_t db_low;
};

/**
 * uctx_find - look up a context by number
 * @card: the card
 * @num: any number
 *
 * Return: the context or NULL.
 */
struct uctx *uctx_find(struct card *card, uint32_t num);

/**
 * uctx_slot_alloc - allocate a slot on the board for a QP
 * @uctx: the context
 * @qp: the QP; qp_kick() may be called from now on
 * @slot: the slot, or ORNIC_BOARD_NO_SLOT when the context has no board or the
 *	board is full; the QP then uses doorbells
 *
 * Return: 0 or -ENOMEM.
 */
int uctx_slot_alloc(struct uctx *uctx, struct qp *qp, uint32_t *slot);

/**
 * uctx_slot_free - free a slot
 * @uctx: the context
 * @slot: the slot, or ORNIC_BOARD_NO_SLOT
 */
void uctx_slot_free(struct uctx *uctx, uint32_t slot);

/**
 * uctx_destroy - destroy a user context
 * @card: the card
 * @obj: without users
 */
void uctx_destroy(struct card *card, struct obj *obj);

enum ornic_cmd_status uctx_cmd_alloc(struct card *card, struct cmd *cmd);
enum ornic_cmd_status uctx_cmd_free(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_UCTX_H */
