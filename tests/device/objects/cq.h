/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues */
#ifndef ORNIC_DEVICE_CQ_H
#define ORNIC_DEVICE_CQ_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/arm.h"
#include "base/buf.h"
#include "base/obj.h"
#include "env/list.h"
#include "env/timer.h"
#include "objects/eq.h"

struct cmd;
struct card;
struct uctx;

/* log2 of the bytes of an entry, without and with struct ornic_cqe_ext */
#define CQ_LOG_CQE_SIZE 5
#define CQ_LOG_CQE_EXT_SIZE 6

/* Completions that wait for room: one doorbell may write them all */
#define CQ_HELD_MAX 4096
/* Interval between looks whether they wait for a doorbell, and most looks */
#define CQ_HELD_NS 1000000
#define CQ_HELD_LOOKS 100

/* Queues of failed CQs that one card_run() notifies */
#define CQ_RUN_LINKS 256

/**
 * struct cq_link - attachment of a QP or an XRC SRQ to a CQ
 * @cq: the CQ, NULL while not attached
 * @owner: the QP or SRQ
 * @failed: called after the CQ failed
 * @node: in @cq->links or @cq->notified
 */
struct cq_link {
	struct cq *cq;
	void *owner;
	void (*failed)(void *owner);
	struct list_head node;
};

/**
 * struct cq - a completion queue
 * @obj: number and users (QPs, XRC SRQs; a QP may count twice, once per queue)
 * @card: the card
 * @uctx: doorbell page; holds a reference
 * @eq: EQ for events; holds a reference
 * @log_size: log2 of the number of entries
 * @log_cqe_size: log2 of the bytes of an entry, 5 or 6
 * @ignore_overrun: ORNIC_CQ_IGNORE_OVERRUN
 * @dead: overrun or out of reach: no entry is written any more
 * @pi: entries written, runs free
 * @ci: latest known value of the host's consumer index
 * @arm: requests for events
 * @solicited_pi: @pi after the latest solicited or failed completion
 * @count: moderation: completions per event
 * @period_ns: moderation: longest delay of an event
 * @gathered: completions that the delayed event covers, 0: no event is delayed
 * @gather_for: arm word that the delayed event answers; a newer word starts
 *	again
 * @timer: end of @period_ns
 * @ring: the entries
 * @dbr: struct ornic_cq_dbr; not used without ORNIC_CAPS_SHADOW
 * @events: event source. It has one event in the EQ at a time, so a process
 *	that arms in a loop cannot fill the EQ.
 * @first: completion that waits for the next one, with a card that writes pairs
 * @first_solicited: as cq_post() got it
 * @pair_node: in the card's list of CQs with a @first
 * @dead_node: in the card's list of failed CQs
 * @links: struct cq_link list: attached QPs and SRQs
 * @notified: struct cq_link list: those of a failed CQ that know of it
 * @held: struct cq_held list: completions without room, in order. Not empty only
 *	while the ring is full as far as the card knows, and without
 *	ORNIC_CAPS_SHADOW: a doorbell that tells of room may be under way.
 * @held_count: number of @held
 * @held_looks: how often @held_timer has expired since @held was empty
 * @held_timer: looks whether doorbells are under way
 */
struct cq {
	struct obj obj;
	struct card *card;
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
	struct ornic_cqe first;
	bool first_solicited;
	struct list_head pair_node;
	struct list_head dead_node;
	struct list_head links;
	struct list_head notified;
	struct list_head held;
	uint32_t held_count;
	unsigned int held_looks;
	struct timer held_timer;
};

/**
 * cq_find - find a CQ by number
 * @card: the card
 * @cqn: any number
 *
 * Return: the CQ or NULL.
 */
struct cq *cq_find(struct card *card, uint32_t cqn);

/**
 * cq_find_working - find a CQ that takes entries, for a new user ([ORNIC-CQ-8])
 * @card: the card
 * @cqn: any number
 *
 * Return: the CQ, or NULL if there is none or it has failed.
 */
struct cq *cq_find_working(struct card *card, uint32_t cqn);

/* Has the CQ of a link failed? False if there is none. */
static inline bool cq_link_failed(const struct cq_link *link)
{
	return link->cq && link->cq->dead;
}

