/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A packet in the switch: header bytes, references to payload in the sender's
 * memory, and a few trailing bytes. On the wire it is
 *
 *	hdr[0..hdr_len)  iov[0]  iov[1] ...  trailer[0..trailer_len)
 *
 * and the functions here treat it as that one string of bytes, whatever the
 * split. A frame from outside has its first FRAME_HDR_MAX bytes in hdr and the
 * rest in iov, so all protocol headers are in hdr in either case.
 *
 * The sender allocates a frame with env_frame_alloc(), fills it and passes it to
 * env_tx(). The switch delivers and frees it later. The receiver may use it only
 * during its rx call.
 */
#ifndef ORNIC_DEVICE_FRAME_H
#define ORNIC_DEVICE_FRAME_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "env/list.h"

#define FRAME_HDR_MAX 256
#define FRAME_TRAILER_MAX 8
/* 256 KiB of scattered 4 KiB pages in one frame */
#define FRAME_IOV_MAX 64

/**
 * enum frame_flags - properties of a frame
 * @FRAME_LOCAL: made for a NIC of this process (env_peer_is_local()): payload
 *	may exceed any MTU, there is no ICRC, and the length fields of its IP
 *	and UDP headers have no meaning. Such a frame never leaves the process:
 *	the switch drops and counts it instead.
 * @FRAME_LOOPED: returns to the card that sends it as if it had arrived
 *	([ORNIC-LOOP-5]); the switch has no other port and no fault for it
 */
enum frame_flags {
	FRAME_LOCAL = 1 << 0,
	FRAME_LOOPED = 1 << 1,
};

struct port;

/**
 * struct frame - one packet
 * @node: owned by the pool or the queue that holds it
 * @src: port that allocated it, set by the switch
 * @payer: port that pays for the delivery: @src, or the one that has demanded a
 *	response, set by the switch and by env_tx()
 * @flags: enum frame_flags
 * @payload_len: bytes in all of @iov
 * @hdr_len: bytes in @hdr
 * @trailer_len: bytes in @trailer
 * @iov_count: pieces in @iov
 * @meta: private to the sender and the receiver of a FRAME_LOCAL frame, such as
 *	the number of packets that it stands for; 0 in other frames. The switch
 *	does not read it.
 * @hint: the same; known to the receiver before it gets the frame (@soon in
 *	port_ops), so that it can begin to load what the frame needs. 0: nothing
 * @wire_len: length of the packets that a FRAME_LOCAL frame stands for, with all
 *	their headers, pads and ICRCs, bytes; not valid in other frames
 * @hdr: wire bytes, starting with the destination MAC
 * @trailer: bytes behind the payload: pad and ICRC
 * @iov: payload, in memory that stays valid until delivery
 */
struct frame {
	struct list_head node;
	struct port *src;
	struct port *payer;
	uint32_t flags;
	uint32_t payload_len;
	uint16_t hdr_len;
	uint8_t trailer_len;
	uint8_t iov_count;
	uint32_t meta;
	uint32_t hint;
	uint32_t wire_len;
	uint8_t hdr[FRAME_HDR_MAX];
	uint8_t trailer[FRAME_TRAILER_MAX];
	struct iovec iov[FRAME_IOV_MAX];
};

/**
 * frame_len - length on the wire
 * @frame: the frame
 *
 * Return: bytes.
 */
static inline uint64_t frame_len(const struct frame *frame)
{
	return (uint64_t)frame->hdr_len + frame->payload_len +
	       frame->trailer_len;
}

/**
 * frame_packets - number of packets on a wire
 * @frame: the frame
 *
 * Return: 1, or the packets that a FRAME_LOCAL frame stands for.
 */
static inline uint32_t frame_packets(const struct frame *frame)
{
	return frame->flags & FRAME_LOCAL && frame->meta ? frame->meta : 1;
}

/**
 * frame_wire_len - length of these packets
 * @frame: the frame
 *
 * Return: bytes without FCS.
 */
static inline uint64_t frame_wire_len(const struct frame *frame)
{
	return frame->flags & FRAME_LOCAL ? frame->wire_len : frame_len(frame);
}

/**
 * frame_iov - get the pieces of a part of a frame
 * @frame: the frame
 * @offset: offset from the start of the packet
 * @len: bytes
 * @iov: filled with pieces in order
 * @max: room in @iov; FRAME_IOV_MAX + 2 is always enough
 *
 * Return: pieces filled, -EINVAL when the part is not all in the frame, or
 * -E2BIG when @max is too small.
 */
int frame_iov(const struct frame *frame, uint64_t offset, uint64_t len,
	      struct iovec *iov, int max);

/**
 * frame_read - copy a part of a frame
 * @frame: the frame
 * @offset: offset from the start of the packet
 * @buf: destination
 * @len: bytes
 *
 * Return: 0, or -EINVAL when the part is not all in the frame.
 */
int frame_read(const struct frame *frame, uint64_t offset, void *buf,
	       uint64_t len);

/**
 * frame_add - append a piece of payload; merges contiguous pieces
 * @frame: the frame
 * @base: start of the piece
 * @len: bytes; 0 is accepted and does nothing
 *
 * Return: 0, or -E2BIG when all FRAME_IOV_MAX pieces are in use.
 */
int frame_add(struct frame *frame, const void *base, uint32_t len);

#endif /* ORNIC_DEVICE_FRAME_H */
