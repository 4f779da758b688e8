// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* User contexts: doorbell pages and boards */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "objects/uctx.h"

#define UCTX_KERNEL_PAGE 0
#define UCTX_SLOTS_MIN 64

struct uctx *uctx_find(struct card *card, uint32_t num)
{
	struct obj *obj = obj_find(&card->uctxs, num);

	return obj ? container_of(obj, struct uctx, obj) : NULL;
}

static int uctx_grow(struct uctx *uctx)
{
	uint32_t size = uctx->slots_size ? uctx->slots_size * 2 :
					   UCTX_SLOTS_MIN;
	struct qp **slots;

	if (size > ORNIC_BOARD_SLOTS)
		size = ORNIC_BOARD_SLOTS;
	slots = realloc(uctx->slots, size * sizeof(struct qp *));
	if (!slots)
		return -ENOMEM;
	memset(slots + uctx->slots_size, 0,
	       (size - uctx->slots_size) * sizeof(struct qp *));
	uctx->slot_hint = uctx->slots_size;
	uctx->slots = slots;
	uctx->slots_size = size;
	return 0;
}

int uctx_slot_alloc(struct uctx *uctx, struct qp *qp, uint32_t *slot)
{
	struct watch_list *watches = &uctx->card->watches;

	*slot = ORNIC_BOARD_NO_SLOT;
	if (!uctx->has_board || uctx->slots_used == ORNIC_BOARD_SLOTS)
		return 0;
	if (uctx->slots_used == uctx->slots_size && uctx_grow(uctx))
		return -ENOMEM;
	while (uctx->slots[uctx->slot_hint])
		uctx->slot_hint = (uctx->slot_hint + 1) % uctx->slots_size;
	*slot = uctx->slot_hint;
	uctx->slots[*slot] = qp;
	if (uctx->slots_used++ == 0) {
		list_add_tail(&uctx->active, &watches->boards);
		watch_board(watches, &uctx->board, true);
	}
	return 0;
}

void uctx_slot_free(struct uctx *uctx, uint32_t slot)
{
	if (slot == ORNIC_BOARD_NO_SLOT)
		return;
	uctx->slots[slot] = NULL;
	uctx->slot_hint = slot;
	if (--uctx->slots_used == 0) {
		list_del_init(&uctx->active);
		watch_board(&uctx->card->watches, &uctx->board, false);
	}
}

void uctx_destroy(struct card *card, struct obj *obj)
{
	struct uctx *uctx = container_of(obj, struct uctx, obj);

	obj_remove(&card->uctxs, &uctx->obj);
	list_del_init(&uctx->active);
	free(uctx->slots);
	free(uctx);
}

static int uctx_add(struct card *card, struct uctx *uctx)
{
	if (uctx->kernel)
		return obj_add_at(&card->uctxs, &uctx->obj, UCTX_KERNEL_PAGE);
	return obj_add(&card->uctxs, &uctx->obj);
}

enum ornic_cmd_status uctx_cmd_alloc(struct card *card, struct cmd *cmd)
{
	const struct ornic_alloc_uctx_in *in = cmd->in;
	uint64_t board = le64toh(in->board_addr);
	uint32_t flags = le32toh(in->flags);
	struct ornic_object *out = cmd->out;
	enum ornic_cmd_status status;
	struct uctx *uctx;

	if (in->rsvd || flags & ~ORNIC_UCTX_KERNEL ||
	    board & (sizeof(struct ornic_board) - 1))
		return ORNIC_CMD_BAD_PARAM;
	uctx = calloc(1, sizeof(*uctx));
	if (!uctx)
		return ORNIC_CMD_NO_RESOURCES;
	uctx->card = card;
	uctx->kernel = flags & ORNIC_UCTX_KERNEL;
	uctx->has_board = board && card->watches.shadow;
	list_init(&uctx->active);
	status = ORNIC_CMD_DMA_FAULT;
	if (uctx->has_board &&
	    !guest_ref_init(&uctx->board, &card->guest, board,
			    sizeof(struct ornic_board), MEM_READ | MEM_WRITE))
		goto err_free;
	status = ORNIC_CMD_NO_RESOURCES;
	if (uctx_add(card, uctx))
		goto err_free;
	out->num = htole32(uctx->obj.num);
	return ORNIC_CMD_OK;

err_free:
	free(uctx);
	return status;
}

enum ornic_cmd_status uctx_cmd_free(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->uctxs, cmd, &obj);
	if (!status)
		uctx_destroy(card, obj);
	return status;
}
