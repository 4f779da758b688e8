/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What every fuzz target defines, called by libFuzzer or by replay.c */
#ifndef ORNIC_FUZZ_TARGET_H
#define ORNIC_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/**
 * LLVMFuzzerInitialize - prepare the process, once
 * @argc: arguments of the program
 * @argv: arguments of the program
 *
 * Return: 0.
 */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/**
 * LLVMFuzzerTestOneInput - run one input, from a fresh state
 * @data: the input
 * @len: bytes
 *
 * Aborts on a failure.
 *
 * Return: 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#endif /* ORNIC_FUZZ_TARGET_H */
