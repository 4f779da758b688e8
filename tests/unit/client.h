/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Cards with real clients on real sockets, all in one process: a test decides
 * when the loop turns, and counts what each turn does.
 */
#ifndef ORNIC_UNIT_CLIENT_H
#define ORNIC_UNIT_CLIENT_H

#include <stdbool.h>

#include "card.h"
#include "unit.h"

#define CLIENT_CARDS 2

/**
 * struct world - a loop and cards
 * @loop: never spins, and would sleep for ever when nothing is due
 * @log: of errors
 * @dir: directory of the sockets
 * @path: socket of each card
 * @card: the cards
 * @client: connection to each card, past VERSION and with the card enabled on
 *	the bus
 */
struct world {
	struct loop loop;
	struct log log;
	char dir[32];
	char path[CLIENT_CARDS][64];
	struct card *card[CLIENT_CARDS];
	int client[CLIENT_CARDS];
};

/* Fixtures */
int world_setup(void **state);
int world_teardown(void **state);

/* A connection to a card that says nothing yet */
int client_connect(struct world *w, unsigned int card);
/* Send a message; @fd goes with it unless it is -1. */
void client_send(int client, unsigned int cmd, uint32_t flags,
		 const void *payload, size_t len, int fd);
/* Is there something to read, or the end? */
bool client_readable(int client);
/* Turn the loop until there is. */
void client_wait(struct world *w, int client);
/* Read a reply of this command; returns its errno. */
unsigned int client_reply(int client, unsigned int cmd, void *payload,
			  size_t len);
/* A message, its reply, the errno in it */
unsigned int client_request(struct world *w, int client, unsigned int cmd,
			    const void *payload, size_t len, int fd);
/* VERSION */
unsigned int client_version(struct world *w, int client);
/* Write to a region, with a reply. */
void client_write(struct world *w, int client, unsigned int region,
		  uint64_t offset, uint64_t value, unsigned int size);

#endif /* ORNIC_UNIT_CLIENT_H */
