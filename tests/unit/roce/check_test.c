// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Wrong packets are checked in one order ([ORNIC-WIRE-13]): of two faults the one
 * that is checked first is counted, and nothing else
 */
#include "base/be.h"
#include "card/card.h"
#include "eth/csum.h"
#include "eth/headers.h"
#include "pair.h"
#include "roce/icrc.h"

#define IP HEADERS_ETH_LEN
#define UDP (IP + HEADERS_IPV4_LEN)
#define BTH (UDP + HEADERS_UDP_LEN)
#define DETH (BTH + BTH_LEN)
#define BYTES_MAX 128

/* In the order of the checks */
enum fault {
	FAULT_IP_CSUM,
	FAULT_LENGTHS,
	FAULT_OPCODE,
	FAULT_TVER,
	FAULT_NO_PAYLOAD,
	FAULT_PAD,
	FAULT_ICRC,
	FAULT_CNP,
	FAULT_QPN,
	FAULT_TRANSPORT,
	FAULT_STATE,
	FAULT_PKEY,
	FAULT_PATH,
	FAULT_QKEY,
	FAULT_PSN,
	FAULTS,
};

/* @opcode: the fault needs an opcode, or its length: no two of these come together */
static const struct {
	enum ornic_rdma_stat counter;
	bool opcode;
} faults[FAULTS] = {
	[FAULT_IP_CSUM] = { ORNIC_RDMA_STAT_rx_malformed },
	[FAULT_LENGTHS] = { ORNIC_RDMA_STAT_rx_malformed },
	[FAULT_OPCODE] = { ORNIC_RDMA_STAT_rx_malformed, true },
	[FAULT_TVER] = { ORNIC_RDMA_STAT_rx_malformed },
	[FAULT_NO_PAYLOAD] = { ORNIC_RDMA_STAT_rx_malformed, true },
	[FAULT_PAD] = { ORNIC_RDMA_STAT_rx_malformed, true },
	[FAULT_ICRC] = { ORNIC_RDMA_STAT_rx_icrc_errors },
	[FAULT_CNP] = { ORNIC_RDMA_STAT_rx_cnps, true },
	[FAULT_QPN] = { ORNIC_RDMA_STAT_rx_unknown_qp },
	[FAULT_TRANSPORT] = { ORNIC_RDMA_STAT_rx_unknown_qp, true },
	[FAULT_STATE] = { ORNIC_RDMA_STAT_rx_unknown_qp },
	[FAULT_PKEY] = { ORNIC_RDMA_STAT_rx_wrong_path },
	[FAULT_PATH] = { ORNIC_RDMA_STAT_rx_wrong_path },
	[FAULT_QKEY] = { ORNIC_RDMA_STAT_rx_qkey_errors },
	[FAULT_PSN] = { ORNIC_RDMA_STAT_rx_out_of_sequence },
};

/* All counters of wrong packets */
static const enum ornic_rdma_stat counters[] = {
	ORNIC_RDMA_STAT_rx_malformed, ORNIC_RDMA_STAT_rx_icrc_errors,
	ORNIC_RDMA_STAT_rx_cnps, ORNIC_RDMA_STAT_rx_unknown_qp,
	ORNIC_RDMA_STAT_rx_wrong_path, ORNIC_RDMA_STAT_rx_qkey_errors,
	ORNIC_RDMA_STAT_rx_duplicate_requests, ORNIC_RDMA_STAT_rx_out_of_sequence,
	ORNIC_RDMA_STAT_rx_no_wqe, ORNIC_RDMA_STAT_rx_length_errors,
	ORNIC_RDMA_STAT_remote_access_errors, ORNIC_RDMA_STAT_remote_invalid_requests,
};

static unsigned int make(struct pair *pair, bool ud, uint8_t *bytes)
{
	struct packet pkt = pair_packet(pair, ud ? OPCODE_UD_SEND_ONLY : OPCODE_RC_WRITE_ONLY);
	struct packet_path path = {
		.src = gid_get(&A(pair)->host->card->gids, A(pair)->sgid_index),
		.dgid = B(pair)->gid,
		.dmac = B(pair)->host->mac,
		.sport = 0xc000,
	};
	struct frame frame = {};
	unsigned int len;

	assert_true(path.src->ipv4);
	pkt.pkey = PKEY_DEFAULT;
	pkt.dma_len = 0;
	pkt.qkey = pair_qp(B(pair))->attr.qkey;
	packet_finish(&frame, &path, &pkt);
	len = frame_len(&frame);
	assert_true(len <= BYTES_MAX);
	assert_int_equal(frame_read(&frame, 0, bytes, len), 0);
	return len;
}

