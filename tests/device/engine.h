/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interface of QPs and of the RoCE engine to the rest of the core. Queue pairs
 * themselves are in qp.h.
 */
#ifndef ORNIC_DEVICE_ENGINE_H
#define ORNIC_DEVICE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "frame.h"

struct cmd;
struct mcast_group;
struct nic;
struct obj_walk;
struct qp;

/* Implemented operations: bit n is for enum ornic_wr_opcode n */
#define ENGINE_SEND_OPS                                                   \
	(1ULL << ORNIC_WR_RDMA_WRITE | 1ULL << ORNIC_WR_RDMA_WRITE_WITH_IMM | \
	 1ULL << ORNIC_WR_SEND | 1ULL << ORNIC_WR_SEND_WITH_IMM |          \
	 1ULL << ORNIC_WR_RDMA_READ | 1ULL << ORNIC_WR_ATOMIC_CMP_SWP |    \
	 1ULL << ORNIC_WR_ATOMIC_FETCH_ADD | 1ULL << ORNIC_WR_LOCAL_INV |  \
	 1ULL << ORNIC_WR_BIND_MW | 1ULL << ORNIC_WR_SEND_WITH_INV |       \
	 1ULL << ORNIC_WR_TSO |                                            \
	 1ULL << ORNIC_WR_RDMA_READ_WITH_INV | 1ULL << ORNIC_WR_FLUSH |    \
	 1ULL << ORNIC_WR_ATOMIC_WRITE | 1ULL << ORNIC_WR_MASKED_CMP_SWP |\
	 1ULL << ORNIC_WR_MASKED_FETCH_ADD | 1ULL << ORNIC_WR_REG_MR)

/**
 * engine_init - allocate the engine's state of a card, @nic->engine
 * @nic: the card
 *
 * Return: 0 or -ENOMEM.
 */
int engine_init(struct nic *nic);

/**
 * engine_uninit - undo engine_init()
 * @nic: the card; no QP is left
 */
void engine_uninit(struct nic *nic);

/**
 * qp_kick - check a send queue for new work
 * @qp: any QP with a send queue, in any state
 *
 * Reads sq_pi from the doorbell record and checks it against the ring
 * (bad_sq_pi: the QP goes to error). New work makes the QP ready (core_ready())
 * and watched (sq_watch_busy()).
 */
void qp_kick(struct qp *qp);

/**
 * qp_run - do a part of a QP's work
 * @qp: QP that was ready
 * @budget: largest number of packets
 *
 * Return: true when more work can be done now; the caller then makes the QP
 * ready again. Work that waits for a packet, a timer or a doorbell does not
 * count.
 */
bool qp_run(struct qp *qp, unsigned int budget);

/**
 * qp_cq_failed - handle the failure of a CQ of a QP
 * @qp: the QP, which goes to error unless it is in RESET
 */
void qp_cq_failed(struct qp *qp);

/**
 * qp_settle_all - send owed ACKs before a reset ([ORNIC-QP-9])
 * @nic: the card, enabled and able to access memory
 */
void qp_settle_all(struct nic *nic);

/**
 * qp_destroy_all - part of a reset: timers, references, memory
 * @nic: the card
 * @walk: over the objects
 *
 * Guest memory may be gone, so nothing is written to it.
 */
void qp_destroy_all(struct nic *nic, struct obj_walk *walk);

/**
 * qp_stats - get the counters of a QP, for QUERY_STATS with ORNIC_STATS_QP
 * @nic: the card
 * @qpn: any number
 * @out: counters to fill
 * @max: room in @out
 *
 * Return: counters filled, or -ENOENT.
 */
int qp_stats(struct nic *nic, uint32_t qpn, uint64_t *out, unsigned int max);

/**
 * roce_rx - receive a RoCEv2 packet to a GID of the card
 * @nic: the card
 * @frame: Ethernet (with or without VLAN tag), IPv4 or IPv6 without extension
 *	headers, UDP to port 4791, to the port's MAC and an address and VLAN in
 *	the GID table; all of these headers are in @frame->hdr and consistent in
 *	length, unless it is FRAME_LOCAL. Everything behind UDP is unchecked
 * @sgid_index: GID table index of the destination
 * @l3_offset: offset of the IP header in @frame->hdr
 * @bth_offset: offset of the first byte behind the UDP header
 */
void roce_rx(struct nic *nic, const struct frame *frame,
	     unsigned int sgid_index, unsigned int l3_offset,
	     unsigned int bth_offset);

/**
 * roce_rx_mcast - receive a RoCEv2 packet to a multicast group
 * @nic: the card
 * @frame: as for roce_rx(), but to the MAC and address of @group
 * @group: the group
 * @l3_offset: offset of the IP header in @frame->hdr
 * @bth_offset: offset of the first byte behind the UDP header
 */
void roce_rx_mcast(struct nic *nic, const struct frame *frame,
		   const struct mcast_group *group, unsigned int l3_offset,
		   unsigned int bth_offset);

enum ornic_cmd_status qp_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_destroy(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_modify(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_query(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_ENGINE_H */
