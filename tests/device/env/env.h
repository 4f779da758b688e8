/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Environment of a card's core: time, timers, random numbers, interrupts, guest
 * memory, the wire and the log. The core uses nothing else. process/slot.c implements it
 * for the program; unit tests have their own implementation.
 */
#ifndef ORNIC_DEVICE_ENV_H
#define ORNIC_DEVICE_ENV_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "env/frame.h"
#include "env/mem.h"
#include "env/timer.h"
#include "env/violation.h"

/* Frames that the core has in flight at most; they are delivered in order */
#define ENV_FRAMES_MAX 128

struct env;

/**
 * enum env_log_level - importance of a message
 * @ENV_LOG_ERR: malfunction of the card
 * @ENV_LOG_INFO: information for the user
 * @ENV_LOG_DEBUG: shown with -v only; all violations have this level
 */
enum env_log_level {
	ENV_LOG_ERR,
	ENV_LOG_INFO,
	ENV_LOG_DEBUG,
};

/**
 * struct env_ops - operations of the environment
 * @now_ns: get the monotonic time
 * @random: get 64 random bits
 * @irq_raise: fire an MSI-X vector, with bus mastering on. The environment
 *	handles masking. It drops the interrupt when the vector has no handler.
 * @mark_runnable: schedule a call of card_run()
 * @frame_alloc: get a frame to fill, or NULL: try again in the next card_run()
 * @frame_free: return a frame that was not sent
 * @tx: send a frame and take ownership of it; a FRAME_LOOPED one goes back to
 *	card_rx() of the same card
 * @tx_flush: release the memory that sent frames refer to, by delivering or
 *	dropping them. It may call card_rx(), so card_rx() must not call it.
 * @peer_is_local: does a unicast MAC belong to a NIC in this process, so that
 *	FRAME_LOCAL is allowed
 * @path_is_full: must a packet to this MAC wait, because the port on its way is
 *	full. card_room() is called when the port has room again.
 * @serve: begin to send responses to requests that came from this port, which
 *	pays for them until the next @serve or @serve_end. Returns false when
 *	its responses must wait until card_serve_again()
 * @serve_end: the card itself pays again
 * @want_bytes: forbid or allow FRAME_LOCAL in packets to this card
 * @unread: may the host have written to registers or doorbells what the card has
 *	not got yet
 * @log: log a message; @fmt has no newline
 */
struct env_ops {
	uint64_t (*now_ns)(struct env *env);
	uint64_t (*random)(struct env *env);
	void (*irq_raise)(struct env *env, unsigned int vector);
	void (*mark_runnable)(struct env *env);
	struct frame *(*frame_alloc)(struct env *env);
	void (*frame_free)(struct env *env, struct frame *frame);
	void (*tx)(struct env *env, struct frame *frame);
	void (*tx_flush)(struct env *env);
	bool (*peer_is_local)(struct env *env, const uint8_t *mac);
	bool (*path_is_full)(struct env *env, const uint8_t *mac);
	bool (*serve)(struct env *env, struct port *payer);
	void (*serve_end)(struct env *env);
	void (*want_bytes)(struct env *env, bool want);
	bool (*unread)(struct env *env);
	void (*log)(struct env *env, enum env_log_level level, const char *fmt,
		    va_list ap) __attribute__((format(printf, 3, 0)));
};

/**
 * struct env - environment of one card
 * @ops: operations
 * @mem: guest memory
 * @timers: timer wheel
 * @violations: counters by enum violation
 */
struct env {
	const struct env_ops *ops;
	struct mem *mem;
	struct timers *timers;
	uint64_t violations[VIOLATION_COUNT];
};

static inline uint64_t env_now_ns(struct env *env)
{
	return env->ops->now_ns(env);
}

/**
 * env_random - get a random number that guests cannot guess
 * @env: environment
 * @bound: not 0
 *
 * Return: a number below @bound. Small bounds make all numbers about equally
 * likely.
 */
static inline uint32_t env_random(struct env *env, uint32_t bound)
{
	return (env->ops->random(env) >> 32) * bound >> 32;
}

static inline void env_timer_arm(struct env *env, struct timer *timer,
				 uint64_t expires_ns)
{
	timer_arm(env->timers, timer, expires_ns);
}

static inline void env_timer_cancel(struct env *env, struct timer *timer)
{
	timer_cancel(env->timers, timer);
}

static inline void env_irq_raise(struct env *env, unsigned int vector)
{
	env->ops->irq_raise(env, vector);
}

static inline void env_mark_runnable(struct env *env)
{
	env->ops->mark_runnable(env);
}

static inline struct frame *env_frame_alloc(struct env *env)
{
	return env->ops->frame_alloc(env);
}

static inline void env_frame_free(struct env *env, struct frame *frame)
{
	env->ops->frame_free(env, frame);
}

static inline void env_tx(struct env *env, struct frame *frame)
{
	env->ops->tx(env, frame);
}

static inline void env_tx_flush(struct env *env)
{
	env->ops->tx_flush(env);
}

static inline bool env_peer_is_local(struct env *env, const uint8_t *mac)
{
	return env->ops->peer_is_local(env, mac);
}

static inline bool env_path_is_full(struct env *env, const uint8_t *mac)
{
	return env->ops->path_is_full(env, mac);
}

static inline bool env_serve(struct env *env, struct port *payer)
{
	return env->ops->serve(env, payer);
}

static inline void env_serve_end(struct env *env)
{
	env->ops->serve_end(env);
}

static inline void env_want_bytes(struct env *env, bool want)
{
	env->ops->want_bytes(env, want);
}

static inline bool env_unread(struct env *env)
{
	return env->ops->unread(env);
}

/**
 * env_log - log a message
 * @env: environment
 * @level: importance
 * @fmt: as for printf(), without newline and full stop
 */
void env_log(struct env *env, enum env_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * env_violation - count and log a violation
 * @env: environment
 * @v: kind of violation
 * @fmt: details: object number, value seen, reaction
 *
 * Counts every violation but logs only the first ones of each kind, so that a
 * guest cannot fill a disk.
 */
void env_violation(struct env *env, enum violation v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* ORNIC_DEVICE_ENV_H */
