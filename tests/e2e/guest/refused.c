// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: refused DEVICE GID-INDEX CASE
 *
 * Each case makes one call that is refused; the test knows whether the
 * driver or the provider explains it, and in which words.
 */
#include "verbs.h"

/* The driver: more than the 5 bits of the attribute can hold */
CASE(qp_timeout)
{
	struct pair pair = pair_init(port, IBV_QPT_RC, NULL);

	pair_to_rtr(&pair);
	want_errno(EINVAL, qp_try_rts(pair.a, 32, 7, 7));
}

/* The driver: RESET to RTS */
CASE(qp_transition)
{
	struct ibv_qp *qp = qp_make(port, IBV_QPT_RC, cq_make(port, 16, NULL));
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };

	want_errno(EINVAL, ibv_modify_qp(qp, &attr, IBV_QP_STATE));
}

/* The driver: more receives than the device reports */
CASE(srq_size)
{
	want_no_object(EINVAL, srq_try(port, port->dev.max_srq_wr + 1, 1));
}

/* The provider: a flag that is not defined */
CASE(cq_flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 16, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS, .flags = 0x100,
	};

	want_no_object(EOPNOTSUPP, ibv_create_cq_ex(port->ctx, &attr));
}
