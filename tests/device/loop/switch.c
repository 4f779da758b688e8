// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A learning switch: addresses, the queue of frames, delivery, faults */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop/switch.h"

#define ETH_HDR_LEN 14
/* Frames that are announced to their receivers before the first of them */
#define AHEAD_MAX 8
/* Packets that a flush delivers before it drops the rest */
#define FLUSH_BUDGET 4096

/* A delayed packet, with a copy of its payload: the sender reuses the memory */
struct switch_delayed {
	struct list_head node;
	uint64_t due_ns;
	struct frame frame;
	uint8_t payload[];
};

static bool mac_is_multicast(const uint8_t *mac)
{
	return mac[0] & 1;
}

static bool mac_is_zero(const uint8_t *mac)
{
	static const uint8_t zero[MAC_LEN];

	return !memcmp(mac, zero, MAC_LEN);
}

static struct switch_entry *table_set(struct switch_dev *sw, const uint8_t *mac)
{
	uint32_t first;
	uint16_t last;

	/* One variable of both parts would be stored and loaded in other pieces */
	memcpy(&first, mac, sizeof(first));
	memcpy(&last, mac + sizeof(first), sizeof(last));
	/* The golden ratio spreads neighbouring addresses over the sets */
	return sw->table[((uint64_t)last << 32 | first) *
			 0x9e3779b97f4a7c15ULL >> 54];
}

_Static_assert(SWITCH_SETS == 1 << (64 - 54), "hash and table differ");

static struct switch_entry *table_find(struct switch_dev *sw,
				       const uint8_t *mac)
{
	struct switch_entry *set = table_set(sw, mac);
	unsigned int way;

	for (way = 0; way < SWITCH_WAYS; way++)
		if (set[way].port && !memcmp(set[way].mac, mac, MAC_LEN))
			return &set[way];
	return NULL;
}

/* Entry for a new address: a free one or the oldest, never that of a card */
static struct switch_entry *table_victim(struct switch_dev *sw,
					 const uint8_t *mac)
{
	struct switch_entry *set = table_set(sw, mac);
	struct switch_entry *victim = NULL;
	unsigned int way;

	for (way = 0; way < SWITCH_WAYS; way++) {
		if (!set[way].port)
			return &set[way];
		if (set[way].home)
			continue;
		if (!victim || set[way].seen_ns < victim->seen_ns)
			victim = &set[way];
	}
	return victim;
}

/* [ORNIC-DEV-19] What a checked port sends with, it is permitted to send with */
static bool may_take(const struct switch_entry *entry, const struct port *port)
{
	return !entry->home || entry->home == port || !entry->home->checked ||
	       port->checked;
}

static void table_learn(struct switch_dev *sw, const uint8_t *mac,
			struct port *port)
{
	struct switch_entry *entry;

	if (mac_is_multicast(mac) || port->unplugged)
		return;
	entry = table_find(sw, mac);
	if (entry && !may_take(entry, port))
		return;
	if (!entry) {
		entry = table_victim(sw, mac);
		if (!entry)
			return;
		memcpy(entry->mac, mac, MAC_LEN);
	}
	entry->port = port;
	entry->seen_ns = sw->now_ns;
}

/* Forget what was learned of a port. gone: and the port's own address */
static void table_forget(struct switch_dev *sw, const struct port *port, bool gone)
{
	struct switch_entry *entry = &sw->table[0][0];
	unsigned int i;

	for (i = 0; i < SWITCH_SETS * SWITCH_WAYS; i++) {
		if (gone && entry[i].home == port)
			entry[i].home = NULL;
		if (entry[i].port == port)
			entry[i].port = entry[i].home;
	}
}

void switch_init(struct switch_dev *sw)
{
	memset(sw, 0, sizeof(*sw));
	fault_init(&sw->fault);
	list_init(&sw->ports);
	list_init(&sw->sending);
	list_init(&sw->delayed);
}

void switch_uninit(struct switch_dev *sw)
{
	struct port *port;

	while (!list_empty(&sw->ports)) {
		port = list_first_entry(&sw->ports, struct port, node);
		switch_remove_port(port);
		port->ops->destroy(port);
	}
}

