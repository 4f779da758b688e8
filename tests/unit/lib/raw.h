/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A card with RAW_PACKET QPs, and helpers for tests of frames */
#ifndef ORNIC_UNIT_RAW_H
#define ORNIC_UNIT_RAW_H

#include "host.h"

#define RAW_QPS 4
#define RAW_WQS 4
#define RAW_BUF_LEN 4096

/**
 * struct raw - a card with RAW_PACKET QPs
 * @host: the host
 * @uctx: page 0
 * @page: user context of the process, or 0 for none
 * @pdn: PD of all objects
 * @key: local key of @data
 * @data: 4 * RAW_BUF_LEN bytes, bus address
 * @eq: EQ 0
 * @cq: CQ of all QPs and WQs, 64-byte entries
 * @qp: in RTS; the first one is the receive queue of the port
 * @wq: created by tests of WQs
 */
struct raw {
	struct host *host;
	uint32_t uctx;
	uint32_t page;
	uint32_t pdn;
	uint32_t key;
	uint64_t data;
	struct host_queue eq;
	struct host_queue cq;
	struct host_qp qp[RAW_QPS];
	struct host_qp wq[RAW_WQS];
};

/* Fixtures: all QPs are of the kernel; all but the first are of a process */
int raw_setup(void **state);
int raw_setup_process(void **state);
/* With further members of the card's configuration */
int raw_setup_config(void **state, const struct card_config *config);
int raw_teardown(void **state);

#define IN_RAW IN(raw_setup, raw_teardown)
#define IN_RAW_PROCESS IN(raw_setup_process, raw_teardown)

/* Return the next completion and consume it; fail if there is none */
const struct ornic_cqe *raw_cqe(struct raw *w);
void raw_expect(struct raw *w, unsigned int status);
/* raw_cqe(), and expect a success of QP @n, with this opcode of a completion */
const struct ornic_cqe *raw_did(struct raw *w, unsigned int n, unsigned int opcode);

/*
 * Send the frame at @addr from QP @n and run the card; @route: NULL for zeros;
 * @flags: ORNIC_SEND_*
 */
void raw_send(struct raw *w, unsigned int n, uint64_t addr, uint32_t len,
	      const struct ornic_route_eth *route, unsigned int flags);
/* The same, without running the card */
void raw_publish(struct raw *w, unsigned int n, uint64_t addr, uint32_t len,
		 const struct ornic_route_eth *route, unsigned int flags);
/* Return the next frame that went out; the caller frees it with raw_done() */
struct frame *raw_sent(struct raw *w);
void raw_done(struct raw *w, struct frame *frame);

/* Post a receive WQE with one SGE, to a queue or to that of QP @n */
void raw_post(struct raw *w, struct host_qp *q, uint64_t addr, uint32_t len);
void raw_post_recv(struct raw *w, unsigned int n, uint64_t addr, uint32_t len);
/* Fill @frame with @data, which it refers to */
void raw_frame(struct frame *frame, const uint8_t *data, unsigned int len);
/* Deliver a frame to the card and run it; @flags: enum frame_flags */
void raw_receive(struct raw *w, const uint8_t *data, unsigned int len,
		 unsigned int flags);

#endif /* ORNIC_UNIT_RAW_H */
