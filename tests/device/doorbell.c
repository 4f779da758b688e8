// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Doorbell pages, boards and watched queues */
#include "core.h"
#include "cq.h"
#include "engine.h"
#include "eq.h"
#include "qp.h"
#include "uctx.h"

void doorbell_init(struct nic *nic, bool shadow)
{
	struct doorbell *doorbell = &nic->doorbell;

	doorbell->shadow = shadow;
	doorbell->awake = false;
	list_init(&doorbell->boards);
	list_init(&doorbell->watched);
	doorbell->watched_count = 0;
}

/* ---- doorbell pages ---- */

static void doorbell_ring(struct nic *nic, struct uctx *uctx, uint64_t val)
{
	uint32_t type = ORNIC_GET(ORNIC_DB_TYPE, val);
	uint32_t num = ORNIC_GET(ORNIC_DB_NUM, val);
	uint32_t word = ORNIC_GET(ORNIC_DB_VALUE, val);
	struct eq *eq;
	struct cq *cq;
	struct qp *qp;

	DEVICE_STAT_INC(nic, doorbells);
	switch (type) {
	case ORNIC_DB_SQ:
		qp = qp_find(nic, num);
		if (!qp || qp->uctx != uctx)
			break;
		qp_kick(qp);
		return;
	case ORNIC_DB_CQ:
		cq = cq_find(nic, num);
		if (!cq || cq->uctx != uctx)
			break;
		cq_doorbell(cq, word);
		return;
	case ORNIC_DB_EQ:
		eq = eq_find(nic, num);
		if (!eq || !uctx->kernel)
			break;
		eq_doorbell(eq, word);
		return;
	default:
		DEVICE_VIOLATION(nic, bad_doorbell_type,
				 "page %u: type %u, ignored", uctx->obj.num,
				 type);
		return;
	}
	DEVICE_VIOLATION(nic, bad_doorbell_queue,
			 "page %u: type %u, queue %#x is not of this page, ignored",
			 uctx->obj.num, type, num);
}

void doorbell_write(struct nic *nic, uint64_t offset, unsigned int size,
		    uint64_t val)
{
	uint64_t page = offset / NIC_DB_PAGE_SIZE;
	struct uctx *uctx;

	offset %= NIC_DB_PAGE_SIZE;
	uctx = uctx_find(nic, page);
	if (!uctx || offset + size > 8 || size < 4) {
		DEVICE_VIOLATION(nic, bad_doorbell_page,
				 "page %llu, offset %#llx, %u bytes, ignored",
				 (unsigned long long)page,
				 (unsigned long long)offset, size);
		return;
	}
	if (size == 8) {
		doorbell_ring(nic, uctx, val);
	} else if (offset == 0) {
		uctx->db_low = val;
	} else {
		/* A doorbell takes effect with its high half ([ORNIC-DB-1]) */
		doorbell_ring(nic, uctx, val << 32 | uctx->db_low);
	}
}

/* ---- boards ---- */

/* Each kicked queue takes one of @left, which may become negative */
static bool doorbell_scan_word(struct uctx *uctx, struct ornic_board *board,
			       unsigned int word, int *left)
{
	uint64_t bits = guest_xchg64(&board->bits[word], 0);
	bool any = false;

	for (; bits; bits &= bits - 1) {
		uint32_t slot = word * 64 + __builtin_ctzll(bits);

		/* Bit for an unused slot: ignore ([ORNIC-DB-11]) */
		if (slot >= uctx->slots_size || !uctx->slots[slot])
			continue;
		qp_kick(uctx->slots[slot]);
		(*left)--;
		any = true;
	}
	return any;
}

/*
 * Scan the board words that the @mask bits of one summary word select. When
 * @left is used up, the remaining bits are set again for the next poll.
 */
