/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The invariant CRC of RoCEv2 (IBTA annex A17.3.3): a CRC-32 from the IP header
 * on, with ones in place of the fields that routers may change.
 */
#ifndef ORNIC_DEVICE_ICRC_H
#define ORNIC_DEVICE_ICRC_H

#include <stdint.h>
#include <sys/uio.h>

#define ICRC_LEN 4

/**
 * icrc - compute the ICRC of a packet
 * @l3: IPv4 header without options or IPv6 header without extensions, by its
 *	version field, then UDP and BTH header, in wire order
 * @iov: all bytes behind the BTH, with pad, without ICRC
 * @count: number of pieces in @iov
 *
 * Return: the ICRC; its least significant byte is the first on the wire.
 */
uint32_t icrc(const uint8_t *l3, const struct iovec *iov, int count);

#endif /* ORNIC_DEVICE_ICRC_H */
