// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Frames: access to their bytes, and adding payload */
#include <errno.h>
#include <string.h>

#include "env/frame.h"

/* State while a part of a frame is cut out */
struct cut {
	uint64_t skip;
	uint64_t left;
	struct iovec *iov;
	int count;
	int max;
};

static int cut_piece(struct cut *cut, const void *base, uint64_t len)
{
	if (cut->skip >= len) {
		cut->skip -= len;
		return 0;
	}
	base = (const char *)base + cut->skip;
	len -= cut->skip;
	cut->skip = 0;
	if (len > cut->left)
		len = cut->left;
	if (!len)
		return 0;
	if (cut->count == cut->max)
		return -E2BIG;
	cut->iov[cut->count++] = (struct iovec){
		.iov_base = (void *)(uintptr_t)base,
		.iov_len = len,
	};
	cut->left -= len;
	return 0;
}

int frame_iov(const struct frame *frame, uint64_t offset, uint64_t len,
	      struct iovec *iov, int max)
{
	struct cut cut = { .skip = offset, .left = len, .iov = iov, .max = max };
	uint64_t total = frame_len(frame);
	int i, err;

	if (offset > total || len > total - offset)
		return -EINVAL;
	err = cut_piece(&cut, frame->hdr, frame->hdr_len);
	for (i = 0; !err && cut.left && i < frame->iov_count; i++)
		err = cut_piece(&cut, frame->iov[i].iov_base,
				frame->iov[i].iov_len);
	if (!err && cut.left)
		err = cut_piece(&cut, frame->trailer, frame->trailer_len);
	return err ? err : cut.count;
}

int frame_read(const struct frame *frame, uint64_t offset, void *buf,
	       uint64_t len)
{
	struct iovec iov[FRAME_IOV_MAX + 2];
	char *to = buf;
	int count, i;

	count = frame_iov(frame, offset, len, iov, ARRAY_SIZE(iov));
	if (count < 0)
		return count;
	for (i = 0; i < count; i++) {
		memcpy(to, iov[i].iov_base, iov[i].iov_len);
		to += iov[i].iov_len;
	}
	return 0;
}

int frame_add(struct frame *frame, const void *base, uint32_t len)
{
	struct iovec *last;

	if (!len)
		return 0;
	if (frame->iov_count) {
		last = &frame->iov[frame->iov_count - 1];
		if ((char *)last->iov_base + last->iov_len == base) {
			last->iov_len += len;
			frame->payload_len += len;
			return 0;
		}
	}
	if (frame->iov_count == FRAME_IOV_MAX)
		return -E2BIG;
	frame->iov[frame->iov_count++] = (struct iovec){
		.iov_base = (void *)(uintptr_t)base,
		.iov_len = len,
	};
	frame->payload_len += len;
	return 0;
}
