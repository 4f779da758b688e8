// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Doorbell pages, boards and watched queues, the admin queue among them */
#include <limits.h>

#include "base/state.h"
#include "card/admin.h"
#include "card/doorbell.h"
#include "card/push.h"
#include "card/qp_run.h"
#include "eth/wq.h"
#include "objects/cq.h"
#include "objects/eq.h"
#include "objects/srq.h"
#include "objects/uctx.h"
#include "queues/qp.h"

/* ---- doorbell pages ---- */

/* Return: the receive queue of a QP or WQ of a page, or NULL */
static struct receiver *doorbell_receiver(struct card *card, struct uctx *uctx,
					  uint32_t num)
{
	struct qp *qp = qp_find(card, num);
	struct wq *wq = wq_find(card, num);

	if (qp && qp->uctx == uctx && receiver_has_rq(&qp->base))
		return &qp->base;
	return wq && wq->uctx == uctx ? &wq->base : NULL;
}

/* Return: whether the queue is one of the page */
static bool doorbell_ring_rq(struct card *card, struct uctx *uctx,
			     uint32_t type, uint32_t num)
{
	struct receiver *receiver;
	struct srq *srq;

	if (type == ORNIC_DB_SRQ) {
		srq = srq_find(card, num);
		if (!srq || srq->uctx != uctx)
			return false;
		srq->rq.rung = true;
		return true;
	}
	receiver = doorbell_receiver(card, uctx, num);
	if (!receiver)
		return false;
	receiver->rq.rung = true;
	if (receiver->state == ORNIC_QPS_ERR)
		receiver_poll_soon(receiver);
	return true;
}

/*
 * A card that does not need a type does not have it ([ORNIC-DB-12]). A push page
 * has one type ([ORNIC-PUSH-8]).
 */
static bool doorbell_has_type(const struct card *card, uint32_t type, bool push)
{
	if (push)
		return type == ORNIC_DB_SQ;
	return type <= (card->rq_doorbell ? ORNIC_DB_SRQ : ORNIC_DB_EQ);
}

/* @push: through the push page, with @wqe behind it unless that is NULL */
static void doorbell_ring(struct card *card, struct uctx *uctx, uint64_t val,
			  bool push, const uint8_t *wqe)
{
	uint32_t type = ORNIC_GET(ORNIC_DB_TYPE, val);
	uint32_t num = ORNIC_GET(ORNIC_DB_NUM, val);
	uint32_t word = ORNIC_GET(ORNIC_DB_VALUE, val);
	struct eq *eq;
	struct cq *cq;
	struct qp *qp;

	DEVICE_STAT_INC(card, doorbells);
	if (!doorbell_has_type(card, type, push)) {
		DEVICE_VIOLATION(card, bad_doorbell_type, uctx->obj.num, type,
				 "page %u: type %u, ignored", uctx->obj.num,
				 type);
		return;
	}
	switch (type) {
	case ORNIC_DB_SQ:
		qp = qp_find(card, num);
		if (!qp || qp->uctx != uctx)
			break;
		if (wqe)
			qp_push(qp, word, wqe);
		else
			qp_kick(qp);
		return;
	case ORNIC_DB_CQ:
		cq = cq_find(card, num);
		if (!cq || cq->uctx != uctx)
			break;
		cq_doorbell(cq, word);
		return;
	case ORNIC_DB_EQ:
		eq = eq_find(card, num);
		if (!eq || !uctx->kernel)
			break;
		eq_doorbell(eq, word);
		return;
	default:
		if (!doorbell_ring_rq(card, uctx, type, num))
			break;
		return;
	}
	DEVICE_VIOLATION(card, bad_doorbell_queue, uctx->obj.num, num,
			 "page %u: type %u, queue %#x is not of this page, ignored",
			 uctx->obj.num, type, num);
}

void doorbell_push(struct card *card, struct uctx *uctx, uint64_t val,
		   const uint8_t *wqe)
{
	doorbell_ring(card, uctx, val, true, wqe);
}

