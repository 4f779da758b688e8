/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Functions of a fuzz target that libFuzzer or replay.c calls */
#ifndef ORNIC_FUZZ_TARGET_H
#define ORNIC_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/**
 * LLVMFuzzerInitialize - prepare the process, once
 * @argc: arguments of the program
 * @argv: arguments of the program
 *
 * Failed assertions abort from then on. Calls target_init().
 *
 * Return: 0.
 */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/**
 * target_init - prepare what the inputs of a target share; each target has one
 */
void target_init(void);

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
