/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a card's core may ask of its surroundings, and nothing else: time,
 * timers, interrupts, guest memory, the wire, a word in the log. card.c is the
 * real one; unit tests bring their own.
 */
#ifndef ORNIC_DEVICE_ENV_H
#define ORNIC_DEVICE_ENV_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "mem.h"
#include "timer.h"
#include "violation.h"

struct env;

/**
 * enum env_log_level - how important a message is
 * @ENV_LOG_ERR: the card does not work as it should
 * @ENV_LOG_INFO: something a person watching wants to know
 * @ENV_LOG_DEBUG: shown with -v only; all violations are of this level
 */
enum env_log_level {
	ENV_LOG_ERR,
	ENV_LOG_INFO,
	ENV_LOG_DEBUG,
};

/**
 * struct env_ops - the surroundings
 * @now_ns: monotonic time
 * @irq_raise: fire an MSI-X vector; masking is none of the core's business. A
 *	vector without a handler, or bus mastering off, drops it.
 * @mark_runnable: call nic_run() soon
 * @frame_alloc: a frame to fill, or NULL: try again in the next nic_run()
 * @frame_free: give back a frame that was not sent
 * @tx: send; the frame is gone afterwards
 * @tx_flush: let go of the memory that frames sent before refer to: deliver or
 *	drop them. May lead to nic_rx(); not to be called from within it
 * @peer_is_local: does this unicast MAC belong to a NIC in this process, so that
 *	FRAME_LOCAL may be used
 * @path_is_full: should a packet to this MAC wait: the port on its way is full.
 *	nic_room() is called when it is no longer
 * @want_bytes: from now on no packet to this card is FRAME_LOCAL, or it may be
 * @log: say something; @fmt has no newline
 */
struct env_ops {
	uint64_t (*now_ns)(struct env *env);
	void (*irq_raise)(struct env *env, unsigned int vector);
	void (*mark_runnable)(struct env *env);
	struct frame *(*frame_alloc)(struct env *env);
	void (*frame_free)(struct env *env, struct frame *frame);
	void (*tx)(struct env *env, struct frame *frame);
	void (*tx_flush)(struct env *env);
	bool (*peer_is_local)(struct env *env, const uint8_t *mac);
	bool (*path_is_full)(struct env *env, const uint8_t *mac);
	void (*want_bytes)(struct env *env, bool want);
	void (*log)(struct env *env, enum env_log_level level, const char *fmt,
		    va_list ap) __attribute__((format(printf, 3, 0)));
};

/**
 * struct env - surroundings of one card
 * @ops: how
 * @mem: guest memory
 * @timers: the wheel; the same for all cards of a process
 * @violations: how often each happened, by enum violation
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

static inline void env_want_bytes(struct env *env, bool want)
{
	env->ops->want_bytes(env, want);
}

/**
 * env_log - say something
 * @env: surroundings
 * @level: how important
 * @fmt: as printf(), no newline, no full stop
 */
void env_log(struct env *env, enum env_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * env_violation - somebody did what must not be done
 * @env: surroundings
 * @v: what
 * @fmt: the particulars: object number, value seen, what is done about it
 *
 * Counts always; logs the first ones of each kind only, so that a guest cannot
 * fill a disk.
 */
void env_violation(struct env *env, enum violation v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* ORNIC_DEVICE_ENV_H */