/**
 * cq_attach - attach a QP or an SRQ to a CQ
 * @link: part of the QP or SRQ
 * @cq: the CQ
 * @owner: the QP or SRQ
 * @failed: called with @owner, by cq_run_dead(), after the CQ failed
 *
 * Takes a reference.
 */
void cq_attach(struct cq_link *link, struct cq *cq, void *owner,
	       void (*failed)(void *owner));

/**
 * cq_detach - undo cq_attach()
 * @link: attached, or all zero
 */
void cq_detach(struct cq_link *link);

/**
 * cq_post - write a completion
 * @cq: the CQ
 * @cqe: completion in its final byte order, with phase bit 0 in @qpn
 * @ext: first half of a 64-byte entry, or NULL for zeros; the timestamp is
 *	filled in here in either case
 * @solicited: the message requests an event; a completion that is not
 *	successful counts as solicited by itself
 *
 * Does not report failures to the caller. When the ring is overrun or out of
 * reach, the CQ fails: nothing is written to it any more, the host gets
 * ORNIC_EVENT_CQ_ERR, and card_run() moves the attached QPs to the error state.
 */
void cq_post(struct cq *cq, const struct ornic_cqe *cqe,
	     const struct ornic_cqe_ext *ext, bool solicited);

/**
 * cq_write - write a completion as it is
 * @cq: the CQ
 * @cqe: as for cq_post(); the phase bit is the difference to the right one
 * @ext: as for cq_post()
 * @solicited: as for cq_post()
 */
void cq_write(struct cq *cq, const struct ornic_cqe *cqe,
	      const struct ornic_cqe_ext *ext, bool solicited);

/**
 * cq_doorbell - handle a value from the doorbell page
 * @cq: the CQ
 * @value: ORNIC_DB_ARM_*
 */
void cq_doorbell(struct cq *cq, uint32_t value);

/**
 * cq_record - get the doorbell record of a CQ to read it
 * @cq: the CQ
 *
 * Return: the record; NULL when it is out of reach, or if doorbells tell what
 * it would ([ORNIC-DB-30]).
 */
struct ornic_cq_dbr *cq_record(struct cq *cq);

/**
 * cq_find_record - find the doorbell record that a command names
 * @card: the card
 * @dbr: the record
 * @addr: its bus address
 *
 * Return: false when the card would read it and it is out of reach.
 */
bool cq_find_record(struct card *card, struct guest_ref *dbr, uint64_t addr);

/**
 * cq_take_ci - update @cq->ci
 * @cq: the CQ
 * @ci: the host's index
 *
 * Return: false when the index is impossible; @cq->ci then stays.
 */
bool cq_take_ci(struct cq *cq, uint32_t ci);

/**
 * cq_look - answer the outstanding request if a matching entry exists
 * @cq: the CQ, with @cq->ci up to date
 * @type: enum ornic_arm_type of the request
 */
void cq_look(struct cq *cq, unsigned int type);

/**
 * cq_gather_end - write the delayed event, if any
 * @cq: the CQ
 */
void cq_gather_end(struct cq *cq);

/**
 * cq_write_pairs - write the completions that wait for another one
 * @card: the card
 */
void cq_write_pairs(struct card *card);

/**
 * cq_write_held - write completions that waited for room
 * @cq: the CQ; its @ci or its ring may have changed
 */
void cq_write_held(struct cq *cq);

/**
 * cq_run_dead - notify some of the QPs and SRQs of failed CQs
 * @card: the card
 *
 * A CQ may have thousands of them, so the rest waits for the next turn.
 *
 * Return: true when any CQ had failed.
 */
bool cq_run_dead(struct card *card);

/**
 * cq_destroy - destroy a CQ
 * @card: the card
 * @obj: without users
 */
void cq_destroy(struct card *card, struct obj *obj);

enum ornic_cmd_status cq_cmd_create(struct card *card, struct cmd *cmd);
enum ornic_cmd_status cq_cmd_destroy(struct card *card, struct cmd *cmd);
enum ornic_cmd_status cq_cmd_modify(struct card *card, struct cmd *cmd);
enum ornic_cmd_status cq_cmd_resize(struct card *card, struct cmd *cmd);

#endif /* ORNIC_DEVICE_CQ_H */
