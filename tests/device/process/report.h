/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* All statistics as one JSON document */
#ifndef ORNIC_DEVICE_REPORT_H
#define ORNIC_DEVICE_REPORT_H

struct device;
struct json_object;

/**
 * report_stats - collect all statistics
 * @device: the program
 *
 * Return: a JSON object that the caller frees, or NULL when memory is short.
 */
struct json_object *report_stats(const struct device *device);

#endif /* ORNIC_DEVICE_REPORT_H */
