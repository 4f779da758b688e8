/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Telling the device that there is work; hardware.rst, "Doorbells and doorbell
 * records".
 */
#ifndef ORNIC_DOORBELL_H
#define ORNIC_DOORBELL_H

#include "ring.h"

void ornic_wake_sq(struct ornic_qp *qp);
void ornic_ring_cq(struct ornic_cq *cq);

/**
 * ornic_publish_sq() - hand all WQEs before the producer index to the device
 * @qp: queue pair, its send queue locked
 * @shadow: the device has ORNIC_CAPS_SHADOW
 *
 * A device that is busy with this queue looks at the index by itself, so as a
 * rule nothing more is to be done. An MMIO store to a software device is a
 * trap and costs more than the whole post. Without the shadow there is no flag
 * to look at, nor a fence to pay for.
 */
static ALWAYS_INLINE inline void ornic_publish_sq(struct ornic_qp *qp,
						  const bool shadow)
{
	struct ornic_qp_dbr *dbr = qp->sq.dbr;

	if (!shadow) {
		ornic_write_index(&dbr->sq_pi, qp->sq.pi);
		ornic_wake_sq(qp);
		return;
	}
	ornic_write_index_fence(&dbr->sq_pi, qp->sq.pi);
	if (unlikely(!ornic_read_flag(&dbr->sq_watched)))
		ornic_wake_sq(qp);
}

#endif /* ORNIC_DOORBELL_H */
