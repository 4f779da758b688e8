// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Scatter/gather lists: access by local key, copies, references in frames */
#include <errno.h>
#include <string.h>

#include "objects/srq.h"
#include "queues/receiver.h"
#include "queues/sge.h"

/* Pieces that a copy resolves at a time */
#define COPY_PIECES 16

static struct mr *sge_mr_as(struct receiver *receiver, const struct mr_user *user,
			    uint32_t lkey, uint32_t access, uint64_t addr,
			    uint64_t len)
{
	enum mr_error err;
	struct mr *mr;

	err = mr_get(receiver->card, user, lkey, access, addr, len, &mr);
	if (err == MR_OK)
		return mr;
	DEVICE_VIOLATION(receiver->card, bad_lkey, receiver->obj.num, lkey,
			 "%s[%u]: key %#x at %#llx+%llu: %s",
			 receiver_kind(receiver), receiver->obj.num, lkey,
			 (unsigned long long)addr, (unsigned long long)len,
			 mr_error_name(err));
	return NULL;
}

static struct mr *sge_mr(struct receiver *receiver, uint32_t lkey, uint32_t access,
			 uint64_t addr, uint64_t len)
{
	return sge_mr_as(receiver, &receiver->user, lkey, access, addr, len);
}

static int sge_fault(struct receiver *receiver, uint64_t addr)
{
	DEVICE_VIOLATION(receiver->card, dma_faults, receiver->obj.num, addr,
			 "%s[%u]: no memory at %#llx",
			 receiver_kind(receiver), receiver->obj.num, (unsigned long long)addr);
	return -EFAULT;
}

bool sge_check(struct receiver *receiver, const struct sge *sge, unsigned int count,
	       uint32_t access)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (sge[i].length && !sge_mr(receiver, sge[i].lkey, access,
					     sge[i].addr, sge[i].length))
			return false;
	return true;
}

/**
 * struct sge_walk - iterator over the pieces of a part of a list
 * @sge: next SGE
 * @end: end of the list
 * @offset: bytes to skip in @sge
 * @left: bytes behind the present piece
 * @addr: address of the present piece
 * @len: length of the present piece, bytes
 */
struct sge_walk {
	const struct sge *sge;
	const struct sge *end;
	uint64_t offset;
	uint64_t left;
	uint64_t addr;
	uint64_t len;
};

static struct sge_walk sge_walk(const struct sge *sge, unsigned int count,
				uint64_t offset, uint64_t len)
{
	return (struct sge_walk){
		.sge = sge, .end = sge + count, .offset = offset, .left = len,
	};
}

/* Advance to the next piece. Return: its SGE, or NULL at the end. */
static const struct sge *sge_next(struct sge_walk *walk)
{
	const struct sge *sge;

	while (walk->sge < walk->end && walk->left) {
		sge = walk->sge++;
		if (walk->offset >= sge->length) {
			walk->offset -= sge->length;
			continue;
		}
		walk->addr = sge->addr + walk->offset;
		walk->len = sge->length - walk->offset;
		if (walk->len > walk->left)
			walk->len = walk->left;
		walk->left -= walk->len;
		walk->offset = 0;
		return sge;
	}
	return NULL;
}

int64_t mr_frame(struct mr *mr, uint64_t addr, uint32_t len,
		 struct frame *frame)
{
	unsigned int room = FRAME_IOV_MAX - frame->iov_count;
	struct iovec iov[FRAME_IOV_MAX];
	uint64_t covered = len;
	int i, count;

	if (!room)
		return 0;
	count = mr_iov(mr, addr, &covered, MEM_READ, iov, room);
	if (count < 0)
		return count;
	for (i = 0; i < count; i++)
		frame_add(frame, iov[i].iov_base, iov[i].iov_len);
	return covered;
}

int64_t sge_gather(struct receiver *receiver, const struct sge *sge, unsigned int count,
		   uint64_t offset, uint32_t len, struct frame *frame)
{
	struct sge_walk walk = sge_walk(sge, count, offset, len);
	const struct sge *piece;
	uint64_t sum = 0;
	struct mr *mr;
	int64_t got;

	while ((piece = sge_next(&walk))) {
		mr = sge_mr(receiver, piece->lkey, 0, walk.addr, walk.len);
		if (!mr)
			return -EFAULT;
		got = mr_frame(mr, walk.addr, walk.len, frame);
		if (got < 0)
			return sge_fault(receiver, walk.addr);
		sum += got;
		if ((uint64_t)got < walk.len)
			break;
	}
	return sum;
}

