/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ORNIC hardware interface, version 1: inputs and outputs of the commands
 * (ORNIC specification, sections 10, 11, 19 to 31 and 33). The rules in
 * ornic_hw.h apply here too.
 */
#ifndef ORNIC_HW_CMD_H
#define ORNIC_HW_CMD_H

#include "ornic_hw.h"

/* ---- 10. Commands: device and port ------------------------------------
 * An input may be shorter than its structure (the rest counts as zero), but not
 * shorter than the minimum of the command. It may be longer if the tail is
 * zero. An output is cut to the buffer. So structures can grow at their end.
 */

#define ORNIC_SEND_OPS_WORDS	4	/* 64 of the 256 opcodes each */

/* QUERY_DEVICE: no input */
struct ornic_query_device_out {
	__le64 features;	/* ORNIC_FEAT_* */
	__le64 guid;		/* EUI-64 of the device */
	__le32 fw_version;	/* major 31:24, minor 23:16, patch 15:0 */
	__le32 max_uctx;
	__le32 max_pd;		/* numbers of PDs are below it */
	__le32 max_eq;
	__le32 max_eqe;
	__le32 max_cq;
	__le32 max_cqe;
	__le32 max_qp;
	__le32 max_sq_slots;
	__le32 max_rq_wqes;
	__le32 max_sge;		/* per send or receive WQE */
	__le32 max_inline;	/* bytes */
	__le32 max_mr;
	__le32 max_srq;
	__le32 max_srq_wqes;
	__le32 max_mcast_groups;
	__le64 max_mr_size;	/* bytes */
	__le64 page_sizes;	/* bit n: pages of 1 << n bytes */
	__le32 access_flags;	/* ORNIC_ACCESS_* that CREATE_MR takes */
	__le32 max_gid;
	__le32 max_rd_atomic;	/* per QP, as requester and as responder */
	__le32 max_msg_size;	/* bytes */
	__le32 max_reg_pages;	/* REG_MR */
	__le32 max_mcast_qps;	/* per group */
	__le32 max_mw;
	__le32 max_rx_queues;	/* SET_RX_QUEUES */
	__le32 qp_types;	/* bit n: enum ornic_qp_type n */
	__le32 max_xrcd;
	/* bit n % 64 of word n / 64: enum ornic_wr_opcode n */
	__le64 send_ops[ORNIC_SEND_OPS_WORDS];
	__le32 max_wq;
	__le32 max_rwq_tables;
	__le32 max_rwq_table_size;	/* entries, a power of two */
	__le32 rx_hash_fields;	/* ORNIC_RX_HASH_* that CREATE_QP takes */
	__le32 wq_flags;	/* ORNIC_WQ_* for CREATE_WQ, RAW_PACKET QPs */
	__le32 max_delay_drop;	/* us */
	__le32 max_flows;
	__le32 max_counters;
	__le32 max_tso;		/* payload bytes of a TSO WQE */
	__le32 min_rate;	/* kb/s that rate_limit takes */
	__le32 max_rate;
	__le32 profiles;	/* ORNIC_PROFILE_* */
	__le32 max_log;		/* entries of QUERY_LOG */
	__le32 flow_types;	/* bit n: enum ornic_flow_type n */
	__le64 flow_fields;	/* fields that the mask of a rule may name */
	__le64 flow_any_mask;	/* those of them that take any mask */
	__le32 flow_flags;	/* ORNIC_FLOW_* that CREATE_FLOW takes */
	__le32 flow_layers;	/* ORNIC_FLOW_LAYER_* that a rule may name */
	__le32 max_flow_masks;	/* different masks at a time; 0: any number */
	__le32 sq_ci_lag;	/* slots by which sq_ci may lag behind */
	__le32 rq_ci_lag;	/* receive WQEs by which rq_ci may lag behind */
	__le32 needs;		/* ORNIC_NEEDS_* */
	__le32 max_stat_sets;	/* numbers of sets are below it */
	__le32 parse_bytes;	/* of a frame, in which headers are found */
	__le32 parse_tags;	/* VLAN tags that are found */
	__le32 parse_exts;	/* extension headers of IPv6 that are found */
	__le32 rx_hash_types;	/* ORNIC_HASH_* that SET_RX_QUEUES takes */
	__le32 max_comp_cntrs;
};
ORNIC_ASSERT_SIZE(struct ornic_query_device_out, 288);

/* Entries of any ring but the admin queue's; all sizes are powers of two */
#define ORNIC_RING_MAX			(1u << 24)
/* The lags are at most this, and a quarter of the longest ring */
#define ORNIC_CI_LAG_MAX		256

/* Least max_tso of a device with FEAT_TSO, bytes */
#define ORNIC_TSO_MIN			4096

/* Duties of the host; a driver that does not know all refuses the device */
#define ORNIC_NEEDS_RQ_DOORBELL		0x1	/* ring for receive WQEs */

