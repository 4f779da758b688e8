/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Trace of messages: what the cards of a process do with each, in a ring that a
 * client reads. A trace that is off costs a message one test, of its completion:
 * elsewhere a card tests for it where it tests for something else in any case
 * (enum card_hook, @plain of struct watch_list, @plain_ops of struct card).
 */
#ifndef ORNIC_DEVICE_TRACE_H
#define ORNIC_DEVICE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Records of a ring, a power of two */
#define TRACE_RECORDS_MIN 64
#define TRACE_RECORDS_MAX (1u << 20)

/**
 * enum trace_kind - what a record is about
 * @TRACE_LOST: the ring was full before the next record: @value records are
 *	missing; @qpn and all else are 0
 * @TRACE_DOORBELL: the card has seen work in a send queue. @value: index behind
 *	the last slot
 * @TRACE_WQE: the card has read a send WQE. @op: enum ornic_wr_opcode, @code: 0,
 *	or 1 if it was read before, @value: index behind its slots, @num: its number
 *	as in sq_num of completions, @psn: first PSN of its message
 * @TRACE_OUT: a RoCE packet leaves. @op: BTH opcode, @code: AETH syndrome, @psn,
 *	@value: PSNs that it stands for, @num: destination QPN, @len: bytes of
 *	payload, for a READ request those asked for, @path. @qpn is that of the sender
 * @TRACE_IN: the same for one that has arrived; @qpn is the destination QPN, and
 *	@num the QPN of the sender of a datagram
 * @TRACE_CQE: a completion is written. @op: enum ornic_wc_opcode, @code: enum
 *	ornic_wc_status, @psn: 1 for a send, @num: sq_num, @len: byte_len
 * @TRACE_IRQ: an interrupt is raised. @num: vector
 */
enum trace_kind {
	TRACE_LOST,
	TRACE_DOORBELL,
	TRACE_WQE,
	TRACE_OUT,
	TRACE_IN,
	TRACE_CQE,
	TRACE_IRQ,
};

/**
 * struct trace_record - an event; members without a meaning in its kind are 0
 * @ns: time of the environment, of which CLOCK is the distance to power-on
 * @wr_id: of the work request
 * @qpn: the QP
 * @num: see enum trace_kind
 * @psn: see enum trace_kind
 * @value: see enum trace_kind
 * @len: see enum trace_kind
 * @path: checksum of both MAC addresses, the same at both ends
 * @kind: enum trace_kind
 * @card: number of the card
 * @op: see enum trace_kind
 * @code: see enum trace_kind
 * @rsvd: 0
 */
struct trace_record {
	uint64_t ns;
	uint64_t wr_id;
	uint32_t qpn;
	uint32_t num;
	uint32_t psn;
	uint32_t value;
	uint32_t len;
	uint32_t path;
	uint8_t kind;
	uint8_t card;
	uint8_t op;
	uint8_t code;
	uint32_t rsvd;
};

_Static_assert(sizeof(struct trace_record) == 48, "clients know the size");

/**
 * struct trace - the ring of a process
 * @record: the records, all in little endian
 * @mask: number of @record - 1
 * @head: oldest record, runs free
 * @tail: position of the next one, runs free
 * @lost: records that found no room, in all
 * @told: value of @lost that records of TRACE_LOST have told
 */
struct trace {
	struct trace_record *record;
	uint32_t mask;
	uint64_t head;
	uint64_t tail;
	uint64_t lost;
	uint64_t told;
};

/**
 * trace_init - allocate an empty ring
 * @trace: the ring
 * @records: number of records, a power of two
 *
 * Return: 0 or -ENOMEM.
 */
int trace_init(struct trace *trace, uint32_t records);

/**
 * trace_uninit - undo trace_init(); no card uses the ring any more
 * @trace: the ring, or all zero
 */
void trace_uninit(struct trace *trace);

/**
 * trace_add - add an event, or count it as lost
 * @trace: the ring
 * @record: the event in CPU byte order
 */
void trace_add(struct trace *trace, const struct trace_record *record);

/**
 * trace_take - take the oldest events out
 * @trace: the ring
 * @out: filled
 * @max: room in @out
 *
 * Return: number of events.
 */
uint32_t trace_take(struct trace *trace, struct trace_record *out, uint32_t max);

#endif /* ORNIC_DEVICE_TRACE_H */
