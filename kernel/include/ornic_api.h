/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interface that ornic.ko exports to ornic_rdma.ko. The verbs driver calls into
 * the core driver; in the other direction there are only the callbacks of
 * struct ornic_res and the notifiers of struct ornic_dev.
 *
 * A device that fails (command timeout, FATAL status, all ones from the bus,
 * refusal to release memory) is stopped at once: bus mastering is off before
 * the first caller sees -EIO. Memory that the device used may therefore be
 * freed after -EIO.
 */
#ifndef ORNIC_API_H
#define ORNIC_API_H

#include <linux/auxiliary_bus.h>
#include <linux/bitfield.h>
#include <linux/completion.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/refcount.h>
#include <linux/sprintf.h>
#include <rdma/ib_user_verbs.h>

#include "ornic_hw_cmd.h"

#define ORNIC_ADEV_NAME		"rdma"	/* auxiliary device ornic.rdma.N */

/*
 * Output of QUERY_DEVICE in CPU byte order, see struct ornic_query_device_out,
 * as far as it is used once the device has started. Ring sizes are powers of
 * two; a driver that cannot use the largest size applies its own limit.
 */
struct ornic_limits {
	u64 features;		/* ORNIC_FEAT_* in force */
	u64 guid;		/* EUI-64 */
	u64 max_mr_size;	/* bytes */
	u64 page_sizes;		/* bit n: pages of 1 << n bytes */
	u64 send_ops[ORNIC_SEND_OPS_WORDS];	/* bit n % 64 of word n / 64: opcode n */
	u32 fw_version;		/* major 31:24, minor 23:16, patch 15:0 */
	u32 max_uctx;		/* of processes; 0: no process can use it */
	u32 max_pd;		/* numbers of PDs are below it */
	u32 max_eqe;
	u32 max_cq;
	u32 max_cqe;
	u32 max_qp;
	u32 max_sq_slots;
	u32 max_rq_wqes;
	u32 max_sge;
	u32 max_inline;		/* bytes */
	u32 max_mr;
	u32 max_srq;
	u32 max_srq_wqes;
	u32 max_mcast_groups;
	u32 max_mcast_qps;
	u32 max_mw;
	u32 max_rx_queues;
	u32 max_gid;
	u32 max_rd_atomic;
	u32 max_msg_size;	/* bytes */
	u32 max_reg_pages;
	u32 access_flags;	/* ORNIC_ACCESS_* */
	u32 qp_types;		/* bit n: enum ornic_qp_type n */
	u32 max_wq;
	u32 max_rwq_tables;
	u32 max_rwq_table_size;	/* entries */
	u32 rx_hash_fields;	/* ORNIC_RX_HASH_* */
	u32 wq_flags;		/* ORNIC_WQ_* */
	u32 max_delay_drop;	/* us */
	u32 max_flows;
	u32 max_tso;		/* bytes */
	u32 min_rate;		/* kb/s */
	u32 max_rate;
	u32 profiles;		/* ORNIC_PROFILE_* */
	u32 max_log;		/* entries */
	u32 flow_types;		/* bit n: enum ornic_flow_type n */
	u64 flow_fields;	/* ORNIC_FLOW_FIELD_* */
	u64 flow_any_mask;	/* ORNIC_FLOW_FIELD_* */
	u32 flow_flags;		/* ORNIC_FLOW_* */
	u32 flow_layers;	/* ORNIC_FLOW_LAYER_* */
	u32 sq_ci_lag;		/* slots */
	u32 rq_ci_lag;		/* receive WQEs */
	u32 max_stat_sets;	/* numbers of sets are below it */
	u32 rx_hash_types;	/* ORNIC_HASH_* */
	u32 max_comp_cntrs;
};

/**
 * ornic_fw_version - write the version of the firmware as users see it
 * @lim:	limits of the device
 * @text:	filled in
 * @size:	bytes of @text
 */
static inline void ornic_fw_version(const struct ornic_limits *lim, char *text, size_t size)
{
	snprintf(text, size, "%u.%u.%u", lim->fw_version >> 24, (lim->fw_version >> 16) & 0xff,
		 lim->fw_version & 0xffff);
}

