// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The trace of messages. The cards add events to a ring of limited size, and the
 * client that has started the trace reads them, at its own cost.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "env/number.h"
#include "process/device.h"
#include "process/report.h"
#include "process/tracer.h"

#define RECORDS_DEFAULT (1u << 18)
/* Events of an answer: some 100 us of the loop */
#define READ_RECORDS 1024
#define HEX_LEN (2 * sizeof(struct trace_record))

static void tracer_set(struct device *device, struct trace *ring)
{
	unsigned int i;

	for (i = 0; i < device->slot_count; i++)
		card_trace(device->slot[i]->card, ring, i);
}

void tracer_end(struct device *device, const void *client)
{
	struct tracer *tracer = &device->tracer;

	if (!tracer->owner || tracer->owner != client)
		return;
	tracer_set(device, NULL);
	trace_uninit(&tracer->ring);
	tracer->owner = NULL;
}

/* Return: a power of two, or 0 if the text is no number of records */
static uint32_t tracer_records(const char *text)
{
	uint32_t records = TRACE_RECORDS_MIN;
	uint64_t wanted;

	if (!text)
		return RECORDS_DEFAULT;
	if (!number_parse(text, 1, TRACE_RECORDS_MAX, &wanted))
		return 0;
	while (records < wanted)
		records *= 2;
	return records;
}

/* The cards in the order of their numbers, each with the time at which its CLOCK was 0 */
static struct json_object *tracer_cards(const struct device *device)
{
	struct json_object *list = json_object_new_array(), *card;
	const struct slot *slot;
	unsigned int i;

	for (i = 0; i < device->slot_count; i++) {
		slot = device->slot[i];
		card = json_object_new_object();
		json_object_object_add(card, "name",
				       json_object_new_string(slot->config.name));
		json_object_object_add(card, "clock_base_ns",
				       json_object_new_uint64(card_clock_base(slot->card)));
		json_object_array_add(list, card);
	}
	return list;
}

static struct json_object *tracer_start(struct device *device, const void *client,
					const char *text)
{
	uint32_t records = tracer_records(text);
	struct tracer *tracer = &device->tracer;
	struct json_object *answer;

	if (tracer->owner)
		return answer_error(tracer->owner == client ? "the trace has started" :
				    "another client has a trace");
	if (!records)
		return answer_error("the number of records must be 1 to 1048576");
	if (trace_init(&tracer->ring, records))
		return answer_error("out of memory");
	tracer->owner = client;
	tracer_set(device, &tracer->ring);
	answer = json_object_new_object();
	json_object_object_add(answer, "now_ns", json_object_new_uint64(loop_clock_ns()));
	json_object_object_add(answer, "ring", json_object_new_uint64(records));
	json_object_object_add(answer, "cards", tracer_cards(device));
	return answer;
}

static struct json_object *tracer_read(struct tracer *tracer)
{
	static const char digits[] = "0123456789abcdef";
	struct trace_record record[READ_RECORDS];
	const uint8_t *byte = (const uint8_t *)record;
	struct json_object *answer;
	uint32_t count, i;
	char *text;

	text = malloc(READ_RECORDS * HEX_LEN);
	if (!text)
		return answer_error("out of memory");
	count = trace_take(&tracer->ring, record, READ_RECORDS);
	for (i = 0; i < count * sizeof(*record); i++) {
		text[2 * i] = digits[byte[i] >> 4];
		text[2 * i + 1] = digits[byte[i] & 15];
	}
	answer = json_object_new_object();
	json_object_object_add(answer, "records",
			       json_object_new_string_len(text, count * HEX_LEN));
	json_object_object_add(answer, "lost", json_object_new_uint64(tracer->ring.lost));
	free(text);
	return answer;
}

struct json_object *tracer_request(struct device *device, const void *client, char **words)
{
	struct tracer *tracer = &device->tracer;

	if (words[1] && !strcmp(words[1], "start") && (!words[2] || !words[3]))
		return tracer_start(device, client, words[2]);
	if (!words[1] || words[2] || (strcmp(words[1], "read") && strcmp(words[1], "stop")))
		return answer_error("trace wants start, with or without a number, read or stop");
	if (tracer->owner != client)
		return answer_error("this client has started no trace");
	if (!strcmp(words[1], "read"))
		return tracer_read(tracer);
	/* The events in the ring can still be read */
	tracer_set(device, NULL);
	return json_object_new_object();
}
