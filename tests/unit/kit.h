/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A host's card with an EQ and a CQ, and what tests of rings do with them. */
#ifndef ORNIC_UNIT_KIT_H
#define ORNIC_UNIT_KIT_H

#include "host.h"

/* Rings of a kit that tests of rings want: they are soon full */
#define KIT_LOG_CQ 3
#define KIT_LOG_EQ 2
/* QPN in the completions that kit_complete() writes */
#define KIT_QPN 0x123456

/**
 * struct kit - a card and what most tests of queues begin with
 * @host: the host
 * @uctx: page 0
 * @board: of @uctx, bus address
 * @eq: EQ 0, vector 1
 * @cq: a CQ on both
 * @dev_cq: the same as the card sees it
 */
struct kit {
	struct host *host;
	uint32_t uctx;
	uint64_t board;
	struct host_queue eq;
	struct host_queue cq;
	struct cq *dev_cq;
};

/* Fixtures: a kit with the smallest rings; the same without the shadow */
int kit_setup(void **state);
int kit_setup_no_shadow(void **state);
int kit_teardown(void **state);

void kit_init(struct kit *kit, bool shadow, unsigned int log_cq,
	      unsigned int log_eq);
void kit_uninit(struct kit *kit);
/* Another CQ takes the place of the kit's. */
void kit_cq(struct kit *kit, uint32_t eqn, unsigned int log_size,
	    unsigned int log_cqe_size);
/* The card writes a completion. */
void kit_complete(struct kit *kit, uint64_t wr_id,
		  unsigned int status, bool solicited);
void kit_post(struct kit *kit, uint64_t wr_id);
/* The next entry, consumed; it has to be there */
void kit_expect_cqe(struct kit *kit, uint64_t wr_id);
void kit_expect_event(struct kit *kit, enum ornic_event type,
		      uint32_t num);
void kit_expect_no_event(struct kit *kit);
/* Ask through memory, and, as without the shadow, through the doorbell too */
void kit_arm_cq(struct kit *kit, unsigned int type);
void kit_arm_eq(struct kit *kit);

#endif /* ORNIC_UNIT_KIT_H */