int switch_add_port(struct switch_dev *sw, struct port *port)
{
	struct switch_entry *entry = NULL;
	unsigned int i;

	if (!mac_is_zero(port->mac)) {
		entry = table_find(sw, port->mac);
		if (entry && entry->home)
			return -EEXIST;
		if (!entry)
			entry = table_victim(sw, port->mac);
		if (!entry)
			return -ENOSPC;
	}
	port->pool = calloc(SWITCH_PORT_FRAMES, sizeof(*port->pool));
	if (!port->pool)
		return -ENOMEM;
	list_init(&port->free);
	list_init(&port->queue);
	list_init(&port->sending);
	for (i = 0; i < SWITCH_PORT_FRAMES; i++)
		list_add_tail(&port->pool[i].node, &port->free);
	if (entry) {
		memcpy(entry->mac, port->mac, MAC_LEN);
		entry->home = port;
		entry->port = port;
	}
	port->sw = sw;
	list_add_tail(&port->node, &sw->ports);
	return 0;
}

/* Drop a port's frames from the queue. Return: their number. */
static unsigned int drop_queued(struct port *port)
{
	unsigned int count = 0;
	struct frame *frame;

	while (!list_empty(&port->queue)) {
		frame = list_first_entry(&port->queue, struct frame, node);
		list_del_init(&frame->node);
		port->queued -= frame->payload_len;
		switch_frame_free(port, frame);
		count++;
	}
	list_del_init(&port->sending);
	return count;
}

static void delayed_free(struct switch_dev *sw, struct switch_delayed *late)
{
	list_del_init(&late->node);
	sw->delayed_count--;
	free(late);
}

static unsigned int drop_delayed(struct port *port)
{
	struct list_head *node, *next;
	struct switch_delayed *late;
	unsigned int count = 0;

	list_for_each_safe(node, next, &port->sw->delayed) {
		late = list_entry(node, struct switch_delayed, node);
		if (late->frame.src != port)
			continue;
		delayed_free(port->sw, late);
		count++;
	}
	return count;
}

static void replace_payer(struct frame *frame, const struct port *gone)
{
	if (frame->payer == gone)
		frame->payer = frame->src;
}

static void replace_payers(struct switch_dev *sw, const struct port *gone)
{
	struct list_head *node, *at;
	struct port *port;

	list_for_each(node, &sw->delayed)
		replace_payer(&list_entry(node, struct switch_delayed, node)->frame, gone);
	list_for_each(node, &sw->ports) {
		port = list_entry(node, struct port, node);
		list_for_each(at, &port->queue)
			replace_payer(list_entry(at, struct frame, node), gone);
	}
}

void switch_remove_port(struct port *port)
{
	if (!port->sw)
		return;
	replace_payers(port->sw, port);
	port->sw->stats.flush_drops += drop_delayed(port);
	port->sw->stats.flush_drops += drop_queued(port);
	table_forget(port->sw, port, true);
	list_del_init(&port->node);
	port->sw = NULL;
	free(port->pool);
	port->pool = NULL;
}

void switch_plug(struct port *port, bool plugged)
{
	port->unplugged = !plugged;
	if (!plugged)
		table_forget(port->sw, port, false);
}

struct frame *switch_frame_alloc(struct port *port)
{
	struct frame *frame;

	if (list_empty(&port->free) || port->queued >= SWITCH_PORT_BYTES) {
		port->stats.no_frame++;
		return NULL;
	}
	frame = list_first_entry(&port->free, struct frame, node);
	list_del_init(&frame->node);
	frame->src = port;
	frame->payer = port;
	frame->flags = 0;
	frame->payload_len = 0;
	frame->hdr_len = 0;
	frame->trailer_len = 0;
	frame->iov_count = 0;
	frame->meta = 0;
	frame->hint = 0;
	return frame;
}

void switch_frame_free(struct port *port, struct frame *frame)
{
	list_add(&frame->node, &port->free);
}

void switch_tx(struct port *port, struct frame *frame)
{
	struct switch_dev *sw = port->sw;
	bool was_empty = list_empty(&sw->sending);

	if (port->unplugged) {
		switch_frame_free(port, frame);
		return;
	}
	port->stats.tx_packets++;
	port->stats.tx_bytes += frame_len(frame);
	port->queued += frame->payload_len;
	list_add_tail(&frame->node, &port->queue);
	if (list_empty(&port->sending))
		list_add_tail(&port->sending, &sw->sending);
	if (was_empty && sw->kick)
		sw->kick(sw->kick_arg);
}

struct port *switch_lookup(struct switch_dev *sw, const uint8_t *mac)
{
	struct switch_entry *entry;

