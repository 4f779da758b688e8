// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory windows */

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "ornic.h"

/**
 * ornic_alloc_mw() - allocate a memory window
 * @ibpd: protection or parent domain
 * @type: type 1 or 2 (2B: bound to the QP as well)
 *
 * Return: the window, not bound; NULL with errno set.
 */
struct ibv_mw *ornic_alloc_mw(struct ibv_pd *ibpd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ibv_alloc_mw cmd = {};
	struct ibv_mw *mw;
	int ret;

	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;

	ret = ibv_cmd_alloc_mw(ibpd, type, mw, &cmd, sizeof(cmd), &resp,
			       sizeof(resp));
	if (ret) {
		free(mw);
		errno = ret;
		return NULL;
	}
	return mw;
}

/**
 * ornic_dealloc_mw() - free a memory window, bound or not
 * @mw: window, freed on success
 *
 * Return: 0 or a positive errno.
 */
int ornic_dealloc_mw(struct ibv_mw *mw)
{
	int ret;

	ret = ibv_cmd_dealloc_mw(mw);
	if (ret)
		return ret;

	free(mw);
	return 0;
}

/**
 * ornic_bind_mw() - bind a window of type 1
 * @ibqp: queue pair to post the bind to
 * @mw: window; its rkey becomes the one after the bind
 * @bind: region, range and access of the window; length 0 unbinds it
 *
 * The consumer does not choose the key of a type 1 window (IBTA 10.6.7). Each
 * bind makes a new key and invalidates the previous one.
 *
 * Return: as ornic_post_send(); EINVAL for a zero-based window, which has to be
 * of type 2; EOPNOTSUPP for the null MR.
 */
int ornic_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind)
{
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = bind->bind_info,
		},
	};
	struct ibv_mr *mr = bind->bind_info.mr;
	struct ibv_send_wr *bad_wr;
	int ret;

	/* The device fails such a WQE, and a connected QP with it */
	if (bind->bind_info.mw_access_flags & IBV_ACCESS_ZERO_BASED) {
		ornic_refuse(ibqp->context,
			     "a window of type 1 is not zero-based");
		return EINVAL;
	}
	if (mr && verbs_get_mr(mr)->mr_type == IBV_MR_TYPE_NULL_MR) {
		ornic_refuse(ibqp->context, "the null MR has no windows");
		return EOPNOTSUPP;
	}

	ret = ornic_post_send(ibqp, &wr, &bad_wr);
	if (ret)
		return ret;

	mw->rkey = wr.bind_mw.rkey;
	return 0;
}
