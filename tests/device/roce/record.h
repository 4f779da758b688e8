/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The records of a requester: WQEs that were taken and are not complete */
#ifndef ORNIC_DEVICE_RECORD_H
#define ORNIC_DEVICE_RECORD_H

#include <stdbool.h>

#include <ornic_hw.h>

#include "queues/qp.h"

struct send_wqe;

/* The oldest record, or NULL */
static inline struct req_record *record_head(struct req *req)
{
	return req->head != req->tail ? &req->rec[req->head & req->rec_mask] :
					NULL;
}

/**
 * record_init - allocate the records of a QP
 * @qp: QP with @qp->sq set up; only connected ones have records
 *
 * Return: 0 or -ENOMEM.
 */
int record_init(struct qp *qp);

/**
 * record_uninit - free the records
 * @qp: any QP
 */
void record_uninit(struct qp *qp);

/**
 * record_reset - forget all records and start at @qp->attr.sq_psn
 * @qp: QP in transition to RESET, or to RTS with its attributes set
 */
void record_reset(struct qp *qp);

/**
 * record_flush - complete the records with ORNIC_WC_WR_FLUSH_ERR
 * @qp: QP in ERR
 * @budget: limit of WQEs
 *
 * Return: true when there are more.
 */
bool record_flush(struct qp *qp, unsigned int budget);

/**
 * record_reread - copy and check the WQE of a record again
 * @qp: the QP
 * @rec: one of its records
 * @wqe: WQE to fill
 *
 * Return: as sq_read(); LOC_QP_OP_ERR when the host changed the posted WQE.
 */
enum ornic_wc_status record_reread(struct qp *qp, const struct req_record *rec,
				   struct send_wqe *wqe);

/**
 * record_pop - complete the oldest record
 * @qp: QP with a record
 * @status: status of the completion
 */
void record_pop(struct qp *qp, enum ornic_wc_status status);

/**
 * record_fail - complete the oldest record with an error and move the QP to ERR, a
 *	UC QP to SQE
 * @qp: QP with a record
 * @status: status of the completion
 */
void record_fail(struct qp *qp, enum ornic_wc_status status);

/**
 * record_restart - go back to the oldest unacknowledged packet
 * @qp: the QP
 */
void record_restart(struct qp *qp);

/**
 * record_settle - complete all records whose last packet is acknowledged
 * @qp: connected QP
 *
 * Also fails the oldest record if it has an error status, and calls
 * qp_drained() in SQD when no record is left.
 */
void record_settle(struct qp *qp);

/**
 * record_arm - start the acknowledgement timer unless it runs
 * @qp: connected QP; nothing happens if no packet is unacknowledged
 */
void record_arm(struct qp *qp);

/**
 * record_rearm - start the acknowledgement timer anew, because the timeout has changed
 * @qp: connected QP
 */
void record_rearm(struct qp *qp);

#endif /* ORNIC_DEVICE_RECORD_H */
