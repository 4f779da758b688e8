/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The output of a program, sent to the host while the program runs */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* stdout and stderr of a program */
#define STREAMS 2

/*
 * struct stream - pipes from a program
 * @in: our ends; -1: closed
 * @out: the program's ends, until stream_started()
 */
struct stream {
	int in[STREAMS], out[STREAMS];
};

void put_base64(FILE *port, const unsigned char *bytes, size_t n);
struct stream *stream_create(void);
void stream_connect(const struct stream *stream);
void stream_started(struct stream *stream);
bool stream_forward(struct stream *stream, FILE *port, long pid);
void stream_destroy(struct stream *stream);

#endif
