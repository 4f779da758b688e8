/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Refusals with their reason, and checks that several objects need */
#ifndef ORNIC_CHECK_H
#define ORNIC_CHECK_H

#include "ornic.h"

/*
 * Explains on the log of libibverbs why the provider refuses a call; see
 * VERBS_LOG_LEVEL. Not for the data path.
 */
#define ornic_refuse(ibctx, format, arg...) \
	verbs_err(&to_ornic_context(ibctx)->vctx, format "\n", ##arg)

bool ornic_check_bits(struct ibv_context *ibctx, const char *what,
		      uint64_t bits, uint64_t known);

#endif /* ORNIC_CHECK_H */
