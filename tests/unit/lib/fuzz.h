/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A card whose host violates the interface: state and random choices */
#ifndef ORNIC_UNIT_FUZZ_H
#define ORNIC_UNIT_FUZZ_H

#include "pair.h"

#define NUMS 24
#define QPS 12
#define CQS 2
#define WR_KEYS 3
#define DATA (16 * HOST_PAGE)

/* Initial QPs. QPs 2 * n and 2 * n + 1 are peers. */
static const uint8_t qp_types[QPS] = {
	ORNIC_QPT_RC, ORNIC_QPT_RC, ORNIC_QPT_UD, ORNIC_QPT_GSI,
	ORNIC_QPT_RAW_PACKET, ORNIC_QPT_RAW_PACKET, ORNIC_QPT_RC, ORNIC_QPT_RC,
	ORNIC_QPT_UC, ORNIC_QPT_UC, ORNIC_QPT_XRC_SEND, ORNIC_QPT_XRC_RECV,
};

/* Return true for the QPs that receive from the SRQ */
static inline bool has_srq(unsigned int n)
{
	return n == 2 || n == 6 || n == 7;
}

/**
 * struct fuzz - a card and the objects that the host uses
 * @host: the host
 * @rng: state of the random number generator
 * @input: if not NULL, choices are made by these bytes instead of @rng
 * @left: number of bytes in @input
 * @dmac: destination MAC of address vectors and inline frames
 * @window: first address of all memory that the card may use
 * @window_len: length of @window in bytes
 * @data: address of the memory of @key, inside @window
 * @key: key of an MR
 * @null_key: key of an ORNIC_MR_NULL
 * @wr_key: keys that work requests register and bind: an MR, and an MW of each
 *	type
 * @board: address of the board, inside @window
 * @eq: EQ of the kernel
 * @cq: CQs of all QPs and WQs
 * @qp: the queue pairs
 * @srq: SRQ that some of the QPs share
 * @xrc_srq: SRQ that XRC requests name
 * @wq: the WQ that all entries of @table refer to
 * @table: number of the RWQ table of @rss
 * @rss: number of a QP with ORNIC_QP_RSS
 * @nums: numbers and keys that were valid once
 */
struct fuzz {
	struct host *host;
	uint64_t rng;
	const uint8_t *input;
	size_t left;
	const uint8_t *dmac;
	uint64_t window;
	uint64_t window_len;
	uint64_t data;
	uint32_t key;
	uint32_t null_key;
	uint32_t wr_key[WR_KEYS];
	uint64_t board;
	struct host_queue eq;
	struct host_queue cq[CQS];
	struct host_qp qp[QPS];
	struct host_qp srq;
	struct host_qp xrc_srq;
	struct host_qp wq;
	uint32_t table;
	uint32_t rss;
	uint32_t nums[NUMS];
};

/* Take bytes of the input; behind its end there are zeros */
static inline uint64_t fuzz_take(struct fuzz *f, unsigned int bytes)
{
	uint64_t val = 0;

	if (bytes > f->left)
		bytes = f->left;
	memcpy(&val, f->input, bytes);
	f->input += bytes;
	f->left -= bytes;
	return le64toh(val);
}

static inline uint64_t rnd(struct fuzz *f)
{
	if (f->input)
		return fuzz_take(f, 8);
	/* xorshift64* (Vigna 2016) */
	f->rng ^= f->rng >> 12;
	f->rng ^= f->rng << 25;
	f->rng ^= f->rng >> 27;
	return f->rng * 0x2545f4914f6cdd1dULL;
}

static inline uint64_t below(struct fuzz *f, uint64_t n)
{
	if (f->input)
		return fuzz_take(f, n <= 0x100 ? 1 : n <= 0x10000 ? 2 : 8) % n;
	return (rnd(f) >> 16) % n;
}

static inline bool one_in(struct fuzz *f, unsigned int n)
{
	return below(f, n) == 0;
}

