// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RWQ tables */
#include <endian.h>
#include <stdlib.h>

#include "base/state.h"
#include "eth/rwq_table.h"
#include "eth/wq.h"

struct rwq_table *rwq_table_find(const struct card *card, uint32_t num)
{
	struct obj *obj = obj_find(&card->rwq_tables, num);

	return obj ? container_of(obj, struct rwq_table, obj) : NULL;
}

static void rwq_table_destroy(struct card *card, struct rwq_table *rwq_table)
{
	unsigned int i;

	obj_remove(&card->rwq_tables, &rwq_table->obj);
	for (i = 0; i < 1u << rwq_table->log_size; i++)
		obj_put(&rwq_table->wq[i]->base.obj);
	free(rwq_table);
}

void rwq_table_destroy_all(struct card *card, struct obj_walk *walk)
{
	struct obj *obj;

	while ((obj = obj_walk_next(&card->rwq_tables, walk))) {
		struct rwq_table *rwq_table = container_of(obj, struct rwq_table, obj);

		obj_walk_spend(walk, 1u << rwq_table->log_size);
		rwq_table_destroy(card, rwq_table);
	}
}

enum ornic_cmd_status rwq_table_cmd_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_rwq_table_in *in = cmd->in;
	struct ornic_object *out = cmd->out;
	unsigned int i, count;
	struct rwq_table *rwq_table;

	if (in->log_size > CARD_MAX_LOG_RWQ_SIZE || !CMD_RSVD_ZERO(in->rsvd))
		return ORNIC_CMD_BAD_PARAM;
	count = 1u << in->log_size;
	if (cmd->in_len < sizeof(*in) + count * sizeof(in->wqn[0]))
		return ORNIC_CMD_BAD_SIZE;
	/* Input behind the last entry must be 0, as a tail ([ORNIC-RSS-1]) */
	if (!cmd_is_zero(in->wqn + count, cmd->in_len - sizeof(*in) -
					  count * sizeof(in->wqn[0])))
		return ORNIC_CMD_BAD_SIZE;
	rwq_table = calloc(1, sizeof(*rwq_table) + count * sizeof(rwq_table->wq[0]));
	if (!rwq_table)
		return ORNIC_CMD_NO_RESOURCES;
	rwq_table->log_size = in->log_size;
	for (i = 0; i < count; i++) {
		rwq_table->wq[i] = wq_find(card, le32toh(in->wqn[i]));
		if (!rwq_table->wq[i]) {
			free(rwq_table);
			return ORNIC_CMD_BAD_OBJECT;
		}
	}
	if (obj_add(&card->rwq_tables, &rwq_table->obj)) {
		free(rwq_table);
		return ORNIC_CMD_NO_RESOURCES;
	}
	for (i = 0; i < count; i++)
		obj_get(&rwq_table->wq[i]->base.obj);
	out->num = htole32(rwq_table->obj.num);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status rwq_table_cmd_destroy(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&card->rwq_tables, cmd, &obj);
	if (!status)
		rwq_table_destroy(card, container_of(obj, struct rwq_table, obj));
	return status;
}
