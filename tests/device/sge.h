/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Scatter/gather lists of work requests: from keys and addresses to bytes.
 */
#ifndef ORNIC_DEVICE_SGE_H
#define ORNIC_DEVICE_SGE_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "frame.h"
#include "mr.h"

struct qp;

/**
 * struct sge - one piece of a work request, in CPU order
 * @addr: first byte
 * @length: bytes
 * @lkey: local key
 */
struct sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/**
 * sge_check - may the QP use all of a list
 * @qp: the QP
 * @sge: the list
 * @count: pieces
 * @access: 0 to read from them, ORNIC_ACCESS_LOCAL_WRITE to write
 *
 * A key that does not fit is counted (bad_lkey).
 *
 * Return: whether it may.
 */
bool sge_check(struct qp *qp, const struct sge *sge, unsigned int count,
	       uint32_t access);

/**
 * sge_gather - make a frame refer to a part of a list
 * @qp: the QP
 * @sge: the list
 * @count: pieces
 * @offset: bytes of the list to skip
 * @len: bytes wanted; the list has them
 * @frame: payload is appended to it
 *
 * Return: bytes that @frame refers to now, fewer than @len when its pieces ran
 * out, or -EFAULT when a key does not allow it (counted).
 */
int64_t sge_gather(struct qp *qp, const struct sge *sge, unsigned int count,
		   uint64_t offset, uint32_t len, struct frame *frame);

/**
 * sge_read - copy a part of a list
 * @qp: the QP
 * @sge: the list
 * @count: pieces
 * @offset: bytes of the list to skip
 * @buf: where to
 * @len: bytes; the list has them
 *
 * Return: 0, or -EFAULT when a key does not allow it (counted).
 */
int sge_read(struct qp *qp, const struct sge *sge, unsigned int count,
	     uint64_t offset, void *buf, uint32_t len);

/**
 * sge_write - copy into a part of a list
 * @qp: the QP
 * @sge: the list
 * @count: pieces
 * @offset: bytes of the list to skip
 * @src: where from, in order
 * @src_count: pieces of @src; together they fit into the list behind @offset
 *
 * Return: 0, or -EFAULT when a key does not allow it (counted).
 */
int sge_write(struct qp *qp, const struct sge *sge, unsigned int count,
	      uint64_t offset, const struct iovec *src, int src_count);

/**
 * sge_write_as - sge_write() with keys that are not the QP's own
 * @qp: the QP
 * @user: whose they are
 * @sge: the list
 * @count: pieces
 * @offset: bytes of the list to skip
 * @src: where from, in order
 * @src_count: pieces of @src
 *
 * Return: as sge_write().
 */
int sge_write_as(struct qp *qp, const struct mr_user *user,
		 const struct sge *sge, unsigned int count, uint64_t offset,
		 const struct iovec *src, int src_count);

/**
 * mr_write - copy into a region that mr_get() allowed
 * @mr: from mr_get(), which checked @addr and the length
 * @addr: first byte
 * @src: where from, in order
 * @src_count: pieces of @src
 *
 * Return: 0, or -EFAULT when the guest took the memory away.
 */
int mr_write(struct mr *mr, uint64_t addr, const struct iovec *src,
	     int src_count);

/**
 * mr_frame - make a frame refer to bytes of a region that mr_get() allowed
 * @mr: from mr_get(), which checked @addr and @len
 * @addr: first byte
 * @len: bytes wanted
 * @frame: payload is appended to it
 *
 * Return: bytes that @frame refers to now, fewer than @len when its pieces ran
 * out, or -EFAULT when the guest took the memory away.
 */
int64_t mr_frame(struct mr *mr, uint64_t addr, uint32_t len,
		 struct frame *frame);

#endif /* ORNIC_DEVICE_SGE_H */
