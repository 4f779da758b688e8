// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion counters */
#include <endian.h>
#include <stdlib.h>

#include "objects/comp_cntr.h"

struct comp_cntr *comp_cntr_find(const struct card *card, uint32_t num)
{
	struct obj *obj = obj_find(&card->comp_cntrs, num);

	return obj ? container_of(obj, struct comp_cntr, obj) : NULL;
}

/* The host only reads the words ([ORNIC-CNTR-6]), so the card never does */
static void comp_cntr_write(struct comp_cntr *cntr, unsigned int entry, uint64_t val)
{
	struct ornic_comp_counts *counts = guest_ref_ptr(&cntr->counts);

	cntr->val[entry] = val;
	if (counts)
		guest_store64(entry == ORNIC_COMP_CNTR_FAILED ? &counts->errors :
								&counts->completed, val);
	else
		DEVICE_VIOLATION(cntr->card, dma_faults, cntr->obj.num, 0,
				 "comp_cntr[%u]: out of reach", cntr->obj.num);
}

void comp_cntr_count(struct comp_cntr *cntr, bool failed)
{
	unsigned int entry = failed ? ORNIC_COMP_CNTR_FAILED : ORNIC_COMP_CNTR_COMPLETED;

	comp_cntr_write(cntr, entry, cntr->val[entry] + 1);
}

void comp_cntr_destroy(struct card *card, struct obj *obj)
{
	obj_remove(&card->comp_cntrs, obj);
	free(container_of(obj, struct comp_cntr, obj));
}

enum ornic_cmd_status comp_cntr_cmd_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_comp_cntr_in *in = cmd->in;
	uint64_t addr = le64toh(in->addr);
	struct ornic_object *out = cmd->out;
	struct comp_cntr *cntr;

	if (addr % sizeof(struct ornic_comp_counts))
		return ORNIC_CMD_BAD_PARAM;
	cntr = calloc(1, sizeof(*cntr));
	if (!cntr)
		return ORNIC_CMD_NO_RESOURCES;
	cntr->card = card;
	if (!guest_ref_init(&cntr->counts, &card->guest, addr,
			    sizeof(struct ornic_comp_counts), MEM_WRITE)) {
		free(cntr);
		return ORNIC_CMD_DMA_FAULT;
	}
	if (obj_add(&card->comp_cntrs, &cntr->obj)) {
		free(cntr);
		return ORNIC_CMD_NO_RESOURCES;
	}
	comp_cntr_write(cntr, ORNIC_COMP_CNTR_COMPLETED, 0);
	comp_cntr_write(cntr, ORNIC_COMP_CNTR_FAILED, 0);
	out->num = htole32(cntr->obj.num);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status comp_cntr_cmd_destroy(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->comp_cntrs, cmd, &obj);
	if (!status)
		comp_cntr_destroy(card, obj);
	return status;
}

enum ornic_cmd_status comp_cntr_cmd_modify(struct card *card, struct cmd *cmd)
{
	const struct ornic_modify_comp_cntr_in *in = cmd->in;
	struct comp_cntr *cntr = comp_cntr_find(card, le32toh(in->num));
	uint64_t val = le64toh(in->value);

	if (!CMD_RSVD_ZERO(in->rsvd) || in->entry > ORNIC_COMP_CNTR_FAILED ||
	    in->op > ORNIC_COMP_CNTR_ADD)
		return ORNIC_CMD_BAD_PARAM;
	if (!cntr)
		return ORNIC_CMD_BAD_OBJECT;
	if (in->op == ORNIC_COMP_CNTR_ADD)
		val += cntr->val[in->entry];
	comp_cntr_write(cntr, in->entry, val);
	return ORNIC_CMD_OK;
}
