// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks that several objects need */

#include <inttypes.h>

#include <util/util.h>

#include "check.h"

/**
 * ornic_check_bits() - check the flags of a call, and log the unknown ones
 * @ibctx: context
 * @what: name of the flags
 * @bits: flags
 * @known: supported flags
 *
 * Return: whether all flags are supported.
 */
bool ornic_check_bits(struct ibv_context *ibctx, const char *what,
		      uint64_t bits, uint64_t known)
{
	if (check_comp_mask(bits, known))
		return true;

	ornic_refuse(ibctx, "%s %#" PRIx64 ": %#" PRIx64 " is not supported, "
		     "only %#" PRIx64, what, bits, bits & ~known, known);
	return false;
}