static bool doorbell_scan_summary(struct uctx *uctx, struct ornic_board *board,
				  unsigned int index, uint64_t mask, int *left)
{
	bool any = false;
	uint64_t bits;

	if (!(guest_load64(&board->summary[index]) & mask))
		return false;
	bits = guest_take64(&board->summary[index], mask);
	for (; bits; bits &= bits - 1) {
		unsigned int word = index * 64 + __builtin_ctzll(bits);

		if (*left <= 0) {
			guest_set64(&board->summary[index], bits);
			return true;
		}
		(*left)--;
		if (word < ORNIC_BOARD_WORDS)
			any |= doorbell_scan_word(uctx, board, word, left);
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
static bool doorbell_scan_board(struct uctx *uctx, int *left)
{
	struct ornic_board *board = guest_ref_ptr(&uctx->board);
	unsigned int first = uctx->scan_from / 64;
	uint64_t before = (1ULL << uctx->scan_from % 64) - 1;
	bool any = false;
	unsigned int i;

	if (!board || doorbell_board_is_idle(board))
		return false;
	for (i = 0; i <= ORNIC_BOARD_SUMMARY_WORDS && *left > 0; i++) {
		uint64_t mask = ~0ULL;

		if (i == 0)
			mask = ~before;
		else if (i == ORNIC_BOARD_SUMMARY_WORDS)
			mask = before;
		any |= doorbell_scan_summary(uctx, board, (first + i) %
					     ORNIC_BOARD_SUMMARY_WORDS, mask,
					     left);
	}
	return any;
}

/*
 * A process may set all bits of its board at any time, so one poll is bounded
 * ([ORNIC-ISO-4]). Boards without a turn go first in the next poll.
 */
static bool doorbell_scan_boards(struct nic *nic)
{
	struct list_head *boards = &nic->doorbell.boards;
	int left = DOORBELL_SCAN_MAX;
	struct list_head *pos;
	bool any = false;

	list_for_each(pos, boards) {
		if (left <= 0)
			break;
		any |= doorbell_scan_board(list_entry(pos, struct uctx, active),
					   &left);
	}
	if (left > 0)
		return any;
	/* Boards that were not scanned may have work */
	if (pos != boards) {
		list_del_init(boards);
		list_add_tail(boards, pos);
	}
	return true;
}

static void doorbell_set_awake(struct nic *nic, bool awake)
{
	struct list_head *pos;

	nic->doorbell.awake = awake;
	list_for_each(pos, &nic->doorbell.boards) {
		struct uctx *uctx = list_entry(pos, struct uctx, active);
		struct ornic_board *board = guest_ref_ptr(&uctx->board);

		if (board)
			guest_store32(&board->awake, awake);
	}
}

void doorbell_board_changed(struct nic *nic, struct guest_ref *ref, bool active)
{
	struct ornic_board *board = guest_ref_ptr(ref);

	if (board)
		guest_store32(&board->awake, active && nic->doorbell.awake);
}

/* ---- watched queues ---- */

bool sq_watch_init(struct sq_watch *watch, struct qp *qp, struct guest *guest,
		   uint64_t dbr_addr)
{
	watch->qp = qp;
	list_init(&watch->node);
	watch->watched = false;
	watch->sq_pi = 0;
	watch->busy_ns = 0;
	return guest_ref_init(&watch->dbr, guest, dbr_addr,
			      sizeof(struct ornic_qp_dbr),
			      MEM_READ | MEM_WRITE);
}

/*
 * Has the host posted since the last look? A record out of reach counts as a
 * change, so that the QP handles it.
 */
static bool sq_watch_look(struct sq_watch *watch)
{
	struct ornic_qp_dbr *dbr = guest_ref_ptr(&watch->dbr);
	uint32_t sq_pi;

	if (!dbr)
		return true;
	sq_pi = guest_load32(&dbr->sq_pi);
	if (sq_pi == watch->sq_pi)
		return false;
	watch->sq_pi = sq_pi;
	return true;
}

static void sq_watch_publish(struct sq_watch *watch, bool watched)
{
	struct ornic_qp_dbr *dbr = guest_ref_ptr(&watch->dbr);

	if (dbr)
		guest_store32(&dbr->sq_watched, watched);
}

void sq_watch_forget(struct nic *nic, struct sq_watch *watch)
{
	if (!watch->watched)
		return;
	list_del_init(&watch->node);
	watch->watched = false;
	nic->doorbell.watched_count--;
}

/* Stop watching. The host may have posted before it saw sq_watched 0. */
static bool sq_watch_end(struct nic *nic, struct sq_watch *watch)
{
	sq_watch_forget(nic, watch);
	sq_watch_publish(watch, false);
	guest_fence();
	if (!sq_watch_look(watch))
		return false;
	qp_kick(watch->qp);
	return true;
}

void sq_watch_busy(struct nic *nic, struct sq_watch *watch)
{
	struct doorbell *doorbell = &nic->doorbell;

	/* A sleeping card polls nothing; the host rings the doorbell */
	if (!doorbell->shadow || !doorbell->awake)
		return;
	watch->busy_ns = env_now_ns(nic->env);
	if (watch->watched) {
		list_del_init(&watch->node);
		list_add_tail(&watch->node, &doorbell->watched);
		return;
	}
	if (doorbell->watched_count == DOORBELL_WATCHED_MAX)
		return;
	watch->watched = true;
	list_add_tail(&watch->node, &doorbell->watched);
	doorbell->watched_count++;
	sq_watch_publish(watch, true);
}

void sq_watch_stop(struct nic *nic, struct sq_watch *watch)
{
	if (!watch->watched)
		return;
	sq_watch_forget(nic, watch);
	sq_watch_publish(watch, false);
}

/*
 * Look once at each queue that is watched now. A busy queue moves to the end of
 * the list. Emptying the list first keeps a host that posts all the time from
 * holding the card here, and ensures that the times compared below are before
 * @now.
 */
static bool doorbell_poll_watched(struct nic *nic)
{
	struct list_head *watched = &nic->doorbell.watched;
	uint64_t now = env_now_ns(nic->env);
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
			any |= sq_watch_end(nic, watch);
		}
	}
	return any;
}

bool doorbell_poll(struct nic *nic)
{
	bool any;

	any = doorbell_scan_boards(nic);
	any |= doorbell_poll_watched(nic);
	return any;
}

bool doorbell_sleep(struct nic *nic)
{
	struct doorbell *doorbell = &nic->doorbell;
	struct list_head *pos;
	bool any;

	doorbell_set_awake(nic, false);
	list_for_each(pos, &doorbell->watched)
		sq_watch_publish(list_entry(pos, struct sq_watch, node), false);
	guest_fence();
	any = doorbell_scan_boards(nic);
	while (!list_empty(&doorbell->watched)) {
		struct sq_watch *watch = list_first_entry(&doorbell->watched,
							  struct sq_watch,
							  node);

		sq_watch_forget(nic, watch);
		if (sq_watch_look(watch)) {
			qp_kick(watch->qp);
			any = true;
		}
	}
	if (any)
		doorbell_wake(nic);
	return !any;
}

void doorbell_wake(struct nic *nic)
{
	doorbell_set_awake(nic, true);
}
