/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A clock that moves with the work done, for tests of how long a turn of the
 * loop takes. The code under test is compiled to count its basic blocks, as the
 * kernel's KCOV does. Each block takes 1 ns; a copy takes time by its length,
 * and a system call a fixed time. The clock depends on nothing else, so a test
 * has the same result on each machine. It replaces CLOCK_MONOTONIC of the
 * program.
 */
#ifndef ORNIC_UNIT_WORK_CLOCK_H
#define ORNIC_UNIT_WORK_CLOCK_H

#include <stdint.h>

/* Time of a system call */
#define WORK_CALL_NS 1000
/* Time of an allocation, and of its end */
#define WORK_HEAP_NS 50
/* Size from which an allocation is a mapping, bytes */
#define WORK_HEAP_MAPPED (128 << 10)
/* Bytes that are unmapped in 1 ns: 62 ms per GiB */
#define WORK_UNMAPPED_BYTES_PER_NS 16
/* Bytes that are copied, cleared or summed up in 1 ns */
#define WORK_BYTES_PER_NS 8

/**
 * work_ns - get the time
 *
 * Return: time since the program started, ns.
 */
uint64_t work_ns(void);

/**
 * work_sleep - advance the clock
 * @ns: time to add
 */
void work_sleep(uint64_t ns);

#endif /* ORNIC_UNIT_WORK_CLOCK_H */