void doorbell_write(struct card *card, uint64_t offset, unsigned int size,
		    uint64_t val)
{
	uint64_t page = offset / CARD_DB_PAGE_SIZE;
	struct uctx *uctx;

	offset %= CARD_DB_PAGE_SIZE;
	uctx = uctx_find(card, page);
	if (uctx && card_uses(card, ORNIC_FEAT_PUSH) && offset >= PUSH_OFFSET &&
	    offset < PUSH_OFFSET + ORNIC_PUSH_PAGE_SIZE) {
		push_write(card, uctx, offset - PUSH_OFFSET, size, val);
		return;
	}
	push_settle(card);
	if (!uctx || offset + size > 8 || size < 4) {
		DEVICE_VIOLATION(card, bad_doorbell_page, page, offset,
				 "page %llu, offset %#llx, %u bytes, ignored",
				 (unsigned long long)page,
				 (unsigned long long)offset, size);
		return;
	}
	if (size == 8) {
		doorbell_ring(card, uctx, val, false, NULL);
	} else if (offset == 0) {
		uctx->db_low = val;
	} else {
		/* A doorbell takes effect with its high half ([ORNIC-DB-2]) */
		doorbell_ring(card, uctx, val << 32 | uctx->db_low, false, NULL);
	}
}

/* ---- boards ---- */

/**
 * struct kicks - queues that a scan has found
 * @left: how many the scan may still find; may become negative
 * @count: number of @qp
 * @qp: queues to kick together. Each is likely to be in no cache, so their
 *	state is loaded at the same time.
 */
struct kicks {
	int left;
	unsigned int count;
	struct qp *qp[DOORBELL_KICKS];
};

static void kicks_run(struct kicks *kicks)
{
	unsigned int i;

	for (i = 0; i < kicks->count; i++)
		qp_prefetch_work(kicks->qp[i]);
	for (i = 0; i < kicks->count; i++)
		qp_kick(kicks->qp[i]);
	kicks->count = 0;
}

static void kicks_add(struct kicks *kicks, struct qp *qp)
{
	qp_prefetch_send(qp);
	kicks->qp[kicks->count++] = qp;
	kicks->left--;
	if (kicks->count == DOORBELL_KICKS)
		kicks_run(kicks);
}

static bool doorbell_scan_word(struct uctx *uctx, struct ornic_board *board,
			       unsigned int word, struct kicks *kicks)
{
	uint64_t bits = guest_xchg64(&board->bits[word], 0);
	bool any = false;

	for (; bits; bits &= bits - 1) {
		uint32_t slot = word * 64 + __builtin_ctzll(bits);

		/* Bit for an unused slot: ignore ([ORNIC-DB-38]) */
		if (slot >= uctx->slots_size || !uctx->slots[slot])
			continue;
		kicks_add(kicks, uctx->slots[slot]);
		any = true;
	}
	return any;
}

/*
 * Scan the board words that the @mask bits of one summary word select. When
 * @kicks->left is used up, the remaining bits are set again for the next poll.
 */
static bool doorbell_scan_summary(struct uctx *uctx, struct ornic_board *board,
				  unsigned int index, uint64_t mask,
				  struct kicks *kicks)
{
	bool any = false;
	uint64_t bits;

	if (!(guest_load64(&board->summary[index]) & mask))
		return false;
	bits = guest_take64(&board->summary[index], mask);
	for (; bits; bits &= bits - 1) {
		unsigned int word = index * 64 + __builtin_ctzll(bits);

		if (kicks->left <= 0) {
			guest_set64(&board->summary[index], bits);
			return true;
		}
		kicks->left--;
		if (word < ORNIC_BOARD_WORDS)
			any |= doorbell_scan_word(uctx, board, word,
						  kicks);
		uctx->scan_from = (word + 1) % (ORNIC_BOARD_SUMMARY_WORDS * 64);
	}
	return any;
}

/* Plain loads keep the cache line shared while the board is idle */
static bool doorbell_board_is_idle(const struct ornic_board *board)
{
	uint64_t bits = 0;
	unsigned int i;

	for (i = 0; i < ORNIC_BOARD_SUMMARY_WORDS; i++)
		bits |= guest_load64(&board->summary[i]);
	return !bits;
}

/* Scan a board, starting behind the word that was scanned last */
static bool doorbell_scan_board(struct uctx *uctx, struct kicks *kicks)
{
	struct ornic_board *board = guest_ref_ptr(&uctx->board);
	unsigned int first = uctx->scan_from / 64;
	uint64_t before = (1ULL << uctx->scan_from % 64) - 1;
	bool any = false;
	unsigned int i;

	if (!board || doorbell_board_is_idle(board))
		return false;
	for (i = 0; i <= ORNIC_BOARD_SUMMARY_WORDS && kicks->left > 0; i++) {
		uint64_t mask = ~0ULL;

		if (i == 0)
			mask = ~before;
		else if (i == ORNIC_BOARD_SUMMARY_WORDS)
			mask = before;
		any |= doorbell_scan_summary(uctx, board, (first + i) %
					     ORNIC_BOARD_SUMMARY_WORDS, mask,
					     kicks);
	}
	return any;
}

