// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lies: which one is told when, and what is wrong in an entry */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "cq.h"
#include "lie.h"

#define LIE_DELAY_MAX_NS (100ULL * 1000 * 1000)
#define LIE_NAME_MAX 64

static const struct {
	const char *label;
	unsigned int places;
	const char *help;
} lie_table[LIE_KINDS] = {
#define L(id, name, at, text) \
	[LIE_##id] = { .label = name, .places = at, .help = name ": " text },
	LIES(L)
#undef L
};

static const char *const lie_places[LIE_PLACES] = {
#define P(id, name) [LIE_##id] = name,
	LIE_PLACE_LIST(P)
#undef P
};

const char *lie_help(unsigned int i)
{
	return i < LIE_KINDS ? lie_table[i].help : NULL;
}

/* ---- configuration ---- */

static bool lie_parse_number(const char *text, uint64_t max, uint64_t *out)
{
	unsigned long long val;
	char *end;

	errno = 0;
	val = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || val > max)
		return false;
	*out = val;
	return true;
}

static const char *lie_parse_setting(struct lie_config *config,
				     const char *name, const char *val)
{
	uint64_t ppm;

	if (!strcmp(name, "rate")) {
		if (!lie_parse_number(val, LIE_ALWAYS, &ppm))
			return "the rate must be 0 to 1000000 ppm";
		config->ppm = ppm;
		return NULL;
	}
	if (!strcmp(name, "seed"))
		return lie_parse_number(val, UINT64_MAX, &config->seed) ?
			NULL : "the seed must be a number of 64 bits";
	if (!strcmp(name, "count"))
		return lie_parse_number(val, UINT64_MAX, &config->count) ?
			NULL : "the count must be a number of 64 bits";
	if (!strcmp(name, "until") && !strcmp(val, "reset")) {
		config->until_reset = true;
		return NULL;
	}
	return "no such setting of lies";
}

/* @place: a place, or NULL for all places of the kind */
static const char *lie_parse_label(struct lie_config *config, const char *label,
				   const char *place)
{
	unsigned int kind, i;

	for (kind = 0; kind < LIE_KINDS; kind++)
		if (!strcmp(lie_table[kind].label, label))
			break;
	if (kind == LIE_KINDS)
		return "no such lie";
	if (!place) {
		config->at[kind] = lie_table[kind].places;
		return NULL;
	}
	for (i = 0; i < LIE_PLACES; i++)
		if (lie_table[kind].places >> i & 1 &&
		    !strcmp(lie_places[i], place)) {
			config->at[kind] |= 1u << i;
			return NULL;
		}
	return "this lie is not told there";
}

static const char *lie_parse_word(struct lie_config *config, char *word)
{
	char *rest = strpbrk(word, "=.");
	unsigned int kind;
	char mark;

	if (rest) {
		mark = *rest;
		*rest++ = '\0';
		return mark == '=' ? lie_parse_setting(config, word, rest) :
				     lie_parse_label(config, word, rest);
	}
	if (!strcmp(word, "none"))
		return NULL;
	if (strcmp(word, "all"))
		return lie_parse_label(config, word, NULL);
	for (kind = 0; kind < LIE_KINDS; kind++)
		config->at[kind] = lie_table[kind].places;
	return NULL;
}

const char *lie_parse(struct lie_config *config, char *text)
{
	const char *reason = NULL;
	char *word, *rest;

	*config = (struct lie_config){ .ppm = LIE_ALWAYS };
	for (word = strtok_r(text, ",", &rest); word && !reason;
	     word = strtok_r(NULL, ",", &rest))
		reason = lie_parse_word(config, word);
	return reason;
}

bool lie_is_any(const struct lie_config *config)
{
	unsigned int kind;

	for (kind = 0; kind < LIE_KINDS; kind++)
		if (config->at[kind])
			return true;
	return false;
}

