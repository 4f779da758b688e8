/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A port: something plugged into the switch, a NIC's wire side or a way out of
 * the process (QEMU's dgram netdev, TAP).
 */
#ifndef ORNIC_DEVICE_PORT_H
#define ORNIC_DEVICE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

#define MAC_LEN 6

struct port;
struct switch_dev;

/**
 * struct port_ops - what a kind of port does
 * @rx: take a packet from the switch. The frame and everything it refers to
 *	belong to the caller and are valid during the call only. May transmit,
 *	which only queues. Cannot refuse: what it cannot take it drops and counts.
 * @room: of a NIC: a port that was full takes packets again; else NULL
 * @destroy: free the port; the switch has forgotten it already
 */
struct port_ops {
	void (*rx)(struct port *port, const struct frame *frame);
	void (*room)(struct port *port);
	void (*destroy)(struct port *port);
};

/**
 * struct port_stats - what every port counts
 * @tx_packets: from the port into the switch
 * @tx_bytes: the same, wire bytes
 * @rx_packets: from the switch to the port
 * @rx_bytes: the same, wire bytes
 * @drops: from the switch, but the port could not take it
 * @no_frame: the port wanted to send and had no frame left
 */
struct port_stats {
	uint64_t tx_packets;
	uint64_t tx_bytes;
	uint64_t rx_packets;
	uint64_t rx_bytes;
	uint64_t drops;
	uint64_t no_frame;
};

/**
 * struct port - the part common to all kinds
 * @ops: the kind
 * @name: for statistics and messages
 * @is_nic: a NIC of this process: FRAME_LOCAL may go there, and a packet to
 *	itself is delivered back to it
 * @full: packets wait here, and NICs should send it no more until switch_room()
 * @bytes: it is not local: all packets to it are real wire bytes
 * @mac: address that the switch always finds here; all zero when only learning
 * @sw: the switch it is plugged into, NULL when none
 * @node: in the switch's list of ports
 * @pool: its SWITCH_PORT_FRAMES frames, allocated by switch_add_port()
 * @free: those that are in no use, the latest used first
 * @queued: bytes of payload in the queue of the switch
 * @stats: counters
 */
struct port {
	const struct port_ops *ops;
	const char *name;
	bool is_nic;
	bool full;
	bool bytes;
	uint8_t mac[MAC_LEN];
	struct switch_dev *sw;
	struct list_head node;
	struct frame *pool;
	struct list_head free;
	uint64_t queued;
	struct port_stats stats;
};

#endif /* ORNIC_DEVICE_PORT_H */