#define ORNIC_FEAT_SRQ			(1ULL << 0)
#define ORNIC_FEAT_XRC			(1ULL << 1)
#define ORNIC_FEAT_MCAST		(1ULL << 2)
#define ORNIC_FEAT_MW			(1ULL << 3)
#define ORNIC_FEAT_REG_MR		(1ULL << 4)	/* with LOCAL_INV */
#define ORNIC_FEAT_MODIFY_MR		(1ULL << 5)
#define ORNIC_FEAT_RESIZE_CQ		(1ULL << 6)
#define ORNIC_FEAT_CQ_MODERATION	(1ULL << 7)
#define ORNIC_FEAT_CQE_EXT		(1ULL << 8)	/* 64-byte CQEs */
#define ORNIC_FEAT_WQ			(1ULL << 9)
#define ORNIC_FEAT_FLOW			(1ULL << 10)
#define ORNIC_FEAT_TSO			(1ULL << 13)
#define ORNIC_FEAT_RATE_LIMIT		(1ULL << 14)
#define ORNIC_FEAT_NULL_MR		(1ULL << 16)
#define ORNIC_FEAT_FLOW_COPY		(1ULL << 17)	/* rules that copy */
#define ORNIC_FEAT_STAT_SETS		(1ULL << 18)	/* BIND_STATS */
#define ORNIC_FEAT_RESIZE_SRQ		(1ULL << 19)
#define ORNIC_FEAT_COMP_CNTR		(1ULL << 20)	/* completion counters */
#define ORNIC_FEAT_PUSH			(1ULL << 32)	/* push pages */

/* Purpose of a device; ornic_hw_profile.h lists what each profile needs */
#define ORNIC_PROFILE_RDMA	0x1
#define ORNIC_PROFILE_ETHERNET	0x2
#define ORNIC_PROFILE_FULL	0x4	/* Ethernet, ULP and more */
#define ORNIC_PROFILE_ULP	0x8	/* RDMA for protocols of the kernel */

/* SET_HOST: before there are objects; without it no feature is in force */
struct ornic_set_host_in {
	__le32 version;		/* of the contract, as ORNIC_REG_VERSION */
	__u8 page_shift;	/* log2 of the host's page size, 12 to 31 */
	__u8 rsvd[3];
	__le64 features;	/* ORNIC_FEAT_* that the host uses */
	char name[64];		/* driver and system; printable, then zeros */
};
ORNIC_ASSERT_SIZE(struct ornic_set_host_in, 80);

struct ornic_set_host_out {
	__le32 version;		/* in force: the lower minor */
	__le32 rsvd;
	__le64 features;	/* in force */
};
ORNIC_ASSERT_SIZE(struct ornic_set_host_out, 16);

/* QUERY_EFFECTS: no input. Byte n of the output is for opcode n. */
#define ORNIC_EFFECTS_MAX	256	/* bytes; opcodes of 1.0 are below it */

#define ORNIC_EFFECT_SUPPORTED	0x01	/* 0: all of the byte is 0 */
#define ORNIC_EFFECT_CHANGES	0x02	/* may change state if it succeeds */
#define ORNIC_EFFECT_SLOW	0x04	/* its time grows with its input */
#define ORNIC_EFFECT_QUIET	0x08	/* the host leaves the object alone */

/* QUERY_LOG: entries from number first on; out: header and entries */
struct ornic_query_log_in {
	__le64 first;		/* numbers begin with 0 and run free */
};
ORNIC_ASSERT_SIZE(struct ornic_query_log_in, 8);

struct ornic_log_entry {
	__le64 time;		/* of ORNIC_REG_CLOCK, the latest */
	__le64 value;		/* by kind */
	__le32 num;		/* of the object */
	__le32 count;		/* times in a row, no more than 2^32 - 1 */
	__le16 kind;		/* enum ornic_log_kind */
	__le16 code;		/* by kind */
	__le32 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_log_entry, 32);

struct ornic_query_log_out {
	__le64 first;		/* number of entries[0] */
	__le64 next;		/* of the next entry to be written */
	__le64 time;		/* of ORNIC_REG_CLOCK, now */
	__le32 count;		/* of entries */
	__le32 rsvd;
	struct ornic_log_entry entries[];
};
ORNIC_ASSERT_SIZE(struct ornic_query_log_out, 32);

enum ornic_log_kind {
	/* code: enum ornic_cmd_status, num: opcode, value: detail */
	ORNIC_LOG_COMMAND	= 1,
	/* code: place in ORNIC_DEVICE_STATS, num: object, value: the offence */
	ORNIC_LOG_VIOLATION	= 2,
	/* code: enum ornic_event, num: object */
	ORNIC_LOG_EVENT		= 3,
	/* code: enum ornic_fatal_cause */
	ORNIC_LOG_FATAL		= 4,
};

/* QUERY_PORT: no input */
struct ornic_query_port_out {
	__u8 mac[6];		/* permanent */
	__u8 link;		/* 1: up */
	__u8 rsvd;
	__le32 speed;		/* Mb/s */
	__le32 max_mtu;		/* bytes of an Ethernet payload */
	__le32 mtu;		/* current */
	__le32 rsvd2;
};
ORNIC_ASSERT_SIZE(struct ornic_query_port_out, 24);

struct ornic_modify_port_in {
	__le32 mask;		/* ORNIC_PORT_* that are valid */
	__le32 mtu;
	__u8 mac[6];
	__u8 up;		/* 0: no frames sent or received */
	__u8 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_modify_port_in, 16);

#define ORNIC_PORT_MTU		0x1
#define ORNIC_PORT_MAC		0x2
#define ORNIC_PORT_UP		0x4

