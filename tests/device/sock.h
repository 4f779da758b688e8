/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Unix sockets that live at a path. */
#ifndef ORNIC_DEVICE_SOCK_H
#define ORNIC_DEVICE_SOCK_H

struct sockaddr_un;

/**
 * sock_bind - make a non-blocking socket at a path
 * @path: where; what a dead process left there is removed
 * @type: SOCK_STREAM (it listens) or SOCK_DGRAM
 *
 * Return: the descriptor; -EADDRINUSE when a living process has the path,
 * -ENAMETOOLONG, or another negative errno.
 */
int sock_bind(const char *path, int type);

/**
 * sock_address - the address of a path
 * @path: the path
 * @address: filled
 *
 * Return: 0 or -ENAMETOOLONG.
 */
int sock_address(const char *path, struct sockaddr_un *address);

/**
 * sock_accept - take the next connection of a listener
 * @listener: a stream socket from sock_bind()
 * @spare: a descriptor that is kept for the case that there are no more, -1 for
 *	none yet
 *
 * Without a descriptor for it a connection stays in the queue and the listener
 * stays ready, for ever. Then *@spare is given up for the moment that it takes
 * to accept the connection and close it.
 *
 * Return: non-blocking, or a negative errno.
 */
int sock_accept(int listener, int *spare);

#endif /* ORNIC_DEVICE_SOCK_H */
