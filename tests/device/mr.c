// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory regions. */
#include <errno.h>
#include <stdlib.h>

#include "core.h"
#include "mr.h"
#include "pd.h"

#define MR_KEY_SHIFT 8

static struct mr *mr_find(struct nic *nic, uint32_t key)
{
	struct obj *obj = obj_find(&nic->mrs, key >> MR_KEY_SHIFT);
	struct mr *mr;

	if (!obj)
		return NULL;
	mr = container_of(obj, struct mr, obj);
	return mr->key == key ? mr : NULL;
}

static uint64_t mr_base(const struct mr *mr)
{
	return mr->access & ORNIC_ACCESS_ZERO_BASED ? 0 : mr->iova;
}

enum mr_error mr_get(struct nic *nic, uint32_t key, const struct pd *pd,
		     uint32_t access, uint64_t addr, uint64_t len, bool kernel,
		     struct mr **mrp)
{
	struct mr *mr = mr_find(nic, key);
	uint64_t base;

	if (!mr)
		return MR_BAD_KEY;
	if (mr->pd != pd || (mr->type == ORNIC_MR_DMA && !kernel))
		return MR_BAD_PD;
	if ((mr->access & access) != access)
		return MR_BAD_ACCESS;
	base = mr_base(mr);
	/* Differences do not wrap where sums may. */
	if (addr < base || len > mr->length || addr - base > mr->length - len)
		return MR_BAD_RANGE;
	*mrp = mr;
	return MR_OK;
}

int mr_iov(struct mr *mr, uint64_t addr, uint64_t *len, unsigned int dir,
	   struct iovec *iov, int max)
{
	int ret;

	if (mr->type == ORNIC_MR_MEMORY)
		return buf_iov(&mr->buf,
			       mr->first_offset + (addr - mr_base(mr)), len,
			       iov, max);
	/* In pieces here: fewer bytes until the pieces fit. */
	while ((ret = mem_iov(mr->guest->mem, addr, *len, dir, iov, max)) ==
	       -E2BIG)
		*len = (*len + 1) / 2;
	return ret;
}

static void mr_destroy(struct nic *nic, struct mr *mr)
{
	obj_remove(&nic->mrs, &mr->obj);
	obj_put(&mr->pd->obj);
	buf_uninit(&mr->buf);
	free(mr);
}

void mr_destroy_all(struct nic *nic)
{
	uint32_t i = 0;
	struct obj *obj;

	while ((obj = obj_each(&nic->mrs, &i)))
		mr_destroy(nic, container_of(obj, struct mr, obj));
}

static bool mr_access_valid(uint32_t access)
{
	/* IBTA 10.6.3.1: what the wire may write the consumer may write */
	return !(access & ~MR_ACCESS_FLAGS) &&
	       (access & ORNIC_ACCESS_LOCAL_WRITE ||
		!(access & (ORNIC_ACCESS_REMOTE_WRITE |
			    ORNIC_ACCESS_REMOTE_ATOMIC)));
}

static enum ornic_cmd_status mr_init_memory(struct nic *nic, struct mr *mr,
					    const struct ornic_create_mr_in *in)
{
	unsigned int dir = MEM_READ;

	if (!mr->length || mr->length > MR_MAX_SIZE ||
	    mr->iova + (mr->length - 1) < mr->iova)
		return ORNIC_CMD_BAD_PARAM;
	if (mr->access & ORNIC_ACCESS_LOCAL_WRITE)
		dir |= MEM_WRITE;
	return buf_init(&mr->buf, &nic->guest, &nic->budget, &in->buf,
			mr->first_offset, mr->length, dir);
}

static enum ornic_cmd_status mr_init_dma(struct mr *mr,
					 const struct ornic_create_mr_in *in)
{
	if (mr->iova || mr->length || mr->first_offset ||
	    !CMD_RSVD_ZERO(in->buf))
		return ORNIC_CMD_BAD_PARAM;
	/* All but the very last byte, which is no memory anywhere */
	mr->length = UINT64_MAX;
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status mr_cmd_create(struct nic *nic, struct cmd *cmd)
{
	const struct ornic_create_mr_in *in = cmd->in;
	struct ornic_create_mr_out *out = cmd->out;
	uint32_t access = le32toh(in->access);
	enum ornic_cmd_status status;
	struct pd *pd;
	struct mr *mr;

	if (in->type > ORNIC_MR_NULL || !CMD_RSVD_ZERO(in->rsvd))
		return ORNIC_CMD_BAD_PARAM;
	if (in->type != ORNIC_MR_MEMORY && in->type != ORNIC_MR_DMA)
		return ORNIC_CMD_NOT_SUPPORTED;
	if (!mr_access_valid(access) || in->max_pages)
		return ORNIC_CMD_BAD_PARAM;
	pd = pd_find(nic, le32toh(in->pdn));
	if (!pd)
		return ORNIC_CMD_BAD_OBJECT;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return ORNIC_CMD_NO_RESOURCES;
	mr->pd = pd;
	mr->type = in->type;
	mr->access = access;
	mr->iova = le64toh(in->iova);
	mr->length = le64toh(in->length);
	mr->first_offset = le64toh(in->first_offset);
	mr->guest = &nic->guest;
	status = mr->type == ORNIC_MR_MEMORY ? mr_init_memory(nic, mr, in) :
					       mr_init_dma(mr, in);
	if (status)
		goto err_free;
	status = ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&nic->mrs, &mr->obj))
		goto err_buf;
	mr->key = mr->obj.num << MR_KEY_SHIFT | in->variant;
	obj_get(&pd->obj);
	out->key = htole32(mr->key);
	return ORNIC_CMD_OK;

err_buf:
	buf_uninit(&mr->buf);
err_free:
	free(mr);
	return status;
}

enum ornic_cmd_status mr_cmd_destroy(struct nic *nic, struct cmd *cmd)
{
	const struct ornic_object *in = cmd->in;
	struct mr *mr;

	if (in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	mr = mr_find(nic, le32toh(in->num));
	if (!mr)
		return ORNIC_CMD_BAD_OBJECT;
	if (mr->obj.users)
		return ORNIC_CMD_BUSY;
	mr_destroy(nic, mr);
	return ORNIC_CMD_OK;
}
