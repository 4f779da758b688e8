/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions: keys, their access rights, and the memory behind them. Memory
 * windows have keys too and are a struct mr; mw.h binds them.
 *
 * Only a bound window keeps a pointer to a struct mr, its region, and holds a
 * reference. All other code looks up a key at each use, which costs one table
 * access. So an MR without windows can be destroyed or invalidated at any
 * moment.
 */
#ifndef ORNIC_DEVICE_MR_H
#define ORNIC_DEVICE_MR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include <ornic_hw_cmd.h>

#include "base/buf.h"
#include "base/obj.h"

/* Access rights for peers */
#define MR_ACCESS_REMOTE                                                 \
	(ORNIC_ACCESS_REMOTE_WRITE | ORNIC_ACCESS_REMOTE_READ |          \
	 ORNIC_ACCESS_REMOTE_ATOMIC | ORNIC_ACCESS_FLUSH_GLOBAL |        \
	 ORNIC_ACCESS_FLUSH_PERSISTENT)
/*
 * ORNIC_ACCESS_* bits that CREATE_MR accepts with all features. Guest memory does not survive the
 * loss of power, so FLUSH_PERSISTENT is not one of them.
 */
#define MR_ACCESS_FLAGS                                                  \
	(ORNIC_ACCESS_LOCAL_WRITE |                                      \
	 (MR_ACCESS_REMOTE & ~ORNIC_ACCESS_FLUSH_PERSISTENT) |           \
	 ORNIC_ACCESS_MW_BIND | ORNIC_ACCESS_ZERO_BASED |   \
	 ORNIC_ACCESS_RELAXED_ORDERING)
#define MR_MAX_SIZE (1ULL << 40)
/* Limit for the pages of a REG_MR: 4 MiB in pages of 4 KiB */
#define MR_MAX_REG_PAGES 1024
/* Size of the pieces of an ORNIC_MR_NULL; a path MTU fits into one */
#define MR_NULL_PIECE CARD_SINK_SIZE

struct cmd;
struct card;

/**
 * mr_access_flags - get the access flags that some features bring
 * @features: ORNIC_FEAT_*
 *
 * Return: ORNIC_ACCESS_* that CREATE_MR accepts ([ORNIC-OBJ-16]).
 */
static inline uint32_t mr_access_flags(uint64_t features)
{
	return features & ORNIC_FEAT_MW ?
		       MR_ACCESS_FLAGS : MR_ACCESS_FLAGS & ~ORNIC_ACCESS_MW_BIND;
}

/**
 * struct mr_user - user of a key
 * @pdn: PD of the user, or PD_NONE
 * @qpn: number of the QP, for windows bound to it
 * @kernel: the user may use ORNIC_MR_DMA
 */
struct mr_user {
	uint32_t pdn;
	uint32_t qpn;
	bool kernel;
};

/**
 * struct mr - a memory region or window
 * @obj: number, the index of the key; users are bound windows
 * @key: local and remote key
 * @valid: the key may be used; ORNIC_MR_REG and windows are not valid at first
 * @type: enum ornic_mr_type
 * @pdn: PD
 * @access: ORNIC_ACCESS_* bits
 * @iova: first address in WQEs and packets
 * @length: bytes
 * @first_offset: offset of @iova from the start of the first page of @pages
 * @guest: guest memory
 * @pages: @buf for ORNIC_MR_MEMORY and ORNIC_MR_REG, that of the region for a
 *	window
 * @buf: own pages
 * @region: valid window: region that it is bound to; holds a reference
 * @sink: ORNIC_MR_NULL: MR_NULL_PIECE bytes of the card that are written and
 *	never read
 * @qpn: valid ORNIC_MR_MW2: QP that bound it, the only one that may use it
 */