/* SET_RX_FILTER: replaces the filter; own MAC and broadcast always pass */
struct ornic_rx_filter_in {
	__le32 flags;		/* ORNIC_RX_* */
	__le32 count;		/* at most ORNIC_RX_MACS_MAX */
	struct {
		__u8 mac[6];
		__u8 rsvd[2];
	} macs[];
};
ORNIC_ASSERT_SIZE(struct ornic_rx_filter_in, 8);

#define ORNIC_RX_PROMISC	0x1
#define ORNIC_RX_ALLMULTI	0x2
#define ORNIC_RX_MACS_MAX	256

/* SET_RX_QUEUES: queues for frames not taken by RoCE or a rule */
struct ornic_rx_queues_in {
	__le32 count;		/* entries, a power of two, 0: drop all */
	__le32 hash;		/* ORNIC_HASH_* of rx_hash_types */
	__u8 key[40];		/* Toeplitz */
	__le32 qpn[128];	/* RAW_PACKET QPs */
};
ORNIC_ASSERT_SIZE(struct ornic_rx_queues_in, 560);

#define ORNIC_HASH_IPV4		0x1	/* source and destination address */
#define ORNIC_HASH_IPV6		0x2
#define ORNIC_HASH_TCP		0x4	/* and ports */
#define ORNIC_HASH_UDP		0x8

/* SET_GID: writes or clears one entry */
struct ornic_set_gid_in {
	__le16 index;
	__le16 flags;		/* ORNIC_GID_* */
	__le16 vlan_id;		/* with ORNIC_GID_VLAN */
	__u8 smac[6];
	__le32 rsvd;
	__u8 gid[16];		/* ::ffff:a.b.c.d: IPv4 */
};
ORNIC_ASSERT_SIZE(struct ornic_set_gid_in, 32);

#define ORNIC_GID_VALID		0x1
#define ORNIC_GID_VLAN		0x2

/* QUERY_STATS: returns an array of __le64, one per counter of the scope */
struct ornic_query_stats_in {
	__le32 scope;		/* enum ornic_stats_scope */
	__le32 num;		/* of a set or an object, if the scope needs one */
};
ORNIC_ASSERT_SIZE(struct ornic_query_stats_in, 8);

enum ornic_stats_scope {
	ORNIC_STATS_PORT	= 0,
	ORNIC_STATS_RDMA	= 1,
	ORNIC_STATS_SET		= 2,	/* num: as in BIND_STATS */
	ORNIC_STATS_DEVICE	= 3,
	ORNIC_STATS_COUNTERS	= 4,	/* num: CREATE_COUNTERS */
};

/* Ethernet side, all frames of the port */
#define ORNIC_PORT_STATS(x) \
	x(rx_frames) x(rx_bytes) x(rx_multicast) x(rx_broadcast) \
	x(rx_dropped_filter) x(rx_dropped_no_wqe) x(rx_dropped_malformed) \
	x(tx_frames) x(tx_bytes) x(tx_errors) \
	x(rx_steered) x(rx_dropped_rule) x(rx_delayed) x(rx_delay_dropped) \
	x(tx_dropped_rule) x(tx_looped) x(tx_dropped_spoofed)

/* RoCEv2 side, all QPs of the port; bytes are payload */
#define ORNIC_RDMA_STATS(x) \
	x(rx_packets) x(rx_bytes) x(tx_packets) x(tx_bytes) \
	x(rx_icrc_errors) x(rx_malformed) x(rx_unknown_qp) x(rx_wrong_path) \
	x(rx_duplicate_requests) x(rx_out_of_sequence) \
	x(rnr_naks_sent) x(rnr_naks_received) \
	x(seq_naks_sent) x(seq_naks_received) \
	x(remote_access_errors) x(remote_invalid_requests) \
	x(ack_timeouts) x(retransmits) x(retries_exceeded) x(rnr_retries_exceeded) \
	x(rx_write_requests) x(rx_read_requests) x(rx_atomic_requests) x(rx_sends) \
	x(rx_qkey_errors) x(rx_no_wqe) x(rx_length_errors) x(rx_cnps)

/* RoCEv2 side, the QPs of one set; bytes are payload */
#define ORNIC_QP_STATS(x) \
	x(tx_packets) x(tx_bytes) x(rx_packets) x(rx_bytes) \
	x(retransmits) x(rnr_naks_received) x(seq_naks_received) x(ack_timeouts)

/* Commands, doorbells, interrupts, and violations by the rule broken */
#define ORNIC_DEVICE_STATS(x) \
	x(commands) x(commands_refused) \
	x(bad_register_access) x(bad_doorbell_page) x(bad_doorbell_type) \
	x(bad_doorbell_queue) x(bad_sq_pi) x(bad_rq_pi) \
	x(bad_wqe_opcode) x(bad_wqe_count) x(bad_lkey) x(bad_rkey) \
	x(dma_faults) x(cq_overruns) x(eq_overruns) x(doorbells) x(interrupts) \
	x(pushed_wqes)

/* Frames matched by the rules of a CREATE_COUNTERS object; bytes without FCS */
#define ORNIC_COUNTERS_STATS(x) \
	x(packets) x(bytes)

