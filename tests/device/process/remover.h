/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A process that removes the sockets at the end for a program that may not do it
 * any more. It does nothing else, reads one byte, and ends with the program.
 */
#ifndef ORNIC_DEVICE_REMOVER_H
#define ORNIC_DEVICE_REMOVER_H

/**
 * remover_start - start the process, with the rights that the program has now
 * @path: what to remove
 * @count: number of @path
 *
 * Return: a descriptor for remover_finish(), or a negative errno.
 */
int remover_start(const char *const *path, unsigned int count);

/**
 * remover_finish - remove everything, and wait for that
 * @fd: from remover_start()
 */
void remover_finish(int fd);

#endif /* ORNIC_DEVICE_REMOVER_H */
