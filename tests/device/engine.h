/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the core calls in the QPs and the RoCE engine. Queue pairs themselves
 * are in qp.h.
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
struct qp;

/* Operations that are built: bit n for enum ornic_wr_opcode n */
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
 * engine_init - make what the engine needs per card, in @nic->engine
 * @nic: the card
 *
 * Return: 0 or -ENOMEM.
 */
int engine_init(struct nic *nic);

/**
 * engine_uninit - end of engine_init()
 * @nic: the card; no QP is left
 */
void engine_uninit(struct nic *nic);

/**
 * qp_kick - the send queue may have work
 * @qp: any QP with a send queue, in any state
 *
 * Reads sq_pi from the doorbell record, checks it against the ring
 * (bad_sq_pi: the QP goes to error), and makes the QP ready (core_ready()) and
 * watched (sq_watch_busy()) if there is anything new.
 */
void qp_kick(struct qp *qp);

/**
 * qp_run - do some of a QP's work
 * @qp: was ready
 * @budget: packets at most
 *
 * Return: whether there is more that can be done now; then the QP is ready
 * again. What waits for a packet, a timer or a doorbell is not.
 */
bool qp_run(struct qp *qp, unsigned int budget);

/**
 * qp_cq_failed - one of the QP's CQs died
 * @qp: goes to error; nothing more can be completed there
 */
void qp_cq_failed(struct qp *qp);

/**
 * qp_settle_all - before a reset: send the ACKs that are owed ([ORNIC-QP-9])
 * @nic: a card that works
 */
void qp_settle_all(struct nic *nic);

/**
 * qp_destroy_all - part of a reset: timers, references, memory
 * @nic: the card
 *
 * The guest's memory may be gone: nothing is written to it.
 */
void qp_destroy_all(struct nic *nic);

/**
 * qp_stats - answer of QUERY_STATS with ORNIC_STATS_QP
 * @nic: the card
 * @qpn: any number
 * @out: counters to fill
 * @max: room in @out
 *
 * Return: counters filled, or -ENOENT.
 */
int qp_stats(struct nic *nic, uint32_t qpn, uint64_t *out, unsigned int max);

/**
 * roce_rx - a RoCEv2 packet for one of our GIDs
 * @nic: the card
 * @frame: Ethernet (with or without VLAN tag), IPv4 or IPv6 without extension
 *	headers, UDP to port 4791, to the port's MAC and an address and VLAN in
 *	the GID table; all of these headers are in @frame->hdr and consistent in
 *	length, unless it is FRAME_LOCAL. Everything behind UDP is unchecked
 * @sgid_index: the GID it was sent to
 * @l3_offset: of the IP header in @frame->hdr
 * @bth_offset: of the first byte behind the UDP header
 */
void roce_rx(struct nic *nic, const struct frame *frame,
	     unsigned int sgid_index, unsigned int l3_offset,
	     unsigned int bth_offset);

/**
 * roce_rx_mcast - a RoCEv2 packet for one of our groups
 * @nic: the card
 * @frame: as for roce_rx(), but to MAC and address of @group
 * @group: the group
 * @l3_offset: of the IP header in @frame->hdr
 * @bth_offset: of the first byte behind the UDP header
 */
void roce_rx_mcast(struct nic *nic, const struct frame *frame,
		   const struct mcast_group *group, unsigned int l3_offset,
		   unsigned int bth_offset);

enum ornic_cmd_status qp_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_destroy(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_modify(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status qp_cmd_query(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_ENGINE_H */