#define ORNIC_STAT_ENUM_PORT(name)	ORNIC_PORT_STAT_##name,
#define ORNIC_STAT_ENUM_RDMA(name)	ORNIC_RDMA_STAT_##name,
#define ORNIC_STAT_ENUM_QP(name)	ORNIC_QP_STAT_##name,
#define ORNIC_STAT_ENUM_DEVICE(name)	ORNIC_DEVICE_STAT_##name,
#define ORNIC_STAT_ENUM_COUNTERS(name)	ORNIC_COUNTERS_STAT_##name,

enum ornic_port_stat {
	ORNIC_PORT_STATS(ORNIC_STAT_ENUM_PORT)
	ORNIC_PORT_STAT_COUNT
};

enum ornic_rdma_stat {
	ORNIC_RDMA_STATS(ORNIC_STAT_ENUM_RDMA)
	ORNIC_RDMA_STAT_COUNT
};

enum ornic_qp_stat {
	ORNIC_QP_STATS(ORNIC_STAT_ENUM_QP)
	ORNIC_QP_STAT_COUNT
};

enum ornic_device_stat {
	ORNIC_DEVICE_STATS(ORNIC_STAT_ENUM_DEVICE)
	ORNIC_DEVICE_STAT_COUNT
};

enum ornic_counters_stat {
	ORNIC_COUNTERS_STATS(ORNIC_STAT_ENUM_COUNTERS)
	ORNIC_COUNTERS_STAT_COUNT
};

/* ---- 11. Commands: objects --------------------------------------------
 * The device chooses the number of a new object, and the host that of a PD.
 * Destroying an object that is in use fails with BUSY. Inputs that only name an
 * object use this:
 */
struct ornic_object {
	__le32 num;
	__le32 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_object, 8);

/* ALLOC_UCTX: a doorbell page and its queues; out: struct ornic_object */
struct ornic_alloc_uctx_in {
	__le32 flags;		/* ORNIC_UCTX_* */
	__le32 rsvd;
	__le64 board_addr;	/* page of struct ornic_board, or 0 */
};
ORNIC_ASSERT_SIZE(struct ornic_alloc_uctx_in, 16);

#define ORNIC_UCTX_KERNEL	0x1	/* page 0 */

/* CREATE_EQ; out: struct ornic_object */
struct ornic_create_eq_in {
	__le32 vector;
	__u8 log_size;
	__u8 rsvd[3];
	struct ornic_buf buf;
	__le64 dbr_addr;	/* struct ornic_cq_dbr, 64-aligned */
};
ORNIC_ASSERT_SIZE(struct ornic_create_eq_in, 32);

/* CREATE_MR */
struct ornic_create_mr_in {
	__le32 pdn;		/* below max_pd, chosen by the host */
	__le32 access;		/* ORNIC_ACCESS_* */
	__u8 type;		/* enum ornic_mr_type */
	__u8 variant;		/* 7:0 of the key */
	__u8 rsvd[2];
	__le32 max_pages;	/* ORNIC_MR_REG: capacity in pages */
	__le64 iova;
	__le64 length;
	__le64 first_offset;	/* of iova in the first page */
	struct ornic_buf buf;
};
ORNIC_ASSERT_SIZE(struct ornic_create_mr_in, 56);

enum ornic_mr_type {
	ORNIC_MR_MEMORY	= 0,
	ORNIC_MR_DMA	= 1,	/* all bus addresses; for the kernel */
	ORNIC_MR_REG	= 2,	/* empty until REG_MR */
	ORNIC_MR_MW1	= 3,
	ORNIC_MR_MW2	= 4,
	ORNIC_MR_NULL	= 5,	/* reads zero, drops writes; local, any PD */
};

struct ornic_create_mr_out {
	__le32 key;		/* local and remote: index 31:8, variant 7:0 */
	__le32 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_create_mr_out, 8);

/* DESTROY_MR: ornic_object with the key; REG, MW1, MW2 ignore the variant */

/* MODIFY_MR: an ORNIC_MR_MEMORY; keeps the key, changes all or nothing */
struct ornic_modify_mr_in {
	__le32 key;
	__le32 mask;		/* ORNIC_MODIFY_MR_* */
	__le32 pdn;
	__le32 access;
	__le64 iova;
	__le64 length;
	__le64 first_offset;
	struct ornic_buf buf;
};
ORNIC_ASSERT_SIZE(struct ornic_modify_mr_in, 56);

#define ORNIC_MODIFY_MR_PD	0x1
#define ORNIC_MODIFY_MR_ACCESS	0x2
#define ORNIC_MODIFY_MR_MEMORY	0x4	/* iova, length, first_offset, buf */

/* CREATE_CQ; out: struct ornic_object */
struct ornic_create_cq_in {
	__le32 uctx;		/* doorbell page */
	__le32 eqn;
	__u8 log_size;
	__u8 log_cqe_size;	/* 5 or 6 */
	__u8 rsvd[2];
	__le32 flags;		/* ORNIC_CQ_* */
	struct ornic_buf buf;
	__le64 dbr_addr;	/* struct ornic_cq_dbr, 8-aligned */
};
ORNIC_ASSERT_SIZE(struct ornic_create_cq_in, 40);

#define ORNIC_CQ_IGNORE_OVERRUN	0x1

