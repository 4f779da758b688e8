/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire side of the RoCE engine: what all QPs send goes through here, what
 * comes in is given to its QP here. Receiving is roce_rx() of engine.h.
 */
#ifndef ORNIC_DEVICE_ROCE_H
#define ORNIC_DEVICE_ROCE_H

#include <stdbool.h>

#include <ornic_hw.h>

#include "packet.h"

struct qp;

/* What an IP packet with a RoCE message has besides payload, at most, bytes. */
#define ROCE_OVERHEAD 96

/**
 * roce_alloc - a frame to fill with the payload of a packet
 * @qp: who sends
 * @av: where to
 *
 * Return: a frame without headers, FRAME_LOCAL if it stays in this process; or
 * NULL: try again when qp_run() is called next. If the port on the way is full,
 * that is when it has room.
 */
struct frame *roce_alloc(struct qp *qp, const struct ornic_av *av);

/**
 * roce_free - end of roce_alloc() without sending
 * @qp: who did not send
 * @frame: the frame
 */
void roce_free(struct qp *qp, struct frame *frame);

/**
 * roce_trim - shorten the payload
 * @frame: from roce_alloc()
 * @len: bytes that stay, at most what there are
 */
void roce_trim(struct frame *frame, uint32_t len);

/**
 * roce_tx - send
 * @qp: who sends
 * @av: where to. A path whose GID is gone loses the packet, as a network does
 * @frame: from roce_alloc(), with the payload; gone afterwards
 * @pkt: what it is; @pkt->pkey, @pkt->migrated and the transport of
 *	@pkt->opcode are filled in here
 */
void roce_tx(struct qp *qp, const struct ornic_av *av, struct frame *frame,
	     struct packet *pkt);

/**
 * roce_is_local - is the way to a peer inside this process
 * @qp: who sends
 * @av: where to
 *
 * Return: true if FRAME_LOCAL may be used.
 */
bool roce_is_local(struct qp *qp, const struct ornic_av *av);

/**
 * roce_is_full - is a port on the way to a peer full
 * @qp: who sends
 * @av: where to
 *
 * Return: true while packets wait there that are not lost.
 */
bool roce_is_full(struct qp *qp, const struct ornic_av *av);

#endif /* ORNIC_DEVICE_ROCE_H */
