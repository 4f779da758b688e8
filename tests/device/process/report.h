/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Answers of the control socket: statistics as JSON documents, errors */
#ifndef ORNIC_DEVICE_REPORT_H
#define ORNIC_DEVICE_REPORT_H

#include <stdint.h>

struct device;
struct json_object;
struct slot;

/* QPs in one answer, so that it takes little time */
#define REPORT_QPS 128

/**
 * answer_error - refuse a request
 * @text: the reason
 *
 * Return: a JSON object that the caller frees.
 */
struct json_object *answer_error(const char *text);

/**
 * report_stats - collect all statistics
 * @device: the program
 *
 * Return: a JSON object that the caller frees, or NULL when memory is short.
 */
struct json_object *report_stats(const struct device *device);

/**
 * report_qps - describe QPs and WQs of a card
 * @slot: the card
 * @place: 0, or "next" of the answer before, which is there if there are more
 *
 * Return: a JSON object that the caller frees.
 */
struct json_object *report_qps(const struct slot *slot, uint32_t place);

#endif /* ORNIC_DEVICE_REPORT_H */
