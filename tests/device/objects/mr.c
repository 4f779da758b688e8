// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory regions */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "objects/mr.h"
#include "objects/pd.h"

#define MR_KEY_SHIFT 8
/* Larger page shifts have no description (buf.c) and may exceed 64 bits */
#define MR_REG_SHIFT_MAX 31

/* buf_fill() does not clear the groups of a large buffer */
_Static_assert(MR_MAX_REG_PAGES <= BUF_STEP, "pages of a REG_MR");

static struct mr *mr_find_index(struct card *card, uint32_t key)
{
	struct obj *obj = obj_find(&card->mrs, key >> MR_KEY_SHIFT);

	return obj ? container_of(obj, struct mr, obj) : NULL;
}

struct mr *mr_find(struct card *card, uint32_t key)
{
	struct mr *mr = mr_find_index(card, key);

	return mr && mr->key == key ? mr : NULL;
}

const char *mr_error_name(enum mr_error err)
{
	static const char *const names[] = {
		[MR_BAD_KEY] = "no such key",
		[MR_BAD_PD] = "key of another PD or QP",
		[MR_BAD_ACCESS] = "access not allowed",
		[MR_BAD_RANGE] = "out of range",
		[MR_BAD_TYPE] = "not of this type",
		[MR_BAD_STATE] = "in use",
		[MR_BAD_PAGES] = "pages out of reach",
	};

	return names[err];
}

/* May @user use the key for this access ([ORNIC-KEY-1])? */
static bool mr_is_for(const struct mr *mr, const struct mr_user *user,
		      uint32_t access)
{
	if (mr->type == ORNIC_MR_NULL)
		return !(access & MR_ACCESS_REMOTE);
	if (mr->pdn != user->pdn)
		return false;
	switch (mr->type) {
	case ORNIC_MR_DMA:
		return user->kernel;
	case ORNIC_MR_MW1:
		return access & MR_ACCESS_REMOTE;
	case ORNIC_MR_MW2:
		return access & MR_ACCESS_REMOTE && mr->qpn == user->qpn;
	default:
		return true;
	}
}

enum mr_error mr_get(struct card *card, const struct mr_user *user, uint32_t key,
		     uint32_t access, uint64_t addr, uint64_t len,
		     struct mr **mrp)
{
	struct mr *mr = mr_find(card, key);

	if (!mr || !mr->valid)
		return MR_BAD_KEY;
	if (!mr_is_for(mr, user, access))
		return MR_BAD_PD;
	if ((mr->access & access) != access)
		return MR_BAD_ACCESS;
	if (!mr_holds(mr, addr, len))
		return MR_BAD_RANGE;
	*mrp = mr;
	return MR_OK;
}

static int mr_null_iov(struct mr *mr, uint64_t *len, unsigned int dir,
		       struct iovec *iov, int max)
{
	static const uint8_t zeroes[MR_NULL_PIECE];
	uint64_t done = 0;
	int n = 0;

	while (done < *len && n < max) {
		uint64_t part = *len - done;

		if (part > MR_NULL_PIECE)
			part = MR_NULL_PIECE;
		iov[n].iov_base = dir & MEM_WRITE ? mr->sink : (uint8_t *)zeroes;
		iov[n++].iov_len = part;
		done += part;
	}
	*len = done;
	return n;
}

int mr_iov(struct mr *mr, uint64_t addr, uint64_t *len, unsigned int dir,
	   struct iovec *iov, int max)
{
	int ret;

	if (mr->pages)
		return buf_iov(mr->pages,
			       mr->first_offset + (addr - mr_base(mr)), len,
			       iov, max);
	if (mr->type == ORNIC_MR_NULL)
		return mr_null_iov(mr, len, dir, iov, max);
	/* Not contiguous in host memory: reduce the length until the pieces fit */
	while ((ret = mem_iov(mr->guest->mem, addr, *len, dir, iov, max)) ==
	       -E2BIG)
		*len = (*len + 1) / 2;
	return ret;
}

/* ---- work requests ---- */

/* Return: OK, BAD_PARAM or NOT_SUPPORTED */
static enum ornic_cmd_status mr_check_access(const struct card *card,
					     uint32_t access)
{
	/* IBTA 10.6.3.1: remote write and atomic access need local write access */
	if (access & ~MR_ACCESS_FLAGS ||
	    (!(access & ORNIC_ACCESS_LOCAL_WRITE) &&
	     access & (ORNIC_ACCESS_REMOTE_WRITE | ORNIC_ACCESS_REMOTE_ATOMIC)))
		return ORNIC_CMD_BAD_PARAM;
	return access & ~mr_access_flags(card->host.features) ?
	       ORNIC_CMD_NOT_SUPPORTED : ORNIC_CMD_OK;
}

