/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Work requests of kernel consumers */
#ifndef ORNIC_RDMA_WR_H
#define ORNIC_RDMA_WR_H

#include <linux/bits.h>
#include <rdma/ib_verbs.h>

/* Marks a receive in wr_id, because a failed completion has no opcode */
#define ORNIC_WR_RECV		BIT_ULL(63)

/**
 * struct ornic_wr - record of a posted work request
 * @wr_id:	the consumer's. The device gets the number of the request
 *		instead, with ORNIC_WR_RECV for a receive: the consumer's may be
 *		a pointer, which the device must not be able to forge.
 * @end:	producer index after it, in slots (send) or WQEs (receive)
 * @room:	bytes that a receive can hold
 */
struct ornic_wr {
	u64 wr_id;
	u32 end;
	u32 room;
};

int ornic_ib_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr);
int ornic_ib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr);
int ornic_ib_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			   const struct ib_recv_wr **bad_wr);

#endif /* ORNIC_RDMA_WR_H */
