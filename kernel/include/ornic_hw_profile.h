/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ORNIC hardware interface, version 1: the mandatory set of each profile
 * (ORNIC specification, section 17). A device that announces a profile
 * has at least this.
 */
#ifndef ORNIC_HW_PROFILE_H
#define ORNIC_HW_PROFILE_H

#include "ornic_hw_cmd.h"

/* x(field of struct ornic_query_device_out, bits that must be set) */
#define ORNIC_PROFILE_RDMA_BITS(x) \
	x(qp_types, 1u << ORNIC_QPT_GSI | 1u << ORNIC_QPT_RC | \
		    1u << ORNIC_QPT_UD) \
	x(send_ops[0], 1ULL << ORNIC_WR_SEND | 1ULL << ORNIC_WR_SEND_WITH_IMM | \
		    1ULL << ORNIC_WR_RDMA_WRITE | \
		    1ULL << ORNIC_WR_RDMA_WRITE_WITH_IMM | \
		    1ULL << ORNIC_WR_RDMA_READ) \
	x(access_flags, ORNIC_ACCESS_LOCAL_WRITE | ORNIC_ACCESS_REMOTE_WRITE | \
			ORNIC_ACCESS_REMOTE_READ) \
	x(page_sizes, 1ULL << 12)
#define ORNIC_PROFILE_ETHERNET_BITS(x) \
	x(qp_types, 1u << ORNIC_QPT_RAW_PACKET) \
	x(send_ops[0], 1ULL << ORNIC_WR_SEND) \
	x(features, ORNIC_FEAT_CQE_EXT)
#define ORNIC_PROFILE_ULP_BITS(x) \
	x(profiles, ORNIC_PROFILE_RDMA) \
	x(send_ops[0], 1ULL << ORNIC_WR_ATOMIC_CMP_SWP | \
		    1ULL << ORNIC_WR_ATOMIC_FETCH_ADD | \
		    1ULL << ORNIC_WR_LOCAL_INV | \
		    1ULL << ORNIC_WR_SEND_WITH_INV | 1ULL << ORNIC_WR_REG_MR) \
	x(access_flags, ORNIC_ACCESS_REMOTE_ATOMIC) \
	x(features, ORNIC_FEAT_SRQ | ORNIC_FEAT_REG_MR)
#define ORNIC_PROFILE_FULL_BITS(x) \
	x(profiles, ORNIC_PROFILE_ETHERNET | ORNIC_PROFILE_ULP) \
	x(qp_types, 1u << ORNIC_QPT_UC | 1u << ORNIC_QPT_XRC_SEND | \
		    1u << ORNIC_QPT_XRC_RECV) \
	x(send_ops[0], 1ULL << ORNIC_WR_BIND_MW | 1ULL << ORNIC_WR_TSO) \
	x(access_flags, ORNIC_ACCESS_MW_BIND | ORNIC_ACCESS_ZERO_BASED) \
	x(features, ORNIC_FEAT_XRC | ORNIC_FEAT_MCAST | ORNIC_FEAT_MW | \
		    ORNIC_FEAT_MODIFY_MR | ORNIC_FEAT_RESIZE_CQ | \
		    ORNIC_FEAT_CQ_MODERATION | ORNIC_FEAT_WQ | ORNIC_FEAT_FLOW | \
		    ORNIC_FEAT_TSO | ORNIC_FEAT_NULL_MR)

/*
 * x(field of struct ornic_query_device_out, least value). Each device has an EQ
 * for each vector, so max_eq is no matter of profiles.
 */
#define ORNIC_PROFILE_RDMA_LEAST(x) \
	x(max_uctx, 2) x(max_pd, 16) x(max_eqe, 256) x(max_cq, 16) \
	x(max_cqe, 256) x(max_qp, 16) x(max_sq_slots, 256) \
	x(max_rq_wqes, 64) x(max_sge, 2) x(max_mr, 16) \
	x(max_mr_size, 1ULL << 32) x(max_gid, 8) x(max_rd_atomic, 1) \
	x(max_msg_size, 1u << 30)
#define ORNIC_PROFILE_ETHERNET_LEAST(x) \
	x(max_uctx, 1) x(max_pd, 1) x(max_eqe, 64) x(max_cq, 2) \
	x(max_cqe, 64) x(max_qp, 1) x(max_sq_slots, 64) \
	x(max_rq_wqes, 64) x(max_sge, 2) x(max_mr, 1) x(max_rx_queues, 1) \
	x(parse_bytes, 128) x(parse_tags, 2) x(parse_exts, 1)
#define ORNIC_PROFILE_ULP_LEAST(x) \
	x(max_cqe, 1024) x(max_qp, 64) x(max_sq_slots, 1024) \
	x(max_rq_wqes, 256) x(max_mr, 512) x(max_srq, 16) \
	x(max_srq_wqes, 64) x(max_reg_pages, 256)
#define ORNIC_PROFILE_FULL_LEAST(x) \
	x(max_inline, 64) x(max_mw, 16) x(max_xrcd, 4) \
	x(max_mcast_groups, 8) x(max_mcast_qps, 4) x(max_wq, 4) \
	x(max_rwq_tables, 4) x(max_rwq_table_size, 4) x(max_flows, 16) \
	x(max_counters, 4) x(max_tso, 65536)

/* x(command): those that no feature brings */
#define ORNIC_PROFILE_RDMA_COMMANDS(x) \
	x(NOP) x(QUERY_DEVICE) x(QUERY_STATS) x(SET_HOST) x(QUERY_EFFECTS) \
	x(QUERY_LOG) x(QUERY_PORT) x(MODIFY_PORT) x(SET_GID) x(ALLOC_UCTX) \
	x(FREE_UCTX) x(CREATE_EQ) x(DESTROY_EQ) x(CREATE_MR) \
	x(DESTROY_MR) x(CREATE_CQ) x(DESTROY_CQ) x(CREATE_QP) x(DESTROY_QP) \
	x(MODIFY_QP) x(QUERY_QP)
#define ORNIC_PROFILE_ETHERNET_COMMANDS(x) \
	x(NOP) x(QUERY_DEVICE) x(QUERY_STATS) x(SET_HOST) x(QUERY_EFFECTS) \
	x(QUERY_LOG) x(QUERY_PORT) x(MODIFY_PORT) x(SET_RX_FILTER) \
	x(SET_RX_QUEUES) x(ALLOC_UCTX) x(FREE_UCTX) x(CREATE_EQ) \
	x(DESTROY_EQ) x(CREATE_MR) x(DESTROY_MR) x(CREATE_CQ) \
	x(DESTROY_CQ) x(CREATE_QP) x(DESTROY_QP) x(MODIFY_QP)
#define ORNIC_PROFILE_ULP_COMMANDS(x)
#define ORNIC_PROFILE_FULL_COMMANDS(x)

#endif /* ORNIC_HW_PROFILE_H */
