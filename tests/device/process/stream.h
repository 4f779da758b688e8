/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A capture for a client of the control socket: blocks of pcapng, in memory until
 * the client takes them. The capture pays for the copies with a share of the loop's
 * time, and packets are lost to it, but not to guests, when that is used up or when
 * the client reads too slowly. While a capture runs all packets are real wire
 * bytes, as with --bytes.
 *
 * The stream has Enhanced Packet Blocks, whose interface is the number of the port
 * in the order of the switch's list, and for events (stream_note()) systemd Journal
 * Export Blocks. The client writes the headers before.
 */
#ifndef ORNIC_DEVICE_STREAM_H
#define ORNIC_DEVICE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "env/timer.h"
#include "loop/loop.h"

#define STREAM_SNAPLEN_MAX 65535
/* Bytes that wait for the client */
#define STREAM_RING (4u << 20)
/* Longest line of stream_note() */
#define STREAM_NOTE_MAX 256

struct stream;

/**
 * struct stream_stats - counters of all captures
 * @running: there is one now
 * @packets: packets captured
 * @lost: packets that were not, for want of time or room
 */
struct stream_stats {
	bool running;
	uint64_t packets;
	uint64_t lost;
};

/**
 * stream_start - start a capture
 * @loop: event loop with the switch
 * @snaplen: bytes of each packet to keep
 * @stats: counters to increment
 * @ready: called some milliseconds after the first block for an empty stream
 * @arg: passed to @ready
 *
 * Return: the capture, or NULL when memory is short.
 */
struct stream *stream_start(struct loop *loop, uint32_t snaplen,
			    struct stream_stats *stats,
			    void (*ready)(void *arg), void *arg);

/**
 * stream_stop - end a capture; what the client has not taken is lost
 * @stream: the capture or NULL
 */
void stream_stop(struct stream *stream);

/**
 * stream_note - add an event that is no packet
 * @stream: the capture
 * @fmt: as for printf(): a line without newline
 */
void stream_note(struct stream *stream, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * stream_send - send a bounded part of what waits
 * @stream: the capture
 * @fd: socket of the client
 *
 * Return: 1 when more waits, 0 when nothing does, or a negative errno.
 */
int stream_send(struct stream *stream, int fd);

#endif /* ORNIC_DEVICE_STREAM_H */