/*
 * A process may set all bits of its board at any time, so one poll is bounded
 * ([ORNIC-ISO-4]), also by the number of boards, as polls that find nothing are
 * free. Boards without a turn go first in the next poll.
 */
static bool doorbell_scan_boards(struct card *card, unsigned int count)
{
	struct list_head *boards = &card->watches.boards;
	struct list_head *pos;
	struct kicks kicks;
	bool any = false;

	/* Not an initialiser, which would clear the array in each poll */
	kicks.left = DOORBELL_SCAN_MAX;
	kicks.count = 0;

	list_for_each(pos, boards) {
		if (kicks.left <= 0 || !count--)
			break;
		any |= doorbell_scan_board(list_entry(pos, struct uctx, active),
					   &kicks);
	}
	kicks_run(&kicks);
	if (pos != boards) {
		list_del_init(boards);
		list_add_tail(boards, pos);
	}
	/* Words that were not scanned may have work */
	return any || kicks.left <= 0;
}

static void doorbell_set_awake(struct card *card, bool awake)
{
	struct list_head *pos;

	card->watches.awake = awake;
	card->watches.now_ns = env_now_ns(card->env);
	admin_watch(card, awake);
	list_for_each(pos, &card->watches.boards) {
		struct uctx *uctx = list_entry(pos, struct uctx, active);
		struct ornic_board *board = guest_ref_ptr(&uctx->board);

		if (board)
			guest_store32(&board->awake, awake);
	}
}

/* ---- watched queues ---- */

/* Stop watching. The host may have posted before it saw sq_watched 0. */
static bool sq_watch_end(struct card *card, struct sq_watch *watch)
{
	sq_watch_forget(&card->watches, watch);
	sq_watch_publish(watch, false);
	guest_fence();
	if (!sq_watch_look(watch))
		return false;
	qp_kick(watch->qp);
	return true;
}

/*
 * Look once at each queue that is watched now. A busy queue moves to the end of
 * the list. Emptying the list first keeps a host that posts all the time from
 * holding the card here.
 */
static bool doorbell_poll_watched(struct card *card)
{
	struct list_head *watched = &card->watches.watched;
	uint64_t now = card->watches.now_ns;
	struct list_head turn;
	bool any = false;

	list_init(&turn);
	list_splice_tail_init(watched, &turn);
	while (!list_empty(&turn)) {
		struct sq_watch *watch = list_first_entry(&turn,
							  struct sq_watch,
							  node);

		list_del_init(&watch->node);
		list_add_tail(&watch->node, watched);
		if (sq_watch_look(watch)) {
			qp_kick(watch->qp);
			any = true;
		} else if (now - watch->busy_ns > DOORBELL_WATCH_IDLE_NS) {
			any |= sq_watch_end(card, watch);
		}
	}
	return any;
}

bool doorbell_poll(struct card *card)
{
	bool any;

	card->watches.now_ns = env_now_ns(card->env);
	any = doorbell_scan_boards(card, DOORBELL_BOARDS_MAX);
	any |= doorbell_poll_watched(card);
	return any;
}

bool doorbell_sleep(struct card *card)
{
	struct watch_list *list = &card->watches;
	struct list_head *pos;
	bool any;

	doorbell_set_awake(card, false);
	list_for_each(pos, &list->watched)
		sq_watch_publish(list_entry(pos, struct sq_watch, node), false);
	guest_fence();
	any = admin_look(card);
	any |= doorbell_scan_boards(card, UINT_MAX);
	while (!list_empty(&list->watched)) {
		struct sq_watch *watch = list_first_entry(&list->watched,
							  struct sq_watch,
							  node);

		sq_watch_forget(&card->watches, watch);
		if (sq_watch_look(watch)) {
			qp_kick(watch->qp);
			any = true;
		}
	}
	if (any)
		doorbell_wake(card);
	return !any;
}

void doorbell_wake(struct card *card)
{
	doorbell_set_awake(card, true);
}
