/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The requester of a connected QP: sending (req.c), responses (comp.c) */
#ifndef ORNIC_DEVICE_REQ_H
#define ORNIC_DEVICE_REQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

struct packet;
struct qp;
struct send_wqe;

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
 * @rec_mask: size of @rec - 1
 * @head: oldest record, runs free
 * @send: record of the next packet, at most @tail
 * @tail: position of the next record, runs free
 * @una: oldest PSN that is not acknowledged
 * @psn: PSN of the next packet to send
 * @next: first PSN of the next WQE to take
 * @sent_max: PSN behind the latest one ever sent; packets before it are
 *	retransmissions
 * @deadline_ns: time when the ACK of @una is due, ns; 0 when none is awaited
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
 */
struct req {
	struct req_record *rec;
	uint32_t rec_mask;
	uint32_t head;
	uint32_t send;
	uint32_t tail;
	uint32_t una;
	uint32_t psn;
	uint32_t next;
	uint32_t sent_max;
	uint64_t deadline_ns;
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
};

/* Does a work request get a response of its own? */
static inline bool req_is_read(uint8_t opcode)
{
	switch (opcode) {
	case ORNIC_WR_RDMA_READ:
	case ORNIC_WR_RDMA_READ_WITH_INV:
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

/**
 * req_init - allocate the records of a QP
 * @qp: QP with @qp->sq set up; only connected ones have records
 *
 * Return: 0 or -ENOMEM.
 */
int req_init(struct qp *qp);

/**
 * req_uninit - free the records
 * @qp: any QP
 */
void req_uninit(struct qp *qp);

/**
 * req_reset - forget all records and start at @qp->attr.sq_psn
 * @qp: QP in transition to RESET, or to RTS with its attributes set
 */
void req_reset(struct qp *qp);

/**
 * req_run - send packets
 * @qp: connected QP in RTS or SQD
 * @budget: limit of frames
 *
 * Return: true when there is more to send now.
 */
bool req_run(struct qp *qp, unsigned int budget);

/**
 * req_flush - complete the records with ORNIC_WC_WR_FLUSH_ERR
 * @qp: QP in ERR
 * @budget: limit of WQEs
 *
 * Return: true when there are more.
 */
bool req_flush(struct qp *qp, unsigned int budget);

/**
 * req_reread - copy and check the WQE of a record again
 * @qp: the QP
 * @rec: one of its records
 * @wqe: WQE to fill
 *
 * Return: as sq_read(); LOC_QP_OP_ERR when the host changed the posted WQE.
 */
enum ornic_wc_status req_reread(struct qp *qp, const struct req_record *rec,
				struct send_wqe *wqe);

/**
 * req_pop - complete the oldest record
 * @qp: QP with a record
 * @status: status of the completion
 */
void req_pop(struct qp *qp, enum ornic_wc_status status);

/**
 * req_fail - complete the oldest record with an error and move the QP to ERR, a
 *	UC QP to SQE
 * @qp: QP with a record
 * @status: status of the completion
 */
void req_fail(struct qp *qp, enum ornic_wc_status status);

/**
 * req_restart - go back to the oldest unacknowledged packet
 * @qp: the QP
 */
void req_restart(struct qp *qp);

/**
 * comp_rx - process a response
 * @qp: RC or XRC_SEND QP
 * @pkt: ACK, READ response or atomic response
 */
void comp_rx(struct qp *qp, const struct packet *pkt);

/**
 * comp_settle - complete all records whose last packet is acknowledged
 * @qp: connected QP
 *
 * Also fails the oldest record if it has an error status, and calls
 * qp_drained() in SQD when no record is left.
 */
void comp_settle(struct qp *qp);

/**
 * comp_timer - handle the expiry of the acknowledgement or RNR timer
 * @qp: RC or XRC_SEND QP
 */
void comp_timer(struct qp *qp);

/**
 * comp_arm - start the acknowledgement timer unless it runs
 * @qp: connected QP; nothing happens if no packet is unacknowledged
 */
void comp_arm(struct qp *qp);

/**
 * rnr_ns - decode an RNR timer (IBTA table 45)
 * @code: timer code of an RNR NAK, 5 bits
 *
 * Return: ns.
 */
uint64_t rnr_ns(unsigned int code);

#endif /* ORNIC_DEVICE_REQ_H */