/**
 * ornic_has_op - check whether the device executes an opcode of send WQEs
 * @lim:	its limits
 * @opcode:	of work requests; enum ornic_wr_opcode has some of 256
 *
 * Return: true if it does.
 */
static inline bool ornic_has_op(const struct ornic_limits *lim, u32 opcode)
{
	return opcode / 64 < ARRAY_SIZE(lim->send_ops) &&
	       lim->send_ops[opcode / 64] & BIT_ULL(opcode % 64);
}

/**
 * struct ornic_dev - a device as the verbs driver sees it
 *
 * All members but @ib_name are constant while an auxiliary device exists.
 *
 * @pdev:	the PCI function; DMA is mapped for &pdev->dev
 * @netdev:	its Ethernet interface. Carrier follows the port, so the RDMA
 *		core learns of port events through it.
 * @lim:	limits and features
 * @shadow:	the device polls doorbell records and boards; else doorbells arm
 *		CQs and EQs and tell their ci (ORNIC_CAPS_SHADOW)
 * @rq_doorbell: the device needs a doorbell for receive WQEs
 *		(ORNIC_NEEDS_RQ_DOORBELL)
 * @num_comp_vectors: completion vectors, at least 1
 * @db:		doorbell page 0
 * @board:	board of doorbell page 0, NULL without @shadow
 * @clock_page:	struct ornic_clock_info, to be mapped read-only; NULL without a
 *		clock
 * @death:	called once, in any context, when the device has stopped because
 *		it failed or was unplugged. Commands already fail with -EIO.
 *		The auxiliary device is removed soon afterwards, unless its
 *		removal has begun before. On orderly removal the device works
 *		until its auxiliary device is gone.
 * @ib_name:	last name of the RDMA device. The verbs driver writes it when
 *		the auxiliary device is removed, for the next one.
 */
struct ornic_dev {
	struct pci_dev *pdev;
	struct net_device *netdev;
	struct ornic_limits lim;
	bool shadow;
	bool rq_doorbell;
	u32 num_comp_vectors;
	void __iomem *db;
	struct ornic_board *board;
	struct page *clock_page;
	struct atomic_notifier_head death;
	char ib_name[IB_DEVICE_NAME_MAX];
};

/* ---- Auxiliary device -------------------------------------------------- */

/**
 * struct ornic_adev - the auxiliary device that the verbs driver binds to
 * @adev:	on the auxiliary bus
 * @odev:	the device
 */
struct ornic_adev {
	struct auxiliary_device adev;
	struct ornic_dev *odev;
};

static inline struct ornic_dev *to_ornic_dev(struct auxiliary_device *adev)
{
	return container_of(adev, struct ornic_adev, adev)->odev;
}

/* ---- Commands ----------------------------------------------------------- */

/**
 * ornic_cmd_exec - execute an admin command and wait for its completion
 * @odev:	the device
 * @opcode:	enum ornic_opcode
 * @in:		input structure, or NULL
 * @in_len:	bytes, at most ORNIC_CMD_MAX_IN
 * @out:	output buffer, or NULL. A device of a lower minor version may
 *		answer a query with less than @out_len; the rest is zeroed. Any
 *		other answer has the fields of version 1.0 at least, or the
 *		device is stopped.
 * @out_len:	bytes, at most ORNIC_CMD_MAX_OUT
 *
 * May be called concurrently. Sleeps, for seconds at most. Commands count to
 * the process that executes them, which has a part of the admin queue at a
 * time.
 *
 * Return: 0, -EIO if the device is dead, or the error that the device reports:
 * -EOPNOTSUPP (unknown or unsupported), -EINVAL (bad parameter or state),
 * -ENOENT (no such object), -EBUSY (in use), -ENOMEM (no resources),
 * -EFAULT (address out of reach), -EREMOTEIO (internal error).
 */
int ornic_cmd_exec(struct ornic_dev *odev, enum ornic_opcode opcode,
		   const void *in, size_t in_len, void *out, size_t out_len);

