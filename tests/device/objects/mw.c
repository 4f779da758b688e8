// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory windows */
#include <endian.h>

#include "base/state.h"
#include "objects/mw.h"

/* May the window be bound in its present state (IBTA o10-36, o10-37)? */
static enum mr_error mw_check(const struct card *card, const struct mr *mw,
			      const struct mr_user *user,
			      const struct ornic_bind *bind)
{
	uint32_t access = le32toh(bind->access);

	if (!mr_is_window(mw))
		return MR_BAD_TYPE;
	if (mw->pdn != user->pdn)
		return MR_BAD_PD;
	if ((le32toh(bind->new_key) ^ mw->key) & ORNIC_KEY_INDEX)
		return MR_BAD_KEY;
	if (access & ~MW_ACCESS_FLAGS)
		return MR_BAD_ACCESS;
	if (mw->type == ORNIC_MR_MW1)
		return access & ORNIC_ACCESS_ZERO_BASED ? MR_BAD_ACCESS : MR_OK;
	/* A valid window must be invalidated first, unless its QP is destroyed ([ORNIC-MW-5]) */
	if (mw->valid && obj_find(&card->qps, mw->qpn))
		return MR_BAD_STATE;
	return bind->length ? MR_OK : MR_BAD_RANGE;
}

/* May a window be bound to the region (IBTA C10-72 to C10-75)? */
static enum mr_error mw_check_region(const struct mr *region,
				     const struct mr_user *user,
				     const struct ornic_bind *bind)
{
	uint32_t access = le32toh(bind->access);

	if (!region)
		return MR_BAD_KEY;
	if (region->type != ORNIC_MR_MEMORY)
		return MR_BAD_TYPE;
	if (region->pdn != user->pdn)
		return MR_BAD_PD;
	if (!(region->access & ORNIC_ACCESS_MW_BIND))
		return MR_BAD_ACCESS;
	if (access & (ORNIC_ACCESS_REMOTE_WRITE | ORNIC_ACCESS_REMOTE_ATOMIC) &&
	    !(region->access & ORNIC_ACCESS_LOCAL_WRITE))
		return MR_BAD_ACCESS;
	return mr_holds(region, le64toh(bind->addr), le64toh(bind->length)) ?
	       MR_OK : MR_BAD_RANGE;
}

enum mr_error mw_bind(struct card *card, const struct mr_user *user,
		      const struct ornic_bind *bind)
{
	struct mr *mw = mr_find(card, le32toh(bind->mw_key));
	uint64_t addr = le64toh(bind->addr);
	struct mr *region = NULL;
	enum mr_error err;

	if (!mw)
		return MR_BAD_KEY;
	err = mw_check(card, mw, user, bind);
	if (!err && bind->length) {
		region = mr_find(card, le32toh(bind->mr_key));
		err = mw_check_region(region, user, bind);
	}
	if (err)
		return err;

	mr_invalidate(mw);
	mw->key = le32toh(bind->new_key);
	if (!region)
		return MR_OK;
	obj_get(&region->obj);
	mw->region = region;
	mw->pages = &region->buf;
	mw->access = le32toh(bind->access) & ~ORNIC_ACCESS_LOCAL_WRITE;
	mw->iova = addr;
	mw->length = le64toh(bind->length);
	mw->first_offset = region->first_offset + (addr - mr_base(region));
	mw->qpn = user->qpn;
	mw->valid = true;
	return MR_OK;
}