int sge_read(struct receiver *receiver, const struct sge *sge, unsigned int count,
	     uint64_t offset, void *buf, uint32_t len)
{
	struct sge_walk walk = sge_walk(sge, count, offset, len);
	struct iovec iov[COPY_PIECES];
	const struct sge *piece;
	uint8_t *to = buf;
	uint64_t covered;
	struct mr *mr;
	int i, n;

	while ((piece = sge_next(&walk))) {
		mr = sge_mr(receiver, piece->lkey, 0, walk.addr, walk.len);
		if (!mr)
			return -EFAULT;
		while (walk.len) {
			covered = walk.len;
			n = mr_iov(mr, walk.addr, &covered, MEM_READ, iov,
				   COPY_PIECES);
			if (n < 0)
				return sge_fault(receiver, walk.addr);
			for (i = 0; i < n; i++) {
				memcpy(to, iov[i].iov_base, iov[i].iov_len);
				to += iov[i].iov_len;
			}
			walk.addr += covered;
			walk.len -= covered;
		}
	}
	return 0;
}

/* A source of bytes: an array of pieces; @used of the first are used up */
struct source {
	const struct iovec *iov;
	int count;
	size_t used;
};

/* memmove(): source and target may overlap when a guest sends to itself */
static void source_copy(struct source *src, uint8_t *to, size_t len)
{
	size_t n;

	while (len && src->count) {
		n = src->iov->iov_len - src->used;
		if (n > len)
			n = len;
		memmove(to, (const char *)src->iov->iov_base + src->used, n);
		to += n;
		len -= n;
		src->used += n;
		if (src->used == src->iov->iov_len) {
			src->iov++;
			src->count--;
			src->used = 0;
		}
	}
}

static uint64_t iov_len(const struct iovec *iov, int count)
{
	uint64_t len = 0;
	int i;

	for (i = 0; i < count; i++)
		len += iov[i].iov_len;
	return len;
}

static int mr_write_source(struct mr *mr, uint64_t addr, uint64_t len,
			   struct source *src)
{
	struct iovec iov[COPY_PIECES];
	uint64_t covered;
	int i, n;

	while (len) {
		covered = len;
		n = mr_iov(mr, addr, &covered, MEM_WRITE, iov, COPY_PIECES);
		if (n < 0)
			return n;
		for (i = 0; i < n; i++)
			source_copy(src, iov[i].iov_base, iov[i].iov_len);
		addr += covered;
		len -= covered;
	}
	return 0;
}

int mr_write(struct mr *mr, uint64_t addr, const struct iovec *src,
	     int src_count)
{
	struct source from = { .iov = src, .count = src_count };

	return mr_write_source(mr, addr, iov_len(src, src_count), &from);
}

static int sge_write_as(struct receiver *receiver, const struct mr_user *user,
		 const struct sge *sge, unsigned int count, uint64_t offset,
		 const struct iovec *src, int src_count)
{
	struct source from = { .iov = src, .count = src_count };
	struct sge_walk walk = sge_walk(sge, count, offset,
					iov_len(src, src_count));
	const struct sge *piece;
	struct mr *mr;

	while ((piece = sge_next(&walk))) {
		mr = sge_mr_as(receiver, user, piece->lkey, ORNIC_ACCESS_LOCAL_WRITE,
			       walk.addr, walk.len);
		if (!mr)
			return -EFAULT;
		if (mr_write_source(mr, walk.addr, walk.len, &from))
			return sge_fault(receiver, walk.addr);
	}
	return 0;
}

int sge_write(struct receiver *receiver, const struct sge *sge, unsigned int count,
	      uint64_t offset, const struct iovec *src, int src_count)
{
	return sge_write_as(receiver, &receiver->user, sge, count, offset, src, src_count);
}

int sge_write_wqe(struct receiver *receiver, const struct recv_wqe *wqe,
		  uint64_t offset, const struct iovec *src, int src_count)
{
	const struct srq *srq = receiver->srq;

	return sge_write_as(receiver, srq ? &srq->user : &receiver->user, wqe->sge,
			    wqe->sge_count, offset, src, src_count);
}
