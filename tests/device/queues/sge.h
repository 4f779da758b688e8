/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Scatter/gather lists of work requests: memory access by local key */
#ifndef ORNIC_DEVICE_SGE_H
#define ORNIC_DEVICE_SGE_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "env/frame.h"
#include "objects/mr.h"
#include "objects/wqe.h"

struct receiver;
struct recv_wqe;

/**
 * sge_check - check access to all of a list
 * @receiver: the QP or WQ
 * @sge: the list
 * @count: number of SGEs
 * @access: 0 to read, ORNIC_ACCESS_LOCAL_WRITE to write
 *
 * A key that forbids the access is counted (bad_lkey).
 *
 * Return: true when the QP may access all of it.
 */
bool sge_check(struct receiver *receiver, const struct sge *sge, unsigned int count,
	       uint32_t access);

/**
 * sge_gather - append a part of a list to the payload of a frame, by reference
 * @receiver: the QP or WQ
 * @sge: the list
 * @count: number of SGEs
 * @offset: offset in the list, bytes
 * @len: bytes wanted; the list has as many
 * @frame: frame that the payload is appended to
 *
 * Return: bytes appended, fewer than @len when the iovec of @frame is full; or
 * -EFAULT when a key forbids the access (counted).
 */
int64_t sge_gather(struct receiver *receiver, const struct sge *sge, unsigned int count,
		   uint64_t offset, uint32_t len, struct frame *frame);

/**
 * sge_read - copy from a part of a list
 * @receiver: the QP or WQ
 * @sge: the list
 * @count: number of SGEs
 * @offset: offset in the list, bytes
 * @buf: destination
 * @len: bytes to copy; the list has as many
 *
 * Return: 0, or -EFAULT when a key forbids the access (counted).
 */
int sge_read(struct receiver *receiver, const struct sge *sge, unsigned int count,
	     uint64_t offset, void *buf, uint32_t len);

/**
 * sge_write - copy into a part of a list
 * @receiver: the QP or WQ
 * @sge: the list
 * @count: number of SGEs
 * @offset: offset in the list, bytes
 * @src: source, in order
 * @src_count: number of pieces in @src; together they fit behind @offset
 *
 * Return: 0, or -EFAULT when a key forbids the access (counted).
 */
int sge_write(struct receiver *receiver, const struct sge *sge, unsigned int count,
	      uint64_t offset, const struct iovec *src, int src_count);

/**
 * sge_write_wqe - write to the memory that a receive WQE names
 * @receiver: QP or WQ that took the WQE
 * @wqe: the WQE
 * @offset: offset in the memory of the WQE, bytes
 * @src: source, in order
 * @src_count: number of pieces in @src; together they fit behind @offset
 *
 * Keys are looked up in the PD of the queue that the WQE came from.
 *
 * Return: as sge_write().
 */
int sge_write_wqe(struct receiver *receiver, const struct recv_wqe *wqe,
		  uint64_t offset, const struct iovec *src, int src_count);

/**
 * mr_write - copy into a region
 * @mr: region from mr_get(), which checked @addr and the length
 * @addr: address of the first byte
 * @src: source, in order
 * @src_count: number of pieces in @src
 *
 * Return: 0, or -EFAULT when the memory is out of reach now.
 */
int mr_write(struct mr *mr, uint64_t addr, const struct iovec *src,
	     int src_count);

/**
 * mr_frame - append bytes of a region to the payload of a frame, by reference
 * @mr: region from mr_get(), which checked @addr and @len
 * @addr: address of the first byte
 * @len: bytes wanted
 * @frame: frame that the payload is appended to
 *
 * Return: bytes appended, fewer than @len when the iovec of @frame is full; or
 * -EFAULT when the memory is out of reach now.
 */
int64_t mr_frame(struct mr *mr, uint64_t addr, uint32_t len,
		 struct frame *frame);

#endif /* ORNIC_DEVICE_SGE_H */
