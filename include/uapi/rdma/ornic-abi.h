/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * What the ORNIC verbs driver and its rdma-core provider say to each other.
 *
 * - Sizes are multiples of 8; reserved fields are named by their hexadecimal
 *   bit offset and are zero. The kernel refuses a request whose reserved
 *   fields or unknown comp_mask bits are set.
 * - Structures only grow, at their end. A shorter request than the one below is
 *   refused, a longer one only if it asks for something. A response is cut, or
 *   filled up with zeros, to the room that it has.
 * - Requests hold no addresses: uverbs knows where a response goes.
 * - Ring and doorbell layouts are those of the hardware interface, not of
 *   this file. Offsets for mmap() are in bytes, as mmap() takes them.
 */
#ifndef ORNIC_ABI_USER_H
#define ORNIC_ABI_USER_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define ORNIC_ABI_VERSION 1

enum ornic_ucontext_caps {
	/* The board page exists; the device can look for work by itself */
	ORNIC_UCONTEXT_CAP_SHADOW	= 1 << 0,
	/* Completions of 64 bytes can be had */
	ORNIC_UCONTEXT_CAP_CQE_EXT	= 1 << 1,
	/* The clock page exists */
	ORNIC_UCONTEXT_CAP_CLOCK	= 1 << 2,
	/* null_key is valid */
	ORNIC_UCONTEXT_CAP_NULL_MR	= 1 << 3,
};

struct ornic_alloc_ucontext_req {
	__u32 comp_mask;
	__u8 reserved_20[4];
};

struct ornic_alloc_ucontext_resp {
	__u32 comp_mask;
	__u32 caps;			/* enum ornic_ucontext_caps */
	__aligned_u64 send_ops;		/* bit n: ibv_wr_opcode n */
	__aligned_u64 db_offset;	/* doorbell page, mapped write-only, shared */
	__aligned_u64 board_offset;	/* board page, with ORNIC_UCONTEXT_CAP_SHADOW */
	__aligned_u64 clock_offset;	/* clock page, read-only, with ORNIC_UCONTEXT_CAP_CLOCK */
	__u32 db_length;		/* bytes to map */
	__u32 board_length;
	__u32 clock_length;
	__u32 null_key;			/* lkey of the null MR, good for any PD */
	__u32 max_sq_slots;
	__u32 max_rq_wqes;
	__u32 max_sge;
	__u32 max_inline;		/* bytes */
};

enum ornic_query_context_attrs {
	/* What the context was opened with: struct ornic_alloc_ucontext_resp */
	ORNIC_ATTR_QUERY_CONTEXT_RESP	= 1U << UVERBS_ID_NS_SHIFT,
};

/*
 * The clock page: how a timestamp of the device becomes wall-clock time, that of
 * its PTP hardware clock:
 *
 *   nsec + (((timestamp - cycles) * mult + frac) >> shift)
 *
 * valid if seq was even, and the same before and behind reading it. The
 * difference is signed, for the timestamp may be older than the page, and so is
 * the shift. The page is renewed every few seconds. Up to half a minute from
 * cycles the product fits into 63 bits; timestamps that are further away need
 * more.
 */
struct ornic_clock_page {
	__u32 seq;
	__u32 mult;
	__u32 shift;
	__u32 reserved_60;
	__aligned_u64 nsec;		/* since the epoch, at cycles */
	__aligned_u64 frac;		/* of a nanosecond, in units of 2 to the -shift */
	__aligned_u64 cycles;
};

struct ornic_query_device_resp {
	__u32 comp_mask;
	__u8 reserved_20[4];
	__aligned_u64 clock;		/* the device's timestamp now */
	__aligned_u64 rx_hash_fields;	/* enum ibv_rx_hash_fields */
	__u8 rx_hash_functions;		/* enum ibv_rx_hash_function_flags */
	__u8 reserved_c8[3];
	__u32 max_tso;			/* bytes of payload; RAW_PACKET only, as the next */
	__u32 min_rate;			/* kb/s, of packet pacing */
	__u32 max_rate;
};

struct ornic_alloc_pd_resp {
	__u32 comp_mask;
	__u32 pdn;
};

enum ornic_create_cq_flags {
	ORNIC_CREATE_CQ_EXT	= 1 << 0,	/* completions of 64 bytes */
};

struct ornic_create_cq_req {
	__u32 comp_mask;
	__u32 flags;			/* enum ornic_create_cq_flags */
};