static bool mr_range_valid(uint64_t iova, uint64_t length)
{
	return length && length <= MR_MAX_SIZE && iova + (length - 1) >= iova;
}

static unsigned int mr_dir(uint32_t access)
{
	return access & ORNIC_ACCESS_LOCAL_WRITE ? MEM_READ | MEM_WRITE :
						   MEM_READ;
}

enum mr_error mr_reg(struct card *card, const struct mr_user *user,
		     const struct ornic_reg_mr *reg)
{
	uint32_t key = le32toh(reg->key), access = le32toh(reg->access);
	uint64_t iova = le64toh(reg->iova), length = le64toh(reg->length);
	struct mr *mr = mr_find_index(card, key);
	struct ornic_buf desc = reg->buf;
	uint64_t first_offset;

	if (!mr)
		return MR_BAD_KEY;
	if (mr->type != ORNIC_MR_REG)
		return MR_BAD_TYPE;
	if (mr->pdn != user->pdn)
		return MR_BAD_PD;
	if (mr->valid)
		return MR_BAD_STATE;
	if (mr_check_access(card, access))
		return MR_BAD_ACCESS;
	if (!mr_range_valid(iova, length) ||
	    desc.page_shift > MR_REG_SHIFT_MAX)
		return MR_BAD_RANGE;
	first_offset = iova & ((1ULL << desc.page_shift) - 1);
	/* Work requests ignore reserved fields, commands do not ([ORNIC-GEN-3]) */
	memset(desc.rsvd, 0, sizeof(desc.rsvd));
	if (desc.levels > 1 ||
	    buf_fill(&mr->buf, &desc, first_offset, length, mr_dir(access)))
		return MR_BAD_PAGES;
	mr->key = key;
	mr->access = access;
	mr->iova = iova;
	mr->length = length;
	mr->first_offset = first_offset;
	mr->valid = true;
	return MR_OK;
}

void mr_invalidate(struct mr *mr)
{
	mr->valid = false;
	if (!mr->region)
		return;
	obj_put(&mr->region->obj);
	mr->region = NULL;
}

enum mr_error mr_local_inv(struct card *card, const struct mr_user *user,
			   uint32_t key)
{
	struct mr *mr = mr_find(card, key);

	if (!mr)
		return MR_BAD_KEY;
	if (mr->type != ORNIC_MR_REG && mr->type != ORNIC_MR_MW2)
		return MR_BAD_TYPE;
	if (mr->pdn != user->pdn ||
	    (mr->type == ORNIC_MR_MW2 && mr->valid && mr->qpn != user->qpn))
		return MR_BAD_PD;
	mr_invalidate(mr);
	return MR_OK;
}

enum mr_error mr_remote_inv(struct card *card, const struct mr_user *user,
			    uint32_t key)
{
	struct mr *mr = mr_find(card, key);

	if (!mr || !mr->valid)
		return MR_BAD_KEY;
	/* A peer may invalidate only a key with remote access ([ORNIC-SQ-25]) */
	if (!(mr->access & MR_ACCESS_REMOTE))
		return MR_BAD_ACCESS;
	return mr_local_inv(card, user, key);
}

/* ---- commands ---- */

void mr_destroy(struct card *card, struct obj *obj)
{
	struct mr *mr = container_of(obj, struct mr, obj);

	mr_invalidate(mr);
	obj_remove(&card->mrs, &mr->obj);
	buf_uninit(&mr->buf);
	free(mr);
}

void mr_unbind(struct card *card, struct obj *obj)
{
	(void)card;
	mr_invalidate(container_of(obj, struct mr, obj));
}

void mr_build_abort(struct card *card)
{
	buf_uninit(&card->build.buf);
	memset(&card->build, 0, sizeof(card->build));
}

/* Return: true when the command continues in another turn */
static bool mr_build_goes_on(struct card *card)
{
	if (card->build.more)
		return true;
	mr_build_abort(card);
	return false;
}

/*
 * Read the pages of the memory, a bounded number in each turn. While pages are
 * left, the status is ignored. The next turn checks the whole command again,
 * because work requests are executed between turns.
 */
static enum ornic_cmd_status mr_build(struct card *card,
				      const struct ornic_buf *desc,
				      uint64_t start, uint64_t len,
				      unsigned int dir, struct buf *out)
{
	struct buf *buf = &card->build.buf;
	enum ornic_cmd_status status;

	if (!buf->guest) {
		status = buf_begin(buf, &card->guest, &card->budget, desc, start,
				   len, dir);
		if (status)
			return status;
	}
	card->build.more = !buf_step(buf, &status);
	if (card->build.more)
		return ORNIC_CMD_BUSY;
	if (status)
		return status;
	*out = *buf;
	memset(buf, 0, sizeof(*buf));
	return ORNIC_CMD_OK;
}

