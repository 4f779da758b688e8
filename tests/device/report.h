/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* All figures as one JSON document. */
#ifndef ORNIC_DEVICE_REPORT_H
#define ORNIC_DEVICE_REPORT_H

struct device;
struct json_object;

/**
 * report_stats - all figures
 * @device: the program
 *
 * Return: a JSON object, the caller's; NULL when there is no memory.
 */
struct json_object *report_stats(const struct device *device);

#endif /* ORNIC_DEVICE_REPORT_H */
