/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder of a connected QP: what it does with requests (resp.c), and the
 * answers it owes (ack.c).
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
 * Entries of struct resp's @read: those being answered again are among the latest
 * CORE_MAX_RD_ATOMIC, and as many new ones may come before that is done.
 */
#define RESP_READS (2 * CORE_MAX_RD_ATOMIC)

/**
 * enum resp_message - what the next packet must go on with
 * @RESP_NONE: a new message
 * @RESP_SEND: a SEND
 * @RESP_WRITE: an RDMA WRITE
 */
enum resp_message {
	RESP_NONE,
	RESP_SEND,
	RESP_WRITE,
};

/**
 * struct resp_read - a request with an answer of its own, kept to be answered
 *	again
 * @kind: enum opcode_kind of the request
 * @first: PSN of the request and of the first packet of the answer
 * @npkts: packets of the answer
 * @va: remote address
 * @length: bytes of the answer
 * @rkey: remote key
 * @msn: message sequence number, as in the answer
 * @original: what an atomic found
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
 * struct resp_cursor - answers being sent: entries of @read, run free
 * @at: the entry
 * @first: PSN that its answer began with this time
 * @psn: its next packet
 * @end: entry behind the last
 */
struct resp_cursor {
	uint32_t at;
	uint32_t first;
	uint32_t psn;
	uint32_t end;
};

/**
 * struct resp - state of the responder
 * @epsn: PSN expected next
 * @msn: messages executed, 24 bits
 * @message: what is going on
 * @nak_sent: a NAK for @epsn is out: nothing else is said about what follows
 * @owe: an ACK or NAK is to be sent
 * @syndrome: of the AETH to be sent, with @owe
 * @nak_psn: PSN that a NAK to be sent is about
 * @wqe_taken: @wqe is in use, or with UC waits for a message that is not dropped
 * @wqe: receive WQE of the message that is going on
 * @srqn: SRQ that the message of XRC names
 * @offset: bytes of the message so far
 * @va: where the rest of a WRITE goes
 * @rkey: key of the WRITE
 * @left: bytes of the WRITE to come
 * @read: the latest READs and atomics
 * @fresh: those never answered so far; @fresh.end is where the next one goes
 * @again: those asked for once more
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
 * resp_reset - nothing was received
 * @qp: in transition to RESET
 */
void resp_reset(struct qp *qp);

/**
 * resp_flush - complete the receive WQE in use with ORNIC_WC_WR_FLUSH_ERR
 * @qp: going to error
 */
void resp_flush(struct qp *qp);

/**
 * resp_rx - a request
 * @qp: connected, in RTR or beyond
 * @pkt: checked as far as its headers go, for this QP
 */
void resp_rx(struct qp *qp, const struct packet *pkt);

/**
 * ack_owe - an ACK of all that came so far, or a NAK, is to be sent
 * @qp: RC
 * @syndrome: of the AETH
 * @psn: that a NAK is about; the first NAK owed stands
 */
void ack_owe(struct qp *qp, uint8_t syndrome, uint32_t psn);

/**
 * ack_add - a READ or an atomic was accepted: answer it
 * @qp: RC
 * @read: copied. There is room: see ack_room()
 */
void ack_add(struct qp *qp, const struct resp_read *read);

/**
 * ack_room - may the peer ask for one more READ or atomic
 * @qp: RC
 *
 * Return: false when it has as many as it was allowed without an answer.
 */
bool ack_room(const struct qp *qp);

/**
 * ack_run - send the answers that are owed, in order
 * @qp: RC, in RTR or beyond
 * @budget: frames at most
 *
 * Return: whether there are more.
 */
bool ack_run(struct qp *qp, unsigned int budget);

/**
 * ack_repeat - answer a READ or an atomic once more
 * @qp: RC
 * @pkt: duplicate request
 *
 * Return: false if it is none of the latest ones: drop it.
 */
bool ack_repeat(struct qp *qp, const struct packet *pkt);

/**
 * ack_pending - is an answer owed
 * @qp: RC
 *
 * Return: whether ack_run() has something to do.
 */
bool ack_pending(const struct qp *qp);

/**
 * ack_settle - send what a QP owes before it goes ([ORNIC-QP-9])
 * @qp: any QP. Nothing is sent for one that owes nothing
 *
 * The host has seen the completions of what is acknowledged here. Answers to
 * READs may be cut off. Not to be called from within nic_rx().
 */
void ack_settle(struct qp *qp);

/**
 * ack_settle_reset - the same for a reset of the card
 * @qp: any QP; the ACK or NAK that it owes is sent unless answers to READs or
 *	atomics have to go before it
 *
 * Refers to no memory of the guest.
 */
void ack_settle_reset(struct qp *qp);

#endif /* ORNIC_DEVICE_RESP_H */
