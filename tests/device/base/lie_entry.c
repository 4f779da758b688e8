// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lies: which one is told when, and what is wrong in an entry */
#include <endian.h>
#include <string.h>

#include "base/lie_entry.h"
#include "base/state.h"

#define LIE_DELAY_MAX_NS (100ULL * 1000 * 1000)

void lie_set(struct card *card, const struct lie_config *config)
{
	struct lie *lie = &card->lie;

	lie->config = *config;
	lie->left = config->count;
	card_set_hook(card, CARD_LIES, lie_is_any(config));
	rng_seed(&lie->rng, config->seed);
	if (lie_on(card))
		env_log(card->env, ENV_LOG_INFO,
			"lies from now on, rate %u ppm, seed %llu", config->ppm,
			(unsigned long long)config->seed);
	else
		env_log(card->env, ENV_LOG_INFO, "lies no more");
}

enum lie_kind lie_choose(struct card *card, enum lie_place place)
{
	struct lie *lie = &card->lie;
	enum lie_kind kinds[LIE_KINDS];
	unsigned int kind, n = 0;

	if (!lie_on(card) || !card->enabled || card->fatal || !card->port.up)
		return LIE_NONE;
	for (kind = 0; kind < LIE_KINDS; kind++)
		if (lie->config.at[kind] >> place & 1)
			kinds[n++] = kind;
	if (!n || rng_below(&lie->rng, LIE_ALWAYS) >= lie->config.ppm)
		return LIE_NONE;
	return kinds[rng_below(&lie->rng, n)];
}

void lie_told(struct card *card, enum lie_kind kind, enum lie_place place)
{
	struct lie *lie = &card->lie;

	if (kind == LIE_NONE)
		return;
	lie->told[kind][place]++;
	if (lie->left && !--lie->left)
		card_set_hook(card, CARD_LIES, false);
}

/*
 * A difference to a value, never 0: as likely a small one, which leads to a
 * neighbour, as any. The mask has at least its low 3 bits set.
 */
static uint64_t lie_difference(struct rng *rng, uint64_t mask)
{
	uint64_t any = rng_bits(rng) & mask;

	return any && rng_below(rng, 2) ? any : 1 + rng_below(rng, 7);
}

void lie_fill(struct rng *rng, void *p, size_t len)
{
	uint64_t bits;
	size_t i;

	for (i = 0; i < len; i += sizeof(uint32_t)) {
		bits = rng_bits(rng) >> 32;
		memcpy((char *)p + i, &bits, sizeof(uint32_t));
	}
}

uint32_t lie_number(struct card *card, uint32_t num)
{
	return num ^ lie_difference(&card->lie.rng, UINT32_MAX);
}

/* ---- entries ---- */

enum lie_kind lie_command(struct card *card, struct ornic_cmd_cqe *cqe,
			  bool has_output)
{
	enum lie_kind kind = lie_choose(card, LIE_COMMAND);
	struct rng *rng = &card->lie.rng;

	switch (kind) {
	case LIE_PHASE:
		cqe->ctl ^= htole32(ORNIC_CMD_CQE_PHASE);
		break;
	case LIE_INDEX:
		cqe->cmd_id ^= htole16(lie_difference(rng, UINT16_MAX));
		break;
	case LIE_LENGTH:
		cqe->out_len ^= htole32(lie_difference(rng, UINT32_MAX));
		break;
	case LIE_NUMBER:
		/* The caller changes the output */
		return has_output ? kind : LIE_NONE;
	case LIE_STATUS:
		cqe->status = cqe->status ? 0 :
			      htole16(lie_difference(rng, UINT16_MAX));
		break;
	case LIE_NONSENSE:
		lie_fill(rng, cqe, sizeof(*cqe));
		cqe->ctl &= htole32(~ORNIC_CMD_CQE_PHASE);
		break;
	case LIE_ONES:
		memset(cqe, 0xff, sizeof(*cqe));
		cqe->ctl &= htole32(~ORNIC_CMD_CQE_PHASE);
		break;
	default:
		break;
	}
	return kind;
}

enum lie_kind lie_event(struct card *card, struct ornic_eqe *eqe)
{
	enum lie_kind kind = lie_choose(card, LIE_EVENT);
	struct rng *rng = &card->lie.rng;

	switch (kind) {
	case LIE_PHASE:
		eqe->ctl ^= htole32(ORNIC_EQE_PHASE);
		break;
	case LIE_NUMBER:
		eqe->num ^= htole32(lie_difference(rng, UINT32_MAX));
		break;
	case LIE_TYPE:
		eqe->ctl ^= htole32(lie_difference(rng, ORNIC_EQE_TYPE));
		break;
	case LIE_ORDER:
		return card->lie.eqe_held ? LIE_NONE : kind;
	case LIE_NONSENSE:
		lie_fill(rng, eqe, sizeof(*eqe));
		eqe->ctl &= htole32(~ORNIC_EQE_PHASE);
		break;
	case LIE_ONES:
		memset(eqe, 0xff, sizeof(*eqe));
		eqe->ctl &= htole32(~ORNIC_EQE_PHASE);
		break;
	default:
		break;
	}
	return kind;
}

