/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A port of the switch: a card of this process, or a way out of the process
 * (QEMU's dgram netdev, TAP).
 */
#ifndef ORNIC_DEVICE_PORT_H
#define ORNIC_DEVICE_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "env/frame.h"

#define MAC_LEN 6
#define PORT_PERMITTED_MAX 8

struct port;
struct share;
struct switch_dev;

/**
 * struct port_spoofcheck - which source addresses a port may send with
 * @on: only its own one and @permitted ([ORNIC-DEV-19])
 * @permitted: further addresses
 * @permitted_count: number of @permitted
 */
struct port_spoofcheck {
	bool on;
	uint8_t permitted[PORT_PERMITTED_MAX][MAC_LEN];
	unsigned int permitted_count;
};

/**
 * port_may_send - check the source address of a frame
 * @check: what the port may send with
 * @own: its own address
 * @source: the source address
 *
 * Return: true if it may.
 */
static inline bool port_may_send(const struct port_spoofcheck *check,
				 const uint8_t *own, const uint8_t *source)
{
	unsigned int i;

	if (!check->on || !memcmp(source, own, MAC_LEN))
		return true;
	for (i = 0; i < check->permitted_count; i++)
		if (!memcmp(source, check->permitted[i], MAC_LEN))
			return true;
	return false;
}

/**
 * struct port_ops - operations of a kind of port
 * @rx: receive a frame from the switch. The frame and the memory that it refers
 *	to belong to the caller and are valid during the call only. May
 *	transmit, which only queues. Cannot refuse: a port drops and counts a
 *	frame that it cannot take.
 * @soon: a FRAME_LOCAL frame is next but a few, so begin to load what it needs;
 *	nothing else may happen. NULL for ports that are no NIC
 * @room: a port that was full has room again; NULL for ports that are no NIC
 * @destroy: free the port, which the switch has removed before
 */
struct port_ops {
	void (*rx)(struct port *port, const struct frame *frame);
	void (*soon)(struct port *port, const struct frame *frame);
	void (*room)(struct port *port);
	void (*destroy)(struct port *port);
};

/**
 * struct port_stats - counters of every port
 * @tx_packets: packets from the port into the switch
 * @tx_bytes: bytes on the wire of @tx_packets
 * @rx_packets: packets from the switch to the port
 * @rx_bytes: bytes on the wire of @rx_packets
 * @drops: packets from the switch that the port could not take
 * @no_frame: allocations that found no free frame
 * @refused: packets from outside that were too long, or had the wrong sender
 *	or source address
 */
struct port_stats {
	uint64_t tx_packets;
	uint64_t tx_bytes;
	uint64_t rx_packets;
	uint64_t rx_bytes;
	uint64_t drops;
	uint64_t no_frame;
	uint64_t refused;
};

/**
 * struct port - the part common to all kinds
 * @ops: operations of this kind of port
 * @name: name in statistics and messages
 * @is_card: a NIC of this process: it may get FRAME_LOCAL frames, and the switch
 *	delivers a frame to its own address back to it
 * @full: frames wait here; NICs should send none to it until switch_room()
 * @checked: the port sends with its own address and permitted ones only, and its
 *	address moves only to other such ports ([ORNIC-DEV-19])
 * @unplugged: the cable is unplugged, see switch_plug()
 * @bytes: the port gets no FRAME_LOCAL frames, but real wire bytes only
 * @mac: the port's own address in the switch; all zero for learned ones only
 * @share: pays for the delivery of what the port sends; NULL: it is free
 * @sw: the switch, NULL when not plugged in
 * @node: in the switch's list of ports
 * @pool: SWITCH_PORT_FRAMES frames, allocated by switch_add_port()
 * @free: free frames of @pool, the last used first
 * @queue: frames to deliver, in order
 * @sending: in the switch's list of ports with a queue, or unlinked
 * @queued: payload in @queue, bytes
 * @stats: counters
 */
struct port {
	const struct port_ops *ops;
	const char *name;
	bool is_card;
	bool full;
	bool checked;
	bool unplugged;
	bool bytes;
	uint8_t mac[MAC_LEN];
	struct share *share;
	struct switch_dev *sw;
	struct list_head node;
	struct frame *pool;
	struct list_head free;
	struct list_head queue;
	struct list_head sending;
	uint64_t queued;
	struct port_stats stats;
};

#endif /* ORNIC_DEVICE_PORT_H */
