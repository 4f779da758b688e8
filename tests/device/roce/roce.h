/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* RoCE packets of all QPs: sending; roce_rx.h has receiving */
#ifndef ORNIC_DEVICE_ROCE_H
#define ORNIC_DEVICE_ROCE_H

#include <stdbool.h>

#include <ornic_hw.h>

#include "queues/qp.h"
#include "roce/packet.h"

/* Largest size of the headers and the ICRC of a RoCE packet, bytes */
#define ROCE_OVERHEAD 96

/**
 * roce_alloc - allocate a frame for the payload of a packet
 * @qp: sender
 * @av: path to the destination
 *
 * Return: a frame without headers, with FRAME_LOCAL if it stays in this
 * process; or NULL: try again in the next qp_run(). If the port on the way is
 * full, the QP is blocked until the port has room.
 */
struct frame *roce_alloc(struct qp *qp, const struct ornic_av *av);

/**
 * roce_alloc_answer - allocate a frame for a response to the peer
 * @qp: sender, of RC or XRC
 *
 * Return: as roce_alloc(); the responses of the QP are blocked, not its requests.
 */
struct frame *roce_alloc_answer(struct qp *qp);

/**
 * roce_free - free a frame that was not sent
 * @qp: the QP that allocated it
 * @frame: the frame
 */
void roce_free(struct qp *qp, struct frame *frame);

/**
 * roce_trim - shorten the payload of a frame
 * @frame: frame of roce_alloc()
 * @len: new length of the payload, bytes; at most the present one
 */
void roce_trim(struct frame *frame, uint32_t len);

/**
 * roce_tx - send a packet
 * @qp: sender
 * @av: path to the destination; the packet is lost when its GID entry is not
 *	valid
 * @frame: frame of roce_alloc() with the payload; belongs to the switch
 *	afterwards
 * @pkt: values of the headers; @pkt->pkey and the transport bits of
 *	@pkt->opcode are set here
 */
void roce_tx(struct qp *qp, const struct ornic_av *av, struct frame *frame,
	     struct packet *pkt);

/**
 * roce_is_local - check whether the peer is a card of this process
 * @qp: sender
 * @av: path to the peer
 *
 * Return: true when FRAME_LOCAL may be used.
 */
bool roce_is_local(struct qp *qp, const struct ornic_av *av);

/**
 * roce_is_full - check whether the port on the way to a peer is full
 * @qp: sender
 * @av: path to the peer
 *
 * Return: true while packets wait at that port.
 */
bool roce_is_full(struct qp *qp, const struct ornic_av *av);

/* Transport of the packets of a QP */
static inline enum opcode_transport roce_transport(const struct qp *qp)
{
	switch (qp->base.type) {
	case ORNIC_QPT_UC:
		return OPCODE_UC;
	case ORNIC_QPT_UD:
	case ORNIC_QPT_GSI:
		return OPCODE_UD;
	case ORNIC_QPT_XRC_SEND:
	case ORNIC_QPT_XRC_RECV:
		return OPCODE_XRC;
	default:
		return OPCODE_RC;
	}
}

#endif /* ORNIC_DEVICE_ROCE_H */
