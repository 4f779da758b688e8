/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Numbers in options and requests */
#ifndef ORNIC_DEVICE_NUMBER_H
#define ORNIC_DEVICE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * number_parse - parse a decimal number
 * @text: digits, and nothing else
 * @min: smallest number that is accepted
 * @max: largest one
 * @out: the number; unchanged if @text is not accepted
 *
 * Return: true when @text is accepted.
 */
bool number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *out);

#endif /* ORNIC_DEVICE_NUMBER_H */
