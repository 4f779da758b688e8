/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions: keys, what they allow, and where the bytes are. Windows have
 * keys, too, and are a struct mr; how they are bound is in mw.h.
 *
 * Nobody keeps a struct mr across packets or calls of nic_run(): a key is
 * looked up each time it is used, which costs one table access, and so an MR
 * can be destroyed or invalidated at any moment without asking who uses it.
 */
#ifndef ORNIC_DEVICE_MR_H
#define ORNIC_DEVICE_MR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include <ornic_hw_cmd.h>

#include "buf.h"
#include "obj.h"

/* Those that are for peers */
#define MR_ACCESS_REMOTE                                                 \
	(ORNIC_ACCESS_REMOTE_WRITE | ORNIC_ACCESS_REMOTE_READ |          \
	 ORNIC_ACCESS_REMOTE_ATOMIC | ORNIC_ACCESS_FLUSH_GLOBAL |        \
	 ORNIC_ACCESS_FLUSH_PERSISTENT)
/*
 * ORNIC_ACCESS_* bits that CREATE_MR takes. Nothing that a guest has survives the
 * loss of power.
 */
#define MR_ACCESS_FLAGS                                                  \
	(ORNIC_ACCESS_LOCAL_WRITE |                                      \
	 (MR_ACCESS_REMOTE & ~ORNIC_ACCESS_FLUSH_PERSISTENT) |           \
	 ORNIC_ACCESS_MW_BIND | ORNIC_ACCESS_ZERO_BASED |   \
	 ORNIC_ACCESS_RELAXED_ORDERING)
#define MR_MAX_SIZE (1ULL << 40)
/* Pages of one registration by a send queue: 4 MiB in pages of 4 KiB */
#define MR_MAX_REG_PAGES 1024
/* ORNIC_MR_NULL comes in pieces of this size: a path MTU is one. */
#define MR_NULL_PIECE CORE_SINK_SIZE

struct cmd;
struct nic;
struct pd;

/**
 * struct mr_user - on whose behalf a key is used
 * @pd: its PD
 * @qpn: number of the QP, for windows that are bound to it
 * @kernel: it may use ORNIC_MR_DMA
 */
struct mr_user {
	const struct pd *pd;
	uint32_t qpn;
	bool kernel;
};

/**
 * struct mr - a memory region or window
 * @obj: number, which is the index of the key; users are windows
 * @key: local and remote key
 * @valid: there are bytes behind the key; ORNIC_MR_REG and windows begin without
 * @type: enum ornic_mr_type
 * @pd: its PD, used
 * @access: ORNIC_ACCESS_*
 * @iova: first address as the verbs see it
 * @length: bytes
 * @first_offset: of @iova in the first page of @pages
 * @guest: guest memory
 * @pages: of ORNIC_MR_MEMORY and ORNIC_MR_REG @buf, of a window its region's
 * @buf: the pages
 * @region: of a window that is valid: where it is bound to, used
 * @sink: of ORNIC_MR_NULL: the card's MR_NULL_PIECE bytes that nobody reads
 * @qpn: of ORNIC_MR_MW2 that is valid: the QP that bound it, and may use it
 */
struct mr {
	struct obj obj;
	uint32_t key;
	bool valid;
	uint8_t type;
	struct pd *pd;
	uint32_t access;
	uint64_t iova;
	uint64_t length;
	uint64_t first_offset;
	struct guest *guest;
	struct buf *pages;
	struct buf buf;
	struct mr *region;
	uint8_t *sink;
	uint32_t qpn;
};

static inline bool mr_is_window(const struct mr *mr)
{
	return mr->type == ORNIC_MR_MW1 || mr->type == ORNIC_MR_MW2;
}

/* The first address as a key is used */
static inline uint64_t mr_base(const struct mr *mr)
{
	return mr->access & ORNIC_ACCESS_ZERO_BASED ? 0 : mr->iova;
}

