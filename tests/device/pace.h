/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rate limits: a bucket of bytes that fills at the rate. A frame goes when its
 * bytes are in it, or, if they do not fit, when it is full.
 */
#ifndef ORNIC_DEVICE_PACE_H
#define ORNIC_DEVICE_PACE_H

#include <stdint.h>

/**
 * struct pace - a bucket; all zero: no limit
 * @rate: kb/s, or 0
 * @burst_ns: time that it takes to fill
 * @full_ns: when it is, or was, full
 */
struct pace {
	uint32_t rate;
	uint64_t burst_ns;
	uint64_t full_ns;
};

/**
 * pace_set - another limit, which begins with a full bucket
 * @pace: the bucket
 * @rate: kb/s, or 0: none
 * @burst: bytes that it holds
 * @now_ns: what time it is
 */
void pace_set(struct pace *pace, uint32_t rate, uint32_t burst,
	      uint64_t now_ns);

/**
 * pace_wait - when may the next frame go
 * @pace: the bucket, with a limit
 * @bytes: of the frame
 * @now_ns: what time it is
 *
 * Return: ns from now, 0: now.
 */
uint64_t pace_wait(const struct pace *pace, uint32_t bytes, uint64_t now_ns);

/**
 * pace_take - a frame goes
 * @pace: the bucket, with a limit
 * @bytes: of the frame
 * @now_ns: what time it is
 */
void pace_take(struct pace *pace, uint32_t bytes, uint64_t now_ns);

#endif /* ORNIC_DEVICE_PACE_H */
