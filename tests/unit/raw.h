/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A card with RAW_PACKET QPs, and what tests of frames do with them. */
#ifndef ORNIC_UNIT_RAW_H
#define ORNIC_UNIT_RAW_H

#include "host.h"

#define RAW_QPS 4
#define RAW_WQS 4
#define RAW_BUF_LEN 4096

/**
 * struct raw - the card
 * @host: the host
 * @uctx: page 0
 * @page: the process's, if there is one
 * @pdn: of all
 * @key: of @data
 * @data: 4 * RAW_BUF_LEN bytes, bus address
 * @eq: EQ 0
 * @cq: where all complete, 64-byte entries
 * @qp: in RTS; the port's own queue is the first one
 * @wq: made by tests of WQs
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

/* Fixtures: all QPs are the kernel's; all but the first are a process's */
int raw_setup(void **state);
int raw_setup_process(void **state);
int raw_teardown(void **state);

/* The next completion, consumed; it has to be there */
const struct ornic_cqe *raw_cqe(struct raw *w);
void raw_expect(struct raw *w, unsigned int status);

/* QP n sends the frame at @addr; @flags: ORNIC_SEND_*. Or it is only told to. */
void raw_send(struct raw *w, unsigned int n, uint64_t addr, uint32_t len,
	      const struct ornic_route_eth *route, unsigned int flags);
void raw_publish(struct raw *w, unsigned int n, uint64_t addr, uint32_t len,
		 const struct ornic_route_eth *route, unsigned int flags);
/* The next frame that went out, to be given to raw_done() */
struct frame *raw_sent(struct raw *w);
void raw_done(struct raw *w, struct frame *frame);

/* A queue, or that of QP n, gets a receive WQE with one SGE. */
void raw_post(struct raw *w, struct host_qp *q, uint64_t addr, uint32_t len);
void raw_post_recv(struct raw *w, unsigned int n, uint64_t addr, uint32_t len);
/* A frame with these bytes, to which it refers */
void raw_frame(struct frame *frame, const uint8_t *data, unsigned int len);
/* A frame comes in; @flags: enum frame_flags */
void raw_receive(struct raw *w, const uint8_t *data, unsigned int len,
		 unsigned int flags);

#endif /* ORNIC_UNIT_RAW_H */
