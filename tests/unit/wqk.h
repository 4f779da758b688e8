/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Receive queues for frames, for the process of raw_setup_process() */
#ifndef ORNIC_UNIT_WQK_H
#define ORNIC_UNIT_WQK_H

#include "raw.h"

#define WQK_LOG_WQES 4
#define WQK_STRIDE_SHIFT 5
#define WQK_RING_LEN (1 << (WQK_LOG_WQES + WQK_STRIDE_SHIFT))
/* Length of the frames made here, and flow tag of wqk_deliver() */
#define WQK_FRAME_LEN 100
#define WQK_TAG 0x12345678

/* Return the card's object of a queue, a WQ or a QP */
struct receiver *wqk_find(struct raw *w, const struct host_qp *q);

/* Fill the command of wqk_create_wq() */
void wqk_make_wq(struct raw *w, struct host_qp *wq,
		 struct ornic_create_wq_in *in);
void wqk_create_wq(struct raw *w, struct host_qp *wq, uint32_t flags,
		   uint32_t delay_us);
/* wqk_create_wq(), and to RDY */
void wqk_ready_wq(struct raw *w, struct host_qp *wq, uint32_t flags,
		  uint32_t delay_us);
unsigned int wqk_modify(struct raw *w, const struct host_qp *wq,
			unsigned int state);
/* Create a RAW_PACKET QP with a receive queue only, in RTR */
void wqk_ready_qp(struct raw *w, struct host_qp *q, uint32_t flags);
/* Create an RWQ table that refers to @w->wq in turn */
uint32_t wqk_create_table(struct raw *w, unsigned int log_size);
struct ornic_create_qp_in wqk_rss_qp(struct raw *w, uint32_t table,
				     uint32_t fields);
struct qp *wqk_create_rss(struct raw *w, uint32_t table, uint32_t fields);

const struct ornic_cqe *wqk_expect_frame(struct raw *w,
					 const struct host_qp *q,
					 uint32_t len);
void wqk_expect_event(struct raw *w, unsigned int type, uint32_t num);
/* Expect no completion and no event */
void wqk_expect_quiet(struct raw *w);

/* rx_dropped_no_wqe */
uint64_t wqk_no_wqe(struct raw *w);

/* Deliver a frame to a QP or a WQ as a flow rule does */
void wqk_deliver(struct raw *w, struct receiver *receiver, const uint8_t *data,
		 unsigned int len);
void wqk_deliver_any(struct raw *w, struct receiver *receiver);
/* Fill @p with bytes that form no known header */
void wqk_fill(uint8_t *p, unsigned int len);
/* Make the four bytes after the MAC addresses a VLAN tag */
void wqk_put_tag(uint8_t *p, uint16_t tci);
/* Write a UDP datagram over IPv4 from 10.0.0.@host */
void wqk_make_udp(uint8_t *p, uint8_t host, uint16_t sport);

#endif /* ORNIC_UNIT_WQK_H */
