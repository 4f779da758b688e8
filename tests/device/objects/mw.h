/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory windows: a key of its own for a part of a region, for use by peers
 * (IBTA 10.6.7). A type 1 window is for all QPs of a PD, a type 2 window (IBTA
 * type 2B) for the QP that has bound it. A window is a struct mr with the pages
 * of its region, so it costs no more than a region to use.
 */
#ifndef ORNIC_DEVICE_MW_H
#define ORNIC_DEVICE_MW_H

#include "objects/mr.h"

/* ORNIC_ACCESS_* bits that BIND_MW accepts; LOCAL_WRITE is ignored */
#define MW_ACCESS_FLAGS (MR_ACCESS_FLAGS & ~ORNIC_ACCESS_MW_BIND)

/**
 * mw_bind - BIND_MW: bind a window to a part of a region
 * @card: the card
 * @user: QP that executes it; its PD must be that of window and region
 * @bind: as posted, copied from guest memory
 *
 * Return: enum mr_error; nothing changed unless it is MR_OK.
 */
enum mr_error mw_bind(struct card *card, const struct mr_user *user,
		      const struct ornic_bind *bind);

#endif /* ORNIC_DEVICE_MW_H */
