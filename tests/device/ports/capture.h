/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Packet capture: every packet on the switch, once, into a pcap file */
#ifndef ORNIC_DEVICE_CAPTURE_H
#define ORNIC_DEVICE_CAPTURE_H

#include "env/log.h"
#include "loop/loop.h"

struct capture;

/**
 * capture_create - write the packets of a loop's switch to a file
 * @loop: event loop that contains the switch
 * @log: log for messages
 * @path: file to write; existing contents are lost
 * @out: the capture
 *
 * Return: 0, or a negative errno after logging a message.
 */
int capture_create(struct loop *loop, const struct log *log, const char *path,
		   struct capture **out);

/**
 * capture_flush - write all packets that were captured until now
 * @capture: the capture
 */
void capture_flush(struct capture *capture);

/**
 * capture_destroy - undo capture_create(); the file is then complete
 * @capture: the capture or NULL
 */
void capture_destroy(struct capture *capture);

#endif /* ORNIC_DEVICE_CAPTURE_H */
