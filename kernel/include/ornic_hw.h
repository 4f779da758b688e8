/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ORNIC hardware interface, version 1.
 *
 * The ORNIC specification in C, in the order of its part I; ornic_hw_cmd.h
 * holds the inputs and outputs of commands. The driver, the provider and the
 * device share this header, so it includes nothing but the fixed-width types.
 * General rules:
 *
 *  - Everything is little endian, except byte arrays (MAC, GID) and immediate
 *    data, which keep their wire format.
 *  - Every structure is naturally aligned and its size is asserted beside it.
 *  - Reserved fields are written as zero. The device refuses a command whose
 *    reserved fields are not zero and ignores them in work requests.
 *  - Producer and consumer indexes (pi, ci) run free over 32 bits; the ring
 *    position is the index modulo the ring size, which is a power of two.
 */
#ifndef ORNIC_HW_H
#define ORNIC_HW_H

#include <linux/types.h>

#define ORNIC_ASSERT_SIZE(type, bytes) \
	_Static_assert(sizeof(type) == (bytes), #type " is not " #bytes " bytes")

/* Bit fields of a word in CPU byte order, named by their mask */
#define ORNIC_GET(mask, word)	(((word) & (mask)) / ((mask) & -(mask)))
#define ORNIC_PREP(mask, val)	(((val) * ((mask) & -(mask))) & (mask))

/* Members offset and size of an entry in a table of fields */
#define ORNIC_FIELD_PLACE(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

/* ---- 1. PCI identity and BARs ---------------------------------------- */

#define ORNIC_PCI_VENDOR_ID	0x1af4
#define ORNIC_PCI_DEVICE_ID	0x10f0

#define ORNIC_BAR_REGS		0
#define ORNIC_BAR_REGS_SIZE	0x10000
#define ORNIC_BAR_MSIX_TABLE	0x8000
#define ORNIC_BAR_MSIX_PBA	0xc000
#define ORNIC_BAR_DB		2

/* The MSI-X table ends at the pending bits */
#define ORNIC_VECTORS_MAX	1024

/* ---- 2. Registers (BAR0) ---------------------------------------------
 * 32 bits wide unless marked 64. A 64-bit register takes one 8-byte access or
 * two 4-byte ones; a write goes low half first, and the high half makes it take
 * effect. No read has a side effect.
 */

enum ornic_reg {
	ORNIC_REG_MAGIC		= 0x000, /* RO ORNIC_MAGIC */
	ORNIC_REG_VERSION	= 0x004, /* RO major 31:16, minor 15:0 */
	ORNIC_REG_CAPS		= 0x008, /* RO ORNIC_CAPS_* */
	ORNIC_REG_VECTORS	= 0x00c, /* RO number of MSI-X vectors */
	ORNIC_REG_DB_PAGES	= 0x010, /* RO number of doorbell pages */
	ORNIC_REG_DB_STRIDE	= 0x014, /* RO bytes from page to page */
	ORNIC_REG_STATUS	= 0x018, /* RO ORNIC_STATUS_* */
	ORNIC_REG_CTRL		= 0x01c, /* RW ORNIC_CTRL_* */
	ORNIC_REG_FATAL_CAUSE	= 0x020, /* RO enum ornic_fatal_cause */
	ORNIC_REG_SCRATCH	= 0x024, /* RW no meaning */
	ORNIC_REG_IRQ_TEST	= 0x028, /* WO raises the vector written */
	ORNIC_REG_ADMIN_DEPTH	= 0x02c, /* RW log2 of both admin rings */
	ORNIC_REG_ADMIN_SQ	= 0x030, /* RW 64: bus address */
	ORNIC_REG_ADMIN_CQ	= 0x038, /* RW 64: bus address */
	ORNIC_REG_ADMIN_DB	= 0x040, /* WO producer index of the admin SQ */
	ORNIC_REG_DMA_TEST	= 0x048, /* WO 64: bus address, 8-aligned */
	ORNIC_REG_CLOCK		= 0x050, /* RO 64: ns since power-on */
	ORNIC_REG_ADMIN_DBR	= 0x058, /* RW 64: bus address, or 0 */
	ORNIC_REG_END		= 0x060,
};

#define ORNIC_MAGIC		0x434e524f	/* "ORNC" */
#define ORNIC_VERSION_MAJOR	0xffff0000
#define ORNIC_VERSION_MINOR	0x0000ffff
#define ORNIC_VERSION		0x00010000

#define ORNIC_CAPS_ADMIN_DEPTH_MAX	0x000000ff	/* log2 */
#define ORNIC_CAPS_RESET_TIMEOUT	0x0000ff00	/* units of 100 ms */
#define ORNIC_CAPS_SHADOW		0x00010000	/* see annex A */

#define ORNIC_STATUS_READY	0x00000001	/* reset is complete */
#define ORNIC_STATUS_ENABLED	0x00000002	/* the admin queue runs */
#define ORNIC_STATUS_FATAL	0x00000004	/* stopped until reset */

#define ORNIC_CTRL_RESET	0x00000001	/* reads 0 */
#define ORNIC_CTRL_ENABLE	0x00000002

enum ornic_fatal_cause {
	ORNIC_FATAL_NONE	= 0,
	ORNIC_FATAL_ADMIN_DMA	= 1, /* admin ring or record not in reach */
	ORNIC_FATAL_ADMIN_PI	= 2, /* admin producer index beyond the ring */
	ORNIC_FATAL_EQ_OVERRUN	= 3, /* impossible ci of an event ring */
	ORNIC_FATAL_EQ_DMA	= 4, /* event ring or record not in reach */
	ORNIC_FATAL_INJECTED	= 5, /* injected to test the driver */
	ORNIC_FATAL_INTERNAL	= 6,
	ORNIC_FATAL_BUS_MASTER	= 7, /* bus mastering was off while ENABLED */
};

/*
 * DMA test: the host fills struct ornic_dma_test, writes its address to
 * DMA_TEST and waits until answer equals the complement of nonce. This detects
 * a device that does not access the same memory as the host.
 */
struct ornic_dma_test {
	__le64 nonce;
	__le64 answer;
};
ORNIC_ASSERT_SIZE(struct ornic_dma_test, 16);

/* ---- 3. Buffers -------------------------------------------------------
 * A buffer is a number of equal pages, listed in up to three levels of index
 * pages. levels 0: addr is the first page, all pages are contiguous.
 * levels 1: addr is an array of page addresses that is contiguous itself.
 * levels 2, 3: addr is an index page of 4096 bytes whose 512 entries point to
 * the next level. The host changes none of it until the object is destroyed.
 */
struct ornic_buf {
	__le64 addr;
	__le32 npages;
	__u8 page_shift;	/* 12 to 31 */
	__u8 levels;		/* 0 to 3, of a ring 0 or 1 */
	__u8 rsvd[2];
};
ORNIC_ASSERT_SIZE(struct ornic_buf, 16);

/*
 * A ring of fewer bytes than ORNIC_RING_SMALL may begin within a page, at a
 * multiple of its size and of ORNIC_RING_ALIGN.
 */
#define ORNIC_RING_SMALL	4096
#define ORNIC_RING_ALIGN	64

#define ORNIC_INDEX_PAGE_SHIFT	12
#define ORNIC_INDEX_ENTRIES	512

/* ---- 4. Admin queue ---------------------------------------------------
 * One submission and one completion ring of the same depth. Commands complete
 * in any order. With ORNIC_CAPS_SHADOW there may be a doorbell record: the host
 * publishes sq_pi in it and rings ADMIN_DB only if sq_watched is 0, and a
 * completion raises vector 0 if arm asks for it. Without, each command needs
 * ADMIN_DB, and each completion raises vector 0.
 */
struct ornic_cmd_sqe {
	__le16 opcode;		/* enum ornic_opcode */
	__le16 cmd_id;		/* host's choice, copied to the completion */
	__le32 rsvd;
	__le32 in_len;		/* bytes */
	__le32 out_len;		/* bytes of the output buffer */
	__le64 in_addr;		/* 8-aligned, contiguous */
	__le64 out_addr;
};
ORNIC_ASSERT_SIZE(struct ornic_cmd_sqe, 32);

struct ornic_cmd_cqe {
	__le16 cmd_id;
	__le16 status;		/* enum ornic_cmd_status */
	__le32 out_len;		/* bytes written to out_addr */
	__le32 detail;		/* device specific, for the log */
	__le32 ctl;		/* ORNIC_CMD_CQE_*, seen last */
};
ORNIC_ASSERT_SIZE(struct ornic_cmd_cqe, 16);

/* One line written by the host, one by the device; 64-aligned */
struct ornic_admin_dbr {
	__le32 sq_pi;		/* commands submitted */
	__le32 arm;		/* ORNIC_ARM_*: asks for one interrupt */
	__le32 host_rsvd[14];
	__le32 sq_watched;	/* not 0: the device polls sq_pi */
	__le32 dev_rsvd[15];
};
ORNIC_ASSERT_SIZE(struct ornic_admin_dbr, 128);

#define ORNIC_CMD_CQE_SQ_CI	0x0000ffff	/* ci of the admin SQ, 15:0 */
#define ORNIC_CMD_CQE_PHASE	0x80000000	/* 1 on the first pass */

#define ORNIC_CMD_MAX_IN	4096	/* bytes */
#define ORNIC_CMD_MAX_OUT	4096	/* bytes */

enum ornic_cmd_status {
	ORNIC_CMD_OK		= 0,
	ORNIC_CMD_BAD_OPCODE	= 1, /* unknown or not supported */
	ORNIC_CMD_BAD_SIZE	= 2, /* too short, or tail not zero */
	ORNIC_CMD_BAD_PARAM	= 3, /* out of range, or reserved bit set */
	ORNIC_CMD_BAD_OBJECT	= 4, /* no such object, or wrong state */
	ORNIC_CMD_BUSY		= 5, /* other objects still use it */
	ORNIC_CMD_NO_RESOURCES	= 6,
	ORNIC_CMD_BAD_STATE	= 7, /* illegal transition */
	ORNIC_CMD_DMA_FAULT	= 8, /* an address is not in reach */
	ORNIC_CMD_NOT_SUPPORTED	= 9, /* a feature this device lacks */
	ORNIC_CMD_INTERNAL	= 10,
};

/* Numbers are grouped by object, sixteen to a group; [ORNIC-ROOM-3] */
enum ornic_opcode {
	ORNIC_CMD_NOP			= 0x000,
	ORNIC_CMD_QUERY_DEVICE		= 0x001,
	ORNIC_CMD_QUERY_STATS		= 0x002,
	ORNIC_CMD_SET_HOST		= 0x003,
	ORNIC_CMD_QUERY_EFFECTS		= 0x004,
	ORNIC_CMD_QUERY_LOG		= 0x005,
	ORNIC_CMD_QUERY_PORT		= 0x010,
	ORNIC_CMD_MODIFY_PORT		= 0x011,
	ORNIC_CMD_SET_RX_FILTER		= 0x012,
	ORNIC_CMD_SET_RX_QUEUES		= 0x013,
	ORNIC_CMD_SET_GID		= 0x014,
	ORNIC_CMD_ALLOC_UCTX		= 0x020,
	ORNIC_CMD_FREE_UCTX		= 0x021,
	ORNIC_CMD_CREATE_EQ		= 0x030,
	ORNIC_CMD_DESTROY_EQ		= 0x031,
	ORNIC_CMD_CREATE_COMP_CNTR	= 0x040,
	ORNIC_CMD_DESTROY_COMP_CNTR	= 0x041,
	ORNIC_CMD_MODIFY_COMP_CNTR	= 0x042,
	ORNIC_CMD_CREATE_MR		= 0x050,
	ORNIC_CMD_DESTROY_MR		= 0x051,
	ORNIC_CMD_MODIFY_MR		= 0x052,
	ORNIC_CMD_CREATE_CQ		= 0x060,
	ORNIC_CMD_DESTROY_CQ		= 0x061,
	ORNIC_CMD_MODIFY_CQ		= 0x062,
	ORNIC_CMD_RESIZE_CQ		= 0x063,
	ORNIC_CMD_CREATE_QP		= 0x070,
	ORNIC_CMD_DESTROY_QP		= 0x071,
	ORNIC_CMD_MODIFY_QP		= 0x072,
	ORNIC_CMD_QUERY_QP		= 0x073,
	ORNIC_CMD_ATTACH_MCAST		= 0x074,
	ORNIC_CMD_DETACH_MCAST		= 0x075,
	ORNIC_CMD_BIND_STATS		= 0x076,
	ORNIC_CMD_ATTACH_COMP_CNTR	= 0x077,
	ORNIC_CMD_CREATE_SRQ		= 0x080,
	ORNIC_CMD_DESTROY_SRQ		= 0x081,
	ORNIC_CMD_MODIFY_SRQ		= 0x082,
	ORNIC_CMD_QUERY_SRQ		= 0x083,
	ORNIC_CMD_RESIZE_SRQ		= 0x084,
	ORNIC_CMD_ALLOC_XRCD		= 0x090,
	ORNIC_CMD_FREE_XRCD		= 0x091,
	ORNIC_CMD_CREATE_WQ		= 0x0a0,
	ORNIC_CMD_DESTROY_WQ		= 0x0a1,
	ORNIC_CMD_MODIFY_WQ		= 0x0a2,
	ORNIC_CMD_CREATE_RWQ_TABLE	= 0x0b0,
	ORNIC_CMD_DESTROY_RWQ_TABLE	= 0x0b1,
	ORNIC_CMD_CREATE_FLOW		= 0x0c0,
	ORNIC_CMD_DESTROY_FLOW		= 0x0c1,
	ORNIC_CMD_CREATE_COUNTERS	= 0x0d0,
	ORNIC_CMD_DESTROY_COUNTERS	= 0x0d1,
};

/* ---- 5. Doorbells and doorbell records --------------------------------
 * A doorbell is one 8-byte write to offset 0 of a doorbell page (or two
 * 4-byte ones, low half first). The device checks that the queue belongs to
 * the page written.
 *
 * The host publishes the index in the doorbell record of the queue first. With
 * ORNIC_CAPS_SHADOW the device polls records and boards while it is awake, and
 * the host rings only if necessary:
 *
 *   store WQEs; release-store sq_pi; full fence;
 *   if (sq_watched == 0) {
 *           atomic-or the slot's bit into board.bits, then into board.summary;
 *           full fence;
 *           if (board.awake == 0) ring the SQ doorbell;
 *   }
 *
 * An atomic exchange with full ordering, as xchg() of Linux, is atomic-or and
 * fence in one if bits that it removes are put back by another one. A host
 * without a board rings if sq_watched is 0, as it always is without
 * ORNIC_CAPS_SHADOW.
 */
#define ORNIC_DB_VALUE		0x00000000ffffffffULL
#define ORNIC_DB_NUM		0x00ffffff00000000ULL
#define ORNIC_DB_TYPE		0xff00000000000000ULL

enum ornic_db_type {
	ORNIC_DB_SQ	= 0,	/* value: sq_pi */
	ORNIC_DB_CQ	= 1,	/* value: ci and type of request */
	ORNIC_DB_EQ	= 2,	/* value: the same; page 0 only */
	/* With ORNIC_NEEDS_RQ_DOORBELL only */
	ORNIC_DB_RQ	= 3,	/* QP or WQ; value: rq_pi */
	ORNIC_DB_SRQ	= 4,	/* value: rq_pi */
};

/* Value for a CQ or an EQ, without ORNIC_CAPS_SHADOW; else ignored */
#define ORNIC_DB_ARM_TYPE	0x00000003	/* enum ornic_arm_type */
#define ORNIC_DB_ARM_CI		0xfffffffc	/* ci, 29:0 */

/*
 * With ORNIC_FEAT_PUSH the second half of a doorbell page begins with a push
 * page. A line of it is a doorbell of a send queue and the WQE that the
 * doorbell published last.
 */
#define ORNIC_PUSH_PAGE_SIZE	4096
#define ORNIC_PUSH_WQE		56	/* longest WQE that can be pushed */

struct ornic_push_line {
	__le64 doorbell;
	__u8 wqe[ORNIC_PUSH_WQE];
};
ORNIC_ASSERT_SIZE(struct ornic_push_line, 64);

#define ORNIC_BOARD_SUMMARY_WORDS	8
#define ORNIC_BOARD_WORDS		496
#define ORNIC_BOARD_SLOTS		(ORNIC_BOARD_WORDS * 64)
#define ORNIC_BOARD_NO_SLOT		0xffffffff

/* One page per doorbell page: the queues that the device is to look at */
struct ornic_board {
	__le32 awake;		/* device: not 0 while it polls summary */
	__le32 rsvd[15];
	/* bit n: look at bits[n] */
	__le64 summary[ORNIC_BOARD_SUMMARY_WORDS];
	/* bit n % 64 of word n / 64: slot n */
	__le64 bits[ORNIC_BOARD_WORDS];
};
ORNIC_ASSERT_SIZE(struct ornic_board, 4096);

/* Doorbell record of a QP: one line written by the host, one by the device */
struct ornic_qp_dbr {
	__le32 sq_pi;		/* in slots of 64 bytes */
	__le32 rq_pi;		/* in receive WQEs */
	__le32 host_rsvd[14];
	__le32 sq_ci;		/* slots before it may be reused; lags */
	__le32 sq_watched;	/* not 0: the device polls sq_pi */
	__le32 rq_ci;		/* receive WQEs before it may be reused; lags */
	__le32 dev_rsvd[13];
};
ORNIC_ASSERT_SIZE(struct ornic_qp_dbr, 128);

/*
 * The doorbell record of an SRQ or a WQ is a struct ornic_qp_dbr with only
 * rq_pi and rq_ci in use. A WQE of an SRQ is done with as soon as a QP has
 * taken it.
 *
 * Doorbell record of a CQ or an EQ. arm requests one event (CQ) or interrupt
 * (EQ) at the next entry written. Each request has a new sequence number, and
 * the device answers each at most once. After storing arm the host fences and
 * reads the ring once more.
 *
 * Without ORNIC_CAPS_SHADOW the device reads no such record. Doorbells request
 * events, and tell it ci, which they also do with ORNIC_ARM_NONE.
 */
struct ornic_cq_dbr {
	__le32 ci;
	__le32 arm;		/* ORNIC_ARM_* */
};
ORNIC_ASSERT_SIZE(struct ornic_cq_dbr, 8);

#define ORNIC_ARM_TYPE		0x00000003
#define ORNIC_ARM_SEQ		0xfffffffc
#define ORNIC_ARM_GEN		0xfffff000	/* new for each NEXT */

enum ornic_arm_type {
	ORNIC_ARM_NONE		= 0,
	/* CQ: next solicited or failed completion; same as NEXT while the NEXT
	 * of the same generation is not answered.
	 */
	ORNIC_ARM_SOLICITED	= 1,
	ORNIC_ARM_NEXT		= 2,	/* next entry of any kind */
};

/* ---- 6. Send work requests --------------------------------------------
 * A WQE is one or more slots of 64 bytes: header, route, the segment of the
 * opcode, then SGEs or inline data. It may wrap at the end of the ring.
 */
#define ORNIC_SLOT_SIZE		64
#define ORNIC_SLOT_SHIFT	6

/* Keys of memory regions and windows; lkey and rkey are the same */
#define ORNIC_KEY_INDEX		0xffffff00
#define ORNIC_KEY_VARIANT	0x000000ff

/* As in enum ibv_access_flags */
#define ORNIC_ACCESS_LOCAL_WRITE	0x00000001
#define ORNIC_ACCESS_REMOTE_WRITE	0x00000002
#define ORNIC_ACCESS_REMOTE_READ	0x00000004
#define ORNIC_ACCESS_REMOTE_ATOMIC	0x00000008
#define ORNIC_ACCESS_MW_BIND		0x00000010
#define ORNIC_ACCESS_ZERO_BASED		0x00000020
#define ORNIC_ACCESS_FLUSH_GLOBAL	0x00000100
#define ORNIC_ACCESS_FLUSH_PERSISTENT	0x00000200
#define ORNIC_ACCESS_RELAXED_ORDERING	0x00100000

struct ornic_sge {
	__le64 addr;
	__le32 length;		/* bytes; 0 means 0, not 2 GiB */
	__le32 lkey;
};
ORNIC_ASSERT_SIZE(struct ornic_sge, 16);

struct ornic_sq_hdr {
	__le32 ctrl;		/* ORNIC_SQ_* */
	union {
		__be32 imm;	/* *_WITH_IMM */
		__le32 inv_key;	/* SEND_WITH_INV, LOCAL_INV */
	};
	__le64 wr_id;
};
ORNIC_ASSERT_SIZE(struct ornic_sq_hdr, 16);

#define ORNIC_SQ_FLAGS		0x000007ff	/* ORNIC_SEND_* */
#define ORNIC_SQ_LENGTH		0x00fff800	/* bytes of the whole WQE */
#define ORNIC_SQ_OPCODE		0xff000000	/* enum ornic_wr_opcode */

#define ORNIC_SQ_CTRL(opcode, flags, length) \
	(ORNIC_PREP(ORNIC_SQ_OPCODE, opcode) | \
	 ORNIC_PREP(ORNIC_SQ_FLAGS, flags) | ORNIC_PREP(ORNIC_SQ_LENGTH, length))

/* Slots of a WQE of any opcode, by the length in its header */
#define ORNIC_SQ_SLOTS(length) \
	((length) ? ((length) + ORNIC_SLOT_SIZE - 1) >> ORNIC_SLOT_SHIFT : 1)

/* As in enum ibv_send_flags */
#define ORNIC_SEND_FENCE	0x01
#define ORNIC_SEND_SIGNALED	0x02
#define ORNIC_SEND_SOLICITED	0x04
#define ORNIC_SEND_INLINE	0x08
#define ORNIC_SEND_IP_CSUM	0x10
#define ORNIC_SEND_RSVD		0x7e0

/* 0 to 15 as in enum ibv_wr_opcode */
enum ornic_wr_opcode {
	ORNIC_WR_RDMA_WRITE		= 0,
	ORNIC_WR_RDMA_WRITE_WITH_IMM	= 1,
	ORNIC_WR_SEND			= 2,
	ORNIC_WR_SEND_WITH_IMM		= 3,
	ORNIC_WR_RDMA_READ		= 4,
	ORNIC_WR_ATOMIC_CMP_SWP		= 5,
	ORNIC_WR_ATOMIC_FETCH_ADD	= 6,
	ORNIC_WR_LOCAL_INV		= 7,
	ORNIC_WR_BIND_MW		= 8,
	ORNIC_WR_SEND_WITH_INV		= 9,
	ORNIC_WR_TSO			= 10,
	/* 11 is reserved */
	ORNIC_WR_MASKED_CMP_SWP		= 12,
	ORNIC_WR_MASKED_FETCH_ADD	= 13,
	ORNIC_WR_FLUSH			= 14,
	ORNIC_WR_ATOMIC_WRITE		= 15,
	ORNIC_WR_REG_MR			= 32,
};

/* Route of the connected transports, 16 bytes after the header */
struct ornic_route_rc {
	__le64 raddr;
	__le32 rkey;
	__le32 xrc_srqn;	/* XRC_SEND only; else ignored */
};
ORNIC_ASSERT_SIZE(struct ornic_route_rc, 16);

/* Address vector */
struct ornic_av {
	__u8 dgid[16];
	__u8 dmac[6];
	__le16 sgid_index;
	__le32 flow;		/* ORNIC_AV_* */
	__u8 tclass;
	__u8 hop_limit;
	__le16 udp_sport;	/* 0: derived from the flow label */
};
ORNIC_ASSERT_SIZE(struct ornic_av, 32);

#define ORNIC_AV_FLOW_LABEL	0x000fffff
#define ORNIC_AV_SL		0x00f00000	/* VLAN priority; 8 to 15: 0 */

/* Route of UD: 48 bytes, so SGEs begin in the second slot */
struct ornic_route_ud {
	__le32 dqpn;
	__le32 qkey;		/* bit 31 set: use the QP's Q_Key, C10-15 */
	__le64 rsvd;
	struct ornic_av av;
};
ORNIC_ASSERT_SIZE(struct ornic_route_ud, 48);

/*
 * Route of RAW_PACKET: whole frames without FCS. In a TSO WQE hdr_len bytes of
 * headers follow, zero-padded to a multiple of 16, then the SGEs.
 */
struct ornic_route_eth {
	__le16 flags;		/* ORNIC_ETH_TX_* */
	__le16 vlan_tci;	/* with VLAN_INSERT */
	__le16 csum_start;	/* with L4_CSUM: first byte summed */
	__le16 csum_offset;	/* with L4_CSUM: of the sum, from csum_start */
	__le16 mss;		/* TSO: payload bytes a segment */
	__le16 hdr_len;		/* TSO: bytes repeated in each segment */
	__le32 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_route_eth, 16);

#define ORNIC_ETH_TX_VLAN_INSERT	0x0001
#define ORNIC_ETH_TX_L4_CSUM		0x0002

#define ORNIC_TSO_HDR_MAX	192	/* bytes */

/* ATOMIC_*: follows the route; one SGE of 8 bytes follows it */
struct ornic_atomic {
	__le64 swap_add;	/* value to swap in, or to add */
	__le64 compare;
};
ORNIC_ASSERT_SIZE(struct ornic_atomic, 16);

/* MASKED_*: follows struct ornic_atomic */
struct ornic_atomic_mask {
	__le64 swap_add_mask;	/* MASKED_FETCH_ADD: field boundaries */
	__le64 compare_mask;
};
ORNIC_ASSERT_SIZE(struct ornic_atomic_mask, 16);

/* FLUSH: follows the route; no SGE */
struct ornic_flush {
	__le32 length;
	__u8 type;		/* ORNIC_FLUSH_GLOBAL, ORNIC_FLUSH_PERSISTENT */
	__u8 level;		/* ORNIC_FLUSH_RANGE or ORNIC_FLUSH_REGION */
	__u8 rsvd[10];
};
ORNIC_ASSERT_SIZE(struct ornic_flush, 16);

#define ORNIC_FLUSH_GLOBAL	0x1	/* visible to all */
#define ORNIC_FLUSH_PERSISTENT	0x2	/* survives a power failure */

#define ORNIC_FLUSH_RANGE	0	/* raddr and length */
#define ORNIC_FLUSH_REGION	1	/* the whole region or window */

/* BIND_MW: follows the route, whose raddr and rkey are ignored; no SGE */
struct ornic_bind {
	__le32 mw_key;		/* current key of the window */
	__le32 new_key;		/* same index, any variant */
	__le32 mr_key;
	__le32 access;		/* ORNIC_ACCESS_* */
	__le64 addr;
	__le64 length;
};
ORNIC_ASSERT_SIZE(struct ornic_bind, 32);

/* REG_MR: follows the route, whose raddr and rkey are ignored; no SGE */
struct ornic_reg_mr {
	__le32 key;		/* with the new variant in 7:0 */
	__le32 access;
	__le64 iova;
	__le64 length;
	struct ornic_buf buf;	/* levels 0 or 1 */
	__le64 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_reg_mr, 48);

/* ---- 7. Receive work requests -----------------------------------------
 * Header and SGEs in a stride of 32 << n bytes, the same for the whole ring.
 */
struct ornic_rq_hdr {
	__le32 ctrl;		/* ORNIC_RQ_* */
	__le32 rsvd;
	__le64 wr_id;
};
ORNIC_ASSERT_SIZE(struct ornic_rq_hdr, 16);

#define ORNIC_RQ_COUNT		0x000000ff	/* SGEs */
#define ORNIC_RQ_STRIDE_SHIFT_MIN	5

/*
 * A UD receive begins with the GRH: the IPv6 header, or 20 bytes of 0 and the
 * IPv4 header.
 */
#define ORNIC_GRH_SIZE		40

/* ---- 8. Completions ---------------------------------------------------
 * struct ornic_cqe is the first half of struct ibv_wc on a little-endian
 * machine. A CQ of 64-byte entries has struct ornic_cqe_ext in front of each.
 * The word with the phase is the last one of an entry of either size.
 */
struct ornic_cqe {
	__le64 wr_id;
	__le32 status;		/* enum ornic_wc_status */
	__le32 opcode;		/* enum ornic_wc_opcode; undefined on error */
	union {
		__le32 src_qp;		/* UD and GSI receive */
		__le32 vendor_err;	/* if status is not SUCCESS */
	};
	__le32 byte_len;
	union {
		__be32 imm;
		__le32 inv_key;
		__le32 sq_num;	/* with SEND_QUEUE: number of the WQE */
	};
	__le32 qpn;		/* ORNIC_CQE_* */
};
ORNIC_ASSERT_SIZE(struct ornic_cqe, 32);

#define ORNIC_CQE_QPN		0x00ffffff
#define ORNIC_CQE_FLAGS		0x7f000000	/* ORNIC_WC_* */
#define ORNIC_CQE_PHASE		0x80000000	/* 1 on the first pass */

struct ornic_cqe_ext {
	__le64 timestamp;	/* of ORNIC_REG_CLOCK */
	__le32 flow_tag;
	__le32 rss_hash;
	__le16 vlan_tci;	/* with ORNIC_CQE_EXT_VLAN */
	__le16 flags;		/* ORNIC_CQE_EXT_* */
	__u8 smac[6];
	__u8 sl;
	__u8 rsvd[5];
};
ORNIC_ASSERT_SIZE(struct ornic_cqe_ext, 32);

/* Entry of a CQ with log_cqe_size 6 */
struct ornic_cqe_64 {
	struct ornic_cqe_ext ext;
	struct ornic_cqe cqe;
};
ORNIC_ASSERT_SIZE(struct ornic_cqe_64, 64);

#define ORNIC_CQE_EXT_VLAN	0x0001
#define ORNIC_CQE_EXT_SMAC	0x0002
#define ORNIC_CQE_EXT_L4_CSUM_OK	0x0004
#define ORNIC_CQE_EXT_RSS	0x0008
#define ORNIC_CQE_EXT_RSS_L4	0x0010	/* rss_hash is of ports or SPI, too */

/* Bits 3:0 are as in enum ibv_wc_flags */
#define ORNIC_WC_GRH		0x01
#define ORNIC_WC_WITH_IMM	0x02
#define ORNIC_WC_IP_CSUM_OK	0x04
#define ORNIC_WC_WITH_INV	0x08
#define ORNIC_WC_IPV4		0x10	/* with GRH: it is an IPv4 header */
#define ORNIC_WC_SEND_QUEUE	0x20	/* of a send WQE; whatever the status */

/* As in enum ibv_wc_status */
enum ornic_wc_status {
	ORNIC_WC_SUCCESS		= 0,
	ORNIC_WC_LOC_LEN_ERR		= 1,
	ORNIC_WC_LOC_QP_OP_ERR		= 2,
	ORNIC_WC_LOC_EEC_OP_ERR		= 3,
	ORNIC_WC_LOC_PROT_ERR		= 4,
	ORNIC_WC_WR_FLUSH_ERR		= 5,
	ORNIC_WC_MW_BIND_ERR		= 6,
	ORNIC_WC_BAD_RESP_ERR		= 7,
	ORNIC_WC_LOC_ACCESS_ERR		= 8,
	ORNIC_WC_REM_INV_REQ_ERR	= 9,
	ORNIC_WC_REM_ACCESS_ERR		= 10,
	ORNIC_WC_REM_OP_ERR		= 11,
	ORNIC_WC_RETRY_EXC_ERR		= 12,
	ORNIC_WC_RNR_RETRY_EXC_ERR	= 13,
	ORNIC_WC_REM_ABORT_ERR		= 16,
	ORNIC_WC_FATAL_ERR		= 19,
	ORNIC_WC_RESP_TIMEOUT_ERR	= 20,
	ORNIC_WC_GENERAL_ERR		= 21,
};

/* As in enum ibv_wc_opcode */
enum ornic_wc_opcode {
	ORNIC_WC_SEND			= 0,
	ORNIC_WC_RDMA_WRITE		= 1,
	ORNIC_WC_RDMA_READ		= 2,
	ORNIC_WC_COMP_SWAP		= 3,
	ORNIC_WC_FETCH_ADD		= 4,
	ORNIC_WC_BIND_MW		= 5,
	ORNIC_WC_LOCAL_INV		= 6,
	ORNIC_WC_TSO			= 7,
	ORNIC_WC_FLUSH			= 8,
	ORNIC_WC_ATOMIC_WRITE		= 9,
	ORNIC_WC_REG_MR			= 32,	/* kernel only */
	ORNIC_WC_MASKED_COMP_SWAP	= 33,	/* kernel only */
	ORNIC_WC_MASKED_FETCH_ADD	= 34,	/* kernel only */
	ORNIC_WC_RECV			= 128,
	ORNIC_WC_RECV_RDMA_WITH_IMM	= 129,
};

/* With ORNIC_FEAT_COMP_CNTR: what a completion counter counts; 16-aligned */
struct ornic_comp_counts {
	__le64 completed;	/* with ORNIC_WC_SUCCESS */
	__le64 errors;		/* with any other status */
};
ORNIC_ASSERT_SIZE(struct ornic_comp_counts, 16);

/* ---- 9. Events -------------------------------------------------------- */

struct ornic_eqe {
	__le32 num;		/* the object's number */
	__le32 num2;
	__le64 data;
	__le64 data2;
	__le32 rsvd;
	__le32 ctl;		/* ORNIC_EQE_*, seen last */
};
ORNIC_ASSERT_SIZE(struct ornic_eqe, 32);

#define ORNIC_EQE_TYPE		0x000000ff	/* enum ornic_event */
#define ORNIC_EQE_PHASE		0x80000000	/* 1 on the first pass */

/* COMP and CQ_ERR go to the EQ of a CQ, all others to EQ 0 */
enum ornic_event {
	ORNIC_EVENT_COMP		= 1,	/* num: CQ */
	ORNIC_EVENT_CQ_ERR		= 2,	/* num: CQ */
	ORNIC_EVENT_QP_FATAL		= 16,	/* num: QP, up to QP_LAST_WQE */
	ORNIC_EVENT_QP_REQ_ERR		= 17,
	ORNIC_EVENT_QP_ACCESS_ERR	= 18,
	ORNIC_EVENT_QP_COMM_EST		= 19,
	ORNIC_EVENT_QP_SQ_DRAINED	= 20,
	ORNIC_EVENT_QP_LAST_WQE		= 23,
	ORNIC_EVENT_SRQ_LIMIT		= 32,	/* num: SRQ */
	ORNIC_EVENT_SRQ_ERR		= 33,
	ORNIC_EVENT_WQ_FATAL		= 40,	/* num: WQ */
	ORNIC_EVENT_WQ_DELAY_DROP	= 41,	/* num: WQ; a frame timed out */
	ORNIC_EVENT_PORT_UP		= 48,	/* num: 0 */
	ORNIC_EVENT_PORT_DOWN		= 49,
	ORNIC_EVENT_DEVICE_FATAL	= 56,	/* num: fatal cause */
};

#endif /* ORNIC_HW_H */
