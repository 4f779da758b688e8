/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* State of a connected QP: its requester and its responder */
#ifndef ORNIC_DEVICE_RC_H
#define ORNIC_DEVICE_RC_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

#include "base/state.h"
#include "objects/rq.h"

struct port;

/* ---- requester ---- */

/* Largest number of WQEs under way */
#define REQ_RECORDS_MAX 128
/* Window of unacknowledged packets on a real wire */
#define REQ_WINDOW_MAX 64
#define REQ_WINDOW_START 16
#define REQ_WINDOW_MIN 2
/* Payload of one frame between cards of the same process, bytes */
#define REQ_SEGMENT_MAX (1u << 20)
/* Unacknowledged payload between cards of the same process, bytes */
#define REQ_WINDOW_LOCAL (8u << 20)
/* Value of rnr_retry that means no limit */
#define REQ_RNR_FOREVER 7

/**
 * struct req_record - a WQE that was taken from the send queue and is not
 *	complete
 * @wr_id: wr_id of the WQE
 * @index: its first slot, runs free
 * @slots: number of its slots
 * @opcode: enum ornic_wr_opcode
 * @flags: ORNIC_SEND_*
 * @done: the WQE sends nothing and was executed
 * @status: enum ornic_wc_status; a record with an error sends nothing more and
 *	fails when it is the oldest
 * @first: PSN of its first packet
 * @npkts: number of its PSNs: those of the request, or of the response to a
 *	READ; 0 if nothing is sent
 * @length: length of the message, bytes
 */
struct req_record {
	uint64_t wr_id;
	uint32_t index;
	uint32_t slots;
	uint8_t opcode;
	uint8_t flags;
	uint8_t status;
	bool done;
	uint32_t first;
	uint32_t npkts;
	uint32_t length;
};

/**
 * struct req - state of the requester
 * @rec: ring of records
 * @head: oldest record, runs free
 * @send: record of the next packet, at most @tail
 * @tail: position of the next record, runs free
 * @una: oldest PSN that is not acknowledged
 * @psn: PSN of the next packet to send
 * @next: first PSN of the next WQE to take
 * @sent_max: PSN behind the latest one ever sent; packets before it are
 *	retransmissions
 * @rec_mask: size of @rec - 1
 * @retry: remaining retries of retry_cnt
 * @rnr_retry: remaining retries of rnr_retry
 * @rd_out: READs and atomics without a complete response
 * @window: limit of unacknowledged packets on a real wire: one more after a
 *	whole window was acknowledged, half after a loss
 * @answered: packets acknowledged since @window changed
 * @timeouts: consecutive timeouts, up to ACK_BACKOFF_MAX; each doubles the next
 *	one
 * @since_ack: packets sent since the last one with AckReq
 * @rnr_wait: nothing is sent until the RNR timer fires
 * @failed: a record has an error status; nothing behind it is sent
 * @retrying: a response caused a retransmission, and nothing was acknowledged
 *	since; further such responses are about the earlier attempt
 * @deadline_ns: time when the ACK of @una is due, ns; 0 when none is awaited
 */
struct req {
	struct req_record *rec;
	uint32_t head;
	uint32_t send;
	uint32_t tail;
	uint32_t una;
	uint32_t psn;
	uint32_t next;
	uint32_t sent_max;
	uint8_t rec_mask;
	uint8_t retry;
	uint8_t rnr_retry;
	uint8_t rd_out;
	uint8_t window;
	uint8_t answered;
	uint8_t timeouts;
	uint8_t since_ack;
	bool rnr_wait;
	bool failed;
	bool retrying;
	uint64_t deadline_ns;
};

/* Does a work request get a response of its own? */
static inline bool req_is_read(uint8_t opcode)
{
	switch (opcode) {
	case ORNIC_WR_RDMA_READ:
	case ORNIC_WR_ATOMIC_CMP_SWP:
	case ORNIC_WR_ATOMIC_FETCH_ADD:
	case ORNIC_WR_MASKED_CMP_SWP:
	case ORNIC_WR_MASKED_FETCH_ADD:
	case ORNIC_WR_FLUSH:
	case ORNIC_WR_ATOMIC_WRITE:
		return true;
	default:
		return false;
	}
}

/* Does that response carry data for the SGEs? */
static inline bool req_receives(uint8_t opcode)
{
	return req_is_read(opcode) && opcode != ORNIC_WR_FLUSH &&
	       opcode != ORNIC_WR_ATOMIC_WRITE;
}

/* byte_len of the completion: bytes received */
static inline uint32_t req_answer_len(const struct req_record *rec)
{
	return req_receives(rec->opcode) ? rec->length : 0;
}

/* ---- responder ---- */

/*
 * Size of @read in struct resp. Repeated responses use the latest
 * CARD_MAX_RD_ATOMIC entries, and as many new requests may arrive before the
 * repetition is done.
 */
#define RESP_READS (2 * CARD_MAX_RD_ATOMIC)

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
 * @msn: message sequence number in the response
 * @va: remote address
 * @length: length of the response, bytes
 * @rkey: remote key
 * @srqn: SRQ that an XRC request named
 * @original: value before an atomic operation
 * @payer: port that the request, or the latest repetition, came from
 */
struct resp_read {
	uint8_t kind;
	uint32_t first;
	uint32_t npkts;
	uint32_t msn;
	uint64_t va;
	uint32_t length;
	uint32_t rkey;
	uint32_t srqn;
	uint64_t original;
	struct port *payer;
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
 * @message: enum resp_message, kind of the current message
 * @nak_sent: a NAK for @epsn was sent; later packets get no further one
 * @owe: an ACK or NAK must be sent
 * @syndrome: with @owe, syndrome of the AETH
 * @wqe_taken: @wqe is in use; for UC, possibly left by a dropped message for
 *	the next one
 * @owed_psn: with @owe, PSN of the ACK or NAK
 * @srqn: SRQ that the current XRC message names
 * @rkey: remote key of the WRITE
 * @left: bytes of the WRITE that are missing
 * @fresh: entries of @read not answered yet; @fresh.end is the position of the
 *	next one
 * @again: entries whose response must be repeated
 * @va: address of the rest of a WRITE
 * @offset: bytes of the current message received so far
 * @payer: port that has demanded the ACK or NAK that is owed, else the port of the
 *	latest request
 * @ahead: PSN of the packet that showed the latest gap
 * @again_cut: bytes at the end of the last entry of @again that are not repeated: a
 *	peer may ask for any part of a READ
 * @wqe: receive WQE of the current message
 * @read: ring of the latest requests with a response of their own
 */
struct resp {
	uint32_t epsn;
	uint32_t msn;
	uint8_t message;
	bool nak_sent;
	bool owe;
	uint8_t syndrome;
	bool wqe_taken;
	uint32_t owed_psn;
	uint32_t srqn;
	uint32_t rkey;
	uint32_t left;
	struct resp_cursor fresh;
	struct resp_cursor again;
	uint64_t va;
	uint64_t offset;
	struct port *payer;
	uint32_t ahead;
	uint32_t again_cut;
	struct recv_wqe wqe;
	struct resp_read read[RESP_READS];
};

#endif /* ORNIC_DEVICE_RC_H */
