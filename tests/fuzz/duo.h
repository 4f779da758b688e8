/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two clients of one process, with a card each on one switch, and a port that
 * leads outside. The first client is driven by the input; the second one works
 * as a client should and has secret memory. Both have the same objects with the
 * same numbers, so that requests which are meant for the other card reach it.
 */
#ifndef ORNIC_FUZZ_DUO_H
#define ORNIC_FUZZ_DUO_H

#include "fuzz.h"
#include "loop/switch.h"

/* Where the second client has its secret memory */
#define DUO_SECRET_ADDR (1ULL << 36)

/**
 * struct seat - a client and its card
 * @f: the client
 * @port: port of the card
 */
struct seat {
	struct fuzz f;
	struct port port;
};

/**
 * struct duo - both clients and the switch
 * @sw: the switch
 * @seat: the clients
 * @outside: port that leads out of the process
 * @self: a pair of connected QPs of the second client, which sends secret
 *	memory to itself
 * @self_cq: CQ of @self
 * @self_uctx: doorbell page of @self
 * @secret_key: key of the secret memory
 * @landing: where secret memory is received
 * @landing_key: key of @landing
 */
struct duo {
	struct switch_dev sw;
	struct seat seat[2];
	struct port outside;
	struct host_qp self[2];
	struct host_queue self_cq;
	uint32_t self_uctx;
	uint32_t secret_key;
	uint64_t landing;
	uint32_t landing_key;
};

extern struct duo duo;

/*
 * Create both clients. The choices of the first come from the input, and its
 * card is as @as says; NULL: an ordinary one, as that of the second.
 */
void duo_begin(const struct card_config *as, const uint8_t *data, size_t len);
/* Let the second client do something, and run both cards for a while */
void duo_step(void);
/* Check the memory of the first client, and destroy everything */
void duo_end(void);

/* Check memory that the card may have written: none of it secret, all of it set */
void duo_check_memory(struct host *host);

#endif /* ORNIC_FUZZ_DUO_H */
