/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queues: one ring of receive WQEs for many QPs. A QP copies a
 * WQE when the first packet of a message takes it, and its place may be reused
 * at once, so no QP waits for another (IBTA 10.2.9).
 */
#ifndef ORNIC_DEVICE_SRQ_H
#define ORNIC_DEVICE_SRQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "eq.h"
#include "cq.h"
#include "guest.h"
#include "mr.h"
#include "obj.h"
#include "pd.h"
#include "rq.h"

struct cmd;
struct nic;

/**
 * struct srq - a shared receive queue
 * @obj: number and users (QPs, but not those of XRC)
 * @nic: the card
 * @pd: its PD, used
 * @user: of the keys in its WQEs
 * @xrcd: its XRC domain, used; NULL: not of XRC
 * @cq: with @xrcd: where receives complete
 * @flags: ORNIC_SRQ_*
 * @limit: ORNIC_EVENT_SRQ_LIMIT is due when fewer WQEs are left, 0: never
 * @failed: ORNIC_EVENT_SRQ_ERR was told: no WQE is taken any more
 * @events: what it has to tell
 * @dbr: doorbell record, struct ornic_qp_dbr
 * @rq: the ring
 */
struct srq {
	struct obj obj;
	struct nic *nic;
	struct pd *pd;
	struct mr_user user;
	struct xrcd *xrcd;
	struct cq_link cq;
	uint32_t flags;
	uint32_t limit;
	bool failed;
	struct eq_source events;
	struct guest_ref dbr;
	struct rq rq;
};

/**
 * srq_find - find by number
 * @nic: the card
 * @srqn: any number
 *
 * Return: the SRQ or NULL. Who keeps it uses obj_get().
 */
struct srq *srq_find(const struct nic *nic, uint32_t srqn);

/**
 * srq_take - copy the next WQE and check its form; its place may be reused
 * @srq: the SRQ
 * @wqe: filled
 *
 * Return: as rq_take().
 */
int srq_take(struct srq *srq, struct recv_wqe *wqe);

/**
 * srq_cq_failed - the CQ of an XRC SRQ died
 * @link: inside the SRQ, which takes no more messages
 */
void srq_cq_failed(struct cq_link *link);

/**
 * srq_destroy_all - part of a reset; no QP is left
 * @nic: the card
 */
void srq_destroy_all(struct nic *nic);

enum ornic_cmd_status srq_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status srq_cmd_destroy(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status srq_cmd_modify(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status srq_cmd_query(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status srq_cmd_resize(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_SRQ_H */
