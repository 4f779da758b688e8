/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rate limits: a token bucket of bytes. A frame goes when the bucket holds its
 * bytes or, if the frame is larger than the bucket, when the bucket is full.
 */
#ifndef ORNIC_DEVICE_PACE_H
#define ORNIC_DEVICE_PACE_H

#include <stdint.h>

/**
 * struct pace - a token bucket; all zero means no limit
 * @rate: kb/s, or 0
 * @burst_ns: time to fill an empty bucket, ns
 * @full_ns: time when the bucket is or was full, ns
 */
struct pace {
	uint32_t rate;
	uint64_t burst_ns;
	uint64_t full_ns;
};

/**
 * pace_set - set a limit, with a full bucket
 * @pace: the bucket
 * @rate: kb/s, or 0 for no limit
 * @burst: size of the bucket, bytes
 * @now_ns: current time, ns
 */
void pace_set(struct pace *pace, uint32_t rate, uint32_t burst,
	      uint64_t now_ns);

/**
 * pace_wait - time until the next frame may go
 * @pace: the bucket, with a limit
 * @bytes: length of the frame, bytes
 * @now_ns: current time, ns
 *
 * Return: ns from now, 0 for at once.
 */
uint64_t pace_wait(const struct pace *pace, uint32_t bytes, uint64_t now_ns);

/**
 * pace_take - take the bytes of a frame from the bucket
 * @pace: the bucket, with a limit
 * @bytes: length of the frame, bytes
 * @now_ns: current time, ns
 */
void pace_take(struct pace *pace, uint32_t bytes, uint64_t now_ns);

#endif /* ORNIC_DEVICE_PACE_H */
