/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Publishing work to the device (hardware.rst, section 5) */
#ifndef ORNIC_DOORBELL_H
#define ORNIC_DOORBELL_H

#include "index.h"
#include "ornic.h"
#include "wqe.h"

void ornic_db_wake_sq(struct ornic_qp *qp);
void ornic_db_ring_cq(struct ornic_cq *cq, enum ornic_arm_type type);
void ornic_db_tell_cq(struct ornic_cq *cq);
void ornic_db_ring_rq(struct ornic_context *ctx, enum ornic_db_type type,
		      uint32_t num, uint32_t pi);

/**
 * ornic_db_publish_sq() - hand all WQEs before the next one to the device
 * @qp: queue pair, its send queue locked
 * @shadow: the device has ORNIC_CAPS_SHADOW
 *
 * A device that watches the queue reads the index by itself and needs no
 * doorbell. An MMIO store to a software device is a trap and costs more than
 * the whole post. Without ORNIC_CAPS_SHADOW the device never watches a queue,
 * so the fence is not needed.
 */
static ALWAYS_INLINE inline void ornic_db_publish_sq(struct ornic_qp *qp,
						     const bool shadow)
{
	uint32_t pi = ornic_sq_index(&qp->sq, qp->sq.next);
	struct ornic_qp_dbr *dbr = qp->sq.dbr;

	if (!shadow) {
		ornic_index_write(&dbr->sq_pi, pi);
		ornic_db_wake_sq(qp);
		return;
	}
	ornic_index_write_fence(&dbr->sq_pi, pi);
	if (unlikely(!ornic_index_read_flag(&dbr->sq_watched)))
		ornic_db_wake_sq(qp);
}

#endif /* ORNIC_DOORBELL_H */
