/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The requester of a connected QP: what it sends (req.c) and what it makes of
 * the answers (comp.c).
 */
#ifndef ORNIC_DEVICE_REQ_H
#define ORNIC_DEVICE_REQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw.h>

struct packet;
struct qp;
struct send_wqe;

/* WQEs on their way at a time. */
#define REQ_RECORDS_MAX 128
/* Unacknowledged packets on a real wire: at most, at the beginning, at least */
#define REQ_WINDOW_MAX 64
#define REQ_WINDOW_START 16
#define REQ_WINDOW_MIN 2
/* Payload of one frame between cards of the same process, bytes. */
#define REQ_SEGMENT_MAX (1u << 20)
/* Unacknowledged payload between cards of the same process, bytes. */
#define REQ_WINDOW_LOCAL (8u << 20)
/* As retry_cnt and rnr_retry of 3 bits; as rnr_retry it means: for ever. */
#define REQ_RNR_FOREVER 7

/**
 * struct req_record - a WQE that was taken from the ring and is not complete
 * @wr_id: the host's own
 * @index: first slot, runs free
 * @slots: slots it takes
 * @opcode: enum ornic_wr_opcode
 * @flags: ORNIC_SEND_*
 * @done: sends nothing, and was executed
 * @status: enum ornic_wc_status; if not SUCCESS nothing more of it is sent, and
 *	it fails when it is the oldest
 * @first: PSN of its first packet
 * @npkts: PSNs it takes: of what is sent, or of the answer of a READ; 0 if
 *	nothing is sent
 * @length: bytes of the message
 */
struct req_record {
	uint64_t wr_id;
	uint32_t index;
	uint16_t slots;
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
 * @rec_mask: records - 1
 * @head: oldest record, runs free
 * @send: record of which the next packet is, at most @tail
 * @tail: where the next record goes
 * @una: PSN of the oldest packet without an answer
 * @psn: PSN of the next packet to send
 * @next: PSN of the first packet of the next WQE to be taken
 * @sent_max: PSN behind the latest ever sent; what is before it is sent again
 * @deadline_ns: when the acknowledgement of @una is due, 0: not awaited
 * @retry: sequence retries left
 * @rnr_retry: RNR retries left
 * @rd_out: READs and atomics without a complete answer
 * @window: unacknowledged packets that a real wire gets at a time: one more
 *	when all of them were answered, half of them when one was lost
 * @answered: packets since @window was changed
 * @timeouts: in a row, those that make the next one longer
 * @since_ack: packets sent since the last that asked for an acknowledgement
 * @rnr_wait: nothing is sent until the timer says so
 * @failed: a record has a status; nothing behind it is sent
 * @retrying: went back because of an answer, and nothing new was answered
 *	since: more answers of that kind are about packets sent before
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

/* Does the opcode of a work request ask for an answer of its own? */
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

/* And is there something in it for the SGEs? */
static inline bool req_receives(uint8_t opcode)
{
	return req_is_read(opcode) && opcode != ORNIC_WR_FLUSH &&
	       opcode != ORNIC_WR_ATOMIC_WRITE;
}

/* Bytes that its completion tells: those that were received. */
static inline uint32_t req_answer_len(const struct req_record *rec)
{
	return req_receives(rec->opcode) ? rec->length : 0;
}

/**
 * req_init - allocate the records
 * @qp: with @qp->sq set up
 *
 * Return: 0 or -ENOMEM.
 */
int req_init(struct qp *qp);

/**
 * req_uninit - end of req_init()
 * @qp: any QP
 */
void req_uninit(struct qp *qp);

/**
 * req_reset - nothing is on its way
 * @qp: in transition to RESET, or to RTS with its attributes set
 */
void req_reset(struct qp *qp);

/**
 * req_run - send
 * @qp: connected, in RTS, SQD or SQE
 * @budget: frames at most
 *
 * Return: whether there is more that can be sent now.
 */
bool req_run(struct qp *qp, unsigned int budget);

/**
 * req_flush - complete the records with ORNIC_WC_WR_FLUSH_ERR
 * @qp: going to error
 * @budget: WQEs at most
 *
 * Return: whether there are more.
 */
bool req_flush(struct qp *qp, unsigned int budget);

/**
 * req_reread - copy the WQE of a record once more, and check it again
 * @qp: the QP
 * @rec: one of its records
 * @wqe: filled
 *
 * Return: as sq_read(); LOC_QP_OP_ERR when the host changed what was posted.
 */
enum ornic_wc_status req_reread(struct qp *qp, const struct req_record *rec,
				struct send_wqe *wqe);

/**
 * req_pop - complete the oldest record
 * @qp: with a record
 * @status: of the completion
 */
void req_pop(struct qp *qp, enum ornic_wc_status status);

/**
 * req_fail - complete the oldest record with an error; the QP goes to error, one
 * of UC to SQE
 * @qp: with a record
 * @status: of the completion
 */
void req_fail(struct qp *qp, enum ornic_wc_status status);

/**
 * req_restart - go back to the oldest packet without an answer
 * @qp: the QP
 */
void req_restart(struct qp *qp);

/**
 * comp_rx - an answer to the requester
 * @qp: RC
 * @pkt: ACK, READ response or atomic response
 */
void comp_rx(struct qp *qp, const struct packet *pkt);

/**
 * comp_settle - complete all records whose last packet was answered
 * @qp: RC
 *
 * Also fails the oldest one if it has a status, and tells SQD when it is
 * drained.
 */
void comp_settle(struct qp *qp);

/**
 * comp_timer - the acknowledgement or the end of an RNR pause is due
 * @qp: RC
 */
void comp_timer(struct qp *qp);

/**
 * comp_arm - start or restart the acknowledgement timer
 * @qp: RC; stopped if nothing is awaited
 */
void comp_arm(struct qp *qp);

/**
 * rnr_ns - IBTA table 45
 * @code: 5 bits of an RNR NAK
 *
 * Return: ns.
 */
uint64_t rnr_ns(unsigned int code);

#endif /* ORNIC_DEVICE_REQ_H */