/**
 * ornic_cmd_exec_urgent - ornic_cmd_exec() that does not wait for processes
 * @odev:	the device
 * @opcode:	enum ornic_opcode
 * @in:		input structure, or NULL
 * @in_len:	bytes
 * @out:	output buffer, or NULL
 * @out_len:	bytes
 *
 * For callers that hold a lock for which others wait, such as rtnl_lock, and of
 * which a process cannot have many.
 *
 * Return: as ornic_cmd_exec().
 */
int ornic_cmd_exec_urgent(struct ornic_dev *odev, enum ornic_opcode opcode,
			  const void *in, size_t in_len, void *out, size_t out_len);

/**
 * struct ornic_cmd_req - one of several commands
 * @opcode:	enum ornic_opcode
 * @in:		input structure, or NULL
 * @in_len:	bytes
 * @out:	output buffer, or NULL
 * @out_len:	bytes
 * @urgent:	as ornic_cmd_exec_urgent()
 * @err:	set as ornic_cmd_exec() returns it
 * @slot:	private
 * @start:	private
 */
struct ornic_cmd_req {
	enum ornic_opcode opcode;
	const void *in;
	size_t in_len;
	void *out;
	size_t out_len;
	bool urgent;
	int err;
	int slot;
	u64 start;
};

/**
 * ornic_cmd_exec_all - execute several commands, which are in flight together
 * @odev:	the device
 * @reqs:	the commands; none needs the effect of another one, because they
 *		may take effect in any order
 * @count:	number of @reqs
 *
 * Otherwise as ornic_cmd_exec().
 */
void ornic_cmd_exec_all(struct ornic_dev *odev, struct ornic_cmd_req *reqs, u32 count);

/**
 * ornic_cmd_create - execute a command that returns struct ornic_object, or
 *	struct ornic_create_mr_out
 * @odev:	the device
 * @opcode:	enum ornic_opcode
 * @in:		input structure, or NULL
 * @in_len:	bytes
 * @num:	number of the new object, or the key
 *
 * A device that gives the number of another object is stopped. For queues only
 * ornic_res_add() notices that.
 *
 * Return: as ornic_cmd_exec().
 */
int ornic_cmd_create(struct ornic_dev *odev, enum ornic_opcode opcode,
		     const void *in, size_t in_len, u32 *num);

/**
 * ornic_cmd_create_as - ornic_cmd_create() that may be urgent
 * @odev:	the device
 * @urgent:	as ornic_cmd_exec_urgent()
 * @opcode:	enum ornic_opcode
 * @in:		input structure, or NULL
 * @in_len:	bytes
 * @num:	number of the new object, or the key
 *
 * Return: as ornic_cmd_exec().
 */
int ornic_cmd_create_as(struct ornic_dev *odev, bool urgent, enum ornic_opcode opcode,
			const void *in, size_t in_len, u32 *num);

/**
 * ornic_cmd_destroy - execute a command that takes struct ornic_object
 * @odev:	the device
 * @opcode:	enum ornic_opcode
 * @num:	number of the object
 *
 * A device that refuses to destroy an object is stopped as by ornic_dev_fail().
 *
 * Return: 0, also if the device is dead: its objects no longer exist, and it
 * does not access memory any more. -EBUSY if windows are bound to a memory
 * region.
 */
int ornic_cmd_destroy(struct ornic_dev *odev, enum ornic_opcode opcode, u32 num);

/**
 * ornic_cmd_destroy_as - ornic_cmd_destroy() that may be urgent
 * @odev:	the device
 * @urgent:	as ornic_cmd_exec_urgent()
 * @opcode:	enum ornic_opcode
 * @num:	number of the object
 *
 * Return: as ornic_cmd_destroy().
 */
int ornic_cmd_destroy_as(struct ornic_dev *odev, bool urgent, enum ornic_opcode opcode, u32 num);

/**
 * ornic_cmd_release - destroy an object whose memory the caller frees next
 * @odev:	the device
 * @opcode:	enum ornic_opcode, of a command that takes struct ornic_object
 * @num:	number of the object
 *
 * For callers that cannot keep the memory: a device that refuses the command
 * for any reason is stopped, because it might go on using the memory.
 */
void ornic_cmd_release(struct ornic_dev *odev, enum ornic_opcode opcode, u32 num);