static enum ornic_cmd_status mr_init_memory(struct card *card, struct mr *mr,
					    const struct ornic_create_mr_in *in)
{
	enum ornic_cmd_status status = mr_check_access(card, mr->access);

	if (status)
		return status;
	if (in->max_pages || !mr_range_valid(mr->iova, mr->length))
		return ORNIC_CMD_BAD_PARAM;
	mr->valid = true;
	mr->pages = &mr->buf;
	return mr_build(card, &in->buf, mr->first_offset, mr->length,
			mr_dir(mr->access), &mr->buf);
}

static bool mr_has_memory(const struct ornic_create_mr_in *in)
{
	return in->iova || in->length || in->first_offset ||
	       !CMD_RSVD_ZERO(in->buf);
}

static enum ornic_cmd_status mr_init_dma(struct card *card, struct mr *mr,
					 const struct ornic_create_mr_in *in)
{
	enum ornic_cmd_status status = mr_check_access(card, mr->access);

	if (status)
		return status;
	if (in->max_pages || mr_has_memory(in))
		return ORNIC_CMD_BAD_PARAM;
	/* All addresses but the last, where no memory can be */
	mr->length = UINT64_MAX;
	mr->valid = true;
	return ORNIC_CMD_OK;
}

static enum ornic_cmd_status mr_init_reg(struct card *card, struct mr *mr,
					 const struct ornic_create_mr_in *in)
{
	uint32_t pages = le32toh(in->max_pages);

	if (mr_has_memory(in) || mr->access || !pages ||
	    pages > MR_MAX_REG_PAGES)
		return ORNIC_CMD_BAD_PARAM;
	mr->pages = &mr->buf;
	return buf_alloc(&mr->buf, &card->guest, &card->budget, pages);
}

static enum ornic_cmd_status mr_init_window(struct card *card, struct mr *mr,
					    const struct ornic_create_mr_in *in)
{
	(void)card;
	return mr_has_memory(in) || in->max_pages || mr->access ?
	       ORNIC_CMD_BAD_PARAM : ORNIC_CMD_OK;
}

static enum ornic_cmd_status mr_init_null(struct card *card, struct mr *mr,
					  const struct ornic_create_mr_in *in)
{
	if (mr->iova || mr->first_offset || !CMD_RSVD_ZERO(in->buf) ||
	    in->max_pages || !mr->length ||
	    mr->access & ~ORNIC_ACCESS_LOCAL_WRITE)
		return ORNIC_CMD_BAD_PARAM;
	mr->sink = card->sink;
	mr->valid = true;
	return ORNIC_CMD_OK;
}

/* By enum ornic_mr_type */
static enum ornic_cmd_status
(*const mr_init[])(struct card *card, struct mr *mr,
		   const struct ornic_create_mr_in *in) = {
	[ORNIC_MR_MEMORY] = mr_init_memory,
	[ORNIC_MR_DMA] = mr_init_dma,
	[ORNIC_MR_REG] = mr_init_reg,
	[ORNIC_MR_MW1] = mr_init_window,
	[ORNIC_MR_MW2] = mr_init_window,
	[ORNIC_MR_NULL] = mr_init_null,
};

/* By enum ornic_mr_type: features that bring the type */
static const uint64_t mr_features[] = {
	[ORNIC_MR_MEMORY] = 0,
	[ORNIC_MR_DMA] = 0,
	[ORNIC_MR_REG] = ORNIC_FEAT_REG_MR,
	[ORNIC_MR_MW1] = ORNIC_FEAT_MW,
	[ORNIC_MR_MW2] = ORNIC_FEAT_MW,
	[ORNIC_MR_NULL] = ORNIC_FEAT_NULL_MR,
};

static enum ornic_cmd_status mr_create(struct card *card, struct cmd *cmd)
{
	const struct ornic_create_mr_in *in = cmd->in;
	struct ornic_create_mr_out *out = cmd->out;
	enum ornic_cmd_status status;
	struct mr *mr;

	if (in->type >= ARRAY_SIZE(mr_init) || !CMD_RSVD_ZERO(in->rsvd))
		return ORNIC_CMD_BAD_PARAM;
	if (!card_uses(card, mr_features[in->type]))
		return ORNIC_CMD_NOT_SUPPORTED;
	if (!pd_is_valid(le32toh(in->pdn)))
		return ORNIC_CMD_BAD_OBJECT;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return ORNIC_CMD_NO_RESOURCES;
	mr->pdn = le32toh(in->pdn);
	mr->type = in->type;
	mr->access = le32toh(in->access);
	mr->iova = le64toh(in->iova);
	mr->length = le64toh(in->length);
	mr->first_offset = le64toh(in->first_offset);
	mr->guest = &card->guest;
	status = mr_init[in->type](card, mr, in);
	if (status)
		goto err_free;
	status = ORNIC_CMD_NO_RESOURCES;
	if (obj_add(&card->mrs, &mr->obj))
		goto err_uninit;
	mr->key = mr->obj.num << MR_KEY_SHIFT | in->variant;
	out->key = htole32(mr->key);
	return ORNIC_CMD_OK;

err_uninit:
	buf_uninit(&mr->buf);
err_free:
	free(mr);
	return status;
}

