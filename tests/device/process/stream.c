// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A capture for a client of the control socket */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "loop/switch.h"
#include "process/stream.h"

/* A reader lags by this much, so that a system call takes many packets */
#define STREAM_WAIT_NS (10ULL * 1000 * 1000)
/* Limit of one stream_send(), bytes */
#define STREAM_SEND (256u << 10)

/* Numbers of pcapng (draft-ietf-opsawg-pcapng); the order of bytes is the host's */
#define BLOCK_PACKET 6
#define BLOCK_JOURNAL 9
#define OPTION_END 0
#define OPTION_DROPCOUNT 4

/* Enhanced Packet Block up to the packet */
struct packet_head {
	uint32_t type;
	uint32_t length;
	uint32_t interface;
	uint32_t time_high;
	uint32_t time_low;
	uint32_t captured;
	uint32_t original;
};

/* Its options, if packets were lost before */
struct packet_lost {
	uint16_t code;
	uint16_t length;
	uint32_t count[2];
	uint32_t end;
};

struct journal_head {
	uint32_t type;
	uint32_t length;
};

/**
 * struct stream - a capture
 * @loop: event loop with the switch
 * @share: pays for the copies
 * @stats: counters of all captures
 * @ready: called by @timer when blocks wait
 * @arg: passed to @ready
 * @timer: collects blocks
 * @snaplen: bytes of each packet to keep
 * @head: bytes sent so far, runs free
 * @tail: bytes written so far, runs free
 * @unreported: packets lost since the latest block
 * @tap: the tap before, which still sees each packet
 * @tap_arg: its argument
 * @bytes: value in the switch before
 * @packet: the current packet
 * @ring: blocks that wait
 */
struct stream {
	struct loop *loop;
	struct share share;
	struct stream_stats *stats;
	void (*ready)(void *arg);
	void *arg;
	struct timer timer;
	uint32_t snaplen;
	uint32_t head;
	uint32_t tail;
	uint64_t unreported;
	void (*tap)(void *arg, const struct frame *frame);
	void *tap_arg;
	bool bytes;
	uint8_t packet[STREAM_SNAPLEN_MAX];
	uint8_t ring[STREAM_RING];
};

static uint64_t wall_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

static uint32_t padding(uint32_t len)
{
	return -len & 3;
}

static bool has_room(const struct stream *stream, uint32_t len)
{
	return len <= STREAM_RING - (stream->tail - stream->head);
}

static void put(struct stream *stream, const void *data, uint32_t len)
{
	uint32_t at = stream->tail % STREAM_RING;
	uint32_t first = STREAM_RING - at;

	if (first > len)
		first = len;
	memcpy(stream->ring + at, data, first);
	memcpy(stream->ring, (const uint8_t *)data + first, len - first);
	stream->tail += len;
}

static void put_padded(struct stream *stream, const void *data, uint32_t len)
{
	static const uint8_t zeros[4];

	put(stream, data, len);
	put(stream, zeros, padding(len));
}

static void tell_ready(struct stream *stream)
{
	if (!timer_armed(&stream->timer))
		timer_arm(&stream->loop->timers, &stream->timer,
			  stream->loop->now_ns + STREAM_WAIT_NS);
}

static void stream_timer(struct timer *timer)
{
	struct stream *stream = container_of(timer, struct stream, timer);

	stream->ready(stream->arg);
}

static uint32_t port_number(const struct port *port)
{
	const struct list_head *node;
	uint32_t number = 0;

	for (node = port->sw->ports.next; node != &port->node; node = node->next)
		number++;
	return number;
}

