/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The trace of messages: one at a time, for the client that has started it */
#ifndef ORNIC_DEVICE_TRACER_H
#define ORNIC_DEVICE_TRACER_H

#include "base/trace.h"

struct device;
struct json_object;

/**
 * struct tracer - the trace of the process
 * @ring: what the cards have added and the client has not read
 * @owner: the client, only to be compared; NULL: there is no trace
 */
struct tracer {
	struct trace ring;
	const void *owner;
};

/**
 * tracer_request - answer a request "trace"
 * @device: the program
 * @client: who asks
 * @words: the words of the request, with NULL at the end
 *
 * Return: the answer.
 */
struct json_object *tracer_request(struct device *device, const void *client, char **words);

/**
 * tracer_end - end the trace of a client that goes
 * @device: the program
 * @client: the client, with or without a trace
 */
void tracer_end(struct device *device, const void *client);

#endif /* ORNIC_DEVICE_TRACER_H */