enum ornic_cmd_status mr_cmd_create(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;

	card->build.more = false;
	status = mr_create(card, cmd);
	cmd->more = mr_build_goes_on(card);
	return status;
}

/*
 * Find the object of DESTROY_MR. Work requests change the variant of some
 * types, and the driver may not know which of them were executed; so their
 * variant is ignored ([ORNIC-OBJ-18]).
 */
static struct mr *mr_find_object(struct card *card, uint32_t key)
{
	struct mr *mr = mr_find_index(card, key);

	if (!mr)
		return NULL;
	return mr->type == ORNIC_MR_REG || mr_is_window(mr) || mr->key == key ?
	       mr : NULL;
}

static enum ornic_cmd_status
mr_modify_memory(struct card *card, struct mr *mr, uint32_t access,
		 const struct ornic_modify_mr_in *in)
{
	uint64_t first_offset = le64toh(in->first_offset);
	uint64_t length = le64toh(in->length);
	uint64_t iova = le64toh(in->iova);
	enum ornic_cmd_status status;
	struct buf buf;

	if (!mr_range_valid(iova, length))
		return ORNIC_CMD_BAD_PARAM;
	status = mr_build(card, &in->buf, first_offset, length,
			  mr_dir(access), &buf);
	if (status)
		return status;
	buf_uninit(&mr->buf);
	mr->buf = buf;
	mr->iova = iova;
	mr->length = length;
	mr->first_offset = first_offset;
	return ORNIC_CMD_OK;
}

static enum ornic_cmd_status mr_modify_access(struct card *card, struct mr *mr,
					      uint32_t access)
{
	unsigned int dir = mr_dir(access);
	enum ornic_cmd_status status;

	if (dir == mr->buf.dir)
		return ORNIC_CMD_OK;
	status = buf_probe(&mr->buf, dir, &card->build.probed);
	card->build.more = !status && card->build.probed < mr->buf.npages;
	if (status || card->build.more)
		return status;
	buf_set_dir(&mr->buf, dir);
	return ORNIC_CMD_OK;
}

static enum ornic_cmd_status mr_modify(struct card *card, struct cmd *cmd)
{
	const struct ornic_modify_mr_in *in = cmd->in;
	uint32_t access, pdn, mask = le32toh(in->mask);
	enum ornic_cmd_status status;
	struct mr *mr;

	if (mask & ~(ORNIC_MODIFY_MR_PD | ORNIC_MODIFY_MR_ACCESS |
		     ORNIC_MODIFY_MR_MEMORY))
		return ORNIC_CMD_BAD_PARAM;
	mr = mr_find(card, le32toh(in->key));
	if (!mr)
		return ORNIC_CMD_BAD_OBJECT;
	pdn = mask & ORNIC_MODIFY_MR_PD ? le32toh(in->pdn) : mr->pdn;
	if (!pd_is_valid(pdn))
		return ORNIC_CMD_BAD_OBJECT;
	access = mask & ORNIC_MODIFY_MR_ACCESS ? le32toh(in->access) :
						 mr->access;
	if (mr->type != ORNIC_MR_MEMORY)
		return ORNIC_CMD_BAD_PARAM;
	status = mr_check_access(card, access);
	if (status)
		return status;
	if (mr->obj.users)
		return ORNIC_CMD_BUSY;

	if (mask & ORNIC_MODIFY_MR_MEMORY)
		status = mr_modify_memory(card, mr, access, in);
	else
		status = mr_modify_access(card, mr, access);
	if (status || card->build.more)
		return status;
	mr->pdn = pdn;
	mr->access = access;
	return ORNIC_CMD_OK;
}

enum ornic_cmd_status mr_cmd_modify(struct card *card, struct cmd *cmd)
{
	enum ornic_cmd_status status;

	card->build.more = false;
	status = mr_modify(card, cmd);
	cmd->more = mr_build_goes_on(card);
	return status;
}

enum ornic_cmd_status mr_cmd_destroy(struct card *card, struct cmd *cmd)
{
	const struct ornic_object *in = cmd->in;
	struct mr *mr;

	if (in->rsvd)
		return ORNIC_CMD_BAD_PARAM;
	mr = mr_find_object(card, le32toh(in->num));
	if (!mr)
		return ORNIC_CMD_BAD_OBJECT;
	if (mr->obj.users)
		return ORNIC_CMD_BUSY;
	mr_destroy(card, &mr->obj);
	return ORNIC_CMD_OK;
}
