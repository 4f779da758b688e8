/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Cards with real clients on real sockets, all in one process. A test turns the
 * event loop itself and counts what each turn does.
 */
#ifndef ORNIC_UNIT_CLIENT_H
#define ORNIC_UNIT_CLIENT_H

#include <stdbool.h>

#include "process/slot.h"
#include "unit.h"

#define CLIENT_CARDS 2

/**
 * struct world - an event loop and its cards
 * @loop: never spins; a turn with nothing due sleeps for ever
 * @log: logs errors only
 * @dir: directory that holds the sockets
 * @path: socket of each card
 * @slot: the cards
 * @client: connection to each card, with VERSION negotiated, and memory space
 *	and bus mastering enabled
 */
struct world {
	struct loop loop;
	struct log log;
	char dir[32];
	char path[CLIENT_CARDS][64];
	struct slot *slot[CLIENT_CARDS];
	int client[CLIENT_CARDS];
};

/* Fixtures */
int world_setup(void **state);
int world_teardown(void **state);

/* Connect to a card, without VERSION */
int client_connect(struct world *w, unsigned int slot);
/* Send a message, with the file descriptor @fd unless that is -1 */
void client_send(int client, unsigned int cmd, uint32_t flags,
		 const void *payload, size_t len, int fd);
/* The same; return false, and send nothing, if the socket has no room */
bool client_try_send(int client, unsigned int cmd, uint32_t flags,
		     const void *payload, size_t len, int fd);
/* Return true if there are bytes, or the end of the stream, to read */
bool client_readable(int client);
/* Turn the loop until client_readable() */
void client_wait(struct world *w, int client);
/* Read the reply to @cmd; return its errno, 0 for success */
unsigned int client_reply(int client, unsigned int cmd, void *payload,
			  size_t len);
/* Send a message and wait for its reply; return the errno of the reply */
unsigned int client_request(struct world *w, int client, unsigned int cmd,
			    const void *payload, size_t len, int fd);
/* client_request() with VERSION */
unsigned int client_version(struct world *w, int client);
/* Write to a region and expect success */
void client_write(struct world *w, int client, unsigned int region,
		  uint64_t offset, uint64_t value, unsigned int size);
/* Negotiate the version and enable the function, as each client does first */
void client_begin(struct world *w, int client);

#endif /* ORNIC_UNIT_CLIENT_H */