/* MODIFY_CQ: delay events until count completions, or period after the first */
struct ornic_modify_cq_in {
	__le32 cqn;
	__le16 count;		/* 0 or 1: no delay */
	__le16 period;		/* us; 0: no delay */
};
ORNIC_ASSERT_SIZE(struct ornic_modify_cq_in, 8);

/*
 * RESIZE_CQ, RESIZE_SRQ: replace the ring and the doorbell record. The device
 * moves the entries that the host (CQ) or the device (SRQ) has not consumed to
 * the start of the new ring, where indexes restart, and releases the old ring.
 */
struct ornic_resize_in {
	__le32 num;
	__u8 log_size;
	__u8 rsvd[3];
	struct ornic_buf buf;
	__le64 dbr_addr;	/* as at creation; CQ: arm has the old value */
	__le32 ci;		/* CQ: entries before it are consumed; SRQ: 0 */
	__le32 rsvd2;
};
ORNIC_ASSERT_SIZE(struct ornic_resize_in, 40);

struct ornic_resize_out {
	__le32 count;		/* entries moved: pi of the new ring, ci is 0 */
	__le32 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_resize_out, 8);

/* ALLOC_XRCD: no input; out: struct ornic_object */

/* CREATE_SRQ; out: struct ornic_object */
struct ornic_create_srq_in {
	__le32 pdn;
	__le32 flags;		/* ORNIC_SRQ_* */
	__le32 xrcdn;		/* with ORNIC_SRQ_XRC */
	__le32 cqn;		/* with ORNIC_SRQ_XRC: CQ of the receives */
	__u8 log_wqes;
	__u8 stride_shift;	/* as rq_stride_shift of CREATE_QP */
	__u8 rsvd[2];
	__le32 uctx;		/* doorbell page */
	struct ornic_buf buf;
	__le64 dbr_addr;	/* struct ornic_qp_dbr, 64-aligned */
};
ORNIC_ASSERT_SIZE(struct ornic_create_srq_in, 48);

#define ORNIC_SRQ_XRC		0x1
#define ORNIC_SRQ_KERNEL	0x2	/* may use ORNIC_MR_DMA keys */

/* MODIFY_SRQ: request one SRQ_LIMIT event at fewer than limit WQEs */
struct ornic_modify_srq_in {
	__le32 srqn;
	__le32 limit;		/* 0: no event */
};
ORNIC_ASSERT_SIZE(struct ornic_modify_srq_in, 8);

/* QUERY_SRQ: struct ornic_object */
struct ornic_query_srq_out {
	__le32 limit;		/* 0 once the event was sent */
	__le32 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_query_srq_out, 8);

/* CREATE_QP */
enum ornic_qp_type {
	ORNIC_QPT_GSI		= 1,
	ORNIC_QPT_RC		= 2,
	ORNIC_QPT_UC		= 3,
	ORNIC_QPT_UD		= 4,
	ORNIC_QPT_RAW_PACKET	= 8,
	ORNIC_QPT_XRC_SEND	= 9,
	ORNIC_QPT_XRC_RECV	= 10,
};

struct ornic_create_qp_in {
	__le32 uctx;		/* doorbell page */
	__le32 pdn;		/* XRC_RECV: 0, the PD is that of the SRQ */
	__le32 send_cqn;
	__le32 recv_cqn;
	__le32 srqn;		/* with ORNIC_QP_SRQ */
	__le32 xrcdn;		/* XRC_RECV */
	__le32 flags;		/* ORNIC_QP_* */
	__u8 type;		/* enum ornic_qp_type */
	__u8 log_sq_slots;	/* with ORNIC_QP_SQ */
	__u8 log_rq_wqes;	/* with ORNIC_QP_RQ */
	__u8 rq_stride_shift;	/* log2 of bytes, 5 or more */
	struct ornic_buf sq;
	struct ornic_buf rq;
	__le64 dbr_addr;	/* struct ornic_qp_dbr, 64-aligned */
	__le32 rwq_table;	/* with ORNIC_QP_RSS, as the two fields below */
	__le32 rx_hash_fields;	/* ORNIC_RX_HASH_* */
	__u8 rx_hash_key[40];	/* Toeplitz */
};
ORNIC_ASSERT_SIZE(struct ornic_create_qp_in, 120);

#define ORNIC_QP_SQ		0x01	/* has a send queue */
#define ORNIC_QP_RQ		0x02	/* has a receive queue */
#define ORNIC_QP_SRQ		0x04
#define ORNIC_QP_SIG_ALL	0x08	/* each send WQE gives a completion */
#define ORNIC_QP_KERNEL		0x10	/* may use ORNIC_MR_DMA, post REG_MR */
#define ORNIC_QP_SCATTER_FCS	0x20	/* RAW_PACKET: see ORNIC_WQ_* */
#define ORNIC_QP_CVLAN_STRIPPING	0x40
#define ORNIC_QP_PAD_END	0x80
#define ORNIC_QP_RSS		0x100	/* RAW_PACKET: receives in rwq_table */

