/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Doorbell page of the kernel; ornic_api.h declares those of processes */
#ifndef ORNIC_UCTX_H
#define ORNIC_UCTX_H

struct ornic_core;

void ornic_uctx_init(struct ornic_core *core);
int ornic_uctx_kernel_init(struct ornic_core *core);
void ornic_uctx_kernel_uninit(struct ornic_core *core);

#endif /* ORNIC_UCTX_H */
