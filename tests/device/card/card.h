/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The interface of the card's core. The core knows neither sockets nor QEMU; it
 * reaches both through struct env. All calls come from one thread. No call
 * comes from within another call of the same card, with one exception:
 * env_tx_flush() may call card_rx() of any card, also of the one that flushes. A
 * frame given to env_tx() reaches card_rx() later in the same turn of the loop.
 */
#ifndef ORNIC_DEVICE_CARD_H
#define ORNIC_DEVICE_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include <ornic_hw_cmd.h>

#include "base/config.h"
#include "base/stats.h"
#include "env/env.h"
#include "env/frame.h"

struct card;
struct trace;

/**
 * card_create - create a card in its reset state
 * @config: copied
 * @env: environment of the card; outlives it
 *
 * Return: the card, or NULL when memory is short.
 */
struct card *card_create(const struct card_config *config, struct env *env);

/**
 * card_destroy - destroy a card
 * @card: the card or NULL
 */
void card_destroy(struct card *card);

/**
 * card_reset - reset for FLR, bus reset, CTRL.RESET or loss of the client
 * @card: the card
 *
 * From now on the card uses no guest memory, which may be gone already. It
 * destroys its objects in this call if they are few, otherwise in the next
 * calls of card_run() too, and STATUS.READY is 0 until then.
 */
void card_reset(struct card *card);

/**
 * card_bus_master - enable or disable accesses to guest memory, and interrupts
 * @card: the card
 * @enable: bus mastering is on, and the power state is D0. If not, the card
 *	becomes FATAL, unless there was nothing that it could do.
 */
void card_bus_master(struct card *card, bool enable);

/**
 * card_bar_read - read from a BAR
 * @card: the card
 * @bar: ORNIC_BAR_REGS (below CARD_REGS_SIZE only) or ORNIC_BAR_DB
 * @offset: inside the BAR, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: the value, in the low bytes; holes read 0
 */
void card_bar_read(struct card *card, unsigned int bar, uint64_t offset,
		   unsigned int size, uint64_t *val);

/**
 * card_bar_write - write to a BAR
 * @card: the card
 * @bar: ORNIC_BAR_REGS (below CARD_REGS_SIZE only) or ORNIC_BAR_DB
 * @offset: inside the BAR, a multiple of @size
 * @size: 1, 2, 4 or 8 bytes
 * @val: the value, in the low bytes
 *
 * The vCPU may wait for this call, and other vCPUs with it. So the call only
 * records the write and marks the card runnable; card_run() does the work.
 *
 * Return: true when the write reset the card, which costs much more than
 * recording a write.
 */
bool card_bar_write(struct card *card, unsigned int bar, uint64_t offset,
		    unsigned int size, uint64_t val);

/**
 * card_run - do a bounded amount of work
 * @card: the card
 *
 * One call handles some hundreds of work items or takes tens of microseconds,
 * so that a card cannot starve other cards or the sockets. The loop calls again
 * at once while any card returns true, and then for the spin time. Each call
 * also polls the words that the guest publishes in memory.
 *
 * Return: true when the call did any work.
 */
bool card_run(struct card *card);

/**
 * card_commands - tell commands from other work
 * @card: the card
 *
 * Return: a number that differs from earlier ones when card_run() has fetched a
 * command since then.
 */
uint32_t card_commands(const struct card *card);

/**
 * card_sleep_prepare - prepare for the event loop to sleep
 * @card: the card
 *
 * Stops watching queues and boards, so that the guest rings the doorbell again,
 * then (after a full barrier) looks at each of them once more ([ORNIC-DB-36]).
 *
 * Return: true when the loop may sleep; false when there is work, and then the
 * card counts as awake.
 */
bool card_sleep_prepare(struct card *card);

/**
 * card_wake - resume after a card_sleep_prepare() that returned true
 * @card: the card
 *
 * Called before the card runs, not at each wake-up of the loop: a card without
 * work stays asleep.
 */
void card_wake(struct card *card);

/**
 * card_rx - receive a frame from the switch
 * @card: the card
 * @frame: the frame; it and the memory that it refers to are valid during the
 *	call only
 *
 * The switch also delivers frames for other stations while it has not learned
 * their addresses: the card filters.
 *
 * Return: whether the frame has a receiver.
 */
bool card_rx(struct card *card, const struct frame *frame);

/**
 * card_rx_soon - begin to load what a frame needs that card_rx() gets soon
 * @card: the card
 * @frame: a FRAME_LOCAL frame; nothing depends on whether it comes
 */