/**
 * ornic_dev_fail - stop a device that violates its specification
 * @odev:	the device
 * @fmt:	reason for the log, without a newline
 *
 * May be called in any context and more than once. On return the device does
 * not access memory any more and commands fail with -EIO; recovery resets it.
 */
__printf(2, 3) void ornic_dev_fail(struct ornic_dev *odev, const char *fmt, ...);

/* ---- Protection domains ------------------------------------------------- */

/**
 * ornic_pd_alloc - take a number of a protection domain into use
 * @odev:	the device
 * @pdn:	set to the number
 *
 * Return: 0, or -ENOMEM, also if all numbers are in use.
 */
int ornic_pd_alloc(struct ornic_dev *odev, u32 *pdn);

/**
 * ornic_pd_free - give a number back
 * @odev:	the device
 * @pdn:	the number; the device has no object in this domain any more
 */
void ornic_pd_free(struct ornic_dev *odev, u32 pdn);

/* ---- Flow rules ---------------------------------------------------------- */

/**
 * ornic_flow_field_unsupported - check a rule against the limits of the device
 * @lim:	the limits
 * @in:		the rule, complete but for QP and counters
 *
 * Return: NULL, or what the device does not support, for a message.
 */
const char *ornic_flow_field_unsupported(const struct ornic_limits *lim,
					 const struct ornic_create_flow_in *in);

/* ---- User contexts ------------------------------------------------------ */

/**
 * struct ornic_uctx - doorbell page and push page of a process
 * @num:	its number, for CREATE_CQ and CREATE_QP
 * @db_phys:	physical address of the page, PAGE_SIZE bytes, to be mapped
 *		uncached
 * @push_phys:	the same of the push page, to be mapped write-combining; 0 if
 *		the device or the system has none
 * @board:	page of the struct ornic_board, to be mapped; NULL without
 *		odev->shadow. User mappings may outlive its use by the device.
 * @board_dma:	its DMA address
 * @keepable:	kept for another process later: its board is not charged to
 *		this one
 */
struct ornic_uctx {
	u32 num;
	phys_addr_t db_phys;
	phys_addr_t push_phys;
	struct page *board;
	dma_addr_t board_dma;
	bool keepable;
};

/**
 * ornic_uctx_alloc - allocate a doorbell page for a process
 * @odev:	the device
 * @uctx:	filled in
 *
 * Return: 0; -EOPNOTSUPP if doorbell pages cannot be mapped on this system;
 * -ENOMEM, also if user memory cannot be coherent with the device; or as
 * ornic_cmd_exec().
 */
int ornic_uctx_alloc(struct ornic_dev *odev, struct ornic_uctx *uctx);

/**
 * ornic_uctx_free - free a doorbell page
 * @odev:	the device
 * @uctx:	must not be used by a queue or mapped by a process
 */
void ornic_uctx_free(struct ornic_dev *odev, struct ornic_uctx *uctx);

/* ---- Rings that the device writes ---------------------------------------- */

/* Phase bit of the entry at a free-running index: set on the first pass */
static inline u32 ornic_ring_phase(u32 index, u8 log_size, u32 phase_bit)
{
	return (index >> log_size) & 1 ? 0 : phase_bit;
}

/**
 * ornic_ring_written - check whether the device has written an entry
 * @word:	the word of the entry that has the phase
 * @index:	index of the entry, free running
 * @log_size:	log2 of the number of entries
 * @phase_bit:	of the phase
 *
 * Return: true if the entry was written in the pass of @index.
 */
static inline bool ornic_ring_written(const __le32 *word, u32 index, u8 log_size, u32 phase_bit)
{
	u32 phase = le32_to_cpu(READ_ONCE(*word)) & phase_bit;

	return phase == ornic_ring_phase(index, log_size, phase_bit);
}

/**
 * struct ornic_gap - an entry that the device has left out, as last seen
 * @found:	there was one
 * @index:	its index, free running
 */
struct ornic_gap {
	bool found;
	u32 index;
};

/* ---- Events ------------------------------------------------------------- */

enum ornic_res_type {
	ORNIC_RES_CQ,
	ORNIC_RES_QP,
	ORNIC_RES_SRQ,
	ORNIC_RES_WQ,
	ORNIC_RES_TYPES
};

