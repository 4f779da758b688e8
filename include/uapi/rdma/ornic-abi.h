/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * ABI between the ORNIC verbs driver and its rdma-core provider.
 *
 * - Sizes are multiples of 8; reserved fields are named by their hexadecimal
 *   bit offset and are zero. The kernel refuses a request whose reserved
 *   fields or unknown comp_mask bits are set.
 * - Structures only grow, at their end. The kernel refuses a request that is
 *   shorter than the structure below, and a longer one unless the tail is zero.
 *   A response is cut or zero-padded to the size of the buffer.
 * - Requests hold no addresses: uverbs passes the response buffer.
 * - Ring and doorbell layouts are defined by the hardware interface, not here.
 * - The memory of an object may belong to another object as soon as it is
 *   destroyed, or has got another ring.
 */
#ifndef ORNIC_ABI_USER_H
#define ORNIC_ABI_USER_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define ORNIC_ABI_VERSION 1

/*
 * Memory that a process may map.
 *
 * With id 0 the mapping belongs to one object, or to the context. Memory with
 * another id is shared by objects of the context: a process may map it once, use
 * the mapping for each object that has the same id, and unmap it when all of
 * them are destroyed. The kernel uses an id once in the life of a context, but
 * may use an offset again.
 */
struct ornic_mmap_place {
	__aligned_u64 id;
	__aligned_u64 offset;		/* for mmap(), in bytes */
	__aligned_u64 length;		/* bytes to map */
};

enum ornic_ucontext_caps {
	/*
	 * The board page exists; the device can poll doorbell records. Without
	 * it the device reads no records of CQs: a process arms a CQ, and tells
	 * the consumer index, by doorbells, and writes the record for the
	 * kernel only. It rings a doorbell when it has consumed more than an
	 * eighth of the ring since the last one. The size that the kernel
	 * reports for a CQ leaves out that eighth.
	 */
	ORNIC_UCONTEXT_CAP_SHADOW	= 1U << 0,
	/* CQs can have completions of 64 bytes */
	ORNIC_UCONTEXT_CAP_CQE_EXT	= 1U << 1,
	/* The clock page exists */
	ORNIC_UCONTEXT_CAP_CLOCK	= 1U << 2,
	/* null_key is valid */
	ORNIC_UCONTEXT_CAP_NULL_MR	= 1U << 3,
	/* The device needs a doorbell for receive WQEs */
	ORNIC_UCONTEXT_CAP_RQ_DOORBELL	= 1U << 4,
	/* The push page exists */
	ORNIC_UCONTEXT_CAP_PUSH		= 1U << 5,
};

struct ornic_alloc_ucontext_req {
	__u32 comp_mask;
	__u8 reserved_20[4];
};

struct ornic_alloc_ucontext_resp {
	__u32 comp_mask;
	__u32 caps;			/* enum ornic_ucontext_caps */
	__aligned_u64 send_ops;		/* bit n: ibv_wr_opcode n, below 64 */
	struct ornic_mmap_place db;	/* doorbell page; write-only, shared */
	struct ornic_mmap_place board;	/* board page, with CAP_SHADOW */
	struct ornic_mmap_place clock;	/* clock page; read-only, CAP_CLOCK */
	struct ornic_mmap_place push;	/* push page; write-only, CAP_PUSH */
	__u32 null_key;			/* lkey of the null MR, for any PD */
	__u8 reserved_3a0[4];
};

enum ornic_query_context_attrs {
	/* The response of alloc_ucontext: struct ornic_alloc_ucontext_resp */
	ORNIC_ATTR_QUERY_CONTEXT_RESP	= 1U << UVERBS_ID_NS_SHIFT,
};

/*
 * Clock page: converts a device timestamp to the wall-clock time of the PTP
 * hardware clock:
 *
 *   nsec + (((timestamp - cycles) * mult + frac) >> shift)
 *
 * These are the bytes of struct ib_uverbs_clock_info, which newer kernels have in
 * ib_user_verbs.h. The result is valid if sign is even, and the same before and
 * after reading the page. The difference is signed, because the timestamp may be
 * older than the page, and so is the shift. The kernel updates the page every few
 * seconds. The product fits into 63 bits up to half a minute from cycles;
 * timestamps further away need wider arithmetic.
 */
struct ornic_clock_info {
	__u32 sign;
	__u32 resv;
	__aligned_u64 nsec;		/* since the epoch, at cycles */
	__aligned_u64 cycles;
	__aligned_u64 frac;		/* units of 2^-shift ns */
	__u32 mult;
	__u32 shift;
	__aligned_u64 mask;		/* of the bits of cycles */
	__aligned_u64 overflow_period;	/* ns from cycles for which 63 bits are enough */
};

struct ornic_query_device_resp {
	__u32 comp_mask;
	__u8 reserved_20[4];
	__aligned_u64 clock;		/* current device timestamp */
	__aligned_u64 rx_hash_fields;	/* enum ibv_rx_hash_fields */
	__u8 rx_hash_functions;		/* enum ibv_rx_hash_function_flags */
	__u8 reserved_c8[3];
	__u32 max_tso;			/* payload bytes; RAW_PACKET only */
	__u32 min_rate;			/* kb/s, of packet pacing */
	__u32 max_rate;
};

