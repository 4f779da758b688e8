/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive queues for frames, for the process of raw_setup_process() */
#ifndef ORNIC_UNIT_RXQ_H
#define ORNIC_UNIT_RXQ_H

#include "raw.h"

#define RXQ_LOG_WQES 4
#define RXQ_STRIDE_SHIFT 5
#define RXQ_RING_LEN (1 << (RXQ_LOG_WQES + RXQ_STRIDE_SHIFT))
/* Length of the frames made here, and flow tag of rxq_deliver() */
#define RXQ_FRAME_LEN 100
#define RXQ_TAG 0x12345678

/* Return the card's object of a queue, a WQ or a QP */
struct receiver *rxq_find(struct raw *w, const struct host_qp *q);

/* Fill the command of rxq_create_wq() */
void rxq_make_wq(struct raw *w, struct host_qp *wq,
		 struct ornic_create_wq_in *in);
void rxq_create_wq(struct raw *w, struct host_qp *wq, uint32_t flags,
		   uint32_t delay_us);
/* rxq_create_wq(), and to RDY */
void rxq_ready_wq(struct raw *w, struct host_qp *wq, uint32_t flags,
		  uint32_t delay_us);
unsigned int rxq_modify(struct raw *w, const struct host_qp *wq,
			unsigned int state);
/* Create a RAW_PACKET QP with a receive queue only, in RTR */
void rxq_ready_qp(struct raw *w, struct host_qp *q, uint32_t flags);
/* Create an RWQ table that refers to @w->wq in turn */
uint32_t rxq_create_table(struct raw *w, unsigned int log_size);
struct ornic_create_qp_in rxq_rss_qp(struct raw *w, uint32_t table,
				     uint32_t fields);
struct qp *rxq_create_rss(struct raw *w, uint32_t table, uint32_t fields);

const struct ornic_cqe *rxq_expect_frame(struct raw *w,
					 const struct host_qp *q,
					 uint32_t len);
void rxq_expect_event(struct raw *w, unsigned int type, uint32_t num);
/* Expect no completion and no event */
void rxq_expect_quiet(struct raw *w);

/* rx_dropped_no_wqe */
uint64_t rxq_no_wqe(struct raw *w);

/* Deliver a frame to a QP or a WQ as a flow rule does */
void rxq_deliver(struct raw *w, struct receiver *receiver, const uint8_t *data,
		 unsigned int len);
void rxq_deliver_any(struct raw *w, struct receiver *receiver);
/* Fill @p with bytes that form no known header */
void rxq_fill(uint8_t *p, unsigned int len);
/* Make the four bytes after the MAC addresses a VLAN tag */
void rxq_put_tag(uint8_t *p, uint16_t tci);
/* Write a UDP datagram over IPv4 from 10.0.0.@host */
void rxq_make_udp(uint8_t *p, uint8_t host, uint16_t sport);

#endif /* ORNIC_UNIT_RXQ_H */
