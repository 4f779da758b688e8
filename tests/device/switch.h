/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire between the ports: a learning switch. VLAN tags are carried and not
 * looked at. Packets are queued and delivered from the event loop, so that no
 * port is entered from within another.
 */
#ifndef ORNIC_DEVICE_SWITCH_H
#define ORNIC_DEVICE_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "frame.h"
#include "port.h"

/* Undelivered frames one port may have: nobody can take all of them. */
#define SWITCH_PORT_FRAMES 128
/* Payload that they may refer to: delivery copies it, which takes time. */
#define SWITCH_PORT_BYTES (8u << 20)
#define SWITCH_SETS 1024
#define SWITCH_WAYS 4
#define SWITCH_AGE_NS (300ULL * 1000 * 1000 * 1000)
/* Packets that FAULT_DELAY holds at a time; further ones are not held. */
#define SWITCH_DELAYED_MAX 1024

/**
 * struct switch_entry - where a MAC address was seen
 * @mac: the address
 * @fixed: put there by switch_add_port(), neither aged nor moved
 * @port: where; NULL for a free entry
 * @seen_ns: when last
 */
struct switch_entry {
	uint8_t mac[MAC_LEN];
	bool fixed;
	struct port *port;
	uint64_t seen_ns;
};

/**
 * struct switch_stats - what the switch counts
 * @delivered: packets handed to a port, one for each copy of a flood
 * @flooded: packets sent to all ports
 * @filtered: packets whose destination is where they came from
 * @runts: packets too short for an Ethernet header
 * @local_leaks: FRAME_LOCAL packets that would have had to leave the process
 * @flush_drops: packets dropped because their payload went away
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
 * @ports: struct port list
 * @queue: frames to deliver, in order
 * @delayed: struct switch_delayed list, in the order they are due
 * @delayed_count: length of @delayed
 * @now_ns: what time it is, set by whoever calls switch_run()
 * @bytes: nobody is local: all packets are real wire bytes
 * @fault: what may happen to packets
 * @tap: sees each packet once, before delivery (packet capture); may be NULL
 * @tap_arg: for @tap
 * @kick: called when the queue stops being empty; may be NULL
 * @kick_arg: for @kick
 * @table: learned addresses
 * @stats: counters
 */
struct switch_dev {
	struct list_head ports;
	struct list_head queue;
	struct list_head delayed;
	unsigned int delayed_count;
	uint64_t now_ns;
	bool bytes;
	struct fault fault;
	void (*tap)(void *arg, const struct frame *frame);
	void *tap_arg;
	void (*kick)(void *arg);
	void *kick_arg;
	struct switch_entry table[SWITCH_SETS][SWITCH_WAYS];
	struct switch_stats stats;
};

/**
 * switch_init - make a switch without ports
 * @sw: the switch
 */
void switch_init(struct switch_dev *sw);

/**
 * switch_uninit - unplug and destroy all ports still plugged in
 * @sw: the switch
 */
void switch_uninit(struct switch_dev *sw);

/**
 * switch_add_port - plug in
 * @sw: the switch
 * @port: with ops, name, is_nic and mac filled in
 *
 * Return: 0; -EEXIST when another port has the same address; -ENOMEM when its
 * frames cannot be allocated; -ENOSPC when its set of the table has only fixed
 * entries.
 */
int switch_add_port(struct switch_dev *sw, struct port *port);

/**
 * switch_remove_port - unplug, dropping the frames it has in the queue
 * @port: plugged in or not
 */
void switch_remove_port(struct port *port);

/**
 * switch_frame_alloc - take a frame to fill
 * @port: the port that is going to send it
 *
 * Return: a frame with nothing in it, or NULL when the port has
 * SWITCH_PORT_FRAMES or SWITCH_PORT_BYTES underway: try again after the queue was delivered, that is
 * in the next nic_run().
 */
struct frame *switch_frame_alloc(struct port *port);

/**
 * switch_frame_free - give back a frame that was not sent
 * @port: the port that allocated it
 * @frame: the frame
 */
void switch_frame_free(struct port *port, struct frame *frame);

/**
 * switch_tx - send
 * @port: where the packet enters the switch
 * @frame: from switch_frame_alloc() of the same port; the switch's from now on
 */
void switch_tx(struct port *port, struct frame *frame);

/**
 * switch_lookup - where an address is
 * @sw: the switch
 * @mac: unicast address
 *
 * Return: the port, or NULL when unknown.
 */
struct port *switch_lookup(struct switch_dev *sw, const uint8_t *mac);

/**
 * switch_is_local - does a unicast address belong to a NIC of this process
 * @sw: the switch
 * @mac: unicast address
 *
 * Return: true when payload may be sent by reference and in one piece.
 */
bool switch_is_local(struct switch_dev *sw, const uint8_t *mac);

/**
 * switch_is_full - should a NIC wait with a packet
 * @sw: the switch
 * @mac: where to. Packets to groups and to unknown addresses never wait
 *
 * Return: true when the port there is full; port_ops.room() is called when it
 * is no longer.
 */
bool switch_is_full(struct switch_dev *sw, const uint8_t *mac);

/**
 * switch_room - a port is no longer full
 * @sw: the switch
 *
 * All NICs try again what they wait with.
 */
void switch_room(struct switch_dev *sw);

/**
 * switch_run - deliver what is queued
 * @sw: the switch
 * @budget: how many packets at most; delivery makes new ones (ACKs)
 *
 * Return: how many were delivered.
 */
unsigned int switch_run(struct switch_dev *sw, unsigned int budget);

/**
 * switch_next - when something comes that is not queued
 * @sw: the switch
 *
 * Return: ns, when switch_run() has to deliver a packet that was delayed, or
 * UINT64_MAX.
 */
uint64_t switch_next(const struct switch_dev *sw);

/**
 * switch_flush - let go of everything a port's packets refer to
 * @port: the port whose memory is about to change
 *
 * Delivers what is queued, within bounds, and drops the port's packets that
 * still remain. Never called from within rx.
 */
void switch_flush(struct port *port);

#endif /* ORNIC_DEVICE_SWITCH_H */
