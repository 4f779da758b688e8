// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "stream.h"

/* A multiple of 3, so that base64 has no padding inside a longer text */
#define CHUNK_BYTES (3 * 4096)

void put_base64(FILE *port, const unsigned char *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char b[3];
	size_t i;

	for (i = 0; i < n; i += 3) {
		b[0] = bytes[i];
		b[1] = i + 1 < n ? bytes[i + 1] : 0;
		b[2] = i + 2 < n ? bytes[i + 2] : 0;
		putc(digits[b[0] >> 2], port);
		putc(digits[(b[0] & 3) << 4 | b[1] >> 4], port);
		putc(i + 1 < n ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=', port);
		putc(i + 2 < n ? digits[b[2] & 63] : '=', port);
	}
}

struct stream *stream_create(void)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	int fds[2], i;

	for (i = 0; i < STREAMS; i++) {
		/* The program's end blocks, as programs expect it */
		if (!stream || pipe2(fds, O_CLOEXEC) || fcntl(fds[0], F_SETFL, O_NONBLOCK))
			abort();
		stream->in[i] = fds[0];
		stream->out[i] = fds[1];
	}
	return stream;
}

/* In the program's process */
void stream_connect(const struct stream *stream)
{
	int i;

	for (i = 0; i < STREAMS; i++)
		dup2(stream->out[i], i + 1);
}

void stream_started(struct stream *stream)
{
	int i;

	for (i = 0; i < STREAMS; i++)
		close(stream->out[i]);
}

/* Send what the program has written. Return: whether there was anything. */
bool stream_forward(struct stream *stream, FILE *port, long pid)
{
	unsigned char bytes[CHUNK_BYTES];
	bool any = false;
	ssize_t n;
	int i;

	for (i = 0; i < STREAMS; i++) {
		if (stream->in[i] < 0)
			continue;
		n = read(stream->in[i], bytes, sizeof(bytes));
		if (n > 0) {
			fprintf(port, "{\"event\": \"output\", \"pid\": %ld, \"stream\": %d, "
				"\"buf-b64\": \"", pid, i + 1);
			put_base64(port, bytes, n);
			fputs("\"}\n", port);
			any = true;
		} else if (!n || errno != EAGAIN) {
			close(stream->in[i]);
			stream->in[i] = -1;
		}
	}
	return any;
}

void stream_destroy(struct stream *stream)
{
	int i;

	for (i = 0; i < STREAMS; i++)
		if (stream->in[i] >= 0)
			close(stream->in[i]);
	free(stream);
}
