/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive queues for frames, as a process has them: WQs and RAW_PACKET QPs. */
#ifndef ORNIC_UNIT_WQK_H
#define ORNIC_UNIT_WQK_H

#include "host.h"

#define WQK_WQS 4
#define WQK_BUF_LEN 4096
#define WQK_LOG_WQES 4
/* What wqk_deliver_any() and wqk_make_udp() make, and wqk_deliver() tags */
#define WQK_FRAME_LEN 100
#define WQK_TAG 0x12345678

/* A receive queue from the provider's side: a WQ, or that of a QP */
struct wqk_queue {
	struct qp *target;
	uint32_t num;
	uint64_t ring;
	uint64_t dbr;
	unsigned int mask;
	uint32_t pi;
};

/**
 * struct wqk - a process with a PD, memory, and a CQ of 64-byte entries
 * @host: its host, the port up
 * @pdn: its PD
 * @uctx: its doorbell page
 * @key: of @data
 * @data: 4 * WQK_BUF_LEN bytes
 * @eq: EQ 0
 * @cq: for everything
 * @wq: made by the test
 */
struct wqk {
	struct host *host;
	uint32_t pdn;
	uint32_t uctx;
	uint32_t key;
	uint64_t data;
	struct host_queue eq;
	struct host_queue cq;
	struct wqk_queue wq[WQK_WQS];
};

int wqk_setup(void **state);
int wqk_teardown(void **state);

/* The command that wqk_create_wq() gives */
void wqk_make_wq(struct wqk *wqk, struct wqk_queue *wq,
		 struct ornic_create_wq_in *in);
void wqk_create_wq(struct wqk *wqk, struct wqk_queue *wq, uint32_t flags,
		   uint32_t delay_us);
/* The same, in RDY */
void wqk_ready_wq(struct wqk *wqk, struct wqk_queue *wq, uint32_t flags,
		  uint32_t delay_us);
unsigned int wqk_modify(struct wqk *wqk, const struct wqk_queue *wq,
			unsigned int state);
/* The receive queue of a QP, in RTR */
void wqk_ready_qp(struct wqk *wqk, struct wqk_queue *q, uint32_t flags);
/* A table of @wqk->wq, in turn */
uint32_t wqk_create_table(struct wqk *wqk, unsigned int log_size);
struct ornic_create_qp_in wqk_rss_qp(struct wqk *wqk, uint32_t table,
				     uint32_t fields);
struct qp *wqk_create_rss(struct wqk *wqk, uint32_t table, uint32_t fields);

/* A WQE of one SGE, whose wr_id counts from 0 */
void wqk_post(struct wqk *wqk, struct wqk_queue *q, uint64_t addr,
	      uint32_t len);

const struct ornic_cqe *wqk_next_cqe(struct wqk *wqk);
const struct ornic_cqe *wqk_expect_frame(struct wqk *wqk,
					 const struct wqk_queue *q,
					 uint32_t len);
void wqk_expect_failed(struct wqk *wqk, unsigned int status);
void wqk_expect_event(struct wqk *wqk, unsigned int type, uint32_t num);
/* No completion, no event */
void wqk_expect_quiet(struct wqk *wqk);

static inline const struct ornic_cqe_ext *
wqk_ext_of(const struct ornic_cqe *cqe)
{
	return (const void *)(cqe + 1);
}

/* rx_dropped_no_wqe */
uint64_t wqk_no_wqe(struct wqk *wqk);

void wqk_make_frame(struct frame *frame, const uint8_t *data,
		    unsigned int len);
/* A rule brings a frame to a QP or a WQ. */
void wqk_deliver(struct wqk *wqk, struct qp *qp, const uint8_t *data,
		 unsigned int len);
void wqk_deliver_any(struct wqk *wqk, struct qp *qp);
/* Nothing known to man */
void wqk_fill(uint8_t *p, unsigned int len);
/* Make the bytes behind the MACs a tag. */
void wqk_put_tag(uint8_t *p, uint16_t tci);
/* UDP over IPv4, from 10.0.0.host */
void wqk_make_udp(uint8_t *p, uint8_t host, uint16_t sport);

#endif /* ORNIC_UNIT_WQK_H */