/* As in enum ibv_rx_hash_fields: fields that CREATE_QP hashes */
#define ORNIC_RX_HASH_SRC_IPV4		(1u << 0)
#define ORNIC_RX_HASH_DST_IPV4		(1u << 1)
#define ORNIC_RX_HASH_SRC_IPV6		(1u << 2)
#define ORNIC_RX_HASH_DST_IPV6		(1u << 3)
#define ORNIC_RX_HASH_SRC_PORT_TCP	(1u << 4)
#define ORNIC_RX_HASH_DST_PORT_TCP	(1u << 5)
#define ORNIC_RX_HASH_SRC_PORT_UDP	(1u << 6)
#define ORNIC_RX_HASH_DST_PORT_UDP	(1u << 7)
#define ORNIC_RX_HASH_IPSEC_SPI		(1u << 8)
#define ORNIC_RX_HASH_INNER		(1u << 31)	/* inner packet */

struct ornic_create_qp_out {
	__le32 qpn;
	__le32 slot;		/* on the board, or ORNIC_BOARD_NO_SLOT */
};
ORNIC_ASSERT_SIZE(struct ornic_create_qp_out, 8);

/* As in enum ibv_qp_state */
enum ornic_qp_state {
	ORNIC_QPS_RESET	= 0,
	ORNIC_QPS_INIT	= 1,
	ORNIC_QPS_RTR	= 2,
	ORNIC_QPS_RTS	= 3,
	ORNIC_QPS_SQD	= 4,
	ORNIC_QPS_SQE	= 5,
	ORNIC_QPS_ERR	= 6,
};

struct ornic_qp_attr {
	__u8 state;		/* enum ornic_qp_state */
	__u8 cur_state;
	__u8 path_mtu;		/* 1 to 5: 256 to 4096 bytes */
	__u8 sq_draining;	/* QUERY_QP only */
	__le32 qkey;
	__le32 rq_psn;
	__le32 sq_psn;
	__le32 dest_qpn;
	__le32 access;		/* ORNIC_ACCESS_REMOTE_* */
	__u8 max_rd_atomic;	/* as requester */
	__u8 max_dest_rd_atomic;	/* as responder */
	__u8 min_rnr_timer;	/* IBTA table 45 */
	__u8 timeout;		/* 4.096 us << n; 0: never */
	__u8 retry_cnt;
	__u8 rnr_retry;		/* 7: unlimited */
	__u8 en_sqd_async_notify;
	__u8 rsvd;
	__le32 rate_limit;	/* kb/s, 0: none */
	struct ornic_av av;
	__u8 rsvd2[60];		/* [ORNIC-ROOM-3] */
};
ORNIC_ASSERT_SIZE(struct ornic_qp_attr, 128);

/* As in enum ibv_qp_attr_mask; bits without a field here are refused */
#define ORNIC_QP_ATTR_STATE		(1u << 0)
#define ORNIC_QP_ATTR_CUR_STATE		(1u << 1)
#define ORNIC_QP_ATTR_EN_SQD_ASYNC	(1u << 2)
#define ORNIC_QP_ATTR_ACCESS		(1u << 3)
#define ORNIC_QP_ATTR_QKEY		(1u << 6)
#define ORNIC_QP_ATTR_AV		(1u << 7)
#define ORNIC_QP_ATTR_PATH_MTU		(1u << 8)
#define ORNIC_QP_ATTR_TIMEOUT		(1u << 9)
#define ORNIC_QP_ATTR_RETRY_CNT		(1u << 10)
#define ORNIC_QP_ATTR_RNR_RETRY		(1u << 11)
#define ORNIC_QP_ATTR_RQ_PSN		(1u << 12)
#define ORNIC_QP_ATTR_MAX_RD_ATOMIC	(1u << 13)
#define ORNIC_QP_ATTR_MIN_RNR_TIMER	(1u << 15)
#define ORNIC_QP_ATTR_SQ_PSN		(1u << 16)
#define ORNIC_QP_ATTR_MAX_DEST_RD_ATOMIC	(1u << 17)
#define ORNIC_QP_ATTR_DEST_QPN		(1u << 20)
#define ORNIC_QP_ATTR_RATE_LIMIT	(1u << 25)

struct ornic_modify_qp_in {
	__le32 qpn;
	__le32 mask;		/* ORNIC_QP_ATTR_* */
	struct ornic_qp_attr attr;
	__le32 max_burst;	/* bytes, with rate_limit; 0: device default */
	__le16 typical_frame;	/* bytes, with rate_limit; 0: unknown */
	__le16 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_modify_qp_in, 144);

/* The QP took a WQE of its SRQ with it to RESET */
#define ORNIC_QP_TOOK_WQE	(1u << 0)

struct ornic_modify_qp_out {
	__le32 flags;		/* ORNIC_QP_TOOK_WQE */
	__le32 rsvd;
	__le64 wr_id;		/* of the WQE */
};
ORNIC_ASSERT_SIZE(struct ornic_modify_qp_out, 16);

/* QUERY_QP: struct ornic_object; out: struct ornic_qp_attr, current values */

/* ATTACH_MCAST, DETACH_MCAST: a UD QP and a group */
struct ornic_mcast_in {
	__le32 qpn;
	__le32 rsvd;
	__u8 gid[16];
};
ORNIC_ASSERT_SIZE(struct ornic_mcast_in, 24);

/* BIND_STATS: the set of statistics that counts for a QP */
struct ornic_bind_stats_in {
	__le32 qpn;
	__le32 set;		/* 0: that of all QPs which the host has not bound */
};
ORNIC_ASSERT_SIZE(struct ornic_bind_stats_in, 8);

