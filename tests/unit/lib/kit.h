/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A card with an EQ and a CQ, and helpers for tests of rings */
#ifndef ORNIC_UNIT_KIT_H
#define ORNIC_UNIT_KIT_H

#include "host.h"

/* Ring sizes for tests of rings: small, so that they fill soon */
#define KIT_LOG_CQ 3
#define KIT_LOG_EQ 2
/* QPN in the completions that kit_complete() writes */
#define KIT_QPN 0x123456

/**
 * struct kit - a card with the objects that most tests of queues need
 * @host: the host
 * @uctx: page 0
 * @board: bus address of the board of @uctx
 * @eq: EQ 0, vector 1
 * @cq: a CQ that uses @uctx and @eq
 * @dev_cq: @cq as the card sees it
 */
struct kit {
	struct host *host;
	uint32_t uctx;
	uint64_t board;
	struct host_queue eq;
	struct host_queue cq;
	struct cq *dev_cq;
};

/* Tell ci of the CQ and of the EQ by doorbell, without a request */
void kit_tell_cq(struct kit *kit);
void kit_tell_eq(struct kit *kit);

/*
 * Fixtures: a kit with the smallest rings; the same without the shadow; with
 * entries that are written by one copy
 */
int kit_setup(void **state);
int kit_setup_no_shadow(void **state);
int kit_setup_whole(void **state);
int kit_setup_pairs(void **state);
int kit_teardown(void **state);

#define IN_KIT IN(kit_setup, kit_teardown)
#define IN_KIT_NO_SHADOW { "[no_shadow]", kit_setup_no_shadow, kit_teardown, NULL }
#define IN_KIT_WHOLE { "[whole]", kit_setup_whole, kit_teardown, NULL }
#define IN_KIT_PAIRS { "[pairs]", kit_setup_pairs, kit_teardown, NULL }

void kit_init(struct kit *kit, const struct card_config *as,
	      unsigned int log_cq, unsigned int log_eq);
void kit_uninit(struct kit *kit);
/* Replace the kit's CQ by another one; the old one is not destroyed */
void kit_cq(struct kit *kit, uint32_t eqn, unsigned int log_size,
	    unsigned int log_cqe_size);
/* Write a completion as the card does */
void kit_complete(struct kit *kit, uint64_t wr_id,
		  unsigned int status, bool solicited);
void kit_post(struct kit *kit, uint64_t wr_id);
/* Post one completion more than the smallest ring holds */
void kit_overrun(struct kit *kit);
/*
 * Check and consume the next entry, and tell that by doorbell; fail if there is
 * none
 */
void kit_expect_cqe(struct kit *kit, uint64_t wr_id);
void kit_expect_cqes(struct kit *kit, uint64_t first, uint64_t last);
void kit_expect_event(struct kit *kit, enum ornic_event type,
		      uint32_t num);
/* The event COMP of the kit's CQ */
void kit_expect_comp(struct kit *kit);
void kit_expect_no_event(struct kit *kit);
/* kit_post(), and expect the event COMP, or no event */
void kit_post_event(struct kit *kit, uint64_t wr_id);
void kit_post_silent(struct kit *kit, uint64_t wr_id);
/* Request an event in the doorbell record and by doorbell */
void kit_arm_cq(struct kit *kit, unsigned int type);
void kit_arm_eq(struct kit *kit);
/* Request the event for the next completion, and post it */
void kit_arm_and_post(struct kit *kit, uint64_t wr_id);

#endif /* ORNIC_UNIT_KIT_H */
