/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completions of kernel consumers */
#ifndef ORNIC_RDMA_POLL_H
#define ORNIC_RDMA_POLL_H

#include <rdma/ib_verbs.h>

struct notifier_block;
struct ornic_cq;
struct ornic_modify_qp_out;
struct ornic_qp;
struct work_struct;

int ornic_ib_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int ornic_ib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void ornic_cq_forget_qp(struct ornic_cq *cq, struct ornic_qp *qp);
void ornic_qp_return_recv(struct ornic_qp *qp, const struct ornic_modify_qp_out *out);
void ornic_cq_flush_work(struct work_struct *work);
int ornic_ib_death(struct notifier_block *nb, unsigned long action, void *data);

#endif /* ORNIC_RDMA_POLL_H */
