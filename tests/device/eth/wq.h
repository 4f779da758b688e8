/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work queues: receive queues of frames that RSS QPs distribute.
 *
 * A WQ has the receiver of a QP (struct receiver), as ring, completions, errors
 * and flush are the same. It shares the table of the QPs, so a number names one
 * or the other.
 */
#ifndef ORNIC_DEVICE_WQ_H
#define ORNIC_DEVICE_WQ_H

#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "env/frame.h"
#include "eth/headers.h"
#include "queues/receiver.h"

struct cmd;
struct delay;
struct card;
struct obj;

/* Flags that CREATE_WQ accepts */
#define WQ_FLAGS                                                         \
	(ORNIC_WQ_CVLAN_STRIPPING | ORNIC_WQ_SCATTER_FCS |               \
	 ORNIC_WQ_DELAY_DROP | ORNIC_WQ_PAD_END)

/**
 * struct wq - a work queue, which receives for an RSS QP
 * @base: the part that it shares with a QP
 * @uctx: user context whose page rings it, with a reference
 * @dbr: doorbell record, struct ornic_qp_dbr
 * @delay: frames that wait, with ORNIC_WQ_DELAY_DROP, or NULL
 */
struct wq {
	struct receiver base;
	struct uctx *uctx;
	struct guest_ref dbr;
	struct delay *delay;
};

/**
 * wq_find - look up a WQ by number
 * @card: the card
 * @wqn: any number
 *
 * Return: the WQ, or NULL if there is none or the number is that of a QP.
 */
struct wq *wq_find(const struct card *card, uint32_t wqn);

/**
 * wq_receive - deliver a frame
 * @wq: the WQ
 * @frame: passed eth_valid()
 * @headers: its headers
 * @ext: completion data of the frame; the data of the queue is added
 *
 * Drops and counts a frame that the WQ cannot take. The state of the WQ may
 * change.
 */
void wq_receive(struct wq *wq, const struct frame *frame,
		const struct headers *headers, struct ornic_cqe_ext *ext);

/**
 * wq_destroy - destroy a WQ
 * @card: the card
 * @obj: without users, of struct wq
 */
void wq_destroy(struct card *card, struct obj *obj);

enum ornic_cmd_status wq_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status wq_cmd_destroy(struct card *card, struct cmd *cmd);
enum ornic_cmd_status wq_cmd_modify(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_WQ_H */