	if (mac_is_multicast(mac))
		return NULL;
	entry = table_find(sw, mac);
	if (!entry)
		return NULL;
	if (sw->now_ns - entry->seen_ns > SWITCH_AGE_NS)
		entry->port = entry->home;
	return entry->port && !entry->port->unplugged ? entry->port : NULL;
}

bool switch_is_local(struct switch_dev *sw, const uint8_t *mac)
{
	const struct switch_entry *entry;

	if (sw->bytes)
		return false;
	/* Others than the card may receive at a learned address: its guest's VMs */
	entry = table_find(sw, mac);
	return entry && entry->port == entry->home && entry->port->is_card &&
	       !entry->port->bytes && !entry->port->unplugged;
}

bool switch_is_full(struct switch_dev *sw, const uint8_t *mac)
{
	const struct port *port = switch_lookup(sw, mac);

	return port && port->full;
}

void switch_room(struct switch_dev *sw)
{
	struct list_head *node;
	struct port *port;

	list_for_each(node, &sw->ports) {
		port = list_entry(node, struct port, node);
		if (port->ops->room)
			port->ops->room(port);
	}
}

/* Return: the port that a frame is for, or NULL when it goes to all others */
static struct port *receiver(struct switch_dev *sw, const struct frame *frame)
{
	if (frame->flags & FRAME_LOOPED)
		return frame->src;
	return switch_lookup(sw, frame->hdr);
}

static void deliver(struct switch_dev *sw, struct port *port,
		    const struct frame *frame)
{
	if (port->unplugged) {
		port->stats.drops++;
		return;
	}
	if (frame->flags & FRAME_LOCAL && !port->is_card) {
		sw->stats.local_leaks++;
		return;
	}
	sw->stats.delivered++;
	port->stats.rx_packets++;
	port->stats.rx_bytes += frame_len(frame);
	port->ops->rx(port, frame);
}

static void forward(struct switch_dev *sw, const struct frame *frame)
{
	struct list_head *node;
	struct port *port;

	if (frame->hdr_len < ETH_HDR_LEN) {
		sw->stats.runts++;
		return;
	}
	if (!(frame->flags & FRAME_LOOPED))
		table_learn(sw, frame->hdr + MAC_LEN, frame->src);
	if (sw->tap)
		sw->tap(sw->tap_arg, frame);
	port = receiver(sw, frame);
	if (port && port == frame->src && !(frame->flags & FRAME_LOOPED)) {
		sw->stats.filtered++;
		return;
	}
	if (port) {
		deliver(sw, port, frame);
		return;
	}
	if (frame->flags & FRAME_LOCAL && !mac_is_multicast(frame->hdr)) {
		sw->stats.local_leaks++;
		return;
	}
	sw->stats.flooded++;
	list_for_each(node, &sw->ports) {
		port = list_entry(node, struct port, node);
		if (port != frame->src)
			deliver(sw, port, frame);
	}
}

/* Flip a bit in header or trailer: the payload is the sender's memory */
static void corrupt(struct switch_dev *sw, struct frame *frame)
{
	unsigned int own = frame->hdr_len + frame->trailer_len;
	unsigned int at;

	if (frame->flags & FRAME_LOCAL || frame->hdr_len < ETH_HDR_LEN ||
	    own == ETH_HDR_LEN || !fault_happens(&sw->fault, FAULT_CORRUPT))
		return;
	at = ETH_HDR_LEN + rng_below(&sw->fault.rng, own - ETH_HDR_LEN);
	if (at < frame->hdr_len)
		frame->hdr[at] ^= 1 << rng_below(&sw->fault.rng, 8);
	else
		frame->trailer[at - frame->hdr_len] ^=
			1 << rng_below(&sw->fault.rng, 8);
}

/* Maybe delay a copy. Return: true when the frame must not be delivered now. */
static bool delay(struct switch_dev *sw, const struct frame *frame)
{
	struct switch_delayed *late;

	if (sw->delayed_count == SWITCH_DELAYED_MAX ||
	    !fault_happens(&sw->fault, FAULT_DELAY))
		return false;
	late = malloc(sizeof(*late) + frame->payload_len);
	if (!late)
		return false;
	late->frame = *frame;
	late->frame.iov_count = 0;
	late->frame.payload_len = 0;
	frame_read(frame, frame->hdr_len, late->payload, frame->payload_len);
	frame_add(&late->frame, late->payload, frame->payload_len);
	late->due_ns = sw->now_ns + FAULT_DELAY_NS;
	list_add_tail(&late->node, &sw->delayed);
	sw->delayed_count++;
	return true;
}