struct ornic_create_cq_resp {
	__u32 comp_mask;
	__u32 cqn;
	__aligned_u64 mmap_offset;	/* ring and doorbell record in one mapping */
	__aligned_u64 mmap_length;
	__u32 dbr_offset;		/* bytes into the mapping; the ring is at 0 */
	__u8 log_size;
	__u8 log_cqe_size;
	__u8 reserved_f0[2];
};

/*
 * A ring that took another's place, with the entries of that at its beginning.
 * Its doorbell record has the indexes: ci is 0, and so is the number of receives
 * that were taken.
 */
struct ornic_resize_resp {
	__u32 comp_mask;
	__u32 dbr_offset;		/* as of creation */
	__aligned_u64 mmap_offset;
	__aligned_u64 mmap_length;
	__u8 log_size;
	__u8 reserved_c8[7];
};

struct ornic_create_srq_req {
	__u32 comp_mask;
	__u8 reserved_20[4];
};

struct ornic_create_srq_resp {
	__u32 comp_mask;
	__u32 srqn;
	__aligned_u64 mmap_offset;	/* ring and doorbell record in one mapping */
	__aligned_u64 mmap_length;
	__u32 dbr_offset;		/* bytes into the mapping; the ring is at 0 */
	__u8 log_wqes;
	__u8 stride_shift;		/* log2 of the bytes of a WQE */
	__u8 reserved_f0[2];
};

/* modify_srq has no response, so that IB_SRQ_MAX_WR is a method of its own */
enum ornic_srq_methods {
	ORNIC_METHOD_SRQ_RESIZE		= 1U << UVERBS_ID_NS_SHIFT,
};

enum ornic_srq_resize_attrs {
	ORNIC_ATTR_SRQ_RESIZE_HANDLE	= 1U << UVERBS_ID_NS_SHIFT,
	ORNIC_ATTR_SRQ_RESIZE_MAX_WR,	/* __u32: receives that the ring is to hold */
	ORNIC_ATTR_SRQ_RESIZE_RESP,	/* struct ornic_resize_resp */
};

/* rx_hash_* is for QPs with an indirection table */
struct ornic_create_qp_req {
	__u32 comp_mask;
	__u8 rx_hash_function;		/* enum ibv_rx_hash_function_flags */
	__u8 rx_hash_key_len;		/* bytes */
	__u16 max_tso_header;		/* bytes of headers of a TSO; RAW_PACKET only */
	__aligned_u64 rx_hash_fields;	/* enum ibv_rx_hash_fields */
	__u8 rx_hash_key[40];
};

struct ornic_create_qp_resp {
	__u32 comp_mask;
	__u32 qpn;			/* the device's number, not that of the GSI */
	__aligned_u64 mmap_offset;	/* both rings and the doorbell record; XRC_RECV: none */
	__aligned_u64 mmap_length;
	__u32 sq_offset;		/* bytes into the mapping */
	__u32 rq_offset;
	__u32 dbr_offset;
	__u32 slot;			/* on the board; ~0: none */
	__u8 log_sq_slots;
	__u8 log_rq_wqes;
	__u8 rq_stride_shift;		/* log2 of the bytes of a receive WQE */
	__u8 reserved_158[5];
};

/* With IB_QP_RATE_LIMIT: the rest of struct ibv_qp_rate_limit_attr */
struct ornic_modify_qp_req {
	__u32 comp_mask;
	__u32 max_burst_size;		/* bytes, 0: any */
	__u16 typical_packet_size;	/* bytes, 0: unknown */
	__u8 reserved_50[6];
};

struct ornic_create_wq_req {
	__u32 comp_mask;
	__u8 reserved_20[4];
};

struct ornic_create_wq_resp {
	__u32 comp_mask;
	__u32 wqn;
	__aligned_u64 mmap_offset;	/* ring and doorbell record in one mapping */
	__aligned_u64 mmap_length;
	__u32 dbr_offset;		/* bytes into the mapping; the ring is at 0 */
	__u8 log_wqes;
	__u8 stride_shift;		/* log2 of the bytes of a WQE */
	__u8 reserved_f0[2];
};

struct ornic_create_ah_resp {
	__u32 comp_mask;
	__u8 reserved_20[4];
	__u8 av[32];			/* struct ornic_av, for the send WQE */
};

#endif /* ORNIC_ABI_USER_H */