static void write_packet(struct stream *stream, const struct frame *frame)
{
	uint32_t len = frame_len(frame);
	uint64_t now_ns = wall_clock_ns();
	struct packet_head head = {
		.type = BLOCK_PACKET,
		.interface = port_number(frame->src),
		.time_high = now_ns >> 32,
		.time_low = now_ns,
		.captured = len < stream->snaplen ? len : stream->snaplen,
		.original = len,
	};
	struct packet_lost lost = {
		.code = OPTION_DROPCOUNT,
		.length = sizeof(lost.count),
		.end = OPTION_END,
	};
	uint32_t options = stream->unreported ? sizeof(lost) : 0;

	head.length = sizeof(head) + head.captured + padding(head.captured) +
		      options + sizeof(head.length);
	if (!has_room(stream, head.length)) {
		stream->unreported++;
		stream->stats->lost++;
		return;
	}
	frame_read(frame, 0, stream->packet, head.captured);
	put(stream, &head, sizeof(head));
	put_padded(stream, stream->packet, head.captured);
	memcpy(lost.count, &stream->unreported, sizeof(lost.count));
	put(stream, &lost, options);
	put(stream, &head.length, sizeof(head.length));
	stream->unreported = 0;
	stream->stats->packets++;
	tell_ready(stream);
}

static void stream_packet(void *arg, const struct frame *frame)
{
	struct stream *stream = arg;
	struct loop *loop = stream->loop;
	struct share *payer = loop->shares.payer;

	if (stream->tap)
		stream->tap(stream->tap_arg, frame);
	/* One that was on its way when the capture began has no wire bytes */
	if (frame->flags & FRAME_LOCAL ||
	    !shares_allow(&loop->shares, &stream->share)) {
		stream->unreported++;
		stream->stats->lost++;
		return;
	}
	loop_pay(loop, &stream->share);
	write_packet(stream, frame);
	loop_pay(loop, payer);
}

void stream_note(struct stream *stream, const char *fmt, ...)
{
	struct journal_head head = { .type = BLOCK_JOURNAL };
	char line[STREAM_NOTE_MAX], text[STREAM_NOTE_MAX + 128];
	va_list ap;
	uint32_t len;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	len = snprintf(text, sizeof(text),
		       "__REALTIME_TIMESTAMP=%llu\nPRIORITY=5\n"
		       "SYSLOG_IDENTIFIER=ornic-device\nMESSAGE=%s\n",
		       (unsigned long long)wall_clock_ns() / 1000, line);
	head.length = sizeof(head) + len + padding(len) + sizeof(head.length);
	if (!has_room(stream, head.length))
		return;
	put(stream, &head, sizeof(head));
	put_padded(stream, text, len);
	put(stream, &head.length, sizeof(head.length));
	tell_ready(stream);
}

int stream_send(struct stream *stream, int fd)
{
	uint32_t limit = STREAM_SEND, at, len;
	ssize_t sent;

	while (limit && stream->head != stream->tail) {
		at = stream->head % STREAM_RING;
		len = stream->tail - stream->head;
		if (len > STREAM_RING - at)
			len = STREAM_RING - at;
		if (len > limit)
			len = limit;
		sent = send(fd, stream->ring + at, len,
			    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0)
			return errno == EAGAIN ? 1 : -errno;
		stream->head += sent;
		limit -= sent;
	}
	return stream->head != stream->tail;
}

struct stream *stream_start(struct loop *loop, uint32_t snaplen,
			    struct stream_stats *stats,
			    void (*ready)(void *arg), void *arg)
{
	struct switch_dev *sw = &loop->sw;
	struct stream *stream;

	stream = malloc(sizeof(*stream));
	if (!stream)
		return NULL;
	stream->loop = loop;
	shares_add(&loop->shares, &stream->share);
	stream->snaplen = snaplen;
	stream->stats = stats;
	stream->ready = ready;
	stream->arg = arg;
	timer_init(&stream->timer, stream_timer);
	stream->head = 0;
	stream->tail = 0;
	stream->unreported = 0;
	stream->tap = sw->tap;
	stream->tap_arg = sw->tap_arg;
	stream->bytes = sw->bytes;
	sw->tap = stream_packet;
	sw->tap_arg = stream;
	sw->bytes = true;
	stats->running = true;
	return stream;
}

void stream_stop(struct stream *stream)
{
	struct switch_dev *sw;

	if (!stream)
		return;
	sw = &stream->loop->sw;
	sw->tap = stream->tap;
	sw->tap_arg = stream->tap_arg;
	sw->bytes = stream->bytes;
	stream->stats->running = false;
	timer_cancel(&stream->loop->timers, &stream->timer);
	shares_remove(&stream->loop->shares, &stream->share);
	free(stream);
}
