/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queues.
 */
#ifndef ORNIC_DEVICE_CQ_H
#define ORNIC_DEVICE_CQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "arm.h"
#include "buf.h"
#include "eq.h"
#include "list.h"
#include "obj.h"
#include "timer.h"

struct cmd;
struct nic;
struct qp;
struct uctx;

/* log2 of an entry without and with struct ornic_cqe_ext */
#define CQ_LOG_CQE_SIZE 5
#define CQ_LOG_CQE_EXT_SIZE 6

/**
 * struct cq_link - membership of a QP in a CQ; a QP has two, an XRC SRQ one
 * @cq: the CQ, NULL while not attached
 * @qp: the QP; NULL: an SRQ's
 * @node: in @cq->links
 */
struct cq_link {
	struct cq *cq;
	struct qp *qp;
	struct list_head node;
};

/**
 * struct cq - a completion queue
 * @obj: number and users (QPs; one that sends and receives counts twice)
 * @nic: the card
 * @uctx: doorbell page, used
 * @eq: where events go, used
 * @log_size: log2 of the entries
 * @log_cqe_size: 5 or 6
 * @ignore_overrun: ORNIC_CQ_IGNORE_OVERRUN
 * @dead: overrun or out of reach: nothing is written any more
 * @pi: entries written, runs free
 * @ci: latest known value of the host's consumer index
 * @arm: how events are asked for
 * @solicited_pi: @pi behind the latest solicited or failed completion
 * @count: moderation: an event waits for so many completions
 * @period_ns: moderation: and no longer than that
 * @gathered: completions since an event began to wait, 0: none waits
 * @gather_for: request that it will answer; a newer one begins anew
 * @timer: end of @period_ns
 * @ring: the entries
 * @dbr: struct ornic_cq_dbr
 * @events: told one at a time: so a process that arms in a loop does not fill
 *	the EQ
 * @dead_node: in the card's list of CQs whose QPs are to be told
 * @links: struct cq_link of the QPs and SRQs attached
 */
struct cq {
	struct obj obj;
	struct nic *nic;
	struct uctx *uctx;
	struct eq *eq;
	uint8_t log_size;
	uint8_t log_cqe_size;
	bool ignore_overrun;
	bool dead;
	uint32_t pi;
	uint32_t ci;
	struct arm arm;
	uint32_t solicited_pi;
	uint16_t count;
	uint64_t period_ns;
	uint32_t gathered;
	uint32_t gather_for;
	struct timer timer;
	struct buf ring;
	struct guest_ref dbr;
	struct eq_source events;
	struct list_head dead_node;
	struct list_head links;
};

/**
 * cq_find - find by number
 * @nic: the card
 * @cqn: any number
 *
 * Return: the CQ or NULL.
 */
struct cq *cq_find(struct nic *nic, uint32_t cqn);

/**
 * cq_attach - a QP or an SRQ begins to use a CQ
 * @link: inside the QP or SRQ
 * @cq: the CQ
 * @qp: the QP, or NULL
 *
 * Takes a reference. When the CQ fails, qp_cq_failed() or srq_cq_failed() is
 * called, later, from nic_run().
 */
void cq_attach(struct cq_link *link, struct cq *cq, struct qp *qp);

/**
 * cq_detach - end of cq_attach()
 * @link: attached or not (all zero)
 */
void cq_detach(struct cq_link *link);

/**
 * cq_post - write a completion
 * @cq: the CQ
 * @cqe: the completion in its final byte order, but for the phase, which is 0
 *	in the word of @qpn
 * @ext: what follows in a CQ of 64-byte entries, or NULL: zero but for the
 *	timestamp, which is filled in here in either case
 * @solicited: the message asked for an event; a completion with a status other
 *	than success counts as such by itself
 *
 * Never fails towards the caller: when there is no room, or the ring is out of
 * reach, the CQ is dead from then on, the host is told by ORNIC_EVENT_CQ_ERR
 * and the QPs attached go to error, from nic_run().
 */
void cq_post(struct cq *cq, const struct ornic_cqe *cqe,
	     const struct ornic_cqe_ext *ext, bool solicited);

/**
 * cq_doorbell - arm word through the doorbell page
 * @cq: the CQ
 * @arm: value written
 */
void cq_doorbell(struct cq *cq, uint32_t arm);

/**
 * cq_read_ci - bring @cq->ci up to date
 * @cq: the CQ
 * @dbr: its record
 *
 * Return: false when the host's index cannot be; then what was known stays.
 */
bool cq_read_ci(struct cq *cq, struct ornic_cq_dbr *dbr);

/**
 * cq_look - answer the request outstanding, if entries that it is for are there
 * @cq: the CQ, with @cq->ci up to date
 * @type: enum ornic_arm_type of the request
 */
void cq_look(struct cq *cq, unsigned int type);

/**
 * cq_gather_end - tell the event that waits for more completions, if any
 * @cq: the CQ
 */
void cq_gather_end(struct cq *cq);

/**
 * cq_run_dead - tell the QPs of CQs that died
 * @nic: the card
 *
 * Return: whether there was any.
 */
bool cq_run_dead(struct nic *nic);

/**
 * cq_destroy_all - part of a reset; no QP is left
 * @nic: the card
 */
void cq_destroy_all(struct nic *nic);

enum ornic_cmd_status cq_cmd_create(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status cq_cmd_destroy(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status cq_cmd_modify(struct nic *nic, struct cmd *cmd);
enum ornic_cmd_status cq_cmd_resize(struct nic *nic, struct cmd *cmd);

#endif /* ORNIC_DEVICE_CQ_H */
