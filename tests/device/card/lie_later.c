// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lies that are told later */
#include <endian.h>
#include <string.h>

#include "base/lie_entry.h"
#include "base/state.h"
#include "card/lie_later.h"
#include "objects/cq.h"
#include "objects/eq.h"

/* Write into memory that the host has not taken back yet, or try to */
static void lie_haunt(struct card *card)
{
	struct lie *lie = &card->lie;
	uint32_t entry[sizeof(struct ornic_cqe) / sizeof(uint32_t)];
	const struct lie_ghost *ghost;
	uint32_t *last;

	for (ghost = lie->ghost; ghost < lie->ghost + lie->ghosts; ghost++) {
		lie_fill(&lie->rng, entry, sizeof(entry));
		last = &entry[ghost->len / sizeof(uint32_t) - 1];
		*last = htole32((le32toh(*last) & ~ORNIC_CQE_PHASE) |
				ghost->phase);
		if (!mem_write(card->guest.mem, ghost->addr, entry, ghost->len))
			lie_told(card, LIE_DMA, LIE_MEMORY);
	}
	lie->ghosts = 0;
}

/* Objects may be gone by now, and others may have their numbers */
static void lie_timer(struct timer *timer)
{
	struct card *card = container_of(timer, struct card, lie.timer);
	struct lie *lie = &card->lie;
	struct cq *cq = cq_find(card, lie->cqn);
	struct eq *eq = eq_find(card, lie->eqn);
	unsigned int vector;

	lie_haunt(card);
	/* Rings are out of reach while bus mastering is off */
	if (card->fatal || !card->guest.mem->enabled)
		return;
	if (lie->cqe_held && cq)
		cq_write(cq, &lie->cqe, lie->has_ext ? &lie->ext : NULL,
			 lie->solicited);
	lie->cqe_held = false;
	if (lie->eqe_held && eq)
		eq_write(eq, &lie->eqe);
	lie->eqe_held = false;
	for (vector = 0; lie->late; vector++, lie->late >>= 1)
		if (lie->late & 1)
			env_irq_raise(card->env, vector);
}

void lie_init(struct card *card)
{
	rng_seed(&card->lie.rng, 0);
	timer_init(&card->lie.timer, lie_timer);
}

void lie_uninit(struct card *card)
{
	env_timer_cancel(card->env, &card->lie.timer);
}

static void lie_add_ghosts(struct card *card, gaddr_t ring, uint32_t pi,
			   unsigned int log_size, unsigned int log_entry)
{
	/* The phase is in the last word of an entry of any size */
	unsigned int len = log_entry < 5 ? 16 : 32;
	struct lie *lie = &card->lie;
	unsigned int i;

	for (i = 0; i < LIE_GHOST_ENTRIES; i++, pi++) {
		gaddr_t pos = pi & ((1u << log_size) - 1);

		if (lie->ghosts == ARRAY_SIZE(lie->ghost))
			return;
		lie->ghost[lie->ghosts++] = (struct lie_ghost){
			.addr = ring + ((pos + 1) << log_entry) - len,
			.len = len,
			.phase = pi >> log_size & 1 ? 0 : ORNIC_CQE_PHASE,
		};
	}
}

/* A ring in several pages gets entries in its first one only */
static bool lie_in_first_page(const struct buf *buf, uint32_t pi,
			      unsigned int log_size, unsigned int log_entry)
{
	uint64_t pos = pi & ((1u << log_size) - 1);

	return (pos + LIE_GHOST_ENTRIES) << log_entry <=
	       1ULL << buf->page_shift;
}

static void lie_remember_rings(struct card *card)
{
	struct admin *admin = &card->admin;
	struct obj *obj;
	struct eq *eq;
	struct cq *cq;
	uint32_t i = 0;

	lie_add_ghosts(card, admin->cq_addr, admin->cq_pi,
		       __builtin_ctz(admin->depth), 4);
	while ((obj = obj_each(&card->eqs, &i))) {
		eq = container_of(obj, struct eq, obj);
		if (lie_in_first_page(&eq->ring, eq->pi, eq->log_size, 5))
			lie_add_ghosts(card, buf_page(&eq->ring, 0)->addr, eq->pi,
				       eq->log_size, 5);
	}
	i = 0;
	while ((obj = obj_each(&card->cqs, &i))) {
		cq = container_of(obj, struct cq, obj);
		if (lie_in_first_page(&cq->ring, cq->pi, cq->log_size,
				      cq->log_cqe_size))
			lie_add_ghosts(card, buf_page(&cq->ring, 0)->addr, cq->pi,
				       cq->log_size, cq->log_cqe_size);
	}
}

void lie_reset(struct card *card)
{
	struct lie *lie = &card->lie;
	bool haunts = lie_choose(card, LIE_MEMORY) == LIE_DMA &&
		      card->guest.mem->enabled;

	env_timer_cancel(card->env, &lie->timer);
	lie->cqe_held = false;
	lie->eqe_held = false;
	lie->late = 0;
	lie->ghosts = 0;
	if (lie->config.until_reset)
		card_set_hook(card, CARD_LIES, false);
	/* The next run of timers: soon enough to precede the host's next step */
	if (haunts) {
		lie_remember_rings(card);
		env_timer_arm(card->env, &lie->timer, 0);
	}
}