struct mr {
	struct obj obj;
	uint32_t key;
	bool valid;
	uint8_t type;
	uint32_t pdn;
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

/* First address that the key covers */
static inline uint64_t mr_base(const struct mr *mr)
{
	return mr->access & ORNIC_ACCESS_ZERO_BASED ? 0 : mr->iova;
}

/* Does the region contain all bytes? */
static inline bool mr_holds(const struct mr *mr, uint64_t addr, uint64_t len)
{
	uint64_t base = mr_base(mr);

	/* Differences do not wrap where sums may */
	return addr >= base && len <= mr->length &&
	       addr - base <= mr->length - len;
}

/**
 * enum mr_error - result of the use of a key
 * @MR_OK: allowed
 * @MR_BAD_KEY: the key does not exist or is not valid
 * @MR_BAD_PD: the key belongs to another PD or QP, or is not for this use
 * @MR_BAD_ACCESS: the key does not allow the access
 * @MR_BAD_RANGE: not all bytes are inside
 * @MR_BAD_TYPE: the operation is not for keys of this type
 * @MR_BAD_STATE: the key is in use already
 * @MR_BAD_PAGES: the pages are invalid or out of reach
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
 * mr_error_name - get a text for messages
 * @err: not MR_OK
 *
 * Return: a static string.
 */
const char *mr_error_name(enum mr_error err);

/**
 * mr_find - find a region or window by key
 * @card: the card
 * @key: any key
 *
 * Return: the region or window, valid or not, or NULL.
 */
struct mr *mr_find(struct card *card, uint32_t key);

/**
 * mr_invalidate - make a key invalid
 * @mr: valid or not
 */
void mr_invalidate(struct mr *mr);

/**
 * mr_get - check a key for an access
 * @card: the card
 * @user: user of the key
 * @key: key from a WQE or a packet
 * @access: ORNIC_ACCESS_* bits needed: 0 to read from an SGE, LOCAL_WRITE to
 *	write to one, bits of MR_ACCESS_REMOTE for a packet
 * @addr: first byte
 * @len: bytes. An SGE or a request of length 0 has no key to check (IBTA C9-88,
 *	C10-48), so callers pass 0 only for FLUSH.
 * @mr: the region, set with MR_OK only
 *
 * Return: enum mr_error. The caller counts and logs, because it knows the
 * queue.
 */
enum mr_error mr_get(struct card *card, const struct mr_user *user, uint32_t key,
		     uint32_t access, uint64_t addr, uint64_t len,
		     struct mr **mr);

/**
 * mr_iov - get host pointers to bytes of a region
 * @mr: from mr_get(), which has checked @addr and *@len
 * @addr: first byte
 * @len: bytes wanted, not 0; on return the bytes that @iov covers, fewer when
 *	@max pieces are not enough. Scattered memory takes one piece per page;
 *	contiguous neighbours are merged.
 * @dir: enum mem_dir bits
 * @iov: filled in order, valid until the caller returns to the event loop
 * @max: room in @iov, not 0
 *
 * Return: pieces filled, or -EFAULT when the memory is out of reach.
 */
int mr_iov(struct mr *mr, uint64_t addr, uint64_t *len, unsigned int dir,
	   struct iovec *iov, int max);

/**
 * mr_reg - REG_MR: give an ORNIC_MR_REG its pages, key and access
 * @card: the card
 * @user: QP that executes it; its PD must be that of the region
 * @reg: as posted, copied from guest memory
 *
 * Return: enum mr_error; nothing changed unless it is MR_OK.
 */
enum mr_error mr_reg(struct card *card, const struct mr_user *user,
		     const struct ornic_reg_mr *reg);

/**
 * mr_local_inv - LOCAL_INV: make a key invalid
 * @card: the card
 * @user: QP that executes it; its PD must be that of the key
 * @key: key of an ORNIC_MR_REG, or of an ORNIC_MR_MW2 that the QP has bound; it
 *	may be invalid already
 *
 * Return: enum mr_error.
 */
enum mr_error mr_local_inv(struct card *card, const struct mr_user *user,
			   uint32_t key);

/**
 * mr_remote_inv - make a key invalid for a peer's SEND_WITH_INV
 * @card: the card
 * @user: QP that received it
 * @key: as for mr_local_inv(), but valid and with remote access
 *
 * Return: enum mr_error.
 */
enum mr_error mr_remote_inv(struct card *card, const struct mr_user *user,
			    uint32_t key);

/**
 * mr_unbind - part of a reset: release the regions that windows use
 * @card: the card
 * @obj: a region or a window; its key becomes invalid
 */
void mr_unbind(struct card *card, struct obj *obj);

/**
 * mr_destroy - destroy a region or a window
 * @card: the card
 * @obj: without users
 */
void mr_destroy(struct card *card, struct obj *obj);

/**
 * mr_build_abort - drop the state of a command that takes several turns
 * @card: the card, with or without such a command
 */
void mr_build_abort(struct card *card);

enum ornic_cmd_status mr_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status mr_cmd_modify(struct card *card, struct cmd *cmd);
enum ornic_cmd_status mr_cmd_destroy(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_MR_H */
