/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Declarations of transfer(1): operation, length and bytes of each slot of a batch; connection */
#ifndef ORNIC_E2E_TRANSFER_H
#define ORNIC_E2E_TRANSFER_H

#include "verbs.h"

#define SLOTS_MAX 64
/* The client may be this many batches ahead of the last one checked */
#define WINDOW 2
#define GRH 40

enum op {
	OP_SEND, OP_SEND_IMM, OP_SEND_INV, OP_WRITE, OP_WRITE_IMM, OP_READ, OP_CMP_SWP,
	OP_FETCH_ADD, OP_FLUSH, OP_ATOMIC_WRITE,
	OP_COUNT
};

struct options {
	const char *device;
	unsigned int gid_index;
	const char *server;	/* NULL: this is the server */
	enum ibv_qp_type type;
	const char *group;	/* multicast address, UD only */
	unsigned int ops;	/* bit n: enum op n */
	unsigned int slots;	/* of a batch; the last one is a SEND_IMM */
	unsigned int batches;
	size_t max_len;
	unsigned int window;	/* type of memory window at the server, 0: none */
	bool srq;
	bool extended;		/* post with ibv_wr_*() */
	unsigned int mtu;	/* bytes */
	unsigned int depth;	/* outstanding READs and atomics */
	unsigned int timeout;	/* for an ACK: 4.096 us << timeout */
	unsigned int seed;	/* of the batches */
};

/* A message of a batch */
struct slot {
	enum op op;
	size_t len;
};

/* Data that the sides exchange over TCP; integers are big endian, as in struct grant */
struct hello {
	union ibv_gid gid;
	uint64_t target;	/* address of that buffer */
	uint32_t qpn;
};

/* The message of the server that grants a batch, with the key of each slot's target */
struct grant {
	uint32_t batch;
	uint32_t rkey[SLOTS_MAX];
};

/* One side; its memory holds batches modulo WINDOW */
struct side {
	struct options options;
	struct port port;
	int tcp;
	bool new_posts;		/* the QP supports ibv_wr_*() */
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;	/* UD: of the other side, or of the group */
	struct hello peer;
	struct mem data;	/* client: send source, READ destination; server: receives */
	struct mem target;	/* server: for WRITE, READ and atomics */
	struct mem grants;	/* struct grant each, after room for a GRH */
};

/* Wait until both sides are here */
void sides_meet(const struct side *side);
void run_client(struct side *side);
void run_server(struct side *side);

/* Plan a batch; the plan is the same at both sides */
void plan_batch(const struct options *options, unsigned int batch, struct slot *slots);
/* Offset of a slot in data and in target, with room in front for the GRH of a datagram */
size_t slot_at(const struct side *side, unsigned int batch, unsigned int slot);
size_t grant_at(unsigned int batch);
void post_or_fail(struct side *side, struct ibv_send_wr *wr);
void recv_or_fail(struct side *side, uint64_t wr_id, struct ibv_sge *sge, int count);

static inline bool has_op(const struct options *options, enum op op)
{
	return options->ops & 1u << op;
}

static inline bool op_is_send(enum op op)
{
	return op == OP_SEND || op == OP_SEND_IMM || op == OP_SEND_INV;
}

static inline bool op_takes_recv(enum op op)
{
	return op_is_send(op) || op == OP_WRITE_IMM;
}

static inline bool op_is_atomic(enum op op)
{
	return op == OP_CMP_SWP || op == OP_FETCH_ADD;
}

static inline bool op_is_8_bytes(enum op op)
{
	return op_is_atomic(op) || op == OP_ATOMIC_WRITE;
}

static inline uint32_t slot_id(unsigned int batch, unsigned int slot)
{
	return batch << 8 | slot;
}

/* Seeds of mem_fill(): for a target before its batch, and for the client's data */
static inline unsigned int seed_before(unsigned int batch, unsigned int slot)
{
	return batch * 131 + slot * 2;
}

static inline unsigned int seed_data(unsigned int batch, unsigned int slot)
{
	return seed_before(batch, slot) + 1;
}

/* The value that a slot's atomic adds or swaps in */
static inline uint64_t operand(unsigned int batch, unsigned int slot)
{
	return 0x0123456789abcdefULL * (slot_id(batch, slot) + 1);
}

#endif /* ORNIC_E2E_TRANSFER_H */
