/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Work requests in CPU byte order */
#ifndef ORNIC_DEVICE_WQE_H
#define ORNIC_DEVICE_WQE_H

#include <stdint.h>

#include <ornic_hw.h>

#include "base/state.h"

/**
 * struct sge - one SGE of a work request, in CPU byte order
 * @addr: address of the first byte
 * @length: length, bytes
 * @lkey: local key
 */
struct sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/**
 * struct recv_wqe - a receive work request in CPU byte order
 * @wr_id: wr_id of the WQE
 * @length: sum of the lengths of all SGEs, bytes
 * @sge_count: number of SGEs in @sge
 * @sge: destination of the data
 */
struct recv_wqe {
	uint64_t wr_id;
	uint64_t length;
	unsigned int sge_count;
	struct sge sge[CARD_MAX_SGE];
};

/**
 * struct send_wqe - a send work request in CPU byte order
 * @wr_id: wr_id of the WQE
 * @index: its first slot, runs free
 * @slots: number of its slots
 * @opcode: enum ornic_wr_opcode
 * @flags: ORNIC_SEND_*
 * @sge_count: number of SGEs in @sge; 0 when inline
 * @imm: immediate data of *_WITH_IMM, wire byte order
 * @inv_key: key to invalidate of *_WITH_INV and LOCAL_INV
 * @length: length of all SGEs or of the inline data, bytes
 * @raddr: remote address of connected transports
 * @rkey: remote key
 * @xrc_srqn: number of the remote SRQ, for XRC_SEND
 * @dqpn: destination QPN of UD
 * @qkey: Q_Key of UD, as posted
 * @av: path of UD, as posted
 * @eth: route of RAW_PACKET, as posted
 * @swap_add: value of an atomic to swap in or to add
 * @compare: value of an atomic to compare with
 * @swap_add_mask: mask of MASKED_*
 * @compare_mask: mask of MASKED_CMP_SWP
 * @flush: parameters of FLUSH, as posted
 * @bind: parameters of BIND_MW, as posted
 * @reg: parameters of REG_MR, as posted
 * @sge: location of the data
 * @data: inline data, with ORNIC_SEND_INLINE; for TSO, the headers
 */
struct send_wqe {
	uint64_t wr_id;
	uint32_t index;
	uint32_t slots;
	uint8_t opcode;
	uint16_t flags;
	uint16_t sge_count;
	__be32 imm;
	uint32_t inv_key;
	uint64_t length;
	uint64_t raddr;
	uint32_t rkey;
	uint32_t xrc_srqn;
	uint32_t dqpn;
	uint32_t qkey;
	struct ornic_av av;
	struct ornic_route_eth eth;
	uint64_t swap_add;
	uint64_t compare;
	uint64_t swap_add_mask;
	uint64_t compare_mask;
	struct ornic_flush flush;
	struct ornic_bind bind;
	struct ornic_reg_mr reg;
	struct sge sge[CARD_MAX_SGE];
	uint8_t data[CARD_MAX_INLINE];
};

/* Are type and level of a FLUSH valid (IBTA A19.4.1)? */
static inline bool wqe_flush_valid(unsigned int type, unsigned int level)
{
	return type && !(type & ~(ORNIC_FLUSH_GLOBAL |
				  ORNIC_FLUSH_PERSISTENT)) &&
	       level <= ORNIC_FLUSH_REGION;
}

#endif /* ORNIC_DEVICE_WQE_H */