/* Return a number that is likely to be near a limit or to name an object */
static inline uint64_t odd(struct fuzz *f)
{
	switch (below(f, 8)) {
	case 0:
		return rnd(f);
	case 1:
		return -below(f, 65536);
	case 2:
		return 1ULL << below(f, 64);
	case 3:
		return f->window + below(f, f->window_len);
	case 4:
		return f->nums[below(f, NUMS)];
	default:
		return below(f, 20);
	}
}

static inline uint64_t page(struct fuzz *f)
{
	return f->window + below(f, f->window_len / HOST_PAGE) * HOST_PAGE;
}

static inline void scribble(struct fuzz *f, void *p, unsigned int len)
{
	uint8_t *byte = p;
	unsigned int n = 1 + below(f, 8);

	while (n--) {
		uint64_t val = odd(f);
		unsigned int size = 1u << below(f, 4);
		unsigned int at;

		if (size > len)
			size = len;
		at = below(f, len - size + 1);
		if (!one_in(f, 4))
			at &= -size;
		memcpy(byte + at, &val, size);
	}
}

/* Return a key that work requests register or bind, in one of two variants */
static inline uint32_t fuzz_wr_key(struct fuzz *f)
{
	return f->wr_key[below(f, WR_KEYS)] ^ below(f, 2);
}

static inline uint32_t fuzz_key(struct fuzz *f)
{
	if (one_in(f, 32))
		return odd(f);
	if (one_in(f, 16))
		return f->null_key;
	return one_in(f, 8) ? fuzz_wr_key(f) : f->key;
}

static inline void fuzz_buf(struct fuzz *f, struct ornic_buf *buf)
{
	host_buf(buf, page(f), (1 + below(f, 16)) * HOST_PAGE);
	if (one_in(f, 8))
		scribble(f, buf, sizeof(*buf));
}

/*
 * Create a card on which all works until a step breaks it. @as is its
 * configuration; NULL: an ordinary one, with or without ORNIC_CAPS_SHADOW. It has
 * at least the features that the first objects need.
 */
void fuzz_begin(struct fuzz *f, const struct card_config *as, uint64_t seed,
		uint8_t mac_tail);
/* Do one thing that a host may or must not do; run the card now and then */
void fuzz_step(struct fuzz *f);
/* Bring a QP from any state to RTS, with empty rings */
void fuzz_raise(struct fuzz *f);
/* Bring all QPs to RTS, on a card that works */
void fuzz_raise_all(struct fuzz *f);
/* Ring a valid or invalid doorbell */
void fuzz_doorbell(struct fuzz *f);
/* Consume entries and request events */
void fuzz_consume(struct fuzz *f);
/* Remember a number or a key for later use */
void fuzz_learn(struct fuzz *f, uint32_t num);

/* Fill an address vector that leads to @dmac, the card itself by default */
void fuzz_av(struct fuzz *f, struct ornic_av *av);
/* Multicast group that some datagrams go to */
extern const uint8_t fuzz_group_gid[16];

/* Post to a random queue; most of the work requests are valid */
void fuzz_post_send(struct fuzz *f);
void fuzz_post_recv(struct fuzz *f);

/* Create @wq, @table and @rss */
void fuzz_eth_begin(struct fuzz *f, uint32_t pdn);
/* Create, modify or destroy WQs, RWQ tables, RSS QPs and rate limits */
void fuzz_eth_change(struct fuzz *f);
/* Create or destroy flow rules and counters */
void fuzz_eth_rules(struct fuzz *f);
/* Deliver a frame to a RAW_PACKET QP, with or without RSS */
void fuzz_eth_deliver(struct fuzz *f);
/* Write the headers of a TSO request; return their length */
unsigned int fuzz_eth_tso(struct fuzz *f, uint8_t *hdr);

#endif /* ORNIC_UNIT_FUZZ_H */
