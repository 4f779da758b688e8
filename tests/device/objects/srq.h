/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queues: one ring of receive WQEs for many QPs. A QP copies a
 * WQE when the first packet of a message takes it, and the host may reuse its
 * place at once. So no QP waits for another (IBTA 10.2.9).
 */
#ifndef ORNIC_DEVICE_SRQ_H
#define ORNIC_DEVICE_SRQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/guest.h"
#include "base/obj.h"
#include "objects/cq.h"
#include "objects/eq.h"
#include "objects/mr.h"
#include "objects/rq.h"

struct cmd;
struct card;

/**
 * struct srq - a shared receive queue
 * @obj: number and users (QPs other than XRC_RECV)
 * @card: the card
 * @uctx: user context whose page rings it, with a reference
 * @user: PD and identity for checks of the keys in its WQEs
 * @xrcd: XRCD of an XRC SRQ, with a reference, or NULL
 * @cq: membership in the CQ for receives, with @xrcd
 * @flags: ORNIC_SRQ_*
 * @limit: ORNIC_EVENT_SRQ_LIMIT is due when fewer WQEs are left; 0 for never
 * @failed: ORNIC_EVENT_SRQ_ERR was sent; no WQE is taken any more
 * @events: events about it that wait for room in the EQ
 * @dbr: doorbell record, struct ornic_qp_dbr
 * @rq: the ring
 */
struct srq {
	struct obj obj;
	struct card *card;
	struct uctx *uctx;
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
 * srq_find - look up an SRQ by number
 * @card: the card
 * @srqn: any number
 *
 * Return: the SRQ or NULL. A caller that keeps it uses obj_get().
 */
struct srq *srq_find(const struct card *card, uint32_t srqn);

/**
 * srq_take - consume the next WQE and release its place in the ring
 * @srq: the SRQ
 * @wqe: WQE to fill
 *
 * Return: as rq_take().
 */
int srq_take(struct srq *srq, struct recv_wqe *wqe);

/**
 * srq_destroy - destroy an SRQ
 * @card: the card
 * @obj: without users
 */
void srq_destroy(struct card *card, struct obj *obj);

enum ornic_cmd_status srq_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status srq_cmd_destroy(struct card *card, struct cmd *cmd);
enum ornic_cmd_status srq_cmd_modify(struct card *card, struct cmd *cmd);
enum ornic_cmd_status srq_cmd_query(struct card *card, struct cmd *cmd);
enum ornic_cmd_status srq_cmd_resize(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_SRQ_H */