struct ornic_cq_ring;

/**
 * struct ornic_res - receiver of an object's events; embed it in the object
 * @event:	called with ORNIC_EVENT_COMP and the events of the object's
 *		type, in hard interrupt context, concurrently on several CPUs
 * @num:	the object's number
 * @type:	the object's type
 * @refs:	one while the object is added, one for each event being
 *		delivered; 0 before and after
 * @unused:	completed when @refs drops to zero
 * @polled:	ring of a CQ that the kernel polls, in which gaps are looked
 *		for; else NULL
 * @gap:	the last one found in @polled
 * @gap_found:	called when @polled lacks entry @ci, and may sleep; NULL to have
 *		the device stopped
 */
struct ornic_res {
	void (*event)(struct ornic_res *res, enum ornic_event event);
	void (*gap_found)(struct ornic_res *res, u32 ci);
	u32 num;
	enum ornic_res_type type;
	refcount_t refs;
	struct completion unused;
	const struct ornic_cq_ring *polled;
	struct ornic_gap gap;
};

/**
 * ornic_res_add - start to deliver an object's events
 * @odev:	the device
 * @res:	event, num and type are set, and the object is ready for events
 *
 * Return: 0, -ENOMEM, or -EBUSY if the device gave a number that is in use; the
 * device has then been stopped.
 */
int ornic_res_add(struct ornic_dev *odev, struct ornic_res *res);

/**
 * ornic_res_remove - stop delivering an object's events
 * @odev:	the device
 * @res:	if never added (zeroed) or already removed, this is a no-op
 *
 * Call this before the command that destroys the object, because the device may
 * reuse the number at once; if the command fails, call it again. Sleeps until
 * no event is being delivered; none is delivered after it returns.
 */
void ornic_res_remove(struct ornic_dev *odev, struct ornic_res *res);

/**
 * ornic_eq_comp_num - get the event queue of a completion vector, for CREATE_CQ
 * @odev:	the device
 * @vector:	below odev->num_comp_vectors
 *
 * Return: number of the event queue.
 */
u32 ornic_eq_comp_num(struct ornic_dev *odev, u32 vector);

/* ---- Clock -------------------------------------------------------------- */

/**
 * ornic_clock_cycles - read the counter that time stamps are taken from
 * @odev:	the device
 *
 * Return: nanoseconds since an arbitrary moment; ~0 if the device is gone.
 */
u64 ornic_clock_cycles(struct ornic_dev *odev);

/* ---- Doorbells (ORNIC specification, section 5) -------------------------- */

/* A ring and the doorbell record behind it do not share a cache line */
#define ORNIC_DBR_ALIGN		64

static inline u64 ornic_db_value(enum ornic_db_type type, u32 num, u32 value)
{
	return FIELD_PREP(ORNIC_DB_TYPE, type) | FIELD_PREP(ORNIC_DB_NUM, num) |
	       FIELD_PREP(ORNIC_DB_VALUE, value);
}

/**
 * ornic_db_arm - value of a doorbell of a CQ or an EQ
 * @ci:		consumer index, free running
 * @type:	what it requests; ORNIC_ARM_NONE to tell @ci only
 *
 * Return: the value.
 */
static inline u32 ornic_db_arm(u32 ci, enum ornic_arm_type type)
{
	return FIELD_PREP(ORNIC_DB_ARM_CI, ci) | FIELD_PREP(ORNIC_DB_ARM_TYPE, type);
}

/**
 * ornic_board_mark - atomically set a bit that the device atomically clears
 * @words:	bits or summary of a board
 * @nr:		number of the bit
 *
 * Not set_bit(): without SMP that is a plain read-modify-write, but the device
 * always acts as another processor. xchg() is atomic in any configuration.
 * Foreign bits that an exchange removed are restored by the next one; the
 * device may have seen them by then, which costs one needless look.
 */
static inline void ornic_board_mark(__le64 *words, u32 nr)
{
	unsigned long put = (__force unsigned long)cpu_to_le64(1ULL << (nr % 64));
	unsigned long *word = (__force unsigned long *)&words[nr / 64];
	unsigned long had;

	while ((had = xchg(word, put)) & ~put)
		put |= had;
}