/* CREATE_COMP_CNTR; out: struct ornic_object */
struct ornic_create_comp_cntr_in {
	__le64 addr;		/* struct ornic_comp_counts */
};
ORNIC_ASSERT_SIZE(struct ornic_create_comp_cntr_in, 8);

/* MODIFY_COMP_CNTR */
struct ornic_modify_comp_cntr_in {
	__le32 num;
	__u8 entry;		/* enum ornic_comp_cntr_entry */
	__u8 op;		/* enum ornic_comp_cntr_op */
	__u8 rsvd[2];
	__le64 value;
};
ORNIC_ASSERT_SIZE(struct ornic_modify_comp_cntr_in, 16);

/* As in enum ib_uverbs_comp_cntr_entry */
enum ornic_comp_cntr_entry {
	ORNIC_COMP_CNTR_COMPLETED	= 0,
	ORNIC_COMP_CNTR_FAILED		= 1,
};

/* As in enum ib_uverbs_comp_cntr_modify_op */
enum ornic_comp_cntr_op {
	ORNIC_COMP_CNTR_SET	= 0,
	ORNIC_COMP_CNTR_ADD	= 1,
};

/* ATTACH_COMP_CNTR: a counter counts these requests of a QP */
struct ornic_attach_comp_cntr_in {
	__le32 qpn;
	__le32 num;
	__le32 requests;	/* ORNIC_COUNT_* */
	__le32 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_attach_comp_cntr_in, 16);

/* As in enum ibv_qp_attach_comp_cntr_op */
#define ORNIC_COUNT_SEND		0x01
#define ORNIC_COUNT_RECV		0x02
#define ORNIC_COUNT_READ		0x04
#define ORNIC_COUNT_REMOTE_READ		0x08	/* of the peer */
#define ORNIC_COUNT_WRITE		0x10
#define ORNIC_COUNT_REMOTE_WRITE	0x20	/* of the peer */
#define ORNIC_COUNT_ALL			0x3f

/*
 * CREATE_WQ: a receive queue for frames, in the number space of QPs. Its
 * doorbell record uses rq_pi and rq_ci only. out: struct ornic_object.
 */
struct ornic_create_wq_in {
	__le32 pdn;
	__le32 cqn;
	__le32 flags;		/* ORNIC_WQ_* */
	__le32 delay_drop;	/* us, with ORNIC_WQ_DELAY_DROP */
	__u8 log_wqes;
	__u8 stride_shift;	/* as rq_stride_shift of CREATE_QP */
	__u8 rsvd[2];
	__le32 uctx;		/* doorbell page */
	struct ornic_buf buf;
	__le64 dbr_addr;	/* struct ornic_qp_dbr, 64-aligned */
};
ORNIC_ASSERT_SIZE(struct ornic_create_wq_in, 48);

/* As in enum ib_uverbs_wq_flags */
#define ORNIC_WQ_CVLAN_STRIPPING	0x1	/* tag is in the CQE */
#define ORNIC_WQ_SCATTER_FCS		0x2	/* FCS is received, too */
#define ORNIC_WQ_DELAY_DROP		0x4	/* WQ only: wait for a WQE */
#define ORNIC_WQ_PAD_END		0x8	/* fill up 64-byte lines */

/* As in enum ibv_wq_state */
enum ornic_wq_state {
	ORNIC_WQS_RESET	= 0,
	ORNIC_WQS_RDY	= 1,
	ORNIC_WQS_ERR	= 2,
};

struct ornic_modify_wq_in {
	__le32 wqn;
	__le32 mask;		/* ORNIC_WQ_ATTR_* */
	__u8 state;		/* enum ornic_wq_state */
	__u8 cur_state;
	__u8 rsvd[2];
	__le32 flags;		/* ORNIC_WQ_CVLAN_STRIPPING or 0 */
};
ORNIC_ASSERT_SIZE(struct ornic_modify_wq_in, 16);

/* As in enum ibv_wq_attr_mask */
#define ORNIC_WQ_ATTR_STATE		(1u << 0)
#define ORNIC_WQ_ATTR_CUR_STATE		(1u << 1)
#define ORNIC_WQ_ATTR_FLAGS		(1u << 2)	/* CVLAN_STRIPPING */

/*
 * CREATE_RWQ_TABLE: entry hash & (size - 1) is the WQ of a frame.
 * out: struct ornic_object.
 */
struct ornic_create_rwq_table_in {
	__u8 log_size;
	__u8 rsvd[7];
	__le32 wqn[];		/* 1 << log_size */
};
ORNIC_ASSERT_SIZE(struct ornic_create_rwq_table_in, 8);

/*
 * Fields of a frame that a rule compares, in wire format. A field that the
 * frame does not have is 0. A rule matches if (frame & mask) == value for all
 * bits.
 */
struct ornic_flow_headers {
	__u8 dmac[6];
	__u8 smac[6];
	__be16 ethertype;	/* after VLAN tags */
	__be16 vlan_tci;	/* of the outermost tag */
	__u8 src_ip[16];	/* IPv4: the last 4 bytes */
	__u8 dst_ip[16];
	__be32 flow_label;	/* IPv6 */
	__u8 l3;		/* 4, 6, or 0 for other protocols */
	__u8 proto;		/* IPv6: after extension headers */
	__u8 tos;		/* IPv6: traffic class */
	__u8 ttl;		/* IPv6: hop limit */
	__u8 ip_flags;		/* IPv4: bits 2:0 */
	__u8 frag;		/* 1: fragmented packet; ports are 0 */
	__u8 vlan;		/* 1: has a tag */
	__u8 rsvd;
	__be16 src_port;	/* TCP, UDP */
	__be16 dst_port;
};
ORNIC_ASSERT_SIZE(struct ornic_flow_headers, 64);