static bool is_allowed(struct switch_dev *sw, struct port *port)
{
	return !sw->allow || sw->allow(sw->allow_arg, port);
}

/* Let the payer of a frame pay. payer: of the previous frame. Return: the payer. */
static struct port *charge(struct switch_dev *sw, const struct frame *frame,
			   struct port *payer)
{
	if (frame->payer != payer && sw->pay)
		sw->pay(sw->allow_arg, frame->payer);
	return frame->payer;
}

static unsigned int deliver_late(struct switch_dev *sw, unsigned int budget)
{
	struct list_head *node, *next;
	struct switch_delayed *late;
	unsigned int done = 0;

	list_for_each_safe(node, next, &sw->delayed) {
		late = list_entry(node, struct switch_delayed, node);
		if (done == budget || late->due_ns > sw->now_ns)
			break;
		if (!is_allowed(sw, late->frame.src))
			continue;
		charge(sw, &late->frame, NULL);
		forward(sw, &late->frame);
		delayed_free(sw, late);
		done++;
	}
	return done;
}

uint64_t switch_next(const struct switch_dev *sw)
{
	if (list_empty(&sw->delayed))
		return UINT64_MAX;
	return list_first_entry(&sw->delayed, struct switch_delayed,
				node)->due_ns;
}

/*
 * Let receivers load what the next frames need, all at the same time. With
 * thousands of QPs each of the frames needs one that is in no cache.
 */
static void announce(struct port *port, unsigned int count)
{
	struct list_head *node;
	struct frame *frame;
	struct port *to;

	list_for_each(node, &port->queue) {
		if (!count--)
			break;
		frame = list_entry(node, struct frame, node);
		if (!frame->hint)
			continue;
		to = receiver(port->sw, frame);
		if (to && to->ops->soon)
			to->ops->soon(to, frame);
	}
}

/* Deliver a frame, with the faults of the wire */
static void pass(struct switch_dev *sw, struct frame *frame)
{
	if (frame->flags & FRAME_LOOPED) {
		forward(sw, frame);
		return;
	}
	if (fault_happens(&sw->fault, FAULT_LOSS) || delay(sw, frame))
		return;
	corrupt(sw, frame);
	forward(sw, frame);
	if (fault_happens(&sw->fault, FAULT_DUPLICATE))
		forward(sw, frame);
}

/* free: no payer is named */
static unsigned int run_port(struct port *port, unsigned int budget, bool free)
{
	struct switch_dev *sw = port->sw;
	struct port *payer = NULL;
	unsigned int done = 0;
	struct frame *frame;

	if (budget > 1)
		announce(port, budget < AHEAD_MAX ? budget : AHEAD_MAX);

	while (done < budget && !list_empty(&port->queue)) {
		frame = list_first_entry(&port->queue, struct frame, node);
		if (!free)
			payer = charge(sw, frame, payer);
		list_del_init(&frame->node);
		done++;
		/* Reordering needs a second frame */
		if (!list_empty(&port->queue) &&
		    !(frame->flags & FRAME_LOOPED) &&
		    fault_happens(&sw->fault, FAULT_REORDER)) {
			list_add_tail(&frame->node, &port->queue);
			continue;
		}
		pass(sw, frame);
		port->queued -= frame->payload_len;
		switch_frame_free(port, frame);
	}
	list_del_init(&port->sending);
	if (!list_empty(&port->queue))
		list_add_tail(&port->sending, &sw->sending);
	return done;
}

/* The port whose turn it is, or NULL */
static struct port *next_port(struct switch_dev *sw)
{
	struct list_head *node;
	struct port *port;

	list_for_each(node, &sw->sending) {
		port = list_entry(node, struct port, sending);
		if (is_allowed(sw, port))
			return port;
	}
	return NULL;
}

unsigned int switch_run(struct switch_dev *sw, unsigned int budget)
{
	unsigned int done = deliver_late(sw, budget);
	struct port *port;

	while (done < budget && (port = next_port(sw)))
		done += run_port(port, budget - done, false);
	return done;
}

void switch_flush(struct port *port)
{
	if (!port->sw)
		return;
	run_port(port, FLUSH_BUDGET, true);
	port->sw->stats.flush_drops += drop_queued(port);
}
