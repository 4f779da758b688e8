/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A card with a host that does what it must not: what it knows, and its dice. */
#ifndef ORNIC_UNIT_FUZZ_H
#define ORNIC_UNIT_FUZZ_H

#include "pair.h"

#define NUMS 24
#define QPS 12
#define CQS 2
#define WR_KEYS 3
#define DATA (16 * HOST_PAGE)

/* What there is when a card begins; 2 n and 2 n + 1 are each other's peers. */
static const uint8_t qp_types[QPS] = {
	ORNIC_QPT_RC, ORNIC_QPT_RC, ORNIC_QPT_UD, ORNIC_QPT_GSI,
	ORNIC_QPT_RAW_PACKET, ORNIC_QPT_RAW_PACKET, ORNIC_QPT_RC, ORNIC_QPT_RC,
	ORNIC_QPT_UC, ORNIC_QPT_UC, ORNIC_QPT_XRC_SEND, ORNIC_QPT_XRC_RECV,
};

/* These have the SRQ. */
static inline bool has_srq(unsigned int n)
{
	return n == 2 || n == 6 || n == 7;
}

/**
 * struct fuzz - a card and what the host knows of it
 * @host: the host
 * @rng: state of the generator
 * @window: first address of all that the card was given
 * @window_len: bytes
 * @data: inside, memory of @key
 * @key: an MR
 * @null_key: an ORNIC_MR_NULL
 * @wr_key: what is registered and bound by work requests: a region, a window of
 *	each type
 * @board: inside
 * @eq: kernel's
 * @cq: where all complete
 * @qp: the queue pairs
 * @srq: that some of them share
 * @xrc_srq: that XRC requests name
 * @wq: a WQ, of which @table is made, in which @rss receives
 * @table: its number
 * @rss: its number
 * @nums: numbers and keys that were good once
 */
struct fuzz {
	struct host *host;
	uint64_t rng;
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

static inline uint64_t rnd(struct fuzz *f)
{
	/* xorshift64* (Vigna 2016) */
	f->rng ^= f->rng >> 12;
	f->rng ^= f->rng << 25;
	f->rng ^= f->rng >> 27;
	return f->rng * 0x2545f4914f6cdd1dULL;
}

static inline uint64_t below(struct fuzz *f, uint64_t n)
{
	return (rnd(f) >> 16) % n;
}

static inline bool one_in(struct fuzz *f, unsigned int n)
{
	return below(f, n) == 0;
}

/* A number that has a chance to mean something */
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

/* The key of what comes and goes, with one of its variants */
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

/* The way back to the card itself */
void fuzz_av(struct fuzz *f, struct ornic_av *av);
/* The group that datagrams go to now and then */
extern const uint8_t fuzz_group_gid[16];

/* Work requests of some queue, most of them such that they lead somewhere */
void fuzz_post_send(struct fuzz *f);
void fuzz_post_recv(struct fuzz *f);

/* What there is for frames at the beginning: @wq, @table, @rss */
void fuzz_eth_begin(struct fuzz *f, uint32_t pdn);
/* Make, change or destroy WQs, tables, RSS QPs, rate limits. */
void fuzz_eth_change(struct fuzz *f);
/* Make or destroy rules and counters. */
void fuzz_eth_rules(struct fuzz *f);
/* Frames for RAW_PACKET QPs, RSS or not */
void fuzz_eth_deliver(struct fuzz *f);
/* Headers of TSO; returns their length */
unsigned int fuzz_eth_tso(struct fuzz *f, uint8_t *hdr);

#endif /* ORNIC_UNIT_FUZZ_H */