void lie_spurious_event(struct card *card, struct ornic_eqe *eqe)
{
	static const uint8_t types[] = {
		ORNIC_EVENT_COMP, ORNIC_EVENT_CQ_ERR, ORNIC_EVENT_QP_FATAL,
		ORNIC_EVENT_QP_REQ_ERR, ORNIC_EVENT_QP_ACCESS_ERR,
		ORNIC_EVENT_QP_COMM_EST, ORNIC_EVENT_QP_SQ_DRAINED,
		ORNIC_EVENT_QP_LAST_WQE, ORNIC_EVENT_SRQ_LIMIT,
		ORNIC_EVENT_SRQ_ERR, ORNIC_EVENT_WQ_FATAL,
		ORNIC_EVENT_WQ_DELAY_DROP, ORNIC_EVENT_PORT_UP,
		ORNIC_EVENT_PORT_DOWN, ORNIC_EVENT_DEVICE_FATAL,
		/* Reserved for later versions ([ORNIC-ROOM-3]) */
		64,
	};
	struct rng *rng = &card->lie.rng;

	/* Low numbers are likely to be those of objects */
	*eqe = (struct ornic_eqe){
		.num = htole32(rng_below(rng, 2) ? rng_below(rng, 64) :
			       rng_bits(rng)),
		.ctl = htole32(types[rng_below(rng, ARRAY_SIZE(types))]),
	};
}

enum lie_kind lie_completion(struct card *card, struct ornic_cqe *cqe)
{
	enum lie_kind kind = lie_choose(card, LIE_COMPLETION);
	struct rng *rng = &card->lie.rng;

	switch (kind) {
	case LIE_PHASE:
		cqe->qpn ^= htole32(ORNIC_CQE_PHASE);
		break;
	case LIE_INDEX:
		cqe->wr_id ^= htole64(lie_difference(rng, UINT64_MAX));
		break;
	case LIE_LENGTH:
		cqe->byte_len ^= htole32(lie_difference(rng, UINT32_MAX));
		break;
	case LIE_NUMBER:
		cqe->qpn ^= htole32(lie_difference(rng, ORNIC_CQE_QPN));
		break;
	case LIE_STATUS:
		cqe->status = cqe->status ? 0 :
			      htole32(lie_difference(rng, UINT32_MAX));
		break;
	case LIE_TYPE:
		cqe->opcode ^= htole32(lie_difference(rng, UINT32_MAX));
		break;
	case LIE_ORDER:
		return card->lie.cqe_held ? LIE_NONE : kind;
	case LIE_NONSENSE:
		lie_fill(rng, cqe, sizeof(*cqe));
		cqe->qpn &= htole32(~ORNIC_CQE_PHASE);
		break;
	case LIE_ONES:
		memset(cqe, 0xff, sizeof(*cqe));
		cqe->qpn &= htole32(~ORNIC_CQE_PHASE);
		break;
	default:
		break;
	}
	return kind;
}

/* ---- delays ---- */

static void lie_arm(struct card *card)
{
	struct lie *lie = &card->lie;
	uint64_t delay_ns;

	if (timer_armed(&lie->timer))
		return;
	delay_ns = rng_below(&lie->rng, LIE_DELAY_MAX_NS);
	env_timer_arm(card->env, &lie->timer, env_now_ns(card->env) + delay_ns);
}

void lie_hold_cqe(struct card *card, uint32_t cqn, const struct ornic_cqe *cqe,
		  const struct ornic_cqe_ext *ext, bool solicited)
{
	struct lie *lie = &card->lie;

	lie->cqe = *cqe;
	lie->has_ext = ext;
	if (ext)
		lie->ext = *ext;
	lie->solicited = solicited;
	lie->cqn = cqn;
	lie->cqe_held = true;
	lie_arm(card);
}

void lie_hold_eqe(struct card *card, uint32_t eqn, const struct ornic_eqe *eqe)
{
	struct lie *lie = &card->lie;

	lie->eqe = *eqe;
	lie->eqn = eqn;
	lie->eqe_held = true;
	lie_arm(card);
}

bool lie_cqe_due(struct card *card, uint32_t cqn)
{
	struct lie *lie = &card->lie;

	if (!lie->cqe_held || lie->cqn != cqn)
		return false;
	lie->cqe_held = false;
	return true;
}

bool lie_eqe_due(struct card *card, uint32_t eqn)
{
	struct lie *lie = &card->lie;

	if (!lie->eqe_held || lie->eqn != eqn)
		return false;
	lie->eqe_held = false;
	return true;
}

/* ---- interrupts and registers ---- */

void lie_irq(struct card *card, unsigned int vector)
{
	struct lie *lie = &card->lie;
	enum lie_kind kind = lie_choose(card, LIE_INTERRUPT);

	if (kind == LIE_LATE) {
		lie->late |= 1ULL << vector;
		lie_arm(card);
	} else if (kind != LIE_SILENCE) {
		env_irq_raise(card->env, vector);
	}
	if (kind == LIE_SPURIOUS)
		env_irq_raise(card->env, rng_below(&lie->rng, card->vectors));
	lie_told(card, kind, LIE_INTERRUPT);
}

uint64_t lie_register(struct card *card, unsigned int size, uint64_t val)
{
	enum lie_kind kind = lie_choose(card, LIE_REGISTER);

	if (kind == LIE_NONSENSE)
		val = rng_bits(&card->lie.rng);
	else if (kind == LIE_ONES)
		val = UINT64_MAX;
	lie_told(card, kind, LIE_REGISTER);
	return val & UINT64_MAX >> (64 - 8 * size);
}