static void spoil(uint8_t *p, bool ud, enum fault fault)
{
	uint32_t word;

	switch (fault) {
	case FAULT_LENGTHS:
		be_put16(p + UDP + 4, be_get16(p + UDP + 4) - 4);
		break;
	case FAULT_OPCODE:
		p[BTH] = 0x3f;
		break;
	case FAULT_TVER:
		p[BTH + 1] |= 1;
		break;
	case FAULT_NO_PAYLOAD:
		p[BTH] = OPCODE_RC_ACK;
		break;
	case FAULT_PAD:
		p[BTH + 1] |= 0x30;
		break;
	case FAULT_CNP:
		p[BTH] = OPCODE_CNP;
		break;
	case FAULT_QPN:
		p[BTH + 5] ^= 0x40;
		break;
	case FAULT_TRANSPORT:
		p[BTH] = ud ? OPCODE_RC_SEND_ONLY : OPCODE_UC << OPCODE_TRANSPORT_SHIFT |
						    OPCODE_RC_WRITE_ONLY;
		break;
	case FAULT_PKEY:
		p[BTH + 2] ^= 1;
		break;
	case FAULT_PATH:
		p[IP + HEADERS_IPV4_SRC + 3] ^= 0x40;
		break;
	case FAULT_QKEY:
		p[DETH] ^= 1;
		break;
	case FAULT_PSN:
		word = be_get32(p + BTH + 8);
		be_put32(p + BTH + 8, (word & ~PSN_MASK) | ((word + 16) & PSN_MASK));
		break;
	default:
		break;
	}
}

/* Make both checksums right, but for those that are faults */
static void seal(uint8_t *p, unsigned int len, uint32_t set)
{
	unsigned int end = len - ICRC_LEN;
	struct iovec rest = { p + BTH + BTH_LEN, end - BTH - BTH_LEN };
	struct csum csum = {};
	uint32_t val;

	be_put16(p + IP + 10, 0);
	csum_add(&csum, p + IP, HEADERS_IPV4_LEN);
	be_put16(p + IP + 10, ~csum_fold(&csum));
	if (set & 1 << FAULT_IP_CSUM)
		p[IP + 10] ^= 1;
	val = htole32(icrc(p + IP, &rest, 1));
	memcpy(p + end, &val, sizeof(val));
	if (set & 1 << FAULT_ICRC)
		p[end] ^= 1;
}

static uint64_t stat(struct pair *pair, enum ornic_rdma_stat counter)
{
	return B(pair)->host->card->stats.rdma[counter];
}

static uint64_t sum(struct pair *pair)
{
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		all += stat(pair, counters[i]);
	return all;
}

/* A packet with faults; @first is the one that is counted */
static void check(struct pair *pair, bool ud, uint32_t set, enum fault first)
{
	uint64_t before = sum(pair), count = stat(pair, faults[first].counter);
	uint8_t bytes[BYTES_MAX];
	struct frame frame = {};
	unsigned int len = make(pair, ud, bytes), i;

	for (i = 0; i < FAULTS; i++)
		if (set & 1 << i)
			spoil(bytes, ud, i);
	seal(bytes, len, set);
	frame.hdr_len = len;
	memcpy(frame.hdr, bytes, len);
	card_rx(B(pair)->host->card, &frame);
	pair_run(pair);
	if (sum(pair) != before + 1 || stat(pair, faults[first].counter) != count + 1)
		fail_msg("faults %#x: %d new counts, %d for fault %d", set,
			 (int)(sum(pair) - before),
			 (int)(stat(pair, faults[first].counter) - count), first);
}

static bool applies(bool ud, unsigned int fault)
{
	return ud ? fault != FAULT_PATH && fault != FAULT_PSN : fault != FAULT_QKEY;
}

/* Each fault alone, and each pair of them. @state: that of the QP is one, too. */
static void check_pairs(struct pair *pair, bool ud, bool state)
{
	uint32_t always = state ? 1 << FAULT_STATE : 0;
	unsigned int i, j;

	for (i = 0; i < FAULTS; i++) {
		if (!applies(ud, i) || i == FAULT_STATE)
			continue;
		for (j = i; j < FAULTS; j++) {
			if (!applies(ud, j) || j == FAULT_STATE ||
			    (i != j && faults[i].opcode && faults[j].opcode))
				continue;
			check(pair, ud, 1 << i | 1 << j | always,
			      state && i > FAULT_STATE ? FAULT_STATE : i);
		}
	}
}

static void check_all(struct pair *pair, bool ud)
{
	struct ornic_qp_attr attr = { .state = ORNIC_QPS_ERR };
	uint32_t always = 1 << FAULT_STATE;

	check_pairs(pair, ud, false);
	pair_modify_ok(B(pair), ORNIC_QP_ATTR_STATE, &attr);
	check(pair, ud, always, FAULT_STATE);
	check_pairs(pair, ud, true);
}

TEST(test_connected, struct pair *pair, IN_PAIR(pair_setup_rc, bytes))
{
	check_all(pair, false);
}

TEST(test_datagrams, struct pair *pair, IN_PAIR(pair_setup_ud, bytes))
{
	check_all(pair, true);
}

TEST_MAIN("check")