struct ornic_flow_key {
	struct ornic_flow_headers outer;
	struct ornic_flow_headers inner;	/* after VXLAN, GRE or MPLS */
	__be32 layers;		/* ORNIC_FLOW_LAYER_*: headers present */
	__be32 vni;		/* VXLAN, 23:0 */
	__be16 gre_flags;	/* C, R, K, S, version: the first word */
	__be16 gre_proto;
	__be32 gre_key;
	__be32 mpls;		/* first entry, after Ethernet, UDP or GRE */
	__be32 esp_spi;
	__be32 esp_seq;
	__be32 rsvd;
};
ORNIC_ASSERT_SIZE(struct ornic_flow_key, 160);

/*
 * Bits of flow_fields: the fields of outer in this order from bit 0, those of
 * inner from bit 16, and those of the key from bit 32.
 */
#define ORNIC_FLOW_HEADERS_FIELDS(x) \
	x(dmac) x(smac) x(ethertype) x(vlan_tci) x(src_ip) x(dst_ip) \
	x(flow_label) x(l3) x(proto) x(tos) x(ttl) x(ip_flags) x(frag) \
	x(vlan) x(src_port) x(dst_port)
#define ORNIC_FLOW_KEY_FIELDS(x) \
	x(layers) x(vni) x(gre_flags) x(gre_proto) x(gre_key) x(mpls) \
	x(esp_spi) x(esp_seq)

#define ORNIC_FLOW_ENUM_HEADERS(name)	ORNIC_FLOW_HEADERS_FIELD_##name,
#define ORNIC_FLOW_ENUM_KEY(name)	ORNIC_FLOW_KEY_FIELD_##name,

enum ornic_flow_headers_field {
	ORNIC_FLOW_HEADERS_FIELDS(ORNIC_FLOW_ENUM_HEADERS)
	ORNIC_FLOW_HEADERS_FIELD_COUNT
};

enum ornic_flow_key_field {
	ORNIC_FLOW_KEY_FIELDS(ORNIC_FLOW_ENUM_KEY)
	ORNIC_FLOW_KEY_FIELD_COUNT
};

/* Bits that these fields can have, at the low end ([ORNIC-FIELD-2]) */
#define ORNIC_FLOW_LABEL_BITS		20
#define ORNIC_FLOW_IP_FLAGS_BITS	2	/* DF and MF */
#define ORNIC_FLOW_VNI_BITS		24

#define ORNIC_FLOW_FIELD_OUTER(name)	(1ULL << ORNIC_FLOW_HEADERS_FIELD_##name)
#define ORNIC_FLOW_FIELD_INNER(name)	(ORNIC_FLOW_FIELD_OUTER(name) << 16)
#define ORNIC_FLOW_FIELD_KEY(name)	(1ULL << (32 + ORNIC_FLOW_KEY_FIELD_##name))

#define ORNIC_FLOW_LAYER_VXLAN	0x01	/* UDP port 4789 */
#define ORNIC_FLOW_LAYER_GRE	0x02
#define ORNIC_FLOW_LAYER_MPLS	0x04
#define ORNIC_FLOW_LAYER_ESP	0x08

/* CREATE_FLOW; out: struct ornic_object */
struct ornic_create_flow_in {
	__le32 qpn;		/* RAW_PACKET or RSS QP; EGRESS: the sender */
	__le32 priority;	/* 0 first */
	__u8 type;		/* enum ornic_flow_type */
	__u8 rsvd[3];
	__le32 flags;		/* ORNIC_FLOW_* */
	__le32 tag;		/* flow_tag of completions */
	__le32 counters;	/* with ORNIC_FLOW_COUNT */
	struct ornic_flow_key value;
	struct ornic_flow_key mask;
};
ORNIC_ASSERT_SIZE(struct ornic_create_flow_in, 344);

/* As in enum ibv_flow_attr_type */
enum ornic_flow_type {
	ORNIC_FLOW_NORMAL	= 0,
	ORNIC_FLOW_ALL_DEFAULT	= 1,	/* frames not taken by a NORMAL rule */
	ORNIC_FLOW_MC_DEFAULT	= 2,	/* as ALL_DEFAULT, multicast only */
	/* A copy of all frames, both ways; FEAT_FLOW_COPY */
	ORNIC_FLOW_SNIFFER	= 3,
};

#define ORNIC_FLOW_DROP		0x1	/* qpn only owns the rule */
#define ORNIC_FLOW_COUNT	0x2
#define ORNIC_FLOW_DONT_TRAP	0x4	/* later rules see it, too; FLOW_COPY */
#define ORNIC_FLOW_EGRESS	0x8	/* sent by qpn; with DROP or COUNT */

/* CREATE_COUNTERS: no input; out: struct ornic_object; read by QUERY_STATS */

#endif /* ORNIC_HW_CMD_H */
