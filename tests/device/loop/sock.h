/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Unix sockets at a path */
#ifndef ORNIC_DEVICE_SOCK_H
#define ORNIC_DEVICE_SOCK_H

struct sockaddr_un;

/**
 * sock_bind - create a non-blocking socket at a path
 * @path: the path; a socket that a dead process left there is removed
 * @type: SOCK_STREAM (it listens) or SOCK_DGRAM
 *
 * Return: the descriptor; -EADDRINUSE when a running process uses the path,
 * -ENAMETOOLONG, or another negative errno.
 */
int sock_bind(const char *path, int type);

/**
 * sock_remove - remove a socket that no process uses any more
 * @path: its path
 *
 * Return: 0 when it is gone, -EADDRINUSE if it is in use or no socket, or another
 * negative errno.
 */
int sock_remove(const char *path);

/**
 * sock_address - convert a path to a socket address
 * @path: the path
 * @address: address to fill
 *
 * Return: 0 or -ENAMETOOLONG.
 */
int sock_address(const char *path, struct sockaddr_un *address);

/**
 * sock_accept - accept the next connection of a listener
 * @listener: stream socket from sock_bind()
 * @spare: descriptor in reserve for the time when no more are free, or -1;
 *	allocated here
 *
 * While no descriptor is free a connection stays in the queue, and the listener
 * stays ready for ever. So the function closes *@spare to accept the connection
 * and close it, and then allocates *@spare again.
 *
 * Return: a non-blocking descriptor, or a negative errno.
 */
int sock_accept(int listener, int *spare);

#endif /* ORNIC_DEVICE_SOCK_H */