/* Are all bytes inside? */
static inline bool mr_holds(const struct mr *mr, uint64_t addr, uint64_t len)
{
	uint64_t base = mr_base(mr);

	/* Differences do not wrap where sums may. */
	return addr >= base && len <= mr->length &&
	       addr - base <= mr->length - len;
}

/**
 * enum mr_error - why a key does not open the door
 * @MR_OK: it does
 * @MR_BAD_KEY: there is no such key, or nothing behind it
 * @MR_BAD_PD: it belongs to another PD or QP, or is not for this use
 * @MR_BAD_ACCESS: it does not allow this
 * @MR_BAD_RANGE: the bytes are not all inside
 * @MR_BAD_TYPE: a key of this type does not come and go by work requests
 * @MR_BAD_STATE: it is in use already
 * @MR_BAD_PAGES: the pages make no sense, or are not in reach
 */
enum mr_error {
	MR_OK,
	MR_BAD_KEY,
	MR_BAD_PD,
	MR_BAD_ACCESS,
	MR_BAD_RANGE,
	MR_BAD_TYPE,
	MR_BAD_STATE,
	MR_BAD_PAGES,
};

/**
 * mr_error_name - for messages
 * @err: not MR_OK
 *
 * Return: some words.
 */
const char *mr_error_name(enum mr_error err);

/**
 * mr_find - find by key
 * @nic: the card
 * @key: any key
 *
 * Return: the region or window, valid or not, or NULL.
 */
struct mr *mr_find(struct nic *nic, uint32_t key);

/**
 * mr_invalidate - there is nothing behind the key any more
 * @mr: valid or not
 */
void mr_invalidate(struct mr *mr);

/**
 * mr_get - check a key against what somebody wants to do
 * @nic: the card
 * @user: who
 * @key: key of a WQE or a packet
 * @access: ORNIC_ACCESS_* bits that are needed: for an SGE that is read 0, for
 *	one that is written LOCAL_WRITE, for the wire REMOTE_*
 * @addr: first byte
 * @len: bytes, not 0: an SGE or a request of length zero has no key to check
 *	(IBTA C9-88, C10-48), so the caller does not come here; but for FLUSH
 * @mr: the region, with MR_OK only
 *
 * Return: enum mr_error. Counting and logging are the caller's, who knows which
 * queue it is.
 */
enum mr_error mr_get(struct nic *nic, const struct mr_user *user, uint32_t key,
		     uint32_t access, uint64_t addr, uint64_t len,
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
 * mr_reg - REG_MR: give an ORNIC_MR_REG its pages, key and access
 * @nic: the card
 * @user: who; of the same PD
 * @reg: as posted, copied from guest memory
 *
 * Return: enum mr_error; nothing changed unless it is MR_OK.
 */
enum mr_error mr_reg(struct nic *nic, const struct mr_user *user,
		     const struct ornic_reg_mr *reg);

/**
 * mr_local_inv - LOCAL_INV: there is nothing behind a key any more
 * @nic: the card
 * @user: who; of the same PD
 * @key: of an ORNIC_MR_REG, or an ORNIC_MR_MW2 that the QP itself has bound;
 *	already invalid is fine
 *
 * Return: enum mr_error.
 */
enum mr_error mr_local_inv(struct nic *nic, const struct mr_user *user,
			   uint32_t key);

/**
 * mr_remote_inv - a peer's SEND_WITH_INV
 * @nic: the card
 * @user: the QP that received it
 * @key: as of mr_local_inv(), but valid, and of use to a peer
 *
 * Return: enum mr_error.
 */
enum mr_error mr_remote_inv(struct nic *nic, const struct mr_user *user,
			    uint32_t key);

/**
 * mr_destroy_all - part of a reset
 * @nic: the card
 */
void mr_destroy_all(struct nic *nic);

/**
 * mr_build_abort - give up a command that takes several turns
 * @nic: the card; no such command is fine
 */
void mr_build_abort(struct nic *nic);

enum ornic_cmd_status mr_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status mr_cmd_modify(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status mr_cmd_destroy(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_MR_H */
