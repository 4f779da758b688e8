/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder of a connected QP: execution of requests (resp.c) and the
 * responses that it owes (ack.c).
 */
#ifndef ORNIC_DEVICE_RESP_H
#define ORNIC_DEVICE_RESP_H

#include <stdbool.h>
#include <stdint.h>

#include "core.h"
#include "rq.h"

struct packet;
struct qp;

/*
 * Size of @read in struct resp. Repeated responses use the latest
 * CORE_MAX_RD_ATOMIC entries, and as many new requests may arrive before the
 * repetition is done.
 */
#define RESP_READS (2 * CORE_MAX_RD_ATOMIC)

/**
 * enum resp_message - kind of the message that the next packet continues
 * @RESP_NONE: none; the next packet starts a message
 * @RESP_SEND: a SEND
 * @RESP_WRITE: an RDMA WRITE
 */
enum resp_message {
	RESP_NONE,
	RESP_SEND,
	RESP_WRITE,
};

/**
 * struct resp_read - a request with a response of its own, kept for repetition
 * @kind: enum opcode_kind of the request
 * @first: PSN of the request and of the first packet of the response
 * @npkts: number of packets of the response
 * @va: remote address
 * @length: length of the response, bytes
 * @rkey: remote key
 * @msn: message sequence number in the response
 * @original: value before an atomic operation
 * @srqn: SRQ that an XRC request named
 */
struct resp_read {
	uint8_t kind;
	uint32_t first;
	uint32_t npkts;
	uint64_t va;
	uint32_t length;
	uint32_t rkey;
	uint32_t msn;
	uint64_t original;
	uint32_t srqn;
};

/**
 * struct resp_cursor - position in the responses to send; indexes of @read run
 *	free
 * @at: current entry
 * @first: first PSN of its response in this transmission
 * @psn: PSN of its next packet
 * @end: index behind the last entry
 */
struct resp_cursor {
	uint32_t at;
	uint32_t first;
	uint32_t psn;
	uint32_t end;
};

/**
 * struct resp - state of the responder
 * @epsn: expected PSN
 * @msn: number of messages executed, 24 bits
 * @message: kind of the current message
 * @nak_sent: a NAK for @epsn was sent; later packets get no further one
 * @owe: an ACK or NAK must be sent
 * @syndrome: with @owe, syndrome of the AETH
 * @nak_psn: with @owe, PSN of a NAK
 * @wqe_taken: @wqe is in use; for UC, possibly left by a dropped message for
 *	the next one
 * @wqe: receive WQE of the current message
 * @srqn: SRQ that the current XRC message names
 * @offset: bytes of the current message received so far
 * @va: address of the rest of a WRITE
 * @rkey: remote key of the WRITE
 * @left: bytes of the WRITE that are missing
 * @read: ring of the latest requests with a response of their own
 * @fresh: entries not answered yet; @fresh.end is the position of the next one
 * @again: entries whose response must be repeated
 */
struct resp {
	uint32_t epsn;
	uint32_t msn;
	enum resp_message message;
	bool nak_sent;
	bool owe;
	uint8_t syndrome;
	uint32_t nak_psn;
	bool wqe_taken;
	struct recv_wqe wqe;
	uint32_t srqn;
	uint64_t offset;
	uint64_t va;
	uint32_t rkey;
	uint32_t left;
	struct resp_read read[RESP_READS];
	struct resp_cursor fresh;
	struct resp_cursor again;
};

/**
 * resp_reset - forget all requests and start at @qp->attr.rq_psn
 * @qp: QP in transition to RESET or RTR
 */
void resp_reset(struct qp *qp);

/**
 * resp_flush - complete the receive WQE in use with ORNIC_WC_WR_FLUSH_ERR
 * @qp: QP in ERR
 */
void resp_flush(struct qp *qp);

/**
 * resp_rx - process a request
 * @qp: connected QP in RTR, RTS, SQD or SQE
 * @pkt: request for this QP with valid headers
 */
void resp_rx(struct qp *qp, const struct packet *pkt);

/**
 * ack_owe - note that an ACK of all requests so far, or a NAK, must be sent
 * @qp: RC or XRC_RECV QP
 * @syndrome: syndrome of the AETH
 * @psn: PSN of a NAK. A NAK that is owed already has precedence
 */
void ack_owe(struct qp *qp, uint8_t syndrome, uint32_t psn);

/**
 * ack_add - queue the response to a READ or an atomic
 * @qp: RC or XRC_RECV QP
 * @read: the request; copied. ack_room() must be true
 */
void ack_add(struct qp *qp, const struct resp_read *read);

/**
 * ack_room - check whether the peer may send one more READ or atomic
 * @qp: RC or XRC_RECV QP
 *
 * Return: false when max_dest_rd_atomic of them have no response yet.
 */
bool ack_room(const struct qp *qp);

/**
 * ack_run - send the responses that are owed, in order
 * @qp: RC or XRC QP in RTR or beyond
 * @budget: limit of frames
 *
 * Return: true when there are more.
 */
bool ack_run(struct qp *qp, unsigned int budget);

/**
 * ack_repeat - repeat the response to a READ or an atomic
 * @qp: RC or XRC_RECV QP
 * @pkt: duplicate request
 *
 * Return: false when the request is not in @read and must be dropped.
 */
bool ack_repeat(struct qp *qp, const struct packet *pkt);

/**
 * ack_pending - check whether a response is owed
 * @qp: any QP
 *
 * Return: true when ack_run() has work.
 */
bool ack_pending(const struct qp *qp);

/**
 * ack_settle - send the responses that a QP owes before it goes ([ORNIC-QP-9])
 * @qp: any QP
 *
 * The host may have seen the completions of the requests that this
 * acknowledges. Long responses to READs may be cut off. Must not be called from
 * within nic_rx(): it flushes the port.
 */
void ack_settle(struct qp *qp);

/**
 * ack_settle_reset - ack_settle() for a reset of the card
 * @qp: any QP; an ACK or NAK that it owes is sent unless responses to READs or
 *	atomics must precede it
 *
 * Sends no guest memory.
 */
void ack_settle_reset(struct qp *qp);

#endif /* ORNIC_DEVICE_RESP_H */