enum ornic_create_cq_flags {
	ORNIC_CREATE_CQ_EXT	= 1U << 0,	/* completions of 64 bytes */
};

struct ornic_create_cq_req {
	__u32 comp_mask;
	__u32 flags;			/* enum ornic_create_cq_flags */
};

struct ornic_create_cq_resp {
	__u32 comp_mask;
	__u32 cqn;
	struct ornic_mmap_place map;	/* of ring and record */
	__u32 ring_offset;		/* bytes from the start of the mapping */
	__u32 dbr_offset;
	__u8 log_size;
	__u8 log_cqe_size;
	__u8 reserved_150[6];
};

/*
 * Replacement of a ring. The new ring begins with the entries of the old one.
 * The indexes in its doorbell record are set up: ci (CQ) or the index of
 * receives taken (SRQ) is 0.
 */
struct ornic_resize_resp {
	__u32 comp_mask;
	__u32 ring_offset;		/* bytes from the start of the mapping */
	struct ornic_mmap_place map;	/* of ring and record */
	__u32 dbr_offset;
	__u8 log_size;
	__u8 reserved_128[3];
};

struct ornic_create_srq_req {
	__u32 comp_mask;
	__u8 reserved_20[4];
};

struct ornic_create_srq_resp {
	__u32 comp_mask;
	__u32 srqn;
	struct ornic_mmap_place map;	/* of ring and record */
	__u32 ring_offset;		/* bytes from the start of the mapping */
	__u32 dbr_offset;
	__u8 log_wqes;
	__u8 stride_shift;		/* log2 of the bytes of a WQE */
	__u8 reserved_150[6];
};

struct ornic_create_comp_cntr_resp {
	__u32 comp_mask;
	__u32 offset;			/* bytes from the start of the mapping */
	struct ornic_mmap_place map;	/* of struct ornic_comp_counts */
};

/* The method of the core has no response of a driver */
enum ornic_create_comp_cntr_attrs {
	/* struct ornic_create_comp_cntr_resp */
	ORNIC_ATTR_CREATE_COMP_CNTR_RESP	= 1U << UVERBS_ID_NS_SHIFT,
};

/* modify_srq has no response, so IB_SRQ_MAX_WR needs a method of its own */
enum ornic_srq_methods {
	ORNIC_METHOD_SRQ_RESIZE		= 1U << UVERBS_ID_NS_SHIFT,
};

enum ornic_srq_resize_attrs {
	ORNIC_ATTR_SRQ_RESIZE_HANDLE	= 1U << UVERBS_ID_NS_SHIFT,
	ORNIC_ATTR_SRQ_RESIZE_MAX_WR,	/* __u32: requested receives */
	ORNIC_ATTR_SRQ_RESIZE_RESP,	/* struct ornic_resize_resp */
};

/* rx_hash_* are for QPs with an indirection table */
struct ornic_create_qp_req {
	__u32 comp_mask;
	__u8 rx_hash_function;		/* enum ibv_rx_hash_function_flags */
	__u8 rx_hash_key_len;		/* bytes */
	__u16 max_tso_header;		/* bytes; RAW_PACKET only */
	__aligned_u64 rx_hash_fields;	/* enum ibv_rx_hash_fields */
	__u8 rx_hash_key[40];
};

struct ornic_create_qp_resp {
	__u32 comp_mask;
	__u32 qpn;			/* device number, also of a GSI QP */
	struct ornic_mmap_place map;	/* of rings and record; length 0: none */
	__u32 sq_offset;		/* bytes from the start of the mapping */
	__u32 rq_offset;
	__u32 dbr_offset;
	__u32 slot;			/* on the board; ~0: none */
	__u8 log_sq_slots;
	__u8 log_rq_wqes;
	__u8 rq_stride_shift;		/* log2 of the bytes of a receive WQE */
	__u8 reserved_198[5];
};

/* With IB_QP_RATE_LIMIT: the other members of struct ibv_qp_rate_limit_attr */
struct ornic_modify_qp_req {
	__u32 comp_mask;
	__u32 max_burst_size;		/* bytes, 0: device default */
	__u16 typical_packet_size;	/* bytes, 0: unknown */
	__u8 reserved_50[6];
};

struct ornic_create_wq_req {
	__u32 comp_mask;
	__u8 reserved_20[4];
};

struct ornic_create_wq_resp {
	__u32 comp_mask;
	__u8 reserved_20[4];
	struct ornic_mmap_place map;	/* of ring and record */
	__u32 ring_offset;		/* bytes from the start of the mapping */
	__u32 dbr_offset;
	__u8 log_wqes;
	__u8 stride_shift;		/* log2 of the bytes of a WQE */
	__u8 reserved_150[6];
};

struct ornic_create_ah_resp {
	__u32 comp_mask;
	__u8 reserved_20[4];
	__u8 av[32];			/* struct ornic_av, for the send WQE */
};

#endif /* ORNIC_ABI_USER_H */