/**
 * ornic_ring_sq - publish send WQEs and ring the doorbell if necessary
 * @odev:	the device
 * @dbr:	doorbell record of the QP, which uses doorbell page 0
 * @qpn:	number of the QP
 * @slot:	its slot on the board, from CREATE_QP
 * @pi:		producer index in slots of 64 bytes, free running
 *
 * The caller serialises calls for the same queue.
 */
static inline void ornic_ring_sq(struct ornic_dev *odev, struct ornic_qp_dbr *dbr,
				 u32 qpn, u32 slot, u32 pi)
{
	/* WQEs before the index that gives them to the device */
	dma_wmb();
	WRITE_ONCE(dbr->sq_pi, cpu_to_le32(pi));

	/*
	 * Publish the index before reading sq_watched. The device stores
	 * sq_watched = 0, fences and reads the index, so at least one side sees
	 * the other's store.
	 */
	mb();
	if (READ_ONCE(dbr->sq_watched))
		return;

	if (odev->board && slot < ORNIC_BOARD_SLOTS) {
		/* xchg() orders bits, then summary, then the read of awake */
		ornic_board_mark(odev->board->bits, slot);
		ornic_board_mark(odev->board->summary, slot / 64);
		if (READ_ONCE(odev->board->awake))
			return;
	}

	writeq(ornic_db_value(ORNIC_DB_SQ, qpn, pi), odev->db);
}

/**
 * ornic_publish_rq - publish receive WQEs, and ring if the device needs it
 * @odev:	the device
 * @dbr:	doorbell record of the queue, which uses doorbell page 0
 * @type:	ORNIC_DB_RQ or ORNIC_DB_SRQ
 * @num:	number of the QP or the SRQ
 * @pi:		producer index in receive WQEs, free running
 *
 * The caller serialises calls for the same queue.
 */
static inline void ornic_publish_rq(struct ornic_dev *odev, struct ornic_qp_dbr *dbr,
				    enum ornic_db_type type, u32 num, u32 pi)
{
	/* WQEs before the index that gives them to the device */
	dma_wmb();
	WRITE_ONCE(dbr->rq_pi, cpu_to_le32(pi));
	/* writeq() orders the index before the doorbell */
	if (unlikely(odev->rq_doorbell))
		writeq(ornic_db_value(type, num, pi), odev->db);
}

/**
 * ornic_doorbell_flush - let all doorbells arrive that were rung before
 * @odev:	the device
 *
 * A command of the admin record may overtake them ([ORNIC-ADM-18]). The read
 * of a doorbell page may not ([ORNIC-BUS-2]). A device that is off the bus gets
 * neither doorbells nor commands, and is not read ([ORNIC-BUS-13]).
 */
static inline void ornic_doorbell_flush(struct ornic_dev *odev)
{
	if (!pci_channel_offline(odev->pdev))
		readl(odev->db);
}

/* ---- Completion rings --------------------------------------------------- */

/**
 * struct ornic_cq_ring - host side of a completion ring
 *
 * The caller serialises polling.
 *
 * @buf:	the ring
 * @dbr:	doorbell record
 * @db:		doorbell page, by which the device is told @ci; NULL if it
 *		reads @dbr
 * @cqn:	number of the CQ
 * @ci:		consumer index, free running
 * @told:	with @db, value of @ci that the device was told last
 * @lag:	with @db, entries that may be consumed and not told
 * @arm_seq:	number of the last arm request
 * @log_size:	log2 of the number of entries
 * @log_cqe_size: log2 of the bytes of an entry
 */
struct ornic_cq_ring {
	void *buf;
	struct ornic_cq_dbr *dbr;
	void __iomem *db;
	u32 cqn;
	u32 ci;
	u32 told;
	u32 lag;
	u32 arm_seq;
	u8 log_size;
	u8 log_cqe_size;
};

/**
 * ornic_cq_lag - entries of a CQ that may be consumed and not told
 * @odev:	the device
 * @entries:	entries of the ring, a power of two
 *
 * A host that tells ci by doorbells leaves that part of the ring unused
 * ([ORNIC-DB-31]). The provider computes the same.
 *
 * Return: number of entries.
 */
