/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Field parser for rules and hashes: reads the header fields of a frame, and of
 * a packet that is encapsulated in it. flow.h is faster but only locates IP and
 * L4.
 */
#ifndef ORNIC_DEVICE_FLOW_KEY_H
#define ORNIC_DEVICE_FLOW_KEY_H

#include <ornic_hw_cmd.h>

#include "env/frame.h"

/**
 * enum flow_key_ports - headers of a key that have ports, which may be 0
 * @FLOW_KEY_OUTER_PORTS: struct ornic_flow_key's @outer
 * @FLOW_KEY_INNER_PORTS: struct ornic_flow_key's @inner
 */
enum flow_key_ports {
	FLOW_KEY_OUTER_PORTS = 1 << 0,
	FLOW_KEY_INNER_PORTS = 1 << 1,
};

/**
 * flow_key - read the header fields of a frame
 * @frame: not FRAME_LOCAL; only headers in @frame->hdr are read
 * @key: filled; a header that is truncated or has an invalid length counts as
 *	absent
 *
 * Return: mask of enum flow_key_ports.
 */
unsigned int flow_key(const struct frame *frame, struct ornic_flow_key *key);

#endif /* ORNIC_DEVICE_FLOW_KEY_H */