void nic_lie(struct nic *nic, const struct lie_config *config)
{
	struct lie *lie = &nic->lie;

	lie->config = *config;
	lie->left = config->count;
	lie->on = lie_is_any(config);
	rng_seed(&lie->rng, config->seed);
	if (lie->on)
		env_log(nic->env, ENV_LOG_INFO,
			"lies from now on, rate %u ppm, seed %llu", config->ppm,
			(unsigned long long)config->seed);
	else
		env_log(nic->env, ENV_LOG_INFO, "lies no more");
}

/* ---- decisions ---- */

static enum lie_kind lie_choose(struct nic *nic, enum lie_place place)
{
	struct lie *lie = &nic->lie;
	enum lie_kind kinds[LIE_KINDS];
	unsigned int kind, n = 0;

	if (!lie->on || !nic->enabled || nic->fatal || !nic->port.up)
		return LIE_NONE;
	for (kind = 0; kind < LIE_KINDS; kind++)
		if (lie->config.at[kind] >> place & 1)
			kinds[n++] = kind;
	if (!n || rng_below(&lie->rng, LIE_ALWAYS) >= lie->config.ppm)
		return LIE_NONE;
	return kinds[rng_below(&lie->rng, n)];
}

void lie_told(struct nic *nic, enum lie_kind kind, enum lie_place place)
{
	struct lie *lie = &nic->lie;

	if (kind == LIE_NONE)
		return;
	lie->told[kind][place]++;
	if (lie->left && !--lie->left)
		lie->on = false;
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

static void lie_fill(struct rng *rng, void *p, size_t len)
{
	uint64_t bits;
	size_t i;

	for (i = 0; i < len; i += sizeof(uint32_t)) {
		bits = rng_bits(rng) >> 32;
		memcpy((char *)p + i, &bits, sizeof(uint32_t));
	}
}

uint32_t lie_number(struct nic *nic, uint32_t num)
{
	return num ^ lie_difference(&nic->lie.rng, UINT32_MAX);
}

/* ---- entries ---- */

enum lie_kind lie_command(struct nic *nic, struct ornic_cmd_cqe *cqe,
			  bool has_output)
{
	enum lie_kind kind = lie_choose(nic, LIE_COMMAND);
	struct rng *rng = &nic->lie.rng;

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

enum lie_kind lie_event(struct nic *nic, struct ornic_eqe *eqe)
{
	enum lie_kind kind = lie_choose(nic, LIE_EVENT);
	struct rng *rng = &nic->lie.rng;

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
		return nic->lie.eqe_held ? LIE_NONE : kind;
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

void lie_spurious_event(struct nic *nic, struct ornic_eqe *eqe)
{
	static const uint8_t types[] = {
		ORNIC_EVENT_COMP, ORNIC_EVENT_CQ_ERR, ORNIC_EVENT_QP_FATAL,
		ORNIC_EVENT_QP_REQ_ERR, ORNIC_EVENT_QP_ACCESS_ERR,
		ORNIC_EVENT_QP_COMM_EST, ORNIC_EVENT_QP_SQ_DRAINED,
		ORNIC_EVENT_QP_PATH_MIG, ORNIC_EVENT_QP_PATH_MIG_ERR,
		ORNIC_EVENT_QP_LAST_WQE, ORNIC_EVENT_SRQ_LIMIT,
		ORNIC_EVENT_SRQ_ERR, ORNIC_EVENT_WQ_FATAL,
		ORNIC_EVENT_WQ_DELAY_DROP, ORNIC_EVENT_PORT_UP,
		ORNIC_EVENT_PORT_DOWN, ORNIC_EVENT_DEVICE_FATAL,
		ORNIC_EVENT_PAGE_REQUEST,
	};
	struct rng *rng = &nic->lie.rng;

	/* Low numbers are likely to be those of objects */
	*eqe = (struct ornic_eqe){
		.num = htole32(rng_below(rng, 2) ? rng_below(rng, 64) :
			       rng_bits(rng)),
		.ctl = htole32(types[rng_below(rng, ARRAY_SIZE(types))]),
	};
}

enum lie_kind lie_completion(struct nic *nic, struct ornic_cqe *cqe)
{
	enum lie_kind kind = lie_choose(nic, LIE_COMPLETION);
	struct rng *rng = &nic->lie.rng;

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
		return nic->lie.cqe_held ? LIE_NONE : kind;
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

static void lie_arm(struct nic *nic)
{
	struct lie *lie = &nic->lie;
	uint64_t delay_ns;

	if (timer_armed(&lie->timer))
		return;
	delay_ns = rng_below(&lie->rng, LIE_DELAY_MAX_NS);
	env_timer_arm(nic->env, &lie->timer, env_now_ns(nic->env) + delay_ns);
}

void lie_hold_cqe(struct nic *nic, uint32_t cqn, const struct ornic_cqe *cqe,
		  const struct ornic_cqe_ext *ext, bool solicited)
{
	struct lie *lie = &nic->lie;

	lie->cqe = *cqe;
	lie->has_ext = ext;
	if (ext)
		lie->ext = *ext;
	lie->solicited = solicited;
	lie->cqn = cqn;
	lie->cqe_held = true;
	lie_arm(nic);
}

void lie_hold_eqe(struct nic *nic, uint32_t eqn, const struct ornic_eqe *eqe)
{
	struct lie *lie = &nic->lie;

	lie->eqe = *eqe;
	lie->eqn = eqn;
	lie->eqe_held = true;
	lie_arm(nic);
}

bool lie_cqe_due(struct nic *nic, uint32_t cqn)
{
	struct lie *lie = &nic->lie;

	if (!lie->cqe_held || lie->cqn != cqn)
		return false;
	lie->cqe_held = false;
	return true;
}

bool lie_eqe_due(struct nic *nic, uint32_t eqn)
{
	struct lie *lie = &nic->lie;

	if (!lie->eqe_held || lie->eqn != eqn)
		return false;
	lie->eqe_held = false;
	return true;
}

/* Write into memory that the host has not taken back yet, or try to */
static void lie_haunt(struct nic *nic)
{
	struct lie *lie = &nic->lie;
	uint32_t entry[sizeof(struct ornic_cqe) / sizeof(uint32_t)];
	const struct lie_ghost *ghost;
	uint32_t *last;

	for (ghost = lie->ghost; ghost < lie->ghost + lie->ghosts; ghost++) {
		lie_fill(&lie->rng, entry, sizeof(entry));
		last = &entry[ghost->len / sizeof(uint32_t) - 1];
		*last = htole32((le32toh(*last) & ~ORNIC_CQE_PHASE) |
				ghost->phase);
		if (!mem_write(nic->guest.mem, ghost->addr, entry, ghost->len))
			lie_told(nic, LIE_DMA, LIE_MEMORY);
	}
	lie->ghosts = 0;
}

/* Objects may be gone by now, and others may have their numbers */
static void lie_timer(struct timer *timer)
{
	struct nic *nic = container_of(timer, struct nic, lie.timer);
	struct lie *lie = &nic->lie;
	struct cq *cq = cq_find(nic, lie->cqn);
	struct eq *eq = eq_find(nic, lie->eqn);
	unsigned int vector;

	lie_haunt(nic);
	/* Rings are out of reach while bus mastering is off */
	if (nic->fatal || !nic->guest.mem->enabled)
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
			env_irq_raise(nic->env, vector);
}

void lie_init(struct nic *nic)
{
	rng_seed(&nic->lie.rng, 0);
	timer_init(&nic->lie.timer, lie_timer);
}

void lie_uninit(struct nic *nic)
{
	env_timer_cancel(nic->env, &nic->lie.timer);
}

/* ---- a reset ---- */

static void lie_add_ghosts(struct nic *nic, gaddr_t ring, uint32_t pi,
			   unsigned int log_size, unsigned int log_entry)
{
	struct lie *lie = &nic->lie;
	unsigned int i;

	for (i = 0; i < LIE_GHOST_ENTRIES; i++, pi++) {
		if (lie->ghosts == ARRAY_SIZE(lie->ghost))
			return;
		lie->ghost[lie->ghosts++] = (struct lie_ghost){
			.addr = ring + ((gaddr_t)(pi & ((1u << log_size) - 1))
					<< log_entry),
			.len = log_entry < 5 ? 16 : 32,
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

static void lie_remember_rings(struct nic *nic)
{
	struct admin *admin = &nic->admin;
	struct obj *obj;
	struct eq *eq;
	struct cq *cq;
	uint32_t i = 0;

	lie_add_ghosts(nic, admin->cq_addr, admin->cq_pi,
		       __builtin_ctz(admin->depth), 4);
	while ((obj = obj_each(&nic->eqs, &i))) {
		eq = container_of(obj, struct eq, obj);
		if (lie_in_first_page(&eq->ring, eq->pi, eq->log_size, 5))
			lie_add_ghosts(nic, eq->ring.page[0].addr, eq->pi,
				       eq->log_size, 5);
	}
	i = 0;
	while ((obj = obj_each(&nic->cqs, &i))) {
		cq = container_of(obj, struct cq, obj);
		if (lie_in_first_page(&cq->ring, cq->pi, cq->log_size,
				      cq->log_cqe_size))
			lie_add_ghosts(nic, cq->ring.page[0].addr, cq->pi,
				       cq->log_size, cq->log_cqe_size);
	}
}

void lie_reset(struct nic *nic)
{
	struct lie *lie = &nic->lie;
	bool haunts = lie_choose(nic, LIE_MEMORY) == LIE_DMA &&
		      nic->guest.mem->enabled;

	env_timer_cancel(nic->env, &lie->timer);
	lie->cqe_held = false;
	lie->eqe_held = false;
	lie->late = 0;
	lie->ghosts = 0;
	if (lie->config.until_reset)
		lie->on = false;
	/* The next run of timers: soon enough to precede the host's next step */
	if (haunts) {
		lie_remember_rings(nic);
		env_timer_arm(nic->env, &lie->timer, 0);
	}
}

/* ---- interrupts, registers, statistics ---- */

void lie_irq(struct nic *nic, unsigned int vector)
{
	struct lie *lie = &nic->lie;
	enum lie_kind kind = lie_choose(nic, LIE_INTERRUPT);

	if (kind == LIE_LATE) {
		lie->late |= 1ULL << vector;
		lie_arm(nic);
	} else if (kind != LIE_SILENCE) {
		env_irq_raise(nic->env, vector);
	}
	if (kind == LIE_SPURIOUS)
		env_irq_raise(nic->env, rng_below(&lie->rng, nic->vectors));
	lie_told(nic, kind, LIE_INTERRUPT);
}

uint64_t lie_register(struct nic *nic, unsigned int size, uint64_t val)
{
	enum lie_kind kind = lie_choose(nic, LIE_REGISTER);

	if (kind == LIE_NONSENSE)
		val = rng_bits(&nic->lie.rng);
	else if (kind == LIE_ONES)
		val = UINT64_MAX;
	lie_told(nic, kind, LIE_REGISTER);
	return val & UINT64_MAX >> (64 - 8 * size);
}

void lie_stats(const struct nic *nic,
	       void (*fn)(void *arg, const char *name, uint64_t value),
	       void *arg)
{
	char name[LIE_NAME_MAX];
	unsigned int kind, place;

	for (kind = 0; kind < LIE_KINDS; kind++)
		for (place = 0; place < LIE_PLACES; place++) {
			if (!(lie_table[kind].places >> place & 1))
				continue;
			snprintf(name, sizeof(name), "lies.%s.%s",
				 lie_table[kind].label, lie_places[place]);
			fn(arg, name, nic->lie.told[kind][place]);
		}
}
