/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire between the ports: a learning switch. It carries VLAN tags and
 * ignores them. The event loop delivers queued packets, so no port is entered
 * from within another one, except through switch_flush().
 */
#ifndef ORNIC_DEVICE_SWITCH_H
#define ORNIC_DEVICE_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "env/env.h"
#include "env/frame.h"
#include "env/port.h"
#include "loop/fault.h"

/* Frames of a port, which limit its undelivered packets */
#define SWITCH_PORT_FRAMES ENV_FRAMES_MAX
/* Limit of undelivered payload per port, bytes: its delivery takes time */
#define SWITCH_PORT_BYTES (8u << 20)
#define SWITCH_SETS 1024
#define SWITCH_WAYS 4
#define SWITCH_AGE_NS (300ULL * 1000 * 1000 * 1000)
/* Packets that FAULT_DELAY holds at a time; further ones are not delayed */
#define SWITCH_DELAYED_MAX 1024

/**
 * struct switch_entry - an entry of the address table
 * @mac: the address
 * @home: card that has the address by switch_add_port(), or NULL. It gets the
 *	address back when another port that sent with it is silent or gone
 * @port: port of the address; NULL for a free entry
 * @seen_ns: time when the address was last seen, ns
 */
struct switch_entry {
	uint8_t mac[MAC_LEN];
	struct port *home;
	struct port *port;
	uint64_t seen_ns;
};

/**
 * struct switch_stats - counters of the switch
 * @delivered: packets handed to a port, one for each copy of a flood
 * @flooded: packets sent to all ports
 * @filtered: packets to the port that they came from
 * @runts: packets too short for an Ethernet header
 * @local_leaks: FRAME_LOCAL packets dropped at a port that leaves the process, or
 *	because their receiver has been unplugged
 * @flush_drops: packets dropped because their memory or port went away
 */
struct switch_stats {
	uint64_t delivered;
	uint64_t flooded;
	uint64_t filtered;
	uint64_t runts;
	uint64_t local_leaks;
	uint64_t flush_drops;
};

/**
 * struct switch_dev - the switch
 * @ports: list of struct port
 * @sending: list of struct port whose queues have frames, in the order of their
 *	turns
 * @delayed: list of struct switch_delayed, in the order they are due
 * @delayed_count: length of @delayed
 * @now_ns: current time, ns, set by the caller of switch_run()
 * @bytes: no FRAME_LOCAL: all packets are real wire bytes
 * @fault: faults injected into delivery
 * @tap: sees each packet once, before delivery (packet capture); may be NULL
 * @tap_arg: passed to @tap
 * @allow: called before a port's packets are delivered; returns false to leave
 *	them in its queue. NULL allows all.
 * @pay: names the port that pays for the deliveries that come; may be NULL
 * @allow_arg: passed to @allow and @pay
 * @kick: called when the first packet is queued; may be NULL
 * @kick_arg: passed to @kick
 * @table: address table
 * @stats: counters
 */
struct switch_dev {
	struct list_head ports;
	struct list_head sending;
	struct list_head delayed;
	unsigned int delayed_count;
	uint64_t now_ns;
	bool bytes;
	struct fault fault;
	void (*tap)(void *arg, const struct frame *frame);
	void *tap_arg;
	bool (*allow)(void *arg, struct port *port);
	void (*pay)(void *arg, struct port *port);
	void *allow_arg;
	void (*kick)(void *arg);
	void *kick_arg;
	struct switch_entry table[SWITCH_SETS][SWITCH_WAYS];
	struct switch_stats stats;
};

/**
 * switch_init - initialise a switch without ports
 * @sw: the switch
 */
void switch_init(struct switch_dev *sw);

/**
 * switch_uninit - unplug and destroy all ports still plugged in
 * @sw: the switch
 */
void switch_uninit(struct switch_dev *sw);

/**
 * switch_add_port - plug a port into the switch
 * @sw: the switch
 * @port: port with ops, name, is_card and mac set
 *
 * Return: 0; -EEXIST when another port has the same address; -ENOMEM when
 * memory for the frames is short; -ENOSPC when the set of the address table has
 * only entries of cards.
 */
int switch_add_port(struct switch_dev *sw, struct port *port);

/**
 * switch_remove_port - unplug a port and drop its queued frames
 * @port: plugged in or not. The senders pay for their frames that name it as @payer
 */
void switch_remove_port(struct port *port);

/**
 * switch_plug - plug or pull the cable of a port
 * @port: a port of the switch
 * @plugged: false: packets are dropped in both directions, except those that are
 *	queued, and no address belongs to the port
 */
void switch_plug(struct port *port, bool plugged);

/**
 * switch_frame_alloc - allocate a frame
 * @port: the sending port
 *
 * Return: an empty frame, or NULL when SWITCH_PORT_FRAMES or SWITCH_PORT_BYTES
 * of the port wait for delivery: try again after that, in the next card_run().
 */
struct frame *switch_frame_alloc(struct port *port);

/**
 * switch_frame_free - free a frame that was not sent
 * @port: the port that allocated it
 * @frame: the frame
 */
void switch_frame_free(struct port *port, struct frame *frame);

/**
 * switch_tx - send a frame
 * @port: the sending port
 * @frame: frame from switch_frame_alloc() of the same port; belongs to the
 *	switch now, which drops it when the cable is unplugged
 */
void switch_tx(struct port *port, struct frame *frame);

/**
 * switch_lookup - look up the port of an address
 * @sw: the switch
 * @mac: unicast address
 *
 * Return: the port, or NULL when it is unknown.
 */
struct port *switch_lookup(struct switch_dev *sw, const uint8_t *mac);

/**
 * switch_is_local - check whether an address belongs to a NIC of this process
 * @sw: the switch
 * @mac: unicast address
 *
 * Return: true when FRAME_LOCAL may be used.
 */
bool switch_is_local(struct switch_dev *sw, const uint8_t *mac);

/**
 * switch_is_full - check whether a NIC must hold a packet back
 * @sw: the switch
 * @mac: destination
 *
 * Return: true when the port of this address is full; port_ops.room() is called
 * when it has room again. Packets that go to all ports wait for none of them.
 */
bool switch_is_full(struct switch_dev *sw, const uint8_t *mac);

/**
 * switch_room - announce that a port has room again
 * @sw: the switch
 *
 * Calls port_ops.room() of all ports, so that their NICs resume.
 */
void switch_room(struct switch_dev *sw);

/**
 * switch_run - deliver delayed and queued packets
 * @sw: the switch
 * @budget: limit of packets; delivery causes new ones, such as ACKs
 *
 * The packets of a port keep their order. Ports take turns, as long as @budget.
 *
 * Return: number of packets taken from the queues.
 */
unsigned int switch_run(struct switch_dev *sw, unsigned int budget);

/**
 * switch_next - time when the next delayed packet is due
 * @sw: the switch
 *
 * Return: ns, or UINT64_MAX when no packet is delayed.
 */
uint64_t switch_next(const struct switch_dev *sw);

/**
 * switch_flush - release all memory that a port's packets refer to
 * @port: port whose memory is about to change
 *
 * Delivers a bounded number of the port's packets and drops those that remain.
 * Must not be called from within rx.
 */
void switch_flush(struct port *port);

#endif /* ORNIC_DEVICE_SWITCH_H */
