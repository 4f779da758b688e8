// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checks of what consumers request, which log why they refuse it. Not for the
 * data path.
 */
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "device.h"

/**
 * ornic_check_range - check a number, and log why it is refused
 * @ibdev:	the device
 * @what:	name of the number
 * @value:	requested
 * @min:	smallest allowed value
 * @max:	largest allowed value
 *
 * Return: 0 or -EINVAL.
 */
int ornic_check_range(const struct ib_device *ibdev, const char *what, u64 value, u64 min,
		      u64 max)
{
	if (value >= min && value <= max)
		return 0;

	ibdev_dbg_ratelimited(ibdev, "%s %llu is not from %llu to %llu\n", what, value, min, max);
	return -EINVAL;
}

/**
 * ornic_check_flags - check flags, and log which of them are refused
 * @ibdev:	the device
 * @what:	name of the flags
 * @flags:	requested
 * @known:	supported flags
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int ornic_check_flags(const struct ib_device *ibdev, const char *what, u64 flags, u64 known)
{
	if (!(flags & ~known))
		return 0;

	ibdev_dbg_ratelimited(ibdev, "%s %#llx: %#llx is not supported, only %#llx\n", what, flags,
			      flags & ~known, known);
	return -EOPNOTSUPP;
}

/**
 * ornic_check_reserved - check that reserved bytes of a process are 0
 * @ibdev:	the device
 * @what:	name of the structure
 * @bytes:	reserved
 * @len:	number of @bytes
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int ornic_check_reserved(const struct ib_device *ibdev, const char *what, const void *bytes,
			 size_t len)
{
	if (!memchr_inv(bytes, 0, len))
		return 0;

	ibdev_dbg_ratelimited(ibdev, "%s has reserved bytes that are not 0\n", what);
	return -EOPNOTSUPP;
}