static inline u32 ornic_cq_lag(const struct ornic_dev *odev, u32 entries)
{
	return odev->shadow ? 0 : entries / 8;
}

/**
 * ornic_cq_entry - address of a completion
 * @ring:	the ring
 * @index:	its index, free running
 *
 * Return: the completion, which is the end of an entry of either size.
 */
static inline struct ornic_cqe *ornic_cq_entry(const struct ornic_cq_ring *ring, u32 index)
{
	size_t pos = index & ((1u << ring->log_size) - 1);

	return ring->buf + ((pos + 1) << ring->log_cqe_size) - sizeof(struct ornic_cqe);
}

/**
 * ornic_cqe_ext - extension of a completion
 * @cqe:	in a ring of 64-byte entries
 *
 * Return: the extension, which is in front of it.
 */
static inline const struct ornic_cqe_ext *ornic_cqe_ext(const struct ornic_cqe *cqe)
{
	return &container_of_const(cqe, struct ornic_cqe_64, cqe)->ext;
}

/**
 * ornic_cq_peek - get the next completion without consuming it
 * @ring:	the ring
 *
 * Return: the completion at ring->ci, valid until ornic_cq_publish() with a
 * larger ring->ci, or NULL. The contents come from the device: validate all
 * numbers before use.
 */
static inline struct ornic_cqe *ornic_cq_peek(const struct ornic_cq_ring *ring)
{
	struct ornic_cqe *cqe = ornic_cq_entry(ring, ring->ci);

	if (!ornic_ring_written(&cqe->qpn, ring->ci, ring->log_size, ORNIC_CQE_PHASE))
		return NULL;

	/* Read the phase before the other words of the entry */
	dma_rmb();
	return cqe;
}

/**
 * ornic_cq_ring_db - tell the device ring->ci by doorbell
 * @ring:	the ring, with db; entries before ring->ci have been read
 * @type:	what to request, or ORNIC_ARM_NONE
 */
static inline void ornic_cq_ring_db(struct ornic_cq_ring *ring, enum ornic_arm_type type)
{
	ring->told = ring->ci;
	writeq(ornic_db_value(ORNIC_DB_CQ, ring->cqn, ornic_db_arm(ring->ci, type)), ring->db);
	/* Before indexes of work requests that need the room, [ORNIC-DB-41] */
	wmb();
}

/**
 * ornic_cq_publish - return the entries before ring->ci to the device
 * @ring:	the ring
 */
static inline void ornic_cq_publish(struct ornic_cq_ring *ring)
{
	/* Read the entries before publishing the index that returns them */
	dma_mb();
	WRITE_ONCE(ring->dbr->ci, cpu_to_le32(ring->ci));
	if (unlikely(ring->db) && ring->ci - ring->told > ring->lag)
		ornic_cq_ring_db(ring, ORNIC_ARM_NONE);
}

/**
 * ornic_cq_arm - request one ORNIC_EVENT_COMP
 * @ring:	ring of a CQ that uses doorbell page 0
 * @type:	kind of completion that triggers the event
 *
 * Return: true if the ring holds a completion, which may have been written too
 * early to trigger the event.
 */
static inline bool ornic_cq_arm(struct ornic_cq_ring *ring, enum ornic_arm_type type)
{
	u32 arm;

	/* NEXT starts a new generation, [ORNIC-DB-25] */
	if (type == ORNIC_ARM_NEXT)
		ring->arm_seq |= FIELD_GET(ORNIC_ARM_SEQ, ~ORNIC_ARM_GEN);
	ring->arm_seq++;
	arm = FIELD_PREP(ORNIC_ARM_SEQ, ring->arm_seq & FIELD_MAX(ORNIC_ARM_SEQ)) | type;
	WRITE_ONCE(ring->dbr->arm, cpu_to_le32(arm));
	/* Store arm before reading the ring; the device does the reverse */
	mb();
	if (ring->db)
		ornic_cq_ring_db(ring, type);

	return ornic_cq_peek(ring);
}

#endif /* ORNIC_API_H */
