/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory windows: a part of a region that peers may use by a key of its own
 * (IBTA 10.6.7). Type 1 is for all QPs of a PD, type 2 (2B in IBTA) for the QP
 * that has bound it. A window is a struct mr that has the pages of its region,
 * so using one costs what using a region does.
 */
#ifndef ORNIC_DEVICE_MW_H
#define ORNIC_DEVICE_MW_H

#include "mr.h"

/* ORNIC_ACCESS_* bits that BIND_MW takes; LOCAL_WRITE means nothing there */
#define MW_ACCESS_FLAGS (MR_ACCESS_FLAGS & ~ORNIC_ACCESS_MW_BIND)

/**
 * mw_bind - BIND_MW
 * @nic: the card
 * @user: who; of the same PD
 * @bind: as posted, copied from guest memory
 *
 * Return: enum mr_error; nothing changed unless it is MR_OK.
 */
enum mr_error mw_bind(struct nic *nic, const struct mr_user *user,
		      const struct ornic_bind *bind);

#endif /* ORNIC_DEVICE_MW_H */
