// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RWQ tables */
#include <endian.h>
#include <stdlib.h>

#include "core.h"
#include "qp.h"
#include "rwq.h"
#include "wq.h"

struct rwq *rwq_find(const struct nic *nic, uint32_t num)
{
	struct obj *obj = obj_find(&nic->rwqs, num);

	return obj ? container_of(obj, struct rwq, obj) : NULL;
}

static void rwq_destroy(struct nic *nic, struct rwq *rwq)
{
	unsigned int i;

	obj_remove(&nic->rwqs, &rwq->obj);
	for (i = 0; i < 1u << rwq->log_size; i++)
		obj_put(&rwq->wq[i]->obj);
	free(rwq);
}

void rwq_destroy_all(struct nic *nic, struct obj_walk *walk)
{
	struct obj *obj;

	while ((obj = obj_walk_next(&nic->rwqs, walk))) {
		struct rwq *rwq = container_of(obj, struct rwq, obj);

		obj_walk_spend(walk, 1u << rwq->log_size);
		rwq_destroy(nic, rwq);
	}
}

enum ornic_cmd_status rwq_cmd_create(struct nic *nic, struct cmd *cmd)
{
	const struct ornic_create_rwq_table_in *in = cmd->in;
	struct ornic_object *out = cmd->out;
	unsigned int i, count;
	struct rwq *rwq;

	if (in->log_size > CORE_MAX_LOG_RWQ_SIZE || !CMD_RSVD_ZERO(in->rsvd))
		return ORNIC_CMD_BAD_PARAM;
	count = 1u << in->log_size;
	if (cmd->in_len < sizeof(*in) + count * sizeof(in->wqn[0]))
		return ORNIC_CMD_BAD_SIZE;
	/* Input behind the last entry must be 0, as a tail ([ORNIC-RSS-1]) */
	if (!cmd_is_zero(in->wqn + count, cmd->in_len - sizeof(*in) -
					  count * sizeof(in->wqn[0])))
		return ORNIC_CMD_BAD_SIZE;
	rwq = calloc(1, sizeof(*rwq) + count * sizeof(rwq->wq[0]));
	if (!rwq)
		return ORNIC_CMD_NO_RESOURCES;
	rwq->log_size = in->log_size;
	for (i = 0; i < count; i++) {
		rwq->wq[i] = wq_find(nic, le32toh(in->wqn[i]));
		if (!rwq->wq[i]) {
			free(rwq);
			return ORNIC_CMD_BAD_OBJECT;
		}
	}
	if (obj_add(&nic->rwqs, &rwq->obj)) {
		free(rwq);
		return ORNIC_CMD_NO_RESOURCES;
	}
	for (i = 0; i < count; i++)
		obj_get(&rwq->wq[i]->obj);
	out->num = htole32(rwq->obj.num);
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status rwq_cmd_destroy(struct nic *nic, struct cmd *cmd)
{
	enum ornic_cmd_status status;
	struct obj *obj;

	status = cmd_find_unused(&nic->rwqs, cmd, &obj);
	if (!status)
		rwq_destroy(nic, container_of(obj, struct rwq, obj));
	return status;
}
