/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two clients of one process: card 0 is the attacker's, card 1 its neighbour's.
 * The attacker demands as much as it can before each turn of the loop. In each
 * turn the neighbour waits for a read of a register, a command and a datagram.
 * The clock of work_clock.h measures the turns and the waits.
 */
#ifndef ORNIC_UNIT_NEIGHBOUR_H
#define ORNIC_UNIT_NEIGHBOUR_H

#include "client.h"
#include "pair.h"

/* Longest turn of the loop, and longest wait of a datagram, ns */
#define NEIGHBOUR_TURN_NS 5000000ULL
#define NEIGHBOUR_QPS 128

struct neighbours;

/**
 * struct attack - work that the attacker causes
 * @name: name of the test
 * @begin: creates what the attack needs; may be NULL
 * @push: called before each turn; may be NULL
 * @turns: number of turns
 * @arg: for @begin and @push
 * @most_ns: limit of a turn, ns; 0 for NEIGHBOUR_TURN_NS
 * @pause_ns: sleep before each turn, ns, in which timers expire; also while the
 *	bandwidth without the attack is measured, as caches get cold in it
 */
struct attack {
	const char *name;
	void (*begin)(struct neighbours *n);
	void (*push)(struct neighbours *n);
	unsigned int turns;
	uintptr_t arg;
	uint64_t most_ns;
	uint64_t pause_ns;
};

/**
 * enum neighbour_wait - what the neighbour waits for
 * @WAIT_READ: reply to a read of a register
 * @WAIT_COMMAND: completion of a command
 * @WAIT_DATAGRAM: a datagram that it sends to itself through the switch
 */
enum neighbour_wait {
	WAIT_READ,
	WAIT_COMMAND,
	WAIT_DATAGRAM,
	WAITS,
};

/**
 * struct neighbours - both clients
 * @attack: the attack
 * @world: the loop, the cards and their clients
 * @host: memory and objects of each client
 * @pair: the attacker's side A and the neighbour's side B
 * @self: both sides are the attacker's
 * @own: both sides are the neighbour's; it carries the datagrams
 * @sender: the same, for attacks in which the neighbour sends
 * @qp: QPs of the attack, of side A and B
 * @qps: number of them
 * @waits: the neighbour has asked and has no answer
 * @now_ns: time of all turns so far; the clients' own time does not count
 * @asked_ns: value of @now_ns when it asked
 * @wait_ns: the longest wait
 * @turn_ns: the longest turn
 * @answers: number of answers
 * @key: for attacks: a key
 * @addr: for attacks: an address
 * @fd: for attacks: a descriptor, such as that of neighbours_outside(), which the
 *	fixture closes, or -1
 */
struct neighbours {
	const struct attack *attack;
	struct world *world;
	struct host *host[2];
	struct pair *pair;
	struct pair *self;
	struct pair *own;
	struct pair *sender;
	struct host_qp qp[2][NEIGHBOUR_QPS];
	unsigned int qps;
	bool waits[WAITS];
	uint64_t now_ns;
	uint64_t asked_ns[WAITS];
	uint64_t wait_ns[WAITS];
	uint64_t turn_ns;
	unsigned int answers[WAITS];
	uint32_t key;
	uint64_t addr;
	int fd;
};

/*
 * Run each attack as a test, or measure it (neighbour_check.c or
 * neighbour_bench.c); return the number of tests that failed
 */
int neighbours_main(const char *name, const struct attack *attacks,
		    unsigned int count);

/* Fixtures; the state is the attack before, struct neighbours after */
int neighbours_setup(void **state);
int neighbours_teardown(void **state);
/* Make a pair whose sides are both on the host of @side */
struct pair *neighbours_pair_of_one(struct side *side);
/* Call @push, unless NULL, and sleep for the attack's pause; then comes a turn */
void neighbours_push(struct neighbours *n, void (*push)(struct neighbours *n));
/* The neighbour asks, the loop turns, the neighbour looks for answers */
void neighbours_turn(struct neighbours *n);

/* Make a connected pair of the neighbour, for neighbours_measure() */
struct pair *neighbours_bulk(struct neighbours *n);
/*
 * The neighbour writes from one QP to another as much as it can, and @push is
 * called before each turn, until the cards used @ns or all together @wall_ns;
 * return bytes per ms. The longest wait is that of this time.
 */
uint64_t neighbours_measure(struct neighbours *n, struct pair *bulk,
			    void (*push)(struct neighbours *n), uint64_t ns,
			    uint64_t wall_ns);

static inline struct slot *attacker(struct neighbours *n)
{
	return n->world->slot[0];
}

/* Create a CQ that never overruns */
void neighbours_cq(struct side *side);
/* Create and connect NEIGHBOUR_QPS QPs on each side of @pair */
void neighbours_qps(struct neighbours *n, struct pair *pair, unsigned int type,
		    uint32_t flags);
/* Fill the send queues with @wr, which takes @slots, and ring the doorbells */
void neighbours_post(struct neighbours *n, struct pair *pair,
		     const struct pair_wr *wr, unsigned int slots);
/* Fill the receive queues of side B with WQEs of @len bytes at @addr */
void neighbours_receive(struct neighbours *n, struct pair *pair, uint64_t addr,
			uint32_t len);

/*
 * Plug in a port that takes and gives packets as a TAP does, at n->fd; those that
 * leave stay unread
 */
void neighbours_outside(struct neighbours *n);
/*
 * Write @pkt with @len bytes of payload, up to a page, to @bytes, as a host outside
 * sends it in the name of A's QP of n->pair; return its length
 */
size_t neighbours_packet(struct neighbours *n, struct packet *pkt, uint32_t len,
			 uint8_t bytes[static FRAME_HDR_MAX + HOST_PAGE]);

/* Fill the SRQ of @side with WQEs of all of its buffer */
void neighbours_receive_srq(struct side *side);

#endif /* ORNIC_UNIT_NEIGHBOUR_H */