void card_rx_soon(struct card *card, const struct frame *frame);

/**
 * card_room - resume when a full port of the switch has room again
 * @card: the card; QPs that waited for room (env_path_is_full()) continue
 */
void card_room(struct card *card);

/**
 * card_serve_again - resume responses to peers that had to wait
 * @card: the card; it looks at all those that env_serve() refused once more. The
 *	card does not sleep while there are any.
 */
void card_serve_again(struct card *card);

/**
 * card_link_changed - set the link state
 * @card: the card
 * @up: new state; the link of a new card is up
 */
void card_link_changed(struct card *card, bool up);

/**
 * card_stop - stop the card until the next reset (ORNIC_FATAL_INJECTED), to test
 *	the driver
 * @card: the card
 */
void card_stop(struct card *card);

/**
 * card_hold - keep the card in each reset from now on, to test the driver while
 *	it waits for READY
 * @card: the card, which announces the longest RESET_TIMEOUT while it is held
 * @hold: false to end a reset that goes on, and to let later ones end
 */
void card_hold(struct card *card, bool hold);

/**
 * card_is_idle - check whether the card has finished the reset that went on
 * @card: a card without a client
 *
 * Return: true when it may be destroyed, which takes a short time then.
 */
bool card_is_idle(const struct card *card);

/**
 * card_replace_payer - have another port pay for the responses of one that goes
 * @card: a card that may owe responses to @gone
 * @gone: the port, from which no more packets come
 * @heir: the port that pays
 */
void card_replace_payer(struct card *card, const struct port *gone, struct port *heir);

/**
 * card_lie - set what the card lies about from now on, to test the driver
 * @card: the card
 * @config: copied; without any kind the card is honest, as a new one is
 */
void card_lie(struct card *card, const struct lie_config *config);

/**
 * card_trace - add to a trace what happens to messages from now on, or no more
 * @card: the card
 * @ring: ring of the trace, which cards may share; NULL ends it
 * @number: number of the card in the records
 */
void card_trace(struct card *card, struct trace *ring, uint8_t number);

/**
 * card_clock_base - get the time of the environment at which CLOCK was 0
 * @card: the card
 *
 * Return: ns.
 */
uint64_t card_clock_base(const struct card *card);

/**
 * card_host - get what the host has told about itself
 * @card: the card
 *
 * Return: NULL before SET_HOST.
 */
const struct card_host *card_host(const struct card *card);

/**
 * card_stats - report all statistics
 * @card: the card
 * @fn: called for each
 * @arg: passed to @fn
 */
void card_stats(struct card *card, stat_fn fn, void *arg);

/**
 * struct card_qp - a QP or WQ, as its card knows it
 * @num: its number
 * @peer: QPN of the peer of a connected QP, else 0
 * @type: enum ornic_qp_type, 0 for a WQ
 * @state: enum ornic_qp_state
 * @sq_slots: size of the send queue in slots, 0 if there is none
 * @sq_used: slots with WQEs that are not complete
 * @rq_wqes: size of its own receive queue, 0 if there is none
 * @rq_used: receive WQEs in it, as far as the card has looked
 * @tx_bytes: payload sent
 * @sends: completed send WQEs
 * @rx_messages: messages executed as responder, 24 bits
 * @retransmits: packets sent again
 * @ack_timeouts: ACKs that did not come in time
 * @seq_naks_received: NAKs for a gap in the sequence
 * @rnr_naks_received: peers that had no receive WQE
 * @rnr_naks_sent: messages for which it had no receive WQE
 */
struct card_qp {
	uint32_t num;
	uint32_t peer;
	uint8_t type;
	uint8_t state;
	uint32_t sq_slots;
	uint32_t sq_used;
	uint32_t rq_wqes;
	uint32_t rq_used;
	uint64_t tx_bytes;
	uint32_t sends;
	uint32_t rx_messages;
	uint32_t retransmits;
	uint32_t ack_timeouts;
	uint32_t seq_naks_received;
	uint32_t rnr_naks_received;
	uint32_t rnr_naks_sent;
};

/**
 * card_next_qp - walk over the QPs and WQs of a card
 * @card: the card
 * @place: where to go on from, 0 at first; updated
 * @qp: filled
 *
 * Return: false when there is no further one.
 */
bool card_next_qp(const struct card *card, uint32_t *place, struct card_qp *qp);

#endif /* ORNIC_DEVICE_CARD_H */
