/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion counters */
#ifndef ORNIC_RDMA_COMP_CNTR_H
#define ORNIC_RDMA_COMP_CNTR_H

#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

extern const struct ib_device_ops ornic_ib_comp_cntr_ops;
extern const struct uapi_definition ornic_ib_comp_cntr_defs[];

#endif /* ORNIC_RDMA_COMP_CNTR_H */
