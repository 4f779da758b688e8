/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Events of QPs */
#ifndef ORNIC_RDMA_QP_EVENT_H
#define ORNIC_RDMA_QP_EVENT_H

#include "ornic_api.h"

struct work_struct;

void ornic_qp_event(struct ornic_res *res, enum ornic_event event);
void ornic_qp_event_work(struct work_struct *work);

#endif /* ORNIC_RDMA_QP_EVENT_H */
