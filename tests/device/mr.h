/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions: keys, what they allow, and where the bytes are.
 *
 * Nobody keeps a struct mr across packets or calls of nic_run(): a key is
 * looked up each time it is used, which costs one table access, and so an MR
 * can be destroyed at any moment without asking who uses it.
 */
#ifndef ORNIC_DEVICE_MR_H
#define ORNIC_DEVICE_MR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include <ornic_hw_cmd.h>

#include "buf.h"
#include "obj.h"

/* ORNIC_ACCESS_* bits that CREATE_MR takes */
#define MR_ACCESS_FLAGS                                                  \
	(ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE |          \
	 ORNIC_ACCESS_REMOTE_READ | ORNIC_ACCESS_REMOTE_ATOMIC |         \
	 ORNIC_ACCESS_ZERO_BASED | ORNIC_ACCESS_RELAXED_ORDERING)
#define MR_MAX_SIZE (1ULL << 40)

struct cmd;
struct nic;
struct pd;

/**
 * struct mr - a memory region
 * @obj: number, which is the index of the key
 * @key: local and remote key
 * @pd: its PD, used
 * @type: enum ornic_mr_type
 * @access: ORNIC_ACCESS_*
 * @iova: first address as the verbs see it
 * @length: bytes
 * @first_offset: of @iova in the first page of @buf
 * @guest: guest memory, for ORNIC_MR_DMA
 * @buf: the pages, of ORNIC_MR_MEMORY
 */
struct mr {
	struct obj obj;
	uint32_t key;
	struct pd *pd;
	uint8_t type;
	uint32_t access;
	uint64_t iova;
	uint64_t length;
	uint64_t first_offset;
	struct guest *guest;
	struct buf buf;
};

/**
 * enum mr_error - why a key does not open the door
 * @MR_OK: it does
 * @MR_BAD_KEY: there is no such key
 * @MR_BAD_PD: it belongs to another PD, or is for the kernel's QPs only
 * @MR_BAD_ACCESS: it does not allow this
 * @MR_BAD_RANGE: the bytes are not all inside
 */
enum mr_error {
	MR_OK,
	MR_BAD_KEY,
	MR_BAD_PD,
	MR_BAD_ACCESS,
	MR_BAD_RANGE,
};

/**
 * mr_get - check a key against what somebody wants to do
 * @nic: the card
 * @key: key of a WQE or a packet
 * @pd: PD of the QP
 * @access: ORNIC_ACCESS_* bits that are needed: for an SGE that is read 0, for
 *	one that is written LOCAL_WRITE, for the wire REMOTE_*
 * @addr: first byte
 * @len: bytes, not 0: an SGE or a request of length zero has no key to check
 *	(IBTA C9-88, C10-48), so the caller does not come here
 * @kernel: the QP was created with ORNIC_QP_KERNEL
 * @mr: the region, with MR_OK only
 *
 * Return: enum mr_error. Counting and logging are the caller's, who knows which
 * queue it is.
 */
enum mr_error mr_get(struct nic *nic, uint32_t key, const struct pd *pd,
		     uint32_t access, uint64_t addr, uint64_t len, bool kernel,
		     struct mr **mr);

/**
 * mr_iov - host pointers to bytes of a region
 * @mr: from mr_get(), which has checked @addr and *@len
 * @addr: first byte
 * @len: bytes wanted, not 0; on return those that @iov covers, fewer when @max
 *	pieces do not reach. A page of memory that lies scattered is one piece
 *	each; neighbours that are contiguous here are merged
 * @dir: enum mem_dir bits
 * @iov: filled in order, good until the caller returns to the event loop
 * @max: room in @iov, not 0
 *
 * Return: pieces filled, or -EFAULT when the guest took the memory away.
 */
int mr_iov(struct mr *mr, uint64_t addr, uint64_t *len, unsigned int dir,
	   struct iovec *iov, int max);

/**
 * mr_destroy_all - part of a reset
 * @nic: the card
 */
void mr_destroy_all(struct nic *nic);

enum ornic_cmd_status mr_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status mr_cmd_destroy(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_MR_H */
